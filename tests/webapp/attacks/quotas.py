"""Guests that fill the disk with games, states and photos; pages with very many games."""

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tables.many_games import fill

from attacks.harness import ROOT, Figure, Target
from webapp.store import open_store

SECONDS = 20
GAMES = 20_000
PHOTO = ROOT / "calibration" / "demo" / "easy_1.jpg"
PAGES = {
    "/": 100,
    "/start/custom": 300,
    "/history": 300,
    "/history?page=300": 300,
    "/history/statistics": 500,
}
"""Pages of a device with many games, and the milliseconds that each may take."""


def attack(target: Target) -> Iterator[Figure]:
    before = _size(target.folder)
    end = time.monotonic() + SECONDS
    with ThreadPoolExecutor(6) as pool:
        tasks = [pool.submit(_fill, target, end) for _ in range(4)]
        tasks += [pool.submit(_photograph, target, end) for _ in range(2)]
        refusals = [task.result() for task in tasks]
    written = (_size(target.folder) - before) / 1e6
    yield Figure(f"written in {SECONDS} s", written, 300, "MB")
    yield Figure("guests that were never refused", sum(not refused for refused in refusals), 0)
    yield from _many_games(target)


def _many_games(target: Target) -> Iterator[Figure]:
    guest = target.victim
    database = sqlite3.connect(target.folder / "data" / "tallystone.sqlite3")
    find = "SELECT token_hash FROM member JOIN game ON game.id = member.game_id WHERE game.code = ?"
    (device,) = database.execute(find, (target.victim_code,)).fetchone()
    database.close()
    store = open_store(target.folder / "data")
    fill(store, GAMES, device)
    store.close()
    for page, most in PAGES.items():
        times = []
        for _ in range(7):
            start = time.monotonic()
            answer = guest.ask("GET", page)
            times.append((time.monotonic() - start) * 1000)
            assert answer.status == 200, page
        yield Figure(f"{page} of a device with {GAMES:,} games", sorted(times)[3], most, "ms")


def _fill(target: Target, end: float) -> int:
    """Start games with large boards as new devices, fill their logs, and count the refusals."""
    refused = 0
    text = " / ".join([" ".join(["x" * 40] * 32)] * 32)
    board = {"name": "wall", "rows": [32, 32], "cols": [32, 32], "empty": True}
    while time.monotonic() < end:
        guest = target.guest()
        players = [{"name": f"Player {seat}", "colour": "red"} for seat in range(8)]
        setup = {"players": players, "options": {"board": board}}
        answer = guest.send_json("/api/games", {"kind": "custom", "setup": setup, "seat": 0})
        if answer.status != 201:
            refused += 1
            time.sleep(0.02)
            continue
        for number in range(40):
            action = {"type": "board", "seat": number % 8, "text": text}
            path = f"/api/games/{answer.json['code']}/actions"
            if guest.send_json(path, {"action": action}).status != 200:
                refused += 1
                break
    return refused


def _photograph(target: Target, end: float) -> int:
    refused = 0
    photo = PHOTO.read_bytes()
    while time.monotonic() < end:
        guest = target.guest()
        setup = {"players": [{"name": "Ann", "colour": "red"}]}
        answer = guest.send_json("/api/games", {"kind": "stones", "setup": setup, "seat": 0})
        if answer.status != 201:
            refused += 1
            time.sleep(0.02)
            continue
        for _ in range(20):
            path = f"/api/games/{answer.json['code']}/photos"
            sent = guest.send_files(path, [("photo", photo)], {"board": "stones"})
            refused += sent.status != 201
    return refused


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
