"""What was read and how far it is trusted: the label of each cell, its probability, and whether it
needs no person.

It also says how probably a grid shows the set that is read, and not another game or a chequered
cloth.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from models.registry import model_version
from scorer.notation import EMPTY
from vision.boards import BoardSpec
from vision.decode import within_counts
from vision.doubts import Doubt, cell_doubts, direction_doubt, extent_doubt, ordered, set_doubt
from vision.evidence import Look
from vision.find.board import LocatedBoard, turned_place
from vision.find.complete import STRAY_LIKENESS, Extent
from vision.geometry import Floats, sides
from vision.kinds import kind_of
from vision.kinds.kind import JudgeName
from vision.probability import Doubles, sigmoid
from vision.profile import Profile
from vision.quality import BoardQuality, advice
from vision.reading import CellReading, Reading

MOST_MISSING = 0.012
"""Cells of an open board count as sure only while a missed piece is less likely than this."""
WELL_APART = 0.04
"""Cards of an open board have higher bars if their ``agreement`` is below this."""
SAME_FACE, CLEAR_AGREEMENT = 0.964, 0.03
"""Likeness of two prints of one face in one photo, assumed for faces of which only one is there;
and the least ``agreement`` of all stones for the low bar of a whole board. Chosen on generated
boards."""
OTHER_TINT = 0.9
"""Most distance between the tints of two prints of one face in one photo (natural logarithms of
light, see ``tints``). Under lamps of two colours, 0.9 percent of the pieces that are named
rightly are farther from all others of their name."""
ALTERNATIVES = 3
WHOLE = Extent()
"""Nothing says that the grid is not the whole board."""


def over_turns(seen: Look) -> Doubles:
    """Probabilities (n, labels) of what each cell shows, whichever side is up."""
    chances = seen.turn_probability * seen.way.probabilities * seen.known[:, None]
    for p, way in seen.others:
        chances += p * way.probabilities * seen.evidence.known[way.turn][:, None]
    return np.asarray(chances)


def other_turns(board: LocatedBoard, seen: Look, chosen: Sequence[int]) -> list[tuple[int, float]]:
    """By how many quarters clockwise the board as read may have to be turned, each with its
    probability; 0 first. Turns that show the same board count as none."""
    here = dict(zip(board.upright(seen.way.turn), chosen, strict=True))
    turns = {0: seen.turn_probability}
    for p, way in seen.others:
        others = way.probabilities.argmax(1).tolist()
        there = dict(zip(board.upright(way.turn), others, strict=True))
        turn = 0 if there == here else (way.turn - seen.way.turn) % 4
        turns[turn] = turns.get(turn, 0.0) + p
    return [(0, turns.pop(0)), *sorted(turns.items(), key=lambda each: -each[1])]


def agreement(vectors: Floats, names: Sequence[str], shades: Floats | None = None) -> Floats:
    """How much more each piece of a photo looks like the others of its name than like any of
    another, shape (n,).

    Two prints of one face differ less in one photo than a print and its lesson do. Below zero
    for pieces that look more like one of another name, or have another tint (``shades``, of
    shape (n, 2)) than all of their name: one of the names is wrong.
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
    """Likeness of the median piece of a photo to the face that it was taken for; 0 if there is
    no piece."""
    pieces = [i for i, cell in enumerate(board.cells) if cell.presence > 0.5]
    return float(np.median(alike[pieces])) if pieces else 0.0


def agreements(
    board: LocatedBoard, spec: BoardSpec, profile: Profile, seen: Look, names: Sequence[str]
) -> Floats:
    """``agreement`` of all pieces whose prints can be compared, shape (cells,); infinite for bare
    places and other boards.

    Below zero for cells that look otherwise than they are named, too. Pieces that may lie turned
    within the grid are not compared, for turned prints are not alike.
    """
    kind = kind_of(spec)
    agree = np.full(len(names), np.inf, np.float32)
    vectors, shades = seen.evidence.vectors, seen.evidence.tints
    if shades is not None:
        agree[kind.misnamed(names, shades, seen.likeness, profile)] = -1.0
    if vectors is None or spec.turns != 1 or not kind.comparable:
        return agree
    pieces = [i for i, cell in enumerate(board.cells) if not (spec.is_open and cell.presence < 0.5)]
    if pieces:
        of_pieces = None if shades is None else shades[pieces]
        agree[pieces] = agreement(vectors[pieces], [names[i] for i in pieces], of_pieces)
    return agree


def reading_of(
    board: LocatedBoard,
    spec: BoardSpec,
    profile: Profile,
    seen: Look,
    extent: Extent = WHOLE,
    quality: BoardQuality | None = None,
) -> Reading:
    """What was read: cells in the upright grid's order, and what is left to ask about them."""
    kind = kind_of(spec, profile.published)
    way = seen.way
    labels = profile.labels
    chances = over_turns(seen)
    chosen = (
        list(way.choice) if way.choice else within_counts(way.probabilities, labels, spec.counts)
    )
    rows, cols = (board.rows, board.cols) if way.turn % 2 == 0 else (board.cols, board.rows)
    grid = [[EMPTY] * cols for _ in range(rows)]
    names = [labels[k] for k in chosen]
    agree = agreements(board, spec, profile, seen, names)
    alike = seen.likeness[np.arange(len(chosen)), chosen]
    least_likeness = kind.least_likeness(labels, typical_likeness(board, alike))
    clear = bool(agree.min() >= CLEAR_AGREEMENT)
    quads = kind.shown_quads(board, names)
    hidden = set() if quality is None else {*quality.glaring, *quality.outside}
    small = kind.too_small(names, sides(quads))
    turns = other_turns(board, seen, chosen)
    missing = extent.at_most
    directed = turns[0][1] >= kind.least_turn
    whole = directed and missing <= MOST_MISSING
    at_edge = _at_edge(board) if spec.is_open else set()
    cells, together = [], whole
    doubts: list[Doubt] = []
    for i, (cell, (row, col)) in enumerate(zip(board.cells, board.upright(way.turn), strict=True)):
        label = names[i]
        confidence = float(chances[i, chosen[i]])
        order = [k for k in np.argsort(-chances[i]) if k != chosen[i]][:ALTERNATIVES]
        others = [(labels[k], float(chances[i, k])) for k in order]
        bare = spec.is_open and cell.presence < 0.5
        if bare:
            others = [
                (other, p * cell.presence)
                for other, p in [(label, confidence), *others][:ALTERNATIVES]
            ]
            label, confidence = EMPTY, 1 - cell.presence
        elif spec.is_open and not cell.detected:
            others = [(EMPTY, 1 - cell.presence), *others][:ALTERNATIVES]
        like_taught = kind.is_printed(label) or float(alike[i]) >= least_likeness
        bars = kind.bars(label, chosen.count(chosen[i]), bool(agree[i] >= WELL_APART))
        plain = bare or (like_taught and cell.presence > 0.5 and agree[i] >= 0)
        plain = plain and i not in hidden and i not in small
        # a piece that is hardly seen as one is half covered: so may be another, wholly
        least = bars.together if clear else bars.alone
        detected = cell.detected or i in at_edge
        if i in at_edge:
            doubts.append(extent_doubt((row, col), cell.presence, held=True))
        together = together and plain and (bare or detected) and confidence >= least
        alone = plain and detected and confidence >= bars.alone
        grid[row][col] = label
        quad = np.roll(quads[i], way.turn, axis=0)
        cells.append(CellReading(row, col, label, confidence, alone, quad, tuple(others), look=i))
    cells = sorted(
        (replace(cell, sure=cell.sure or together) for cell in cells),
        key=lambda cell: (cell.row, cell.col),
    )
    vectors = seen.evidence.vectors
    doubts += cell_doubts(
        [
            (
                (cell.row, cell.col),
                ((cell.label, cell.confidence), *cell.alternatives),
                None if vectors is None or not kind.comparable else vectors[cell.look],
            )
            for cell in cells
            if not cell.sure
        ]
    )
    if not directed:
        doubts.append(direction_doubt(turns))
    if missing > MOST_MISSING:
        place = extent.stray_place if extent.stray >= STRAY_LIKENESS else extent.place
        if place is not None:
            place = turned_place(*place, board.rows, board.cols, way.turn)
        doubts.append(extent_doubt(place, missing, held=False))
    text = " / ".join(" ".join(row) for row in grid)
    problems = kind.problems(text)
    if problems:
        doubts.append(set_doubt(spec.name, 0.5))
    if quality is not None and doubts:
        places = [(cell.row, cell.col) for cell in sorted(cells, key=lambda cell: cell.look)]
        problems = (*problems, *advice(quality, places, far=bool(small)))
    outline = np.roll(board.outline_xy, way.turn, axis=0).astype(np.float32)
    return Reading(
        spec.name,
        text,
        tuple(cells),
        outline,
        profile.name,
        model_version(),
        problems,
        doubts=ordered(doubts),
    )


def _at_edge(board: LocatedBoard) -> set[int]:
    """Which cells that may be bare lie outside the rows and columns of those that surely are not:
    if nothing lies there, the grid is smaller."""
    sure = [(cell.row, cell.col) for cell in board.cells if cell.detected and cell.presence >= 0.5]
    if not sure:
        return set()
    low, high = np.min(sure, 0), np.max(sure, 0)
    return {
        i
        for i, cell in enumerate(board.cells)
        if not (cell.detected or cell.presence < 0.5)
        and not (low[0] <= cell.row <= high[0] and low[1] <= cell.col <= high[1])
    }


FILE = "belief.toml"
"""What each sign weighs, written by ``calibration.measuring.belief``."""
LEAST_BELIEF = 0.5
"""A grid is refused if it shows the set less probably than this. The judges assume that half of all
photos show no board."""


class Signs(NamedTuple):
    """What speaks for and against a grid. Likeness is the scalar product with the likest taught
    face; where nothing was taught, it is the probability of the likest symbol.

    Attributes
    ----------
    typical, mean, low : likeness of the median piece, of all pieces, and of the piece that a
        quarter of them lies below
    apart : by how much the median piece looks more like its face than like any other
    decided : log odds of what the median piece is
    clear, unclear : probability of what the pieces are: of all, and of the two least certain
    directed : probability of the direction of the grid
    misfit : natural logarithm of one more than ``misfit of the kind of board``
    share_known, known, least_known : share of pieces that are surely taught faces, how surely they
        are at the mean and the strangest of them
    bare : share of the grid's places that seem to hold no piece
    presence : how surely the pieces are some
    pieces : natural logarithm of their number if the board is of open shape, else 0
    """

    typical: float
    mean: float
    low: float
    apart: float
    decided: float
    clear: float
    unclear: float
    directed: float
    misfit: float
    share_known: float
    known: float
    least_known: float
    bare: float
    presence: float
    pieces: float


class Judge(NamedTuple):
    """A logistic regression: what each sign weighs, and the log odds where all are 0."""

    weights: Signs
    offset: float

    def probability(self, signs: Signs) -> float:
        """How probably a grid with these signs shows the set, if as many grids do as do not."""
        return float(sigmoid(np.dot(self.weights, signs) + self.offset))


@cache
def judges() -> dict[str, Judge]:
    """The judge of each kind of board."""
    table = tomllib.loads(resources.files("vision").joinpath(FILE).read_text(encoding="utf-8"))
    return {
        kind: Judge(Signs(**judge["weights"]), float(judge["offset"]))
        for kind, judge in table.items()
    }


def belief(signs: Signs, judge: JudgeName) -> float:
    """How probably a grid with these signs shows the set that is read."""
    return judges()[judge].probability(signs)
