"""A PostgreSQL server of the tests' own, where one is installed."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, create_engine

from webapp.store.engine import place_of

USER = "postgres"
"""Whom the server runs as where the tests run as root, which it refuses to be."""


def programs() -> Path | None:
    """The folder of initdb and pg_ctl: that of PATH, or the newest of Debian's."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).resolve().parent] if on_path else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in found if (folder / "pg_ctl").is_file()), None)


ADVICE = "apt install postgresql, pip install 'psycopg[binary]'"


def can_run() -> bool:
    """Whether there is a server, its driver and, for root, its user."""
    if sys.platform == "win32" or programs() is None:
        return False
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return False
    return (
        os.getuid() != 0
        or subprocess.run(["id", USER], capture_output=True, check=False).returncode == 0
    )


class Server:
    """One server with a folder of its own; ``url`` is the address of its only database."""

    def __init__(self, home: str, durable: bool) -> None:
        folder = programs()
        assert folder is not None
        self._folder = folder
        self._user = USER if os.getuid() == 0 else None
        self._home = home
        if self._user:
            shutil.chown(home, self._user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._data = f"{home}/data"
        self.data = Path(self._data)
        self._options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={home}"
            f" -c fsync={'on' if durable else 'off'}"
        )
        self.url = f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"
        options = ["-U", USER, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]
        self.run("initdb", "-D", self._data, *options)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's own programs."""
        subprocess.run(
            [str(self._folder / program), *arguments],
            check=True,
            user=self._user,
            stdout=subprocess.DEVNULL,
            cwd="/tmp",
        )

    def start(self) -> None:
        log = f"{self._home}/log"
        self.run("pg_ctl", "-D", self._data, "-w", "-l", log, "-o", self._options, "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-D", self._data, "-w", "-m", "immediate", "stop")


@contextmanager
def cluster(durable: bool = False) -> Iterator[Server]:
    """A fresh server on a free port; *durable* has it wait for the disk, as servers do."""
    with tempfile.TemporaryDirectory() as home:
        server = Server(home, durable)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def changing(url: str | None, data_dir: Path = Path()) -> Iterator[Connection]:
    """A connection to a database behind the program's back; it is closed whatever happens."""
    engine = create_engine(place_of(data_dir, url))
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()
