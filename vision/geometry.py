"""Quads, homographies and crops. Points are (x, y); (0, 0) is the top-left pixel's centre."""

from collections.abc import Callable
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Images = npt.NDArray[np.uint8]
Spectra = npt.NDArray[np.complex64]
FloatType = TypeVar("FloatType", np.float32, np.float64)

Matrix = npt.NDArray[np.float64]
"""A homography (3, 3)."""

UNIT_SQUARE: Floats = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
OUTWARD: Floats = UNIT_SQUARE * 2 - 1
"""Where the corners of a quad lie from its middle, in halves of its width and height."""
FOLLOWING = [1, 2, 3, 0]
"""For each corner of a quad the next one."""


def homography(source_xy: npt.ArrayLike, target_xy: npt.ArrayLike) -> Matrix:
    """The exact homography of four point pairs (Hartley & Zisserman, 2nd ed., section 4.1)."""
    return np.asarray(
        cv2.getPerspectiveTransform(
            np.asarray(source_xy, np.float32), np.asarray(target_xy, np.float32)
        ),
        np.float64,
    )


def transform(matrix: Matrix, points_xy: npt.ArrayLike) -> Floats:
    """Points (..., 2) through a homography."""
    points = np.asarray(points_xy, np.float64)
    flat = points.reshape(-1, 2) @ matrix[:, :2].T + matrix[:, 2]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mapped = flat[:, :2] / flat[:, 2:]
    return mapped.reshape(points.shape).astype(np.float32)


def within_quads(quads_xy: Floats, points: Floats) -> Floats:
    """Points of the unit square, (n, m, 2) or (m, 2) for all, on quads (n, 4, 2): (n, m, 2).

    Source: Heckbert 1989, section 2.2.3.
    """
    first, second, third, fourth = np.moveaxis(quads_xy.astype(np.float64), 1, 0)
    right, left, bend = second - third, fourth - third, first - second + third - fourth
    with np.errstate(divide="ignore", invalid="ignore"):
        across = right[:, 0] * left[:, 1] - left[:, 0] * right[:, 1]
        g = ((bend[:, 0] * left[:, 1] - left[:, 0] * bend[:, 1]) / across)[:, None]
        h = ((right[:, 0] * bend[:, 1] - bend[:, 0] * right[:, 1]) / across)[:, None]
        u, v = points[..., :1], points[..., 1:]
        along, down = second - first + g * second, fourth - first + h * fourth
        mapped = (along[:, None] * u + down[:, None] * v + first[:, None]) / (
            g[:, None] * u + h[:, None] * v + 1
        )
    return np.asarray(mapped, np.float32)


def shared_area(one: Floats, other: Floats) -> float:
    """The area that two convex quads (4, 2) share, in pixels."""
    if (one.max(0) < other.min(0)).any() or (other.max(0) < one.min(0)).any():
        return 0.0
    return float(cv2.intersectConvexConvex(one, other)[0])


def overlap(one: Floats, other: Floats) -> float:
    """The area that two convex quads (4, 2) share, as a share of what they cover together."""
    shared = shared_area(one, other)
    together = cv2.contourArea(one) + cv2.contourArea(other) - shared
    return float(shared / max(together, 1e-6))


def quads_around(quads_xy: Floats, frames: Floats) -> Floats:
    """Quads (n, k, 4, 2) that lie to each of the quads as frames (k, 4, 2) to the unit square."""
    return within_quads(quads_xy, frames.reshape(-1, 2)).reshape(len(quads_xy), *frames.shape)


def grown_beyond(by: float) -> Floats:
    """The unit square grown that far beyond its upper, right, lower and left edge, (4, 4, 2)."""
    frames = np.tile(UNIT_SQUARE, (4, 1, 1))
    for edge, outward in enumerate(((0, -by), (by, 0), (0, by), (-by, 0))):
        frames[edge, [edge, FOLLOWING[edge]]] += np.array(outward, np.float32)
    return frames


def areas(quads_xy: Floats) -> Floats:
    """Area of each quad, shape (n,); positive when the corners run clockwise on the screen."""
    across = quads_xy[..., 2, :] - quads_xy[..., 0, :]
    back = quads_xy[..., 3, :] - quads_xy[..., 1, :]
    return np.asarray(
        0.5 * (across[..., 0] * back[..., 1] - across[..., 1] * back[..., 0]), np.float32
    )


def sides(quads_xy: Floats) -> Floats:
    """Root of the area of each quad: the side of a square as large, shape (n,)."""
    return np.sqrt(np.abs(areas(quads_xy)))


def mean_edges(
    quads: npt.NDArray[FloatType],
) -> tuple[npt.NDArray[FloatType], npt.NDArray[FloatType]]:
    """Mean edges of quads (n, 4, 2) from the first corner to the second and fourth, each (n, 2)."""
    first, second, third, fourth = np.moveaxis(quads, 1, 0)
    return (second + third - first - fourth) / 2, (third + fourth - first - second) / 2


def middles_seen_from_each(quads_xy: Floats) -> npt.NDArray[np.float64]:
    """The middles of all quads in the frame of each, (n, n, 2).

    That of one starts at its middle; its mean edges, rightwards and down, are 1 long.
    """
    centres = quads_xy.mean(1)
    basis = np.stack(mean_edges(quads_xy), 2)  # (n, 2, 2), columns are the axes
    inverse = np.linalg.inv(basis + np.eye(2) * 1e-9)
    return np.asarray((centres[None] - centres[:, None]) @ inverse.transpose(0, 2, 1))


def usable(quads_xy: Floats, least_side_px: float = 4.0) -> npt.NDArray[np.bool_]:
    """Which quads are finite, convex, clockwise and not tiny, shape (n,)."""
    with np.errstate(invalid="ignore", over="ignore"):
        edges = quads_xy[:, FOLLOWING] - quads_xy
        after = edges[:, FOLLOWING]
        turns = edges[..., 0] * after[..., 1] - edges[..., 1] * after[..., 0]
        area = areas(quads_xy)
        return np.asarray((turns > 0).all(1) & (area > least_side_px**2) & np.isfinite(area))


class Pyramid:
    """A photo in halved sizes, so that crops are read at about their own resolution.

    ``vectors`` are those of quads that were asked about, see ``vision.profile.vectors_at``.
    """

    def __init__(self, image_rgb: Images, least_side_px: int = 96) -> None:
        self.levels = [image_rgb]
        self.vectors: dict[bytes, Floats] = {}
        while min(self.levels[-1].shape[:2]) > 2 * least_side_px:
            h, w = self.levels[-1].shape[:2]
            half = cv2.resize(self.levels[-1], (w // 2, h // 2), interpolation=cv2.INTER_AREA)
            self.levels.append(np.asarray(half, np.uint8))

    @property
    def image_rgb(self) -> Images:
        """The photo itself."""
        return self.levels[0]

    def crops(self, quads_xy: Floats, size_px: int, margin: float = 0.0) -> Images:
        """Flatten each quad onto a square.

        Parameters
        ----------
        quads_xy : ndarray of shape (n, 4, 2), pixels of the photo
        size_px : side of the square crops
        margin : part of the quad's side that is shown beyond each edge

        Returns
        -------
        ndarray of shape (n, size_px, size_px, 3), dtype uint8
        """
        target = (UNIT_SQUARE + margin) / (1 + 2 * margin) * size_px - 0.5
        crops = np.empty((len(quads_xy), size_px, size_px, 3), np.uint8)
        inner_px = size_px / (1 + 2 * margin)
        for i, (quad, side) in enumerate(zip(quads_xy, sides(quads_xy), strict=True)):
            picture, scale = self._level(side / inner_px)
            crops[i] = cv2.warpPerspective(
                picture,
                homography((quad + 0.5) / scale - 0.5, target),
                (size_px, size_px),
                flags=cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            )
        return crops

    def flattened(self, to_photo: Matrix, size_wh: tuple[int, int]) -> Images:
        """A picture of that size from the fitting level; ``to_photo`` takes its points there."""
        middle = (np.array(size_wh) - 1) / 2
        around = transform(to_photo, middle + (UNIT_SQUARE - 0.5) * 8)
        level, scale = self._level(float(sides(around[None])[0]) / 8)
        shrunk = np.array(
            [[1 / scale, 0, 0.5 / scale - 0.5], [0, 1 / scale, 0.5 / scale - 0.5], [0, 0, 1]]
        )
        picture = cv2.warpPerspective(
            level,
            shrunk @ to_photo,
            size_wh,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        return np.asarray(picture, np.uint8)

    def _level(self, photo_px: float) -> tuple[Images, float]:
        """The size that fits a picture each of whose pixels covers so many of the photo, and by how
        much it is smaller than the photo."""
        level = int(np.clip(np.floor(np.log2(max(photo_px, 1e-6)) + 0.35), 0, len(self.levels) - 1))
        return self.levels[level], 2.0**level


def share_within(quads_xy: Floats, others_xy: Floats) -> Floats:
    """Share of each convex quad's area inside other ones, shape (n,); those must not overlap."""
    shared = [
        sum(cv2.intersectConvexConvex(quad, other)[0] for other in others_xy.astype(np.float32))
        for quad in quads_xy.astype(np.float32)
    ]
    return np.asarray(np.array(shared) / np.maximum(np.abs(areas(quads_xy)), 1e-6), np.float32)


def shares_in_photo(quads_xy: Floats, size_hw: tuple[int, ...]) -> Floats:
    """How much of each convex quad (n, 4, 2) lies inside a photo of that size, shape (n,)."""
    photo = (UNIT_SQUARE * (size_hw[1], size_hw[0])).astype(np.float32)
    return share_within(quads_xy, photo[None])


def fit_homography(source_xy: Floats, target_xy: Floats) -> Matrix | None:
    """The least-squares homography of point pairs; affine for few, None if degenerate."""
    if len(source_xy) < 3 or np.linalg.matrix_rank(source_xy - source_xy.mean(0), tol=1e-3) < 2:
        return None
    if len(source_xy) >= 6:
        matrix, _ = cv2.findHomography(
            source_xy.astype(np.float64), target_xy.astype(np.float64), 0
        )
        if matrix is not None and np.isfinite(matrix).all():
            return np.asarray(matrix, np.float64)
    design = np.column_stack([source_xy, np.ones(len(source_xy))])
    solution, *_ = np.linalg.lstsq(design, target_xy, rcond=None)
    return np.vstack([solution.T, [0, 0, 1]])


def inverse(matrix: Matrix) -> Matrix | None:
    """The inverse of a homography, or None if it flattens the plane."""
    try:
        inverted = np.asarray(np.linalg.inv(matrix), np.float64)
    except np.linalg.LinAlgError:
        return None
    return inverted if np.isfinite(inverted).all() else None


def distinct(count: int, same: Callable[[int, list[int]], npt.NDArray[np.bool_]]) -> list[int]:
    """Indices, best first, of things unlike all better ones; ``same`` compares one with others."""
    kept: list[int] = []
    for i in range(count):
        if not (kept and same(i, kept).any()):
            kept.append(i)
    return kept
