"""Pieces that lie on every board of a game equally often, such as its one castle.

Lessons of whole boards show which labels these are. Then a piece that looks like nothing taught is
named, if it must be the castle because no other can be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.evidence import Evidence
from vision.probability import Doubles, logsumexp, sigmoid

CONSTANT = 0.1
"""Assumed share of a game's labels that lie on every board equally often."""
MOST_SHIFT = 30.0
"""Log odds beyond which a cell shows a label as good as certainly, or certainly not."""


def with_constant(
    evidence: Evidence, labels: Sequence[str], boards: Sequence[Mapping[str, int]]
) -> Evidence:
    """The evidence together with what the ``boards`` of the lessons say of how often each of the
    labels lies on one."""
    cells = evidence.scores.shape[1]
    scores = evidence.scores
    for number, label in enumerate(labels if len(labels) > 1 else ()):
        counts = {board.get(label, 0) for board in boards}
        count = counts.pop() if len(counts) == 1 else 0
        if 0 < count < cells:
            prior = probably_constant(count, len(boards))
            scores = np.stack([_weighed(turned, number, count, prior) for turned in scores])
    return evidence if scores is evidence.scores else replace(evidence, scores=scores)


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
    others = logsumexp(np.delete(scores, label, 1), 1) - np.log(labels - 1)
    odds = np.clip(scores[:, label] - others, -MOST_SHIFT, MOST_SHIFT)
    freely = odds - np.log(labels - 1)
    total, each = _log_choices(odds, count)
    constant = total - _log_choices(np.zeros(cells), count)[0]
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
