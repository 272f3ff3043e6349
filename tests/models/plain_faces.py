"""Faces as plain as can be, for scenes whose truth is tested."""

import cv2
import numpy as np

from models.training.scenes import FaceKind


def coloured_faces(rng: np.random.Generator, kind: FaceKind, count: int) -> list[np.ndarray]:
    """Squares and cards with simple shapes on them."""
    w, h = (96, 96) if kind != "cards" else (72, 96)
    faces = []
    for _ in range(count):
        image = np.full((h, w, 4), 255, np.uint8)
        image[..., :3] = rng.integers(0, 255, 3)
        cv2.circle(image, (w // 2, h // 2), w // 4, (*rng.integers(0, 255, 3).tolist(), 255), -1)
        faces.append(image)
    return faces


def quartered_faces(rng: np.random.Generator, kind: FaceKind, count: int) -> list[np.ndarray]:
    """Black faces with a white quarter at the top left: their crops show the true corners."""
    image = np.zeros((96, 96, 4), np.uint8)
    image[..., 3] = 255
    image[:48, :48, :3] = 255
    return [image] * count
