"""Shifting Stones: what a page shows of a game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce

from scorer.actions import is_own, turn_order
from scorer.fields import cells_document, problem_document
from scorer.game import Json
from scorer.notation import EMPTY
from scorer.stones.board import StoneGrid
from scorer.stones.cards import CARDS, matches, placements
from scorer.stones.documents import step_document
from scorer.stones.rounds import last_round_at
from scorer.stones.score import FinalScore
from scorer.stones.solo import SOLO_CARDS, SOLO_STRIKES
from scorer.stones.state import (
    deck_card,
    drawn_at_end,
    excess_of,
    grid_of,
    has_acted,
    has_begun,
    is_alone,
    is_last_round,
    is_over,
    known_hand,
    left_alone,
    result_of,
    rows_of,
    scores_of,
    turn_seat,
)
from scorer.stones.turn import (
    MOST_CARDS,
    SHIFTS,
    Flip,
    Score,
    Step,
    apply,
    best_turn,
    distance,
    way_to,
)
from scorer.text import NOTHING, Text, plural

MATCH_CACHE = 256
"""Grids whose matches and ways are kept: every device asks for the same one after a change."""


def shown(state: Json, viewer: Json) -> Json:
    """All that a page shows of the game."""
    grid = grid_of(state)
    scored_by = {card: seat for seat, held in enumerate(state["seats"]) for card in held["scored"]}
    may_edit = viewer.get("role") != "viewer"
    advice = state["options"]["advice"]
    own = next((seat for seat in range(len(state["seats"])) if is_own(seat, viewer)), None)
    return {
        "board": board_view(state, grid),
        "players": player_views(state),
        "turn": turn_view(state),
        "end": (end := end_view(state)),
        "unfinished": NOTHING if end["over"] else Text("The last round is not over yet."),
        "solo": solo_view(state),
        "deck": {"cards": state["deck"], "discards": state["discards"]}
        if state["counted"]
        else None,
        "advice": advice,
        "cards": [
            {"id": card.id, "points": card.points, "pattern": str(card.pattern)} for card in CARDS
        ],
        "scored_by": {str(card): seat for card, seat in scored_by.items()},
        "matches": dict(_matches(str(grid))) if grid else {},
        "once_says": Text("A card scores once, in however many places it shows."),
        "ways": dict(ways(str(grid))) if grid and advice else {},
        "hand": None if own is None else hand_view(state, own, grid, scored_by),
        "result": result_of(state),
        "may_edit": may_edit,
    }


def board_view(state: Json, grid: StoneGrid | None) -> Json:
    rows = rows_of(state)
    kept = state["board"]
    return {
        "rows": rows,
        # The photo can be looked at again while it shows what lies there.
        "photo": kept["photo"] if kept and not kept["moved"] else None,
        "swaps": [[list(shift.first), list(shift.second)] for shift in SHIFTS],
        "missing": sum(word == EMPTY for row in rows for word in row),
        "problems": [problem_document(problem) for problem in grid.problems()] if grid else [],
    }


def player_views(state: Json) -> list[Json]:
    scores = scores_of(state)
    turn = turn_seat(state)
    return [
        {
            "seat": seat,
            "name": player["name"],
            "cards": held["count"],
            "scored": list(held["scored"]),
            "points": score.points,
            "bonus": score.bonus,
            "bonus_why": {"says": _bonus_why(scores, score)},
            "total": score.total,
            "has_turn": seat == turn,
            "has_skipped": held["has_skipped"],
        }
        for seat, (player, held, score) in enumerate(
            zip(state["players"], state["seats"], scores, strict=True)
        )
    ]


def _bonus_why(scores: Sequence[FinalScore], score: FinalScore) -> Text:
    """Why there is a bonus, or none."""
    most = max(other.ones for other in scores)
    if len(scores) == 1:
        return Text("No bonus when playing alone")
    if most == 0:
        return Text("No bonus: nobody has a 1-point card")
    if score.ones < most:
        return Text("No bonus: others have more 1-point cards (here %(n)s)", n=score.ones)
    if sum(other.ones == most for other in scores) > 1:
        return Text("Bonus: shared most 1-point cards (%(n)s)", n=score.ones)
    return Text("Bonus: most 1-point cards (%(n)s)", n=score.ones)


def turn_view(state: Json) -> Json:
    seat = turn_seat(state)
    count = len(state["players"])
    held = state["seats"][seat]
    drawn = max(0, drawn_at_end(state, skipped=True))
    return {
        "seat": seat,
        "number": state["turn"],
        "round": state["turn"] // count + 1,
        "has_begun": has_begun(state),
        "has_acted": has_acted(state),
        "may_skip": not has_acted(state) and not held["has_skipped"],
        "may_pay": held["count"] > 0,
        "move_says": Text("Tap a marked neighbour to swap, or flip it. Either costs a card.")
        if held["count"]
        else Text("No card is left to pay for a move."),
        "skip_says": plural(
            "Skip the turn and draw 1 card", "Skip the turn and draw %(n)s cards", n=drawn
        ),
        "skipped_says": plural(
            "Skipped: 1 card is drawn.", "Skipped: %(n)s cards are drawn.", n=drawn
        ),
    }


def end_view(state: Json) -> Json:
    """How far the end is: the cards that bring the last round, and who still has a turn in it."""
    if is_alone(state):
        return {
            "at": None,
            "last_round": False,
            "over": is_over(state),
            "still_to_play": [],
            "says": Text("16 cards: all of them scored wins, the last strike loses."),
        }
    order = turn_order(state)
    is_last, over = is_last_round(state), is_over(state)
    still = order[state["turn"] % len(order) :] if is_last and not over else []
    at = last_round_at(len(order))
    return {
        "at": at,
        "last_round": is_last,
        "over": over,
        "still_to_play": still,
        "says": Text(
            "With %(players)s players the last round begins with %(at)s scored cards.",
            players=len(order),
            at=at,
        ),
    }


def solo_view(state: Json) -> Json | None:
    if not is_alone(state):
        return None
    return {
        "strikes": state["strikes"],
        "most_strikes": SOLO_STRIKES,
        "scored": len(state["seats"][0]["scored"]),
        "cards": SOLO_CARDS,
        "left": [{"points": points, "cards": count} for points, count in left_alone(state).items()],
    }


@lru_cache(maxsize=MATCH_CACHE)
def _matches(text: str) -> dict[str, list[list[list[int]]]]:
    """The cells of every place of every card that the grid shows, by the card's id."""
    return {
        str(card.id): [cells_document(cells) for cells in places]
        for card, places in matches(StoneGrid.parse(text)).items()
    }


@lru_cache(maxsize=MATCH_CACHE)
def ways(text: str) -> dict[str, Json]:
    """The fewest discards to every card, a way of that length, and the cells that show it.

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
                "steps": [step_document(step) for step in steps],
                "after": _after(grid, steps),
                "cells": [
                    list(cell) for cell in card.pattern.cells_at(placements(there, card.pattern)[0])
                ],
            }
    return ways


@lru_cache(maxsize=MATCH_CACHE)
def _best(text: str, hand: tuple[int, ...]) -> Json:
    turn = best_turn(StoneGrid.parse(text), [deck_card(card) for card in hand])
    scored = [step.card.id for step in turn.steps if isinstance(step, Score)]
    return {
        "points": turn.points,
        "says": NOTHING
        if turn.points
        else Text("No turn scores with these cards. Skip, or discard for better stones."),
        "discards": turn.discards,
        "scored": scored,
        "to_pay": [card for card in hand if card not in scored],
        "steps": [step_document(step) for step in turn.steps],
        "after": _after(StoneGrid.parse(text), turn.steps),
    }


def _after(grid: StoneGrid, steps: Sequence[Step]) -> list[list[str]]:
    """What lies on the cells that each step names, after it."""
    words: list[list[str]] = []
    for step in steps:
        if isinstance(step, Score):
            words.append([])
            continue
        grid = apply(grid, step)
        cells = [step.cell] if isinstance(step, Flip) else [step.first, step.second]
        words.append([grid[cell].value for cell in cells])
    return words


def hand_view(state: Json, seat: int, grid: StoneGrid | None, scored_by: dict[int, int]) -> Json:
    """The hand of the viewer's own seat; with advice the best turn it allows.

    While a discarded card is still among them, nobody knows which cards the turn could use.
    """
    held = state["seats"][seat]
    cards = known_hand(state, seat)
    gone = [card for card in cards if card in scored_by]
    usable = tuple(card for card in cards if card not in gone)
    excess = excess_of(state, seat)
    return {
        "cards": cards,
        "count": held["count"],
        "most": MOST_CARDS,
        "excess": excess,
        "unknown": max(0, held["count"] - (len(cards) - excess)),
        "gone": gone,
        "best": _best(str(grid), usable)
        if grid and state["options"]["advice"] and usable and not excess
        else None,
    }
