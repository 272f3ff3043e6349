"""A board is part of one if much of a piece lies outside the photo."""

from dataclasses import replace

import numpy as np
import pytest
from drawn_grids import season_board

from vision.boards import SEASONS_BOARD
from vision.find.board import is_cut_off
from vision.geometry import Floats


def with_last_cell(quad_xy: Floats) -> bool:
    board = season_board()
    cells = (*board.cells[:-1], replace(board.cells[-1], quad_xy=quad_xy))
    low, high = (np.stack([cell.quad_xy for cell in board.cells]).reshape(-1, 2)).max(0)
    return is_cut_off(replace(board, cells=cells), SEASONS_BOARD, (round(high) + 1, round(low) + 1))


@pytest.mark.parametrize(("outside", "cut_off"), [(0.0, False), (0.45, False), (0.55, True)])
def test_what_counts_is_the_share_that_is_missing(outside: float, cut_off: bool) -> None:
    quad = season_board().cells[-1].quad_xy
    side = np.ptp(quad[:, 0])
    assert with_last_cell((quad + np.array([outside * side, 0])).astype(np.float32)) == cut_off


def test_a_corner_alone_may_reach_out() -> None:
    quad = season_board().cells[-1].quad_xy.copy()
    quad[2] += 0.5 * np.ptp(quad[:, 0])
    assert not with_last_cell(quad)
