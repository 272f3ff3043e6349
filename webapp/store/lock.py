"""One at a time, across processes."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


@contextmanager
def locked(path: Path, wait: bool = True) -> Iterator[None]:
    """Hold the lock of the file *path*; the system lets go of it if the process dies.

    Raises OSError if it is held already and *wait* is false.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(handle, wait)
        yield
    finally:
        os.close(handle)


@contextmanager
def locked_to_read(path: Path) -> Iterator[None]:
    """Hold the lock where its folder takes nothing: another way to the folder may lead writers in.

    Without the file, or a lock on it, nobody can write there.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            handle = os.open(path, os.O_RDONLY)
            stack.callback(os.close, handle)
            _lock(handle, wait=True)
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int, wait: bool) -> None:
        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return
            except OSError:  # LK_LOCK tries for ten seconds
                if not wait:
                    raise

else:
    import fcntl

    def _lock(handle: int, wait: bool) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
