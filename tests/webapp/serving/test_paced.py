"""Connections of gunicorn: who keeps a thread waiting is cut."""

import io
import socket
import time
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

paced = pytest.importorskip("webapp.serving.paced")

LIMIT_S = 0.3
"""In place of the ten seconds that devices get."""


def connected(arrivals: Any) -> tuple[Any, socket.socket]:
    """A connection whose request arrives, and its other end."""
    here, there = socket.socketpair()
    one = paced.PacedSocket(here.family, here.type, here.proto, fileno=here.detach())
    one.arrivals = arrivals
    arrivals.begin(one)
    return one, there


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, socket.socket]]:
    monkeypatch.setattr(paced, "LONGEST_IDLE_SECONDS", LIMIT_S)
    one, there = connected(paced.Arrivals())
    with one, there:
        yield one, there


def received(one: Any) -> int:
    """How many bytes come until the end."""
    return sum(map(len, iter(lambda: one.recv(8192), b"")))


def test_a_silent_connection_ends(pair: tuple[Any, socket.socket]) -> None:
    assert received(pair[0]) == 0


def test_who_sends_byte_after_byte_is_cut(pair: tuple[Any, socket.socket]) -> None:
    one, there = pair

    def drip() -> None:
        for _ in range(40):
            there.sendall(b"a")
            time.sleep(LIMIT_S / 10)

    dripping = Thread(target=drip)
    dripping.start()
    assert 0 < received(one) < 20
    dripping.join()


def test_who_sends_fast_enough_is_heard_to_the_end(pair: tuple[Any, socket.socket]) -> None:
    one, there = pair

    def send() -> None:
        for _ in range(10):
            there.sendall(b"a" * 8000)
            time.sleep(LIMIT_S / 5)
        there.close()

    sending = Thread(target=send)
    sending.start()
    assert received(one) == 80_000
    sending.join()


@pytest.mark.parametrize(
    ("limit", "most", "cut"), [("MOST_ARRIVING", 2, 0), ("MOST_HELD_BYTES", 5, 1)]
)
def test_the_longest_silent_and_the_largest_make_room(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int, cut: int
) -> None:
    arrivals = paced.Arrivals()
    pairs = [connected(arrivals) for _ in range(2)]
    pairs[1][1].sendall(b"abcd")
    assert pairs[1][0].recv(9) == b"abcd"
    monkeypatch.setattr(paced, limit, most)
    pairs.append(connected(arrivals))
    pairs[2][1].sendall(b"ef")
    pairs[2][0].recv(9)
    arrivals.limit()
    assert [one.is_cut for one, _ in pairs] == [at == cut for at in range(3)]
    for one, there in pairs:
        one.close()
        there.close()


@pytest.mark.parametrize(
    ("announced", "sent", "told"),
    [
        ("5", b"hello", "200"),
        ("9", b"hello", "408"),
        ("", b"", "200"),
        ("9", b"too large", "413"),
        ("", b"too large", "413"),
    ],
)
def test_the_app_is_called_with_a_whole_body(
    monkeypatch: pytest.MonkeyPatch, announced: str, sent: bytes, told: str
) -> None:
    monkeypatch.setattr(paced, "MOST_BODY_BYTES", 5)
    monkeypatch.setattr(paced, "PART_BYTES", 2)

    def app(environ: Any, start_response: Any) -> list[bytes]:
        if int(environ["CONTENT_LENGTH"] or 0) > 5:
            start_response("413 Too Large", [])
            return []
        start_response("200 OK", [])
        return [environ["wsgi.input"].read()]

    answers: list[str] = []
    one, there = connected(paced.Arrivals())
    with one, there:
        asked = {
            "gunicorn.socket": one,
            "CONTENT_LENGTH": announced,
            "wsgi.input": io.BytesIO(sent),
        }
        body = paced.arrived(app)(asked, lambda status, _: answers.append(status[:3]))
        assert (answers, b"".join(body)) == ([told], sent if told == "200" else b"")
        getattr(body, "close", list)()


@pytest.mark.parametrize(("files", "connections"), [(4096, 1520), (1024, 800)])
def test_a_process_takes_no_more_connections_than_it_may_open(
    monkeypatch: pytest.MonkeyPatch, files: int, connections: int
) -> None:
    processes = pytest.importorskip("webapp.serving.processes")
    monkeypatch.setattr(processes, "allow_open_files", lambda: files)
    served = processes.Processes({}, "127.0.0.1", 8080, 1)
    assert served.cfg.worker_connections == connections
