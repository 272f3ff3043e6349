"""The desk of all tables: it lets a device into a game and tells the others what changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import event
from sqlalchemy.orm import Session

from scorer.game import Game as Rules
from scorer.games import GAMES
from webapp.live import Announcements
from webapp.store.engine import Store
from webapp.tables.devices import GONE, device_among
from webapp.tables.errors import TableError, not_a_member, not_the_host, only_watching
from webapp.tables.pruning import Pruning
from webapp.tables.scene import LOCKED, Scene
from webapp.tables.visit import Visit

if TYPE_CHECKING:
    from webapp.guard.quotas import Quotas


@dataclass(frozen=True, slots=True)
class Desk:
    """What every part of ``Tables`` works with."""

    store: Store
    announcements: Announcements
    quotas: Quotas
    pruning: Pruning

    def rules(self, kind: str) -> Rules:
        """The rules of a kind of game. Raises TableError if they are not known."""
        rules = GAMES.get(kind)
        if rules is None:
            raise TableError(400, "kind", "This program does not know that game.")
        return rules

    @contextmanager
    def looking(self, code: str, token: str, *, acting: bool = False) -> Iterator[Visit]:
        """A visit that changes nothing. Raises TableError for a device that is no member."""
        with self.store.reading() as session:
            yield self.enter(session, code, token, acting=acting)

    @contextmanager
    def changing(
        self, code: str, token: str, *, acting: bool = False, hosting: bool = False
    ) -> Iterator[Visit]:
        """A visit that changes the game; at its end every device hears of it."""
        with self.store.writing() as session:
            visit = self.enter(session, code, token, lock=True, acting=acting, hosting=hosting)
            yield visit
            self.tell(session, code, visit.game.version, visit.shown)
        self.pruning.after_change(visit.game)

    def tell(self, session: Session, code: str, version: int, scene: Scene | None = None) -> None:
        """Let every device at a game hear of its new version once *session* is committed.

        The *scene* of that version need not be loaded again in this process.
        """
        self.store.tell(session, code, version)

        def announce(_: Session) -> None:
            self.announcements.announce(code, version, scene)

        event.listen(session, "after_commit", announce, once=True)

    def enter(
        self,
        session: Session,
        code: str,
        token: str,
        *,
        lock: bool = False,
        acting: bool = False,
        hosting: bool = False,
    ) -> Visit:
        """Let a device in: *acting* asks for one that plays, *hosting* for the host."""
        visit = (
            self.locked(session, code, known=acting) if lock else Visit.load(self, session, code)
        )
        member = device_among(visit.members(), token) if visit else None
        if visit is None or member is None or member.role in GONE:
            raise not_a_member()
        if acting and member.role == "viewer":
            raise only_watching()
        if hosting and member.role != "host":
            raise not_the_host()
        visit.member = member
        return visit

    def locked(self, session: Session, code: str, *, known: bool = False) -> Visit | None:
        """The game with that code, which nobody else changes until the transaction ends.

        Its people may be those that are *known*, for somebody who will not change them.
        """
        game = session.scalar(LOCKED, {"code": code})
        if game is None:
            return None
        return Visit(self, session, game, self.announcements.known(code) if known else None)
