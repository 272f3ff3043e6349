"""What a person is asked about a reading: each doubt as one question, the most probable error
first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from scorer.notation import EMPTY, in_words
from scorer.text import Text, either, listed
from vision.geometry import Floats

DoubtKind = Literal["cell", "direction", "extent", "set"]
Place = tuple[int, int]
SAME_LOOK = 0.97
SAME_SHARE = 0.25
"""Least likeness of two pieces that are one question, and the most that they may be apart, in parts
of the distance between the two faces that they may show. Of 663 such pairs on generated season
boards, cards and stones 1.2 % have different names; by the likeness alone 12 % of 1,192 had."""
OPTIONS = 4
"""Most answers that a question names."""
ONE, MANY = "Is it %(what)s: %(where)s?", "Are these %(what)s: %(where)s?"
PLACING = Text("Are the bare rows and columns on the right sides of the board?")
PIECE, NOTHING, YES, NO = "piece", "nothing", "yes", "no"


@dataclass(frozen=True, slots=True)
class Doubt:
    """One question.

    ``probability`` is that of another answer than the reading's. ``options`` are the likely
    answers, each with its probability. Of a cell these are labels, of a direction by how many
    quarters the grid must be turned clockwise. Of an extent they are ``piece`` or ``nothing``, of a
    set ``yes`` or ``no``.
    """

    kind: DoubtKind
    probability: float
    question: Text
    cells: tuple[Place, ...] = ()
    options: tuple[tuple[str | int, float], ...] = ()

    def to_document(self) -> dict[str, Any]:
        """The doubt as the ``doubts`` entry of the JSON contract."""
        return {
            "kind": self.kind,
            "probability": round(float(self.probability), 4),
            "question": self.question,
            "cells": [[int(row), int(col)] for row, col in self.cells],
            "options": [[value, round(float(p), 4)] for value, p in self.options],
        }


def ordered(doubts: Sequence[Doubt]) -> tuple[Doubt, ...]:
    """The doubt that most probably matters first."""
    return tuple(sorted(doubts, key=lambda doubt: -doubt.probability))


class Asked(NamedTuple):
    """A doubtful cell: its place, its guesses (best first), its vector, and how far apart
    (1 - likeness) the two likeliest faces are; None where nothing is known of either."""

    place: Place
    guesses: tuple[tuple[str, float], ...]
    vector: Floats | None = None
    apart: float | None = None

    def looks_like(self, other: "Asked") -> bool:
        """Whether both have the same two guesses, and look as alike as pieces of one face."""
        if {label for label, _ in self.guesses[:2]} != {label for label, _ in other.guesses[:2]}:
            return False
        if self.vector is None or other.vector is None:
            return False
        apart = 1 - float(self.vector @ other.vector)
        return apart <= 1 - SAME_LOOK and (self.apart is None or apart <= SAME_SHARE * self.apart)


def cell_doubts(asked: Sequence[Asked]) -> list[Doubt]:
    """The questions about cells. Those that look alike and have the same two guesses are one."""
    groups: list[list[Asked]] = []
    for cell in asked:
        for group in groups:
            if cell.looks_like(group[0]):
                group.append(cell)
                break
        else:
            groups.append([cell])
    doubts = []
    for group in groups:
        places = tuple(cell.place for cell in group)
        guesses = max((cell.guesses for cell in group), key=lambda each: 1 - each[0][1])
        what, where = either(word(label) for label, _ in guesses[:2]), listed(map(in_words, places))
        template = ONE if len(places) == 1 else MANY
        question = Text(template, what=what, where=where)
        doubts.append(Doubt("cell", 1 - guesses[0][1], question, places, guesses[:OPTIONS]))
    return doubts


def direction_doubt(turns: Sequence[tuple[int, float]]) -> Doubt:
    """Which side is up, by how many quarters the grid may have to be turned; as read first."""
    likely = tuple(turns)
    return Doubt("direction", 1 - likely[0][1], Text("Which side of the board is up?"), (), likely)


def extent_doubt(place: Place | None, piece: float, held: bool) -> Doubt:
    """Whether a piece lies at a place, of which the reading says that it does (``held``) or not."""
    options = ((PIECE, piece), (NOTHING, 1 - piece))
    if place is None:
        question = Text("Does the board go on beyond what was read?")
    elif held:
        question = Text("Does a piece lie at %(where)s?", where=in_words(place))
    else:
        where = in_words(place)
        question = Text("Does a piece of the board lie beside the grid, at %(where)s?", where=where)
    cells = () if place is None else (place,)
    if not held:
        options = options[::-1]
    return Doubt("extent", 1 - options[0][1], question, cells, options)


def placing_doubt(placings: int) -> Doubt:
    """Whether bare rows and columns lie on the sides of the board where they were read, if the
    pieces may lie at so many places of it."""
    right = 1 / placings
    return Doubt("extent", 1 - right, PLACING, (), ((NOTHING, right), (PIECE, 1 - right)))


def set_doubt(board: str, belief: float) -> Doubt:
    """Whether the photo shows the game that was taught."""
    question = Text("Is this the %(board)s set that was taught?", board=board)
    return Doubt("set", 1 - belief, question, (), ((YES, belief), (NO, 1 - belief)))


def state_doubt() -> Doubt:
    """Whether the board lies as it was read, where photos to be read as one show several states."""
    question = Text("The photos seem to show different states: does the board lie now as read?")
    return Doubt("set", 0.5, question, (), ((YES, 0.5), (NO, 0.5)))


def word(label: str) -> Text:
    """A label as a question says it."""
    return Text("nothing") if label == EMPTY else Text(label)
