"""Turn of Time: the cards on the table.

Rules: Nova Suecia, print and play. The table is at most 4x4 cards and has no fixed place before it
is full.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from scorer.notation import EMPTY, Cell, Problem, box_of, by_cell, join_rows, split_grid
from scorer.season import SEASONS, Season
from scorer.text import Text
from scorer.time.cards import SeasonCard, deal_problems

SIDE = 4
"""Rows and columns of the full table (rulebook, placing)."""


@dataclass(frozen=True, slots=True)
class TimeGrid:
    """The cards on the table, by cell in reading order. Where on the table they lie means nothing.

    >>> grid = TimeGrid.parse(". . . / . autumn/spring su")
    >>> str(grid)
    'autumn/spring summer'
    >>> [cell for cell, _ in grid.cards]
    [(1, 1), (1, 2)]
    """

    cards: tuple[tuple[Cell, SeasonCard], ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read up to four rows of up to four cells. Raises NotationError if *text* is not that."""
        words = by_cell(split_grid(text, (1, 1), (SIDE, SIDE)))
        return cls.of({cell: SeasonCard.parse(word) for cell, word in words if word != EMPTY})

    @classmethod
    def of(cls, cards: Mapping[Cell, SeasonCard]) -> Self:
        """The table with these cards."""
        return cls(tuple(sorted(cards.items(), key=lambda entry: entry[0])))

    def __str__(self) -> str:
        if not self.cards:
            return EMPTY
        at = dict(self.cards)
        (top, left), (bottom, right) = box_of(list(at))
        return join_rows(
            (at.get((row, col), EMPTY) for col in range(left, right + 1))
            for row in range(top, bottom + 1)
        )

    def __repr__(self) -> str:
        return f"TimeGrid.parse({str(self)!r})"

    def problems(self) -> tuple[Problem, ...]:
        """Why these cards cannot lie so: not one connected group, or not from the 16 cards."""
        found = list(deal_problems(self.cards))
        groups = sorted(connected({cell for cell, _ in self.cards}), key=len)
        if len(groups) > 1:
            stray = tuple(sorted(cell for group in groups[:-1] for cell in group))
            found.append(
                Problem(
                    "not_connected", Text("Please check: all cards must touch each other."), stray
                )
            )
        return tuple(found)


def beside(cell: Cell) -> tuple[Cell, ...]:
    row, col = cell
    return ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))


def connected(cells: set[Cell]) -> Iterator[set[Cell]]:
    """The orthogonally connected groups of *cells*."""
    left = set(cells)
    while left:
        group: set[Cell] = set()
        reached = {left.pop()}
        while reached:
            group |= reached
            reached = {near for cell in reached for near in beside(cell)} & left
            left -= reached
        yield group


def starting_grid(seasons: Iterable[Season]) -> TimeGrid:
    """The table before the first turn. With three players the single of the free season lies there.

    >>> str(starting_grid([Season.SPRING, Season.AUTUMN, Season.WINTER]))
    'summer/summer'
    """
    played = set(seasons)
    left = [season for season in SEASONS if season not in played]
    if len(left) > 1:
        raise ValueError(f"expected three or four seasons in play, got {len(played)}")
    return TimeGrid.of({(0, 0): SeasonCard(left[0], left[0])} if left else {})
