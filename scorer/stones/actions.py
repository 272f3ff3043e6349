"""Shifting Stones: what each action changes in the state."""

from __future__ import annotations

from typing import Any

from scorer.actions import cell_of, evidence_in, int_in, list_in, seat_of, text_in, turn_order
from scorer.game import ActionError, Json
from scorer.notation import EMPTY, NotationError, join_rows, parse_word, split_grid
from scorer.stones.board import SIDE, Symbol
from scorer.stones.cards import PatternCard, placements
from scorer.stones.rounds import HAND
from scorer.stones.state import (
    deck_card,
    drawn_at_end,
    excess_of,
    full_grid_of,
    has_acted,
    has_begun,
    is_alone,
    is_last_round,
    is_over,
    known_hand,
    left_alone,
    new_seat,
    rows_of,
    turn_seat,
)
from scorer.stones.turn import MOST_CARDS, Action, Flip, Shift, apply


def _word(text: str) -> str:
    try:
        return EMPTY if text == EMPTY else parse_word(text, Symbol).value
    except NotationError:
        raise ActionError(
            "label", "There is no such stone; please choose one of the eight."
        ) from None


def set_board(new: Json, action: Json) -> None:
    try:
        rows = split_grid(text_in(action, "text"), (SIDE, SIDE), (SIDE, SIDE))
    except NotationError:
        raise ActionError(
            "notation", "That is not a board of three rows with three stones each."
        ) from None
    text = join_rows([_word(word) for word in row] for row in rows)
    if has_begun(new) and new["board"] is not None and text != new["board"]["text"]:
        new["counted"] = False
    new["board"] = {"text": text, "moved": False, "turn": new["turn"]} | evidence_in(action)


def set_cell(new: Json, action: Json) -> None:
    rows = rows_of(new)
    row, col = cell_of([int_in(action, "row"), int_in(action, "col")], SIDE)
    rows[row][col] = _word(text_in(action, "label"))
    kept = new["board"] or {"moved": False, "turn": new["turn"]} | evidence_in({})
    new["board"] = kept | {"text": join_rows(rows)}


def expect_not_begun(state: Json) -> None:
    if has_begun(state):
        raise ActionError(
            "begun", "The first turn has begun already: say whose turn it is instead."
        )


def _expect_going_on(state: Json) -> None:
    if state["finished"] or is_over(state):
        raise ActionError("over", "The game is over: undo or go on with it to change something.")


def _expect_turn(state: Json, action: Json) -> None:
    """Refuse what was told of a turn that has ended. Earlier versions do not say which it was."""
    _expect_going_on(state)
    if action.get("turn", state["turn"]) != state["turn"]:
        raise ActionError("turn_over", "That turn has ended already.")


def join(new: Json, player: Json) -> None:
    """One more plays: with a new hand, on the last seat. Whose turn it is stays."""
    _expect_going_on(new)
    if is_alone(new):
        raise ActionError("players", "This game is played alone; please start another game.")
    if is_last_round(new):
        raise ActionError("last_round", "The last round has begun: who comes later can only watch.")
    seat, rounds = turn_seat(new), new["turn"] // len(new["players"])
    new["players"].append(player)
    new["seats"].append(new_seat())
    new["turn"] = rounds * len(new["players"]) + turn_order(new).index(seat)
    if is_last_round(new):
        raise ActionError(
            "last_round",
            "With one player more this is the last round: who comes now can only watch.",
        )
    new["counted"] = new["counted"] and new["deck"] >= HAND
    new["deck"] = max(0, new["deck"] - HAND)


def move(new: Json, action: Json, by: Json) -> None:
    _expect_turn(new, action)
    grid = full_grid_of(new)
    seat = turn_seat(new)
    held = new["seats"][seat]
    if held["count"] < 1:
        raise ActionError("empty_hand", "There is no card left to discard for this.")
    step = _step(action)
    discard = action.get("discard")
    if discard is not None:
        if by.get("seat") != seat:
            raise ActionError(
                "private", "Only the player whose turn it is can say which card is discarded."
            )
        if discard not in known_hand(new, seat):
            raise ActionError(
                "not_in_hand", "That card is not in your hand; please choose another one."
            )
        held["hand"].remove(discard)
    held["count"] -= 1
    new |= {"has_acted": True, "discards": new["discards"] + 1}
    new["board"] |= {"text": str(apply(grid, step)), "moved": True, "turn": new["turn"]}


def _step(action: Json) -> Action:
    shift, flip = action.get("shift"), action.get("flip")
    if isinstance(shift, list) and len(shift) == 2 and flip is None:
        first, second = (cell_of(cell, SIDE) for cell in shift)
        if abs(first[0] - second[0]) + abs(first[1] - second[1]) != 1:
            raise ActionError(
                "shift", "Only stones side by side or one above the other change places."
            )
        return Shift(first, second)
    if shift is None:
        return Flip(cell_of(flip, SIDE))
    raise ActionError("action", "A move is one flip or one swap; please reload the page.")


def score(new: Json, action: Json) -> None:
    _expect_turn(new, action)
    grid = full_grid_of(new)
    card = _free_card(new, int_in(action, "card"))
    if not placements(grid, card.pattern):
        raise ActionError(
            "no_match",
            "The stones do not show this card now. If they did a moment ago, add it to the "
            "player's cards by hand.",
        )
    held = new["seats"][turn_seat(new)]
    if held["count"] < 1:
        raise ActionError("empty_hand", "There is no card left in this hand to score.")
    held["scored"].append(card.id)
    _pay(new, card.id)
    _expect_solo_deck(new)
    if card.id in held["hand"]:
        held["hand"].remove(card.id)
        new["known_now"] = [*new.get("known_now", ()), card.id]
    new["scored_now"].append(card.id)


def _pay(new: Json, card: int) -> None:
    """Count a scored card out of the hand of now, and note it: ``unscore`` gives it back."""
    new["seats"][turn_seat(new)]["count"] -= 1
    # States of earlier versions lack this list and ``known_now``.
    new["paid_now"] = [*new.get("paid_now", ()), card]


def _free_card(state: Json, number: Any) -> PatternCard:
    """A card of the deck that nobody has scored yet."""
    card = deck_card(number)
    if any(card.id in seat["scored"] for seat in state["seats"]):
        raise ActionError(
            "scored", "That card has been scored already; every card is in the deck once."
        )
    return card


def end_turn(new: Json, action: Json, *, skipped: bool) -> None:
    _expect_turn(new, action)
    full_grid_of(new)
    seat = turn_seat(new)
    held = new["seats"][seat]
    if skipped and has_acted(new):
        raise ActionError(
            "acted", "This turn has begun, so it can no longer be skipped: end it instead."
        )
    if skipped and held["has_skipped"]:
        raise ActionError(
            "skipped_twice", "The last turn was skipped too; nobody may skip twice in a row."
        )
    held["excess"] = excess_of(new, seat)
    _draw(new, held, drawn_at_end(new, skipped=skipped))
    held["has_skipped"] = skipped
    if is_alone(new) and not new["scored_now"]:
        new["strikes"] += new["options"]["skip_is_strike"] or not skipped
    turn = new["turn"] + 1
    has_ended = turn % len(new["players"]) == 0 and is_last_round(new)
    _begin_turn(new, turn, has_ended=has_ended)


def _begin_turn(new: Json, turn: int, *, has_ended: bool) -> None:
    new |= {"turn": turn, "has_acted": False, "has_ended": has_ended}
    new |= {"scored_now": [], "paid_now": [], "known_now": []}


def _draw(new: Json, held: Json, drawn: int) -> None:
    """Draw so many cards for a hand. The discards become a new deck where the old one ends."""
    if new["deck"] < drawn:
        new |= {"deck": new["deck"] + new["discards"], "discards": 0}
    held["count"] += drawn
    new["deck"] = max(0, new["deck"] - drawn)


def _expect_solo_deck(state: Json) -> None:
    if is_alone(state) and min(left_alone(state).values()) < 0:
        raise ActionError(
            "solo_deck",
            "A game alone has eight cards of 1 point, four of 2, three of 3 and one of 5: too "
            "many of one are scored.",
        )


def award(new: Json, action: Json) -> None:
    """Cards that were scored unseen, in whatever turn: they are not paid from the hand of now.

    Anybody may tell of them, so what their player told of the hand stays as it is.

    Between rounds only whoever has the turn can have scored one since: a card of anybody else may
    tell that the round before was the last.

    Logs of earlier versions name one ``card``, which was taken from the hand of whoever has the
    turn.
    """
    seat = seat_of(action, new)
    is_one = "card" in action
    for number in [action["card"]] if is_one else list_in(action, "cards"):
        card = _free_card(new, number)
        held = new["seats"][seat]
        held["scored"].append(card.id)
        if seat == turn_seat(new):
            if is_one and held["count"] > 0:
                _pay(new, card.id)
            new["scored_now"].append(card.id)
            new["has_acted"] = new["has_acted"] or is_one
    _expect_solo_deck(new)
    if seat != turn_seat(new) and is_last_round(new) and _is_between_rounds(new):
        new["has_ended"] = True
    new["counted"] = False


def _is_between_rounds(state: Json) -> bool:
    is_first = state["turn"] % len(state["players"]) == 0
    return state["turn"] > 0 and is_first and not has_acted(state)


def unscore(new: Json, action: Json) -> None:
    held = new["seats"][seat_of(action, new)]
    card = int_in(action, "card")
    if card not in held["scored"]:
        raise ActionError("card", "This player has not scored that card.")
    held["scored"].remove(card)
    new["scored_now"] = [other for other in new["scored_now"] if other != card]
    paid, known = new.get("paid_now", []), new.get("known_now", [])
    held["count"] += card in paid
    if card in known:
        held["hand"] = sorted([*held["hand"], card])
    new["paid_now"] = [other for other in paid if other != card]
    new["known_now"] = [other for other in known if other != card]
    new["counted"] = False


def pass_turn_to(new: Json, seat: int) -> None:
    """Whose turn it is in this round, or in the last one once the game is over."""
    if is_alone(new):
        raise ActionError("alone", "Playing alone, every turn is yours.")
    count = len(new["players"])
    turn = max(0, new["turn"] - is_over(new)) // count * count + turn_order(new).index(seat)
    if turn != new["turn"]:
        _begin_turn(new, turn, has_ended=False)
        new["counted"] = False
        # Whether the turn before was skipped was not told either, so it may not forbid a skip now.
        new["seats"][seat]["has_skipped"] = False


def set_hand(new: Json, action: Json, by: Json) -> None:
    """The cards that a player holds. Cards that are only taken out were discarded before."""
    seat = seat_of(action, new)
    if by.get("seat") != seat:
        raise ActionError("private", "Everybody chooses their own hand; nobody else sees it.")
    cards = list_in(action, "cards")
    if len(cards) > MOST_CARDS:
        raise ActionError("hand", "Nobody holds more than six cards; please take some away.")
    for card in cards:
        _free_card(new, card)
    if len(set(cards)) != len(cards):
        raise ActionError("hand", "A card is in the deck once, so it cannot be in a hand twice.")
    held = new["seats"][seat]
    known = known_hand(new, seat)
    asked = excess_of(new, seat) - (len(known) - len(cards))
    held["excess"] = max(0, asked) if set(cards) < set(known) else 0
    scored = [card for card in held["hand"] if card in held["scored"]]
    held["hand"] = sorted([*cards, *scored])
    if len(cards) - held["excess"] > held["count"]:
        held["count"] = len(cards) - held["excess"]
        new["counted"] = False
