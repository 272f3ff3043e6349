"""Measures the promises of docs/promises.md, each by its number.

    python tests/webapp/promises.py                  lists them
    python tests/webapp/promises.py 12               measures one at full length
    python tests/webapp/promises.py 12 --count 300   a sample of it

Prints each figure with the most that is allowed; the exit status is 1 if one is larger.
"""

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from attacks.harness import Figure

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Promise:
    """How a promise is measured: by a function of ``kept``, and by commands of their own."""

    what: str
    function: str = ""
    """Module and name, such as ``rules.impossible``."""
    full: int = 0
    """How often it does what it does at full length."""
    commands: tuple[str, ...] = ()

    def figures(self, count: int | None = None) -> Iterator[Figure]:
        """What its function measures, *count* times or at full length."""
        module, _, name = self.function.partition(".")
        run: Callable[[int], Iterator[Figure]] = getattr(import_module(f"kept.{module}"), name)
        return run(self.full if count is None else count)


PROMISES = {
    1: Promise("damaged photos", commands=("python tests/webapp/guard/mutating.py 5000",)),
    2: Promise(
        "memory over so many uploads",
        "serving.uploads",
        5000,
        ("python tests/webapp/hostile.py pictures",),
    ),
    3: Promise("picture bombs, each so many times", "photos.bombs", 20),
    4: Promise("sizes beside the limits", "photos.limits", 1),
    5: Promise("sides and turns", commands=("pytest tests/calibration/test_any_side.py",)),
    6: Promise("two versions of OpenCV", "versions.same_readings", 1),
    7: Promise("photos of 12 and 48 megapixels", "photos.speed", 30),
    8: Promise("rounds of eight phones", "serving.crowd", 20),
    9: Promise("starts, and seconds without a request", "serving.starts", 10),
    10: Promise("photos of the project", "photos.readings", 1),
    11: Promise("photos of the project", "photos.readings", 1),
    12: Promise("impossible states", "rules.impossible", 10_000),
    13: Promise("taps", commands=("pytest tests/webapp/browser/test_quick_look_browser.py",)),
    14: Promise(
        "undo", commands=("TALLYSTONE_SEQUENCES=1000 pytest tests/webapp/tables/test_undo.py",)
    ),
    15: Promise(
        "a second implementation",
        commands=(
            "python -m tests.scorer.oracle seasons 100000",
            "python -m tests.scorer.oracle stones 20000",
            "python -m tests.scorer.oracle time 20000",
        ),
    ),
    16: Promise("scores of each game", "rules.points_add_up", 20_000),
    17: Promise("placements", commands=("python -m tests.scorer.oracle time 20000",)),
    18: Promise(
        "tallies with an error",
        commands=("TALLYSTONE_TALLIES=10000 pytest tests/webapp/after/test_tallies.py",),
    ),
    19: Promise("kills", commands=("python tests/webapp/store/killing.py 200",)),
    20: Promise(
        "edits on a disk that fills up, in a folder that turns read-only",
        "disks.failing",
        200,
        ("python tests/webapp/hostile.py damage",),
    ),
    21: Promise(
        "export and import",
        commands=(
            "pytest tests/webapp/after/test_finished_games.py tests/webapp/store/test_store.py",
        ),
    ),
    22: Promise(
        "edits", commands=("TALLYSTONE_EDITS=1000 pytest tests/webapp/tables/test_undo.py",)
    ),
    23: Promise("guesses of a code", "guests.guesses", 100_000),
    24: Promise(
        "foreign pages",
        commands=(
            "pytest tests/webapp/tables/test_tables.py tests/webapp/test_web.py "
            "tests/webapp/guard/test_hostile_requests.py tests/webapp/guard/test_hostile_text.py",
        ),
    ),
    25: Promise("tagged photos", "guests.tagged", 1000),
    26: Promise("cases from the description of the API", "guests.schema", 5000),
    27: Promise(
        "accessibility",
        "pages.colours",
        1,
        ("pytest tests/webapp/browser/test_every_page.py",),
    ),
    28: Promise("evenings at an address of the network", "pages.evening", 1),
    29: Promise("the link to BG Stats", commands=("pytest tests/webapp/after/test_figures.py",)),
    30: Promise("first loads on a slow phone", "pages.first_use", 5),
}


def main() -> int:
    """Measure one; gives the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("number", type=int, nargs="?", choices=PROMISES, metavar="NUMBER")
    parser.add_argument("--count", type=int, help="how many, in place of the full length")
    args = parser.parse_args()
    if args.number is None:
        for number, one in PROMISES.items():
            full = f"{one.full:,} " if one.function else ""
            print(f"{number:3} {full}{one.what}")
        return 0
    promise = PROMISES[args.number]
    broken = 0
    if promise.function:
        for figure in promise.figures(args.count):
            mark = "" if figure.kept else "   TOO MUCH"
            print(
                f"{figure.what}: {figure.value:,.4g} {figure.unit} (at most {figure.most:,.4g})"
                f"{mark}",
                flush=True,
            )
            broken += not figure.kept
    for command in promise.commands:
        print(command, flush=True)
        broken += subprocess.call(*command_of(command)) != 0 if args.count is None else 0
    return 1 if broken else 0


def command_of(text: str) -> tuple[list[str]]:
    """The words of a command, with this Python; values before it go into the environment."""
    words = shlex.split(text)
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        os.environ[name] = value
    python = {"python": [sys.executable], "pytest": [sys.executable, "-m", "pytest", "-q"]}
    return ([*python[words[0]], *words[1:]],)


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
