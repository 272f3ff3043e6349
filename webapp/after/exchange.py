"""Everything as files: an archive to keep or to move to another computer, and a table of the results.

The archive is JSON, with the photos beside it in a ZIP file; writing what was read gives the same bytes again.
Nothing that comes in is believed: sizes, names, hashes and shapes are checked, and every game is played again
from its log. A game whose log does not give its states is refused as a whole.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webapp.after.games import EventRecord, GameRecord, Json, PhotoRecord, as_utc
from webapp.i18n import gettext as _
from webapp.play import GAMES, ActionError

FORMAT = "tallystone-archive"
VERSION = 1

MOST_FILES = 20_000
MOST_UNPACKED_BYTES = 1 << 30
MOST_JSON_BYTES = 256 << 20
MOST_PHOTO_BYTES = 25 << 20
MOST_GAMES = 20_000

_PHOTO_NAME = re.compile(r"photos/([0-9a-f]{64})\.jpg")
_CODE = re.compile(r"[A-Z0-9]{6}")
_STAMP = (1980, 1, 1, 0, 0, 0)
"""The date of every file in the ZIP: the same games give the same bytes."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would run as a formula at the start of a cell."""


class ArchiveError(ValueError):
    """A file is no archive of ours, or was changed; the text is one sentence for the person."""


@dataclass(frozen=True, slots=True)
class Archive:
    """Games and the pictures of their photos, by sha256."""

    games: tuple[GameRecord, ...]
    pictures: Mapping[str, bytes]


def to_json(games: Iterable[GameRecord]) -> bytes:
    """The archive without pictures."""
    document = {"format": FORMAT, "version": VERSION, "games": [_game(game) for game in games]}
    return (json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def to_zip(archive: Archive) -> bytes:
    """The archive with pictures, and the results as a table for a spreadsheet."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        _add(packed, "games.json", to_json(archive.games), zipfile.ZIP_DEFLATED)
        _add(packed, "results.csv", to_csv(archive.games).encode("utf-8-sig"), zipfile.ZIP_DEFLATED)
        for sha256 in sorted(archive.pictures):
            _add(packed, f"photos/{sha256}.jpg", archive.pictures[sha256], zipfile.ZIP_STORED)
    return out.getvalue()


def _add(packed: zipfile.ZipFile, name: str, data: bytes, compression: int) -> None:
    info = zipfile.ZipInfo(name, _STAMP)
    info.compress_type = compression
    info.external_attr = 0o644 << 16
    packed.writestr(info, data)


def to_csv(games: Iterable[GameRecord]) -> str:
    """One row for every player of every game."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(
        [
            "game",
            "code",
            "started_utc",
            "finished_utc",
            "minutes",
            "location",
            "player",
            "score",
            "rank",
            "winner",
        ]
    )
    for game in games:
        for row in game.result:
            rows.writerow(
                [
                    _plain(game.title),
                    game.code,
                    _time(game.created_utc),
                    _time(game.finished_utc),
                    game.minutes,
                    _plain(game.location),
                    _plain(str(row["player"])),
                    row.get("score"),
                    row.get("rank"),
                    int(bool(row.get("winner"))),
                ]
            )
    return out.getvalue()


def _plain(text: str) -> str:
    """Text that no spreadsheet takes for a formula.

    >>> _plain("=HYPERLINK(1)"), _plain("Ann")
    ("'=HYPERLINK(1)", 'Ann')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def _game(game: GameRecord) -> Json:
    return {
        "code": game.code,
        "kind": game.kind,
        "setup": game.setup,
        "state": game.state,
        "created_utc": _time(game.created_utc),
        "finished_utc": _time(game.finished_utc),
        "location": game.location,
        "events": [
            {
                "seq": event.seq,
                "at_utc": _time(event.at_utc),
                "by": event.by,
                "action": event.action,
                "state": event.state,
                "undone": event.undone,
                "dropped": event.dropped,
            }
            for event in game.events
        ],
        "photos": [
            {
                "id": photo.id,
                "seat": photo.seat,
                "board": photo.board,
                "sha256": photo.sha256,
                "reading": photo.reading,
                "taken_utc": _time(photo.taken_utc),
                "width": photo.width,
                "height": photo.height,
                "size": photo.size,
                "profile": photo.profile,
            }
            for photo in game.photos
        ],
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else as_utc(moment).isoformat()


def parse(data: bytes) -> Archive:
    """The games of a JSON or ZIP file. Raises ArchiveError."""
    if data[:2] == b"PK":
        return _parse_zip(data)
    return Archive(_parse_json(data), {})


def _parse_zip(data: bytes) -> Archive:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            entries = packed.infolist()
            if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_UNPACKED_BYTES:
                raise ArchiveError(_("The archive is too large to be unpacked here."))
            games: tuple[GameRecord, ...] | None = None
            pictures: dict[str, bytes] = {}
            for entry in entries:
                if entry.filename == "games.json":
                    games = _parse_json(_unpacked(packed, entry, MOST_JSON_BYTES))
                elif found := _PHOTO_NAME.fullmatch(entry.filename):
                    picture = _unpacked(packed, entry, MOST_PHOTO_BYTES)
                    if hashlib.sha256(picture).hexdigest() != found[1]:
                        raise ArchiveError(
                            _("The photo %(name)s was changed or damaged.", name=found[1][:12])
                        )
                    if not is_bare_jpeg(picture):
                        raise ArchiveError(_("A photo of the archive is none that this program wrote."))
                    pictures[found[1]] = picture
                elif entry.filename != "results.csv":
                    raise ArchiveError(_("The archive holds a file that does not belong there."))
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise ArchiveError(_("The archive is damaged: it cannot be unpacked.")) from error
    if games is None:
        raise ArchiveError(_("There is no games.json in the archive."))
    return Archive(games, pictures)


def _unpacked(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """A file of the ZIP, read no further than *most* bytes whatever its header says."""
    import zlib

    try:
        with packed.open(entry) as file:
            data = file.read(most + 1)
    except zlib.error as error:
        raise ArchiveError(_("The archive is damaged: it cannot be unpacked.")) from error
    if len(data) > most:
        raise ArchiveError(_("The archive is too large to be unpacked here."))
    return data


def is_bare_jpeg(data: bytes) -> bool:
    """Whether it is a JPEG with nothing but the picture: no EXIF, no comment, no other metadata.

    >>> is_bare_jpeg(bytes.fromhex("ffd8ffe1000845786966ffda"))
    False
    """
    if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
        return False
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            return True
        if 0xE1 <= marker <= 0xEF or marker == 0xFE or length < 2:
            return False
        at += 2 + length
    return False


def _parse_json(data: bytes) -> tuple[GameRecord, ...]:
    try:
        document = json.loads(data.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(_("The file is no archive of Tallystone: it is not JSON.")) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ArchiveError(_("The file is no archive of Tallystone."))
    if document.get("version") != VERSION:
        raise ArchiveError(_("The archive was written by a newer Tallystone: please update this one."))
    games = document.get("games")
    if not isinstance(games, list) or len(games) > MOST_GAMES:
        raise ArchiveError(_("The list of games in the archive cannot be read."))
    records = []
    for number, game in enumerate(games, 1):
        try:
            records.append(_parse_game(game))
        except ArchiveError as error:
            raise ArchiveError(_("Game %(number)s: %(reason)s", number=number, reason=error)) from None
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ArchiveError(
                _("Game %(number)s: something is missing or of the wrong kind.", number=number)
            ) from error
    codes = [record.code for record in records]
    if len(set(codes)) < len(codes):
        raise ArchiveError(_("The archive holds the same game twice."))
    return tuple(records)


def _no_constant(name: str) -> None:
    raise ValueError(f"expected a number, got {name}")


def _parse_game(game: Any) -> GameRecord:
    kind, code = _text(game["kind"], 20), _text(game["code"], 6)
    if kind not in GAMES or not _CODE.fullmatch(code):
        raise ArchiveError(_("it is of a kind that is not known here."))
    events = tuple(_parse_event(event) for event in _list(game["events"]))
    photos = tuple(_parse_photo(photo) for photo in _list(game["photos"]))
    record = GameRecord(
        code=code,
        kind=kind,
        setup=_object(game["setup"]),
        state=_object(game["state"]),
        created_utc=_moment(game["created_utc"]),
        finished_utc=None if game["finished_utc"] is None else _moment(game["finished_utc"]),
        location=_text(game["location"], 200),
        events=events,
        photos=photos,
    )
    play_again(record)
    return record


def _parse_event(event: Any) -> EventRecord:
    by = _object(event["by"])
    return EventRecord(
        seq=_whole(event["seq"]),
        at_utc=_moment(event["at_utc"]),
        by={
            "name": _text(by["name"], 80),
            "role": _text(by["role"], 10),
            "seat": None if by["seat"] is None else _whole(by["seat"]),
        },
        action=_object(event["action"]),
        state=_object(event["state"]),
        undone=event["undone"] is True,
        dropped=event["dropped"] is True,
    )


def _parse_photo(photo: Any) -> PhotoRecord:
    sha256 = _text(photo["sha256"], 64)
    if not re.fullmatch("[0-9a-f]{64}", sha256):
        raise ValueError("not a sha256")
    return PhotoRecord(
        id=_whole(photo["id"]),
        seat=None if photo["seat"] is None else _whole(photo["seat"]),
        board=_text(photo["board"], 80),
        sha256=sha256,
        reading=_object(photo["reading"]),
        taken_utc=_moment(photo["taken_utc"]),
        width=_whole(photo["width"]),
        height=_whole(photo["height"]),
        size=_whole(photo["size"]),
        profile=None if photo["profile"] is None else _text(photo["profile"], 80),
    )


def play_again(game: GameRecord) -> None:
    """Play the log of *game* from its start. Raises ArchiveError where a step does not give the state it claims."""
    rules = GAMES[game.kind]
    try:
        if [event.seq for event in game.events] != list(range(len(game.events))) or not game.events:
            raise ArchiveError(_("its steps are not numbered one after the other."))
        state = rules.start(game.setup)
        for event in game.events:
            if event.undone or event.dropped:
                continue
            if event.seq:
                state = rules.act(state, event.action, _whoever(event))
            if _canonical(state) != _canonical(event.state):
                raise ArchiveError(
                    _("its step %(step)s does not lead to the state that is written there.", step=event.seq)
                )
        if _canonical(state) != _canonical(game.state):
            raise ArchiveError(_("its steps do not lead to the state that is written there."))
        rules.result(state)
    except ActionError as error:
        raise ArchiveError(_("a step cannot be played: %(reason)s", reason=error.message)) from error


def _whoever(event: EventRecord) -> Json:
    """Who may do the step: roles and seats may have changed since, so that those of today would be wrong."""
    return {"role": "host", "seat": event.action.get("seat", event.by["seat"])}


def _canonical(state: Json) -> str:
    return json.dumps(state, sort_keys=True)


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError("not a text of that length")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 1 << 53:
        raise ValueError("not a whole number")
    return value


def _object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value


def _moment(value: Any) -> datetime:
    return as_utc(datetime.fromisoformat(_text(value, 40)))
