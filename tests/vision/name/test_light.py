"""The light that untaught stones lie in is told by the network and taken away."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bent import in_light

from calibration.profiles import default_profile
from models.session import CROP_PX, read_stones
from vision.boards import BOARDS
from vision.geometry import Pyramid
from vision.name.light import gains_of, relit
from vision.name.untaught import MOST_LOOKS
from vision.photo import Photo, decode_photo
from vision.read import read_board

PHOTOS = Path(__file__).parents[3] / "fixtures" / "photos"


def photo_in(bgr: tuple[float, float, float]) -> Photo:
    photo = decode_photo((PHOTOS / "easy_1.jpg").read_bytes())
    return replace(photo, image_bgr=in_light(photo.image_bgr, bgr))


def crops_in(bgr: tuple[float, float, float]) -> np.ndarray:
    """The nine stones of a photo, cut out where they lie in white light."""
    stones = read_board(photo_in((1.0, 1.0, 1.0)), BOARDS["stones"], default_profile("stones"))
    pyramid = Pyramid(np.ascontiguousarray(photo_in(bgr).image_bgr[..., ::-1]))
    quads = photo_in((1.0, 1.0, 1.0)).from_full(
        np.concatenate([cell.quad_xy for cell in stones.cells])
    )
    return pyramid.crops(quads.reshape(-1, 4, 2).astype(np.float32), CROP_PX)


@pytest.mark.parametrize(
    "bgr", [(0.5, 0.8, 1.0), (1.0, 0.8, 0.6), (1.0, 0.7, 1.0)], ids=["lamp", "blue", "pink"]
)
def test_the_network_tells_the_light(bgr: tuple[float, float, float]) -> None:
    blue, green, red = bgr
    crops = crops_in(bgr)
    told = np.zeros(2, np.float32)
    for _ in range(MOST_LOOKS - 1):
        told += read_stones(relit(crops, gains_of(told)))[1]
    truth = np.log([red / green, blue / green])
    assert (np.abs(told - truth) < 0.1 + 0.5 * np.abs(truth)).all()


def test_green_and_the_shape_stay() -> None:
    crops = np.full((9, 64, 64, 3), 100, np.uint8)
    white = relit(crops, np.array([0.5, 1.0, 2.0], np.float32))
    assert white.shape == crops.shape
    assert white.dtype == np.uint8
    np.testing.assert_array_equal(white[0, 0, 0], (200, 100, 50))


@pytest.mark.parametrize("bgr", [(0.3, 0.62, 1.0), (1.0, 0.6, 0.35)], ids=["lamp", "blue"])
def test_stones_in_coloured_light_are_read_as_in_white(bgr: tuple[float, float, float]) -> None:
    truth = {
        p["photo"]: p["text"] for p in json.loads((PHOTOS / "truth.json").read_text())["photos"]
    }
    reading = read_board(photo_in(bgr), BOARDS["stones"], default_profile("stones"))
    assert reading.text == truth["easy_1.jpg"]
