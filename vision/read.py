"""The pipeline: an upright photo, a board description and a profile in; a reading out."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from models.session import CROP_PX, embed
from vision.boards import BoardSpec
from vision.decode import logsumexp
from vision.errors import BoardNotFound
from vision.find.complete import SURE_BARE, occupied
from vision.find.corners import Corners
from vision.find.detect import (
    LocatedBoard,
    candidate_boards,
    cells_of_corners,
    not_found,
    pieces_within,
    refine_quads,
)
from vision.geometry import (
    Floats,
    Images,
    Pyramid,
    areas,
    inverse,
    share_within,
    sides,
    transform,
    usable,
)
from vision.interpretation import Look, possible_turns, weigh
from vision.name.light import CLEAR, in_better_light
from vision.name.likeness import Evidence, cell_evidence, with_print
from vision.name.season_cells import cell_log_p, with_untaught_numbers
from vision.name.untaught import looked_at_again, needs_no_other_look, untaught_evidence
from vision.photo import Photo
from vision.profile import Profile, mean_colours, tints
from vision.reading import Reading, stage_ms
from vision.trust import LEAST_BELIEF, SURE_TURN_UNTAUGHT, Kind, Signs, belief, reading_of

LEAST_PIECES = 4
"""A board of open shape with fewer pieces is shown to a person: nothing tells that no other was missed."""
STRAY_LIKENESS, STRAY_CELLS = 0.734, 2.2
"""A piece beside the board that looks this much like a taught face may belong to it, if it lies no farther from a cell than
this on the table, in cells along rows or columns: boards of open shape hang together."""
WITHIN_PIECES = 0.7
"""What lies by this share within the board's pieces is a part of one, such as the figure of a card, and none beside it."""
LEAST_SIZE = 0.5
"""What is smaller than this on the table, in sides of a cell, is no piece, nor a half of one that is covered in part."""
GOOD_BOARD_LIKENESS = 0.748
"""A printed board, or a full one of any size, whose median piece looks this much like a taught face is the one; no other candidate is
looked at."""
CLOSE_LIKENESS = 0.901
"""The same for the median piece of a grid of open shape."""
SURE_BELIEF = 0.98
"""A grid of always as many loose pieces that shows the set this probably is the board, and no other is looked at. While a likeness of
the median piece decided this, five of 840 generated boards of stones were read in a wrong place, slipped by a row or half on a
chequered cloth: now two, and six more are exact, for a sixth of a grid more in a photo."""
SLIPPED = 0.25
"""Others are looked at all the same where a place seems bare, or a piece is less probably of the set than this: the grid may lie beside
the board by a row."""
STRANGERS = 2
"""So many things that are no stones may lie on a board before it fits the box less well."""
STRANGE_LIKENESS = 0.667
"""What a piece of another game may look like a taught face; only what is above counts for a grid."""


def read_board(
    photo: Photo, spec: BoardSpec, profile: Profile, corners: Corners | None = None, decode_ms: float = 0.0
) -> Reading:
    """Find and read a board.

    Raises
    ------
    BoardNotFound
        If the board is not in the photo or cannot be made out; the message says what to do.
    """
    start = time.perf_counter()
    pyramid = Pyramid(np.asarray(cv2.cvtColor(photo.image_bgr, cv2.COLOR_BGR2RGB), np.uint8))
    if corners is not None:
        board = board_at_corners(photo, spec, corners, pyramid)
        located = time.perf_counter()
        read = read_cells(pyramid, board, spec, profile, fixed_turn=0)
        if read is None:
            raise not_found(spec)
        reading = read.reading
    else:
        best, located = read_best(pyramid, spec, profile)
        reading = best.reading
    cells = tuple(replace(cell, quad_xy=photo.to_full(cell.quad_xy)) for cell in reading.cells)
    done = time.perf_counter()
    ms = stage_ms(start, located, done, decode_ms)
    return replace(reading, cells=cells, outline_xy=photo.to_full(reading.outline_xy), ms=ms)


class Familiarity(NamedTuple):
    """How much a grid looks like the taught set.

    ``worth`` is by how much its pieces together look more like taught faces than like any other, each by its area in
    pixels: halves of cards are twice as many; ``typical`` is the likeness of the median piece; ``share_known`` the share
    of pieces that are taught faces; ``least_known`` how probably the strangest piece is one.
    """

    worth: float
    typical: float
    share_known: float
    least_known: float


class CellsRead(NamedTuple):
    """A located grid as it was read, how familiar it looks, what the reading was made of, and how probable it is, at most,
    that a piece of it is missing."""

    reading: Reading
    familiarity: Familiarity
    board: LocatedBoard
    look: Look
    missing: float


class Candidate(NamedTuple):
    """A grid that was read, and how probably it shows the set."""

    read: CellsRead
    believed: float

    def better_than(self, other: "Candidate", spec: BoardSpec) -> bool:
        """Whether this one is more credibly the board. Where nobody knows how many pieces lie there, the most that are taught faces do."""
        if spec.is_always_full:
            return self.believed > other.believed
        return self.read.familiarity > other.read.familiarity

    def settles(self, spec: BoardSpec) -> bool:
        """Whether it is so surely the board that no other needs to be looked at."""
        familiarity, cells = self.read.familiarity, self.read.board.cells
        if familiarity.least_known < SLIPPED:
            return False
        if spec.is_always_full:
            return self.believed >= SURE_BELIEF and all(cell.presence >= 0.5 for cell in cells)
        # pieces in no given number may be parts of pieces, or not all: only a close likeness tells
        close = CLOSE_LIKENESS if spec.is_open else GOOD_BOARD_LIKENESS
        return familiarity.typical >= close and self.read.missing <= SURE_BARE


def read_best(pyramid: Pyramid, spec: BoardSpec, profile: Profile) -> tuple[CellsRead, float]:
    """The best candidate, if it shows the set that is read, and when the last one was located.

    Raises
    ------
    BoardNotFound
        If there is no candidate, or the best shows something else.
    """
    best, located = best_candidate(pyramid, spec, profile)
    if best.believed < LEAST_BELIEF:
        raise BoardNotFound(
            "unknown_pieces",
            f"A grid was found, but its pieces do not look like the {spec.name} set that was taught:"
            " teach this copy of the game, or photograph the right board.",
        )
    return best.read, located


def best_candidate(pyramid: Pyramid, spec: BoardSpec, profile: Profile) -> tuple[Candidate, float]:
    """The best of all candidates, and when the last one was located.

    Raises
    ------
    BoardNotFound
        If there is no candidate.
    """
    best: Candidate | None = None
    located = time.perf_counter()

    def familiar(quads_xy: Floats) -> Floats:
        return np.asarray(profile.likeness(embed(pyramid.crops(quads_xy, CROP_PX))).max((0, 2)), np.float32)

    search = None if profile.published else familiar
    for board in candidate_boards(pyramid, spec, search):
        located = time.perf_counter()
        read = read_cells(pyramid, board, spec, profile)
        if read is None:
            continue
        found = Candidate(read, belief_in(read, spec, profile.published))
        if best is None or found.better_than(best, spec):
            best = found
        if found.settles(spec):
            break
    if best is None:
        raise not_found(spec)
    return best, located


def belief_in(read: CellsRead, spec: BoardSpec, published: bool) -> float:
    """How probably a grid shows the set that is read."""
    kind: Kind = "stones"
    if published:
        kind = "published"
    elif spec.is_open:
        kind = "open"
    elif spec.name == "seasons":
        kind = "seasons"
    return belief(signs_of(read, spec), kind)


def signs_of(read: CellsRead, spec: BoardSpec) -> Signs:
    """What says whether a grid shows the set that is read."""
    there = np.array([cell.presence for cell in read.board.cells])
    pieces = likely_pieces(read.board)
    ranked = np.sort(read.look.likeness[pieces], 1)
    alike, known = ranked[:, -1], read.look.known[pieces]
    clear = read.look.way.probabilities[pieces].max(1)
    odds = np.clip(np.median(clear), 1e-3, 1 - 1e-3)
    return Signs(
        typical=read.familiarity.typical,
        mean=float(alike.mean()),
        low=float(np.quantile(alike, 0.25)),
        apart=float(np.median(alike - ranked[:, -2])) if ranked.shape[1] > 1 else 0.0,
        decided=float(np.log(odds / (1 - odds))),
        clear=float(clear.mean()),
        unclear=float(np.sort(clear)[:2].mean()),
        directed=read.look.turn_probability,
        misfit=float(np.log1p(misfit(read, spec))),
        share_known=read.familiarity.share_known,
        known=float(known.mean()),
        least_known=read.familiarity.least_known,
        bare=float((there < 0.5).mean()),
        presence=float(there[pieces].mean()),
        pieces=float(np.log(pieces.sum())) if spec.is_open else 0.0,
    )


def misfit(read: CellsRead, spec: BoardSpec) -> float:
    """How much less likely stones are as the box holds them than each by itself (log probability), the ``STRANGERS``
    oddest left out: a coin on a stone is shown to a person. 0 for other boards, whose box says too little."""
    choice = read.look.way.choice
    if spec.name != "stones" or choice is None:
        return 0.0
    scores = read.look.evidence.scores[read.look.way.turn]
    gaps = logsumexp(scores, 1) - scores[np.arange(len(scores)), list(choice)]
    return float(np.sort(gaps)[:-STRANGERS].sum())


def board_at_corners(photo: Photo, spec: BoardSpec, corners: Corners, pyramid: Pyramid) -> LocatedBoard:
    """The cells inside corners that a person gave; each is moved onto its piece where one is seen."""
    quad = photo.from_full(corners.quad_xy(photo.full_hw))
    if not usable(quad[None], 8.0)[0]:
        raise BoardNotFound(
            "bad_corners", "The corners do not outline a board: give them clockwise from the grid's top left."
        )
    board = cells_of_corners(quad, spec.rows[1], spec.cols[1], pyramid.levels[0].shape[:2])
    return refined_at_corners(board, pyramid)


def refined_at_corners(board: LocatedBoard, pyramid: Pyramid) -> LocatedBoard:
    """Cells of an even grid moved onto the pieces that are detected in them, and where the refiner is certain.

    Hand-laid pieces are crooked: the refiner alone does not find one that lies a quarter of its side away.
    """
    quads = pieces_within(board, pyramid)
    refined, presence = refine_quads(pyramid, quads)
    cells = []
    for cell, guess, quad, there in zip(board.cells, quads, refined, presence, strict=True):
        side = float(np.linalg.norm(guess[1] - guess[0]) + np.linalg.norm(guess[3] - guess[0])) / 2
        moved = float(np.linalg.norm(quad - guess, axis=1).max()) / max(side, 1e-6)
        trusted = there > 0.9 and moved < 0.3
        cells.append(replace(cell, quad_xy=quad if trusted else guess, presence=float(there)))
    return replace(board, cells=tuple(cells))


def read_cells(
    pyramid: Pyramid, board: LocatedBoard, spec: BoardSpec, profile: Profile, fixed_turn: int | None = None
) -> CellsRead | None:
    """Label the cells of a located board, and say how familiar its pieces look; None if no piece lies on it.

    Quads and outline stay in the pixels of the pyramid's photo.
    """
    missing = 0.0
    if spec.is_open:
        given = fixed_turn is not None
        held = occupied(pyramid, board, spec, profile, given)
        if held is None:
            return None
        board = held.board
        missing = held.missing if given or seems_whole(pyramid, board, profile) else 1.0
    profile = with_untaught_numbers(profile)
    turns = (fixed_turn,) if fixed_turn is not None else possible_turns(board, spec)
    seen = look_at(pyramid, board, spec, profile, turns)
    likely = likely_pieces(board)
    alike = seen.likeness[likely].max(1)
    covered = areas(np.stack([cell.quad_xy for cell in board.cells])[likely])
    familiarity = Familiarity(
        float((np.maximum(alike - STRANGE_LIKENESS, 0) * covered).sum()),
        float(np.median(alike)),
        float((seen.known[likely] > CLEAR).mean()),
        float(seen.known[likely].min()),
    )
    return CellsRead(reading_of(board, spec, profile, seen, missing), familiarity, board, seen, missing)


def likely_pieces(board: LocatedBoard) -> npt.NDArray[np.bool_]:
    """Which cells seem to hold a piece, shape (n,); all if none does."""
    likely = np.array([cell.presence >= 0.5 for cell in board.cells])
    return likely if likely.any() else ~likely


def look_at(
    pyramid: Pyramid, board: LocatedBoard, spec: BoardSpec, profile: Profile, turns: Sequence[int]
) -> Look:
    """Look at the cells, and in doubt again: in corrected light, at untaught stones in a mirror, too."""
    crops = pyramid.crops(np.stack([cell.quad_xy for cell in board.cells]), CROP_PX)
    there = np.array([cell.presence for cell in board.cells], np.float32)
    print_log_p = cell_log_p(pyramid, board, profile.labels) if spec.name == "seasons" else None

    def weighed(evidence: Evidence) -> Look:
        return weigh(evidence, board, spec, profile.labels, turns)

    def look(at: Images) -> Look:
        return weighed(with_print(cell_evidence(at, there, spec, profile), print_log_p, profile.labels))

    if profile.published:
        first = untaught_evidence(crops)
        seen = weighed(first)
        if not seen.decided and not needs_no_other_look(first):
            seen = weighed(looked_at_again(crops, first))
        if not seen.decided and seen.turn_probability >= SURE_TURN_UNTAUGHT:
            # some of its cells may be sure: they are compared with each other
            seen = replace(seen, evidence=replace(seen.evidence, vectors=embed(crops)))
    else:
        seen = look(crops)
        if not seen.decided:
            seen = in_better_light(crops, seen, profile, look)
    if seen.evidence.vectors is not None and spec.turns == 1:  # pieces that may lie turned are not compared
        seen = replace(seen, evidence=replace(seen.evidence, tints=tints(mean_colours(crops))))
    return seen


def strays_beside(board: LocatedBoard) -> Floats:
    """Things beside a board (n, 4, 2) that may be pieces of it: not far away on the table, nor small, nor parts of pieces."""
    strays = board.strays_xy
    held = np.stack([cell.quad_xy for cell in board.cells])[likely_pieces(board)]
    strays = strays[share_within(strays, held) < WITHIN_PIECES]
    to_photo = board.to_photo
    to_cells = None if to_photo is None else inverse(to_photo)
    if to_cells is None or not len(strays):
        return strays
    flat = np.stack([transform(to_cells, quad) for quad in strays])
    middles = np.array([(cell.col + 0.5, cell.row + 0.5) for cell in board.cells])
    away = np.abs(flat.mean(1)[:, None] - middles[None]).max(2).min(1)
    return np.asarray(strays[(away < STRAY_CELLS) & (sides(flat) >= LEAST_SIZE)])


def seems_whole(pyramid: Pyramid, board: LocatedBoard, profile: Profile) -> bool:
    """Whether nothing says that a board of open shape goes on: enough pieces, and no taught face beside them."""
    if len(board.cells) < LEAST_PIECES:
        return False
    near = strays_beside(board)
    if not len(near):
        return True
    vectors = embed(pyramid.crops(near, CROP_PX))
    return bool(profile.likeness(vectors).max() < STRAY_LIKENESS)
