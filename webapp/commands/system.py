"""Commands about this machine: ``serve``, ``doctor`` and ``bench``."""

from __future__ import annotations

import importlib
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from webapp.commands.common import data_option, is_writable_folder, json_option, lan_address, print_json

if TYPE_CHECKING:
    from flask import Flask

SERVE_THREADS = 16
"""One process with 16 threads serves a table of phones; reading itself is limited in ``webapp.service``."""

SERVE_MAX_BODY = 32 * 1024 * 1024
"""Bytes after which the server hangs up; up to here the app answers a too large photo with a page."""


@click.command()
@click.option(
    "--host",
    default="0.0.0.0",
    show_default=True,
    help="Address to listen on; 127.0.0.1 for this machine only.",
)
@click.option(
    "--port", default=8080, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on."
)
@data_option
def serve(host: str, port: int, data_dir: Path) -> None:
    """Serve the page for the phones on the local network.

    Prints the address and a QR code of it. Everyone on the network can open the page; stop with Ctrl-C.
    """
    from webapp import create_app

    app = create_app({"DATA_DIR": data_dir})
    run_server(app, host, port)


def run_server(app: Flask, host: str, port: int) -> None:
    """Serve *app* until Ctrl-C."""
    import socket
    import threading

    import waitress

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise click.ClickException(
            f"cannot listen on {host} port {port}: {error.strerror or error}"
        ) from error
    server = waitress.create_server(
        app, sockets=[listening], threads=SERVE_THREADS, max_request_body_size=SERVE_MAX_BODY, ident=None
    )
    shown = (lan_address() or "127.0.0.1") if host in ("0.0.0.0", "::") else host
    url = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
    click.echo("Tallystone is ready. On a phone in the same network, open\n")
    click.secho(f"    {url}\n", bold=True)
    if shown != "127.0.0.1":
        _print_qr(url)
    click.echo("Stop with Ctrl-C.")
    threading.Thread(target=app.extensions["tallystone"].warm_up, daemon=True).start()
    try:
        server.run()
    finally:
        server.close()


def _print_qr(url: str) -> None:
    import segno

    if sys.stdout.encoding and sys.stdout.encoding.lower().replace("-", "") == "utf8":
        segno.make(url, micro=False).terminal(compact=True)


@click.command()
@data_option
@json_option
@click.pass_context
def doctor(ctx: click.Context, data_dir: Path, as_json: bool) -> None:
    """Check this installation: Python, libraries, model files, data folder, network.

    The exit status is 1 if anything needed is missing or damaged.
    """
    checks: list[tuple[str, Callable[[], tuple[bool, str]]]] = [
        ("python", _check_python),
        ("opencv", _check_opencv),
        ("onnxruntime", lambda: (True, _version_of("onnxruntime"))),
        ("models", _check_models),
        ("data", lambda: _check_data(data_dir)),
        ("network", _check_network),
    ]
    healthy = True
    for name, check in checks:
        try:
            good, detail = check()
        except Exception as error:  # whatever is broken is what this command is here to tell
            good, detail = False, f"{type(error).__name__}: {error}"
        healthy &= good
        if as_json:
            print_json({"check": name, "ok": good, "detail": detail})
        else:
            mark = click.style("ok  ", fg="green") if good else click.style("FAIL", fg="red", bold=True)
            click.echo(f"{mark} {name:<12} {detail}")
    if not healthy:
        ctx.exit(1)


def _check_python() -> tuple[bool, str]:
    return sys.version_info >= (
        3,
        11,
    ), f"{platform.python_version()} on {platform.system()} {platform.machine()}"


def _check_opencv() -> tuple[bool, str]:
    import cv2

    return True, str(cv2.__version__)


def _check_models() -> tuple[bool, str]:
    from models.registry import manifest, weights

    for name in manifest():
        weights(name)  # raises unless the hash is that of the manifest
    return True, ", ".join(f"{entry.name} {entry.version}" for entry in manifest().values())


def _check_data(data_dir: Path) -> tuple[bool, str]:
    if is_writable_folder(data_dir):
        return True, str(data_dir) + ("" if data_dir.is_dir() else " (will be made when needed)")
    return False, f"{data_dir} cannot be written to"


def _check_network() -> tuple[bool, str]:
    address = lan_address()
    return (
        True,
        address if address else "no local network: phones cannot reach this machine, the commands work",
    )


def _version_of(package: str) -> str:
    from importlib import metadata

    importlib.import_module(package)
    return metadata.version(package)


@click.group()
def bench() -> None:
    """Measure how fast this machine is."""


@bench.command("rules")
@json_option
def bench_rules(as_json: bool) -> None:
    """Time the scoring rules on random states."""
    _bench("scorer.bench", as_json)


@bench.command("read")
@json_option
def bench_read(as_json: bool) -> None:
    """Time the reading of the bundled photos, stage by stage."""
    _bench("calibration.bench", as_json)


def _bench(module: str, as_json: bool) -> None:
    """Print the rows that ``run()`` of *module* measures, as they come."""
    try:
        rows = importlib.import_module(module).run()
    except ModuleNotFoundError as error:
        raise click.ClickException(f"this installation cannot measure that: {error}") from error
    for row in rows:
        if as_json:
            print_json(row)
        else:
            click.echo("  ".join(f"{key} {value}" for key, value in row.items()))
