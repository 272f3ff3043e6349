"""A pinhole camera over the table."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from models.training.scenes.solids import Points

NEAR_MM = 5.0
"""Things closer to the camera than this are not painted."""
SENSOR_DIAGONAL_MM = 43.27
"""Of the film that focal lengths are quoted for."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera that looks at a point of the table from a distance."""

    rotation: npt.NDArray[np.float64]
    target_mm: tuple[float, float]
    distance_mm: float
    focal_px: float
    centre_px: tuple[float, float]

    def project(self, points_mm: npt.ArrayLike) -> tuple[Points, Points]:
        """Pixels and depths of points (x, y, height)."""
        points = np.asarray(points_mm, np.float64) * (1, 1, -1) - (*self.target_mm, 0)
        seen = points @ self.rotation.T
        depth = np.maximum(seen[:, 2] + self.distance_mm, NEAR_MM / 2)
        pixels = seen[:, :2] / depth[:, None] * self.focal_px + self.centre_px
        return pixels.astype(np.float32), depth.astype(np.float32)

    def position(self) -> npt.NDArray[np.float64]:
        """Where the camera is, as (x, y, height)."""
        place = -self.rotation.T @ (0, 0, self.distance_mm) + (*self.target_mm, 0)
        return np.asarray(place * (1, 1, -1))

    def to_table(self) -> npt.NDArray[np.float64]:
        """Homography from pixels to the table; its third coordinate is positive below the
        horizon."""
        (x, y), focal, (middle_x, middle_y) = self.target_mm, self.focal_px, self.centre_px
        shift = self.rotation @ (-x, -y, 0) + (0, 0, self.distance_mm)
        view = np.column_stack([self.rotation[:, 0], self.rotation[:, 1], shift])
        lens = np.array([[focal, 0, middle_x], [0, focal, middle_y], [0, 0, 1]])
        inverse = np.linalg.inv(lens @ view)
        return np.asarray(inverse * np.sign(inverse[2] @ (*self.centre_px, 1)))

    def table_point(self, pixel: tuple[float, float]) -> tuple[float, float]:
        """The place on the table that a pixel shows."""
        x, y, w = self.to_table() @ (*pixel, 1)
        return (float(x / w), float(y / w))


def _turn(axis: int, angle: float) -> npt.NDArray[np.float64]:
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.eye(3)
    a, b = [i for i in range(3) if i != axis]
    matrix[[a, a, b, b], [a, b, a, b]] = (c, -s, s, c)
    return matrix


FRAMED = 0.6, 0.95
"""Share of the picture, along its fuller side, that people give a board when they frame it."""


def aim(
    rng: np.random.Generator, focus_mm: Points, size_hw: tuple[int, int], framed: bool = False
) -> Camera:
    """A camera that has the focus, a polygon on the table, somewhere in its picture; ``framed`` as
    by somebody who wants it read, else also from too near or far."""
    outline = np.column_stack([focus_mm, np.zeros(len(focus_mm))])
    return _panned(rng, _tilted(rng, focus_mm, outline, size_hw, framed), outline, size_hw)


def _tilted(
    rng: np.random.Generator,
    focus_mm: Points,
    outline: npt.NDArray[np.float64],
    size_hw: tuple[int, int],
    framed: bool,
) -> Camera:
    """A camera that looks at the middle of the outline, from near or far."""
    h, w = size_hw
    wide = rng.random() < 0.12
    focal = (
        rng.uniform(13, 22)
        if wide
        else rng.uniform(23, 36)
        if rng.random() < 0.85
        else rng.uniform(36, 75)
    )
    focal_px = focal / SENSOR_DIAGONAL_MM * float(np.hypot(h, w))
    tilt = np.radians(
        rng.choice(
            [rng.uniform(0, 15), rng.uniform(10, 45), rng.uniform(40, 62)], p=[0.3, 0.4, 0.3]
        )
    )
    azimuth = rng.uniform(0, 2 * np.pi) if rng.random() < 0.6 else rng.normal(0, 0.25)
    roll = rng.normal(0, 0.08) + (
        rng.choice([0, 0, 0, 0.5, -0.5, 1]) * np.pi if rng.random() < 0.8 else rng.uniform(0, 6.3)
    )
    rotation = _turn(2, roll) @ _turn(0, -tilt) @ _turn(2, azimuth)
    middle = focus_mm.mean(0)
    size = float(np.ptp(focus_mm, axis=0).max())
    camera = Camera(
        rotation,
        (float(middle[0]), float(middle[1])),
        size * focal_px / w * 1.5,
        focal_px,
        ((w - 1) / 2, (h - 1) / 2),
    )
    fill = rng.choice(
        [rng.uniform(0.22, 0.5), rng.uniform(0.45, 0.95), rng.uniform(0.95, 1.25)],
        p=[0.25, 0.65, 0.1],
    )
    if tilt < 0.3 and rng.random() < 0.06:
        fill = rng.uniform(1.0, 1.1)
    if framed:
        fill = rng.uniform(*FRAMED)
    for _ in range(4):
        extent = np.ptp(camera.project(outline)[0], axis=0)
        camera = replace(
            camera, distance_mm=camera.distance_mm * float(max(extent[0] / w, extent[1] / h)) / fill
        )
    return camera


def _panned(
    rng: np.random.Generator,
    camera: Camera,
    outline: npt.NDArray[np.float64],
    size_hw: tuple[int, int],
) -> Camera:
    """The camera turned or shifted so that the outline lies anywhere in its picture."""
    h, w = size_hw
    pixels = camera.project(outline)[0]
    free = np.maximum((w, h) - np.ptp(pixels, axis=0), 0.06 * w) / 2
    spread = 0.9 if rng.random() < 0.9 else 1.6
    wanted = np.array(camera.centre_px) + rng.uniform(-1, 1, 2) * free * spread * rng.random()
    shift = wanted - (pixels.min(0) + pixels.max(0)) / 2
    (x, y), (dx, dy) = camera.centre_px, shift.tolist()
    if rng.random() < 0.25:
        return replace(camera, centre_px=(x + dx, y + dy))
    panned = replace(camera, target_mm=camera.table_point((x - dx, y - dy)))
    low, high = (f(panned.project(outline)[0], axis=0) for f in (np.min, np.max))
    # far from straight down, a pan that looks small can lose the board
    inside = np.minimum(high, (w, h)) - np.maximum(low, 0)
    return (
        panned
        if (inside > 0.6 * (high - low)).all() and (high - low > 0.8 * np.ptp(pixels, axis=0)).all()
        else camera
    )
