"""What a terminal shows while a command is silent."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

SILENT_S = 2.0
"""Time after which a person wonders whether anything goes on."""

T = TypeVar("T")


@contextmanager
def working(what: str, console: Console | None = None) -> Iterator[None]:
    """Say *what* goes on and for how long, on a terminal, if it takes longer than two seconds.

    Nothing may be printed meanwhile. The line is gone afterwards.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    columns = (SpinnerColumn(), TextColumn(what), TimeElapsedColumn())
    shown = Progress(*columns, console=console, transient=True)
    shown.add_task(what, total=None)
    timer = threading.Timer(SILENT_S, shown.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        shown.stop()


def waited(what: str, rows: Iterable[T], console: Console | None = None) -> Iterator[T]:
    """The same rows; while one takes long, the terminal says *what* goes on."""
    left = iter(rows)
    while True:
        with working(what, console):
            try:
                row = next(left)
            except StopIteration:
                return
        yield row
