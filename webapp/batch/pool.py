"""Reads an archive in processes of this machine; one that ends is started anew."""

import multiprocessing
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Self

from webapp.batch.job import Job, OverlayError, Row, Task, prepare_process

AHEAD = 32
"""Photos that each process may be ahead of the row that is given next."""
TRIES = 2
"""Processes that may end on one photo before it is given up."""


def rows(job: Job, tasks: Iterable[Task], workers: int) -> Generator[Row | None, None, None]:
    """The rows of the tasks, in order; None for photos that have one already.

    Raises OverlayError.
    """
    with _Pool(job, workers) as pool:
        yield from pool.rows(iter(tasks))


class _Pool:
    """Processes, each with a pipe, and what each is at."""

    def __init__(self, job: Job, workers: int) -> None:
        self._job, self._workers = job, workers
        self._processes: dict[Connection, Any] = {}
        self._at: dict[Connection, tuple[Task, int]] = {}

    def __enter__(self) -> Self:
        for _ in range(self._workers):
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        for pipe, process in self._processes.items():
            pipe.close()
            process.terminate()
            process.join()

    def _start(self) -> None:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=_work, args=(self._job, theirs), daemon=True
        )
        process.start()
        theirs.close()
        self._processes[ours] = process

    def rows(self, tasks: Iterator[Task]) -> Iterator[Row | None]:
        again: deque[tuple[Task, int]] = deque()
        done: dict[int, Row | None] = {}
        following, sent = 0, 0
        while True:
            for pipe in [one for one in self._processes if one not in self._at]:
                if again:
                    self._send(pipe, *again.popleft())
                elif sent - following < AHEAD * self._workers:
                    task = next(tasks, None)
                    if task is None:
                        break
                    sent += 1
                    self._send(pipe, task, 1)
            if not self._at and not again:
                break
            ready: list[Any] = wait(list(self._at))
            for pipe in ready:
                task, tries = self._at.pop(pipe)
                try:
                    answer = pipe.recv()
                    if isinstance(answer, OverlayError):
                        raise answer
                    done[task[0]] = answer
                except (EOFError, OSError):
                    self._replace(pipe)
                    if tries < TRIES:
                        again.append((task, tries + 1))
                    else:
                        done[task[0]] = self._job.given_up(task)
            while following in done:
                yield done.pop(following)
                following += 1

    def _send(self, pipe: Connection, task: Task, tries: int) -> None:
        self._at[pipe] = (task, tries)
        with suppress(OSError):  # a process that has ended is noticed when its answer is awaited
            pipe.send(task)

    def _replace(self, pipe: Connection) -> None:
        self._processes.pop(pipe).join()
        pipe.close()
        self._start()


def _work(job: Job, pipe: Connection) -> None:
    """Answer tasks until the other end is closed."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the process that started this one
    prepare_process()
    with suppress(EOFError, OSError):
        while True:
            pipe.send(_answer(job, pipe.recv()))


def _answer(job: Job, task: Task) -> Row | OverlayError | None:
    try:
        return job.row(task)
    except OverlayError as error:
        return error
