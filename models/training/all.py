"""Makes all networks from nothing: fetches pictures, draws scenes, trains, exports, fits, measures.

Run in the root of the repository::

    python -m models.training.all --list
    python -m models.training.all

A step that has ended leaves a file with its command line in ``done`` of the cache. Started again,
the program skips these steps and goes on with the next one. Without its file, a step runs again.
"""

import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from models.registry import manifest
from models.training.arguments import parser_of

CACHE = Path("training-cache")

PLAN = Path(__file__).with_name("steps.txt")
"""Each step that draws or trains, in order; ``CACHE`` is the folder of everything that is made."""

EXPORTS = {
    "finder": "finder6.pt",
    "refiner": "refiner4.pt",
    "card-reader": "card-reader8.pt",
    "embedding": "embedding.pt",
    "stones": "stones-mean5.pt",
    "cells": "places-mean.pt",
}
"""Checkpoint of each network that goes into the package."""

FITS = """
fit-trust        trust CACHE/icons.npz --rounds 20
measure-pictures boards CACHE/icons.npz --board stones --default --count 200 --pictures \
    fixtures/art/stones
"""
"""The same for what is fitted and measured with the new weights, of ``calibration.measuring``."""


class Step(NamedTuple):
    """One command; its name is that of the file that says that it has ended."""

    name: str
    command: tuple[str, ...]

    @property
    def line(self) -> str:
        return shlex.join(["python" if word == sys.executable else word for word in self.command])


def steps(cache: Path) -> Iterator[Step]:
    """Every step in order; files are read from and written to ``cache``."""
    packages = tomllib.loads(Path(__file__).with_name("packages.toml").read_text(encoding="utf-8"))
    for folder, wanted in packages.items():
        names = [f"{wanted['scope']}/{package}" for package in wanted["packages"]]
        fetch = ("npm", "pack", "--pack-destination", str(cache / folder), *names)
        yield Step(f"fetch-{folder}", fetch)
    yield from _listed("models.training", PLAN.read_text(encoding="utf-8"), cache)
    for network, checkpoint in EXPORTS.items():
        version = str(int(manifest()[network].version) + 1)
        arguments = f"export-{network} export {network} CACHE/{checkpoint} --version {version}"
        yield from _listed("models.training", arguments, cache)
    yield from _listed("calibration.measuring", FITS, cache)


def _listed(package: str, text: str, cache: Path) -> Iterator[Step]:
    for row in text.strip().splitlines():
        if row.startswith("#"):
            continue
        name, module, *words = row.split()
        paths = [str(cache / word[6:]) if word.startswith("CACHE/") else word for word in words]
        whole = module if "." in module else f"{package}.{module}"
        yield Step(name, (sys.executable, "-m", whole, *paths))


def run(step: Step, cache: Path) -> None:
    """Run a step, then note that it has ended. Raises CalledProcessError if it fails."""
    if step.command[0] == "npm":
        (cache / step.name.removeprefix("fetch-")).mkdir(parents=True, exist_ok=True)
    subprocess.run(step.command, check=True)
    note = _note(step, cache)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(step.line + "\n", encoding="utf-8")


def _note(step: Step, cache: Path) -> Path:
    """The file that says that a step has ended, with its command line."""
    return cache / "done" / step.name


def _told(step: Step, cache: Path) -> str:
    """A line of the list of steps."""
    note = _note(step, cache)
    line = note.read_text(encoding="utf-8").strip() if note.exists() else step.line
    return f"{'done' if note.exists() else '':5}{step.name:20}{line}"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--list", action="store_true", help="print the steps and run none")
    parser.add_argument(
        "--cache", type=Path, default=CACHE, help="folder of everything that is made"
    )
    args = parser.parse_args()
    if args.list:
        try:
            print("\n".join(_told(step, args.cache) for step in steps(args.cache)), flush=True)
        except BrokenPipeError:  # the reader, such as ``head``, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    for step in steps(args.cache):
        if not _note(step, args.cache).exists():
            print(f"{step.name}: {step.line}", flush=True)
            try:
                run(step, args.cache)
            except subprocess.CalledProcessError as stopped:
                raise SystemExit(f"{step.name} ended with status {stopped.returncode}") from None


if __name__ == "__main__":
    main()
