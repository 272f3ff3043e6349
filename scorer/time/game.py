"""Turn of Time at the table: the grid, where the next card may go, what it flips, the ranking.

A photo shows only the upper sides, so a card's back may be unknown until somebody says it. What is
known stays known: a new photo is laid over the old grid, in whichever of the four directions it was
taken. A card that was flipped to an unknown side is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scorer.actions import seat_of, text_in, unknown_action
from scorer.audit import Finding
from scorer.change import Change
from scorer.game import (
    ActionError,
    Choice,
    Game,
    Json,
    Option,
    PadColumn,
    ScoreLine,
    SetupForm,
    column_key,
    totals,
)
from scorer.labels import label_of
from scorer.notation import EMPTY, Cell, Problem, join_rows, split_rows
from scorer.season import SEASONS, Season
from scorer.setup import newcomer
from scorer.text import NOTHING, Text, plural
from scorer.time import actions, audit, change, view
from scorer.time.board import TimeGrid
from scorer.time.cards import UNKNOWN, SeasonCard
from scorer.time.record import NOTATION
from scorer.time.score import POINTS, Rank, largest_group, ranking
from scorer.time.solo import BALANCE_CARDS
from scorer.time.state import (
    dealt_seasons,
    is_known,
    played_in,
    ranks_of,
    result_of,
    season_order,
    start_grid,
    turn_view,
)

MOST_PLAYERS = len(SEASONS)


class TurnOfTime(Game):
    """The game ``time``. Cells count from the first row and column of the cards. Its own actions:

    - ``place`` (card ``up/back``, row, col, order: the cells beside it as they are met)
    - ``cell`` (row, col, label): what lies there, ``up``, ``up/back`` or ``.``; costs nothing
    - ``seasons`` (seat, seasons): who plays what
    - ``first`` (seat): who begins
    """

    code = "time"
    notation = NOTATION
    told_by_photos = frozenset({"place"})
    alone_on_points = False

    def setup_form(self) -> SetupForm:
        return SetupForm(
            "Turn of Time",
            "Sixteen season cards: where a card may go, what it flips in which order, and who "
            "is ahead.",
            most_players=MOST_PLAYERS,
            seat_label="Season",
            seats=tuple(
                Choice(season.value, season.value, f"piece-time-{season.value}")
                for season in SEASONS
            ),
            options=(
                Option(
                    "goal",
                    "Goal when playing alone",
                    "choice",
                    choices=(
                        Choice("either", "either of the two"),
                        Choice("dominance", "dominance: 7 connected of one season"),
                        Choice("balance", "balance: 4 of each season"),
                    ),
                    default="either",
                    alone=True,
                ),
            ),
            board="time",
        )

    def start(self, setup: Json) -> Json:
        players = setup["players"]
        state: Json = {
            "players": players,
            "seasons": dealt_seasons(players),
            "goal": setup["options"]["goal"],
            "first": 0,
            "grid": EMPTY,
            "photo": None,
            "corrections": [],
            "moved": False,
            "last": None,
            "claims": {},
            "finished": False,
        }
        return state | {"grid": start_grid(state)}

    def change(self, new: Json, action: Json, by: Json) -> None:
        match action.get("type"):
            case "board":
                actions.set_board(new, action)
            case "cell":
                actions.set_cell(new, action)
            case "place":
                actions.place(new, action)
            case "seasons":
                actions.set_seasons(new, action)
            case "player":
                self._join(new, action)
            case "first":
                if played_in(new):
                    raise ActionError("begun", "The first card has been played already.")
                new["first"] = seat_of(action, new)
            case _:
                raise unknown_action(action)

    def turn_of(self, state: Json) -> tuple[int, int] | None:
        turn = turn_view(state)
        return None if turn["seat"] is None else (turn["played"] + 1, turn["seat"])

    def touches(self, action: Json) -> Sequence[str]:
        """The grid as a whole: a new card may move the cell from which cells count."""
        match action.get("type"):
            case "board" | "cell" | "place":
                return ("board",)
            case "seasons" | "first":
                return ("seasons",)
        return super().touches(action)

    def glance(self, text: str) -> list[ScoreLine]:
        """The ranking of the seasons that show, each with its cards."""
        grid = TimeGrid.parse(text)
        return _ranked(grid, ranking(grid))

    def glance_problems(self, text: str) -> Sequence[Problem]:
        return TimeGrid.parse(text).problems()

    def difference(self, state: Json, action: Json) -> Change:
        """The cards that were placed since the grid before, and those that they flipped."""
        return change.change(state, text_in(action, "text"))

    def _join(self, new: Json, action: Json) -> None:
        """Deal the seasons again among one player more; before the first card only."""
        if played_in(new):
            raise ActionError(
                "begun",
                "The seasons are dealt and a card is played: who comes later can only watch.",
            )
        player = newcomer(self.setup_form(), new["players"], action)
        players = [*new["players"], player]
        setup = {"players": players, "options": {"goal": new["goal"]}}
        new |= self.start(setup) | {"first": new["first"]}

    def over(self, state: Json) -> bool:
        return super().over(state) or (turn_view(state)["seat"] is None and is_known(state))

    def told(self, before: Json, action: Json, after: Json) -> Text:
        last = after["last"]
        if action.get("type") != "place" or last is None or last["seat"] is None:
            return super().told(before, action, after)
        name = after["players"][last["seat"]]["name"]
        season = SeasonCard.parse(last["card"]).up
        assert season is not None
        flips = sum(step["flips_lying"] for step in last["steps"])
        return Text(
            "%(name)s places %(season)s and flips %(count)s."
            if flips
            else "%(name)s places %(season)s and flips none.",
            name=name,
            season=season.value,
            count=flips,
        )

    def alone(self, state: Json) -> Text:
        if not self.over(state):
            return NOTHING
        won = self.result(state)[0]["winner"]
        return Text("The goal is reached!") if won else Text("The goal was not reached.")

    def decisive(self, state: Json) -> Text:
        """Why the first of the seasons that are played is ahead of the next."""
        order = season_order(state)
        ranks = [rank for rank in ranks_of(state) if rank.season in order]
        if len(ranks) < 2:
            return NOTHING
        return Text(
            "%(season)s comes first. %(why)s"
            if ranks[0].points == POINTS[0]
            else "%(season)s comes first of the seasons that are played. %(why)s",
            season=label_of(ranks[0].season.value),
            why=view.ahead(*ranks[:2]),
        )

    def view(self, state: Json, viewer: Json) -> Json:
        return view.shown(state, viewer)

    def is_begun(self, state: Json) -> bool:
        return played_in(state) > 0

    def result(self, state: Json) -> list[Json]:
        return result_of(state)

    def boards(self, state: Json) -> list[tuple[int | None, Json]]:
        if state["grid"] == EMPTY:
            return []
        return [(None, {"text": state["grid"], "photo": state["photo"]})]

    def on_photo(self, text: str) -> str:
        """Without the backs of the cards whose upper sides are known.

        >>> TurnOfTime().on_photo("spring/winter . / ?/summer autumn")
        'spring . / ?/summer autumn'
        """
        return join_rows(
            (word if word.startswith(UNKNOWN) else word.partition("/")[0] for word in row)
            for row in split_rows(text)
        )

    def score_lines(self, state: Json) -> list[ScoreLine]:
        if not is_known(state):
            return totals(self.result(state))
        grid, result = TimeGrid.parse(state["grid"]), self.result(state)
        if len(state["players"]) == 1:
            return _solo_lines(grid, state["goal"]) + totals(result)
        return _ranked(grid, ranks_of(state)) + totals(result)

    def pad(self, state: Json) -> list[PadColumn]:
        own = [
            PadColumn(seat, tuple(seasons))
            for seat, seasons in enumerate(state["seasons"])
            if seasons
        ]
        return own or [PadColumn(None, tuple(season.value for season in SEASONS))]

    def audit(self, state: Json) -> list[Finding]:
        if not is_known(state):
            return []
        # A season may have changed hands since: what its player of then claimed no longer counts.
        claims = [
            (Season(season), lines[season])
            for column in self.pad(state)
            for lines in [state["claims"].get(column_key(column.seat), {})]
            for season in column.items
            if season in lines
        ]
        return list(audit.audit(TimeGrid.parse(state["grid"]), season_order(state), claims))


def _ranked(grid: TimeGrid, ranks: Sequence[Rank]) -> list[ScoreLine]:
    """A line for each season, with its visible cards."""
    return [
        _line(rank, rank.points, [cell for cell, card in grid.cards if card.up is rank.season])
        for rank in ranks
    ]


def _solo_lines(grid: TimeGrid, goal: str) -> list[ScoreLine]:
    """What the score of who plays alone counts: seasons that show four, or the largest group."""
    ranks = ranking(grid)
    if goal == "balance":
        balanced = [rank for rank in ranks if rank.cards == BALANCE_CARDS]
        return [replace(line, points=1) for line in _ranked(grid, balanced)]
    largest = max(ranks, key=lambda rank: rank.group)
    return [_line(largest, largest.group, largest_group(grid, largest.season))]


def _line(rank: Rank, points: int, cells: Iterable[Cell]) -> ScoreLine:
    why = plural(
        "%(cards)s card, largest group %(group)s",
        "%(cards)s cards, largest group %(group)s",
        cards=rank.cards,
        group=rank.group,
    )
    return ScoreLine("", rank.season.value, points, why, tuple(cells))
