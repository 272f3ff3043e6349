"""Turn of Time: the ranking of the seasons."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scorer.notation import Cell
from scorer.season import SEASONS, Season
from scorer.time.board import TimeGrid, connected

POINTS = (4, 3, 2, 1)
"""Points of the first to the fourth season (rulebook, end)."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A season at the end: its visible cards, its largest connected group and its points."""

    season: Season
    cards: int
    group: int
    points: int


def ranking(grid: TimeGrid, order: Sequence[Season] = SEASONS) -> tuple[Rank, ...]:
    """All four seasons, best first, with 4, 3, 2 and 1 points.

    More visible cards win, then the larger connected group, then who is earlier in *order*, the
    turn order; seasons that are not in it come last, in calendar order.
    """
    cells: dict[Season, set[Cell]] = {season: set() for season in SEASONS}
    for cell, card in grid.cards:
        if card.up is not None:
            cells[card.up].add(cell)
    whole_order = [*order, *(season for season in SEASONS if season not in order)]
    strength = {
        season: (len(cells[season]), max(map(len, connected(cells[season])), default=0))
        for season in SEASONS
    }
    ranked = sorted(whole_order, key=lambda season: strength[season], reverse=True)
    return tuple(
        Rank(season, *strength[season], points)
        for season, points in zip(ranked, POINTS, strict=True)
    )


def largest_group(grid: TimeGrid, season: Season) -> tuple[Cell, ...]:
    """The largest connected group of *season*; of several, the one further up, then further left.

    >>> largest_group(TimeGrid.parse("spring summer spring / winter winter spring"), Season.SPRING)
    ((0, 2), (1, 2))
    """
    groups = connected({cell for cell, card in grid.cards if card.up is season})
    return min(
        (tuple(sorted(group)) for group in groups),
        key=lambda cells: (-len(cells), cells),
        default=(),
    )


def player_points(ranks: Iterable[Rank], seasons: Iterable[Season]) -> int:
    """Points of a player with these seasons.

    The points of a season that nobody plays go to nobody.
    """
    own = set(seasons)
    return sum(rank.points for rank in ranks if rank.season in own)
