"""What lies on the cells of a printed season board, as anybody sees it who never saw the edition.

The cell reader knows an empty cell from a tile, the numbers 1 to 4, and whether a frame lies
around a number. It does not know one season from another: that is taught.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from models.session import CROP_PX, read_season_cells
from scorer.notation import EMPTY
from scorer.seasons.board import FRAME_MARK
from vision.boards import NUMBERS
from vision.find.board import LocatedBoard
from vision.geometry import UNIT_SQUARE, Floats, Pyramid, fit_homography, transform, usable
from vision.probability import Doubles

MARGIN = 0.2
"""How many cells of its surroundings a crop shows: as the network was trained."""
CELLS = 36
"""The network knows each cell by its place on the board."""
EMPTY_CLASS, TILE_CLASS, FIRST_NUMBER = 0, 1, 2
TURNS = 4
FLOOR = -9.0
"""Least log probability: the network never decides a cell alone."""


def even_quads(board: LocatedBoard, by: npt.NDArray[np.bool_] | None = None) -> Floats | None:
    """The printed cells, whatever lies on them, shape (n, 4, 2); None if they cannot be told.

    The board is laid through the middles of all cells, or of those that ``by`` names.
    """
    places = np.array([(cell.col, cell.row) for cell in board.cells], np.float32)
    middles = board.quads_xy.mean(1)
    which = np.ones(len(places), bool) if by is None else by
    to_photo = fit_homography(places[which], middles[which])
    if to_photo is None:
        return None
    quads = transform(to_photo, places[:, None] + UNIT_SQUARE - 0.5)
    return quads if usable(quads).all() else None


def cell_log_p(
    pyramid: Pyramid, board: LocatedBoard, labels: Sequence[str], quads: Floats | None
) -> Doubles | None:
    """Log probabilities (4, n, labels) of each cell for the four turns of the grid.

    All tiles are alike; a label that is no season's has the network's say too. The cells are cut
    out at ``quads`` (n, 4, 2). None if they cannot be.
    """
    order = np.array([cell.row * board.cols + cell.col for cell in board.cells])
    if quads is None or len(quads) != CELLS or set(order) != set(range(CELLS)):
        return None
    in_rows = np.empty_like(quads)
    in_rows[order] = quads
    log_p = read_season_cells(pyramid.crops(in_rows, CROP_PX, MARGIN)).astype(np.float64)[order]
    log_p = np.maximum(log_p, FLOOR)
    return np.stack(
        [log_p[:, [class_of(label, turn) for label in labels]] for turn in range(TURNS)]
    )


def class_of(label: str, turn: int) -> int:
    """The network's class of a label on a grid that is seen turned counterclockwise by quarters.

    >>> class_of("spring*", 2), class_of("1", 0), class_of("1!", 3), class_of("4!", 1)
    (1, 2, 9, 31)
    """
    if label == EMPTY:
        return EMPTY_CLASS
    if label[0] in NUMBERS:
        return FIRST_NUMBER + (2 * (int(label[0]) - 1) + label.endswith(FRAME_MARK)) * TURNS + turn
    return TILE_CLASS
