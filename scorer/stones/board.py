"""Shifting Stones: the stones and the grid (Gamewright 2020 rulebook)."""

from dataclasses import dataclass
from enum import Enum
from typing import Self

from scorer.notation import Cell, NotationError, Problem, join_rows, parse_word, split_grid
from scorer.text import Term, Text

SIDE = 3
"""Rows and columns of the grid (rulebook, set-up: nine tiles, 3 by 3)."""


class Symbol(Enum):
    """The picture on one face of a stone."""

    SUN = Term("sun")
    MOON = Term("moon")
    FISH = Term("fish")
    BIRD = Term("bird")
    HORSE = Term("horse")
    BOAT = Term("boat")
    SEED = Term("seed")
    TREE = Term("tree")

    @property
    def kind(self) -> "Kind":
        """The sort of stone that has this face."""
        return _KIND_OF[self]

    @property
    def back(self) -> "Symbol":
        """The picture on the other face of the same stone.

        >>> Symbol.SUN.back
        <Symbol.MOON: 'moon'>
        """
        return _BACK_OF[self]


class Kind(Enum):
    """A sort of double-sided stone; the value is its two faces."""

    SUN_MOON = (Symbol.SUN, Symbol.MOON)
    FISH_BIRD = (Symbol.FISH, Symbol.BIRD)
    HORSE_BOAT = (Symbol.HORSE, Symbol.BOAT)
    SEED_TREE = (Symbol.SEED, Symbol.TREE)

    def __str__(self) -> str:
        return "/".join(symbol.value for symbol in self.value)


_KIND_OF = {symbol: kind for kind in Kind for symbol in kind.value}
_BACK_OF = {kind.value[side]: kind.value[1 - side] for kind in Kind for side in (0, 1)}

BOX = {Kind.SUN_MOON: 1, Kind.FISH_BIRD: 2, Kind.HORSE_BOAT: 3, Kind.SEED_TREE: 3}
"""How many stones of each kind the box holds (rulebook, contents)."""


@dataclass(frozen=True, slots=True)
class StoneGrid:
    """The nine stones on the table, seen with the draw deck above the top row.

    >>> grid = StoneGrid.parse("bi ho bo / se sun tr / se bi ho")
    >>> str(grid)
    'bird horse boat / seed sun tree / seed bird horse'
    >>> grid[1, 1]
    <Symbol.SUN: 'sun'>
    """

    cells: tuple[Symbol, ...]

    def __post_init__(self) -> None:
        if len(self.cells) != SIDE * SIDE:
            raise NotationError(
                "expected %(expected)s stones, got %(count)s",
                expected=SIDE * SIDE,
                count=len(self.cells),
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read three rows of three stones. Raises NotationError if *text* is not that."""
        rows = split_grid(text, (SIDE, SIDE), (SIDE, SIDE))
        return cls(tuple(parse_word(word, Symbol) for row in rows for word in row))

    @property
    def rows(self) -> tuple[tuple[Symbol, ...], ...]:
        """The three rows, top row first."""
        return tuple(self.cells[first : first + SIDE] for first in range(0, SIDE * SIDE, SIDE))

    def __getitem__(self, cell: Cell) -> Symbol:
        row, col = cell
        return self.cells[row * SIDE + col]

    def __str__(self) -> str:
        return join_rows((symbol.value for symbol in row) for row in self.rows)

    def __repr__(self) -> str:
        return f"StoneGrid.parse({str(self)!r})"

    def flipped(self, cell: Cell) -> Self:
        """This grid with the stone on *cell* turned over in its place."""
        cells = list(self.cells)
        at = cell[0] * SIDE + cell[1]
        cells[at] = cells[at].back
        return type(self)(tuple(cells))

    def shifted(self, first: Cell, second: Cell) -> Self:
        """This grid with two stones that lie side by side or one above the other swapped.

        Raises ValueError if they do not: the rulebook has no diagonal shifts and no wrapping
        around.
        """
        if abs(first[0] - second[0]) + abs(first[1] - second[1]) != 1:
            raise ValueError(
                f"expected two orthogonally adjacent cells, got {first!r} and {second!r}"
            )
        cells = list(self.cells)
        one, other = first[0] * SIDE + first[1], second[0] * SIDE + second[1]
        cells[one], cells[other] = cells[other], cells[one]
        return type(self)(tuple(cells))

    def problems(self) -> tuple[Problem, ...]:
        """Why these stones cannot be the nine of the box; nothing for a possible grid.

        >>> grid = StoneGrid.parse("sun sun fish / bi ho bo / se tr tr")
        >>> [problem.code for problem in grid.problems()]
        ['too_many_stones', 'too_few_stones']
        """
        found = []
        for kind, held in BOX.items():
            cells = tuple(
                divmod(at, SIDE) for at, symbol in enumerate(self.cells) if symbol.kind is kind
            )
            if len(cells) == held:
                continue
            one, other = (Text(symbol.value) for symbol in kind.value)
            message = Text(
                "Please check: the box holds %(held)s with %(one)s or %(other)s, "
                "here are %(seen)s.",
                held=held,
                one=one,
                other=other,
                seen=len(cells),
            )
            if len(cells) > held:
                found.append(Problem("too_many_stones", message, cells))
            else:
                found.append(Problem("too_few_stones", message))
        return tuple(found)
