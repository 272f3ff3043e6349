"""Taught copies and cameras belong to the device that made them; others need the PIN."""

import io
import stat
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fakes import TokenClient
from flask import Flask
from seats import device, try_join
from taught_copies import taught

from calibration.boards import described
from calibration.profiles import import_profile, load_taught
from calibration.taught import pack, unpack
from vision.boards import BoardSpec
from webapp import create_app
from webapp.__main__ import cli
from webapp.guard import owners
from webapp.guard.pin import FILE, TRIES, new_pin, pin_of

COPY = "/teach/profiles/meadow/ours"


def send(client: TokenClient, path: str, **fields: Any) -> Any:
    return client.post(path, data={"csrf_token": client.token()} | fields)


def imported(client: TokenClient, text: str = "cow") -> Any:
    file = (io.BytesIO(taught(text)), "ours.tallyprofile")
    return send(client, "/teach/profiles/import", file=file)


@pytest.fixture
def stranger(app: Flask) -> TokenClient:
    client = app.test_client()
    assert isinstance(client, TokenClient)
    return client


@pytest.fixture
def copy(client: TokenClient, tmp_path: Path) -> Path:
    """The file of a copy that the first device brought."""
    assert imported(client, "sheep").status_code == 302
    return tmp_path / "profiles" / "ours.meadow.tallyprofile"


def changes(client: TokenClient) -> Iterator[Any]:
    """The answers to all ways to change or download the copy."""
    yield client.get("/teach/file/meadow/ours")
    yield client.get("/teach/custom?of=meadow&add=ours")
    yield send(client, "/teach/rename/meadow/ours", name="mine")
    yield send(client, "/teach/learn/meadow/ours")
    yield send(client, "/teach/delete/meadow/ours")


def test_a_stranger_changes_and_downloads_nothing(stranger: TokenClient, copy: Path) -> None:
    before = copy.read_bytes()
    assert [answer.status_code for answer in changes(stranger)] == [403] * 5
    for path in ("look", "save"):
        lesson = {
            "photo": (io.BytesIO(b"x"), "a.jpg"),
            "layout": "cow sheep",
            "add": "ours",
            "name": "ours",
        }
        spec = 'name = "meadow"\nrows = [1, 2]\ncols = [1, 2]'
        answer = send(stranger, f"/teach/custom/{path}", **lesson, spec=spec)
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (403, "not_yours")
    page = stranger.get(COPY).get_data(as_text=True)
    assert "Enter the PIN of the table computer" in page
    assert "/delete" not in page
    assert "/rename" not in page
    assert copy.read_bytes() == before


def test_its_device_changes_it(client: TokenClient, copy: Path, tmp_path: Path) -> None:
    assert client.get("/teach/file/meadow/ours").data == copy.read_bytes()
    assert "/delete" in client.get(COPY).get_data(as_text=True)
    assert send(client, "/teach/rename/meadow/ours", name="mine").status_code == 302
    assert send(client, "/teach/delete/meadow/mine").status_code == 302
    assert list((tmp_path / owners.FOLDER).iterdir()) == []


def test_the_owner_is_not_in_the_file(client: TokenClient, copy: Path) -> None:
    assert copy.read_bytes() == taught("sheep")


def test_the_pin_opens_it_until_there_is_another(
    stranger: TokenClient, copy: Path, tmp_path: Path
) -> None:
    wrong = send(stranger, "/pin", pin="000000", back=COPY)
    assert (wrong.status_code, "That is not the PIN" in wrong.get_data(as_text=True)) == (403, True)
    right = send(stranger, "/pin", pin=f" {pin_of(tmp_path)} ", back=COPY)
    assert (right.status_code, right.location) == (303, COPY)
    assert stranger.get("/teach/file/meadow/ours").status_code == 200
    assert "This device has given the PIN" in stranger.get("/pin").get_data(as_text=True)
    new_pin(tmp_path)
    assert stranger.get("/teach/file/meadow/ours").status_code == 403


def test_a_damaged_copy_is_listed_and_deleted_with_the_pin(
    client: TokenClient, copy: Path, tmp_path: Path
) -> None:
    copy.write_bytes(b"junk")
    page = client.get("/teach").get_data(as_text=True)
    assert "ours.meadow.tallyprofile: not a tallystone profile" in page
    assert "/teach/delete/meadow/ours" not in page
    send(client, "/pin", pin=pin_of(tmp_path))
    assert "/teach/delete/meadow/ours" in client.get("/teach").get_data(as_text=True)
    assert send(client, "/teach/delete/meadow/ours").status_code == 302
    assert not copy.exists()


@pytest.mark.parametrize("file", [".ours.meadow", "Caf\udce9.meadow"])
def test_a_damaged_file_that_no_name_leads_to_is_listed_without_a_button(
    client: TokenClient, copy: Path, tmp_path: Path, file: str
) -> None:
    copy.rename(copy.with_name(f"{file}.tallyprofile")).write_bytes(b"junk")
    send(client, "/pin", pin=pin_of(tmp_path))
    page = client.get("/teach").get_data(as_text=True)
    assert "damaged; import or teach it again, or delete this file" in page
    assert "/delete" not in page


def test_whoever_has_the_pin_leaves_the_copy_with_its_owner(
    client: TokenClient, stranger: TokenClient, copy: Path, tmp_path: Path
) -> None:
    send(stranger, "/pin", pin=pin_of(tmp_path))
    assert send(stranger, "/teach/rename/meadow/ours", name="mine").status_code == 302
    assert client.get("/teach/file/meadow/mine").status_code == 200


@pytest.mark.parametrize(
    "back", ["https://evil.example", "//evil.example", "/teach\\..\n", "/g/ABC234", ""]
)
def test_the_pin_leads_back_to_the_copies_only(
    client: TokenClient, tmp_path: Path, back: str
) -> None:
    assert send(client, "/pin", pin=pin_of(tmp_path), back=back).location == "/teach"


def test_guesses_are_limited_for_their_address_only(
    client: TokenClient, stranger: TokenClient, tmp_path: Path
) -> None:
    pin = pin_of(tmp_path)
    answers = [send(stranger, "/pin", pin=f"{n:08}").status_code for n in range(TRIES + 2)]
    assert answers == [403] * TRIES + [429] * 2
    assert send(stranger, "/pin", pin=pin).status_code == 429
    quiet = {"REMOTE_ADDR": "192.168.1.77"}
    fields = {"csrf_token": client.token(), "pin": pin}
    assert client.post("/pin", data=fields, environ_base=quiet).status_code == 303


def test_a_pin_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    pin = pin_of(tmp_path)
    assert len(pin) == 8
    assert pin.isdecimal()
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert pin_of(tmp_path) == pin
    assert new_pin(tmp_path) == pin_of(tmp_path) != pin
    (tmp_path / FILE).write_bytes(b"\xff")
    assert len(pin_of(tmp_path)) == 8


def test_serve_keeps_the_pin_unless_another_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.commands.system.run_server", lambda *args: None)
    before = pin_of(tmp_path)
    for option, same in (([], True), (["--new-pin"], False)):
        done = CliRunner().invoke(cli, ["serve", "--data", str(tmp_path), *option])
        assert done.exit_code == 0
        assert (pin_of(tmp_path) == before) is same


def test_what_lies_there_already_needs_the_pin(client: TokenClient, tmp_path: Path) -> None:
    import_profile(taught("cow"), "file", tmp_path)
    assert [answer.status_code for answer in changes(client)] == [403] * 5
    assert "Enter the PIN" in client.get(COPY).get_data(as_text=True)
    send(client, "/pin", pin=pin_of(tmp_path))
    assert client.get("/teach/file/meadow/ours").status_code == 200


def test_a_copy_taught_anew_on_the_command_line_has_no_owner(
    client: TokenClient, copy: Path, tmp_path: Path
) -> None:
    import_profile(taught("goat"), "file", tmp_path, if_taken="replace")
    assert client.get("/teach/file/meadow/ours").status_code == 403


def test_a_copy_of_the_command_line_gets_no_owner_with_another_name(
    client: TokenClient, stranger: TokenClient, copy: Path, tmp_path: Path
) -> None:
    """Though a device had the same one by that name."""
    copy.rename(copy.with_name("theirs.meadow.tallyprofile"))
    send(stranger, "/pin", pin=pin_of(tmp_path))
    assert send(stranger, "/teach/rename/meadow/theirs", name="ours").status_code == 302
    assert stranger.get("/teach/file/meadow/ours").status_code == 200
    assert client.get("/teach/file/meadow/ours").status_code == 403


def test_an_import_never_replaces(
    client: TokenClient, stranger: TokenClient, copy: Path, tmp_path: Path
) -> None:
    before = copy.read_bytes()
    for number in (2, 3):
        answer = send(
            stranger,
            "/teach/profiles/import",
            file=(io.BytesIO(taught("goat")), "ours.tallyprofile"),
            replace="1",
        )
        assert answer.location == f"/teach/profiles/meadow/ours%20{number}"
    assert copy.read_bytes() == before
    assert load_taught("ours 3", "meadow", tmp_path).profile.labels[0] == "goat"
    assert stranger.get("/teach/file/meadow/ours%203").status_code == 200


def test_a_device_owns_so_many_copies(
    client: TokenClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owners, "MOST_OF_ONE", 2)
    assert [imported(client).status_code for _ in range(3)] == [302, 302, 403]
    assert len(list((tmp_path / "profiles").iterdir())) == 2
    send(client, "/pin", pin=pin_of(tmp_path))
    assert imported(client).status_code == 302


@pytest.mark.parametrize(
    ("limit", "value"), [("MOST_BYTES", 1000), ("LEAST_FREE_BYTES", 2**60), ("MOST_IN_ALL", 1)]
)
def test_copies_leave_room(
    client: TokenClient, copy: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(owners, limit, value)
    assert imported(client).status_code == 403


def test_a_list_of_copies_unpacks_each_once(
    client: TokenClient, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/teach").status_code == 200
    monkeypatch.setattr("calibration.profiles.unpack", None)
    assert "meadow/ours" in client.get("/teach").get_data(as_text=True)


def test_a_file_that_was_replaced_is_read_at_once(tmp_path: Path) -> None:
    """The time at which both were taught is the same."""
    opened = []

    def opens(spec: BoardSpec, profile: str | None, folder: Path) -> Any:
        assert profile
        opened.append(load_taught(profile, "meadow", folder).profile.labels[0])
        return object()

    app = create_app({"TESTING": True, "DATA_DIR": tmp_path, "OPEN_READER": opens})
    table = app.extensions["tallystone"]
    first, second = (taught_at("2026-01-01", label) for label in ("cow", "hen"))
    path = tmp_path / "profiles" / "ours.meadow.tallyprofile"
    path.parent.mkdir()
    for data in (first, first, second):
        if not path.exists() or path.read_bytes() != data:
            path.unlink(missing_ok=True)
            path.write_bytes(data)
        table.reader(described("meadow"), "ours")
    assert opened == ["cow", "hen"]
    app.extensions["tallystone_store"].close()


def taught_at(made: str, label: str) -> bytes:
    """A copy of that label that says when it was taught."""
    return pack(replace(unpack(taught(label), "file"), created=made))


def test_a_later_guest_does_not_put_a_copy_before_others(
    app: Flask, client: TokenClient, stranger: TokenClient, copy: Path, tmp_path: Path
) -> None:
    """Without a choice a device reads with its own copy, a trusted one, or the first."""
    later = taught_at("9999-01-01", "goat")
    file = (io.BytesIO(later), "x.tallyprofile")
    assert send(stranger, "/teach/profiles/import", file=file).location.endswith("/ours%202")
    third = app.test_client()
    assert isinstance(third, TokenClient)
    assert [first_choice(guest) for guest in (client, stranger, third)] == [
        "ours",
        "ours 2",
        "ours",
    ]
    send(third, "/pin", pin=pin_of(tmp_path))
    file = (io.BytesIO(taught("hen")), "x.tallyprofile")
    assert send(third, "/teach/profiles/import", file=file).location.endswith("/ours%203")
    fourth = app.test_client()
    assert isinstance(fourth, TokenClient)
    assert [first_choice(guest) for guest in (client, fourth)] == ["ours", "ours 3"]


def test_a_copy_counts_from_when_its_device_brought_it(
    client: TokenClient,
    stranger: TokenClient,
    app: Flask,
    copy: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not from when another device brought one of the same name, which is gone."""
    hours = count(1)
    monkeypatch.setattr(owners, "now", lambda: f"9999-01-01T{next(hours):02}")
    imported(client, "hen")
    copy.unlink()
    imported(stranger)
    assert first_choice(device(app)) == "ours 2"


def test_a_copy_of_a_device_at_the_table_is_read_with_first(
    app: Flask, client: TokenClient, stranger: TokenClient, copy: Path
) -> None:
    imported(stranger)
    guest = device(app)
    assert first_choice(guest) == "ours"
    code = with_meadow(stranger)
    assert try_join(guest, code, name="Zoe") == 303
    assert first_choice(guest, code) == "ours 2"


def with_meadow(guest: TokenClient) -> str:
    """A game of the meadow that the guest hosts."""
    board = {"name": "meadow", "rows": [1, 2], "cols": [1, 2]}
    setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {"board": board}}
    started = guest.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
    return str(started.get_json()["code"])


def first_choice(guest: TokenClient, code: str = "") -> str:
    """The copy that reads the meadow where the guest chooses none."""
    answer = guest.get(f"/api/games/{code or with_meadow(guest)}/boards/custom")
    return str(answer.get_json()["profiles"][0])
