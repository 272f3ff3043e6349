"""A board as it was located: its cells and the places around it, in pixels of the photo."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from scorer.text import Text
from vision.boards import BoardSpec
from vision.errors import BoardNotFound
from vision.find.neighbours import STEPS, Place
from vision.geometry import (
    UNIT_SQUARE,
    Floats,
    Matrix,
    fit_homography,
    inverse,
    shares_in_photo,
    transform,
    usable,
)

SURELY_PIECE = 0.8
"""Presence from which a cell says how large pieces are and how the grid lies."""

LEAST_INSIDE = 0.5
"""Least share of each cell of a whole board that lies within the photo: half of every piece. Of an
open board, what the photo shows less of is asked about."""

BARE_LINE = 0.4
"""Mean presence below which an outer row or column of a full board holds no pieces."""


@dataclass(frozen=True, slots=True, eq=False)
class LocatedCell:
    """A cell of the board: its quad in photo pixels and the probability that a piece lies there.

    One that is not ``settled`` seems to hold a piece or to be bare because of what surrounds it: a
    person must decide.
    ``score`` is how sure the detector was, 0 if it saw nothing there.
    """

    row: int
    col: int
    quad_xy: Floats
    presence: float
    settled: bool = True
    score: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class LocatedBoard:
    """All cells of a board; rows run roughly to the right in the photo.

    ``outline_xy`` has shape (4, 2); ``strays_xy`` (n, 4, 2) are other things in the photo that may
    be pieces.
    ``around_xy`` (m, 4, 2) are the places next to a board of open shape, as large as its cells:
    mostly bare table.
    """

    rows: int
    cols: int
    cells: tuple[LocatedCell, ...]
    outline_xy: Floats
    strays_xy: Floats = field(default_factory=lambda: np.zeros((0, 4, 2), np.float32))
    around_xy: Floats = field(default_factory=lambda: np.zeros((0, 4, 2), np.float32))

    @property
    def places(self) -> list[Place]:
        """Row and column of each cell."""
        return [(cell.row, cell.col) for cell in self.cells]

    @property
    def quads_xy(self) -> Floats:
        """The quads of all cells, shape (n, 4, 2)."""
        return np.stack([cell.quad_xy for cell in self.cells])

    @property
    def presence(self) -> npt.NDArray[np.float64]:
        """How probably a piece lies on each cell, shape (n,)."""
        return np.array([cell.presence for cell in self.cells], np.float64)

    @property
    def to_photo(self) -> Matrix | None:
        """The homography from grid to photo; cell (column, row) ends at (column + 1, row + 1).

        Fitted to the cells that surely hold a piece; None if these do not tell.
        """
        cells = [cell for cell in self.cells if cell.presence > SURELY_PIECE] or list(self.cells)
        corners = np.concatenate([UNIT_SQUARE + np.array((cell.col, cell.row)) for cell in cells])
        return fit_homography(
            corners.astype(np.float32), np.concatenate([cell.quad_xy for cell in cells])
        )

    def quads_at(self, places: Sequence[Place]) -> Floats | None:
        """Where places of the grid or beside it lie, shape (n, 4, 2); None if unknown."""
        to_photo = self.to_photo
        if to_photo is None:
            return None
        corners = np.stack([UNIT_SQUARE + np.array((col, row)) for row, col in places])
        return transform(to_photo, corners.astype(np.float32))

    @property
    def to_grid(self) -> Matrix | None:
        """The inverse of ``to_photo``."""
        to_photo = self.to_photo
        return None if to_photo is None else inverse(to_photo)

    @property
    def likely_pieces(self) -> npt.NDArray[np.bool_]:
        """Which cells seem to hold a piece, shape (n,); all if none does."""
        likely = self.presence >= 0.5
        return likely if likely.any() else ~likely

    def shape(self, turn: int) -> tuple[int, int]:
        """Rows and columns of the upright grid, if this one shows it turned by quarters."""
        return (self.rows, self.cols) if turn % 2 == 0 else (self.cols, self.rows)

    def upright(self, turn: int) -> list[tuple[int, int]]:
        """Where the cells lie in the upright grid, if this one shows it turned by quarters."""
        return [turned_place(*place, self.rows, self.cols, turn) for place in self.places]


def turned_place(row: int, col: int, rows: int, cols: int, turn: int) -> tuple[int, int]:
    """The place in the upright grid of a cell of a lattice turned counterclockwise.

    Turned once, the upright grid's top left is seen at the bottom left:

    >>> turned_place(2, 0, 3, 3, 1)
    (0, 0)
    """
    for _ in range(turn):
        row, col, rows, cols = col, rows - 1 - row, cols, rows
    return row, col


def places_beside(
    held: Collection[tuple[int, int]], rows: int, cols: int, spec: BoardSpec
) -> set[tuple[int, int]]:
    """Places next to a held one where the board may have another piece; -1 is before the first."""
    beside = {(r + dr, c + dc) for r, c in held for dr, dc in STEPS} - {*held}
    return {
        (r, c)
        for r, c in beside
        if (0 <= r < rows or rows < spec.rows[1]) and (0 <= c < cols or cols < spec.cols[1])
    }


def next_to(rows: int, cols: int) -> list[tuple[int, int]]:
    """Places (row, column) in the ring around a grid."""
    return [
        (r, c)
        for r in range(-1, rows + 1)
        for c in range(-1, cols + 1)
        if r in (-1, rows) or c in (-1, cols)
    ]


def in_photo(quads_xy: Sequence[Floats], size_hw: tuple[int, int]) -> Floats:
    """Those of the quads that the photo shows whole, shape (m, 4, 2)."""
    quads = np.array(quads_xy, np.float32).reshape(-1, 4, 2)
    inside = ((quads > 0) & (quads < (size_hw[1], size_hw[0]))).all((1, 2))
    return np.asarray(quads[inside & usable(quads)], np.float32)


def is_cut_off(board: LocatedBoard, spec: BoardSpec, size_hw: tuple[int, int]) -> bool:
    """True if the photo shows only part of a board of given size.

    The grid of such a board reaches out of the photo or over bare table. An open grid has no parts.
    """
    if spec.is_open:
        return False
    if shares_in_photo(board.quads_xy, size_hw).min() < LEAST_INSIDE:
        return True
    rows, cols = np.array(board.places).T
    outer = (rows == 0, rows == board.rows - 1, cols == 0, cols == board.cols - 1)
    return spec.is_always_full and any(board.presence[line].mean() < BARE_LINE for line in outer)


def not_found(spec: BoardSpec) -> BoardNotFound:
    """Nothing on the photo looks like the board."""
    least = f"{spec.rows[0]}x{spec.cols[0]}" if spec.rows[0] * spec.cols[0] > 1 else Text("any")
    return BoardNotFound(
        "no_board",
        "No %(name)s board (%(least)s grid of pieces) was found: show the "
        "whole board from above, in even light, or mark its four corners.",
        name=spec.name,
        least=least,
    )
