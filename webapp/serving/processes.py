"""Several processes that answer on one port, behind a proxy: gunicorn, with threads."""

from __future__ import annotations

import signal
import threading
from collections.abc import Mapping
from types import FrameType
from typing import Any

from gunicorn.app.base import BaseApplication

from webapp.serving.server import REQUEST_THREADS

STREAMS = 400
"""Most phones that listen to one process, each on a thread."""

GRACEFUL_SECONDS = 20
"""Time that requests under way have where the server stops."""

STUCK_SECONDS = 60
"""A process whose main thread is silent for so long is started anew."""


class Processes(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Serves the app of *config* in so many processes; one that ends is started anew."""

    def __init__(self, config: Mapping[str, Any], host: str, port: int, count: int) -> None:
        self._config = dict(config) | {"MOST_STREAMS": STREAMS}
        self._settings = {
            "bind": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
            "workers": count,
            "worker_class": "gthread",
            "threads": REQUEST_THREADS + STREAMS,
            "worker_connections": 2 * (REQUEST_THREADS + STREAMS),
            "timeout": STUCK_SECONDS,
            "graceful_timeout": GRACEFUL_SECONDS,
            "keepalive": 15,
            "loglevel": "warning",
            "control_socket_disable": True,
            "post_worker_init": end_streams_first,
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._settings.items():
            if name in self.cfg.settings:  # older versions know fewer
                self.cfg.set(name, value)

    def load(self) -> Any:
        from webapp import create_app

        app = create_app(self._config)
        threading.Thread(target=app.extensions["tallystone"].warm_up, daemon=True).start()
        return app


def end_streams_first(worker: Any) -> None:
    """Have a process that is told to stop end its streams, and then finish what is under way."""
    announcements = worker.wsgi.extensions["tallystone_tables"].announcements

    def before(inner: Any) -> Any:
        def stop(number: int, frame: FrameType | None) -> None:
            # In a thread: the lock may be held by what the signal has interrupted.
            threading.Thread(target=announcements.close, daemon=True).start()
            inner(number, frame)

        return stop

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, before(signal.getsignal(number)))
