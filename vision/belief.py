"""How surely a grid that was found shows the set that is read, and not another game, a telephone or chequered cloth."""

import tomllib
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple

import numpy as np

from vision.decode import sigmoid

Kind = Literal["published", "stones", "seasons", "open"]
"""Which signs are weighed alike: stones where nothing was taught, taught stones and other boards of given size, season
boards with their printed numbers, boards of open shape."""

FILE = "belief.toml"
"""What each sign weighs, written by ``calibration.measuring.belief``."""
LEAST_BELIEF = 0.5
"""A grid that shows the set less probably than this is refused rather than guessed at, if half of all photos show none."""


class Signs(NamedTuple):
    """What speaks for and against a grid. Likeness is the scalar product with the likest taught face; where nothing was
    taught, it is the probability of the likest symbol.

    Attributes
    ----------
    typical, mean, low : likeness of the median piece, of all pieces, and of the piece that a quarter of them lies below
    apart : by how much the median piece looks more like its face than like any other
    decided : log odds of what the median piece is
    clear, unclear : probability of what the pieces are: of all, and of the two least certain
    directed : probability of the direction of the grid
    misfit : natural logarithm of one more than ``vision.read.misfit``
    share_known, known, least_known : share of pieces that are surely taught faces, how surely they are at the mean and the
        strangest of them
    bare : share of the grid's places that seem to hold no piece
    presence : how surely the pieces are some
    pieces : natural logarithm of their number if the board is of open shape, else 0
    """

    typical: float
    mean: float
    low: float
    apart: float
    decided: float
    clear: float
    unclear: float
    directed: float
    misfit: float
    share_known: float
    known: float
    least_known: float
    bare: float
    presence: float
    pieces: float


class Judge(NamedTuple):
    """A logistic regression: what each sign weighs, and the log odds where all are 0."""

    weights: Signs
    offset: float

    def probability(self, signs: Signs) -> float:
        """How probably a grid with these signs shows the set, if as many grids do as do not."""
        return float(sigmoid(np.dot(self.weights, signs) + self.offset))


@cache
def judges() -> dict[str, Judge]:
    """The judge of each kind of board."""
    table = tomllib.loads(resources.files("vision").joinpath(FILE).read_text(encoding="utf-8"))
    return {kind: Judge(Signs(**judge["weights"]), float(judge["offset"])) for kind, judge in table.items()}


def belief(signs: Signs, kind: Kind) -> float:
    """How probably a grid with these signs shows the set that is read."""
    return judges()[kind].probability(signs)
