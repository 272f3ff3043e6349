"""Several processes on PostgreSQL: they hear of each other, and outlive the database's absence."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from cluster import Server, cluster
from conftest import FakeReader, TokenClient
from flask import Flask
from playing import serving
from test_live import Listener
from test_tables import SETUP, act, join

from webapp import create_app
from webapp.__main__ import cli
from webapp.live import watch
from webapp.store import StoreError, open_store

HEARD_S = 0.25
"""Within which another process hears of a change, on a machine that may be busy; else 50 ms."""


def process(folder: Path, url: str) -> Flask:
    """An application as another process would have it: nothing is shared but the database."""
    app = create_app(
        {
            "TESTING": True,
            "DATA_DIR": folder,
            "DATABASE_URL": url,
            "OPEN_READER": lambda *_: FakeReader(),
        }
    )
    app.test_client_class = TokenClient
    return app


@pytest.fixture
def database_url(prepared_server: Server) -> str:
    return prepared_server.url


@pytest.fixture
def code(client: TokenClient) -> str:
    answer = client.send_json("/api/games", {"kind": "custom", "setup": SETUP, "seat": 0})
    return str(answer.get_json()["code"])


@pytest.fixture
def other(app: Flask, database_url: str) -> Iterator[Flask]:
    """A second process on the same database and folder."""
    second = process(Path(app.config["DATA_DIR"]), database_url)
    yield second
    second.extensions["tallystone_tables"].announcements.close()
    second.extensions["tallystone_store"].close()


def test_another_process_hears_at_once_and_asks_for_nothing(
    client: TokenClient, code: str, other: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "LOOK_AGAIN_SECONDS", 60.0)
    with serving(other) as url:
        device = Listener(url, code, client)
        device.wait_for(0, time.monotonic())
        delays = []
        for points in range(1, 9):
            version = act(client, code, type="extra", seat=0, points=points).get_json()["version"]
            delays.append(device.wait_for(version, time.monotonic()))
        device.close()
    assert min(delays) < HEARD_S


def test_a_deleted_game_ends_the_streams_of_other_processes(
    client: TokenClient, code: str, other: Flask
) -> None:
    with serving(other) as url:
        device = Listener(url, code, client)
        device.wait_for(0, time.monotonic())
        client.send_json(f"/api/games/{code}", None, "DELETE")
        device.wait_for_end()


def test_edits_are_refused_with_a_sentence_while_the_database_is_away_and_none_is_lost(
    tmp_path: Path,
) -> None:
    with cluster() as server:
        open_store(tmp_path, server.url, migrating=True).close()
        one, two = process(tmp_path, server.url), process(tmp_path, server.url)
        client = one.test_client()
        assert isinstance(client, TokenClient)
        setup = {"kind": "custom", "setup": SETUP, "seat": 0}
        code = client.send_json("/api/games", setup).get_json()["code"]
        bob = join(two, code, seat="1")
        with serving(one) as url, closing(Listener(url, code, client)) as device:
            device.wait_for(1, time.monotonic())
            server.stop()
            answer = act(client, code, type="extra", seat=0, points=1)
            assert answer.status_code == 503
            assert answer.get_json()["error"]["code"] == "unreachable"
            assert answer.get_json()["error"]["message"].endswith(".")
            assert client.get("/").status_code == 503
            server.start()
            assert act(bob, code, type="extra", seat=1, points=7).status_code == 200
            device.wait_for(2, time.monotonic())
            assert act(client, code, type="extra", seat=0, points=2).status_code == 200
            device.wait_for(3, time.monotonic())
        assert client.get(f"/api/games/{code}").get_json()["state"]["extra"] == {"0": 2, "1": 7}
        for app in (one, two):
            app.extensions["tallystone_tables"].announcements.close()
            app.extensions["tallystone_store"].close()


def test_a_server_is_prepared_by_migrate_and_by_nothing_else(
    empty_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreError, match="run tallystone migrate first"):
        open_store(tmp_path, empty_server.url)
    monkeypatch.setenv("DATABASE_URL", empty_server.url)
    for _ in range(2):
        done = CliRunner().invoke(cli, ["migrate", "--data", str(tmp_path)])
        assert (done.exit_code, done.output.count("\n")) == (0, 1), done.output
    open_store(tmp_path, empty_server.url).close()


def test_migrations_wait_for_each_other(empty_server: Server, tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def migrate(number: int) -> None:
        try:
            open_store(tmp_path / str(number), empty_server.url, migrating=True).close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=migrate, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
