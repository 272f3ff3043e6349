"""Boards that a photo may show: pieces make lattices, missed ones are searched, all refined."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from vision.boards import BoardSpec
from vision.find.board import LocatedBoard, LocatedCell, in_photo, next_to, not_found, places_beside
from vision.find.complete import CLEARLY_FAMILIAR, LEAST_FAMILIAR, WITHIN_PIECES
from vision.find.detect import (
    CLOSER_PX,
    DETECTOR_PX,
    STRAIGHT_CELL_PX,
    detect_pieces,
    distinct_pieces,
    nearly_sized,
    refine_quads,
)
from vision.find.lattice import Lattice, fit_lattice, fit_lattices
from vision.find.neighbours import joined_halves
from vision.find.rigid import equal_pieces, plane_of
from vision.find.wider import whole_pieces
from vision.geometry import (
    OUTWARD,
    UNIT_SQUARE,
    Floats,
    Matrix,
    Pyramid,
    fit_homography,
    grown_beyond,
    homography,
    inverse,
    mean_edges,
    quads_around,
    share_within,
    sides,
    transform,
    usable,
)

STRAIGHT_PX = 512
"""Long side of a straightened picture."""
ASLANT = 1.65
"""A board is straightened if its nearest piece looks this much larger than its farthest."""
MARGIN = 2.2
"""Pitches shown around an open lattice when it is straightened; half as many around a full one."""
LEAST_DEPTH = 0.15
"""Least nearness of a straightened picture's farthest corner, relative to its middle."""
SMALL_PIECE_PX = 30.0
"""Pieces smaller than this in the detector's picture are looked at again from nearer."""
LEAST_SHARE_SEEN = 0.45
"""A board of fixed shape is only believed if the detector saw this share of its cells."""
MOST_GROWN = 1.22
"""A refined piece is refused if it is this much wider or higher than its neighbours."""
MOST_MOVED = 0.45
"""A corner that refining moves by more than this, in sides of its piece, is taken to have left
it."""
GROWN = 1.75
"""Most times that a piece may be larger than the part of it that was detected."""
MOST_PARTS = 80
"""How many detected pieces, surest first, are tried as parts of larger ones; ten crops each."""
MOST_CANDIDATES = 2
"""Lattices of one look at the photo that are worth reading."""
STRAY_SCORE, MOST_STRAYS = 0.3, 12
"""Least score of other pieces in the photo that are worth a look, and how many of them."""
STRAY_AWAY, STRAY_RATIO = 0.6, 2.2
"""How far a stray's middle is from those of all cells at least, in sides, and how many times larger
or smaller than a cell it is at most."""
LEAST_BESIDE = 2
"""Loose pieces beside a board that may be another one; a single one may lie there in any game."""

Familiar = Callable[[Floats], Floats]
"""How much quads (n, 4, 2) of the photo look like the likest taught face, shape (n,)."""

Look = tuple[Floats, Floats, float]
"""Quads (n, 4, 2) of the photo, how sure the detector was of each, shape (n,), and how much smaller
the picture was that it saw."""


class Looks:
    """What the detector sees in one photo. Boards that are looked for together share its looks."""

    def __init__(self, pyramid: Pyramid) -> None:
        self._pyramid = pyramid
        self._seen: dict[int, Look] = {}

    def at(self, long_side: int) -> Look:
        """One look at the photo with about that long side in pixels."""
        if long_side not in self._seen:
            small, shrink = nearly_sized(self._pyramid, long_side)
            quads, scores = detect_pieces(small)
            self._seen[long_side] = (quads * shrink).astype(np.float32), scores, shrink
        return self._seen[long_side]


LARGER = grown_beyond(GROWN - 1)
"""The unit square grown to each of its four sides."""


def locate_board(pyramid: Pyramid, spec: BoardSpec) -> LocatedBoard:
    """Find the most credible board in an upright photo.

    Raises
    ------
    BoardNotFound
        If nothing looks like it.
    """
    board = next(candidate_boards(pyramid, spec), None)
    if board is None:
        raise not_found(spec)
    return board


def candidate_boards(
    pyramid: Pyramid,
    spec: BoardSpec,
    familiar: Familiar | None = None,
    shared: Looks | None = None,
    whole: Callable[[], bool] = lambda: False,
) -> Iterator[LocatedBoard]:
    """Boards that the photo may show, the most credible first, each made only when asked for.

    The first come from the whole photo at once, the next from a nearer look at all of it. Then
    neighbours are taken for halves of one piece, unless the pieces seen are known to be ``whole``.
    Last come quads around the detected pieces that are ``familiar``. Looks that are ``shared`` were
    made for other boards, too.
    """
    shared, looks = shared or Looks(pyramid), []
    for long_side in (DETECTOR_PX, CLOSER_PX):
        quads, scores, shrink = shared.at(long_side)
        looks.append((quads, scores))
        yield from _boards_among(pyramid, quads, scores, spec, familiar, shrink)
    if not whole():
        for parts, values in looks:
            yield from _boards_among(pyramid, *joined_halves(parts, values), spec, familiar)
    if familiar is not None:
        for parts, _ in looks:
            yield from _boards_among(
                pyramid, *familiar_pieces(pyramid, parts, familiar), spec, familiar
            )


def boards_beside(
    board: LocatedBoard, pyramid: Pyramid, spec: BoardSpec, looks: Looks
) -> Iterator[LocatedBoard]:
    """Other boards among the pieces that were seen at first and lie outside one: whole ones if
    their cells are printed, else also such as hold a few pieces."""
    quads, scores, shrink = looks.at(DETECTOR_PX)
    outside = lie_outside(quads, board)
    if spec.printed_cells:
        enough = outside.sum() >= LEAST_SHARE_SEEN * spec.most_cells
    else:
        enough = (outside & (scores > STRAY_SCORE)).sum() >= LEAST_BESIDE
    if enough:
        yield from _boards_among(pyramid, quads[outside], scores[outside], spec, None, shrink)


def lie_outside(quads_xy: Floats, board: LocatedBoard) -> npt.NDArray[np.bool_]:
    """Which quads (n, 4, 2) lie outside a board's outline, shape (n,)."""
    return np.asarray(share_within(quads_xy, board.outline_xy[None]) < WITHIN_PIECES)


def _boards_among(
    pyramid: Pyramid,
    quads_xy: Floats,
    scores: Floats,
    spec: BoardSpec,
    familiar: Familiar | None,
    shrink: float | None = None,
) -> Iterator[LocatedBoard]:
    """The likeliest boards among pieces.

    ``shrink`` says how much smaller the photo was in which they were seen; None: look no nearer.
    """
    for found in fit_lattices(quads_xy, scores, spec)[:MOST_CANDIDATES]:
        seen = found if shrink is None else _from_nearer(pyramid, found, spec, shrink)
        lattice = extended(pyramid, seen, spec, familiar)
        others = lattice.other_windows() if spec.is_full else []
        boards = [_complete(pyramid, window, spec) for window in (lattice, *others)]
        there = [board for board in boards if board is not None]
        board = max(
            there, key=lambda board: sum(cell.presence for cell in board.cells), default=None
        )
        if board is not None:
            yield replace(board, strays_xy=strays_of(board, quads_xy, scores))


def familiar_pieces(
    pyramid: Pyramid, quads_xy: Floats, familiar: Familiar
) -> tuple[Floats, Floats]:
    """Detected quads, and larger ones around them, that look like taught faces; (n, 4, 2) and (n,).

    A card painted all over has edges inside, and a part of it looks like a piece; taught faces
    tell what is whole.
    """
    parts = quads_xy[:MOST_PARTS]
    guesses = np.concatenate([parts, quads_around(parts, LARGER).reshape(-1, 4, 2)])
    size = pyramid.levels[0].shape[1::-1]
    inside = ((guesses.mean(1) > 0) & (guesses.mean(1) < size)).all(1) & usable(guesses, 8.0)
    if not inside.any():
        return guesses[:0], np.zeros(0, np.float32)
    refined, presence = refine_quads(pyramid, guesses[inside])
    alike = familiar(refined)
    order = np.argsort(-alike)
    order = order[
        (alike[order] > LEAST_FAMILIAR) & (presence[order] > 0.5) & usable(refined[order], 8.0)
    ]
    kept = order[distinct_pieces(refined[order])] if len(order) else order
    return refined[kept], alike[kept].astype(np.float32)


def extended(
    pyramid: Pyramid, lattice: Lattice, spec: BoardSpec, familiar: Familiar | None
) -> Lattice:
    """An open lattice with the undetected neighbours that look like taught faces."""
    if familiar is None or not spec.is_open:
        return lattice
    for _ in range(max(spec.rows[1], spec.cols[1])):
        beside = {
            (r, c): lattice.expected_quad(r, c)
            for r, c in sorted(places_beside(lattice.cells, lattice.rows, lattice.cols, spec))
            if not (0 <= r < lattice.rows and 0 <= c < lattice.cols)
        }
        shown = {
            spot: q for spot, q in beside.items() if len(in_photo([q], pyramid.levels[0].shape[:2]))
        }
        if not shown:
            return lattice
        refined, presence = refine_quads(pyramid, np.stack(list(shown.values())))
        whole = ~misshapen(refined, lattice.to_photo, lattice.half_size)
        there = np.flatnonzero((presence > 0.5) & usable(refined, 8.0) & whole)
        held = np.stack(list(lattice.cells.values()))
        there = there[share_within(refined[there], held) < WITHIN_PIECES]
        if not len(there):
            return lattice
        alike = familiar(refined[there])
        best = int(there[alike.argmax()])
        if alike.max() < CLEARLY_FAMILIAR:
            return lattice
        lattice = lattice.with_cell(list(shown)[best], refined[best], float(alike.max()))
    return lattice


def strays_of(board: LocatedBoard, quads_xy: Floats, scores: Floats) -> Floats:
    """Detected pieces of the board's size that lie on none of its cells, shape (n, 4, 2)."""
    cells = board.quads_xy
    typical = float(np.median(sides(cells)))
    size = sides(quads_xy)
    distance = np.hypot(*np.moveaxis(quads_xy.mean(1)[:, None] - cells.mean(1)[None], 2, 0)).min(1)
    apart = (distance > STRAY_AWAY * typical) & (
        np.maximum(size / typical, typical / size) < STRAY_RATIO
    )
    return np.asarray(quads_xy[apart & (scores > STRAY_SCORE)][:MOST_STRAYS], np.float32)


def _from_nearer(pyramid: Pyramid, lattice: Lattice, spec: BoardSpec, shrink: float) -> Lattice:
    """The lattice from a straightened, nearer look, if that was needed and finds more.

    A look is hard if pieces were small or aslant, or if places that may be empty seem bare. What
    a better view moves much is looked at once more.
    """
    sizes = sides(np.stack(list(lattice.cells.values())))
    small = float(np.median(sizes)) / shrink < SMALL_PIECE_PX
    aslant = float(sizes.max() / max(sizes.min(), 1e-6)) > ASLANT
    whole = not spec.empty or len(lattice.cells) == lattice.rows * lattice.cols
    if not small and not aslant and whole:
        return lattice
    for _ in range(2):
        closer = _look_straightened(pyramid, lattice, spec)
        if closer is None or _worth(closer, spec) < _worth(lattice, spec):
            break
        settled = closer.cells.keys() == lattice.cells.keys()
        lattice = closer
        if settled:
            break
    return lattice


def _worth(lattice: Lattice, spec: BoardSpec) -> float:
    """How much a lattice explains: sure pieces less missing ones."""
    missing = 0 if spec.is_open else lattice.rows * lattice.cols - len(lattice.cells)
    return sum(lattice.scores.values()) - 0.5 * missing


def _look_straightened(pyramid: Pyramid, lattice: Lattice, spec: BoardSpec) -> Lattice | None:
    """Run the detector on the straightened board, with room around it for missed pieces.

    Undoing the perspective makes far pieces as large as near ones, and neighbours equal.
    """
    view = straight_view(lattice, spec)
    if view is None:
        return None
    to_photo, size_wh = view
    quads, scores = detect_pieces(pyramid.flattened(to_photo, size_wh))
    if not len(quads):
        return None
    flat = fit_lattice(quads, scores, spec)
    if flat is None:
        return None
    cells = {place: transform(to_photo, quad) for place, quad in flat.cells.items()}
    if not usable(np.stack(list(cells.values()))).all():
        return None
    return replace(flat, cells=cells, to_photo=to_photo @ flat.to_photo)


def straight_view(lattice: Lattice, spec: BoardSpec) -> tuple[Matrix, tuple[int, int]] | None:
    """The homography from a straightened picture to the photo, and (width, height) of that picture.

    It shows the lattice with ``MARGIN`` pitches around, less where that would reach behind the
    camera.
    """
    wide = MARGIN if spec.is_open else MARGIN / 2
    middle = np.array([lattice.cols - 1, lattice.rows - 1]) / 2
    half = middle + np.array(lattice.half_size)
    depth = lattice.to_photo[2]
    nearest = float(depth @ [*middle, 1.0])
    for margin in (wide, wide / 2, 0.3):
        corners = middle + OUTWARD * (half + margin)
        depths = np.column_stack([corners, np.ones(4)]) @ depth / nearest
        if depths.min() > LEAST_DEPTH:
            break
    else:
        return None
    extent = 2 * (half + margin)
    width, height = extent * (spec.aspect or 1.0, 1.0)
    pitch_px = min(STRAIGHT_PX / max(width, height), STRAIGHT_CELL_PX)
    size_wh = (max(32, round(float(width) * pitch_px)), max(32, round(float(height) * pitch_px)))
    picture = UNIT_SQUARE * np.array(size_wh) - 0.5
    return lattice.to_photo @ homography(picture, corners), size_wh


def _complete(pyramid: Pyramid, lattice: Lattice, spec: BoardSpec) -> LocatedBoard | None:
    """Refine every cell and look at missed places; None if too little was seen.

    Where pieces are equally large, that says from where to refine them, and which quad is none
    of them.
    """
    places = [(r, c) for r in range(lattice.rows) for c in range(lattice.cols)]
    if not spec.is_open and len(lattice.cells) < LEAST_SHARE_SEEN * len(places):
        return None  # too little of it was seen to say where the rest lies
    expected = np.stack([lattice.expected_quad(*place) for place in places])
    guesses = np.stack([lattice.cells.get(p, e) for p, e in zip(places, expected, strict=True)])
    sound = usable(guesses)
    if not sound.any():
        return None
    found = np.array([place in lattice.cells for place in places])
    equal = spec.turns < 4 or spec.aspect == 1  # or some lie across

    def evened(quads_xy: Floats, presence: Floats) -> Floats:
        # what seems bare must not be drawn into line
        even = equal_pieces(quads_xy, found[sound] & (presence > 0.5), spec.aspect)
        return np.where(found[sound][:, None, None], even, quads_xy)

    refined, presence = guesses.copy(), np.zeros(len(places), np.float32)
    refined[sound], presence[sound] = refine_quads(
        pyramid, guesses[sound], evened=evened if equal else None
    )
    if equal and not spec.printed_cells:  # beyond a tile lies the print
        refined[sound] = whole_pieces(pyramid, refined[sound], (found & (presence > 0.5))[sound])
    to_photo, half_size = lattice.to_photo, lattice.half_size
    plane = plane_of(refined, found & sound & (presence > 0.5), spec.aspect) if equal else None
    if plane is not None:
        to_photo, half_size = plane.to_photo, tuple(plane.size / 2)
    off = np.linalg.norm(refined - guesses, axis=2).max(1) / np.maximum(sides(guesses), 1e-6)
    drawn_away = (off > MOST_MOVED) | misshapen(refined, to_photo, half_size)
    instead = np.where(misshapen(guesses, to_photo, half_size)[:, None, None], expected, guesses)
    quads = np.where(drawn_away[:, None, None], instead, refined)
    cells = [
        LocatedCell(*place, quad, there, seen or not spec.is_open, lattice.scores.get(place, 0.0))
        for place, quad, there, seen in zip(
            places, quads, presence.tolist(), found.tolist(), strict=True
        )
    ]
    ring = next_to(lattice.rows, lattice.cols) if spec.is_open else []
    around = in_photo([lattice.expected_quad(*p) for p in ring], pyramid.levels[0].shape[:2])
    seen = [cell for cell in cells if cell.settled]
    return LocatedBoard(
        lattice.rows, lattice.cols, tuple(cells), outline_of(seen, lattice), around_xy=around
    )


def misshapen(
    quads_xy: Floats, to_photo: Matrix, half_size: npt.ArrayLike
) -> npt.NDArray[np.bool_]:
    """Which quads (n, 4, 2) differ much from the size of a piece, shape (n,).

    ``half_size`` is half the width and height of a piece on the plane that ``to_photo`` shows.
    """
    back = inverse(to_photo)
    if back is None:
        return np.zeros(len(quads_xy), np.bool_)
    size = np.stack(
        [np.linalg.norm(edges, axis=1) for edges in mean_edges(transform(back, quads_xy))], 1
    )
    ratio = size / 2 / np.maximum(half_size, 1e-6)
    return np.asarray(((ratio > MOST_GROWN) | (ratio < 1 / MOST_GROWN)).any(1))


def outline_of(cells: list[LocatedCell], lattice: Lattice) -> Floats:
    """The outer corners of the grid, fitted to the corners of all pieces; shape (4, 2)."""
    corners = OUTWARD * np.array(lattice.half_size)
    places = np.concatenate([np.array([cell.col, cell.row]) + corners for cell in cells])
    fitted = fit_homography(
        places.astype(np.float32), np.concatenate([cell.quad_xy for cell in cells])
    )
    to_photo = lattice.to_photo if fitted is None else fitted
    far = np.array([lattice.cols - 1, lattice.rows - 1])
    return transform(to_photo, corners + UNIT_SQUARE * far)
