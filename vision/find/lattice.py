"""From loose quads to rows and columns: which piece is which cell.

Hand-laid pieces are never a perfect grid. Chains of neighbours give whole-numbered places; a
homography through all of them then refuses strays, joins what the chains missed and says where a
missed piece must lie.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from vision.boards import BoardSpec
from vision.find.neighbours import (
    AXIS_TOLERANCE,
    STARTED,
    Chain,
    Place,
    components,
    joined_groups,
    span,
    started_at,
    upright,
)
from vision.geometry import (
    OUTWARD,
    Floats,
    Matrix,
    fit_homography,
    inverse,
    mean_edges,
    sides,
    transform,
)

FAR_AWAY = 1e6
"""Place, in pitches, of what a fitted lattice puts behind the camera."""
MANY = 16
"""Least number of pieces whose centres alone fix a lattice."""
LARGEST_RESIDUAL = 0.36
"""How far a centre may lie from its place in the fitted lattice, in pitches."""
FARTHEST_OUT_OF_LINE, LEAST_APART = 0.75, 0.6
"""Most distance of a piece from its place, and least from other pieces, in pitches.

It holds where no other piece is nearer to that place.
"""
LIKE_OTHERS = 1.5
"""How much larger or smaller than the median piece that one may look."""
NEARLY_ALL = 0.9
"""Least share of the surest scores that a lattice must hold to be believed at once.

Below it, the checks of a floor may have drawn pieces into their own lines.
"""
STRONGER = (0.5, 0.75)
"""Chains are then also made of the pieces that score these shares of the least sure one."""
MISSING_COST = 0.3
"""Cost of a cell without a piece on a board of fixed shape; a piece adds its score, 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Pieces as cells.

    Attributes
    ----------
    cells : quad of each cell that has a piece; corners clockwise on the screen, the first at the
        lattice's top left.
    scores : how sure the detector was of each.
    to_photo : homography from (column, row) of a cell's centre to the photo.
    rows, cols : size of the lattice.
    half_size : half of a piece's width and height, in pitches.
    """

    cells: dict[Place, Floats]
    scores: dict[Place, float]
    to_photo: Matrix
    rows: int
    cols: int
    half_size: tuple[float, float]

    def expected_quad(self, row: int, col: int) -> Floats:
        """Where a piece of that cell would lie, shape (4, 2)."""
        return transform(self.to_photo, np.array([col, row]) + OUTWARD * np.array(self.half_size))

    def with_cell(self, place: Place, quad_xy: Floats, score: float) -> "Lattice":
        """The lattice with one more piece, perhaps in a new row or column; -1 is a new first."""
        down, right = max(0, -place[0]), max(0, -place[1])
        here = (place[0] + down, place[1] + right)
        moved = self._moved(-down, -right)
        return replace(
            moved,
            cells={**moved.cells, here: quad_xy},
            scores={**moved.scores, here: score},
            rows=max(self.rows + down, here[0] + 1),
            cols=max(self.cols + right, here[1] + 1),
        )

    def other_windows(self) -> "list[Lattice]":
        """Lattices of the same pieces with an empty outer row or column on the other side."""
        rows, cols = ([place[axis] for place in self.cells] for axis in range(2))
        downs, rights = (
            range(max(taken) + 1 - count, min(taken) + 1)
            for taken, count in ((rows, self.rows), (cols, self.cols))
        )
        return [
            self._moved(down, right)
            for down in downs
            for right in rights
            if (down, right) != (0, 0)
        ]

    def _moved(self, down: int, right: int) -> "Lattice":
        """The same pieces in a lattice that begins so many rows and columns later."""
        cells = {(r - down, c - right): quad for (r, c), quad in self.cells.items()}
        scores = {(r - down, c - right): value for (r, c), value in self.scores.items()}
        to_photo = _begun_at(self.to_photo, down, right)
        return replace(self, cells=cells, scores=scores, to_photo=to_photo)


def _begun_at(to_photo: Matrix, row: int, col: int) -> Matrix:
    """The homography of a lattice whose first cell is the one at that place."""
    step = np.array([[1.0, 0.0, col], [0.0, 1.0, row], [0.0, 0.0, 1.0]])
    return np.asarray(to_photo @ step)


def _windows(taken: Collection[int], size: tuple[int, int]) -> list[tuple[int, int]]:
    """Ranges (first, count) of rows or columns that the board may have around taken ones.

    Each starts at one that is taken, or ends at the last: a stray near the horizon may lie a
    million rows away.
    """
    low, high = min(taken), max(taken)
    seen = high - low + 1
    least, most = size
    if seen < least:
        return [(first, least) for first in range(high - least + 1, low + 1)]
    if seen <= most:
        return [(low, seen)]
    last = high - most + 1
    return [(first, most) for first in sorted({*taken, last}) if first <= last]


def best_window(
    members: Chain, scores: Floats, spec: BoardSpec
) -> tuple[float, tuple[int, int], tuple[int, int]]:
    """The best value of a window of rows and columns, and its ranges (first, count)."""
    places = np.array([(row, col) for row, col, _ in members.values()])
    worth = scores[list(members)].astype(np.float64)
    row_windows = np.array(_windows({row for row, _, _ in members.values()}, spec.rows))
    col_windows = np.array(_windows({col for _, col, _ in members.values()}, spec.cols))
    in_rows, in_cols = (
        (places[:, axis] >= windows[:, :1]) & (places[:, axis] < windows.sum(1, keepdims=True))
        for axis, windows in enumerate((row_windows, col_windows))
    )
    values = (in_rows * worth) @ in_cols.T
    if not spec.is_open:
        held = in_rows.astype(np.float64) @ in_cols.T
        values -= MISSING_COST * (row_windows[:, 1:] * col_windows[:, 1] - held)
    best_row, best_col = np.unravel_index(values.argmax(), values.shape)
    (first_row, row_count), (first_col, col_count) = (
        row_windows[best_row].tolist(),
        col_windows[best_col].tolist(),
    )
    return float(values[best_row, best_col]), (first_row, row_count), (first_col, col_count)


def _half_size(quads: dict[Place, Floats], to_photo: Matrix) -> tuple[float, float]:
    """Median half width and height of the pieces in pitches."""
    back = inverse(to_photo)
    if back is None:
        return 0.0, 0.0
    along, down = mean_edges(transform(back, np.stack(list(quads.values()))))
    return float(np.median(along[:, 0])) / 2, float(np.median(down[:, 1])) / 2


def fit_lattices(quads_xy: Floats, scores: Floats, spec: BoardSpec) -> list[Lattice]:
    """Lattices of the board among detected pieces, the most credible first.

    Parameters
    ----------
    quads_xy : ndarray of shape (n, 4, 2), clockwise on the screen from any corner.
    scores : ndarray of shape (n,), 0 to 1.

    Returns
    -------
    Lattices whose rows run roughly to the right in the photo; none if no pieces form one. There may
    be several: a checked cloth is a lattice, too, and only the pictures tell the board from it.
    """
    found = _lattices_among(quads_xy, scores, spec)
    if spec.is_always_full and len(scores) > spec.most_cells:
        best = np.sort(scores)[-spec.most_cells :]
        for part in STRONGER:
            if max((value for value, _ in found), default=0.0) >= NEARLY_ALL * best.sum():
                break
            strong = scores >= part * best[0]
            found = _distinct([*found, *_lattices_among(quads_xy[strong], scores[strong], spec)])
    return [lattice for _, lattice in sorted(found, key=lambda item: -item[0])]


def _distinct(found: list[tuple[float, Lattice]]) -> list[tuple[float, Lattice]]:
    """The best lattice of each set of pieces."""
    by_pieces: dict[frozenset[tuple[float, ...]], tuple[float, Lattice]] = {}
    for value, lattice in sorted(found, key=lambda item: -item[0]):
        pieces = frozenset(tuple(quad.mean(0).tolist()) for quad in lattice.cells.values())
        by_pieces.setdefault(pieces, (value, lattice))
    return list(by_pieces.values())


def _lattices_among(
    quads_xy: Floats, scores: Floats, spec: BoardSpec
) -> list[tuple[float, Lattice]]:
    """The lattice of each chain of neighbours that makes one, with its value."""
    if not len(quads_xy):
        return []
    found = []
    for places in components(quads_xy, scores):
        if len(places) < 3 and spec.most_cells > 2 and spec.rows[0] * spec.cols[0] > 1:
            continue
        candidate = _lattice_of(upright(places, quads_xy), quads_xy, scores, spec)
        if candidate is not None:
            found.append(candidate)
    return found


def fit_lattice(quads_xy: Floats, scores: Floats, spec: BoardSpec) -> Lattice | None:
    """The most credible lattice among detected pieces, or None; see ``fit_lattices``."""
    lattices = fit_lattices(quads_xy, scores, spec)
    return lattices[0] if lattices else None


def _joined(places: Chain, quads_xy: Floats, scores: Floats) -> tuple[Chain, Matrix] | None:
    """A chain after its homography took pieces in and refused others, and that homography."""
    centres = quads_xy.mean(1)
    size = sides(quads_xy)
    members = dict(places)
    to_photo = _place_homography(members, centres, quads_xy)
    if to_photo is None:
        return None
    for _ in range(2):
        back = inverse(to_photo)
        if back is None:
            return None
        spot = transform(back, centres)
        spot[~np.isfinite(spot).all(1)] = FAR_AWAY
        joined = {}
        for (row, col), i in _at_places(spot, size, scores, members).items():
            turn = members[i][2] if i in members else _turn_in(to_photo, row, col, quads_xy[i])
            if turn is not None:
                joined[i] = (row, col, turn)
        if len(joined) < min(3, len(members)):
            return None
        if joined == members:
            break
        members = joined
        to_photo = _place_homography(members, centres, quads_xy)
        if to_photo is None:
            return None
    return members, to_photo


def _at_places(
    spot: Floats, size: Floats, scores: Floats, members: Collection[int]
) -> dict[Place, int]:
    """The piece at each place (row, column), by centres in pitches: members first, then best."""
    off = spot - np.round(spot)
    residual = np.hypot(off[:, 0], off[:, 1])
    median_side = float(np.median([size[i] for i in members]))
    fits = (residual < LARGEST_RESIDUAL) & (spot != FAR_AWAY).all(1)
    taken: dict[Place, int] = {}
    for i in map(int, np.argsort(-scores)):
        member = i in members
        if not fits[i] or (
            not member and (residual[i] > 0.25 or not 0.45 < size[i] / median_side < 2.2)
        ):
            continue
        place = (round(float(spot[i, 1])), round(float(spot[i, 0])))
        other = taken.get(place)
        if other is None or (member and other not in members):
            taken[place] = i
    return taken


def _lattice_of(
    places: Chain, quads_xy: Floats, scores: Floats, spec: BoardSpec
) -> tuple[float, Lattice] | None:
    """Fit one chain: take in what its homography explains, refuse the rest, choose the window."""
    fitted = _joined(places, quads_xy, scores)
    if fitted is None:
        return None
    members, to_photo = fitted
    if spec.connected:
        members = _largest_connected(members, scores)
    value, (top, rows), (left, cols) = best_window(members, scores, spec)
    members = {
        i: (row, col, turn)
        for i, (row, col, turn) in members.items()
        if top <= row < top + rows and left <= col < left + cols
    }
    if not members:
        return None
    if spec.is_open:  # a stray outside the window may have stretched it
        top, rows = span([row for row, _, _ in members.values()], spec.rows[0])
        left, cols = span([col for _, col, _ in members.values()], spec.cols[0])
    to_photo = _begun_at(to_photo, top, left)
    cells, cell_scores = {}, {}
    for i, (row, col, turn) in members.items():
        cells[row - top, col - left] = started_at(quads_xy[i], turn)
        cell_scores[row - top, col - left] = float(scores[i])
    if spec.is_full and len(cells) < rows * cols:
        for place, i in _out_of_line(to_photo, cells, quads_xy, (rows, cols)).items():
            seen_turn = _turn_in(to_photo, *place, quads_xy[i])
            if seen_turn is not None:
                cells[place] = started_at(quads_xy[i], seen_turn)
                cell_scores[place] = float(scores[i])
    half_size = _half_size(cells, to_photo)
    if not all(0.2 < h < 0.8 for h in half_size):
        return None
    return value, Lattice(cells, cell_scores, to_photo, rows, cols, half_size)


def _out_of_line(
    to_photo: Matrix,
    cells: dict[Place, Floats],
    quads_xy: Floats,
    size: tuple[int, int],
) -> dict[Place, int]:
    """Quads (n, 4, 2) on empty places of a board of that size: pieces laid too crookedly."""
    back = inverse(to_photo)
    empty = [(r, c) for r in range(size[0]) for c in range(size[1]) if (r, c) not in cells]
    if back is None or not empty:
        return {}
    held = np.stack(list(cells.values()))
    spots, taken = (transform(back, quads.mean(1)).astype(np.float64) for quads in (quads_xy, held))
    apart = np.linalg.norm(spots[:, None] - taken[None], axis=2).min(1)
    ratio = sides(quads_xy) / float(np.median(sides(held)))
    free = np.flatnonzero((apart > LEAST_APART) & (ratio < LIKE_OTHERS) & (ratio > 1 / LIKE_OTHERS))
    found: dict[Place, int] = {}
    away = np.linalg.norm(spots[free][:, None] - np.array(empty)[None, :, ::-1], axis=2)
    while away.size and away.min() < FARTHEST_OUT_OF_LINE:
        piece, place = np.unravel_index(away.argmin(), away.shape)
        found[empty[place]] = int(free[piece])
        away[piece], away[:, place] = np.inf, np.inf
    return found


def _largest_connected(members: Chain, scores: Floats) -> Chain:
    """The pieces that hang together edge to edge with the greatest sum of scores."""
    at = {(row, col): i for i, (row, col, _) in members.items()}
    groups = [[at[place] for place in group] for group in joined_groups(at)]
    best = max(groups, key=lambda group: float(scores[group].sum()))
    return {i: members[i] for i in best}


def _place_homography(members: Chain, centres: Floats, quads_xy: Floats) -> Matrix | None:
    """The homography from (column, row) to centres; below ``MANY`` pieces, corners help."""
    places = np.array([[col, row] for row, col, _ in members.values()], np.float32)
    seen = centres[list(members)]
    if len(members) >= MANY and len(set(places[:, 0])) > 1 and len(set(places[:, 1])) > 1:
        return fit_homography(places, seen)
    turns = [turn for _, _, turn in members.values()]
    quads = quads_xy[np.array([*members])[:, None], STARTED[turns]]
    half = np.array(_pitch(members, seen, quads)) / 2
    source = places[:, None] + OUTWARD * half
    return fit_homography(
        np.concatenate([places, source.reshape(-1, 2)]).astype(np.float32),
        np.concatenate([seen, quads.reshape(-1, 2)]),
    )


def _pitch(members: Chain, centres: Floats, quads_xy: Floats) -> tuple[float, float]:
    """Width and height of a piece in pitches, from neighbours' distances; 0.95 without neighbours.

    Centres (m, 2) and quads (m, 4, 2) follow the order of the members; corners start where the
    lattice's axes want them.
    """
    along, down = mean_edges(quads_xy)
    lengths = np.hypot(along[:, 0], along[:, 1]).tolist(), np.hypot(down[:, 0], down[:, 1]).tolist()
    middles = centres.tolist()
    at = {(row, col): k for k, (row, col, _) in enumerate(members.values())}
    found: tuple[list[float], list[float]] = ([], [])
    for (row, col), k in at.items():
        for axis, place in enumerate(((row, col + 1), (row + 1, col))):
            if place in at:
                distance = math.dist(middles[at[place]], middles[k])
                found[axis].append(lengths[axis][k] / max(distance, 1e-6))
    width, height = (float(np.clip(np.median(f), 0.5, 1.1)) if f else 0.95 for f in found)
    return width, height


def _turn_in(to_photo: Matrix, row: int, col: int, quad_xy: Floats) -> int | None:
    """The turn at which a quad's corners follow the lattice's axes; None if it stands askew."""
    right = transform(
        to_photo, np.array([[col + 0.4, row], [col - 0.4, row], [col, row + 0.4], [col, row - 0.4]])
    )
    wanted = np.stack([right[0] - right[1], right[2] - right[3]])
    wanted /= np.maximum(np.linalg.norm(wanted, axis=1, keepdims=True), 1e-6)
    edges = np.stack(mean_edges(quad_xy[STARTED]), 1)
    edges /= np.maximum(np.linalg.norm(edges, axis=2, keepdims=True), 1e-6)
    cosines = (edges * wanted).sum((1, 2)) / 2
    return int(cosines.argmax()) if cosines.max() > AXIS_TOLERANCE else None
