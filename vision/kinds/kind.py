"""A kind of board, and what holds for all where none says otherwise."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from scorer.notation import EMPTY
from scorer.text import Text
from vision.evidence import Evidence, Look
from vision.find.board import LocatedBoard
from vision.geometry import Floats, Pyramid
from vision.probability import Doubles, Real, logsumexp
from vision.profile import Profile

JudgeName = Literal["published", "stones", "seasons", "open"]
"""Whose signs are weighed alike: untaught stones, taught stones and other boards of given size,
season boards, and boards of open shape."""


class Kind:
    """A full grid of taught pieces."""

    judge: JudgeName = "stones"
    is_published = False
    """Whether a network knows its faces without a lesson."""
    faces: frozenset[str] = frozenset()
    """The labels that a set taught in full knows, where the rules name them: a piece of another
    would look like the one most like it."""

    def face_up(self, word: str) -> str:
        """The label in a word of a layout, which may name the back of a piece, too."""
        return word

    def completed(self, profile: Profile) -> Profile:
        """The profile with the faces that can be read though no lesson showed them."""
        return profile

    def print_log_p(
        self,
        pyramid: Pyramid,
        board: LocatedBoard,
        labels: Sequence[str],
        seen: Look | None = None,
    ) -> Doubles | None:
        """Log probabilities (4, n, labels) of what the print of the board shows, where the cells
        are printed by what was ``seen``; None where it has none or that cannot be told."""
        return None

    def tiles(self, print_log_p: Doubles, labels: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which cells hold a tile more probably than not, as the print shows it, shape (n,)."""
        named = [
            k for k, label in enumerate(labels) if label != EMPTY and not self.is_printed(label)
        ]
        return np.asarray(print_log_p[0][:, named].max(1, initial=-np.inf) > np.log(0.5))

    def with_print(
        self, evidence: Evidence, print_log_p: Doubles | None, labels: Sequence[str]
    ) -> Evidence:
        """The evidence together with what the print shows, as from ``print_log_p``."""
        return evidence

    def with_shared_marks(self, likeness: npt.NDArray[Real], profile: Profile) -> npt.NDArray[Real]:
        """Likeness (..., labels) in which all labels with the same mark tell together whether it
        is there."""
        return likeness

    def interpreted(
        self, alone: Doubles, board: LocatedBoard, labels: Sequence[str], turn: int
    ) -> tuple[Doubles, float]:
        """Probabilities (n, labels) of a grid that is seen turned by ``turn``, and their log
        evidence.

        ``alone`` has shape (n, labels): the log likelihoods of each cell's labels, up to a
        constant that is the same for all labels and turns, so that evidences of different turns
        can be compared.
        """
        totals = logsumexp(alone, 1)
        settled = np.array([cell.settled for cell in board.cells])
        return np.exp(alone - totals[:, None]), float(totals[settled].sum())

    def choice(self, alone: Doubles, labels: Sequence[str]) -> tuple[int, ...] | None:
        """The labels of the most probable whole state, where the box decides more than cell by
        cell."""
        return None

    def misfit(self, look: Look) -> float:
        """How much less likely pieces are as the box holds them than each by itself (log
        probability)."""
        return 0.0

    def answer(self, label: str) -> str:
        """Which answers a cell with this label is like, to the judge of doubt."""
        return self.judge

    def is_printed(self, label: str) -> bool:
        """Whether the board itself shows this label, not a piece on it."""
        return False

    def picture_of(self, label: str) -> str:
        """The name of what a label shows: one for labels that only a frame tells apart."""
        return label

    def marks(
        self, names: Sequence[str], shades: Floats | None, likeness: Floats, profile: Profile
    ) -> Doubles:
        """How well the marks that tell some labels apart fit the names, by tints (n, 2) and
        likeness (n, labels); shape (n,), 0 where there is no such mark."""
        return np.zeros(len(names))

    def shown_quads(self, board: LocatedBoard, names: Sequence[str]) -> Floats:
        """Quads (n, 4, 2) of what was read."""
        return board.quads_xy

    def problems(self, text: str) -> tuple[Text, ...]:
        """What of the reading cannot lie on a table."""
        return ()
