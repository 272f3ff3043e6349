"""The printable camera sheet: a ChArUco board for the lens, and a strip of greys for the light."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import Floats, Images

COLUMNS, ROWS = 6, 8
SQUARE_MM, MARKER_MM = 28.0, 20.0
STRIP_MM = (168.0, 24.0)
"""Width and height of the strip: a marker at each end, the patches between them."""
STRIP_MARKER_MM = 18.0
STRIP_IDS = (40, 41)
GREYS = (1.0, 0.78, 0.56, 0.34, 0.0)
"""Patches of the strip from left to right, as values of the print from black to white."""
PATCH_MM = (STRIP_MM[0] - 2 * STRIP_MM[1]) / len(GREYS)
PATCH_INSIDE = 0.5
"""Part of a patch's width and height that is looked at."""


def dictionary() -> cv2.aruco.Dictionary:
    """The markers of the sheet: 0 to 23 on the board, STRIP_IDS on the strip."""
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_50)


def charuco_board() -> cv2.aruco.CharucoBoard:
    """The board, in millimetres."""
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), SQUARE_MM, MARKER_MM, dictionary())


def marker_bits(number: int) -> Images:
    """The 7 x 7 modules of a marker with its black rim; 255 is white."""
    return np.asarray(cv2.aruco.generateImageMarker(dictionary(), number, 7), np.uint8)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A printed rectangle: left, top, width, height in mm, and grey from 0 (black) to 1."""

    x: float
    y: float
    width: float
    height: float
    grey: float = 0.0


def board_rectangles() -> list[Rectangle]:
    """What is printed of the board, from its top left corner."""
    corners = marker_corners_mm()
    squares = {
        (int(c[:, 1].mean() // SQUARE_MM), int(c[:, 0].mean() // SQUARE_MM)): number
        for number, c in enumerate(corners)
    }
    found = []
    for row in range(ROWS):
        for col in range(COLUMNS):
            if (row, col) in squares:
                x, y = corners[squares[row, col]].min(0)
                found += marker_rectangles(squares[row, col], float(x), float(y), MARKER_MM)
            else:
                found.append(Rectangle(col * SQUARE_MM, row * SQUARE_MM, SQUARE_MM, SQUARE_MM))
    return found


def marker_corners_mm() -> Floats:
    """Corners of the board's markers, shape (24, 4, 2), whatever version of OpenCV gives them."""
    return np.asarray(charuco_board().getObjPoints(), np.float32).reshape(-1, 4, 3)[..., :2]


def marker_rectangles(number: int, x: float, y: float, side: float) -> list[Rectangle]:
    """The black modules of a marker, runs of a row joined."""
    bits = marker_bits(number)
    step = side / len(bits)
    found = []
    for row, line in enumerate(bits):
        col = 0
        while col < len(line):
            end = col
            while end < len(line) and line[end] == 0:
                end += 1
            if end > col:
                found.append(Rectangle(x + col * step, y + row * step, (end - col) * step, step))
            col = end + 1
    return found


def strip_rectangles() -> list[Rectangle]:
    """What is printed of the strip, from its top left corner."""
    width, height = STRIP_MM
    rim = (height - STRIP_MARKER_MM) / 2
    found = [
        *marker_rectangles(STRIP_IDS[0], rim, rim, STRIP_MARKER_MM),
        *marker_rectangles(STRIP_IDS[1], width - rim - STRIP_MARKER_MM, rim, STRIP_MARKER_MM),
    ]
    return found + [
        Rectangle(height + i * PATCH_MM, 0.0, PATCH_MM, height, grey)
        for i, grey in enumerate(GREYS)
        if grey < 1
    ]


def strip_marker_corners_mm() -> dict[int, Floats]:
    """Corners of the two markers of the strip, clockwise from the top left, by their number."""
    rim = (STRIP_MM[1] - STRIP_MARKER_MM) / 2
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * STRIP_MARKER_MM
    lefts = (rim, STRIP_MM[0] - rim - STRIP_MARKER_MM)
    return {
        number: np.asarray(square + np.array([left, rim], np.float32), np.float32)
        for number, left in zip(STRIP_IDS, lefts, strict=True)
    }


def patch_quads_mm() -> Floats:
    """The inner part of each patch, shape (len(GREYS), 4, 2)."""
    square = (np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) - 0.5) * PATCH_INSIDE
    size = np.array([PATCH_MM, STRIP_MM[1]])
    centres = [(STRIP_MM[1] + (i + 0.5) * PATCH_MM, STRIP_MM[1] / 2) for i in range(len(GREYS))]
    return np.asarray([square * size + np.array(centre) for centre in centres], np.float32)


def picture(rectangles: list[Rectangle], size_mm: tuple[float, float], px_per_mm: float) -> Images:
    """Rectangles as a grey picture."""
    width, height = (round(side * px_per_mm) for side in size_mm)
    image = np.full((height, width), 255, np.uint8)
    for one in rectangles:
        left, top = round(one.x * px_per_mm), round(one.y * px_per_mm)
        right, bottom = (
            round((one.x + one.width) * px_per_mm),
            round((one.y + one.height) * px_per_mm),
        )
        image[top:bottom, left:right] = round(255 * one.grey)
    return image
