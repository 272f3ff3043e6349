"""Memory of pictures: a server gives it back, a worker keeps it for the next one."""

import ctypes
import sys
from typing import Any

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Numbers of glibc's ``mallopt``."""

OWN_PAGES_BYTES = 8 * 1024 * 1024
"""Blocks of this many bytes are given back when freed; reusing smaller ones is faster."""

HEAPS = 2
"""Number of heaps that threads share; glibc makes eight for each processor."""


def share_heaps() -> None:
    """Let all threads share a few heaps; for the start, before there are threads."""
    if library := _glibc():
        library.mallopt(_ARENA_MAX, HEAPS)
        library.mallopt(_MMAP_THRESHOLD, OWN_PAGES_BYTES)


KEPT_BYTES = 32 * 1024 * 1024
"""Largest block that glibc reuses by itself, once it was told nothing; it keeps twice as much."""


def keep() -> None:
    """Reuse freed blocks, as glibc does by itself. The environment of Dask's workers forbids it.

    Otherwise each picture has pages of its own, a third of the processor time of a photo. Threads
    that are started from now on share one heap, for those of their own give pages back.
    """
    if library := _glibc():
        library.mallopt(_ARENA_MAX, 1)
        library.mallopt(_MMAP_THRESHOLD, KEPT_BYTES)
        library.mallopt(_TRIM_THRESHOLD, 2 * KEPT_BYTES)


def give_back() -> None:
    """Give everything back that is free."""
    if library := _glibc():
        library.malloc_trim(0)


def _glibc() -> Any:
    """The C library if it is glibc; others give back by themselves."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") else None
