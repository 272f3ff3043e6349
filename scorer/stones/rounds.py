"""Shifting Stones: a game followed turn by turn.

Nobody sees the hands of the players, so the deck, the hands and the discards are counts. The scored
cards lie open and are known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from scorer.stones.board import StoneGrid
from scorer.stones.cards import CARDS, PatternCard, placements
from scorer.stones.turn import MOST_CARDS, Action, apply

HAND = 4
"""Cards to which a hand is refilled (rulebook, end of the turn)."""

SKIP_CARDS = 2
"""Cards that a player draws instead of a turn (rulebook, skipping)."""

LAST_ROUND_AT = {2: 10, 3: 9, 4: 8}
"""Scored cards of one player that end the game, by the number of players (rulebook, end)."""

LAST_ROUND_AT_MOST_PLAYERS = 7
"""The same with five players or more."""


def last_round_at(players: int) -> int:
    """Scored cards of one player with which the last round begins."""
    return LAST_ROUND_AT.get(players, LAST_ROUND_AT_MOST_PLAYERS)


class RuleError(ValueError):
    """The rules do not allow this step now."""


@dataclass(frozen=True, slots=True)
class PlayerState:
    """What lies open before one player, and how many cards they hold."""

    name: str
    hand: int = HAND
    scored: tuple[PatternCard, ...] = ()
    has_skipped: bool = False
    """Their last turn was skipped, so the next one may not be."""


@dataclass(frozen=True, slots=True)
class StonesGame:
    """A game of two players or more at one moment of a turn.

    Every step gives a new state; one that is not allowed raises RuleError.
    """

    grid: StoneGrid
    players: tuple[PlayerState, ...]
    deck: int
    discards: int = 0
    turn: int = 0
    """Turns finished so far, of all players together."""
    has_acted: bool = False
    """Something was done in this turn, so that it can no longer be skipped."""

    @classmethod
    def start(cls, grid: StoneGrid, names: Sequence[str]) -> Self:
        """The set-up: four cards for everyone, the others are the deck."""
        if len(names) < 2 or len(set(names)) != len(names):
            raise RuleError(f"expected two or more different names, got {list(names)!r}")
        return cls(grid, tuple(PlayerState(name) for name in names), len(CARDS) - HAND * len(names))

    @property
    def player(self) -> PlayerState:
        """Whose turn it is."""
        return self.players[self.turn % len(self.players)]

    @property
    def is_last_round(self) -> bool:
        """Somebody has enough cards: after this round all have had equally many turns."""
        return any(
            len(player.scored) >= last_round_at(len(self.players)) for player in self.players
        )

    @property
    def is_over(self) -> bool:
        return self.is_last_round and self.turn % len(self.players) == 0 and not self.has_acted

    def act(self, action: Action) -> Self:
        """Discard a card of the hand for a shift or a flip."""
        self._expect_going_on()
        if self.player.hand < 1:
            raise RuleError("expected a card to discard, got an empty hand")
        player = replace(self.player, hand=self.player.hand - 1)
        return replace(
            self._with(player),
            grid=apply(self.grid, action),
            discards=self.discards + 1,
            has_acted=True,
        )

    def score(self, card: PatternCard) -> Self:
        """Reveal a card of the hand that the grid matches now."""
        self._expect_going_on()
        if self.player.hand < 1:
            raise RuleError("expected a card to score, got an empty hand")
        if any(card in player.scored for player in self.players):
            raise RuleError(f"expected a card that nobody has scored yet, got {card.id!r}")
        if not placements(self.grid, card.pattern):
            raise RuleError(f"expected a card that matches {str(self.grid)!r}, got {card.id!r}")
        player = replace(self.player, hand=self.player.hand - 1, scored=(*self.player.scored, card))
        return replace(self._with(player), has_acted=True)

    def end_turn(self) -> Self:
        """Refill the hand to four, as far as there are cards, and pass the turn on."""
        self._expect_going_on()
        drawn = self._draw(max(0, HAND - self.player.hand))
        player = replace(drawn.player, has_skipped=False)
        return replace(drawn._with(player), turn=self.turn + 1, has_acted=False)

    def skip(self) -> Self:
        """Draw two cards instead of a turn; never twice in a row."""
        self._expect_going_on()
        if self.has_acted:
            raise RuleError("expected a turn without an action to skip, got one that has begun")
        if self.player.has_skipped:
            raise RuleError(
                f"expected {self.player.name!r} not to skip twice in a row, got a second skip"
            )
        drawn = self._draw(min(SKIP_CARDS, MOST_CARDS - self.player.hand))
        player = replace(drawn.player, has_skipped=True)
        return replace(drawn._with(player), turn=self.turn + 1)

    def _expect_going_on(self) -> None:
        if self.is_over:
            raise RuleError("expected a game that goes on, got one that is over")

    def _with(self, player: PlayerState) -> Self:
        at = self.turn % len(self.players)
        return replace(self, players=(*self.players[:at], player, *self.players[at + 1 :]))

    def _draw(self, count: int) -> Self:
        """Draw for the player. The discards become a new deck; without either nothing is drawn."""
        deck, discards = self.deck, self.discards
        if deck < count:
            deck, discards = deck + discards, 0
        drawn = min(count, deck)
        player = replace(self.player, hand=self.player.hand + drawn)
        return replace(self._with(player), deck=deck - drawn, discards=discards)
