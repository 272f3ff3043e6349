"""What may lie on a board and is no piece of the game: coins, hands, blank backs, other tiles."""

import cv2
import numpy as np

from models.training.faces import SetPainter
from vision.geometry import Images

STRANGERS = ("coin", "hand", "blank", "another game")


def stranger(rng: np.random.Generator, painter: SetPainter, face: Images, kind: str) -> Images:
    """What may lie on a cell that is no face of the set, shape (FACE_PX, FACE_PX, 3), RGB.

    A coin or a finger lies on a face and leaves its rim in sight; a blank back or another game's
    tile hides it.
    """
    size = face.shape[0]
    ys, xs = np.mgrid[0:size, 0:size].astype(np.float32) / size - 0.5
    if kind == "another game":
        others = painter.draw(rng, 2).faces
        return np.asarray(others[int(rng.integers(len(others)))], np.uint8)
    if kind == "blank":
        tone = rng.uniform(30, 235, 3)
        grain = rng.normal(0, rng.uniform(0, 9), (size, size, 1))
        slope = (xs * rng.uniform(-30, 30))[..., None]
        return np.asarray(np.clip(tone + grain + slope, 0, 255), np.uint8)
    picture = face.astype(np.float32)
    if kind == "coin":
        radius = rng.uniform(0.36, 0.47)
        distance = np.hypot(xs - rng.uniform(-0.04, 0.04), ys - rng.uniform(-0.04, 0.04))
        metal = np.array(
            [(198, 160, 92), (186, 186, 182), (168, 108, 70)][int(rng.integers(3))], np.float32
        )
        shine = 1 + 0.35 * np.cos(np.arctan2(ys, xs) * 2 + rng.uniform(0, 6)) * (distance / radius)
        ring = np.where(np.abs(distance - radius * 0.88) < 0.015, 0.75, 1.0)
        head = np.where(np.hypot(xs * 1.3, ys) < radius * 0.5, 0.86, 1.0)
        covered = (distance < radius)[..., None]
        picture = np.where(covered, metal * (shine * ring * head)[..., None], picture)
    else:  # a finger or palm from one side
        skin = np.array(
            [(224, 178, 150), (188, 132, 102), (122, 82, 60)][int(rng.integers(3))], np.float32
        )
        angle = rng.uniform(0, 2 * np.pi)
        across = xs * np.cos(angle) + ys * np.sin(angle)
        along = -xs * np.sin(angle) + ys * np.cos(angle)
        covered = (np.abs(across) < rng.uniform(0.3, 0.42)) & (along < rng.uniform(0.3, 0.5))
        round_ = 1.08 - 0.9 * across**2
        picture = np.where(covered[..., None], skin * round_[..., None], picture)
    return np.asarray(
        cv2.GaussianBlur(np.clip(picture, 0, 255).astype(np.uint8), (0, 0), 0.8), np.uint8
    )


def strangers_among(rng: np.random.Generator, count: int) -> dict[int, str]:
    """One or two of so many pieces, and the kind of stranger in place of each."""
    places = rng.permutation(count)[: int(rng.integers(1, 3))].tolist()
    return {at: STRANGERS[int(rng.integers(len(STRANGERS)))] for at in places}
