"""Three servers start at once, bits flip in a database in use, and a database is emptied."""

import random
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from attacks.harness import ROOT, Figure, Target
from webapp.after.keeping import integrity

STARTS = 3
FLIPS = 20


def served(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A server on *folder* that has just been started, and its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "webapp", "serve", "--host", "127.0.0.1", "--port", str(port)]
    silent = subprocess.DEVNULL
    return subprocess.Popen(
        [*command, "--data", str(folder)], cwd=ROOT, stdout=silent, stderr=silent
    ), port


def answers(server: subprocess.Popen[bytes], port: int) -> bool:
    """Whether the server comes to live within a minute."""
    end = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < end:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/cards", timeout=5).close()
            return True
        except OSError:
            time.sleep(0.1)
    return False


def attack(target: Target) -> Iterator[Figure]:
    empty = target.folder / "empty"
    servers = [served(empty) for _ in range(STARTS)]
    dead = sum(not answers(*one) for one in servers)
    for server, _ in servers:
        server.terminate()
        server.wait()
    yield Figure(f"dead of {STARTS} servers that start at once", dead, 0)

    database = target.folder / "data" / "tallystone.sqlite3"
    dice = random.Random(1)
    unseen = 0
    for _ in range(FLIPS):  # the bit is there only for as long as it is looked at
        at = dice.randrange(database.stat().st_size)
        with database.open("r+b") as file:
            file.seek(at)
            was = file.read(1)
            file.seek(at)
            file.write(bytes([was[0] ^ 1 << dice.randrange(8)]))
            file.flush()
            unseen += integrity(database) == ""
            file.seek(at)
            file.write(was)
    yield Figure(f"of {FLIPS} flipped bits not found", unseen, 0)

    (empty / "tallystone.sqlite3").write_bytes(b"")
    server, port = served(empty)
    yield Figure("servers that start on an emptied database", int(answers(server, port)), 0)
    server.kill()
    server.wait()
