"""Turn of Time: what a page shows of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

from scorer.fields import cells_document, problem_document
from scorer.game import Json
from scorer.labels import label_of
from scorer.notation import Cell, split_rows
from scorer.season import SEASONS, Season
from scorer.text import Text, listed, plural
from scorer.time.board import TimeGrid
from scorer.time.cards import DOUBLES_A_PAIR, KINDS, SINGLES_A_SEASON, SeasonCard
from scorer.time.score import Rank, largest_group
from scorer.time.solo import BALANCE_CARDS, DOMINANCE_GROUP, is_balance, is_dominance
from scorer.time.state import (
    TABLE,
    most_seasons,
    ranks_of,
    result_of,
    season_order,
    turn_view,
)
from scorer.time.turn import (
    Flip,
    after_meetings,
    cards_beside,
    legal_cells,
    meeting,
    meetings,
)

_SAYS = {
    Flip.NEITHER: Text("%(placed)s meets %(lying)s: nothing flips"),
    Flip.PLACED: Text("%(placed)s meets %(lying)s: the placed card flips"),
    Flip.LYING: Text("%(placed)s meets %(lying)s: the %(lying)s flips"),
    Flip.BOTH: Text("%(placed)s meets %(lying)s: both flip"),
}


def _meeting_view(placed: Season, lying: Season) -> Json:
    flip = meeting(placed, lying)
    says = Text(_SAYS[flip].template, placed=Text(placed.value), lying=Text(lying.value))
    return {"flips": list(flip.value), "says": says}


MEETINGS = {
    f"{placed.value}/{lying.value}": _meeting_view(placed, lying)
    for placed in SEASONS
    for lying in SEASONS
}
"""What happens at each meeting ``placed/lying``: who flips (the placed card, the other one)."""

END_CACHE = 64
"""Grids whose placements are kept: every device asks for the same one after a change."""


def shown(state: Json, viewer: Json) -> Json:
    """All that a page shows of the game."""
    grid = TimeGrid.parse(state["grid"])
    ranks = ranks_of(state)
    is_full = len(grid.cards) == TABLE
    return {
        "grid": grid_view(state, grid),
        "seasons": [season.value for season in SEASONS],
        "kinds": kinds_view(grid),
        "meetings": MEETINGS,
        "legal": [] if is_full else list(legal(state["grid"])),
        "last": state["last"],
        "ranking": [rank_view(state, grid, ranks, at) for at in range(len(ranks))],
        "ranking_says": Text(
            "Most visible cards first; a tie goes to the larger connected group, then to whoever"
            " is earlier in turn order."
        ),
        "players": player_views(state, ranks),
        "turn": turn_view(state),
        "solo": solo_view(state, grid, ranks) if len(state["players"]) == 1 else None,
        "full": is_full,
        "unfinished": unfinished(grid),
        "most_seasons": most_seasons(len(state["players"])),
        "seats_say": seats_say(state),
        "result": result_of(state),
        "may_edit": viewer.get("role") != "viewer",
    }


def seats_say(state: Json) -> Text:
    """What the players must know of how the seasons are dealt."""
    if len(state["players"]) != 2:
        return Text("The turn order settles ties; a season that nobody plays scores for nobody.")
    free = [season for season in SEASONS if season not in season_order(state)]
    if free:
        return Text(
            "Two players have two seasons each. To nobody belongs now: %(seasons)s.",
            seasons=listed(label_of(season.value) for season in free),
        )
    return Text("Two players have two seasons each, and add their points.")


def unfinished(grid: TimeGrid) -> Text:
    """Which cards are still to be played, and how many show a side that nobody has told."""
    lacks = []
    if len(grid.cards) < TABLE:
        lacks.append(
            plural(
                "Only 1 of 16 cards lies on the table.",
                "Only %(n)s of 16 cards lie on the table.",
                n=len(grid.cards),
            )
        )
    unknown = sum(card.up is None for _, card in grid.cards)
    if unknown:
        lacks.append(
            plural(
                "1 card shows an unknown side: please say which season it is.",
                "%(n)s cards show an unknown side: please say which seasons they are.",
                n=unknown,
            )
        )
    return listed(lacks, " ")


def grid_view(state: Json, grid: TimeGrid) -> Json:
    cards = dict(grid.cards)
    return {
        "rows": [
            [_card_view(cards.get((row, col))) for col in range(len(words))]
            for row, words in enumerate(split_rows(state["grid"]))
        ],
        "text": state["grid"],
        # The photo can be looked at again while it shows what lies there.
        "photo": None if state["moved"] else state["photo"],
        "cards": len(cards),
        "says": Text("%(n)s of 16 cards lie on the table", n=len(cards)),
        "unknown": [list(cell) for cell, card in grid.cards if card.up is None],
        "problems": [problem_document(problem) for problem in grid.problems()],
    }


def _card_view(card: SeasonCard | None) -> Json | None:
    if card is None:
        return None
    return {
        "up": card.up.value if card.up else None,
        "back": card.back.value if card.back else None,
    }


def kinds_view(grid: TimeGrid) -> list[Json]:
    """The ten kinds of cards and how many of each are not seen on the table."""
    seen = Counter(frozenset(card.sides) for _, card in grid.cards if card.up and card.back)
    held = {kind: SINGLES_A_SEASON if kind.up is kind.back else DOUBLES_A_PAIR for kind in KINDS}
    return [
        {"card": str(kind), "left": max(0, held[kind] - seen[frozenset(kind.sides)])}
        for kind in KINDS
    ]


@lru_cache(maxsize=END_CACHE)
def legal(text: str) -> tuple[Json, ...]:
    """Every legal cell, the cards beside it, and what each card leads to there.

    ``ends`` holds the different ends of each card ``up/back``. An end is one order of meetings, as
    places in ``near`` and as sides that meet (`MEETINGS`). It has the side that the placed card
    shows at last, the visible cards of each season and those that show an unknown side.
    """
    grid = TimeGrid.parse(text)
    lying = dict(grid.cards)
    sides = [card for kind in KINDS for card in dict.fromkeys((kind, kind.flipped()))]
    found = []
    for cell in legal_cells(grid):
        near = cards_beside(lying, cell)
        unknown = [other for other in near if lying[other].up is None]
        found.append(
            {
                "cell": list(cell),
                "near": cells_document(near),
                "unknown": cells_document(unknown),
                "ends": {}
                if unknown
                else {str(card): _ends(lying, cell, card, near) for card in sides},
            }
        )
    return tuple(found)


def _ends(
    lying: dict[Cell, SeasonCard], cell: Cell, card: SeasonCard, near: list[Cell]
) -> list[Json]:
    """The different ends of a placement, those with fewer flips first."""
    ends: dict[tuple[SeasonCard, frozenset[int]], tuple[int, Json]] = {}
    for order in permutations(range(len(near))):
        steps = list(meetings(lying, card, [near[at] for at in order]))
        after = after_meetings(lying, cell, card, steps)
        turned = frozenset(at for at, step in zip(order, steps, strict=True) if step["flips_lying"])
        flips = len(turned) + sum(step["flips_placed"] for step in steps)
        key = (after[cell], turned)
        if key not in ends or flips < ends[key][0]:
            shown = Counter(other.up for other in after.values())
            up = after[cell].up
            assert up is not None
            ends[key] = (
                flips,
                {
                    "order": list(order),
                    "meets": [f"{step['placed']}/{step['lying']}" for step in steps],
                    "up": up.value,
                    "counts": [shown[season] for season in SEASONS],
                    "unknown": shown[None],
                },
            )
    return [end for _, end in sorted(ends.values(), key=lambda entry: entry[0])]


def rank_view(state: Json, grid: TimeGrid, ranks: Sequence[Rank], at: int) -> Json:
    """A season's place, and what puts it ahead of the next: ``cards``, ``group`` or ``order``."""
    rank = ranks[at]
    below = ranks[at + 1] if at + 1 < len(ranks) else None
    seat = next(
        (seat for seat, own in enumerate(state["seasons"]) if rank.season.value in own), None
    )
    return {
        "season": rank.season.value,
        "place": at + 1,
        "points": rank.points,
        "cards": rank.cards,
        "group": rank.group,
        "cells": [list(cell) for cell, card in grid.cards if card.up is rank.season],
        "group_cells": cells_document(largest_group(grid, rank.season)),
        "seat": seat,
        "says": ahead(rank, below),
    }


def ahead(rank: Rank, below: Rank | None) -> Text:
    """Why a season is ahead of the next one."""
    if below is None:
        return Text("All others are ahead of it.")
    other = Text(below.season.value)
    if rank.cards != below.cards:
        return plural(
            "It is ahead of %(other)s: 1 visible card against %(fewer)s.",
            "It is ahead of %(other)s: %(cards)s visible cards against %(fewer)s.",
            cards=rank.cards,
            other=other,
            fewer=below.cards,
        )
    if rank.group != below.group:
        return Text(
            "It ties with %(other)s at %(cards)s cards; its largest group is larger: "
            "%(group)s against %(smaller)s.",
            other=other,
            cards=rank.cards,
            group=rank.group,
            smaller=below.group,
        )
    return Text(
        "It ties with %(other)s in cards (%(cards)s) and largest group (%(group)s), so the turn "
        "order decides.",
        other=other,
        cards=rank.cards,
        group=rank.group,
    )


def player_views(state: Json, ranks: Sequence[Rank]) -> list[Json]:
    turn = turn_view(state)["seat"]
    views = []
    for seat, player in enumerate(state["players"]):
        seasons = state["seasons"][seat]
        points = {rank.season.value: rank.points for rank in ranks if rank.season.value in seasons}
        views.append(
            {
                "seat": seat,
                "name": player["name"],
                "seasons": list(seasons),
                "lines": [{"season": season, "points": points[season]} for season in seasons],
                "total": sum(points.values()),
                "has_turn": seat == turn,
            }
        )
    return views


def solo_view(state: Json, grid: TimeGrid, ranks: Sequence[Rank]) -> Json:
    strongest = max(ranks, key=lambda rank: rank.group)
    return {
        "goal": state["goal"],
        "dominance": {
            "season": strongest.season.value,
            "group": strongest.group,
            "says": Text("Dominance: %(needed)s connected of one season", needed=DOMINANCE_GROUP),
            "reached": is_dominance(grid),
        },
        "balance": {
            "counts": {rank.season.value: rank.cards for rank in ranks},
            "says": Text("Balance: %(needed)s of each season", needed=BALANCE_CARDS),
            "reached": is_balance(grid),
        },
    }
