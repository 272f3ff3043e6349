"""Wrong codes and PINs: how many an address may try, in one process or in all on one database."""

import ipaddress
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import ColumnElement, delete, func, select

from webapp.store import Store
from webapp.store.models import WrongTry, now_utc


class OwnTries:
    """Tries of this process, in memory."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: deque[tuple[float, str]] = deque()
        self._lock = threading.Lock()

    def counts(self, own: str, seconds: float) -> tuple[int, int]:
        """How many there were within so many seconds: of that address, and in all."""
        with self._lock:
            self._forget(seconds)
            return sum(1 for _, other in self._tries if other == own), len(self._tries)

    def add(self, own: str, seconds: float) -> None:
        """Remember one, and forget those that are older than so many seconds."""
        with self._lock:
            self._forget(seconds)
            self._tries.append((self._clock(), own))

    def _forget(self, seconds: float) -> None:
        while self._tries and self._tries[0][0] <= self._clock() - seconds:
            self._tries.popleft()


class SharedTries:
    """Tries of all processes, in their database; *what* was tried is a code or a PIN."""

    def __init__(self, store: Store, what: str) -> None:
        self._store = store
        self._what = what

    def counts(self, own: str, seconds: float) -> tuple[int, int]:
        """The same for all processes."""
        mine = func.count().filter(WrongTry.address == own)
        wanted = select(mine, func.count()).where(WrongTry.what == self._what, _recent(seconds))
        with self._store.reading() as session:
            of_own, of_all = session.execute(wanted).one()
        return int(of_own), int(of_all)

    def add(self, own: str, seconds: float) -> None:
        """The same for all processes."""
        with self._store.writing() as session:
            session.execute(delete(WrongTry).where(WrongTry.what == self._what, ~_recent(seconds)))
            session.add(WrongTry(what=self._what, address=own, at_utc=now_utc()))


def _recent(seconds: float) -> ColumnElement[bool]:
    """Whether a try is of the last so many seconds.

    A clock that is a little behind another, or behind itself, forgets none; a try dated later than
    so many seconds from now is of a clock that was wrong.
    """
    now, span = now_utc(), timedelta(seconds=seconds)
    return WrongTry.at_utc.between(now - span, now + span)


Tries = OwnTries | SharedTries


def tries_of(store: Store, what: str) -> Tries:
    """Where an application remembers tries of *what*."""
    return SharedTries(store, what) if store.is_server else OwnTries()


class RateLimit:
    """Limits wrong tries within a while, for each address and for all together.

    Where all together tried too often, only addresses that tried nothing wrong pass: a few that
    guess keep nobody else out. Addresses of one IPv6 network (/64) are one, for a device has as
    many of them as it likes.
    """

    def __init__(self, each: int, total: int, seconds: float, *, tries: Tries) -> None:
        self.each = each
        self.total = total
        self.seconds = seconds
        self._tries = tries

    def exceeded(self, address: str) -> bool:
        """Whether this address must wait."""
        mine, of_all = self._tries.counts(network(address), self.seconds)
        return mine >= self.each or (mine > 0 and of_all >= self.total)

    def count(self, address: str) -> None:
        """Remember one wrong try."""
        self._tries.add(network(address), self.seconds)


def network(address: str) -> str:
    """The address as limits know it: that of an IPv4 device, the network of an IPv6 one."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv6Address):
        return str(known.ipv4_mapped or ipaddress.ip_network((int(known), 64), strict=False))
    return str(known)
