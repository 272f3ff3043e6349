"""Frames pieces whole.

A band along one edge of a card, in another colour than its print, is often left out, on some cards
of a grid and not on others. All are equally large: short ones are stretched to the length of the
others, if they look more like taught faces then.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from vision.find.board import LocatedBoard
from vision.find.rigid import OTHER_SIZE, plane_of
from vision.geometry import UNIT_SQUARE, Floats, usable, within_quads
from vision.probability import Doubles

UNEVEN = 1.08
"""Pieces are framed unevenly if one is this much longer than another. Corners of one that is framed
well are off by some 3 % of its side."""

Familiar = Callable[[Floats], Floats]
"""Likeness (n,) to the likest taught face of what the photo shows in quads (n, 4, 2)."""


def framed_whole(board: LocatedBoard, aspect: float | None, familiar: Familiar) -> LocatedBoard:
    """The board with its short pieces stretched, if they are more familiar then.

    Parameters
    ----------
    aspect : width over height of pieces; None if it is not known
    """
    quads = board.quads_xy
    there = (board.presence > 0.5) & np.array([cell.detected for cell in board.cells])
    plane = plane_of(quads, there, aspect)
    if plane is None:
        return board
    pieces = quads[there]
    growth = _growth(plane.sizes[there])
    uneven = np.flatnonzero(growth.max(0) >= UNEVEN)
    if not len(uneven):
        return board
    alike = familiar(pieces).mean()
    for axis in uneven:
        before = pieces
        for end in (0, 1):
            tried = _stretched(before, growth[:, axis], int(axis), end)
            found = familiar(tried).mean()
            if found > alike:
                pieces, alike = tried, found
    quads[there] = pieces
    cells = [replace(cell, quad_xy=quad) for cell, quad in zip(board.cells, quads, strict=True)]
    return replace(board, cells=tuple(cells))


def _growth(sizes: Doubles) -> Doubles:
    """By how much pieces, (n, 2) wide and high, are shorter than the longest that is like them."""
    most = OTHER_SIZE * np.median(sizes, 0)
    longest = np.where(sizes <= most, sizes, 0).max(0)
    return np.asarray(np.clip(longest / np.maximum(sizes, 1e-9), 1, OTHER_SIZE))


def _stretched(quads_xy: Floats, growth: Doubles, axis: int, end: int) -> Floats:
    """Quads (n, 4, 2) with the edge at one end of an axis moved out, so many times (n,) as long."""
    wanted = np.tile(UNIT_SQUARE.astype(np.float64), (len(quads_xy), 1, 1))
    wanted[:, UNIT_SQUARE[:, axis] == end, axis] = (growth if end else 1 - growth)[:, None]
    moved = within_quads(quads_xy, wanted.astype(np.float32))
    return np.where(usable(moved)[:, None, None], moved, quads_xy)
