"""Turns flat faces into crops as a phone takes them: the training views of the embedding network.

Everything that one photo shares (colour cast, exposure, distance, blur, noise) is drawn once a
photo; everything that differs from piece to piece (crookedness, shade, glare, an occluder) once a
crop.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from models.training.faces import FACE_PX, fractal_noise

CROP_PX = 64
"""Side of the crops that the embedding network reads."""
GREY = 100.0
"""Level of what is grey, by which the tint of a light is told."""

Image = npt.NDArray[np.uint8]
UNIT_SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


@dataclass(frozen=True, slots=True)
class PhotoConditions:
    """What all crops of one photo have in common. Gains are factors, sizes pixels of the photo."""

    gains: npt.NDArray[np.float32]
    gamma: float
    veil: float
    width_px: float
    height_px: float
    blur_px: float
    motion: npt.NDArray[np.float32] | None
    noise: float
    jpeg: int
    jitter: float
    scale: float
    gloss: float
    relief: npt.NDArray[np.float32] | None
    surround: npt.NDArray[np.float32]
    shade_strength: float
    saturation: float = 1.0
    detail: float = 1.0
    """Factor on the contrast of fine detail; negative swaps light and dark of a relief."""

    @property
    def tint(self) -> npt.NDArray[np.float32]:
        """Log red and blue relative to green of what is grey, shape (2,)."""
        grey = GREY * self.gains
        grey = grey.mean() + (grey - grey.mean()) * self.saturation
        red, green, blue = self.gamma * np.log(np.clip(grey, 1, 255))
        return np.array([red - green, blue - green], np.float32)


def motion_kernel(length: int, angle: float) -> npt.NDArray[np.float32]:
    """A line kernel of the given length in pixels."""
    kernel = np.zeros((length, length), np.float32)
    half = (length - 1) / 2
    dx, dy = np.cos(angle) * half, np.sin(angle) * half
    cv2.line(
        kernel, (round(half - dx), round(half - dy)), (round(half + dx), round(half + dy)), 1.0
    )
    return kernel / kernel.sum()


def shake(rng: np.random.Generator, share: float) -> npt.NDArray[np.float32] | None:
    """The kernel by which a photo is blurred that was shaken, as a share of all are."""
    if rng.random() >= share:
        return None
    return motion_kernel(int(rng.choice([3, 3, 5])), float(rng.uniform(0, 3.14)))


def lesson_conditions(rng: np.random.Generator) -> PhotoConditions:
    """A lesson photo: nearly from above, even light, close enough."""
    side = float(rng.uniform(34, 110))
    return PhotoConditions(
        gains=(rng.uniform(0.75, 1.15) * rng.normal(1, 0.08, 3)).astype(np.float32),
        gamma=float(rng.uniform(0.85, 1.2)),
        veil=float(rng.choice([0, 0, rng.uniform(0, 12)])),
        width_px=side,
        height_px=side * float(rng.uniform(0.8, 1.0)),
        blur_px=float(rng.uniform(0, 0.9)),
        motion=None,
        noise=float(rng.uniform(0, 5)),
        jpeg=int(rng.integers(60, 97)),
        jitter=float(rng.uniform(0.005, 0.035)),
        scale=float(rng.normal(1.0, 0.03)),
        gloss=float(rng.choice([0, 0, 0.2])),
        relief=None,
        surround=rng.uniform(0, 255, 3).astype(np.float32),
        shade_strength=float(rng.uniform(0, 0.15)),
    )


def table_conditions(rng: np.random.Generator) -> PhotoConditions:
    """A photo in mid game: from any side, any light, glossy, shadowed, blurred, small."""
    side = float(np.exp(rng.uniform(np.log(16), np.log(110))))
    squash = float(rng.uniform(0.4, 1.0)) if rng.random() < 0.6 else 1.0
    wide = rng.random() < 0.6
    motion = shake(rng, 0.2)
    relief = None
    if rng.random() < 0.3:
        relief = fractal_noise(rng, FACE_PX, int(rng.integers(6, 20)), 3) * float(
            rng.uniform(4, 40)
        )
    warmth = float(np.clip(rng.normal(0, 0.2), -0.45, 0.45))
    cast = np.array([1 + warmth, 1 + rng.normal(0, 0.05), 1 - warmth], np.float32)
    return PhotoConditions(
        gains=(np.exp(rng.uniform(np.log(0.3), np.log(1.3))) * cast).astype(np.float32),
        gamma=float(rng.uniform(0.7, 1.4)),
        veil=float(rng.choice([0, rng.uniform(0, 25), rng.uniform(0, 80)], p=[0.5, 0.35, 0.15])),
        width_px=max(12.0, side * (1.0 if wide else squash)),
        height_px=max(12.0, side * (squash if wide else 1.0)),
        blur_px=float(rng.uniform(0, 1.5)) * (1.0 if side > 28 else 0.5),
        motion=motion,
        noise=float(abs(rng.normal(0, 7))),
        jpeg=int(rng.integers(35, 97)),
        jitter=float(rng.uniform(0.005, 0.05)),
        scale=float(rng.normal(1.0, 0.04)),
        gloss=float(rng.choice([0, 0.25, 0.6])),
        relief=relief,
        surround=rng.uniform(0, 255, 3).astype(np.float32),
        shade_strength=float(rng.uniform(0, 0.5)),
        saturation=float(rng.choice([1.0, rng.uniform(0.5, 1.3)])),
        detail=float(
            rng.choice([1.0, rng.uniform(0.3, 1.5), rng.uniform(-0.7, 0.3)], p=[0.7, 0.2, 0.1])
        ),
    )


_AXIS = (np.arange(FACE_PX, dtype=np.float32) + 0.5) / FACE_PX
_X, _Y = np.meshgrid(_AXIS, _AXIS)


def _light(
    rng: np.random.Generator, photo: PhotoConditions
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32] | None]:
    """Factors of the light over a face, and the glare added to it, or None."""
    angle = rng.uniform(0, 2 * np.pi)
    along = (_X - 0.5) * np.cos(angle) + (_Y - 0.5) * np.sin(angle)
    factor = (1 + rng.normal(0, 0.06)) * (1 + along * rng.normal(0, photo.shade_strength))
    if rng.random() < photo.shade_strength * 0.7:
        edge = np.clip((along - rng.uniform(-0.5, 0.5)) * rng.uniform(4, 40) + 0.5, 0, 1)
        factor = factor * (1 - edge * rng.uniform(0.2, 0.65))
    glare = None
    if rng.random() < photo.gloss:
        cx, cy = rng.uniform(-0.3, 1.3, 2)
        stretch = rng.uniform(0.3, 1.0)
        turned = (_X - cx) * np.sin(angle) - (_Y - cy) * np.cos(angle)
        ahead = (_X - cx) * np.cos(angle) + (_Y - cy) * np.sin(angle)
        spread = rng.uniform(0.1, 0.8)
        glare = np.exp(-(ahead**2 + (turned / stretch) ** 2) / (2 * spread**2)).astype(
            np.float32
        ) * np.float32(rng.uniform(20, 200))
    return factor.astype(np.float32), glare


def view(rng: np.random.Generator, face: Image, photo: PhotoConditions) -> Image:
    """One crop of a face under the conditions of a photo.

    Parameters
    ----------
    face : ndarray of shape (FACE_PX, FACE_PX, 3), dtype uint8, RGB

    Returns
    -------
    ndarray of shape (CROP_PX, CROP_PX, 3), dtype uint8, RGB
    """
    lit = _lit(rng, face, photo)
    pad = FACE_PX // 6
    surround = np.clip(photo.surround * rng.uniform(0.6, 1.2), 0, 255)
    canvas = np.empty((FACE_PX + 2 * pad, FACE_PX + 2 * pad, 3), np.float32)
    canvas[:] = surround
    if rng.random() < 0.5:  # a neighbour or the table's pattern instead of an even surround
        canvas[:, : pad * 2] = np.clip(rng.uniform(0, 255, 3) * photo.gains, 0, 255)
    canvas[pad:-pad, pad:-pad] = lit
    width, height = (
        max(8, round(v * canvas.shape[0] / FACE_PX)) for v in (photo.width_px, photo.height_px)
    )
    small = cv2.resize(canvas, (width, height), interpolation=cv2.INTER_AREA)
    pixels = spoilt(rng, np.asarray(small), photo.blur_px, photo.motion, photo.noise, photo.jpeg)
    inner = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * photo.scale
    inner += rng.normal(0, photo.jitter * 1.4, (4, 2)) + rng.normal(0, photo.jitter, 2)
    side = FACE_PX / (FACE_PX + 2 * pad)
    source = (inner * side + 1) / 2 * np.array([width, height]) - 0.5
    return flattened(pixels, source, UNIT_SQUARE * CROP_PX - 0.5, CROP_PX)


def flattened(
    image: Image,
    quad_xy: npt.NDArray[np.floating],
    place_xy: npt.NDArray[np.floating],
    side: int,
    flags: int = cv2.INTER_LINEAR,
) -> Image:
    """A square of that side in pixels on which a quad of the image lies at a place."""
    matrix = cv2.getPerspectiveTransform(quad_xy.astype(np.float32), place_xy.astype(np.float32))
    border = cv2.BORDER_REPLICATE
    crop = cv2.warpPerspective(image, matrix, (side, side), flags=flags, borderMode=border)
    return np.asarray(crop, np.uint8)


def spoilt(
    rng: np.random.Generator,
    picture: npt.NDArray[np.float32],
    blur_px: float,
    motion: npt.NDArray[np.float32] | None,
    noise: float,
    jpeg: int,
) -> Image:
    """A picture as a camera keeps it: out of focus, shaken, noisy and compressed."""
    if blur_px > 0.25:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px), np.float32)
    if motion is not None:
        picture = np.asarray(cv2.filter2D(picture, -1, motion), np.float32)
    if noise > 0.5:
        picture = picture + rng.standard_normal(picture.shape, np.float32) * np.float32(noise)
    pixels = np.clip(picture, 0, 255).astype(np.uint8)
    if jpeg < 90:
        _, code = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, jpeg])
        pixels = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return pixels


def _lit(rng: np.random.Generator, face: Image, photo: PhotoConditions) -> npt.NDArray[np.float32]:
    """The face in the light of the photo, 0 to 255."""
    factor, glare = _light(rng, photo)
    lit = face.astype(np.float32)
    if photo.detail != 1.0:
        grey = lit.mean(2)
        lit += ((photo.detail - 1) * (grey - cv2.GaussianBlur(grey, (0, 0), FACE_PX / 8)))[
            ..., None
        ]
    if photo.relief is not None:
        lit += photo.relief[..., None]
    lit *= factor[..., None] * photo.gains
    if photo.saturation != 1.0:
        grey = lit.mean(2, keepdims=True)
        lit = grey + (lit - grey) * photo.saturation
    lit += photo.veil * rng.uniform(0.4, 1.6)  # haze of a glossy print, stronger towards the lamp
    if glare is not None:
        if photo.relief is not None:
            glare = glare * np.clip(1 + photo.relief / 25, 0, 2)
        lit += glare[..., None]
    if rng.random() < 0.05:
        _occlude(rng, lit)
    np.clip(lit, 0, 255, out=lit)
    if photo.gamma != 1.0:
        lit = np.asarray(255 * (lit / 255) ** photo.gamma, np.float32)
    return lit


def _occlude(rng: np.random.Generator, lit: npt.NDArray[np.float32]) -> None:
    """Cover a part of the face from one edge, in place."""
    angle = rng.uniform(0, 2 * np.pi)
    along = (_X - 0.5) * np.cos(angle) + (_Y - 0.5) * np.sin(angle)
    lit[along > rng.uniform(0.1, 0.45)] = rng.uniform(0, 255, 3)
