"""Pieces are equally large and lie on one plane."""

import numpy as np
import pytest

from vision.find import rigid
from vision.find.board import LocatedBoard, LocatedCell
from vision.find.rigid import equal_pieces, plane_of, with_equal_tiles
from vision.geometry import UNIT_SQUARE, Floats, Pyramid, homography, transform

ASLANT = homography(
    [[0, 0], [3, 0], [3, 3], [0, 3]], [[120, 80], [420, 110], [470, 400], [60, 360]]
)
"""A table seen aslant, from places of a grid."""
ALL = np.ones(9, bool)
PYRAMID = Pyramid(np.zeros((8, 8, 3), np.uint8))


def laid(rng: np.random.Generator, width: float, height: float) -> Floats:
    """Nine crooked pieces of that size on the table, as they are seen."""
    quads = []
    for k in range(9):
        angle = rng.normal(0, 0.08)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        middle = np.array([k % 3, k // 3]) + 0.5 + rng.normal(0, 0.04, 2)
        quads.append(middle + (UNIT_SQUARE - 0.5) * (width, height) @ turn)
    return transform(ASLANT, np.stack(quads))


@pytest.mark.parametrize(
    ("width", "height", "aspect"), [(0.9, 0.9, 1.0), (0.6, 0.9, 1.5), (0.6, 0.9, None)]
)
def test_pieces_that_are_seen_as_they_lie_stay_there(
    width: float, height: float, aspect: float | None
) -> None:
    quads = laid(np.random.default_rng(3), width, height)
    assert np.abs(equal_pieces(quads, ALL, aspect) - quads).max() < (2.5 if aspect is None else 0.1)


@pytest.mark.parametrize(
    ("width", "height", "aspect"), [(0.9, 0.9, 1.0), (0.6, 0.9, 1.5), (0.6, 0.9, None)]
)
def test_corners_that_are_seen_a_little_off_come_nearer(
    width: float, height: float, aspect: float | None
) -> None:
    rng = np.random.default_rng(5)
    before, after = [], []
    for _ in range(20):
        true = laid(rng, width, height)
        seen = (true + rng.normal(0, 2.0, true.shape)).astype(np.float32)
        before.append(np.linalg.norm(seen - true, axis=2).mean())
        after.append(np.linalg.norm(equal_pieces(seen, ALL, aspect) - true, axis=2).mean())
    assert np.mean(after) < (0.9 if aspect is None else 0.8) * np.mean(before)


def test_a_quad_of_another_size_is_kept_and_tells_the_others_nothing() -> None:
    quads = laid(np.random.default_rng(7), 0.9, 0.9)
    odd = quads.copy()
    odd[4] = odd[4].mean(0) + (odd[4] - odd[4].mean(0)) * 0.6
    evened = equal_pieces(odd, ALL & (np.arange(9) != 4), aspect=1.0)
    assert np.array_equal(evened[4], odd[4])
    assert np.abs(np.delete(evened - quads, 4, 0)).max() < 0.1


def test_gaps_between_pieces_say_nothing_of_the_plane() -> None:
    """Uneven ones seem to lie on a table seen aslant, on which the pieces are not equally large."""
    places = np.array([(x, y) for y in (100, 205, 420) for x in (100, 205, 420)], np.float32)
    quads = (places[:, None] + (UNIT_SQUARE - 0.5) * 100).astype(np.float32)
    plane = plane_of(quads, ALL, aspect=1.0)
    assert plane is not None
    assert np.abs(plane.sizes / plane.size - 1).max() < 1e-3


def test_what_does_not_tell_the_plane_changes_nothing() -> None:
    quads = laid(np.random.default_rng(9), 0.9, 0.9) + np.float32(1.5)
    assert equal_pieces(quads, np.arange(9) < 3, aspect=1.0) is quads
    sides = np.array([4, 4, 4, 200])[
        :, None, None
    ]  # the first lies behind the camera, if they are equal
    beyond = (
        np.array([[0, 0], [100, 10], [200, 0], [300, 10]])[:, None] + (UNIT_SQUARE - 0.5) * sides
    ).astype(np.float32)
    assert equal_pieces(beyond, np.ones(4, bool), aspect=1.0) is beyond


def test_tiles_of_a_printed_board_are_framed_equally_large_and_its_bare_cells_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The refiner sees no more than the crooked corners; the bare cells are larger."""
    rng = np.random.default_rng(11)
    true = laid(rng, 0.8, 0.8)
    seen = (true + rng.normal(0, 2.0, true.shape)).astype(np.float32)
    bare = np.isin(np.arange(9), (2, 6))
    seen[bare] = seen[bare].mean(1, keepdims=True) + 1.15 * (
        seen[bare] - seen[bare].mean(1, keepdims=True)
    )
    cells = tuple(LocatedCell(k // 3, k % 3, quad, 0.9) for k, quad in enumerate(seen))
    asked = []

    def refine(_: Pyramid, quads: Floats, rounds: int) -> tuple[Floats, Floats]:
        asked.append((len(quads), rounds))
        return quads, np.ones(len(quads), np.float32)

    monkeypatch.setattr(rigid, "refine_quads", refine)
    board = LocatedBoard(3, 3, cells, seen[0])
    even = with_equal_tiles(PYRAMID, board, ~bare, aspect=1.0)
    assert asked == [(7, 1)]
    assert np.array_equal(even.quads_xy[bare], seen[bare])
    off = [np.linalg.norm(q - true, axis=2)[~bare].mean() for q in (board.quads_xy, even.quads_xy)]
    assert off[1] < 0.85 * off[0]
    assert with_equal_tiles(PYRAMID, board, np.zeros(9, bool), aspect=1.0) is board
