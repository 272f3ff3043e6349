"""Fits sums of monotone curves: the log odds that an answer is right, from its signs.

Each curve rises with its sign and is level beyond what was seen, so no sign speaks against what it
is a sign of. One sign, the *base*, may hold log odds already: with few examples they stay as they
are.
"""

import numpy as np

from vision.probability import Doubles, Judge, Signs, sigmoid

BENDS = (0.002, 0.02, 0.1, 0.25, 0.5, 0.75, 0.95)
"""Quantiles of a sign at which its curve may bend, besides ``WRONG_BENDS`` of wrong answers."""
WRONG_BENDS = (0.05, 0.25, 0.5, 0.9)
BASE_BENDS = (-6.0, -3.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 16.0)
LEAST_APART = 0.04
"""Bends nearer than this, in parts of the range of all, are one."""
RIDGE, BASE_RIDGE = 2.0, 4.0
"""How strongly each rise is held to 0, and the slope of each piece of the base to 1."""
LEAST_RISE = 0.02
"""Curves that rise less are left out."""
ROUNDS, CLOSE = 100, 1e-7


def bends_of(sign: Doubles, wrong: Doubles) -> Doubles:
    """Where a curve may bend, rising; fewer than two if the sign tells nothing."""
    at = np.quantile(sign, BENDS)
    if wrong.any():
        at = np.concatenate([at, np.quantile(sign[wrong > 0], WRONG_BENDS)])
    at = np.unique(at.round(4))
    kept = [float(at[0])]
    for value in at[1:].tolist():
        if value - kept[-1] > LEAST_APART * (at[-1] - at[0]):
            kept.append(value)
    return np.array(kept)


def rises(sign: Doubles, bends: Doubles) -> Doubles:
    """How much of each piece of a curve lies below each value, shape (n, bends - 1)."""
    return np.asarray(np.clip((sign[:, None] - bends[:-1]) / np.diff(bends), 0, 1))


def fitted(
    signs: Signs,
    wrong: Doubles,
    base: str | None = None,
    counts: Doubles | None = None,
    ridge: float = RIDGE,
) -> Judge:
    """The curves of greatest likelihood with a little ridge, by Newton's method within bounds.

    Parameters
    ----------
    signs : each of shape (n,).
    wrong : ndarray of shape (n,), 1 for a wrong answer.
    base : the sign that holds log odds, if one does. Its curve is at most as steep as it says.
    counts : ndarray of shape (n,), for how many answers each one stands. None: for one each.
    ridge : how strongly each rise is held to 0.
    """
    counts = np.ones(len(wrong)) if counts is None else counts
    bends = {name: bends_of(sign, wrong) for name, sign in signs.items() if name != base}
    bends = {name: at for name, at in bends.items() if len(at) > 1}
    if base is not None:
        bends[base] = np.array(BASE_BENDS)
    pieces = [rises(signs[name], at) for name, at in bends.items()]
    design = np.column_stack([np.ones(len(wrong)), *pieces])
    start, holds = np.zeros(design.shape[1]), np.full(design.shape[1], ridge)
    lowest, highest = np.zeros(len(start)), np.full(len(start), np.inf)
    holds[0], lowest[0] = 1e-3, -np.inf
    if base is not None:
        based, widths = slice(1 - len(BASE_BENDS), None), np.diff(BASE_BENDS)  # it comes last
        start[0] = BASE_BENDS[0]
        start[based], holds[based], highest[based] = widths, BASE_RIDGE / widths**2, widths
    found = _within(design, 1 - wrong, counts, start, holds, lowest, highest)
    curves, at = {}, 1
    for name, where in bends.items():
        heights = np.concatenate([[0.0], np.cumsum(found[at : at + len(where) - 1])])
        at += len(where) - 1
        if heights[-1] >= LEAST_RISE:
            curves[name] = (where.round(4).tolist(), heights.round(3).tolist())
    return Judge(round(float(found[0]), 3), curves)


def _within(
    design: Doubles,
    right: Doubles,
    counts: Doubles,
    start: Doubles,
    ridge: Doubles,
    lowest: Doubles,
    highest: Doubles,
) -> Doubles:
    """The weights of a logistic regression within bounds, held to ``start`` by ``ridge``."""

    def cost(weights: Doubles) -> float:
        odds = design @ weights
        held = 0.5 * (ridge * (weights - start) ** 2).sum()
        return float((counts * (np.logaddexp(0, odds) - right * odds)).sum() + held)

    weights, now = start.copy(), cost(start)
    for _ in range(ROUNDS):
        p = sigmoid(np.clip(design @ weights, -30, 30))
        slope = design.T @ (counts * (p - right)) + ridge * (weights - start)
        stuck = ((weights <= lowest) & (slope > 0)) | ((weights >= highest) & (slope < 0))
        free = ~stuck
        part = design[:, free]
        curvature = (part * (counts * p * (1 - p))[:, None]).T @ part + np.diag(ridge[free])
        step = np.zeros_like(weights)
        step[free] = -np.linalg.solve(curvature, slope[free])
        share, before = 1.0, now
        while share > 1e-6:
            moved = np.clip(weights + share * step, lowest, highest)
            if cost(moved) < now:
                weights, now = moved, cost(moved)
                break
            share /= 2
        if before - now < CLOSE * max(1.0, abs(now)):
            break
    return weights
