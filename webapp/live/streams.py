"""What one device is sent while it listens to a game."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

from sqlalchemy.exc import DBAPIError, TimeoutError

from webapp.live.announcements import Announcements, Load

ALIVE_SECONDS = 10.0
"""How often a quiet stream says that it lives."""

TRY_AGAIN_SECONDS = 1.0
"""How often a stream asks a database that does not answer."""

RECONNECT_MS = 700
"""How long a device waits before it comes back after a lost connection."""


MOST_OF_ONE_DEVICE = 8
"""Streams of one device: a browser opens six at once over http."""


class Streams:
    """The open streams. Each holds a thread; devices beyond the limits ask every second."""

    def __init__(self, most: int, most_of_one: int = MOST_OF_ONE_DEVICE) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def open(self) -> int:
        """How many listen."""
        return self._open.total()

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
    member: int,
    language: str,
    load: Load,
    known: int | None = None,
    alive_seconds: float = ALIVE_SECONDS,
    is_gone: Callable[[], bool] = lambda: False,
) -> Iterator[str]:
    """A device's events: the game as it may see it, whenever that is newer than the last one.

    *known* is the version that the device has. ``event: gone`` tells one that may not see the game
    any more, and ends it. *is_gone* says whether the device has hung up; it is asked when the bell
    rings. While the database does not answer, the stream waits.
    """
    yield f"retry: {RECONNECT_MS}\n\n"
    with announcements.listening(code, is_gone) as (audience, bell):
        sent = -1 if known is None else known
        spoken = time.monotonic()
        while not announcements.closed and not is_gone():
            bell.clear()
            try:
                scene = audience.scene(load)
            except (DBAPIError, TimeoutError):  # no answer, or no connection free
                bell.wait(TRY_AGAIN_SECONDS)
                yield ": waiting\n\n"
                continue
            told = scene and scene.told(member, language)
            if scene is None or told is None:
                yield 'event: gone\ndata: {"version": null}\n\n'
                return
            if scene.version != sent:
                sent, spoken = scene.version, time.monotonic()
                yield f"id: {sent}\ndata: {told}\n\n"
            elif time.monotonic() - spoken >= alive_seconds:
                spoken = time.monotonic()
                yield ": alive\n\n"
            bell.wait(max(0.0, spoken + alive_seconds - time.monotonic()))
