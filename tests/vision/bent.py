"""Bends and tints pictures as a lens or a lamp does, for tests."""

import cv2
import numpy as np

from calibration.camera import SHEET_SQUARES, SQUARE_MM, charuco_board
from vision.geometry import Images
from vision.lens import Lens

PAPER_PX_PER_MM = 7
"""At this size all edges of the sheet lie between pixels."""
MARGIN_MM = 12
TABLE_BGR = (90, 120, 140)

POSES = (
    ((0.3, 0.1, 0.2), (-40.0, 0.0, 300.0)),
    ((-0.4, 0.3, 1.5), (30.0, 10.0, 310.0)),
    ((0.1, -0.5, -0.3), (70.0, -20.0, 300.0)),
    ((0.5, 0.4, 3.0), (-60.0, 20.0, 320.0)),
)
"""How the sheet lies before the camera: rotation vector, and place of its middle in millimetres."""


def bent(image: Images, lens: Lens, zoom: float | None = None) -> Images:
    """The picture of a pinhole as the lens shows it, enlarged so that its rim is filled."""
    height, width = image.shape[:2]
    side, middle = max(height, width), np.array([width, height]) / 2 - 0.5
    ys, xs = np.mgrid[0:height, 0:width]
    points = lens.unbent((np.stack([xs, ys], -1) - middle) / side)
    points *= lens.zoom((height, width)) if zoom is None else zoom
    source = np.asarray(points * side + middle, np.float32)
    return np.asarray(
        cv2.remap(
            image,
            np.ascontiguousarray(source[..., 0]),
            np.ascontiguousarray(source[..., 1]),
            cv2.INTER_LINEAR,
        ),
        np.uint8,
    )


def sheet_picture(
    turn: tuple[float, float, float],
    at_mm: tuple[float, float, float],
    focal: float,
    size_hw: tuple[int, int],
) -> Images:
    """The camera sheet on a table as a pinhole of that focal length, in long sides, shows it."""
    width, height = (round(n * SQUARE_MM * PAPER_PX_PER_MM) for n in SHEET_SQUARES)
    paper = charuco_board().generateImage((width, height))
    rim = PAPER_PX_PER_MM * MARGIN_MM
    paper = np.asarray(
        cv2.copyMakeBorder(paper, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=255), np.uint8
    )
    height, width = paper.shape
    px = focal * max(size_hw)
    camera = np.array([[px, 0, size_hw[1] / 2], [0, px, size_hw[0] / 2], [0, 0, 1]])
    rotation = np.asarray(cv2.Rodrigues(np.array(turn))[0])
    step = 1 / PAPER_PX_PER_MM
    to_mm = np.array([[step, 0, -width * step / 2], [0, step, -height * step / 2], [0, 0, 1]])
    place = camera @ np.column_stack([rotation[:, :2], at_mm]) @ to_mm
    coloured = cv2.cvtColor(paper, cv2.COLOR_GRAY2BGR)
    return np.asarray(
        cv2.warpPerspective(coloured, place, size_hw[::-1], borderValue=TABLE_BGR), np.uint8
    )


def in_light(image: Images, bgr: tuple[float, ...]) -> Images:
    """The picture with each channel's light dimmed to a part of what it was (sRGB)."""
    values = image / 255.0
    light = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    light *= np.array(bgr)
    dimmed = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.asarray(np.round(dimmed * 255), np.uint8)
