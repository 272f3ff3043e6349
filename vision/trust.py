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
from vision.evidence import Look
from vision.find.board import LocatedBoard
from vision.geometry import Floats
from vision.kinds import kind_of
from vision.kinds.kind import JudgeName
from vision.probability import Doubles, sigmoid
from vision.profile import Profile
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


def over_turns(board: LocatedBoard, seen: Look) -> Doubles:
    """Probabilities (n, labels) of what lies at each cell's place in the upright grid, whichever
    side is up.

    If the grid is turned, another cell lies at the place. Turns that make another shape of the
    grid do not count.
    """
    target = board.upright(seen.way.turn)
    chances = seen.way.probabilities * seen.known[:, None]
    mixed = seen.turn_probability * chances
    for p, way in seen.others:
        at = {place: i for i, place in enumerate(board.upright(way.turn))}
        known = seen.evidence.known[way.turn]
        if at.keys() == {*target}:
            order = [at[place] for place in target]
            mixed += p * (way.probabilities * known[:, None])[order]
        else:
            mixed += p * chances
    return np.asarray(mixed)


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
    missing: float,
) -> Reading:
    """Cells in the upright grid's order, with text, sureness and problems; none is sure if a
    piece may be ``missing``."""
    kind = kind_of(spec, profile.published)
    way = seen.way
    labels = profile.labels
    chances = over_turns(board, seen)
    chosen = (
        list(way.choice) if way.choice else within_counts(way.probabilities, labels, spec.counts)
    )
    rows, cols = (board.rows, board.cols) if way.turn % 2 == 0 else (board.cols, board.rows)
    grid = [[EMPTY] * cols for _ in range(rows)]
    whole = seen.turn_probability >= kind.least_turn and missing <= MOST_MISSING
    names = [labels[k] for k in chosen]
    agree = agreements(board, spec, profile, seen, names)
    alike = seen.likeness[np.arange(len(chosen)), chosen]
    least_likeness = kind.least_likeness(labels, typical_likeness(board, alike))
    clear = bool(agree.min() >= CLEAR_AGREEMENT)
    quads = kind.shown_quads(board, names)
    cells, together = [], whole
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
        like_taught = kind.is_printed(label) or float(alike[i]) >= least_likeness
        bars = kind.bars(label, chosen.count(chosen[i]), bool(agree[i] >= WELL_APART))
        plain = bare or (like_taught and cell.presence > 0.5 and agree[i] >= 0)
        # a piece that is hardly seen as one is half covered: so may be another, wholly
        least = bars.together if clear else bars.alone
        together = together and plain and (bare or cell.detected) and confidence >= least
        alone = plain and cell.detected and confidence >= bars.alone
        sure = alone and whole
        grid[row][col] = label
        cells.append(
            CellReading(
                row,
                col,
                label,
                confidence,
                sure,
                np.roll(quads[i], way.turn, axis=0),
                tuple(others),
            )
        )
    cells = sorted(
        (replace(cell, sure=cell.sure or together) for cell in cells),
        key=lambda cell: (cell.row, cell.col),
    )
    text = " / ".join(" ".join(row) for row in grid)
    outline = np.roll(board.outline_xy, way.turn, axis=0).astype(np.float32)
    return Reading(
        spec.name, text, tuple(cells), outline, profile.name, model_version(), kind.problems(text)
    )


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
