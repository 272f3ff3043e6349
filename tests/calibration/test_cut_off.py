"""Part of a board is no board: what the photo cuts off is never made up."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.reader import Reader, open_reader
from vision.boards import STONES
from vision.errors import BoardNotFound

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))["photos"]
BOARDS = [one for one in TRUTH if one["photo"].startswith(("easy", "medium"))]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return open_reader(STONES, None, tmp_path_factory.mktemp("data"))


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
