"""Reads photos of the app on a cluster, and here while the cluster cannot."""

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeVar

from scorer.text import Told
from vision.headers import MAX_BYTES, damaged
from webapp.batch.cluster import connected, own_version

Answer = TypeVar("Answer")

LONGEST_S = 20.0
"""Time for one photo with all that wait before it; then it is read here, as without a cluster."""

AGAIN_S = 15.0
"""Time between two tries to reach the scheduler."""


class Place(Protocol):
    """Where photos are read: calls a function that reads with the bytes of a photo."""

    def __call__(self, reads: Callable[[bytes], Answer], data: bytes) -> Answer: ...


def here(reads: Callable[[bytes], Answer], data: bytes) -> Answer:
    """Read in this process."""
    return reads(data)


class Elsewhere:
    """Reads on the workers of a scheduler.

    While the scheduler does not answer, has no workers or others than those of this version, photos
    are read in this process, and the log says why. *aside* is what a request is in while it waits.
    """

    def __init__(
        self, scheduler: str, aside: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self.scheduler = scheduler
        self._aside = aside
        self._client: Any = None
        self._lock = threading.Lock()
        self._connecting: threading.Thread | None = None
        self._closed = threading.Event()

    @property
    def is_connected(self) -> bool:
        """Whether the next photo goes to the cluster."""
        return self._client is not None

    def connect(self) -> None:
        """Connect in the background, again and again until it succeeds."""
        with self._lock:
            if self._client is None and self._connecting is None:
                self._connecting = threading.Thread(target=self._connect, daemon=True)
                self._connecting.start()

    def _connect(self) -> None:
        import dask

        from webapp.batch.plugin import Prepared

        dask.config.set({"distributed.admin.large-graph-warning-threshold": 2 * MAX_BYTES})
        told, client = "", None
        while client is None and not self._closed.is_set():
            try:
                client = connected(self.scheduler)
                client.register_plugin(Prepared(), name="tallystone")
            except Exception as error:  # whatever it is, the next try may succeed
                if str(error) != told:
                    told = str(error)
                    _warn(told)
                self._closed.wait(AGAIN_S)
        with self._lock:
            self._client, self._connecting = client, None

    def __call__(self, reads: Callable[[bytes], Answer], data: bytes) -> Answer:
        client = self._client
        if client is None:
            self.connect()
            return reads(data)
        from distributed import KilledWorker
        from distributed.protocol.pickle import dumps

        from webapp.batch.plugin import read_photo

        work = (read_photo, own_version(), LONGEST_S, dumps(reads), data)
        try:
            with self._aside():  # and before the photos of an archive
                answer: Answer = client.submit(*work, pure=False, priority=1).result(LONGEST_S)
                return answer
        except Told:
            raise
        except KilledWorker:
            raise damaged() from None
        except Exception as error:
            self._lose(client, f"the cluster at {self.scheduler} reads no photo ({error!r})")
            return reads(data)

    def _lose(self, client: Any, reason: str) -> None:
        """Read here until a new connection is there."""
        with self._lock:
            if self._client is not client:
                return  # another photo has told
            self._client = None
        _warn(reason)
        threading.Thread(target=client.close, daemon=True).start()
        self.connect()

    def close(self) -> None:
        """End the connection, and the tries to make one."""
        self._closed.set()
        if self._client is not None:
            self._client.close()


def _warn(reason: str) -> None:
    logging.getLogger(__name__).warning("%s; photos are read in this process meanwhile", reason)
