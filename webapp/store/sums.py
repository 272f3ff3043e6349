"""Sums of the pages of the SQLite file: they show damage that SQLite itself does not look for.

SQLite finds pages that make no sense, not a digit that became another. The file changes only when
pages are moved into it from the journal, at a checkpoint. Every checkpoint is made here, by one
process at a time. It writes the sums of the pages that will move, moves them, and then lets the new
sums count. After a crash in between, a page may match its old sum or its new one.
"""

import hashlib
import json
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from calibration.files import write_whole

SUM_BYTES = 8
"""Length of a sum: one flipped page in 2^64 goes unseen."""

_BINARY = getattr(os, "O_BINARY", 0)
_FILE_HEADER = 100
_JOURNAL_HEADER = struct.Struct(">8I")
"""Magic number, version, page size, count of checkpoints, two salts, two sums."""
_FRAME = struct.Struct(">6I")
"""Page number, pages of the file after a commit or 0, two salts, two sums."""
_INDEX_FRAMES = 16
_INDEX_SALTS = 32
"""Offsets in the index of the journal: the number of committed frames, and its salts."""


_held: dict[tuple[int, int], tuple[int, int]] = {}
"""For each file, by device and inode: a descriptor, and how many hold it open."""

_holding = Lock()


class SumsDamaged(ValueError):
    """The file of the sums is not as it was written; the message says what to do."""


@dataclass(slots=True)
class Sums:
    """The sum of every page, and of the newer contents of pages that may be moving."""

    pages: list[str]
    moving: dict[int, list[str]] = field(default_factory=dict)

    def allows(self, page: int, found: str, empty: str) -> bool:
        """Whether a page (the first is 1) may have this sum; *empty* is that of zeros.

        A new page is empty while only later ones have moved: SQLite leaves out pages that are newer
        than what a reader sees.
        """
        if page > len(self.pages) and found == empty:
            return page in self.moving
        return found in self.pages[page - 1 : page] or found in self.moving.get(page, ())


def path_of(database: Path) -> Path:
    """Where the sums of a database lie."""
    return database.with_name(f"{database.name}-sums")


@contextmanager
def held(database: Path) -> Iterator[int]:
    """A descriptor of the database, the same one for all who hold it in this process.

    POSIX ends all locks of a process on a file, those of SQLite too, when it closes any descriptor
    of it. Another process would then take itself for the last one and delete the journal. So
    whoever has the database open holds this descriptor, and the last one closes it.
    """
    found = database.stat()
    key = found.st_dev, found.st_ino
    with _holding:
        descriptor, holders = _held.get(key) or (os.open(database, os.O_RDONLY | _BINARY), 0)
        _held[key] = descriptor, holders + 1
    try:
        yield descriptor
    finally:
        with _holding:
            descriptor, holders = _held.pop(key)
            if holders > 1:
                _held[key] = descriptor, holders - 1
            else:
                os.close(descriptor)


def checkpoint(database: Path, connection: Any, mode: str) -> None:
    """Move the journal into the file; the caller keeps all others from writing.

    *mode* is one of SQLite: PASSIVE moves what no reader needs, TRUNCATE waits for readers and
    empties the journal.
    """
    try:
        sums = _read(database)
    except SumsDamaged:
        _moved_all(connection, mode)
        return
    if sums is None:
        if _moved_all(connection, mode):
            _write(database, Sums([found for _, found in _pages(database)]))
        return
    for head, data in _frames(database):
        versions = sums.moving.setdefault(_FRAME.unpack(head)[0], [])
        if (found := _sum(data)) not in versions:
            versions.append(found)
    if sums.moving:
        _write(database, sums)
    if _moved_all(connection, mode) and sums.moving:
        sums.pages += [""] * (max(sums.moving) - len(sums.pages))
        for page, found in _pages(database, sorted(sums.moving)):
            if found in sums.moving[page]:
                sums.pages[page - 1] = found
        _write(database, Sums(sums.pages))


def _moved_all(connection: Any, mode: str) -> bool:
    cursor = connection.cursor()
    busy, in_journal, moved = cursor.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
    cursor.close()
    return not busy and in_journal == moved


def damage(database: Path) -> str:
    """Faults in the file and its journal; empty if none. Nobody may write meanwhile."""
    try:
        sums = _read(database)
    except SumsDamaged as error:
        return str(error)
    if sums is None:
        return ""
    found = dict(_pages(database))
    empty = _sum(bytes(_page_size_of(database)))
    wrong = [page for page, one in found.items() if not sums.allows(page, one, empty)]
    wrong += [page for page in range(1, len(sums.pages) + 1) if page not in found]
    if wrong:
        return (
            f"{len(wrong)} of {len(sums.pages)} pages are not as they were written, page "
            f"{min(wrong)} is the first: restore a backup (if another program opened it on "
            f"purpose, delete {path_of(database).name})"
        )
    return _journal_damage(database)


def _read(database: Path) -> Sums | None:
    path = path_of(database)
    if not path.is_file():
        return None
    head, _, body = path.read_bytes().partition(b"\n")
    if head.decode(errors="replace") != hashlib.sha256(body).hexdigest():
        raise SumsDamaged(
            f"{path.name}, which holds the sums of the pages, was changed or damaged: delete it"
        )
    document = json.loads(body)
    joined, width = document["pages"], 2 * SUM_BYTES
    pages = [joined[at : at + width].strip() for at in range(0, len(joined), width)]
    return Sums(pages, {int(page): versions for page, versions in document["moving"].items()})


def _write(database: Path, sums: Sums) -> None:
    joined = "".join(one.ljust(2 * SUM_BYTES) for one in sums.pages)
    body = json.dumps({"pages": joined, "moving": sums.moving}).encode()
    write_whole(path_of(database), hashlib.sha256(body).hexdigest().encode() + b"\n" + body)


def _sum(page: bytes) -> str:
    return hashlib.blake2b(page, digest_size=SUM_BYTES).hexdigest()


def _pages(database: Path, only: Iterable[int] | None = None) -> Iterator[tuple[int, str]]:
    """Pages of the file and their sums: all of them, or *only* these."""
    size = _page_size_of(database)
    with held(database) as descriptor, open(descriptor, "rb", closefd=False) as file:
        there = range(1, -(-database.stat().st_size // size) + 1)
        for page in there if only is None else only:
            if page in there:
                file.seek((page - 1) * size)
                yield page, _sum(file.read(size))


def _page_size_of(database: Path) -> int:
    with held(database) as descriptor, open(descriptor, "rb", closefd=False) as file:
        file.seek(0)
        size = int.from_bytes(file.read(_FILE_HEADER)[16:18], "big")
    return 65536 if size == 1 else max(size, 512)


def _frames(database: Path) -> Iterator[tuple[bytes, bytes]]:
    """(header, page) of each frame since the journal was last begun anew, the oldest first."""
    path = database.with_name(f"{database.name}-wal")
    if not path.is_file():
        return
    with path.open("rb") as file:
        header = file.read(_JOURNAL_HEADER.size)
        if len(header) < _JOURNAL_HEADER.size:
            return
        size, salts = _JOURNAL_HEADER.unpack(header)[2], header[16:24]
        while len(head := file.read(_FRAME.size)) == _FRAME.size and head[8:16] == salts:
            data = file.read(size)
            if len(data) < size:
                return
            yield head, data


def _journal_damage(database: Path) -> str:
    """Compare the journal with its own sums, as far as its index says that it is committed."""
    path = database.with_name(f"{database.name}-wal")
    index = database.with_name(f"{database.name}-shm")
    if not path.is_file() or path.stat().st_size < _JOURNAL_HEADER.size or not index.is_file():
        return ""
    with path.open("rb") as file:
        header = file.read(_JOURNAL_HEADER.size)
    with index.open("rb") as file:
        known = file.read(_INDEX_SALTS + 8)
    committed = int.from_bytes(known[_INDEX_FRAMES : _INDEX_FRAMES + 4], sys.byteorder)
    if not committed:
        return ""
    fields = _JOURNAL_HEADER.unpack(header)
    order = ">" if fields[0] & 1 else "<"
    sums = _chained(header[:24], order, (0, 0))
    if sums != fields[6:] or known[_INDEX_SALTS:] != header[16:24]:
        return f"{path.name} does not begin as it was written: restore a backup"
    good = 0
    for head, data in _frames(database):
        sums = _chained(head[:8] + data, order, sums)
        if sums != _FRAME.unpack(head)[4:] or good == committed:
            break
        good += 1
    if good < committed:
        return (
            f"change {good + 1} of {committed} in {path.name} is not as it was written: "
            "restore a backup"
        )
    return ""


def _chained(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """SQLite's sum of a journal, which goes on from the one before."""
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for at in range(0, len(words), 2):
        first = (first + words[at] + second) & 0xFFFFFFFF
        second = (second + words[at + 1] + first) & 0xFFFFFFFF
    return first, second
