"""Villagers, the solo mode Monastery: its rounds, its discards and its ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from scorer.text import Text
from scorer.villagers.cards import VillagerCard

ROUNDS = 5
ROUNDS_WITH_EXPANSION = 6

LEFT_OUT_BOXES = ("saints", "scoundrels")


def is_compatible(card: VillagerCard) -> bool:
    """Whether the solo mode may use this card: everything but Saints and Scoundrels."""
    return card.box not in LEFT_OUT_BOXES


class Rank(Enum):
    """What became of the hamlet; the value is the gold that it takes."""

    HAMLET = 80
    VILLAGE = 100
    TOWN = 150
    CAPITAL = 200

    @property
    def title(self) -> Text:
        """What people call it."""
        return _TITLES[self]


_TITLES = {
    Rank.HAMLET: Text("Hamlet"),
    Rank.VILLAGE: Text("Village"),
    Rank.TOWN: Text("Town"),
    Rank.CAPITAL: Text("Capital"),
}


def rank(gold: int) -> Rank | None:
    """The rank for this much gold; None below a hamlet.

    >>> rank(149), rank(79)
    (<Rank.VILLAGE: 100>, None)
    """
    reached = [candidate for candidate in Rank if gold >= candidate.value]
    return max(reached, key=lambda candidate: candidate.value, default=None)


def discards(road: Sequence[VillagerCard], priority: Sequence[str]) -> tuple[VillagerCard, ...]:
    """The face-up road villagers of which one is discarded by the priority card of the round.

    Its symbols are suits, read from left to right; the first that lies on the road decides. Several
    villagers of that suit are all given, because no source says which of them goes.
    """
    for suit in priority:
        found = tuple(card for card in road if card.suit == suit.lower())
        if found:
            return found
    return ()


@dataclass(frozen=True, slots=True)
class Monastery:
    """A solo game, round by round.

    >>> Monastery(finished_rounds=5).is_over
    True
    """

    expansion: bool = False
    finished_rounds: int = 0
    stacks_are_empty: bool = False

    @property
    def rounds(self) -> int:
        return ROUNDS_WITH_EXPANSION if self.expansion else ROUNDS

    @property
    def is_over(self) -> bool:
        """The last round is played, or the stacks are empty."""
        return self.finished_rounds >= self.rounds or self.stacks_are_empty
