"""Documents of games that the players describe."""

from typing import Any

from scorer.audit import audit_document, player_claims
from scorer.custom import audit as custom_audit
from scorer.custom.board import BoardSpecError, CustomBoard, new_board
from scorer.custom.labels import MOST_LABEL
from scorer.custom.rules import EXTRA, TOTAL, WORTH
from scorer.custom.score import PlayerScore, score_player, winners
from scorer.fields import (
    Json,
    UnreadableError,
    cells_document,
    joined,
    member,
    notation_of,
    object_of,
    players_of,
    whole_of,
    with_remarks,
)
from scorer.game import MOST_FIGURE


def score(document: Json) -> Json:
    board, scores = _table(document)
    answer: Json = {
        "players": [player_document(row) for row in scores],
        "winners": [row.name for row in winners(scores)],
    }
    return with_remarks(answer, board.problems(row.grid for row in scores))


def audit(document: Json) -> Json:
    board, scores = _table(document)
    by_name = {row.name: row for row in scores}
    names = [*(rule.name for rule in board.score), WORTH, EXTRA, TOTAL]
    items = {name.lower(): name for name in names}
    findings = [
        finding
        for name, claims in player_claims(document, by_name, items)
        for finding in custom_audit.audit(by_name[name], claims)
    ]
    return with_remarks(audit_document(findings), board.problems(row.grid for row in scores))


def player_document(row: PlayerScore) -> Json:
    """A player's score as answers and pages have it: each rule with what earned its points."""
    return {
        "name": row.name,
        "total": row.total,
        "rules": [
            {
                "rule": item.name,
                "points": item.points,
                "groups": [
                    {"cells": cells_document(one.cells), "points": one.points, "why": one.why}
                    for one in item.earned
                ],
            }
            for item in row.items
        ],
        "extra": row.extra,
    }


def _table(document: Json) -> tuple[CustomBoard, list[PlayerScore]]:
    path = "description"
    try:
        board = new_board(object_of(member(document, path), path))
    except BoardSpecError as error:
        raise UnreadableError("bad_description", str(error), path) from None
    worth = {
        label: whole_of(points, joined("worth", label), -MOST_FIGURE, MOST_FIGURE)
        for label, points in object_of(document.get("worth", {}), "worth").items()
    }

    def scored(name: str, player: Json, path: str) -> PlayerScore:
        extra = whole_of(player.get("extra", 0), joined(path, "extra"), -MOST_FIGURE, MOST_FIGURE)
        grid = _grid(player["board"], board, joined(path, "board")) if "board" in player else []
        return score_player(name, grid, board.score, worth, extra)

    return board, [*players_of(document, scored).values()]


def _grid(value: Any, board: CustomBoard, path: str) -> list[list[str]]:
    rows = notation_of(board.rows_in, value, path)
    word = next((word for row in rows for word in row if len(word) > MOST_LABEL), None)
    if word is not None:
        expected = f"expected labels of at most {MOST_LABEL} letters, got {word[:MOST_LABEL]!r}"
        raise UnreadableError("bad_notation", expected, path)
    return rows
