"""The layers of a picture before it is lit, and how shapes are drawn into them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
from cv2.typing import MatLike

from models.training.scenes.materials import Image
from models.training.scenes.solids import Mark, Points, Solid

OVERSAMPLE = 1.25
"""Geometry is painted this much larger than the photo."""


class Drawing(NamedTuple):
    """The layers of a picture before it is lit.

    ``near`` and ``far`` are how much direct light gets past small pieces and past tall things,
    ``surface`` the number of the surface that a pixel shows.
    """

    albedo: Image
    near: Image
    far: Image
    surface: npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Surface:
    """How something mirrors light: its gloss, its slope, how sharp the mirror image is."""

    gloss: float
    slope: tuple[float, float]
    sharpness: float


MATTE = Surface(0.01, (0.0, 0.0), 10.0)
"""Sides of things."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A marked place in the drawing: its corners, the area of its whole outline, its surface."""

    mark: Mark
    quad_px: Points
    area_px: float
    surface: int


class Shown(NamedTuple):
    """A marked place in the photo: its corners (4, 2), and the share of it that is in sight."""

    mark: Mark
    quad_px: Points
    visible: float


SUBPIXEL_BITS = 4
UNIT_SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64)


def fixed(points: Points) -> npt.NDArray[np.int32]:
    """Points as OpenCV's drawing functions take fractions of pixels."""
    return np.asarray(np.floor(points * (1 << SUBPIXEL_BITS) + 0.5), np.int32)


def fill(target: Image, points: Points, value: float | Sequence[float]) -> None:
    cv2.fillPoly(target, [fixed(points)], value, cv2.LINE_AA, SUBPIXEL_BITS)


def stamp(target: Image | npt.NDArray[np.uint16], points: Points, value: float) -> None:
    cv2.fillPoly(target, [fixed(points)], value, cv2.LINE_8, SUBPIXEL_BITS)


def soften(mask: Image, sigma: float) -> Image:
    """Blur; wide blurs at a lower resolution."""
    if sigma < 4:
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), np.uint8)
    h, w = mask.shape
    small = cv2.resize(mask, (w // 4, h // 4), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(cv2.GaussianBlur(small, (0, 0), sigma / 4), (w, h)), np.uint8)


def edge_of(contour: MatLike, size_hw: tuple[int, int]) -> npt.NDArray[np.float64]:
    """A contour of the opaque part of a top in few points, as fractions of the top."""
    h, w = size_hw
    points = cv2.approxPolyDP(contour, 0.006 * max(h, w), True)[:, 0].astype(np.float64)
    return np.asarray(points / (w - 1, h - 1), np.float64)


def in_world(
    solid: Solid, points: npt.NDArray[np.float64], base: bool = False
) -> npt.NDArray[np.float64]:
    """Points given as fractions of a solid's top, on its top or its base."""
    local = (points - 0.5) * solid.size_mm * (solid.taper if base else 1.0)
    c, s = np.cos(solid.turn), np.sin(solid.turn)
    flat = local @ np.array([[c, s], [-s, c]])
    height = np.full(len(points), solid.base_mm)
    if not base:
        lift = (abs(solid.slope[0]) + abs(solid.slope[1])) * max(solid.size_mm) / 2
        height = height + solid.thick_mm + flat @ solid.slope + lift
    return np.column_stack([flat + solid.centre_mm, height])
