"""The shape of an archive: the text of a file, and every value of a game of its kind and size."""

import codecs
import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args

from scorer.actions import MOST_CORRECTIONS
from scorer.custom.labels import MOST_LABEL
from scorer.fields import UnreadableError, read_json
from scorer.games import GAMES
from scorer.notation import MOST_SIDE
from scorer.record import FORMAT as RECORD_FORMAT
from webapp.after.exchange import COLUMNS, FORMAT, VERSION, ArchiveError
from webapp.after.games import EventRecord, GameRecord, Json, PhotoRecord, as_utc
from webapp.i18n import gettext as _
from webapp.tables.devices import Role
from webapp.tables.photos import MOST_PHOTOS
from webapp.tables.values import MOST_ACTION_CHARS, MOST_STATE_CHARS

MOST_DEPTH = 24
"""Brackets within brackets in one JSON file."""

MOST_EVENTS = 15_000
"""Changes of one game."""

MOST_PHOTO_BYTES = 8 << 20
"""Size of a stored photo; one of 2048 pixels has about one megabyte."""

YEARS = range(1970, 2263)
"""Years that the clock of a computer can show, wrong ones, too."""

MOST_SIDE_PX = 20_000

MOST_ALTERNATIVES = 100

MOST_PROBLEMS = 100

MOST_ROW = 2**31 - 1

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)

_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))


def values_in(data: bytes) -> int:
    """How many values one JSON file has at most, counted without parsing it."""
    return sum(data.count(sign) for sign in (b",", b"[", b"{"))


def games_of(data: bytes) -> list[Any]:
    """The games of one JSON file; its depth is checked first."""
    brackets = _STRING.sub(b"", data).translate(None, _NO_BRACKET)
    for _level in range(MOST_DEPTH):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    try:
        if brackets:
            raise ValueError("nested too deeply, or brackets without their partner")
        document = read_json(data.decode("utf-8-sig"))
    except (UnreadableError, ValueError, RecursionError) as error:
        raise _other_file(data) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _other_file(data)
    version = document.get("version")
    if type(version) is int and version > VERSION:
        raise ArchiveError(
            _("The archive was written by a newer Tallystone: please update this one.")
        )
    if version != VERSION:
        raise _other_file(data)
    games = document.get("games")
    if not isinstance(games, list):
        raise ArchiveError(_("The list of games in the archive cannot be read."))
    return games


def _other_file(data: bytes) -> ArchiveError:
    """What is said of a file that is no archive, by what it is instead."""
    head = data.removeprefix(codecs.BOM_UTF8)
    if head.startswith(",".join(COLUMNS).encode()):
        return ArchiveError(
            _(
                "The file is a table of results, which holds no games: take the .zip or .json file"
                " of an export."
            )
        )
    if head.startswith(RECORD_FORMAT.encode()):
        return ArchiveError(
            _(
                "The file is the record of one game, which `tallystone replay` checks: take the"
                " .zip or .json file of an export."
            )
        )
    return ArchiveError(
        _("The file is no archive of Tallystone: take the .zip or .json file of an export.")
    )


def parse_game(game: Any) -> GameRecord:
    kind = _text(game["kind"], 20)
    if kind not in GAMES:
        raise ArchiveError(_("it is of a kind that is not known here."))
    events, photos = _list(game["events"], MOST_EVENTS), _list(game["photos"], MOST_PHOTOS)
    setup = _object(game["setup"])
    seats = GAMES[kind].setup_form().most_players
    return GameRecord(
        code=_text(game["code"], 6),
        kind=kind,
        setup=setup,
        state=_object(game["state"]),
        created_utc=_moment(game["created_utc"]),
        finished_utc=None if game["finished_utc"] is None else _moment(game["finished_utc"]),
        location=_text(game["location"], 200),
        events=tuple(_parse_event(event, seats) for event in events),
        photos=tuple(_parse_photo(photo, seats) for photo in photos),
    )


def _parse_event(event: Any, seats: int) -> EventRecord:
    by, action, state = (_object(event[name]) for name in ("by", "action", "state"))
    if by["role"] not in get_args(Role):
        raise ValueError("not a role")
    _text(action["type"], 40)
    if len(canonical(action)) > MOST_ACTION_CHARS or len(canonical(state)) > MOST_STATE_CHARS:
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
    if not reading["cells"]:
        raise ValueError("no cells")
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


def canonical(state: Json) -> str:
    return json.dumps(state, sort_keys=True)
