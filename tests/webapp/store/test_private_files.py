"""What lies in the data folder is for nobody but its owner, and its key is a good one."""

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fakes import TokenClient
from flask import Flask

from calibration.files import replacing
from webapp.__main__ import cli
from webapp.guard.security import KEY_FILE, secret_key
from webapp.serving.tls import certificates
from webapp.store import StoreError, open_store
from webapp.store.engine import FILE

SETUP = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
OPEN_UMASK = 0o022


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def readable_by_others(folder: Path) -> dict[str, str]:
    """Files and folders that somebody else may look into, with their modes."""
    return {
        str(path): oct(path.stat().st_mode)
        for path in folder.rglob("*")
        if path.stat().st_mode & 0o077
    }


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_every_file_is_private(
    client: TokenClient, app: Flask, photo: bytes, tmp_path: Path
) -> None:
    old = os.umask(OPEN_UMASK)
    try:
        code = client.send_json(
            "/api/games", {"kind": "stones", "setup": SETUP, "seat": 0}
        ).get_json()["code"]
        client.post(
            f"/api/games/{code}/photos",
            data={"photo": (io.BytesIO(photo), "table.jpg"), "board": "stones"},
            headers={"X-CSRF-Token": client.token()},
        )
        certificates(tmp_path, [])
        assert run("backup", "--data", tmp_path).exit_code == 0
        restored = tmp_path / "deep" / "restored"
        backup = next((tmp_path / "backups").glob("*.zip"))
        assert run("restore", backup, "--data", restored).exit_code == 0
        open_store(tmp_path / "new" / "data").close()
    finally:
        os.umask(old)
    names = {path.name for path in tmp_path.rglob("*")}
    assert {
        FILE,
        f"{FILE}-wal",
        f"{FILE}-shm",
        KEY_FILE,
        "server.key",
        "photos",
        "backups",
    } <= names
    assert readable_by_others(tmp_path) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_files_of_an_older_version_become_private(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    (tmp_path / "photos" / "inner").mkdir(parents=True)
    (tmp_path / "photos" / "one.jpg").write_bytes(b"jpeg")
    for path in tmp_path.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    open_store(tmp_path).close()
    assert readable_by_others(tmp_path) == {}


@pytest.mark.parametrize("size", [0, 1, 31])
def test_a_short_key_is_refused_in_a_sentence(tmp_path: Path, size: int) -> None:
    (tmp_path / KEY_FILE).write_bytes(b"k" * size)
    with pytest.raises(StoreError, match=f"holds {size} bytes instead of 32"):
        secret_key(tmp_path)
    assert (tmp_path / KEY_FILE).read_bytes() == b"k" * size
    started = run("serve", "--data", tmp_path, "--port", "1")
    assert started.exit_code == 1
    assert started.stderr.count("\n") == 1
    assert "instead of 32" in started.stderr
    found = run("doctor", "--json", "--data", tmp_path)
    assert found.exit_code == 1
    checks = {line["check"]: line for line in map(json.loads, found.stdout.splitlines())}
    assert not checks["key"]["ok"]
    assert f"{size} bytes" in checks["key"]["detail"]


def test_a_key_is_made_once(tmp_path: Path) -> None:
    made = secret_key(tmp_path)
    assert len(made) == 32
    assert secret_key(tmp_path) == made
    assert os.listdir(tmp_path) == [KEY_FILE]


@pytest.mark.skipif(sys.platform == "win32", reason="modes and pipes are those of POSIX")
def test_a_file_for_others_has_their_mode_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    def mode_of(path: Path) -> int:
        with replacing(path) as file:
            file.write(b"new")
        return path.stat().st_mode & 0o777

    before = os.umask(OPEN_UMASK)
    try:
        assert mode_of(tmp_path / "made") == 0o644
        (tmp_path / "made").chmod(0o600)
        (tmp_path / "link").symlink_to(tmp_path / "made")
        assert mode_of(tmp_path / "link") == mode_of(tmp_path / "made") == 0o600
        assert (tmp_path / "link").is_symlink()
        (tmp_path / "made").chmod(0o664)
        os.umask(0o077)
        assert mode_of(tmp_path / "made") == 0o664
    finally:
        os.umask(before)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with replacing(tmp_path / "pipe") as file:
        file.write(b"new")
    assert os.read(reader, 9) == b"new"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="shells pipe to a command by /dev/fd")
def test_a_command_behind_a_descriptor_is_written_to() -> None:
    read, write = os.pipe()
    with replacing(Path(f"/dev/fd/{write}")) as file:
        file.write(b"new")
    assert os.read(read, 9) == b"new"
    os.close(read)
    os.close(write)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="shells open files by /dev/fd")
def test_a_file_that_a_shell_appends_to_is_neither_replaced_nor_cut(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("ab", buffering=0) as log:
        log.write(b"old ")
        with replacing(Path(f"/dev/fd/{log.fileno()}")) as file:
            file.write(b"new ")
        log.write(b"later")
    assert path.read_bytes() == b"old new later"


def test_a_file_that_cannot_be_written_is_named_as_it_was_typed(tmp_path: Path) -> None:
    path = tmp_path / "none" / "file"
    with pytest.raises(FileNotFoundError) as raised, replacing(path):
        pass
    assert raised.value.filename == str(path)
