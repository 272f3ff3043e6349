"""Pruning: photos go when they are too old, or belong to no game; addresses of devices, too."""

import math
import threading
import time
from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import delete, select, update

from webapp.store import Store, clock
from webapp.store.models import Game, Photo, Used, WrongTry, now_utc
from webapp.store.photos import PhotoFolder

PRUNE_EVERY_SECONDS = 3600.0

ADDRESSES_FOR = timedelta(hours=1)
"""How long what an address sent or tried counts at most (``webapp.guard``)."""


class Pruning:
    """Removes old photos.

    ``photo_days`` is how long photos are kept: None for ever, 0 until the game is finished.
    """

    def __init__(self, store: Store, folder: PhotoFolder, photo_days: int | None) -> None:
        self.photo_days = photo_days
        self._store = store
        self._folder = folder
        self._pruned = -math.inf
        self._pruning = threading.Lock()

    def prune(self, now: Callable[[], float] = time.monotonic) -> None:
        """Note the day, and remove photos that are older than they may get or belong to no game.

        What addresses sent or tried is forgotten once it no longer counts.

        At most once an hour.
        """
        with self._pruning:
            if now() - self._pruned < PRUNE_EVERY_SECONDS:
                return
            self._pruned = now()
        with self._store.writing() as session:
            clock.see(session, now_utc())
        self._forget_addresses()
        self._sweep()
        self.remove_old()

    def after_change(self, game: Game) -> None:
        """Remove the photos of a game that was just finished, if they are kept only until then."""
        if self.photo_days == 0 and game.finished_utc is not None:
            self.remove_old()

    def remove_old(self) -> int:
        """Remove photos that are older than they may get; their readings stay. Gives how many.

        Their age is counted to the last day that has surely passed (``webapp.store.clock``).
        """
        if self.photo_days is None:
            return 0
        old = select(Photo).where(Photo.file.is_not(None))
        if self.photo_days == 0:
            old = old.join(Game, Game.id == Photo.game_id).where(Game.finished_utc.is_not(None))
        else:
            with self._store.reading() as session:
                passed = clock.passed(clock.seen(session))
            if passed is None:
                return 0
            old = old.where(
                Photo.taken_utc < clock.midnight(passed) - timedelta(days=self.photo_days)
            )
        with self._store.writing() as session:
            photos = session.scalars(old).all()
            names = [photo.file for photo in photos if photo.file]
            for photo in photos:
                photo.file = None
                changed = {
                    Game.photo_bytes: Game.photo_bytes - photo.size,
                    Game.people_version: Game.version + 1,
                }
                session.execute(update(Game).where(Game.id == photo.game_id).values(changed))
        for name in names:
            self._folder.remove(name)
        return len(names)

    def _forget_addresses(self) -> None:
        """Remove the addresses that no limit asks for any more."""
        now = now_utc()
        with self._store.writing() as session:
            for kept in (Used, WrongTry):
                counts = kept.at_utc.between(now - ADDRESSES_FOR, now + ADDRESSES_FOR)
                session.execute(delete(kept).where(~counts))

    def _sweep(self) -> None:
        """Remove photos without a row: a crash came between writing the file and the row."""
        lost = self._folder.left_over()
        with self._store.reading() as session:
            kept = set(session.scalars(select(Photo.file).where(Photo.file.is_not(None))))
        for path in lost:
            if path.name not in kept:
                path.unlink(missing_ok=True)
