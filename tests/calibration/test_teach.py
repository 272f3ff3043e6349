"""Two lesson photos make a stranger's set readable."""

import json
from pathlib import Path

import numpy as np
import pytest

from calibration.reader import open_reader
from calibration.teach import Lesson, LessonRejected, parse_layout, teach
from vision.boards import SEASONS_BOARD, STONES, TIME, BoardSpec, BoardSpecError
from vision.corners import Corners
from vision.geometry import sides

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
LESSONS = [Lesson((PHOTOS / name).read_bytes(), layout, name) for name, layout in TRUTH["teach"]]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("data")
    report = teach("ours", "stones", LESSONS, data)
    assert report.labels == {
        "sun": 1, "fish": 2, "horse": 3, "seed": 3, "moon": 1, "bird": 2, "boat": 3, "tree": 3,
    }  # fmt: skip
    return data


@pytest.mark.parametrize(
    "photo", [p for p in TRUTH["photos"] if p["tier"] == "easy"], ids=lambda p: p["photo"]
)
def test_a_taught_set_is_read_exactly(photo: dict[str, object], taught: Path) -> None:
    reading = open_reader("stones", "ours", taught).read((PHOTOS / str(photo["photo"])).read_bytes())
    assert reading.text == photo["text"]
    true = np.array([photo["quads"][f"{c.row},{c.col}"] for c in reading.cells])  # type: ignore[index]
    found = np.array([c.quad_xy for c in reading.cells])
    errors = np.linalg.norm(found - true, axis=2).mean(1) / sides(true.astype(np.float32))
    assert float(errors.mean()) < 0.06


@pytest.mark.parametrize("photo", TRUTH["photos"], ids=lambda p: p["photo"])
def test_wrong_cells_are_few_and_flagged(photo: dict[str, object], taught: Path) -> None:
    reading = open_reader("stones", "ours", taught).read((PHOTOS / str(photo["photo"])).read_bytes())
    true = [row.split() for row in str(photo["text"]).split(" / ")]
    wrong = [cell for cell in reading.cells if cell.label != true[cell.row][cell.col]]
    assert len(wrong) <= 2
    assert not any(cell.sure for cell in wrong)


@pytest.mark.parametrize("photo", TRUTH["photos"], ids=lambda p: p["photo"])
def test_no_reading_is_sure_and_wrong(photo: dict[str, object], taught: Path) -> None:
    data = (PHOTOS / str(photo["photo"])).read_bytes()
    for profile in ("ours", None):
        reading = open_reader("stones", profile, taught).read(data)
        assert reading.text == photo["text"] or not reading.sure


def test_corners_given_by_hand_are_enough(taught: Path) -> None:
    photo = TRUTH["photos"][0]
    corners = Corners(tuple((float(x), float(y)) for x, y in photo["outline"]))
    reading = open_reader("stones", "ours", taught).read((PHOTOS / photo["photo"]).read_bytes(), corners)
    assert reading.text == photo["text"]


def test_a_lesson_whose_layout_has_another_size_is_refused(tmp_path: Path) -> None:
    lesson = Lesson(LESSONS[0].photo, " / ".join(["sun " * 6] * 6), "lesson.jpg")
    with pytest.raises(LessonRejected, match=r"lesson\.jpg"):
        teach("ours", "stones", [lesson], tmp_path)


@pytest.mark.parametrize(
    ("text", "spec", "rows"),
    [
        (
            "su mo fi / bi ho bo / se tr tr",
            STONES,
            [["sun", "moon", "fish"], ["bird", "horse", "boat"], ["seed", "tree", "tree"]],
        ),
        ("fall/spring .\n. wi", TIME, [["autumn", "."], [".", "winter"]]),
        ("sp* 1! su .", SEASONS_BOARD, [["spring*", "1!", "summer", "."]]),
    ],
)
def test_layouts_read_prefixes(text: str, spec: BoardSpec, rows: list[list[str]]) -> None:
    assert parse_layout(text, spec) == rows


@pytest.mark.parametrize("text", ["", "sun moon / fish", "sun moon dragon", "s s s", "sun . moon"])
def test_layouts_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(LessonRejected):
        parse_layout(text, STONES)


def test_pattern_cards_say_that_they_are_not_read_yet(tmp_path: Path) -> None:
    with pytest.raises(BoardSpecError, match="cannot be read"):
        open_reader("cards", None, tmp_path)
