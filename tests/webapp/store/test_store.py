"""The database: its schema, its settings, and that what was answered is kept."""

import errno
import os
import sqlite3
import sys
import threading
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from fakes import encode
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from webapp.store import StoreError, engine, open_store
from webapp.store.engine import place_of, reason_of
from webapp.store.models import Base
from webapp.store.photos import LONG_SIDE_PX, PhotoFolder, picture_of
from webapp.store.schema import shown


def test_the_migrations_make_the_tables_of_the_models(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    store.close()


def test_sqlite_writes_ahead_and_waits_for_the_disk(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with store.engine.connect() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        ]
    assert settings == ["wal", 2, 1, 1]
    store.close()


def test_opening_again_keeps_what_is_there(tmp_path: Path) -> None:
    for _ in range(2):
        open_store(tmp_path).close()
    assert (tmp_path / "tallystone.sqlite3").is_file()


def test_a_newer_database_is_refused_in_a_sentence(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    store.close()
    with pytest.raises(StoreError, match="newer version of Tallystone"):
        open_store(tmp_path)


@pytest.mark.parametrize(
    "url",
    ["postgres://u@h/x", "postgresql://u@h/x\n", " postgresql+psycopg2://u@h/x\r\n"],
)
def test_any_address_of_postgresql_is_opened_by_the_driver_that_is_there(
    tmp_path: Path, url: str
) -> None:
    assert str(place_of(tmp_path, url)) == "postgresql+psycopg://u@h/x"


@pytest.mark.parametrize("url", ["nonsense", "oracle9://x/y"])
def test_a_wrong_database_url_is_refused_in_a_sentence(tmp_path: Path, url: str) -> None:
    with pytest.raises(StoreError):
        open_store(tmp_path, url)


def test_another_kind_of_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="only PostgreSQL and SQLite") as refused:
        open_store(tmp_path, "mysql://ann:secret@host/db")
    assert "secret" not in str(refused.value)


def test_a_password_is_never_shown(tmp_path: Path) -> None:
    for url in ("postgresql://u:p@secret/word@h/x", "mysql://u:p@secret@h/x"):
        with pytest.raises(StoreError, match="write the one of the password as %40") as refused:
            place_of(tmp_path, url)
        assert "secret" not in str(refused.value)
    for url in ("postgresql://u:p%40secret@h/x", "postgresql://h/x?user=u&password=secret"):
        assert "secret" not in shown(place_of(tmp_path, url))
    assert place_of(tmp_path, "sqlite:////a:b@c@d.db").database == "/a:b@c@d.db"


def test_a_role_without_rights_is_told_what_it_must_own() -> None:
    said = psycopg.errors.InsufficientPrivilege("permission denied for schema public")
    reason = reason_of(ProgrammingError("CREATE TABLE", {}, said))
    assert reason.startswith("its role must own the database and the tables in it (permission")


def test_a_missing_driver_of_postgresql_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match=r"pip install 'tallystone\[postgres\]'"):
        open_store(tmp_path, "postgresql://localhost/club")


def test_a_folder_that_is_a_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StoreError, match=r"cannot be made: .*; name another folder with --data"):
        open_store(tmp_path / "data")


def test_a_folder_that_takes_nothing_is_refused_with_the_way_to_name_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("webapp.store.lock.os.open", refuse)
    with pytest.raises(StoreError, match=r"cannot be opened: .*; name another folder with --data"):
        open_store(tmp_path)


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "tallystone.sqlite3").write_bytes(b"this is no database" * 300)
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(tmp_path)


def exif_jpeg() -> bytes:
    """A photo taken sideways, with a place in its metadata."""
    from PIL import Image

    image = Image.fromarray(np.full((300, 400, 3), 120, np.uint8))
    exif = image.getexif()
    exif[0x0112] = 6  # turn a quarter
    exif[0x010E] = "HOME-ADDRESS"
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 0.0)
    import io

    out = io.BytesIO()
    image.save(out, "JPEG", exif=exif)
    return out.getvalue()


def test_a_stored_photo_has_only_pixels() -> None:
    data = exif_jpeg()
    assert b"HOME-ADDRESS" in data
    picture = picture_of(data)
    assert b"Exif" not in picture.jpeg
    assert b"HOME-ADDRESS" not in picture.jpeg
    assert (picture.width, picture.height) == (300, 400)


def test_a_large_photo_is_stored_smaller_and_says_by_how_much() -> None:
    picture = picture_of(encode(np.full((1500, 3000, 3), 99, np.uint8)))
    assert (picture.width, picture.height) == (LONG_SIDE_PX, LONG_SIDE_PX // 2)
    assert picture.per_px == pytest.approx((LONG_SIDE_PX / 3000, LONG_SIDE_PX / 3000), rel=1e-3)
    stored = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert stored.shape[:2] == (picture.height, picture.width)


def test_the_photo_folder_hands_out_nothing_else(tmp_path: Path) -> None:
    folder = PhotoFolder(tmp_path / "photos")
    name = folder.save(b"jpeg")
    assert folder.path(name).read_bytes() == b"jpeg"
    for other in ("../secret.key", "a.jpg", name + "/..", ""):
        with pytest.raises(ValueError, match="stored photo"):
            folder.path(other)
    folder.remove(name)
    folder.remove(name)
    assert os.listdir(folder.folder) == []


def test_writers_of_one_program_wait_for_each_other_however_long_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.01)
    store = open_store(tmp_path)
    failures: list[BaseException] = []

    def write() -> None:
        try:
            with store.writing() as session:
                session.execute(text("DELETE FROM game"))
                time.sleep(0.1)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert failures == []


def test_whoever_still_reads_when_a_store_is_closed_leaves_no_connection_behind(
    tmp_path: Path, each_database: str | None
) -> None:
    store = open_store(tmp_path / "data", each_database)
    opened: list[Any] = []
    for is_closed in (False, True):
        with store.reading() as session:
            opened.append(session.connection().connection.dbapi_connection)
            assert store.closed == is_closed
            store.close()
    for connection in opened:
        with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError), match="closed"):
            connection.execute("SELECT 1")


def test_a_store_that_is_thrown_away_during_a_change_of_another_holds_nothing_up(
    tmp_path: Path,
) -> None:
    thrown_away, store = open_store(tmp_path), open_store(tmp_path)

    def change() -> None:
        with store.writing():
            thrown_away.close()

    changing = threading.Thread(target=change, daemon=True)
    changing.start()
    changing.join(20)
    assert not changing.is_alive()
    store.close()


def test_an_address_with_a_port_that_is_no_number_is_no_address(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="DATABASE_URL is no address of a database"):
        open_store(tmp_path, "postgresql://u@h:port/x")
