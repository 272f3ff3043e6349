"""In which of four turns the grid lies, and what lies on it then: the evidence weighed by the rules of the box."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.boards import BoardSpec
from vision.decode import (
    HANDS,
    STONES,
    Doubles,
    likeliest_stones,
    logsumexp,
    number_evidence,
    stone_marginals,
)
from vision.find.detect import LocatedBoard
from vision.geometry import Floats, mean_edges
from vision.name.likeness import Evidence
from vision.name.season_cells import NUMBERS

VOICE_WEIGHT, VOICE_FLOOR = 0.7, -6.0
"""How much each symbol's opinion of the direction counts, and the least log probability of one. Where the network sees all stones
at once they have one opinion, wrong and certain to 0.996 on some of 627 generated boards; judged one by one, they disagree there."""
TURN_WEIGHT = 0.5
"""The same for pieces that are read one by one: they are seen in one light, so what misleads one misleads others."""
LEAST_TURN = 0.003
"""A direction less probable than this is not looked at."""
DECIDED = 0.998
"""Probability from which a second look in corrected light cannot change a cell."""
NEGLIGIBLE = 25.0
"""A way to see the grid that is less likely than another by this, in log probability, is not looked at."""


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
    width, height = (np.linalg.norm(edges, axis=1) for edges in mean_edges(quads))
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
