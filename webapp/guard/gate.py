"""The gate that every picture passes: one at a time in the whole process, each address in its turn.

Pictures come as multipart forms, so whoever sends one waits before it is read: parsing, decoding
and reading happen within the gate, and only one upload at a time is in memory.

What else takes long has gates of its own: looking back on a game, exporting and importing games
make nobody's photo wait, nor each other.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Literal

from flask import Flask, current_app, g, has_request_context, request

from webapp.serving import memory
from webapp.serving.incoming import gone_check
from webapp.tables.errors import TableError

MOST_WAITING = 16
"""Most waiting pictures: two each of eight phones, half of the server's threads."""

MOST_OF_ONE = 8
"""Pictures of one address that may wait; several devices may share one."""

LONGEST_WAIT_SECONDS = 20.0
"""Seconds until somebody is told to try again; reading takes one or two."""

LONGEST_IMPORT_SECONDS = 90.0
"""The same for a file of games, where another is being checked for a minute."""

MOST_ASIDE = 8
"""Pictures that are read elsewhere at once; with those that wait, three quarters of the threads."""

Long = Literal["reviews", "exports", "imports"]
"""What takes long besides pictures."""

MOST_FORM_BYTES = 1_000_000
"""Size of a request that is no multipart form; the largest JSON that is taken has less."""


def _many_photos() -> TableError:
    return TableError(
        429, "busy", "The table computer is reading many photos: please try again in a moment."
    )


def _much_to_do() -> TableError:
    return TableError(
        429, "busy", "The table computer has much to do just now: please try again in a minute."
    )


class Gate:
    """Lets one in at a time, first the address that was let in longest ago.

    Whoever would wait too long, or among too many, gets what *refusal* gives.
    """

    def __init__(
        self,
        most_waiting: int = MOST_WAITING,
        most_of_one: int = MOST_OF_ONE,
        longest_wait: float = LONGEST_WAIT_SECONDS,
        refusal: Callable[[], TableError] = _many_photos,
    ) -> None:
        self._most_waiting = most_waiting
        self._most_of_one = most_of_one
        self._longest_wait = longest_wait
        self._refusal = refusal
        self._changed = threading.Condition()
        self._waiting: list[tuple[object, str]] = []
        self._is_taken = False
        self._aside = self._returning = 0
        self._last_turn: dict[str, float] = {}

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return len(self._waiting)

    def enter(self, address: str) -> None:
        """Wait for a turn, which ends with ``leave``. Raises TableError if that takes too long."""
        me = (object(), address)
        with self._changed:
            of_mine = sum(other == address for _, other in self._waiting)
            if len(self._waiting) >= self._most_waiting or of_mine >= self._most_of_one:
                raise self._refusal()
            self._waiting.append(me)
            try:
                if not self._changed.wait_for(lambda: self._is_turn_of(me), self._longest_wait):
                    raise self._refusal()
            finally:
                self._waiting.remove(me)
            self._is_taken = True
            waiting = {other for _, other in self._waiting}
            self._last_turn = {a: at for a, at in self._last_turn.items() if a in waiting}
            self._last_turn[address] = time.monotonic()

    def leave(self) -> None:
        """End the turn."""
        memory.give_back()
        with self._changed:
            self._is_taken = False
            self._changed.notify_all()

    @contextmanager
    def turn(self, address: str) -> Iterator[None]:
        """A turn for as long as the block lasts."""
        self.enter(address)
        try:
            yield
        finally:
            self.leave()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let others in while the picture is read elsewhere; it comes back before anybody else."""
        with self._changed:
            is_aside = self._aside < MOST_ASIDE
            self._aside += is_aside
        if not is_aside:
            yield
            return
        self.leave()
        try:
            yield
        finally:
            with self._changed:
                self._returning += 1
                self._changed.wait_for(lambda: not self._is_taken)
                self._returning -= 1
                self._aside -= 1
                self._is_taken = True

    def _is_turn_of(self, me: tuple[object, str]) -> bool:
        if self._is_taken or self._returning:
            return False
        return min(self._waiting, key=lambda one: self._last_turn.get(one[1], 0.0)) is me


def register(app: Flask) -> None:
    """Make every multipart form of *app* pass the gate, from parsing until the answer."""
    app.extensions["tallystone_gate"] = Gate()
    long: dict[Long, Gate] = {
        "reviews": Gate(most_waiting=6, most_of_one=5, refusal=_much_to_do),
        "exports": Gate(most_waiting=2, most_of_one=1, refusal=_much_to_do),
        "imports": Gate(2, 1, LONGEST_IMPORT_SECONDS, _much_to_do),
    }
    app.extensions["tallystone_long"] = long

    @app.before_request
    def enter() -> None:
        if request.mimetype == "multipart/form-data":
            pass_gate()
        elif (request.content_length or 0) > MOST_FORM_BYTES:
            raise TableError(413, "too_large", "That change is too large.")

    @app.teardown_request
    def leave(error: BaseException | None) -> None:
        leave_gate()


def pass_gate() -> None:
    """Wait until the request may use a picture; its turn ends when it is answered."""
    if "gate" not in g:
        gate: Gate = current_app.extensions["tallystone_gate"]
        gate.enter(request.remote_addr or "")
        g.gate = gate
        if gone_check(request.environ)():
            raise _many_photos()  # which nobody hears


def leave_gate() -> None:
    """End the turn of the request early: the rest needs no picture, or asks for a turn anew."""
    gate: Gate | None = g.pop("gate", None)
    if gate:
        gate.leave()


def picture_turn() -> AbstractContextManager[None]:
    """A turn for one picture of a request that has none."""
    gate: Gate = current_app.extensions["tallystone_gate"]
    return gate.turn(request.remote_addr or "")


def long_turn(what: Long) -> AbstractContextManager[None]:
    """A turn of the request for something that takes long."""
    gates: dict[Long, Gate] = current_app.extensions["tallystone_long"]
    return gates[what].turn(request.remote_addr or "")


def aside() -> AbstractContextManager[None]:
    """The turn of the request, if it has one, is for others while its picture is read elsewhere."""
    gate: Gate | None = g.get("gate") if has_request_context() else None
    return gate.aside() if gate else nullcontext()
