"""Kills a server with SIGKILL while devices change a game, and looks for lost changes.

    python tests/webapp/store/killing.py 50

prints how many changes were acknowledged and how many of them are in the database.
"""

import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
DEVICES = 3
START_SECONDS = 180
"""Longest wait for a start on a busy machine; an idle one takes a second or two."""

CHANGES_BEFORE = 8
"""Changes that are acknowledged before each kill, which then comes at any moment."""


@dataclass
class Outcome:
    """What the devices were told, and what was there afterwards."""

    kills: int
    acknowledged: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    doubled: set[str] = field(default_factory=set)
    integrity: str = ""
    slowest_start_s: float = 0.0


class Device:
    """A browser's cookie and token; sends a change until it is answered."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.token = ""

    def page(self) -> None:
        html = self.ask("/").decode()
        self.token = html.split('name="csrf-token" content="')[1].split('"')[0]

    def ask(self, path: str, body: Any = None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-CSRF-Token": self.token}
        request = urllib.request.Request(self.url + path, data, headers)
        with self._opener.open(request, timeout=10) as answer:
            return bytes(answer.read())

    def join(self, code: str, seat: int) -> None:
        self.page()
        form = f"csrf_token={self.token}&seat={seat}".encode()
        request = urllib.request.Request(f"{self.url}/g/{code}/join", form)
        self._opener.open(request, timeout=10).close()


def serve(folder: Path, port: int) -> tuple[subprocess.Popen[bytes], float]:
    """A real server, and the seconds until it answered."""
    start = time.monotonic()
    command = [sys.executable, "-m", "webapp", "serve", "--host", "127.0.0.1"]
    server = subprocess.Popen(
        [*command, "--port", str(port), "--data", str(folder)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/cards", timeout=5).close()
            return server, time.monotonic() - start
        except OSError:
            if server.poll() is not None:
                raise RuntimeError(
                    f"the server ended by itself with status {server.returncode}"
                ) from None
            if time.monotonic() > start + START_SECONDS:
                server.kill()
                raise
            time.sleep(0.02)


def kill_during_edits(kills: int, folder: Path) -> Outcome:
    """Let devices edit, kill the server, start it again, *kills* times; then compare."""
    outcome = Outcome(kills)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    server, outcome.slowest_start_s = serve(folder, port)
    host = Device(url)
    host.page()
    players = [{"name": f"P{seat}", "colour": "red"} for seat in range(DEVICES)]
    board = {"name": "meadow", "rows": 2, "cols": 2, "empty": True}
    setup = {"players": players, "options": {"board": board}}
    code = json.loads(host.ask("/api/games", {"kind": "custom", "setup": setup, "seat": 0}))["code"]
    devices = [host] + [Device(url) for _ in range(DEVICES - 1)]
    for seat, device in enumerate(devices[1:], 1):
        device.join(code, seat)
    stop = threading.Event()
    moment = random.Random(1)

    def edit(number: int, device: Device) -> None:
        count = 0
        while not stop.is_set():
            key = f"{number}-{count}"
            action = {"type": "extra", "seat": number, "points": count}
            try:
                device.ask(f"/api/games/{code}/actions", {"action": action, "key": key})
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.02)
                continue  # no answer: send the same change again
            outcome.acknowledged.add(key)
            count += 1

    threads = [threading.Thread(target=edit, args=(n, device)) for n, device in enumerate(devices)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(kills):
            enough = len(outcome.acknowledged) + CHANGES_BEFORE
            while len(outcome.acknowledged) < enough:
                time.sleep(0.005)
            time.sleep(moment.uniform(0, 0.1))
            server.send_signal(signal.SIGKILL)
            server.wait()
            server, seconds = serve(folder, port)
            outcome.slowest_start_s = max(outcome.slowest_start_s, seconds)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        server.kill()
        server.wait()
    compare(outcome, folder)
    return outcome


def compare(outcome: Outcome, folder: Path) -> None:
    """Look for every acknowledged change in the database."""
    import sqlite3

    with sqlite3.connect(folder / "tallystone.sqlite3") as base:
        outcome.integrity = base.execute("PRAGMA integrity_check").fetchone()[0]
        rows = base.execute(
            "SELECT seq, request_key, action, state FROM event ORDER BY seq"
        ).fetchall()
    base.close()
    assert [row[0] for row in rows] == list(range(len(rows)))
    kept = [row[1] for row in rows if row[1]]
    outcome.lost = outcome.acknowledged - set(kept)
    outcome.doubled = {key for key in kept if kept.count(key) > 1}
    last: dict[str, int] = {}
    for _, key, action, state in rows:
        if key:
            change = json.loads(action)
            last[str(change["seat"])] = change["points"]
            assert json.loads(state)["extra"] == last  # no change undid another


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "50"
    if not re.fullmatch(r"\d{1,4}", asked):
        sys.exit("usage: killing.py [KILLS]")
    with tempfile.TemporaryDirectory() as made:
        result = kill_during_edits(int(asked), Path(made))
    print(
        f"{result.kills} kills, {len(result.acknowledged)} changes acknowledged, "
        f"{len(result.lost)} lost, {len(result.doubled)} doubled, integrity {result.integrity}, "
        f"slowest start {result.slowest_start_s:.1f} s"
    )
    sys.exit(bool(result.lost or result.doubled or result.integrity != "ok"))
