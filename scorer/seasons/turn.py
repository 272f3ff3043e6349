"""Shifting Seasons: where a tile may go, frames and bonus tokens, and the sliding board.

Rulebook, "your turn": take a tile of the display, push it into a lane of the sliding board, and
place the tile that comes out in the area of that lane's number.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from scorer.notation import Cell
from scorer.seasons.board import Cells, Number, SeasonBoard, Tile, as_cells, beside, cells_of

AREAS = (1, 2, 3, 4)


def legal_cells(board: SeasonBoard, number: int) -> tuple[Cell, ...]:
    """Where a tile for the area of *number* may go: beside the number or beside a tile of the area.

    A full area gives nothing. Raises ValueError for a number that no area has.

    >>> legal_cells(SeasonBoard.empty(), 1)
    ((0, 0), (0, 2), (1, 1))
    """
    area = _area(board, number)
    touched = beside(board.tiles & area) | board.layout.plan.neighbours[number - 1]
    return cells_of(touched & area & ~board.tiles)


def _area(board: SeasonBoard, number: int) -> Cells:
    if number not in AREAS:
        raise ValueError(f"expected an area 1 to 4, got {number!r}")
    return board.layout.plan.areas[number - 1]


@dataclass(frozen=True, slots=True)
class PlayerTable:
    """A player board with its owner's bonus tokens.

    >>> table = PlayerTable()
    >>> for cell in legal_cells(table.board, 1):
    ...     table = table.place(1, cell, Tile.parse("su"))
    >>> table.board.tiles.bit_count(), table.tokens
    (3, 1)
    """

    board: SeasonBoard = field(default_factory=SeasonBoard.empty)
    tokens: int = 1

    def place(self, number: int, cell: Cell, tile: Tile, token_left: bool = True) -> Self:
        """Place *tile* in the area of *number*.

        An area that this fills gets a frame over its number and, as that is the first time, gives a
        bonus token, if the display has a *token_left*. Raises ValueError for a cell on which the
        tile may not go.
        """
        legal = legal_cells(self.board, number)
        if cell not in legal:
            raise ValueError(f"expected one of the cells {legal!r} of area {number}, got {cell!r}")
        return self._framed(self.board.with_tile(cell, tile), token_left)

    def move(self, origin: Cell, cell: Cell) -> Self:
        """Spend a token to move one tile of the own board to any free space.

        It may fill an area and so earn a frame, but no new token: bonuses do not chain.
        """
        if self.tokens < 1:
            raise ValueError("expected a bonus token to spend, got none")
        tile = self.board[origin]
        if not isinstance(tile, Tile):
            raise ValueError(f"expected a tile to move at {origin!r}, got {tile!r}")
        if self.board[cell] is not None:
            raise ValueError(f"expected a free space at {cell!r}, got {self.board[cell]!r}")
        moved = self.board.with_tile(origin, None).with_tile(cell, tile)
        return replace(self._framed(moved, token_left=False), tokens=self.tokens - 1)

    def shift_twice(self) -> Self:
        """Spend a token to push the tile that came out into the same lane once more."""
        if self.tokens < 1:
            raise ValueError("expected a bonus token to spend, got none")
        return replace(self, tokens=self.tokens - 1)

    def _framed(self, board: SeasonBoard, token_left: bool) -> Self:
        """This table with *board*, and frames over the numbers of areas that are newly full."""
        tokens = self.tokens
        contents = dict(board.items())
        for number, place in zip(AREAS, board.layout.numbers, strict=True):
            full = not _area(board, number) & ~board.tiles
            if full and not board.framed & as_cells([place]):
                contents[place] = Number(number, framed=True)
                tokens += token_left
        return replace(self, board=SeasonBoard.of(contents), tokens=tokens)


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane of the sliding board: its spaces from the arrow on, and the number at its exit."""

    spaces: tuple[Cell, ...]
    number: int


def crossing_lanes(numbers: tuple[int, int, int, int] = (1, 2, 3, 4)) -> tuple[Lane, ...]:
    """Two level and two upright lanes of five spaces that cross in four.

    *numbers* are those of the upper, the lower, the left and the right lane, which run to the right
    and down. Which lane has which number and which way it runs is not published: a lane of another
    copy is written as a `Lane`.
    """
    upper, lower, left, right = numbers
    return (
        Lane(tuple((1, at) for at in range(5)), upper),
        Lane(tuple((3, at) for at in range(5)), lower),
        Lane(tuple((at, 1) for at in range(5)), left),
        Lane(tuple((at, 3) for at in range(5)), right),
    )


@dataclass(frozen=True, slots=True)
class Push:
    """A push into a lane: the tile that comes out, its area and the board afterwards."""

    lane: Lane
    tile: Tile
    after: "SlidingBoard"


@dataclass(frozen=True, slots=True)
class SlidingBoard:
    """The 16 tiles that all players shift.

    Raises ValueError if the lanes and the tiles do not fit each other.
    """

    tiles: Mapping[Cell, Tile]
    lanes: tuple[Lane, ...] = field(default_factory=crossing_lanes)

    def __post_init__(self) -> None:
        spaces = {space for lane in self.lanes for space in lane.spaces}
        if set(self.tiles) != spaces:
            raise ValueError(
                f"expected a tile on each of {sorted(spaces)!r}, got {sorted(self.tiles)!r}"
            )
        for lane in self.lanes:
            if lane.number not in AREAS:
                raise ValueError(f"expected lanes with numbers 1 to 4, got {lane.number!r}")

    def push(self, lane: Lane, tile: Tile) -> Push:
        """Push *tile* in at the arrow of *lane*."""
        tiles = dict(self.tiles)
        pushed = tile
        for space in lane.spaces:
            tiles[space], pushed = pushed, tiles[space]
        return Push(lane, pushed, replace(self, tiles=tiles))

    def push_twice(self, lane: Lane, tile: Tile) -> Push:
        """The bonus: the tile that comes out is pushed into the same lane once more."""
        first = self.push(lane, tile)
        return first.after.push(lane, first.tile)

    def pushes(self, tile: Tile, board: SeasonBoard) -> tuple[Push, ...]:
        """Every push of *tile* that is allowed, because the area of the lane has a free space."""
        return tuple(
            self.push(lane, tile) for lane in self.lanes if legal_cells(board, lane.number)
        )
