"""Several processes on PostgreSQL: they hear of each other, and outlive the database's absence."""

import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from browser.playing import serving
from changes import SETUPS
from click.testing import CliRunner
from club import free_ports, wait_for
from fakes import FakeReader, TokenClient
from flask import Flask, request
from live.test_live import PATIENCE_S, Listener
from seats import SETUP, act, join
from sqlalchemy import select, text
from sqlalchemy.orm import Session
from store.cluster import Server, changing, cluster

from webapp import create_app
from webapp.__main__ import cli
from webapp.after.keeping import check_everything
from webapp.guard import quotas, tries
from webapp.guard.quotas import SharedAllowance
from webapp.guard.tries import SharedTries
from webapp.live import watch
from webapp.live.streams import ALIVE_SECONDS, MOST_OF_ONE_DEVICE
from webapp.store import Game, StoreError, models, open_store
from webapp.store.engine import FREE_SECONDS, MOST_CONNECTIONS
from webapp.store.photos import PhotoFolder
from webapp.store.schema import ADVISORY_LOCK, LIMITED
from webapp.tables.desk import Desk
from webapp.tables.pruning import Pruning

LISTENS = "0A"
"""State of a socket that others may connect to, in the kernel's table of connections."""

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


def test_phones_of_another_process_hear_of_the_next_game(
    client: TokenClient, code: str, other: Flask
) -> None:
    with serving(other) as url, closing(Listener(url, code, client)) as device:
        device.wait_for(0, time.monotonic())
        setup = {"kind": "custom", "setup": SETUP, "seat": 0, "after": code}
        assert client.send_json("/api/games", setup).status_code == 201
        device.wait_for(1, time.monotonic())


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


def test_whoever_holds_a_row_stops_its_table_and_no_other(
    app: Flask, code: str, database_url: str
) -> None:
    url = f"{database_url}?options=-clock_timeout=500ms"
    impatient = process(Path(app.config["DATA_DIR"]), url)
    bob = join(impatient, code, seat="1")
    edit = partial(
        bob.post,
        f"/api/games/{code}/actions",
        json={"action": {"type": "extra", "seat": 1, "points": 1}},
        headers={"X-CSRF-Token": bob.token()},
    )
    with ThreadPoolExecutor() as devices, changing(database_url) as holding:
        holding.execute(select(Game.id).where(Game.code == code).with_for_update())
        edits = [devices.submit(edit) for _ in range(MOST_CONNECTIONS)]
        assert {one.result(4 * FREE_SECONDS).status_code for one in edits} == {503}
        assert bob.get("/readyz").status_code == 200
    assert edit().status_code == 200
    impatient.extensions["tallystone_store"].close()


def test_a_connection_has_limits_which_the_address_may_change(
    prepared_server: Server, tmp_path: Path
) -> None:
    for options, limit in (("", "5s"), ("?options=-clock_timeout=9s", "9s")):
        url = prepared_server.url + options
        with closing(open_store(tmp_path, url)) as store, store.reading() as session:
            limits = [session.scalar(text(f"SHOW {name}")) for name in LIMITED]
        assert limits == [limit, "20s", "0"]


def test_a_change_that_stood_still_and_was_ended_is_refused_with_a_sentence(
    app: Flask, code: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{database_url}?options=-cidle_in_transaction_session_timeout=100ms"
    impatient = process(Path(app.config["DATA_DIR"]), url)
    bob = join(impatient, code, seat="1")
    with monkeypatch.context() as patched:
        patched.setattr(Desk, "tell", lambda *_: time.sleep(0.5))
        assert act(bob, code, type="extra", seat=1, points=7).status_code == 503
    assert act(bob, code, type="extra", seat=1, points=7).status_code == 200
    impatient.extensions["tallystone_store"].close()


@pytest.mark.parametrize("says", ["disk_full", "read_only_sql_transaction"])
def test_a_server_that_takes_nothing_is_not_one_that_is_away(
    client: TokenClient, code: str, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    def refuse(_: Desk, session: Session, *__: object) -> None:
        session.execute(text(f"DO $$ BEGIN RAISE {says}; END $$"))

    monkeypatch.setattr(Desk, "tell", refuse)
    answer = act(client, code, type="extra", seat=0, points=7)
    assert (answer.status_code, answer.json["error"]["code"]) == (507, "disk_full")


def test_doctor_and_migrate_tell_of_a_server_that_only_reads(
    empty_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{empty_server.url}?options=-cdefault_transaction_read_only=on"
    monkeypatch.setenv("DATABASE_URL", url)
    done = CliRunner().invoke(cli, ["migrate", "--data", str(tmp_path)])
    assert (done.exit_code, "read-only" in done.output, "--data" in done.output) == (1, True, False)
    open_store(tmp_path, empty_server.url, migrating=True).close()
    found = {one.name: one for one in check_everything(tmp_path, url)}
    assert "it takes no changes" in found["database"].detail
    assert [one.name for one in found.values() if not one.is_good] == ["database"]


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
    with changing(empty_server.url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0007'"))
    (found,) = (one for one in check_everything(tmp_path, empty_server.url) if not one.is_good)
    assert (found.name, "run tallystone migrate first" in found.detail) == ("database", True)


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


def test_an_update_waits_however_long_another_takes(empty_server: Server, tmp_path: Path) -> None:
    impatient = f"{empty_server.url}?options=-clock_timeout=1ms -cstatement_timeout=100ms"
    with ThreadPoolExecutor() as commands:
        with changing(empty_server.url) as other:
            other.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            update = commands.submit(open_store, tmp_path, impatient, migrating=True)
            assert not wait([update], 0.5).done
        update.result().close()


def test_processes_share_the_key_of_the_cookies_and_wrong_tries(
    prepared_server: Server, tmp_path: Path
) -> None:
    one, two = (process(tmp_path / name, prepared_server.url) for name in ("one", "two"))
    assert one.secret_key == two.secret_key
    first, second = one.test_client(), two.test_client()
    statuses = [
        client.get(f"/g/ZZZZ{at:02}").status_code
        for at in range(11)
        for client in ((first,) if at % 2 else (second,))
    ]
    assert statuses == [404] * 10 + [429]
    for app in (one, two):
        app.extensions["tallystone_store"].close()


def test_processes_count_together_what_an_address_sends(
    prepared_server: Server, tmp_path: Path
) -> None:
    store = open_store(tmp_path, prepared_server.url)
    one, two = SharedAllowance(100, "bytes"), SharedAllowance(100, "bytes")

    def take(allowance: SharedAllowance, address: str, amount: int) -> bool:
        with store.writing() as session:
            return allowance.take(session, address, amount)

    assert take(one, "10.0.0.1", 60)
    assert not take(two, "10.0.0.1", 60)
    assert take(two, "10.0.0.1", 40)
    assert take(two, "10.0.0.2", 100)
    store.close()


def test_a_clock_that_was_wrong_keeps_nobody_out_and_a_small_step_forgets_nothing(
    prepared_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path, prepared_server.url)
    allowance, wrong = SharedAllowance(100, "bytes"), SharedTries(store, "code")
    start = models.now_utc()

    def left_at(shift: timedelta) -> tuple[bool, int]:
        """Whether there is any allowance, and how many wrong tries count."""
        for module in (quotas, tries):
            monkeypatch.setattr(module, "now_utc", lambda: start + shift)
        with store.writing() as session:
            return allowance.take(session, "a", 100), wrong.counts("a", 60.0)[0]

    assert left_at(timedelta(days=1)) == (True, 0)
    wrong.add("a", 60.0)
    assert left_at(timedelta(days=1, seconds=-20)) == (False, 1)
    assert left_at(timedelta()) == (True, 0)
    wrong.add("a", 60.0)
    with store.reading() as session:
        assert session.query(models.WrongTry).count() == 1
    store.close()


def test_addresses_are_forgotten_once_no_limit_asks_for_them(
    prepared_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path, prepared_server.url)
    allowance = SharedAllowance(100, "joins")
    now = models.now_utc()
    for address, ago in (("10.0.0.1 ABCDEF", 61), ("10.0.0.2 ABCDEF", 59)):
        for module in (quotas, tries):
            monkeypatch.setattr(module, "now_utc", lambda ago=ago: now - timedelta(minutes=ago))
        with store.writing() as session:
            assert allowance.take(session, address, 1)
            session.add(models.WrongTry(what="pin", address=address, at_utc=tries.now_utc()))
    Pruning(store, PhotoFolder(tmp_path / "photos"), None).prune()
    with store.reading() as session:
        for addresses in (select(models.Used.address), select(models.WrongTry.address)):
            assert session.scalars(addresses).all() == ["10.0.0.2 ABCDEF"]
    store.close()


def test_health_tells_whether_the_database_answers(tmp_path: Path) -> None:
    with cluster() as server:
        open_store(tmp_path, server.url, migrating=True).close()
        app = process(tmp_path, server.url)
        client = app.test_client()
        assert [client.get(path).status_code for path in ("/livez", "/readyz")] == [200, 200]
        server.stop()
        assert [client.get(path).status_code for path in ("/livez", "/readyz")] == [200, 503]
        server.start()
        assert client.get("/readyz").status_code == 200
        app.extensions["tallystone_store"].close()


def test_a_proxy_says_who_asks(tmp_path: Path) -> None:
    heads = {"X-Forwarded-For": "10.1.2.3", "X-Forwarded-Proto": "https"}
    for is_behind, expected in ((True, "10.1.2.3 https"), (False, "127.0.0.1 http")):
        folder = tmp_path / str(is_behind)
        app = create_app({"TESTING": True, "DATA_DIR": folder, "BEHIND_PROXY": is_behind})
        app.add_url_rule("/who", view_func=lambda: f"{request.remote_addr} {request.scheme}")
        assert app.test_client().get("/who", headers=heads).text == expected
        app.extensions["tallystone_store"].close()


def send(url: str, code: str, client: TokenClient, points: int) -> int:
    """The version that an edit over http makes."""
    cookie = client.get_cookie("tallystone")
    assert cookie is not None
    request = urllib.request.Request(
        f"{url}/api/games/{code}/actions",
        json.dumps({"action": {"type": "extra", "seat": 0, "points": points}}).encode(),
        {
            "Content-Type": "application/json",
            "Cookie": f"tallystone={cookie.value}",
            "X-CSRF-Token": client.token(),
        },
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return int(json.load(answer)["version"])


@contextmanager
def several(app: Flask, url: str, count: int = 2) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server in so many processes, and the port of all of them."""
    port = free_ports(1 + count)[0]
    command = [sys.executable, "-m", "webapp", "serve", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--processes", str(count), "--data", app.config["DATA_DIR"]],
        env={name: value for name, value in os.environ.items() if name != "CI"}
        | {"DATABASE_URL": url},
        cwd=Path(__file__).parents[3],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            for own in range(count + 1):
                wait_for(port + own)
            yield server, port
        finally:
            server.kill()


def test_several_processes_end_their_streams_and_finish_what_is_under_way_when_told_to_stop(
    client: TokenClient, code: str, app: Flask, database_url: str
) -> None:
    with several(app, database_url) as (server, port):
        url = f"http://127.0.0.1:{port}"
        device = Listener(url, code, client)
        device.wait_for(0, time.monotonic())
        version = send(url, code, client, 1)
        device.wait_for(version, time.monotonic())
        store = app.extensions["tallystone_store"]
        with ThreadPoolExecutor() as pool:
            with store.writing() as session:
                session.execute(select(Game).where(Game.code == code).with_for_update())
                under_way = pool.submit(send, url, code, client, 2)
                time.sleep(0.5)
                server.send_signal(signal.SIGTERM)
                device.wait_for_end()
                assert not under_way.done()
            assert under_way.result() == version + 1
        assert (server.wait(60), server.communicate()[1]) == (0, "")


def children_of(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def listening_at(pid: int) -> set[int]:
    """The ports that a process waits at; one it has inherited and leaves alone is none.

    Nor are connections to others, which a process polls and closes while it starts.
    """
    polled, inodes = "", set()
    for number in os.listdir(f"/proc/{pid}/fdinfo"):
        with suppress(FileNotFoundError):  # closed meanwhile
            polled += Path(f"/proc/{pid}/fdinfo/{number}").read_text()
    for number in re.findall(r"^tfd:\s+(\d+)", polled, re.MULTILINE):
        with suppress(FileNotFoundError):
            inodes.add(os.readlink(f"/proc/{pid}/fd/{number}"))
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return {
        int(row[1].partition(":")[2], 16)
        for row in rows
        if row[3] == LISTENS and f"socket:[{row[9]}]" in inodes
    }


@pytest.mark.skipif(not Path("/proc/self/fdinfo").is_dir(), reason="needs Linux")
def test_each_process_has_a_port_of_its_own_and_whoever_takes_its_place_too(
    app: Flask, database_url: str
) -> None:
    with several(app, database_url) as (server, port):
        ports = {one: listening_at(one) for one in children_of(server.pid)}
        assert sorted(map(sorted, ports.values())) == [[port, port + 1], [port, port + 2]]
        ended = next(iter(ports))
        os.kill(ended, signal.SIGKILL)
        end, new = time.monotonic() + PATIENCE_S, list[set[int]]()
        while new != [ports[ended]] and time.monotonic() < end:
            time.sleep(0.05)
            new = [*map(listening_at, children_of(server.pid) - ports.keys())]
        assert new == [ports[ended]]


@pytest.mark.skipif(not Path("/proc/self/fdinfo").is_dir(), reason="needs Linux")
def test_a_process_that_starts_while_the_database_is_away_waits_for_it(tmp_path: Path) -> None:
    with cluster() as server:
        open_store(tmp_path, server.url, migrating=True).close()
        app = process(tmp_path, server.url)
        with several(app, server.url) as (master, port):
            server.stop()
            before = children_of(master.pid)
            ended = next(one for one in before if port + 1 in listening_at(one))
            os.kill(ended, signal.SIGKILL)
            assert master.stderr is not None
            told = next(line for line in master.stderr if "waits to start" in line)
            assert "cannot be opened" in told
            server.start()
            with urllib.request.urlopen(f"http://127.0.0.1:{port + 1}/readyz", timeout=60) as ready:
                assert ready.status == 200
            assert len(before & children_of(master.pid)) == 1
        app.extensions["tallystone_store"].close()


def test_a_table_whose_phones_reach_several_processes_plays_on(
    client: TokenClient, code: str, app: Flask, database_url: str
) -> None:
    with several(app, database_url) as (_, port):
        urls = [f"http://127.0.0.1:{port + own}" for own in range(3)]
        devices = [Listener(url, code, client) for url in urls]
        for number in range(6):
            version = send(urls[number % 3], code, client, number + 1)
            for device in devices:
                device.wait_for(version, time.monotonic())
        for device in devices:
            assert [one for _, one in device.heard] == [*range(7)]
            device.close()


def test_phones_that_hang_up_leave_their_places_to_others_soon(
    client: TokenClient, code: str, app: Flask, database_url: str
) -> None:
    with several(app, database_url) as (_, port):
        url = f"http://127.0.0.1:{port + 1}"
        devices = [Listener(url, code, client) for _ in range(MOST_OF_ONE_DEVICE)]
        for device in devices:
            device.wait_for(0, time.monotonic())
        assert not is_heard(url, code, client)
        for device in devices:
            device.close()
        end = time.monotonic() + ALIVE_SECONDS / 2
        while not is_heard(url, code, client):
            assert time.monotonic() < end
            time.sleep(0.2)


def test_a_photo_that_comes_slowly_holds_up_no_other(app: Flask, database_url: str) -> None:
    form = "Content-Type: multipart/form-data; boundary=x\r\n"
    head = f"POST /read HTTP/1.1\r\nHost: localhost\r\n{form}Content-Length: "
    with several(app, database_url) as (_, port), ExitStack() as open_ones:
        for announced, sent in ((9000, b"--x\r\n"), (5, b"--x--")):
            one = socket.create_connection(("127.0.0.1", port + 1), timeout=PATIENCE_S)
            open_ones.enter_context(one).sendall(f"{head}{announced}\r\n\r\n".encode() + sent)
            time.sleep(0.5)
        assert one.recv(12) == b"HTTP/1.1 400"


def is_heard(url: str, code: str, client: TokenClient) -> bool:
    """Whether there is a place for one more listener."""
    try:
        Listener(url, code, client).close()
    except urllib.error.HTTPError as error:
        error.close()
        return False
    return True


def test_a_dump_and_the_folder_bring_everything_back(
    client: TokenClient, code: str, app: Flask, postgres: Server, tmp_path: Path, photo: bytes
) -> None:
    setup = {"kind": "stones", "setup": SETUPS["stones"], "seat": 0}
    stones = client.send_json("/api/games", setup).get_json()["code"]
    sent = client.post(
        f"/api/games/{stones}/photos",
        data={"photo": (io.BytesIO(photo), "table.jpg"), "board": "stones"},
        headers={"X-CSRF-Token": client.token()},
    )
    act(client, code, type="extra", seat=0, points=5)
    dump = postgres.data.parent / "games.dump"
    postgres.run("pg_dump", "--format", "custom", "--file", str(dump), postgres.url)
    shutil.copytree(app.config["DATA_DIR"], tmp_path / "copied")
    postgres.run("createdb", "--maintenance-db", postgres.url, "restored")
    url = postgres.url.rpartition("/")[0] + "/restored"
    postgres.run("pg_restore", "--no-owner", "--dbname", url, str(dump))
    restored = process(tmp_path / "copied", url)
    again = restored.test_client()
    cookie = client.get_cookie("tallystone")
    assert cookie
    again.set_cookie("tallystone", cookie.value)
    assert again.get(f"/api/games/{code}").get_json()["state"]["extra"] == {"0": 5}
    picture = f"/g/{stones}/photo/{sent.get_json()['photo']}.jpg"
    with again.get(picture) as one, client.get(picture) as other:
        assert one.data == other.data != b""
    restored.extensions["tallystone_store"].close()
    found = [*check_everything(tmp_path / "copied", url)]
    assert [one.name for one in found if not one.is_good] == []
