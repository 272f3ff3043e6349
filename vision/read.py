"""The pipeline: an upright photo, a board description and a profile in; a reading out."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from models.registry import manifest, model_version
from models.session import embed, read_stones
from scorer.stones import StoneGrid
from vision.belief import LEAST_BELIEF, Kind, Signs, belief
from vision.boards import BoardSpec
from vision.corners import Corners
from vision.decode import (
    HANDS,
    STONES,
    Doubles,
    likeliest_stones,
    logsumexp,
    number_evidence,
    stone_marginals,
    with_shared_frame,
    within_counts,
)
from vision.errors import BoardNotFound
from vision.geometry import (
    Floats,
    Images,
    Pyramid,
    areas,
    share_within,
    sides,
    usable,
)
from vision.locate import (
    LocatedBoard,
    candidate_boards,
    cells_of_corners,
    pieces_within,
    refine_quads,
    why_not_found,
)
from vision.occupancy import SURE_BARE, occupied
from vision.photo import Photo
from vision.profile import Profile, ink_hues, mean_colours, tints
from vision.reading import EMPTY, CellReading, Reading, stage_ms
from vision.season_cells import NUMBERS, cell_log_p, printed_quads, with_untaught_numbers

CROP_PX = 64
"""Side of the crops that the embedding network was trained on."""


class Bars(NamedTuple):
    """Least probabilities of a cell that is said to be sure: ``alone``, and ``together``, where all cells of its board
    reach the lower bar. A photo without a doubtful cell is a good one: there, cells are right oftener than they say."""

    alone: float
    together: float


SURE_TAUGHT, SURE_STONE = Bars(0.97, 0.94), Bars(0.97, 0.8)
"""Pieces that were taught; and stones, which are also compared with each other (``agreement``)."""
SURE_TILE, SURE_NUMBER = Bars(0.97, 0.88), Bars(0.995, 0.93)
"""Tiles of season boards, which are many; and their numbers: a flat frame around one is easily overlooked."""
SURE_CARD, SURE_PLACE = Bars(0.97, 0.9), Bars(1 - SURE_BARE, 0.94)
"""Cards of a grid of time, and places of an open board that are bare."""
SURE_UNTAUGHT, SURE_FISH_OR_BIRD = Bars(0.992, 0.9), Bars(0.992, 0.97)
"""The same for stones where nothing was taught; and for the two sides of one stone that are orange and coral, or one of them in warm
light. All bars are measured in docs/accuracy.md."""
SURE_LIKENESS, SURE_LIKENESS_IN_PART, SURE_LIKENESS_UNTAUGHT = 0.703, 0.967, 0.5
"""Least likeness to a taught face of a cell that is said to be sure; and where some faces of the set were not taught. Where
none was, likeness is the probability that the stone shows this symbol, the others of the box left aside."""
SURE_TURN, SURE_TURN_OPEN = 0.995, 0.9998
"""Least probability of the direction of the grid, below which no cell is sure; and for boards of open shape, whose cards may look
alike from two sides: of 239 generated ones that were sure one lay the other way at 0.9995."""
MOST_MISSING = 0.012
"""How probable it may be that a piece of an open board was missed, where a cell is said to be sure: one of those was at 0.0145."""
SURE_TURN_UNTAUGHT = 0.985
"""The same for stones where nothing was taught: of 627 generated boards one that was read from a wrong side is above it, whose
stones are in doubt."""
VOICE_WEIGHT, VOICE_FLOOR = 0.7, -6.0
"""How much each symbol's opinion of the direction counts, and the least log probability of one. Where the network sees all stones
at once they have one opinion, wrong and certain to 0.996 on some of 627 generated boards; judged one by one, they disagree there."""
TURN_WEIGHT = 0.5
"""The same for pieces that are read one by one: they are seen in one light, so what misleads one misleads others."""
LEAST_TURN = 0.003
"""A direction less probable than this is not looked at."""
STRANGER_ODDS = 0.09
"""How much rarer a stranger is among nine laid-out stones (1 in 100) than in the training crops (1 in 9)."""
BEYOND_DOUBT = 0.95
"""Stones that are all known with at least this probability, symbol and turn, need not be looked at in a mirror."""
NETWORK_FLOOR = -9.0
"""Least log probability of a symbol and turn: no single stone decides a board alone."""
LIGHTS_TRIED = 3
"""How often the light of untaught stones is corrected by what the network tells of it."""
DECIDED = 0.998
"""Probability from which a second look in corrected light cannot change a cell."""
NEGLIGIBLE = 25.0
"""A way to see the grid that is less likely than another by this, in log probability, is not looked at."""
CLEAR = 0.8
LEAST_CLEAR = 3
"""The light is judged by cells at least this probable, if there are this many."""
MOST_GAIN = 2.2
"""Stronger light corrections than this are not believed."""
LEAST_PIECES = 4
"""A board of open shape with fewer pieces is shown to a person: nothing tells that no other was missed."""
WELL_APART, SURE_ALIKE = 0.04, Bars(0.998, 0.998)
"""Cards of an open board that look less than this more like those of their name than like another (``agreement``) have higher
bars: of 239 generated grids of time that were sure, two were wrong with such a card at 0.987 and 0.996."""
SURE_LONE = Bars(0.98, 0.98)
"""The bars for a taught stone of which no second one is there to be compared with: where a lesson was covered in part, another
face may be the likest one. Of 1,049 generated boards one was wrong at 0.968."""
MOST_LESS_LIKE = 0.135
"""By how much less a sure piece may look like its face than the median piece of its photo does: coins and hands on stones that
passed all other bars were 0.14 to 0.2 below it, and so is a stone on one in twenty-five of the boards that were read exactly."""
SAME_FACE, CLEAR_AGREEMENT = 0.964, 0.027
"""Likeness of two prints of one face in one photo, for faces of which only one is there; and by how much more every stone
must look like the others of its name than like any of another for a low bar of a whole board. Of 860 generated boards of three seeds
two were wrong above the bars without it, none with it and lower bars."""
OTHER_TINT = 0.9
"""How far apart the tints of two prints of one face may lie in one photo (natural logarithms of light, see ``tints``). Nine in a
thousand pieces that are named rightly, under lamps of two colours, are farther from all of their name; a card that was taught
in glare and taken for another one of the same figure was at 1.02 and said to be sure."""
STRAY_LIKENESS, STRAY_SIDES = 0.734, 2.2
"""A piece beside the board that looks this much like a taught face may belong to it, if it is no farther from a cell than
this, in sides: boards of open shape hang together."""
WITHIN_PIECES = 0.7
"""What lies by this share within the board's pieces is a part of one, such as the figure of a card, and none beside it."""
GOOD_BOARD_LIKENESS = 0.748
"""A grid whose median piece looks this much like a taught face is the board; no other candidate is looked at."""
CLOSE_LIKENESS = 0.901
"""The same for a grid of open shape."""
SLIPPED = 0.25
"""Where a piece is less probably a taught face than this, other candidates are looked at all the same: of 13 generated grids of
taught stones that had slipped by a row all had such a piece, and one in fifty of those that were read exactly. In published
colours, where a face is known less certainly, it cost time on good photos and found no board more in 150."""
STRANGERS = 2
"""So many things that are no stones may lie on a board before it fits the box less well."""
STRANGE_LIKENESS = 0.667
"""What a piece of another game may look like a taught face; only what is above counts for a grid."""
PRINT_WEIGHT, NUMBER_LIKENESS = 1.0, 0.3
"""How much the cell reader's log probabilities count beside those of likeness; and how much likeness counts between one
number and another, which differ less than two boards do. Chosen on generated boards (docs/accuracy.md)."""
SCALE = 1.3
"""Factor on the inverse temperature that training ended with: label smoothing leaves that one too cautious.

On crops of validation art the likelihood of the right labels was greatest between 1.2 and 1.6."""
ALTERNATIVES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Interpretation:
    """One way to see the grid: turned by ``turn`` quarters, with probabilities (cells, labels) and their log evidence.

    ``choice`` are the labels of the most probable whole state, where the box decides more than cell by cell.
    """

    turn: int
    probabilities: Doubles
    evidence: float
    choice: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the crops say, cell by cell and for each of four turns of the grid, before any rule of the box.

    Attributes
    ----------
    scores : ndarray of shape (4, n, labels), log likelihoods up to a constant of the cell
    likeness : ndarray of shape (4, n, labels)
    known : ndarray of shape (4, n), how surely each cell is a taught face at all
    alone : ndarray of shape (4, n, labels), log likelihoods where each cell is judged without the others, or None if
        ``scores`` are such: cells that a network saw at once are of one opinion about the direction of the grid
    vectors : ndarray of shape (n, d), unit vectors of the cells by which they can be compared with each other, or None
    tints : ndarray of shape (n, 2), see ``vision.profile.tints``; what else they can be compared by, or None
    light : by how much more of red and of blue than of green the light holds (natural logarithms), if that is told
    """

    scores: Doubles
    likeness: Floats
    known: Doubles
    alone: Doubles | None = None
    vectors: Floats | None = None
    tints: Floats | None = None
    light: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One look at all crops: the evidence and its best interpretation, likeness (cells, labels) in its turn, how surely
    each cell is a taught face at all (cells,), the probability of the turn, and the other interpretations with theirs."""

    evidence: Evidence
    way: Interpretation
    likeness: Floats
    known: Doubles
    turn_probability: float
    others: tuple[tuple[float, Interpretation], ...] = ()

    @property
    def decided(self) -> bool:
        """Whether every cell is beyond doubt already."""
        return (
            bool((self.way.probabilities.max(1) * self.known > DECIDED).all())
            and self.turn_probability > DECIDED
        )


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
    image_rgb = np.asarray(cv2.cvtColor(photo.image_bgr, cv2.COLOR_BGR2RGB), np.uint8)
    pyramid = Pyramid(image_rgb)
    if corners is not None:
        board = board_at_corners(photo, spec, corners, pyramid)
        located = time.perf_counter()
        read = read_cells(pyramid, board, spec, profile, fixed_turn=0)
        if read is None:
            raise why_not_found(image_rgb, spec)
        reading = read.reading
    else:
        best, located = read_best(image_rgb, pyramid, spec, profile)
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


def read_best(
    image_rgb: Images, pyramid: Pyramid, spec: BoardSpec, profile: Profile
) -> tuple[CellsRead, float]:
    """The reading of the best candidate, if it shows the set that is read, and when the last one was located."""
    best, located = best_candidate(image_rgb, pyramid, spec, profile)
    if not believable(best, spec, profile.published):
        raise BoardNotFound(
            "unknown_pieces",
            f"A grid was found, but its pieces do not look like the {spec.name} set that was taught:"
            " teach this copy of the game, or photograph the right board.",
        )
    return best, located


def best_candidate(
    image_rgb: Images, pyramid: Pyramid, spec: BoardSpec, profile: Profile
) -> tuple[CellsRead, float]:
    """The reading of the candidate that explains most as taught faces, and when the last one was located.

    Raises
    ------
    BoardNotFound
        If there is no candidate.
    """
    best: CellsRead | None = None
    located = time.perf_counter()

    def familiar(quads_xy: Floats) -> Floats:
        return np.asarray(profile.likeness(embed(pyramid.crops(quads_xy, CROP_PX))).max((0, 2)), np.float32)

    search = None if profile.published else familiar
    # pieces in no given number may be parts of pieces, or not all: only a close likeness tells
    close = CLOSE_LIKENESS if spec.is_open else GOOD_BOARD_LIKENESS
    for board in candidate_boards(pyramid, spec, search):
        located = time.perf_counter()
        read = read_cells(pyramid, board, spec, profile)
        if read is None:
            continue
        if best is None or read.familiarity > best.familiarity:
            best = read
        slipped = not profile.published and read.familiarity.least_known < SLIPPED
        if read.familiarity.typical >= close and read.missing <= SURE_BARE and not slipped:
            break
    if best is None:
        raise why_not_found(image_rgb, spec)
    return best, located


def believable(read: CellsRead, spec: BoardSpec, published: bool) -> bool:
    """Whether a grid shows the set that is read."""
    kind: Kind = "stones"
    if published:
        kind = "published"
    elif spec.is_open:
        kind = "open"
    elif spec.name == "seasons":
        kind = "seasons"
    return belief(signs_of(read, spec), kind) >= LEAST_BELIEF


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
    """Look at the cells, a second time in corrected light if that may help."""
    crops = pyramid.crops(np.stack([cell.quad_xy for cell in board.cells]), CROP_PX)
    print_log_p = cell_log_p(pyramid, board, profile.labels) if spec.name == "seasons" else None

    there = np.array([cell.presence for cell in board.cells], np.float32)

    def look(at: Images) -> Look:
        evidence = with_print(cell_evidence(at, there, spec, profile), print_log_p, profile.labels)
        return weigh(evidence, board, spec, profile.labels, turns)

    seen = look(crops)
    if not seen.decided:
        seen = in_better_light(crops, seen, profile, look)
    if profile.published and not seen.decided and seen.turn_probability >= SURE_TURN_UNTAUGHT:
        # some of its cells may be sure: they are compared with each other
        seen = replace(seen, evidence=replace(seen.evidence, vectors=embed(crops)))
    if seen.evidence.vectors is not None and prints_compare(spec):
        seen = replace(seen, evidence=replace(seen.evidence, tints=tints(crops)))
    return seen


def seems_whole(pyramid: Pyramid, board: LocatedBoard, profile: Profile) -> bool:
    """Whether nothing says that a board of open shape goes on: enough pieces, and no taught face beside them."""
    if len(board.cells) < LEAST_PIECES:
        return False
    quads = np.stack([cell.quad_xy for cell in board.cells])
    away = np.linalg.norm(board.strays_xy.mean(1)[:, None] - quads.mean(1)[None], axis=2) / sides(quads)
    near = board.strays_xy[away.min(1) < STRAY_SIDES] if len(away) else board.strays_xy
    held = quads[[cell.presence >= 0.5 for cell in board.cells]]
    near = near[share_within(near, held) < WITHIN_PIECES]
    if not len(near):
        return True
    vectors = embed(pyramid.crops(near, CROP_PX))
    return bool(profile.likeness(vectors).max() < STRAY_LIKENESS)


def cell_evidence(crops: Images, there: Floats, spec: BoardSpec, profile: Profile) -> Evidence:
    """Compare crops (n, 64, 64, 3), each a piece with a probability of ``there`` (n,), with the profile."""
    if profile.published:
        return _by_network(crops)
    vectors = embed(crops)
    return Evidence(*_by_likeness(crops, vectors, there, spec, profile), vectors=vectors)


def with_print(evidence: Evidence, print_log_p: Doubles | None, labels: Sequence[str]) -> Evidence:
    """The evidence together with what the print of a season board shows, ``print_log_p`` of shape (4, n, labels).

    A number is a number whoever printed it: it need not look like the taught ones to be known.
    """
    if print_log_p is None:
        return evidence
    numbers = [k for k, label in enumerate(labels) if label[0] in NUMBERS]
    if not numbers:
        return evidence
    a_number = np.exp(print_log_p[:, :, numbers]).sum(2).clip(0, 1)
    scores = evidence.scores.copy()
    best = scores[:, :, numbers].max(2, keepdims=True)
    scores[:, :, numbers] = best + NUMBER_LIKENESS * (scores[:, :, numbers] - best)
    known = 1 - (1 - evidence.known) * (1 - a_number)
    return replace(evidence, scores=scores + PRINT_WEIGHT * print_log_p, known=known)


def weigh(
    evidence: Evidence, board: LocatedBoard, spec: BoardSpec, labels: Sequence[str], turns: Sequence[int]
) -> Look:
    """Choose the turn of the grid and the state that explain the evidence best."""
    ways: list[Interpretation] = []
    if evidence.alone is not None:
        opinion = turn_opinion(evidence.scores, evidence.alone)
        told = opinion - logsumexp(opinion[list(turns)])
        likely = [t for t in turns if told[t] >= np.log(LEAST_TURN)]
        ways += [interpret(evidence.scores[t], board, spec, labels, t) for t in likely]
        evidences = told[likely]
    else:
        # no rule of the box makes a way likelier than its cells are alone: most turns need not be weighed
        alone = {t: float(logsumexp(evidence.scores[t], 1).sum()) for t in turns}
        for turn in sorted(turns, key=lambda t: -alone[t]):
            if not ways or alone[turn] > max(way.evidence for way in ways) - NEGLIGIBLE:
                ways.append(interpret(evidence.scores[turn], board, spec, labels, turn))
        evidences = TURN_WEIGHT * np.array([way.evidence for way in ways])
    if spec.turns != 1:  # the pieces do not tell which side is up: take the side nearest the camera
        evidences = evidences + np.array([1e-6 if way.turn == 0 else 0.0 for way in ways])
    best = ways[int(evidences.argmax())]
    if spec.name == "stones" and len(board.cells) == STONES:
        choice = likeliest_stones(evidence.scores[best.turn], labels)
        best = replace(best, choice=tuple(choice) if choice else None)
    likeness, known = evidence.likeness[best.turn], evidence.known[best.turn]
    if spec.turns != 1:
        return Look(evidence, best, likeness, known, 1.0)
    p = np.exp(evidences - logsumexp(evidences))
    others = tuple((float(p[k]), way) for k, way in enumerate(ways) if way.turn != best.turn)
    return Look(evidence, best, likeness, known, float(p.max()), others)


def turn_opinion(scores: Doubles, alone: Doubles) -> Doubles:
    """Log evidence (4,) of the grid's turns: the symbols from ``scores``, their directions from ``alone``, as in ``Evidence``.

    Stones with the same symbol look alike and err alike: they have one voice.
    """
    either = logsumexp(scores, 0)
    symbol = np.exp(either - logsumexp(either, 1)[:, None])
    voices = np.maximum(alone - logsumexp(alone, 0), VOICE_FLOOR) * symbol
    return np.asarray(VOICE_WEIGHT * (voices.sum(1) / np.maximum(symbol.sum(0), 1)).sum(1))


def _by_likeness(
    crops: Images, vectors: Floats, there: Floats, spec: BoardSpec, profile: Profile
) -> tuple[Doubles, Floats, Doubles]:
    """Log likelihoods (4, n, labels), likeness of the same shape, and how surely each cell is a taught face (4, n)."""
    likeness = by_piece_turn(profile.likeness(vectors), spec.turns)
    numbers = manifest()["embedding"].numbers
    scale = numbers["scale"] * SCALE
    scores = profile.distinction(vectors, ink_hues(crops), there, scale, spec.turns)
    if spec.name == "seasons":
        likeness = with_shared_frame(likeness, profile.labels)
        scores = with_shared_frame(scores, profile.labels)
    logits = likeness.astype(np.float64) * scale
    none = numbers["none_likeness"] * scale
    with_none = np.concatenate([logits, np.full((*logits.shape[:2], 1), none)], 2)
    known = 1.0 - np.exp(none - logsumexp(with_none, 2))
    return np.maximum(scores, 0.0), likeness, known


def _by_network(crops: Images) -> Evidence:
    """The evidence of the network that knows the published stones; likeness is then the probability itself."""
    answer, light = read_stones(crops)
    log_p = answer.astype(np.float64)
    if np.exp(log_p[0].max(1).min()) < BEYOND_DOUBT:
        answer, mirrored_light = read_stones(np.ascontiguousarray(crops[:, :, ::-1]))
        mirrored = answer.astype(np.float64)
        # in a mirror a quarter turn to the left is one to the right; a horse stays a horse
        sides = mirrored[..., :-1].reshape(2, len(crops), -1, 4)[..., [0, 3, 2, 1]]
        mirrored[..., :-1] = sides.reshape(2, len(crops), -1)
        log_p = (log_p + mirrored) / 2
        log_p -= logsumexp(log_p, 2)[..., None]
        light = np.asarray((light + mirrored_light) / 2, np.float32)
    together, alone = log_p[..., :-1].reshape(2, len(crops), -1, 4).transpose(0, 3, 1, 2)
    stranger = log_p[0, :, -1]
    odds = np.exp(stranger) / np.maximum(-np.expm1(stranger), 1e-12) * STRANGER_ODDS
    known = np.broadcast_to(1.0 / (1.0 + odds), (4, len(crops)))
    symbols = np.exp(logsumexp(together, 0))
    likeness = np.broadcast_to(symbols, (4, *symbols.shape)).astype(np.float32)
    return Evidence(
        np.maximum(together, NETWORK_FLOOR),
        likeness,
        known,
        np.maximum(alone, NETWORK_FLOOR),
        light=(float(light[0]), float(light[1])),
    )


def in_better_light(crops: Images, seen: Look, profile: Profile, look: Callable[[Images], Look]) -> Look:
    """The likeliest of some looks: at the crops as they are, and as they may be in the light of the lessons.

    Of untaught stones the network tells the light; what it tells of crops that are corrected already is what is left.
    """
    if not profile.published:
        gains = light_gains(crops, seen, profile)
        return seen if gains is None else _likelier(seen, look(relit(crops, gains)))
    best, last, gains = seen, seen, np.ones(3, np.float32)
    for _ in range(LIGHTS_TRIED):
        red, blue = last.evidence.light
        gains = gains * np.exp(np.array([red, 0, blue], np.float32))
        last = look(relit(crops, gains))
        best = _likelier(best, last)
    return best


def _likelier(one: Look, other: Look) -> Look:
    return other if other.way.evidence > one.way.evidence else one


def relit(crops: Images, gains: Floats) -> Images:
    """Crops, RGB, without the light that makes their channels brighter by the factors ``gains`` (3,)."""
    return np.clip(crops / gains, 0, 255).astype(np.uint8)


def light_gains(crops: Images, seen: Look, profile: Profile) -> Floats | None:
    """How much brighter each channel is than in the lessons, by the cells that are clear; None if there are too few.

    A colour-constancy step with known references: the taught faces themselves are the colour chart.

    Returns
    -------
    ndarray of shape (3,), factors within MOST_GAIN
    """
    chosen = seen.way.probabilities.argmax(1)
    clear = seen.way.probabilities.max(1) * seen.known > CLEAR
    if not profile.colours or clear.sum() < LEAST_CLEAR:
        return None
    expected = np.stack([np.median(profile.colours[profile.labels[k]], 0) for k in chosen[clear]])
    ratio = (mean_colours(crops[clear]) + 8.0) / (expected + 8.0)
    return np.asarray(np.clip(np.median(ratio, 0), 1 / MOST_GAIN, MOST_GAIN), np.float32)


def by_piece_turn(likeness: Floats, turns: int) -> Floats:
    """Likeness (4, n, labels) when pieces may also lie turned within the grid: the best of their turns."""
    if turns == 1:
        return likeness
    step = 4 // turns
    return np.stack([np.max([likeness[(t + k * step) % 4] for k in range(turns)], 0) for t in range(4)])


def possible_turns(board: LocatedBoard, spec: BoardSpec) -> Sequence[int]:
    """Quarter turns of the grid that the sizes of board and piece allow."""
    turns = []
    for turn in range(4):
        rows, cols = (board.rows, board.cols) if turn % 2 == 0 else (board.cols, board.rows)
        if spec.rows[0] <= rows <= spec.rows[1] and spec.cols[0] <= cols <= spec.cols[1]:
            turns.append(turn)
    if spec.turns == 4:
        turns = turns[:1]
    if spec.turns == 2:
        turns = [t for t in turns if t < 2]
    if spec.aspect is not None and not 0.8 < spec.aspect < 1.25:
        ratio = apparent_aspect(board)
        fitting = [t for t in turns if (ratio > 1) == ((spec.aspect > 1) == (t % 2 == 0))]
        if fitting and (ratio > 1.15 or ratio < 0.87):
            turns = fitting
    return turns or (0,)


def apparent_aspect(board: LocatedBoard) -> float:
    """Median width over height of the cells, as seen in the photo."""
    quads = np.stack([cell.quad_xy for cell in board.cells])
    width = np.linalg.norm(quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3], axis=1)
    height = np.linalg.norm(quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1], axis=1)
    return float(np.median(width / np.maximum(height, 1e-6)))


def turned_place(row: int, col: int, rows: int, cols: int, turn: int) -> tuple[int, int]:
    """Where a lattice cell lies in the upright grid, if the lattice shows that grid turned counterclockwise.

    >>> turned_place(2, 0, 3, 3, 1)  # turned once, the upright grid's top left is seen at the bottom left
    (0, 0)
    """
    for _ in range(turn):
        row, col, rows, cols = col, rows - 1 - row, cols, rows
    return row, col


def interpret(
    alone: Doubles, board: LocatedBoard, spec: BoardSpec, labels: Sequence[str], turn: int
) -> Interpretation:
    """Probabilities of every cell's label if the grid is seen turned by ``turn``.

    ``alone`` has shape (n, labels): the log likelihoods of each cell's labels, up to a constant that is the same for
    all labels and turns, so that evidences of different turns can be compared.
    """
    if spec.name == "stones" and len(board.cells) == STONES:
        return Interpretation(turn, *stone_marginals(alone, labels))
    if spec.name == "seasons":
        return _interpret_seasons(alone, board, labels, turn)
    totals = logsumexp(alone, 1)
    detected = np.array([cell.detected for cell in board.cells])
    return Interpretation(turn, np.exp(alone - totals[:, None]), float(totals[detected].sum()))


def _interpret_seasons(
    alone: Doubles, board: LocatedBoard, labels: Sequence[str], turn: int
) -> Interpretation:
    """Numbers on the cells of one hand, tiles on all others: both hands weighed by how well they explain the photo."""
    index = {label: i for i, label in enumerate(labels)}
    is_number = np.array([label[0] in NUMBERS for label in labels])
    places = [turned_place(c.row, c.col, board.rows, board.cols, turn) for c in board.cells]
    at = {place: i for i, place in enumerate(places)}
    tile_log = alone.copy()
    tile_log[:, is_number] = -np.inf
    tile_total = logsumexp(tile_log, 1)
    evidences, results = [], []
    for hand, cells in HANDS.items():
        marginals = np.exp(tile_log - tile_total[:, None])
        if not all(cell in at for cell in cells):
            continue
        evidence, numbers = number_evidence({cell: alone[at[cell]] for cell in cells}, labels, hand)
        members = {at[cell] for cell in cells}
        evidence += float(sum(tile_total[i] for i in range(len(places)) if i not in members))
        for cell, faces in numbers.items():
            marginals[at[cell]] = 0.0
            for face, p in faces.items():
                marginals[at[cell], index[face]] = p
        evidences.append(evidence)
        results.append(marginals)
    if not results:
        return Interpretation(turn, np.exp(alone - logsumexp(alone, 1)[:, None]), -np.inf)
    weights = np.exp(np.array(evidences) - logsumexp(np.array(evidences)))
    mixed = np.asarray(sum(w * m for w, m in zip(weights, results, strict=True)), np.float64)
    return Interpretation(turn, mixed, float(logsumexp(np.array(evidences))))


def bars_of(spec: BoardSpec, published: bool, label: str, confirmed: bool = True) -> Bars:
    """From where on a cell that shows this label, on a board of this kind, is sure.

    A stone is ``confirmed`` by another one of the same name, a card of an open board by lying well apart from other names.
    """
    if published:
        return SURE_FISH_OR_BIRD if label in ("fish", "bird") else SURE_UNTAUGHT
    if spec.name == "seasons":
        return SURE_NUMBER if label[0] in NUMBERS else SURE_TILE
    if spec.is_open and label == EMPTY:
        return SURE_PLACE
    if spec.name == "stones":
        return SURE_STONE if confirmed else SURE_LONE
    if spec.is_open and not confirmed:
        return SURE_ALIKE
    return SURE_CARD if spec.name == "time" else SURE_TAUGHT


def over_turns(board: LocatedBoard, seen: Look) -> Doubles:
    """Probabilities (n, labels) of what lies at each cell's place in the upright grid, whichever side is up.

    If the grid is turned, another cell lies at the place. Turns that make another shape of the grid do not count.
    """

    def upright(turn: int) -> list[tuple[int, int]]:
        return [turned_place(cell.row, cell.col, board.rows, board.cols, turn) for cell in board.cells]

    target = upright(seen.way.turn)
    chances = seen.way.probabilities * seen.known[:, None]
    mixed = seen.turn_probability * chances
    for p, way in seen.others:
        at = {place: i for i, place in enumerate(upright(way.turn))}
        known = seen.evidence.known[way.turn]
        if at.keys() == {*target}:
            order = [at[place] for place in target]
            mixed += p * (way.probabilities * known[:, None])[order]
        else:
            mixed += p * chances
    return np.asarray(mixed)


def agreement(vectors: Floats, names: Sequence[str], shades: Floats | None = None) -> Floats:
    """How much more each piece of a photo looks like the others of its name than like any of another, shape (n,).

    Two prints of one face differ less in one photo than a print and its lesson: where a piece looks more like one of
    another name, or has another tint (``shades``, of shape (n, 2)) than all of its name, one of the names is wrong. Below
    zero for such pieces.
    """
    named = np.array(names)
    alike = vectors @ vectors.T
    same = named[:, None] == named[None]
    others_of_name = same & ~np.eye(len(named), dtype=bool)
    own = np.where(others_of_name, alike, np.inf).min(1)
    own[~np.isfinite(own)] = SAME_FACE
    other = np.where(same, -1.0, alike).max(1)
    agree = own - other
    if shades is not None:
        apart = np.linalg.norm(shades[:, None] - shades[None], axis=2)
        nearest = np.where(others_of_name, apart, np.inf).min(1)
        agree[np.isfinite(nearest) & (nearest > OTHER_TINT)] = -1.0
    return np.asarray(agree, np.float32)


def typical_likeness(board: LocatedBoard, alike: Floats) -> float:
    """Likeness of the median piece of a photo to the face that it was taken for; 0 if there is no piece."""
    pieces = [i for i, cell in enumerate(board.cells) if cell.presence > 0.5]
    return float(np.median(alike[pieces])) if pieces else 0.0


def prints_compare(spec: BoardSpec) -> bool:
    """Whether prints of one face look alike in one photo, and of others not.

    Pieces that may lie turned within the grid do not, for turned prints are not alike, nor do the tiles of a season board,
    of which many differ by a small mark alone.
    """
    return spec.turns == 1 and spec.name != "seasons"


def agreements(board: LocatedBoard, spec: BoardSpec, evidence: Evidence, names: Sequence[str]) -> Floats:
    """``agreement`` of all pieces whose prints can be compared, shape (cells,); infinite for bare places and other boards."""
    agree = np.full(len(names), np.inf, np.float32)
    vectors, shades = evidence.vectors, evidence.tints
    if vectors is None or not prints_compare(spec):
        return agree
    pieces = [i for i, cell in enumerate(board.cells) if not (spec.is_open and cell.presence < 0.5)]
    if pieces:
        of_pieces = None if shades is None else shades[pieces]
        agree[pieces] = agreement(vectors[pieces], [names[i] for i in pieces], of_pieces)
    return agree


def all_faces_taught(spec: BoardSpec, labels: Sequence[str]) -> bool:
    """Whether no piece of a season board or of the stones is unknown, which would look like the one most like it."""
    return spec.name not in ("seasons", "stones") or not {
        label for label in spec.labels if label[0] not in NUMBERS
    } - {*labels}


def shown_quads(board: LocatedBoard, spec: BoardSpec, labels: Sequence[str]) -> Floats:
    """Quads (n, 4, 2) of what was read: of the piece, or of the printed cell where none lies on a season board."""
    quads = np.stack([cell.quad_xy for cell in board.cells]).astype(np.float32)
    if spec.name != "seasons":
        return quads
    bare = np.array([label == EMPTY or label[0] in NUMBERS for label in labels])
    printed = printed_quads(board, bare)
    return quads if printed is None else np.where(bare[:, None, None], printed, quads)


def reading_of(
    board: LocatedBoard,
    spec: BoardSpec,
    profile: Profile,
    seen: Look,
    missing: float,
) -> Reading:
    """Cells in the upright grid's order, with text, sureness and problems; none is sure if a piece may be ``missing``."""
    way = seen.way
    labels = profile.labels
    chances = over_turns(board, seen)
    chosen = list(way.choice) if way.choice else within_counts(way.probabilities, labels, spec.counts)
    rows, cols = (board.rows, board.cols) if way.turn % 2 == 0 else (board.cols, board.rows)
    grid = [[EMPTY] * cols for _ in range(rows)]
    least_turn = SURE_TURN_OPEN if spec.is_open else SURE_TURN
    turn_known = seen.turn_probability >= (
        SURE_TURN_UNTAUGHT if seen.evidence.alone is not None else least_turn
    )
    whole = turn_known and missing <= MOST_MISSING
    agree = agreements(board, spec, seen.evidence, [labels[k] for k in chosen])
    alike = seen.likeness[np.arange(len(chosen)), chosen]
    if profile.published:
        least_likeness = SURE_LIKENESS_UNTAUGHT
    else:
        taught = SURE_LIKENESS if all_faces_taught(spec, labels) else SURE_LIKENESS_IN_PART
        least_likeness = max(taught, typical_likeness(board, alike) - MOST_LESS_LIKE)
    clear = bool(agree.min() >= CLEAR_AGREEMENT)
    quads = shown_quads(board, spec, [labels[k] for k in chosen])
    cells, together = [], whole
    for i, cell in enumerate(board.cells):
        row, col = turned_place(cell.row, cell.col, board.rows, board.cols, way.turn)
        label = labels[chosen[i]]
        confidence = float(chances[i, chosen[i]])
        order = [k for k in np.argsort(-chances[i]) if k != chosen[i]][:ALTERNATIVES]
        others = [(labels[k], float(chances[i, k])) for k in order]
        bare = spec.is_open and cell.presence < 0.5
        if bare:
            others = [
                (other, p * cell.presence) for other, p in [(label, confidence), *others][:ALTERNATIVES]
            ]
            label, confidence = EMPTY, 1 - cell.presence
        number = spec.name == "seasons" and label[0] in NUMBERS
        like_taught = number or float(alike[i]) >= least_likeness
        confirmed = chosen.count(chosen[i]) > 1 if spec.name == "stones" else bool(agree[i] >= WELL_APART)
        bars = bars_of(spec, profile.published, label, confirmed)
        plain = bare or (like_taught and cell.presence > 0.5 and agree[i] >= 0)
        # a piece that is hardly seen as one is half covered: so may be another, wholly
        least = bars.together if clear else max(bars.together, SURE_TAUGHT.together)
        together = together and plain and (bare or cell.detected) and confidence >= least
        alone = plain and cell.detected and confidence >= bars.alone
        sure = alone and whole
        grid[row][col] = label
        cells.append(
            CellReading(
                row, col, label, confidence, sure, np.roll(quads[i], way.turn, axis=0), tuple(others),
            )
        )  # fmt: skip
    cells = sorted(
        (replace(cell, sure=cell.sure or together) for cell in cells), key=lambda cell: (cell.row, cell.col)
    )
    text = " / ".join(" ".join(row) for row in grid)
    problems: tuple[str, ...] = ()
    if spec.name == "stones":
        problems = tuple(problem.message for problem in StoneGrid.parse(text).problems())
    outline = np.roll(board.outline_xy, way.turn, axis=0).astype(np.float32)
    return Reading(spec.name, text, tuple(cells), outline, profile.name, model_version(), problems)
