"""Measures archives: photos a second with one and two workers, what Dask costs, killed workers.

Rates need a machine that does nothing else; the processor time of a photo does not::

    python tests/webapp/batch/scaling.py --count 2000
    python tests/webapp/batch/scaling.py --stub 100000

Every photo is one of the fixtures with a comment of its own, so that all contents differ.
"""

import argparse
import itertools
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from calibration.reader import open_reader
from vision.boards import STONES
from webapp.batch import cluster, pool
from webapp.batch.job import Job, Task, prepare_process
from webapp.batch.photos import numbered, pictures_of

FIXTURES = Path(__file__).parents[3] / "fixtures" / "photos"

Rows = Iterator[dict[str, Any] | None]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=2000, help="photos of the archive")
    parser.add_argument("--stub", type=int, default=0, help="rows of a reader that does nothing")
    args = parser.parse_args()
    if args.stub:
        simulate(args.stub)
        return
    with TemporaryDirectory() as folder:
        photos = archive(Path(folder), args.count)
        job = Job(open_reader(STONES, None, Path(folder) / "data"), "stones")
        measure(job, photos)


def archive(folder: Path, count: int) -> list[str]:
    """Photos of stones, each with a JPEG comment of its own."""
    originals = [path.read_bytes() for path in sorted(FIXTURES.glob("*_*.jpg"))]
    for number, data in zip(range(count), itertools.cycle(originals), strict=False):
        comment = b"%08d" % number
        (folder / f"{number:08}.jpg").write_bytes(
            data[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + data[2:]
        )
    return pictures_of(str(folder), False).photos


def measure(job: Job, photos: list[str]) -> None:
    tasks = list(numbered(photos))
    warm = tasks[: 2 * cluster.CHUNK]  # both workers open their networks
    prepare_process()
    list(map(job.row, warm))
    count = min(200, len(tasks))
    before = cpu_s()
    bare_s, expected = timed(lambda: map(job.row, tasks[:count]))
    bare_ms = 1000 * (cpu_s() - before) / count
    print(
        f"bare reader, one thread: {count / bare_s:.1f} photos/s, {bare_ms:.0f} ms of the processor"
        " each",
        flush=True,
    )
    ways: dict[str, Callable[[int, Sequence[Task]], Rows]] = {
        "processes": lambda workers, tasks: pool.rows(job, tasks, workers),
        "Dask": lambda workers, tasks: cluster.rows(job, tasks, None, workers),
    }
    for name, rows in ways.items():
        for workers in (1, 2):
            before = cpu_s()
            list(rows(workers, warm))  # what a start costs
            start_s = cpu_s() - before
            before = cpu_s()
            seconds, found = timed(lambda: rows(workers, tasks))  # noqa: B023 (called at once)
            own_ms = 1000 * (cpu_s() - before - start_s) / (len(tasks) - len(warm))
            same = sum(
                without_ms(a) == without_ms(b) for a, b in zip(found, expected, strict=False)
            )
            print(
                f"{name}, {workers} workers: {len(tasks) / seconds:.1f} photos/s, {own_ms:.0f} ms"
                f" of the processor each ({100 * (own_ms / bare_ms - 1):+.0f} %),"
                f" {same} of {len(expected)} rows as read alone",
                flush=True,
            )
        found = list(killing(rows(2, tasks), len(tasks)))
        names = [row["photo"] for row in found if row]
        print(
            f"{name}, a worker killed twice: {len(names)} rows, {len(set(names))} photos,"
            f" {sum(row.get('reason') == 'crashed' for row in found if row)} given up",
            flush=True,
        )


def cpu_s() -> float:
    """Processor time so far, of this process and of those that it has started and that ended."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def timed(rows: Callable[[], Any]) -> tuple[float, list[dict[str, Any]]]:
    """Seconds from the first row to the last, as if the start cost nothing; and the rows."""
    given = iter(rows())
    first = next(given)
    start = time.perf_counter()
    found = [first, *given]
    return (time.perf_counter() - start) * len(found) / (len(found) - 1), found


def without_ms(row: Any) -> Any:
    return {key: value for key, value in row.items() if key != "ms"}


def killing(rows: Rows, count: int) -> Rows:
    """The same rows; the busiest worker is killed after a third and after two thirds."""
    for number, row in enumerate(rows):
        if number in (count // 3, 2 * count // 3):
            listed = subprocess.run(
                ["ps", "-eo", "pid,pcpu,args"], capture_output=True, text=True, check=True
            ).stdout
            workers = [
                (float(share), int(pid))
                for pid, share, args in (line.split(None, 2) for line in listed.splitlines()[1:])
                if "spawn_main" in args and descends(int(pid))
            ]
            os.kill(max(workers)[1], signal.SIGKILL)
        yield row


def descends(pid: int) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return False


class Stub(Job):
    """Answers at once."""

    def row(self, task: Any) -> dict[str, Any]:
        return {"photo": task[1], "found": True, "text": "sun " * 9}


def simulate(count: int) -> None:
    """Rows of a stub through the scheduler: rate and memory of this process, tenth by tenth."""
    reader: Any = None
    stub = Stub(reader, "")
    tasks = ((number, f"{number}.jpg", "") for number in range(count))
    start = time.perf_counter()
    for number, _ in enumerate(cluster.rows(stub, tasks, None, 2), 1):
        if number % (count // 10) == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            rate = number / (time.perf_counter() - start)
            print(f"{number} rows: {rate:.0f} a second, {peak:.0f} MB at most", flush=True)


if __name__ == "__main__":
    sys.exit(main())
