"""Scenes as files of training photos, and what makes more of each photo."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


class StoredScene(NamedTuple):
    """One generated scene: ``jpeg`` bytes, ``quads_xy`` (n, 4, 2), ``visible`` (n,)."""

    jpeg: npt.NDArray[np.uint8]
    quads_xy: Floats
    visible: Floats

    @classmethod
    def of(cls, image_bgr: npt.NDArray[np.uint8], quads_xy: Floats, visible: Floats) -> Self:
        _, jpeg = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 93])
        return cls(jpeg.ravel(), quads_xy.astype(np.float32), visible.astype(np.float32))


def save_scenes(scenes: list[StoredScene], path: Path) -> None:
    """Write scenes as one archive."""
    np.savez(
        path,
        jpeg=np.concatenate([s.jpeg for s in scenes]),
        jpeg_size=np.array([len(s.jpeg) for s in scenes]),
        quads=np.concatenate([s.quads_xy.reshape(-1, 4, 2) for s in scenes]),
        visible=np.concatenate([s.visible for s in scenes]),
        quad_count=np.array([len(s.quads_xy) for s in scenes]),
    )


def draw_scenes(one: Callable[[], StoredScene], count: int, path: Path) -> None:
    """Draw scenes and write them, those done so far now and then."""
    scenes = []
    start = time.monotonic()
    for done in range(1, count + 1):
        scenes.append(one())
        if done % 250 == 0:
            save_scenes(scenes, path)
            each_ms = (time.monotonic() - start) / done * 1000
            print(f"{done} scenes, {each_ms:.0f} ms each", flush=True)
    save_scenes(scenes, path)


def load_scenes(paths: list[Path]) -> list[StoredScene]:
    """Read what ``save_scenes`` wrote."""
    scenes: list[StoredScene] = []
    for path in paths:
        with np.load(path) as archive:
            jpegs = np.split(archive["jpeg"], np.cumsum(archive["jpeg_size"])[:-1])
            ends = np.cumsum(archive["quad_count"])[:-1]
            quads = np.split(archive["quads"].astype(np.float32), ends)
            visible = np.split(archive["visible"].astype(np.float32), ends)
        scenes += map(StoredScene, jpegs, quads, visible)
    return scenes


def turned_and_mirrored(
    image: npt.NDArray[np.uint8], quads: Floats, turns: int, mirror: bool
) -> tuple[npt.NDArray[np.uint8], Floats]:
    """The square scene turned by quarter turns and perhaps mirrored; quads stay clockwise."""
    size = image.shape[0]
    quads = quads.copy()
    for _ in range(turns):  # np.rot90 turns counterclockwise: (x, y) -> (y, size - 1 - x)
        quads = np.stack([quads[..., 1], size - 1 - quads[..., 0]], -1)
    image = np.rot90(image, turns)
    if mirror:
        image = image[:, ::-1]
        quads = np.stack([size - 1 - quads[..., 0], quads[..., 1]], -1)[:, ::-1]
    return np.ascontiguousarray(image), np.ascontiguousarray(quads)


def photometric(rng: np.random.Generator, image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """A cheap change of exposure, cast and gamma, so that stored scenes do not repeat."""
    gains = rng.uniform(0.7, 1.25) * rng.normal(1, 0.07, 3)
    gamma = rng.uniform(0.75, 1.3)
    ramp = np.linspace(0, 1, 256, dtype=np.float32)[:, None]
    table = np.clip(255 * np.clip(ramp * gains, 0, 1) ** gamma, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(image, table[None]), np.uint8)
