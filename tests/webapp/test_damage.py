"""What was damaged, emptied or is of another version is told in a sentence, and nothing is started on it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cluster import can_run, cluster
from sqlalchemy import create_engine, text

from webapp import create_app
from webapp.__main__ import cli
from webapp.store import StoreError, open_store
from webapp.store.engine import FILE, MARKER, place_of

SETUP = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
ROOT = Path(__file__).parents[2]
STARTS = 3
START = """
import sys
from pathlib import Path
from webapp import create_app
app = create_app({"DATA_DIR": Path(sys.argv[1])})
app.extensions["tallystone_tables"].start("stones", {"players": [{"name": "Ann", "colour": "red"}], "options": {}}, "ann", 0)
"""


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if not can_run():
        pytest.skip("no PostgreSQL on this machine (apt install postgresql, pip install 'psycopg[binary]')")
    with cluster() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str | None:
    """The address of an empty database; None for the file in the data folder."""
    if request.param == "sqlite":
        return None
    url: str = request.getfixturevalue("server")
    change(Path(), url, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return url


def change(data_dir: Path, url: str | None, *statements: str) -> None:
    """Change the database behind the program's back."""
    engine = create_engine(place_of(data_dir, url))
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def play(data_dir: Path, url: str | None) -> None:
    """One game is kept."""
    app = create_app({"TESTING": True, "DATA_DIR": data_dir, "DATABASE_URL": url})
    app.extensions["tallystone_tables"].start("stones", SETUP, "ann", 0)
    app.extensions["tallystone_store"].close()


def test_three_that_start_at_once_all_live(tmp_path: Path, url: str | None) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    if url:
        environment["DATABASE_URL"] = url
    started = [
        subprocess.Popen([sys.executable, "-c", START, str(tmp_path / "data")], env=environment, cwd=tmp_path)
        for _ in range(STARTS)
    ]
    assert [one.wait(120) for one in started] == [0] * STARTS
    store = open_store(tmp_path / "data", url)
    with store.reading() as session:
        assert session.execute(text("SELECT count(*) FROM game")).scalar() == STARTS
    store.close()


@pytest.mark.parametrize("how", ["dropped", "cut to nothing", "removed"])
def test_an_emptied_database_is_not_started(tmp_path: Path, url: str | None, how: str) -> None:
    play(tmp_path, url)
    if how == "dropped":
        tables = ("photo", "event", "member", "player", "game", "seen_day", "identity", "alembic_version")
        change(tmp_path, url, *(f"DROP TABLE {table}" for table in tables))
    elif url:
        pytest.skip("a server keeps its files by itself")
    elif how == "cut to nothing":
        (tmp_path / FILE).write_bytes(b"")
    else:
        (tmp_path / FILE).unlink()
    with pytest.raises(StoreError, match="games were kept in it: restore a backup"):
        open_store(tmp_path, url)
    assert how != "removed" or not (tmp_path / FILE).exists()
    (tmp_path / MARKER).unlink()
    open_store(tmp_path, url).close()


def test_photos_without_any_database_are_not_taken_for_rubbish(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / ("a" * 32 + ".jpg")).write_bytes(b"jpeg")
    with pytest.raises(StoreError, match="games were kept in it"):
        open_store(tmp_path)


def test_the_database_of_another_folder_is_refused(tmp_path: Path) -> None:
    for name in ("one", "other"):
        open_store(tmp_path / name).close()
    (tmp_path / "other" / FILE).replace(tmp_path / "one" / FILE)
    with pytest.raises(StoreError, match="belongs to another database"):
        open_store(tmp_path / "one")


@pytest.mark.parametrize("table", ["event", "photo", "seen_day"])
def test_a_missing_table_is_told(tmp_path: Path, url: str | None, table: str) -> None:
    play(tmp_path, url)
    change(tmp_path, url, f"DROP TABLE {table}")
    with pytest.raises(StoreError, match=f"the table {table} is missing: restore a backup"):
        open_store(tmp_path, url)


def test_a_newer_schema_is_told(tmp_path: Path, url: str | None) -> None:
    play(tmp_path, url)
    change(tmp_path, url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer version of Tallystone"):
        open_store(tmp_path, url)
