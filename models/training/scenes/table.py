"""The table under a scene and the room beyond its edge."""

import cv2
import numpy as np
import numpy.typing as npt

from models.training.scenes.camera import Camera
from models.training.scenes.materials import BANK_SIZE, SIDE_PX, Field, Image, Material, material


def table_picture(
    rng: np.random.Generator, camera: Camera, size_hw: tuple[int, int], reach: float
) -> tuple[Image, float]:
    """The table and, beyond its edge, the room; with the table's gloss."""
    h, w = size_hw
    cover: Material = material(int(rng.integers(BANK_SIZE)))
    texture, of_table = _laid_out(rng, cover, camera)
    to_table = camera.to_table()
    to_texture = of_table @ to_table
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


def _laid_out(
    rng: np.random.Generator, cover: Material, camera: Camera
) -> tuple[Image, npt.NDArray[np.float64]]:
    """The texture of a table, and the homography from millimetres to its pixels."""
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
    return texture, np.array(
        [[c, -s, rng.uniform(0, SIDE_PX)], [s, c, rng.uniform(0, SIDE_PX)], [0, 0, 1]]
    )
