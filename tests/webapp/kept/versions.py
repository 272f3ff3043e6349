"""The same photos read with two versions of OpenCV, cell by cell."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attacks.harness import Figure

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures"
MOST_CARDS = 2
"""Cards of doubtful photos that one version alone finds, as measured; each needs a look anyway."""

OTHER = ROOT / ".venv-4.12" / "bin" / "python"


def same_readings(_: int) -> Iterator[Figure]:
    """Stones, season boards, grids of time and cards, with ``.venv`` and with ``.venv-4.12``."""
    if not OTHER.exists():
        print("  this needs .venv-4.12: CONTRIBUTING.md says how it is made")
        return
    (name, ours), (other_name, theirs) = (
        (version(python), list(readings(python))) for python in (sys.executable, str(OTHER))
    )
    both = f"OpenCV {name} and {other_name}"
    pairs = list(zip(ours, theirs, strict=True))
    boards = [(one["cells"], other["cells"]) for one, other in pairs if "cells" in one]
    cells = [pair for one, other in boards for pair in zip(one, other, strict=True)]
    unlike = sum(a["label"] != b["label"] for a, b in cells)
    unsure = sum(a["sure"] != b["sure"] for a, b in cells)
    moved = max(abs(a["confidence"] - b["confidence"]) for a, b in cells)
    yield Figure(f"{both}: of {len(cells)} cells of boards read differently", unlike, 0)
    yield Figure(f"{both}: cells sure with one alone", unsure, 0)
    yield Figure(f"{both}: largest difference of a probability", 100 * moved, 1, "%")
    cards = [(one["cards"], other["cards"]) for one, other in pairs if "cards" in one]
    count = sum(max(len(one), len(other)) for one, other in cards)
    alone = [card for one, other in cards for card in without(one, other) + without(other, one)]
    surely = sum(card["sure"] for card in alone)
    yield Figure(f"{both}: of {count} cards found with one alone", len(alone), MOST_CARDS)
    yield Figure(f"{both}: of these sure", surely, 0)


def without(cards: list[Any], others: list[Any]) -> list[Any]:
    """The cards that are not among the others."""
    known = {card["id"] for card in others}
    return [card for card in cards if card["id"] not in known]


def version(python: str) -> str:
    """The version of OpenCV of a Python."""
    return run(python, "-c", "import cv2; print(cv2.__version__)").strip()


def readings(python: str) -> Iterator[Any]:
    """Every photo of the fixtures that is no lesson, read by that Python."""
    answers = json.loads((FIXTURES / "boards" / "answers.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as data:
        for board, known in answers.items():
            lessons = [f"{FIXTURES / 'boards' / photo}={text}" for photo, text in known["teach"]]
            where = ("--board", board, "--data", data)
            run(python, "-m", "webapp", "teach", "mine", *where, *lessons)
            photos = [str(FIXTURES / "boards" / one["photo"]) for one in known["photos"]]
            yield from read(python, *photos, *where, "--profile", "mine")
    yield from read(python, *listed("photos"), "--board", "stones")
    yield from read(python, *listed("cards"), "--board", "cards")


def listed(folder: str) -> list[str]:
    """The photos of a folder."""
    return [str(path) for path in sorted((FIXTURES / folder).glob("*.jpg"))]


def read(python: str, *arguments: str) -> Iterator[Any]:
    """The documents of ``tallystone read``."""
    yield from map(
        json.loads, run(python, "-m", "webapp", "read", *arguments, "--json").splitlines()
    )


def run(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
