"""A table has one taught copy for all its devices, chosen, taught or found once."""

import html
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from fakes import FakeReader, TokenClient
from flask import Flask
from taught_copies import of_faces, saved, with_meta
from taught_copies import taught as taught_file

from calibration.profiles import save_taught
from calibration.taught import embedding_version
from scorer.game import Json
from vision.profile import Profile
from webapp.__main__ import cli

PLAYERS = {
    "players": [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "green"}],
    "options": {},
}


@pytest.fixture
def guest(app: Flask, client: TokenClient) -> TokenClient:
    """A second device."""
    guest = app.test_client()
    assert isinstance(guest, TokenClient)
    return guest


def keep_copy(app: Flask, name: str) -> None:
    faces = {label: np.ones((1, 4, 8), np.float32) for label in ("sun", "moon")}
    colours = {label: np.ones((1, 3), np.float32) for label in faces}
    profile = Profile(name, "stones", faces, embedding_version(), colours)
    save_taught(of_faces(profile), app.config["DATA_DIR"])


def started(host: TokenClient, guest: TokenClient) -> str:
    body = {"kind": "stones", "setup": PLAYERS, "seat": 0}
    answer = host.send_json("/api/games", body)
    assert answer.status_code == 201, answer.json
    code = answer.json["code"]
    joined = guest.post(f"/g/{code}/join", data={"csrf_token": guest.token(), "seat": "1"})
    assert joined.status_code == 303
    return str(code)


def copy_of(device: TokenClient, code: str) -> Any:
    return device.get(f"/api/games/{code}/boards/stones").json["copy"]


def photographed(device: TokenClient, code: str, photo: bytes) -> Any:
    return device.post(
        f"/api/games/{code}/photos",
        data={"photo": (io.BytesIO(photo), "a.jpg"), "board": "stones"},
        headers={"X-CSRF-Token": device.token()},
    )


def test_the_copy_that_one_device_chooses_is_that_of_all(
    app: Flask, client: TokenClient, guest: TokenClient, photo: bytes
) -> None:
    keep_copy(app, "old")
    keep_copy(app, "new")
    code = started(client, guest)
    assert copy_of(guest, code) is None
    address = f"/api/games/{code}/boards/stones/copy"
    assert client.send_json(address, {"profile": "old"}).json["copy"] == "old"
    assert copy_of(guest, code) == "old"
    assert photographed(guest, code, photo).json["reading"]["profile"] == "old"
    assert client.send_json(address, {"profile": ""}).json["copy"] == ""
    assert photographed(guest, code, photo).json["reading"]["profile"] == "default"
    assert client.send_json(address, {"profile": None}).json["copy"] is None
    assert client.send_json(address, {"profile": "nobody's"}).status_code == 404
    assert client.send_json(address, {"profile": 3}).status_code == 400


def test_a_copy_that_was_deleted_is_chosen_no_more(
    app: Flask, client: TokenClient, guest: TokenClient, photo: bytes
) -> None:
    keep_copy(app, "old")
    code = started(client, guest)
    client.send_json(f"/api/games/{code}/boards/stones/copy", {"profile": "old"})
    for file in Path(app.config["DATA_DIR"]).rglob("*.tallyprofile"):
        file.unlink()
    assert copy_of(guest, code) is None
    assert photographed(guest, code, photo).json["reading"]["profile"] == "default"


def test_a_game_goes_on_with_a_copy_that_was_renamed(
    app: Flask, client: TokenClient, guest: TokenClient
) -> None:
    assert saved(client).status_code == 200
    code, other = started(client, guest), started(client, guest)
    client.send_json(f"/api/games/{code}/boards/stones/copy", {"profile": "mine"})
    renaming = {"csrf_token": client.token(), "name": "ours"}
    assert client.post("/teach/rename/stones/mine", data=renaming).status_code == 302
    assert (copy_of(guest, code), copy_of(guest, other)) == ("ours", None)
    command = ["profiles", "rename", "ours", "all", "--data", str(app.config["DATA_DIR"])]
    assert CliRunner().invoke(cli, command).exit_code == 0
    assert (copy_of(guest, code), copy_of(guest, other)) == ("all", None)
    renaming = {"csrf_token": client.token(), "name": "mine"}  # whoever taught it still may
    assert client.post("/teach/rename/stones/all", data=renaming).status_code == 302


def test_the_copy_that_a_photo_surely_shows_is_kept(
    app: Flask,
    client: TokenClient,
    guest: TokenClient,
    reader: FakeReader,
    photo: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep_copy(app, "ours")
    code = started(client, guest)
    photographed(client, code, photo)
    assert copy_of(guest, code) is None  # a doubt was left
    read = reader.read
    monkeypatch.setattr(reader, "read", lambda *given: replace(read(*given), doubts=()))
    photographed(client, code, photo)
    assert copy_of(guest, code) == "ours"


def test_a_copy_taught_from_a_game_is_used_there_by_all(
    client: TokenClient, guest: TokenClient
) -> None:
    code = started(client, guest)
    page = client.get(f"/teach/stones?game={code}").get_data(as_text=True)
    assert f'data-game="{code}"' in page
    assert saved(client, "this table", game=code).json["page"] == f"/g/{code}"
    assert copy_of(guest, code) == "this table"


def test_a_stranger_teaches_no_copy_for_a_game(
    app: Flask, client: TokenClient, guest: TokenClient
) -> None:
    code = started(client, guest)
    stranger = app.test_client()
    assert isinstance(stranger, TokenClient)
    assert stranger.get(f"/teach/stones?game={code}").status_code == 403
    assert saved(stranger, "this table", game=code).status_code == 403
    assert not list(Path(app.config["DATA_DIR"]).rglob("*.tallyprofile"))


def test_a_taught_game_is_chosen_from_a_list_with_its_pieces(
    app: Flask, client: TokenClient
) -> None:
    first = "Photos can be read once two of them have taught"
    assert first in client.get("/start/custom").get_data(as_text=True)
    file = io.BytesIO(taught_file("three"))
    headers = {"X-CSRF-Token": client.token()}
    data = {"file": (file, "ours.meadow.tallyprofile")}
    client.post("/teach/profiles/import", data=data, headers=headers)
    page = client.get("/start/custom").get_data(as_text=True)
    assert page.count("data:image/png") == 2
    assert first not in page
    assert first in client.get("/start/seasons").get_data(as_text=True)
    known = html.unescape(re.findall(r'name="known" value="([^"]+)" checked', page)[0])
    players = {"csrf_token": client.token(), "kind": "custom", "player": ["Ann", "Ben"]}
    players["colour"] = ["red", "blue"]
    for chosen in (
        {"known": known},
        {"board-name": "MEADOW", "board-rows-least": "3"},
        {"board-name": "MEADOW", "board-rows-least": "3", "board-cols-least": "3"},
        {"board": "name = 'Meadow'\nrows = 3\ncols = 3"},
    ):
        answer = client.post("/games", data=players | chosen)
        code = re.findall(r"/g/(\w+)", answer.location)[0]
        described = client.get(f"/api/games/{code}/boards/custom").json
        assert described["name"] == "meadow"
        assert described["profiles"] == ["ours"]
        assert "three" in described["labels"]
    for wrong in ({"known": "{"}, {"known": "[" * 100_000}, {"board": "rows = " + "9" * 5000}):
        assert client.post("/games", data=players | wrong).status_code == 422


def test_a_game_finds_a_copy_that_was_taught_later_in_other_letters(
    client: TokenClient, photo: bytes
) -> None:
    board = {"name": "MEADOW", "rows": 3, "cols": 3}
    setup = PLAYERS | {"options": {"board": board}}
    started = client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
    headers = {"X-CSRF-Token": client.token()}
    file = (io.BytesIO(taught_file("three")), "ours.meadow.tallyprofile")
    client.post("/teach/profiles/import", data={"file": file}, headers=headers)
    table = f"/api/games/{started.json['code']}"
    described = client.get(f"{table}/boards/custom").json
    assert (described["name"], described["profiles"]) == ("meadow", ["ours"])
    assert described["own"] == board | {"name": "meadow"}
    data = {"photo": (io.BytesIO(photo), "a.jpg")}
    read = client.post(f"{table}/photos", data=data, headers=headers)
    assert (read.status_code, read.json["reading"]["profile"]) == (201, "ours")
    assert client.send_json(f"{table}/boards/custom/copy", {"profile": "ours"}).status_code == 200
    client.post("/teach/rename/meadow/ours", data={"name": "all"}, headers=headers)
    assert client.get(f"{table}/boards/custom").json["copy"] == "all"


def test_a_game_with_rules_is_offered_beside_a_copy_that_was_taught_without(
    client: TokenClient,
) -> None:
    file = (io.BytesIO(taught_file("three")), "ours.meadow.tallyprofile")
    headers = {"X-CSRF-Token": client.token()}
    client.post("/teach/profiles/import", data={"file": file}, headers=headers)
    board = {"name": "meadow", "rows": 2, "cols": 2, "score": [{"rule": "run", "name": "rows"}]}
    setup = PLAYERS | {"options": {"board": board}}
    client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
    page = client.get("/start/custom?of=meadow").get_data(as_text=True)
    known = re.findall(r'name="known" value="([^"]+)"( checked)?', page)
    assert [bool(checked) for _, checked in known] == [True, False]
    assert json.loads(html.unescape(known[0][0])) == board
    assert "2 × 2 · rows" in page
    assert page.count("data:image/png") == 4


def test_two_games_of_one_name_are_both_offered(client: TokenClient, guest: TokenClient) -> None:
    for device, name, rows in ((client, "ours", [1, 2]), (guest, "theirs", [4, 4])):

        def change(meta: Json, name: str = name, rows: list[int] = rows) -> None:
            meta["name"] = name
            meta["shape"]["rows"] = rows

        data = with_meta(taught_file("three" if device is client else "four"), change)
        form = {"csrf_token": device.token(), "file": (io.BytesIO(data), f"{name}.tallyprofile")}
        assert device.post("/teach/profiles/import", data=form).status_code == 302

    def offered(device: TokenClient, path: str) -> list[tuple[list[int], str]]:
        page = device.get(path).get_data(as_text=True)
        known = re.findall(r'name="known" value="([^"]+)"( checked)?', page)
        return [(json.loads(html.unescape(board))["rows"], checked) for board, checked in known]

    own_first = [([1, 2], " checked"), ([4, 4], "")]
    assert offered(client, "/start/custom") == own_first
    assert offered(guest, "/start/custom?of=meadow") == [([4, 4], " checked"), ([1, 2], "")]
    page = guest.get("/teach/profiles/meadow/ours").get_data(as_text=True)
    address = html.unescape(re.findall(r'href="(/start/custom[^"]*)"', page)[0])
    assert offered(guest, address) == own_first

    form = {"csrf_token": client.token(), "kind": "custom", "player": "Ann", "colour": "red"}
    for size, rows in (({}, [1, 2]), ({"rows": "4", "cols": "1"}, [4, 4]), ({"rows": "3"}, [1, 2])):
        typed = {f"board-{side}-least": number for side, number in size.items()}
        if rows == [4, 4]:
            typed["board-cols-most"] = "2"
        answer = client.post("/games", data=form | {"board-name": "Meadow"} | typed)
        code = re.findall(r"/g/(\w+)", answer.location)[0]
        described = client.get(f"/api/games/{code}/boards/custom").json
        assert described["rows"] == rows
        assert "four" not in described["labels"]
    typed = {"board-name": "meadow", "board-rows-least": "3", "board-cols-least": "3"}
    answer = client.post("/games", data=form | typed)
    code = re.findall(r"/g/(\w+)", answer.location)[0]
    assert client.get(f"/api/games/{code}/boards/custom").json["cols"] == [3, 3]


def test_a_piece_named_once_is_offered_again(client: TokenClient) -> None:
    setup = PLAYERS | {"options": {"board": {"name": "mine", "rows": 1, "cols": 2}}}
    code = client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0}).json[
        "code"
    ]
    board = {"type": "board", "seat": 0, "text": "cow sheep"}
    client.send_json(f"/api/games/{code}/actions", {"action": board})
    labels = client.get(f"/api/games/{code}/boards/custom").json["labels"]
    assert labels == ["cow", "sheep"]
