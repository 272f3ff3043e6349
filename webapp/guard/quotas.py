"""How much may be kept: games and bytes in all, of one device, and from one address within an hour.

How often a game is joined from one address has a limit, too.

Nothing is deleted to make room. What cannot be kept is refused with a sentence before it is
written; small changes of games that go on are not counted, so that a game can always be played to
its end.
"""

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from webapp.store.models import Game, Member, Used, now_utc
from webapp.tables.devices import token_hash
from webapp.tables.errors import TableError

MB = 10**6
GB = 10**9

HOUR = timedelta(hours=1)

IMPORTED_BYTES = 40_000
"""Bytes that an imported game counts besides its own, so that their number is bounded."""

MOST_ADDRESSES = 10_000
"""Addresses that are remembered; the ones that sent least are forgotten first."""

COUNT_EVERY_SECONDS = 10.0
"""How often all games are counted anew; in between, what was added is added."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is kept.

    Attributes
    ----------
    total_bytes, total_games : int
        Of all games with their logs and photos.
    device_bytes, device_games : int
        Of the games that one device hosts: years of playing every evening.
    address_bytes, address_games : int
        Added from one address within an hour: a club with thirty tables behind one router adds
        less.
    address_joins : int
        Times that devices of one address join one game, within an hour: all who play and watch at
        a table have fewer, also where they share an address.
    free_bytes : int
        What stays free on the disk, for the changes of games that go on.
    """

    total_bytes: int = 20 * GB
    total_games: int = 100_000
    device_bytes: int = 2 * GB
    device_games: int = 3_000
    address_bytes: int = 150 * MB
    address_games: int = 120
    address_joins: int = 40
    free_bytes: int = GB


class Allowance:
    """An amount within an hour for each address; what was used comes back evenly."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        self._used: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, session: Session, address: str, amount: int) -> bool:
        """Use some of it; False, and nothing used, if that is more than is left."""
        with self._lock:
            now = self._clock()
            used, at = self._used.get(address, (0.0, now))
            used = max(0.0, used - (now - at) * self.most / 3600)
            if used + amount > self.most:
                return False
            if len(self._used) >= MOST_ADDRESSES and address not in self._used:
                self._used.pop(min(self._used, key=lambda one: self._used[one][0]))
            self._used[address] = (used + amount, now)
            return True


class SharedAllowance:
    """The same for all processes on one database, which counts *what* was used with the change."""

    def __init__(self, most: int, what: str) -> None:
        self.most = most
        self._what = what

    def take(self, session: Session, address: str, amount: int) -> bool:
        """Use some of it; False, and nothing used, if that is more than is left."""
        if not amount:
            return True
        key = {"what": self._what, "address": address}
        new = insert(Used).values(**key, used=0.0, at_utc=now_utc())
        # an old row is locked at once: another process may be about to remove it
        session.execute(new.on_conflict_do_update(index_elements=[*key], set_={"used": Used.used}))
        row = session.get_one(Used, (self._what, address), with_for_update=True)
        now = now_utc()
        if row.at_utc > now + HOUR:  # by a clock that was wrong, not one that is a little ahead
            row.used, row.at_utc = 0.0, now
        back = max(0.0, (now - row.at_utc) / HOUR) * self.most
        used = max(0.0, row.used - back) + amount
        if used > self.most:
            return False
        row.used, row.at_utc = used, max(row.at_utc, now)
        return True


class Quotas:
    """Holds additions to the *limits*; *whose* gives the address, empty for the owner.

    Processes on PostgreSQL count together if *is_shared*.
    """

    def __init__(
        self,
        folder: Path,
        limits: Limits | None = None,
        whose: Callable[[], str] = str,
        *,
        is_shared: bool = False,
    ) -> None:
        self.folder = folder
        self.limits = limits or Limits()
        self._whose = whose
        self._bytes, self._games, self._joins = (
            SharedAllowance(most, what) if is_shared else Allowance(most)
            for most, what in (
                (self.limits.address_bytes, "bytes"),
                (self.limits.address_games, "games"),
                (self.limits.address_joins, "joins"),
            )
        )
        self._lock = threading.Lock()
        self._counted = -COUNT_EVERY_SECONDS
        self._total = (0, 0)

    def admit(
        self,
        session: Session,
        token: str | None,
        size: int,
        games: int = 0,
        *,
        is_import: bool = False,
    ) -> None:
        """Count *size* bytes and *games* to be added; raises TableError if they are too much.

        A file that *is_import* may hold the games of years: its address is asked for bytes only.
        """
        if shutil.disk_usage(self.folder).free < self.limits.free_bytes + size:
            raise TableError(
                409,
                "disk_full",
                "The disk of the table computer is nearly full: please make room on it.",
            )
        if not self._has_room(session, size, games):
            raise TableError(
                409,
                "no_room",
                "The table computer keeps as many games and photos as it may: delete some that "
                "are not needed.",
            )
        if token is not None:
            own_games, own_bytes = _sum(session, token)
            if (
                own_games + games > self.limits.device_games
                or own_bytes + size > self.limits.device_bytes
            ):
                raise TableError(
                    409,
                    "device_full",
                    "This device has as many games and photos as it may: delete some that are "
                    "not needed.",
                )
        address = self._whose()
        started, sent = (0, size + games * IMPORTED_BYTES) if is_import else (games, size)
        if address and not (
            self._games.take(session, address, started) and self._bytes.take(session, address, sent)
        ):
            raise TableError(
                429,
                "too_much",
                "Very much was sent from this address within an hour: please try again later.",
            )
        with self._lock:
            self._total = (self._total[0] + games, self._total[1] + size)

    def admit_joining(self, session: Session, code: str) -> None:
        """Count a device that joins a game; raises TableError after too many of its address."""
        address = self._whose()
        if address and not self._joins.take(session, f"{address} {code}", 1):
            raise TableError(
                429,
                "many_joined",
                "Very many devices have joined this game from your address: please try again in "
                "a few minutes.",
            )

    def _has_room(self, session: Session, size: int, games: int) -> bool:
        """Whether so much more may be kept, by the last count or else by a new one."""
        with self._lock:
            fits = self._fits(size, games)
            if not fits or time.monotonic() - self._counted >= COUNT_EVERY_SECONDS:
                self._counted, self._total = time.monotonic(), _sum(session)
                fits = self._fits(size, games)
            return fits

    def _fits(self, size: int, games: int) -> bool:
        total_games, total_bytes = self._total
        return (
            total_games + games <= self.limits.total_games
            and total_bytes + size <= self.limits.total_bytes
        )


def _sum(session: Session, token: str | None = None) -> tuple[int, int]:
    """Number and bytes of all games, or of those that a device hosts."""
    wanted = select(func.count(), func.coalesce(func.sum(Game.log_bytes + Game.photo_bytes), 0))
    if token is not None:
        wanted = wanted.join_from(Game, Member, Member.game_id == Game.id).where(
            Member.token_hash == token_hash(token), Member.role == "host"
        )
    games, size = session.execute(wanted).one()
    return int(games), int(size)
