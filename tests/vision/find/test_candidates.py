"""Finding pieces: laid by hand, seen aslant and looked at again, with given corners."""

import cv2
import numpy as np
import pytest

from vision.boards import BOARDS, STONES
from vision.find import candidates
from vision.find.candidates import (
    MARGIN,
    STRAIGHT_PX,
    candidate_boards,
    extended,
    familiar_pieces,
    straight_view,
)
from vision.find.corners import cells_of_corners, pieces_within, refined_at_corners
from vision.find.lattice import Lattice
from vision.geometry import UNIT_SQUARE, Floats, Pyramid, homography, inverse, transform

ASLANT_OUTLINE = [[300, 100], [500, 100], [760, 560], [60, 560]]


def lattice_of(outline, rows=6, cols=6):
    to_photo = homography((UNIT_SQUARE * [cols, rows]) - 0.5, outline)
    cells = {
        (r, c): transform(to_photo, np.array([c, r]) + (UNIT_SQUARE - 0.5) * 0.9)
        for r in range(rows)
        for c in range(cols)
    }
    return Lattice(cells, dict.fromkeys(cells, 0.9), to_photo, rows, cols, (0.45, 0.45))


def detected_as(monkeypatch, quads_xy, refine_quads):
    """The boards of an empty photo in which the detector sees these quads."""
    scores = np.full(len(quads_xy), 0.9, np.float32)
    monkeypatch.setattr(candidates, "nearly_sized", lambda pyramid, _: (pyramid.levels[0], 1.0))
    monkeypatch.setattr(candidates, "detect_pieces", lambda _: (quads_xy, scores))
    monkeypatch.setattr(candidates, "refine_quads", refine_quads)
    monkeypatch.setattr(candidates, "whole_pieces", lambda pyramid, quads_xy, there: quads_xy)
    return candidate_boards(Pyramid(np.zeros((480, 640, 3), np.uint8)), STONES)


def test_pieces_laid_with_uneven_gaps_are_taken_where_they_are_seen(monkeypatch):
    """Rows and columns that look like a table seen aslant, where pieces differ in size."""
    places = [(r, c) for r in range(3) for c in range(3)]
    columns = np.array([100.0, 210.0, 340.0])
    seen = np.stack(
        [(columns[c], 60 + 110 * r) + (UNIT_SQUARE - 0.5) * 100 for r, c in places]
    ).astype(np.float32)

    def refined(pyramid, quads_xy, rounds=2, evened=None):
        return seen, np.ones(9, np.float32)

    board = next(detected_as(monkeypatch, seen + np.float32(6), refined))
    assert all(np.array_equal(cell.quad_xy, seen[3 * cell.row + cell.col]) for cell in board.cells)


@pytest.mark.parametrize("whole", [True, False])
def test_no_halves_are_joined_of_what_is_known_to_be_whole(whole, monkeypatch):
    tiles = np.stack(
        [(100 + 110 * c, 60 + 110 * r) + (UNIT_SQUARE - 0.5) * 100 for r in (0, 1) for c in (0, 1)]
    ).astype(np.float32)
    joined = []

    def halves(quads_xy, scores):
        joined.append(len(quads_xy))
        return quads_xy[:0], scores[:0]

    def refined(pyramid, quads_xy, rounds=2, evened=None):
        return quads_xy, np.ones(len(quads_xy), np.float32)

    detected_as(monkeypatch, tiles, refined)
    monkeypatch.setattr(candidates, "joined_halves", halves)
    pyramid = Pyramid(np.zeros((480, 640, 3), np.uint8))
    boards = list(candidate_boards(pyramid, BOARDS["time"], whole=lambda: whole))
    assert len(boards) == 2  # one of each look
    assert joined == ([] if whole else [4, 4])


def test_a_straightened_board_has_square_cells_of_one_size():
    lattice = lattice_of(ASLANT_OUTLINE)
    to_photo, size_wh = straight_view(lattice, BOARDS["seasons"])
    flat = np.stack([transform(inverse(to_photo), quad) for quad in lattice.cells.values()])
    edges = np.linalg.norm(np.roll(flat, -1, 1) - flat, axis=2)
    assert edges.std() < 0.01 * edges.mean()
    assert (flat > 0).all()
    assert (flat < size_wh).all()
    assert max(size_wh) <= STRAIGHT_PX


def test_a_board_of_open_shape_gets_more_room():
    to_photo, size_wh = straight_view(
        lattice_of([[350, 300], [450, 300], [500, 400], [300, 400]], 3, 3), BOARDS["time"]
    )
    corner = transform(to_photo, np.array([0.0, 0.0]) - 0.5)
    assert np.isfinite(corner).all()
    assert size_wh[1] / (3 - 0.1 + 2 * MARGIN) == pytest.approx(64, abs=1)


@pytest.mark.parametrize(("half_far_px", "margin"), [(150, MARGIN), (100, MARGIN / 2), (60, 0.3)])
def test_a_steep_board_is_shown_with_less_room(half_far_px: int, margin: float) -> None:
    outline = [[400 - half_far_px, 300], [400 + half_far_px, 300], [760, 560], [60, 560]]
    to_photo, size_wh = straight_view(lattice_of(outline, 4, 4), BOARDS["time"])
    assert size_wh[1] / (4 - 0.1 + 2 * margin) == pytest.approx(64, abs=3)
    corners = transform(to_photo, UNIT_SQUARE * np.array(size_wh) - 0.5)
    assert cv2.isContourConvex(corners)


def test_what_would_reach_behind_the_camera_is_not_shown() -> None:
    outline = [[399, 300], [401, 300], [760, 560], [60, 560]]
    assert straight_view(lattice_of(outline, 4, 4), BOARDS["time"]) is None


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


def overlap(quads_xy, whole_xy):
    """Overlap of each quad with its best whole piece, as a share of the larger area, shape (n,)."""
    shared = []
    for quad in np.asarray(quads_xy, np.float32):
        best = 0.0
        for whole in np.asarray(whole_xy, np.float32):
            common, _ = cv2.intersectConvexConvex(quad, whole)
            largest = max(cv2.contourArea(quad), cv2.contourArea(whole))
            best = max(best, float(common) / largest)
        shared.append(best)
    return np.array(shared)


@pytest.fixture
def unmoved(monkeypatch):
    """A refiner that leaves every guess where it is and believes in it."""
    monkeypatch.setattr(
        candidates,
        "refine_quads",
        lambda pyramid, quads: (quads.astype(np.float32), np.ones(len(quads), np.float32)),
    )


def test_the_whole_card_is_found_around_a_part_of_it(unmoved):
    card = UNIT_SQUARE * [70, 100] + [200, 150]
    other = UNIT_SQUARE * [70, 100] + [275, 150]
    meadow = UNIT_SQUARE * [70, 57] + [200, 193]  # the sky above it was seen as something else
    sky = UNIT_SQUARE * [70, 57] + [275, 150]
    pyramid = Pyramid(np.zeros((500, 600, 3), np.uint8))
    parts = np.stack([meadow, sky]).astype(np.float32)
    found, alike = familiar_pieces(pyramid, parts, lambda quads: overlap(quads, [card, other]))
    assert len(found) == 2
    assert overlap(found, [card, other]).min() > 0.97
    assert overlap(np.stack([card, other]), found).min() > 0.97
    assert alike.min() > 0.97


def test_nothing_familiar_is_found_where_nothing_was_taught(unmoved):
    pyramid = Pyramid(np.zeros((500, 600, 3), np.uint8))
    parts = (UNIT_SQUARE[None] * 60 + 200).astype(np.float32)
    assert len(familiar_pieces(pyramid, parts, lambda quads: np.full(len(quads), 0.5))[0]) == 0


def test_a_missed_card_beside_the_grid_is_taken_in(unmoved):
    lattice = lattice_of([[200, 200], [400, 200], [400, 300], [200, 300]], 1, 2)
    above = transform(lattice.to_photo, np.array([0, -1]) + (UNIT_SQUARE - 0.5) * 0.9)
    pyramid = Pyramid(np.zeros((600, 600, 3), np.uint8))
    grown = extended(pyramid, lattice, BOARDS["time"], lambda quads: overlap(quads, [above]))
    assert (grown.rows, grown.cols) == (2, 2)
    assert set(grown.cells) == {(0, 0), (1, 0), (1, 1)}
    assert np.allclose(grown.cells[0, 0], above, atol=0.1)
    assert np.allclose(grown.expected_quad(1, 1), lattice.expected_quad(0, 1), atol=0.1)
    assert (
        extended(pyramid, lattice, BOARDS["time"], lambda quads: np.full(len(quads), 0.6))
        is lattice
    )
    assert (
        extended(pyramid, lattice, BOARDS["stones"], lambda quads: np.ones(len(quads))) is lattice
    )


def test_a_card_is_not_taken_in_twice(monkeypatch):
    """The search for the place beside it moves onto the card that lies there."""
    lattice = lattice_of([[200, 200], [400, 200], [400, 300], [200, 300]], 1, 2)
    card = lattice.cells[0, 1]
    monkeypatch.setattr(
        candidates,
        "refine_quads",
        lambda _, quads: (np.repeat(card[None] * 1.002, len(quads), 0), np.ones(len(quads))),
    )
    pyramid = Pyramid(np.zeros((600, 600, 3), np.uint8))
    assert extended(pyramid, lattice, BOARDS["time"], lambda quads: np.ones(len(quads))) is lattice


def test_crooked_pieces_between_given_corners_are_found_where_they_lie():
    """Moved by up to a fifth of a cell and turned, farther than the refiner alone reaches."""
    rng = np.random.default_rng(4)
    picture = np.clip(np.array([96, 70, 44]) + rng.normal(0, 4, (480, 480, 3)), 0, 255).astype(
        np.uint8
    )
    true = {}
    for row in range(3):
        for col in range(3):
            angle = rng.uniform(-0.2, 0.2)
            turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
            middle = 90 + 100 * np.array([col + 0.5, row + 0.5]) + rng.uniform(-20, 20, 2)
            true[row, col] = ((UNIT_SQUARE - 0.5) * 72 @ turn + middle).astype(np.float32)
            cv2.fillConvexPoly(picture, true[row, col].round().astype(np.int32), (225, 215, 190))
            cv2.circle(picture, middle.round().astype(int).tolist(), 18, (30, 90, 160), -1)
    board = cells_of_corners(UNIT_SQUARE * np.float32(300) + 90, 3, 3)
    for cell in refined_at_corners(board, Pyramid(picture)).cells:
        assert np.abs(cell.quad_xy - true[cell.row, cell.col]).max() < 5


def test_cells_stay_where_no_piece_is_detected():
    board = cells_of_corners(UNIT_SQUARE * np.float32(300) + 90, 3, 3)
    bare = pieces_within(board, Pyramid(np.full((480, 480, 3), 120, np.uint8)))
    assert np.array_equal(bare, np.stack([cell.quad_xy for cell in board.cells]))


@pytest.mark.parametrize("seen", [(0, 1), (1, 2)])
def test_a_column_that_was_missed_lies_where_pieces_seem_to_lie(
    seen: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two columns of three are detected: the refiner tells on which side the third one is."""
    middles = np.array([(c, r) for r in range(3) for c in range(3)], np.float32)
    stones = ((UNIT_SQUARE - 0.5) * 50 + middles[:, None] * 55 + 150).astype(np.float32)

    def refine_quads(_: Pyramid, quads: Floats, **__: object) -> tuple[Floats, Floats]:
        x = quads.mean(1)[:, 0]
        return quads, ((x > 120) & (x < 290)).astype(np.float32)

    board = next(detected_as(monkeypatch, stones[np.isin(np.arange(9) % 3, seen)], refine_quads))
    found = np.stack([cell.quad_xy for cell in board.cells])
    np.testing.assert_allclose(np.sort(found.mean(1), 0), np.sort(stones.mean(1), 0), atol=1)
