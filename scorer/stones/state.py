"""Shifting Stones: what the state of a game means in terms of the rules."""

from __future__ import annotations

from typing import Any

from scorer.actions import turn_order
from scorer.game import ActionError, Json, placed
from scorer.notation import EMPTY, join_rows, split_grid
from scorer.stones.board import SIDE, StoneGrid
from scorer.stones.cards import CARDS, PatternCard, cards_by_id
from scorer.stones.rounds import PlayerState, RuleError, StonesGame
from scorer.stones.score import FinalScore, final_scores
from scorer.stones.solo import SOLO_DECK, SoloGame


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


def is_own(seat: Any, viewer: Json) -> bool:
    """Whether the viewer holds this seat. Whoever only watches holds none."""
    return viewer.get("role") != "viewer" and seat is not None and viewer.get("seat") == seat


def has_begun(state: Json) -> bool:
    return bool(state["turn"] > 0 or state["has_acted"])


def turn_seat(state: Json) -> int:
    order = turn_order(state)
    place: int = state["turn"] % len(order)
    return order[place]


def deck_card(number: Any) -> PatternCard:
    card = cards_by_id().get(number) if type(number) is int else None
    if card is None:
        raise ActionError("card", "There is no such card in the deck; please choose another one.")
    return card


_NO_GRID = StoneGrid.parse("sun fish fish / horse horse horse / seed seed seed")
"""Any grid, for rules that do not look at the stones, such as passing the turn on."""


def rounds_of(state: Json, grid: StoneGrid = _NO_GRID) -> StonesGame:
    """The tracked game of ``scorer`` in this state; for two players or more."""
    players = tuple(
        PlayerState(
            state["players"][seat]["name"],
            state["seats"][seat]["count"],
            tuple(deck_card(card) for card in state["seats"][seat]["scored"]),
            state["seats"][seat]["has_skipped"],
        )
        for seat in turn_order(state)
    )
    return StonesGame(
        grid, players, state["deck"], state["discards"], state["turn"], state["has_acted"]
    )


def keep(new: Json, game: StonesGame) -> None:
    """Write what a step of the tracked game changed, the stones excepted."""
    for seat, player in zip(turn_order(new), game.players, strict=True):
        new["seats"][seat] |= {
            "count": player.hand,
            "scored": [card.id for card in player.scored],
            "has_skipped": player.has_skipped,
        }
    new |= {
        "deck": game.deck,
        "discards": game.discards,
        "turn": game.turn,
        "has_acted": game.has_acted,
    }


def solo_of(state: Json) -> SoloGame:
    """The solo game in this state.

    Which cards still lie in the deck is unknown, so others with the same points stand for them.
    """
    scored = [deck_card(card) for card in state["seats"][0]["scored"]]
    cards = list(scored)
    for points, count in SOLO_DECK.items():
        missing = count - sum(card.points == points for card in scored)
        others = [card for card in CARDS if card.points == points and card not in scored]
        cards += others[: max(0, missing)]
    try:
        return SoloGame(
            tuple(cards), tuple(scored), state["strikes"], state["options"]["skip_is_strike"]
        )
    except RuleError:
        raise ActionError(
            "solo_deck",
            "A game alone has eight cards of 1 point, four of 2, three of 3 and one of 5: too "
            "many of one are scored.",
        ) from None


def is_alone(state: Json) -> bool:
    return len(state["players"]) == 1


def is_over(state: Json) -> bool:
    if is_alone(state):
        return solo_of(state).is_won or solo_of(state).is_lost
    return rounds_of(state).is_over


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
        won = solo_of(state).is_won
        return [{"player": scores[0].name, "score": scores[0].total, "rank": 1, "winner": won}]
    rows = [(score.name, score.total, score.total) for score in scores]
    return placed(rows, is_begun=any(score.total for score in scores))
