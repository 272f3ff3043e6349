"""How a game came to its score: boards with photos, readings, corrections, points."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from scorer.game import TOTAL, Game
from scorer.games import GAMES
from scorer.notation import EMPTY, Cell, box_of, by_cell, join_rows, split_rows
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
class Laid:
    """A reading laid on the board that was made of it: turned and moved as the board was.

    ``read`` and ``board`` are words by cells. Both count from the first row and column that either
    has: a board may have grown on any side, or have lost empty edges. ``origin`` is the first cell
    of the board.
    """

    read: Mapping[Cell, str]
    board: Mapping[Cell, str]
    origin: Cell

    @property
    def cells(self) -> list[list[Cell]]:
        """The cells of the reading and the board, row by row."""
        _, (bottom, right) = box_of([*self.read, *self.board])
        return [[(row, col) for col in range(right + 1)] for row in range(bottom + 1)]

    @property
    def text(self) -> str:
        """The board as it was read."""
        return join_rows((self.read.get(cell, EMPTY) for cell in row) for row in self.cells)

    def cell_of(self, action: Json) -> Cell:
        """The cell that a `cell` action sets."""
        return action["row"] + self.origin[0], action["col"] + self.origin[1]


@dataclass(frozen=True, slots=True)
class BoardEvidence:
    """One board at the end, and how it came about."""

    seat: int | None
    owner: str
    """A player's name; empty for the board of the table."""
    text: str
    photo: PhotoRecord | None
    read: str
    """The board as it was read from the photo, turned and grown as it was used; empty without."""
    corrections: tuple[Correction, ...]

    @property
    def corrected(self) -> frozenset[Cell]:
        """Every cell of the board as it was read that was corrected."""
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
        read, corrections = corrected(game, seat)
        found.append(BoardEvidence(seat, owner, board["text"], photo, read, corrections))
    return tuple(found)


def laid(photo: PhotoRecord, action: Json) -> Laid:
    """The reading of *photo* on the board that the `board` *action* made of it."""
    read = {
        (cell["row"], cell["col"]): _one_word(str(cell["label"]))
        for cell in photo.reading.get("cells", [])
    }
    for _quarter in range((action.get("turns") or 0) % 4):
        last = max((row for row, _ in read), default=0)
        read = {(col, last - row): word for (row, col), word in read.items()}
    pieces = {cell: word for cell, word in read.items() if word != EMPTY}
    board = dict(by_cell(split_rows(action["text"])))
    moves = Counter(
        (at[0] - cell[0], at[1] - cell[1])
        for cell, word in pieces.items()
        for at, now in board.items()
        if _is_same(word, now)
    )
    move = max(moves, key=lambda one: (moves[one], -abs(one[0]) - abs(one[1])), default=(0, 0))
    pieces = _moved(pieces, *move)
    (top, left), _ = box_of([*pieces, *board])
    return Laid(_moved(pieces, -top, -left), _moved(board, -top, -left), (-top, -left))


def _moved(words: Mapping[Cell, str], down: int, right: int) -> dict[Cell, str]:
    return {(row + down, col + right): word for (row, col), word in words.items()}


def _one_word(label: str) -> str:
    """A label as notation has it: readings of an archive may hold any text."""
    word = "_".join(label.split())
    return "?" if word in ("", "/") else word


def _is_same(read: str, now: str) -> bool:
    """Whether a cell shows what was read; of a card only one side is seen."""
    return read in (now, now.split("/")[0])


def changes(game: GameRecord) -> Iterator[tuple[EventRecord, int | None, Laid | None]]:
    """The events that set a board or a cell, but those that were dropped.

    Each comes with the seat of its board, and with the reading that this board was made of. It
    comes without a reading once the board lies otherwise: play has changed it, or the photo was
    taken from another side than the board is kept.
    """
    photos = {photo.id: photo for photo in game.photos}
    rules = GAMES[game.kind]
    readings: dict[int | None, Laid | None] = {}
    before: dict[int | None, str] = {}
    for event in game.events:
        action = event.action
        if event.dropped:
            continue
        texts = {seat: str(board["text"]) for seat, board in rules.boards(event.state)}
        if action.get("type") in ("board", "cell"):
            seat = None if None in texts else action.get("seat")
            if action["type"] == "board":
                photo = photos.get(action.get("photo") or 0)
                readings[seat] = laid(photo, action) if photo else None
            yield event, seat, readings.get(seat)
            if action["type"] == "board" and not _lies_so(rules, texts.get(seat), action["text"]):
                readings[seat] = None
            elif action["type"] == "cell" and (reading := readings.get(seat)):
                readings[seat] = _followed(reading, action, before[seat], texts[seat])
        else:
            moved = (seat for seat in {**before, **texts} if texts.get(seat) != before.get(seat))
            readings |= dict.fromkeys(moved)
        before = texts


def _followed(reading: Laid, action: Json, before: str, after: str) -> Laid:
    """The reading of a board in which a `cell` action sets a cell.

    The rows and columns of a board without fixed edges count from its outermost pieces.
    """
    words = dict(by_cell(split_rows(before))) | {(action["row"], action["col"]): action["label"]}
    ours, theirs = (
        {cell for cell, word in board if word != EMPTY}
        for board in (words.items(), by_cell(split_rows(after)))
    )
    if not ours or not theirs:
        return reading
    (top, left), (new_top, new_left) = box_of([*ours])[0], box_of([*theirs])[0]
    down, right = new_top - top, new_left - left
    if {(row + down, col + right) for row, col in ours} != theirs:
        return reading
    return replace(reading, origin=(reading.origin[0] - down, reading.origin[1] - right))


def _lies_so(rules: Game, kept: str | None, seen: str) -> bool:
    """Whether a board is kept cell by cell as it was seen."""
    ours, theirs = (split_rows(rules.on_photo(text)) for text in (kept or EMPTY, seen))
    return ours == theirs


def corrects(event: EventRecord, reading: Laid | None) -> bool:
    """Whether an event sets a cell that was read as a piece: to lay one on a free cell is play."""
    is_cell = event.action["type"] == "cell"
    return is_cell and reading is not None and reading.cell_of(event.action) in reading.read


def corrected(game: GameRecord, seat: int | None) -> tuple[str, tuple[Correction, ...]]:
    """The last board of a seat as it was read, and what people corrected of it, one a cell.

    Nothing of either if it was not made of a photo.
    """
    text, found = "", dict[Cell, Correction]()
    for event, at, reading in changes(game):
        if event.undone or at != seat:
            continue
        words: Mapping[Cell, str] = {}
        if event.action["type"] == "board":
            text, found = reading.text if reading else "", {}
            if reading:
                words = {one: reading.board.get(one, EMPTY) for row in reading.cells for one in row}
        elif reading and corrects(event, reading):
            words = {reading.cell_of(event.action): event.action["label"]}
        for cell, now in words.items():
            assert reading is not None
            read, by = reading.read.get(cell, EMPTY), str(event.by["name"])
            found.pop(cell, None)
            if not _is_same(read, now):
                one = Correction(cell[0] + 1, cell[1] + 1, read, now, by, event.at_utc)
                found[cell] = one
    return text, tuple(found.values())


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
    of_readings = {event.seq for event, _, reading in changes(game) if corrects(event, reading)}
    found: list[LogLine] = []
    for event in game.events:
        what = _what(event)
        if what and not event.dropped:
            if event.action.get("photo"):
                what = _("A board was set from photo %(number)s.", number=event.action["photo"])
            elif event.seq in of_readings:
                what = _("A cell was corrected.")
            if event.undone:
                what = _("%(what)s It was undone.", what=what)
            found.append(LogLine(event.at_utc, str(event.by["name"]), what))
    return tuple(
        _folded(list(same)) for _key, same in groupby(found, key=lambda line: (line.by, line.what))
    )


def _what(event: EventRecord) -> str:
    """What a change did; empty for one that is no evidence."""
    action = event.action
    match action.get("type"):
        case "start":
            return _("The game was started.")
        case "player":
            return _("%(name)s plays, too.", name=event.state["players"][-1]["name"])
        case "board":
            return _("A board was set.")
        case "cell":
            return _("A cell was set.")
        case "worth":
            label, points = action["label"], action["points"]
            return _("Points for each %(label)s: %(points)s.", label=label, points=points)
        case "extra":
            name, points = event.state["players"][action["seat"]]["name"], action["points"]
            return _("Other points of %(name)s: %(points)s.", name=name, points=points)
        case "claim":
            return _("Figures of the pad were entered.")
        case "finish":
            return _("The game was finished.")
        case "resume":
            return _("The game was opened again.")
    return ""


def _folded(lines: Sequence[LogLine]) -> LogLine:
    """What was done once or several times in a row, as one line with its first moment."""
    first = lines[0]
    if len(lines) == 1:
        return first
    what = _("%(what)s (%(count)s times)", what=first.what, count=len(lines))
    return replace(first, what=what)
