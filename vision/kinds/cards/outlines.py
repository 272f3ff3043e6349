"""Finds quads that stand out from the table by their edges, with classical contours."""

import cv2
import numpy as np
import numpy.typing as npt

from vision.find.detect import resized
from vision.geometry import Floats, Images, distinct, usable

LONG_SIDE = 800
"""Outlines are looked for in the photo reduced to this."""
THRESHOLDS = ((20, 60), (50, 150))
"""Weak and strong edges (Canny 1986) in grey levels: faint cards on a quiet table, strong ones
on a lively one."""
LEAST_SHARE = 0.0012
MOST_SHARE = 0.6
"""Least and most share of the photo that a card covers."""
STRAIGHT = 0.03
"""How far an outline may bend between its corners, as a share of its length."""
LEAST_FILL = 0.8
"""How much of its smallest turned rectangle, or of its quad, an outline fills."""


def outlined_quads(image_rgb: Images) -> Floats:
    """Quads (n, 4, 2), clockwise, in pixels of the image."""
    small, shrink = resized(image_rgb, min(LONG_SIDE, max(image_rgb.shape[:2])))
    small_px = small.shape[0] * small.shape[1]
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.0), cv2.COLOR_RGB2LAB)
    found: list[Floats] = []
    for weak, strong in THRESHOLDS:
        edges = np.zeros(lab.shape[:2], np.uint8)
        for channel, factor in zip(cv2.split(lab), (1.0, 0.5, 0.5), strict=True):
            edges |= cv2.Canny(channel, weak * factor, strong * factor)
        closed = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        for mode in (closed, 255 - cv2.dilate(edges, np.ones((3, 3), np.uint8))):
            contours, _ = cv2.findContours(mode, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
            for contour in contours:
                quad = _as_quad(np.asarray(contour, np.int32), small_px)
                if quad is not None:
                    found.append(quad)
    if not found:
        return np.zeros((0, 4, 2), np.float32)
    quads = np.stack(found)
    quads = quads[usable(quads, 12.0)]
    return np.asarray((_distinct(quads) + 0.5) * shrink - 0.5, np.float32)


def _as_quad(contour: np.ndarray, photo_px: int) -> Floats | None:
    """The four corners of an outline that is nearly a quad, clockwise."""
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    if not LEAST_SHARE * photo_px < area < MOST_SHARE * photo_px:
        return None
    corners = cv2.approxPolyDP(hull, STRAIGHT * cv2.arcLength(hull, True), True)[:, 0].astype(
        np.float32
    )
    if len(corners) != 4:
        box = cv2.boxPoints(cv2.minAreaRect(hull)).astype(np.float32)
        if area < LEAST_FILL * cv2.contourArea(box):
            return None
        corners = box
    if cv2.contourArea(corners, True) < 0:
        corners = corners[::-1]
    return np.asarray(corners, np.float32)


def _distinct(quads: Floats) -> Floats:
    """The quads without those that nearly repeat an earlier one."""
    middles, areas = quads.mean(1), np.array([abs(cv2.contourArea(quad)) for quad in quads])

    def same(i: int, kept: list[int]) -> npt.NDArray[np.bool_]:
        near = np.abs(middles[kept] - middles[i]).max(1) < 0.08 * float(np.sqrt(areas[i]))
        return np.asarray(near & (np.abs(areas[kept] / areas[i] - 1) <= 0.15))

    return quads[distinct(len(quads), same)]
