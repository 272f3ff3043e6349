"""Part of a board is no board: what the photo cuts off is never made up."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lessons import Lesson
from calibration.reader import Reader, open_reader
from calibration.teach import learn
from vision.boards import STONES, BoardSpec
from vision.errors import BoardNotFound

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
OWN_GAMES = PHOTOS.parent / "own_games"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))["photos"]
BOARDS = [one for one in TRUTH if one["photo"].startswith(("easy", "medium"))]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return open_reader(STONES, None, tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def own_games() -> dict[str, Reader]:
    """Readers of games of one's own, taught by a photo each."""
    readers = {}
    layouts = json.loads((OWN_GAMES / "answers.json").read_text(encoding="utf-8"))
    for name in ("ribbons", "meadows"):
        spec = BoardSpec.from_toml((OWN_GAMES / f"{name}.toml").read_text(encoding="utf-8"))
        photo = (OWN_GAMES / f"{name}_lesson.jpg").read_bytes()
        taught, _ = learn("ours", spec, [Lesson(photo, layouts[f"{name}_lesson"], "lesson")])
        readers[name] = Reader(spec, taught.with_details())
    return readers


@pytest.mark.parametrize("side", ["top", "bottom", "left", "two thirds"])
@pytest.mark.parametrize("board", BOARDS, ids=lambda one: str(one["photo"]))
def test_part_of_the_stones_is_refused(reader: Reader, board: dict, side: str) -> None:
    image = cv2.imread(str(PHOTOS / board["photo"]))
    points = np.concatenate([np.array(quad) for quad in board["quads"].values()])
    (left, top), (right, bottom) = points.min(0), points.max(0)
    x, y = int(left + right) // 2, int(top + bottom) // 2
    part = {
        "top": image[:y],
        "bottom": image[y:],
        "left": image[:, :x],
        "two thirds": image[: int(top + 0.67 * (bottom - top))],
    }[side]
    with pytest.raises(BoardNotFound) as refused:
        reader.read(cv2.imencode(".jpg", part)[1].tobytes())
    assert refused.value.code in ("cut_off", "no_board")
    assert "cut off" in refused.value.message or "show the whole board" in refused.value.message


@pytest.mark.parametrize(
    ("name", "whole"),
    [("ribbons", (4, 5)), ("meadows", (5, 5))],
    ids=["of any size", "of one size"],
)
@pytest.mark.parametrize("side", ["top", "bottom", "left", "right"])
def test_an_open_board_whose_row_is_cut_away_is_asked_about(
    own_games: dict[str, Reader], name: str, whole: tuple[int, int], side: str
) -> None:
    """Nobody can tell whether pieces lie where the photo ends beside the others."""
    photo = (OWN_GAMES / f"{name}_game.jpg").read_bytes()
    image, reader = cv2.imdecode(np.frombuffer(photo, np.uint8), 1), own_games[name]
    reading = reader.read(photo)
    assert not isinstance(reading, BoardNotFound)
    assert not reading.doubts
    cells = [cell for cell in reading.cells if cell.label != "."]
    quads = np.concatenate([np.array(cell.quad_xy) for cell in cells])
    (left, top), (right, bottom) = quads.min(0), quads.max(0)
    high, wide = (bottom - top) / whole[0], (right - left) / whole[1]
    part = {
        "top": image[int(top + high) :],
        "bottom": image[: int(bottom - high)],
        "left": image[:, int(left + wide) :],
        "right": image[:, : int(right - wide)],
    }[side]
    cut = reader.read(cv2.imencode(".jpg", part)[1].tobytes())
    assert not isinstance(cut, BoardNotFound)
    assert cut.doubts
    assert name == "meadows" or any(doubt.kind == "extent" for doubt in cut.doubts)
