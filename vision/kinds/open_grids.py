"""Boards of open shape: any number of pieces on the bare table."""

from scorer.notation import EMPTY
from vision.find.complete import SURE_BARE
from vision.kinds.kind import SURE_TAUGHT, Bars, Kind

SURE_PLACE = Bars(1 - SURE_BARE, 0.94)
"""Places that are bare."""
SURE_CARD = Bars(0.97, 0.9)
"""Cards of a grid of time."""
SURE_ALIKE = Bars(0.998, 0.998)
"""Cards that look little more like those of their name than like another."""


class OpenGrid(Kind):
    """Taught pieces in a grid of open shape."""

    judge = "open"
    least_turn = 0.9998
    """Cards may look alike from two sides, so the direction must be surer than on other boards."""
    sure = SURE_TAUGHT

    def bars(self, label: str, copies: int, well_apart: bool) -> Bars:
        if label == EMPTY:
            return SURE_PLACE
        return self.sure if well_apart else SURE_ALIKE


class TimeGrid(OpenGrid):
    """Turn of Time: season cards that touch."""

    sure = SURE_CARD

    def face_up(self, word: str) -> str:
        """A card is ``up/back``."""
        return word.split("/")[0]
