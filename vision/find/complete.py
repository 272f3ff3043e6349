"""Tells on which places of a grid without a printed board a piece lies.

A gap between pieces looks like one: it has four edges. What tells it from a piece is the table
of the same photo: bare places look like the places around the grid, pieces like what was taught.
The cell reader has its say, too, and the only one about places that the photo cuts off: of
those it sees a strip, on which a piece beside them would begin.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from models.session import CROP_PX, read_places
from vision.boards import BoardSpec
from vision.find.board import LEAST_INSIDE, LocatedBoard, next_to, places_beside
from vision.find.neighbours import Place, joined_groups, span
from vision.geometry import (
    UNIT_SQUARE,
    Floats,
    Pyramid,
    homography,
    mean_edges,
    share_within,
    shares_in_photo,
    sides,
    transform,
    usable,
)
from vision.probability import fitted, sigmoid
from vision.profile import Profile, vectors_at

SURE_PIECE, SURE_BARE = 0.98, 0.02
"""A place surely holds a piece from the first probability on, and surely none up to the second."""
SURELY_THERE = 0.8
"""Presence from which other places are compared with this one."""
UNLIKE = 0.604
"""Likeness to the other pieces that is assumed where there are none."""
BARE_PRESENCE = 0.3
"""A place shows the table if the detector saw nothing there and its presence is lower than this."""
NEAREST_TABLES = 3
TYPICAL_TABLE = 0.64
"""Likeness to the table that is assumed where the photo shows none."""
STRAY_SIDES = 0.7
"""A thing nearer than this, in sides, lies on a place around the grid."""
MARGIN = 0.35
"""How much of its surroundings a crop of a place shows, in sides: as the network was trained."""
LEAST_IN_PHOTO, WHOLE_IN_PHOTO = 0.12, 0.95
"""Share of a place that the photo must show, lest nobody can say what lies there; and share from
which on it shows all of the place."""
LEAST_CUT = 0.05
"""How probably an answer is wrong, at least, where nobody can tell. That is so of a cell of which
the photo shows less than half. It is so of the end of a board where the photo ends beside its
pieces, or where one more lies apart from the others. The bar lies above what any board may keep
(``sure``), so that all such boards are asked about."""
LEAST_PIECES = 4
"""An open board with fewer pieces is never sure: a missed piece cannot be ruled out."""
STRAY_LIKENESS, STRAY_CELLS = 0.734, 2.5
"""Least likeness to a taught face of a piece beside the board, and its most distance in cells."""
LEAST_FAMILIAR, CLEARLY_FAMILIAR = 0.802, 0.865
"""Likeness to a taught face of what may be a piece, and of what certainly is one."""
IN_LINE, STRAIGHT = 0.3, 0.97
"""Most distance from the middle of a place, in cells, and least cosine between an edge and an axis,
of a thing that lies in line with a board."""
WITHIN_PIECES = 0.7
"""Things that overlap the board's pieces by this share are parts of them."""
LEAST_SIZE = 0.5
"""Things smaller than this, in sides of a cell, are not even half-covered pieces."""


class Stray(NamedTuple):
    """A thing near a grid that may be one of its pieces.

    ``alike`` is its likeness to the likest taught face. ``place`` (row, column) is where it lies,
    None if that cannot be told; ``in_line`` whether it lies there as the grid's pieces do.
    """

    alike: float
    place: Place | None
    in_line: bool

    @property
    def may_join(self) -> bool:
        """Whether it may be a piece of the board: others between them may be covered."""
        return self.in_line and self.alike >= LEAST_FAMILIAR


class Extent(NamedTuple):
    """What says whether a grid of open shape is the whole board.

    Attributes
    ----------
    missing, place : highest probability that a piece lies on a place beside the grid, and which
        place that is, in rows and columns of the grid.
    unseen : how many places of the grid, and beside its pieces, the photo cuts off.
    apart : whether the pieces do not hang together though the rules want it, or one more lies in
        line with them, away from the grid: something may cover those between.
    stray, stray_place : likeness to the likest taught face of things near the grid, and where
        that one lies; -1 if there is none.
    pieces : how many pieces the grid seems to hold.
    placings : at how many places of the grid they could lie as they do. It is more than one if
        rows or columns at its border are bare: nothing tells on which side these are.
    """

    missing: float = 0.0
    place: Place | None = None
    unseen: int = 0
    apart: bool = False
    stray: float = -1.0
    stray_place: Place | None = None
    pieces: int = LEAST_PIECES
    placings: int = 1

    @property
    def at_most(self) -> float:
        """Upper bound on the probability that a piece was missed; 1 if that cannot be told."""
        few = self.pieces < LEAST_PIECES
        unknown = self.unseen or self.apart or few or self.stray >= STRAY_LIKENESS
        return 1.0 if unknown else self.missing


@dataclass(frozen=True, slots=True, eq=False)
class Occupied:
    """The grid without the places that are surely bare, and whether that is the whole board.

    A cell whose ``presence`` is below one half is most likely empty.
    """

    board: LocatedBoard
    extent: Extent


def occupied(
    pyramid: Pyramid, board: LocatedBoard, spec: BoardSpec, profile: Profile, given: bool = False
) -> Occupied | None:
    """Weigh for every place whether a piece lies there; None if no place seems to hold one.

    The grid shrinks to the places that seem to hold a piece, unless its corners were ``given``. One
    that fills the photo shows no table, and has a judge of its own.
    """
    seen = places_seen(pyramid, board)
    judge = fitted().places["found" if not given else "given" if seen else "filled"]
    likely = judge.probabilities(piece_features(pyramid, board, profile, seen))
    if given:
        cells = tuple(
            replace(cell, presence=float(p), settled=not SURE_BARE < p < SURE_PIECE)
            for cell, p in zip(board.cells, likely, strict=True)
        )
        return Occupied(replace(board, cells=cells), Extent())
    likely = _told_by_strips(likely, pyramid, board, seen)
    held = [cell for cell, p in zip(board.cells, likely, strict=True) if p >= 0.5]
    if not held:
        return None
    at_rows, at_cols = [cell.row for cell in held], [cell.col for cell in held]
    (top, rows), (left, cols) = span(at_rows, spec.rows[0]), span(at_cols, spec.cols[0])
    placings = (rows - span(at_rows, 1)[1] + 1) * (cols - span(at_cols, 1)[1] + 1)
    kept, elsewhere = [], list[tuple[float, Place]]()
    for cell, p in zip(board.cells, likely, strict=True):
        at = (cell.row - top, cell.col - left)
        inside = 0 <= at[0] < rows and 0 <= at[1] < cols
        if not inside:
            elsewhere.append((float(p), at))
        elif p > SURE_BARE:
            sure = bool(p >= SURE_PIECE)
            kept.append(replace(cell, row=at[0], col=at[1], presence=float(p), settled=sure))
    pieces = {(cell.row, cell.col) for cell in kept if cell.presence >= 0.5}
    judged = {*board.places}
    unseen = len(judged - {*seen}) if seen else 0
    beside = _may_hold(pieces, spec)
    for place in beside:
        at = (place[0] + top, place[1] + left)
        if at in seen and at not in judged:
            elsewhere.append((float(sigmoid(seen[at])), place))
        elif at not in judged:
            unseen += 1
    missing, at = max(elsewhere, default=(0.0, (0, 0)))
    outline = outline_of(board, (top, left), rows, cols)
    held_board = replace(board, rows=rows, cols=cols, cells=tuple(kept), outline_xy=outline)
    strays = strays_near(pyramid, held_board, profile)
    of_board = [one for one in strays if one.may_join and one.place not in beside]
    stray, stray_place, _ = next(iter(of_board or strays), Stray(-1.0, None, False))
    apart = bool(of_board) or (spec.connected and len(joined_groups(pieces)) > 1)
    where = at if elsewhere else None
    return Occupied(
        held_board,
        Extent(missing, where, unseen, apart, stray, stray_place, len(pieces), placings),
    )


def _told_by_strips(
    likely: Floats, pyramid: Pyramid, board: LocatedBoard, seen: Mapping[Place, float]
) -> Floats:
    """How probably a piece lies on each cell (n,): at least as the cell reader says where the photo
    cuts cells off, of which the other signs see too little. Of less than half a cell nobody is
    sure.
    """
    in_photo = shares_in_photo(board.quads_xy, pyramid.levels[0].shape[:2])
    strips = sigmoid(np.array([seen.get(place, -np.inf) for place in board.places]))
    at_least = np.where(in_photo < WHOLE_IN_PHOTO, np.maximum(likely, strips), likely)
    unsure = np.clip(at_least, LEAST_CUT, 1 - LEAST_CUT)
    return np.asarray(np.where(in_photo < LEAST_INSIDE, unsure, at_least), np.float32)


def _may_hold(pieces: Collection[Place], spec: BoardSpec) -> set[Place]:
    """Places next to the pieces where the board may have another one: also before a grid whose last
    row is bare, for that is as long as the board asks for."""
    first, last = np.min([*pieces], 0), np.max([*pieces], 0)
    rows, cols = (last - first + 1).tolist()
    beside = places_beside({(r - first[0], c - first[1]) for r, c in pieces}, rows, cols, spec)
    return {(int(r + first[0]), int(c + first[1])) for r, c in beside}


def piece_features(
    pyramid: Pyramid, board: LocatedBoard, profile: Profile, seen: Mapping[Place, float]
) -> Floats:
    """What is weighed for each cell, shape (n, 7); ``seen`` is from ``places_seen``.

    Likeness to the likest taught face, and to the three and the one likest pieces of bare table.
    The refiner's log odds and the detector's score. Likeness to the likest other place that surely
    holds a piece, and the log odds of ``seen``.
    """
    vectors = vectors_at(pyramid, board.quads_xy)
    faces = profile.likeness(vectors).max((0, 2))
    around = vectors_at(pyramid, bare_places(board))
    there = board.presence
    score = np.array([cell.score for cell in board.cells])
    bare = (score == 0) & (there < BARE_PRESENCE)
    alike = vectors @ np.concatenate([vectors, around]).T
    alike[np.diag_indices(len(vectors))] = -np.inf  # none is compared with itself
    table = np.concatenate([bare, np.ones(len(around), bool)])
    nearest = np.sort(alike[:, table], 1)[:, -NEAREST_TABLES:]
    compared = np.isfinite(nearest)
    count = compared.sum(1)
    mean = np.where(compared, nearest, 0).sum(1) / np.maximum(count, 1)
    tables = np.full((len(vectors), 2), TYPICAL_TABLE, np.float32)
    tables[count > 0] = np.stack([mean, nearest.max(1, initial=-1.0)], 1)[count > 0]
    likest = alike[:, : len(vectors)][:, there > SURELY_THERE].max(1, initial=-np.inf)
    others = np.where(np.isfinite(likest), likest, UNLIKE)
    odds = np.clip(there, 1e-3, 1 - 1e-3)
    told = [seen.get(place, 0.0) for place in board.places]
    return np.column_stack([faces, tables, np.log(odds / (1 - odds)), score, others, told]).astype(
        np.float32
    )


def bare_places(board: LocatedBoard) -> Floats:
    """The places around the grid on which nothing was seen, shape (m, 4, 2)."""
    around, strays = board.around_xy, board.strays_xy
    if not len(around) or not len(strays):
        return around
    away = np.linalg.norm(around.mean(1)[:, None] - strays.mean(1)[None], axis=2).min(1)
    return np.asarray(around[away > STRAY_SIDES * sides(around)], np.float32)


def outline_of(board: LocatedBoard, first: Place, rows: int, cols: int) -> Floats:
    """The outline (4, 2) of so many rows and columns of the grid or beside it, from the ``first``
    place on."""
    whole = UNIT_SQUARE * np.array([board.cols, board.rows])
    part = UNIT_SQUARE * np.array([cols, rows]) + np.array([first[1], first[0]])
    return transform(homography(whole, board.outline_xy), part.astype(np.float32))


def places_seen(pyramid: Pyramid, board: LocatedBoard) -> dict[Place, float]:
    """Log odds that a piece lies on each place (row, column) of the grid and of the ring around it.

    Places of which the photo shows too little are left out; all, if it shows nothing of the
    table around, to which the network compares them.
    """
    ring = next_to(board.rows, board.cols)
    places = [*ring, *board.places]
    quads = board.quads_at(places)
    if quads is None:
        return {}
    shown = usable(quads)
    shown[shown] = shares_in_photo(quads[shown], pyramid.levels[0].shape[:2]) >= LEAST_IN_PHOTO
    if not shown[: len(ring)].any():
        return {}
    log_p = read_places(pyramid.crops(quads[shown], CROP_PX, MARGIN))
    odds = log_p[:, 1] - log_p[:, 0]
    return {places[k]: float(value) for k, value in zip(np.flatnonzero(shown), odds, strict=True)}


def strays_near(pyramid: Pyramid, board: LocatedBoard, profile: Profile) -> list[Stray]:
    """The things near a board that may be its pieces, the most familiar one first."""
    near = strays_beside(board)
    if not len(near) or not profile.prototypes:
        return []
    alike = profile.likeness(vectors_at(pyramid, near)).max((0, 2)).tolist()
    to_cells = board.to_grid
    if to_cells is None:
        return [Stray(value, None, False) for value in sorted(alike, reverse=True)]
    flat = transform(to_cells, near)
    rows, cols = np.floor(flat.mean(1)).astype(int).T[::-1].tolist()
    lies = lie_in_line(flat).tolist()
    found = map(Stray, alike, zip(rows, cols, strict=True), lies)
    return sorted(found, key=lambda stray: -stray.alike)


def lie_in_line(flat: Floats) -> npt.NDArray[np.bool_]:
    """Which quads (n, 4, 2), in cells of a grid, lie on one of its places and as its pieces do."""
    middles = flat.mean(1)
    off = np.abs(middles - np.floor(middles) - 0.5).max(1)
    edges = np.stack(mean_edges(flat), 1)
    edges /= np.maximum(np.linalg.norm(edges, axis=2, keepdims=True), 1e-6)
    straight = np.abs(edges).max(2).min(1)
    return np.asarray((off < IN_LINE) & (straight > STRAIGHT), np.bool_)


def strays_beside(board: LocatedBoard) -> Floats:
    """Things beside a board (n, 4, 2) that may be its pieces: near, large, no parts of pieces."""
    strays = board.strays_xy
    held = board.quads_xy[board.likely_pieces]
    strays = strays[share_within(strays, held) < WITHIN_PIECES]
    to_cells = board.to_grid
    if to_cells is None or not len(strays):
        return strays
    flat = transform(to_cells, strays)
    middles = np.array(board.places)[:, ::-1] + 0.5
    away = np.abs(flat.mean(1)[:, None] - middles[None]).max(2).min(1)
    return np.asarray(strays[(away < STRAY_CELLS) & (sides(flat) >= LEAST_SIZE)])
