"""What one photo hides another shows: several photos of a state are read as one."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lessons import Lesson
from calibration.reader import Reader, open_reader
from calibration.teach import teach
from vision.boards import STONES
from vision.errors import BoardNotFound

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
PHOTO, OTHER = TRUTH["photos"][:2]
IMAGE = cv2.imread(str(PHOTOS / PHOTO["photo"]))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    data = tmp_path_factory.mktemp("data")
    lessons = [
        Lesson((PHOTOS / name).read_bytes(), layout, name) for name, layout in TRUTH["teach"]
    ]
    teach("ours", "stones", lessons, data)
    return open_reader(STONES, "ours", data)


def jpeg(image: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


def with_glare(places: list[str], quarters: int = 0) -> bytes:
    """The easy photo with stones burnt out, taken from another side."""
    image = IMAGE.copy()
    for place in places:
        quad = np.array(PHOTO["quads"][place])
        cv2.fillConvexPoly(
            image,
            np.round((quad - quad.mean(0)) * 0.85 + quad.mean(0)).astype(int),
            (255, 255, 255),
        )
    return jpeg(np.ascontiguousarray(np.rot90(image, quarters)))


def test_glare_in_different_places_is_made_good(reader: Reader) -> None:
    data = [with_glare(["0,0", "1,1"]), with_glare(["2,1", "2,2"], 1), with_glare(["0,2"], 2)]
    assert not any(reader.read(each).sure for each in data)
    fused = reader.read_same(data)
    assert fused.reading.text == PHOTO["text"]
    assert fused.reading.sure
    assert fused.used == (0, 1, 2)


def test_quads_are_those_of_the_photo_that_is_named(reader: Reader) -> None:
    data = [with_glare(["0,0", "0,1", "0,2"], 1), jpeg(IMAGE)]
    fused = reader.read_same(data)
    assert fused.reference == 1
    true = np.array([PHOTO["quads"][f"{c.row},{c.col}"] for c in fused.reading.cells])
    assert np.abs(np.array([c.quad_xy for c in fused.reading.cells]) - true).max() < 20


def test_what_is_hidden_in_every_photo_stays_doubtful(reader: Reader) -> None:
    fused = reader.read_same([with_glare(["1,1"]), with_glare(["1,1", "0,0"], 3)])
    doubtful = [(c.row, c.col) for c in fused.reading.cells if not c.sure]
    assert (1, 1) in doubtful
    assert "row 2 column 2" in " ".join(fused.reading.problems)


def test_a_photo_without_the_board_is_left_out(reader: Reader) -> None:
    grey = jpeg(np.full((600, 800, 3), 120, np.uint8))
    fused = reader.read_same([grey, jpeg(IMAGE)])
    assert (fused.used, fused.left_out[0][0]) == ((1,), 0)
    with pytest.raises(BoardNotFound):
        reader.read_same([grey, grey])


def test_another_state_among_the_photos_is_told_and_never_sure(reader: Reader) -> None:
    """None is read that lies in no photo: fused, some stones would come from each."""
    fused = reader.read_same([jpeg(IMAGE), (PHOTOS / OTHER["photo"]).read_bytes()])
    assert not fused.reading.sure
    assert fused.reading.text in (PHOTO["text"], OTHER["text"])
    assert [reason for _, reason in fused.left_out] == ["It shows another state of the board."]
    (asked,) = fused.reading.doubts
    assert (asked.kind, "different states" in asked.question) == ("set", True)


def test_untaught_stones_are_fused_from_two_sides(tmp_path: Path) -> None:
    """Each stone's own evidence of the direction follows it into the other photo's order."""
    untaught = open_reader(STONES, None, tmp_path)
    fused = untaught.read_same(
        [with_glare(["0,0", "1,1"]), with_glare(["2,1"], 1), with_glare(["0,2"], 2)]
    )
    assert fused.used == (0, 1, 2)
    assert fused.reading.text == PHOTO["text"]
