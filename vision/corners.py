"""A person's answer to "where is the grid"."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt


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
