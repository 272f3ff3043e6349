"""Straightens photos of lenses that bend straight lines, by a calibration made beforehand.

The model is Brown's with two radial terms about the middle of the picture. Its unit is the longer
side, so it holds for photos of any size and however the phone was held.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.geometry import Floats
from vision.photo import Photo
from vision.reading import Reading

Points = npt.NDArray[np.float64]

LEAST_ZOOM = 0.5
"""A straightened photo is shrunk to keep its corners in sight, but no further."""
NEWTON_STEPS = 12


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens: ``focal`` in parts of the photo's longer side, distortion ``k1`` and ``k2``."""

    focal: float
    k1: float
    k2: float

    def bent(self, points: Points) -> Points:
        """Where the lens shows pinhole points; both are from the middle, in long sides."""
        r2 = (points**2).sum(-1, keepdims=True) / self.focal**2
        return np.asarray(points * (1 + self.k1 * r2 + self.k2 * r2**2))

    def unbent(self, points: Points) -> Points:
        """The inverse of ``bent``.

        >>> lens = Lens(0.8, -0.2, 0.03)
        >>> there = np.array([[0.4, -0.3], [0.0, 0.0]])
        >>> bool(np.allclose(lens.unbent(lens.bent(there)), there))
        True
        """
        far = np.linalg.norm(points, axis=-1) / self.focal
        near = far.copy()
        for _ in range(NEWTON_STEPS):
            value = near * (1 + self.k1 * near**2 + self.k2 * near**4) - far
            slope = 1 + 3 * self.k1 * near**2 + 5 * self.k2 * near**4
            near = near - value / np.maximum(slope, 0.05)
        ratio = np.where(far > 1e-9, near / np.maximum(far, 1e-9), 1.0)
        return np.asarray(points * ratio[..., None])

    def is_one_to_one(self, radius: float) -> bool:
        """True if no two points within ``radius`` long sides of the middle fall on one place."""
        r = np.linspace(0, radius / self.focal, 200)
        return bool((1 + 3 * self.k1 * r**2 + 5 * self.k2 * r**4 > 0.05).all())

    def zoom(self, full_hw: tuple[int, int]) -> float:
        """By how much a straightened photo is shrunk so that nothing of it is lost."""
        half = np.array(full_hw[::-1]) / (2 * max(full_hw))
        edge = np.linspace(-1, 1, 21)
        border = np.concatenate(
            [np.stack([edge, np.full(21, s)], 1) for s in (-1, 1)]
            + [np.stack([np.full(21, s), edge], 1) for s in (-1, 1)]
        )
        far = np.abs(self.unbent(border * half)).max(0)
        return float(np.clip((half / far).min(), LEAST_ZOOM, 1.0))

    def to_photo(self, points_xy: npt.ArrayLike, full_hw: tuple[int, int]) -> Floats:
        """Points of the straightened photo as points of the taken one, in full-size pixels."""
        middle, side, zoom = _frame(full_hw), max(full_hw), self.zoom(full_hw)
        points = (np.asarray(points_xy, np.float64) - middle) / (side * zoom)
        return np.asarray(self.bent(points) * side + middle, np.float32)

    def from_photo(self, points_xy: npt.ArrayLike, full_hw: tuple[int, int]) -> Floats:
        """The inverse of ``to_photo``."""
        middle, side, zoom = _frame(full_hw), max(full_hw), self.zoom(full_hw)
        points = (np.asarray(points_xy, np.float64) - middle) / side
        return np.asarray(self.unbent(points) * (side * zoom) + middle, np.float32)

    def straightened(self, photo: Photo) -> Photo:
        """The photo as a pinhole camera takes it, enlarged so that its middle keeps its detail."""
        zoom = self.zoom(photo.full_hw)
        height, width = (round(side / zoom) for side in photo.image_bgr.shape[:2])
        straight = replace(photo, scale=photo.full_hw[1] / width, offset_xy=(0.0, 0.0))
        ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
        points = straight.to_full(np.stack([xs, ys], -1).reshape(-1, 2))
        source = photo.from_full(self.to_photo(points, photo.full_hw)).reshape(height, width, 2)
        image = cv2.remap(
            photo.image_bgr,
            np.ascontiguousarray(source[..., 0]),
            np.ascontiguousarray(source[..., 1]),
            cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_REPLICATE,
        )
        return replace(straight, image_bgr=np.asarray(image, np.uint8))

    def on_photo(self, reading: Reading, full_hw: tuple[int, int]) -> Reading:
        """A reading of the straightened photo with its corners in pixels of the taken one."""
        return reading.moved(lambda points_xy: self.to_photo(points_xy, full_hw))


def _frame(full_hw: tuple[int, int]) -> Points:
    """The middle of a photo, in pixels whose centres are whole numbers."""
    return np.array(full_hw[::-1], np.float64) / 2 - 0.5
