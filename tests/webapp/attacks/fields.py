"""Actions with fields of any kind and size; afterwards every page of the game opens."""

import random
import re
from collections.abc import Iterator
from typing import Any

from attacks.harness import OWN_BOARD, ROOT, Figure, Guest, Target

KINDS = ("stones", "seasons", "time", "villagers", "custom")
ACTIONS_EACH = 400
WORDS = (
    "",
    ".",
    "sun",
    "sun fish bird / tree seed seed / horse bird boat",
    "spring",
    "cow cow / pig .",
    "a/b",
    "?",
)
SEEDS: tuple[dict[str, Any], ...] = (
    {"type": "board", "seat": 0, "text": "cow cow / pig .", "corrections": [[0, 0, "cow", "pig"]]},
    {
        "type": "board",
        "seat": None,
        "text": "sun horse bird / tree seed seed / horse bird boat",
        "corrections": [],
    },
    {"type": "cell", "row": 0, "col": 0, "label": "sun"},
    {"type": "cell", "seat": 0, "row": 1, "col": 1, "label": "spring"},
    {"type": "claim", "lines": {"total": 5}},
    {"type": "extra", "points": 5},
    {"type": "hand", "cards": [3, 17]},
    {"type": "score", "card": 3},
    {"type": "award", "card": 5},
    {"type": "unscore", "card": 5},
    {"type": "move", "flip": [0, 0]},
    {"type": "turn"},
    {"type": "end_turn"},
    {"type": "add", "name": "Hayer", "on": None},
    {"type": "supply", "gold": 5},
    {"type": "hand_add", "name": "Hayer"},
    {"type": "hand_drop", "name": "Hayer"},
    {"type": "custom_card", "row": {"name": "Baker", "suit": "grain"}},
    {"type": "season", "season": "autumn"},
    {"type": "finish"},
    {"type": "resume"},
)
"""Actions, most of them right in some game; what is sent differs by a field or two."""

PAGES = ("", "/after", "/audit", "/report.html", "/report.pdf")


def names(kind: str) -> list[str]:
    """Every quoted word of the rules of a game: types of actions, names of fields, values."""
    room = ROOT / "scorer" / kind
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(room.glob("*.py")))
    return sorted(set(re.findall(r'"([a-z_]{2,20})"', text)))


def value(dice: random.Random, words: list[str], depth: int = 2) -> Any:
    """A value of any kind."""
    match dice.randrange(9 if depth else 7):
        case 0:
            return dice.choice((-1, 0, 1, 2, 5, 72, 10**6, 2**31, 2**53 - 1, -(2**53) + 1))
        case 1:
            return dice.choice((0.5, -1e300, 1.0, True, False, None))
        case 2:
            return dice.choice(WORDS)
        case 3 | 4:
            return dice.choice(words)
        case 5:
            return dice.choice(
                (
                    "x" * 5000,
                    "\u202e<b>",
                    "%s%(n)s{{7*7}}",
                    "'; DROP TABLE game; --",
                    "../../etc/passwd",
                )
            )
        case 6:
            return dice.randrange(6)
        case 7:
            return [value(dice, words, depth - 1) for _ in range(dice.randrange(5))]
        case _:
            return {
                dice.choice(words): value(dice, words, depth - 1) for _ in range(dice.randrange(4))
            }


def start(guest: Guest, kind: str) -> str:
    """A game of one kind that is fit to be changed."""
    colours = {
        "seasons": ("spring", "summer"),
        "time": ("spring", "summer"),
        "villagers": (None, None),
    }
    pairs = zip(("Ann", "Bob"), colours.get(kind, ("red", "green")), strict=True)
    options: dict[str, Any] = {"board": OWN_BOARD} if kind == "custom" else {}
    if kind == "seasons":
        options["cards"] = []
    setup = {
        "players": [{"name": name, "colour": colour} for name, colour in pairs],
        "options": options,
    }
    answer = guest.send_json("/api/games", {"kind": kind, "setup": setup, "seat": 0})
    assert answer.status == 201, (kind, answer.body)
    return str(answer.json["code"])


def attack(target: Target) -> Iterator[Figure]:
    dice = random.Random(1)
    taken = broken = 0
    for kind in KINDS:
        guest = target.guest()
        code = start(guest, kind)
        words = names(kind)
        for _ in range(ACTIONS_EACH):
            action = {"seat": dice.choice((0, 0, 1))} | dice.choice(SEEDS)
            for _ in range(dice.randrange(3)):
                action[dice.choice((*action, dice.choice(words)))] = value(dice, words)
            path, body = ("actions", "action") if dice.random() < 0.9 else ("ask", "question")
            taken += guest.send_json(f"/api/games/{code}/{path}", {body: action}).status == 200
        for page in PAGES:
            broken += guest.ask("GET", f"/g/{code}{page}").status != 200
        for path in (
            "/history",
            "/history/statistics",
            "/history/export.zip",
            f"/api/games/{code}/log",
        ):
            broken += guest.ask("GET", path).status != 200
    yield Figure(
        f"pages that do not open after {taken} of {len(KINDS) * ACTIONS_EACH} were done", broken, 0
    )
