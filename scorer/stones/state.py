"""Shifting Stones: what the state of a game means in terms of the rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

from scorer.actions import turn_order
from scorer.game import ActionError, Json, placed
from scorer.notation import EMPTY, join_rows, split_grid
from scorer.stones.board import SIDE, StoneGrid
from scorer.stones.cards import PatternCard, cards_by_id
from scorer.stones.rounds import HAND, SKIP_CARDS, last_round_at
from scorer.stones.score import FinalScore, final_scores
from scorer.stones.solo import SOLO_CARDS, SOLO_DECK, SOLO_STRIKES
from scorer.stones.turn import MOST_CARDS


def rows_of(state: Json) -> list[list[str]]:
    """The words of the board, empty cells as ``.``; all empty before the stones are laid out."""
    if state["board"] is None:
        return [[EMPTY] * SIDE for _ in range(SIDE)]
    return split_grid(state["board"]["text"], (SIDE, SIDE), (SIDE, SIDE))


def grid_of(state: Json) -> StoneGrid | None:
    """The nine stones, or None while one is missing."""
    rows = rows_of(state)
    return None if any(EMPTY in row for row in rows) else StoneGrid.parse(join_rows(rows))


def full_grid_of(state: Json) -> StoneGrid:
    grid = grid_of(state)
    if grid is None:
        raise ActionError(
            "no_board", "Not all nine stones are known yet: photograph them or tap the empty cells."
        )
    return grid


def has_acted(state: Json) -> bool:
    """Whether this turn has begun: with a move, or with a card that was not taken back."""
    # States of earlier versions lack the list.
    return bool(state["has_acted"] or state.get("paid_now"))


def has_begun(state: Json) -> bool:
    """Whether the first turn has begun."""
    return state["turn"] > 0 or has_acted(state)


def is_begun(state: Json) -> bool:
    """Whether anybody had a turn or scored a card."""
    return has_begun(state) or any(held["scored"] for held in state["seats"])


def new_seat() -> Json:
    """A player who has not had a turn.

    ``hand`` has the cards that were told of, ``excess`` counts those among them that were
    discarded in earlier turns without saying which.
    """
    return {"hand": [], "count": HAND, "excess": 0, "scored": [], "has_skipped": False}


def known_hand(state: Json, seat: int) -> list[int]:
    """The cards that a player told of the own hand, without those that the player has scored.

    An ``award`` leaves them in the state: it may be a mistake, and taken back.
    """
    held = state["seats"][seat]
    return [card for card in held["hand"] if card not in held["scored"]]


def excess_of(state: Json, seat: int) -> int:
    """How many cards of the known hand, at least, were discarded without saying which."""
    held = state["seats"][seat]
    known = len(known_hand(state, seat))
    # States of earlier versions lack ``excess``.
    return min(known, max(int(held.get("excess", 0)), known - int(held["count"])))


def turn_seat(state: Json) -> int:
    order = turn_order(state)
    place: int = state["turn"] % len(order)
    return order[place]


def deck_card(number: Any) -> PatternCard:
    card = cards_by_id().get(number) if type(number) is int else None
    if card is None:
        raise ActionError("card", "There is no such card in the deck; please choose another one.")
    return card


def drawn_at_end(state: Json, *, skipped: bool) -> int:
    """Cards that whoever has the turn draws at its end: no more than the deck and the discards."""
    held = state["seats"][turn_seat(state)]
    count: int = held["count"]
    left: int = state["deck"] + state["discards"]
    if is_alone(state):
        left = SOLO_CARDS - len(held["scored"]) - count
    if skipped:
        return min(SKIP_CARDS, MOST_CARDS - count, left)
    return min(max(0, HAND - count), left)


def is_alone(state: Json) -> bool:
    return len(state["players"]) == 1


def is_last_round(state: Json) -> bool:
    """Whether somebody has enough cards: after this round all have had equally many turns."""
    enough = last_round_at(len(state["players"]))
    return any(len(held["scored"]) >= enough for held in state["seats"])


def is_over(state: Json) -> bool:
    if is_alone(state):
        return is_won_alone(state) or is_lost_alone(state)
    # States of earlier versions do not say whether the turn before ended the last round.
    has_ended = state.get("has_ended", state["turn"] % len(state["players"]) == 0)
    return has_ended and not has_acted(state) and is_last_round(state)


def is_won_alone(state: Json) -> bool:
    return len(state["seats"][0]["scored"]) == SOLO_CARDS


def is_lost_alone(state: Json) -> bool:
    return bool(state["strikes"] >= SOLO_STRIKES)


def left_alone(state: Json) -> dict[int, int]:
    """The cards of a solo game that are not scored yet, by their points."""
    scored = Counter(deck_card(card).points for card in state["seats"][0]["scored"])
    return {points: count - scored[points] for points, count in SOLO_DECK.items()}


def scores_of(state: Json) -> tuple[FinalScore, ...]:
    return final_scores(
        {
            player["name"]: [deck_card(card) for card in seat["scored"]]
            for player, seat in zip(state["players"], state["seats"], strict=True)
        }
    )


def result_of(state: Json) -> list[Json]:
    """Points, rank and victory of every player."""
    scores = scores_of(state)
    if len(scores) == 1:
        won = is_won_alone(state)
        return [{"player": scores[0].name, "score": scores[0].total, "rank": 1, "winner": won}]
    rows = [(score.name, score.total, score.total) for score in scores]
    return placed(rows, is_begun=is_begun(state))
