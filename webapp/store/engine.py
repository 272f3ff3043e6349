"""Opens the database: SQLite in the data folder, or whatever DATABASE_URL names."""

from __future__ import annotations

import errno
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    create_engine,
    event,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session

from calibration.files import make_folder, make_private, write_whole
from webapp.store import sums
from webapp.store.lock import locked
from webapp.store.models import Base, Identity

FILE = "tallystone.sqlite3"
"""The database in the data folder."""

MARKER = "database.id"
"""Holds the name of the database, so that another or an emptied one is not taken for it."""

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

ADVISORY_LOCK = 0x74616C6C79
"""The lock of PostgreSQL that is held while the tables are brought up to date."""

NEWER = "the database was written by a newer version of Tallystone; please update"

SETTINGS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=ON",
    "wal_autocheckpoint=0",  # webapp.store.sums does that
)

CHECKPOINT_EVERY = 100
"""Changes after which the journal moves into the file: some hundred pages, as SQLite does."""

BUSY_SECONDS = 15
"""How long a change waits for another one before it gives up."""


class StoreError(Exception):
    """The database cannot be opened; the message says what to do."""


class Store:
    """The open database; safe to share between threads. *holding* is closed with it."""

    def __init__(self, engine: Engine, holding: ExitStack) -> None:
        self.engine = engine
        self._reading = engine.execution_options(tallystone_reading=True)
        self._file = file_of(engine.url)
        self._lock = Lock()
        self._changes = 0
        # at the end of the program, too
        self._closing = weakref.finalize(self, _close, engine, self._file, holding)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one moment and changes nothing."""
        with Session(self._reading, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that commits at the end or rolls back on an exception; never within another."""
        with self._turn():
            with Session(self.engine, expire_on_commit=False) as session, session.begin():
                yield session
            self._changes += 1
            if self._file is not None and self._changes % CHECKPOINT_EVERY == 0:
                _checkpoint(self.engine, self._file, "PASSIVE")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one writer of SQLite in at a time.

        SQLite lets waiting writers try now and then, so one may wait for ever; a lock takes turns.
        """
        if self._file is None:
            yield
        else:
            with self._lock, locked(lock_of(self._file)):
                yield

    def forget_deleted(self) -> None:
        """Take deleted rows out of SQLite's journal, too; other servers do it in their own time."""
        if self._file is not None:
            with self._turn():
                _checkpoint(self.engine, self._file, "TRUNCATE")

    def close(self) -> None:
        """Give the connections back."""
        self._closing()


def _checkpoint(engine: Engine, file: Path, mode: str) -> None:
    connection = engine.raw_connection()  # a checkpoint cannot run inside a transaction
    try:
        sums.checkpoint(file, connection, mode)
    finally:
        connection.close()


def _close(engine: Engine, file: Path | None, holding: ExitStack) -> None:
    """Move everything into the file, as SQLite itself would when the last connection closes.

    Whoever writes at that moment will do it. To wait for them might be for ever: a store that is
    thrown away is closed wherever its thread happens to be, within a change of another store, too.
    """
    with holding:
        if file is not None and file.is_file():
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


def open_store(data_dir: Path, url: str | None = None) -> Store:
    """The migrated database of a data folder; *url* names another (DATABASE_URL).

    Raises
    ------
    StoreError
        If it cannot be opened, was written by a newer version of the program, was emptied, or
        belongs to another data folder.
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
                raise _emptied(place, data_dir)
            engine = _engine(place)
            try:
                if file:
                    holding.enter_context(sums.held(file))
                _upgrade(engine, data_dir)
                if file:
                    _checkpoint(engine, file, "PASSIVE")
            except BaseException:
                engine.dispose()
                holding.close()
                raise
    except (DBAPIError, OSError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreError(
            f"the database {_shown(place)} cannot be opened: {reason_of(error)}"
        ) from error
    return Store(engine, holding)


def place_of(data_dir: Path, url: str | None) -> URL:
    """Where the database is. Raises StoreError for a *url* that is none."""
    if not url:
        return URL.create("sqlite", database=str(data_dir / FILE))
    try:
        place = make_url(url)
    except ArgumentError:
        raise StoreError(
            "DATABASE_URL is no address of a database; expected such as postgresql://user:password@host/name"
        ) from None
    if place.drivername in ("postgres", "postgresql"):
        place = place.set(drivername="postgresql+psycopg")
    return place


def _make_private(data_dir: Path) -> None:
    try:
        make_folder(data_dir)
        for name in PRIVATE:
            make_private(data_dir / name)
    except OSError as error:
        raise StoreError(f"the data folder {data_dir} cannot be made: {error.strerror}") from error


def _shown(place: URL) -> str:
    return place.render_as_string(hide_password=True)


def reason_of(error: Exception) -> str:
    """What is wrong, in one line."""
    reason = " ".join(str(getattr(error, "orig", None) or error).split())
    if "disk is full" in reason or (isinstance(error, OSError) and error.errno == errno.ENOSPC):
        return f"the disk is full, please make room on it ({reason})"
    return reason


def was_used(data_dir: Path) -> bool:
    """Whether the folder belongs to a database in which games were kept."""
    return (data_dir / MARKER).is_file() or any((data_dir / "photos").glob("*.jpg"))


def _emptied(place: URL, data_dir: Path) -> StoreError:
    return StoreError(
        f"the database {_shown(place)} is empty or gone, though games were kept in it: restore a "
        "backup into a new"
        f" folder (tallystone restore), or move the folder {data_dir} away to start anew"
    )


def _engine(place: URL) -> Engine:
    file = file_of(place)
    if file is None:
        return create_engine(
            place, hide_parameters=True, pool_pre_ping=True, pool_size=20, max_overflow=20
        )
    if (
        not file.exists()
    ):  # a descriptor that is closed would end the locks of whoever has it open here
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


def _migrations() -> Config:
    config = Config()
    config.set_main_option(
        "script_location", str(Path(__file__).parent / "migrations").replace("%", "%%")
    )
    return config


def _upgrade(engine: Engine, data_dir: Path) -> None:
    config = _migrations()
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
        if MigrationContext.configure(connection).get_current_revision() is None and was_used(
            data_dir
        ):
            raise _emptied(engine.url, data_dir)
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise StoreError(f"{NEWER} ({error})") from error
        problem = schema_problem(connection)
        if problem:
            raise StoreError(
                f"the database {_shown(engine.url)} is damaged: {problem}: restore a backup"
            )
        problem = identity_problem(connection, data_dir)
        if problem:
            raise StoreError(
                f"{problem}: name the right one (DATABASE_URL), or another folder (--data)"
            )
        name = connection.execute(select(Identity.id)).scalar() or ""
    if not (data_dir / MARKER).is_file():
        write_whole(data_dir / MARKER, name.encode())


def identity_problem(connection: Connection, data_dir: Path) -> str:
    """Whether the folder belongs to another database than this one; empty if not."""
    marker = data_dir / MARKER
    if not marker.is_file() or not inspect(connection).has_table(Identity.__tablename__):
        return ""
    if (
        marker.read_text(encoding="ascii", errors="replace")
        == connection.execute(select(Identity.id)).scalar()
    ):
        return ""
    return f"the data folder {data_dir} belongs to another database than this one"


def is_current(connection: Connection) -> bool:
    """Whether the tables are those of this version; otherwise the next start makes them so."""
    script = ScriptDirectory.from_config(_migrations())
    return (
        MigrationContext.configure(connection).get_current_revision() == script.get_current_head()
    )


def schema_problem(connection: Connection) -> str:
    """Faults of the tables; empty if there are none, or the next start mends them."""
    script = ScriptDirectory.from_config(_migrations())
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is None:
        return "it holds no tables"
    if revision not in {one.revision for one in script.walk_revisions()}:
        return NEWER
    if revision != script.get_current_head():
        return ""
    there = inspect(connection)
    tables = set(there.get_table_names())
    for table in Base.metadata.sorted_tables:
        if table.name not in tables:
            return f"the table {table.name} is missing"
        columns = {column["name"] for column in there.get_columns(table.name)}
        for column in table.columns:
            if column.name not in columns:
                return f"the column {column.name} of the table {table.name} is missing"
    if connection.execute(select(Identity.id)).scalar() is None:
        return "the table identity is empty"
    return ""
