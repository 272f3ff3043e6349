"""Shifting Seasons: the score sheet of a table, where every point names its tiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import NamedTuple

from scorer.notation import Cell
from scorer.season import Season
from scorer.seasons.board import Cells, SeasonBoard, cells_of
from scorer.seasons.cards import ScoreCard, View

FIRST_GAME = ("six-diagonals", "connections", "area-colour", "largest-group")
"""The cards 1, 5, 8 and 13, which the rulebook recommends for the first game."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player at the table: their season and their board."""

    name: str
    season: Season
    board: SeasonBoard


class CardScore(NamedTuple):
    """What one card gives one player. A tile of several groups counts once.

    A named tuple, because it is made for every card of every board and a frozen dataclass takes
    thrice as long.
    """

    card: ScoreCard
    points: int
    tiles: int
    precious: int
    own: int
    groups: tuple[Cells, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells that score."""
        return cells_of(reduce(or_, self.groups, 0))


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """One row of the score pad."""

    player: Player
    cards: tuple[CardScore, ...]
    total: int

    @property
    def precious(self) -> int:
        """Precious tiles on the whole board, which break a tie."""
        return self.player.board.precious.bit_count()


def score_card(card: ScoreCard, view: View) -> CardScore:
    """The best choice of one card for one board.

    >>> from scorer.seasons.cards import CARDS
    >>> board = SeasonBoard.parse('. 1 . . . . / . . . . . 2 / . . su su* . . / '
    ...                           '. . su au . . / 4 . . . . . / . . . . 3 .')
    >>> score = score_card(CARDS["centre"], View.of(board, Season.SUMMER))
    >>> score.points, score.tiles, score.precious, score.own
    (16, 4, 1, 3)
    """
    groups = card.groups(view)
    scored = reduce(or_, groups, 0)
    tiles = scored.bit_count()
    precious = (scored & view.board.precious).bit_count()
    own = (scored & view.own).bit_count()
    return CardScore(
        card, card.times * (tiles + precious + own), tiles, precious, own, tuple(groups)
    )


def score_player(player: Player, cards: Sequence[ScoreCard]) -> PlayerScore:
    """The row of one player, with the cards in the given order."""
    view = View.of(player.board, player.season)
    scores = tuple(score_card(card, view) for card in cards)
    return PlayerScore(player, scores, sum(score.points for score in scores))


def winners(scores: Sequence[PlayerScore]) -> tuple[Player, ...]:
    """Most points, then most precious tiles; who is still tied wins too (rulebook, end)."""
    best = max(((score.total, score.precious) for score in scores), default=None)
    return tuple(score.player for score in scores if (score.total, score.precious) == best)
