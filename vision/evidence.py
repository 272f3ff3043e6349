"""What is known of the cells of a board: what each shows by itself, and what all show together."""

from collections.abc import Sequence
from dataclasses import dataclass

from vision.geometry import Floats
from vision.probability import Doubles

DECIDED = 0.998
"""Probability from which a second look in corrected light cannot change a cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Evidence of the crops for each cell and each of four turns, before any rule of the box.

    Attributes
    ----------
    scores : ndarray of shape (4, n, labels), log likelihoods up to a constant of the cell.
    likeness : ndarray of shape (4, n, labels).
    known : ndarray of shape (4, n), how surely each cell is a taught face.
    alone : ndarray of shape (4, n, labels), log likelihoods of cells judged without the others.
        None if ``scores`` are such. Cells that a network saw together share one opinion of the
        direction of the grid.
    vectors : ndarray of shape (n, d), unit vectors to compare the cells with each other, or None.
    tints : ndarray of shape (n, 2), see ``vision.profile.tints``, to compare them by, or None.
    unlearnt : numbers of the labels that no lesson showed and that nothing else tells, either.
    pictured : ndarray of shape (n, labels), see ``vision.name.details.pictured``, or None.
    """

    scores: Doubles
    likeness: Floats
    known: Doubles
    alone: Doubles | None = None
    vectors: Floats | None = None
    tints: Floats | None = None
    unlearnt: Sequence[int] = ()
    pictured: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Interpretation:
    """A turn of the grid by ``turn`` quarters: probabilities (cells, labels) and log evidence.

    ``choice`` are the labels of the most probable whole state, where the box decides more than
    cell by cell.
    """

    turn: int
    probabilities: Doubles
    evidence: float
    choice: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One look at all crops.

    ``way`` is the best interpretation of the ``evidence``, with ``turn_probability``, and
    ``others`` the rest with theirs. ``likeness`` (cells, labels) is in its turn, ``known``
    (cells,) the probability that a cell is a taught face at all.
    """

    evidence: Evidence
    way: Interpretation
    likeness: Floats
    known: Doubles
    turn_probability: float
    others: tuple[tuple[float, Interpretation], ...] = ()

    @property
    def decided(self) -> bool:
        """True if every cell is beyond doubt."""
        least = float((self.way.probabilities.max(1) * self.known).min())
        return min(least, self.turn_probability) > DECIDED
