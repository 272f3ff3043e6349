"""Finds labels that contradict the crops of a set: two faces exchanged in one lesson or in all.

An exchange in all lessons alike shows only where the bundled network knows the look of the set,
which is that of the published stones.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from calibration.selfcheck import stem
from models.session import STONE_SYMBOLS
from vision.geometry import Floats, Images
from vision.name.untaught import untaught_evidence

LEAST_GAIN = 0.01
"""Two faces count as exchanged if they fit the other lessons this much better swapped.

Lies between honest and exchanged sets, by ``calibration.measuring.labels``.
"""

LEAST_GAIN_AT_TABLE = 0.15
"""The same for cells that were corrected at the table, which are those that look like others."""

CLEARLY_PUBLISHED = 0.8
"""Least probability with which the bundled network knows a stone."""

LEAST_KNOWN = 0.75
"""Least share of a set's stones that the bundled network knows in a published set."""


def exchanged(
    labels: Sequence[str],
    lessons: Sequence[int],
    vectors: Floats,
    turns: int,
    at_table: frozenset[int],
) -> tuple[str, str] | None:
    """Two faces whose names are exchanged in one lesson, as the other lessons show them, or None.

    *lessons* has the number of each crop's lesson, *vectors* (n, 4, d) are of crops in all quarter
    turns, and *at_table* are the lessons that are corrections. Numbers of a season board are not
    compared with each other.
    """
    names, origins = np.array(labels), np.array(lessons)
    worst, found = 0.0, None
    for lesson in sorted(set(lessons)):
        here = origins == lesson
        least = LEAST_GAIN_AT_TABLE if lesson in at_table else LEAST_GAIN
        for one, other, gain in _gains(
            names[here], vectors[here], names[~here], vectors[~here], turns
        ):
            if gain - least > worst:
                worst, found = gain - least, (one, other)
    return found


def _gains(
    names: npt.NDArray[np.str_],
    vectors: Floats,
    other_names: npt.NDArray[np.str_],
    others: Floats,
    turns: int,
) -> Iterator[tuple[str, str, float]]:
    """For each two faces of both parts, how much better they fit with their names exchanged."""
    shared = sorted({*names.tolist()} & {*other_names.tolist()})
    pairs = [
        (a, b)
        for a, b in combinations(shared, 2)
        if stem(a) != stem(b) and not (_is_number(a) and _is_number(b))
    ]
    if not pairs:
        return
    # What all crops of a lesson have in common is its light and blur.
    here = _unit(vectors - _middle(names, vectors, shared))
    there = _unit(others - _middle(other_names, others, shared))
    step = 4 // turns
    alike = np.max([here[:, 0] @ there[:, turn * step].T for turn in range(turns)], 0)
    fits = {
        (a, b): float(alike[np.ix_(names == a, other_names == b)].max(1).mean())
        for a in shared
        for b in shared
    }
    for a, b in pairs:
        yield a, b, (fits[a, b] + fits[b, a] - fits[a, a] - fits[b, b]) / 2


def _middle(names: npt.NDArray[np.str_], vectors: Floats, shared: Sequence[str]) -> Floats:
    """The middle of the upright vectors, each face counted once."""
    return np.asarray(
        np.mean([vectors[names == name, 0].mean(0) for name in shared], 0), np.float32
    )


def _unit(vectors: Floats) -> Floats:
    return np.asarray(
        vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-6), np.float32
    )


def _is_number(label: str) -> bool:
    """True for a number printed on a season board; blurred numbers look alike."""
    return stem(label).isdecimal()


def exchanged_stones(pictures: Mapping[str, Images]) -> tuple[str, str] | None:
    """A published stone with another's name, and what it is; None if there is none.

    *pictures* has the crops (k, 64, 64, 3) of each label.
    """
    seen = {label: _published_symbol(crops) for label, crops in pictures.items()}
    known = {label: symbol for label, symbol in seen.items() if symbol is not None}
    if len(known) < max(2, LEAST_KNOWN * len(pictures)) or len(set(known.values())) < len(known):
        return None
    wrong = {label: symbol for label, symbol in known.items() if label != symbol}
    return next(iter(wrong.items())) if len(wrong) >= 2 else None


def _published_symbol(crops: Images) -> str | None:
    """The symbol that the bundled network clearly knows on the crops of one face."""
    answer = np.exp(untaught_evidence(crops).answer[0][:, :-1])
    symbols = answer.reshape(len(crops), -1, 4).sum(2).mean(0)
    best = int(symbols.argmax())
    return STONE_SYMBOLS[best] if symbols[best] >= CLEARLY_PUBLISHED else None
