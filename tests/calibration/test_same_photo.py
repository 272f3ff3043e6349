"""A photo that is saved, resized or turned anew is no second lesson; one taken again is."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lessons import Lesson, LessonCrops, LessonRejected, lesson_crops, parse_layout
from calibration.same_photo import same_photo
from calibration.teach import learn
from vision.boards import STONES
from vision.geometry import Images
from vision.photo import decode_photo

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
NAME, LAYOUT = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))["teach"][0]
DATA = (PHOTOS / NAME).read_bytes()
IMAGE = np.asarray(cv2.imread(str(PHOTOS / NAME)), np.uint8)
TURNED = " / ".join(
    " ".join(row) for row in np.rot90([row.split() for row in LAYOUT.split(" / ")]).tolist()
)


def jpeg(image: Images, quality: int = 90) -> bytes:
    image = np.ascontiguousarray(image)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1])


def crops(data: bytes, layout: str = LAYOUT) -> LessonCrops:
    return lesson_crops(decode_photo(data, 1000), parse_layout(layout, STONES), STONES, None)


def half(image: Images) -> Images:
    return np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))


def from_elsewhere(image: Images) -> Images:
    """As a camera sees it that stands aside by two percent of the photo."""
    h, w = image.shape[:2]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    moved = corners + np.array([[24, -10], [30, 12], [18, 25], [20, -16]], np.float32)
    way = cv2.getPerspectiveTransform(corners, moved)
    return np.asarray(cv2.warpPerspective(image, way, (w, h), borderMode=cv2.BORDER_REFLECT))


@pytest.fixture(scope="module")
def lesson() -> LessonCrops:
    return crops(DATA)


@pytest.mark.parametrize(
    ("data", "layout"),
    [
        (jpeg(IMAGE, 40), LAYOUT),
        (jpeg(half(IMAGE)), LAYOUT),
        (jpeg(np.rot90(IMAGE)), LAYOUT),
        (jpeg(np.rot90(IMAGE)), TURNED),
    ],
    ids=["another quality", "half the size", "turned", "turned with its layout"],
)
def test_a_file_made_anew_shows_the_same_photo(
    data: bytes, layout: str, lesson: LessonCrops
) -> None:
    assert same_photo(crops(data, layout), lesson)


@pytest.mark.parametrize(
    "image",
    [from_elsewhere(IMAGE), np.clip(IMAGE * 0.85, 0, 255).astype(np.uint8)],
    ids=["another place", "other light"],
)
def test_the_same_board_taken_again_is_another_photo(image: Images, lesson: LessonCrops) -> None:
    assert not same_photo(crops(jpeg(image)), lesson)


def test_a_photo_that_was_saved_again_teaches_nothing() -> None:
    again = Lesson(jpeg(half(IMAGE)), LAYOUT, "again.jpg")
    with pytest.raises(LessonRejected, match=rf"again\.jpg: It is the same photo .* {NAME}"):
        learn("ours", STONES, [Lesson(DATA, LAYOUT, NAME), again])
