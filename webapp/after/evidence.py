"""How a game came to its score: boards with their photos, what was read, what people changed, where points come from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scorer.actions import is_correction
from scorer.documents import answer_lines
from scorer.games import GAMES
from webapp.after.audit import card_label, label_of
from webapp.after.games import GameRecord, Json, PhotoRecord
from webapp.i18n import gettext as _


@dataclass(frozen=True, slots=True)
class Correction:
    """A cell that a person changed: from what was read to what lies there. Row and column count from 1."""

    row: int
    col: int
    read: str
    now: str
    by: str
    at_utc: datetime


@dataclass(frozen=True, slots=True)
class BoardEvidence:
    """One board at the end, and how it came about."""

    seat: int | None
    owner: str
    """A player's name; empty for the board of the table."""
    rows: tuple[tuple[str, ...], ...]
    photo: PhotoRecord | None
    corrections: tuple[Correction, ...]

    @property
    def corrected(self) -> frozenset[tuple[int, int]]:
        """(row, column) of every corrected cell, from 1."""
        return frozenset((one.row, one.col) for one in self.corrections)


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of a score with its reason."""

    player: str
    label: str
    points: float
    why: str


@dataclass(frozen=True, slots=True)
class LogLine:
    """One change that matters as evidence."""

    at_utc: datetime
    by: str
    what: str


def boards(game: GameRecord) -> tuple[BoardEvidence, ...]:
    """Every board of *game* as it lies at the end."""
    photos = {photo.id: photo for photo in game.photos}
    found = []
    for seat, board in _board_states(game):
        photo = photos.get(board.get("photo") or 0)
        owner = game.players[seat] if seat is not None else ""
        rows = tuple(tuple(row.split()) for row in board["text"].split(" / "))
        found.append(BoardEvidence(seat, owner, rows, photo, _corrections(game, seat, photo)))
    return tuple(found)


def _board_states(game: GameRecord) -> list[tuple[int | None, Json]]:
    """(seat, {"text", "photo"}) of every board that was set; None is the board of the table."""
    state = game.state
    match game.kind:
        case "time":
            return [(None, {"text": state["grid"], "photo": state["photo"]})] if state["grid"] != "." else []
        case "stones":
            return [(None, state["board"])] if state["board"] else []
        case "seasons":
            return [(seat, board) for seat, board in enumerate(state["boards"]) if board]
        case "custom":
            return [
                (None if key == "shared" else int(key), board)
                for key, board in sorted(state["boards"].items())
            ]
        case _:
            return []


def _corrections(game: GameRecord, seat: int | None, photo: PhotoRecord | None) -> tuple[Correction, ...]:
    """What people changed since the last reading of this board, in their own order."""
    labels = _labels_read(photo)
    found: list[Correction] = []
    for event in game.events:
        action = event.action
        if event.undone or event.dropped or (seat is not None and action.get("seat") != seat):
            continue
        by = str(event.by["name"])
        if action.get("type") == "board":
            found = [
                Correction(row + 1, col + 1, str(before), str(after), by, event.at_utc)
                for row, col, before, after in _changes(action)
            ]
        elif action.get("type") == "cell" and type(action.get("row")) is type(action.get("col")) is int:
            at = (action["row"], action["col"])
            before = next(
                (one.now for one in reversed(found) if (one.row - 1, one.col - 1) == at), labels.get(at, "?")
            )
            found.append(
                Correction(at[0] + 1, at[1] + 1, before, str(action.get("label", "?")), by, event.at_utc)
            )
    return tuple(found)


def _changes(action: Json) -> list[list[Any]]:
    changes = action.get("corrections")
    return [change for change in changes if is_correction(change)] if isinstance(changes, list) else []


def _labels_read(photo: PhotoRecord | None) -> dict[tuple[int, int], str]:
    cells = photo.reading.get("cells", []) if photo else []
    return {(cell["row"], cell["col"]): str(cell["label"]) for cell in cells}


def score_lines(game: GameRecord) -> tuple[ScoreLine, ...]:
    """Every player's points, line by line, as the rules give them."""
    found: list[ScoreLine] = []
    for document in GAMES[game.kind].documents(game.state):
        (answer,) = answer_lines("score", [json.dumps(document)])
        found += _lines_of(answer)
    if found:
        return tuple(found)
    return tuple(ScoreLine(row["player"], label_of("total"), row["score"], "") for row in game.result)


def _lines_of(answer: Json) -> list[ScoreLine]:
    if "ranking" in answer:
        ranks = [
            ScoreLine(
                "",
                label_of(rank["season"]),
                rank["points"],
                _(
                    "%(cards)s cards, largest group %(group)s",
                    cards=rank["cards"],
                    group=rank["group"],
                ),
            )
            for rank in answer["ranking"]
        ]
        return ranks + [
            ScoreLine(player["name"], label_of("total"), player["points"], "")
            for player in answer.get("players", ())
        ]
    if "villagers" in answer:
        name = str(answer.get("id", ""))
        lines = [
            ScoreLine(name, line["name"], line["gold"] + line["silver"] + line["coins"], _(line["why"]))
            for line in answer["villagers"]
        ]
        lines.append(ScoreLine(name, label_of("supply"), answer["supply"], ""))
        return [*lines, ScoreLine(name, label_of("total"), answer["total"], "")]
    lines = []
    for player in answer.get("players", ()):
        for card in player.get("cards", ()):
            why = _(
                "%(tiles)s tiles, %(precious)s precious, %(own)s of the own season",
                tiles=card["tiles"],
                precious=card["precious"],
                own=card["own"],
            )
            lines.append(ScoreLine(player["name"], card_label(card["card"]), card["points"], why))
        if "ones" in player:
            lines.append(ScoreLine(player["name"], label_of("points"), player["points"], ""))
            why = _("cards with 1 point: %(count)s", count=player["ones"])
            lines.append(ScoreLine(player["name"], label_of("bonus"), player["bonus"], why))
        lines.append(ScoreLine(player["name"], label_of("total"), player["total"], ""))
    return lines


def log(game: GameRecord) -> tuple[LogLine, ...]:
    """The changes that matter as evidence; hands and single turns are left out."""
    words = {
        "start": _("The game was started."),
        "board": _("A board was set."),
        "cell": _("A cell was corrected."),
        "claim": _("Figures of the pad were entered."),
        "finish": _("The game was finished."),
        "resume": _("The game was opened again."),
    }
    found = []
    for event in game.events:
        what = words.get(str(event.action.get("type")))
        if what and not event.dropped:
            if event.action.get("photo"):
                what = _("A board was set from photo %(number)s.", number=event.action["photo"])
            if event.undone:
                what = _("%(what)s It was undone.", what=what)
            found.append(LogLine(event.at_utc, str(event.by["name"]), what))
    return tuple(found)
