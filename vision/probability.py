"""Probabilities, their logarithms, and the numbers that were fitted to weigh them."""

import tomllib
from importlib import resources
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Real = TypeVar("Real", np.float32, np.float64)
Doubles = npt.NDArray[np.float64]


def fitted_numbers(file: str) -> dict[str, Any]:
    """The tables of a TOML file of this folder."""
    return tomllib.loads(resources.files("vision").joinpath(file).read_text(encoding="utf-8"))


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
