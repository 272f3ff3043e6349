"""Straightening: a board seen aslant looked at again as if from straight above."""

import cv2
import numpy as np
import pytest

from vision.boards import BOARDS
from vision.geometry import UNIT_SQUARE, Pyramid, homography, inverse, transform
from vision.lattice import Lattice
from vision.locate import MARGIN, STRAIGHT_PX, _straight_view

ASLANT_OUTLINE = [[300, 100], [500, 100], [760, 560], [60, 560]]


def lattice_of(outline, rows=6, cols=6):
    to_photo = homography((UNIT_SQUARE * [cols, rows]) - 0.5, outline)
    cells = {
        (r, c): transform(to_photo, np.array([c, r]) + (UNIT_SQUARE - 0.5) * 0.9)
        for r in range(rows)
        for c in range(cols)
    }
    return Lattice(cells, dict.fromkeys(cells, 0.9), to_photo, rows, cols, (0.45, 0.45))


def test_a_straightened_board_has_square_cells_of_one_size():
    lattice = lattice_of(ASLANT_OUTLINE)
    to_photo, size_wh = _straight_view(lattice, BOARDS["seasons"])
    flat = np.stack([transform(inverse(to_photo), quad) for quad in lattice.cells.values()])
    edges = np.linalg.norm(np.roll(flat, -1, 1) - flat, axis=2)
    assert edges.std() < 0.01 * edges.mean()
    assert (flat > 0).all()
    assert (flat < size_wh).all()
    assert max(size_wh) <= STRAIGHT_PX


def test_a_board_of_open_shape_gets_more_room():
    to_photo, size_wh = _straight_view(
        lattice_of([[350, 300], [450, 300], [500, 400], [300, 400]], 3, 3), BOARDS["time"]
    )
    corner = transform(to_photo, np.array([0.0, 0.0]) - 0.5)
    assert np.isfinite(corner).all()
    assert size_wh[1] / (3 - 0.1 + 2 * MARGIN) == pytest.approx(64, abs=1)


def test_what_would_reach_behind_the_camera_is_shown_with_less_room_or_not_at_all():
    steep = lattice_of([[399, 300], [401, 300], [760, 560], [60, 560]], 4, 4)
    view = _straight_view(steep, BOARDS["time"])
    if view is not None:
        to_photo, size_wh = view
        corners = transform(to_photo, UNIT_SQUARE * np.array(size_wh) - 0.5)
        assert cv2.isContourConvex(corners)


def test_a_flattened_picture_shows_what_lies_under_its_points():
    photo = np.zeros((400, 400, 3), np.uint8)
    photo[100:300, 200:300] = (200, 40, 0)
    to_photo = np.array([[2.0, 0, 100.5], [0, 2.0, 50.5], [0, 0, 1]])
    picture = Pyramid(photo).flattened(to_photo, (120, 150))
    assert picture.shape == (150, 120, 3)
    assert tuple(picture[75, 75]) == (200, 40, 0)
    assert picture[75, 30].max() == 0
    left_edge = np.flatnonzero(picture[75, :, 0] > 100)[0]
    assert left_edge == pytest.approx((200 - 100.5) / 2, abs=1)
