"""A real server to attack: its guests, a table that plays on, and the cost of the attack."""

import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
START_SECONDS = 120
PLAYERS = [{"name": "Ann", "colour": "red"}, {"name": "Bob", "colour": "green"}]
OWN_BOARD = {"name": "meadow", "rows": 2, "cols": 2, "empty": True}


@dataclass(frozen=True)
class Figure:
    """One thing that was measured, and the most that is allowed."""

    what: str
    value: float
    most: float
    unit: str = ""

    @property
    def kept(self) -> bool:
        return self.value <= self.most


@dataclass(frozen=True)
class Answer:
    """What the server said; status 0 where it hung up."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Guest:
    """A device: keeps its cookie and token, and sends whatever it is told, well-formed or not.

    *address* is that of this machine from which it asks.
    """

    def __init__(self, target: "Target", address: str = "127.0.0.1") -> None:
        self.target = target
        self.address = address
        self.cookie = ""
        self.token = ""

    def greet(self) -> "Guest":
        """Open the start page once, as every browser does before it sends anything."""
        page = self.ask("GET", "/").body.decode()
        self.token = page.split('name="csrf-token" content="')[1].split('"')[0]
        return self

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        timeout: float = 60,
    ) -> Answer:
        """Send one request on its own connection, with this device's cookie and token."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.target.port, timeout=timeout, source_address=(self.address, 0)
        )
        sent = {"Cookie": self.cookie, "X-CSRF-Token": self.token} | (headers or {})
        try:
            connection.putrequest(method, path, skip_host="Host" in sent, skip_accept_encoding=True)
            for name, value in sent.items():
                if value:
                    connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            raw = connection.getresponse()
            answer = Answer(raw.status, {k.lower(): v for k, v in raw.getheaders()}, raw.read())
        except (OSError, http.client.HTTPException):
            answer = Answer(0, {}, b"")
        finally:
            connection.close()
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].split(";")[0]
        self.target.answers[answer.status] += 1
        if answer.status >= 500:
            self.target.errors.append(f"{method} {path[:80]!r} {answer.status}")
        return answer

    def send_json(self, path: str, value: Any, method: str = "POST") -> Answer:
        """Send a value as JSON."""
        return self.ask(
            method, path, json.dumps(value).encode(), {"Content-Type": "application/json"}
        )

    def send_form(self, path: str, fields: dict[str, str]) -> Answer:
        """Send a form without files."""
        kind = "application/x-www-form-urlencoded"
        return self.ask(
            "POST", path, urllib.parse.urlencode(fields).encode(), {"Content-Type": kind}
        )

    def send_files(
        self,
        path: str,
        files: Sequence[tuple[str, bytes]],
        fields: dict[str, str] | Sequence[tuple[str, str]] = (),
    ) -> Answer:
        """Send files under their fields' names, and *fields*, which may repeat, as a form does."""
        line = secrets.token_hex(16)
        parts = [
            f'--{line}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in (fields.items() if isinstance(fields, dict) else fields)
        ]
        for name, data in files:
            head = f'--{line}\r\nContent-Disposition: form-data; name="{name}"; filename="f"\r\n'
            parts.append(
                f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + data + b"\r\n"
            )
        parts.append(f"--{line}--\r\n".encode())
        kind = f"multipart/form-data; boundary={line}"
        return self.ask("POST", path, b"".join(parts), {"Content-Type": kind})

    def start(self, kind: str = "custom", **options: Any) -> str:
        """Host a game of two players; gives its code."""
        if kind == "custom":
            options = {"board": OWN_BOARD} | options
        setup = {"players": PLAYERS, "options": options}
        answer = self.send_json("/api/games", {"kind": kind, "setup": setup, "seat": 0})
        assert answer.status == 201, answer
        return str(answer.json["code"])


class Target:
    """A server with its own data folder; ``answers`` counts the guests' answers by status.

    While it is attacked, one table goes on editing, and its waiting times are measured. The memory
    of the process is sampled. Another table, the victim, is looked at before and after, unless it
    is not *watched*.
    """

    def __init__(self, folder: Path, options: Sequence[str] = (), *, watched: bool = True) -> None:
        self.folder = folder
        self.answers: Counter[int] = Counter()
        self.errors: list[str] = []
        self.edit_ms: list[float] = []
        self.peak_mb = 0.0
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        command = [
            sys.executable,
            "-m",
            "webapp",
            "serve",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
        ]
        self.log = folder / "server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, "--data", str(folder / "data"), *options],
                cwd=ROOT,
                stdout=log,
                stderr=log,
                env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            )
        self._wait_until_ready()
        if not watched:
            return
        self.victim = self.guest()
        self.victim_code = self.victim.start("stones")
        self._victim_before = self.victim_game()
        self._stop = threading.Event()
        self._watchers = [threading.Thread(target=watch) for watch in (self._edit, self._sample)]
        for thread in self._watchers:
            thread.start()

    def guest(self) -> Guest:
        """A new device that has opened the start page."""
        return Guest(self).greet()

    def victim_game(self) -> Any:
        """The victim's game as the victim sees it."""
        return self.victim.ask("GET", f"/api/games/{self.victim_code}").json

    def close(self) -> list[Figure]:
        """Stop the server; gives what every attack is measured by."""
        changed = self.victim_game() != self._victim_before
        self._stop.set()
        for thread in self._watchers:
            thread.join()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        waited = sorted(self.edit_ms)
        p95 = waited[int(len(waited) * 0.95)] if waited else float("inf")
        errors = sum(times for status, times in self.answers.items() if status >= 500)
        return [
            Figure("answers of 5xx", errors, 0),
            Figure("changes of the victim's game", int(changed), 0),
            Figure("memory of the server", self.peak_mb, 700, "MB"),
            Figure(f"p95 of {len(waited)} edits of another table", p95, 300, "ms"),
        ]

    def _edit(self) -> None:
        editor = Guest(self).greet()
        path = f"/api/games/{editor.start()}/actions"
        points = 0
        while not self._stop.wait(0.1):
            points += 1
            start = time.monotonic()
            editor.send_json(path, {"action": {"type": "extra", "seat": 0, "points": points % 100}})
            self.edit_ms.append((time.monotonic() - start) * 1000)

    def _sample(self) -> None:
        status = Path(f"/proc/{self.process.pid}/status")
        while not self._stop.wait(0.02):
            try:
                text = status.read_text()
            except OSError:
                return
            resident = [line for line in text.splitlines() if line.startswith("VmRSS")]
            if resident:
                self.peak_mb = max(self.peak_mb, int(resident[0].split()[1]) / 1024)

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + START_SECONDS
        while Guest(self).ask("GET", "/api/cards", timeout=5).status != 200:
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise RuntimeError(f"the server did not start: {self.log.read_text()}")
            time.sleep(0.05)
        self.answers.clear()
