"""The web server: http and https in one process, which cuts connections that are idle or too slow.

One thread takes and sends the bytes of all connections, TLS included, so that a connection costs no
thread until its request has arrived as a whole. Large requests and answers wait in temporary files.
"""

from __future__ import annotations

import logging
import select
import signal
import socket
import ssl
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from types import FrameType
from typing import Any

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import RequestEntityTooLarge
from waitress.wasyncore import close_all, loop

from webapp.live import Announcements

LONGEST_IDLE_SECONDS = 10
"""Seconds after which an idle connection is cut; headers of a request may take as long."""

LEAST_BYTES_PER_SECOND = 8_000
"""Least average speed of a request and of an answer, after `LONGEST_IDLE_SECONDS`."""

LOOK_SECONDS = 0.5
"""How often the server looks which connections are stuck."""

MOST_CONNECTIONS = 600 if hasattr(select, "poll") else 400
"""Most open connections: those of 60 browsers and more. Windows cannot wait for more than 512."""

OPEN_FILES = 4096
"""Most open files: a connection, a request and an answer each; systems allow 256 or 1024."""

REQUEST_THREADS = 32
"""Requests that are answered at once, besides the streams of events, which hold a thread each."""

MOST_BODY_BYTES = 32 * 1024 * 1024
"""Bytes of a body that are kept; of a larger one none, as the app refuses that by its length."""

IN_MEMORY_BYTES = 64 * 1024
"""Bytes of one request or answer that are held in memory; more go to a temporary file."""

MOST_HELD_BYTES = 1_000_000_000
"""Most bytes of requests that have not arrived as a whole; the largest is cut beyond."""

MOST_AHEAD = 4
"""Requests that one connection may send before it has the answers; browsers wait for each."""

UNHEARD_MS = 20_000
"""Milliseconds until the system gives up a connection whose other end confirms nothing."""


class WebServer:
    """Serves *app* on sockets that listen already, each with the TLS that it speaks or None.

    *streams* is the number of requests that are answered for as long as a device listens.
    """

    def __init__(
        self, app: Flask, listening: list[tuple[socket.socket, ssl.SSLContext | None]], streams: int
    ) -> None:
        allow_open_files()
        # a request that waits is no news
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self._channels: dict[int, Any] = {}
        self._stopping = False
        self._closing = threading.Lock()
        tasks = ThreadedTaskDispatcher()
        tasks.set_thread_count(REQUEST_THREADS + streams)
        self._tasks = tasks
        self._listeners = [
            _Listener(app, one, tls, self._channels, tasks) for one, tls in listening
        ]

    def run(self) -> None:
        """Serve until ``stop`` or Ctrl-C."""
        try:
            while not self._stopping:
                loop(
                    timeout=LOOK_SECONDS,
                    map=self._channels,
                    use_poll=hasattr(select, "poll"),
                    count=1,
                )
        except KeyboardInterrupt:
            pass
        finally:
            self._tasks.shutdown()
            for connection in _connections(self._channels):
                connection.handle_close()  # with the temporary files of what is under way
            with self._closing:
                close_all(self._channels)

    def stop(self) -> None:
        """End ``run``, from another thread."""
        self._stopping = True
        with self._closing:  # `run` may be ending: it must not close the pipe that this writes to
            if self._channels:
                self._listeners[0].pull_trigger()


def close_first(announcements: Announcements, number: int, handler: Any) -> None:
    """Have a signal end the streams of the phones, for which the server waits, before *handler*."""

    def stop(number: int, frame: FrameType | None) -> None:
        # In a thread: the lock may be held by what the signal has interrupted.
        threading.Thread(target=announcements.close, daemon=True).start()
        handler(number, frame)

    signal.signal(number, stop)


def allow_open_files() -> int:
    """Raise the number of open files, where the system has one and lets us; gives what it is."""
    if sys.platform == "win32":
        return OPEN_FILES
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if most == resource.RLIM_INFINITY else min(OPEN_FILES, most)
    if now == resource.RLIM_INFINITY or now >= wanted:
        return OPEN_FILES if now == resource.RLIM_INFINITY else now
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
        now = wanted
    return now


class _Request(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """One request. It goes to the app even if its body is too large, for the app to refuse.

    Such a body is taken to its end and dropped: a browser shows no answer before it has sent all.
    One without a length is cut where it gets too large.
    """

    error: Any
    _dropped = 0  # how much is still to come of a body that is not kept

    def received(self, data: bytes) -> int:
        if self._dropped:
            taken = min(self._dropped, len(data))
            self._dropped -= taken
            self.completed = not self._dropped
            return taken
        taken = int(super().received(data))
        if isinstance(self.error, RequestEntityTooLarge):
            self.error = None
            self.headers["CONNECTION"] = "close"
            self.headers.setdefault("CONTENT_LENGTH", str(self.body_bytes_received))
            self._dropped = self.content_length
            self.completed = not self._dropped
        return taken


class _Channel(HTTPChannel):  # type: ignore[misc]
    """One connection, which remembers how fast what is under way moves."""

    parser_class = _Request
    request: Any  # which arrives, None between two

    def __init__(self, server: _Listener, sock: socket.socket, *args: Any, **more: Any) -> None:
        self._is_sending = False
        self._begin()
        super().__init__(server, sock, *args, **more)

    def _begin(self) -> None:
        self._since = self.last_moved = time.monotonic()
        self._moved = 0

    def _count(self, moved: int) -> None:
        if moved:
            self._moved += moved
            self.last_moved = time.monotonic()

    def received(self, data: bytes) -> bool:
        self._count(len(data))
        is_taken = bool(super().received(data))
        with self.requests_lock:
            if len(self.requests) > MOST_AHEAD:
                for request in self.requests[1:]:
                    request.close()
                del self.requests[1:]
                self.will_close = True
        return is_taken

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent = int(super().send(data, do_close))
        self._count(sent)
        return sent

    def service(self) -> None:
        super().service()
        self._begin()

    def handle_close(self) -> None:
        super().handle_close()
        if self.request:
            self.request.close()  # the temporary file of its body
            self.request = None

    @property
    def held_bytes(self) -> int:
        """How much of a request that is still arriving has come."""
        request = self.request
        return int(request.body_bytes_received) if request else 0

    def is_stuck(self) -> bool:
        """Whether the device keeps the server waiting, with a request or with taking an answer."""
        if self._is_sending != bool(self.total_outbufs_len):
            self._is_sending = not self._is_sending
            self._begin()
        if self.requests and not self._is_sending:  # the device waits for the server
            return False
        now = time.monotonic()
        late = now - self._since - LONGEST_IDLE_SECONDS
        return late > 0 and (
            self.last_moved < now - LONGEST_IDLE_SECONDS
            or self._moved < late * LEAST_BYTES_PER_SECOND
        )


def _connections(watched: dict[int, Any]) -> list[_Channel]:
    """The connections among the sockets that are watched."""
    return [one for one in watched.values() if isinstance(one, _Channel)]


class _TlsChannel(_Channel):
    """A connection of TLS; reading shakes hands first, without waiting for the other side."""

    def __init__(self, server: _Listener, sock: socket.socket, *args: Any, **more: Any) -> None:
        assert server.tls
        # OpenSSL must not read and write one connection at once
        self._one_at_a_time = threading.Lock()
        wrapped = server.tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        super().__init__(server, wrapped, *args, **more)

    def handle_read(self) -> None:
        try:
            with self._one_at_a_time:
                data = self.socket.recv(self.adj.recv_bytes)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError:  # no TLS, or a device that does not trust this computer
            data = b""
        if data:
            self.received(data)
        else:
            self.handle_close()

    def send(self, data: bytes, do_close: bool = True) -> int:
        try:
            with self._one_at_a_time:
                return super().send(data, do_close)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0


class _Listener(TcpWSGIServer):  # type: ignore[misc]
    """Takes the connections of one port."""

    def __init__(
        self,
        app: Flask,
        listening: socket.socket,
        tls: ssl.SSLContext | None,
        channels: dict[int, Any],
        tasks: ThreadedTaskDispatcher,
    ) -> None:
        self.tls = tls
        self.channel_class = _TlsChannel if tls else _Channel
        settings = Adjustments(
            ident=None,
            url_scheme="https" if tls else "http",
            max_request_body_size=MOST_BODY_BYTES,
            max_request_header_size=32 * 1024,
            inbuf_overflow=IN_MEMORY_BYTES,
            outbuf_overflow=IN_MEMORY_BYTES,
            # at least a whole record of TLS, so that nothing is left in OpenSSL
            recv_bytes=128 * 1024,
            channel_request_lookahead=1,  # notices that a device has gone while it is answered
            connection_limit=2 * MOST_CONNECTIONS,  # is kept by handle_accept
            log_socket_errors=False,
            clear_untrusted_proxy_headers=not app.config["BEHIND_PROXY"],
        )
        self._next_look = 0.0
        info = (listening.family, listening.type, listening.proto, listening.getsockname())
        super().__init__(
            app, channels, True, listening, tasks, adj=settings, sockinfo=info, bind_socket=False
        )

    def handle_accept(self) -> None:
        """Take a connection. If there are too many, the longest idle one of who has most is cut."""
        open_now = _connections(self._map)
        if len(open_now) >= MOST_CONNECTIONS:
            idle = [one for one in open_now if not one.requests]
            if idle:
                of = Counter(one.addr[0] for one in idle)
                max(idle, key=lambda one: (of[one.addr[0]], -one.last_moved)).handle_close()
        with suppress(OSError):  # the device has hung up again
            super().handle_accept()

    def set_socket_options(self, conn: socket.socket) -> None:
        super().set_socket_options(conn)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNHEARD_MS)

    def readable(self) -> bool:
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + LOOK_SECONDS
            self._cut_stuck()
        return bool(super().readable())

    def maintenance(self, now: float) -> None:
        """Nothing: waitress would go by the time of day, which may be set at any moment."""

    def _cut_stuck(self) -> None:
        """Cut the connections that are stuck, and the largest requests where too much is held."""
        for channel in self.active_channels.values():
            if channel.is_stuck():
                self._cut(channel)
        arriving = [one for one in _connections(self._map) if not one.will_close]
        arriving.sort(key=lambda one: one.held_bytes)
        held = sum(one.held_bytes for one in arriving)
        while held > MOST_HELD_BYTES:
            largest = arriving.pop()
            held -= largest.held_bytes
            self._cut(largest)

    def _cut(self, channel: _Channel) -> None:
        """Close a connection, even if its device takes nothing. The loop still goes over the
        sockets, so it does that itself, at its next turn."""
        channel.will_close = True
        self.trigger.pull_trigger(channel.handle_close)
