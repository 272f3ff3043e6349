"""The light of a scene: a lamp, window or sun, the room, and what casts shadows."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from models.training.scenes.camera import Camera
from models.training.scenes.materials import Field
from models.training.scenes.solids import Points


def kelvin_bgr(kelvin: float) -> Field:
    """Linear colour of a black body, green 1 (fit after Tanner Helland)."""
    t = kelvin / 100
    red = 255.0 if t <= 66 else 329.7 * (t - 60) ** -0.1332
    green = 99.47 * np.log(t) - 161.12 if t <= 66 else 288.12 * (t - 60) ** -0.0755
    blue = 255.0 if t >= 66 else 0.0 if t <= 19 else 138.52 * np.log(t - 10) - 305.04
    rgb = (np.clip([blue, green, red], 8, 255) / 255) ** 2.2
    return np.asarray(rgb / rgb[1], np.float32)


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp, window or sun, what comes from everywhere else, and what stands in between."""

    place_mm: tuple[float, float, float]
    direct_bgr: Field
    ambient_bgr: Field
    ambient_slope: tuple[float, float]
    pool_mm: float
    softness: float
    shine: float
    window: tuple[float, float] | None
    patches_mm: tuple[Points, ...]
    patches_lit: bool
    patch_softness: float

    def shadow_of(
        self, points_mm: npt.NDArray[np.float64], ground_mm: float
    ) -> npt.NDArray[np.float64]:
        """Where the shadows of points fall on a level."""
        x, y, z = self.place_mm
        rise = np.clip(points_mm[:, 2:] - ground_mm, 0, 0.8 * z)
        flat = points_mm[:, :2] + (points_mm[:, :2] - (x, y)) * rise / (z - rise)
        return np.column_stack([flat, np.full(len(flat), ground_mm)])


def _rectangle(centre: npt.NDArray[np.float64], size: tuple[float, float], turn: float) -> Points:
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * size
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(corners @ np.array([[c, s], [-s, c]]) + centre, np.float32)


def _patches(
    rng: np.random.Generator, middle: npt.NDArray[np.float64], reach: float
) -> tuple[list[Points], bool]:
    """Shadows of things outside the picture, or the light that a window or blinds let through."""
    turn = rng.uniform(0, 2 * np.pi)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    chance = rng.random()
    if chance < 0.55:
        return [], False
    if chance < 0.82:
        shapes = []
        for _ in range(rng.integers(1, 4)):
            centre = middle + rng.normal(0, 0.7 * reach, 2)
            points = centre + rng.normal(
                0, rng.uniform(0.1, 0.6) * reach, (int(rng.integers(4, 9)), 2)
            )
            shapes.append(np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0], np.float32))
        return shapes, False
    if chance < 0.91:
        pitch = rng.uniform(0.06, 0.3) * reach
        width, skip = pitch * rng.uniform(0.3, 0.7), rng.uniform(0, pitch)
        return [
            _rectangle(middle + (k * pitch + skip) * axes[0], (width, 8 * reach), turn)
            for k in range(-14, 15)
        ], bool(rng.random() < 0.4)
    rows, cols = (int(v) for v in rng.integers(1, 4, 2))
    pane, bar = rng.uniform(0.3, 1.0, 2) * reach, rng.uniform(0.03, 0.15) * reach
    start = (
        middle
        - ((cols * pane[0]) * axes[0] + (rows * pane[1]) * axes[1]) / 2
        + rng.normal(0, 0.3 * reach, 2)
    )
    return [
        _rectangle(
            start + (c + 0.5) * pane[0] * axes[0] + (r + 0.5) * pane[1] * axes[1],
            (pane[0] - bar, pane[1] - bar),
            turn,
        )
        for r in range(rows)
        for c in range(cols)
    ], True


def illuminate(rng: np.random.Generator, focus_mm: Points, camera: Camera) -> Light:
    middle = focus_mm.mean(0).astype(np.float64)
    reach = float(np.ptp(focus_mm, axis=0).max())
    eye = camera.position()
    far = reach * rng.uniform(1.2, 3) + 150 if rng.random() < 0.35 else rng.uniform(1500, 6000)
    chance = rng.random()
    if chance < 0.35:  # the lamp is mirrored somewhere on or beside the board
        mirror = np.array((*(middle + rng.normal(0, 0.4 * reach, 2)), 0))
        away = (mirror - eye) * (1, 1, -1)
        place = mirror + away / np.linalg.norm(away) * far
    elif chance < 0.42:  # the camera's own light
        place = eye + rng.normal(0, 15, 3)
    else:
        azimuth, elevation = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(18, 85))
        flat = np.cos(elevation) * np.array((np.cos(azimuth), np.sin(azimuth)))
        place = np.array((*(middle + far * flat), far * np.sin(elevation) + 60))
    patches, lit = _patches(rng, middle, reach)
    direct = rng.uniform(0.3, 0.9)
    return Light(
        (float(place[0]), float(place[1]), float(place[2])),
        np.float32(direct) * kelvin_bgr(rng.uniform(2500, 7500)),
        np.float32(1 - direct) * kelvin_bgr(rng.uniform(3000, 9000)),
        (float(rng.normal(0, 0.25 / reach)), float(rng.normal(0, 0.25 / reach))),
        float(reach * rng.uniform(0.5, 1.5)) if rng.random() < 0.15 else float("inf"),
        float(np.exp(rng.uniform(np.log(0.05), np.log(1.2)))),
        float(np.exp(rng.normal(1.2, 1.1))),
        (float(rng.uniform(0.08, 0.4)), float(rng.uniform(0.08, 0.4)))
        if rng.random() < 0.35
        else None,
        tuple(patches),
        lit,
        float(np.exp(rng.uniform(np.log(0.4), np.log(14)))),
    )
