"""Finds the pieces of a board in a photo: detector, lattice, refinement of every corner."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from models.session import detect, refine
from vision.boards import BoardSpec
from vision.errors import BoardNotFound
from vision.find.lattice import STEPS, Lattice, fit_lattice, fit_lattices, joined_halves
from vision.find.rigid import equal_pieces, plane_of
from vision.geometry import (
    UNIT_SQUARE,
    Floats,
    Images,
    Pyramid,
    fit_homography,
    homography,
    inverse,
    mean_edges,
    sides,
    transform,
    usable,
    within_quads,
)

STRIDE = 4
CORNER_UNIT_PX = 32.0
REFINE_PX = 48
REFINE_MARGIN = 0.3
"""These four are how the networks were trained (``models.training.locator``)."""

DETECTOR_PX = 512
"""Long side of the photo that the detector sees first."""
CLOSER_PX = 832
"""Long side for a second, closer look where pieces are small or nothing was found."""
NEARLY = 0.92
"""Pictures within this factor of those sizes will do."""
LEAST_SCORE = 0.22
"""Weaker centres are not looked at."""
ASLANT = 1.65
"""A board whose nearest piece looks this much larger than its farthest is straightened and looked at again."""
STRAIGHT_PX = 512
STRAIGHT_CELL_PX = 64.0
"""Long side and largest pitch of a straightened picture."""
MARGIN = 2.2
"""Pitches around a lattice of open shape that a straightened picture shows; half as many around a full one."""
LEAST_DEPTH = 0.15
"""Nearness of the farthest corner of such a picture, relative to its middle, that can still be shown."""
SMALL_PIECE_PX = 30.0
"""Pieces smaller than this in the detector's picture are looked at again from nearer."""
OVERLAP_SIDES = 0.45
"""Centres nearer than this, in sides of the larger piece, are the same piece."""
LEAST_SHARE_SEEN = 0.45
"""A board of fixed shape is only believed if the detector saw this share of its cells."""
MOST_GROWN = 1.22
"""A refined piece wider or higher than the pieces of its lattice by more than this is another thing."""
MOST_MOVED = 0.45
"""A corner that refining moves by more than this, in sides of its piece, went to another thing."""
GROWN = 1.75
"""By how much a piece may be larger than the part of it that was detected."""
SHOWN_AROUND = 0.6
"""Pitches around given corners that the detector sees."""
FARTHEST_AT_CORNERS, MOST_GROWN_AT_CORNERS = 0.4, 1.4
"""How far from the middle of its cell a piece may lie there, in pitches; and by how much it may be larger or smaller."""
MOST_PARTS = 80
"""Detected pieces, the surest first, around which whole ones are looked for: each costs ten crops."""
LEAST_FAMILIAR, CLEARLY_FAMILIAR = 0.802, 0.865
"""Likeness to a taught face from which something may be a piece of the board; and from which it is, beside the others."""
MOST_CANDIDATES = 2
"""Lattices of one look at the photo that are worth reading."""
STRAY_SCORE = 0.3
MOST_STRAYS = 12
"""Other pieces in the photo that are worth a look, and how many of them."""


Familiar = Callable[[Floats], Floats]
"""How much quads (n, 4, 2) of the photo look like the likest taught face, shape (n,)."""
Evened = Callable[[Floats, Floats], Floats]
"""Where quads (n, 4, 2) are with what is known of pieces together, by the presence (n,) of a piece in each."""


LARGER = np.array(
    [
        UNIT_SQUARE * (GROWN, 1.0),
        UNIT_SQUARE * (GROWN, 1.0) - (GROWN - 1, 0),
        UNIT_SQUARE * (1.0, GROWN),
        UNIT_SQUARE * (1.0, GROWN) - (0, GROWN - 1),
    ],
    np.float32,
)
"""The unit square grown to each of its four sides."""


@dataclass(frozen=True, slots=True, eq=False)
class LocatedCell:
    """A cell of the board: its quad in photo pixels, and how sure the refiner is that a piece lies there (0 to 1).

    One that is not ``detected`` only seems to hold a piece because of what surrounds it: a person must decide.
    ``score`` is how sure the detector was, 0 if it saw nothing there.
    """

    row: int
    col: int
    quad_xy: Floats
    presence: float
    detected: bool = True
    score: float = 0.0


SURELY_PIECE = 0.8
"""Presence from which a cell says how large pieces are and how the grid lies."""


@dataclass(frozen=True, slots=True, eq=False)
class LocatedBoard:
    """All cells of a board; rows run roughly to the right in the photo.

    ``outline_xy`` has shape (4, 2); ``strays_xy`` (n, 4, 2) are other things in the photo that may be pieces.
    ``around_xy`` (m, 4, 2) are the places next to a board of open shape, as large as its cells: mostly bare table.
    """

    rows: int
    cols: int
    cells: tuple[LocatedCell, ...]
    outline_xy: Floats
    strays_xy: Floats = field(default_factory=lambda: np.zeros((0, 4, 2), np.float32))
    around_xy: Floats = field(default_factory=lambda: np.zeros((0, 4, 2), np.float32))

    @property
    def to_photo(self) -> npt.NDArray[np.float64] | None:
        """The homography that takes cell (column, row) to (column + 1, row + 1) to where its piece is seen, by the cells that
        surely hold one; None if these do not tell."""
        cells = [cell for cell in self.cells if cell.presence > SURELY_PIECE] or list(self.cells)
        corners = np.concatenate([UNIT_SQUARE + np.array((cell.col, cell.row)) for cell in cells])
        return fit_homography(corners.astype(np.float32), np.concatenate([cell.quad_xy for cell in cells]))


def resized(image: Images, long_side: int) -> tuple[Images, float]:
    """The image with that long side and the factor by which it shrank (below 1: grew)."""
    h, w = image.shape[:2]
    shrink = max(h, w) / long_side
    size = (max(1, round(w / shrink)), max(1, round(h / shrink)))
    mode = cv2.INTER_AREA if shrink > 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size, interpolation=mode), np.uint8), shrink


def _about(pyramid: Pyramid, long_side: int) -> tuple[Images, float]:
    """The photo with about that long side, and the factor by which it shrank.

    A level of the pyramid that is nearly as large will do: shrinking to a given size takes longer than to the half.
    """
    large_enough = sum(max(level.shape[:2]) >= NEARLY * long_side for level in pyramid.levels)
    halvings = max(large_enough - 1, 0)
    picture, shrink = pyramid.levels[halvings], 1.0
    if max(picture.shape[:2]) > long_side / NEARLY:
        picture, shrink = resized(picture, long_side)
    return picture, shrink * 2.0**halvings


def detect_pieces(
    image_rgb: Images, least_score: float = LEAST_SCORE, most: int = 400
) -> tuple[Floats, Floats]:
    """Quads (n, 4, 2), clockwise on the screen, and scores (n,) of the pieces in an image, best first."""
    h, w = image_rgb.shape[:2]
    padded = cv2.copyMakeBorder(image_rgb, 0, -h % 32, 0, -w % 32, cv2.BORDER_REPLICATE)
    maps = detect(np.asarray(padded, np.uint8))
    heat = np.ascontiguousarray(maps[..., 0])
    peaks = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > least_score)
    rows, cols = np.nonzero(peaks)
    order = np.argsort(-heat[rows, cols])[:most]
    rows, cols = rows[order], cols[order]
    scores = heat[rows, cols]
    centre = np.stack([cols, rows], 1) * STRIDE + (STRIDE - 1) / 2
    quads = (centre[:, None] + maps[rows, cols, 1:].reshape(-1, 4, 2) * CORNER_UNIT_PX).astype(np.float32)
    good = usable(quads, 5.0)
    quads, scores = quads[good], scores[good].astype(np.float32)
    keep = distinct(quads)
    return quads[keep], scores[keep]


def distinct(quads: Floats) -> list[int]:
    """Indices of quads, best first, that are not the same piece as a better one."""
    centres, size = quads.mean(1), sides(quads)
    keep: list[int] = []
    for i in range(len(quads)):
        if keep:
            distance = np.hypot(*(centres[keep] - centres[i]).T)
            if (distance < OVERLAP_SIDES * np.maximum(size[keep], size[i])).any():
                continue
        keep.append(i)
    return keep


def refine_quads(
    pyramid: Pyramid, quads_xy: Floats, rounds: int = 2, evened: Evened | None = None
) -> tuple[Floats, Floats]:
    """Move each guessed quad onto the piece it shows, in each round from where the quads are when ``evened``.

    Returns
    -------
    quads of shape (n, 4, 2) and the probability that a piece is there, shape (n,)
    """
    quads = quads_xy.astype(np.float32).copy()
    presence = np.ones(len(quads), np.float32)
    for _ in range(rounds):
        if evened is not None:
            quads = evened(quads, presence)
        presence, shifts = refine(pyramid.crops(quads, REFINE_PX, REFINE_MARGIN))
        wanted = UNIT_SQUARE + np.clip(shifts, -0.35, 0.35)
        there = within_quads(quads, wanted)
        quads = np.where(usable(there)[:, None, None], there, quads)
    return quads, presence


def locate_board(image_rgb: Images, spec: BoardSpec, pyramid: Pyramid | None = None) -> LocatedBoard:
    """Find the most credible board in an upright photo.

    Raises
    ------
    BoardNotFound
        If nothing looks like it.
    """
    board = next(candidate_boards(pyramid or Pyramid(image_rgb), spec), None)
    if board is None:
        raise not_found(spec)
    return board


def candidate_boards(
    pyramid: Pyramid, spec: BoardSpec, familiar: Familiar | None = None
) -> Iterator[LocatedBoard]:
    """Boards that may be in the photo, the most credible first, each worked out only when asked for.

    The first come from the whole photo at once, later ones from a nearer look at all of it, then from taking neighbours
    for halves of one piece, the last from whatever around the detected pieces is ``familiar``.
    """
    looks = []
    for long_side in (DETECTOR_PX, CLOSER_PX):
        small, shrink = _about(pyramid, long_side)
        quads, scores = detect_pieces(small)
        looks.append((quads * shrink, scores))
        yield from _boards_among(pyramid, *looks[-1], spec, familiar, shrink)
    for parts, values in looks:
        yield from _boards_among(pyramid, *joined_halves(parts, values), spec, familiar)
    if familiar is not None:
        for parts, _ in looks:
            yield from _boards_among(pyramid, *familiar_pieces(pyramid, parts, familiar), spec, familiar)


def _boards_among(
    pyramid: Pyramid,
    quads_xy: Floats,
    scores: Floats,
    spec: BoardSpec,
    familiar: Familiar | None,
    shrink: float | None = None,
) -> Iterator[LocatedBoard]:
    """The likeliest boards that pieces make; looked at from nearer if they were seen in a photo that ``shrink`` made smaller."""
    for found in fit_lattices(quads_xy, scores, spec)[:MOST_CANDIDATES]:
        seen = found if shrink is None else _from_nearer(pyramid, found, spec, shrink)
        lattice = extended(pyramid, seen, spec, familiar)
        others = lattice.other_windows() if spec.is_full else []
        boards = [_complete(pyramid, window, spec) for window in (lattice, *others)]
        board = max((b for b in boards if b is not None), key=_presence, default=None)
        if board is not None:
            yield replace(board, strays_xy=strays_of(board, quads_xy, scores))


def _presence(board: LocatedBoard) -> float:
    """On how many cells of a board a piece seems to lie."""
    return sum(cell.presence for cell in board.cells)


def familiar_pieces(pyramid: Pyramid, quads_xy: Floats, familiar: Familiar) -> tuple[Floats, Floats]:
    """Quads (n, 4, 2) that look like taught faces among detected ones and those that they may be a part of; likeness (n,).

    A card painted all over has edges inside, and a part of it looks like a piece; taught faces tell what is whole.
    """
    parts = quads_xy[:MOST_PARTS]
    grown = within_quads(parts, LARGER.reshape(-1, 2))
    guesses = np.concatenate([parts, grown.reshape(-1, 4, 2)])
    size = pyramid.levels[0].shape[1::-1]
    inside = ((guesses.mean(1) > 0) & (guesses.mean(1) < size)).all(1) & usable(guesses, 8.0)
    if not inside.any():
        return guesses[:0], np.zeros(0, np.float32)
    refined, presence = refine_quads(pyramid, guesses[inside])
    alike = familiar(refined)
    order = np.argsort(-alike)
    order = order[(alike[order] > LEAST_FAMILIAR) & (presence[order] > 0.5) & usable(refined[order], 8.0)]
    kept = order[distinct(refined[order])] if len(order) else order
    return refined[kept], alike[kept].astype(np.float32)


def extended(pyramid: Pyramid, lattice: Lattice, spec: BoardSpec, familiar: Familiar | None) -> Lattice:
    """The lattice of a board of open shape with the pieces beside it that were not detected but look like taught faces."""
    if familiar is None or not spec.is_open:
        return lattice
    for _ in range(max(spec.rows[1], spec.cols[1])):
        beside = {
            (r, c): lattice.expected_quad(r, c)
            for r, c in sorted(places_beside(lattice.cells, lattice.rows, lattice.cols, spec))
            if not (0 <= r < lattice.rows and 0 <= c < lattice.cols)
        }
        shown = {spot: q for spot, q in beside.items() if len(_in_photo([q], pyramid.levels[0].shape[:2]))}
        if not shown:
            return lattice
        refined, presence = refine_quads(pyramid, np.stack(list(shown.values())))
        whole = ~misshapen(refined, lattice.to_photo, lattice.half_size)
        there = np.flatnonzero((presence > 0.5) & usable(refined, 8.0) & whole)
        if not len(there):
            return lattice
        alike = familiar(refined[there])
        best = int(there[alike.argmax()])
        if alike.max() < CLEARLY_FAMILIAR:
            return lattice
        lattice = lattice.with_cell(list(shown)[best], refined[best], float(alike.max()))
    return lattice


def strays_of(board: LocatedBoard, quads_xy: Floats, scores: Floats) -> Floats:
    """Detected pieces about as large as the board's that lie on none of its cells, shape (n, 4, 2)."""
    cells = np.stack([cell.quad_xy for cell in board.cells])
    typical = float(np.median(sides(cells)))
    size = sides(quads_xy)
    distance = np.hypot(*np.moveaxis(quads_xy.mean(1)[:, None] - cells.mean(1)[None], 2, 0)).min(1)
    apart = (distance > 0.6 * typical) & (size > typical / 2.2) & (size < typical * 2.2)
    return np.asarray(quads_xy[apart & (scores > STRAY_SCORE)][:MOST_STRAYS], np.float32)


def _from_nearer(pyramid: Pyramid, lattice: Lattice, spec: BoardSpec, shrink: float) -> Lattice:
    """The lattice as seen straightened and from nearer, where the first look was hard and the second finds more.

    A look is hard if pieces were small or aslant, or if places that may be empty seem bare. What a better view moves
    much is looked at once more.
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
    """Run the detector on the board as it would look from straight above, with room around for what was missed.

    Undoing the perspective makes far pieces as large as near ones, and neighbours equal.
    """
    view = _straight_view(lattice, spec)
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


def _straight_view(
    lattice: Lattice, spec: BoardSpec
) -> tuple[npt.NDArray[np.float64], tuple[int, int]] | None:
    """The homography from a straightened picture to the photo, and (width, height) of that picture.

    It shows the lattice with ``MARGIN`` pitches around, less where that would reach behind the camera.
    """
    wide = MARGIN if spec.is_open else MARGIN / 2
    outline = (UNIT_SQUARE - 0.5) * 2
    middle = np.array([lattice.cols - 1, lattice.rows - 1]) / 2
    half = middle + np.array(lattice.half_size)
    depth = lattice.to_photo[2]
    nearest = float(depth @ [*middle, 1.0])
    for margin in (wide, wide / 2, 0.3):
        corners = middle + outline * (half + margin)
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
    """Refine every cell and look where pieces were missed; a board of open shape keeps cells that may be empty.

    Where pieces are equally large, that says from where to refine them, and which quad is none of them.
    """
    places = [(r, c) for r in range(lattice.rows) for c in range(lattice.cols)]
    if not spec.is_open and len(lattice.cells) < LEAST_SHARE_SEEN * len(places):
        return None  # too little of it was seen to say where the rest lies
    guesses = np.stack([lattice.cells.get(p, lattice.expected_quad(*p)) for p in places]).astype(np.float32)
    sound = usable(guesses)
    if not sound.any():
        return None
    found = np.array([place in lattice.cells for place in places])
    equal = not spec.printed_cells and (spec.turns < 4 or spec.aspect == 1)  # or some lie across

    def evened(quads_xy: Floats, presence: Floats) -> Floats:
        # what seems bare must not be drawn into line
        even = equal_pieces(quads_xy, found[sound] & (presence > 0.5), spec.aspect)
        return np.where(found[sound][:, None, None], even, quads_xy)

    refined, presence = guesses.copy(), np.zeros(len(places), np.float32)
    refined[sound], presence[sound] = refine_quads(pyramid, guesses[sound], evened=evened if equal else None)
    to_photo, half_size = lattice.to_photo, lattice.half_size
    plane = plane_of(refined, found & sound & (presence > 0.5), spec.aspect) if equal else None
    if plane is not None:
        to_photo, half_size = plane.to_photo, tuple(plane.size / 2)
    expected = np.stack([lattice.expected_quad(*p) for p in places])
    off = np.linalg.norm(refined - guesses, axis=2).max(1) / np.maximum(sides(guesses), 1e-6)
    drawn_away = (off > MOST_MOVED) | misshapen(refined, to_photo, half_size)
    instead = np.where(misshapen(guesses, to_photo, half_size)[:, None, None], expected, guesses)
    quads = np.where(drawn_away[:, None, None], instead, refined)
    cells = [
        LocatedCell(
            *place, quad, float(there), bool(seen) or not spec.is_open, lattice.scores.get(place, 0.0)
        )
        for place, quad, there, seen in zip(places, quads, presence, found, strict=True)
    ]
    ring = (
        [lattice.expected_quad(*spot) for spot in next_to(lattice.rows, lattice.cols)] if spec.is_open else []
    )
    around = _in_photo(ring, pyramid.levels[0].shape[:2])
    seen = [cell for cell in cells if cell.detected]
    return LocatedBoard(lattice.rows, lattice.cols, tuple(cells), outline_of(seen, lattice), around_xy=around)


def misshapen(
    quads_xy: Floats, to_photo: npt.NDArray[np.float64], half_size: npt.ArrayLike
) -> npt.NDArray[np.bool_]:
    """Which quads (n, 4, 2) are much wider, narrower, higher or lower than pieces are, shape (n,); these have half that width
    and height (2,) on the plane that ``to_photo`` shows."""
    back = inverse(to_photo)
    if back is None:
        return np.zeros(len(quads_xy), np.bool_)
    size = np.stack([np.linalg.norm(edges, axis=1) for edges in mean_edges(transform(back, quads_xy))], 1)
    ratio = size / 2 / np.maximum(half_size, 1e-6)
    return np.asarray(((ratio > MOST_GROWN) | (ratio < 1 / MOST_GROWN)).any(1))


def _in_photo(quads_xy: Sequence[Floats], size_hw: tuple[int, int]) -> Floats:
    """Those of the quads that the photo shows whole, shape (m, 4, 2)."""
    quads = np.array(quads_xy, np.float32).reshape(-1, 4, 2)
    inside = ((quads > 0) & (quads < (size_hw[1], size_hw[0]))).all((1, 2))
    return np.asarray(quads[inside & usable(quads)], np.float32)


def outline_of(cells: list[LocatedCell], lattice: Lattice) -> Floats:
    """The outer corners of the grid, by a homography through the corners of all its pieces; shape (4, 2)."""
    half = np.array(lattice.half_size)
    corners = (UNIT_SQUARE - 0.5) * 2 * half
    places = np.concatenate([np.array([cell.col, cell.row]) + corners for cell in cells])
    to_photo = fit_homography(places.astype(np.float32), np.concatenate([cell.quad_xy for cell in cells]))
    if to_photo is None:
        return lattice.outline()
    far = np.array([lattice.cols - 1, lattice.rows - 1])
    return transform(to_photo, corners + UNIT_SQUARE * far)


def pieces_within(board: LocatedBoard, pyramid: Pyramid) -> Floats:
    """Quads (n, 4, 2) of the pieces that are detected on the cells of an even grid, seen as from straight above; the
    cell itself where none is."""
    cells = np.stack([cell.quad_xy for cell in board.cells])
    pitch_px = min(STRAIGHT_CELL_PX, CLOSER_PX / (max(board.rows, board.cols) + 2 * SHOWN_AROUND))
    size_wh = tuple(round((n + 2 * SHOWN_AROUND) * pitch_px) for n in (board.cols, board.rows))
    inner = (UNIT_SQUARE * (board.cols, board.rows) + SHOWN_AROUND) * pitch_px - 0.5
    to_photo = homography(inner, board.outline_xy)
    found, _ = detect_pieces(pyramid.flattened(to_photo, (size_wh[0], size_wh[1])))
    middles = np.array([(cell.col, cell.row) for cell in board.cells]) + 0.5 + SHOWN_AROUND
    away = np.linalg.norm(found.mean(1)[None] / pitch_px - middles[:, None], axis=2)
    grown = np.abs(np.log(np.maximum(sides(found), 1e-6) / pitch_px))
    away[:, grown > np.log(MOST_GROWN_AT_CORNERS)] = np.inf
    for k in range(len(cells)) if len(found) else ():
        nearest = int(away[k].argmin())
        if away[k, nearest] < FARTHEST_AT_CORNERS:
            piece = transform(to_photo, found[nearest])
            turns = [np.roll(piece, -turn, axis=0) for turn in range(4)]
            cells[k] = min(turns, key=lambda quad: float(np.abs(quad - cells[k]).sum()))
    return cells


def cells_of_corners(
    quad_xy: Floats, rows: int, cols: int, size_hw: tuple[int, int] = (0, 0)
) -> LocatedBoard:
    """The cells of a grid whose outer corners a person gave, evenly divided; and the places around it, as far as a
    photo of that size shows them."""
    to_photo = homography([[0, 0], [cols, 0], [cols, rows], [0, rows]], quad_xy)

    def place(row: int, col: int) -> Floats:
        return transform(to_photo, UNIT_SQUARE + np.array([col, row], np.float32))

    cells = tuple(LocatedCell(r, c, place(r, c), 1.0) for r in range(rows) for c in range(cols))
    around = _in_photo([place(*spot) for spot in next_to(rows, cols)], size_hw)
    return LocatedBoard(rows, cols, cells, quad_xy.astype(np.float32), around_xy=around)


def places_beside(
    held: Collection[tuple[int, int]], rows: int, cols: int, spec: BoardSpec
) -> set[tuple[int, int]]:
    """Places edge to edge with a held one of a grid, on which the board may have another piece; -1 is before the first."""
    beside = {(r + dr, c + dc) for r, c in held for dr, dc in STEPS} - {*held}
    return {
        (r, c)
        for r, c in beside
        if (0 <= r < rows or rows < spec.rows[1]) and (0 <= c < cols or cols < spec.cols[1])
    }


def next_to(rows: int, cols: int) -> list[tuple[int, int]]:
    """Places (row, column) in the ring around a grid."""
    return [
        (r, c) for r in range(-1, rows + 1) for c in range(-1, cols + 1) if r in (-1, rows) or c in (-1, cols)
    ]


def not_found(spec: BoardSpec) -> BoardNotFound:
    """Nothing on the photo looks like the board."""
    least = f"{spec.rows[0]}x{spec.cols[0]}" if spec.rows[0] * spec.cols[0] > 1 else "any"
    return BoardNotFound(
        "no_board",
        f"No {spec.name} board ({least} grid of pieces) was found: show the whole board from above, in even light, "
        "or mark its four corners.",
    )
