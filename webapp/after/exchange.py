"""Games as files: an archive to keep or to move, and a table of results.

The archive is JSON; in a ZIP file each game has one, with the photos beside them. Writing what was
read gives the same bytes again but for the codes of the games, which are always new. ``arrivals``
reads it.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, BinaryIO

from webapp.after.games import GameRecord, Json, as_utc, fields_of

FORMAT = "tallystone-archive"
VERSION = 1

DOCUMENT = "games/{:04}.json"
"""Name of a game's file in the ZIP."""

DOCUMENT_NAME = re.compile(r"games(/\d{1,9})?\.json")
"""What such a file may be called."""

RESULTS = "results.csv"

COLUMNS = (
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
)
"""Columns of the table of results."""

_STAMP = (1980, 1, 1, 0, 0, 0)
"""The date of every file in the ZIP: the same games give the same bytes."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would run as a formula at the start of a cell."""


class ArchiveError(ValueError):
    """A file is no archive of ours, or was changed; the text is one sentence for the person."""


def write(
    ending: str,
    out: BinaryIO,
    games: Iterable[GameRecord],
    picture: Callable[[str], bytes | None],
) -> None:
    """Write the games as a file with that ending, ``zip``, ``json`` or ``csv``."""
    match ending:
        case "zip":
            write_zip(out, games, picture)
        case "json":
            write_json(out, games)
        case _:
            write_csv(out, games)


def write_zip(
    out: BinaryIO, games: Iterable[GameRecord], picture: Callable[[str], bytes | None]
) -> None:
    """Write the archive with the pictures that are there, and the results as a table."""
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(COLUMNS)
    hashes: set[str] = set()
    with zipfile.ZipFile(out, "w") as packed:
        for number, game in enumerate(games, 1):
            _add(packed, DOCUMENT.format(number), to_json([game]), zipfile.ZIP_DEFLATED)
            rows.writerows(_rows(game))
            hashes |= {photo.sha256 for photo in game.photos}
        _add(packed, RESULTS, table.getvalue().encode("utf-8-sig", "replace"), zipfile.ZIP_DEFLATED)
        for sha256 in sorted(hashes):
            jpeg = picture(sha256)
            if jpeg is not None:
                _add(packed, f"photos/{sha256}.jpg", jpeg, zipfile.ZIP_STORED)


def write_json(out: BinaryIO, games: Iterable[GameRecord]) -> None:
    """Write the archive without pictures."""
    before, after = _document("|").split("|")
    out.write(before.encode())
    for number, game in enumerate(games):
        out.write(b"," * (number > 0) + _text(_game(game)).encode(errors="replace"))
    out.write(after.encode())


def write_csv(out: BinaryIO, games: Iterable[GameRecord]) -> None:
    """Write one row for every player of every game."""
    text = io.TextIOWrapper(out, "utf-8-sig", "replace", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for game in games:
        rows.writerows(_rows(game))
    text.detach()


def to_json(games: Iterable[GameRecord]) -> bytes:
    """The archive without pictures."""
    out = io.BytesIO()
    write_json(out, games)
    return out.getvalue()


def _document(games: str) -> str:
    return f'{{"format":{_text(FORMAT)},"games":[{games}],"version":{VERSION}}}\n'


def _text(value: Any) -> str:
    return json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=_time
    )


def _add(packed: zipfile.ZipFile, name: str, data: bytes, compression: int) -> None:
    info = zipfile.ZipInfo(name, _STAMP)
    info.compress_type = compression
    info.external_attr = 0o644 << 16
    packed.writestr(info, data)


def _rows(game: GameRecord) -> Iterator[list[Any]]:
    for row in game.result:
        yield [
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


def _plain(text: str) -> str:
    """Text that no spreadsheet takes for a formula.

    >>> _plain("=HYPERLINK(1)"), _plain("Ann")
    ("'=HYPERLINK(1)", 'Ann')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def _game(game: GameRecord) -> Json:
    return fields_of(game, "result", "played") | {
        "events": [fields_of(event) for event in game.events],
        "photos": [fields_of(photo, "file") for photo in game.photos],
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else as_utc(moment).isoformat()
