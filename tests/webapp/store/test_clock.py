"""A wrong clock: devices stay signed in, games stay in order, and no photo is lost."""

import io
import json
import os
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fakes import TokenClient
from flask import Flask
from flask.sessions import SecureCookieSessionInterface

from webapp import create_app
from webapp.store import models

SETUP = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}
BOARD = {"name": "meadow", "rows": 2, "cols": 2, "empty": True}
NEW_YEAR = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = 86400.0
JUMPS = (-40 * 365 * DAY, -400 * DAY, -3600.0, -10.0, 10.0, 91 * DAY, 401 * DAY, 4000 * DAY)


@pytest.fixture
def code(client: TokenClient) -> str:
    answer = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0})
    return str(answer.get_json()["code"])


@pytest.mark.parametrize("seconds", JUMPS)
def test_a_clock_that_jumps_signs_nobody_out(
    client: TokenClient, code: str, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + seconds)
    assert client.get(f"/api/games/{code}").get_json()["you"]["role"] == "host"


def test_the_cookie_is_kept_for_a_while_not_until_a_date(client: TokenClient) -> None:
    cookie = client.get("/").headers["Set-Cookie"]
    assert f"Max-Age={400 * 24 * 3600}" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_a_cookie_of_flask_is_read_and_a_changed_one_is_not(
    app: Flask, client: TokenClient
) -> None:
    signing = SecureCookieSessionInterface().get_signing_serializer(app)
    assert signing is not None
    cookie = str(signing.dumps({"device": "an old secret", "_permanent": True}))
    client.set_cookie("tallystone", cookie)
    with client:
        from flask import session

        client.get("/")
        assert session["device"] == "an old secret"
        client.set_cookie("tallystone", cookie[:-2])
        client.get("/")
        assert session["device"] != "an old secret"


class Wall:
    """The clock of the computer, set by hand."""

    def __init__(self) -> None:
        self.time = NEW_YEAR

    def now(self, zone: object) -> datetime:
        return self.time


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    wall = Wall()
    monkeypatch.setattr(models, "datetime", wall)  # where now_utc looks
    return wall


def kept(tmp_path: Path) -> int:
    return len(list((tmp_path / "photos").glob("*.jpg")))


def start(tmp_path: Path, days: int | None = 90) -> Flask:
    """Start the program once; gives the application."""
    app = create_app({"TESTING": True, "DATA_DIR": tmp_path, "PHOTO_DAYS": days})
    app.extensions["tallystone_store"].close()
    return app


@pytest.fixture
def photographed(tmp_path: Path, wall: Wall, client: TokenClient, photo: bytes) -> Path:
    """A data folder with one photo of the first of January."""
    code = client.send_json("/api/games", {"kind": "stones", "setup": SETUP, "seat": 0}).get_json()[
        "code"
    ]
    answer = client.post(
        f"/api/games/{code}/photos",
        data={"photo": (io.BytesIO(photo), "table.jpg"), "board": "stones"},
        headers={"X-CSRF-Token": client.token()},
    )
    assert answer.status_code == 201
    assert kept(tmp_path) == 1
    return tmp_path


def starts_at(folder: Path, wall: Wall, days: Iterable[float]) -> list[int]:
    """Photos that are left after each start so many days after the first of January."""
    left = []
    for day in days:
        wall.time = NEW_YEAR + timedelta(days=day)
        start(folder)
        left.append(kept(folder))
    return left


@pytest.mark.parametrize(
    ("days", "left"),
    [
        ((91,), [1]),  # one start with a wrong clock
        ((91, 91, 91, 91, 92), [1, 1, 1, 1, 1]),  # an evening with it
        ((91, 1, 92, 2, 99, 3, 400, 4), [1] * 8),  # it comes and goes
        ((-9000, 91, -9000, 92, -9000, 99), [1] * 6),
        ((30, 60, 91, 121, 152), [1, 1, 1, 1, 0]),  # a laptop that is switched on once a month
        ((89, 90, 91, 92, 93, 94, 95, 96, 97, 98), [1] * 9 + [0]),  # every day
        ((1, 2, 3, 30, 80, 89), [1] * 6),
    ],
)
def test_photos_go_once_days_were_seen_to_pass(
    photographed: Path, wall: Wall, days: tuple[float, ...], left: list[int]
) -> None:
    assert starts_at(photographed, wall, days) == left


def test_a_photo_of_a_clock_that_was_ahead_goes_once_the_right_one_counted_its_days(
    photographed: Path, wall: Wall
) -> None:
    days = (-4000, -3990, -3980, -3880, -3870, -3860)
    assert starts_at(photographed, wall, days) == [1, 1, 1, 1, 1, 0]


def test_a_server_that_runs_on_notes_the_days(photographed: Path, wall: Wall, app: Flask) -> None:
    tables = app.extensions["tallystone_tables"]
    for day in range(1, 99):
        wall.time += timedelta(days=1)
        tables.pruning.prune(lambda day=day: day * 86400.0)
        assert kept(photographed) == (day < 98)


def test_a_game_of_a_wrong_clock_comes_back_to_its_place(app: Flask, wall: Wall) -> None:
    tables = app.extensions["tallystone_tables"]
    wall.time += timedelta(days=91)
    late = tables.games.start("stones", SETUP, "ann", 0)
    wall.time -= timedelta(days=91)
    assert tables.members.joinable(late, "bob")
    tables.pruning.prune(lambda: 1e9)
    wall.time += timedelta(minutes=1)
    newer = tables.games.start("stones", SETUP, "ann", 0)
    assert [game["code"] for game in tables.games.of_device("ann")] == [newer, late]
    tables.members.join(late, "bob", None, "Bob")
    assert [game["code"] for game in tables.games.of_device("ann")] == [newer, late]
    wall.time += timedelta(days=3)
    assert tables.members.joinable(late, "bob") is None


def test_versions_and_undo_do_not_look_at_the_clock(app: Flask, wall: Wall) -> None:
    tables = app.extensions["tallystone_tables"]
    code = tables.games.start("custom", SETUP | {"options": {"board": BOARD}}, "ann", 0)
    for points in (1, 2, 3):
        wall.time -= timedelta(days=1)
        told = tables.changes.act(code, "ann", {"type": "extra", "seat": 0, "points": points})
        answer = json.loads(told)
        assert answer["version"] == points
    assert json.loads(tables.changes.undo(code, "ann"))["version"] == 4
    assert [event["seq"] for event in tables.games.log(code, "ann")] == [0, 1, 2, 3]


def test_photos_without_a_row_are_swept_but_not_what_is_just_being_written(
    photographed: Path,
) -> None:
    folder = photographed / "photos"
    (mine,) = folder.glob("*.jpg")
    now = time.time()
    for name, hours in (
        ("a" * 32 + ".jpg", 2),
        ("b" * 32 + ".jpg", 0),
        ("tmp1.part", 2),
        ("note.txt", 2),
    ):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (now - hours * 3600, now - hours * 3600))
    os.utime(mine, (now - 7200, now - 7200))
    start(photographed)
    assert {path.name for path in folder.iterdir()} == {mine.name, "b" * 32 + ".jpg", "note.txt"}
