"""Moves corners that a person gave onto the grid: fingers are not exact."""

from dataclasses import dataclass, replace
from typing import Self

import cv2
import numpy as np
import numpy.typing as npt

from scorer.text import Told
from vision.boards import BoardSpec
from vision.errors import BoardNotFound
from vision.find.board import LocatedBoard, LocatedCell, in_photo, next_to
from vision.find.detect import (
    CLOSER_PX,
    DETECTOR_PX,
    STRAIGHT_CELL_PX,
    detect_pieces,
    refine_quads,
    resized,
)
from vision.find.neighbours import STARTED
from vision.geometry import (
    OUTWARD,
    UNIT_SQUARE,
    Floats,
    Images,
    Pyramid,
    homography,
    shares_in_photo,
    sides,
    transform,
    usable,
)
from vision.photo import Photo
from vision.quality import too_far

MOST_PX = 1e6
"""Most pixels of a given corner from the photo's first pixel, across or down."""
SHOWN_AROUND = 0.6
"""Pitches around given corners that the detector sees."""
FARTHEST_AT_CORNERS, MOST_GROWN_AT_CORNERS = 0.4, 1.4
"""Most distance of a piece from the middle of its cell, in pitches, and most ratio of sizes."""
MARGIN = 0.75
"""How much beyond the shown corners is looked at, in cells."""
NEAR = 0.45
"""A piece belongs to a cell if its centre is at most this far from the cell's, in cells."""
LEAST_SIDE, MOST_SIDE = 0.5, 1.35
"""Sides of pieces, in cells."""
LEAST_IN_PHOTO = 0.5
"""Share of what corners outline that the photo must show."""
LEAST_SEEN = 0.6
"""Share of the cells whose pieces must be seen for the corners to be moved."""
MOST_MOVED = 0.6
"""Most distance by which a corner is moved, in cells; beyond that the grid is another one."""
TOLERANCE = 0.12
"""How far a piece may lie off the even grid that RANSAC fits, in cells."""
SCORE_AT_CORNERS = 0.35
"""Least score of a piece between given corners: something is known to lie there."""
ROUNDS = 2
"""How often the corners are moved, each time from a straighter look."""
TRUSTED_PRESENCE, TRUSTED_MOVE = 0.9, 0.3
"""A refined piece is taken from this presence, and up to this distance of its corners, in sides."""

LEAST_BOARD_PX = 8.0
"""Side of a board, in pixels of the photo as it is read, below which nothing can be made out."""


class CornersRejected(Told, ValueError):
    """The text does not name four usable corners."""


@dataclass(frozen=True, slots=True)
class Corners:
    """The grid's corners, clockwise from its top left, in full-size pixels; None: the photo's.

    >>> Corners.parse("photo").points
    >>> Corners.parse("0,0 10,0 10,10 0,10").points[2]
    (10.0, 10.0)
    """

    points: tuple[tuple[float, float], ...] | None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``photo`` or ``x,y x,y x,y x,y``. Raises CornersRejected."""
        if text.strip() == "photo":
            return cls(None)
        try:
            points = tuple(
                (float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())
            )
        except ValueError:
            points = ()
        if len(points) != 4 or not all(abs(v) <= MOST_PX for point in points for v in point):
            raise CornersRejected(
                'expected "photo" or four corners "x,y x,y x,y x,y", got %(text)s', text=repr(text)
            )
        return cls(points)

    @classmethod
    def at(cls, quad_xy: npt.ArrayLike) -> Self:
        """The corners (4, 2), clockwise from the grid's top left."""
        return cls(tuple((float(x), float(y)) for x, y in np.asarray(quad_xy)))

    def quad_xy(self, full_hw: tuple[int, int]) -> npt.NDArray[np.float32]:
        """The corners for a photo of that size, shape (4, 2)."""
        if self.points is not None:
            return np.array(self.points, np.float32)
        h, w = full_hw
        return UNIT_SQUARE * np.array([w, h], np.float32) - np.float32(0.5)


def snapped(image_rgb: Images, quad_xy: Floats, rows: int, cols: int) -> Floats:
    """The grid's corners (4, 2) near the given ones; those themselves if too little is seen."""
    found, corners = quad_xy, UNIT_SQUARE * np.array([cols, rows], np.float32)
    for _ in range(ROUNDS):
        moved = _moved(image_rgb, found, rows, cols)
        if moved is None:
            break
        found = moved
    grid = transform(homography(quad_xy, corners), found)
    return found if np.abs(grid - corners).max() <= MOST_MOVED else quad_xy


def _moved(image_rgb: Images, quad_xy: Floats, rows: int, cols: int) -> Floats | None:
    """The corners of a grid through the pieces seen; None if they are too few."""
    px = DETECTOR_PX / (max(rows, cols) + 2 * MARGIN)
    outline = UNIT_SQUARE * np.array([cols, rows], np.float32)
    shrink = max(1.0, float(sides(quad_xy[None])[0]) / (np.sqrt(rows * cols) * px))
    small, _ = resized(image_rgb, max(image_rgb.shape[:2]) / shrink)
    scale = np.array(small.shape[1::-1], np.float32) / np.array(image_rgb.shape[1::-1], np.float32)
    shown = (quad_xy + 0.5) * scale - 0.5
    on_screen = (outline + MARGIN) * px
    size = (round((cols + 2 * MARGIN) * px), round((rows + 2 * MARGIN) * px))
    flat = cv2.warpPerspective(
        small,
        np.asarray(homography(shown, on_screen), np.float64),
        size,
        borderMode=cv2.BORDER_REPLICATE,
    )
    quads, _ = detect_pieces(np.asarray(flat, np.uint8), SCORE_AT_CORNERS)
    if not len(quads):
        return None
    side = sides(quads) / px
    quads = quads[(side > LEAST_SIDE) & (side < MOST_SIDE)]
    if not len(quads):
        return None
    centres = quads.mean(1) / px - MARGIN
    cells = np.array([[c + 0.5, r + 0.5] for r in range(rows) for c in range(cols)], np.float32)
    distance = np.linalg.norm(cells[:, None] - centres[None], axis=2)
    nearest = distance.argmin(1)
    seen = (distance.min(1) < NEAR) & (distance.argmin(0)[nearest] == np.arange(len(cells)))
    if seen.sum() < max(4, LEAST_SEEN * len(cells)):
        return None
    place, _ = cv2.findHomography(cells[seen], centres[nearest[seen]], cv2.RANSAC, TOLERANCE)
    if place is None:
        return None
    corners = transform(np.asarray(place, np.float64), outline)
    outermost = [0, cols - 1, rows * cols - 1, (rows - 1) * cols]
    pieces, _ = refine_quads(Pyramid(np.asarray(flat, np.uint8)), quads[nearest[outermost]])
    # hand-laid pieces lie beside the lines, so the corner is that of the piece itself
    for at, cell in enumerate(outermost):
        if seen[cell]:
            piece = pieces[at] / px - MARGIN
            corners[at] = piece[(piece @ OUTWARD[at]).argmax()]
    return transform(homography(outline, quad_xy), corners)


def board_at_corners(
    photo: Photo, spec: BoardSpec, corners: Corners, pyramid: Pyramid
) -> LocatedBoard:
    """The cells inside given corners, each moved onto its piece where one is seen.

    Raises what ``outlined`` raises.
    """
    quad = outlined(photo, corners)
    board = cells_of_corners(quad, spec.rows[1], spec.cols[1], pyramid.levels[0].shape[:2])
    return refined_at_corners(board, pyramid)


def outlined(photo: Photo, corners: Corners) -> Floats:
    """The quad (4, 2) of given corners in pixels of ``photo.image_bgr``.

    Raises BoardNotFound if it outlines no board, or one that is too small or not in the photo.
    """
    quad = photo.from_full(corners.quad_xy(photo.full_hw))
    if not usable(quad[None], 0.0)[0]:
        raise BoardNotFound(
            "bad_corners",
            "The four corners do not outline a board: put each on its own corner of the grid, "
            "clockwise from the top left.",
        )
    if sides(quad[None])[0] < LEAST_BOARD_PX:
        raise too_far()
    refuse_outside(photo, corners)
    return quad


def refuse_outside(photo: Photo, corners: Corners) -> None:
    """Raise BoardNotFound if the photo shows less than half of what the corners outline."""
    h, w = photo.full_hw
    if shares_in_photo(corners.quad_xy((h, w))[None], (h, w))[0] < LEAST_IN_PHOTO:
        raise BoardNotFound(
            "bad_corners",
            "The corners lie outside the photo (%(w)s x %(h)s pixels): give them in its pixels.",
            w=w,
            h=h,
        )


def pieces_within(board: LocatedBoard, pyramid: Pyramid) -> Floats:
    """Quads (n, 4, 2) of the pieces detected on an even grid seen from above.

    A cell without a piece gives its own quad.
    """
    cells = board.quads_xy
    pitch_px = min(STRAIGHT_CELL_PX, CLOSER_PX / (max(board.rows, board.cols) + 2 * SHOWN_AROUND))
    size_wh = tuple(round((n + 2 * SHOWN_AROUND) * pitch_px) for n in (board.cols, board.rows))
    inner = (UNIT_SQUARE * (board.cols, board.rows) + SHOWN_AROUND) * pitch_px - 0.5
    to_photo = homography(inner, board.outline_xy)
    found, _ = detect_pieces(pyramid.flattened(to_photo, (size_wh[0], size_wh[1])))
    middles = np.array(board.places)[:, ::-1] + 0.5 + SHOWN_AROUND
    away = np.linalg.norm(found.mean(1)[None] / pitch_px - middles[:, None], axis=2)
    grown = np.abs(np.log(np.maximum(sides(found), 1e-6) / pitch_px))
    away[:, grown > np.log(MOST_GROWN_AT_CORNERS)] = np.inf
    if len(found):
        nearest = away.argmin(1)
        near = away[np.arange(len(cells)), nearest] < FARTHEST_AT_CORNERS
        turned = transform(to_photo, found[nearest[near]])[:, STARTED]
        apart = np.abs(turned - cells[near][:, None]).sum((2, 3))
        cells[near] = turned[np.arange(len(turned)), apart.argmin(1)]
    return cells


def refined_at_corners(board: LocatedBoard, pyramid: Pyramid) -> LocatedBoard:
    """The cells of an even grid moved onto detected pieces, where the refiner is certain.

    Hand-laid pieces are crooked: the refiner alone does not find one that lies a quarter of its
    side away.
    """
    quads = pieces_within(board, pyramid)
    refined, presence = refine_quads(pyramid, quads)
    edges = np.linalg.norm(quads[:, [1, 3]] - quads[:, :1], axis=2)
    moved = np.linalg.norm(refined - quads, axis=2).max(1) / np.maximum(edges.mean(1), 1e-6)
    trusted = (presence > TRUSTED_PRESENCE) & (moved < TRUSTED_MOVE)
    quads = np.where(trusted[:, None, None], refined, quads)
    cells = tuple(
        replace(cell, quad_xy=quad, presence=float(there))
        for cell, quad, there in zip(board.cells, quads, presence, strict=True)
    )
    return replace(board, cells=cells)


def cells_of_corners(
    quad_xy: Floats, rows: int, cols: int, size_hw: tuple[int, int] = (0, 0)
) -> LocatedBoard:
    """The evenly divided cells inside given corners, and the places around that the photo shows."""
    to_photo = homography(UNIT_SQUARE * (cols, rows), quad_xy)

    def place(row: int, col: int) -> Floats:
        return transform(to_photo, UNIT_SQUARE + np.array([col, row], np.float32))

    cells = tuple(LocatedCell(r, c, place(r, c), 1.0) for r in range(rows) for c in range(cols))
    around = in_photo([place(*spot) for spot in next_to(rows, cols)], size_hw)
    return LocatedBoard(rows, cols, cells, quad_xy.astype(np.float32), around_xy=around)
