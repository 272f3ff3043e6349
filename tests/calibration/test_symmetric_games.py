"""A board whose pieces look the same turned is read as its photo shows it, and no side is asked."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lessons import Lesson
from calibration.reader import Reader
from calibration.teach import learn
from vision.boards import BoardSpec
from vision.photo import decode_photo
from vision.profile import Profile
from vision.reading import Reading

FOLDER = Path(__file__).parents[2] / "fixtures" / "own_games"
LIES = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
UNTURNED = LIES["ribbons_game"]


@pytest.fixture(scope="module")
def spec() -> BoardSpec:
    board = {"name": "ribbons", "rows": [1, 8], "cols": [1, 8], "empty": True}
    return BoardSpec.from_table(board | {"direction": "any"})


@pytest.fixture(scope="module")
def profile(spec: BoardSpec) -> Profile:
    photo = (FOLDER / "ribbons_lesson.jpg").read_bytes()
    return learn("ours", spec, [Lesson(photo, LIES["ribbons_lesson"], "lesson")])[0].profile


def turned(text: str, quarters: int) -> str:
    """The text of a board after quarter turns counterclockwise."""
    rows = [row.split() for row in text.split(" / ")]
    for _ in range(quarters):
        rows = [list(column) for column in zip(*rows, strict=True)][::-1]
    return " / ".join(" ".join(row) for row in rows)


def seen_from(side: int) -> bytes:
    """The photo of the game, turned by quarters counterclockwise."""
    image = np.rot90(cv2.imread(str(FOLDER / "ribbons_game.jpg")), side)
    return cv2.imencode(".jpg", np.ascontiguousarray(image))[1].tobytes()


def kinds(reading: Reading) -> set[str]:
    return {doubt.kind for doubt in reading.doubts}


@pytest.mark.parametrize("side", range(4))
def test_the_text_is_told_from_the_upright_side_of_the_photo(
    side: int, spec: BoardSpec, profile: Profile
) -> None:
    reading = Reader(spec, profile).read(seen_from(side))
    assert reading.text == turned(UNTURNED, side)
    assert "direction" not in kinds(reading)


def test_without_the_word_the_same_photo_leaves_the_direction_open(
    spec: BoardSpec, profile: Profile
) -> None:
    told = replace(spec, direction="pieces")
    assert "direction" in kinds(Reader(told, profile).read(seen_from(0)))


def test_the_first_corner_of_a_cell_is_its_upper_left_in_the_photo(
    spec: BoardSpec, profile: Profile
) -> None:
    data = seen_from(1)
    height, width = decode_photo(data, 1000).full_hw
    for cell in Reader(spec, profile).read(data).cells:
        middle = cell.quad_xy.mean(0)
        assert (cell.quad_xy[0] < middle).all(), (cell.row, cell.col)
        assert (middle < (width, height)).all()
