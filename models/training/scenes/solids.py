"""Solids and tubes: all things of a scene are made of them.

Lengths are millimetres on the table: x to the right, y towards the viewer, heights upwards. A solid
is an upright prism with a printed top; a tube is a bent round bar (pens, cables, fingers, handles).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import cv2
import numpy as np
import numpy.typing as npt

from models.training.scenes.materials import Image, random_colour

Points = npt.NDArray[np.float32]
Colour = tuple[float, float, float]


class Layer(IntEnum):
    """What lies over what; within the flat layer things are painted in the order of the list."""

    FLAT = 0
    STANDING = 1
    OVER = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the top of a solid that the detector has to find.

    ``box`` is left, top, right, bottom as fractions of the top. Kind, grid and cell are those of
    the scene.
    """

    kind: int
    grid: int
    cell: tuple[int, int]
    box: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Solid:
    """A prism whose outline is where its printed top is opaque."""

    top_bgra: Image
    size_mm: tuple[float, float]
    centre_mm: tuple[float, float]
    turn: float
    thick_mm: float
    base_mm: float = 0.0
    side_bgr: Colour = (200.0, 200.0, 200.0)
    layer: Layer = Layer.STANDING
    gloss: float = 0.05
    sharpness: float = 60.0
    slope: tuple[float, float] = (0.0, 0.0)
    bevel: float = 0.0
    taper: float = 1.0
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Tube:
    """A round bar along points (x, y, height)."""

    points_mm: Points
    radius_mm: float
    colour_bgr: Colour
    layer: Layer = Layer.STANDING
    gloss: float = 0.1


Thing = Solid | Tube


def colour(
    rng: np.random.Generator,
    saturation: tuple[float, float] = (0, 0.9),
    value: tuple[float, float] = (0.1, 0.95),
) -> Colour:
    """A random colour as a drawing function wants it."""
    b, g, r = random_colour(rng, saturation, value).tolist()
    return (b, g, r)


def colours_apart(one_bgr: Sequence[float], other_bgr: Sequence[float]) -> float:
    """How different two colours look: their distance in CIELAB."""
    both = np.array([[one_bgr[:3], other_bgr[:3]]], np.float32) / 255
    one, other = cv2.cvtColor(both, cv2.COLOR_BGR2LAB)[0]
    return float(np.linalg.norm(one - other))


def blank(width: int, height: int, ink: Colour) -> Image:
    """An opaque BGRA sheet."""
    return np.full((height, width, 4), (*ink, 255), np.uint8)


def rounded(sheet: Image, radius: float) -> Image:
    """Cut round corners; the radius is a share of the shorter side."""
    h, w = sheet.shape[:2]
    r = radius * min(h, w)
    x = np.maximum(np.abs(np.arange(w) - (w - 1) / 2) - (w / 2 - r), 0)
    y = np.maximum(np.abs(np.arange(h) - (h - 1) / 2) - (h / 2 - r), 0)
    inside = (
        np.clip(r - np.hypot(x[None, :], y[:, None]) + 0.5, 0, 1) if r >= 1 else np.ones((h, w))
    )
    sheet[..., 3] = (sheet[..., 3] * inside).astype(np.uint8)
    return sheet


def disc(diameter: int, ink: Colour) -> Image:
    """A round BGRA sheet."""
    return rounded(blank(diameter, diameter, ink), 0.5)
