"""What runs in a Dask worker."""

import pickle
from functools import lru_cache
from typing import Any

from distributed import WorkerPlugin, get_worker

from webapp.batch.cluster import own_version
from webapp.batch.job import Job, Row, Task, prepare_process, watched


class Prepared(WorkerPlugin):  # type: ignore[misc]
    """Prepares a worker, before it has its thread that reads."""

    def setup(self, worker: Any) -> None:
        prepare_process()


class ReaderPlugin(Prepared):
    """Brings the reader of a job to a worker, once."""

    def __init__(self, name: str, job: Job) -> None:
        self.name, self.job = name, job


def read_chunk(version: str, name: str, tasks: tuple[Task, ...]) -> list[Row | None]:
    """The rows of the tasks, by the reader of the job of that name. Raises OtherVersion."""
    _refuse_other(version)
    plugin: Any = get_worker().plugins[name]
    return [plugin.job.row(task) for task in tasks]


def read_photo(version: str, limit_s: float, reads: bytes, data: bytes) -> Any:
    """What a pickled function reads of a photo. Raises OtherVersion."""
    _refuse_other(version)
    with watched(limit_s):
        return _opened(reads)(data)


class OtherVersion(Exception):
    """The app and this worker are not the same program."""


def _refuse_other(version: str) -> None:
    """Raise OtherVersion if the program that asks has not the version of this worker, which may
    have come after ``cluster.check``."""
    if version != own_version():
        raise OtherVersion(
            f"a worker has tallystone {own_version()}, this is {version}: install the same version"
        )


@lru_cache(maxsize=8)
def _opened(reads: bytes) -> Any:
    return pickle.loads(reads)
