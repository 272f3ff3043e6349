"""Which of the grids in a photo is the board: each is read, and the one that shows the set most
credibly is it."""

import time
from typing import NamedTuple, Self

import numpy as np

from scorer.text import Text
from vision.boards import BoardSpec
from vision.decode import possible_turns
from vision.errors import BoardNotFound
from vision.evidence import Look
from vision.find.board import LocatedBoard, is_cut_off, not_found
from vision.find.candidates import (
    LEAST_BESIDE,
    Looks,
    boards_beside,
    candidate_boards,
    lie_outside,
)
from vision.find.complete import CLEARLY_FAMILIAR, SURE_BARE, Extent, occupied
from vision.find.grown import grown
from vision.find.rigid import with_equal_tiles
from vision.geometry import Floats, Pyramid, areas
from vision.kinds import kind_of
from vision.name.light import CLEAR
from vision.name.look import look_at
from vision.probability import Signs, fitted
from vision.profile import Profile, vectors_at

GOOD_BOARD_LIKENESS = 0.748
"""A printed board, or a full one of any size, is the board if its median piece looks this much like
a taught face. No other candidate is looked at."""
CLOSE_LIKENESS = 0.901
"""The same for the median piece of a grid of open shape."""
SURE_BELIEF = 0.98
"""A grid of a given number of loose pieces is the board if it shows the set this probably. No other
candidate is looked at. A bar on the belief names the right grid more often than one on the
likeness of the median piece."""
SLIPPED = 0.25
"""Other candidates are looked at if the strangest piece is less probably of the set than this: the
grid may lie beside the board by a row."""
STRANGE_LIKENESS = 0.667
"""Likeness to a taught face that a piece of another game may have. Only what is above it counts for
a grid."""


LEAST_BELIEF = 0.5
"""A grid is refused if it shows the set less probably than this. The judges assume that half of all
photos show no board."""


SECOND_BOARD = Text(
    "The photo shows a second board, and only the larger one was read: take a photo of each."
)
MORE_PIECES = Text(
    "More pieces lie beside the board that was read: take them away, or take a photo of each board."
)


class Familiarity(NamedTuple):
    """How much a grid looks like the taught set.

    ``worth`` adds up by how much its pieces look more like taught faces than pieces of another
    game do. Each counts by its area in pixels, because halves of cards are twice as many.
    ``typical`` is the likeness of the median piece, ``share_known`` the share of pieces that are
    taught faces, ``least_known`` the probability that the strangest piece is one.
    """

    worth: float
    typical: float
    share_known: float
    least_known: float


class CellsRead(NamedTuple):
    """A located grid, what was seen of it, how familiar it looks, and what says whether it is the
    whole board. ``beside`` tells people of pieces that lie beside it and belong to another board.
    """

    familiarity: Familiarity
    board: LocatedBoard
    look: Look
    extent: Extent
    beside: Text | None = None

    @property
    def problems(self) -> tuple[Text, ...]:
        """What people should know of the photo, whatever was read."""
        return () if self.beside is None else (self.beside,)


class Candidate(NamedTuple):
    """A grid that was read as a ``side`` of the board, and how probably it shows the set."""

    read: CellsRead
    believed: float
    side: BoardSpec

    def better_than(self, other: "Candidate", spec: BoardSpec) -> bool:
        """True if this one is more credibly the board. Where the number of pieces is open, the most
        taught faces count."""
        if spec.is_always_full:
            return self.believed > other.believed
        return self.read.familiarity > other.read.familiarity

    def settles(self, spec: BoardSpec) -> bool:
        """Whether it is so surely the board that no other needs to be looked at."""
        if not spec.is_always_full:
            return self.shows_whole_pieces(spec) and self.read.extent.at_most <= SURE_BARE
        full = all(cell.presence >= 0.5 for cell in self.read.board.cells)
        return full and self.believed >= SURE_BELIEF and not self.may_have_slipped

    @property
    def may_have_slipped(self) -> bool:
        """Whether its strangest piece is hardly one of the set."""
        return self.read.familiarity.least_known < SLIPPED

    def told_of(self, beside: Text) -> Self:
        """The same with the sentence about what lies beside it."""
        return self._replace(read=self.read._replace(beside=beside))

    def shows_whole_pieces(self, spec: BoardSpec) -> bool:
        """Whether its pieces look so much like taught faces that they are no parts of pieces. Of a
        board that always has the same size, likeness does not tell it."""
        if spec.is_always_full or self.may_have_slipped:
            return False
        close = CLOSE_LIKENESS if spec.is_open else GOOD_BOARD_LIKENESS
        return self.read.familiarity.typical >= close


def read_best(pyramid: Pyramid, spec: BoardSpec, profile: Profile) -> tuple[CellsRead, float]:
    """The best candidate, if it shows the set that is read, and when the last one was located.

    Raises
    ------
    BoardNotFound
        If there is no candidate, or the best is cut off or shows something else.
    """
    best, located = best_candidate(pyramid, spec, profile)
    return credible(best, pyramid, spec), located


def credible(best: Candidate, pyramid: Pyramid, spec: BoardSpec) -> CellsRead:
    """What was read of the best candidate. Raises BoardNotFound if it is cut off or shows something
    else."""
    if is_cut_off(best.read.board, spec, pyramid.image_rgb.shape[:2]):
        raise not_found(spec)
    if best.believed < LEAST_BELIEF:
        raise BoardNotFound(
            "unknown_pieces",
            "A grid was found, but its pieces do not look like the %(name)s set "
            "that was taught: teach this copy of the game, or photograph the right "
            "board.",
            name=spec.name,
        )
    return best.read


def best_candidate(
    pyramid: Pyramid, spec: BoardSpec, profile: Profile, looks: Looks | None = None
) -> tuple[Candidate, float]:
    """The best of all candidates, and when the last one was located. Other boards may share the
    ``looks``.

    Raises
    ------
    BoardNotFound
        If there is no candidate.
    """
    best: Candidate | None = None
    looks = looks or Looks(pyramid)
    located = time.perf_counter()

    def familiar(quads_xy: Floats) -> Floats:
        alike = profile.likeness(vectors_at(pyramid, quads_xy))
        return np.asarray(alike.max((0, 2)), np.float32)

    def whole() -> bool:
        return best is not None and best.shows_whole_pieces(spec)

    search = None if profile.published else familiar
    ways = (
        (side, board)
        for side in spec.sides
        for board in candidate_boards(pyramid, side, search, looks, whole)
    )
    for side, board in ways:
        located = time.perf_counter()
        read = read_cells(pyramid, board, spec, profile, side=side)
        if read is None or (len(spec.sides) > 1 and _needs_less(read, spec)):
            continue
        found = Candidate(read, believed(read, spec, profile.published), side)
        if best is None or found.better_than(best, spec):
            best = found
        if found.settles(spec):
            break
    if best is None:
        raise not_found(spec)
    best = _with_pieces_beside(best, pyramid, spec, profile)
    return _larger(best, pyramid, spec, profile, looks), located


def _with_pieces_beside(
    best: Candidate, pyramid: Pyramid, spec: BoardSpec, profile: Profile
) -> Candidate:
    """The best grid, grown as long as a piece of the set more probably lies beside it than not."""
    while (place := best.read.extent.place) and best.read.extent.missing >= 0.5:
        held = best.read.board
        board = grown(pyramid, held, place, profile)
        read = board and read_cells(pyramid, board, spec, profile, side=best.side)
        if not read or read.board.rows * read.board.cols <= held.rows * held.cols:
            break
        best = Candidate(read, believed(read, spec, profile.published), best.side)
    return best


def _larger(
    best: Candidate, pyramid: Pyramid, spec: BoardSpec, profile: Profile, looks: Looks
) -> Candidate:
    """The larger in the photo of two boards that surely show the set, if a second lies beside the
    best one: players of a game may have a board each. Other grids of its pieces are only told."""
    if best.believed < SURE_BELIEF:
        return best
    other = surely_beside(best.read.board, pyramid, spec, profile, looks)
    if other is None:
        return best
    rows, cols = other.read.board.shape(0)
    if not spec.has_one_size or (rows, cols) != best.read.board.shape(0):
        apart = best.read.extent._replace(apart=True)
        return best._replace(read=best.read._replace(extent=apart, beside=MORE_PIECES))
    larger = max(best, other, key=lambda one: areas(one.read.board.outline_xy[None])[0])
    return larger.told_of(SECOND_BOARD)


def surely_beside(
    board: LocatedBoard, pyramid: Pyramid, spec: BoardSpec, profile: Profile, looks: Looks
) -> Candidate | None:
    """A grid beside a board that surely shows pieces of a set; None if there is none. A nearer look
    may find the board itself once more."""
    parts = spec.parts
    for side in parts.sides:
        for found in boards_beside(board, pyramid, side, looks):
            read = read_cells(pyramid, found, parts, profile, side=side)
            if read is None:
                continue
            outside = lie_outside(read.board.quads_xy[read.board.likely_pieces], board)
            if outside.sum() < max(LEAST_BESIDE, len(outside) / 2):
                continue
            other = Candidate(read, believed(read, parts, profile.published), side)
            if other.believed >= SURE_BELIEF:
                return other
    return None


def _needs_less(read: CellsRead, spec: BoardSpec) -> bool:
    """Whether a grid of open shape has more rows or columns than its pieces and its direction ask
    for: it was located as the board would lie, seen from another side."""
    if not spec.is_open:
        return False
    board, turn = read.board, read.look.way.turn
    held = np.array(board.upright(turn))[board.likely_pieces]
    span = held.max(0) - held.min(0) + 1
    return board.shape(turn) != tuple(np.maximum(span, (spec.rows[0], spec.cols[0])).tolist())


def believed(read: CellsRead, spec: BoardSpec, published: bool) -> float:
    """How probably a grid shows the set that is read, if as many grids do as do not."""
    judge = fitted().judges[f"{kind_of(spec, published).judge} set"]
    return float(judge.chances(set_signs(read, spec))[0])


def set_signs(read: CellsRead, spec: BoardSpec) -> Signs:
    """What says whether a grid shows the set that is read; each sign has shape (1,).

    Likeness is the scalar product with the likest taught face; where nothing was taught, it is the
    probability of the likest symbol.

    typical, mean, low : likeness of the median piece, of all pieces, and of the piece that a
        quarter of them lies below.
    apart : by how much the median piece looks more like its face than like any other.
    decided : log odds of what the median piece is.
    clear, unclear : probability of what the pieces are: of all, and of the two least certain.
    directed : probability of the direction of the grid.
    fits : how little the pieces have to be bent to be such as the box holds.
    share_known, known, least_known : share of pieces that are surely taught faces, how surely they
        are at the mean and the strangest of them.
    held : share of the grid's places that seem to hold a piece.
    presence : how surely the pieces are some.
    pieces : natural logarithm of their number if the board is of open shape, else 0.
    """
    there = read.board.presence
    pieces = read.board.likely_pieces
    ranked = np.sort(read.look.likeness[pieces], 1)
    alike, known = ranked[:, -1], read.look.known[pieces]
    clear = read.look.way.probabilities[pieces].max(1)
    odds = np.clip(np.median(clear), 1e-3, 1 - 1e-3)
    signs = {
        "typical": read.familiarity.typical,
        "mean": alike.mean(),
        "low": np.quantile(alike, 0.25),
        "apart": np.median(alike - ranked[:, -2]) if ranked.shape[1] > 1 else 0.0,
        "decided": np.log(odds / (1 - odds)),
        "clear": clear.mean(),
        "unclear": np.sort(clear)[:2].mean(),
        "directed": read.look.turn_probability,
        "fits": -np.log1p(kind_of(spec).misfit(read.look)),
        "share_known": read.familiarity.share_known,
        "known": known.mean(),
        "least_known": read.familiarity.least_known,
        "held": (there >= 0.5).mean(),
        "presence": there[pieces].mean(),
        "pieces": np.log(pieces.sum()) if spec.is_open else 0.0,
    }
    return {name: np.array([value], np.float64) for name, value in signs.items()}


def read_cells(
    pyramid: Pyramid,
    board: LocatedBoard,
    spec: BoardSpec,
    profile: Profile,
    fixed_turn: int | None = None,
    side: BoardSpec | None = None,
) -> CellsRead | None:
    """Look at the cells of a located board, and say how familiar its pieces are; None if no piece
    lies on it. ``side`` is the board as it lies in the photo, if it may be turned."""
    extent = Extent()
    if spec.is_open:
        held = occupied(pyramid, board, side or spec, profile, given=fixed_turn is not None)
        if held is None:
            return None
        board, extent = held.board, held.extent
    kind = kind_of(spec)
    profile = kind.completed(profile)
    turns = (fixed_turn,) if fixed_turn is not None else possible_turns(board, spec)
    shown = kind.print_log_p(pyramid, board, profile.labels)
    if shown is not None:
        tiles = kind.tiles(shown, profile.labels)
        board = with_equal_tiles(pyramid, board, tiles, spec.aspect)
    seen = look_at(pyramid, board, spec, profile, turns, shown)
    likely = board.likely_pieces
    alike = seen.likeness[likely].max(1)
    covered = areas(board.quads_xy[likely])
    familiarity = Familiarity(
        float((np.maximum(alike - STRANGE_LIKENESS, 0) * covered).sum()),
        float(np.median(alike)),
        float((seen.known[likely] > CLEAR).mean()),
        float(seen.known[likely].min()),
    )
    beside = MORE_PIECES if too_many(board, extent, side or spec) else None
    return CellsRead(familiarity, board, seen, extent, beside)


def too_many(board: LocatedBoard, extent: Extent, spec: BoardSpec) -> bool:
    """Whether the board would have more rows or columns than it may if the piece that surely lies
    in line with it were one of it."""
    if not extent.apart or extent.stray_place is None or extent.stray < CLEARLY_FAMILIAR:
        return False
    spans = [
        max(at + 1, count) - min(at, 0)
        for at, count in zip(extent.stray_place, (board.rows, board.cols), strict=True)
    ]
    return spans[0] > spec.rows[1] or spans[1] > spec.cols[1]
