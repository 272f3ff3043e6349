"""Tells every device that a game has changed: server-sent events, with the database as truth."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

LOOK_AGAIN_SECONDS = 0.5
"""How often a stream asks the database, too: a change may have been made by another process."""

ALIVE_SECONDS = 10.0
"""How often a quiet stream says that it lives; a device that is gone is noticed then."""

RECONNECT_MS = 700
"""How long a device waits before it comes back after a lost connection."""


MOST_OF_ONE_DEVICE = 8
"""Streams of one device: a browser opens six at once over http."""


class Announcements:
    """The newest version of every game that changed in this process."""

    def __init__(self) -> None:
        self._versions: dict[str, int] = {}
        self._changed = threading.Condition()
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the server is about to stop."""
        return self._closed

    def close(self) -> None:
        """End every stream, so that the server can stop while devices still listen."""
        self._closed = True
        with self._changed:
            self._changed.notify_all()

    def announce(self, code: str, version: int) -> None:
        """Wake everybody who waits for this game."""
        with self._changed:
            self._versions[code] = max(version, self._versions.get(code, 0))
            self._changed.notify_all()

    def wait(self, code: str, known: int, seconds: float) -> bool:
        """Wait until the game is newer than *known*; False if it was not within *seconds*."""
        with self._changed:
            newer = self._changed.wait_for(
                lambda: self._closed or self._versions.get(code, 0) > known, seconds
            )
            return newer and not self._closed


class Streams:
    """The open streams. Each holds a thread; devices beyond the limits ask every second."""

    def __init__(self, most: int, most_of_one: int = MOST_OF_ONE_DEVICE) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    def enter(self, device: str) -> bool:
        """Take a place, if there is one for this device."""
        with self._lock:
            if self._open.total() >= self._most or self._open[device] >= self._most_of_one:
                return False
            self._open[device] += 1
            return True

    def leave(self, device: str) -> None:
        """Give the place back."""
        with self._lock:
            self._open[device] -= 1
            self._open += Counter()  # forgets who has none


def stream(
    announcements: Announcements,
    code: str,
    version_now: Callable[[], int | None],
    known: int | None = None,
    alive_seconds: float = ALIVE_SECONDS,
    is_gone: Callable[[], bool] = lambda: False,
) -> Iterator[str]:
    """A device's events: ``data: {"version": n}`` whenever the game is newer than the last one.

    ``version_now`` asks the database; None means that the device may not see the game any more, and
    ends it. ``is_gone`` says whether the device has hung up.
    """
    yield f"retry: {RECONNECT_MS}\n\n"
    sent = -1 if known is None else known
    spoken = time.monotonic()
    while not announcements.closed and not is_gone():
        version = version_now()
        if version is None:
            yield 'event: gone\ndata: {"version": null}\n\n'
            return
        if version != sent:
            sent = version
            spoken = time.monotonic()
            yield f'id: {version}\ndata: {{"version": {version}}}\n\n'
        elif time.monotonic() - spoken >= alive_seconds:
            spoken = time.monotonic()
            yield ": alive\n\n"
        announcements.wait(code, sent, LOOK_AGAIN_SECONDS)
