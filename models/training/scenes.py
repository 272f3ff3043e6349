"""Renders photos of boards, cards and clutter on tables, with the exact place of every piece.

A scene is laid out in millimetres and seen by a pinhole camera. Things are prisms with printed
tops, painted from far to near, lit by a lamp or a window with shadows and gloss, and spoilt the way
phones spoil photos. All chance comes from one generator: the same state gives the same photo.

World coordinates are x to the right, y towards the viewer, height upwards; the table is at height
0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
from cv2.typing import MatLike

from models.training.clutter import (
    CELL_PX,
    Badge,
    Colour,
    Layer,
    Mark,
    Points,
    Solid,
    Thing,
    Tube,
    blank,
    board_print,
    card_back,
    clutter,
    colour,
    hand,
    playing_card,
    rounded,
    rows_of_things,
    sheet,
    slab,
)
from models.training.materials import BANK_SIZE, SIDE_PX, Field, Image, Material, material

TILE, EMPTY_CELL, NUMBER_CELL = 0, 1, 2
"""Kinds of marked places: a piece; a printed cell without a tile; a cell with a printed number or a
frame."""
STRAY = -1
"""Grid of a piece that belongs to none."""

OVERSAMPLE = 1.25
"""Geometry is painted this much larger than the photo."""
NEAR_MM = 5.0
"""Things closer to the camera than this are not painted."""
SENSOR_DIAGONAL_MM = 43.27
"""Of the film that focal lengths are quoted for."""
LIGHT_STEP_PX = 4
"""Light varies smoothly: it is worked out for every so many pixels."""
TALL_MM = 16.0
"""Thicker things cast their shadow over pieces as well."""
SIDE_BANDS = ((0.0, 1.0, 1.0), (0.0, 0.2, 1.12), (0.2, 0.75, 1.0), (0.75, 1.0, 0.8))
"""Tones of a side between two shares of its height: the first if it is low, otherwise the
others."""
TUBE_TONES = ((1.0, 0.45), (0.82, 0.62), (0.62, 0.8), (0.4, 0.95), (0.18, 1.08))
"""Tones of a round bar, from its edge to its lit line, as shares of its radius."""

FaceKind = Literal["stones", "tiles", "cards"]
SceneKind = Literal["stones", "seasons", "time", "cards", "loose", "dense", "single", "negative"]
SCENE_SHARES: dict[SceneKind, float] = {
    "stones": 0.24,
    "seasons": 0.24,
    "time": 0.14,
    "cards": 0.14,
    "dense": 0.08,
    "single": 0.06,
    "negative": 0.1,
}
"""How often each kind of scene is drawn; the others only when asked for."""


@dataclass(frozen=True, slots=True)
class Face:
    """The printed top of a piece, RGBA, the outline in alpha; a fully opaque one is cut by the
    scene."""

    image_rgba: Image


FaceSource = Callable[[np.random.Generator, FaceKind, int], list[Face]]
"""Gives that many faces of one art set."""


class Scene(NamedTuple):
    """A photo and what is on it.

    ``quads_xy`` are the corners of each top face, clockwise from the piece's own top left, as if it
    were not rounded; they may lie outside the photo. ``visible`` is the share of the face that the
    photo shows.
    """

    image_bgr: Image
    quads_xy: npt.NDArray[np.float32]
    visible: npt.NDArray[np.float32]
    kind: npt.NDArray[np.int8]
    grid_id: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]


# --- camera ---


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
        shift = self.rotation @ (-self.target_mm[0], -self.target_mm[1], 0) + (
            0,
            0,
            self.distance_mm,
        )
        view = np.column_stack([self.rotation[:, 0], self.rotation[:, 1], shift])
        lens = np.array(
            [
                [self.focal_px, 0, self.centre_px[0]],
                [0, self.focal_px, self.centre_px[1]],
                [0, 0, 1],
            ]
        )
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


def _aim(rng: np.random.Generator, focus_mm: Points, size_hw: tuple[int, int]) -> Camera:
    """A camera that has the focus, a polygon on the table, somewhere in its picture."""
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
    outline = np.column_stack([focus_mm, np.zeros(len(focus_mm))])
    for _ in range(4):
        extent = np.ptp(camera.project(outline)[0], axis=0)
        camera = replace(
            camera, distance_mm=camera.distance_mm * float(max(extent[0] / w, extent[1] / h)) / fill
        )
    pixels = camera.project(outline)[0]
    free = np.maximum((w, h) - np.ptp(pixels, axis=0), 0.06 * w) / 2
    spread = 0.9 if rng.random() < 0.9 else 1.6
    wanted = np.array(camera.centre_px) + rng.uniform(-1, 1, 2) * free * spread * rng.random()
    shift = wanted - (pixels.min(0) + pixels.max(0)) / 2
    if rng.random() < 0.25:
        return replace(
            camera,
            centre_px=(
                camera.centre_px[0] + float(shift[0]),
                camera.centre_px[1] + float(shift[1]),
            ),
        )
    aside = camera.table_point(
        (camera.centre_px[0] - float(shift[0]), camera.centre_px[1] - float(shift[1]))
    )
    panned = replace(camera, target_mm=aside)
    low, high = (f(panned.project(outline)[0], axis=0) for f in (np.min, np.max))
    # far from straight down, a pan that looks small can lose the board
    inside = np.minimum(high, (w, h)) - np.maximum(low, 0)
    return (
        panned
        if (inside > 0.6 * (high - low)).all() and (high - low > 0.8 * np.ptp(pixels, axis=0)).all()
        else camera
    )


# --- light ---


def _kelvin_bgr(kelvin: float) -> Field:
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


def _illuminate(rng: np.random.Generator, focus_mm: Points, camera: Camera) -> Light:
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
        np.float32(direct) * _kelvin_bgr(rng.uniform(2500, 7500)),
        np.float32(1 - direct) * _kelvin_bgr(rng.uniform(3000, 9000)),
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


# --- painting ---


class _Drawing(NamedTuple):
    """The layers of a picture before it is lit.

    ``near`` and ``far`` are how much direct light gets past small pieces and past tall things,
    ``surface`` the number of the surface that a pixel shows.
    """

    albedo: Image
    near: Image
    far: Image
    surface: npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class _Surface:
    """How something mirrors light: its gloss, its slope, how sharp the mirror image is."""

    gloss: float
    slope: tuple[float, float]
    sharpness: float


MATTE = _Surface(0.01, (0.0, 0.0), 10.0)
"""Sides of things."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A marked place in the drawing: its corners, the area of its whole outline, its surface."""

    mark: Mark
    quad_px: Points
    area_px: float
    surface: int


SUBPIXEL_BITS = 4
_UNIT_SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64)


def _fixed(points: Points) -> npt.NDArray[np.int32]:
    """Points as OpenCV's drawing functions take fractions of pixels."""
    return np.asarray(np.floor(points * (1 << SUBPIXEL_BITS) + 0.5), np.int32)


def _fill(target: Image, points: Points, value: float | Sequence[float]) -> None:
    cv2.fillPoly(target, [_fixed(points)], value, cv2.LINE_AA, SUBPIXEL_BITS)


def _stamp(target: Image | npt.NDArray[np.uint16], points: Points, value: float) -> None:
    cv2.fillPoly(target, [_fixed(points)], value, cv2.LINE_8, SUBPIXEL_BITS)


def _soften(mask: Image, sigma: float) -> Image:
    """Blur; wide blurs at a lower resolution."""
    if sigma < 4:
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), np.uint8)
    h, w = mask.shape
    small = cv2.resize(mask, (w // 4, h // 4), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(cv2.GaussianBlur(small, (0, 0), sigma / 4), (w, h)), np.uint8)


def _outline(top_bgra: Image) -> npt.NDArray[np.float64]:
    """The outer edge of the opaque part, as fractions of the top."""
    h, w = top_bgra.shape[:2]
    alpha = np.ascontiguousarray(top_bgra[..., 3])
    contours, _ = cv2.findContours(
        (alpha > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    if not contours:
        return _UNIT_SQUARE
    largest = max(contours, key=len)
    points = cv2.approxPolyDP(largest, 0.006 * max(h, w), True)[:, 0].astype(np.float64)
    return points / (w - 1, h - 1) if len(points) > 2 else _UNIT_SQUARE


def _relief(top_bgra: Image, toward: tuple[float, float], strength: float) -> Image:
    """Light the bevelled rim and the carving of a top from a direction in its own frame."""
    alpha = top_bgra[..., 3].astype(np.float32) / 255
    rim = cv2.GaussianBlur(np.pad(alpha, 1), (0, 0), 0.022 * max(alpha.shape))[1:-1, 1:-1]
    carving = cv2.GaussianBlur(
        cv2.cvtColor(top_bgra[..., :3], cv2.COLOR_BGR2GRAY).astype(np.float32) / 255, (0, 0), 1
    )
    height = 5 * rim + 1.5 * carving
    slope = (
        cv2.Sobel(height, cv2.CV_32F, 1, 0) * toward[0]
        + cv2.Sobel(height, cv2.CV_32F, 0, 1) * toward[1]
    )
    factor = np.clip(1 - strength * slope, 0.35, 1.9)
    lit = top_bgra.copy()
    lit[..., :3] = np.clip(top_bgra[..., :3] * factor[..., None], 0, 255)
    return lit


class _Painter:
    """Paints things into a drawing and notes where the marked places are."""

    def __init__(self, camera: Camera, light: Light, albedo: Image, table: _Surface) -> None:
        h, w = albedo.shape[:2]
        self.drawing = _Drawing(
            albedo,
            np.full((h, w), 255, np.uint8),
            np.full((h, w), 255, np.uint8),
            np.zeros((h, w), np.uint16),
        )
        self.surfaces = [table, MATTE]
        self.placed: list[_Placed] = []
        self._camera, self._light = camera, light
        self._eye = camera.position()
        self._outlines: dict[int, npt.NDArray[np.float64]] = {}

    def paint(self, things: Sequence[Thing]) -> None:
        """Paint all things, lower layers first and then from far to near."""
        self._patches()
        for layer in Layer:
            here = [thing for thing in things if thing.layer is layer]
            self._shadows(here)
            if layer is not Layer.FLAT:
                here.sort(key=self._distance, reverse=True)
            for thing in here:
                if isinstance(thing, Tube):
                    self._tube(thing)
                else:
                    self._solid(thing)

    def _distance(self, thing: Thing) -> float:
        if isinstance(thing, Tube):
            return float(np.linalg.norm(thing.points_mm.mean(0) - self._eye))
        return float(np.linalg.norm((*thing.centre_mm, thing.base_mm) - self._eye))

    def _patches(self) -> None:
        light = self._light
        if not light.patches_mm:
            return
        mask = np.full_like(self.drawing.far, 30 if light.patches_lit else 255)
        for patch in light.patches_mm:
            pixels, depth = self._camera.project(np.column_stack([patch, np.zeros(len(patch))]))
            if depth.min() > NEAR_MM:
                _fill(mask, pixels, 255.0 if light.patches_lit else 20.0)
        np.minimum(self.drawing.far, _soften(mask, light.patch_softness), out=self.drawing.far)

    def _outline_of(self, solid: Solid) -> npt.NDArray[np.float64]:
        found = self._outlines.get(id(solid))
        if found is None:
            found = self._outlines[id(solid)] = _outline(solid.top_bgra)
        return found

    def _shadows(self, things: Sequence[Thing]) -> None:
        px_per_mm = self._camera.focal_px / self._camera.distance_mm
        for tall, target in ((False, self.drawing.near), (True, self.drawing.far)):
            mask, height = np.full_like(target, 255), 0.0
            for thing in things:
                if isinstance(thing, Tube):
                    if (thing.radius_mm >= 4) is tall:
                        self._tube_shadow(thing, mask)
                        height = max(height, float(thing.points_mm[:, 2].max()))
                elif (thing.thick_mm > TALL_MM) is tall:
                    self._solid_shadow(thing, mask)
                    height = max(height, thing.thick_mm)
            if height:
                sigma = float(np.clip(0.5 * self._light.softness * height * px_per_mm, 0.5, 14))
                np.minimum(target, _soften(mask, sigma), out=target)

    def _solid_shadow(self, solid: Solid, mask: Image) -> None:
        corners = _UNIT_SQUARE if solid.thick_mm < 1 else self._outline_of(solid)
        base = _in_world(solid, corners, base=True)
        cast = self._light.shadow_of(_in_world(solid, corners), solid.base_mm)
        hull = cv2.convexHull(np.vstack([base, cast])[:, :2].astype(np.float32))[:, 0]
        pixels, depth = self._camera.project(
            np.column_stack([hull, np.full(len(hull), solid.base_mm)])
        )
        if depth.min() > NEAR_MM:
            _fill(mask, pixels, 0.0)

    def _solid(self, solid: Solid) -> None:
        outline = self._outline_of(solid)
        top, base = _in_world(solid, outline), _in_world(solid, outline, base=True)
        top_px, top_depth = self._camera.project(top)
        base_px, base_depth = self._camera.project(base)
        if min(top_depth.min(), base_depth.min()) < NEAR_MM:
            return
        h, w = self.drawing.albedo.shape[:2]
        both = np.vstack([top_px, base_px])
        if (both.max(0) < 0).any() or (both.min(0) > (w, h)).any():
            return
        hull = np.asarray(cv2.convexHull(both)[:, 0], np.float32)
        _stamp(self.drawing.near, hull, 255.0)
        if solid.thick_mm > TALL_MM:
            _stamp(self.drawing.far, hull, 255.0)
        _stamp(self.drawing.surface, hull, 1.0)
        self._sides(solid, top, top_px, base_px)
        self._top(solid, self._camera.project(_in_world(solid, _UNIT_SQUARE))[0])
        self._mark(solid, top_px)

    def _sides(
        self, solid: Solid, top: npt.NDArray[np.float64], top_px: Points, base_px: Points
    ) -> None:
        drop = base_px - top_px
        length = float(np.abs(drop).max())
        if length < 0.3:
            return
        following = np.roll(np.arange(len(top)), -1)
        edge_px = top_px[following] - top_px
        facing = edge_px[:, 0] * drop[:, 1] - edge_px[:, 1] * drop[:, 0]
        edge = top[following] - top
        normal = np.column_stack([edge[:, 1], -edge[:, 0]])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-6)[:, None]
        if cv2.contourArea(top_px, True) < 0:
            facing = -facing
        if cv2.contourArea(top[:, :2].astype(np.float32), True) < 0:
            normal = -normal
        toward = np.array(self._light.place_mm) - top.mean(0)
        lit = 0.35 + 0.8 * np.maximum(normal @ toward[:2] / np.linalg.norm(toward), 0)
        bands = SIDE_BANDS[:1] if length < 3 else SIDE_BANDS[1:]
        shown = np.flatnonzero(facing < 0)
        ends = np.stack([shown, following[shown]], 1)
        for start, end, tone in bands:
            upper, lower = top_px[ends] + start * drop[ends], top_px[ends] + end * drop[ends]
            corners = _fixed(np.concatenate([upper, lower[:, ::-1]], axis=1))
            inks = np.minimum(np.array(solid.side_bgr) * (tone * lit[shown, None]), 255).tolist()
            for quad, ink in zip(corners, inks, strict=True):
                cv2.fillConvexPoly(self.drawing.albedo, quad, ink, cv2.LINE_AA, SUBPIXEL_BITS)

    def _top(self, solid: Solid, quad_px: Points) -> None:
        height, width = self.drawing.albedo.shape[:2]
        texture = solid.top_bgra
        if solid.bevel:
            light = np.array(self._light.place_mm[:2]) - solid.centre_mm
            light /= np.linalg.norm(light) + 1e-6
            c, s = np.cos(solid.turn), np.sin(solid.turn)
            texture = _relief(
                texture,
                (float(c * light[0] + s * light[1]), float(-s * light[0] + c * light[1])),
                solid.bevel,
            )
        sides = np.linalg.norm(quad_px - np.roll(quad_px, 1, axis=0), axis=1)
        shrink = max(texture.shape[:2]) / max(float(sides.max()), 2.0)
        if shrink > 1.25:
            size = (
                max(2, round(texture.shape[1] / shrink)),
                max(2, round(texture.shape[0] / shrink)),
            )
            texture = np.asarray(cv2.resize(texture, size, interpolation=cv2.INTER_AREA), np.uint8)
        left, top = (max(0, int(v)) for v in np.floor(quad_px.min(0)) - 1)
        right, bottom = (int(v) for v in np.ceil(quad_px.max(0)) + 2)
        right, bottom = min(right, width), min(bottom, height)
        if right <= left or bottom <= top:
            return
        h, w = texture.shape[:2]
        edge = (_UNIT_SQUARE * (w, h) - 0.5).astype(np.float32)
        place = cv2.getPerspectiveTransform(edge, (quad_px - (left, top)).astype(np.float32))
        opaque = texture[..., 3]
        ready = cv2.multiply(
            texture, cv2.merge([opaque, opaque, opaque, np.full_like(opaque, 255)]), scale=1 / 255
        )
        patch = cv2.warpPerspective(
            ready, place, (right - left, bottom - top), flags=cv2.INTER_LINEAR
        )
        behind = 255 - patch[..., 3]
        region = self.drawing.albedo[top:bottom, left:right]
        region[:] = cv2.add(
            patch[..., :3], cv2.multiply(region, cv2.merge([behind, behind, behind]), scale=1 / 255)
        )

    def _mark(self, solid: Solid, top_px: Points) -> None:
        surface = _Surface(solid.gloss, solid.slope, solid.sharpness)
        self.surfaces.append(surface)
        _stamp(self.drawing.surface, top_px, len(self.surfaces) - 1)
        for mark in solid.marks:
            x0, y0, x1, y1 = mark.box
            corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
            quad_px = self._camera.project(_in_world(solid, corners))[0]
            shape = top_px if mark.box == (0, 0, 1, 1) else quad_px
            self.surfaces.append(surface)
            _stamp(self.drawing.surface, shape, len(self.surfaces) - 1)
            # a filled polygon covers the pixels of its edge too
            area = max(1.0, cv2.contourArea(shape) + cv2.arcLength(shape, True) / 2)
            self.placed.append(_Placed(mark, quad_px, area, len(self.surfaces) - 1))

    def _tube_shadow(self, tube: Tube, mask: Image) -> None:
        shadow = self._light.shadow_of(tube.points_mm.astype(np.float64), 0.0)
        pixels, depth = self._camera.project(shadow)
        for a, b, near in zip(pixels[:-1], pixels[1:], depth[1:], strict=True):
            if near > NEAR_MM:
                self._bar(mask, a, b, tube.radius_mm / near, 0.0)

    def _bar(
        self,
        target: Image | npt.NDArray[np.uint16],
        a: Points,
        b: Points,
        radius_per_depth: float,
        value: float | Sequence[float],
    ) -> None:
        thickness = int(np.clip(2 * radius_per_depth * self._camera.focal_px, 1, 250))
        ends = _fixed(np.stack([a, b]))
        kind = cv2.LINE_AA if target.dtype == np.uint8 else cv2.LINE_8
        cv2.line(target, ends[0].tolist(), ends[1].tolist(), value, thickness, kind, SUBPIXEL_BITS)

    def _tube(self, tube: Tube) -> None:
        pixels, depth = self._camera.project(tube.points_mm)
        if depth.min() < 4 * NEAR_MM:
            return
        mean = tube.points_mm.mean(0)
        lamp, _ = self._camera.project(
            np.array([mean, mean + (np.array(self._light.place_mm) - mean) * 0.02])
        )
        toward = lamp[1] - lamp[0]
        toward /= np.linalg.norm(toward) + 1e-6
        ink = np.array(tube.colour_bgr)
        segments = list(zip(pixels[:-1], pixels[1:], (depth[:-1] + depth[1:]) / 2, strict=True))
        for share, tone in TUBE_TONES:
            for a, b, here in segments:
                offset = toward * (1 - share) * 0.7 * tube.radius_mm / here * self._camera.focal_px
                self._bar(
                    self.drawing.albedo,
                    a + offset,
                    b + offset,
                    share * tube.radius_mm / here,
                    np.clip(ink * tone, 0, 255).tolist(),
                )
        self.surfaces.append(_Surface(tube.gloss * 0.3, (0.0, 0.0), 20.0))
        layers = (
            (self.drawing.near, 255.0),
            (self.drawing.far, 255.0),
            (self.drawing.surface, len(self.surfaces) - 1.0),
        )
        for a, b, here in segments:
            for target, value in layers:
                self._bar(target, a, b, tube.radius_mm / here, value)


def _in_world(
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


# --- layouts ---


@dataclass(frozen=True, slots=True)
class _Make:
    """How the pieces of one set are made."""

    thick_mm: float
    side_bgr: Colour
    gloss: float
    sharpness: float
    bevel: float
    wobble: float
    corner: float


@dataclass(frozen=True, slots=True)
class _Spacing:
    """How pieces lie, in shares of their size: gap, shift and turn (radians) of each, shift of
    rows."""

    gap: tuple[float, float]
    shift: float
    turn: float
    row_shift: float = 0.0


def _make(rng: np.random.Generator, kind: FaceKind, side_mm: float) -> _Make:
    glossy = rng.random() < 0.4
    gloss = float(rng.uniform(0.15, 0.9) if glossy else rng.uniform(0.0, 0.15))
    sharpness = float(np.exp(rng.uniform(np.log(8), np.log(300))))
    wobble = float(rng.uniform(0, 0.025))
    card = rng.random() < 0.5
    side = colour(rng, (0, 0.25), (0.55, 0.97)) if card else colour(rng, (0.1, 0.6), (0.1, 0.7))
    corner = float(rng.choice([0.0, rng.uniform(0.02, 0.08), rng.uniform(0.05, 0.16)]))
    if kind == "stones":
        thick = float(rng.uniform(0.05, 0.22) * side_mm)
        return _Make(
            thick,
            side,
            gloss,
            sharpness,
            float(rng.choice([0, rng.uniform(0.1, 0.8)])),
            wobble * 0.5,
            corner,
        )
    if kind == "tiles":
        return _Make(
            float(rng.uniform(1.2, 3.2)),
            side,
            gloss,
            sharpness,
            float(rng.choice([0, 0, rng.uniform(0.1, 0.4)])),
            wobble,
            corner,
        )
    return _Make(float(rng.uniform(0.2, 0.7)), side, gloss, sharpness, 0.0, wobble, corner)


def _top(
    rng: np.random.Generator, face: Face, make: _Make, border: tuple[float, Colour] | None = None
) -> Image:
    """The face of a piece as BGRA, cut to the outline of its set."""
    top = np.asarray(cv2.cvtColor(face.image_rgba, cv2.COLOR_RGBA2BGRA), np.uint8)
    if border is not None:
        width, ink = border
        pad = max(1, round(width * min(top.shape[:2])))
        backed = blank(top.shape[1] + 2 * pad, top.shape[0] + 2 * pad, ink)
        opaque = top[..., 3:].astype(np.float32) / 255
        inner = backed[pad:-pad, pad:-pad]
        inner[..., :3] = inner[..., :3] * (1 - opaque) + top[..., :3] * opaque
        top = backed
    if top[..., 3].min() == 255 and make.corner:
        top = rounded(top.copy(), make.corner)
    wear = rng.normal(1, 0.03)
    return np.dstack([np.clip(top[..., :3] * wear, 0, 255).astype(np.uint8), top[..., 3]])


def _piece(
    rng: np.random.Generator,
    top: Image,
    make: _Make,
    size_mm: tuple[float, float],
    at: tuple[float, float],
    turn: float,
    mark: Mark,
    base_mm: float = 0.0,
) -> Solid:
    slope = rng.normal(0, make.wobble, 2)
    return Solid(
        top,
        size_mm,
        at,
        turn,
        make.thick_mm,
        base_mm,
        make.side_bgr,
        Layer.STANDING,
        make.gloss,
        make.sharpness,
        (float(slope[0]), float(slope[1])),
        make.bevel,
        1.0,
        (mark,),
    )


def _grid(
    rng: np.random.Generator,
    tops: Sequence[Image],
    cells: Sequence[tuple[int, int]],
    size_mm: tuple[float, float],
    make: _Make,
    spacing: _Spacing,
    grid: int,
    turns: Sequence[float] = (0.0,),
) -> list[Solid]:
    """Pieces laid by hand in rows and columns around the origin, each face in one of several
    turns."""
    pitch = np.array(size_mm) * (1 + np.array(spacing.gap))
    sideways = rng.random() < 0.5
    rows, cols = (max(c[axis] for c in cells) + 1 for axis in (0, 1))
    shifts = rng.uniform(-1, 1, max(rows, cols)) * spacing.row_shift
    pieces = []
    for (row, col), top in zip(cells, tops, strict=True):
        shift = rng.uniform(-1, 1, 2) * spacing.shift
        shift[0 if sideways else 1] += shifts[row if sideways else col]
        x, y = (
            np.array((col - (cols - 1) / 2, row - (rows - 1) / 2)) * pitch + shift * size_mm
        ).tolist()
        turn = float(rng.uniform(-1, 1) * spacing.turn + rng.choice(turns))
        pieces.append(_piece(rng, top, make, size_mm, (x, y), turn, Mark(TILE, grid, (row, col))))
    return pieces


@dataclass(frozen=True, slots=True)
class Layout:
    """Pieces and boards around the origin, the polygon to photograph, cells with framed numbers."""

    things: list[Solid]
    focus_mm: Points
    framed: tuple[tuple[int, int], ...] = ()


def _focus(solids: Sequence[Solid]) -> Points:
    corners = np.vstack([_in_world(solid, _UNIT_SQUARE)[:, :2] for solid in solids])
    low, high = corners.min(0), corners.max(0)
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])], np.float32)


def _border(rng: np.random.Generator, chance: float) -> tuple[float, Colour] | None:
    if rng.random() >= chance:
        return None
    ink = colour(rng, (0, 0.08), (0.85, 1)) if rng.random() < 0.6 else colour(rng)
    return float(rng.uniform(0.02, 0.1)), ink


def _face_size(top: Image, side_mm: float) -> tuple[float, float]:
    """Millimetres of a piece of that mean side."""
    aspect = top.shape[1] / top.shape[0]
    return side_mm * float(np.sqrt(aspect)), side_mm / float(np.sqrt(aspect))


def _stones(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(30, 70))
    make = _make(rng, "stones", side)
    border = _border(rng, 0.15)
    tops = [_top(rng, face, make, border) for face in faces(rng, "stones", 9)]
    gap = float(
        rng.choice([rng.uniform(0.0, 0.06), rng.uniform(0.02, 0.2), rng.uniform(0.15, 0.4)])
    )
    free = gap / 2 + 0.015
    spacing = _Spacing(
        (gap, gap * float(rng.uniform(0.6, 1.4))),
        min(0.12, free) * float(rng.random()),
        min(0.15, 0.8 * free) * float(rng.random()),
        float(rng.uniform(0, 0.3)) if rng.random() < 0.25 else 0.0,
    )
    cells = [(k // 3, k % 3) for k in range(9)]
    solids = _grid(rng, tops, cells, _face_size(tops[0], side), make, spacing, 0)
    return Layout(solids, _focus(solids))


def _polyomino(rng: np.random.Generator, count: int, side: int) -> list[tuple[int, int]]:
    """A connected shape that fits a square of that side, moved to the top left."""
    cells = {(int(rng.integers(side)), int(rng.integers(side)))}
    while len(cells) < count:
        row, col = list(cells)[rng.integers(len(cells))]
        down, right = ((0, 1), (1, 0), (0, -1), (-1, 0))[rng.integers(4)]
        if 0 <= row + down < side and 0 <= col + right < side:
            cells.add((row + down, col + right))
    top, left = (min(c[axis] for c in cells) for axis in (0, 1))
    return sorted((row - top, col - left) for row, col in cells)


def _time(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(40, 75))
    make = _make(rng, "cards", side)
    cells = _polyomino(rng, int(rng.integers(2, 17)), 4)
    border = _border(rng, 0.35)
    tops = [_top(rng, face, make, border) for face in faces(rng, "cards", len(cells))]
    gap = float(rng.uniform(0, 0.12))
    spacing = _Spacing(
        (gap, float(rng.uniform(0, 0.12))),
        float(rng.uniform(0, 0.03)) + gap / 4,
        float(rng.uniform(0, 0.05)),
    )
    solids = _grid(rng, tops, cells, _face_size(tops[0], side), make, spacing, 0)
    return Layout(solids, _focus(solids))


def _cards(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(40, 90))
    kind: FaceKind = "cards" if rng.random() < 0.7 else "tiles"
    make = _make(rng, kind, side)
    rows, cols = (int(v) for v in rng.integers(1, 6, 2))
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    if rng.random() < 0.25:
        cells = [cell for cell in cells if rng.random() < 0.8] or cells
    border = _border(rng, 0.25)
    tops = [_top(rng, face, make, border) for face in faces(rng, kind, len(cells))]
    gaps = (float(rng.uniform(0.02, 0.5)), float(rng.uniform(0.02, 0.5)))
    spacing = _Spacing(
        gaps,
        min(0.15, min(gaps) / 2) * float(rng.random()),
        float(rng.choice([0.02, 0.08, 0.2])),
        float(rng.choice([0, 0, 0.2])),
    )
    turns = (0.0, np.pi) if rng.random() < 0.3 else (0.0,)
    solids = _grid(rng, tops, cells, _face_size(tops[0], side), make, spacing, 0, turns)
    return Layout(solids, _focus(solids))


def _loose(rng: np.random.Generator, faces: FaceSource) -> Layout:
    """Up to twelve cards in no grid: in a row, fanned out or scattered any way round, some edges
    over others.

    The place of a card in its faces is the row of its mark.
    """
    side = float(rng.uniform(45, 80))
    make = _make(rng, "cards", side)
    count = int(rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12]))
    border = _border(rng, 0.15)
    tops = [_top(rng, face, make, border) for face in faces(rng, "cards", count)]
    size = np.array(_face_size(tops[0], side))
    arrangement = rng.choice(3, p=(0.45, 0.15, 0.4))
    places: list[tuple[npt.NDArray[np.float64], float]] = []
    if arrangement == 0:
        cols = int(np.ceil(count / rng.integers(1, 4)))
        step = size * (1 + rng.uniform(-0.06, 0.25, 2))
        crooked = float(rng.choice([0.02, 0.06, 0.2]))
        around = rng.choice([0.0, np.pi, np.pi / 2], p=(0.7, 0.2, 0.1))
        for k in range(count):
            at = np.array((k % cols, k // cols)) * step + rng.normal(0, 0.02, 2) * size
            places.append((at, float(rng.uniform(-crooked, crooked) + around * rng.integers(2))))
    elif arrangement == 1:
        step_angle, radius = float(rng.uniform(0.28, 0.45)), float(rng.uniform(1.9, 3.2)) * size[1]
        step_angle = max(step_angle, float(0.95 * size[0] / (radius - size[1] / 2)))
        for k in range(min(count, 6)):
            angle = (k - (min(count, 6) - 1) / 2) * step_angle
            places.append((radius * np.array((np.sin(angle), -np.cos(angle))), angle))
    else:
        reach = float(np.hypot(*size))
        for _ in range(400):
            at = rng.uniform(-0.5, 0.5, 2) * reach * 1.15 * np.sqrt(count)
            if all(np.hypot(*(at - other)) > 0.93 * reach for other, _ in places):
                places.append((at, float(rng.uniform(0, 2 * np.pi))))
            if len(places) == count:
                break
    solids = [
        replace(
            _piece(
                rng,
                top,
                make,
                (float(size[0]), float(size[1])),
                (float(at[0]), float(at[1])),
                turn,
                Mark(TILE, 0, (k, 0)),
                k * 0.3,
            ),
            layer=Layer.FLAT,
        )
        for k, (top, (at, turn)) in enumerate(zip(tops, places, strict=False))
    ]
    return Layout(solids, _focus(solids) * float(rng.uniform(1, 1.08)))


def _dense(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(20, 50))
    make = _make(rng, "tiles", side)
    make = replace(make, corner=make.corner * float(rng.choice([0, 0, 0.5])))
    rows, cols = (int(v) for v in rng.integers(2, 9, 2))
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    if rng.random() < 0.4:
        cells = _polyomino(rng, int(rng.integers(4, 24)), 5)
    tops = [_top(rng, face, make) for face in faces(rng, "tiles", len(cells))]
    size = _face_size(tops[0], side)
    square = abs(size[0] - size[1]) < 0.01 * side
    turns = (0.0, np.pi / 2, np.pi, -np.pi / 2) if square and rng.random() < 0.5 else (0.0,)
    spacing = _Spacing(
        (float(rng.uniform(0, 0.03)),) * 2,
        float(rng.uniform(0, 0.012)),
        float(rng.uniform(0, 0.012)),
    )
    solids = _grid(rng, tops, cells, size, make, spacing, 0, turns)
    focus = _focus(solids)
    if rng.random() < 0.25:  # a sheet to be cut up
        wide, high = (np.ptp(focus, axis=0) * rng.uniform(1.02, 1.4)).tolist()
        paper = blank(64, 64, colour(rng, (0, 0.1), (0.8, 1)))
        return Layout(
            [Solid(paper, (wide, high), (0.0, 0.0), 0.0, 0.1, layer=Layer.FLAT), *solids], focus
        )
    return Layout(solids, focus)


def _single(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(25, 80))
    kinds: tuple[FaceKind, ...] = ("stones", "tiles", "cards")
    kind = kinds[rng.integers(3)]
    make = _make(rng, kind, side)
    top = _top(rng, faces(rng, kind, 1)[0], make, _border(rng, 0.2))
    solid = _piece(rng, top, make, _face_size(top, side), (0.0, 0.0), 0.0, Mark(TILE, 0, (0, 0)))
    return Layout([solid], _focus([solid]) * float(rng.uniform(1, 2.5)))


def _negative(rng: np.random.Generator, _: FaceSource) -> Layout:
    if rng.random() < 0.65:
        draw = (sheet, slab, rows_of_things)[rng.integers(3)]
        solids = [thing for thing in draw(rng, (0.0, 0.0)) if isinstance(thing, Solid)]
        return Layout(solids, _focus(solids) * float(rng.uniform(0.8, 1.5)))
    width, height = rng.uniform(60, 300, 2)
    corners = np.array([(-width, -height), (width, -height), (width, height), (-width, height)])
    return Layout([], (corners / 2).astype(np.float32))


def _seasons(rng: np.random.Generator, faces: FaceSource) -> Layout:
    rows, cols = (
        (6, 6) if rng.random() < 0.85 else (int(rng.integers(3, 7)), int(rng.integers(3, 7)))
    )
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    spots = (
        [(0, 1), (1, 5), (5, 4), (4, 0)] if rng.random() < 0.5 else [(1, 0), (0, 4), (4, 5), (5, 1)]
    )
    if (rows, cols) != (6, 6) or rng.random() < 0.25:
        spots = [cells[k] for k in rng.permutation(len(cells))[: rng.integers(0, 6)]]
    digits = {cell: str(k + 1) for cell, k in zip(spots, rng.permutation(len(spots)), strict=True)}
    return board_layout(rng, faces, (rows, cols), digits)


def board_layout(
    rng: np.random.Generator,
    faces: FaceSource,
    size_rc: tuple[int, int],
    digits: dict[tuple[int, int], str],
    framed_share: float = 0.3,
    most_frame: float | None = None,
    draw_badge: Badge | None = None,
    most_tile: float | None = None,
) -> Layout:
    """A printed board with tiles on it.

    Parameters
    ----------
    size_rc : rows and columns
    digits : what number each number cell prints; no tile lies on them
    framed_share : how many of the numbers have a frame around
    most_frame : height of the highest frames, in cells; None: frames are as thick as the tiles
    draw_badge : prints the numbers
    most_tile : thickness of the thickest tiles, in cells; None: they are of cardboard

    Returns
    -------
    The layout, which also knows the cells whose number has a frame.
    """
    rows, cols = size_rc
    cells, spots = [(r, c) for r in range(rows) for c in range(cols)], list(digits)
    printed = board_print(rng, rows, cols, digits, draw_badge)
    cell_mm = float(rng.uniform(20, 42))
    h, w = printed.sheet_bgra.shape[:2]
    size = (w * cell_mm / CELL_PX, h * cell_mm / CELL_PX)
    thick = float(rng.choice([0.3, rng.uniform(1, 3.5)]))
    make = _make(rng, "tiles", cell_mm)
    if most_tile is not None:
        make = replace(make, thick_mm=float(rng.uniform(0.02, most_tile) * cell_mm))
    share = float(
        rng.choice([rng.uniform(0, 0.3), rng.uniform(0.2, 0.95), 1.0], p=[0.15, 0.75, 0.1])
    )
    covered = [cell for cell in cells if cell not in spots and rng.random() < share]
    tile_mm = cell_mm * float(
        rng.uniform(0.86, 1.0) if printed.pitch == CELL_PX else rng.uniform(0.88, 1.04)
    )
    gap = printed.pitch / CELL_PX * cell_mm / tile_mm - 1
    play = max(gap, 0) / 2
    shift, turn = float(rng.uniform(0, 0.02 + play)), float(rng.uniform(0, 0.01 + play))
    things = [
        Solid(
            printed.sheet_bgra,
            size,
            (0.0, 0.0),
            0.0,
            thick,
            side_bgr=colour(rng, (0, 0.5), (0.3, 0.95)),
            layer=Layer.FLAT,
            gloss=float(rng.choice([0.05, rng.uniform(0.1, 0.7)])),
            sharpness=float(np.exp(rng.uniform(2, 5))),
        )
    ]
    framed = [cell for cell in spots if rng.random() < framed_share]
    things[0] = replace(
        things[0],
        marks=tuple(
            Mark(NUMBER_CELL if cell in spots else EMPTY_CELL, 0, cell, printed.boxes[cell])
            for cell in cells
            if cell not in covered and cell not in framed
        ),
    )

    def place(cell: tuple[int, int]) -> tuple[float, float]:
        x0, y0, x1, y1 = printed.boxes[cell]
        return ((x0 + x1) / 2 - 0.5) * size[0], ((y0 + y1) / 2 - 0.5) * size[1]

    border = _border(rng, 0.1)
    for cell, face in zip(
        covered, faces(rng, "tiles", len(covered)) if covered else [], strict=True
    ):
        x, y = np.array(place(cell)) + rng.uniform(-1, 1, 2) * shift * tile_mm
        top = _top(rng, face, make, border)
        things.append(
            _piece(
                rng,
                top,
                make,
                (tile_mm, tile_mm),
                (float(x), float(y)),
                float(rng.uniform(-1, 1) * turn),
                Mark(TILE, 0, cell),
                thick,
            )
        )
    ink, width = colour(rng), float(rng.uniform(0.06, 0.17))
    high = (
        make
        if most_frame is None
        else replace(make, thick_mm=float(rng.uniform(0.02, most_frame) * cell_mm))
    )
    for cell in framed:
        top = blank(48, 48, ink)
        hole = round(48 * width)
        top[hole:-hole, hole:-hole, 3] = 0
        x, y = np.array(place(cell)) + rng.uniform(-1, 1, 2) * shift * cell_mm
        frame = _piece(
            rng,
            rounded(top, 0.05),
            high,
            (cell_mm,) * 2,
            (float(x), float(y)),
            float(rng.uniform(-1, 1) * turn),
            Mark(NUMBER_CELL, 0, cell),
            thick,
        )
        things.append(replace(frame, side_bgr=ink))
    if rng.random() < 0.12:
        things += _rim(rng, size)
    return Layout(things, _focus(things[:1]), tuple(framed))


def _rim(rng: np.random.Generator, size_mm: tuple[float, float]) -> list[Solid]:
    """A raised edge around a board: the wall of a tray."""
    (w, h), wall, height = size_mm, float(rng.uniform(3, 10)), float(rng.uniform(3, 12))
    ink = colour(rng, (0, 0.8), (0.1, 0.9))
    bar, gloss = blank(48, 8, ink), float(rng.uniform(0, 0.5))
    sides = (
        ((0.0, -(h + wall) / 2), w + 2 * wall, 0.0),
        ((0.0, (h + wall) / 2), w + 2 * wall, 0.0),
        ((-(w + wall) / 2, 0.0), h, np.pi / 2),
        (((w + wall) / 2, 0.0), h, np.pi / 2),
    )
    return [
        Solid(bar, (length, wall), middle, turn, height, side_bgr=ink, gloss=gloss)
        for middle, length, turn in sides
    ]


LAYOUTS: dict[SceneKind, Callable[[np.random.Generator, FaceSource], Layout]] = {
    "stones": _stones,
    "seasons": _seasons,
    "time": _time,
    "cards": _cards,
    "loose": _loose,
    "dense": _dense,
    "single": _single,
    "negative": _negative,
}


def _stray_pieces(
    rng: np.random.Generator, faces: FaceSource, at: tuple[float, float]
) -> list[Thing]:
    """A loose card or tile, a fanned few, or a deck."""
    mark, turn = Mark(TILE, STRAY, (STRAY, STRAY)), rng.uniform(0, 2 * np.pi)
    if rng.random() < 0.55:
        top = playing_card(rng) if rng.random() < 0.5 else card_back(rng)
        make = replace(
            _make(rng, "cards", 60), thick_mm=float(rng.choice([0.3, 0.3, rng.uniform(1, 25)]))
        )
        width = float(rng.uniform(35, 65))
        size = (width, width * top.shape[0] / top.shape[1])
        things: list[Thing] = []
        count = int(rng.choice([1, 1, 1, 2, 3]))
        for k in range(count):
            place = (at[0] + float(rng.normal(0, 4)) * k, at[1] + float(rng.normal(0, 4)) * k)
            lift = k * make.thick_mm
            card = _piece(
                rng, top, make, size, place, turn + float(rng.normal(0, 0.06)) * k, mark, lift
            )
            things.append(card if k == count - 1 else replace(card, layer=Layer.FLAT, marks=()))
        return things
    kinds: tuple[FaceKind, ...] = ("stones", "tiles", "cards")
    kind = kinds[rng.integers(3)]
    side = float(rng.uniform(25, 65))
    make = _make(rng, kind, side)
    top = _top(rng, faces(rng, kind, 1)[0], make, _border(rng, 0.2))
    return [_piece(rng, top, make, _face_size(top, side), at, turn, mark)]


def _radius(thing: Thing) -> tuple[npt.NDArray[np.float64], float]:
    """Middle and reach of a thing on the table."""
    if isinstance(thing, Tube):
        middle = thing.points_mm[:, :2].mean(0).astype(np.float64)
        return middle, float(
            np.linalg.norm(thing.points_mm[:, :2] - middle, axis=1).max()
        ) + thing.radius_mm
    return np.array(thing.centre_mm), float(np.hypot(*thing.size_mm)) / 2


def _surroundings(
    rng: np.random.Generator,
    faces: FaceSource,
    layout: Layout,
    camera: Camera,
    size_hw: tuple[int, int],
    negative: bool,
) -> list[Thing]:
    """Clutter in sight, mostly beside the board; sometimes on it."""
    h, w = size_hw
    things: list[Thing] = []
    reach = float(np.ptp(layout.focus_mm, axis=0).max())
    taken = [_radius(thing) for thing in layout.things]
    wanted = int(rng.choice([0, 1, 3, 6], p=[0.2, 0.3, 0.3, 0.2])) + (2 if negative else 0)
    for _ in range(4 * wanted):
        if wanted == 0:
            break
        pixel = (rng.uniform(-0.1, 1.1) * w, rng.uniform(-0.1, 1.1) * h)
        ray = camera.to_table() @ (*pixel, 1)
        at = (float(ray[0] / ray[2]), float(ray[1] / ray[2]))
        if ray[2] <= 0 or np.hypot(*at) > 4 * reach + 400:
            continue
        group = (
            _stray_pieces(rng, faces, at)
            if not negative and rng.random() < 0.35
            else clutter(rng, at)
        )
        flat = [
            thing
            for thing in group
            if thing.layer is Layer.FLAT and not (isinstance(thing, Solid) and thing.marks)
        ]
        clear = all(
            np.linalg.norm(m - m2) > 0.8 * (r + r2)
            for m, r in map(_radius, group)
            for m2, r2 in taken
        )
        if len(flat) == len(group) and rng.random() < 0.5:  # under everything
            things[:0] = flat
            wanted -= 1
        elif clear:
            things += group
            taken += [_radius(thing) for thing in group]
            wanted -= 1
        elif (
            not negative
            and rng.random() < 0.06
            and max(r for _, r in map(_radius, group)) < 0.3 * reach
        ):
            things += [_raised(thing, _height_at(layout.things, thing)) for thing in group]
            wanted -= 1
    if rng.random() < (0.25 if negative else 0.07):
        corner = layout.focus_mm[rng.integers(4)] * rng.uniform(0.5, 1.6)
        things += hand(
            rng,
            (float(corner[0]), float(corner[1])),
            float(np.arctan2(corner[1], corner[0])) + rng.normal(0, 0.4),
        )
    return things


def _height_at(solids: Sequence[Solid], thing: Thing) -> float:
    middle, radius = _radius(thing)
    under = [
        s.base_mm + s.thick_mm
        for s in solids
        if np.linalg.norm(np.array(s.centre_mm) - middle) < radius + min(s.size_mm)
    ]
    return max(under, default=0.0)


def _raised(thing: Thing, height: float) -> Thing:
    if isinstance(thing, Tube):
        return replace(
            thing,
            points_mm=thing.points_mm + np.array((0, 0, height), np.float32),
            layer=Layer.OVER,
        )
    return replace(thing, base_mm=height, layer=Layer.OVER)


# --- the photo ---


def _table(
    rng: np.random.Generator, camera: Camera, size_hw: tuple[int, int], reach: float
) -> tuple[Image, float]:
    """The table and, beyond its edge, the room; with the table's gloss."""
    h, w = size_hw
    cover: Material = material(int(rng.integers(BANK_SIZE)))
    per_mm = SIDE_PX / (cover.repeat_mm * rng.uniform(0.6, 1.7))
    texture = cover.texture_bgr
    shrink = per_mm * camera.distance_mm / camera.focal_px
    if shrink > 1.3:
        side = max(16, int(SIDE_PX / shrink))
        per_mm *= side / SIDE_PX
        texture = np.asarray(
            cv2.resize(texture, (side, side), interpolation=cv2.INTER_AREA), np.uint8
        )
    gains = rng.uniform(0.8, 1.2, 3) * rng.uniform(0.7, 1.15)
    texture = np.clip(texture * gains.astype(np.float32), 0, 255).astype(np.uint8)
    turn = (
        rng.choice([0, 1, 2, 3]) * np.pi / 2 + rng.normal(0, 0.1)
        if rng.random() < 0.5
        else rng.uniform(0, 6.3)
    )
    c, s = np.cos(turn) * per_mm, np.sin(turn) * per_mm
    to_table = camera.to_table()
    to_texture = (
        np.array([[c, -s, rng.uniform(0, SIDE_PX)], [s, c, rng.uniform(0, SIDE_PX)], [0, 0, 1]])
        @ to_table
    )
    x, y = np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32)[:, None]

    def field(row: npt.NDArray[np.float64]) -> Field:
        return np.asarray(
            np.float32(row[0]) * x + (np.float32(row[1]) * y + np.float32(row[2])), np.float32
        )

    weight = field(to_texture[2])
    inverse = 1 / np.where(np.abs(weight) < 1e-9, 1e-9, weight)
    side = texture.shape[0]
    maps = []
    for row in to_texture[:2]:
        at = field(row) * inverse
        at -= side * np.floor(at / side)
        maps.append(at)

    def laid(texture: Image) -> Image:
        return np.asarray(
            cv2.remap(texture, maps[0], maps[1], cv2.INTER_LINEAR, None, cv2.BORDER_WRAP), np.uint8
        )

    picture = laid(texture)
    here = float(to_table[2] @ (*camera.centre_px, 1))
    if weight.min() < here / 1.8:  # fine patterns far away would flicker
        share = np.clip((here / np.maximum(weight, 1e-9) - 1.2) / 1.0, 0, 1)
        smooth = cv2.blur(texture, (4, 4), borderType=cv2.BORDER_REFLECT)
        picture = np.asarray(
            cv2.blendLinear(picture, laid(np.asarray(smooth, np.uint8)), 1 - share, share), np.uint8
        )
    corners = np.array([(0, 0, 1), (w, 0, 1), (w, h, 1), (0, h, 1)]) @ to_table.T
    half = reach * rng.uniform(0.7, 3) + rng.uniform(50, 900)
    beyond = (corners[:, 2] <= 0).any() or (np.abs(corners[:, :2] / corners[:, 2:]) > half).any()
    if beyond:
        table_x, table_y = field(to_table[0]) * inverse, field(to_table[1]) * inverse
        outside = (weight <= 0) | (np.abs(table_x) > half) | (np.abs(table_y) > half * 2)
        room = (
            rng.uniform(0, 255, (6, 8, 1))
            * rng.uniform(0.75, 1.25, (6, 8, 3))
            * rng.uniform(0.6, 1, 3)
            * rng.uniform(0.05, 0.9)
        )
        blurred = cv2.resize(room.astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
        picture[outside] = np.clip(blurred[outside], 0, 255).astype(np.uint8)
    return picture, cover.gloss * float(rng.uniform(0.3, 1.3))


def _light_up(
    drawing: _Drawing, surfaces: Sequence[_Surface], camera: Camera, light: Light
) -> Field:
    """Linear light that reaches the sensor, as three planes."""
    h, w = drawing.albedo.shape[:2]
    step = LIGHT_STEP_PX * OVERSAMPLE
    rows, cols = -(-h // LIGHT_STEP_PX), -(-w // LIGHT_STEP_PX)
    x, y = np.meshgrid(np.arange(cols) * step, np.arange(rows) * step)
    to_table = camera.to_table()
    rays = np.stack([x, y, np.ones_like(x)], -1) @ to_table.T
    ahead = rays[..., 2:]
    spots = np.clip(rays[..., :2] / np.where(ahead > 1e-6, ahead, 1e-6), -4000, 4000)
    ground = np.concatenate([spots, np.zeros_like(x)[..., None]], -1)
    to_light = np.array(light.place_mm) - ground
    far = np.linalg.norm(to_light, axis=-1, keepdims=True)
    to_eye = camera.position() - ground
    to_eye /= np.linalg.norm(to_eye, axis=-1, keepdims=True)
    centre = np.linalg.norm(np.array(light.place_mm) - (*camera.target_mm, 0))
    falloff = np.minimum(
        (to_light[..., 2] / far[..., 0])
        * (centre / far[..., 0]) ** 2
        / (light.place_mm[2] / centre),
        4,
    )
    if np.isfinite(light.pool_mm):
        falloff /= 1 + (np.linalg.norm(spots - camera.target_mm, axis=-1) / light.pool_mm) ** 4
    slope = np.clip(1 + (spots - camera.target_mm) @ np.array(light.ambient_slope), 0.3, 2)
    half = to_light / far + to_eye
    fresnel = 0.05 + 0.95 * (1 - to_eye[..., 2]) ** 5

    def enlarge(field: npt.NDArray[np.float64]) -> Field:
        size = (cols * LIGHT_STEP_PX, rows * LIGHT_STEP_PX)
        return np.asarray(cv2.resize(field.astype(np.float32), size)[:h, :w], np.float32)

    finish = np.array([(s.gloss, *s.slope, s.sharpness) for s in surfaces], np.float32)
    gloss, slope_x, slope_y, sharpness = (finish[:, k][drawing.surface] for k in range(4))
    dx, dy = (
        enlarge(half[..., 0] / half[..., 2]) - slope_x,
        enlarge(half[..., 1] / half[..., 2]) - slope_y,
    )
    blob = np.exp(-np.minimum(sharpness * (dx * dx + dy * dy), 30))
    if light.window is not None:
        wide, high = (
            np.minimum(np.abs(dx / light.window[0]), 9),
            np.minimum(np.abs(dy / light.window[1]), 9),
        )
        blob = 0.5 * blob + 1 / (
            1 + np.square(np.square(np.square(wide))) + np.square(np.square(np.square(high)))
        )
    shade = cv2.multiply(drawing.near, drawing.far, scale=1 / 255).astype(np.float32) / 255
    mirrored = gloss * enlarge(light.shine * (fresnel * 2 + 0.1)) * blob * (0.15 + 0.85 * shade)
    veil = gloss * enlarge(fresnel * 0.8)
    direct = enlarge(falloff) * shade
    # contact shadows: what hides the lamp nearby hides some of the room too
    ambient = enlarge(slope) * (0.72 + np.float32(0.28 / 255) * drawing.near)
    picture = np.empty((3, h, w), np.float32)
    squares = np.square(np.arange(256, dtype=np.float32) / 255)
    for plane, albedo, lamp, room in zip(
        picture, cv2.split(drawing.albedo), light.direct_bgr, light.ambient_bgr, strict=True
    ):
        plane[:] = squares[albedo] * (lamp * direct + room * ambient) + (
            lamp * mirrored + room * veil
        )
    return picture


def _expose(rng: np.random.Generator, picture: Field) -> Image:
    """Exposure, white balance, vignetting and tone curve."""
    _, h, w = picture.shape
    sample = picture[:, ::6, ::6].reshape(3, -1)
    grey = np.maximum(sample.mean(1), 1e-4)
    balance = (grey.mean() / grey) ** rng.uniform(0.1, 0.45) * np.exp(rng.normal(0, 0.05, 3))
    bright = sample.max(0)
    if rng.random() < 0.6:
        gain = rng.uniform(0.18, 0.48) / max(float(bright.mean()), 1e-3)
    else:
        gain = rng.uniform(0.6, 1.15) / max(float(np.percentile(bright, 97)), 1e-3)
    gain = min(gain, 1.8 / max(float(np.percentile(bright, 90)), 1e-3))
    if rng.random() < 0.2:
        gain *= float(np.exp(rng.normal(-0.3, 0.7)))
    strength = rng.uniform(0, 0.5) * (rng.random() < 0.6)
    y, x = np.linspace(-1, 1, h, dtype=np.float32)[:, None], np.linspace(-1, 1, w, dtype=np.float32)
    vignette = 1 - np.float32(strength) * (x * x + y * y) / 2
    shoulder = np.float32(rng.uniform(0, 0.6))
    planes = []
    for plane, factor in zip(picture, (gain * balance).astype(np.float32), strict=True):
        lit = plane * (vignette * factor)
        lit *= (1 + np.float32(0.6) * shoulder) / (1 + shoulder * lit)
        planes.append(np.minimum(np.sqrt(lit) * 255, 255).astype(np.uint8))
    curve = np.linspace(0, 1, 256)
    contrast, gamma = rng.normal(0, 0.12), np.exp(rng.normal(0, 0.12))
    curve = np.clip(curve - 0.5 * contrast * np.sin(2 * np.pi * curve), 0, 1) ** gamma
    exposed = cv2.LUT(cv2.merge(planes), (curve * 255 + 0.5).astype(np.uint8))
    if rng.random() < 0.4:
        saturation = rng.uniform(0.6, 1.35)
        grey_level = cv2.cvtColor(cv2.cvtColor(exposed, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        exposed = cv2.addWeighted(exposed, saturation, grey_level, 1 - saturation, 0)
    return np.asarray(exposed, np.uint8)


def _spoil(rng: np.random.Generator, photo: Image) -> Image:
    """Focus and motion blur, low resolution, noise, sharpening and JPEG."""
    h, w = photo.shape[:2]
    taken: MatLike = photo
    if rng.random() < 0.35:
        taken = cv2.GaussianBlur(
            taken, (0, 0), float(np.exp(rng.uniform(np.log(0.4), np.log(2.2))))
        )
    if rng.random() < 0.12:
        length, angle = rng.uniform(2, 9), rng.uniform(0, np.pi)
        kernel = np.zeros((11, 11), np.float32)
        reach = np.array([np.cos(angle), np.sin(angle)]) * length / 2
        ends = _fixed(np.array([5 - reach, 5 + reach], np.float32))
        cv2.line(kernel, ends[0].tolist(), ends[1].tolist(), 1.0, 1, cv2.LINE_8, SUBPIXEL_BITS)
        taken = cv2.filter2D(taken, -1, kernel / kernel.sum())
    if rng.random() < 0.12:
        share = rng.uniform(0.45, 0.9)
        small = cv2.resize(taken, (int(w * share), int(h * share)), interpolation=cv2.INTER_AREA)
        taken = cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.6:
        luma, chroma = (
            np.exp(rng.uniform(np.log(0.5), np.log(9))),
            np.exp(rng.uniform(np.log(0.3), np.log(5))),
        )
        speckle = rng.standard_normal((h, w), np.float32) * np.float32(luma)
        blotches = cv2.resize(
            rng.standard_normal((h // 2, w // 2, 3), np.float32) * np.float32(chroma), (w, h)
        )
        taken = cv2.add(taken, blotches + cv2.merge([speckle] * 3), dtype=cv2.CV_8U)
    if rng.random() < 0.35:
        amount = rng.uniform(0.2, 1.3)
        taken = cv2.addWeighted(
            taken, 1 + amount, cv2.GaussianBlur(taken, (0, 0), rng.uniform(0.7, 1.8)), -amount, 0
        )
    if rng.random() < 0.75:
        ok, data = cv2.imencode(
            ".jpg", taken, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 96))]
        )
        decoded = cv2.imdecode(data, cv2.IMREAD_COLOR) if ok else None
        taken = taken if decoded is None else decoded
    return np.asarray(taken, np.uint8)


@dataclass(frozen=True, slots=True)
class _Lens:
    """Reduces the oversampled drawing to the photo; ``bend`` is radial distortion (0: none)."""

    size_hw: tuple[int, int]
    bend: float

    def _straight(self, xy: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """Where on an undistorted photo the points of the distorted one are."""
        h, w = self.size_hw
        middle, half = np.array(((w - 1) / 2, (h - 1) / 2)), np.hypot(w, h) / 2
        away = (xy - middle) / half
        reach = np.minimum((away * away).sum(-1, keepdims=True), 1.5)
        return np.asarray(xy + (xy - middle) * self.bend * (reach - 0.5), np.float64)

    def points(self, drawn_px: Points) -> Points:
        """Points of the drawing on the photo."""
        wanted = (drawn_px.astype(np.float64) + 0.5) / OVERSAMPLE - 0.5
        found = wanted.copy()
        if self.bend:
            for _ in range(8):
                found += wanted - self._straight(found)
        return found.astype(np.float32)

    def through(self, drawing: _Drawing) -> _Drawing:
        """The drawing at the size of the photo."""
        h, w = self.size_hw
        if not self.bend:

            def reduced(layer: Image) -> Image:
                return np.asarray(cv2.resize(layer, (w, h), interpolation=cv2.INTER_AREA), np.uint8)

            rows, cols = (((np.arange(n) + 0.5) * OVERSAMPLE).astype(int) for n in (h, w))
            surface = drawing.surface[rows[:, None], cols]
            return _Drawing(
                reduced(drawing.albedo), reduced(drawing.near), reduced(drawing.far), surface
            )
        coarse = (
            np.stack(np.meshgrid(np.arange(-(-w // 16) + 1), np.arange(-(-h // 16) + 1)), -1) * 16.0
        )
        coarse = (self._straight(coarse) + 0.5) * OVERSAMPLE - 0.5
        x, y = np.arange(w, dtype=np.float32) / 16, np.arange(h, dtype=np.float32)[:, None] / 16
        at = cv2.remap(
            coarse.astype(np.float32), np.tile(x, (h, 1)), np.tile(y, (1, w)), cv2.INTER_LINEAR
        )
        mx, my = cv2.split(at)

        def bent(layer: Image) -> Image:
            return np.asarray(
                cv2.remap(layer, mx, my, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE), np.uint8
            )

        surface = cv2.remap(drawing.surface, mx, my, cv2.INTER_NEAREST, None, cv2.BORDER_REPLICATE)
        return _Drawing(
            bent(drawing.albedo),
            bent(drawing.near),
            bent(drawing.far),
            np.asarray(surface, np.uint16),
        )


def render_scene(
    rng: np.random.Generator,
    faces: FaceSource,
    size_hw: tuple[int, int] = (384, 512),
    kind: SceneKind | None = None,
    layout: Layout | None = None,
) -> Scene:
    """Draw a photo.

    Parameters
    ----------
    rng : the only source of chance
    faces : gives the printed tops of pieces
    size_hw : (height, width) of the photo, in pixels
    kind : what is on the table; by chance if None
    layout : the board on the table, if it is drawn already
    """
    if kind is None:
        kinds = list(SCENE_SHARES)
        kind = kinds[rng.choice(len(kinds), p=list(SCENE_SHARES.values()))]
    layout = layout or LAYOUTS[kind](rng, faces)
    large = (round(size_hw[0] * OVERSAMPLE), round(size_hw[1] * OVERSAMPLE))
    camera = _aim(rng, layout.focus_mm, large)
    light = _illuminate(rng, layout.focus_mm, camera)
    around = _surroundings(rng, faces, layout, camera, large, kind == "negative")
    albedo, gloss = _table(rng, camera, large, float(np.ptp(layout.focus_mm, axis=0).max()))
    painter = _Painter(
        camera, light, albedo, _Surface(gloss, (0.0, 0.0), float(np.exp(rng.uniform(1.5, 5))))
    )
    under = [thing for thing in around if thing.layer is Layer.FLAT]
    painter.paint(
        [*under, *layout.things, *(thing for thing in around if thing.layer is not Layer.FLAT)]
    )
    lens = _Lens(size_hw, float(rng.normal(0, 0.05)) if rng.random() < 0.3 else 0.0)
    drawing = lens.through(painter.drawing)
    photo = _spoil(rng, _expose(rng, _light_up(drawing, painter.surfaces, camera, light)))
    seen = np.bincount(drawing.surface.ravel(), minlength=len(painter.surfaces)) * OVERSAMPLE**2
    placed = [place for place in painter.placed if seen[place.surface]]
    return Scene(
        photo,
        np.array([lens.points(place.quad_px) for place in placed], np.float32).reshape(-1, 4, 2),
        np.array([min(1.0, seen[place.surface] / place.area_px) for place in placed], np.float32),
        np.array([place.mark.kind for place in placed], np.int8),
        np.array([place.mark.grid for place in placed], np.int64),
        np.array([place.mark.cell for place in placed], np.int64).reshape(-1, 2),
    )
