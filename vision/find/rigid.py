"""Corrects corners: pieces of one board are equally large and lie on one plane."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from vision.find.board import LocatedBoard
from vision.find.detect import refine_quads
from vision.geometry import (
    UNIT_SQUARE,
    Floats,
    Matrix,
    Pyramid,
    areas,
    fit_homography,
    inverse,
    mean_edges,
    transform,
    usable,
)

LEAST_PIECES = 4
"""Fewer pieces do not tell the plane from how they lie on it."""
LEAST_NEARNESS = 0.1
"""Least nearness of a piece, relative to the mean, that sizes can tell."""
OTHER_SIZE = 1.25
"""A quad is kept as it is if it is this much larger than the median: turned, or no piece."""


class Plane(NamedTuple):
    """The plane on which pieces lie.

    ``to_photo`` is the homography from it to the photo, ``size`` the width and height of a piece
    on it. ``rectangles`` (n, 4, 2) are the nearest ones of that size to each piece, ``sizes``
    (n, 2) the width and height of each.
    """

    to_photo: Matrix
    size: npt.NDArray[np.float64]
    rectangles: Floats
    sizes: npt.NDArray[np.float64]


def plane_of(
    quads_xy: Floats, trusted: npt.NDArray[np.bool_], aspect: float | None
) -> Plane | None:
    """The plane on which quads (n, 4, 2) are equally large rectangles; None if they do not tell.

    Gaps between pieces laid by hand say nothing of it; how large these look, and how long their
    edges, does.

    Parameters
    ----------
    trusted : which quads tell size and plane, shape (n,)
    aspect : width over height of pieces, or height over width; None if it is not known
    """
    by_sizes = _by_sizes(quads_xy[trusted], aspect)
    if by_sizes is None:
        return None
    from_photo, ratio = by_sizes
    plane = transform(from_photo, quads_xy).astype(np.float64)
    middles = plane.mean(1, keepdims=True)
    along, down = mean_edges(plane)
    sizes = np.stack([np.hypot(*along.T), np.hypot(*down.T)], 1)
    size = np.median(sizes[trusted], 0)
    if aspect is not None:
        size = np.array([ratio, 1.0]) * (size / (ratio, 1.0)).mean()
    width, height = size
    # the rotation that takes the rectangle nearest to the four corners (Kabsch, in the plane)
    angle = np.arctan2(
        width * along[:, 1] - height * down[:, 0], width * along[:, 0] + height * down[:, 1]
    )
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.stack([np.stack([cos, sin], 1), np.stack([-sin, cos], 1)], 1)
    rectangles = (middles + (UNIT_SQUARE - 0.5) * size @ turn).astype(np.float32)
    refit = fit_homography(rectangles[trusted].reshape(-1, 2), quads_xy[trusted].reshape(-1, 2))
    return None if refit is None else Plane(refit, size, rectangles, sizes)


def _by_sizes(quads_xy: Floats, aspect: float | None) -> tuple[Matrix, float] | None:
    """The homography to a plane on which quads (n, 4, 2) are a unit high, and their width there.

    The width is ``aspect``, or measured if that is None.

    The area of equal pieces in a photo goes with the cube of their nearness. Nearness is linear in
    the photo's coordinates: it is the distance from the horizon (Hartley & Zisserman, 2nd ed.,
    section 8.6).
    """
    if len(quads_xy) < LEAST_PIECES:
        return None
    middles = quads_xy.mean(1).astype(np.float64)
    centre = middles.mean(0)
    design = np.column_stack([middles - centre, np.ones(len(middles))])
    (across, below, mean), *_ = np.linalg.lstsq(
        design, np.cbrt(areas(quads_xy).astype(np.float64)), rcond=None
    )
    horizon = np.array([across, below]) / max(mean, 1e-9)
    if ((middles - centre) @ horizon).min() < LEAST_NEARNESS - 1:
        return None
    straight = np.array(
        [[1, 0, -centre[0]], [0, 1, -centre[1]], [horizon[0], horizon[1], 1 - horizon @ centre]]
    )
    along, down = (
        axis.mean(0) for axis in mean_edges(transform(straight, quads_xy).astype(np.float64))
    )
    seen = float(np.hypot(*along) / max(np.hypot(*down), 1e-9))
    ratio = (
        seen
        if aspect is None
        else min(aspect, 1 / aspect, key=lambda value: abs(np.log(value / seen)))
    )
    unit = np.eye(3)
    unit[:2, :2] = np.stack([along / ratio, down], 1)
    flat = inverse(straight)
    from_photo = None if flat is None else inverse(flat @ unit)
    return None if from_photo is None else (from_photo, ratio)


def equal_pieces(quads_xy: Floats, trusted: npt.NDArray[np.bool_], aspect: float | None) -> Floats:
    """The nearest quads (n, 4, 2) of equally large rectangles on one plane; see ``plane_of``.

    A seen corner is off by itself; the four of a rectangle of known size, on a plane that all
    pieces share, correct each other. Pieces may lie crooked.
    """
    plane = plane_of(quads_xy, trusted, aspect)
    if plane is None:
        return quads_xy
    even = transform(plane.to_photo, plane.rectangles)
    ratio = plane.sizes / np.maximum(plane.size, 1e-9)
    like_others = ((ratio < OTHER_SIZE) & (ratio > 1 / OTHER_SIZE)).all(1)
    return np.where((like_others & usable(even))[:, None, None], even, quads_xy)


def with_equal_tiles(
    pyramid: Pyramid, board: LocatedBoard, tiles: npt.NDArray[np.bool_], aspect: float | None
) -> LocatedBoard:
    """The board with its ``tiles`` (n,) refined once more, held equally large before and after.

    Bare cells stay: they may have another size and lie lower.
    """
    if not tiles.any():
        return board
    quads = board.quads_xy
    even = equal_pieces(quads, tiles, aspect)
    quads[tiles], _ = refine_quads(pyramid, even[tiles], rounds=1)
    quads[tiles] = equal_pieces(quads, tiles, aspect)[tiles]
    cells = [replace(cell, quad_xy=quad) for cell, quad in zip(board.cells, quads, strict=True)]
    return replace(board, cells=tuple(cells))
