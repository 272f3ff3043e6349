"""Documents of Turn of Time."""

from dataclasses import asdict
from typing import Any

from scorer.audit import audit_document
from scorer.fields import (
    Json,
    UnreadableError,
    claims_of,
    joined,
    member,
    notation_of,
    object_of,
    player_problems,
    seasons_of,
    with_remarks,
)
from scorer.notation import Problem
from scorer.season import SEASONS, Season
from scorer.time import audit as time_audit
from scorer.time.board import TimeGrid
from scorer.time.cards import SeasonCard, deal_problems
from scorer.time.score import Rank, player_points, ranking
from scorer.time.turn import placements

ITEMS = {season.value: season.value for season in SEASONS} | {"fall": Season.AUTUMN.value}


def score(document: Json) -> Json:
    grid, order = _grid(document), _order(document)
    ranks = ranking(grid, order)
    answer: Json = {"ranking": [_rank_document(rank) for rank in ranks]}
    problems = list(grid.problems())
    if document.get("players") is not None:
        players = _players(document["players"])
        points = {name: player_points(ranks, seasons) for name, seasons in players.items()}
        best = max(points.values(), default=0)
        answer["players"] = [{"name": name, "points": own} for name, own in points.items()]
        answer["winners"] = [name for name, own in points.items() if own == best]
        problems += player_problems(players)
    return with_remarks(answer, problems)


def moves(document: Json) -> Json:
    grid = _grid(document)
    card = _card(member(document, "card"))
    answer: Json = {
        "placements": [
            {
                "cell": list(placement.cell),
                "up": placement.up.value,
                "grids": [str(after) for after in placement.grids],
            }
            for placement in placements(grid, card)
        ]
    }
    problems = grid.problems()
    if not problems:
        # The card in hand comes from the same box; it has no cell to show.
        cell = (-1, -1)
        problems = tuple(
            Problem(problem.code, problem.message, tuple(at for at in problem.cells if at != cell))
            for problem in deal_problems([*grid.cards, (cell, card)])
        )
    return with_remarks(answer, problems)


def audit(document: Json) -> Json:
    grid, order = _grid(document), _order(document)
    claims = claims_of(member(document, "claimed"), "claimed", ITEMS)
    findings = time_audit.audit(grid, order, ((Season(item), claimed) for item, claimed in claims))
    return with_remarks(audit_document(findings), grid.problems())


def _grid(document: Json) -> TimeGrid:
    grid = notation_of(TimeGrid.parse, member(document, "grid"), "grid")
    for cell, card in grid.cards:
        if card.up is None:
            raise UnreadableError(
                "unknown_side",
                f"expected a known upper side at {list(cell)}, got {str(card)!r}",
                "grid",
            )
    return grid


def _order(document: Json) -> list[Season]:
    order = document.get("order")
    return [] if order is None else seasons_of(order, "order")


def _card(value: Any) -> SeasonCard:
    card = notation_of(SeasonCard.parse, value, "card")
    if card.up is None or card.back is None:
        raise UnreadableError(
            "unknown_side", f"expected a card with two known sides, got {value!r}", "card"
        )
    return card


def _players(value: Any) -> dict[str, list[Season]]:
    return {
        name: seasons_of(seasons, joined("players", name))
        for name, seasons in object_of(value, "players").items()
    }


def _rank_document(rank: Rank) -> Json:
    return asdict(rank) | {"season": rank.season.value}
