"""Shifting Stones, played alone: sixteen cards, four strikes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from scorer.stones.cards import PatternCard
from scorer.stones.rounds import RuleError

SOLO_STRIKES = 4
"""Turns without a scored card that lose a solo game."""

SOLO_DECK = {1: 8, 2: 4, 3: 3, 5: 1}
"""Cards of a solo game, by their points; all of them scored wins."""


@dataclass(frozen=True, slots=True)
class SoloGame:
    """A solo game: sixteen cards, four strikes.

    No source says whether a skipped turn is a strike; *skip_is_strike* settles it for a table.
    """

    cards: tuple[PatternCard, ...]
    scored: tuple[PatternCard, ...] = ()
    strikes: int = 0
    skip_is_strike: bool = True

    def __post_init__(self) -> None:
        counts = {points: sum(card.points == points for card in self.cards) for points in SOLO_DECK}
        if counts != SOLO_DECK or len(set(self.cards)) != len(self.cards):
            raise RuleError(
                f"expected cards by points {SOLO_DECK!r}, all different, got {counts!r}"
            )

    def end_turn(self, scored: Sequence[PatternCard] = (), skipped: bool = False) -> Self:
        """The game after a turn in which these cards were scored; none is a strike."""
        if self.is_won or self.is_lost:
            raise RuleError("expected a game that goes on, got one that is over")
        for card in scored:
            if card not in self.cards or card in self.scored:
                raise RuleError(
                    f"expected a card of this game that is not scored yet, got {card.id!r}"
                )
        strike = not scored and (self.skip_is_strike or not skipped)
        return replace(self, scored=(*self.scored, *scored), strikes=self.strikes + strike)

    @property
    def is_won(self) -> bool:
        return len(self.scored) == len(self.cards)

    @property
    def is_lost(self) -> bool:
        return self.strikes >= SOLO_STRIKES
