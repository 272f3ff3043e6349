"""What was read from one photo, and how sure each part of it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from scorer.text import Text
from vision.doubts import Doubt

QuadXY = npt.NDArray[np.float32]
"""Four corners (4, 2), clockwise from the piece's top left, in full-size pixels."""


Kinds = tuple[tuple[str, float], ...]
"""Each kind of board, or ``none``, with its probability, the likeliest first."""
LEAST_KIND = 0.001
"""Kinds less probable than this are not mentioned."""


def kinds_field(kinds: Kinds) -> dict[str, Any]:
    """``kinds`` as a field of a JSON document; none where one kind alone was looked for."""
    told = [[name, round(p, 4)] for name, p in kinds if p >= LEAST_KIND]
    return {"kinds": told} if told else {}


def reading_document(reading: Any, photo: str, parts: dict[str, Any]) -> dict[str, Any]:
    """A reading of a board or of cards as a line of ``tallystone read --json``, with its parts."""
    return {
        "photo": photo,
        "board": reading.board,
        "found": True,
        "text": reading.text,
        "sure": reading.sure,
        **parts,
        "profile": reading.profile,
        "model": reading.model,
        "ms": {stage: round(ms, 1) for stage, ms in reading.ms.items()},
        **kinds_field(reading.kinds),
    }


def answer_fields(answer: Any) -> dict[str, Any]:
    """What the document of a cell and that of a card say alike."""
    return {
        "confidence": round(answer.confidence, 4),
        "sure": answer.sure,
        "quad": quad_as_lists(answer.quad_xy),
        "alternatives": [[other, round(p, 4)] for other, p in answer.alternatives],
    }


def quad_as_lists(quad_xy: QuadXY) -> list[list[float]]:
    """Corners as JSON numbers, rounded to a hundredth of a pixel."""
    return [[round(float(x), 2), round(float(y), 2)] for x, y in quad_xy]


def stage_ms(start: float, located: float, done: float, decode_ms: float) -> dict[str, float]:
    """Milliseconds of each stage and of all, from ``time.perf_counter`` at their ends."""
    return {
        "decode": decode_ms,
        "locate": (located - start) * 1000,
        "read": (done - located) * 1000,
        "total": decode_ms + (done - start) * 1000,
    }


def make_plain(answer: Any, label: type[str] | type[int]) -> None:
    """Turn the numbers of NumPy in a frozen answer into plain ones: JSON knows no ``numpy.bool``.

    *answer* has ``confidence``, ``sure`` and ``alternatives``; *label* is the type of its labels.
    """
    object.__setattr__(answer, "confidence", float(answer.confidence))
    object.__setattr__(answer, "sure", bool(answer.sure))
    plain = tuple((label(other), float(p)) for other, p in answer.alternatives)
    object.__setattr__(answer, "alternatives", plain)


@dataclass(frozen=True, slots=True, eq=False)
class CellReading:
    """One cell of the board as it was read.

    ``confidence`` is the calibrated probability of ``label``; ``alternatives`` are the next most
    probable labels, best first, each with its probability. A cell that is not ``sure`` must be
    shown to a person. ``look`` is the number of the cell in the order that it was located in.
    """

    row: int
    col: int
    label: str
    confidence: float
    sure: bool
    quad_xy: QuadXY
    alternatives: tuple[tuple[str, float], ...] = ()
    look: int = 0

    def __post_init__(self) -> None:
        make_plain(self, str)

    def to_document(self) -> dict[str, Any]:
        """The cell as the ``cells`` entry of the JSON contract."""
        return {
            "row": self.row,
            "col": self.col,
            "label": self.label,
            **answer_fields(self),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A whole board as it was read from one photo.

    ``text`` is the state in the board's notation. ``problems`` are sentences about states that
    the box cannot give and about the photo. ``doubts`` are the questions whose answers make the
    board right. ``ms`` holds the milliseconds spent in ``decode``, ``locate``, ``read`` and
    ``total``. ``kinds`` holds each kind of board with its probability where several were looked
    for.
    """

    board: str
    text: str
    cells: tuple[CellReading, ...]
    outline_xy: QuadXY
    profile: str
    model: str
    problems: tuple[Text, ...] = ()
    ms: Mapping[str, float] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    kinds: Kinds = ()

    @property
    def sure(self) -> bool:
        """True if nothing is left to ask."""
        return not self.doubts

    def moved(self, by: Callable[[QuadXY], QuadXY]) -> Self:
        """The reading with its corners in the pixels of another picture, to which ``by`` takes
        them."""
        cells = tuple(replace(cell, quad_xy=by(cell.quad_xy)) for cell in self.cells)
        return replace(self, cells=cells, outline_xy=by(self.outline_xy))

    def to_document(self, photo: str) -> dict[str, Any]:
        """The reading as one line of ``tallystone read --json``."""
        parts = {
            "cells": [cell.to_document() for cell in self.cells],
            "outline": quad_as_lists(self.outline_xy),
            "problems": list(self.problems),
            "doubts": [doubt.to_document() for doubt in self.doubts],
        }
        return reading_document(self, photo, parts)
