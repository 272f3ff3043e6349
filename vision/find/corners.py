"""A person's answer to "where is the grid", moved onto the grid that lies there: fingers are no finer than a part of a cell."""

import math
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
import numpy.typing as npt

from vision.find.detect import DETECTOR_PX, detect_pieces, refine_quads
from vision.geometry import Floats, Images, Pyramid, homography, sides, transform

MARGIN = 0.75
"""How much beyond the shown corners is looked at, in cells."""
NEAR = 0.45
"""A piece belongs to a cell if its centre is at most this far from the cell's, in cells."""
LEAST_SIDE, MOST_SIDE = 0.5, 1.35
"""Sides of pieces, in cells."""
LEAST_SEEN = 0.6
"""Share of the cells whose pieces must be seen for the corners to be moved."""
MOST_MOVED = 0.6
"""By how much a corner may be moved, in cells; beyond that the grid is another one."""
TOLERANCE = 0.12
LEAST_SCORE = 0.35
ROUNDS = 2
OUTWARD = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
"""Directions of the corners, clockwise from the top left."""


class CornersRejected(ValueError):
    """The text does not name four usable corners."""


@dataclass(frozen=True, slots=True)
class Corners:
    """The outer corners of the grid, clockwise from its top left, in full-size pixels; None: the grid fills the photo.

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
            points = tuple((float(x), float(y)) for x, y in (pair.split(",") for pair in text.split()))
        except ValueError:
            raise CornersRejected(
                f'expected "photo" or four corners "x,y x,y x,y x,y", got {text!r}'
            ) from None
        if len(points) != 4 or not all(math.isfinite(v) for point in points for v in point):
            raise CornersRejected(f"expected four finite corners, got {text!r}")
        return cls(points)

    def quad_xy(self, full_hw: tuple[int, int]) -> npt.NDArray[np.float32]:
        """The corners for a photo of that size, shape (4, 2)."""
        if self.points is not None:
            return np.array(self.points, np.float32)
        h, w = full_hw
        return np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5


def snapped(image_rgb: Images, quad_xy: Floats, rows: int, cols: int) -> Floats:
    """The grid's outer corners (4, 2) near those shown, clockwise from its top left; as they are if too little is seen."""
    found = quad_xy
    for _ in range(ROUNDS):
        moved = _moved(image_rgb, found, rows, cols)
        if moved is None:
            break
        found = moved
    grid = transform(homography(quad_xy, _corners(rows, cols)), found)
    return found if np.abs(grid - _corners(rows, cols)).max() <= MOST_MOVED else quad_xy


def _corners(rows: int, cols: int) -> Floats:
    return np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32)


def _moved(image_rgb: Images, quad_xy: Floats, rows: int, cols: int) -> Floats | None:
    """The corners of a grid through the pieces seen; None if they are too few."""
    px = DETECTOR_PX / (max(rows, cols) + 2 * MARGIN)
    shrink = max(1.0, float(sides(quad_xy[None])[0]) / (np.sqrt(rows * cols) * px))
    small = image_rgb
    if shrink > 1:
        size = (max(1, round(image_rgb.shape[1] / shrink)), max(1, round(image_rgb.shape[0] / shrink)))
        small = np.asarray(cv2.resize(image_rgb, size, interpolation=cv2.INTER_AREA), np.uint8)
    scale = np.array(small.shape[1::-1], np.float32) / np.array(image_rgb.shape[1::-1], np.float32)
    shown = (quad_xy + 0.5) * scale - 0.5
    on_screen = (_corners(rows, cols) + MARGIN) * px
    size = (round((cols + 2 * MARGIN) * px), round((rows + 2 * MARGIN) * px))
    flat = cv2.warpPerspective(
        small, np.asarray(homography(shown, on_screen), np.float64), size, borderMode=cv2.BORDER_REPLICATE
    )
    quads, _ = detect_pieces(np.asarray(flat, np.uint8), LEAST_SCORE)
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
    corners = transform(np.asarray(place, np.float64), _corners(rows, cols))
    at_corners = nearest[[0, cols - 1, rows * cols - 1, (rows - 1) * cols]]
    pieces, _ = refine_quads(Pyramid(np.asarray(flat, np.uint8)), quads[at_corners])
    for at, cell in enumerate((0, cols - 1, rows * cols - 1, (rows - 1) * cols)):
        if seen[cell]:  # hand-laid pieces lie beside the lines, so the corner is that of the piece itself
            piece = pieces[at] / px - MARGIN
            corners[at] = piece[(piece @ OUTWARD[at]).argmax()]
    return transform(homography(_corners(rows, cols), quad_xy), corners)
