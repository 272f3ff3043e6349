"""What comes in as an archive: unpacked within limits, and every game of it held to the rules.

Nothing that comes in is believed: sizes, names, hashes and shapes are checked, and every game is
played again from its log, which alone counts. A file of which one game cannot be is refused as a
whole. What is accepted can be written and read again.
"""

import hashlib
import io
import math
import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from calibration.files import is_of_system
from scorer.game import ActionError
from scorer.games import GAMES
from scorer.text import Text
from webapp.after import audit, evidence, keeping
from webapp.after.exchange import DOCUMENT_NAME, RESULTS, ArchiveError
from webapp.after.games import GameRecord
from webapp.after.replay import check_log, check_photo, check_picture, played_again
from webapp.after.shapes import (
    MOST_DEPTH,
    MOST_PHOTO_BYTES,
    games_of,
    parse_game,
    values_in,
)
from webapp.i18n import decimal, sentences
from webapp.i18n import gettext as _
from webapp.tables.errors import TableError
from webapp.tables.values import checked_json

MOST_RATIO = 250
"""Most times that JSON files may be larger than packed; repeated states pack a hundredfold."""

_PHOTO_NAME = re.compile(r"photos/([0-9a-f]{64})\.jpg")

_ENTRY = b"PK\x01\x02"
"""First bytes of every entry of a ZIP file's directory."""

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
    """What one archive may hold, and how long its games may take, to check and to take in.

    Of each JSON file in it ``document_bytes`` is the size and ``document_values`` the number of
    values, each of which takes about a hundred bytes in memory. ``refusal`` tells whoever sent
    more.
    """

    games: int
    photos: int
    unpacked_bytes: int
    document_bytes: int
    document_values: int
    seconds: float
    refusal: Text


GUEST = Limits(
    games=1_000,
    photos=1_000,
    unpacked_bytes=128 << 20,
    document_bytes=16 << 20,
    document_values=1_500_000,
    seconds=60,
    refusal=Text(
        "The archive is too large for this page: take it in on the table computer with "
        "`tallystone import FILE`."
    ),
)
"""Limits of a file from a page: anybody can send one. A game whose log is as long as a game's may
get, with its readings, fits into one JSON file."""

OWNER = Limits(
    games=100_000,
    photos=100_000,
    unpacked_bytes=64 << 30,
    document_bytes=1 << 30,
    document_values=100_000_000,
    seconds=math.inf,
    refusal=Text("The archive is too large to be unpacked here."),
)
"""Limits of a file that is named on the command line. One JSON file may hold all games of years."""


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
        self._documents: list[zipfile.ZipInfo] = []
        self._pictures: dict[str, zipfile.ZipInfo] = {}
        self._end = math.inf
        if data[:2] == b"PK":
            self._open()

    def _open(self) -> None:
        most = self._limits.games + self._limits.photos + 1
        if self._data.count(_ENTRY) > most:
            raise self._too_large()
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(self._data))
        except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, ValueError) as error:
            raise _damaged() from error
        entries = _as_written(self._zip.infolist())
        if keeping.LIST in entries:
            raise ArchiveError(
                _("This is a backup: `tallystone restore` unpacks it on the table computer.")
            )
        strange = []
        for name, entry in entries.items():
            if found := _PHOTO_NAME.fullmatch(name):
                self._pictures[found[1]] = entry
            elif DOCUMENT_NAME.fullmatch(name):
                self._documents.append(entry)
            elif name != RESULTS:
                strange.append(name)
        if not self._documents and RESULTS not in entries:
            raise ArchiveError(_("There are no games in the archive."))
        if strange:
            raise ArchiveError(
                _(
                    "The archive holds a file that does not belong there: %(name)s.",
                    name=repr(strange[0][:80]),
                )
            )
        unpacked = sum(entry.file_size for entry in self._documents)
        packed = sum(entry.compress_size for entry in self._documents)
        if unpacked > self._limits.unpacked_bytes or unpacked > MOST_RATIO * packed:
            raise self._too_large()

    def games(self) -> Iterator[GameRecord]:
        """The games, with every value of its kind, not yet played. Raises ArchiveError.

        The time for all of them begins anew.
        """
        self._end = time.monotonic() + self._limits.seconds
        number = 0
        for document in self._unpacked_documents():
            if values_in(document) > self._limits.document_values:
                raise self._too_large()
            for game in games_of(document):
                number += 1
                if number > self._limits.games:
                    too_many = _(
                        "The archive holds more than %(most)s games.",
                        most=decimal(self._limits.games),
                    )
                    raise ArchiveError(sentences([too_many, _(self._limits.refusal)]))
                with_number = _("Game %(number)s: %(reason)s", number=number, reason="%s")
                try:
                    yield parse_game(checked_json(game, MOST_DEPTH))
                except ArchiveError as error:
                    raise ArchiveError(with_number % error) from None
                except (TableError, *_BROKEN) as error:
                    reason = _("something is missing or of the wrong kind.")
                    raise ArchiveError(with_number % reason) from error

    def _too_large(self) -> ArchiveError:
        return ArchiveError(_(self._limits.refusal))

    def hurry(self) -> None:
        """Raise ArchiveError once the time for the games is over."""
        if time.monotonic() > self._end:
            raise ArchiveError(
                _("The archive takes too long to check: take in fewer games at a time.")
            )

    def _unpacked_documents(self) -> Iterator[bytes]:
        if self._zip is None:
            if len(self._data) > self._limits.document_bytes:
                raise self._too_large()
            yield self._data
            return
        for entry in self._documents:
            yield self._unpacked(entry, self._limits.document_bytes)

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
            raise self._too_large()
        return data


def _as_written(entries: Iterable[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The files by their names, without what a file manager adds when it packs them again.

    It adds folders, files of its own, and one folder around all. Raises ArchiveError where two
    files have the same name.
    """
    files = [
        (parts, entry)
        for entry in entries
        if not entry.is_dir()
        and (parts := entry.filename.split("/"))[0] != "__MACOSX"
        and not is_of_system(parts[-1])
    ]
    outer = {parts[0] for parts, _entry in files}
    around = len(outer) == 1 and not outer & {"games", "photos"}
    found = {}
    for parts, entry in files:
        name = "/".join(parts[1:] if around and len(parts) > 1 else parts)
        if name in found:
            raise _damaged()
        found[name] = entry
    return found


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
    for number, record in enumerate(arrival.games(), 1):
        try:
            _check(record, arrival, turn)
        except ArchiveError as error:
            raise ArchiveError(
                _("Game %(number)s: %(reason)s", number=number, reason=error)
            ) from None
    return arrival


def _check(
    game: GameRecord,
    arrival: Arrival,
    turn: Callable[[], AbstractContextManager[None]],
) -> None:
    """Raise ArchiveError unless the game can be played here and every page can show it."""
    try:
        check_log(game)
        for photo in game.photos:
            arrival.hurry()
            check_photo(game, photo)
            picture = arrival.picture(photo.sha256)
            if picture is not None:
                with turn():
                    check_picture(photo, picture)
        game, _as_written = played_again(game, arrival.hurry)
        rules = GAMES[game.kind]
        played = replace(game, result=tuple(rules.result(game.state)))
        rules.view(game.state, {"role": "host", "seat": None})
        evidence.boards(played)
        evidence.score_lines(played)
        audit.answers(played)
    except ArchiveError:
        raise
    except ActionError as error:
        raise ArchiveError(_("it was not started as this program starts games.")) from error
    except _BROKEN as error:
        raise ArchiveError(_("something is missing or of the wrong kind.")) from error
