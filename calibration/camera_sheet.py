"""The printable camera sheet: a ChArUco board to calibrate lenses with."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import Floats, Images

COLUMNS, ROWS = 6, 8
SQUARE_MM, MARKER_MM = 28.0, 20.0


def dictionary() -> cv2.aruco.Dictionary:
    """The markers of the sheet, 0 to 23."""
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_50)


def charuco_board() -> cv2.aruco.CharucoBoard:
    """The board, in millimetres."""
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), SQUARE_MM, MARKER_MM, dictionary())


def marker_bits(number: int) -> Images:
    """The 7 x 7 modules of a marker with its black rim; 255 is white."""
    return np.asarray(cv2.aruco.generateImageMarker(dictionary(), number, 7), np.uint8)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle printed black: left, top, width and height in mm."""

    x: float
    y: float
    width: float
    height: float


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


def picture(rectangles: list[Rectangle], size_mm: tuple[float, float], px_per_mm: float) -> Images:
    """Rectangles as a picture, black on white."""
    width, height = (round(side * px_per_mm) for side in size_mm)
    image = np.full((height, width), 255, np.uint8)
    for one in rectangles:
        left, top = round(one.x * px_per_mm), round(one.y * px_per_mm)
        right, bottom = (
            round((one.x + one.width) * px_per_mm),
            round((one.y + one.height) * px_per_mm),
        )
        image[top:bottom, left:right] = 0
    return image
