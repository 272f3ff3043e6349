"""What the pad says beside what the rules give: the lines to ask for, and the answer with its reasons."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from scorer.audit import check
from scorer.documents import answer_lines
from scorer.games import GAMES
from scorer.villagers.documents import MARKET_ITEMS
from webapp.after.games import GameRecord, Json
from webapp.i18n import gettext as _

SEASONS = ("spring", "summer", "autumn", "winter")


@dataclass(frozen=True, slots=True)
class Question:
    """One figure on the pad: ``item`` is its name in the documents, ``claimed`` what was entered so far."""

    item: str
    label: str
    claimed: int | None


@dataclass(frozen=True, slots=True)
class Pad:
    """The column of one player, or of the table where the game has no players' columns."""

    seat: int | None
    name: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One figure of the pad, checked."""

    player: str
    item: str
    label: str
    claimed: int
    points: int
    why: str

    @property
    def agrees(self) -> bool:
        return self.claimed == self.points


def pads(game: GameRecord) -> tuple[Pad, ...]:
    """The lines that the pad of *game* has."""
    claims = game.state.get("claims", {})
    columns: list[tuple[int | None, str, tuple[str, ...]]] = [
        (seat, name, items(game, seat)) for seat, name in enumerate(game.players)
    ]
    if not any(lines for *_rest, lines in columns):
        columns = [(None, _("The table"), SEASONS)]
    return tuple(
        Pad(
            seat,
            name,
            tuple(
                Question(item, label_of(item), claims.get(claim_key(seat), {}).get(item)) for item in lines
            ),
        )
        for seat, name, lines in columns
        if lines
    )


def claim_key(seat: int | None) -> str:
    """Under which the games keep the claims of a seat."""
    return "shared" if seat is None else str(seat)


def items(game: GameRecord, seat: int) -> tuple[str, ...]:
    """The names of the figures, from the top of the pad to the bottom."""
    match game.kind:
        case "stones":
            return ("points", "ones", "bonus", "total") if len(game.players) > 1 else ("points", "total")
        case "seasons":
            return (*game.state["cards"], "total")
        case "time":
            return tuple(game.state["seasons"][seat])
        case "villagers":
            return tuple(MARKET_ITEMS)
        case _:
            return ("total",)


def label_of(item: str) -> str:
    """A figure's name for people."""
    labels = {
        "points": _("Points of the cards"),
        "ones": _("Cards with 1 point"),
        "bonus": _("Bonus"),
        "total": _("Total"),
        "gold": _("Gold of the villagers"),
        "silver": _("Silver"),
        "coins": _("Coins on villagers"),
        "market": _("Market"),
        "supply": _("Supply"),
        "spring": _("Spring"),
        "summer": _("Summer"),
        "autumn": _("Autumn"),
        "winter": _("Winter"),
    }
    return labels.get(item, card_label(item))


def card_label(card: str) -> str:
    """A score card's name for people."""
    return _(english_label(card))


def english_label(card: str) -> str:
    """A score card's name in words.

    >>> english_label("six-diagonals")
    'Six diagonals'
    """
    words = card.replace("-", " ")
    return words[:1].upper() + words[1:]


def answers(game: GameRecord) -> tuple[Answer, ...]:
    """Every figure that was entered, checked; in the order of the pad."""
    if not any(game.state.get("claims", {}).values()):
        return ()
    rules = GAMES[game.kind]
    documents = rules.documents(game.state)
    if not documents:
        return _totals(game)
    found: list[Answer] = []
    for document in documents:
        if not document.get("claimed"):
            continue
        (answer,) = answer_lines("audit", [json.dumps(document)])
        found += [_answer(document, line) for line in answer.get("lines", ())]
    return tuple(found)


def _answer(document: Json, line: dict[str, Any]) -> Answer:
    player = line["player"] or document.get("id") or ""  # a villagers' document is one player's
    return Answer(
        str(player), line["item"], label_of(line["item"]), line["claimed"], line["points"], _(line["why"])
    )


def _totals(game: GameRecord) -> tuple[Answer, ...]:
    """A game that only has totals."""
    found = []
    for seat, lines in game.state["claims"].items():
        row = game.result[int(seat)]
        for item, claimed in lines.items():
            if item == "total" and isinstance(claimed, int):
                finding = check(row["player"], item, claimed, row["score"], (), f"the sum is {row['score']}")
                found.append(
                    Answer(row["player"], item, label_of(item), claimed, finding.points, finding.why)
                )
    return tuple(found)
