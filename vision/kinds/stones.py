"""Stones: nine of four double-sided kinds, as the box holds them. What must be there lends its
certainty to its neighbours."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from scorer.stones.board import BOX, SIDE, StoneGrid
from scorer.text import Text
from vision.boards import STONES
from vision.evidence import Look
from vision.find.board import LocatedBoard
from vision.kinds.kind import Kind
from vision.probability import Doubles, logsumexp
from vision.profile import Profile

STONE_KINDS = tuple(
    ((kind.value[0].value, kind.value[1].value), count) for kind, count in BOX.items()
)
"""The two faces of each kind of stone, and how many of it lie in the box."""
CELLS = SIDE * SIDE

ALIKE_UNTAUGHT = ("fish", "bird", "seed")
"""Fish and bird are orange and coral, or one of them looks so in warm light; a stone that shines
looks grey like the seed."""
STRANGERS = 2
"""Most things on a board that are no stones before it fits the box less well."""


def _used_up() -> tuple[int, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """States of how many stones of each kind are used up, numbered from none to all.

    Gives how many states there are. For each kind it gives the state before and after a stone of
    that kind, shape (kinds, states), and the number of states where there is none.
    """
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
    Forward-backward over the cells; the state is how many stones of each kind are used up. A grid
    of kinds that fits the box has the same number of physical layouts whatever its sides show, so
    all layouts count alike.
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
    """The most probable nine symbols that the box allows, as label numbers; None if no taught
    labels can fill it.

    The most probable symbols of the cells are taken if they fit the box; else the likeliest that
    do, by Viterbi over the states of ``stone_marginals``. log_p has shape (9, labels).
    """
    index = {label: i for i, label in enumerate(labels)}
    counts = tuple(count for _, count in STONE_KINDS)
    value, label = (
        np.full((len(log_p), len(counts)), -np.inf),
        np.zeros((len(log_p), len(counts)), int),
    )
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


class Stones(Kind):
    """Shifting Stones with a taught set."""

    is_published = True
    faces = frozenset(STONES.labels)

    def completed(self, profile: Profile) -> Profile:
        """With all stones: a face that no lesson showed looks like nothing (``Profile.unseen``)."""
        if profile.published or not profile.prototypes:
            return profile
        unlike = np.zeros_like(next(iter(profile.prototypes.values()))[:1])
        missing = {face: unlike for face in STONES.labels if face not in profile.prototypes}
        if not missing:
            return profile
        return replace(profile, prototypes={**profile.prototypes, **missing})

    def interpreted(
        self, alone: Doubles, board: LocatedBoard, labels: Sequence[str], turn: int
    ) -> tuple[Doubles, float]:
        if len(board.cells) != CELLS:
            return super().interpreted(alone, board, labels, turn)
        return stone_marginals(alone, labels)

    def choice(self, alone: Doubles, labels: Sequence[str]) -> tuple[int, ...] | None:
        chosen = likeliest_stones(alone, labels) if len(alone) == CELLS else None
        return tuple(chosen) if chosen else None

    def misfit(self, look: Look) -> float:
        """The ``STRANGERS`` oddest stones are left out: a coin on a stone is shown to a person."""
        if look.way.choice is None:
            return 0.0
        scores = look.evidence.scores[look.way.turn]
        gaps = logsumexp(scores, 1) - scores[np.arange(len(scores)), list(look.way.choice)]
        return float(np.sort(gaps)[:-STRANGERS].sum())

    def problems(self, text: str) -> tuple[Text, ...]:
        return tuple(problem.message for problem in StoneGrid.parse(text).problems())


class UntaughtStones(Stones):
    """The published stones, read by the network that knows them."""

    judge = "published"

    def answer(self, label: str) -> str:
        return "published alike" if label in ALIKE_UNTAUGHT else self.judge
