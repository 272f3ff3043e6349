"""What the faces of one set share: pictures, texture, ground."""

from dataclasses import dataclass

import cv2
import numpy as np

from models.training.art import Icon
from models.training.faces.drawing import FACE_PX, Canvas, Colour, Image, fractal_noise
from models.training.faces.sources import ArtSource


@dataclass(frozen=True, slots=True)
class FaceSet:
    """The faces of a box: RGB (n, FACE_PX, FACE_PX, 3), and their true width over height.

    The light decides which slopes of a ``carved`` face are bright.
    """

    faces: Image
    aspect: float
    carved: bool = False


def icon_of(art: ArtSource, rng: np.random.Generator, mono: bool | None = None) -> Icon:
    if mono is None:
        mono = rng.random() < 0.65
    pool = art.mono if mono else art.colour
    return pool[int(rng.integers(len(pool)))]


def texture_of(rng: np.random.Generator) -> Canvas:
    """A brightness texture shared by a set: stone, paper, grain or nothing."""
    kind = rng.random()
    if kind < 0.35:
        return np.zeros((FACE_PX, FACE_PX), np.float32)
    noise = fractal_noise(rng, FACE_PX, int(rng.integers(2, 12)), 4)
    if kind > 0.85:
        noise = np.asarray(cv2.resize(noise[:, : FACE_PX // 8], (FACE_PX, FACE_PX)), np.float32)
    return noise * rng.uniform(3, 22)


def ground_of(rng: np.random.Generator, colour: Colour, texture: Canvas) -> Canvas:
    """A printed ground: colour, texture (placed anew on each face) and sometimes a gradient."""
    canvas = np.full((FACE_PX, FACE_PX, 3), colour, np.float32)
    flips = tuple(int(step) for step in rng.choice((-1, 1), 2))
    canvas += texture[:: flips[0], :: flips[1]][..., None]
    return canvas


def finished(canvases: list[Canvas], aspect: float = 1.0, carved: bool = False) -> FaceSet:
    return FaceSet(np.clip(np.stack(canvases), 0, 255).astype(np.uint8), aspect, carved)
