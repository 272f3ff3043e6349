"""Archives: bombs, files of guessed codes, long ones, and games changed at random."""

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from changes import CHANGES, SETUPS
from guard.archives import BOMBS, document_of, mutations

from attacks.harness import Answer, Figure, Guest, Target

MUTANTS_EACH = 60
GUESSES = 900
"""Games with guessed codes in one file."""

LONG_GAMES = 40
LONG_CHANGES = 300
PAGES = ("after", "audit", "report.html")


def attack(target: Target) -> Iterator[Figure]:
    guest = target.guest()
    games = {kind: _played(guest, kind) for kind in SETUPS}
    yield from _bombs(target)
    yield Figure("codes learnt", _codes_learnt(target, games["custom"]), 0)
    yield from _long(target, guest)
    broken = taken = 0
    forger = target.guest()
    for kind, game in games.items():
        for mutant in mutations(game, MUTANTS_EACH, seed=len(kind)):
            if _send(forger, document_of(mutant)).status == 200:
                taken += 1
                for code in _codes(forger):
                    broken += sum(
                        forger.ask("GET", f"/g/{code}/{page}").status != 200 for page in PAGES
                    )
                    forger.send_form(f"/g/{code}/delete", {"csrf_token": forger.token})
                broken += forger.ask("GET", "/history").status != 200
                broken += forger.ask("GET", "/history/export.zip").status != 200
    sent = MUTANTS_EACH * len(games)
    yield Figure(f"broken pages of {taken} games that were taken of {sent} changed ones", broken, 0)


def _bombs(target: Target) -> Iterator[Figure]:
    files = [bomb() for bomb in BOMBS]
    guests = [target.guest() for _ in files]
    start = time.monotonic()
    with ThreadPoolExecutor(len(files)) as pool:
        list(pool.map(_send, guests, files))
    for file in files:
        _send(guests[0], file)
    packed = sum(map(len, files)) / 1e6
    yield Figure(
        f"{len(files)} bombs, at once and one by one, {packed:.1f} MB packed",
        time.monotonic() - start,
        60,
        "s",
    )


def _codes_learnt(target: Target, game: dict[str, Any]) -> int:
    """Whether a file that names the victim's code gets another answer than one without."""
    learnt = 0
    answers = []
    for code in (target.victim_code, "222222"):
        guesser = target.guest()
        games = [
            game | {"code": code if number == 7 else f"{number:06}"}
            for number in range(GUESSES // 2)
        ]
        games = [
            one | {"created_utc": f"2026-01-01T10:{n // 60:02}:{n % 60:02}+00:00"}
            for n, one in enumerate(games)
        ]
        page = _send(guesser, document_of(*games)).body.decode()
        found = re.search(r"(\d+) games? taken in, (\d+) (?:was|were) here", page)
        answers.append(found and found.groups())
        learnt += target.victim_code in page
    return learnt + (answers[0] != answers[1] or answers[0] is None)


def _long(target: Target, guest: Guest) -> Iterator[Figure]:
    """Long games that are all right: how long an edit of another table waits at most."""
    code = guest.start(board={"name": "field", "rows": 12, "cols": 12, "empty": True})
    text = " / ".join([" ".join(["meadow"] * 12)] * 12)
    act = f"/api/games/{code}/actions"
    guest.send_json(act, {"action": {"type": "board", "seat": 0, "text": text}})
    for number in range(LONG_CHANGES):
        row, col = divmod(number % 144, 12)
        change = {"type": "cell", "seat": 0, "row": row, "col": col, "label": f"oak{number}"}
        guest.send_json(act, {"action": change})
    game = _finished(guest, code)
    games = [game | {"created_utc": f"2026-02-01T10:00:{n:02}+00:00"} for n in range(LONG_GAMES)]
    before = len(target.edit_ms)
    start = time.monotonic()
    for one in games:
        _send(guest, document_of(one))
    yield Figure(f"{LONG_GAMES} games of {LONG_CHANGES} changes", time.monotonic() - start, 60, "s")
    yield Figure(
        "longest wait of an edit meanwhile", max(target.edit_ms[before:], default=0), 1500, "ms"
    )


def _played(guest: Guest, kind: str) -> dict[str, Any]:
    answer = guest.send_json("/api/games", {"kind": kind, "setup": SETUPS[kind], "seat": 0})
    code = str(answer.json["code"])
    for action in CHANGES[kind]:
        guest.send_json(f"/api/games/{code}/actions", {"action": action})
    guest.send_json(f"/api/games/{code}/undo", {})
    return _finished(guest, code)


def _finished(guest: Guest, code: str) -> dict[str, Any]:
    guest.send_json(f"/api/games/{code}/actions", {"action": {"type": "finish"}})
    exported = guest.ask("GET", "/history/export.json").json["games"]
    (game,) = [game for game in exported if game["code"] == code]
    found: dict[str, Any] = game
    return found


def _codes(guest: Guest) -> list[str]:
    return [game["code"] for game in guest.ask("GET", "/api/games").json["games"]]


def _send(guest: Guest, data: bytes) -> Answer:
    return guest.send_files("/history/import", [("file", data)], {"csrf_token": guest.token})
