"""Boards of open shape: any number of pieces on the bare table."""

from scorer.notation import EMPTY
from vision.kinds.kind import Kind


class OpenGrid(Kind):
    """Taught pieces in a grid of open shape."""

    judge = "open"

    def answer(self, label: str) -> str:
        return "nothing" if label == EMPTY else self.judge


class TimeGrid(OpenGrid):
    """Turn of Time: season cards that touch."""

    def face_up(self, word: str) -> str:
        """A card is ``up/back``."""
        return word.split("/")[0]
