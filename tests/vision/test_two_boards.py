"""Two boards in one photo: the larger is read, and the other is told. So are a few more pieces."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.profiles import default_profile
from vision.boards import STONES
from vision.choose import MORE_PIECES, SECOND_BOARD, surely_beside
from vision.find.candidates import Looks, locate_board
from vision.fuse import read_same
from vision.geometry import UNIT_SQUARE, Images, Pyramid, homography
from vision.photo import Photo, decode_photo
from vision.read import read_board

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))["photos"]
TEXTS = {one["photo"]: one["text"] for one in TRUTH}
OUTLINES = {one["photo"]: one["outline"] for one in TRUTH}
HIGH = 1000
STONE = 200


def beside(larger: str, smaller: str, larger_first: bool) -> Photo:
    """Both photos in one, the second at two thirds of its size."""
    pictures = []
    for name, high in ((larger, HIGH), (smaller, HIGH * 2 // 3)):
        image = cv2.imread(str(PHOTOS / name))
        wide = round(image.shape[1] * high / image.shape[0])
        shrunk = cv2.resize(image, (wide, high), interpolation=cv2.INTER_AREA)
        pictures.append(
            cv2.copyMakeBorder(shrunk, 0, HIGH - high, 0, 0, cv2.BORDER_CONSTANT, value=(90,) * 3)
        )
    both = np.asarray(np.hstack(pictures if larger_first else pictures[::-1]), np.uint8)
    return Photo(both, both.shape[:2], 1.0, "jpeg")


@pytest.mark.parametrize("larger_first", [True, False])
@pytest.mark.parametrize(
    ("larger", "smaller"), [("easy_1.jpg", "easy_2.jpg"), ("easy_2.jpg", "easy_1.jpg")]
)
def test_the_larger_board_is_read_and_the_other_is_told(
    larger: str, smaller: str, larger_first: bool
) -> None:
    photo = beside(larger, smaller, larger_first)
    profile = default_profile("stones")
    reading = read_board(photo, STONES, profile)
    assert reading.text == TEXTS[larger]
    assert SECOND_BOARD in reading.problems
    assert SECOND_BOARD in read_same([photo, photo], STONES, profile).reading.problems


@pytest.mark.parametrize("name", TEXTS)
def test_one_board_is_not_taken_for_two(name: str) -> None:
    photo = decode_photo((PHOTOS / name).read_bytes())
    reading = read_board(photo, STONES, default_profile("stones"))
    assert SECOND_BOARD not in reading.problems
    assert MORE_PIECES not in reading.problems


def flat(name: str) -> Images:
    """The nine stones of a photo, seen from above."""
    image = cv2.imread(str(PHOTOS / name))
    square = UNIT_SQUARE * 3 * STONE
    from_above = homography(np.array(OUTLINES[name], np.float32), square)
    return np.asarray(cv2.warpPerspective(image, from_above, (3 * STONE,) * 2), np.uint8)


@pytest.mark.parametrize(("rows", "cols", "gap"), [(3, 1, 10), (3, 1, 250), (1, 3, 9), (3, 2, 250)])
def test_pieces_beside_a_whole_board_are_told(rows: int, cols: int, gap: int) -> None:
    table = np.full((1200, 1600, 3), 150, np.uint8)
    table[150:750, 150:750] = flat("easy_1.jpg")
    top, left = (150, 750 + gap) if rows == 3 else (750 + gap, 150)
    part = flat("easy_2.jpg")[: rows * STONE, : cols * STONE]
    table[top : top + rows * STONE, left : left + cols * STONE] = part
    photo = Photo(table, table.shape[:2], 1.0, "jpeg")
    reading = read_board(photo, STONES, default_profile("stones"))
    assert reading.problems[-1:] == (MORE_PIECES,)


def test_a_board_does_not_lie_beside_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    pyramid = Pyramid(decode_photo((PHOTOS / "easy_1.jpg").read_bytes()).image_rgb)
    board = locate_board(pyramid, STONES)
    monkeypatch.setattr("vision.choose.boards_beside", lambda *_: [board])
    profile = default_profile("stones")
    assert surely_beside(board, pyramid, STONES, profile, Looks(pyramid)) is None
