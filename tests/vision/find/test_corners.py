"""Corners shown with a finger are good enough."""

import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from vision.boards import STONES
from vision.errors import BoardNotFound
from vision.find.corners import Corners, CornersRejected, board_at_corners, snapped
from vision.geometry import UNIT_SQUARE, Pyramid
from vision.photo import decode_photo

PHOTOS = Path(__file__).parents[3] / "fixtures" / "photos"
TRUTH = json.loads((PHOTOS / "truth.json").read_text(encoding="utf-8"))
CELL = 1 / 3


@pytest.mark.parametrize("truth", TRUTH["photos"], ids=lambda truth: truth["photo"])
def test_corners_are_moved_onto_the_grid(truth: dict[str, object]) -> None:
    photo = decode_photo((PHOTOS / str(truth["photo"])).read_bytes(), 1000)
    image = photo.image_rgb
    outline = photo.from_full(np.array(truth["outline"]))
    cell = float(np.linalg.norm(outline[0] - outline[2])) * CELL / np.sqrt(2)
    off = np.array([[1, 0.4], [-0.6, 1], [0.5, -1], [-1, -0.5]], np.float32) * 0.2 * cell
    found = snapped(image, outline + off, 3, 3)
    assert np.linalg.norm(found - outline, axis=1).max() < 0.18 * cell
    assert np.linalg.norm(off, axis=1).max() > 0.22 * cell


def test_where_nothing_is_seen_corners_stay() -> None:
    image = np.full((600, 800, 3), 120, np.uint8)
    quad = np.array([[100, 100], [700, 120], [690, 520], [90, 500]], np.float32)
    assert (snapped(image, quad, 3, 3) == quad).all()


def test_corners_of_another_place_stay() -> None:
    """Corners that outline only a part of the grid mean another grid; nothing is guessed."""
    truth = TRUTH["photos"][0]
    photo = decode_photo((PHOTOS / truth["photo"]).read_bytes(), 1000)
    image = photo.image_rgb
    first, second, third, _ = photo.from_full(np.array(truth["outline"]))
    part = np.stack([first, second, (second + third) / 2, (first + third) / 2])
    assert (snapped(image, part, 3, 3) == part).all()


@pytest.mark.parametrize(("away", "refused"), [(0.4, False), (-0.6, True), (0.6, True), (5, True)])
def test_corners_outside_the_photo_are_refused(away: float, refused: bool) -> None:
    photo = decode_photo((PHOTOS / "easy_1.jpg").read_bytes(), 1000)
    h, w = photo.full_hw
    corners = Corners.at(UNIT_SQUARE * (w, h) + (away * w, 0))
    told = rf"outside the photo \({w} x {h} pixels\)"
    with pytest.raises(BoardNotFound, match=told) if refused else nullcontext():
        assert board_at_corners(photo, STONES, corners, Pyramid(photo.image_rgb)).cells


@pytest.mark.parametrize(
    "text",
    ["", "1,2", "0,0 9,0 9,9", "0,0 9,0 9,9 0,y", "nan,0 9,0 9,9 0,9", "1e7,0 9,0 9,9 0,9"],
)
def test_what_is_no_corners_is_told_what_they_look_like(text: str) -> None:
    with pytest.raises(CornersRejected, match='expected "photo" or four corners "x,y x,y x,y x,y"'):
        Corners.parse(text)
