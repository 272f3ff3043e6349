"""What was read from a photo of pattern cards."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scorer.stones.cards import PatternCard
from scorer.text import Text
from vision.reading import (
    CellReading,
    Kinds,
    QuadXY,
    answer_fields,
    make_plain,
    reading_document,
)


@dataclass(frozen=True, slots=True, eq=False)
class CardReading:
    """One card: ``quad_xy`` is clockwise from the card's own top left, in full-size pixels of the
    upright photo.

    ``alternatives`` are ids of the next likely cards, each with its probability. A card that is
    not ``sure`` must be shown to a person.
    """

    card: PatternCard
    confidence: float
    sure: bool
    quad_xy: QuadXY
    alternatives: tuple[tuple[int, float], ...] = ()

    def __post_init__(self) -> None:
        make_plain(self, int)

    def to_document(self) -> dict[str, Any]:
        """The card as an entry of ``cards`` in the JSON contract."""
        return {
            "id": self.card.id,
            "points": self.card.points,
            "pattern": str(self.card.pattern),
            **answer_fields(self),
        }


@dataclass(frozen=True, slots=True, eq=False)
class CardsReading:
    """All pattern cards of one photo, from its top left on; ``problems`` are sentences about
    what cannot be so."""

    cards: tuple[CardReading, ...]
    profile: str
    model: str
    problems: tuple[Text, ...] = ()
    ms: Mapping[str, float] = field(default_factory=dict)
    board: str = "cards"
    kinds: Kinds = ()

    @property
    def sure(self) -> bool:
        """True only if every card is sure and all of them can lie on one table."""
        return not self.problems and all(card.sure for card in self.cards)

    @property
    def text(self) -> str:
        """The ids of the cards."""
        return " ".join(str(card.card.id) for card in self.cards)

    @property
    def cells(self) -> tuple[CellReading, ...]:
        """The cards as an overlay draws them: each a piece named by its id."""
        return tuple(
            CellReading(0, k, f"{card.card.id}", card.confidence, card.sure, card.quad_xy)
            for k, card in enumerate(self.cards)
        )

    @property
    def outline_xy(self) -> QuadXY:
        """Cards lie anywhere: there is no grid to outline."""
        return np.zeros((0, 2), np.float32)

    def to_document(self, photo: str) -> dict[str, Any]:
        """The reading as one line of ``tallystone read --json``."""
        cards = [card.to_document() for card in self.cards]
        return reading_document(self, photo, {"cards": cards, "problems": list(self.problems)})
