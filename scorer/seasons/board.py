"""Shifting Seasons: the tiles and the player board.

Rules: Edition Spielwiese / Pegasus 2024. A set of cells is a number with one bit a cell (`Cells`),
as chess programs keep their boards: a score card then asks its questions of all 36 cells at once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import cycle, islice, permutations, product
from typing import Self

from scorer.notation import EMPTY, Cell, NotationError, Problem, join_rows, split_grid
from scorer.season import SEASONS, Season
from scorer.text import Text, either

SIDE = 6
"""Rows and columns of the player board."""

TILES_A_PLAYER = 24
"""Tiles on the player board at the end of the game (rulebook, set-up)."""

TILES_A_SEASON = 28
PRECIOUS_A_SEASON = 14
"""Precious tiles of a season, half of its tiles (rulebook, contents)."""

TILES_IN_PLAY = {2: 64, 3: 88, 4: 112}
"""Tiles in the bag, by the number of players (rulebook, set-up); half of them are precious."""

PRECIOUS_MARK = "*"
FRAME_MARK = "!"

Cells = int
"""A set of cells: bit ``row * 6 + column``."""


def cells_of(cells: Cells) -> tuple[Cell, ...]:
    """The cells of a set, row by row.

    >>> cells_of(0b1000001)
    ((0, 0), (1, 0))
    """
    return tuple(_CELL_OF_BIT[cell] for cell in each(cells))


def each(cells: Cells) -> Iterator[Cells]:
    """Every cell of a set as a set of its own, row by row."""
    while cells:
        yield cells & -cells
        cells &= cells - 1


def as_cells(cells: Sequence[Cell]) -> Cells:
    """The set of the given cells."""
    found = 0
    for row, col in cells:
        found |= 1 << (row * SIDE + col)
    return found


_CELL_OF_BIT = {1 << at: divmod(at, SIDE) for at in range(SIDE * SIDE)}
_NOT_FIRST_COLUMN = as_cells([(row, col) for row in range(SIDE) for col in range(1, SIDE)])
_NOT_LAST_COLUMN = as_cells([(row, col) for row in range(SIDE) for col in range(SIDE - 1)])
_WHOLE_BOARD = (1 << (SIDE * SIDE)) - 1


def beside(cells: Cells) -> Cells:
    """The cells orthogonally adjacent to any of *cells*; some of *cells* may be among them."""
    return (
        (cells & _NOT_LAST_COLUMN) << 1
        | (cells & _NOT_FIRST_COLUMN) >> 1
        | cells << SIDE
        | cells >> SIDE
    ) & _WHOLE_BOARD


class Hand(Enum):
    """Which of the two mirror images of the board a copy of the game has.

    The card texts leave exactly these two; see docs/rules.md.
    """

    A = ((0, 1), (1, 5), (5, 4), (4, 0))
    B = ((1, 0), (0, 4), (4, 5), (5, 1))

    @property
    def clockwise(self) -> tuple[Cell, ...]:
        """The number cells from the top left area clockwise."""
        return self.value


CLOCKWISE = (1, 2, 3, 4)
OTHER_WAY = (1, 2, 4, 3)
"""The numbers from the top left area clockwise, in the two orders that the card texts allow."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the numbers 1 to 4 are printed; ``order`` runs clockwise from the top left area."""

    hand: Hand = Hand.A
    order: tuple[int, ...] = CLOCKWISE

    @property
    def numbers(self) -> tuple[Cell, ...]:
        """The cells of the numbers 1, 2, 3 and 4."""
        return tuple(self.hand.clockwise[self.order.index(number)] for number in CLOCKWISE)

    @property
    def plan(self) -> "Plan":
        """The areas and borders of this layout as sets of cells."""
        return _plan(self)


@dataclass(frozen=True, slots=True)
class Plan:
    """A layout worked out once: what the score cards look at."""

    numbers: Cells
    areas: tuple[Cells, ...]
    """The 8 spaces of the areas 1, 2, 3 and 4."""
    borders: tuple[Cells, ...]
    """The 5 spaces of the top row, the bottom row, the first and the last column."""
    neighbours: tuple[Cells, ...]
    """The 3 spaces next to the numbers 1, 2, 3 and 4."""


@lru_cache(maxsize=64)
def _plan(layout: Layout) -> Plan:
    numbers = as_cells(layout.numbers)
    every = range(SIDE)
    areas = tuple(
        as_cells([*product(_half(row), _half(col))]) & ~numbers for row, col in layout.numbers
    )
    borders = (
        as_cells([(0, col) for col in every]),
        as_cells([(SIDE - 1, col) for col in every]),
        as_cells([(row, 0) for row in every]),
        as_cells([(row, SIDE - 1) for row in every]),
    )
    return Plan(
        numbers,
        areas,
        tuple(border & ~numbers for border in borders),
        tuple(beside(as_cells([number])) for number in layout.numbers),
    )


def _half(at: int) -> range:
    """The rows or columns of the half of the board that has this one."""
    return range(SIDE // 2) if at < SIDE // 2 else range(SIDE // 2, SIDE)


LAYOUTS = tuple(Layout(hand, order) for hand in Hand for order in (CLOCKWISE, OTHER_WAY))
"""Every layout that a copy of the game may have by the card texts."""

ORDERS = tuple(permutations(CLOCKWISE))
"""Every order in which the numbers could be printed; what is seen on a copy is believed."""

_LAYOUT_OF_NUMBERS = {
    tuple(as_cells([cell]) for cell in layout.numbers): layout
    for layout in (Layout(hand, order) for hand in Hand for order in ORDERS)
}


def _misplaced(numbers: Sequence[Cells]) -> Text:
    """Why printed numbers on these cells are those of no copy of the game."""
    for value, places in enumerate(numbers, 1):
        if places.bit_count() != 1:
            got = [list(cell) for cell in cells_of(places)] or Text("nowhere")
            return Text(
                "expected the printed number %(number)s once, got it %(places)s",
                number=value,
                places=got,
            )
    return Text(
        "expected the numbers, clockwise from the top left, at %(known)s, got 1 to 4 at %(places)s",
        known=either(str([list(cell) for cell in hand.clockwise]) for hand in Hand),
        places=repr([list(cells_of(cells)[0]) for cells in numbers]),
    )


@dataclass(frozen=True, slots=True)
class Tile:
    """A season tile, plain or precious.

    >>> str(Tile.parse("su*"))
    'summer*'
    """

    season: Season
    precious: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a season with an optional ``*``. Raises NotationError if *text* is not that."""
        return cls(Season.parse(text.removesuffix(PRECIOUS_MARK)), text.endswith(PRECIOUS_MARK))

    @property
    def words(self) -> Text:
        """The tile for people, such as ``precious summer``."""
        season = self.season.value
        return Text("precious %(season)s", season=season) if self.precious else season

    def __str__(self) -> str:
        return self.season.value + PRECIOUS_MARK * self.precious


@dataclass(frozen=True, slots=True)
class Number:
    """A printed number, open or covered by a frame."""

    value: int
    framed: bool = False

    def __str__(self) -> str:
        return str(self.value) + FRAME_MARK * self.framed


_NUMBER = re.compile(r"([1-4])(!?)")


def _parse_content(text: str) -> Tile | Number | None:
    """One cell of the notation."""
    if text == EMPTY:
        return None
    number = _NUMBER.fullmatch(text)
    if number:
        return Number(int(number[1]), bool(number[2]))
    try:
        return Tile.parse(text)
    except NotationError:
        raise NotationError(
            "expected a season, with %(precious)s if precious, a number 1 to "
            "4, with %(frame)s under a frame, or %(empty)s, got %(text)s",
            precious=PRECIOUS_MARK,
            frame=FRAME_MARK,
            empty=EMPTY,
            text=repr(text),
        ) from None


_INDEX = {season: index for index, season in enumerate(SEASONS)}
_PLAIN, _PRECIOUS, _OPEN, _FRAMED = 1, 5, 9, 13
"""First codes of plain tiles, precious tiles, open and framed numbers, four of each.

0 is empty.
"""


def _code(content: Tile | Number | None) -> int:
    if content is None:
        return 0
    if isinstance(content, Tile):
        return (_PRECIOUS if content.precious else _PLAIN) + _INDEX[content.season]
    return (_FRAMED if content.framed else _OPEN) + content.value - 1


@lru_cache(maxsize=1024)
def _code_of_word(word: str) -> int:
    """Cached, because there are few words and very many cells."""
    return _code(_parse_content(word))


@dataclass(frozen=True, slots=True)
class SeasonBoard:
    """What lies on one player board.

    >>> board = SeasonBoard.parse('''
    ...     au  1!  sp* sp* sp* su*
    ...     .   su  su  su  sp  2
    ...     .   au  au* su* sp  sp
    ...     .   su* wi  sp  su  .
    ...     4   wi  .   .   su* sp
    ...     wi  .   .   sp  3   sp* ''')
    >>> board[0, 2], board[0, 1]
    (Tile(season=<Season.SPRING: 'spring'>, precious=True), Number(value=1, framed=True))
    >>> board.tiles.bit_count(), board.precious.bit_count()
    (24, 9)
    """

    layout: Layout
    seasons: tuple[Cells, Cells, Cells, Cells]
    """The tiles of spring, summer, autumn and winter."""
    precious: Cells
    framed: Cells
    """The numbers covered by a frame."""
    tiles: Cells
    """All tiles."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read six rows of six cells. The printed numbers tell the layout of the copy.

        Raises NotationError if *text* is not that, or if a number is missing, doubled or at a place
        where no copy has it.
        """
        words = split_grid(text, (SIDE, SIDE), (SIDE, SIDE))
        return cls._of_codes([_code_of_word(word) for row in words for word in row])

    @classmethod
    def of(cls, contents: Mapping[Cell, Tile | Number | None]) -> Self:
        """A board from what lies on its cells; cells that are not mentioned are empty."""
        return cls._of_codes(_code(contents.get(cell)) for cell in _CELL_OF_BIT.values())

    @classmethod
    def _of_codes(cls, codes: Iterable[int]) -> Self:
        """A board from the codes of its 36 cells, row by row: one set of cells for each code."""
        sets = [0] * (_FRAMED + 4)
        bit = 1
        for code in codes:
            sets[code] |= bit
            bit <<= 1
        numbers = tuple(sets[_OPEN + at] | sets[_FRAMED + at] for at in range(4))
        layout = _LAYOUT_OF_NUMBERS.get(numbers)
        if layout is None:
            raise NotationError(_misplaced(numbers))
        _, spring, summer, autumn, winter, *precious = sets[: _PRECIOUS + 4]
        seasons = (
            spring | precious[0],
            summer | precious[1],
            autumn | precious[2],
            winter | precious[3],
        )
        return cls(
            layout,
            seasons,
            precious[0] | precious[1] | precious[2] | precious[3],
            sets[_FRAMED] | sets[_FRAMED + 1] | sets[_FRAMED + 2] | sets[_FRAMED + 3],
            seasons[0] | seasons[1] | seasons[2] | seasons[3],
        )

    @classmethod
    def empty(cls, layout: Layout | None = None) -> Self:
        """The board at the start of the game."""
        return cls(layout or Layout(), (0, 0, 0, 0), 0, 0, 0)

    def __getitem__(self, cell: Cell) -> Tile | Number | None:
        bit = 1 << (cell[0] * SIDE + cell[1])
        for season, tiles in zip(SEASONS, self.seasons, strict=True):
            if tiles & bit:
                return Tile(season, bool(self.precious & bit))
        if cell in self.layout.numbers:
            return Number(self.layout.numbers.index(cell) + 1, bool(self.framed & bit))
        return None

    def items(self) -> Iterator[tuple[Cell, Tile | Number | None]]:
        """Every cell with what lies on it, row by row."""
        for row in range(SIDE):
            for col in range(SIDE):
                yield (row, col), self[row, col]

    def with_tile(self, cell: Cell, tile: Tile | None) -> Self:
        """This board with *tile*, or nothing, on a space. Raises ValueError for a number cell."""
        if cell in self.layout.numbers:
            raise ValueError(f"expected a space, got the number cell {cell!r}")
        return type(self).of(dict(self.items()) | {cell: tile})

    def __str__(self) -> str:
        words = [EMPTY if content is None else str(content) for _, content in self.items()]
        return join_rows(words[first : first + SIDE] for first in range(0, SIDE * SIDE, SIDE))

    def __repr__(self) -> str:
        return f"SeasonBoard.parse({str(self)!r})"

    def problems(self) -> tuple[Problem, ...]:
        """Why no table can show this board; nothing for a possible one."""
        return table_problems([self])


def table_problems(boards: Sequence[SeasonBoard]) -> tuple[Problem, ...]:
    """What the box and the rules cannot give: boards over 24 tiles, and more tiles than there are.

    The boards of one table share one box. Boards with fewer than 24 tiles are possible: the game
    goes on.
    """
    found = []
    for board in boards:
        tiles = board.tiles.bit_count()
        if tiles > TILES_A_PLAYER:
            found.append(
                Problem(
                    "too_many_tiles",
                    Text(
                        "Please check: a board holds up to %(most)s tiles, here are %(tiles)s.",
                        most=TILES_A_PLAYER,
                        tiles=tiles,
                    ),
                )
            )
    for index, season in enumerate(SEASONS):
        every = sum(board.seasons[index].bit_count() for board in boards)
        precious = sum((board.seasons[index] & board.precious).bit_count() for board in boards)
        for what, count, most in (
            (season.value, every, TILES_A_SEASON),
            (Text("precious %(season)s", season=season.value), precious, PRECIOUS_A_SEASON),
            (
                Text("plain %(season)s", season=season.value),
                every - precious,
                TILES_A_SEASON - PRECIOUS_A_SEASON,
            ),
        ):
            if count > most:
                # Only with one board is it clear on which cells to look.
                cells = cells_of(boards[0].seasons[index]) if len(boards) == 1 else ()
                found.append(
                    Problem(
                        "too_many_of_a_season",
                        Text(
                            "Please check: the box holds %(most)s %(what)s tiles, "
                            "here are %(count)s.",
                            most=most,
                            what=what,
                            count=count,
                        ),
                        cells,
                    )
                )
    return tuple(found)


def table_notes(boards: Sequence[SeasonBoard]) -> tuple[str, ...]:
    """What is worth a second look although it is possible."""
    notes = []
    for number, board in enumerate(boards):
        tiles = board.tiles.bit_count()
        if tiles < TILES_A_PLAYER:
            notes.append(
                f"board {number + 1} has {tiles} of {TILES_A_PLAYER} tiles: the game is not over"
            )
    if len({board.layout for board in boards}) > 1:
        notes.append("the boards have their printed numbers at different places")
    tiles_in_play = TILES_IN_PLAY.get(len(boards))
    precious = sum(board.precious.bit_count() for board in boards)
    if tiles_in_play and precious > tiles_in_play // 2:
        notes.append(
            f"{precious} precious tiles, but {len(boards)} players use {tiles_in_play // 2}"
        )
    return tuple(notes)


def lesson_boards(hand: Hand) -> tuple[str, str]:
    """Two boards to teach a copy by: with bare and with framed numbers, both with every season.

    The middle stays empty. ``{0}`` to ``{3}`` stand for the numbers, clockwise from the top left.

    >>> print(lesson_boards(Hand.A)[1].split(" / ")[0])
    summer* {0}! autumn autumn* winter winter*
    """
    seasons = [season.value + mark for season in SEASONS for mark in ("", PRECIOUS_MARK)]
    middle = (SIDE // 2 - 1, SIDE // 2)
    found = []
    for first, mark in ((0, ""), (3, FRAME_MARK)):
        tiles = islice(cycle(seasons), first, None)
        found.append(
            join_rows(
                [
                    f"{{{hand.clockwise.index((row, col))}}}{mark}"
                    if (row, col) in hand.clockwise
                    else EMPTY
                    if row in middle and col in middle
                    else next(tiles)
                    for col in range(SIDE)
                ]
                for row in range(SIDE)
            )
        )
    return found[0], found[1]
