"""How often a label lies on a board: what the other cells and the boards of the lessons say of it.

Where most cells are bare, one that looks half like a piece is bare, too. Where every board has one
castle, a piece that looks like nothing taught is the castle if no other can be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb

import numpy as np

from scorer.notation import EMPTY
from vision.evidence import Evidence
from vision.probability import Doubles, logsumexp, sigmoid

CONSTANT = 0.1
"""Assumed share of a game's labels that lie on every board equally often."""
MOST_SHIFT = 30.0
"""Log odds beyond which a cell shows a label as good as certainly, or certainly not."""
ROUNDS = 20
"""In so many rounds the share of bare cells is estimated."""


def with_frequencies(
    evidence: Evidence, labels: Sequence[str], boards: Sequence[Mapping[str, int]]
) -> Evidence:
    """The evidence together with how often the labels lie on this board.

    The other cells of the photo tell how probably one is bare. The ``boards`` of the lessons tell
    how often each other label lies there.
    """
    cells = evidence.scores.shape[1]
    scores = evidence.scores
    if EMPTY in labels and len(labels) > 1:
        bare = labels.index(EMPTY)
        scores = np.stack([_with_bare(turned, bare) for turned in scores])
    for number, label in enumerate(labels if len(labels) > 1 else ()):
        counts = {board.get(label, 0) for board in boards}
        count = counts.pop() if len(counts) == 1 and label != EMPTY else 0
        if 0 < count < cells:
            prior = probably_constant(count, len(boards))
            scores = np.stack([_weighed(turned, number, count, prior) for turned in scores])
    return evidence if scores is evidence.scores else replace(evidence, scores=scores)


def _odds(scores: Doubles, label: int) -> Doubles:
    """Log odds (n,) of a label against the mean of the others, by the scores (n, labels)."""
    others = np.delete(scores, label, 1)
    return np.asarray(scores[:, label] - logsumexp(others, 1) + np.log(others.shape[1]))


def _with_bare(scores: Doubles, bare: int) -> Doubles:
    """Scores (n, labels), in which each cell is as probably bare as the others are.

    Any share of bare cells is as likely as another, so after b of n cells the next one is bare with
    probability (b + 1) / (n + 2) (Laplace's rule of succession).
    """
    cells, labels = scores.shape
    odds = _odds(scores, bare)
    p, shift = np.full(cells, 0.5), np.zeros(cells)
    for _ in range(ROUNDS):
        share = (p.sum() - p + 1) / (cells + 1)
        shift = np.log(share) - np.log1p(-share)
        p = sigmoid(odds + shift)
    found = scores.copy()
    found[:, bare] += shift + np.log(labels - 1)
    return found


def probably_constant(count: int, boards: int) -> float:
    """How probably a label lies ``count`` times on every board, if it did on the first ones.

    The other labels lie as often as chance has it: a Poisson distribution of unknown rate, whose
    prior is a gamma distribution of shape 1/2 (Jeffreys).

    >>> [round(probably_constant(1, boards), 2) for boards in (1, 2, 6)]
    [0.1, 0.3, 0.98]
    """
    log_chance = 0.0
    for seen in range(1, boards):
        shape = seen * count + 0.5
        rising = np.log((shape + np.arange(count)) / np.arange(1, count + 1)).sum()
        log_chance += rising + shape * np.log(seen / (seen + 1)) - count * np.log(seen + 1)
    return CONSTANT / (CONSTANT + (1 - CONSTANT) * float(np.exp(log_chance)))


def _weighed(scores: Doubles, label: int, count: int, prior: float) -> Doubles:
    """Scores (n, labels), in which one label is as likely as if it lies ``count`` times on the
    board with probability ``prior``, and any number of times else."""
    cells, labels = scores.shape
    odds = np.clip(_odds(scores, label), -MOST_SHIFT, MOST_SHIFT)
    freely = odds - np.log(labels - 1)
    total, each = _log_choices(odds, count)
    constant = total - np.log(comb(cells, count))
    free = float(np.logaddexp(odds, np.log(labels - 1)).sum()) - cells * np.log(labels)
    believed = sigmoid(np.log(prior) - np.log1p(-prior) + constant - free)
    p = believed * np.exp(each - total) + (1 - believed) * sigmoid(freely)
    p = np.clip(p, 1e-15, 1 - 1e-15)
    found = scores.copy()
    found[:, label] += np.log(p) - np.log1p(-p) - freely
    return found


def _log_choices(odds: Doubles, count: int) -> tuple[float, Doubles]:
    """Log of the sum over all choices of so many cells of the product of their odds, and of the
    part of it in which each cell is chosen, shape (n,)."""
    upto = _log_sums(odds, count)
    beyond = _log_sums(odds[::-1], count)[::-1]
    rest = logsumexp(upto[:-1, :count] + beyond[1:, count - 1 :: -1][:, :count], 1)
    return float(upto[-1, count]), odds + rest


def _log_sums(odds: Doubles, most: int) -> Doubles:
    """Logs of those sums for the first 0 to n cells and 0 to ``most`` chosen, (n + 1, most + 1)."""
    sums = np.full((len(odds) + 1, most + 1), -np.inf)
    sums[0, 0] = 0.0
    for cell, value in enumerate(odds.tolist()):
        sums[cell + 1] = sums[cell]
        sums[cell + 1, 1:] = np.logaddexp(sums[cell, 1:], sums[cell, :-1] + value)
    return sums
