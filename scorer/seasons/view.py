"""Shifting Seasons: what a page shows of a game."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.fields import cells_document, problem_document
from scorer.game import Json
from scorer.notation import Cell, split_rows
from scorer.season import SEASONS, Season
from scorer.seasons.board import (
    ORDERS,
    TILES_A_PLAYER,
    Cells,
    SeasonBoard,
    as_cells,
    cells_of,
    table_problems,
)
from scorer.seasons.cards import (
    CARDS,
    SHORT_DIAGONALS,
    AreaColour,
    ColourSets,
    PositionCard,
    ScoreCard,
    View,
)
from scorer.seasons.score import CardScore, PlayerScore, winners
from scorer.seasons.state import (
    cards_in_play,
    is_begun,
    layout_document,
    layout_of,
    result_of,
    scores_of,
)
from scorer.seasons.turn import AREAS, legal_cells
from scorer.text import Text, both, listed, plural


def shown(state: Json, viewer: Json) -> Json:
    """All that a page shows of the game."""
    scores = scores_of(state)
    boards = [score.player.board for score in scores]
    cards = cards_in_play(state)
    result = result_of(state)
    return {
        "players": [
            player_view(state, seat, score) | {"rank": row["rank"], "winner": row["winner"]}
            for seat, (score, row) in enumerate(zip(scores, result, strict=True))
        ],
        "cards": [card_view(card) for card in cards],
        "all_cards": [card_view(card) for card in CARDS.values()],
        "tie": tie(scores),
        "layout": layout_document(layout_of(state)),
        "orders": [list(order) for order in ORDERS],
        "layouts": [layout_document(board.layout) for board in boards],
        "layouts_differ": len({board.layout for board in boards}) > 1,
        "short_diagonals": state["short_diagonals"] or list(map(cells_document, SHORT_DIAGONALS)),
        "short_diagonals_are_own": state["short_diagonals"] is not None,
        "short_diagonals_say": Text("Scored as on your own card.")
        if state["short_diagonals"]
        else Text(
            "No source shows the print of this card; we score the four diagonals of exactly three."
            " Copy your card if it differs."
        ),
        "unfinished": unfinished(scores),
        "problems": problems(boards),
        "tiles_a_player": TILES_A_PLAYER,
        "may_edit": viewer.get("role") != "viewer",
    }


def unfinished(scores: Sequence[PlayerScore]) -> Text:
    """Which boards still lack tiles."""
    counts = [(score.player.name, score.player.board.tiles.bit_count()) for score in scores]
    return listed(
        (
            Text("%(name)s has only %(n)s of %(all)s tiles.", name=name, n=n, all=TILES_A_PLAYER)
            for name, n in counts
            if n < TILES_A_PLAYER
        ),
        " ",
    )


def tie(scores: Sequence[PlayerScore]) -> Text | None:
    """What decided where the most points were shared."""
    best = max(score.total for score in scores)
    tied = [score for score in scores if score.total == best]
    if len(tied) < 2 or not is_begun(score.player.board for score in scores):
        return None
    won = [player.name for player in winners(scores)]
    points = plural("%(n)s point", "%(n)s points", n=best)
    each = listed(
        Text("%(name)s %(n)s", name=score.player.name, n=score.precious) for score in tied
    )
    if len(won) == len(tied):
        return Text(
            "A tie at %(points)s, and as many precious tiles (%(each)s): %(winners)s win together.",
            points=points,
            each=each,
            winners=both(won),
        )
    if len(won) > 1:
        return Text(
            "A tie at %(points)s: %(winners)s win together with the most precious tiles "
            "(%(each)s).",
            points=points,
            winners=both(won),
            each=each,
        )
    return Text(
        "A tie at %(points)s: %(winner)s has the most precious tiles (%(each)s).",
        points=points,
        winner=won[0],
        each=each,
    )


def problems(boards: Sequence[SeasonBoard]) -> list[Json]:
    """What cannot lie on the table.

    ``seat`` says on whose board; it is null if only all boards together cannot be.
    """
    found = [
        problem_document(problem) | {"seat": seat}
        for seat, board in enumerate(boards)
        for problem in board.problems()
    ]
    known = {problem["message"] for problem in found}
    return found + [
        problem_document(problem) | {"seat": None}
        for problem in table_problems(boards)
        if problem.message not in known
    ]


def card_view(card: ScoreCard) -> Json:
    return {
        "card": card.name,
        "title": Text(card.label),
        "says": card.rule,
        "number": card.number,
        "family": card.family.value,
    }


def player_view(state: Json, seat: int, score: PlayerScore) -> Json:
    player, board = score.player, score.player.board
    kept = state["boards"][seat]
    view = View.of(board, player.season)
    return {
        "seat": seat,
        "name": player.name,
        "season": player.season.value,
        "text": str(board),
        "cells": split_rows(str(board)),
        "photo": kept["photo"],
        "corrections": len(kept["corrections"]),
        "numbered": kept["numbered"],
        "tiles": board.tiles.bit_count(),
        "precious": score.precious,
        "own": view.own.bit_count(),
        "total": score.total,
        "cards": [_score_view(row, view, player.season) for row in score.cards],
        "legal": {str(number): cells_document(legal_cells(board, number)) for number in AREAS},
        "areas": [_area_view(board, number) for number in AREAS],
    }


def _area_view(board: SeasonBoard, number: int) -> Json:
    free = len(legal_cells(board, number))
    return {
        "cell": list(board.layout.numbers[number - 1]),
        "free": plural(
            "1 free space in area %(area)s",
            "%(n)s free spaces in area %(area)s",
            n=free,
            area=number,
        )
        if free
        else Text("Area %(area)s is full: its lane may not be used.", area=number),
    }


def _score_view(row: CardScore, view: View, own: Season) -> Json:
    """One field of the pad: its points, and what every group and every cell gives.

    Cells of two groups count once; ``twice`` is what they would give too much. ``says`` is how the
    points come about.
    """
    twice = row.card.times > 1
    seen = shared = 0
    for group in row.groups:
        shared |= group & seen
        seen |= group
    groups = [
        {
            "says": Text(
                "%(group)s: %(sum)s, twice" if twice else "%(group)s: %(sum)s",
                group=_group_name(row.card, group, view),
                sum=_sum_of(group, view, own),
            ),
            "cells": cells_document(cells_of(group)),
            "points": row.card.times * view.value(group),
        }
        for group in row.groups
    ]
    count = shared.bit_count()
    places = row.card.places(view.board) if isinstance(row.card, PositionCard) else ()
    return {
        "card": row.card.name,
        "points": row.points,
        "says": Text(
            "%(parts)s, counted twice = %(total)s" if twice else "%(parts)s = %(total)s",
            parts=_counted(row.tiles, row.precious, row.own, own),
            total=plural("%(n)s point", "%(n)s points", n=row.points),
        )
        if groups
        else Text("Nothing on this board scores here yet."),
        "groups": groups,
        "cells": [
            [row_of, col, row.card.times * view.value(as_cells([(row_of, col)]))]
            for row_of, col in cells_of(seen)
        ],
        "shared_says": plural(
            "1 tile belongs to two of these and counts once",
            "%(n)s tiles belong to two of these and count once",
            n=count,
        ),
        "twice": row.card.times * sum(map(view.value, row.groups)) - row.points,
        "open": [
            {
                "says": _open(row.card, place, view.board),
                "missing": cells_document(cells_of(place & ~view.board.tiles)),
            }
            for place in places
            if place & ~view.board.tiles
        ],
    }


def _sum_of(group: Cells, view: View, season: Season) -> Text:
    """The tiles of a group as a sum."""
    among = (view.board.tiles, view.board.precious, view.own)
    tiles, precious, own = ((group & held).bit_count() for held in among)
    return _counted(tiles, precious, own, season)


def _counted(tiles: int, precious: int, own: int, season: Season) -> Text:
    """Tiles, precious tiles and tiles of the own season as a sum."""
    parts = [plural("1 tile", "%(n)s tiles", n=tiles)]
    if precious:
        parts.append(Text("%(n)s precious", n=precious))
    if own:
        parts.append(Text("%(n)s of %(season)s", n=own, season=Text(season.value)))
    return listed(parts, " + ")


def _open(card: ScoreCard, place: Cells, board: SeasonBoard) -> Text:
    """A group that is not full yet."""
    count = (place & ~board.tiles).bit_count()
    return plural(
        "%(group)s: 1 space is empty",
        "%(group)s: %(n)s spaces are empty",
        n=count,
        group=_named(card, cells_of(place), None, None, board),
    )


def _group_name(card: ScoreCard, group: Cells, view: View) -> Text:
    """Which group of tiles this is, in words."""
    tiles = group & view.board.tiles
    seasons = [
        season.value
        for season, held in zip(SEASONS, view.board.seasons, strict=True)
        if tiles & held
    ]
    areas = [
        number
        for number, area in zip(AREAS, view.board.layout.plan.areas, strict=True)
        if tiles & area
    ]
    season = seasons[0] if len(seasons) == 1 else None
    area = areas[0] if isinstance(card, AreaColour | ColourSets) else None
    return _named(card, cells_of(group), season, area, view.board)


def _named(
    card: ScoreCard, cells: Sequence[Cell], season: str | None, area: int | None, board: SeasonBoard
) -> Text:
    """Which group of cells this is, in words."""
    colour, title = Text(season or ""), Text((season or "").capitalize())
    first, last = cells[0], cells[-1]
    match card.name:
        case "six-diagonals" if any(row == col for row, col in cells):
            return Text("Diagonal from the top left")
        case "six-diagonals":
            return Text("Diagonal from the top right")
        case "centre":
            return Text("The four spaces in the centre")
        case "area-colour":
            return Text("%(season)s in area %(n)s", season=title, n=area)
        case "largest-group":
            return Text("The largest group, %(season)s", season=colour)
        case "colour-sets":
            return Text("Four seasons in area %(n)s", n=area)
        case "colour-squares":
            return Text("Square of %(season)s", season=colour)
        case "colour-pairs":
            return Text("Pair of %(season)s, %(place)s", season=colour, place=_place(first))
        case "number-neighbours":
            near = {(row, col) for row, col in cells}
            number = next(
                number
                for number, neighbours in zip(AREAS, board.layout.plan.neighbours, strict=True)
                if near <= set(cells_of(neighbours))
            )
            return Text("Around number %(n)s", n=number)
        case "short-diagonals" | "colour-diagonals":
            between = {"from": _place(first), "to": _place(last)}
            if season:
                return Text("%(season)s from %(from)s to %(to)s", season=title, **between)
            return Text("From %(from)s to %(to)s", **between)
        case "colour-lines" if first[0] == last[0]:
            return Text("%(season)s in row %(n)s", season=title, n=first[0] + 1)
        case "colour-lines":
            return Text("%(season)s in column %(n)s", season=title, n=first[1] + 1)
    if first[0] == last[0]:
        return Text("Row %(n)s", n=first[0] + 1)
    return Text("Column %(n)s", n=first[1] + 1)


def _place(cell: Cell) -> Text:
    return Text("row %(row)s, column %(column)s", row=cell[0] + 1, column=cell[1] + 1)
