"""A harbour with one boat: a boat under a figure is read, for every lesson had one boat."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lessons import Lesson, parse_layout
from calibration.profiles import load_profile
from calibration.teach import add_lessons, learn, teach
from vision.boards import BoardSpec
from vision.find.corners import Corners
from vision.photo import decode_photo
from vision.read import read_board

ART = Path(__file__).parents[2] / "fixtures" / "art" / "paper"
TILE = 160
WHOLE = Corners.parse("photo")
HARBOUR = 'name = "harbour"\nrows = 3\ncols = 3\nempty = true\n'
LAYOUTS = (
    "boat sun fish / fish sun sun / bird fish sun",
    "sun sun fish / bird boat bird / sun fish fish",
    "bird bird sun / fish fish fish / sun sun boat",
    "fish bird sun / boat fish bird / fish sun sun",
)
GAME = "sun fish bird / sun sun boat / fish fish bird"
COVERED = (1, 2)


def photo(layout: str, spec: BoardSpec, covered: tuple[int, int] | None = None) -> bytes:
    """The board seen from straight above; a figure stands on the ``covered`` tile."""
    rows = parse_layout(layout, spec)
    tiles = [
        [cv2.resize(cv2.imread(str(ART / f"{label}.png")), (TILE, TILE)) for label in row]
        for row in rows
    ]
    image = cv2.resize(np.vstack([np.hstack(row) for row in tiles]), None, fx=2.2, fy=2.2)
    if covered is not None:
        y, x = (round((place + 0.5) * TILE * 2.2) for place in covered)
        cv2.rectangle(image, (x - 145, y - 150), (x + 145, y + 150), (40, 60, 190), -1)
        cv2.circle(image, (x, y - 20), 60, (30, 190, 220), -1)
    image = cv2.GaussianBlur(image, (0, 0), 1.5)
    return bytes(cv2.imencode(".jpg", image)[1])


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "harbour.toml"
    path.write_text(HARBOUR, encoding="utf-8")
    return path


def lessons(spec: BoardSpec) -> list[Lesson]:
    return [Lesson(photo(layout, spec), layout, f"{k}.jpg") for k, layout in enumerate(LAYOUTS)]


def test_the_one_boat_is_read_though_a_figure_hides_it(board: Path, tmp_path: Path) -> None:
    spec = BoardSpec.from_toml(HARBOUR)
    first, *later = lessons(spec)
    teach("mine", str(board), [first], tmp_path, WHOLE)
    add_lessons("mine", str(board), later, tmp_path, WHOLE)
    profile = load_profile("mine", "harbour", tmp_path)
    assert [counts["boat"] for counts in profile.boards] == [1, 1, 1, 1]
    shown = decode_photo(photo(GAME, spec, COVERED))
    assert read_board(shown, spec, profile, WHOLE).text == GAME


def test_parts_of_a_board_do_not_tell_how_often_a_piece_lies_on_it() -> None:
    spec = BoardSpec.from_toml(HARBOUR.replace("rows = 3", "rows = [3, 4]"))
    taught, _ = learn("mine", spec, lessons(spec), WHOLE)
    assert taught.profile.boards == ()


def test_without_the_numbers_it_would_be_taken_for_another() -> None:
    spec = BoardSpec.from_toml(HARBOUR)
    taught, _ = learn("mine", spec, lessons(spec), WHOLE)
    untold = replace(taught.profile, boards=())
    assert read_board(decode_photo(photo(GAME, spec, COVERED)), spec, untold, WHOLE).text != GAME
