"""Shifting Stones: the pattern cards, and where a grid shows one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Self

from scorer.notation import (
    EMPTY,
    Cell,
    NotationError,
    by_cell,
    join_rows,
    parse_word,
    split_grid,
)
from scorer.stones.board import SIDE, StoneGrid, Symbol


@dataclass(frozen=True, slots=True)
class Pattern:
    """The picture on a pattern card: a rectangle of symbols and of grey cells, which are any stone.

    >>> pattern = Pattern.parse(". horse bird")
    >>> (pattern.height, pattern.width)
    (1, 3)
    """

    rows: tuple[tuple[Symbol | None, ...], ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.rows) <= SIDE:
            raise NotationError(
                "expected a pattern of 1 to %(side)s rows, got %(count)s",
                side=SIDE,
                count=len(self.rows),
            )
        widths = {len(row) for row in self.rows}
        if len(widths) != 1 or not 1 <= max(widths) <= SIDE:
            raise NotationError(
                "expected equal rows of 1 to %(side)s cells, got rows of %(widths)s",
                side=SIDE,
                widths=repr(sorted(widths)),
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a pattern of up to three rows of up to three cells."""
        rows = split_grid(text, (1, 1), (SIDE, SIDE))
        return cls(
            tuple(
                tuple(None if word == EMPTY else parse_word(word, Symbol) for word in row)
                for row in rows
            )
        )

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0])

    def __str__(self) -> str:
        return join_rows(
            (EMPTY if symbol is None else symbol.value for symbol in row) for row in self.rows
        )

    def __repr__(self) -> str:
        return f"Pattern.parse({str(self)!r})"

    def offsets(self) -> Iterator[Cell]:
        """Every cell for the top left of the pattern that keeps all of it in the grid."""
        for row in range(SIDE - self.height + 1):
            for col in range(SIDE - self.width + 1):
                yield row, col

    @property
    def symbols(self) -> tuple[tuple[Cell, Symbol], ...]:
        """The symbols with their cells in the pattern, without the grey cells."""
        return tuple((cell, symbol) for cell, symbol in by_cell(self.rows) if symbol is not None)

    def cells_at(self, offset: Cell) -> tuple[Cell, ...]:
        """The grid cells under the symbols of the pattern laid with its top left on *offset*."""
        return tuple((offset[0] + row, offset[1] + col) for (row, col), _ in self.symbols)


@dataclass(frozen=True, slots=True)
class PatternCard:
    """One of the 72 cards. The ids are this project's own; the printed cards carry none."""

    id: int
    points: int
    pattern: Pattern


def placements(grid: StoneGrid, pattern: Pattern) -> tuple[Cell, ...]:
    """Where the top left of *pattern* lies each time the grid shows it, row by row.

    Neither turned nor mirrored (rulebook, scoring). `Pattern.cells_at` gives the cells of a
    placement.

    >>> grid = StoneGrid.parse("bird horse boat / seed sun tree / seed bird horse")
    >>> placements(grid, Pattern.parse("bird horse"))
    ((0, 0), (2, 1))
    """
    return tuple(
        (top, left)
        for top, left in pattern.offsets()
        if all(grid[top + row, left + col] is symbol for (row, col), symbol in pattern.symbols)
    )


def matches(grid: StoneGrid) -> dict[PatternCard, tuple[tuple[Cell, ...], ...]]:
    """The cards that *grid* shows, in the order of their ids, with the cells of every place."""
    found = {
        card: tuple(card.pattern.cells_at(offset) for offset in placements(grid, card.pattern))
        for card in CARDS
    }
    return {card: places for card, places in found.items() if places}


@cache
def cards_by_id() -> dict[int, PatternCard]:
    """The deck, by the id of the card."""
    return {card.id: card for card in CARDS}


def _read_cards(text: str) -> tuple[PatternCard, ...]:
    """Read the packaged list: id, points and pattern a line; lines with # are remarks."""
    cards = []
    for line in text.splitlines():
        entry = re.fullmatch(r"\s*(\d+)\s+(\d+)\s+([^#]+)", line)
        if entry:
            cards.append(PatternCard(int(entry[1]), int(entry[2]), Pattern.parse(entry[3].strip())))
        elif line.strip() and not line.startswith("#"):
            raise NotationError(
                "cards.txt: expected 'id points pattern', got %(line)s", line=repr(line)
            )
    return tuple(cards)


CARDS: tuple[PatternCard, ...] = _read_cards(
    resources.files("scorer.stones").joinpath("cards.txt").read_text(encoding="utf-8")
)
"""The 72 cards of the printed deck."""
