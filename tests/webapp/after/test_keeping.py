"""Backups, restoring, and what ``tallystone doctor`` finds."""

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import seats
from click.testing import CliRunner, Result
from fakes import TokenClient
from flask import Flask
from sqlalchemy import select

from calibration.files import write_whole
from webapp import create_app
from webapp.__main__ import cli
from webapp.after import keeping
from webapp.store import Game, open_store
from webapp.store.engine import FILE
from webapp.store.models import now_utc

SETUP = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def code(client: TokenClient, photo: bytes) -> str:
    import io

    answer = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0})
    code = str(answer.get_json()["code"])
    for _ in range(2):
        client.post(
            f"/api/games/{code}/photos",
            data={"photo": (io.BytesIO(photo), "table.jpg"), "board": "stones"},
            headers={"X-CSRF-Token": client.token()},
        )
    return code


def rows(database: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(database) as connection:
        found = [
            row
            for table in ("game", "player", "member", "event", "photo")
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY id")
        ]
    connection.close()
    return found


def test_a_backup_restores_to_the_same(code: str, tmp_path: Path) -> None:
    target = tmp_path / "copy" / "one.zip"
    assert run("backup", "--output", target, "--data", tmp_path).exit_code == 0
    new = tmp_path / "new"
    (new / "lost+found").mkdir(parents=True)  # a volume of its own
    (new / ".DS_Store").touch()
    assert run("restore", target, "--data", new).exit_code == 0
    assert rows(new / FILE) == rows(tmp_path / FILE)
    old_photos = {path.name: path.read_bytes() for path in (tmp_path / "photos").iterdir()}
    assert {path.name: path.read_bytes() for path in (new / "photos").iterdir()} == old_photos
    assert len(old_photos) == 2
    assert run("restore", target, "--data", new).exit_code == 1  # not empty


def test_a_backup_while_others_write_is_of_one_moment(
    code: str, app: Flask, tmp_path: Path
) -> None:
    stop = threading.Event()
    tables = app.extensions["tallystone_tables"]

    def write() -> None:
        while not stop.is_set():
            tables.games.start("stones", SETUP, "somebody", None)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            keeping.backup(tmp_path / FILE, tmp_path, tmp_path / f"{number}.zip")
    finally:
        stop.set()
        writer.join()
    for number in range(3):
        copy = tmp_path / f"restored-{number}"
        keeping.restore(tmp_path / f"{number}.zip", copy)
        connection = sqlite3.connect(copy / FILE)
        games, players, events = (
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("game", "player", "event")
        )
        connection.close()
        assert games == players == events


def test_every_flipped_byte_in_a_backup_is_found(code: str, tmp_path: Path) -> None:
    target = tmp_path / "one.zip"
    keeping.backup(tmp_path / FILE, tmp_path, target)
    with zipfile.ZipFile(target) as packed:
        names = [info for info in packed.infolist() if info.filename.startswith("photos/")]
    data = bytearray(target.read_bytes())
    for step in range(20):
        at = names[0].header_offset + 200 + 31 * step
        data[at] ^= 0xFF
        target.write_bytes(data)
        with pytest.raises(keeping.BackupError):
            keeping.check_backup(target)
        data[at] ^= 0xFF


@pytest.mark.parametrize("listed", [b"[]", b"\xff", b'{"format": 1}', None])
def test_what_is_no_whole_backup_is_refused_in_one_sentence(
    listed: bytes | None, tmp_path: Path
) -> None:
    target = tmp_path / "backups" / "one.zip"
    target.parent.mkdir()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(keeping.LIST, bytes(999) if listed is None else listed)
    if listed is None:
        data = bytearray(target.read_bytes())
        at = 30 + len(keeping.LIST)
        data[at : at + 2] = b"\xff\xff"  # what deflate cannot be
        target.write_bytes(data)
    result = run("restore", target, "--data", tmp_path / "new")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert str(target) in result.stderr
    assert not keeping._last_backup(tmp_path).is_good


def test_a_disk_that_fills_up_leaves_the_folder_empty(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, new, written = tmp_path / "one.zip", tmp_path / "new", []
    keeping.backup(tmp_path / FILE, tmp_path, target)
    with monkeypatch.context() as patch:
        patch.setattr(keeping, "write_whole", full_after(1, written))
        result = run("restore", target, "--data", new)
    assert (result.exit_code, len(written), list(new.iterdir())) == (1, 1, [])
    assert f"{target} cannot be unpacked into {new}: the disk is full" in result.stderr
    assert run("restore", target, "--data", new).exit_code == 0


def test_what_a_kill_left_is_named_and_hinders_no_restore(code: str, tmp_path: Path) -> None:
    target, new = tmp_path / "backups" / "one.zip", tmp_path / "new"

    def killed(folder: Path, command: str) -> Path:
        script = f"""if True:
            import os
            from pathlib import Path
            from webapp.after import keeping
            keeping._pack_all = keeping.write_whole = lambda *_: os._exit(9)
            {command}"""
        root = Path(__file__).parents[3]
        ended = subprocess.run([sys.executable, "-c", script], cwd=root, timeout=60, check=False)
        assert ended.returncode == 9
        (left,) = folder.glob(f"{keeping.UNFINISHED}*")
        return left

    database = tmp_path / FILE
    paths = ", ".join(f"Path({str(path)!r})" for path in (database, tmp_path, target))
    left = killed(target.parent, f"keeping.backup({paths})")
    found = next(iter(keeping.check_everything(tmp_path)))
    assert (found.name, found.is_good, str(left) in found.detail) == ("unfinished", False, True)
    keeping.backup(database, tmp_path, target)
    killed(new, f"keeping.restore(Path({str(target)!r}), Path({str(new)!r}))")
    assert run("restore", target, "--data", new).exit_code == 0
    assert next(iter(keeping.check_everything(new))).name == "unfinished"


def test_a_folder_that_is_served_meanwhile_takes_no_backup(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, new = tmp_path / "one.zip", tmp_path / "new"
    keeping.backup(tmp_path / FILE, tmp_path, target)
    monkeypatch.setattr(
        keeping, "write_whole", lambda *file: (open_store(new).close(), write_whole(*file))
    )
    result = run("restore", target, "--data", new)
    assert (result.exit_code, f"{new} is not empty" in result.stderr) == (1, True)
    assert (
        keeping.integrity(new / FILE),
        rows(new / FILE),
        [*new.glob(f"{keeping.UNFINISHED}*")],
    ) == ("", [], [])


def test_backups_need_no_folder_for_temporary_files(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    assert run("backup", "--data", tmp_path).exit_code == 0
    assert keeping._last_backup(tmp_path).is_good
    (target,) = (tmp_path / "backups").iterdir()
    assert run("restore", target, "--data", tmp_path / "new").exit_code == 0


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "cannot be written: the disk is full"),
        (sqlite3.OperationalError("database is locked"), "the database cannot be used: database"),
    ],
)
def test_a_backup_that_fails_says_why_and_leaves_no_file(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    monkeypatch.setattr(keeping, "copy_database", Mock(side_effect=error))
    result = run("backup", "--output", tmp_path / "to" / "one.zip", "--data", tmp_path)
    assert (result.exit_code, result.stderr.count("\n"), says in result.stderr) == (1, 1, True)
    assert list((tmp_path / "to").iterdir()) == []


def full_after(count: int, written: list[Path]) -> Any:
    """``write_whole`` on a disk that takes so many files."""

    def write(path: Path, data: bytes) -> Path:
        if len(written) == count:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        return write_whole(path, data)

    return write


def test_the_database_that_database_url_names_is_backed_up(
    code: str, app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.extensions["tallystone_store"].close()
    elsewhere, data = tmp_path / "elsewhere" / "games.db", tmp_path / "data"
    elsewhere.parent.mkdir()
    keeping.copy_database(tmp_path / FILE, elsewhere)
    shutil.copytree(tmp_path / "photos", data / "photos")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{elsewhere}")
    result = run("backup", "--output", tmp_path / "one.zip", "--data", data)
    assert result.exit_code == 0, result.stderr
    monkeypatch.delenv("DATABASE_URL")
    assert run("restore", tmp_path / "one.zip", "--data", tmp_path / "new").exit_code == 0
    assert rows(tmp_path / "new" / FILE) == rows(elsewhere)


def test_a_backup_is_restored_to_the_database_that_database_url_names(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, data, elsewhere = tmp_path / "one.zip", tmp_path / "data", tmp_path / "my" / "games.db"
    keeping.backup(tmp_path / FILE, tmp_path, target)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{elsewhere}")
    result = run("export", tmp_path / "all.json", "--data", data)
    assert f"{elsewhere} is not there: DATABASE_URL names it" in result.stderr
    assert run("restore", target, "--data", data).exit_code == 0
    assert rows(elsewhere) == rows(tmp_path / FILE)
    assert (len([*(data / "photos").iterdir()]), (data / FILE).exists()) == (2, False)
    assert run("export", tmp_path / "all.json", "--data", data).exit_code == 0
    again = run("restore", target, "--data", tmp_path / "new")
    assert (again.exit_code, f"{elsewhere} is there already" in again.stderr) == (1, True)
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@nowhere/games")
    assert "names a database server" in run("restore", target, "--data", tmp_path / "new").stderr
    assert run("restore", target, "--check").exit_code == 0
    assert not (tmp_path / "new").exists()


def test_doctor_finds_a_flipped_byte_a_missing_photo_and_a_stray_file(
    code: str, tmp_path: Path
) -> None:
    def found() -> dict[str, bool]:
        lines = run("doctor", "--json", "--data", tmp_path).stdout.splitlines()
        return {line["check"]: line["ok"] for line in map(json.loads, lines)}

    healthy = found()
    assert healthy["database"]
    assert healthy["photos"]
    assert healthy["orphans"]
    one, other = sorted((tmp_path / "photos").iterdir())
    kept = one.read_bytes()
    for at in range(0, len(kept), max(1, len(kept) // 25)):
        one.write_bytes(kept[:at] + bytes([kept[at] ^ 1]) + kept[at + 1 :])
        checked = {check.name: check for check in keeping.check_everything(tmp_path)}
        assert not checked["photos"].is_good
    one.write_bytes(kept)
    other.rename(tmp_path / "photos" / "stray.jpg")
    assert not found()["photos"]
    assert not found()["orphans"]


def test_doctor_passes_over_what_file_managers_and_file_systems_add(
    code: str, tmp_path: Path
) -> None:
    assert run("backup", "--data", tmp_path).exit_code == 0
    for folder in "photos", "profiles", "backups":
        (tmp_path / folder / "lost+found").mkdir(parents=True)
        for name in ".DS_Store", "._a.jpg", "._a.zip", "._a.tallyprofile", "Thumbs.db":
            (tmp_path / folder / name).write_bytes(b"a")
    checked = run("doctor", "--data", tmp_path)
    assert checked.exit_code == 0, checked.output


def test_doctor_finds_a_damaged_database(code: str, app: Flask, tmp_path: Path) -> None:
    app.extensions["tallystone_store"].forget_deleted()
    app.extensions["tallystone_store"].close()
    data = bytearray((tmp_path / FILE).read_bytes())
    data[4096:12288] = bytes(8192)
    (tmp_path / FILE).write_bytes(data)
    (check,) = keeping.check_everything(tmp_path)
    assert check.name == "database"
    assert not check.is_good


def test_a_folder_is_not_backed_up_with_the_games_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("own", "other"):
        open_store(tmp_path / name).close()
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'other' / FILE}")
    target = tmp_path / "one.zip"
    result = run("backup", "--output", target, "--data", tmp_path / "own")
    assert (result.exit_code, target.exists()) == (1, False)
    assert "belongs to another database" in result.stderr
    assert run("backup", "--output", target, "--data", tmp_path / "other").exit_code == 0


def test_a_folder_that_is_missing_gets_no_backup_as_its_file(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    result = run("backup", "--output", f"{tmp_path / 'stick'}/", "--data", tmp_path)
    assert (result.exit_code, (tmp_path / "stick").exists()) == (2, False)
    assert f"expected a file that ends in .zip, got '{tmp_path / 'stick'}'" in result.stderr


def test_a_backup_is_never_overwritten(code: str, tmp_path: Path) -> None:
    target = tmp_path / "one.zip"
    target.write_bytes(b"mine")
    result = run("backup", "--output", target, "--data", tmp_path)
    assert result.exit_code == 1
    assert "there already" in result.stderr
    assert target.read_bytes() == b"mine"


def test_a_backup_and_an_export_that_are_taken_for_each_other_say_so(
    code: str, tmp_path: Path
) -> None:
    backup, export, new = tmp_path / "backup.zip", tmp_path / "export.zip", tmp_path / "new"
    assert run("backup", "--output", backup, "--data", tmp_path).exit_code == 0
    assert run("export", export, "--data", tmp_path).exit_code == 0
    for command, file, says in (
        ("import", backup, "This is a backup: `tallystone restore`"),
        ("restore", export, "is an export: `tallystone import`"),
    ):
        result = run(command, file, "--data", new)
        assert (result.exit_code, says in result.stderr) == (1, True)


def test_an_export_is_never_overwritten_and_a_stream_is_written_to(
    code: str, tmp_path: Path
) -> None:
    target = tmp_path / "all.zip"
    target.write_bytes(b"mine")
    result = run("export", target, "--data", tmp_path)
    assert (result.exit_code, "there already" in result.stderr) == (1, True)
    assert target.read_bytes() == b"mine"
    (tmp_path / "null.json").symlink_to(os.devnull)
    assert run("export", tmp_path / "null.json", "--data", tmp_path).exit_code == 0


def test_no_backup_of_nothing(tmp_path: Path) -> None:
    result = run("backup", "--data", tmp_path / "empty")
    assert result.exit_code == 1
    assert "no game was ever started" in result.stderr


def test_a_folder_whose_games_are_elsewhere_tells_of_the_address_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    (tmp_path / "database.id").write_text("that of a server", encoding="ascii")
    file = tmp_path / "all.zip"
    file.write_text(json.dumps({"format": "tallystone-archive", "version": 1, "games": []}))
    for command in (["doctor"], ["backup"], ["export", tmp_path / "new.zip"], ["import", file]):
        result = run(*command, "--data", tmp_path)
        assert result.exit_code == 1
        said = result.stdout + result.stderr
        assert "if its games are on a server, set DATABASE_URL" in said, command


def test_export_and_import_by_command(code: str, client: TokenClient, tmp_path: Path) -> None:
    file = tmp_path / "all.zip"
    assert run("export", file, "--data", tmp_path).exit_code == 0
    new = tmp_path / "new"
    (added,) = json.loads(run("import", file, "--json", "--data", new).stdout)["added"]
    assert added != code
    again = tmp_path / "again.zip"
    run("export", again, "--data", new)
    with zipfile.ZipFile(file) as one, zipfile.ZipFile(again) as other:
        assert one.namelist() == other.namelist()
        for name in one.namelist():
            assert other.read(name).replace(added.encode(), code.encode()) == one.read(name)
    assert json.loads(run("import", file, "--json", "--data", new).stdout) == {
        "added": [],
        "already": 1,
        "recounted": [],
    }
    assert run("export", tmp_path / "all.txt", "--data", new).exit_code == 2
    none, nothing = tmp_path / "none", {"added": [], "already": 0, "recounted": []}
    run("migrate", "--data", none)
    run("export", tmp_path / "none.zip", "--data", none)
    found = run("import", tmp_path / "none.zip", "--json", "--data", none)
    assert json.loads(found.stdout) == nothing


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


@pytest.mark.parametrize("damage", [changed, Path.unlink])
def test_a_backup_names_the_photos_that_were_damaged_before(
    code: str, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    target = tmp_path / "one.zip"
    damage(next((tmp_path / "photos").iterdir()))
    (tmp_path / "secret.key").write_bytes(b"")
    for command in ("backup", "--output", target), ("restore", target, "--check"):
        result = run(*command, "--json", "--data", tmp_path)
        photos, key = json.loads(result.stdout)["faults"]
        assert photos.startswith("1 of 2 photos missing or changed: ")
        assert (result.exit_code, key) == (1, "secret.key holds 0 bytes instead of 32")


@pytest.mark.usefixtures("code", "unreadable_photos")
def test_a_photo_that_cannot_be_read_ends_no_backup(tmp_path: Path) -> None:
    (tmp_path / "secret.key").unlink()
    (tmp_path / "secret.key").mkdir()  # nor can this
    found = {one.name: one.is_good for one in keeping.check_everything(tmp_path)}
    assert found == {
        "database": True,
        "clock": True,
        "photos": False,
        "orphans": True,
        "backups": True,
    }
    result = run("backup", "--data", tmp_path)
    assert (result.exit_code, "0 photos" in result.stdout) == (1, True)
    assert "secret.key cannot be read, so it was left out" in result.stdout
    assert "2 of 2 photos missing or changed" in result.stdout


def test_a_folder_that_turned_read_only_is_checked_and_rescued(
    code: str, app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, access, opened = tmp_path / "data", os.access, os.open
    shutil.copytree(tmp_path, data)  # the last changes are in the journal

    def denied(path: Any, mode: int) -> bool:
        return access(path, mode) and not (Path(path) == data and mode & os.W_OK)

    def only_reading(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if Path(path).is_relative_to(data) and flags & (os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        return opened(path, flags, *more, **named)

    monkeypatch.setattr(os, "access", denied)
    monkeypatch.setattr(os, "open", only_reading)
    before = {path.name for path in data.iterdir()}
    assert all(one.is_good for one in keeping.check_everything(data))
    backup, export = tmp_path / "one.zip", tmp_path / "all.zip"
    assert run("backup", "--output", backup, "--data", data).exit_code == 0
    assert "1 game\n" in run("export", export, "--data", data).stdout
    assert {path.name for path in data.iterdir()} == before
    assert run("restore", backup, "--data", tmp_path / "new").exit_code == 0
    assert rows(tmp_path / "new" / FILE) == rows(tmp_path / FILE)


@pytest.mark.parametrize("damage", [changed, Path.unlink])
def test_an_export_leaves_out_a_photo_that_is_not_as_it_was_stored(
    code: str, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    for path in (tmp_path / "photos").iterdir():  # both show the same
        damage(path)
    file = tmp_path / "all.zip"
    told = run("export", file, "--data", tmp_path).stdout
    assert told == f"{file}: 1 game; 1 photo missing or damaged, so left out\n"
    taken_in = json.loads(run("import", file, "--json", "--data", tmp_path / "new").stdout)
    assert len(taken_in["added"]) == 1


def test_people_come_back_into_a_game_that_the_owner_took_in(
    client: TokenClient, app: Flask, tmp_path: Path
) -> None:
    setup = {"kind": "custom", "setup": seats.SETUP, "seat": 0}
    old = client.send_json("/api/games", setup).get_json()["code"]
    bob = seats.join(app, old, seat="1")
    seats.act(bob, old, type="extra", seat=1, points=7)
    file, new = tmp_path / "all.zip", tmp_path / "new"
    assert run("export", file, "--data", tmp_path).exit_code == 0
    code, title = run("import", file, "--data", new).stdout.splitlines()[1].split("  ")[-2:]
    assert title == "meadow: Ann, Bob"
    store = open_store(new)
    with store.writing() as session:
        (game,) = session.scalars(select(Game))
        assert game.changed_utc > now_utc() - timedelta(minutes=10)
    store.close()
    moved = create_app({"TESTING": True, "DATA_DIR": new})
    moved.test_client_class = TokenClient
    again, ann = seats.join(moved, code, seat="1"), seats.join(moved, code, seat="0")
    assert seats.try_join(seats.device(moved), code, seat="1") == 409
    seen = seats.game(ann, code)
    members = [(one["name"], one["role"], one["seat"]) for one in seen["members"]]
    assert members == [("Bob", "host", 1), ("Ann", "player", 0)]
    assert seen["state"]["extra"] == {"1": 7}
    assert seats.act(ann, code, type="extra", seat=0, points=1).status_code == 200
    assert seats.act(again, code, type="finish").status_code == 200
    moved.extensions["tallystone_store"].close()
    assert run("export", tmp_path / "over.zip", "--data", new).exit_code == 0
    assert run("import", tmp_path / "over.zip", "--data", tmp_path / "last").stdout.count("\n") == 1


def test_an_export_that_fails_leaves_no_file(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "all.zip"
    typo = tmp_path / "typo"
    result = run("export", file, "--data", typo)
    assert (result.exit_code, "no game was ever started" in result.stderr) == (1, True)
    assert (file.exists(), typo.exists()) == (False, False)

    def full(_ending: str, out: Any, *_: Any) -> None:
        out.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("webapp.after.exchange.write", full)
    before = set(tmp_path.iterdir())
    result = run("export", file, "--data", tmp_path)
    assert (result.exit_code, f"{file}: No space left on device" in result.stderr) == (1, True)
    assert (file.exists(), set(tmp_path.iterdir())) == (False, before)
