"""Damaged, emptied or newer files are told in a sentence, and nothing starts on them."""

import json
import os
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fakes import TokenClient
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from store.cluster import Server, changing

from webapp import create_app
from webapp.__main__ import cli
from webapp.after import keeping
from webapp.store import Store, StoreError, clock, engine, models, open_store, sums
from webapp.store.engine import FILE
from webapp.store.models import Base
from webapp.store.schema import MARKER

SETUP = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
ROOT = Path(__file__).parents[3]
STARTS = 3
START = """
import sys
from pathlib import Path
from webapp import create_app
app = create_app({"DATA_DIR": Path(sys.argv[1])})
setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
app.extensions["tallystone_tables"].games.start("stones", setup, "ann", 0)
"""


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str | None:
    """The address of a database without games; None for the file in the data folder."""
    if request.param == "sqlite":
        return None
    url: str = request.getfixturevalue("prepared_server").url
    return url


def change(data_dir: Path, url: str | None, *statements: str) -> None:
    """Change the database behind the program's back."""
    with changing(url, data_dir) as connection:
        for statement in statements:
            connection.execute(text(statement))


def play(data_dir: Path, url: str | None) -> None:
    """One game is kept."""
    app = create_app({"TESTING": True, "DATA_DIR": data_dir, "DATABASE_URL": url})
    app.extensions["tallystone_tables"].games.start("stones", SETUP, "ann", 0)
    app.extensions["tallystone_store"].close()


def test_three_that_start_at_once_all_live(tmp_path: Path, url: str | None) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    if url:
        environment["DATABASE_URL"] = url
    started = [
        subprocess.Popen(
            [sys.executable, "-c", START, str(tmp_path / "data")], env=environment, cwd=tmp_path
        )
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
        tables = [
            *(table.name for table in reversed(Base.metadata.sorted_tables)),
            "alembic_version",
        ]
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
    open_store(tmp_path, url, migrating=True).close()


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


FLIPS = 20


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A data folder with games in which something happened."""
    store = played(tmp_path)
    store.close()
    return tmp_path


def played(data_dir: Path) -> Store:
    """Games are kept, and their database is still open."""
    app = create_app({"TESTING": True, "DATA_DIR": data_dir})
    tables = app.extensions["tallystone_tables"]
    board = {"name": "meadow", "rows": 2, "cols": 2, "empty": True}
    for _ in range(4):
        code = tables.games.start("custom", SETUP | {"options": {"board": board}}, "ann", 0)
        for points in range(30):
            tables.changes.act(code, "ann", {"type": "extra", "seat": 0, "points": points})
    store = app.extensions["tallystone_store"]
    assert isinstance(store, Store)
    return store


def found_flips(file: Path, database: Path, seed: int, size: int | None = None) -> int:
    """Count how many of `FLIPS` bit flips in *file*, or in its first *size* bytes, are found."""
    dice = random.Random(seed)
    data = file.read_bytes()
    assert keeping.integrity(database) == ""
    found = 0
    for _ in range(FLIPS):
        at = dice.randrange(size or len(data))
        with file.open("r+b") as changed:
            changed.seek(at)
            changed.write(bytes([data[at] ^ 1 << dice.randrange(8)]))
        found += keeping.integrity(database) != ""
        with file.open("r+b") as changed:
            changed.seek(at)
            changed.write(data[at : at + 1])
    assert keeping.integrity(database) == ""
    return found


def test_every_flipped_bit_of_the_database_is_found(kept: Path) -> None:
    assert not (kept / f"{FILE}-wal").exists()
    assert found_flips(kept / FILE, kept / FILE, 1) == FLIPS
    assert found_flips(kept / f"{FILE}-sums", kept / FILE, 2) == FLIPS


def test_every_flipped_bit_is_found_while_the_server_runs(tmp_path: Path) -> None:
    store = played(tmp_path)
    assert found_flips(tmp_path / FILE, tmp_path / FILE, 3) == FLIPS
    journal = tmp_path / f"{FILE}-wal"
    changes = int.from_bytes((tmp_path / f"{FILE}-shm").read_bytes()[16:20], sys.byteorder)
    used = 32 + changes * (24 + 4096)  # behind it lies what was moved into the file long ago
    assert 32 < used <= journal.stat().st_size
    assert found_flips(journal, tmp_path / FILE, 4, used) == FLIPS
    store.close()


def test_a_flip_is_told_by_doctor_and_no_backup_is_made_of_it(kept: Path) -> None:
    data = bytearray((kept / FILE).read_bytes())
    at = data.rindex(b'"points"')  # a score that becomes another: nothing that SQLite minds
    data[at + 10] ^= 1
    (kept / FILE).write_bytes(data)
    told = run("doctor", "--data", kept)
    assert told.exit_code == 1
    assert "1 of" in told.stdout
    assert "pages are not as they were written" in told.stdout
    made = run("backup", "--data", kept)
    assert made.exit_code == 1
    assert "the database is damaged, so no backup was made" in made.stderr
    assert not list(kept.rglob("*.zip"))


@pytest.mark.parametrize("mode", ["PASSIVE", "TRUNCATE"])
def test_sums_follow_what_is_written(
    tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = played(tmp_path)
    monkeypatch.setattr(engine, "CHECKPOINT_EVERY", 1)
    for _ in range(3):
        with store.reading() as session:
            session.execute(text("SELECT * FROM event")).first()
            with store.writing() as other:
                other.execute(text("UPDATE game SET version = version + 1"))
            assert keeping.integrity(tmp_path / FILE) == ""
        if mode == "TRUNCATE":
            store.forget_deleted()
        assert keeping.integrity(tmp_path / FILE) == ""
    store.close()
    assert keeping.integrity(tmp_path / FILE) == ""


def test_a_crash_between_sums_and_pages_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = played(tmp_path)

    def crash(*_: Any) -> bool:
        raise OSError("the power is gone")

    with monkeypatch.context() as patched:
        patched.setattr(sums, "_moved_all", crash)
        with pytest.raises(OSError, match="power"):
            store.forget_deleted()
    assert keeping.integrity(tmp_path / FILE) == ""
    copy = tmp_path / "after"
    copy.mkdir()
    for path in tmp_path.glob(f"{FILE}*"):
        (copy / path.name).write_bytes(path.read_bytes())
    open_store(copy).close()
    assert keeping.integrity(copy / FILE) == ""
    store.close()


def doctor(data_dir: Path, url: str | None) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit status, and what was found by the name of the check."""
    environment = {"DATABASE_URL": url} if url else {}
    told = CliRunner(env=environment).invoke(cli, ["doctor", "--json", "--data", str(data_dir)])
    return told.exit_code, {
        line["check"]: line for line in map(json.loads, told.stdout.splitlines())
    }


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DROP TABLE event", "the table event is missing"),
        ("DROP TABLE photo", "the table photo is missing"),
        (
            "ALTER TABLE game DROP COLUMN location",
            "the column location of the table game is missing",
        ),
        ("UPDATE alembic_version SET version_num = '9999'", "newer version of Tallystone"),
        ("DELETE FROM alembic_version", "it holds no tables"),
        ("UPDATE identity SET id = 'another'", "belongs to another database"),
    ],
)
def test_doctor_fails_for_wrong_tables(
    tmp_path: Path, url: str | None, statement: str, sentence: str
) -> None:
    play(tmp_path, url)
    status, found = doctor(tmp_path, url)
    assert (status, found["database"]["ok"]) == (0, True), found
    assert found["clock"]["ok"]
    change(tmp_path, url, statement)
    (tmp_path / f"{FILE}-sums").unlink(missing_ok=True)  # written to on purpose
    status, found = doctor(tmp_path, url)
    assert (status, found["database"]["ok"]) == (1, False)
    assert sentence in found["database"]["detail"]


def test_doctor_fails_for_an_emptied_database(tmp_path: Path) -> None:
    play(tmp_path, None)
    (tmp_path / FILE).write_bytes(b"")
    status, found = doctor(tmp_path, None)
    assert status == 1
    assert "games were kept in it: restore a backup" in found["database"]["detail"]


def test_doctor_fails_for_a_server_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    status, found = doctor(tmp_path, "postgresql://nobody@127.0.0.1:1/none")
    assert status == 1
    assert "cannot be read" in found["database"]["detail"]


def test_doctor_waits_not_for_ever_for_a_server_that_accepts_and_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setitem(engine.CONNECTING, "connect_timeout", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        status, found = doctor(
            tmp_path, f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/x"
        )
        assert time.monotonic() - start < 30
    assert status == 1
    assert "timeout" in found["database"]["detail"]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_server_that_does_not_keep_all_letters_is_refused(
    encoding: str, postgres: Server, tmp_path: Path
) -> None:
    name = encoding.lower()
    new = ("--template", "template0", "--locale", "C", "--encoding", encoding, name)
    postgres.run("createdb", "--maintenance-db", postgres.url, *new)
    url = postgres.url.rpartition("/")[0] + f"/{name}"
    told = f"its encoding is {encoding}: make the database with ENCODING 'UTF8'"
    with pytest.raises(StoreError, match=told):
        open_store(tmp_path, url, migrating=True)
    status, found = doctor(tmp_path, url)
    assert (status, found["database"]["detail"]) == (1, told)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "nonsense"])
def test_doctor_tells_of_an_address_that_names_no_database(tmp_path: Path, url: str) -> None:
    status, found = doctor(tmp_path, url)
    assert (status, found["database"]["detail"][:12]) == (1, "DATABASE_URL")
    with pytest.raises(StoreError, match="DATABASE_URL"):
        open_store(tmp_path, url)


def test_doctor_looks_through_the_file_that_database_url_names(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.db"
    url = f"sqlite:///{file}"
    status, found = doctor(tmp_path, url)
    assert (status, found["database"]["detail"]) == (0, "no game was started yet")
    assert not file.exists()
    play(tmp_path, url)
    assert doctor(tmp_path, url)[1]["database"]["detail"][:14] == "elsewhere.db, "
    data = bytearray(file.read_bytes())
    data[4096:12288] = bytes(8192)
    file.write_bytes(data)
    status, found = doctor(tmp_path, url)
    assert (status, found["database"]["ok"]) == (1, False)


def test_doctor_says_what_day_it_is_and_what_goes_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(tmp_path, None)
    _, found = doctor(tmp_path, None)
    assert found["clock"]["detail"] == f"it says {models.now_utc():%Y-%m-%d}"
    later = models.now_utc() - timedelta(days=2)
    monkeypatch.setattr(keeping, "now_utc", lambda: later)
    status, found = doctor(tmp_path, None)
    assert status == 1
    assert "at an earlier start: set it if that is wrong" in found["clock"]["detail"]


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from webapp.__main__ import main
import numpy, cv2, alembic.command, sqlalchemy.dialects.sqlite, flask
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of that kind")
@pytest.mark.parametrize("room", [0, 4096, 20_000])
def test_a_disk_without_room_is_told_in_one_sentence_at_start(tmp_path: Path, room: int) -> None:
    command = [
        sys.executable,
        "-c",
        FULL,
        str(room),
        "serve",
        "--data",
        str(tmp_path / "data"),
        "--port",
        "1",
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    told = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert told.returncode == 1, told.stderr
    assert told.stderr.startswith("Error: "), told.stderr
    assert told.stderr.count("\n") == 1, told.stderr


def test_a_disk_that_fills_up_during_the_start_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise OperationalError("INSERT", {}, error)

    monkeypatch.setattr(clock, "see", full)
    told = run("serve", "--data", tmp_path, "--port", "1")
    assert told.exit_code == 1
    assert "the disk is full, please make room on it" in told.stderr
    assert told.stderr.endswith("; name another folder with --data or TALLYSTONE_DATA\n")
    assert told.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["doctor", "backup", "migrate"])
def test_a_disk_without_room_beside_the_database_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    open_store(tmp_path).close()

    def full(*_: Any, **__: Any) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE  # as a disk that is full gives it
        raise error

    monkeypatch.setattr(sqlite3, "connect", full)
    monkeypatch.setattr(sqlite3.dbapi2, "connect", full)
    told = run(command, "--data", tmp_path)
    assert told.exit_code == 1
    said = told.stdout + told.stderr
    assert "the disk is full, please make room on it" in said
    assert "damaged" not in said


LOOK = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
print(database.execute("SELECT max(version) FROM game").fetchone()[0])
database.close()
"""


def test_another_program_that_closes_the_database_takes_no_journal_away(tmp_path: Path) -> None:
    """Who closes last deletes the journal; an open connection here keeps it."""
    store = played(tmp_path)
    look = [sys.executable, "-c", LOOK, str(tmp_path / FILE)]
    for version in (4711, 4712):
        for _ in range(engine.CHECKPOINT_EVERY):
            with store.writing() as session:
                session.execute(text("UPDATE game SET version = :version"), {"version": version})
        told = subprocess.run(look, check=True, capture_output=True, text=True).stdout
        assert int(told) == version
        assert (tmp_path / f"{FILE}-wal").is_file()
        with sums.held(tmp_path / FILE):
            pass
    store.close()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (sqlite3.SQLITE_FULL, 507),
        (sqlite3.SQLITE_READONLY, 507),
        (sqlite3.SQLITE_READONLY | 3 << 8, 507),
        (sqlite3.SQLITE_CORRUPT, 500),
    ],
)
def test_a_disk_that_takes_nothing_is_told(
    app: Flask, client: TokenClient, monkeypatch: pytest.MonkeyPatch, error: int, status: int
) -> None:
    """`promises.py 20` has a real disk fill up."""
    reason = sqlite3.OperationalError("no")
    reason.sqlite_errorcode = error
    setup = {"players": [{"name": "Ann", "colour": "red"}]}
    game = {"kind": "stones", "setup": setup, "seat": 0}

    def full(*_: Any, **__: Any) -> None:
        raise OperationalError("INSERT", {}, reason)

    app.config["PROPAGATE_EXCEPTIONS"] = False
    monkeypatch.setattr(app.extensions["tallystone_tables"].games, "start", full)
    answer = client.send_json("/api/games", game)
    assert answer.status_code == status
    assert ("its disk is full" in answer.get_json()["error"]["message"]) == (status == 507)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no file that is open")
def test_nothing_is_acknowledged_once_the_data_folder_is_gone(
    client: TokenClient, tmp_path: Path
) -> None:
    def statuses() -> list[int]:
        changed = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0})
        fields = {"csrf_token": client.token(), "pin": "1"}
        return [
            changed.status_code,
            client.get("/readyz").status_code,
            client.post("/pin", data=fields).status_code,
        ]

    assert statuses() == [201, 200, 403]
    shutil.rmtree(tmp_path)
    assert statuses() == [507] * 3
    assert not tmp_path.exists()
    open_store(tmp_path).close()
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert statuses() == [507, 507, 403]
    assert "start Tallystone there again" in client.get("/readyz").get_data(as_text=True)
    client.application.extensions["tallystone_store"].close()
    assert {name: (tmp_path / name).read_bytes() for name in kept} == kept
