"""Checks what is kept, and copies it while the table goes on.

A backup is a ZIP file: the database as SQLite's own backup gives it, every photo, and a list of
their hashes. It is restored into an empty folder only, after every hash was compared.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, NullPool, create_engine, func, select, text
from sqlalchemy.exc import DBAPIError

from calibration.files import expect_none, is_of_system, make_folder, write_whole
from scorer.text import counted
from webapp import PHOTO_DAYS
from webapp.after.exchange import DOCUMENT_NAME
from webapp.guard.security import KEY_BYTES, KEY_FILE
from webapp.store import Store, clock, open_store, sums
from webapp.store.engine import (
    FILE,
    engine_of,
    file_of,
    is_full,
    lock_of,
    place_of,
    reason_of,
    takes_nothing,
)
from webapp.store.lock import locked, locked_to_read
from webapp.store.models import Photo, SeenDay, now_utc
from webapp.store.photos import is_whole, read_kept
from webapp.store.schema import (
    TO_MIGRATE,
    StoreError,
    emptied,
    encoding_problem,
    expect_own,
    identity_problem,
    is_current,
    schema_problem,
    was_used,
    writing_problem,
)

FORMAT = "tallystone-backup"
VERSION = 1
LIST = "backup.json"

UNFINISHED = "unfinished-"
"""How the folders begin in which a backup or what is restored of one is made."""

OLD_BACKUP_DAYS = 30

KEY_LEFT_OUT = (
    f"{KEY_FILE} cannot be read, so it was left out: without it every device has to join again"
)

PHOTOS = "SELECT file, sha256 FROM photo WHERE file IS NOT NULL ORDER BY file"
"""The photos that are still kept."""

_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    sqlite3.Error,
)
"""What is raised where a backup is unpacked that is damaged, or whose list is another's."""


class BackupError(ValueError):
    """A backup cannot be made or restored; the text says why."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was looked at."""

    name: str
    is_good: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What a whole backup holds."""

    names: tuple[str, ...]
    faults: tuple[str, ...]
    """What was damaged before it was packed."""

    @property
    def photos(self) -> int:
        return sum(name.startswith("photos/") for name in self.names)


def backup(database: Path, data_dir: Path, target: Path) -> Contents:
    """Write a backup to *target* while others go on writing.

    Photos are listed from the copied database, so both belong to the same moment. Photos added
    later are left out. A photo that is deleted meanwhile counts as missing.
    """
    expect_none(target)
    if not database.is_file():
        raise no_database(database, data_dir)
    make_folder(target.parent)
    try:
        with (
            _working_folder(target.parent) as folder,
            readable(database, target.parent) as source,
        ):
            if problem := integrity(source):
                raise BackupError(f"the database is damaged, so no backup was made: {problem}")
            with _opened(source).connect() as connection:
                expect_own(connection, data_dir)
            copy, part = Path(folder, FILE), Path(folder, "backup.zip")
            copy_database(source, copy)
            part.touch(mode=0o600)
            _pack_all(part, copy, data_dir)
            contents = check_backup(part)
            if KEY_FILE not in contents.names and os.path.lexists(data_dir / KEY_FILE):
                contents = replace(contents, faults=(*contents.faults, KEY_LEFT_OUT))
            with part.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(part, target)
    except StoreError as error:
        raise BackupError(str(error)) from error
    except (OSError, sqlite3.Error) as error:
        if not takes_nothing(error):
            raise
        raise BackupError(f"{target} cannot be written: {reason_of(error)}") from error
    return contents


def _pack_all(part: Path, copy: Path, data_dir: Path) -> None:
    """Write the ZIP file *part*: a copied database, the key and the photos."""
    hashes: dict[str, str] = {}
    with zipfile.ZipFile(part, "w") as packed:
        pack = partial(_pack, packed, hashes)
        pack(FILE, copy, zipfile.ZIP_DEFLATED)
        pack(KEY_FILE, data_dir / KEY_FILE, zipfile.ZIP_DEFLATED)
        with closing(_only_reading(copy)) as connection:
            files = [name for name, _ in connection.execute(PHOTOS)]
        for name in files:
            pack(f"photos/{name}", data_dir / "photos" / name, zipfile.ZIP_STORED)
        made = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        head = {"format": FORMAT, "version": VERSION, "made": made, "sha256": hashes}
        packed.writestr(LIST, json.dumps(head, indent=1))


def _pack(packed: zipfile.ZipFile, hashes: dict[str, str], name: str, path: Path, how: int) -> None:
    """Add a file under a name and note its hash, if it is there and the disk can read it."""
    if (data := read_kept(path)) is not None:
        packed.writestr(name, data, how)
        hashes[name] = hashlib.sha256(data).hexdigest()


@contextmanager
def readable(database: Path, folder: Path | None = None) -> Iterator[Path]:
    """A file that SQLite can read: *database*, or a copy of it where its folder takes nothing.

    SQLite and the lock need files beside what is read. The copy lies in *folder*, else where the
    system keeps temporary files, and is removed at the end.
    """
    if os.access(database.parent, os.W_OK):
        yield database
        return
    with _working_folder(folder) as made:
        with locked_to_read(lock_of(database)):
            for ending in ("", "-wal", "-shm", "-sums"):
                if (there := database.with_name(f"{database.name}{ending}")).is_file():
                    shutil.copyfile(there, Path(made, f"{FILE}{ending}"))
        yield Path(made, FILE)


@contextmanager
def opened_to_read(data_dir: Path, url: str | None = None) -> Iterator[Store]:
    """The store of a data folder, or of a copy of its database where that takes nothing.

    Raises StoreError.
    """
    database = file_of(place_of(data_dir, url))
    with readable(database) if database else nullcontext() as there:
        if there != database and there is not None:
            data_dir, url = there.parent, None
        with closing(open_store(data_dir, url)) as store:
            yield store


def no_database(database: Path, data_dir: Path) -> BackupError:
    """What is wrong where there is no database to be copied."""
    if database == data_dir / FILE:
        if was_used(data_dir):
            return BackupError(str(emptied(place_of(data_dir, None), data_dir)))
        return BackupError(f"{database} is not there: no game was ever started in this data folder")
    return BackupError(
        f"{database} is not there: DATABASE_URL names it, but no game was ever started with it"
    )


def copy_database(database: Path, target: Path) -> None:
    """A consistent copy through SQLite's backup API; the source may be written to meanwhile."""
    with closing(_only_reading(database)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")


def check_backup(backup_file: Path) -> Contents:
    """Compare files with their hashes and look through the database.

    Raises BackupError, or OSError if the disk cannot read the file.
    """
    try:
        with zipfile.ZipFile(backup_file) as packed:
            if any(map(DOCUMENT_NAME.fullmatch, packed.namelist())):
                raise BackupError(
                    f"{backup_file} is an export: `tallystone import` takes its games in"
                )
            head = json.loads(packed.read(LIST))
            kind = (head.get("format"), head.get("version")) if isinstance(head, dict) else None
            if kind != (FORMAT, VERSION):
                raise BackupError(f"{backup_file} is no backup of this version of Tallystone")
            names = [name for name in packed.namelist() if name != LIST]
            if sorted(names) != sorted(head["sha256"]):
                raise BackupError(f"{backup_file} holds other files than its list names")
            for name in names:
                if name.startswith("/") or ".." in Path(name).parts:
                    raise BackupError(f"{backup_file} holds a file outside of its folder: {name}")
                if hashlib.sha256(packed.read(name)).hexdigest() != head["sha256"][name]:
                    raise BackupError(f"{backup_file}: {name} was changed or damaged")
            with closing(sqlite3.connect(":memory:")) as database:
                database.deserialize(packed.read(FILE))
                if problem := _faults(database):
                    raise BackupError(f"{backup_file}: the database is damaged: {problem}")
                photos = database.execute(PHOTOS).fetchall()
            key = packed.read(KEY_FILE) if KEY_FILE in names else None
    except (FileNotFoundError, PermissionError, BackupError):
        raise
    except _DAMAGED as error:
        raise BackupError(f"{backup_file} is no whole backup: {error}") from error
    hashes = head["sha256"]
    lost = [name for name, sha256 in photos if hashes.get(f"photos/{name}") != sha256]
    faults = [_told(lost, photos)] if lost else []
    if key is not None and len(key) < KEY_BYTES:
        faults.append(f"{KEY_FILE} holds {len(key)} bytes instead of {KEY_BYTES}")
    return Contents(tuple(names), tuple(faults))


def _told(lost: Sequence[str], photos: Sequence[Any]) -> str:
    return (
        f"{len(lost)} of {counted(len(photos), 'photo')} missing or changed: {', '.join(lost[:5])}"
    )


def restore(backup_file: Path, data_dir: Path, database: Path | None = None) -> Contents:
    """Unpack a backup into an empty data folder.

    The games become the file *database*, unless it is there, or what belongs to one of its name.
    Raises BackupError.
    """
    contents = check_backup(backup_file)
    database = database or data_dir / FILE
    _expect_empty(data_dir, database)
    try:
        make_folder(data_dir)
        make_folder(database.parent)
        with (
            _working_folder(data_dir) as part,
            zipfile.ZipFile(backup_file) as packed,
        ):
            for name in contents.names:
                if name != FILE:
                    write_whole(Path(part, name), packed.read(name))
            # Whoever starts on this folder meanwhile waits, or was first.
            with locked(lock_of(database)):
                _expect_empty(data_dir, database)
                write_whole(database, packed.read(FILE))
                for whole in Path(part).iterdir():
                    os.replace(whole, data_dir / whole.name)
    except OSError as error:
        raise BackupError(
            f"{backup_file} cannot be unpacked into {data_dir}: {reason_of(error)}"
        ) from error
    return contents


def _expect_empty(data_dir: Path, database: Path) -> None:
    """Raise BackupError if a folder holds more than unfinished work, or the database is there."""
    lock = lock_of(database).name
    names = {path.name for path in data_dir.iterdir()} - {lock} if data_dir.exists() else ()
    if not all(is_of_system(name) or name.startswith(UNFINISHED) for name in names):
        raise BackupError(
            f"{data_dir} is not empty: a backup is restored into an empty folder only"
        )
    for ending in ("", "-wal", "-sums"):
        if (there := database.with_name(f"{database.name}{ending}")).exists():
            raise BackupError(f"{there} is there already: move it away, or change DATABASE_URL")


def _working_folder(parent: Path | None) -> tempfile.TemporaryDirectory[str]:
    """A folder in *parent*, or where the system keeps such, that goes at the end unless killed."""
    return tempfile.TemporaryDirectory(dir=parent, prefix=UNFINISHED)


def integrity(database: Path) -> str:
    """Faults of the file, by the sums of its pages and by SQLite; empty if there are none.

    Raises sqlite3.Error if the disk is so full that nobody can tell.
    """
    with locked(lock_of(database)):
        changed = sums.damage(database)
    if changed:
        return changed
    try:
        with closing(_only_reading(database)) as connection:
            return _faults(connection)
    except sqlite3.Error as error:
        if is_full(error):
            raise
        return str(error)


def _faults(database: sqlite3.Connection) -> str:
    """Faults that SQLite itself looks for; empty if there are none."""
    try:
        found = [str(row[0]) for row in database.execute("PRAGMA integrity_check(5)")]
        if found != ["ok"]:
            return "; ".join(found)
        broken = database.execute("PRAGMA foreign_key_check").fetchall()
        return counted(len(broken), "broken reference") if broken else ""
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # damaged text, also of SQLite's
        if is_full(error):
            raise
        return str(error)


def _only_reading(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)


def check_everything(data_dir: Path, url: str | None = None) -> Iterator[Checked]:
    """What a kill left, the database, the clock, photos by their hashes, stray files, the last
    backup.

    *url* names another database (DATABASE_URL) than the file in the folder.
    """
    left = [*data_dir.glob(f"{UNFINISHED}*"), *(data_dir / "backups").glob(f"{UNFINISHED}*")]
    if left:
        told = ", ".join(map(str, left[:5]))
        detail = f"a backup or restore was ended: delete this unless one runs now: {told}"
        yield Checked("unfinished", False, detail)
    try:
        place = place_of(data_dir, url)
    except StoreError as error:
        yield Checked("database", False, str(error))
        return
    database = file_of(place)
    if database and not (database.is_file() and database.stat().st_size):
        used = was_used(data_dir)
        detail = str(emptied(place, data_dir)) if used else "no game was started yet"
        yield Checked("database", not used, detail)
        return
    with ExitStack() as until_read:
        try:
            there = until_read.enter_context(readable(database)) if database else None
            problem = integrity(there) if there else ""
            if problem:
                yield Checked("database", False, problem)
                return
            engine = _opened(there) if there else engine_of(place)
            until_read.callback(engine.dispose)
            with engine.connect() as connection:
                problem = (
                    encoding_problem(connection)
                    or schema_problem(connection)
                    or identity_problem(connection, data_dir)
                )
                about = (
                    f"{database.name}, {database.stat().st_size // 1024} KiB"
                    if database
                    else _server(connection)
                )
                current = is_current(connection)
                fault = problem or writing_problem(connection)
                if not (fault or current or database):
                    fault = f"its tables {TO_MIGRATE}"  # a file is brought up to date by a start
                yield Checked("database", not fault, fault or about)
                if problem:
                    return
                if current:
                    yield _clock(connection, now_utc())
                rows = connection.execute(text(PHOTOS))
                photos = [(str(name), str(sha256)) for name, sha256 in rows]
        except (DBAPIError, ImportError, OSError, sqlite3.Error) as error:
            yield Checked("database", False, f"cannot be read: {reason_of(error)}")
            return
    yield from _photos(photos, data_dir / "photos")
    yield _last_backup(data_dir)


def _opened(database: Path) -> Engine:
    """What reads an SQLite file, and leaves it as it is."""
    return create_engine("sqlite://", creator=lambda: _only_reading(database), poolclass=NullPool)


def _server(connection: Connection) -> str:
    """Which server it is, and whether it looks for flipped bits by itself."""
    sums_are = connection.scalar(text("SHOW data_checksums"))
    return f"{connection.dialect.name}, its sums of pages are {sums_are}"


def _clock(connection: Connection, now: datetime) -> Checked:
    """What day it is, and what goes because of that."""
    today = now.date()
    days = list(connection.execute(select(SeenDay.day)).scalars())
    if days and max(days) > today:
        detail = (
            f"it says {today}, but it said {max(days)} at an earlier start: set it if that is "
            "wrong; the next start goes by it"
        )
        return Checked("clock", False, detail)

    def older_than(end: datetime) -> int:
        old = select(func.count()).where(Photo.file.is_not(None), Photo.taken_utc < end)
        return connection.execute(old).scalar() or 0

    kept_for = timedelta(days=PHOTO_DAYS)
    passed = clock.passed({*days, today})
    goes = older_than(clock.midnight(passed) - kept_for) if passed else 0
    waits = older_than(now - kept_for) - goes
    detail = f"it says {today}"
    if goes:
        detail += f"; the next start deletes {counted(goes, 'photo')} older than {PHOTO_DAYS} days"
    if waits:
        detail += (
            f"; {counted(waits, 'photo')} older than {PHOTO_DAYS} days will be deleted once it was"
            f" seen on {clock.DAYS_SEEN} days over {clock.DAYS_APART}"
        )
    return Checked("clock", True, f"{detail}: is it right?" if goes or waits else detail)


def _photos(photos: list[tuple[str, str]], folder: Path) -> Iterator[Checked]:
    lost = [name for name, sha256 in photos if not is_whole(read_kept(folder / name), sha256)]
    detail = _told(lost, photos) if lost else f"{len(photos)} as they were stored"
    yield Checked("photos", not lost, detail)
    known = {name for name, _ in photos}
    names = sorted(path.name for path in folder.glob("*") if not is_of_system(path.name))
    orphans = [name for name in names if name not in known]
    detail = "none"
    if orphans:
        detail = (
            f"{counted(len(orphans), 'file')} of no game, to be deleted if you like: "
            f"{', '.join(orphans[:5])}"
        )
    yield Checked("orphans", not orphans, detail)


def _last_backup(data_dir: Path) -> Checked:
    """Never a failure: whether to keep backups is up to the people."""
    found = (data_dir / "backups").glob("*.zip")
    ours = (path for path in found if not is_of_system(path.name))
    backups = sorted(ours, key=lambda path: path.stat().st_mtime)
    if not backups:
        return Checked("backups", True, "none yet: tallystone backup makes one")
    try:
        faults = check_backup(backups[-1]).faults
    except (BackupError, OSError) as error:
        return Checked("backups", False, str(error))
    if faults:
        return Checked("backups", False, f"{backups[-1].name}: {'; '.join(faults)}")
    age = datetime.now(UTC) - datetime.fromtimestamp(backups[-1].stat().st_mtime, UTC)
    hint = ", time for a new one" if age.days > OLD_BACKUP_DAYS else ""
    days = counted(age.days, "day")
    return Checked("backups", True, f"{len(backups)}, the newest {days} old and whole{hint}")
