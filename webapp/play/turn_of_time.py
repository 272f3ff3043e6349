"""Turn of Time at the table: the grid of cards, where the next one may go, what it flips, and the ranking.

A photo shows only the upper sides, so a card's back may be unknown until somebody says it. What is known stays
known: a new photo is laid over the old grid, in whichever of the four directions it was taken. A card that was
flipped to an unknown side is asked for.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

from scorer.notation import EMPTY, Cell, NotationError, box_of, join_rows, split_grid
from scorer.season import SEASONS, Season
from scorer.time.board import SIDE, TimeGrid, starting_grid
from scorer.time.cards import DOUBLES_A_PAIR, SINGLES_A_SEASON, SeasonCard
from scorer.time.score import Rank, largest_group, player_points, ranking
from scorer.time.solo import BALANCE_CARDS, DOMINANCE_GROUP, is_balance, is_dominance
from scorer.time.turn import legal_cells, meeting
from webapp.play import ActionError, Choice, Json, Option, SetupForm
from webapp.play.common import (
    dict_in,
    evidence_in,
    int_in,
    list_in,
    players_of,
    seat_of,
    text_in,
    unknown_action,
)

MOST_PLAYERS = len(SEASONS)

TABLE = SIDE * SIDE
"""Cards of the game, all of which are played."""

GOALS = ("either", "dominance", "balance")
"""What a solo player tries."""

MOST_CLAIM = 100

CARDS_A_MISREAD = 3
"""Known cards that a new photo must confirm, itself included, for each that it contradicts: else it is another table."""

END_CACHE = 64
"""Grids whose placements are kept: every device asks for the same one after a change."""

KINDS = tuple(SeasonCard(one, other) for at, one in enumerate(SEASONS) for other in SEASONS[at:])
"""The ten kinds of cards: each pair of seasons, the single ones included."""


class TurnOfTime:
    """See the module. Actions besides those of every game; cells count from the first row and column of the cards:

    - ``place`` (card ``up/back``, row, col, order: the cells beside it in the order in which they are met)
    - ``cell`` (row, col, label): what lies there, ``up``, ``up/back`` or ``.``; costs nothing
    - ``seasons`` (seat, seasons): who plays what
    - ``first`` (seat): who begins
    """

    code = "time"

    def setup_form(self) -> SetupForm:
        return SetupForm(
            "Turn of Time",
            "Sixteen season cards: where a card may go, what it flips in which order, and who is ahead.",
            most_players=MOST_PLAYERS,
            seat_label="Season",
            seats=tuple(
                Choice(season.value, season.value, f"piece-time-{season.value}") for season in SEASONS
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
                ),
            ),
            board="time",
        )

    def start(self, setup: Json) -> Json:
        players = players_of(setup)
        if len(players) > MOST_PLAYERS:
            raise ActionError("players", "Turn of Time is for up to four players.")
        goal = (setup.get("options") or {}).get("goal", GOALS[0])
        if goal not in GOALS:
            raise ActionError("goal", "The goal is dominance, balance or either of the two.")
        state: Json = {
            "players": players,
            "seasons": _dealt_seasons(players),
            "goal": goal,
            "first": 0,
            "grid": EMPTY,
            "photo": None,
            "corrections": [],
            "moved": False,
            "last": None,
            "claims": {},
            "finished": False,
        }
        return state | {"grid": _start_grid(state)}

    def act(self, state: Json, action: Json, by: Json) -> Json:
        if by.get("role") == "viewer":
            raise ActionError("viewer", "You are watching this game: join as a player to change something.")
        new = copy.deepcopy(state)
        match action.get("type"):
            case "board":
                _set_board(new, action)
            case "cell":
                _set_cell(new, action)
            case "place":
                _place(new, action)
            case "seasons":
                _set_seasons(new, action)
            case "first":
                if _played(new):
                    raise ActionError("begun", "The first card has been played already.")
                new["first"] = _seat(action, new)
            case "claim":
                seat = seat_of(action, state, optional=True)
                new["claims"]["shared" if seat is None else str(seat)] = _claim(action)
            case "finish" | "resume" as kind:
                new["finished"] = kind == "finish"
            case _:
                raise unknown_action(action)
        return new

    def touches(self, action: Json) -> Sequence[str]:
        """The grid as a whole: a new card may move the first row and column from which cells count."""
        match action.get("type"):
            case "board" | "cell" | "place":
                return ("board",)
            case "seasons" | "first":
                return ("seasons",)
            case "claim":
                return (f"claim/{action.get('seat')}",)
            case _:
                return ()

    def view(self, state: Json, viewer: Json) -> Json:
        grid = TimeGrid.parse(state["grid"])
        ranks = _ranks(state)
        is_full = len(grid.cards) == TABLE
        return {
            "grid": _grid_view(state, grid),
            "seasons": [season.value for season in SEASONS],
            "kinds": _kinds_view(grid),
            "legal": [] if is_full else list(_legal(state["grid"])),
            "last": state["last"],
            "ranking": [_rank_view(state, grid, ranks, at) for at in range(len(ranks))],
            "players": _player_views(state, ranks),
            "turn": _turn_view(state),
            "solo": _solo_view(state, grid, ranks) if len(state["players"]) == 1 else None,
            "full": is_full,
            "claims": state["claims"],
            "result": self.result(state),
            "finished": state["finished"],
            "may_edit": viewer.get("role") != "viewer",
        }

    def result(self, state: Json) -> list[Json]:
        """Points of the players; alone the largest group, or how many seasons show four, which is what counts."""
        ranks = _ranks(state)
        if len(state["players"]) == 1:
            balanced = sum(rank.cards == BALANCE_CARDS for rank in ranks)
            score = balanced if state["goal"] == "balance" else max(rank.group for rank in ranks)
            won = _has_won_alone(state, TimeGrid.parse(state["grid"]))
            return [{"player": state["players"][0]["name"], "score": score, "rank": 1, "winner": won}]
        points = [
            player_points(ranks, map(Season, state["seasons"][seat])) for seat in range(len(state["players"]))
        ]
        return [
            {
                "player": player["name"],
                "score": own,
                "rank": 1 + sum(other > own for other in points),
                "winner": own == max(points),
            }
            for player, own in zip(state["players"], points, strict=True)
        ]

    def documents(self, state: Json) -> list[Json]:
        document: Json = {
            "game": "time",
            "grid": state["grid"],
            "order": [season.value for season in _season_order(state)],
        }
        if len(state["players"]) > 1:
            names = [player["name"] for player in state["players"]]
            document["players"] = dict(zip(names, copy.deepcopy(state["seasons"]), strict=True))
        if state["claims"]:
            document["claimed"] = {
                season: figure for lines in state["claims"].values() for season, figure in lines.items()
            }
        return [document]


# Who plays what, and whose turn it is


def _dealt_seasons(players: Sequence[Json]) -> list[list[str]]:
    """The seasons that were chosen; who chose none gets the next free one, and two players share all four."""
    free = [season.value for season in SEASONS]
    dealt: list[list[str]] = [[] for _ in players]
    if len(players) == 1:
        return dealt
    for own, player in zip(dealt, players, strict=True):
        if player.get("colour") in free:
            free.remove(player["colour"])
            own.append(player["colour"])
    for own in dealt:
        if not own:
            own.append(free.pop(0))
    if len(players) == 2:
        for own in dealt:
            own.append(free.pop(0))
    return dealt


def _start_grid(state: Json) -> str:
    """What lies on the table before the first card: with three players the single of the unplayed season."""
    played = [Season(season) for own in state["seasons"] for season in own]
    if len(state["players"]) != 3 or len(played) != 3:
        return EMPTY
    return str(starting_grid(played))


def _set_seasons(new: Json, action: Json) -> None:
    seat = _seat(action, new)
    if len(new["players"]) == 1:
        raise ActionError("alone", "Playing alone, all four seasons are yours.")
    try:
        wanted = [Season.named(season).value for season in list_in(action, "seasons")]
    except (NotationError, AttributeError):
        raise ActionError("season", "There are four seasons: spring, summer, autumn and winter.") from None
    most = 2 if len(new["players"]) == 2 else 1
    if len(set(wanted)) != len(wanted) or len(wanted) > most:
        raise ActionError("season", "Two players have two seasons each, three or four players one each.")
    before = _start_grid(new)
    given_up = [season for season in new["seasons"][seat] if season not in wanted]
    for other, own in enumerate(new["seasons"]):
        if other != seat:
            # Whoever loses a season gets one that is given up for it, so that everybody keeps as many.
            new["seasons"][other] = [
                season if season not in wanted else given_up.pop(0)
                for season in own
                if season not in wanted or given_up
            ]
    new["seasons"][seat] = wanted
    if new["grid"] == before:
        new["grid"] = _start_grid(new)


def _seat(action: Json, state: Json) -> int:
    seat = seat_of(action, state)
    assert seat is not None
    return seat


def _order(state: Json) -> list[int]:
    """The seats in turn order."""
    count = len(state["players"])
    return [(state["first"] + place) % count for place in range(count)]


def _season_order(state: Json) -> list[Season]:
    """The seasons in turn order, which settles ties."""
    return [Season(season) for seat in _order(state) for season in state["seasons"][seat]]


def _played(state: Json) -> int:
    """Cards that players have laid down."""
    lying = len(TimeGrid.parse(state["grid"]).cards)
    return max(0, lying - len(TimeGrid.parse(_start_grid(state)).cards))


# The grid


def _grid_text(text: str) -> TimeGrid:
    try:
        return TimeGrid.parse(text)
    except NotationError:
        raise ActionError("notation", "That is not a grid of up to four by four season cards.") from None


def _set_board(new: Json, action: Json) -> None:
    text = text_in(action, "text")
    seen = _grid_text(text)
    evidence = evidence_in(action)
    known = TimeGrid.parse(new["grid"])
    new["grid"] = str(_laid_over(known, _words(text)) or seen)
    new |= {"last": None, "moved": False} | evidence


def _words(text: str) -> list[list[str]]:
    return split_grid(text, (1, 1), (SIDE, SIDE))


def _laid_over(known: TimeGrid, words: list[list[str]]) -> TimeGrid | None:
    """The new grid, turned as the *known* one and with the backs that are known from it.

    None unless there is one way to lay it that leaves every known card where it was. A turned photo is
    considered only if it fits in no other way.
    """
    if not known.cards:
        return None
    turned = words
    found: list[tuple[int, TimeGrid]] = []
    for quarter in range(4):
        if quarter:
            turned = [list(row) for row in zip(*turned[::-1], strict=True)]
        found += _fits(known, TimeGrid.parse(join_rows(turned)))
        if not quarter and found:
            break
    least = min((misread for misread, _ in found), default=0)
    best = {grid for misread, grid in found if misread == least}
    return best.pop() if len(best) == 1 else None


def _fits(known: TimeGrid, seen: TimeGrid) -> Iterator[tuple[int, TimeGrid]]:
    """Every way to shift *known* onto cards of *seen*, with the number of cards that contradict it."""
    lying = dict(seen.cards)
    for down in range(-SIDE, SIDE + 1):
        for right in range(-SIDE, SIDE + 1):
            over = {(row + down, col + right): card for (row, col), card in known.cards}
            if not all(cell in lying for cell in over):
                continue
            cards = {cell: _merged(over.get(cell), card) for cell, card in lying.items()}
            misread = sum(not _is_same_card(card, lying[cell]) for cell, card in over.items())
            if misread * CARDS_A_MISREAD <= len(over):
                yield misread, TimeGrid.of(cards)


def _is_same_card(known: SeasonCard, seen: SeasonCard) -> bool:
    """Whether the card that shows *seen* can be the *known* one."""
    return seen.up is None or seen.up in known.sides or None in (known.up, known.back)


def _merged(known: SeasonCard | None, seen: SeasonCard) -> SeasonCard:
    """What is known of a card that shows *seen* now."""
    if known is None or seen.up is None or seen.back is not None:
        return seen
    if seen.up is known.up:
        return known
    if seen.up is known.back:
        return known.flipped()
    if known.up is None:
        return SeasonCard(seen.up, known.back)
    if known.back is None:
        return SeasonCard(seen.up, known.up)
    return seen


def _set_cell(new: Json, action: Json) -> None:
    cell = (int_in(action, "row"), int_in(action, "col"))
    label = text_in(action, "label")
    cards = dict(TimeGrid.parse(new["grid"]).cards)
    if label == EMPTY:
        cards.pop(cell, None)
    else:
        card = _card(label)
        lying = cards.get(cell)
        settles = lying is not None and None in (lying.up, lying.back) and lying.up is None
        cards[cell] = _merged(lying, card) if settles else card
    if cards:
        (top, left), (bottom, right) = box_of(list(cards))
        if bottom - top >= SIDE or right - left >= SIDE:
            raise ActionError("box", "The cards never take more than four rows and four columns.")
    new["grid"] = str(TimeGrid.of(cards))
    new["last"] = None


def _card(text: str) -> SeasonCard:
    try:
        return SeasonCard.parse(text)
    except NotationError:
        raise ActionError(
            "card", "That is no season card: say which season is up and which is below."
        ) from None


def _place(new: Json, action: Json) -> None:
    if new["finished"]:
        raise ActionError("over", "The game is over: undo or go on with it to change something.")
    grid = TimeGrid.parse(new["grid"])
    card = _card(text_in(action, "card"))
    if card.up is None or card.back is None:
        raise ActionError("card", "Please say both sides of the card that is played.")
    cell = (int_in(action, "row"), int_in(action, "col"))
    if len(grid.cards) == TABLE or cell not in legal_cells(grid):
        raise ActionError(
            "cell", "A card goes beside another one, within four rows and four columns; choose a marked cell."
        )
    lying = dict(grid.cards)
    near = _near(lying, cell)
    order = [tuple(entry) if isinstance(entry, list) else entry for entry in list_in(action, "order")]
    if sorted(order, key=str) != sorted(near, key=str):
        raise ActionError("order", "Every card beside it is met once: say in which order.")
    if any(lying[other].up is None for other in near):
        raise ActionError("unknown_side", "Say first which season shows on the cards beside it.")
    steps = list(_meetings(lying, cell, card, order))
    after = TimeGrid.of(_after(lying, cell, card, steps))
    (top, left), _ = box_of([at for at, _ in after.cards])
    seat = _turn_view(new)["seat"]
    new["last"] = {
        "seat": seat,
        "card": str(card),
        "cell": [cell[0] - top, cell[1] - left],
        "steps": [step | {"cell": [step["cell"][0] - top, step["cell"][1] - left]} for step in steps],
    }
    new |= {"grid": str(after), "moved": True}


def _near(lying: dict[Cell, SeasonCard], cell: Cell) -> list[Cell]:
    """The cells with a card beside *cell*: above, left, right, below."""
    row, col = cell
    beside = ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))
    return [other for other in beside if other in lying]


def _meetings(
    lying: dict[Cell, SeasonCard], cell: Cell, card: SeasonCard, order: Sequence[Cell]
) -> Iterator[Json]:
    """What happens when *card* is placed and meets the cards beside it in *order*; all their sides are known."""
    placed = card
    for other in order:
        met = lying[other]
        assert placed.up is not None
        assert met.up is not None
        flips_placed, flips_lying = meeting(placed.up, met.up).value
        yield {
            "cell": list(other),
            "placed": placed.up.value,
            "lying": met.up.value,
            "flips_placed": flips_placed,
            "flips_lying": flips_lying,
        }
        if flips_placed:
            placed = placed.flipped()


def _after(
    lying: dict[Cell, SeasonCard], cell: Cell, card: SeasonCard, steps: Sequence[Json]
) -> dict[Cell, SeasonCard]:
    turned = {tuple(step["cell"]) for step in steps if step["flips_lying"]}
    flips = sum(step["flips_placed"] for step in steps)
    after = {other: met.flipped() if other in turned else met for other, met in lying.items()}
    return after | {cell: card.flipped() if flips % 2 else card}


# Views


def _grid_view(state: Json, grid: TimeGrid) -> Json:
    cards = dict(grid.cards)
    rows = _words(state["grid"])
    return {
        "rows": [
            [_card_view(cards.get((row, col))) for col in range(len(words))] for row, words in enumerate(rows)
        ],
        "text": state["grid"],
        # The photo can be looked at again while it shows what lies there.
        "photo": None if state["moved"] else state["photo"],
        "cards": len(cards),
        "unknown": [list(cell) for cell, card in grid.cards if card.up is None],
        "problems": [
            {"code": problem.code, "cells": [list(cell) for cell in problem.cells]}
            for problem in grid.problems()
        ],
    }


def _card_view(card: SeasonCard | None) -> Json | None:
    if card is None:
        return None
    return {"up": card.up.value if card.up else None, "back": card.back.value if card.back else None}


def _kinds_view(grid: TimeGrid) -> list[Json]:
    """The ten kinds of cards and how many of each are not seen on the table."""
    seen = Counter(frozenset(card.sides) for _, card in grid.cards if card.up and card.back)
    views = []
    for kind in KINDS:
        held = SINGLES_A_SEASON if kind.up is kind.back else DOUBLES_A_PAIR
        sides = frozenset(kind.sides)
        views.append({"card": str(kind), "left": max(0, held - seen[sides])})
    return views


@lru_cache(maxsize=END_CACHE)
def _legal(text: str) -> tuple[Json, ...]:
    """Every legal cell: the cards beside it, those to be settled first, and what each card leads to there.

    ``ends`` gives by card ``up/back`` the different ends, with for each: one order of meetings as places in
    ``near``, what flips in each of them (1 the placed card, 2 the one that lies there, 3 both), the side that the
    placed card shows at last, and the visible cards of each season.
    """
    grid = TimeGrid.parse(text)
    lying = dict(grid.cards)
    sides = [card for kind in KINDS for card in dict.fromkeys((kind, kind.flipped()))]
    found = []
    for cell in legal_cells(grid):
        near = _near(lying, cell)
        unknown = [other for other in near if lying[other].up is None]
        found.append(
            {
                "cell": list(cell),
                "near": [list(other) for other in near],
                "unknown": [list(other) for other in unknown],
                "ends": {} if unknown else {str(card): _ends(lying, cell, card, near) for card in sides},
            }
        )
    return tuple(found)


def _ends(lying: dict[Cell, SeasonCard], cell: Cell, card: SeasonCard, near: list[Cell]) -> list[Json]:
    """The different ends of a placement, those with fewer flips first."""
    ends: dict[tuple[SeasonCard, frozenset[int]], tuple[int, Json]] = {}
    for order in permutations(range(len(near))):
        steps = list(_meetings(lying, cell, card, [near[at] for at in order]))
        after = _after(lying, cell, card, steps)
        turned = frozenset(at for at, step in zip(order, steps, strict=True) if step["flips_lying"])
        flips = len(turned) + sum(step["flips_placed"] for step in steps)
        key = (after[cell], turned)
        if key not in ends or flips < ends[key][0]:
            shown = Counter(other.up for other in after.values())
            up = after[cell].up
            assert up is not None
            ends[key] = (
                flips,
                {
                    "order": list(order),
                    "flips": [step["flips_placed"] + 2 * step["flips_lying"] for step in steps],
                    "up": up.value,
                    "counts": [shown[season] for season in SEASONS],
                },
            )
    return [end for _, end in sorted(ends.values(), key=lambda entry: entry[0])]


def _ranks(state: Json) -> tuple[Rank, ...]:
    return ranking(TimeGrid.parse(state["grid"]), _season_order(state))


def _rank_view(state: Json, grid: TimeGrid, ranks: Sequence[Rank], at: int) -> Json:
    """A season's place and what puts it ahead of the next one: ``cards``, ``group`` or ``order``."""
    rank = ranks[at]
    below = ranks[at + 1] if at + 1 < len(ranks) else None
    seat = next((seat for seat, own in enumerate(state["seasons"]) if rank.season.value in own), None)
    view: Json = {
        "season": rank.season.value,
        "place": at + 1,
        "points": rank.points,
        "cards": rank.cards,
        "group": rank.group,
        "cells": [list(cell) for cell, card in grid.cards if card.up is rank.season],
        "group_cells": [list(cell) for cell in largest_group(grid, rank.season)],
        "seat": seat,
        "below": None,
    }
    if below:
        by = "cards" if rank.cards != below.cards else "group" if rank.group != below.group else "order"
        view["below"] = {
            "season": below.season.value,
            "by": by,
            "cards": below.cards,
            "group": below.group,
        }
    return view


def _player_views(state: Json, ranks: Sequence[Rank]) -> list[Json]:
    turn = _turn_view(state)["seat"]
    views = []
    for seat, player in enumerate(state["players"]):
        seasons = state["seasons"][seat]
        points = {rank.season.value: rank.points for rank in ranks if rank.season.value in seasons}
        views.append(
            {
                "seat": seat,
                "name": player["name"],
                "colour": player.get("colour"),
                "seasons": list(seasons),
                "lines": [{"season": season, "points": points[season]} for season in seasons],
                "total": sum(points.values()),
                "has_turn": seat == turn,
            }
        )
    return views


def _turn_view(state: Json) -> Json:
    order = _order(state)
    played = _played(state)
    start = len(TimeGrid.parse(_start_grid(state)).cards)
    left = TABLE - start - played
    return {
        "seat": order[played % len(order)] if left > 0 else None,
        "order": order,
        "played": played,
        "left": max(0, left),
    }


def _has_won_alone(state: Json, grid: TimeGrid) -> bool:
    goal = state["goal"]
    return (goal != "balance" and is_dominance(grid)) or (goal != "dominance" and is_balance(grid))


def _solo_view(state: Json, grid: TimeGrid, ranks: Sequence[Rank]) -> Json:
    strongest = max(ranks, key=lambda rank: rank.group)
    return {
        "goal": state["goal"],
        "dominance": {
            "season": strongest.season.value,
            "group": strongest.group,
            "needed": DOMINANCE_GROUP,
            "reached": is_dominance(grid),
        },
        "balance": {
            "counts": {rank.season.value: rank.cards for rank in ranks},
            "needed": BALANCE_CARDS,
            "reached": is_balance(grid),
        },
        "won": _has_won_alone(state, grid),
    }


def _claim(action: Json) -> Json:
    lines: dict[str, Any] = dict_in(action, "lines")
    known = {season.value for season in SEASONS}
    for season, figure in lines.items():
        if season not in known or type(figure) is not int or abs(figure) > MOST_CLAIM:
            raise ActionError("claim", "The pad gives whole numbers for the seasons.")
    return dict(lines)


GAME = TurnOfTime()
