"""Shifting Stones: the final scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.stones.cards import PatternCard

BONUS = 3
"""Points for the most 1-point cards; every tied player gets them (rulebook, end)."""


@dataclass(frozen=True, slots=True)
class FinalScore:
    """One row of the final scoring."""

    name: str
    points: int
    ones: int
    """Cards of one point."""
    bonus: int

    @property
    def total(self) -> int:
        return self.points + self.bonus


def final_scores(players: Mapping[str, Sequence[PatternCard]]) -> tuple[FinalScore, ...]:
    """Points, and the bonus for the most 1-point cards.

    Nobody gets the bonus when nobody has a 1-point card (no source settles it), nor does a single
    player.
    """
    ones = {name: sum(card.points == 1 for card in cards) for name, cards in players.items()}
    most = max(ones.values(), default=0)
    return tuple(
        FinalScore(
            name,
            sum(card.points for card in cards),
            ones[name],
            BONUS if len(players) > 1 and 0 < ones[name] == most else 0,
        )
        for name, cards in players.items()
    )


def winners(scores: Sequence[FinalScore]) -> tuple[str, ...]:
    """The highest total; a tie is a shared win."""
    best = max((score.total for score in scores), default=None)
    return tuple(score.name for score in scores if score.total == best)
