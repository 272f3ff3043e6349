"""Measures a club: tables of listening phones on several processes and one PostgreSQL.

    python tests/webapp/club.py --processes 4 --tables 10 --edits 10000
    python tests/webapp/club.py --processes 2 --tables 200 --seconds 30
    python tests/webapp/club.py --processes 2 --tables 5 --seconds 60 --away 30
    python tests/webapp/club.py --processes 2 --tables 5 --seconds 30 --senders 4 --workers 2

The first has every phone edit as fast as it is answered and looks for every acknowledged edit in
the database. The second has one edit a second at each table. Both print percentiles of the time
until an edit is answered, and until all phones of the table have heard of it. In the last one other
phones send photos meanwhile, which are read on Dask, or in the app without ``--workers``.
"""

import argparse
import asyncio
import gzip
import hmac
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from changes import SETUPS
from sqlalchemy import select
from store.cluster import Server, cluster

from webapp import create_app
from webapp.store import Event, Game, open_store

ROOT = Path(__file__).parents[2]
START_S = 120
BEGIN_S = 8
TICKS = os.sysconf("SC_CLK_TCK")
NEVER_GIVEN = range(20_000, 32_000)
"""Ports below those that Linux gives to connections."""
IDLE_S = 0.05
"""Processor time within a second, of a server that does nothing."""
BOARD = {"name": "meadow", "rows": [2, 3], "cols": [2, 3], "empty": True}
PHOTO = ROOT / "fixtures" / "photos" / "medium_1.jpg"
PLAYERS = [{"name": name, "colour": "red"} for name in ("Ann", "Bob", "Cem", "Dia")]


@dataclass
class Phone:
    """One device at a table: its cookie and token, and which versions it heard of when.

    ``port`` is where it reaches the server.
    """

    code: str
    seat: int
    cookie: str
    token: str
    port: int = 0
    heard: list[tuple[float, int]] = field(default_factory=list)


@dataclass
class Edit:
    """One acknowledged change: when it was sent and answered, and the version it made."""

    code: str
    key: str
    sent: float
    answered: float
    version: int


def tables(app: Any, count: int, phones: int, kind: str = "custom") -> list[list[Phone]]:
    """Tables with a phone on each seat, put straight into the database."""
    here = app.extensions["tallystone_tables"]
    signing = app.session_interface.get_signing_serializer(app)
    found = []
    for _ in range(count):
        options = {"board": BOARD} if kind == "custom" else SETUPS[kind]["options"]
        setup = {"players": PLAYERS[:phones], "options": options}
        devices = [secrets.token_urlsafe(32) for _ in range(phones)]
        code = here.games.start(kind, setup, devices[0], 0)
        for seat, device in enumerate(devices[1:], 1):
            here.members.join(code, device, seat)
        found.append(
            [
                Phone(
                    code,
                    seat,
                    signing.dumps({"device": device, "_permanent": True}),
                    hmac.digest(app.secret_key, b"csrf:" + device.encode(), "sha256").hex(),
                )
                for seat, device in enumerate(devices)
            ]
        )
    return found


async def listen(phone: Phone, ready: asyncio.Event) -> None:
    """Hear events until cancelled; comes back as browsers do."""
    while True:
        last = phone.heard[-1][1] if phone.heard else 0
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", phone.port, limit=2**20)
            writer.write(
                f"GET /api/games/{phone.code}/events?since={last} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"Cookie: tallystone={phone.cookie}\r\n\r\n".encode()
            )
            status = await reader.readline()
            if b" 200 " not in status:
                raise ConnectionError(status.decode(errors="replace"))
            ready.set()
            while line := await reader.readline():
                if line.startswith(b"id:"):
                    phone.heard.append((time.perf_counter(), int(line[3:])))
        except (OSError, ValueError) as error:
            if not ready.is_set():
                print(f"a phone cannot listen: {error}", file=sys.stderr)
        await asyncio.sleep(0.7)


class Sender:
    """Sends the edits of one phone over one connection, each until it is answered."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self._streams: Any = None
        self.repeated = 0

    async def edit(self, number: int) -> Edit:
        key = f"{self.phone.seat}-{number}-{secrets.token_hex(4)}"
        action = {"type": "extra", "seat": self.phone.seat, "points": number}
        body = json.dumps({"action": action, "key": key}).encode()
        sent = time.perf_counter()
        while True:
            try:
                answer = await self._ask("actions", "application/json", body)
                return Edit(self.phone.code, key, sent, time.perf_counter(), answer["version"])
            except (OSError, asyncio.IncompleteReadError, ValueError, KeyError):
                self._streams = None
                self.repeated += 1
                await asyncio.sleep(0.3)

    async def photo(self, jpeg: bytes) -> float:
        """Seconds until a photo is read and kept."""
        part = b'--part\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
        body = part + jpeg + b"\r\n--part--\r\n"
        sent = time.perf_counter()
        await self._ask("photos", "multipart/form-data; boundary=part", body)
        return time.perf_counter() - sent

    async def _ask(self, path: str, kind: str, body: bytes) -> Any:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.phone.port)
        reader, writer = self._streams
        writer.write(
            f"POST /api/games/{self.phone.code}/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Cookie: tallystone={self.phone.cookie}\r\nX-CSRF-Token: {self.phone.token}\r\n"
            f"Accept-Encoding: gzip\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        answer = await reader.readexactly(int(length[1]) if length else 0)
        if re.search(r"connection: close", head, re.IGNORECASE):
            self._streams = None
        if " 20" not in head.partition("\r\n")[0]:
            raise ValueError(answer[:200])
        is_packed = re.search(r"content-encoding: gzip", head, re.IGNORECASE)
        return json.loads(gzip.decompress(answer) if is_packed else answer)


class Meter:
    """Processor time while edits are sent, and how long that takes."""

    def __init__(self, server: int, database: Path) -> None:
        self._server, self._database = str(server), database

    def start(self) -> None:
        self._before = self._read()

    def stop(self) -> None:
        used = (now - then for now, then in zip(self._read(), self._before, strict=True))
        self.seconds, self.server, self.database, self.phones, self.all = used

    def _read(self) -> tuple[float, ...]:
        postmaster = (self._database / "postmaster.pid").read_text().split()[0]
        busy = Path("/proc/stat").read_text().split()[1:9]
        idle = int(busy[3]) + int(busy[4])
        return (
            time.perf_counter(),
            _cpu(self._server),
            _cpu(postmaster),
            time.process_time(),
            (sum(map(int, busy)) - idle) / TICKS,
        )

    def tell(self, edits: int) -> None:
        print(f"{edits / self.seconds:.0f} edits a second over {self.seconds:.0f} s")
        ms = 1000 / edits
        print(
            f"processor time of an edit and its pushes: {ms * self.server:.1f} ms of the server, "
            f"{ms * self.database:.1f} of PostgreSQL, {ms * self.phones:.1f} of these phones"
        )
        others = self.all - self.server - self.database - self.phones
        parts = {"server": self.server, "PostgreSQL": self.database, "phones": self.phones}
        shares = (parts | {"anything else": others}).items()
        told = ", ".join(f"{name} {100 * used / self.seconds:.0f} %" for name, used in shares)
        print(f"processors busy: {told}, of {100 * (os.cpu_count() or 1)} %")


def _cpu(pid: str) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = sum(map(int, fields[11:15])) / TICKS  # ended children included
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(map(_cpu, children))


async def warm_up(senders: list[list[Phone]]) -> None:
    """Have whoever reads open its networks."""
    jpeg = PHOTO.read_bytes()
    await asyncio.gather(*(Sender(one[0]).photo(jpeg) for one in senders))


async def send_photos(phone: Phone, times: list[float]) -> None:
    """Send a photo again and again until cancelled, each as soon as the last one is read."""
    jpeg, sender = PHOTO.read_bytes(), Sender(phone)
    while True:
        try:
            times.append(await sender.photo(jpeg))
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            print(f"a photo is refused: {error}", file=sys.stderr)
            await asyncio.sleep(1)


async def play(
    groups: list[list[Phone]],
    senders: list[list[Phone]],
    args: argparse.Namespace,
    photos: list[float],
    meter: Meter,
) -> list[Edit]:
    """Let all phones listen and edit; gives what was acknowledged, and until photos were read."""
    phones = [phone for group in groups for phone in group]
    readies = [asyncio.Event() for _ in phones]
    listening = [
        asyncio.create_task(listen(phone, ready))
        for phone, ready in zip(phones, readies, strict=True)
    ]
    await asyncio.wait_for(asyncio.gather(*(one.wait() for one in readies)), START_S)
    listening += [asyncio.create_task(send_photos(one[0], photos)) for one in senders]
    print(f"{len(phones)} phones listen", flush=True)
    done: list[Edit] = []
    meter.start()
    if args.edits:
        each = args.edits // len(phones)

        async def hurry(phone: Phone) -> None:
            sender = Sender(phone)
            for number in range(each):
                done.append(await sender.edit(number))

        await asyncio.gather(*map(hurry, phones))
    else:

        async def pace(at: int, group: list[Phone]) -> None:
            senders = [Sender(phone) for phone in group]
            start = time.perf_counter() + at / len(groups)
            for number in range(int(args.seconds * args.rate)):
                await asyncio.sleep(max(0.0, start + number / args.rate - time.perf_counter()))
                done.append(await senders[number % len(senders)].edit(number))

        await asyncio.gather(*(pace(at, group) for at, group in enumerate(groups)))
    meter.stop()
    await asyncio.sleep(2)
    for one in listening:
        one.cancel()
    return done


def told(name: str, times: list[float]) -> None:
    times.sort()
    parts = [
        f"p{p} {1000 * times[min(len(times) - 1, len(times) * p // 100)]:.0f} ms"
        for p in (50, 95, 99)
    ]
    print(f"{name}: {', '.join(parts)}, worst {1000 * times[-1]:.0f} ms", flush=True)


def compare(groups: list[list[Phone]], done: list[Edit], folder: Path, url: str) -> None:
    """Look for every acknowledged edit, and for what each phone heard last."""
    store = open_store(folder, url)
    with store.reading() as session:
        rows = session.execute(
            select(Game.code, Event.seq, Event.request_key)
            .join(Event, Event.game_id == Game.id)
            .where(Event.request_key.is_not(None))
        ).all()
        versions = dict(iter(session.execute(select(Game.code, Game.version))))
    store.close()
    kept = [key for _, _, key in rows]
    acknowledged = {edit.key for edit in done}
    orders = [[version for _, version in phone.heard] for group in groups for phone in group]
    behind = sum(
        not phone.heard or phone.heard[-1][1] != versions[phone.code]
        for group in groups
        for phone in group
    )
    print(
        f"{len(done)} acknowledged, {len(acknowledged - set(kept))} lost, "
        f"{len(kept) - len(set(kept))} doubled, "
        f"{sum(order != sorted(set(order)) for order in orders)} phones heard them out of order, "
        f"{behind} did not hear of the last"
    )


def hearing(groups: list[list[Phone]], done: list[Edit]) -> list[float]:
    """For each edit, until the last phone of its table heard of it or of a newer one."""
    phones = {group[0].code: group for group in groups}
    found = []
    for edit in done:
        first = [
            next((at for at, version in phone.heard if version >= edit.version), None)
            for phone in phones[edit.code]
        ]
        if None not in first:
            found.append(max(at - edit.sent for at in first if at is not None))
    return found


def wait_until_idle(server: int) -> None:
    """Wait until all processes of the server are loaded."""
    used = -1.0
    while (now := _cpu(str(server))) > used + IDLE_S:
        used = now
        time.sleep(1)


def memory_mb(pid: int) -> list[float]:
    """Memory of a process's children that is theirs alone or shared in parts (PSS)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split() or [str(pid)]
    sizes = []
    for child in children:
        rollup = Path(f"/proc/{child}/smaps_rollup").read_text()
        sizes.append(int(re.search(r"Pss:\s+(\d+)", rollup)[1]) / 1024)  # type: ignore[index]
    return sizes


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--processes", type=int, default=2, help="0: one, with waitress")
    parser.add_argument(
        "--anywhere", action="store_true", help="let a phone land on any process, not its table's"
    )
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--phones", type=int, default=4, help="at each table")
    parser.add_argument("--edits", type=int, default=0, help="in all, as fast as they are answered")
    parser.add_argument("--seconds", type=int, default=30, help="how long all tables edit")
    parser.add_argument("--rate", type=float, default=1, help="edits a second at each table")
    parser.add_argument("--away", type=int, default=0, help="seconds that the database is stopped")
    parser.add_argument("--senders", type=int, default=0, help="phones that send photos meanwhile")
    parser.add_argument("--workers", type=int, default=0, help="of Dask, that read the photos")
    args = parser.parse_args()
    with (
        cluster(durable=True) as database,
        tempfile.TemporaryDirectory() as made,
        dask(args.workers) as scheduler,
    ):
        folder = Path(made)
        open_store(folder, database.url, migrating=True).close()
        app = create_app({"DATA_DIR": folder, "DATABASE_URL": database.url})
        groups = tables(app, args.tables, args.phones)
        senders = tables(app, args.senders, 1, "stones")
        app.extensions["tallystone_store"].close()
        port, *own = free_ports(1 + args.processes)
        for phone in (phone for group in groups + senders for phone in group):
            routed = own and not args.anywhere
            phone.port = own[zlib.crc32(phone.code.encode()) % len(own)] if routed else port
        command = [sys.executable, "-m", "webapp", "serve", "--host", "127.0.0.1"]
        command += ["--port", str(port), "--data", made, *scheduler]
        command += ["--processes", str(args.processes)] if args.processes else []
        server = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | {"DATABASE_URL": database.url},
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for(port)
            wait_until_idle(server.pid)
            asyncio.run(warm_up(senders))
            meter = Meter(server.pid, database.data)
            if args.away:
                threading.Thread(target=stop_for, args=(database, args.away)).start()
            photos: list[float] = []
            done = asyncio.run(play(groups, senders, args, photos, meter))
            meter.tell(len(done))
            if photos:
                print(f"{len(photos) / meter.seconds:.1f} photos a second")
                told("a photo is read", photos)
            print("memory:", ", ".join(f"{size:.0f} MB" for size in memory_mb(server.pid)))
        finally:
            server.send_signal(signal.SIGTERM)
            ended = time.perf_counter()
            server.wait(60)
        print(f"stopped after {time.perf_counter() - ended:.1f} s with status {server.returncode}")
        told("an edit is answered", [edit.answered - edit.sent for edit in done])
        told("the last phone has heard", hearing(groups, done))
        compare(groups, done, folder, database.url)


def stop_for(database: Server, seconds: float) -> None:
    """Let the phones begin, then stop the database for so long, in the middle of what it does."""
    time.sleep(BEGIN_S)
    database.stop()
    time.sleep(seconds)
    database.start()
    print(f"the database was away for {seconds} s", flush=True)


def free_ports(count: int) -> list[int]:
    """So many free ports in a row, of those that no connection is given before they are used."""
    while True:
        ports = [*range(first := secrets.choice(NEVER_GIVEN), first + count)]
        with ExitStack() as held:
            try:
                for port in ports:
                    held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
        return ports


@contextmanager
def dask(workers: int) -> Iterator[list[str]]:
    """A scheduler with so many workers; gives the options of ``serve`` that name it."""
    if not workers:
        yield []
        return
    from distributed import Client

    address = f"tcp://127.0.0.1:{free_ports(1)[0]}"
    program = [sys.executable, "-m"]
    host = ["--host", "127.0.0.1", "--no-dashboard"]
    env = os.environ | {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
    env |= {"DASK_LOGGING__DISTRIBUTED": "error"}
    port = address.rpartition(":")[2]
    run = ("distributed.cli.dask_scheduler", "--port", port), (
        "distributed.cli.dask_worker", address, "--nworkers", str(workers), "--nthreads", "1",
    )  # fmt: skip
    started = [subprocess.Popen([*program, *words, *host], env=env, cwd=ROOT) for words in run]
    try:
        with Client(address, timeout=START_S, set_as_default=False) as client:
            client.wait_for_workers(workers, START_S)
        yield ["--scheduler", address]
    finally:
        for one in started:
            one.terminate()
        for one in started:
            one.wait(60)


def wait_for(port: int) -> None:
    end = time.monotonic() + START_S
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    main()
