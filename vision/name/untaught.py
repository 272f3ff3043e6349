"""Evidence of untaught stones: the stones network's answers at one look or several."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.session import STONE_SYMBOLS, read_stones
from vision.evidence import Evidence
from vision.geometry import Floats, Images
from vision.name.light import gains_of, is_coloured, relit
from vision.probability import Doubles, log_shares, logsumexp

STRANGER_ODDS = 0.09
"""How much rarer a stranger is among nine stones (1 in 100) than in training (1 in 9)."""
FLOOR = -9.0
"""Least log probability of a symbol and turn: no single stone decides a board alone."""
BEYOND_DOUBT = 0.95
"""No second look is needed if symbol and turn of all stones reach this in plain light."""
MOST_LOOKS = 4
"""In light that is still coloured when it has been corrected, so often at most."""
STRONG_TINT = 0.3
"""A look in a light with such a tint does not count beside one without it."""
NEAR_COLOURS = tuple(STONE_SYMBOLS.index(symbol) for symbol in ("fish", "bird"))
"""Orange and coral. One edition's fish may look more like the bird of others than like their fish,
so the colour is asked by itself, too, and counts as much."""
LEAST_ALIKE = 0.005
"""Only stones are asked that are either of the two at least this probably. Four in ten are; of 80
whose pictures mislead the network, ten are surer than that."""
SURELY_TAUGHT, HALF_TOLD = 0.9, 1.0
"""From where on a stone surely shows a taught face; and so many stones are counted as named
rightly, and as many as named wrongly, before any of the photo is."""
BELIEVED = 0.5
"""From where on the network tells the faces that no lesson showed: it names at least three of four
stones rightly, the two above among them."""
PICTURE = slice(14, -14)
"""Rows and columns of a crop that hold the picture."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class UntaughtEvidence(Evidence):
    """What untaught stones show, and what it was made of.

    Attributes
    ----------
    answer : ndarray of shape (2, n, 4 * labels + 1), see ``read_stones``.
    light : ndarray of shape (2,), by how much more of red and of blue than of green the light
        holds (natural logarithms).
    crops : ndarray of shape (n, 64, 64, 3), the stones without the tint that was taken away.
    """

    answer: Doubles
    light: Floats
    crops: Images


def untaught_evidence(crops: Images, mirrored: bool = False) -> UntaughtEvidence:
    """The network's answers to crops (n, 64, 64, 3) of published stones, plain or mirrored."""
    answer, light = read_stones(np.ascontiguousarray(crops[:, :, ::-1]) if mirrored else crops)
    log_p = answer.astype(np.float64)
    if mirrored:  # there a quarter turn to the left is one to the right; a horse stays a horse
        sides = log_p[..., :-1].reshape(2, len(crops), -1, 4)[..., [0, 3, 2, 1]]
        log_p[..., :-1] = sides.reshape(2, len(crops), -1)
    return _evidence_of(log_p, light, crops)


def told_by_colour(seen: UntaughtEvidence) -> UntaughtEvidence:
    """The same with what fish and bird are once their picture is painted over.

    Each is asked by itself; where that contradicts its picture, all stones together, which know
    the light better. The two together stay as probable as they were.
    """
    fish, bird = (4 * symbol + np.arange(4) for symbol in NEAR_COLOURS)
    both = np.concatenate([fish, bird])

    def odds(log_p: Doubles) -> Doubles:
        return logsumexp(log_p[:, fish], 1) - logsumexp(log_p[:, bird], 1)

    each = np.exp(seen.answer[0])
    least = np.minimum(each[:, fish].sum(1), each[:, bird].sum(1))
    asked = np.flatnonzero(least >= LEAST_ALIKE)
    if not len(asked):
        return seen
    painted = seen.crops.copy()
    inside = painted[asked, PICTURE, PICTURE]
    painted[asked, PICTURE, PICTURE] = inside.mean((1, 2), keepdims=True)
    by_colour = odds(np.maximum(read_stones(painted[asked])[0][1], FLOOR).astype(np.float64))
    if (by_colour * odds(seen.answer[0][asked]) < 0).any():
        together = np.maximum(read_stones(painted)[0][0][asked], FLOOR)
        by_colour = odds(together.astype(np.float64))
    answer = seen.answer.copy()
    before = answer[0][np.ix_(asked, both)]
    after = before + np.outer(by_colour, np.repeat([0.5, -0.5], 4))
    after += (logsumexp(before, 1) - logsumexp(after, 1))[:, None]
    answer[0][np.ix_(asked, both)] = after
    return _evidence_of(answer, seen.light, seen.crops)


def all_looks(crops: Images, first: UntaughtEvidence) -> UntaughtEvidence:
    """What untaught stones (n, 64, 64, 3) show at as many looks as they need, the ``first`` among
    them."""
    again = first if needs_no_other_look(first) else looked_at_again(crops, first)
    return told_by_colour(again)


def with_untaught(
    taught: Evidence, untaught: UntaughtEvidence, labels: Sequence[str], missing: Sequence[int]
) -> Evidence:
    """Evidence of stones of which no lesson showed some faces, the numbers ``missing`` of the
    labels.

    A stone that looks like no taught face shows one of these. The network that knows the published
    stones says which. It counts for all stones, as far as it names those rightly that surely show a
    taught face.
    """
    known = [k for k in range(len(labels)) if k not in missing]
    order = [STONE_SYMBOLS.index(label) for label in labels]
    scores, network = taught.scores.copy(), untaught.scores[:, :, order]
    either = logsumexp(scores[:, :, known], 2)
    best = scores[:, :, known].argmax(2)
    sure = np.exp(scores[:, :, known].max(2) - either) * taught.known
    turn, cells = int(sure.sum(1).argmax()), np.arange(scores.shape[1])
    named = untaught.likeness[0][cells, [order[known[k]] for k in best[turn]]]
    counted = np.where(sure[turn] > SURELY_TAUGHT, 1.0, 0.0)
    agree = (HALF_TOLD + (counted * named).sum()) / (2 * HALF_TOLD + counted.sum())
    trust = max(0.0, 2 * float(agree) - 1)
    strange = np.clip(taught.known, 1e-4, 1 - 1e-4)
    scores[:, :, missing] = (either + np.log1p(-strange) - np.log(strange))[:, :, None]
    other = np.exp(logsumexp(network[:, :, missing], 2))
    return replace(
        taught,
        scores=scores + trust * network,
        known=taught.known + (1 - taught.known) * trust * other,
        unlearnt=() if trust >= BELIEVED else tuple(missing),
    )


def needs_no_other_look(seen: UntaughtEvidence) -> bool:
    """Whether neither the light nor any stone leaves a doubt."""
    return not is_coloured(seen.light) and bool(np.exp(seen.answer[0].max(1).min()) >= BEYOND_DOUBT)


def looked_at_again(crops: Images, seen: UntaughtEvidence) -> UntaughtEvidence:
    """What crops (n, 64, 64, 3) say at one look together with another, mirrored and untinted.

    While a tint is left, or was strong at the look before, more looks follow; the last two count.

    The two err apart: what misleads a network in one light, or in one direction, often does not
    in the other.
    """
    looks, gains, lit = [seen], np.ones(3, np.float32), crops
    while len(looks) == 1 or (
        len(looks) < MOST_LOOKS
        and (is_coloured(looks[-1].light) or np.abs(looks[-2].light).max() >= STRONG_TINT)
    ):
        if is_coloured(looks[-1].light):
            gains = gains * gains_of(looks[-1].light)
            lit = relit(crops, gains)
        looks.append(untaught_evidence(lit, mirrored=len(looks) % 2 == 1))
    return _mean(looks[-2], looks[-1])


def _mean(one: UntaughtEvidence, other: UntaughtEvidence) -> UntaughtEvidence:
    """What two looks say together."""
    log_p = log_shares((one.answer + other.answer) / 2, 2)
    light = np.asarray((one.light + other.light) / 2, np.float32)
    return _evidence_of(log_p, light, other.crops)


def _evidence_of(log_p: Doubles, light: Floats, crops: Images) -> UntaughtEvidence:
    """The stones network's answers (2, n, labels of 4 turns and none) as evidence.

    Likeness is then the probability itself.
    """
    count = log_p.shape[1]
    together, alone = log_p[..., :-1].reshape(2, count, -1, 4).transpose(0, 3, 1, 2)
    stranger = log_p[0, :, -1]
    odds = np.exp(stranger) / np.maximum(-np.expm1(stranger), 1e-12) * STRANGER_ODDS
    symbols = np.exp(logsumexp(together, 0))
    return UntaughtEvidence(
        np.maximum(together, FLOOR),
        np.broadcast_to(symbols, (4, *symbols.shape)).astype(np.float32),
        np.broadcast_to(1.0 / (1.0 + odds), (4, count)),
        np.maximum(alone, FLOOR),
        answer=log_p,
        light=light,
        crops=crops,
    )
