"""What runs in a Dask worker."""

from typing import Any

from distributed import WorkerPlugin, get_worker

from webapp.batch.job import Job, Row, Task, read_on_one_core


class ReaderPlugin(WorkerPlugin):  # type: ignore[misc]
    """Brings the reader of a job to a worker, once."""

    def __init__(self, name: str, job: Job) -> None:
        self.name, self.job = name, job

    def setup(self, worker: Any) -> None:
        read_on_one_core()


def read_chunk(name: str, tasks: tuple[Task, ...]) -> list[Row | None]:
    """The rows of the tasks, by the reader of the job of that name."""
    plugin: Any = get_worker().plugins[name]
    return [plugin.job.row(task) for task in tasks]
