"""How a game came to its score: boards with photos, readings, corrections, points."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from scorer.actions import is_correction
from scorer.game import TOTAL
from scorer.games import GAMES
from scorer.notation import EMPTY, Cell, join_rows
from scorer.stones.cards import PatternCard, cards_by_id
from webapp.after.games import EventRecord, GameRecord, Json, PhotoRecord
from webapp.i18n import gettext as _


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected cell: its reading and what lies there; row and column count from 1."""

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
    text: str
    photo: PhotoRecord | None
    corrections: tuple[Correction, ...]

    @property
    def read(self) -> str:
        """The board as it was read from the photo; empty without one."""
        labels = _labels_read(self.photo)
        if not labels:
            return ""
        rows, cols = (max(cell[axis] for cell in labels) + 1 for axis in (0, 1))
        words = {cell: _one_word(label) for cell, label in labels.items()}
        return join_rows(
            (words.get((row, col), EMPTY) for col in range(cols)) for row in range(rows)
        )

    @property
    def corrected(self) -> frozenset[Cell]:
        """Every cell that was corrected."""
        return frozenset((one.row - 1, one.col - 1) for one in self.corrections)


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of a score with its reason."""

    player: str
    label: str
    points: float
    why: str
    board: str = ""
    """The board that earned it, where *cells* did."""
    cells: tuple[Cell, ...] = ()
    cards: tuple[PatternCard, ...] = ()
    is_total: bool = False


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
    for seat, board in GAMES[game.kind].boards(game.state):
        photo = photos.get(board.get("photo") or 0)
        owner = game.players[seat] if seat is not None else ""
        corrections = _corrections(game, seat, photo)
        found.append(BoardEvidence(seat, owner, board["text"], photo, corrections))
    return tuple(found)


def _corrections(
    game: GameRecord, seat: int | None, photo: PhotoRecord | None
) -> tuple[Correction, ...]:
    """What people changed since the last reading of this board, in their own order; none without
    a photo, where everything is set by hand."""
    if photo is None:
        return ()
    labels = _labels_read(photo)
    found: list[Correction] = []
    for event in game.events:
        action = event.action
        if event.undone or event.dropped or (seat is not None and action.get("seat") != seat):
            continue
        changes: list[Sequence[Any]] = []
        if action.get("type") == "board":
            found, changes = [], _changes(action)
        elif (
            action.get("type") == "cell"
            and type(action.get("row")) is type(action.get("col")) is int
        ):
            at = (action["row"], action["col"])
            before = next(
                (one.now for one in reversed(found) if (one.row - 1, one.col - 1) == at),
                labels.get(at, "?"),
            )
            changes = [(*at, before, action.get("label", "?"))]
        by = str(event.by["name"])
        found += [
            Correction(row + 1, col + 1, str(before), str(after), by, event.at_utc)
            for row, col, before, after in changes
        ]
    return tuple(found)


def _changes(action: Json) -> list[Sequence[Any]]:
    changes = action.get("corrections")
    return (
        [change for change in changes if is_correction(change)] if isinstance(changes, list) else []
    )


def _labels_read(photo: PhotoRecord | None) -> dict[tuple[int, int], str]:
    cells = photo.reading.get("cells", []) if photo else []
    return {(cell["row"], cell["col"]): str(cell["label"]) for cell in cells}


def _one_word(label: str) -> str:
    """A label as notation has it: readings of an archive may hold any text."""
    word = "_".join(label.split())
    return "?" if word in ("", "/") else word


def score_lines(game: GameRecord) -> tuple[ScoreLine, ...]:
    """The points, line by line, as the rules give them: the table's first, then player by player
    in the order of their places."""
    places = {str(row["player"]): row["rank"] for row in game.result}
    rules = GAMES[game.kind]
    lines = rules.score_lines(game.state)
    lines.sort(key=lambda line: places.get(line.player, 0))
    boards = {seat: board["text"] for seat, board in rules.boards(game.state)}
    seats = {name: seat for seat, name in enumerate(game.players)}
    return tuple(
        ScoreLine(
            line.player,
            _(rules.label(line.item)),
            line.points,
            _(line.why),
            boards.get(seats.get(line.player), boards.get(None, "")) if line.cells else "",
            line.cells,
            tuple(cards_by_id()[card] for card in line.cards),
            line.item == TOTAL,
        )
        for line in lines
    )


def log(game: GameRecord) -> tuple[LogLine, ...]:
    """The changes that matter as evidence; hands and single turns are left out."""
    words = {
        "start": _("The game was started."),
        "board": _("A board was set."),
        "cell": _("A cell was set."),
        "claim": _("Figures of the pad were entered."),
        "finish": _("The game was finished."),
        "resume": _("The game was opened again."),
    }
    found: list[LogLine] = []
    for event in game.events:
        what = words.get(str(event.action.get("type")))
        if what and not event.dropped:
            if event.action.get("photo"):
                what = _("A board was set from photo %(number)s.", number=event.action["photo"])
            elif event.action["type"] == "cell" and _is_of_a_photo(game, event):
                what = _("A cell was corrected.")
            if event.undone:
                what = _("%(what)s It was undone.", what=what)
            found.append(LogLine(event.at_utc, str(event.by["name"]), what))
    return tuple(
        _folded(list(same)) for _key, same in groupby(found, key=lambda line: (line.by, line.what))
    )


def _is_of_a_photo(game: GameRecord, event: EventRecord) -> bool:
    """Whether the board that was changed was read from a photo."""
    boards = dict(GAMES[game.kind].boards(event.state))
    return bool(boards.get(event.action.get("seat"), {}).get("photo"))


def _folded(lines: Sequence[LogLine]) -> LogLine:
    """What was done once or several times in a row, as one line with its first moment."""
    first = lines[0]
    if len(lines) == 1:
        return first
    what = _("%(what)s (%(count)s times)", what=first.what, count=len(lines))
    return replace(first, what=what)
