"""Pieces that were framed without a band at their edge are framed whole."""

from dataclasses import replace

import numpy as np
import pytest
from drawn_grids import located

from vision.find.board import LocatedBoard
from vision.find.whole import framed_whole
from vision.geometry import UNIT_SQUARE, Floats, homography, transform, within_quads

ASLANT = homography(
    [[0, 0], [150, 0], [150, 150], [0, 150]], [[120, 80], [420, 110], [470, 400], [60, 360]]
)
SHORT = [0, 1, 4, 7]
SIDES = {"left": (0, 0), "right": (0, 1), "top": (1, 0), "bottom": (1, 1)}


@pytest.fixture
def whole() -> LocatedBoard:
    """Nine detected pieces on a table seen aslant."""
    grid = located(3, 3)
    inner = within_quads(grid.quads_xy, (UNIT_SQUARE - 0.5) * np.float32(0.9) + np.float32(0.5))
    return with_quads(grid, transform(ASLANT, inner))


def with_quads(board: LocatedBoard, quads_xy: Floats) -> LocatedBoard:
    cells = zip(board.cells, quads_xy.astype(np.float32), strict=True)
    return replace(
        board, cells=tuple(replace(cell, quad_xy=quad, detected=True) for cell, quad in cells)
    )


def cut(board: LocatedBoard, side: str, part: float = 0.2) -> LocatedBoard:
    """The board with some pieces framed without that part at a side."""
    axis, end = SIDES[side]
    frame = UNIT_SQUARE.copy()
    frame[frame[:, axis] == end, axis] = 1 - part if end else part
    quads = board.quads_xy
    quads[SHORT] = within_quads(quads[SHORT], frame)
    return with_quads(board, quads)


def likeness_to(board: LocatedBoard) -> object:
    """A likeness that falls with the distance from the pieces of a board."""

    def familiar(quads_xy: Floats) -> Floats:
        return np.asarray(-np.abs(quads_xy - board.quads_xy).mean((1, 2)), np.float32)

    return familiar


def off(board: LocatedBoard, whole: LocatedBoard) -> float:
    """Mean distance of corners, in pixels."""
    return float(np.linalg.norm(board.quads_xy - whole.quads_xy, axis=2).mean())


@pytest.mark.parametrize("side", list(SIDES))
def test_short_pieces_are_stretched_on_the_side_that_looks_familiar(
    whole: LocatedBoard, side: str
) -> None:
    short = cut(whole, side)
    stretched = framed_whole(short, 1.0, likeness_to(whole))
    assert off(stretched, whole) < 0.35 * off(short, whole)


def test_what_looks_most_familiar_as_it_is_stays(whole: LocatedBoard) -> None:
    short = cut(whole, "bottom")
    assert off(framed_whole(short, 1.0, likeness_to(short)), short) == 0


def test_nothing_is_asked_of_pieces_that_are_framed_alike(whole: LocatedBoard) -> None:
    asked = []

    def familiar(quads_xy: Floats) -> Floats:
        asked.append(len(quads_xy))
        return np.zeros(len(quads_xy), np.float32)

    slightly = cut(whole, "bottom", 0.05)
    assert off(framed_whole(slightly, 1.0, familiar), slightly) == 0
    assert not asked
