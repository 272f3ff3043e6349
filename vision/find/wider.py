"""Frames that end too early: pieces are looked at again from frames that reach beyond each edge.

A band along one edge of all pieces, such as that of a title, looks like table beside smaller
pieces. The refiner stays at these when it starts from them, and at whole pieces when it starts from
frames that reach beyond the band. Where nothing is beyond an edge it comes back from there.
"""

import numpy as np
import numpy.typing as npt

from vision.find.detect import refine_quads
from vision.geometry import UNIT_SQUARE, Floats, Pyramid, mean_edges, quads_around, usable

REACH = 0.3
"""How far the frames reach beyond an edge, in sides of a piece: as far as the refiner sees."""
BEYOND, APART = 0.1, 0.15
"""A piece goes on if its edge is this far off, in sides; pieces agree if they are as near to the
median."""
AGREED = 0.8
"""Share of the asked pieces that must go on, and of those among them without a neighbour there: the
others may end at a band of their neighbours'."""
MOST_ASKED, LEAST_PIECES = 8, 3
"""Pieces that are asked beyond each edge. Fewer than the least may go on by chance."""
NEIGHBOUR, ASIDE = (0.5, 1.8), 0.6
"""Where the middle of a neighbour lies, in sides of the piece across the edge and along it."""
EDGES = np.array([(0, 1), (1, 2), (2, 3), (3, 0)])
"""Corners of the top, right, lower and left edge."""
OUTWARD = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)], np.float32)
BOTH_SIDES = 2


def whole_pieces(pyramid: Pyramid, quads_xy: Floats, there: npt.NDArray[np.bool_]) -> Floats:
    """Quads (n, 4, 2) of equal pieces, grown over an edge, or two, where nearly all go on.

    ``there`` (n,) are those that hold pieces. Their corners are in the same order.
    """
    for _ in range(BOTH_SIDES):
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
    free = _free(held)
    asked = np.argsort(~free, axis=1, kind="stable")[:, :MOST_ASKED]
    frames = _grown(REACH)
    guesses = [quads_around(held[some], frames[k : k + 1]) for k, some in enumerate(asked)]
    ends = refine_quads(pyramid, np.concatenate(guesses)[:, 0], rounds=1)[0]
    best, most, wide = 0, 0.0, 0.0
    for k, (some, end) in enumerate(zip(asked, np.split(ends, 4), strict=True)):
        if not free[k].any() or np.median(_gained(held[some], end, EDGES[k])) < BEYOND:
            continue
        gained = _gained(held[some], refine_quads(pyramid, end, rounds=1)[0], EDGES[k])
        middle = float(np.median(gained))
        goes_on = (gained > BEYOND) & (np.abs(gained - middle) < APART)
        agreed = min(goes_on.mean(), goes_on[free[k, some]].mean())
        if agreed > most:
            best, most, wide = k, float(agreed), middle
    if most < AGREED:
        return None
    wider = quads_around(quads_xy, _grown(wide)[best : best + 1])[:, 0]
    return np.where(there[:, None, None], refine_quads(pyramid, wider)[0], wider)


def _free(quads_xy: Floats) -> npt.NDArray[np.bool_]:
    """Which quads have no neighbour beyond each edge, shape (4, n)."""
    centres = quads_xy.mean(1)
    basis = np.stack(mean_edges(quads_xy), 2) + np.eye(2) * 1e-9
    steps = (centres[None] - centres[:, None]) @ np.linalg.inv(basis).transpose(0, 2, 1)
    across = np.stack([-steps[..., 1], steps[..., 0], steps[..., 1], -steps[..., 0]])
    aside = np.abs(np.stack([steps[..., 0], steps[..., 1]] * 2))
    near, far = NEIGHBOUR
    return np.asarray(~((across > near) & (across < far) & (aside < ASIDE)).any(2))


def _grown(by: float) -> Floats:
    """The unit square grown beyond each of its edges, (4, 4, 2)."""
    frames = np.repeat(UNIT_SQUARE[None].astype(np.float32), 4, 0)
    for frame, edge, way in zip(frames, EDGES, OUTWARD, strict=True):
        frame[edge] += by * way
    return frames


def _gained(quads_xy: Floats, ends_xy: Floats, edge: npt.NDArray[np.intp]) -> Floats:
    """How far an edge of each quad lies further out than before, in sides across it, (n,)."""
    before, after = quads_xy[:, edge].mean(1), ends_xy[:, edge].mean(1)
    across = before - np.delete(quads_xy, edge, 1).mean(1)
    return np.asarray(((after - before) * across).sum(1) / (across**2).sum(1), np.float32)
