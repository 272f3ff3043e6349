"""Quotas: whatever exceeds one is refused with a sentence, and nothing kept is touched."""

import io
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
from changes import BOARD, SETUPS
from fakes import FakeReader, TokenClient
from flask import Flask
from guard.archives import document_of
from seats import device, try_join
from sqlalchemy.orm import Session

from webapp import create_app
from webapp.guard import quotas
from webapp.guard.quotas import Allowance, Limits
from webapp.store import Game
from webapp.tables.values import MOST_LOG_BYTES

Disk = namedtuple("Disk", "total used free")


def table(folder: Path, **limits: int) -> TokenClient:
    app = create_app(
        {
            "TESTING": True,
            "DATA_DIR": folder,
            "OPEN_READER": lambda *_: FakeReader(),
            "QUOTAS": Limits(**limits),
        }
    )
    app.test_client_class = TokenClient
    client = app.test_client()
    assert isinstance(client, TokenClient)
    return client


def start(client: TokenClient, kind: str = "stones") -> Any:
    return client.send_json("/api/games", {"kind": kind, "setup": SETUPS[kind], "seat": 0})


def photograph(client: TokenClient, code: str, photo: bytes) -> Any:
    return client.post(
        f"/api/games/{code}/photos",
        data={"photo": (io.BytesIO(photo), "table.jpg"), "board": "stones"},
        headers={"X-CSRF-Token": client.token()},
    )


def act(client: TokenClient, code: str, **action: Any) -> Any:
    return client.send_json(f"/api/games/{code}/actions", {"action": action})


def close(client: TokenClient) -> None:
    client.application.extensions["tallystone_store"].close()


@pytest.mark.parametrize(
    ("limits", "status", "code"),
    [
        ({"total_games": 2}, 409, "no_room"),
        ({"total_bytes": 2_000}, 409, "no_room"),
        ({"device_games": 2}, 409, "device_full"),
        ({"device_bytes": 2_000}, 409, "device_full"),
        ({"address_games": 2}, 429, "too_much"),
        ({"address_bytes": 2_000}, 429, "too_much"),
    ],
)
def test_a_game_too_many_is_refused_with_a_sentence(
    tmp_path: Path, limits: dict[str, int], status: int, code: str
) -> None:
    client = table(tmp_path, **limits)
    codes = [start(client).get_json()["code"] for _ in range(2)]
    answer = start(client)
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (status, code)
    assert answer.get_json()["error"]["message"].endswith(".")
    assert len(client.get("/api/games").get_json()["games"]) == 2
    assert act(client, codes[0], type="award", seat=0, card=1).status_code == 200
    if status == 409:
        client.post(f"/g/{codes[0]}/delete", data={"csrf_token": client.token()})
        assert start(client).status_code == 201
    close(client)


@pytest.mark.parametrize(
    "limits", [{"total_bytes": 2_000}, {"device_bytes": 2_000}, {"address_bytes": 2_000}]
)
def test_photos_and_imports_are_counted(
    tmp_path: Path, limits: dict[str, int], photo: bytes
) -> None:
    whole = table(tmp_path / "whole")
    code = start(whole).get_json()["code"]
    assert photograph(whole, code, photo).status_code == 201
    act(whole, code, type="finish")
    with whole.application.extensions["tallystone_store"].reading() as session:
        (game,) = session.query(Game)
        assert game.photo_bytes > 2_000
        assert game.result
    exported = whole.get("/history/export.zip").data
    close(whole)
    client = table(tmp_path / "small", **limits)
    code = start(client).get_json()["code"]
    assert photograph(client, code, photo).status_code in (409, 429)
    assert not list((tmp_path / "small" / "photos").glob("*.jpg"))
    fields = {"csrf_token": client.token(), "file": (io.BytesIO(exported), "all.zip")}
    assert client.post("/history/import", data=fields).status_code in (409, 429)
    assert not list((tmp_path / "small" / "photos").glob("*.jpg"))
    close(client)


def test_a_nearly_full_disk_takes_no_more_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = table(tmp_path)
    code = start(client).get_json()["code"]
    monkeypatch.setattr(quotas.shutil, "disk_usage", lambda _: Disk(10**12, 10**12, 10**8))
    answer = start(client)
    assert answer.status_code == 409
    assert "disk" in answer.get_json()["error"]["message"]
    assert act(client, code, type="award", seat=0, card=1).status_code == 200
    close(client)


def test_a_log_has_an_end_and_the_game_can_be_finished(
    client: TokenClient, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = BOARD | {"rows": [32, 32], "cols": [32, 32]}
    setup = SETUPS["custom"] | {"options": {"board": board}}
    code = client.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0}).get_json()[
        "code"
    ]
    text = " / ".join([" ".join(["x" * 40] * 32)] * 32)
    statuses = []
    while not statuses or statuses[-1] == 200:
        statuses.append(
            act(client, code, type="board", seat=len(statuses) % 2, text=text).status_code
        )
    assert statuses[-1] == 409
    assert len(statuses) > 50
    with app.extensions["tallystone_store"].reading() as session:
        (game,) = session.query(Game)
        assert MOST_LOG_BYTES * 0.9 < game.log_bytes < MOST_LOG_BYTES
    assert act(client, code, type="finish").status_code == 200


def test_removed_photos_count_no_more(app: Flask, client: TokenClient, photo: bytes) -> None:
    code = start(client).get_json()["code"]
    photograph(client, code, photo)
    tables = app.extensions["tallystone_tables"]
    tables.pruning.photo_days = 0
    act(client, code, type="finish")
    with tables.store.reading() as session:
        (game,) = session.query(Game)
        assert game.photo_bytes == 0


def test_an_allowance_comes_back_within_an_hour() -> None:
    now = [0.0]
    allowance = Allowance(100, lambda: now[0])
    assert allowance.take(Session(), "a", 100)
    assert not allowance.take(Session(), "a", 1)
    assert allowance.take(Session(), "b", 100)
    now[0] = 1800
    assert allowance.take(Session(), "a", 50)
    assert not allowance.take(Session(), "a", 1)
    now[0] = 5400
    assert allowance.take(Session(), "a", 100)


def test_of_too_many_addresses_those_that_sent_least_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quotas, "MOST_ADDRESSES", 2)
    allowance = Allowance(100, lambda: 0.0)
    for address, amount in (("a", 100), ("b", 50), ("c", 1), ("b", 100)):
        assert allowance.take(Session(), address, amount)
    assert not allowance.take(Session(), "b", 1)


def test_only_the_games_that_a_device_hosts_are_its_own(tmp_path: Path) -> None:
    client = table(tmp_path, device_games=1)
    code = start(device(client.application)).get_json()["code"]
    assert try_join(client, code, name="Zoe") == 303
    assert start(client).status_code == 201
    assert start(client).get_json()["error"]["code"] == "device_full"
    close(client)


def test_the_games_of_years_can_be_taken_in_at_once(tmp_path: Path) -> None:
    client = table(tmp_path, address_games=2)
    code = start(client, "custom").get_json()["code"]
    act(client, code, type="finish")
    (game,) = client.get("/history/export.json").get_json()["games"]
    games = [game | {"created_utc": f"2026-01-01T10:00:{second:02}+00:00"} for second in range(30)]
    fields = {"csrf_token": client.token(), "file": (io.BytesIO(document_of(*games)), "all.json")}
    assert "30 games taken in" in client.post("/history/import", data=fields).get_data(as_text=True)
    close(client)


def test_who_has_no_room_for_all_games_of_a_file_is_told_how_many_came_in(tmp_path: Path) -> None:
    client = table(tmp_path, device_games=3)
    act(client, start(client, "custom").get_json()["code"], type="finish")
    (game,) = client.get("/history/export.json").get_json()["games"]
    games = [game | {"created_utc": f"2026-01-01T10:00:{second:02}+00:00"} for second in range(5)]
    fields = {"csrf_token": client.token(), "file": (io.BytesIO(document_of(*games)), "all.json")}
    answer = client.post("/history/import", data=fields)
    page = answer.get_data(as_text=True)
    assert answer.status_code == 409
    assert "2 games taken in, 0 were here already. This device has as many games" in page
    assert page.count('class="game-link"') == 3
    close(client)
