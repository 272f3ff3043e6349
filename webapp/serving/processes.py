"""Several processes behind a proxy: gunicorn, with threads.

All answer on one port, and each on one of its own: a proxy that sends all requests of a game there
has the phones of a table on one process.
"""

import logging
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from gunicorn.app.base import BaseApplication

from webapp.serving.paced import MOST_ARRIVING, PacedWorker, arrived
from webapp.serving.server import REQUEST_THREADS, allow_open_files, close_first
from webapp.store import StoreAway
from webapp.store.engine import LOST, reason_of

STREAMS = 600
"""Most phones that listen to one process, each on a thread."""

THREADS = REQUEST_THREADS + STREAMS + MOST_ARRIVING
"""Most threads of one process; they start when they are needed."""

SPARE_FILES = 224
"""Open files besides connections: bodies and answers under way, the database and libraries."""

GRACEFUL_SECONDS = 20
"""Time that requests under way have where the server stops."""

STUCK_SECONDS = 60
"""A process whose main thread is silent for so long is started anew."""

AGAIN_SECONDS = 1.0
"""Time between two tries of a process to start, while the database does not answer."""


def ports_of(port: int, count: int) -> list[int]:
    """The port of all processes, and then that of each."""
    return [*range(port, port + count + 1)]


class Processes(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Serves the app of *config* in so many processes; one that ends is started anew."""

    def __init__(self, config: Mapping[str, Any], host: str, port: int, count: int) -> None:
        self._config = dict(config) | {"MOST_STREAMS": STREAMS}
        at = f"[{host}]" if ":" in host else host
        self._settings = {
            "bind": [f"{at}:{one}" for one in ports_of(port, count)],
            "workers": count,
            "worker_class": PacedWorker,
            "threads": THREADS,
            "worker_connections": min(2 * THREADS, allow_open_files() - SPARE_FILES),
            "timeout": STUCK_SECONDS,
            "graceful_timeout": GRACEFUL_SECONDS,
            "keepalive": 15,
            "loglevel": "warning",
            "control_socket_disable": True,
            "pre_fork": take_place,
            "post_fork": listen_at_place,
            "post_worker_init": end_streams_first,
        }
        self.worker: Any = None
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._settings.items():
            if name in self.cfg.settings:  # older versions know fewer
                self.cfg.set(name, value)

    def load(self) -> Any:
        app = self._created()
        app.wsgi_app = arrived(app.wsgi_app)
        threading.Thread(target=app.extensions["tallystone"].warm_up, daemon=True).start()
        return app

    def _created(self) -> Any:
        """The app, once the database answers: gunicorn stops altogether where a start fails."""
        from webapp import create_app

        told = ""
        while self.worker.alive:
            try:
                return create_app(self._config)
            except (StoreAway, *LOST) as error:
                reason = reason_of(error)
                if reason != told:
                    told = reason
                    logging.getLogger(__name__).warning("a process waits to start: %s", reason)
            self.worker.notify()
            time.sleep(AGAIN_SECONDS)
        sys.exit()


def take_place(arbiter: Any, worker: Any) -> None:
    """Give a process that is about to start the number of one that is missing."""
    taken = Counter(one.place for one in arbiter.WORKERS.values())
    worker.place = min(range(len(arbiter.LISTENERS) - 1), key=lambda place: taken[place])


def listen_at_place(arbiter: Any, worker: Any) -> None:
    """Have a process listen at the port of all and at its own, not at those of the others.

    Its app knows it from then on.
    """
    worker.app.worker = worker
    shared, *own = worker.sockets
    worker.sockets = [shared, own[worker.place]]


def end_streams_first(worker: Any) -> None:
    """Have a process that is told to stop end its streams, and then finish what is under way."""
    announcements = worker.wsgi.extensions["tallystone_tables"].announcements
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
        close_first(announcements, number, signal.getsignal(number))
