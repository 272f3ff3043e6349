"""Opens the database: SQLite in the data folder, or whatever DATABASE_URL names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session

from calibration.files import make_folder, make_private

FILE = "tallystone.sqlite3"
"""The database in the data folder."""

PRIVATE = (FILE, f"{FILE}-wal", f"{FILE}-shm", "photos", "profiles", "boards", "backups", "cameras", "tls")
"""Files and folders of the data folder that nobody but its owner may read, whoever made them."""

BUSY_SECONDS = 15
"""How long a change waits for another one before it gives up."""


class StoreError(Exception):
    """The database cannot be opened; the message says what to do."""


class Store:
    """The open database; safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._reading = engine.execution_options(tallystone_reading=True)
        # SQLite lets waiting writers try again now and then, so one of many may wait for ever; a lock wakes each in turn.
        self._turn: AbstractContextManager[Any] = Lock() if engine.dialect.name == "sqlite" else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one moment and changes nothing."""
        with Session(self._reading, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that is committed at the end, or rolled back by an exception; never within another one."""
        with self._turn, Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    def forget_deleted(self) -> None:
        """Take what was deleted out of SQLite's journal, too; elsewhere the server does that in its own time."""
        if self.engine.dialect.name == "sqlite":
            connection = self.engine.raw_connection()  # a checkpoint cannot run inside a transaction
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
            finally:
                connection.close()

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


def open_store(data_dir: Path, url: str | None = None) -> Store:
    """The database of a data folder, its schema brought up to date; *url* names another (DATABASE_URL).

    Raises
    ------
    StoreError
        If it cannot be opened, or was written by a newer version of the program.
    """
    place = _place(data_dir, url)
    try:
        engine = _engine(place)
        _upgrade(engine)
    except (DBAPIError, OSError, NoSuchModuleError, ModuleNotFoundError) as error:
        reason = getattr(error, "orig", None) or error
        raise StoreError(
            f"the database {place.render_as_string(hide_password=True)} cannot be opened: {reason}"
        ) from error
    return Store(engine)


def _place(data_dir: Path, url: str | None) -> URL:
    if not url:
        try:
            make_folder(data_dir)
            (data_dir / FILE).touch(mode=0o600)  # SQLite gives its other files the same mode
            for name in PRIVATE:
                make_private(data_dir / name)
        except OSError as error:
            raise StoreError(f"the data folder {data_dir} cannot be made: {error.strerror}") from error
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


def _engine(place: URL) -> Engine:
    if place.get_backend_name() != "sqlite":
        return create_engine(place, hide_parameters=True, pool_pre_ping=True, pool_size=20, max_overflow=20)
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
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A transaction that reads first and writes later would fail at once, not wait, if another wrote meanwhile.
        reading = connection.get_execution_options().get("tallystone_reading")
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def _upgrade(engine: Engine) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise StoreError(
                f"the database was written by a newer version of Tallystone; please update ({error})"
            ) from error
