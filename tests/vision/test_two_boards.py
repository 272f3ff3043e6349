"""Two boards in one photo: the larger is read, and the other is told."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.profiles import default_profile
from vision.boards import STONES
from vision.choose import SECOND_BOARD
from vision.fuse import read_same
from vision.photo import Photo, decode_photo
from vision.read import read_board

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))["photos"]
TEXTS = {one["photo"]: one["text"] for one in TRUTH}
HIGH = 1000


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
