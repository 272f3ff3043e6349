"""Changes reach every device within a second, whoever makes them, in this process or in another."""

import io
import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fakes import TokenClient
from flask import Flask
from seats import SETUP, act, join
from sqlalchemy import event, update
from sqlalchemy.exc import OperationalError, TimeoutError

from webapp import create_app
from webapp.live import Announcements, Streams, Watch, stream, watch
from webapp.live.streams import ALIVE_SECONDS
from webapp.store import Game, open_store

SOON = 1.0
"""Seconds within which a device sees a change.

The best of three counts, for this machine may be busy with other things.
"""

PATIENCE_S = 30.0


@pytest.fixture
def database_url(each_database: str | None) -> str | None:
    return each_database


@pytest.fixture
def code(client: TokenClient) -> str:
    answer = client.send_json("/api/games", {"kind": "custom", "setup": SETUP, "seat": 0})
    return str(answer.get_json()["code"])


class Listener:
    """A device that listens to the events over real http."""

    def __init__(
        self, base_url: str, code: str, client: TokenClient, last: str | None = None
    ) -> None:
        cookie = client.get_cookie("tallystone")
        assert cookie is not None
        headers = {"Cookie": f"tallystone={cookie.value}"} | (
            {"Last-Event-ID": last} if last else {}
        )
        self._answer = urllib.request.urlopen(
            urllib.request.Request(f"{base_url}/api/games/{code}/events", headers=headers),
            timeout=PATIENCE_S,
        )
        self.heard: list[tuple[float, int]] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            for line in self._answer:
                if line.startswith(b"data:"):
                    self.heard.append((time.monotonic(), json.loads(line[5:])["version"]))
        except (OSError, ValueError, AttributeError):
            pass  # closed

    def wait_for(self, version: int, since: float) -> float:
        """Seconds from *since* until the version was heard of."""
        while time.monotonic() < since + PATIENCE_S:
            for at, heard in list(self.heard):
                if heard == version:
                    return at - since
            time.sleep(0.005)
        raise AssertionError(f"version {version} was never announced, only {self.heard}")

    def wait_for_end(self) -> None:
        """Wait until the server ends the stream."""
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    def close(self) -> None:
        import socket

        with_socket: Any = self._answer.fp
        with_socket.raw._sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._answer.close()


@pytest.fixture
def listeners(base_url: str, client: TokenClient, code: str) -> Iterator[list[Listener]]:
    devices = [Listener(base_url, code, client) for _ in range(3)]
    yield devices
    for device in devices:
        device.close()


def test_a_database_that_does_not_answer_is_told_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setattr(watch, "RECONNECT_SECONDS", 0.0)
    answers = [*"aab"]

    def ask(*_: Any) -> None:
        if not answers:
            announcements.close()
        else:
            raise OperationalError("", {}, Exception(answers.pop(0)))

    with closing(open_store(tmp_path)) as store:
        one = Watch(store)
        monkeypatch.setattr(one, "_ask", ask)
        announcements = Announcements(lambda _: None)
        with announcements.listening("ABCDEF"):
            one._run(announcements)
    assert [record.getMessage()[-3:] for record in caplog.records] == [": a", ": b"]


def test_a_change_is_heard_of_within_a_second(
    client: TokenClient, code: str, listeners: list[Listener]
) -> None:
    delays = []
    for points in (1, 2, 3):
        start = time.monotonic()
        version = act(client, code, type="extra", seat=0, points=points).get_json()["version"]
        delays.append(max(device.wait_for(version, start) for device in listeners))
    assert min(delays) < SOON
    delays = []
    for way in ("undo", "redo", "undo"):
        start = time.monotonic()
        version = client.send_json(f"/api/games/{code}/{way}", {}).get_json()["version"]
        delays.append(max(device.wait_for(version, start) for device in listeners))
    assert min(delays) < SOON


def test_a_change_by_another_process_is_heard_of_too(
    app: Flask, code: str, listeners: list[Listener]
) -> None:
    other = open_store(Path(app.config["DATA_DIR"]), app.config["DATABASE_URL"])
    delays = []
    for version in (7, 8, 9):
        start = time.monotonic()
        with other.writing() as session:
            session.execute(update(Game).where(Game.code == code).values(version=version))
            other.tell(session, code, version)
        delays.append(max(device.wait_for(version, start) for device in listeners))
    other.close()
    assert min(delays) < SOON


class Shown:
    """A game that every device sees alike."""

    def __init__(self, version: int, members: tuple[int, ...] = (1,)) -> None:
        self.version = version
        self.members = members

    def told(self, member: int, language: str) -> str | None:
        return f'{{"version":{self.version}}}' if member in self.members else None


def hear(
    announcements: Announcements, scenes: list[Any], known: int | None = None, **more: float
) -> Iterator[str]:
    """What a device hears that is told one of *scenes* each time the game is loaded."""

    def load() -> Any:
        scene = scenes.pop(0)
        if scenes:
            announcements.announce("ABC234", scenes[0].version if scenes[0] else 99)
        return scene

    return stream(announcements, "ABC234", 1, "en", load, known, **more)


def test_a_stream_begins_with_what_was_missed_and_ends_for_outsiders() -> None:
    events = list(hear(Announcements(), [Shown(4), Shown(5), Shown(6, members=(2,))], known=4))
    assert events == [
        "retry: 700\n\n",
        'id: 5\ndata: {"version":5}\n\n',
        'event: gone\ndata: {"version": null}\n\n',
    ]
    assert list(hear(Announcements(), [None]))[1].startswith("event: gone")


def test_a_quiet_stream_says_that_it_lives() -> None:
    events = hear(Announcements(), [Shown(1)], known=1, alive_seconds=0)
    assert [next(events) for _ in range(3)][1:] == [": alive\n\n", ": alive\n\n"]
    events.close()  # type: ignore[attr-defined]


def test_a_game_is_loaded_once_for_all_who_listen() -> None:
    announcements, loads = Announcements(), []

    def load() -> Any:
        loads.append(1)
        return Shown(3)

    devices = [stream(announcements, "ABC234", 1, "en", load) for _ in range(5)]
    for device in devices:
        assert [next(device), next(device)][1] == 'id: 3\ndata: {"version":3}\n\n'
    assert len(loads) == 1
    for device in devices:
        device.close()  # type: ignore[attr-defined]
    assert announcements.codes == []


def test_a_scene_is_taken_though_its_version_was_heard_before() -> None:
    """Another thread compares versions, and may see a change before it is announced."""
    announcements, newest, older = Announcements(), Shown(4), Shown(3)
    with announcements.listening("ABC234") as (audience, bell):
        announcements.compare(lambda _: {"ABC234": 4})
        bell.clear()
        announcements.announce("ABC234", 4, newest)  # type: ignore[arg-type]
        assert not bell.is_set()
        assert audience.scene(lambda: None) is newest
        announcements.announce("ABC234", 3, older)  # type: ignore[arg-type]
        assert audience.scene(lambda: None) is newest


def test_an_edit_is_few_statements_and_is_not_loaded_again(
    app: Flask, client: TokenClient, code: str
) -> None:
    here = app.extensions["tallystone_tables"]
    token, said, me = client.token(), [], threading.get_ident()

    @event.listens_for(app.extensions["tallystone_store"].engine, "before_cursor_execute")
    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        if threading.get_ident() == me and not statement.startswith("BEGIN"):
            said.append(statement)

    with here.announcements.listening(code) as (audience, _):
        audience.scene(lambda: here.games.scene(code))
        said.clear()
        body = {"action": {"type": "extra", "seat": 0, "points": 5}, "key": "k"}
        path, headers = f"/api/games/{code}/actions", {"X-CSRF-Token": token}
        version = client.post(path, json=body, headers=headers).get_json()["version"]
        assert audience.scene(lambda: None).version == version
    assert len(said) <= 4, said


def test_another_process_knows_people_and_photos_until_they_change(
    app: Flask, client: TokenClient, code: str, photo: bytes
) -> None:
    settings = {name: app.config[name] for name in ("DATA_DIR", "DATABASE_URL")}
    other = create_app(settings | {"TESTING": True})
    there = other.extensions["tallystone_tables"]
    bob = join(app, code, seat="1")

    def scene() -> Any:
        version = client.get(f"/api/games/{code}").get_json()["version"]
        there.announcements.announce(code, version)
        return audience.scene(lambda: there.games.scene(code))

    def shown() -> Any:
        expected = bob.get(f"/api/games/{code}").get_json()
        assert json.loads(scene().told(expected["you"]["id"], "en")) == expected
        return expected

    with there.announcements.listening(code) as (audience, _):
        known = scene()
        act(bob, code, type="extra", seat=1, points=1)
        assert shown()["state"]["extra"] == {"1": 1}
        assert scene().members is known.members
        act(client, code, type="player", name="Cem", colour="green")
        assert [one["name"] for one in shown()["players"]] == ["Ann", "Bob", "Cem"]
        client.send_json(f"/api/games/{code}/undo", {})
        assert [one["name"] for one in shown()["players"]] == ["Ann", "Bob"]
        sent = {"photo": (io.BytesIO(photo), "table.jpg"), "board": "stones"}
        headers = {"X-CSRF-Token": client.token()}
        client.post(f"/api/games/{code}/photos", data=sent, headers=headers)
        act(bob, code, type="extra", seat=1, points=2)
        assert len(shown()["photos"]) == 1
        number = shown()["you"]["id"]
        client.send_json(f"/api/games/{code}/members/{number}", {"role": "viewer", "seat": None})
        assert shown()["you"]["role"] == "viewer"
        client.send_json(f"/api/games/{code}/members/{number}", None, "DELETE")
        assert scene().told(number, "en") is None
    there.announcements.close()
    other.extensions["tallystone_store"].close()


def test_a_stream_outlives_a_database_that_does_not_answer() -> None:
    answers: list[Any] = [OperationalError("", {}, Exception("away")), TimeoutError(), Shown(2)]

    def load() -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            announcements.announce("ABC234", 2)
            raise answer
        return answer

    announcements = Announcements()
    events = stream(announcements, "ABC234", 1, "en", load)
    assert [next(events) for _ in range(4)][1:] == [
        ": waiting\n\n",
        ": waiting\n\n",
        'id: 2\ndata: {"version":2}\n\n',
    ]
    events.close()  # type: ignore[attr-defined]


def test_each_device_is_pushed_what_it_may_see(app: Flask, client: TokenClient, code: str) -> None:
    bob = join(app, code, seat="1")
    games = app.extensions["tallystone_tables"].games
    for device in (client, bob):
        with device.session_transaction() as session:
            token = session["device"]
        asked = device.get(f"/api/games/{code}").get_json()
        scene = games.scene(code)
        assert json.loads(scene.told(games.member(code, token), "en")) == asked


def test_streams_end_when_the_server_is_about_to_stop() -> None:
    announcements = Announcements()
    heard = hear(announcements, [Shown(4)], known=4)
    assert next(heard) == "retry: 700\n\n"
    closing = threading.Timer(0.1, announcements.close)
    closing.start()
    assert list(heard) == []  # ends by itself
    closing.join()
    assert list(hear(announcements, [Shown(4)])) == ["retry: 700\n\n"]


def test_a_stream_ends_at_the_next_look_when_its_device_has_hung_up() -> None:
    announcements, gone = Announcements(), threading.Event()
    heard = stream(announcements, "ABC234", 1, "en", lambda: Shown(4), 4, is_gone=gone.is_set)
    assert next(heard) == "retry: 700\n\n"
    listening = threading.Thread(target=lambda: [*heard], daemon=True)
    listening.start()
    announcements.look_for_gone()
    listening.join(0.1)
    assert listening.is_alive()
    gone.set()
    announcements.look_for_gone()
    listening.join(ALIVE_SECONDS / 2)
    assert not listening.is_alive()
    assert announcements.codes == []


def test_a_game_that_is_listened_to_while_versions_are_looked_up_is_not_taken_for_deleted() -> None:
    announcements, now = Announcements(), [Shown(5)]
    heard = stream(announcements, "ABC234", 1, "en", lambda: now[-1], alive_seconds=0)

    def look_up(codes: Any) -> dict[str, int]:
        versions = dict.fromkeys(codes, 5)
        assert [next(heard) for _ in range(2)][1] == 'id: 5\ndata: {"version":5}\n\n'
        announcements.announce("ABC234", 5)
        return versions

    announcements.compare(look_up)
    assert next(heard) == ": alive\n\n"
    now.append(Shown(6))
    announcements.announce("ABC234", 6)
    assert next(heard) == 'id: 6\ndata: {"version":6}\n\n'
    heard.close()  # type: ignore[attr-defined]


def test_devices_beyond_the_limit_are_told_to_ask() -> None:
    places = Streams(3, most_of_one=2)
    assert places.enter("a")
    assert places.enter("a")
    assert not places.enter("a")
    assert places.enter("b")
    assert not places.enter("c")
    places.leave("a")
    assert places.enter("c")


def test_too_many_streams_are_refused_and_polling_still_works(
    app: Flask, client: TokenClient, code: str
) -> None:
    app.extensions["tallystone_streams"] = Streams(0 + 1)
    assert app.extensions["tallystone_streams"].enter("another")
    assert client.get(f"/api/games/{code}/events").status_code == 429
    assert client.get(f"/api/games/{code}?since=0").get_json() == {"version": 0}
