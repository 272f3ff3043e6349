"""Draws a reading on a copy of its photo."""

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from scorer.notation import EMPTY
from vision.kinds.cards.reading import CardsReading
from vision.reading import Reading

SURE_BGR = (96, 190, 60)
DOUBTFUL_BGR = (40, 140, 255)
OUTLINE_BGR = (235, 160, 60)
FONT = cv2.FONT_HERSHEY_DUPLEX
PLATE_SHARE, LEAST_SIZE = 0.86, 0.28
"""How much of its cell's width a label takes, and the least size that can be read."""
MOST_OF_MEDIAN = 1.25
"""No label is larger than the median one by more: digits would shout."""


def draw_overlay(
    image_bgr: npt.NDArray[np.uint8],
    reading: Reading | CardsReading,
    scale: float = 1.0,
    word: Callable[[str], str] = str,
) -> npt.NDArray[np.uint8]:
    """The photo with every cell outlined and named; doubtful cells orange and with a question mark.

    Parameters
    ----------
    image_bgr : ndarray of shape (h, w, 3), dtype uint8; not modified
    scale : full-size pixels (which the reading's quads are in) per pixel of the image
    word : what a label is called, in ASCII: there are no other letters
    """
    canvas = image_bgr.copy()
    line = max(1, round(max(canvas.shape[:2]) / 500))

    def small(points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return (points + 0.5) / scale - 0.5

    shown = [
        (cell, small(cell.quad_xy), SURE_BGR if cell.sure else DOUBTFUL_BGR)
        for cell in reading.cells
    ]
    fill = canvas.copy()
    for _, quad, colour in shown:
        cv2.fillPoly(fill, [np.round(quad).astype(np.int32)], colour)
    canvas = cv2.addWeighted(fill, 0.16, canvas, 0.84, 0).astype(np.uint8)
    if len(reading.outline_xy):
        outline = [_sixteenths(small(reading.outline_xy))]
        cv2.polylines(canvas, outline, True, OUTLINE_BGR, line, cv2.LINE_AA, shift=4)
    for _, quad, colour in shown:
        cv2.polylines(canvas, [_sixteenths(quad)], True, colour, line * 2, cv2.LINE_AA, shift=4)
        # a short bar along the top edge shows which way up the piece was read
        a, b = quad[0] * 0.8 + quad[1] * 0.2, quad[0] * 0.2 + quad[1] * 0.8
        inward = (quad[3] - quad[0]) * 0.06
        ends = _sixteenths(np.stack([a + inward, b + inward]))
        cv2.line(canvas, ends[0].tolist(), ends[1].tolist(), colour, line * 2, cv2.LINE_AA, shift=4)
    named = [
        (quad, word(cell.label) + ("" if cell.sure else " ?"), colour)
        for cell, quad, colour in shown
        if cell.label != EMPTY or not cell.sure
    ]
    if named:
        fitting = np.array([_fitting(text, quad) for quad, text, _ in named])
        most = min(max(canvas.shape[:2]) / 900, MOST_OF_MEDIAN * float(np.median(fitting)))
        sizes = fitting.clip(LEAST_SIZE, max(most, LEAST_SIZE)).tolist()
        for (quad, text, colour), size in zip(named, sizes, strict=True):
            _name(canvas, quad, text, colour, size)
    return canvas


def _sixteenths(points: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    """Points as OpenCV wants them with ``shift=4``."""
    return np.round(points * 16).astype(np.int32)


def _fitting(text: str, quad: npt.NDArray[np.float32]) -> float:
    """The size at which a label with its plate is as wide as its cell."""
    (base, high), _ = cv2.getTextSize(text, FONT, 1.0, 1)
    return PLATE_SHARE * float(np.ptp(quad[:, 0])) / (base + 2 * high / 3)


def _name(
    canvas: npt.NDArray[np.uint8],
    quad: npt.NDArray[np.float32],
    text: str,
    colour: tuple[int, int, int],
    size: float,
) -> None:
    """Write a label on a plate across the lower part of its cell, in place."""
    low, high = quad.min(0), quad.max(0)
    weight = max(1, round(size * 1.6))
    (w, h), drop = cv2.getTextSize(text, FONT, size, weight)
    x = round(float(low[0] + high[0]) / 2 - w / 2)
    y = round(float(quad[:, 1].mean() + (high[1] - low[1]) * 0.3))
    pad = max(2, h // 3)
    plate = (x - pad, y - h - pad), (x + w + pad, y + drop + pad // 2)
    cv2.rectangle(canvas, *plate, (30, 26, 22), -1)
    cv2.rectangle(canvas, *plate, colour, max(1, weight // 2), cv2.LINE_AA)
    cv2.putText(canvas, text, (x, y), FONT, size, (255, 255, 255), weight, cv2.LINE_AA)
