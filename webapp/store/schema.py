"""The tables of a database: brought up to date, and checked."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, inspect, select, text

from calibration.files import write_whole
from webapp.store.models import Base, Identity

MARKER = "database.id"
"""Holds the name of the database, so that another or an emptied one is not taken for it."""

ADVISORY_LOCK = 0x74616C6C79
"""The lock of PostgreSQL that is held while the tables are brought up to date."""

LIMITED = ("lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout")
"""Limits of PostgreSQL that an update does without: it may wait, and take its time."""

NEWER = "the database was written by a newer version of Tallystone; please update"

TO_MIGRATE = "are missing or older than this program: run tallystone migrate first"
"""What is wrong with the tables of a server that no update has brought up to date."""


class StoreError(Exception):
    """The database cannot be opened; the message says what to do."""


class StoreAway(StoreError):
    """The database does not answer now; it may do so later."""


def was_used(data_dir: Path) -> bool:
    """Whether the folder belongs to a database in which games were kept."""
    return (data_dir / MARKER).is_file() or any((data_dir / "photos").glob("*.jpg"))


def emptied(place: URL, data_dir: Path) -> StoreError:
    """The refusal of a database that lost everything, or of a folder whose games are elsewhere."""
    file = Path(place.database or "")
    is_own = place.get_backend_name() == "sqlite" and file.parent == data_dir
    hint = "if its games are on a server, set DATABASE_URL; else "
    return StoreError(
        f"{hint if is_own and not file.exists() else ''}the database {shown(place)} is empty or "
        "gone, though games were kept in it: restore a backup into a new folder (tallystone "
        f"restore), or move the folder {data_dir} away to start anew"
    )


def shown(place: URL) -> str:
    """An address of a database without its passwords."""
    open_to_all = place.difference_update_query(("password", "sslpassword"))
    return open_to_all.render_as_string(hide_password=True)


def _migrations() -> Config:
    config = Config()
    config.set_main_option(
        "script_location", str(Path(__file__).parent / "migrations").replace("%", "%%")
    )
    return config


@cache
def _script() -> ScriptDirectory:
    return ScriptDirectory.from_config(_migrations())


def prepare(engine: Engine, data_dir: Path, *, upgrading: bool) -> None:
    """Check the tables, after bringing them up to date if *upgrading*: all of it or nothing.

    Notes in the data folder which database is its own. Raises StoreError.
    """
    with engine.begin() as connection:
        if problem := encoding_problem(connection):
            raise StoreError(f"the database {shown(engine.url)} cannot be used: {problem}")
        if upgrading and engine.dialect.name == "postgresql":
            for limit in LIMITED:
                connection.execute(text(f"SET LOCAL {limit} = 0"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
        if _revision(connection) is None and was_used(data_dir):
            raise emptied(engine.url, data_dir)
        if upgrading:
            if not is_current(connection):
                _upgrade(connection)
        elif not is_current(connection) and schema_problem(connection) != NEWER:
            raise StoreError(f"the tables of the database {shown(engine.url)} {TO_MIGRATE}")
        problem = schema_problem(connection)
        if problem == NEWER:
            raise StoreError(NEWER)
        if problem:
            raise StoreError(
                f"the database {shown(engine.url)} is damaged: {problem}: restore a backup"
            )
        expect_own(connection, data_dir)
        name = connection.execute(select(Identity.id)).scalar() or ""
    if not (data_dir / MARKER).is_file():
        write_whole(data_dir / MARKER, name.encode())


def _upgrade(connection: Connection) -> None:
    config = _migrations()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise StoreError(f"{NEWER} ({error})") from error


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def expect_own(connection: Connection, data_dir: Path) -> None:
    """Raise StoreError if the folder belongs to another database than this one."""
    if problem := identity_problem(connection, data_dir):
        raise StoreError(
            f"{problem}: name the right one (DATABASE_URL), or another folder (--data)"
        )


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


def encoding_problem(connection: Connection) -> str:
    """Whether a server keeps other letters than all; empty if not."""
    if connection.dialect.name != "postgresql":
        return ""
    encoding = connection.scalar(text("SHOW server_encoding"))
    if encoding == "UTF8":
        return ""
    return f"its encoding is {encoding}: make the database with ENCODING 'UTF8'"


def writing_problem(connection: Connection) -> str:
    """Whether a server only reads; empty if not."""
    if connection.dialect.name != "postgresql":
        return ""
    if connection.scalar(text("SHOW transaction_read_only")) == "off":
        return ""
    return "it takes no changes: transaction_read_only is on"


def is_current(connection: Connection) -> bool:
    """Whether the tables are those of this version."""
    return _revision(connection) == _script().get_current_head()


def schema_problem(connection: Connection) -> str:
    """Faults of the tables; empty if there are none, or only an update is missing."""
    script = _script()
    revision = _revision(connection)
    if revision is None:
        return "it holds no tables"
    if revision not in {one.revision for one in script.walk_revisions()}:
        return NEWER
    if revision != script.get_current_head():
        return ""
    there = inspect(connection).get_multi_columns()
    for table in Base.metadata.sorted_tables:
        found = there.get((None, table.name))
        if found is None:
            return f"the table {table.name} is missing"
        columns = {column["name"] for column in found}
        for column in table.columns:
            if column.name not in columns:
                return f"the column {column.name} of the table {table.name} is missing"
    if connection.execute(select(Identity.id)).scalar() is None:
        return "the table identity is empty"
    return ""
