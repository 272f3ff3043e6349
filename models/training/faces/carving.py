"""Areas, lines and small ornaments that a carved picture is made of."""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from models.training.art import ICON_PX

Floats = npt.NDArray[np.float32]
Point = tuple[float, float]
PICTURE_PX = ICON_PX
"""Side of a picture drawn in place of an icon."""
DRAWN_PX = 2 * PICTURE_PX
SHIFT = 4
"""Binary places of the coordinates that OpenCV draws with."""
CUT = 0.12
"""How much of a line remains that is carved into what stands out."""


class Carving:
    """A mask to draw on; coordinates are parts of the side, x to the right and y down."""

    def __init__(self) -> None:
        self.mask = np.zeros((DRAWN_PX, DRAWN_PX), np.float32)

    def area(self, points: npt.ArrayLike, level: float = 1.0) -> None:
        """A filled polygon, shape (n, 2)."""
        cv2.fillPoly(self.mask, [fixed(points)], level, cv2.LINE_AA, SHIFT)

    def line(
        self, points: npt.ArrayLike, width: float, level: float = 1.0, closed: bool = False
    ) -> None:
        """A stroke along points, shape (n, 2)."""
        pen = max(1, round(width * DRAWN_PX))
        cv2.polylines(self.mask, [fixed(points)], closed, level, pen, cv2.LINE_AA, SHIFT)

    def disc(self, x: float, y: float, radius: float, level: float = 1.0) -> None:
        """A filled circle."""
        self.area(ellipse(x, y, radius, radius), level)

    def finished(self) -> Floats:
        """The mask at the size of an icon."""
        return np.clip(
            cv2.resize(self.mask, (PICTURE_PX, PICTURE_PX), interpolation=cv2.INTER_AREA), 0, 1
        )


def fixed(points: npt.ArrayLike) -> npt.NDArray[np.int32]:
    return np.round(np.asarray(points, np.float64) * DRAWN_PX * (1 << SHIFT)).astype(np.int32)


def ellipse(
    x: float, y: float, across: float, down: float, first: float = 0, last: float = 360
) -> Floats:
    """Points (n, 2) of an arc between two angles in degrees, clockwise from the right."""
    angle = np.radians(np.linspace(first, last, 48))
    return np.stack([x + across * np.cos(angle), y + down * np.sin(angle)], 1).astype(np.float32)


def almond(x: float, y: float, length: float, width: float, degrees: float) -> Floats:
    """Points (n, 2) of a leaf that grows upwards from (x, y), leaning clockwise by an angle."""
    along = np.linspace(0, np.pi, 24)
    half = np.stack([np.sin(along) * width / 2, (np.cos(along) - 1) * length / 2], 1)
    points = np.concatenate([half, half[::-1] * [-1, 1]])
    return turned(points, degrees) + np.array([x, y], np.float32)


def turned(points: npt.ArrayLike, degrees: float, centre: Point = (0.0, 0.0)) -> Floats:
    """Points turned clockwise about a centre."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    middle = np.array(centre)
    return ((np.asarray(points) - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle).astype(
        np.float32
    )


def reached(x: float, y: float, reach: float, degrees: float) -> Point:
    """The point that far from (x, y), in a direction clockwise from up."""
    dx, dy = turned([(0, -reach)], degrees)[0]
    return x + float(dx), y + float(dy)


def shrunk(mask: Floats, scale: float) -> Floats:
    """A mask made smaller about its middle."""
    middle = mask.shape[0] / 2
    matrix = np.array([[scale, 0, middle * (1 - scale)], [0, scale, middle * (1 - scale)]])
    return np.asarray(cv2.warpAffine(mask, matrix, mask.shape[::-1]), np.float32)


def star(x: float, y: float, radius: float, points: int, depth: float) -> Floats:
    """Points (2 n, 2) of a star with its first point up; ``depth`` is inner over outer radius."""
    angle = np.pi * np.arange(2 * points) / points
    reach = radius * np.where(np.arange(2 * points) % 2, depth, 1.0)
    return np.stack([x + reach * np.sin(angle), y - reach * np.cos(angle)], 1).astype(np.float32)


def corner_spots(rng: np.random.Generator) -> list[Point]:
    inset = rng.uniform(0.07, 0.16)
    return [(x, y) for x in (inset, 1 - inset) for y in (inset, 1 - inset)]


def draw_stars(rng: np.random.Generator, on: Carving, at: Sequence[Point]) -> None:
    points = int(rng.integers(4, 9))
    depth = rng.uniform(0.3, 0.6)
    radius = rng.uniform(0.045, 0.085)
    for x, y in at:
        on.area(star(x, y, radius, points, depth))


def draw_flowers(rng: np.random.Generator, on: Carving, at: Sequence[Point]) -> None:
    petals, radius, level = int(rng.integers(4, 8)), rng.uniform(0.05, 0.09), rng.uniform(0.6, 1)
    for x, y in at:
        for angle in 2 * np.pi * np.arange(petals) / petals:
            on.disc(
                x + 0.6 * radius * np.sin(angle),
                y - 0.6 * radius * np.cos(angle),
                radius * 0.5,
                level,
            )
        on.disc(x, y, radius * 0.3, CUT)


def draw_beads(rng: np.random.Generator, on: Carving, at: Sequence[Point]) -> None:
    radius, hollow = rng.uniform(0.02, 0.05), rng.random() < 0.3
    for x, y in at:
        on.disc(x, y, radius)
        if hollow:
            on.disc(x, y, radius * 0.5, CUT)


def scattered_spots(rng: np.random.Generator, on: Carving) -> None:
    """Beads to the left and right of the picture."""
    sides = [
        (rng.uniform(0.04, 0.2), rng.uniform(0.8, 0.96)) for _ in range(int(rng.integers(1, 6)))
    ]
    draw_beads(rng, on, [(float(rng.choice(side)), rng.uniform(0.05, 0.95)) for side in sides])


def draw_waves(rng: np.random.Generator, on: Carving, y: float, rows: int) -> None:
    width, high, many = rng.uniform(0.015, 0.035), rng.uniform(0.012, 0.03), rng.uniform(3, 8)
    phase, level = rng.uniform(0, 6.28), rng.uniform(0.5, 1)
    x = np.linspace(0.06, 0.94, 60)
    for row in range(rows):
        wave = high * np.sin(x * many * 2 * np.pi + phase + row * 1.5)
        on.line(np.stack([x, y + row * (2 * high + width * 1.3) + wave], 1), width, level)


def square_around(rng: np.random.Generator, on: Carving) -> None:
    inset, width, level = rng.uniform(0.01, 0.1), rng.uniform(0.015, 0.05), rng.uniform(0.6, 1)
    corners = [(inset, inset), (1 - inset, inset), (1 - inset, 1 - inset), (inset, 1 - inset)]
    on.line(corners, width, level, closed=True)
