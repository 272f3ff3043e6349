"""What is promised where the disk is full or the data folder can no longer be written to."""

import os
import sqlite3
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from attacks.harness import Figure, Guest, Target

from kept.serving import small_photo

ROOMY = "size=1600m"


def failing(count: int) -> Iterator[Figure]:
    """Edits and photos before, while and after the disk is full, then in a read-only folder.

    Needs root: it mounts a file system in memory.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        print("  this needs root: it mounts a small file system")
        return
    with small_disk() as disk:
        target = Target(disk, watched=False)
        yield from edited(
            target, count, "full disk", lambda: fill(disk), lambda: resize(disk, ROOMY)
        )
    with tempfile.TemporaryDirectory() as folder:
        target = Target(Path(folder), watched=False)
        data = Path(folder) / "data"
        yield from edited(
            target, count, "read-only folder", lambda: lock(data), lambda: unlock(data)
        )


def edited(
    target: Target,
    count: int,
    name: str,
    spoil: Callable[[], object],
    mend: Callable[[], object],
) -> Iterator[Figure]:
    """A third of the edits before, a third meanwhile, a third after; then what was kept of them."""
    guest = Guest(target).greet()
    code = guest.start()
    statuses: Counter[int] = Counter()
    acknowledged = set()
    unsaid = 0
    for number in range(count):
        if number == count // 3:
            spoil()
        if number == 2 * count // 3:
            mend()
        key = f"{name} {number}"
        action = {"type": "extra", "seat": 0, "points": number}
        answer = guest.send_json(f"/api/games/{code}/actions", {"action": action, "key": key})
        if answer.status == 200:
            acknowledged.add(key)
        else:
            unsaid += answer.status == 0 or not answer.json["error"]["message"]
        statuses[answer.status] += 1
        if number % 20 == 0:
            sent = guest.send_files(
                f"/api/games/{code}/photos", [("photo", small_photo())], {"board": "custom"}
            )
            unsaid += sent.status == 0 or (sent.status >= 400 and not sent.json["error"]["message"])
    last = answer.status
    target.process.terminate()
    target.process.wait()
    with sqlite3.connect(target.folder / "data" / "tallystone.sqlite3") as base:
        whole = base.execute("PRAGMA integrity_check").fetchone()[0]
        kept = [row[0] for row in base.execute("SELECT request_key FROM event")]
    base.close()
    told = ", ".join(f"{times} x {status}" for status, times in sorted(statuses.items()))
    print(f"  {name}: {count} edits: {told}")
    yield Figure(f"{name}: acknowledged edits lost", len(acknowledged - set(kept)), 0)
    yield Figure(f"{name}: refused without a sentence", unsaid, 0)
    yield Figure(f"{name}: damage of the database", whole != "ok", 0)
    yield Figure(f"{name}: edits refused once there is room again", last != 200, 0)


@contextmanager
def small_disk() -> Iterator[Path]:
    """A file system of its own, with room at first."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", ROOMY, "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def fill(disk: Path) -> None:
    """Leave no room but that of the last page."""
    used = os.statvfs(disk)
    resize(disk, f"size={(used.f_blocks - used.f_bfree) * used.f_frsize + 4096}")


def resize(disk: Path, size: str) -> None:
    """Give the file system another size."""
    subprocess.run(["mount", "-o", f"remount,{size}", str(disk)], check=True)


def lock(folder: Path) -> None:
    """Let nobody write there from now on; files that are open stay open."""
    subprocess.run(["mount", "--bind", str(folder), str(folder)], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)


def unlock(folder: Path) -> None:
    """Undo ``lock``."""
    subprocess.run(["umount", "-l", str(folder)], check=True)
