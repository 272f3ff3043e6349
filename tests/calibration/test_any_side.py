"""A reading does not depend on the side of the table or on how the phone was held."""

import json
import struct
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lessons import Lesson
from calibration.reader import Reader, open_reader
from calibration.teach import learn, teach
from vision.boards import STONES, BoardSpec
from vision.errors import BoardNotFound
from vision.profile import Profile

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
CUSTOM = PHOTOS.parent / "custom"
HARBOUR = json.loads((CUSTOM / "answers.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    data = tmp_path_factory.mktemp("data")
    lessons = [
        Lesson((PHOTOS / name).read_bytes(), layout, name) for name, layout in TRUTH["teach"]
    ]
    teach("ours", "stones", lessons, data)
    return open_reader(STONES, "ours", data)


def stored_as(upright: np.ndarray, orientation: int) -> np.ndarray:
    """The pixels that a file with that EXIF orientation holds so that it is shown upright."""
    flips = {
        1: (0, False),
        2: (0, True),
        3: (2, False),
        4: (2, True),
        5: (1, True),
        6: (1, False),
        7: (3, True),
        8: (3, False),
    }
    turns, mirror = flips[orientation]
    image = np.rot90(upright, turns)
    return np.ascontiguousarray(image[:, ::-1] if mirror else image)


def with_exif(image_bgr: np.ndarray, orientation: int) -> bytes:
    """A JPEG with that orientation tag."""
    jpeg = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
    tiff = struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    body = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


@pytest.mark.parametrize("side", range(4))
@pytest.mark.parametrize("orientation", range(1, 9))
def test_any_side_of_the_table_and_any_exif_value(
    side: int, orientation: int, reader: Reader
) -> None:
    photo = next(p for p in TRUTH["photos"] if p["tier"] == "easy")
    upright = np.rot90(cv2.imread(str(PHOTOS / photo["photo"])), side)
    reading = reader.read(with_exif(stored_as(upright, orientation), orientation))
    assert reading.text == photo["text"]


def test_tables_without_stones_are_refused(reader: Reader) -> None:
    rng = np.random.default_rng(0)
    page = np.full((900, 1200, 3), 235, np.uint8)
    for line in range(60, 860, 36):
        cv2.putText(
            page,
            "the quick brown fox jumps over",
            (80, line),
            cv2.FONT_HERSHEY_SIMPLEX,
            1.0,
            (40, 40, 40),
            2,
        )
    table = cv2.resize(
        rng.integers(90, 160, (12, 16, 3)).astype(np.uint8),
        (1200, 900),
        interpolation=cv2.INTER_CUBIC,
    )
    checks = np.kron(np.indices((9, 12)).sum(0) % 2, np.ones((100, 100))).astype(np.uint8)[
        ..., None
    ] * np.uint8([200, 60, 60])
    for image in (page, table, checks):
        jpeg = cv2.imencode(".jpg", image)[1].tobytes()
        with pytest.raises(BoardNotFound) as refused:
            reader.read(jpeg)
        assert refused.value.message.endswith(".")


def test_a_dark_photo_is_refused_as_dark(reader: Reader) -> None:
    jpeg = cv2.imencode(".jpg", np.full((600, 800, 3), 6, np.uint8))[1].tobytes()
    with pytest.raises(BoardNotFound) as refused:
        reader.read(jpeg)
    assert refused.value.code == "too_dark"


@pytest.fixture(scope="module")
def harbour() -> BoardSpec:
    """A board of two or three rows of three or four."""
    return BoardSpec.from_toml((CUSTOM / "harbour.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def taught_harbour(harbour: BoardSpec) -> Profile:
    lessons = [
        Lesson((CUSTOM / name).read_bytes(), layout, name) for name, layout in HARBOUR["teach"]
    ]
    return learn("ours", harbour, lessons)[0].profile


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize("is_open", [True, False])
def test_a_board_that_is_wider_than_high_is_read_from_every_side(
    harbour: BoardSpec, taught_harbour: Profile, quarters: int, is_open: bool
) -> None:
    shown = [(photo["photo"], photo["text"]) for photo in HARBOUR["photos"]]
    if not is_open:
        harbour, shown = replace(harbour, rows=(2, 2), cols=(3, 3), empty=False), []
    reader = Reader(harbour, taught_harbour)
    for name, text in [*shown, *HARBOUR["teach"]]:
        image = cv2.imread(str(CUSTOM / name))
        assert image is not None
        turned = np.ascontiguousarray(np.rot90(image, quarters))
        reading = reader.read(cv2.imencode(".jpg", turned)[1].tobytes())
        assert not isinstance(reading, BoardNotFound), (name, reading)
        assert reading.text == text
