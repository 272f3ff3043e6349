"""Turn of Time: what the state of a game means in terms of the rules."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.actions import turn_order
from scorer.game import Json, placed
from scorer.notation import EMPTY
from scorer.season import SEASONS, Season
from scorer.time.board import SIDE, TimeGrid, starting_grid
from scorer.time.score import Rank, player_points, ranking
from scorer.time.solo import BALANCE_CARDS, is_won

TABLE = SIDE * SIDE
"""Cards of the game, all of which are played."""


def dealt_seasons(players: Sequence[Json]) -> list[list[str]]:
    """The seasons of every player: the chosen one; two players share all four, one has none."""
    if len(players) == 1:
        return [[]]
    chosen = [player["colour"] for player in players]
    free = [season.value for season in SEASONS if season.value not in chosen]
    more = [[season] for season in free] if len(players) == 2 else [[] for _ in players]
    return [[own, *others] for own, others in zip(chosen, more, strict=True)]


def start_grid(state: Json) -> str:
    """What lies on the table before the first card is played."""
    played = [Season(season) for own in state["seasons"] for season in own]
    if len(state["players"]) != 3 or len(played) != 3:
        return EMPTY
    return str(starting_grid(played))


def season_order(state: Json) -> list[Season]:
    """The seasons in turn order, which settles ties."""
    return [Season(season) for seat in turn_order(state) for season in state["seasons"][seat]]


def played_in(state: Json) -> int:
    """Cards that players have laid down."""
    lying = len(TimeGrid.parse(state["grid"]).cards)
    return max(0, lying - len(TimeGrid.parse(start_grid(state)).cards))


def is_known(state: Json) -> bool:
    """Whether it is known of every card which season it shows."""
    return all(card.up is not None for _, card in TimeGrid.parse(state["grid"]).cards)


def most_seasons(players: int) -> int:
    """How many seasons each of so many players has."""
    return 2 if players == 2 else 1


def ranks_of(state: Json) -> tuple[Rank, ...]:
    return ranking(TimeGrid.parse(state["grid"]), season_order(state))


def turn_view(state: Json) -> Json:
    order = turn_order(state)
    played = played_in(state)
    start = len(TimeGrid.parse(start_grid(state)).cards)
    left = TABLE - start - played
    return {
        "seat": order[played % len(order)] if left > 0 else None,
        "order": order,
        "played": played,
        "left": max(0, left),
    }


def result_of(state: Json) -> list[Json]:
    """Points, rank and victory of every player.

    Alone, the score is the largest group, or the number of seasons that show four. Of several,
    nobody wins before the first card, or while a card shows an unknown side.
    """
    ranks = ranks_of(state)
    if len(state["players"]) == 1:
        balanced = sum(rank.cards == BALANCE_CARDS for rank in ranks)
        score = balanced if state["goal"] == "balance" else max(rank.group for rank in ranks)
        won = is_won(TimeGrid.parse(state["grid"]), state["goal"])
        return [{"player": state["players"][0]["name"], "score": score, "rank": 1, "winner": won}]
    points = [player_points(ranks, map(Season, own)) for own in state["seasons"]]
    names = (player["name"] for player in state["players"])
    rows = list(zip(names, points, points, strict=True))
    return placed(rows, is_begun=played_in(state) > 0 and is_known(state))
