"""Picks the most probable state that the box allows, with the probability of every cell given all others.

A box holds known pieces: nine stones of four double-sided kinds; four numbers on a season board. What cannot be there
is not guessed, and what must be there lends its certainty to its neighbours.
"""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Real = TypeVar("Real", np.float32, np.float64)
Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]

STONE_KINDS: tuple[tuple[tuple[str, str], int], ...] = (
    (("sun", "moon"), 1),
    (("fish", "bird"), 2),
    (("horse", "boat"), 3),
    (("seed", "tree"), 3),
)
"""The double-sided stones and how many of each lie in the box (rulebook, components)."""
STONES = sum(count for _, count in STONE_KINDS)


def _used_up() -> tuple[int, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """States of how many stones of each kind are used up, numbered from none to all: how many there are, and for each kind
    and state, shape (kinds, states), the one before and after a stone of that kind; that number itself where none is."""
    shape = tuple(count + 1 for _, count in STONE_KINDS)
    used = np.indices(shape).reshape(len(shape), -1)
    states = used.shape[1]
    before, after = np.full((2, len(shape), states), states)
    for kind, (_, count) in enumerate(STONE_KINDS):
        more = np.flatnonzero(used[kind] < count)
        onward = used[:, more].copy()
        onward[kind] += 1
        after[kind, more] = np.ravel_multi_index(tuple(onward), shape)
        before[kind, after[kind, more]] = more
    return states, before, after


NO_STATE, BEFORE, AFTER = _used_up()

HANDS: dict[str, tuple[tuple[int, int], ...]] = {
    "A": ((0, 1), (1, 5), (5, 4), (4, 0)),
    "B": ((1, 0), (0, 4), (4, 5), (5, 1)),
}
"""Cells of the printed numbers on the two mirror-image season boards; each set is the same in all four turns."""


def sigmoid(log_odds: Doubles | float) -> Doubles:
    """Probabilities of log odds."""
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def logsumexp(values: Doubles, axis: int | None = None) -> Doubles:
    """Log of the sum of exponentials; minus infinity for nothing."""
    top = np.max(values, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(values - top).sum(axis=axis, keepdims=True)) + top
    return np.asarray(np.squeeze(total, axis=axis))


def stone_marginals(log_p: Doubles, labels: Sequence[str]) -> tuple[Doubles, float]:
    """Exact probabilities of each cell's symbol, given that the nine stones come from one box.

    Parameters
    ----------
    log_p : ndarray of shape (9, labels)
        Log probabilities of each cell taken alone.

    Returns
    -------
    marginals of shape (9, labels), and the log probability that the nine fit the box at all

    Notes
    -----
    Forward-backward over the cells; the state is how many stones of each kind are used up. A grid of kinds that fits
    the box has the same number of physical layouts whatever its sides show, so all layouts count alike.
    """
    index = {label: i for i, label in enumerate(labels)}
    sides = [[index[s] for s in pair if s in index] for pair, _ in STONE_KINDS]
    best = log_p.max(1, keepdims=True)
    p = np.exp(log_p - best)  # relative to each cell's best, so that nine factors stay within range
    kinds = np.stack([p[:, members].sum(1) for members in sides], 1)
    forward, backward = np.zeros((2, len(p) + 1, NO_STATE + 1))
    forward[0, 0] = backward[-1, NO_STATE - 1] = 1.0
    for i, weights in enumerate(kinds):
        forward[i + 1, :NO_STATE] = weights @ forward[i, BEFORE]
    total = float(forward[-1, NO_STATE - 1])
    marginals = np.zeros_like(log_p)
    if total <= 0:
        return marginals, -np.inf
    for i in reversed(range(len(p))):
        backward[i, :NO_STATE] = kinds[i] @ backward[i + 1, AFTER]
    others = np.einsum("is,iks->ik", forward[:-1, :NO_STATE], backward[1:, AFTER]) / total
    for kind, members in enumerate(sides):
        marginals[:, members] = p[:, members] * others[:, kind, None]
    return marginals, float(np.log(total) + best.sum())


def likeliest_stones(log_p: Doubles, labels: Sequence[str]) -> list[int] | None:
    """The most probable nine symbols that the box allows, as label numbers; None if no taught labels can fill it.

    The most probable symbols of the cells are taken if they fit the box; else the likeliest that do, by Viterbi over the
    states of ``stone_marginals``. log_p has shape (9, labels).
    """
    index = {label: i for i, label in enumerate(labels)}
    counts = tuple(count for _, count in STONE_KINDS)
    value, label = np.full((len(log_p), len(counts)), -np.inf), np.zeros((len(log_p), len(counts)), int)
    for kind, (pair, _) in enumerate(STONE_KINDS):
        members = [index[symbol] for symbol in pair if symbol in index]
        if members:
            label[:, kind] = np.array(members)[log_p[:, members].argmax(1)]
            value[:, kind] = log_p[:, members].max(1)
    alone = value.argmax(1)
    if tuple(np.bincount(alone, minlength=len(counts))) == counts:
        return [int(k) for k in label[np.arange(len(alone)), alone]]
    best: dict[tuple[int, ...], tuple[float, tuple[int, ...]]] = {(0,) * len(counts): (0.0, ())}
    for values, names in zip(value.tolist(), label.tolist(), strict=True):
        reached: dict[tuple[int, ...], tuple[float, tuple[int, ...]]] = {}
        for used, (so_far, chosen) in best.items():
            for kind, count in enumerate(counts):
                total = so_far + values[kind]
                if used[kind] == count or total == -np.inf:
                    continue
                after = (*used[:kind], used[kind] + 1, *used[kind + 1 :])
                if after not in reached or total > reached[after][0]:
                    reached[after] = (total, (*chosen, names[kind]))
        best = reached
    return list(next(iter(best.values()))[1]) if best else None


def with_shared_frame(likeness: npt.NDArray[Real], labels: Sequence[str]) -> npt.NDArray[Real]:
    """Likeness (..., labels) in which all numbers together say whether a frame lies there.

    A frame looks the same around every number, but each number was seen framed only once or twice: the difference
    between framed and bare is averaged over all numbers that were taught both ways.
    """
    index = {label: i for i, label in enumerate(labels)}
    pairs = [
        (index[digit], index[f"{digit}!"]) for digit in "1234" if digit in index and f"{digit}!" in index
    ]
    if not pairs:
        return likeness
    bare, framed = ([pair[k] for pair in pairs] for k in (0, 1))
    difference = (likeness[..., framed] - likeness[..., bare]).mean(-1)
    best = np.maximum(likeness[..., framed], likeness[..., bare])
    shared = likeness.copy()
    shared[..., framed] = best + np.minimum(difference, 0)[..., None]
    shared[..., bare] = best - np.maximum(difference, 0)[..., None]
    return shared


def number_evidence(
    log_p: Mapping[tuple[int, int], Doubles], labels: Sequence[str], hand: str
) -> tuple[float, dict[tuple[int, int], dict[str, float]]]:
    """How well the four number cells of a hand show the numbers 1 to 4, each once, framed or not.

    Parameters
    ----------
    log_p : mapping of cell to ndarray of shape (labels,), log probabilities of that cell taken alone

    Returns
    -------
    log evidence, and for each number cell the probability of each of its labels
    """
    index = {label: i for i, label in enumerate(labels)}
    cells = HANDS[hand]
    orders = list(permutations("1234"))
    values = np.zeros(len(orders))
    for n, order in enumerate(orders):
        for cell, digit in zip(cells, order, strict=True):
            faces = [log_p[cell][index[f]] for f in (digit, f"{digit}!") if f in index]
            values[n] += float(logsumexp(np.array(faces))) if faces else -50.0
    evidence = float(logsumexp(values))
    weights = np.exp(values - evidence)
    marginals: dict[tuple[int, int], dict[str, float]] = {cell: {} for cell in cells}
    for weight, order in zip(weights, orders, strict=True):
        for cell, digit in zip(cells, order, strict=True):
            faces = [f for f in (digit, f"{digit}!") if f in index]
            total = float(logsumexp(np.array([log_p[cell][index[f]] for f in faces]))) if faces else 0.0
            for face in faces:
                share = float(np.exp(log_p[cell][index[face]] - total))
                marginals[cell][face] = marginals[cell].get(face, 0.0) + float(weight) * share
    return evidence, marginals


def within_counts(probabilities: Doubles, labels: Sequence[str], counts: Mapping[str, int]) -> list[int]:
    """The most probable label of each cell, with the least likely surplus of any label moved to its next best.

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
