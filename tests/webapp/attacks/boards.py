"""Board descriptions that are deep, dotted or long, and changes with huge or wrong fields."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from attacks.harness import OWN_BOARD, PLAYERS, Answer, Figure, Guest, Target

DESCRIPTIONS = (
    "a." * 30_000 + "a=1",
    "a." * 3_900 + "a=1",
    "\n".join("a." * 18 + f"b{n}=1" for n in range(160)),
    "rows = " + "[" * 60_000,
    "x = " + "{a=" * 2_000 + "1" + "}" * 2_000,
    'name = "' + "x" * 400_000 + '"',
)
WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**52,
    1.5,
    "",
    "x" * 60_000,
    [],
    [["x", 0, "a", "b"]],
    [[0, 0, ["a"], {"b": 1}]],
    [[0, 0, "x" * 9000, "b"]] * 40,
    {"total": "many"},
    {"x" * 9000: 1},
)
CHANGES: tuple[dict[str, Any], ...] = (
    {
        "type": "board",
        "seat": 0,
        "text": "oak elm / elm .",
        "photo": None,
        "corrections": [],
        "turns": 0,
    },
    {"type": "cell", "seat": 0, "row": 0, "col": 0, "label": "ash"},
    {"type": "worth", "label": "oak", "points": 3},
    {"type": "extra", "seat": 0, "points": 3},
    {"type": "claim", "seat": 0, "lines": {"total": 4}},
)
PAGES = ("after", "audit", "report.html", "report.pdf")


def attack(target: Target) -> Iterator[Figure]:
    guests = [target.guest() for _ in range(8)]
    start = time.monotonic()
    with ThreadPoolExecutor(len(guests)) as pool:
        for text in DESCRIPTIONS:
            answers = list(pool.map(_describing(text), guests))
            assert {answer.status for answer in answers} <= {400, 413, 422}, (text[:20], answers[0])
    yield Figure(
        f"slowest of {len(DESCRIPTIONS)} x 8 descriptions at once",
        time.monotonic() - start,
        10,
        "s",
    )
    guest = guests[0]
    accepted = 0
    for wrong in WRONG:
        for field in ("name", "rows", "counts", "aspect", "more"):
            if (field, wrong) == ("aspect", 1.5):  # that one is right
                continue
            setup = {"players": PLAYERS, "options": {"board": OWN_BOARD | {field: wrong}}}
            accepted += (
                guest.send_json("/api/games", {"kind": "custom", "setup": setup}).status == 201
            )
    yield Figure("boards with a wrong field that were taken", accepted, 0)
    code = guest.start()
    for change in CHANGES:
        guest.send_json(f"/api/games/{code}/actions", {"action": change})
        for field in change.keys() - {"type"}:
            for wrong in WRONG:
                guest.send_json(f"/api/games/{code}/actions", {"action": change | {field: wrong}})
    broken = sum(guest.ask("GET", f"/g/{code}/{page}").status != 200 for page in PAGES)
    broken += guest.ask("GET", "/history").status != 200
    yield Figure("pages of the game that are broken afterwards", broken, 0)


def _describing(text: str) -> Any:
    def send(guest: Guest) -> Answer:
        form = {
            "kind": "custom",
            "player": "Ann",
            "colour": "red",
            "board": text,
            "csrf_token": guest.token,
        }
        return guest.send_form("/games", form)

    return send
