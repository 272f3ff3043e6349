"""Hears what other processes change: PostgreSQL says so, other databases are asked now and then."""

import logging
import threading
import time
from contextlib import closing

from sqlalchemy.exc import DBAPIError, TimeoutError

from webapp.live.announcements import Announcements
from webapp.store.engine import CHANNEL, CONNECTING, Store, reason_of

_LOG = logging.getLogger(__name__)

LOOK_AGAIN_SECONDS = 0.5
"""How often a database that says nothing by itself is asked, for all games at once."""

RECONNECT_SECONDS = 0.5
"""Time before another try, where the connection to the database was lost."""

LISTEN_SECONDS = 1.0
"""How often the wait for news is interrupted to look which phones still listen."""


class Watch:
    """One thread that runs while somebody listens. It announces what others changed, and wakes the
    streams of phones that hung up."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def start(self, announcements: Announcements) -> None:
        """See that the thread runs."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._run, args=(announcements,), daemon=True, name="watch"
                )
                self._thread.start()

    def _run(self, announcements: Announcements) -> None:
        hear = self._listen if self._store.tells_changes else self._ask
        told = ""
        while self._is_needed(announcements):
            try:
                hear(announcements)
                told = ""
            except (DBAPIError, TimeoutError, OSError) as error:
                reason = reason_of(error)
                if reason != told:
                    told = reason
                    _LOG.warning("the database does not answer: %s", reason)
                time.sleep(RECONNECT_SECONDS)

    def _is_needed(self, announcements: Announcements) -> bool:
        with self._lock:
            if self._goes_on(announcements):
                return True
            self._thread = None
            return False

    def _goes_on(self, announcements: Announcements) -> bool:
        """Whether somebody listens. A closed store would open connections that nobody closes."""
        return bool(announcements.codes) and not (announcements.closed or self._store.closed)

    def _ask(self, announcements: Announcements) -> None:
        announcements.look_for_gone()
        announcements.compare(self._store.versions)
        time.sleep(LOOK_AGAIN_SECONDS)

    def _listen(self, announcements: Announcements) -> None:
        """Pass on what PostgreSQL says until nobody listens or the connection is lost.

        What was changed before the connection was there is looked up.
        """
        import psycopg

        arguments, options = self._store.engine.dialect.create_connect_args(self._store.engine.url)
        options.update(CONNECTING, autocommit=True)
        try:
            with closing(psycopg.connect(*arguments, **options)) as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                if self._goes_on(announcements):
                    announcements.compare(self._store.versions)
                while self._goes_on(announcements):
                    announcements.look_for_gone()
                    for note in connection.notifies(timeout=LISTEN_SECONDS):
                        code, version, teller = note.payload.split()
                        if teller != self._store.name:  # who changes a game announces it here
                            announcements.announce(code, int(version))
        except psycopg.Error as error:
            raise OSError(" ".join(str(error).split())) from error
