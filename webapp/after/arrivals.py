"""What comes in as an archive: unpacked within limits, and every game of it held to the rules.

Nothing that comes in is believed: sizes, names, hashes and shapes are checked, and every game is
played again from its log. A file of which one game cannot be is refused as a whole. What is
accepted can be written and read again.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, get_args

from scorer.actions import MOST_CORRECTIONS, MOST_SIDE
from scorer.custom.board import MOST_LABEL
from scorer.game import ActionError
from scorer.games import GAMES
from scorer.setup import checked_setup
from vision.boards import BOARDS
from vision.errors import PhotoRejected
from webapp.after import audit, evidence
from webapp.after.exchange import FORMAT, RESULTS, VERSION, ArchiveError
from webapp.after.games import EventRecord, GameRecord, Json, PhotoRecord, as_utc
from webapp.i18n import gettext as _
from webapp.store.photos import LONG_SIDE_PX
from webapp.tables.devices import Role
from webapp.tables.errors import TableError
from webapp.tables.members import MOST_MEMBERS
from webapp.tables.photos import MOST_PHOTOS
from webapp.tables.values import MOST_ACTION_CHARS, MOST_STATE_CHARS, checked_json

MOST_DOCUMENT_BYTES = 16 << 20
"""Size of one JSON file: a game whose log is as long as a game's may get, with its readings."""

MOST_VALUES = 1_500_000
"""Most values in one JSON file; each takes about a hundred bytes in memory."""

MOST_DEPTH = 24
"""Brackets within brackets in one JSON file."""

MOST_RATIO = 250
"""Most times that JSON files may be larger than packed; repeated states pack a hundredfold."""

MOST_EVENTS = 15_000
"""Changes of one game."""

MOST_PHOTO_BYTES = 8 << 20
"""Size of a stored photo; one of 2048 pixels has about one megabyte."""

YEARS = range(1971, 2200)
"""Years in which a game may have been played: every calendar and time zone can show them."""

MOST_SIDE_PX = 20_000
MOST_ALTERNATIVES = 100
MOST_PROBLEMS = 100
MOST_ROW = 2**31 - 1

_PHOTO_NAME = re.compile(r"photos/([0-9a-f]{64})\.jpg")
_DOCUMENT_NAME = re.compile(r"games(/\d{1,9})?\.json")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
_ENTRY = b"PK\x01\x02"
"""With this every entry of a ZIP file's directory begins."""

_BROKEN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What code that expects one of our own games raises for something else."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one archive may hold, and how long it may take to check."""

    games: int
    photos: int
    unpacked_bytes: int
    seconds: float


GUEST = Limits(games=1_000, photos=1_000, unpacked_bytes=128 << 20, seconds=60)
"""For a file that comes from a page: anybody can send one."""

OWNER = Limits(games=100_000, photos=100_000, unpacked_bytes=64 << 30, seconds=math.inf)
"""For a file that is named on the command line."""


class Arrival:
    """The games and pictures of a file, unpacked one after the other.

    Raises
    ------
    ArchiveError
        If it is larger than *limits*, or holds files that no archive has.
    """

    def __init__(self, data: bytes, limits: Limits = GUEST) -> None:
        self._data = data
        self._limits = limits
        self._zip: zipfile.ZipFile | None = None
        self._pictures: dict[str, zipfile.ZipInfo] = {}
        if data[:2] == b"PK":
            self._open()

    def _open(self) -> None:
        most = self._limits.games + self._limits.photos + 1
        if self._data.count(_ENTRY) > most:
            raise _too_large()
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(self._data))
        except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, ValueError) as error:
            raise _damaged() from error
        entries = self._zip.infolist()
        documents = [entry for entry in entries if _DOCUMENT_NAME.fullmatch(entry.filename)]
        for entry in entries:
            if found := _PHOTO_NAME.fullmatch(entry.filename):
                self._pictures[found[1]] = entry
        if not documents:
            raise ArchiveError(_("There is no games.json in the archive."))
        if len(documents) + len(self._pictures) + (RESULTS in self._zip.namelist()) != len(entries):
            raise ArchiveError(_("The archive holds a file that does not belong there."))
        unpacked = sum(entry.file_size for entry in documents)
        packed = sum(entry.compress_size for entry in documents)
        if unpacked > self._limits.unpacked_bytes or unpacked > MOST_RATIO * packed:
            raise _too_large()

    def games(self) -> Iterator[GameRecord]:
        """The games, with every value of its kind, not yet played. Raises ArchiveError."""
        number = 0
        for document in self._documents():
            for game in _games_of(document):
                number += 1
                if number > self._limits.games:
                    raise _too_large()
                with_number = _("Game %(number)s: %(reason)s", number=number, reason="%s")
                try:
                    yield _parse_game(checked_json(game, MOST_DEPTH))
                except ArchiveError as error:
                    raise ArchiveError(with_number % error) from None
                except (TableError, *_BROKEN) as error:
                    reason = _("something is missing or of the wrong kind.")
                    raise ArchiveError(with_number % reason) from error

    def _documents(self) -> Iterator[bytes]:
        if self._zip is None:
            if len(self._data) > MOST_DOCUMENT_BYTES:
                raise _too_large()
            yield self._data
            return
        for entry in self._zip.infolist():
            if _DOCUMENT_NAME.fullmatch(entry.filename):
                yield self._unpacked(entry, MOST_DOCUMENT_BYTES)

    def picture(self, sha256: str) -> bytes | None:
        """The picture with that hash, if it is there. Raises ArchiveError if it was changed."""
        entry = self._pictures.get(sha256)
        if entry is None:
            return None
        picture = self._unpacked(entry, MOST_PHOTO_BYTES)
        if hashlib.sha256(picture).hexdigest() != sha256:
            raise ArchiveError(_("The photo %(name)s was changed or damaged.", name=sha256[:12]))
        return picture

    def _unpacked(self, entry: zipfile.ZipInfo, most: int) -> bytes:
        """A file of the ZIP, read no further than *most* bytes whatever its header says."""
        assert self._zip is not None
        try:
            with self._zip.open(entry) as file:
                data = file.read(most + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            NotImplementedError,
            RuntimeError,
            EOFError,
            OSError,
        ) as error:
            raise _damaged() from error
        if len(data) > most:
            raise _too_large()
        return data


def _too_large() -> ArchiveError:
    return ArchiveError(_("The archive is too large to be unpacked here."))


def _damaged() -> ArchiveError:
    return ArchiveError(_("The archive is damaged: it cannot be unpacked."))


def parse(
    data: bytes,
    limits: Limits = GUEST,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Arrival:
    """A JSON or ZIP file of which every game and picture was checked. Raises ArchiveError.

    Each picture is decoded within a *turn* of its own.
    """
    arrival = Arrival(data, limits)
    end = time.monotonic() + limits.seconds

    def hurry() -> None:
        if time.monotonic() > end:
            raise ArchiveError(
                _("The archive takes too long to check: take in fewer games at a time.")
            )

    for number, record in enumerate(arrival.games(), 1):
        try:
            _check(record, arrival, hurry, turn)
        except ArchiveError as error:
            raise ArchiveError(
                _("Game %(number)s: %(reason)s", number=number, reason=error)
            ) from None
    return arrival


# The text


def _games_of(data: bytes) -> list[Any]:
    """The games of one JSON file; its size, depth and number of values are checked first."""
    brackets = _STRING.sub(b"", data).translate(None, _NO_BRACKET)
    for _level in range(MOST_DEPTH):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    values = sum(data.count(sign) for sign in (b",", b"[", b"{"))
    if values > MOST_VALUES:
        raise _too_large()
    try:
        if brackets:
            raise ValueError("nested too deeply, or brackets without their partner")
        document = json.loads(data.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(_("The file is no archive of Tallystone: it is not JSON.")) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ArchiveError(_("The file is no archive of Tallystone."))
    if document.get("version") != VERSION:
        raise ArchiveError(
            _("The archive was written by a newer Tallystone: please update this one.")
        )
    games = document.get("games")
    if not isinstance(games, list):
        raise ArchiveError(_("The list of games in the archive cannot be read."))
    return games


def _no_constant(name: str) -> None:
    raise ValueError(f"expected a number, got {name}")


# The shape of a game


def _parse_game(game: Any) -> GameRecord:
    kind = _text(game["kind"], 20)
    if kind not in GAMES:
        raise ArchiveError(_("it is of a kind that is not known here."))
    events, photos = _list(game["events"], MOST_EVENTS), _list(game["photos"], MOST_PHOTOS)
    setup = _object(game["setup"])
    return GameRecord(
        code=_text(game["code"], 6),
        kind=kind,
        setup=setup,
        state=_object(game["state"]),
        created_utc=_moment(game["created_utc"]),
        finished_utc=None if game["finished_utc"] is None else _moment(game["finished_utc"]),
        location=_text(game["location"], 200),
        events=tuple(_parse_event(event, len(setup["players"])) for event in events),
        photos=tuple(_parse_photo(photo, len(setup["players"])) for photo in photos),
    )


def _parse_event(event: Any, seats: int) -> EventRecord:
    by, action, state = (_object(event[name]) for name in ("by", "action", "state"))
    if by["role"] not in get_args(Role):
        raise ValueError("not a role")
    _text(action["type"], 40)
    if len(_canonical(action)) > MOST_ACTION_CHARS or len(_canonical(state)) > MOST_STATE_CHARS:
        raise ValueError("too large")
    return EventRecord(
        seq=_whole(event["seq"], MOST_EVENTS),
        at_utc=_moment(event["at_utc"]),
        by={"name": _text(by["name"], 80), "role": by["role"], "seat": _seat(by["seat"], seats)},
        action=action,
        state=state,
        undone=event["undone"] is True,
        dropped=event["dropped"] is True,
    )


def _parse_photo(photo: Any, seats: int) -> PhotoRecord:
    sha256 = _text(photo["sha256"], 64)
    if not re.fullmatch("[0-9a-f]{64}", sha256):
        raise ValueError("not a sha256")
    return PhotoRecord(
        id=_whole(photo["id"], MOST_ROW),
        seat=_seat(photo["seat"], seats),
        board=_text(photo["board"], 40),
        sha256=sha256,
        reading=_reading(photo["reading"]),
        taken_utc=_moment(photo["taken_utc"]),
        width=_whole(photo["width"], MOST_SIDE_PX),
        height=_whole(photo["height"], MOST_SIDE_PX),
        size=_whole(photo["size"], MOST_PHOTO_BYTES),
        profile=None if photo["profile"] is None else _text(photo["profile"], 80),
    )


def _reading(value: Any) -> Json:
    """The document of a reading, with all that pages look at."""
    reading = _object(value)
    _quad(reading["outline"])
    for problem in _list(reading["problems"], MOST_PROBLEMS):
        _text(problem, 1000)
    for cell in _list(reading["cells"], MOST_CORRECTIONS):
        _whole(cell["row"], MOST_SIDE - 1)
        _whole(cell["col"], MOST_SIDE - 1)
        _text(cell["label"], MOST_LABEL)
        _number(cell["confidence"])
        _quad(cell["quad"])
        if not isinstance(cell["sure"], bool):
            raise ValueError("not true or false")
        for label, probability in _list(cell["alternatives"], MOST_ALTERNATIVES):
            _text(label, MOST_LABEL)
            _number(probability)
    return reading


def _quad(value: Any) -> None:
    if [len(_list(point, 2)) for point in _list(value, 4)] != [2] * 4:
        raise ValueError("not four points")
    for point in value:
        for number in point:
            _number(number)


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError("not a text of that length")
    return value


def _whole(value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError("not a whole number of that size")
    return value


def _number(value: Any) -> None:
    if type(value) not in (int, float) or abs(value) > MOST_ROW:
        raise ValueError("not a number of that size")


def _seat(value: Any, seats: int) -> int | None:
    return None if value is None else _whole(value, seats - 1)


def _object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _list(value: Any, most: int) -> Sequence[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError("not a list of that length")
    return value


def _moment(value: Any) -> datetime:
    moment = datetime.fromisoformat(_text(value, 40))
    if moment.year not in YEARS:
        raise ValueError("not a year of a game")
    return as_utc(moment)


def _canonical(state: Json) -> str:
    return json.dumps(state, sort_keys=True)


# The rules


def _check(
    game: GameRecord,
    arrival: Arrival,
    hurry: Callable[[], None],
    turn: Callable[[], AbstractContextManager[None]],
) -> None:
    """Raise ArchiveError unless the game can be played here and every page can show it."""
    try:
        _check_log(game)
        for photo in game.photos:
            hurry()
            _check_photo(game, photo)
            picture = arrival.picture(photo.sha256)
            if picture is not None:
                with turn():
                    _check_picture(photo, picture)
        play_again(game, hurry)
        rules = GAMES[game.kind]
        played = replace(game, result=tuple(rules.result(game.state)))
        rules.view(game.state, {"role": "host", "seat": None})
        evidence.boards(played)
        evidence.score_lines(played)
        audit.answers(played)
    except ArchiveError:
        raise
    except ActionError as error:
        raise ArchiveError(
            _("a step cannot be played: %(reason)s", reason=error.message)
        ) from error
    except _BROKEN as error:
        raise ArchiveError(_("something is missing or of the wrong kind.")) from error


def _check_log(game: GameRecord) -> None:
    events = game.events
    if not events or [event.seq for event in events] != list(range(len(events))):
        raise ArchiveError(_("its steps are not numbered one after the other."))
    kept = [event.undone for event in events if not event.dropped]
    if (
        events[0].action != {"type": "start"}
        or events[0].undone
        or events[0].dropped
        or kept != sorted(kept)
    ):
        raise ArchiveError(_("what was undone in it cannot have been undone."))
    if len({json.dumps(event.by) for event in events}) > MOST_MEMBERS:
        raise ArchiveError(_("more people changed it than can join a game."))
    numbers = {photo.id for photo in game.photos}
    used = {event.action.get("photo") for event in events if event.action.get("photo") is not None}
    if len(numbers) < len(game.photos) or not used <= numbers:
        raise ArchiveError(_("its steps name photos that are not there."))
    if bool(game.state.get("finished")) != (game.finished_utc is not None):
        raise ArchiveError(_("it says both that it is over and that it goes on."))


def _check_photo(game: GameRecord, photo: PhotoRecord) -> None:
    if photo.board not in BOARDS and photo.board != GAMES[game.kind].setup_form().board:
        raise ArchiveError(_("a photo shows the board of another game."))


def _check_picture(photo: PhotoRecord, picture: bytes) -> None:
    said = (photo.width, photo.height, photo.size)
    if not is_bare_jpeg(picture) or (*_size_of(picture), len(picture)) != said:
        raise ArchiveError(_("A photo of the archive is none that this program wrote."))


def _size_of(picture: bytes) -> tuple[int, int]:
    """Width and height of a picture; none if it cannot be decoded or is larger than stored ones."""
    from vision.photo import decode_photo

    try:
        photo = decode_photo(picture, LONG_SIDE_PX)
    except PhotoRejected as error:
        raise ArchiveError(_("A photo of the archive is none that this program wrote.")) from error
    height, width = photo.full_hw
    return (width, height) if max(width, height) <= LONG_SIDE_PX else (0, 0)


def is_bare_jpeg(data: bytes) -> bool:
    """Whether it is a JPEG of one scan with nothing but the picture: no EXIF, no comment, no other
    metadata.

    >>> is_bare_jpeg(bytes.fromhex("ffd8ffe1000845786966ffda"))
    False
    """
    if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
        return False
    at = 2
    is_baseline = False
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            return is_baseline
        if 0xE1 <= marker <= 0xEF or marker == 0xFE or length < 2:
            return False
        is_baseline |= marker == 0xC0
        at += 2 + length
    return False


def play_again(game: GameRecord, hurry: Callable[[], None]) -> None:
    """Play the log of *game* from its start, with what can be redone.

    Raises ArchiveError where a step does not give the state it claims. What was dropped is evidence
    that nobody can come back to; it is not played.
    """
    rules = GAMES[game.kind]
    if checked_setup(rules.setup_form(), game.setup) != game.setup:
        raise ArchiveError(_("it was not started as this program starts games."))
    state = rules.start(game.setup)
    current = state
    for event in game.events:
        hurry()
        if event.dropped:
            continue
        if event.seq:
            state = rules.act(state, event.action, _whoever(event))
        if _canonical(state) != _canonical(event.state):
            raise ArchiveError(
                _(
                    "its step %(step)s does not lead to the state that is written there.",
                    step=event.seq,
                )
            )
        if not event.undone:
            current = state
    if _canonical(current) != _canonical(game.state):
        raise ArchiveError(_("its steps do not lead to the state that is written there."))


def _whoever(event: EventRecord) -> Json:
    """Who may do the step. Roles and seats of today may be others than those of then."""
    return {"role": "host", "seat": event.action.get("seat", event.by["seat"])}
