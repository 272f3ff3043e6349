"""Shifting Stones: final scores, and a game tracked turn by turn.

A companion does not see the hands of the players, so the deck, the hands and the discards are counts. The
scored cards lie open and are known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from scorer.stones import CARDS, PatternCard, StoneGrid, placements
from scorer.stones_turn import MOST_CARDS, Action, apply

HAND = 4
"""Cards to which a hand is refilled (rulebook, end of the turn)."""

SKIP_CARDS = 2
"""Cards that a player draws instead of a turn (rulebook, skipping)."""

LAST_ROUND_AT = {2: 10, 3: 9, 4: 8}
"""Scored cards of one player that end the game, by the number of players (rulebook, end)."""

LAST_ROUND_AT_MOST_PLAYERS = 7
"""The same with five players or more."""

BONUS = 3
"""Points for the most 1-point cards; every tied player gets them (rulebook, end)."""

SOLO_STRIKES = 4
"""Turns without a scored card that lose a solo game."""

SOLO_DECK = {1: 8, 2: 4, 3: 3, 5: 1}
"""Cards of a solo game, by their points; all of them scored wins."""


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

    Nobody gets the bonus when nobody has a 1-point card (no source settles it), nor does a single player.
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
        """Somebody has enough cards: the round is finished so that all have had equally many turns."""
        return any(len(player.scored) >= last_round_at(len(self.players)) for player in self.players)

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
            self._with(player), grid=apply(self.grid, action), discards=self.discards + 1, has_acted=True
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
            raise RuleError(f"expected {self.player.name!r} not to skip twice in a row, got a second skip")
        drawn = self._draw(min(SKIP_CARDS, MOST_CARDS - self.player.hand))
        player = replace(drawn.player, has_skipped=True)
        return replace(drawn._with(player), turn=self.turn + 1)

    def final_scores(self) -> tuple[FinalScore, ...]:
        """The score if the game ended now."""
        return final_scores({player.name: player.scored for player in self.players})

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
            raise RuleError(f"expected cards by points {SOLO_DECK!r}, all different, got {counts!r}")

    def end_turn(self, scored: Sequence[PatternCard] = (), skipped: bool = False) -> Self:
        """The game after a turn in which these cards were scored; none is a strike."""
        if self.is_won or self.is_lost:
            raise RuleError("expected a game that goes on, got one that is over")
        for card in scored:
            if card not in self.cards or card in self.scored:
                raise RuleError(f"expected a card of this game that is not scored yet, got {card.id!r}")
        strike = not scored and (self.skip_is_strike or not skipped)
        return replace(self, scored=(*self.scored, *scored), strikes=self.strikes + strike)

    @property
    def is_won(self) -> bool:
        return len(self.scored) == len(self.cards)

    @property
    def is_lost(self) -> bool:
        return self.strikes >= SOLO_STRIKES
