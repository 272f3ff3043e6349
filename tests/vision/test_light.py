"""The light that untaught stones lie in is found by what one box can hold."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.bent import in_light
from calibration.profiles import default_profile
from vision.boards import BOARDS
from vision.light import LIKELY, Tint, burnt_out, likeliest_tint, tinted
from vision.photo import decode_photo
from vision.read import read_board

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
CROPS = np.full((9, 64, 64, 3), 100, np.uint8)


def worth_most_at(red: float, blue: float) -> Callable[[Tint], float]:
    """Log probability that is greatest for that tint."""
    return lambda tint: -1.0 - 30 * (tint[0] - red) ** 2 - 30 * (tint[1] - blue) ** 2


@pytest.mark.parametrize(("red", "blue"), [(0.5, -0.3), (-0.4, 0.4), (0.25, 0.0), (-0.6, -0.6)])
def test_the_tint_is_found(red: float, blue: float) -> None:
    worth = worth_most_at(red, blue)
    tint = likeliest_tint(worth, worth((0.0, 0.0)))
    assert tint is not None
    assert np.abs(np.subtract(tint, (red, blue))).max() < 0.2


def test_white_light_is_left_alone() -> None:
    assert likeliest_tint(worth_most_at(0.0, 0.0), -1.0) is None


def test_nothing_is_looked_for_where_the_stones_are_likely_as_they_are() -> None:
    def worth(tint: Tint) -> float:
        raise AssertionError(tint)

    assert likeliest_tint(worth, LIKELY) is None


def test_green_and_the_shape_stay() -> None:
    lit = tinted(CROPS, (0.5, -0.5))
    assert lit.shape == CROPS.shape
    assert lit.dtype == np.uint8
    np.testing.assert_allclose(lit[0, 0, 0], (165, 100, 61), atol=1)


def test_white_prints_are_not_burnt_out_but_glare_is() -> None:
    crops = CROPS.copy()
    crops[1, 8:20, 8:20] = 255
    crops[2, 8:56, 8:56] = 255
    crops[3] = (255, 255, 120)
    assert burnt_out(crops).tolist() == [False, False, True, *[False] * 6]


@pytest.mark.parametrize("bgr", [(0.3, 0.62, 1.0), (1.0, 0.6, 0.35)], ids=["lamp", "blue"])
def test_stones_in_coloured_light_are_read_as_in_white(bgr: tuple[float, float, float]) -> None:
    truth = {p["photo"]: p["text"] for p in json.loads((PHOTOS / "truth.json").read_text())["photos"]}
    photo = decode_photo((PHOTOS / "easy_1.jpg").read_bytes())
    lit = replace(photo, image_bgr=in_light(photo.image_bgr, bgr))
    reading = read_board(lit, BOARDS["stones"], default_profile("stones"))
    assert reading.text == truth["easy_1.jpg"]
