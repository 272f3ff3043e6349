"""Frames that end too early: pieces are looked at again from frames that reach beyond each edge.

A band along one edge of all pieces, such as that of a title, looks like table beside smaller
pieces. The refiner stays at these when it starts from them, and at whole pieces when it starts from
frames that reach beyond the band. Where nothing is beyond an edge it comes back from there.
"""

import numpy as np
import numpy.typing as npt

from vision.find.detect import REFINE_MARGIN, refine_quads
from vision.geometry import (
    FOLLOWING,
    Floats,
    Pyramid,
    grown_beyond,
    middles_seen_from_each,
    usable,
    within_quads,
)

BEYOND = 0.1
"""A piece goes on if its edge ends that far out, in sides; where nothing is, it ends at 0.05."""
APART = 0.15
"""Pieces agree if their edges end within that of the median, half as far as they start."""
AGREED = 0.8
"""Share of the asked pieces that must go on, and of those of them that have no neighbour there. The
others may end at bands of their neighbours."""
MOST_ASKED = 8
"""Pieces that are asked about each edge."""
LEAST_PIECES = 3
"""Fewer may go on by chance."""
NEIGHBOUR, ASIDE = (0.5, 1.8), 0.6
"""Where the middle of a neighbour lies, in sides of the piece: across the edge, and along it."""
MOST_EDGES = 2
"""Bands lie along one edge, or along two."""


def whole_pieces(pyramid: Pyramid, quads_xy: Floats, there: npt.NDArray[np.bool_]) -> Floats:
    """Quads (n, 4, 2) of equal pieces, grown over the edges where nearly all go on.

    Parameters
    ----------
    there : which quads hold pieces, shape (n,); the corners of all are in the same order
    """
    for _ in range(MOST_EDGES):
        wider = _wider(pyramid, quads_xy, there)
        if wider is None:
            break
        quads_xy = wider
    return quads_xy


def _wider(pyramid: Pyramid, quads_xy: Floats, there: npt.NDArray[np.bool_]) -> Floats | None:
    """The quads grown over the edge beyond which most pieces go on; None if there is none."""
    held = quads_xy[there & usable(quads_xy)]
    if len(held) < LEAST_PIECES:
        return None
    free, frames = _free(held), grown_beyond(REFINE_MARGIN)
    told = [
        (*_agreement(pyramid, held, free[edge], frames[edge], edge), edge)
        for edge in _doubted(pyramid, held, free, frames)
    ]
    agreed, gain, edge = max(told, default=(0.0, 0.0, 0))
    if agreed < AGREED:
        return None
    wider = within_quads(quads_xy, grown_beyond(gain)[edge])
    return np.where(there[:, None, None], refine_quads(pyramid, wider)[0], wider)


def _doubted(
    pyramid: Pyramid, held_xy: Floats, free: npt.NDArray[np.bool_], frames: Floats
) -> list[int]:
    """The edges beyond which those pieces seem to go on that have no neighbour there.

    One round of the refiner tells.
    """
    asked = [held_xy[alone][:MOST_ASKED] for alone in free]
    starts = [within_quads(some, frame) for some, frame in zip(asked, frames, strict=True)]
    ends = refine_quads(pyramid, np.concatenate(starts), rounds=1)[0]
    parts = np.split(ends, np.cumsum([len(some) for some in asked])[:-1])
    return [
        edge
        for edge, (some, part) in enumerate(zip(asked, parts, strict=True))
        if len(some) and np.median(_gains(some, part, edge)) > BEYOND
    ]


def _agreement(
    pyramid: Pyramid, held_xy: Floats, free: npt.NDArray[np.bool_], frame: Floats, edge: int
) -> tuple[float, float]:
    """Which share of the pieces goes on beyond an edge, and how far, in sides."""
    asked = np.argsort(~free, kind="stable")[:MOST_ASKED]
    some, free = held_xy[asked], free[asked]
    gains = _gains(some, refine_quads(pyramid, within_quads(some, frame))[0], edge)
    middle = float(np.median(gains))
    goes_on = (gains > BEYOND) & (np.abs(gains - middle) < APART)
    return float(min(goes_on.mean(), goes_on[free].mean())), middle


def _free(quads_xy: Floats) -> npt.NDArray[np.bool_]:
    """Which quads have no neighbour beyond their upper, right, lower and left edge, (4, n)."""
    right, below = np.moveaxis(middles_seen_from_each(quads_xy), 2, 0)
    across = np.stack([-below, right, below, -right])
    along = np.abs(np.stack([right, below, right, below]))
    near, far = NEIGHBOUR
    return np.asarray(~((across > near) & (across < far) & (along < ASIDE)).any(2))


def _gains(quads_xy: Floats, ends_xy: Floats, edge: int) -> Floats:
    """How far an edge of each quad lies further out than before, in sides across it, (n,)."""
    corners, others = [edge, FOLLOWING[edge]], [edge - 2, edge - 1]
    before, after = quads_xy[:, corners].mean(1), ends_xy[:, corners].mean(1)
    across = before - quads_xy[:, others].mean(1)
    return np.asarray(((after - before) * across).sum(1) / (across**2).sum(1), np.float32)
