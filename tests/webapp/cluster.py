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

USER = "postgres"
"""Whom the server runs as where the tests run as root, which it refuses to be."""


def programs() -> Path | None:
    """The folder of initdb and pg_ctl: that of PATH, or the newest of Debian's."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).resolve().parent] if on_path else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in found if (folder / "pg_ctl").is_file()), None)


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


@contextmanager
def cluster() -> Iterator[str]:
    """A fresh server on a free port; gives the address of its only database."""
    folder = programs()
    assert folder is not None
    user = USER if os.getuid() == 0 else None

    def run(program: str, *arguments: str) -> None:
        command = [str(folder / program), *arguments]
        subprocess.run(command, check=True, user=user, stdout=subprocess.DEVNULL, cwd="/tmp")

    with tempfile.TemporaryDirectory() as home:
        if user:
            shutil.chown(home, user)
        data = f"{home}/data"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        run(
            "initdb", "-D", data, "-U", USER, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"
        )
        options = (
            f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={home} -c "
            "fsync=off"
        )
        run("pg_ctl", "-D", data, "-w", "-l", f"{home}/log", "-o", options, "start")
        try:
            yield f"postgresql://{USER}@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
