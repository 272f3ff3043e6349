"""How the grid is turned and what lies on it: evidence weighed by the rules of the box.

What cannot be there is not guessed, and what must be there lends its certainty to its
neighbours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scorer.custom.board import ANY_SIDE
from vision.boards import BoardSpec
from vision.evidence import Evidence, Interpretation, Look
from vision.find.board import LocatedBoard
from vision.geometry import mean_edges
from vision.kinds import kind_of
from vision.probability import Doubles, log_shares, logsumexp

VOICE_WEIGHT, VOICE_FLOOR = 0.7, -6.0
"""Weight and least log probability of each symbol's opinion of the direction.

A network that sees all stones together has one opinion for all, so each is judged alone.
"""
TURN_WEIGHT = 0.5
"""Weight of the evidence of pieces read one by one: one light misleads all alike."""
LEAST_TURN = 0.003
"""A direction less probable than this is not looked at."""
NEGLIGIBLE = 25.0
"""A direction this much less likely than another, in log probability, is left out."""


def weigh(
    evidence: Evidence,
    board: LocatedBoard,
    spec: BoardSpec,
    labels: Sequence[str],
    turns: Sequence[int],
) -> Look:
    """Choose the turn of the grid and the state that explain the evidence best."""
    kind = kind_of(spec)
    if spec.direction == ANY_SIDE:
        evidence = facing(evidence, piece_turns(board, spec), turns[0])
    ways: list[Interpretation] = []

    def interpreted(turn: int) -> Interpretation:
        return Interpretation(turn, *kind.interpreted(evidence.scores[turn], board, labels, turn))

    if evidence.alone is not None:
        opinion = turn_opinion(evidence.scores, evidence.alone)
        told = opinion - logsumexp(opinion[list(turns)])
        likely = [t for t in turns if told[t] >= np.log(LEAST_TURN)]
        ways += [interpreted(t) for t in likely]
        evidences = told[likely]
    else:
        # no rule of the box makes a way likelier than its cells are alone: most turns need not be
        # weighed
        alone = {t: float(logsumexp(evidence.scores[t], 1).sum()) for t in turns}
        for turn in sorted(turns, key=lambda t: -alone[t]):
            if not ways or alone[turn] > max(way.evidence for way in ways) - NEGLIGIBLE:
                ways.append(interpreted(turn))
        evidences = TURN_WEIGHT * np.array([way.evidence for way in ways])
    if not spec.is_directed:  # take the side nearest the camera
        evidences = evidences + np.array([1e-6 if way.turn == 0 else 0.0 for way in ways])
    best = ways[int(evidences.argmax())]
    best = replace(best, choice=kind.choice(evidence.scores[best.turn], labels))
    likeness, known = evidence.likeness[best.turn], evidence.known[best.turn]
    if not spec.is_directed:
        return Look(evidence, best, likeness, known, 1.0)
    p = np.exp(log_shares(evidences))
    others = tuple((float(p[k]), way) for k, way in enumerate(ways) if way.turn != best.turn)
    return Look(evidence, best, likeness, known, float(p.max()), others)


def turn_opinion(scores: Doubles, alone: Doubles) -> Doubles:
    """Log evidence (4,) of the turns: symbols from ``scores``, directions from ``alone``.

    Stones with the same symbol look alike and err alike: they have one voice.
    """
    either = logsumexp(scores, 0)
    symbol = np.exp(log_shares(either, 1))
    voices = np.maximum(log_shares(alone, 0), VOICE_FLOOR) * symbol
    return np.asarray(VOICE_WEIGHT * (voices.sum(1) / np.maximum(symbol.sum(0), 1)).sum(1))


def possible_turns(board: LocatedBoard, spec: BoardSpec) -> Sequence[int]:
    """Quarter turns of the grid that the sizes of board and piece allow."""
    turns = []
    for turn in range(4):
        rows, cols = board.shape(turn)
        if spec.rows[0] <= rows <= spec.rows[1] and spec.cols[0] <= cols <= spec.cols[1]:
            turns.append(turn)
    if spec.direction == ANY_SIDE:
        return turns[:1] or (0,)
    if spec.turns == 4:
        turns = turns[:1]
    if spec.turns == 2:
        turns = [t for t in turns if t < 2]
    fitting = piece_turns(board, spec)
    return [t for t in turns if t in fitting] or turns or (0,)


def piece_turns(board: LocatedBoard, spec: BoardSpec) -> Sequence[int]:
    """Quarter turns of the pieces that their shape in the photo allows."""
    if spec.aspect is not None and not 0.8 < spec.aspect < 1.25:
        ratio = apparent_aspect(board)
        if ratio > 1.15 or ratio < 0.87:
            return (0, 2) if (ratio > 1) == (spec.aspect > 1) else (1, 3)
    return range(4)


def facing(evidence: Evidence, turns: Sequence[int], up: int) -> Evidence:
    """The evidence for a grid turned by ``up``, of pieces that look the same turned.

    They are seen in the one of the ``turns`` that explains them best, however the grid lies.
    """
    best = max(turns, key=lambda t: float(logsumexp(evidence.scores[t], 1).sum()))
    order = [(best + t - up) % 4 for t in range(4)]
    return replace(
        evidence,
        scores=evidence.scores[order],
        likeness=evidence.likeness[order],
        known=evidence.known[order],
    )


def apparent_aspect(board: LocatedBoard) -> float:
    """Median width over height of the cells, as seen in the photo."""
    width, height = (np.linalg.norm(edges, axis=1) for edges in mean_edges(board.quads_xy))
    return float(np.median(width / np.maximum(height, 1e-6)))


def within_counts(
    probabilities: Doubles, labels: Sequence[str], counts: Mapping[str, int]
) -> list[int]:
    """The most probable labels; a surplus of a label moves to the next best where that costs least.

    Parameters
    ----------
    probabilities : ndarray of shape (cells, labels)

    >>> within_counts(np.array([[0.9, 0.1], [0.6, 0.4]]), ["a", "b"], {"a": 1})
    [0, 1]
    """
    p = probabilities.copy()
    chosen = p.argmax(1)
    for _ in range(p.size):
        over = [
            k
            for k, label in enumerate(labels)
            if label in counts and int((chosen == k).sum()) > counts[label]
        ]
        if not over:
            break
        k = over[0]
        members = np.flatnonzero(chosen == k)
        rest = p[members].copy()
        rest[:, k] = -1
        loss = np.log(np.maximum(p[members, k], 1e-12)) - np.log(np.maximum(rest.max(1), 1e-12))
        weakest = members[int(np.argmin(loss))]
        if rest.max() <= 0:
            break
        p[weakest, k] = 0.0
        chosen[weakest] = int(p[weakest].argmax())
    return [int(k) for k in chosen]
