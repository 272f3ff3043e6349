"""On which places of a grid without a printed board a piece lies.

A gap between pieces looks like one: it has four edges. What tells it from a piece is the table of the same photo: bare
places look like the places around the grid, pieces like what was taught.
"""

from dataclasses import dataclass, replace

import numpy as np

from models.session import embed
from vision.boards import BoardSpec
from vision.geometry import UNIT_SQUARE, Floats, Pyramid, homography, sides, transform
from vision.locate import LocatedBoard
from vision.profile import Profile

CROP_PX = 64
FOUND, GIVEN = (5.8, 0.28, 2.8, 17.9, -4.2), (12.6, 0.48, 0.0, 0.0, -2.0)
"""Log odds of a piece: weights of how much more a place looks like a taught face than like the table, of the refiner's
log odds, of the detector's score and of likeness above ``CLOSE``, and an offset; where the grid was found, and where a
person gave its corners. Logistic regressions on 3,947 places of 340 generated grids. Fitted on 2,545 of them, they take
2.9 % of the others wrongly; whether the detector saw something there takes 10 %."""
CLOSE = 0.6
SURE_PIECE, SURE_BARE = 0.97, 0.03
"""Probabilities from which and up to which nobody needs to be asked."""
BARE_PRESENCE = 0.3
"""A place where the detector saw nothing and the refiner believes less than this shows the table, too."""
NEAREST_TABLES = 3
TYPICAL_TABLE = 0.45
"""Likeness to the table that is assumed where the photo shows none."""
STRAY_SIDES = 0.7
"""A thing nearer than this, in sides, lies on a place around the grid."""


@dataclass(frozen=True, slots=True, eq=False)
class Occupied:
    """The grid with the places that are not surely bare, and whether all others are beyond doubt.

    A cell whose ``presence`` is below one half is most likely empty.
    """

    board: LocatedBoard
    certain: bool


def occupied(
    pyramid: Pyramid, board: LocatedBoard, spec: BoardSpec, profile: Profile, given: bool = False
) -> Occupied | None:
    """Weigh for every place whether a piece lies there; None if no place seems to hold one.

    The grid shrinks to the places that seem to hold a piece, unless its corners were ``given``.
    """
    likely = piece_probabilities(pyramid, board, profile, given)
    if given:
        cells = tuple(
            replace(cell, presence=float(p), detected=not SURE_BARE < p < SURE_PIECE)
            for cell, p in zip(board.cells, likely, strict=True)
        )
        return Occupied(replace(board, cells=cells), True)
    held = [cell for cell, p in zip(board.cells, likely, strict=True) if p >= 0.5]
    if not held:
        return None
    first = (min(cell.row for cell in held), min(cell.col for cell in held))
    last = (max(cell.row for cell in held), max(cell.col for cell in held))
    rows = max(spec.rows[0], last[0] - first[0] + 1)
    cols = max(spec.cols[0], last[1] - first[1] + 1)
    kept, certain = [], True
    for cell, p in zip(board.cells, likely, strict=True):
        inside = 0 <= cell.row - first[0] < rows and 0 <= cell.col - first[1] < cols
        if p <= SURE_BARE:
            continue
        if not inside:
            certain = False
            continue
        kept.append(
            replace(
                cell,
                row=cell.row - first[0],
                col=cell.col - first[1],
                presence=float(p),
                detected=bool(p >= SURE_PIECE),
            )
        )
    outline = _part_of(board, first, rows, cols)
    if spec.connected and not _connected({(cell.row, cell.col) for cell in kept if cell.presence >= 0.5}):
        certain = False
    return Occupied(replace(board, rows=rows, cols=cols, cells=tuple(kept), outline_xy=outline), certain)


def piece_probabilities(
    pyramid: Pyramid, board: LocatedBoard, profile: Profile, given: bool = False
) -> Floats:
    """Probability for each cell of the board that a piece lies there, shape (n,)."""
    *weights, offset = GIVEN if given else FOUND
    odds = piece_features(pyramid, board, profile) @ np.array(weights) + offset
    return np.asarray(1 / (1 + np.exp(-odds)), np.float32)


def piece_features(pyramid: Pyramid, board: LocatedBoard, profile: Profile) -> Floats:
    """What is weighed for each cell, shape (n, 4): see ``FOUND``."""
    vectors = embed(pyramid.crops(np.stack([cell.quad_xy for cell in board.cells]), CROP_PX))
    faces = profile.likeness(vectors).max((0, 2))
    around = embed(pyramid.crops(bare_places(board), CROP_PX))
    bare = np.array([cell.score == 0 and cell.presence < BARE_PRESENCE for cell in board.cells])
    tables = np.full(len(vectors), TYPICAL_TABLE, np.float32)
    for i, vector in enumerate(vectors):
        others = np.concatenate([around, vectors[bare & (np.arange(len(vectors)) != i)]])
        if len(others):
            tables[i] = np.sort(others @ vector)[-NEAREST_TABLES:].mean()
    presence = np.clip([cell.presence for cell in board.cells], 1e-3, 1 - 1e-3)
    score = np.array([cell.score for cell in board.cells])
    close = np.maximum(faces - CLOSE, 0)
    return np.column_stack([faces - tables, np.log(presence / (1 - presence)), score, close]).astype(
        np.float32
    )


def bare_places(board: LocatedBoard) -> Floats:
    """The places around the grid on which nothing was seen, shape (m, 4, 2)."""
    around, strays = board.around_xy, board.strays_xy
    if not len(around) or not len(strays):
        return around
    away = np.linalg.norm(around.mean(1)[:, None] - strays.mean(1)[None], axis=2).min(1)
    return np.asarray(around[away > STRAY_SIDES * sides(around)], np.float32)


def _part_of(board: LocatedBoard, first: tuple[int, int], rows: int, cols: int) -> Floats:
    """The outline of a part of the grid, from its ``first`` cell (row, column) on."""
    whole = UNIT_SQUARE * np.array([board.cols, board.rows])
    part = UNIT_SQUARE * np.array([cols, rows]) + np.array([first[1], first[0]])
    return transform(homography(whole, board.outline_xy), part.astype(np.float32))


def _connected(places: set[tuple[int, int]]) -> bool:
    """Whether the places hang together edge to edge."""
    reached, queue = set[tuple[int, int]](), list(places)[:1]
    while queue:
        row, col = queue.pop()
        if (row, col) in reached or (row, col) not in places:
            continue
        reached.add((row, col))
        queue += [(row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)]
    return len(reached) == len(places)
