"""From a drawing to a photo: light, lens, exposure and the faults of phones."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from cv2.typing import MatLike

from models.training.scenes.camera import Camera
from models.training.scenes.drawing import OVERSAMPLE, SUBPIXEL_BITS, Drawing, Surface, fixed
from models.training.scenes.light import Light
from models.training.scenes.materials import Field, Image
from models.training.scenes.solids import Points

LIGHT_STEP_PX = 4
"""Light varies smoothly: it is worked out for every so many pixels."""


def light_up(drawing: Drawing, surfaces: Sequence[Surface], camera: Camera, light: Light) -> Field:
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
    dx = enlarge(half[..., 0] / half[..., 2]) - slope_x
    dy = enlarge(half[..., 1] / half[..., 2]) - slope_y
    blob = np.exp(-np.minimum(sharpness * (dx * dx + dy * dy), 30))
    if light.window is not None:
        blob = 0.5 * blob + _pane(dx / light.window[0], dy / light.window[1])
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


def _pane(x: Field, y: Field) -> Field:
    """The mirror image of a window: bright within 1 of its middle, both ways."""
    wide, high = (np.minimum(np.abs(away), 9) for away in (x, y))
    fallen = np.square(np.square(np.square(wide))) + np.square(np.square(np.square(high)))
    return np.asarray(1 / (1 + fallen), np.float32)


def expose(rng: np.random.Generator, picture: Field) -> Image:
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


def spoil(rng: np.random.Generator, photo: Image) -> Image:
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
        ends = fixed(np.array([5 - reach, 5 + reach], np.float32))
        cv2.line(kernel, ends[0].tolist(), ends[1].tolist(), 1.0, 1, cv2.LINE_8, SUBPIXEL_BITS)
        taken = cv2.filter2D(taken, -1, kernel / kernel.sum())
    if rng.random() < 0.12:
        share = rng.uniform(0.45, 0.9)
        small = cv2.resize(taken, (int(w * share), int(h * share)), interpolation=cv2.INTER_AREA)
        taken = cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.6:
        luma = np.exp(rng.uniform(np.log(0.5), np.log(9)))
        chroma = np.exp(rng.uniform(np.log(0.3), np.log(5)))
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
class Lens:
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

    def through(self, drawing: Drawing) -> Drawing:
        """The drawing at the size of the photo."""
        h, w = self.size_hw
        if not self.bend:

            def reduced(layer: Image) -> Image:
                return np.asarray(cv2.resize(layer, (w, h), interpolation=cv2.INTER_AREA), np.uint8)

            rows, cols = (((np.arange(n) + 0.5) * OVERSAMPLE).astype(int) for n in (h, w))
            albedo, near, far = map(reduced, drawing[:3])
            return Drawing(albedo, near, far, drawing.surface[rows[:, None], cols])
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
        albedo, near, far = map(bent, drawing[:3])
        return Drawing(albedo, near, far, np.asarray(surface, np.uint16))
