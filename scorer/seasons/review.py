"""Shifting Seasons: how each card grew, and what one tile elsewhere would have given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

from scorer.game import Json
from scorer.labels import label_of
from scorer.notation import Cell, in_words
from scorer.record import Step
from scorer.review.moments import Chapter, Insight, Moment, Picture, course
from scorer.season import Season
from scorer.seasons.board import Cells, SeasonBoard, Tile, as_cells, beside, cells_of
from scorer.seasons.cards import ScoreCard
from scorer.seasons.score import Player, PlayerScore, score_player
from scorer.seasons.state import boards_of, cards_in_play
from scorer.text import Text, listed, plural, signed

MOST_ALTERNATIVES = 3
"""Most other boards shown of each player, the best first."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A board on which one tile lies elsewhere in its area, or two of an area are exchanged."""

    first: Cell
    other: Cell
    is_swap: bool
    board: SeasonBoard
    score: PlayerScore


def alternatives(player: Player, cards: Sequence[ScoreCard]) -> list[Elsewhere]:
    """Every such board that could have been laid, the one that scores most first.

    A tile belongs to the area whose number it was pushed out for, so it stays in it.
    """
    found = [
        Elsewhere(one, other, is_swap, board, score_player(replace(player, board=board), cards))
        for one, other, is_swap, board in _laid_otherwise(player.board)
    ]
    return sorted(found, key=lambda one: (-one.score.total, one.is_swap, one.first, one.other))


def _laid_otherwise(board: SeasonBoard) -> Iterator[tuple[Cell, Cell, bool, SeasonBoard]]:
    for at, area in enumerate(board.layout.plan.areas):
        tiles, free = cells_of(area & board.tiles), cells_of(area & ~board.tiles)
        number = as_cells([board.layout.numbers[at]])
        for origin in tiles:
            for target in free:
                after = (board.tiles & area) ^ as_cells([origin, target])
                if _touches(number, after):
                    moved = board.with_tile(origin, None).with_tile(target, _tile(board, origin))
                    yield origin, target, False, moved
        for one, other in combinations(tiles, 2):
            if board[one] != board[other]:
                swapped = board.with_tile(one, _tile(board, other))
                yield one, other, True, swapped.with_tile(other, _tile(board, one))


def _tile(board: SeasonBoard, cell: Cell) -> Tile:
    tile = board[cell]
    assert isinstance(tile, Tile)
    return tile


def _touches(number: Cells, tiles: Cells) -> bool:
    """Whether the tiles of an area can be laid one after the other from its number."""
    reached = number
    while grown := beside(reached) & tiles & ~reached:
        reached |= grown
    return not tiles & ~reached


def chapter(found: Sequence[tuple[Moment, tuple[Step, ...]]]) -> Chapter:
    """The course of every card, and the tiles that lie better elsewhere."""
    state = found[-1][0].state
    players = [
        Player(player["name"], Season(player["season"]), board)
        for player, board in zip(state["players"], boards_of(state), strict=True)
    ]
    cards = cards_in_play(state)
    states = [moment.state for moment, _ in found]
    return Chapter(
        charts=tuple(
            course(
                Text("The cards of %(name)s", name=player.name),
                [label_of(card.name) for card in cards],
                _course(states, seat, cards),
            )
            for seat, player in enumerate(players)
            if player.board.tiles
        ),
        insights=tuple(
            insight
            for seat, player in enumerate(players)
            for insight in _insights(seat, player, cards)
        ),
        notes=(
            Text(
                "Compared are the boards at the end: one tile on another space of its area, or two "
                "tiles of an area exchanged. What else would have been laid then, nobody knows."
            ),
        ),
    )


def _course(states: Sequence[Json], seat: int, cards: Sequence[ScoreCard]) -> list[list[int]]:
    """Points of each card at each moment, for the season that the player has at the end."""
    season = Season(states[-1]["players"][seat]["season"])

    @cache
    def points(text: str) -> list[int]:
        score = score_player(Player("", season, SeasonBoard.parse(text)), cards)
        return [card.points for card in score.cards]

    return [
        points(state["boards"][seat]["text"]) if seat < len(state["boards"]) else [0 for _ in cards]
        for state in states
    ]


def _insights(seat: int, player: Player, cards: Sequence[ScoreCard]) -> Iterator[Insight]:
    """The best of what would have given more, each with tiles of its own."""
    now = score_player(player, cards)
    used: set[Cell] = set()
    shown = 0
    for one in alternatives(player, cards):
        gain = one.score.total - now.total
        if gain <= 0 or shown == MOST_ALTERNATIVES:
            break
        if not used & {one.first, one.other}:
            used |= {one.first, one.other}
            shown += 1
            yield _insight(seat, player, now, one, gain)
    if not shown and player.board.tiles:
        title = Text("%(name)s: no tile lies better elsewhere", name=player.name)
        yield Insight(seat, title, (), pictures=(Picture(str(player.board)),))


def _insight(seat: int, player: Player, now: PlayerScore, one: Elsewhere, gain: int) -> Insight:
    first, other = in_words(one.first), in_words(one.other)
    tile = _tile(player.board, one.first).words
    if one.is_swap:
        what = Text(
            "Exchange %(tile)s on %(first)s and %(last)s on %(other)s.",
            tile=tile,
            first=first,
            last=_tile(player.board, one.other).words,
            other=other,
        )
    else:
        what = Text(
            "Lay %(tile)s on %(other)s instead of %(first)s.", tile=tile, first=first, other=other
        )
    differences = [
        Text(
            "%(card)s %(gain)s", card=label_of(new.card.name), gain=signed(new.points - old.points)
        )
        for old, new in zip(now.cards, one.score.cards, strict=True)
        if new.points != old.points
    ]
    return Insight(
        seat,
        plural(
            "%(name)s: 1 point more",
            "%(name)s: %(gain)s points more",
            gain=gain,
            name=player.name,
        ),
        (what, listed(differences)),
        gain,
        pictures=(
            Picture(str(player.board), (one.first, one.other), Text("As it was laid")),
            Picture(str(one.board), (one.first, one.other), Text("Better")),
        ),
    )
