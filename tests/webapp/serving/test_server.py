"""The web server: who keeps it waiting is cut, and nobody else waits for that."""

import gc
import socket
import ssl
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import pytest
from browser.playing import serving
from fakes import TokenClient
from flask import Flask
from seats import SETUP

from webapp import errors
from webapp.serving import server, tls

LIMIT_S = 0.5
"""In place of the ten seconds that devices get."""

PATIENCE_S = 15.0
HEAD = b"GET /api/cards HTTP/1.1\r\nHost: 127.0.0.1\r\n"
UPLOAD = b"POST /api/read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000000\r\n\r\n"


@contextmanager
def serving_on(app: Flask, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """The application behind the real server on a free port; gives the port."""
    with serving(app, context) as url:
        yield int(url.rpartition(":")[2])


@pytest.fixture
def port(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(server, "LONGEST_IDLE_SECONDS", LIMIT_S)
    with serving_on(app) as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def asked(port: int) -> bytes:
    """The first line of the answer to a quick request."""
    with connect(port) as quick:
        quick.sendall(HEAD + b"Connection: close\r\n\r\n")
        return quick.recv(12)


def is_cut(one: socket.socket, meanwhile: Callable[[], object] = lambda: None) -> bool:
    """Whether the server ends the connection in time."""
    one.settimeout(0.1)
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        meanwhile()
        try:
            if not one.recv(65536):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def test_an_idle_connection_is_cut(port: int) -> None:
    with connect(port) as idle:
        assert is_cut(idle)


@pytest.mark.parametrize(
    "begun",
    [HEAD + b"X: ", b"POST /api/read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\n"],
)
def test_who_sends_byte_after_byte_is_cut(port: int, begun: bytes) -> None:
    with connect(port) as slow:
        slow.sendall(begun)

        def drip() -> None:
            with suppress(OSError):
                slow.sendall(b"a")

        assert is_cut(slow, drip)


def test_who_does_not_take_the_answer_is_cut(
    app: Flask, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.add_url_rule("/large", view_func=lambda: bytes(30_000_000))
    is_closed = Event()
    close = server._Channel.handle_close
    monkeypatch.setattr(server._Channel, "handle_close", lambda one: (close(one), is_closed.set()))
    with connect(port) as lazy:
        lazy.sendall(HEAD.replace(b"/api/cards", b"/large") + b"\r\n")
        assert is_closed.wait(PATIENCE_S)
        taken = 0
        with suppress(OSError):
            while data := lazy.recv(1 << 20):
                taken += len(data)
    assert taken < 30_000_000


def test_a_connection_in_use_is_kept(port: int) -> None:
    with connect(port) as kept:
        end = time.monotonic() + 4 * LIMIT_S
        while time.monotonic() < end:
            kept.sendall(HEAD + b"\r\n")
            answer = b""
            while b"]}" not in answer[-8:]:
                answer += kept.recv(65536)
            time.sleep(LIMIT_S / 5)


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_is_set_changes_no_limit(
    port: int, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    with connect(port) as upload:
        upload.sendall(UPLOAD)
        assert asked(port) == b"HTTP/1.1 200"
        clock = time.time
        monkeypatch.setattr(time, "time", lambda: clock() + 3600 * hours)
        end = time.monotonic() + 3 * server.LOOK_SECONDS
        while time.monotonic() < end:
            upload.sendall(bytes(50_000))
            time.sleep(LIMIT_S / 5)
        upload.settimeout(0.1)
        with pytest.raises(TimeoutError):
            upload.recv(1)
        assert is_cut(upload)


def test_requests_are_not_heaped_up_on_one_connection(port: int) -> None:
    with connect(port) as greedy:
        with suppress(OSError):
            greedy.sendall((HEAD + b"\r\n") * 500)
        assert is_cut(greedy)


def test_the_largest_request_is_cut_where_too_much_is_held(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_HELD_BYTES", 2_000_000)
    with serving_on(app) as port, connect(port) as large, connect(port) as small:
        small.sendall(UPLOAD + bytes(100_000))
        large.sendall(UPLOAD + bytes(3_000_000))
        start = time.monotonic()
        assert is_cut(large)
        assert time.monotonic() - start < server.LONGEST_IDLE_SECONDS / 2
        small.settimeout(0.1)
        with pytest.raises(TimeoutError):
            small.recv(1)


@pytest.mark.parametrize("has_length", [True, False])
def test_a_body_that_is_too_large_for_the_server_is_refused_by_the_app(
    app: Flask, monkeypatch: pytest.MonkeyPatch, has_length: bool
) -> None:
    monkeypatch.setattr(server, "MOST_BODY_BYTES", 2_000_000)
    app.config["MAX_CONTENT_LENGTH"] = 1_000_000
    monkeypatch.setattr(errors, "MAX_BYTES", 1_000_000)
    size = 3_000_000
    length = f"Content-Length: {size}" if has_length else "Transfer-Encoding: chunked"
    head = f"POST /history/import HTTP/1.1\r\nHost: 127.0.0.1\r\n{length}\r\n"
    kind = "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
    with serving_on(app) as port, connect(port) as large:
        large.sendall((head + kind).encode())
        answer = b""
        with suppress(OSError):
            large.sendall((b"" if has_length else b"%x\r\n" % size) + bytes(size))
        with suppress(OSError):
            while data := large.recv(65536):
                answer += data
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"tallystone import FILE" in answer


def test_who_stops_the_server_leaves_no_temporary_file_open(app: Flask) -> None:
    with warnings.catch_warnings(record=True) as left_open:
        warnings.simplefilter("always", ResourceWarning)
        with serving_on(app) as port, connect(port) as arriving:
            arriving.sendall(UPLOAD + bytes(3 * server.IN_MEMORY_BYTES))
            assert asked(port) == b"HTTP/1.1 200"
        gc.collect()
    assert not left_open


def test_a_server_that_is_just_ending_by_itself_can_be_stopped(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        one = server.WebServer(app, [(listening, None)], app.config["MOST_STREAMS"])
        running = Thread(target=one.run)
        running.start()
        pull = one._listeners[0].pull_trigger

        def pull_late() -> None:
            running.join(2 * server.LOOK_SECONDS)
            pull()

        monkeypatch.setattr(one._listeners[0], "pull_trigger", pull_late)
        one.stop()
        running.join(PATIENCE_S)
        assert not running.is_alive()
        one.stop()


def test_a_newcomer_takes_the_place_of_an_idle_connection(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 10)
    with serving_on(app) as port:
        crowd = [connect(port) for _ in range(30)]
        start = time.monotonic()
        assert asked(port) == b"HTTP/1.1 200"
        assert time.monotonic() - start < server.LONGEST_IDLE_SECONDS / 2
        for one in crowd:
            one.close()


def test_silent_connections_do_not_hold_up_https(app: Flask, tmp_path: Path) -> None:
    files = tls.certificates(tmp_path, [])
    with serving_on(app, tls.server_context(files)) as port:
        silent = [connect(port) for _ in range(20)]
        silent[0].sendall(bytes.fromhex("1603010200010001fc0303"))
        silent[1].sendall(HEAD + b"\r\n")
        context = ssl.create_default_context(cafile=str(files.authority))
        start = time.monotonic()
        with context.wrap_socket(connect(port), server_hostname="127.0.0.1") as quick:
            quick.sendall(HEAD + b"Connection: close\r\n\r\n")
            assert quick.recv(12) == b"HTTP/1.1 200"
        assert time.monotonic() - start < server.LONGEST_IDLE_SECONDS / 2
        for one in silent:
            one.close()


def test_a_page_that_is_gone_leaves_its_place_to_another(
    app: Flask, client: TokenClient, port: int
) -> None:
    code = client.send_json("/api/games", {"kind": "custom", "setup": SETUP, "seat": 0}).get_json()[
        "code"
    ]
    cookie = client.get_cookie("tallystone")
    assert cookie
    request = HEAD.replace(b"/api/cards", f"/api/games/{code}/events".encode())
    request += f"Cookie: tallystone={cookie.value}\r\n\r\n".encode()
    streams = app.extensions["tallystone_streams"]
    for number in range(app.config["MOST_STREAMS"]):
        streams.enter(f"device {number}")
    streams.leave("device 0")
    for _ in range(3):
        end = time.monotonic() + PATIENCE_S
        status = b""
        while status != b"HTTP/1.1 200" and time.monotonic() < end:
            with connect(port) as page:
                page.sendall(request)
                status = page.recv(12)
            time.sleep(0.1)
        assert status == b"HTTP/1.1 200"
