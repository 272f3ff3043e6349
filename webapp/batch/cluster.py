"""Dask: finds workers that can read, and reads an archive on them or on those of this machine."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata, util
from itertools import islice
from typing import TYPE_CHECKING, Any

from webapp.batch.job import Job, Row, Task

if TYPE_CHECKING:
    from distributed import Client

CHUNK = 8
"""Photos of one Dask task: the scheduler then costs little beside reading."""
AHEAD = 4
"""Tasks that are under way for each thread of the cluster."""
CONNECT_S = 10
ANSWER_S = 30.0
"""Time for a worker to load this program and say its version; one that stands still never does."""
LOOK_S = 5.0
"""Time between two looks whether workers are left, while no row comes."""
NO_WORKERS = "the scheduler has no workers: start some with `dask worker`"
OF_THIS_MACHINE = {
    "distributed.scheduler.allowed-failures": 1,
    "distributed.scheduler.worker-saturation": 1.0,
    "logging.distributed": "critical",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.worker.preload": ["import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"],
}
"""Settings of Dask: a photo is tried twice, what ends a worker is told in its row alone, and no
process looks many times a second at what it does. No photos wait at a worker, for its end would
count against them. Ctrl-C ends the process that started them."""


class ClusterError(Exception):
    """The cluster cannot be used; the message is one sentence for the person."""


class ClusterLost(ClusterError):
    """The cluster went away while photos were read, or got a worker of another version."""


def is_installed() -> bool:
    """Whether the extra ``cluster`` is there."""
    return util.find_spec("distributed") is not None


def rows(
    job: Job, tasks: Iterable[Task], scheduler: str | None, workers: int
) -> Generator[Row | None, None, None]:
    """The rows of the tasks, in order; None for photos that have one already.

    Prints the address of the dashboard on stderr. Raises ClusterError and OverlayError.
    """
    from distributed.client import CancelledError, ClosedClientError

    from webapp.batch.plugin import OtherVersion, ReaderPlugin

    with _client(scheduler, workers) as client:
        print(f"Dashboard: {client.dashboard_link}", file=sys.stderr)
        name = f"tallystone-{uuid.uuid4().hex}"
        client.register_plugin(ReaderPlugin(name, job))
        try:
            yield from _rows(client, name, job, tasks)
        except (OSError, CancelledError, ClosedClientError) as error:
            raise ClusterLost("the scheduler is gone") from error
        except OtherVersion as error:
            raise ClusterLost(str(error)) from None
        finally:
            if scheduler is not None:  # workers of this machine end anyway
                with suppress(OSError, ClosedClientError):
                    client.unregister_worker_plugin(name)


@contextmanager
def _client(scheduler: str | None, workers: int) -> Iterator[Client]:
    import dask
    from distributed import Client, LocalCluster

    if scheduler is not None:
        with connected(scheduler) as client:
            yield client
        return
    with (
        dask.config.set(OF_THIS_MACHINE),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0",
            host="127.0.0.1", silence_logs="CRITICAL",
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):  # fmt: skip
        yield client


def connected(scheduler: str) -> Client:
    """A client of a scheduler whose workers are of this version. Raises ClusterError."""
    from distributed import Client

    try:
        client = Client(scheduler, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no scheduler answers at {scheduler}: start one with `dask scheduler`, or leave"
            f" --scheduler away to read on this machine ({error})"
        ) from None
    try:
        check(client)
    except BaseException:
        client.close()
        raise
    return client


def check(client: Client) -> None:
    """Raise ClusterError if there are no workers, or some of another version."""
    workers = list(client.nthreads())
    if not workers:
        raise ClusterError(NO_WORKERS)
    try:
        versions = client.sync(_versions, client, workers)
    except _Silent as error:
        raise ClusterError(
            f"the worker {error} does not answer: end it, or start it again"
        ) from None
    except Exception as error:
        raise ClusterError(f"the workers cannot load tallystone {own_version()}: {error}") from None
    for worker, version in versions.items():
        if version != own_version():
            raise ClusterError(
                f"{worker} has tallystone {version}, this is {own_version()}: install the same"
                " version"
            )


class _Silent(Exception):
    """A worker does not answer; the message is its address."""


async def _versions(client: Client, workers: Sequence[str]) -> dict[str, str]:
    """The version of each worker, by its address. Raises _Silent, or what a worker raises."""
    asked = [_version(client, worker) for worker in workers]
    return dict(zip(workers, await asyncio.gather(*asked), strict=True))


async def _version(client: Client, worker: str) -> str:
    try:
        told = await asyncio.wait_for(client.run(own_version, workers=[worker]), ANSWER_S)
    except TimeoutError:
        raise _Silent(worker) from None
    return str(told[worker])


@cache
def own_version() -> str:
    """The version of this program."""
    return metadata.version("tallystone")


def _rows(client: Client, name: str, job: Job, tasks: Iterable[Task]) -> Iterator[Row | None]:
    threads = sum(client.nthreads().values()) or 1
    left = iter(tasks)
    under_way: list[tuple[tuple[Task, ...], Any]] = []
    while True:
        while len(under_way) < AHEAD * threads:
            chunk = tuple(islice(left, CHUNK))
            if not chunk:
                break
            under_way.append((chunk, _submitted(client, name, chunk)))
        if not under_way:
            return
        chunk, future = under_way.pop(0)
        yield from _answers(client, name, job, chunk, future)


def _answers(
    client: Client, name: str, job: Job, chunk: tuple[Task, ...], future: Any
) -> Iterator[Row | None]:
    """What a chunk gave. If it ended its workers, each of its photos is tried by itself."""
    from distributed import KilledWorker

    try:
        yield from _result(client, future)
        return
    except KilledWorker:
        if len(chunk) == 1:
            yield job.given_up(chunk[0])
            return
    for task in chunk:
        alone = _submitted(client, name, (task,))
        yield from _answers(client, name, job, (task,), alone)


def _submitted(client: Client, name: str, chunk: tuple[Task, ...]) -> Any:
    from webapp.batch.plugin import read_chunk

    return client.submit(read_chunk, own_version(), name, chunk, pure=False)


def _result(client: Client, future: Any) -> Any:
    """What a task gave; says on stderr where no worker is left that could do it."""
    were_there = True
    while not future.done():
        with suppress(TimeoutError):
            return future.result(LOOK_S)
        are_there = bool(client.nthreads())
        if were_there and not are_there:
            print(f"{NO_WORKERS}; the photos wait for them", file=sys.stderr)
        were_there = are_there
    return future.result()
