"""Documents of Shifting Seasons."""

from collections.abc import Sequence
from typing import Any

from scorer.audit import audit_document, player_claims
from scorer.fields import (
    Json,
    UnreadableError,
    cell_of,
    cells_document,
    different_of,
    entries_of,
    list_of,
    member,
    notation_of,
    player_problems,
    players_of,
    season_of,
    text_of,
    whole_of,
    with_remarks,
)
from scorer.notation import Cell
from scorer.seasons import audit as seasons_audit
from scorer.seasons.board import LAYOUTS, SIDE, SeasonBoard, cells_of, table_notes, table_problems
from scorer.seasons.cards import CARDS, SHORT_DIAGONALS, ScoreCard, ShortDiagonals
from scorer.seasons.score import CardScore, Player, PlayerScore, score_player, winners
from scorer.seasons.turn import AREAS, legal_cells

_SHORT = ShortDiagonals.name


def score(document: Json) -> Json:
    _, players, scores = _table(document)
    answer = {
        "players": [_player_document(row) for row in scores],
        "winners": [player.name for player in winners(scores)],
    }
    return _with_remarks(answer, players)


def moves(document: Json) -> Json:
    board = _board(member(document, "board"), "board")
    number = whole_of(member(document, "number"), "number", min(AREAS), max(AREAS))
    return with_remarks({"cells": cells_document(legal_cells(board, number))}, board.problems())


def audit(document: Json) -> Json:
    cards, players, scores = _table(document)
    by_name = {row.player.name: row for row in scores}
    items = {card.name: card.name for card in cards} | {"total": "total"}
    findings = [
        finding
        for name, claims in player_claims(document, by_name, items)
        for finding in seasons_audit.audit(by_name[name], claims)
    ]
    return _with_remarks(audit_document(findings), players)


def _with_remarks(answer: Json, players: list[Player]) -> Json:
    boards = [player.board for player in players]
    seated = player_problems({player.name: [player.season] for player in players})
    return with_remarks(answer, [*table_problems(boards), *seated], table_notes(boards))


def _table(document: Json) -> tuple[list[ScoreCard], list[Player], list[PlayerScore]]:
    cards = _cards(member(document, "cards"))
    players = [*players_of(document, _player).values()]
    if document.get("short_diagonals") is not None:
        own_print = short_diagonals(
            document["short_diagonals"], [player.board for player in players]
        )
        cards = [own_print if card.name == _SHORT else card for card in cards]
    return cards, players, [score_player(player, cards) for player in players]


def _card(value: Any, path: str) -> ScoreCard:
    card = CARDS.get(text_of(value, path).lower())
    if card is None:
        raise UnreadableError(
            "unknown_card", f"expected one of {' '.join(CARDS)}, got {value!r}", path
        )
    return card


def _cards(value: Any) -> list[ScoreCard]:
    cards = different_of(value, "cards", _card, "different cards", "name")
    if not cards:
        raise UnreadableError("wrong_shape", f"expected 1 to {len(CARDS)} cards, got none", "cards")
    return cards


def _player(name: str, player: Json, path: str) -> Player:
    return Player(
        name,
        season_of(member(player, "season", path), f"{path}.season"),
        _board(member(player, "board", path), f"{path}.board"),
    )


def _board(value: Any, path: str) -> SeasonBoard:
    """A board with its numbers in an order that the card texts allow."""
    board = notation_of(SeasonBoard.parse, value, path)
    if board.layout not in LAYOUTS:
        order = " ".join(map(str, board.layout.order))
        raise UnreadableError(
            "bad_notation",
            f"expected 1 2 3 4 or 1 2 4 3 clockwise from the top left, got {order}",
            path,
        )
    return board


def short_diagonals(value: Any, boards: Sequence[SeasonBoard]) -> ShortDiagonals:
    """The print of a user's own card: four diagonals of three cells without a number."""
    _expect_length(value, "short_diagonals", len(SHORT_DIAGONALS), "diagonals")
    numbers = {cell for board in boards for cell in board.layout.numbers}
    diagonals: list[tuple[Cell, ...]] = []
    for entry, path in entries_of(value, "short_diagonals"):
        _expect_length(entry, path, len(SHORT_DIAGONALS[0]), "cells")
        cells: list[Cell] = []
        for place, where in entries_of(entry, path):
            cell = cell_of(place, where, SIDE)
            if cell in cells:
                raise UnreadableError(
                    "duplicate", f"expected different cells, got {list(cell)} again", where
                )
            if cell in numbers:
                raise UnreadableError(
                    "number_cell", f"expected a space, got the number cell {list(cell)}", where
                )
            cells.append(cell)
        diagonals.append(tuple(cells))
    return ShortDiagonals(diagonals)


def _expect_length(value: Any, path: str, length: int, what: str) -> None:
    if len(list_of(value, path)) != length:
        raise UnreadableError("wrong_shape", f"expected {length} {what}, got {len(value)}", path)


def _player_document(row: PlayerScore) -> Json:
    return {
        "name": row.player.name,
        "total": row.total,
        "precious": row.precious,
        "cards": [_card_document(score) for score in row.cards],
    }


def _card_document(score: CardScore) -> Json:
    return {
        "card": score.card.name,
        "points": score.points,
        "tiles": score.tiles,
        "precious": score.precious,
        "own": score.own,
        "groups": [cells_document(cells_of(group)) for group in score.groups],
    }
