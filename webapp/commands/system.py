"""Commands about this machine: ``serve``, ``doctor`` and ``bench``."""

from __future__ import annotations

import importlib
import os
import platform
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webapp.batch.photos import bytes_of
from webapp.commands.common import (
    GRIDS,
    address_for_network,
    board_option,
    corners_option,
    data_option,
    ending_signals,
    is_writable_folder,
    json_option,
    lan_address,
    profile_option,
    scheduler_option,
    tell,
)
from webapp.commands.progress import waited

if TYPE_CHECKING:
    import socket
    import ssl

    from flask import Flask

    from vision.find.corners import Corners

MOST_PORT = 65535
"""The last port that there is."""


def _names(_ctx: click.Context, _param: click.Parameter, names: tuple[str, ...]) -> list[str]:
    from webapp.guard.addresses import name_in

    try:
        return [name_in(name) for name in names]
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command(context_settings={"show_default": True})
@click.option(
    "--host",
    default="0.0.0.0",
    help="Address to listen on; 127.0.0.1 for this machine only.",
)
@click.option(
    "--port",
    default=8080,
    type=click.IntRange(1, MOST_PORT),
    help="Port to listen on.",
)
@click.option(
    "--keep-photos",
    default=90,
    type=click.IntRange(0, 36500),
    metavar="DAYS",
    help="How long photos of games are kept; 0 until the game is finished. What was read stays.",
)
@click.option(
    "--tls",
    is_flag=True,
    help="Serve https as well, with a certificate of its own: for live camera and installing.",
)
@click.option(
    "--tls-port",
    default=8443,
    type=click.IntRange(1, MOST_PORT),
    help="Port for https.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="HOST",
    callback=_names,
    help="Answer under this name, too, such as that of a proxy; may be repeated."
    " Addresses, localhost and the name of this computer are known.",
)
@click.option(
    "--new-pin",
    is_flag=True,
    help="Choose another PIN; devices that gave the old one have to give the new one.",
)
@click.option(
    "--most-gb",
    default=20,
    type=click.IntRange(1, 100_000),
    metavar="GB",
    help="How much all games and photos may take together. More is refused; nothing is deleted.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Serve in N processes behind a proxy, for many tables (extra club, DATABASE_URL). Each"
    " answers on the port of all and on one of its own, the next N.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Believe the proxy in front who asks, and whether over https (X-Forwarded-For, -Proto)."
    " Only where nobody gets past the proxy.",
)
@scheduler_option
@data_option
def serve(
    host: str,
    port: int,
    keep_photos: int,
    tls: bool,
    tls_port: int,
    names: list[str],
    new_pin: bool,
    most_gb: int,
    processes: int | None,
    behind_proxy: bool,
    scheduler: str | None,
    data_dir: Path,
) -> None:
    """Serve the page for the phones on the local network.

    Prints the address, its QR code, and the PIN with which a device may change what others taught.
    Everyone on the network can open the page; stop with Ctrl-C.
    DATABASE_URL in the environment names another database than the file in the data folder.
    """
    from webapp import create_app
    from webapp.guard import pin
    from webapp.guard.quotas import GB, Limits
    from webapp.serving import memory

    if tls and processes is not None:
        raise click.UsageError("--tls is for one process: with --processes the proxy speaks https")
    if tls and port == tls_port:
        raise click.UsageError("--port and --tls-port must differ: http and https are both served")
    memory.share_heaps()
    config = {
        "DATA_DIR": data_dir,
        "HOST": host,
        "PHOTO_DAYS": keep_photos,
        "TLS_PORT": tls_port if tls else None,
        "HOST_NAMES": names,
        "QUOTAS": Limits(total_bytes=most_gb * GB),
        "BEHIND_PROXY": behind_proxy,
        "SCHEDULER": scheduler,
    }
    if new_pin:
        pin.new_pin(data_dir)
    if processes is not None:
        _run_processes(config, host, port, processes)
        return
    app = create_app(config)
    run_server(app, host, port, data_dir if tls else None)


def run_server(app: Flask, host: str, port: int, tls_dir: Path | None = None) -> None:
    """Serve *app* until Ctrl-C; with *tls_dir*, the folder of the certificates, over https, too."""
    import signal
    import threading

    from webapp.guard.pin import pin_of
    from webapp.serving.server import WebServer, close_first

    plain = listening_on(host, port)
    listening: list[tuple[socket.socket, ssl.SSLContext | None]] = [(plain, None)]
    reached = address_for_network(host)
    shown = reached or ("127.0.0.1" if host in ("0.0.0.0", "::") else host)
    in_url = f"[{shown}]" if ":" in shown else shown
    url = f"http://{in_url}:{port}/"
    if tls_dir is not None:
        from webapp.serving.tls import certificates, server_context

        files = certificates(tls_dir, [reached] if reached else [])
        secure = listening_on(host, app.config["TLS_PORT"], "--tls-port")
        listening.append((secure, server_context(files)))
    server = WebServer(app, listening, app.config["MOST_STREAMS"])
    where = "On a phone in the same network, open" if reached else "Only this computer can open"
    click.echo(f"Tallystone is ready. {where}\n")
    click.secho(f"    {url}\n", bold=True)
    if reached:
        _print_qr(url)
    elif shown == host:
        click.echo(f"For phones, start it without --host {host}.\n")
    else:
        click.echo("For phones, connect this computer to a network and start it again.\n")
    if tls_dir is not None:
        click.echo(f"With live camera, once the phone trusts this computer (see {url}trust):\n")
        click.secho(f"    https://{in_url}:{app.config['TLS_PORT']}/\n", bold=True)
    own_pin = pin_of(app.extensions["tallystone"].data_dir)
    click.echo(f"PIN to change what other devices taught: {own_pin}\n")
    click.echo("Stop with Ctrl-C.")
    threading.Thread(target=app.extensions["tallystone"].warm_up, daemon=True).start()
    if threading.current_thread() is threading.main_thread():  # only it may handle signals
        announcements = app.extensions["tallystone_tables"].announcements
        for number in (signal.SIGINT, *ending_signals()):
            close_first(announcements, number, signal.default_int_handler)
    server.run()


def _run_processes(config: dict[str, Any], host: str, port: int, processes: int) -> None:
    """Serve in several processes until the signal to stop."""
    from webapp.guard.pin import pin_of
    from webapp.store import open_store

    try:
        from webapp.serving.processes import Processes, ports_of
    except ImportError:
        raise click.ClickException(
            "--processes needs gunicorn: pip install 'tallystone[club]'"
        ) from None
    ports = ports_of(port, processes)
    if ports[-1] > MOST_PORT:
        raise click.UsageError(
            f"--processes {processes} takes the ports {port} to {ports[-1]}, but the last is"
            f" {MOST_PORT}: choose a lower --port"
        )
    open_store(config["DATA_DIR"], os.environ.get("DATABASE_URL")).close()
    for one in ports:
        listening_on(host, one).close()
    click.echo(
        f"Tallystone serves on {host} port {port} in {processes} processes, and in each of them on "
        f"its own port, {ports[1]} to {ports[-1]}."
    )
    click.echo(f"PIN to change what other devices taught: {pin_of(config['DATA_DIR'])}")
    Processes(config, host, port, processes).run()


def listening_on(host: str, port: int, option: str = "--port") -> socket.socket:
    """A socket that listens; at ``::`` also for IPv4, where the system has both in one.

    A ``ClickException`` if it cannot; *option* chooses another port.
    """
    import errno
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = host == "::" and socket.has_dualstack_ipv6()
    try:
        return socket.create_server((host, port), family=family, dualstack_ipv6=both)
    except OSError as error:
        why = f": {error.strerror or error}"
        if error.errno == errno.EADDRINUSE:
            why = (
                ", which is taken: stop what listens there, perhaps Tallystone itself, or choose"
                f" another port with {option}"
            )
        raise click.ClickException(f"cannot listen on {host} port {port}{why}") from error


def _print_qr(url: str) -> None:
    import segno

    if sys.stdout.encoding and sys.stdout.encoding.lower().replace("-", "") == "utf8":
        segno.make(url, micro=False).terminal(compact=True)


@click.command()
@data_option
@json_option
@click.pass_context
def doctor(ctx: click.Context, data_dir: Path, as_json: bool) -> None:
    """Check Python, libraries, models, data folder, network, profiles, games and backups.

    The exit status is 1 if anything needed is missing or damaged.
    """
    from webapp.after.keeping import check_everything

    no_network = "no local network: phones cannot reach this machine, the commands work"
    checks: list[tuple[str, Callable[[], tuple[bool, str]]]] = [
        ("python", _check_python),
        ("opencv", _check_opencv),
        ("onnxruntime", _check_onnxruntime),
        ("models", _check_models),
        ("data", lambda: _check_data(data_dir)),
        ("key", lambda: _check_key(data_dir)),
        ("profiles", lambda: _check_profiles(data_dir)),
        ("network", lambda: (True, lan_address() or no_network)),
    ]
    healthy = True
    for name, check in checks:
        try:
            good, detail = check()
        except Exception as error:  # whatever is broken is what this command is here to tell
            good, detail = False, f"{type(error).__name__}: {error}"
        healthy &= _tell(name, good, detail, as_json)
    everything = check_everything(data_dir, os.environ.get("DATABASE_URL"))
    for kept in waited("looking through what is kept", everything):
        healthy &= _tell(kept.name, kept.is_good, kept.detail, as_json)
    if not healthy:
        ctx.exit(1)


def _tell(name: str, good: bool, detail: str, as_json: bool) -> bool:
    """Print the outcome of one check and pass on whether it was good."""
    mark = click.style("ok  ", fg="green") if good else click.style("FAIL", fg="red", bold=True)
    document = {"check": name, "ok": good, "detail": detail}
    tell(document, f"{mark} {name:<12} {detail}", as_json)
    return good


def _check_python() -> tuple[bool, str]:
    shown = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return sys.version_info >= (3, 11), shown


def _check_opencv() -> tuple[bool, str]:
    import cv2

    return True, str(cv2.__version__)


def _check_onnxruntime() -> tuple[bool, str]:
    from importlib import metadata

    importlib.import_module("models.session")  # loads it only once its telemetry is off
    return True, metadata.version("onnxruntime")


def _check_models() -> tuple[bool, str]:
    from models.registry import check, manifest

    for name in manifest():
        check(name)
    return True, ", ".join(f"{entry.name} {entry.version}" for entry in manifest().values())


def _check_data(data_dir: Path) -> tuple[bool, str]:
    if is_writable_folder(data_dir):
        return True, str(data_dir) + ("" if data_dir.is_dir() else " (will be made when needed)")
    return False, f"{data_dir} cannot be written to"


def _check_key(data_dir: Path) -> tuple[bool, str]:
    from webapp.guard.security import KEY_FILE, secret_key
    from webapp.store import StoreError

    if not (data_dir / KEY_FILE).is_file():
        return True, "will be made when needed"
    try:
        return True, f"{len(secret_key(data_dir))} bytes"
    except StoreError as error:
        return False, str(error)


def _check_profiles(data_dir: Path) -> tuple[bool, str]:
    from calibration.profiles import damaged_profiles, list_profiles

    damaged = [one.problem for one in damaged_profiles(data_dir)]
    return not damaged, "; ".join(damaged) or f"{len(list_profiles(data_dir))} taught"


@click.group()
def bench() -> None:
    """Measure how fast this machine is."""


@bench.command("rules")
@json_option
def bench_rules(as_json: bool) -> None:
    """Time the scoring rules on random states."""
    _tell_all(_measuring("scorer.bench").run(), as_json)


@bench.command("read")
@click.argument("photos", nargs=-1, metavar="[PHOTO]...")
@board_option(GRIDS, required=False)
@profile_option
@corners_option
@data_option
@json_option
def bench_read(
    photos: tuple[str, ...],
    board: str | None,
    profile: str | None,
    corners: Corners | None,
    data_dir: Path,
    as_json: bool,
) -> None:
    """Time the reading of each PHOTO, or of the bundled ones, stage by stage.

    Each is enlarged to 12 megapixels first, smooth and with the grain of a phone's photo.
    """
    module = _measuring("calibration.bench")
    if not (photos or board or profile or corners):
        _tell_all(module.run(), as_json)
        return
    if not photos or board is None:
        raise click.UsageError("name the photos and their --board, or nothing at all")
    if board == "cards":
        raise click.UsageError("pattern cards are not timed: name another --board")
    from calibration.boards import open_board
    from calibration.reader import open_reader

    reader = open_reader(open_board(board), profile, data_dir)
    tasks = [module.Task(photo, bytes_of(photo), reader, corners) for photo in photos]
    _tell_all(module.run(tasks), as_json)


def _measuring(name: str) -> Any:
    """The module of that name, which measures. A ``ClickException`` if something it needs is
    missing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise click.ClickException(f"this installation cannot measure that: {error}") from error


def _tell_all(rows: Iterable[dict[str, Any]], as_json: bool) -> None:
    """Print what is measured as it comes. The exit status is 1 if every photo is refused."""
    measured = 0
    for row in waited("measuring", rows):
        refused = not row.get("found", True)
        measured += not refused
        if refused and not as_json:
            click.echo(f"{row['photo']}: {row['message']}", err=True)
        else:
            tell(row, "  ".join(f"{key} {value}" for key, value in row.items()), as_json)
    if not measured:
        click.get_current_context().exit(1)
