"""Connections: idle and slow ones are cut while sixty pages hear of every change."""

import json
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

from attacks.harness import Figure, Guest, Target
from webapp.bundled import demo_names, demo_photo

LISTENERS = 60
AT_A_TABLE = 6
QUIET = 300
SLOW = 50
"""Connections of each kind that send or take one byte after another."""
LONGEST_SECONDS = 10
SLACK_SECONDS = 5
"""How late a connection may be cut: the server looks once in a while, and this machine is busy."""
FREED_SECONDS = 1
"""How soon the places of pages that went are there for others."""
UNREAD = b"GET /samples/%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
PIPELINED = b"GET /static/style.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 2000


def attack(target: Target) -> Iterator[Figure]:
    tables = [target.guest() for _ in range(LISTENERS // AT_A_TABLE)]
    codes = [host.start() for host in tables]
    pages = [Page(target, codes[i // AT_A_TABLE]) for i in range(LISTENERS)]
    with listening(pages):
        edit_all(target, tables, codes, pages, 20)
        yield Figure("pages that do not listen", sum(not page.heard for page in pages), 0)
        yield heard_within(pages, "a page hears of a change (p95)")
        for page in pages:
            page.delays.clear()
        crowd = [*open_quiet(target.port), *open_slow(target.port)]
        for kind in KINDS:
            chosen = [one for one in crowd if one.kind == kind]
            yield Figure(f"{kind} that are not let in", sum(not one.opened for one in chosen), 0)
        with dripping(crowd):
            edit_all(target, tables, codes, pages, LONGEST_SECONDS + SLACK_SECONDS)
            time.sleep(1)
        for kind in KINDS:
            left = sum(one.is_open() for one in crowd if one.kind == kind)
            yield Figure(f"{kind} still open after {LONGEST_SECONDS + SLACK_SECONDS} s", left, 0)
        yield heard_within(pages, "a page hears of a change during that (p95)")
        yield Figure("pages that lost their stream", sum(page.is_lost for page in pages), 0)
        for one in crowd:
            one.close()
    for page in pages:  # browsers that go away without a word leave room for others
        for _ in range(3):
            page.listen()
            page.close()
        page.heard.clear()
    time.sleep(FREED_SECONDS)
    with listening(pages):
        time.sleep(2)
        yield Figure(
            "pages that do not listen after many went", sum(not page.heard for page in pages), 0
        )


class Page:
    """A browser that looks at a table and listens to it."""

    def __init__(self, target: Target, code: str) -> None:
        self.guest = target.guest()
        self.code = code
        self.guest.send_form(f"/g/{code}/join", {"name": "Cy"})
        self.guest.ask("GET", f"/g/{code}")
        for path in ("/static/live.js", "/static/table.js", "/static/style.css"):
            self.guest.ask("GET", path)
        self.socket: socket.socket | None = None
        self.heard: dict[int, float] = {}
        self.delays: list[float] = []
        self.is_lost = False
        self._rest = b""

    def listen(self) -> None:
        """Open the stream of events."""
        self.socket = socket.create_connection(("127.0.0.1", self.guest.target.port), timeout=10)
        request = f"GET /api/games/{self.code}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        self.socket.sendall(f"{request}Cookie: {self.guest.cookie}\r\n\r\n".encode())

    def receive(self) -> None:
        """Take what has come."""
        assert self.socket
        data = b""
        with suppress(OSError):
            data = self.socket.recv(65536)
        self.is_lost |= not data
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                self.heard[json.loads(line[5:])["version"]] = time.monotonic()

    def close(self) -> None:
        if self.socket:
            self.socket.close()


class listening:  # noqa: N801
    """Within it all pages listen, and a thread takes what comes."""

    def __init__(self, pages: list[Page]) -> None:
        self.pages = pages
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._take)

    def __enter__(self) -> None:
        for page in self.pages:
            page.listen()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        for page in self.pages:
            page.close()

    def _take(self) -> None:
        with selectors.DefaultSelector() as selector:
            for page in self.pages:
                assert page.socket
                selector.register(page.socket, selectors.EVENT_READ, page)
            while not self._stop.is_set():
                for key, _ in selector.select(0.1):
                    key.data.receive()
                    if key.data.is_lost:
                        selector.unregister(key.fileobj)


def edit_all(
    target: Target, hosts: list[Guest], codes: list[str], pages: list[Page], seconds: float
) -> None:
    """Edit the tables in turn and note how long each of their pages takes to hear of it."""
    end = time.monotonic() + seconds
    edits: list[tuple[float, str, int]] = []
    points = 0
    while time.monotonic() < end:
        for host, code in zip(hosts, codes, strict=True):
            points += 1
            action = {"type": "extra", "seat": 0, "points": points % 100}
            start = time.monotonic()
            answer = host.send_json(f"/api/games/{code}/actions", {"action": action})
            if answer.status == 200:
                edits.append((start, code, answer.json["version"]))
            time.sleep(0.1)
    time.sleep(1)
    for start, code, version in edits:
        for page in pages:
            if page.code == code:
                page.delays.append(page.heard.get(version, float("inf")) - start)


def heard_within(pages: list[Page], what: str) -> Figure:
    """How soon pages were told."""
    delays = sorted(delay for page in pages for delay in page.delays)
    return Figure(
        what, delays[int(len(delays) * 0.95)] * 1000 if delays else float("inf"), 1000, "ms"
    )


KINDS = ("idle connections", "slow headers", "slow bodies", "unread answers", "pipelines")


class Slow:
    """A connection that keeps the server waiting."""

    def __init__(self, port: int, kind: str, first: bytes = b"", drip: bytes = b"") -> None:
        self.kind = kind
        self.drip = drip
        self.socket = socket.socket()
        if kind in ("unread answers", "pipelines"):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(5)
        try:
            self.socket.connect(("127.0.0.1", port))
            self.opened = True
        except OSError:
            self.opened = False
            return
        self.socket.setblocking(False)
        with suppress(OSError):
            self.socket.send(first)

    def go_on(self) -> None:
        """Send one byte more."""
        with suppress(OSError):
            self.socket.send(self.drip)

    def is_open(self) -> bool:
        """Whether the server still holds its end; what it said before is read for that."""
        try:
            while data := self.socket.recv(1 << 20):
                del data
        except BlockingIOError:
            return self.opened
        except OSError:
            return False
        return False

    def close(self) -> None:
        self.socket.close()


class dripping:  # noqa: N801
    """Within it every slow connection sends a byte a second."""

    def __init__(self, crowd: list[Slow]) -> None:
        self._stop = threading.Event()
        self._crowd = crowd
        self._thread = threading.Thread(target=self._drip)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _drip(self) -> None:
        while not self._stop.wait(1):
            for one in self._crowd:
                if one.drip:
                    one.go_on()


def open_quiet(port: int) -> list[Slow]:
    """Connections that say nothing."""
    return [Slow(port, "idle connections") for _ in range(QUIET)]


def open_slow(port: int) -> list[Slow]:
    """Connections that send a header, a body, or take an answer as slowly as they can."""
    head = b"POST /api/read HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    sample = max(demo_names("stones"), key=lambda name: len(demo_photo(name) or b""))
    body = (
        head
        + b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n--x\r\n"
    )
    return [
        *(Slow(port, "slow headers", head + b"X: ", b"a") for _ in range(SLOW)),
        *(Slow(port, "slow bodies", body, b"a") for _ in range(SLOW)),
        *(Slow(port, "unread answers", UNREAD % sample.encode()) for _ in range(SLOW)),
        *(Slow(port, "pipelines", PIPELINED) for _ in range(SLOW)),
    ]
