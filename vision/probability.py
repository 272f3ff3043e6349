"""Probabilities, their logarithms, and the judges that were fitted to tell them from signs."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

Real = TypeVar("Real", np.float32, np.float64)
Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]

Signs = Mapping[str, Doubles]
"""Each sign of some answers, shape (n,). The larger a sign, the surer its answer."""

FILE = "trust.toml"
"""All numbers that were fitted, written by ``calibration.measuring.trust``."""


class Judge(NamedTuple):
    """A sum of monotone curves, one a sign, of the log odds that an answer is right.

    ``curves`` holds for each sign where its curve bends and how high it is there; beyond the ends
    it is level.
    """

    offset: float
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]

    def log_odds(self, signs: Signs) -> Doubles:
        """Log odds that each answer with these signs is right, shape (n,)."""
        count = len(next(iter(signs.values())))
        odds = np.full(count, self.offset)
        for sign, (bends, heights) in self.curves.items():
            odds += np.interp(signs[sign], bends, heights)
        return odds

    def chances(self, signs: Signs) -> Doubles:
        """How probably each answer with these signs is right, shape (n,)."""
        return sigmoid(self.log_odds(signs))

    def risks(self, signs: Signs) -> Doubles:
        """How probably each answer with these signs is wrong, shape (n,)."""
        return sigmoid(-self.log_odds(signs))


class PlaceJudge(NamedTuple):
    """A network of one hidden layer: features (n, 7) are centred and scaled, then weighed twice.

    What looks like nothing taught is a piece if it does not look like the table, either: a sum of
    curves cannot say that.
    """

    centre: Doubles
    spread: Doubles
    hidden: Doubles
    hidden_offset: Doubles
    out: Doubles
    out_offset: Doubles

    def probabilities(self, features: Floats) -> Floats:
        """Probability for each row of features (n, 7) that a piece lies there, shape (n,)."""
        inner = np.tanh(((features - self.centre) / self.spread) @ self.hidden + self.hidden_offset)
        return np.asarray(sigmoid(inner @ self.out + self.out_offset), np.float32)


class Fitted(NamedTuple):
    """All that was fitted.

    Attributes
    ----------
    sure : risk that any answer is wrong, up to which a board is sure.
    left : the same after what must be asked was answered, where a board is not.
    card : risk up to which a pattern card is sure.
    judges : named after what they judge.
    places : the judges of places in a ``found`` grid, in one that was ``given``, and in a given one
        that has ``filled`` the photo.
    """

    sure: float
    left: float
    card: float
    judges: Mapping[str, Judge]
    places: Mapping[str, PlaceJudge]


@cache
def fitted() -> Fitted:
    """What ``FILE`` holds."""
    return parsed(resources.files("vision").joinpath(FILE).read_text(encoding="utf-8"))


def parsed(text: str) -> Fitted:
    """What the text of such a file holds."""
    table = tomllib.loads(text)
    judges = {
        name: Judge(judge.pop("offset"), {sign: (bends, at) for sign, (bends, at) in judge.items()})
        for name, judge in table["judge"].items()
    }
    places = {
        name: PlaceJudge(**{part: np.array(values) for part, values in weights.items()})
        for name, weights in table["place"].items()
    }
    return Fitted(table["sure"], table["left"], table["card"], judges, places)


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


def log_shares(values: Doubles, axis: int | None = None) -> Doubles:
    """Logs of probabilities that add up to one, in proportion to the exponentials of values."""
    total = logsumexp(values, axis)
    return np.asarray(values - (total if axis is None else np.expand_dims(total, axis)))
