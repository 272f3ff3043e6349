"""Turns confidences into probabilities by a curve fitted on generated boards.

A curve belongs to one version of the networks. Beta calibration (Kull, Silva Filho and Flach 2017)
stretches low and high confidences each by its own measure, then shifts all. It changes the printed
number only: what is sure is decided before, on the scale of the networks.
"""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from models.registry import model_version
from vision.reading import Reading

FILE = "sureness.toml"
EDGE = 1e-6


@dataclass(frozen=True, slots=True)
class Curve:
    """Log odds of a confidence p are ``low`` * ln(p) - ``high`` * ln(1 - p) + ``shift``.

    ``low`` and ``high`` are never negative, so the order of confidences stays.

    >>> round(Curve(1.0, 1.0, 0.0).of(0.25), 6)
    0.25
    """

    low: float = 1.0
    high: float = 1.0
    shift: float = 0.0

    def of(self, confidence: float) -> float:
        """The calibrated probability of a confidence."""
        clipped = min(max(confidence, EDGE), 1 - EDGE)
        odds = self.low * math.log(clipped) - self.high * math.log(1 - clipped) + self.shift
        return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0


def kind_of(board: str, published: bool) -> str:
    """The name of a curve: confidences depend on how the pieces are known."""
    return "published" if published else board


@cache
def curves() -> dict[str, Curve]:
    """The fitted curves for the networks in use; none if the networks are newer."""
    table = tomllib.loads(resources.files("calibration").joinpath(FILE).read_text(encoding="utf-8"))
    if table.get("model") != model_version():
        return {}
    return {name: Curve(**curve) for name, curve in table.get("curve", {}).items()}


def calibrated(reading: Reading, published: bool) -> Reading:
    """The reading with probabilities as confidences; what is sure stays as it is."""
    curve = curves().get(kind_of(reading.board, published))
    if curve is None:
        return reading
    cells = []
    for cell in reading.cells:
        confidence = curve.of(cell.confidence)
        rest = (1 - confidence) / max(1 - cell.confidence, EDGE)
        others = tuple((label, min(p * rest, 1 - confidence)) for label, p in cell.alternatives)
        cells.append(replace(cell, confidence=confidence, alternatives=others))
    return replace(reading, cells=tuple(cells))


def fitted(confidence: Sequence[float], right: Sequence[bool], rounds: int = 50) -> Curve:
    """The curve of greatest likelihood (Newton's method); few data keep it near no change."""
    clipped = np.clip(np.asarray(confidence, np.float64), EDGE, 1 - EDGE)
    design = np.column_stack([np.log(clipped), -np.log(1 - clipped), np.ones(len(clipped))])
    target = np.asarray(right, np.float64)
    start = np.array([1.0, 1.0, 0.0])
    weights, free = start.copy(), np.ones(3, np.bool_)
    while True:
        for _ in range(rounds):
            p = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
            gradient = design.T @ (p - target) + (weights - start)
            curvature = (design * (p * (1 - p))[:, None]).T @ design + np.eye(3)
            step = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
            weights[free] -= np.clip(step, -1, 1)
            if np.abs(step).max() < 1e-8:
                break
        against = free & (weights < 0) & (start > 0)
        if not against.any():
            low, high, shift = weights.round(4).tolist()
            return Curve(low, high, shift)
        weights[against], free[against] = 0.0, False


def store(name: str, curve: Curve | None, folder: Path) -> None:
    """Write a curve into the package's file, or remove it; curves of other networks go, too."""
    path = folder / FILE
    table = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    kept = table.get("curve", {}) if table.get("model") == model_version() else {}
    kept.pop(name, None)
    if curve is not None:
        kept[name] = asdict(curve)
    lines = [
        (
            "# Written by `python -m calibration.measuring.boards ... --fit`: how confidences "
            "become probabilities."
        ),
        f'model = "{model_version()}"',
    ]
    for key in sorted(kept):
        lines += ["", f"[curve.{key}]", *(f"{name} = {value}" for name, value in kept[key].items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
