"""Shifting Stones at the table: the nine stones, whose turn it is, hands, scored cards and the end.

The stones, the scored cards and how many cards somebody holds lie open; which cards they hold is theirs alone,
so only the view of a seat shows its hand. What is told of the turns is checked against the rules; what happened
unseen is added afterwards (``award``, ``turn``, ``board``), and from then on the deck is no longer counted.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from typing import Any

from scorer.notation import EMPTY, NotationError, join_rows, parse_word, split_grid
from scorer.stones.board import BOX, SIDE, StoneGrid, Symbol
from scorer.stones.cards import CARDS, PatternCard, cards_by_id, placements
from scorer.stones.rounds import HAND, SKIP_CARDS, PlayerState, RuleError, StonesGame, last_round_at
from scorer.stones.score import FinalScore, final_scores, winners
from scorer.stones.solo import SOLO_DECK, SOLO_STRIKES, SoloGame
from scorer.stones.turn import (
    MOST_CARDS,
    Action,
    Flip,
    Score,
    Shift,
    Step,
    apply,
    best_turn,
    distance,
    way_to,
)
from webapp.play import ActionError, Choice, Json, Option, SetupForm
from webapp.play.common import (
    dict_in,
    evidence_in,
    int_in,
    list_in,
    players_of,
    seat_of,
    text_in,
    unknown_action,
)

MOST_PLAYERS = 5
"""Players of the box; the rules for five hold for more, but the deck does not."""

COLOURS = ("yellow", "red", "purple", "turquoise", "green")

CLAIM_ITEMS = ("points", "ones", "bonus", "total")
"""What a pad may say of a player."""

MOST_CLAIM = 10_000

MATCH_CACHE = 256
"""Grids whose matches and ways are kept: every device asks for the same one after a change."""


class Stones:
    """See the module. Actions besides those of every game:

    - ``cell`` (row, col, label): correct what was read; costs nothing
    - ``move`` (``shift``: two cells or ``flip``: a cell, ``discard``: a card of the own hand or null)
    - ``score`` (card), ``end_turn``, ``skip``: by whoever's turn it is; anybody at the table may tell it
    - ``award`` and ``unscore`` (seat, card), ``turn`` and ``first`` (seat): put right what was not told in time
    - ``hand`` (seat, cards): only by the seat itself
    """

    code = "stones"

    def setup_form(self) -> SetupForm:
        return SetupForm(
            "Shifting Stones",
            "Nine stones and a hand of pattern cards: what matches now, what is a move away, who has won.",
            most_players=MOST_PLAYERS,
            seats=tuple(Choice(colour, colour) for colour in COLOURS),
            options=(
                Option(
                    "advice",
                    "Allow advice",
                    "switch",
                    default=True,
                    help="Shows how far away a card is and the best turn to whoever asks. Matches are always shown.",
                ),
                Option(
                    "skip_is_strike",
                    "Playing alone, a skipped turn is a strike",
                    "switch",
                    default=True,
                    help="The rulebook does not settle it.",
                ),
            ),
            board="stones",
        )

    def start(self, setup: Json) -> Json:
        players = players_of(setup)
        if len(players) > MOST_PLAYERS:
            raise ActionError("players", "Shifting Stones has cards for up to five players.")
        options = setup.get("options") or {}
        deck = sum(SOLO_DECK.values()) if len(players) == 1 else len(CARDS)
        return {
            "players": players,
            "options": {
                "advice": options.get("advice", True) is True,
                "skip_is_strike": options.get("skip_is_strike", True) is True,
            },
            "board": None,
            "first": 0,
            "turn": 0,
            "has_acted": False,
            "scored_now": [],
            "seats": [{"hand": [], "count": HAND, "scored": [], "has_skipped": False} for _ in players],
            "deck": deck - HAND * len(players),
            "discards": 0,
            "counted": True,
            "strikes": 0,
            "claims": {},
            "finished": False,
        }

    def act(self, state: Json, action: Json, by: Json) -> Json:
        if by.get("role") == "viewer":
            raise ActionError("viewer", "You are watching this game: join as a player to change something.")
        new = copy.deepcopy(state)
        match action.get("type"):
            case "board":
                _set_board(new, action)
            case "cell":
                _set_cell(new, action)
            case "hand":
                _set_hand(new, action, by)
            case "move":
                _move(new, action, by)
            case "score":
                _score(new, action)
            case "end_turn":
                _end_turn(new, skipped=False)
            case "skip":
                _end_turn(new, skipped=True)
            case "award":
                _award(new, action)
            case "unscore":
                _unscore(new, action)
            case "turn":
                _pass_turn_to(new, _seat(action, new))
            case "first":
                _expect_not_begun(new)
                new["first"] = _seat(action, new)
            case "claim":
                new["claims"][str(_seat(action, new))] = _claim(action)
            case "finish" | "resume" as kind:
                new["finished"] = kind == "finish"
            case _:
                raise unknown_action(action)
        return new

    def touches(self, action: Json) -> Sequence[str]:
        """Stones that change place or face, the turn when it passes on, one's own hand and claims."""
        match action.get("type"):
            case "board":
                return ("board",)
            case "cell":
                return (f"board/{action.get('row')}/{action.get('col')}",)
            case "move":
                shift = action.get("shift")
                cells = shift if isinstance(shift, list) else [action.get("flip")]
                return tuple(
                    f"board/{cell[0]}/{cell[1]}"
                    for cell in cells
                    if isinstance(cell, list) and len(cell) == 2
                )
            case "end_turn" | "skip" | "turn" | "first":
                return ("turn",)
            case "hand" | "claim" as kind:
                return (f"{kind}/{action.get('seat')}",)
            case _:
                return ()

    def view(self, state: Json, viewer: Json) -> Json:
        grid = _grid(state)
        scored_by = {card: seat for seat, held in enumerate(state["seats"]) for card in held["scored"]}
        may_edit = viewer.get("role") != "viewer"
        advice = state["options"]["advice"]
        own = next((seat for seat in range(len(state["seats"])) if _is_own(seat, viewer)), None)
        return {
            "board": _board_view(state, grid),
            "players": _player_views(state),
            "turn": _turn_view(state),
            "end": _end_view(state),
            "solo": _solo_view(state),
            "deck": {"cards": state["deck"], "discards": state["discards"]} if state["counted"] else None,
            "advice": advice,
            "cards": [{"id": card.id, "points": card.points, "pattern": str(card.pattern)} for card in CARDS],
            "backs": {symbol.value: symbol.back.value for symbol in Symbol},
            "scored_by": {str(card): seat for card, seat in scored_by.items()},
            "matches": dict(_matches(str(grid))) if grid else {},
            "ways": dict(_ways(str(grid))) if grid and advice else {},
            "hand": None if own is None else _hand_view(state, own, grid, scored_by),
            "claims": state["claims"],
            "result": self.result(state),
            "finished": state["finished"],
            "may_edit": may_edit,
        }

    def public(self, state: Json, viewer: Json) -> Json:
        """The state as that viewer may have it: the cards of other hands are left out."""
        return state | {
            "seats": [
                held if _is_own(seat, viewer) else held | {"hand": []}
                for seat, held in enumerate(state["seats"])
            ]
        }

    def public_action(self, action: Json, viewer: Json) -> Json:
        """An action of the log as that viewer may have it."""
        if action.get("type") == "hand" and not _is_own(action.get("seat"), viewer):
            return action | {"cards": []}
        return action

    def result(self, state: Json) -> list[Json]:
        scores = _final_scores(state)
        if len(scores) == 1:
            won = _solo(state).is_won
            return [{"player": scores[0].name, "score": scores[0].total, "rank": 1, "winner": won}]
        best = winners(scores)
        return [
            {
                "player": score.name,
                "score": score.total,
                "rank": 1 + sum(other.total > score.total for other in scores),
                "winner": score.name in best,
            }
            for score in scores
        ]

    def documents(self, state: Json) -> list[Json]:
        document: Json = {
            "game": "stones",
            "players": [
                {"name": player["name"], "cards": list(seat["scored"])}
                for player, seat in zip(state["players"], state["seats"], strict=True)
            ],
        }
        if state["claims"]:
            names = [player["name"] for player in state["players"]]
            document["claimed"] = {
                names[int(seat)]: dict(lines) for seat, lines in sorted(state["claims"].items())
            }
        return [document]


# What lies on the table


def _rows(state: Json) -> list[list[str]]:
    """The words of the board, empty cells as ``.``; all empty before the stones are laid out."""
    if state["board"] is None:
        return [[EMPTY] * SIDE for _ in range(SIDE)]
    return split_grid(state["board"]["text"], (SIDE, SIDE), (SIDE, SIDE))


def _grid(state: Json) -> StoneGrid | None:
    """The nine stones, or None while one is missing."""
    rows = _rows(state)
    return None if any(EMPTY in row for row in rows) else StoneGrid.parse(join_rows(rows))


def _full_grid(state: Json) -> StoneGrid:
    grid = _grid(state)
    if grid is None:
        raise ActionError(
            "no_board", "Not all nine stones are known yet: photograph them or tap the empty cells."
        )
    return grid


def _word(text: str) -> str:
    try:
        return EMPTY if text == EMPTY else parse_word(text, Symbol).value
    except NotationError:
        raise ActionError("label", "There is no such stone; please choose one of the eight.") from None


def _set_board(new: Json, action: Json) -> None:
    try:
        rows = split_grid(text_in(action, "text"), (SIDE, SIDE), (SIDE, SIDE))
    except NotationError:
        raise ActionError("notation", "That is not a board of three rows with three stones each.") from None
    text = join_rows([_word(word) for word in row] for row in rows)
    if _has_begun(new) and new["board"] is not None and text != new["board"]["text"]:
        new["counted"] = False
    new["board"] = {"text": text, "moved": False} | evidence_in(action)


def _set_cell(new: Json, action: Json) -> None:
    rows = _rows(new)
    row, col = int_in(action, "row"), int_in(action, "col")
    _expect_cell((row, col))
    rows[row][col] = _word(text_in(action, "label"))
    kept = new["board"] or {"photo": None, "corrections": [], "moved": False}
    new["board"] = kept | {"text": join_rows(rows)}


def _expect_cell(cell: tuple[int, int]) -> None:
    if not (0 <= cell[0] < SIDE and 0 <= cell[1] < SIDE):
        raise ActionError("cell", "That cell is not on the board; please reload the page.")


def _cell(value: Any) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2 and all(type(number) is int for number in value):
        cell = (value[0], value[1])
        _expect_cell(cell)
        return cell
    raise ActionError("cell", "That cell is not on the board; please reload the page.")


# Turns


def _is_own(seat: Any, viewer: Json) -> bool:
    """Whether the viewer holds this seat. Whoever only watches holds none."""
    return viewer.get("role") != "viewer" and seat is not None and viewer.get("seat") == seat


def _seat(action: Json, state: Json) -> int:
    seat = seat_of(action, state)
    assert seat is not None
    return seat


def _has_begun(state: Json) -> bool:
    return bool(state["turn"] > 0 or state["has_acted"])


def _expect_not_begun(state: Json) -> None:
    if _has_begun(state):
        raise ActionError("begun", "The first turn has begun already: say whose turn it is instead.")


def _order(state: Json) -> list[int]:
    """The seats in turn order."""
    count = len(state["players"])
    return [(state["first"] + place) % count for place in range(count)]


def _turn_seat(state: Json) -> int:
    order = _order(state)
    place: int = state["turn"] % len(order)
    return order[place]


def _deck_card(number: int) -> PatternCard:
    card = cards_by_id().get(number)
    if card is None:
        raise ActionError("card", "There is no such card in the deck; please choose another one.")
    return card


_NO_GRID = StoneGrid.parse("sun fish fish / horse horse horse / seed seed seed")
"""Stands for the stones where a rule does not look at them: passing the turn on, asking for the end."""


def _game(state: Json, grid: StoneGrid = _NO_GRID) -> StonesGame:
    """The tracked game of ``scorer`` in this state; for two players or more."""
    players = tuple(
        PlayerState(
            state["players"][seat]["name"],
            state["seats"][seat]["count"],
            tuple(_deck_card(card) for card in state["seats"][seat]["scored"]),
            state["seats"][seat]["has_skipped"],
        )
        for seat in _order(state)
    )
    return StonesGame(grid, players, state["deck"], state["discards"], state["turn"], state["has_acted"])


def _keep(new: Json, game: StonesGame) -> None:
    """Write what a step of the tracked game changed, the stones excepted."""
    for seat, player in zip(_order(new), game.players, strict=True):
        new["seats"][seat] |= {
            "count": player.hand,
            "scored": [card.id for card in player.scored],
            "has_skipped": player.has_skipped,
        }
    new |= {"deck": game.deck, "discards": game.discards, "turn": game.turn, "has_acted": game.has_acted}


def _solo(state: Json) -> SoloGame:
    """The solo game of ``scorer``. Which cards still lie in the deck is unknown; any of their points will do."""
    scored = [_deck_card(card) for card in state["seats"][0]["scored"]]
    cards = list(scored)
    for points, count in SOLO_DECK.items():
        missing = count - sum(card.points == points for card in scored)
        others = [card for card in CARDS if card.points == points and card not in scored]
        cards += others[: max(0, missing)]
    try:
        return SoloGame(tuple(cards), tuple(scored), state["strikes"], state["options"]["skip_is_strike"])
    except RuleError:
        raise ActionError(
            "solo_deck",
            "A game alone has eight cards of 1 point, four of 2, three of 3 and one of 5: too many of one are scored.",
        ) from None


def _is_alone(state: Json) -> bool:
    return len(state["players"]) == 1


def _is_over(state: Json) -> bool:
    if _is_alone(state):
        return _solo(state).is_won or _solo(state).is_lost
    return _game(state).is_over


def _expect_going_on(state: Json) -> None:
    if state["finished"] or _is_over(state):
        raise ActionError("over", "The game is over: undo or go on with it to change something.")


def _move(new: Json, action: Json, by: Json) -> None:
    _expect_going_on(new)
    grid = _full_grid(new)
    seat = _turn_seat(new)
    held = new["seats"][seat]
    if held["count"] < 1:
        raise ActionError("empty_hand", "There is no card left to discard for this.")
    step = _step(action)
    discard = action.get("discard")
    if discard is not None:
        if by.get("seat") != seat:
            raise ActionError("private", "Only the player whose turn it is can say which card is discarded.")
        if discard not in held["hand"]:
            raise ActionError("not_in_hand", "That card is not in your hand; please choose another one.")
        held["hand"].remove(discard)
    if _is_alone(new):
        held["count"] -= 1
        new |= {"has_acted": True, "discards": new["discards"] + 1}
    else:
        _keep(new, _game(new, grid).act(step))
    new["board"] |= {"text": str(apply(grid, step)), "moved": True}


def _step(action: Json) -> Action:
    shift, flip = action.get("shift"), action.get("flip")
    if isinstance(shift, list) and len(shift) == 2 and flip is None:
        first, second = (_cell(cell) for cell in shift)
        if abs(first[0] - second[0]) + abs(first[1] - second[1]) != 1:
            raise ActionError("shift", "Only stones side by side or one above the other change places.")
        return Shift(first, second)
    if shift is None:
        return Flip(_cell(flip))
    raise ActionError("action", "A move is one flip or one swap; please reload the page.")


def _score(new: Json, action: Json) -> None:
    _expect_going_on(new)
    grid = _full_grid(new)
    card = _free_card(new, action)
    if not placements(grid, card.pattern):
        raise ActionError(
            "no_match",
            "The stones do not show this card now. If they did a moment ago, add it to the player's cards by hand.",
        )
    seat = _turn_seat(new)
    held = new["seats"][seat]
    if held["count"] < 1:
        raise ActionError("empty_hand", "There is no card left in this hand to score.")
    if _is_alone(new):
        held["scored"].append(card.id)
        held["count"] -= 1
        new["has_acted"] = True
        _solo(new)
    else:
        _keep(new, _game(new, grid).score(card))
    _drop(new, seat, card.id)
    new["scored_now"].append(card.id)


def _free_card(state: Json, action: Json) -> PatternCard:
    """The card of an action, if nobody has scored it yet."""
    card = _deck_card(int_in(action, "card"))
    if any(card.id in seat["scored"] for seat in state["seats"]):
        raise ActionError("scored", "That card has been scored already; every card is in the deck once.")
    return card


def _drop(new: Json, seat: int, card: int) -> None:
    """Take a card out of what is known of a hand."""
    held = new["seats"][seat]
    held["hand"] = [other for other in held["hand"] if other != card]


def _end_turn(new: Json, *, skipped: bool) -> None:
    _expect_going_on(new)
    _full_grid(new)
    held = new["seats"][_turn_seat(new)]
    if skipped and new["has_acted"]:
        raise ActionError("acted", "This turn has begun, so it can no longer be skipped: end it instead.")
    if skipped and held["has_skipped"]:
        raise ActionError("skipped_twice", "The last turn was skipped too; nobody may skip twice in a row.")
    if _is_alone(new):
        _end_solo_turn(new, skipped)
    else:
        game = _game(new)
        _keep(new, game.skip() if skipped else game.end_turn())
    new["scored_now"] = []


def _end_solo_turn(new: Json, skipped: bool) -> None:
    held = new["seats"][0]
    solo = _solo(new)
    scored_now = tuple(card for card in solo.scored if card.id in new["scored_now"])
    before = replace(solo, scored=tuple(card for card in solo.scored if card not in scored_now))
    after = before.end_turn(scored_now, skipped)
    left = sum(SOLO_DECK.values()) - len(held["scored"]) - held["count"]
    wanted = min(SKIP_CARDS, MOST_CARDS - held["count"]) if skipped else max(0, HAND - held["count"])
    drawn = min(wanted, left)
    if new["deck"] < drawn:
        new |= {"deck": new["deck"] + new["discards"], "discards": 0}
    held |= {"count": held["count"] + drawn, "has_skipped": skipped}
    new |= {
        "deck": max(0, new["deck"] - drawn),
        "strikes": after.strikes,
        "turn": new["turn"] + 1,
        "has_acted": False,
    }


def _award(new: Json, action: Json) -> None:
    """A card that was scored unseen."""
    seat = _seat(action, new)
    card = _free_card(new, action)
    new["seats"][seat]["scored"].append(card.id)
    if _is_alone(new):
        _solo(new)
    if seat == _turn_seat(new):
        held = new["seats"][seat]
        held["count"] = max(0, held["count"] - 1)
        new["scored_now"].append(card.id)
        new["has_acted"] = True
    _drop(new, seat, card.id)
    new["counted"] = False


def _unscore(new: Json, action: Json) -> None:
    held = new["seats"][_seat(action, new)]
    card = int_in(action, "card")
    if card not in held["scored"]:
        raise ActionError("card", "This player has not scored that card.")
    held["scored"].remove(card)
    new["scored_now"] = [other for other in new["scored_now"] if other != card]
    new["counted"] = False


def _pass_turn_to(new: Json, seat: int) -> None:
    """Whose turn it is in this round, when a turn was not told."""
    count = len(new["players"])
    turn = new["turn"] - new["turn"] % count + _order(new).index(seat)
    if turn != new["turn"]:
        new |= {"turn": turn, "has_acted": False, "scored_now": [], "counted": False}
        # Whether the turn before was skipped was not told either, so it may not forbid a skip now.
        new["seats"][seat]["has_skipped"] = False


# Hands and claims


def _set_hand(new: Json, action: Json, by: Json) -> None:
    seat = _seat(action, new)
    if by.get("seat") != seat:
        raise ActionError("private", "Everybody chooses their own hand; nobody else sees it.")
    cards = list_in(action, "cards")
    if len(cards) > MOST_CARDS:
        raise ActionError("hand", "Nobody holds more than six cards; please take some away.")
    for card in cards:
        if type(card) is not int:
            raise ActionError("card", "There is no such card in the deck; please choose another one.")
        _deck_card(card)
        if any(card in held["scored"] for held in new["seats"]):
            raise ActionError("scored", "That card has been scored already; every card is in the deck once.")
    if len(set(cards)) != len(cards):
        raise ActionError("hand", "A card is in the deck once, so it cannot be in a hand twice.")
    held = new["seats"][seat]
    held["hand"] = sorted(cards)
    if len(cards) > held["count"]:
        held["count"] = len(cards)
        new["counted"] = False


def _claim(action: Json) -> Json:
    lines = dict_in(action, "lines")
    for item, figure in lines.items():
        if item not in CLAIM_ITEMS or type(figure) is not int or abs(figure) > MOST_CLAIM:
            raise ActionError("claim", "The pad gives whole numbers for points, ones, bonus and total.")
    return dict(lines)


# Views


def _board_view(state: Json, grid: StoneGrid | None) -> Json:
    rows = _rows(state)
    kept = state["board"]
    return {
        "rows": rows,
        # The photo can be looked at again while it shows what lies there.
        "photo": kept["photo"] if kept and not kept["moved"] else None,
        "missing": sum(word == EMPTY for row in rows for word in row),
        "problems": _problems(grid) if grid else [],
    }


def _problems(grid: StoneGrid) -> list[Json]:
    """What the box cannot give; the page puts it into words."""
    seen = Counter(symbol.kind for symbol in grid.cells)
    return [
        {
            "code": "too_many_stones" if seen[kind] > held else "too_few_stones",
            "kind": [symbol.value for symbol in kind.value],
            "seen": seen[kind],
            "held": held,
            "cells": [list(divmod(at, SIDE)) for at, symbol in enumerate(grid.cells) if symbol.kind is kind]
            if seen[kind] > held
            else [],
        }
        for kind, held in BOX.items()
        if seen[kind] != held
    ]


def _final_scores(state: Json) -> tuple[FinalScore, ...]:
    return final_scores(
        {
            player["name"]: [_deck_card(card) for card in seat["scored"]]
            for player, seat in zip(state["players"], state["seats"], strict=True)
        }
    )


def _player_views(state: Json) -> list[Json]:
    scores = _final_scores(state)
    turn = _turn_seat(state)
    views = []
    for seat, (player, held, score) in enumerate(zip(state["players"], state["seats"], scores, strict=True)):
        views.append(
            {
                "seat": seat,
                "name": player["name"],
                "colour": player.get("colour"),
                "cards": held["count"],
                "scored": list(held["scored"]),
                "points": score.points,
                "ones": score.ones,
                "bonus": score.bonus,
                "bonus_why": _bonus_why(scores, score),
                "total": score.total,
                "has_turn": seat == turn,
                "has_skipped": held["has_skipped"],
            }
        )
    return views


def _bonus_why(scores: Sequence[FinalScore], score: FinalScore) -> str:
    """A code for the sentence that explains a bonus or its absence."""
    most = max(other.ones for other in scores)
    if len(scores) == 1:
        return "alone"
    if most == 0:
        return "nobody"
    if score.ones < most:
        return "fewer"
    return "tied" if sum(other.ones == most for other in scores) > 1 else "most"


def _turn_view(state: Json) -> Json:
    seat = _turn_seat(state)
    count = len(state["players"])
    held = state["seats"][seat]
    return {
        "seat": seat,
        "round": state["turn"] // count + 1,
        "order": _order(state),
        "has_begun": _has_begun(state),
        "has_acted": state["has_acted"],
        "scored_now": list(state["scored_now"]),
        "may_skip": not state["has_acted"] and not held["has_skipped"],
        "may_pay": held["count"] > 0,
    }


def _end_view(state: Json) -> Json:
    """How far the end is: the cards that bring the last round, and who still has a turn in it."""
    if _is_alone(state):
        return {"at": None, "last_round": False, "over": _is_over(state), "still_to_play": []}
    game = _game(state)
    order = _order(state)
    still = order[state["turn"] % len(order) :] if game.is_last_round and not game.is_over else []
    return {
        "at": last_round_at(len(order)),
        "last_round": game.is_last_round,
        "over": game.is_over,
        "still_to_play": still,
    }


def _solo_view(state: Json) -> Json | None:
    if not _is_alone(state):
        return None
    solo = _solo(state)
    return {
        "strikes": solo.strikes,
        "most_strikes": SOLO_STRIKES,
        "scored": len(solo.scored),
        "cards": len(solo.cards),
        "left": [
            {"points": points, "cards": count - sum(card.points == points for card in solo.scored)}
            for points, count in SOLO_DECK.items()
        ],
        "skip_is_strike": solo.skip_is_strike,
        "won": solo.is_won,
        "lost": solo.is_lost,
    }


@lru_cache(maxsize=MATCH_CACHE)
def _matches(text: str) -> dict[str, list[list[list[int]]]]:
    """The cells of every place of every card that the grid shows, by the card's id."""
    grid = StoneGrid.parse(text)
    found = {}
    for card in CARDS:
        places = [card.pattern.cells_at(offset) for offset in placements(grid, card.pattern)]
        if places:
            found[str(card.id)] = [[list(cell) for cell in cells] for cells in places]
    return found


@lru_cache(maxsize=MATCH_CACHE)
def _ways(text: str) -> dict[str, Json]:
    """The fewest discards to every card, one way that takes no more, and the cells that show it then.

    A card without any way is left out.
    """
    grid = StoneGrid.parse(text)
    ways = {}
    for card in CARDS:
        steps = way_to(grid, card)
        if steps is not None:
            there = reduce(apply, steps, grid)
            ways[str(card.id)] = {
                "distance": distance(grid, card),
                "steps": [_step_document(step) for step in steps],
                "cells": [list(cell) for cell in card.pattern.cells_at(placements(there, card.pattern)[0])],
            }
    return ways


@lru_cache(maxsize=MATCH_CACHE)
def _best(text: str, hand: tuple[int, ...]) -> Json:
    turn = best_turn(StoneGrid.parse(text), [_deck_card(card) for card in hand])
    scored = [step.card.id for step in turn.steps if isinstance(step, Score)]
    return {
        "points": turn.points,
        "discards": turn.discards,
        "scored": scored,
        "to_pay": [card for card in hand if card not in scored],
        "steps": [_step_document(step) for step in turn.steps],
    }


def _hand_view(state: Json, seat: int, grid: StoneGrid | None, scored_by: dict[int, int]) -> Json:
    """The hand of the viewer's own seat; with advice the best turn it allows."""
    held = state["seats"][seat]
    cards = list(held["hand"])
    gone = [card for card in cards if card in scored_by]
    usable = tuple(card for card in cards if card not in gone)
    return {
        "cards": cards,
        "count": held["count"],
        "excess": max(0, len(cards) - held["count"]),
        "unknown": max(0, held["count"] - len(cards)),
        "gone": gone,
        "best": _best(str(grid), usable) if grid and state["options"]["advice"] and usable else None,
    }


def _step_document(step: Step) -> Json:
    match step:
        case Shift(first, second):
            return {"shift": [list(first), list(second)]}
        case Flip(cell):
            return {"flip": list(cell)}
        case _:
            return {"score": step.card.id}


GAME = Stones()
