"""Documents of Shifting Stones."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from scorer.audit import audit_document, player_claims
from scorer.fields import (
    Json,
    UnreadableError,
    different_of,
    entries_of,
    list_of,
    member,
    notation_of,
    players_of,
    whole_of,
    with_remarks,
)
from scorer.notation import Problem
from scorer.stones import audit as stones_audit
from scorer.stones.board import StoneGrid
from scorer.stones.cards import PatternCard, cards_by_id, placements
from scorer.stones.score import FinalScore, final_scores, winners
from scorer.stones.turn import MOST_CARDS, Flip, Shift, Step, best_turn, distance
from scorer.text import Text

ITEMS = {item: item for item in ("points", "ones", "bonus", "total")}


def score(document: Json) -> Json:
    players = _players(document)
    scores = final_scores(players)
    answer = {
        "players": [_player_document(row) for row in scores],
        "winners": list(winners(scores)),
    }
    return with_remarks(answer, _problems(players))


def moves(document: Json) -> Json:
    grid = notation_of(StoneGrid.parse, member(document, "grid"), "grid")
    hand = _hand(member(document, "hand"))
    turn = best_turn(grid, hand)
    answer: Json = {
        "matches": [card.id for card in hand if placements(grid, card.pattern)],
        "best": {
            "points": turn.points,
            "discards": turn.discards,
            "steps": [step_document(step) for step in turn.steps],
        },
        "distance": {str(card.id): distance(grid, card) for card in hand},
    }
    return with_remarks(answer, grid.problems())


def audit(document: Json) -> Json:
    players = _players(document)
    scores = {row.name: row for row in final_scores(players)}
    findings = [
        finding
        for name, claims in player_claims(document, scores, ITEMS)
        for finding in stones_audit.audit(scores, players[name], name, claims)
    ]
    return with_remarks(audit_document(findings), _problems(players))


def _players(document: Json) -> dict[str, tuple[PatternCard, ...]]:
    def cards(_: str, player: Json, path: str) -> tuple[PatternCard, ...]:
        held = entries_of(member(player, "cards", path), f"{path}.cards")
        return tuple(_card(card, where) for card, where in held)

    return players_of(document, cards)


def _card(value: Any, path: str) -> PatternCard:
    card = cards_by_id().get(whole_of(value, path))
    if card is None:
        raise UnreadableError(
            "unknown_card", f"expected a card 1 to {len(cards_by_id())}, got {value!r}", path
        )
    return card


def _hand(value: Any) -> list[PatternCard]:
    if len(list_of(value, "hand")) > MOST_CARDS:
        raise UnreadableError(
            "wrong_shape", f"expected up to {MOST_CARDS} cards, got {len(value)}", "hand"
        )
    return different_of(value, "hand", _card, "different cards", "id")


def _problems(players: dict[str, tuple[PatternCard, ...]]) -> list[Problem]:
    held = Counter(card.id for cards in players.values() for card in cards)
    return [
        Problem(
            "card_held_twice",
            Text(
                "expected the card %(card)s once at the table, got it %(count)s times",
                card=card,
                count=count,
            ),
        )
        for card, count in held.items()
        if count > 1
    ]


def _player_document(row: FinalScore) -> Json:
    return asdict(row) | {"total": row.total}


def step_document(step: Step) -> Json:
    match step:
        case Shift(first, second):
            return {"shift": [list(first), list(second)]}
        case Flip(cell):
            return {"flip": list(cell)}
        case _:
            return {"score": step.card.id}
