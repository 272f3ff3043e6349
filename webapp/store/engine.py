"""Opens the database: SQLite in the data folder, or whatever DATABASE_URL names."""

from __future__ import annotations

import errno
import re
import secrets
import sqlite3
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, select, text
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    DisconnectionError,
    InterfaceError,
    InternalError,
    NoSuchModuleError,
    OperationalError,
    TimeoutError,
)
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from calibration.files import make_folder, make_private, still_there
from webapp.store import sums
from webapp.store.lock import locked
from webapp.store.models import Game
from webapp.store.schema import MARKER, StoreAway, StoreError, emptied, prepare, shown, was_used

FILE = "tallystone.sqlite3"
"""The database in the data folder."""

PRIVATE = (
    FILE,
    f"{FILE}-wal",
    f"{FILE}-shm",
    f"{FILE}-lock",
    f"{FILE}-sums",
    MARKER,
    "photos",
    "profiles",
    "backups",
    "cameras",
    "tls",
)
"""Files and folders of the data folder that nobody but its owner may read, whoever made them."""

SETTINGS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=ON",
    "wal_autocheckpoint=0",  # webapp.store.sums does that
)

_SECOND_AT = re.compile(r"://[^:/]*:[^@]*@[^?]*@")
"""A password with an @ as it is: what follows that would be taken, and shown, for the host."""

CHECKPOINT_EVERY = 100
"""Changes after which the journal moves into the file: some hundred pages, as SQLite does."""

BUSY_SECONDS = 15
"""How long a change waits for another one before it gives up."""

CHANNEL = "tallystone_game"
"""Where PostgreSQL says ``CODE VERSION STORE`` of each game that was changed, and by whom."""

NOTIFY = text("SELECT pg_notify(:channel, :says)")

DISK_CODES = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
}
DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
SERVER_STATES = {"53100", "25006"}
"""What SQLite, the system and PostgreSQL say where a disk is full or may not be written to."""

NO_ROOM_BESIDE = sqlite3.SQLITE_IOERR_SHMSIZE
"""What SQLite says where a disk has no room for the file that it makes beside the database."""

NOT_ALLOWED = "42501"
"""What PostgreSQL says where a role has no right to do what it asks for."""

ANOTHER_FOLDER = "; name another folder with --data or TALLYSTONE_DATA"
"""What helps somebody on the command line whose data folder takes nothing."""

CONNECTING = {
    "client_encoding": "utf8",
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,
}
"""Settings of connections to PostgreSQL: one that is gone without a word is noticed, and texts are
those of Python whatever the server's own are."""

LIMITS = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=20s"
"""Whoever holds a row for long, or is gone without a word, must not stop every table."""

MOST_CONNECTIONS = 8
"""Connections of one process to a server, all of them kept; PostgreSQL allows 100 in all."""

FREE_SECONDS = 5
"""How long a request waits for a connection to a server before it is refused."""


LOST = (OperationalError, InterfaceError, InternalError, TimeoutError)
"""What is raised where a server does not answer, or ends a change that stood still."""


class FolderGone(OSError):
    """The data folder is not there any more, or another one took its place."""


class Store:
    """The open database; safe to share between threads. *holding* is closed with it."""

    def __init__(self, engine: Engine, holding: ExitStack) -> None:
        self.engine = engine
        self.name = secrets.token_hex(8)
        self._file = file_of(engine.url)
        self._is_there = still_there(self._file) if self._file else lambda: True
        # A server gives each statement its own moment anyway.
        self._reading = engine.execution_options(
            **({"tallystone_reading": True} if self._file else {"isolation_level": "AUTOCOMMIT"})
        )
        self._lock = Lock()
        self._changes = 0
        # at the end of the program, too
        self._closing = weakref.finalize(self, _close, engine, self._file, self._is_there, holding)
        _close_late_ones(engine, self._closing)

    def reading(self) -> Session:
        """A session that changes nothing; of a file it sees one moment."""
        return Session(self._reading, expire_on_commit=False)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that commits at the end or rolls back on an exception; never within another."""
        with self._turn():
            with Session(self.engine, expire_on_commit=False) as session, session.begin():
                yield session
            self._changes += 1
            if self._file is not None and self._changes % CHECKPOINT_EVERY == 0:
                _checkpoint(self.engine, self._file, "PASSIVE")

    @property
    def is_server(self) -> bool:
        """Whether the database is not a file of this computer."""
        return self._file is None

    @property
    def shown(self) -> str:
        """The address without its password."""
        return shown(self.engine.url)

    @property
    def tells_changes(self) -> bool:
        """Whether the database tells other processes what one has changed."""
        return self.engine.dialect.name == "postgresql"

    def tell(self, session: Session, code: str, version: int) -> None:
        """Tell other processes that a game has changed, once *session* is committed."""
        if self.tells_changes:
            session.execute(NOTIFY, {"channel": CHANNEL, "says": f"{code} {version} {self.name}"})

    def versions(self, codes: Sequence[str]) -> dict[str, int]:
        """The versions of these games, without those that were deleted."""
        with self.reading() as session:
            found = select(Game.code, Game.version).where(Game.code.in_(codes))
            return {row.code: row.version for row in session.execute(found)}

    def refuse_gone(self) -> None:
        """Raises FolderGone if the file is gone or another one: what it takes would be lost."""
        if not self._is_there():
            raise FolderGone(f"{self._file} is no longer the file that was opened")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one writer of SQLite in at a time.

        SQLite lets waiting writers try now and then, so one may wait for ever; a lock takes turns.
        """
        if self._file is None:
            yield
        else:
            with self._lock:
                self.refuse_gone()
                with locked(lock_of(self._file)):
                    yield

    def forget_deleted(self) -> None:
        """Take deleted rows out of SQLite's journal, too; other servers do it in their own time."""
        if self._file is not None:
            with self._turn():
                _checkpoint(self.engine, self._file, "TRUNCATE")

    @property
    def closed(self) -> bool:
        """Whether the connections were given back."""
        return not self._closing.alive

    def close(self) -> None:
        """Give the connections back."""
        self._closing()


def _checkpoint(engine: Engine, file: Path, mode: str) -> None:
    connection = engine.raw_connection()  # a checkpoint cannot run inside a transaction
    try:
        sums.checkpoint(file, connection, mode)
    finally:
        connection.close()


def _close_late_ones(engine: Engine, closing: weakref.finalize[..., Any]) -> None:
    """Close a connection that is given back after *closing* was called: its pool is gone then."""

    @event.listens_for(engine, "checkin")
    def close_late_one(_: Any, record: ConnectionPoolEntry) -> None:
        if not closing.alive:
            record.invalidate()


def _close(
    engine: Engine, file: Path | None, is_there: Callable[[], bool], holding: ExitStack
) -> None:
    """Move everything into the file, as SQLite itself would when the last connection closes.

    Whoever writes at that moment will do it. To wait for them might be for ever: a store that is
    thrown away is closed wherever its thread happens to be, within a change of another store, too.
    """
    with holding:
        if file is not None and is_there():
            with suppress(OSError, DBAPIError, sqlite3.Error), locked(lock_of(file), wait=False):
                _checkpoint(engine, file, "PASSIVE")
                engine.dispose()
        engine.dispose()


def file_of(place: URL) -> Path | None:
    """The file of an SQLite database; None for a server."""
    return Path(place.database) if place.get_backend_name() == "sqlite" and place.database else None


def lock_of(file: Path) -> Path:
    """The file that stands for the right to write to the database *file*."""
    return file.with_name(f"{file.name}-lock")


def open_store(data_dir: Path, url: str | None = None, *, migrating: bool = False) -> Store:
    """The database of a data folder; *url* names another (DATABASE_URL).

    The tables of a file are brought up to date; those of a server only if *migrating*, because
    other processes may be at work on them.

    Raises
    ------
    StoreError
        If it cannot be opened, was written by another version of the program, was emptied, or
        belongs to another data folder. StoreAway if it does not answer.
    """
    place = place_of(data_dir, url)
    holding = ExitStack()
    try:
        _make_private(data_dir)
        file = file_of(place)
        # On a new file SQLite refuses, not delays, whoever comes second; a server has a lock of its
        # own for that.
        with locked(lock_of(file)) if file else nullcontext():
            if file and was_used(data_dir) and not (file.is_file() and file.stat().st_size):
                raise emptied(place, data_dir)
            engine = engine_of(place)
            try:
                if file:
                    holding.enter_context(sums.held(file))
                prepare(engine, data_dir, upgrading=bool(file) or migrating)
                if file:
                    _checkpoint(engine, file, "PASSIVE")
            except BaseException:
                engine.dispose()
                holding.close()
                raise
    except (DBAPIError, OSError, NoSuchModuleError, ModuleNotFoundError) as error:
        kind = StoreAway if isinstance(error, LOST) else StoreError
        raise kind(
            f"the database {shown(place)} cannot be opened: {reason_of(error)}{way_out_of(error)}"
        ) from error
    return Store(engine, holding)


def place_of(data_dir: Path, url: str | None) -> URL:
    """Where the database is. Raises StoreError for a *url* that is none."""
    if not url:
        return URL.create("sqlite", database=str(data_dir / FILE))
    if _SECOND_AT.search(url):
        raise StoreError("DATABASE_URL has two @: write the one of the password as %40")
    try:
        place = make_url(url.strip())  # a secret that was kept in a file ends with a line break
    except (ArgumentError, ValueError):  # the port may be no number
        raise StoreError(
            "DATABASE_URL is no address of a database; expected such as postgresql://user:password@host/name"
        ) from None
    if place.drivername.lower().partition("+")[0] in ("postgres", "postgresql"):
        place = place.set(drivername="postgresql+psycopg")
    if place.get_backend_name() not in ("postgresql", "sqlite"):
        raise StoreError(
            f"only PostgreSQL and SQLite can be used, DATABASE_URL names {shown(place)}"
        )
    if place.get_backend_name() == "sqlite" and place.database in (None, "", ":memory:"):
        raise StoreError(
            "DATABASE_URL names no file; expected such as sqlite:////srv/tallystone/games.db"
        )
    return place


def _make_private(data_dir: Path) -> None:
    try:
        make_folder(data_dir)
        for name in PRIVATE:
            make_private(data_dir / name)
    except OSError as error:
        raise StoreError(
            f"the data folder {data_dir} cannot be made: {error.strerror}{ANOTHER_FOLDER}"
        ) from error


def reason_of(error: Exception) -> str:
    """What is wrong, in one line."""
    if isinstance(error, ModuleNotFoundError) and error.name == "psycopg":
        return "PostgreSQL needs psycopg: pip install 'tallystone[postgres]'"
    told = getattr(error, "orig", None) or error
    reason = " ".join(str(_said_by_server(told) or told).split())
    if _state_of(error) == NOT_ALLOWED:
        return f"its role must own the database and the tables in it ({reason})"
    if is_full(error):
        return f"the disk is full, please make room on it ({reason})"
    return reason


def is_full(error: Exception) -> bool:
    """Whether it says that a disk of this computer is full."""
    told = getattr(error, "orig", None) or error
    is_of_system = isinstance(told, OSError) and told.errno == errno.ENOSPC
    code = getattr(told, "sqlite_errorcode", None)
    return is_of_system or code == NO_ROOM_BESIDE or "disk is full" in str(told)


def way_out_of(error: Exception) -> str:
    """What helps on the command line where the disk takes nothing; empty for other errors, and for
    the disk of a server, which is not in the data folder."""
    return ANOTHER_FOLDER if takes_nothing(error) and _state_of(error) is None else ""


def takes_nothing(error: Exception) -> bool:
    """Whether it says that the disk is full or may not be written to."""
    code = getattr(getattr(error, "orig", None) or error, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in DISK_CODES  # the other bits say more exactly what failed
    return _state_of(error) in SERVER_STATES or (
        isinstance(error, OSError) and error.errno in DISK_ERRORS
    )


def _state_of(error: Exception) -> str | None:
    """What a server says by five letters and digits; None where none has answered."""
    return getattr(getattr(error, "orig", None), "sqlstate", None)


def _said_by_server(error: Exception) -> str | None:
    """The sentence of a server alone, without the text of what was asked; None if it said none."""
    return getattr(getattr(error, "diag", None), "message_primary", None)


def _refuse_closed(connection: Any, *_: Any) -> None:
    """Have the pool open another connection in place of one that PostgreSQL has ended.

    Nobody has asked it anything, so there is something to read only where it says goodbye.
    """
    with DefaultSelector() as selector:
        selector.register(connection.pgconn.socket, EVENT_READ)
        if selector.select(0):
            raise DisconnectionError


def engine_of(place: URL) -> Engine:
    """What connects to a database; an SQLite file is made if it is not there."""
    file = file_of(place)
    if file is None:
        is_postgres = place.get_backend_name() == "postgresql"
        own = place.normalized_query.get("options", ())  # the last one of a setting counts
        engine = create_engine(
            place,
            hide_parameters=True,
            pool_pre_ping=not is_postgres,
            pool_size=MOST_CONNECTIONS,
            max_overflow=0,
            pool_timeout=FREE_SECONDS,
            connect_args=CONNECTING | {"options": " ".join((LIMITS, *own))} if is_postgres else {},
        )
        if is_postgres:
            event.listen(engine, "checkout", _refuse_closed)
        return engine
    # A descriptor that is closed would end the locks of whoever has it open here.
    if not file.exists():
        file.touch(mode=0o600)  # SQLite gives its other files the same mode
    engine = create_engine(
        place,
        hide_parameters=True,  # what people type stays out of the terminal
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
        pool_size=20,
        max_overflow=20,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver's own BEGIN would come too late
        for pragma in SETTINGS:
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A transaction that reads first and writes later would fail at once, not wait, if another
        # wrote meanwhile.
        reading = connection.get_execution_options().get("tallystone_reading")
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine
