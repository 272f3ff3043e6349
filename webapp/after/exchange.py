"""Everything as files: an archive to keep or to move to another computer, and a table of the results.

The archive is JSON; in a ZIP file each game has one, with the photos beside them. Writing what was read gives the same
bytes again but for the codes of the games, which are always new. ``arrivals`` reads it.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from webapp.after.games import GameRecord, Json, as_utc

FORMAT = "tallystone-archive"
VERSION = 1

DOCUMENT = "games/{:04}.json"
"""Name of a game's file in the ZIP."""

RESULTS = "results.csv"

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
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return (text + "\n").encode(errors="replace")


def to_zip(archive: Archive) -> bytes:
    """The archive with pictures, and the results as a table for a spreadsheet."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for number, game in enumerate(archive.games, 1):
            _add(packed, DOCUMENT.format(number), to_json([game]), zipfile.ZIP_DEFLATED)
        _add(packed, RESULTS, to_csv(archive.games).encode("utf-8-sig", "replace"), zipfile.ZIP_DEFLATED)
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
