"""Who listens to which game in this process, and the newest version of each of these games."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webapp.tables.scene import Scene

Load = Callable[[], "Scene | None"]
"""Loads a game as it is now; None if it was deleted."""


class Audience:
    """Those in this process who listen to one game; they share what is loaded of it."""

    def __init__(self) -> None:
        self.version = -1
        self.bells: dict[threading.Event, Callable[[], bool]] = {}
        self._loading = threading.Lock()
        self.loaded: tuple[int, Scene | None] = -2, None

    def scene(self, load: Load) -> Scene | None:
        """The game, at least as new as the last announcement; None if it was deleted."""
        with self._loading:
            version, scene = self.loaded
            if version < self.version:
                announced = self.version
                scene = load()
                self.loaded = max(announced, scene.version if scene else announced), scene
            return scene


class Announcements:
    """Wakes the devices of this process that listen to a game.

    *start_watching* is called when somebody listens, to hear what other processes change.
    """

    def __init__(self, start_watching: Callable[[Announcements], object] = lambda _: None) -> None:
        self._audiences: dict[str, Audience] = {}
        self._lock = threading.Lock()
        self._start_watching = start_watching
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the server is about to stop."""
        return self._closed

    @property
    def codes(self) -> list[str]:
        """The games that somebody listens to."""
        with self._lock:
            return list(self._audiences)

    def close(self) -> None:
        """End every stream, so that the server can stop while devices still listen."""
        with self._lock:
            self._closed = True
            for audience in self._audiences.values():
                _ring(audience.bells)

    @contextmanager
    def listening(
        self, code: str, is_gone: Callable[[], bool] = lambda: False
    ) -> Iterator[tuple[Audience, threading.Event]]:
        """A place in the audience of a game, and the bell that rings when it has changed.

        It rings, too, when ``look_for_gone`` finds that the device *is_gone*.
        """
        bell = threading.Event()
        with self._lock:
            audience = self._audiences.setdefault(code, Audience())
            audience.bells[bell] = is_gone
            if self._closed:
                bell.set()
        self._start_watching(self)
        try:
            yield audience, bell
        finally:
            with self._lock:
                audience.bells.pop(bell, None)
                if not audience.bells:
                    self._audiences.pop(code, None)

    def look_for_gone(self) -> None:
        """Wake whoever holds a place for a device that has hung up."""
        with self._lock:
            places = [
                one for audience in self._audiences.values() for one in audience.bells.items()
            ]
        _ring(bell for bell, is_gone in places if is_gone())

    def known(self, code: str) -> Scene | None:
        """The game as it was loaded last, if somebody listens to it."""
        with self._lock:
            audience = self._audiences.get(code)
            return None if audience is None else audience.loaded[1]

    def announce(self, code: str, version: int, scene: Scene | None = None) -> None:
        """Wake everybody who listens to this game, if the version is news.

        A *scene* is the game of that version, which then is not loaded. It is taken even if the
        version was heard before: whoever compares versions may see a change before it is announced.
        """
        with self._lock:
            audience = self._audiences.get(code)
            if audience is None:
                return
            if scene is not None and audience.loaded[0] < version:
                audience.loaded = version, scene
            if audience.version < version:
                audience.version = version
                _ring(audience.bells)

    def compare(self, look_up: Callable[[Sequence[str]], Mapping[str, int]]) -> None:
        """Announce what changed unheard; *look_up* gives the versions of games.

        One that is missing was deleted.
        """
        codes = self.codes
        versions = look_up(codes)
        for code in codes:
            with self._lock:
                audience = self._audiences.get(code)
                known = -1 if audience is None else audience.version
            self.announce(code, versions.get(code, known + 1))


def _ring(bells: Iterable[threading.Event]) -> None:
    for bell in bells:
        bell.set()
