"""Connections of gunicorn, each on a thread: requests that arrive too slowly are cut.

A body arrives as a whole before the app is called, so that nobody has a turn while it comes.
"""

import select
import socket
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from gunicorn.workers.gthread import ThreadWorker
from werkzeug.wsgi import ClosingIterator

from webapp.serving.server import (
    IN_MEMORY_BYTES,
    LEAST_BYTES_PER_SECOND,
    LONGEST_IDLE_SECONDS,
    MOST_BODY_BYTES,
    MOST_HELD_BYTES,
)

MOST_ARRIVING = 128
"""Requests that may arrive at once, each on a thread. Of more, the longest silent one is cut."""

PART_BYTES = 8 * 1024
"""Bytes of a body that are taken at once, as gunicorn takes them from its connection."""


class Arrivals:
    """The connections of one process whose requests are arriving."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: set[PacedSocket] = set()

    def begin(self, one: "PacedSocket") -> None:
        """Note that a request arrives."""
        one.begin()
        with self._lock:
            self._of.add(one)
        self.limit()

    def end(self, one: "PacedSocket") -> None:
        """Note that a request has arrived, or comes no more."""
        with self._lock:
            self._of.discard(one)

    def limit(self) -> None:
        """Cut the longest silent one of too many, and the largest one where too much is held."""
        with self._lock:
            if len(self._of) > MOST_ARRIVING:
                self._cut(min(self._of, key=lambda one: one.last_moved))
            if sum(one.moved for one in self._of) > MOST_HELD_BYTES:
                self._cut(max(self._of, key=lambda one: one.moved))

    def _cut(self, one: "PacedSocket") -> None:
        self._of.remove(one)
        one.cut()


class PacedSocket(socket.socket):
    """A connection that is at its end where its device keeps the server waiting."""

    arrivals: Arrivals

    def begin(self) -> None:
        """Measure the pace anew, for the next request."""
        self._since = self.last_moved = time.monotonic()
        self.moved = 0
        self.is_cut = False

    def cut(self) -> None:
        """End what arrives, from another thread."""
        self.is_cut = True
        with suppress(OSError):  # the device has hung up
            self.shutdown(socket.SHUT_RD)

    def recv(self, size: int, flags: int = 0) -> bytes:
        """What has arrived; nothing if the device is too slow. Looking ahead (flags) waits not."""
        if flags:
            return super().recv(size, flags)
        due = self._since + self.moved / LEAST_BYTES_PER_SECOND
        left = min(due, self.last_moved) + LONGEST_IDLE_SECONDS - time.monotonic()
        if left <= 0 or not _has_news(self, left) or self.is_cut:
            return b""
        data = super().recv(size)
        self.moved += len(data)
        self.last_moved = time.monotonic()
        return data


def _has_news(connection: socket.socket, seconds: float) -> bool:
    """Whether a connection has bytes, or has ended, within *seconds*.

    A timeout of the socket would hold for those who look ahead meanwhile, too.
    """
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


class PacedWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """A process with threads that waits for no device."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._arrivals = Arrivals()

    def enqueue_req(self, conn: Any) -> None:
        """Have a thread answer the next request of a connection."""
        if not isinstance(conn.sock, PacedSocket):
            plain = conn.sock
            family, kind, number = plain.family, plain.type, plain.proto
            conn.sock = PacedSocket(family, kind, number, fileno=plain.detach())
            conn.sock.arrivals = self._arrivals
        self._arrivals.begin(conn.sock)
        super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Answer a request, on a thread of its own."""
        try:
            return super().handle(conn)
        finally:
            self._arrivals.end(conn.sock)


def arrived(app: WSGIApplication) -> WSGIApplication:
    """*app*, called once the body of a request is here; one that ends too early is cut.

    One that is too large is taken to its end and dropped, for the app to refuse by its length: a
    browser shows no answer before it has sent all.
    """

    def called(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        connection: PacedSocket = environ["gunicorn.socket"]
        announced = int(environ.get("CONTENT_LENGTH") or 0)
        body = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 - closed once answered
        came = 0
        while part := environ["wsgi.input"].read(PART_BYTES):
            came += len(part)
            if max(announced, came) <= MOST_BODY_BYTES:
                body.write(part)
            connection.arrivals.limit()
        connection.arrivals.end(connection)
        if came < announced:
            body.close()
            start_response("408 Request Timeout", [("Connection", "close")])
            return []
        if not came:
            body.close()
            return app(environ, start_response)  # gunicorn knows an answer that is a file
        body.seek(0)
        environ |= {"wsgi.input": body, "CONTENT_LENGTH": str(came)}
        return ClosingIterator(app(environ, start_response), body.close)

    return called
