"""What is promised of a server: memory, many phones at once, starts and rest."""

import os
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from attacks.harness import Figure, Guest, Target
from attacks.pictures import Device
from guard.mutating import LONG_SIDE_PX, PHOTO, mutations

WARM = 500
"""Uploads after which the memory is that of a server in use."""

PHONES = 8
IDLE_S = 10


def small_photo() -> bytes:
    """A photo of nine stones as a page sends it, but smaller."""
    image = cv2.imread(str(PHOTO))
    scale = LONG_SIDE_PX / max(image.shape)
    return bytes(cv2.imencode(".jpg", cv2.resize(image, None, fx=scale, fy=scale))[1].tobytes())


def uploads(count: int) -> Iterator[Figure]:
    """Photos to the quick look one after the other, every other one damaged."""
    photo = small_photo()
    with tempfile.TemporaryDirectory() as folder:
        target = Target(Path(folder))
        guest = target.guest()
        peaks: list[float] = []
        statuses: Counter[int] = Counter()
        try:
            for number, damaged in enumerate(mutations(photo, count, seed=2)):
                data = damaged if number % 2 else photo
                statuses[guest.send_files("/api/read", [("photo", data)]).status] += 1
                if number % WARM == WARM - 1:
                    peaks.append(target.peak_mb)
                    target.peak_mb = 0.0
                    print(f"  {number + 1} uploads: {peaks[-1]:.0f} MB at most", flush=True)
            answers = ", ".join(f"{times} x {status}" for status, times in sorted(statuses.items()))
            print(f"  answers: {answers}", flush=True)
            peaks = peaks or [target.peak_mb]
        finally:
            common = target.close()
        yield Figure(
            f"growth from the first {WARM} uploads to the last", peaks[-1] - peaks[0], 60, "MB"
        )
        yield Figure("memory at most", max(peaks), 600, "MB")
        yield from common


def crowd(count: int) -> Iterator[Figure]:
    """Rounds in which eight phones send a photo of their table at the same moment."""
    photo = PHOTO.read_bytes()
    waits: list[float] = []
    statuses: Counter[int] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        target = Target(Path(folder))
        devices = [Device(target, f"127.0.0.{2 + number}") for number in range(PHONES)]
        ready = threading.Barrier(PHONES)

        def send(device: Device) -> None:
            for _ in range(count):
                ready.wait()
                start = time.monotonic()
                statuses[device.keep(photo).status] += 1
                waits.append(1000 * (time.monotonic() - start))

        devices[0].keep(photo)
        threads = [threading.Thread(target=send, args=(device,)) for device in devices]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        common = target.close()
    name = f"{count} rounds of {PHONES} phones"
    yield Figure(f"{name}: photos not kept", sum(statuses.values()) - statuses[201], 0)
    yield Figure(f"{name}: p50 until the photo is read", statistics.median(waits), 1500, "ms")
    yield Figure(f"{name}: p95", float(np.percentile(waits, 95)), 1500, "ms")
    yield from common


def starts(count: int) -> Iterator[Figure]:
    """Servers from the command to the first answer, then to a read photo, then at rest."""
    firsts, own, memory, wakes, idle = [], [], [], [], []
    for _ in range(count):
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            target = Target(Path(folder), watched=False)
            firsts.append(time.monotonic() - start)
            guest = Guest(target).greet()
            while guest.send_files("/api/read", [("photo", small_photo())]).status != 200:
                time.sleep(0.1)
            time.sleep(3)  # the other readers are warmed up behind
            own.append(cpu_s(target.process.pid))
            memory.append(resident_mb(target.process.pid))
            before = wake_ups(target.process.pid)
            time.sleep(IDLE_S)
            wakes.append((wake_ups(target.process.pid) - before) / IDLE_S)
            idle.append(1000 * (cpu_s(target.process.pid) - own[-1]) / IDLE_S)
            target.process.terminate()
            target.process.wait()
    yield Figure(f"first answer, median of {count}", statistics.median(firsts), 2.0, "s")
    yield Figure("processor time with all readers warm", statistics.median(own), 4.0, "s")
    yield Figure("memory with all readers warm", max(memory), 200, "MB")
    yield Figure("wake-ups a second at rest", max(wakes), 10)
    yield Figure("processor time a second at rest", max(idle), 5, "ms")


def cpu_s(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Memory of a process."""
    return (
        int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    )


def wake_ups(pid: int) -> int:
    """How often the threads of a process went to sleep, and so woke up."""
    return sum(
        int(line.split()[1])
        for status in Path(f"/proc/{pid}/task").glob("*/status")
        for line in status.read_text().splitlines()
        if line.startswith("voluntary_ctxt_switches")
    )
