"""Makes all networks from nothing: fetches pictures, draws scenes, trains, exports, fits, measures.

Run in the root of the repository::

    python -m models.training.all --list
    python -m models.training.all

A step that has ended leaves a file with its command line in ``done`` of the cache. Started again,
the program skips these steps and goes on with the next one. Without its file, a step runs again.
"""

import argparse
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from models.registry import manifest

CACHE = Path("training-cache")

PLAN = """
icons            art CACHE/icons CACHE/icons.npz
symbols          art CACHE/icons CACHE/more-icons CACHE/symbols.npz --symbols
digits           digits CACHE/fonts CACHE/digits.npz
scenes           locator scenes CACHE/icons.npz CACHE/scenes.npz --count 6000 --seed 1
scenes-151       locator scenes CACHE/icons.npz CACHE/scenes-151.npz --count 2600 --seed 151
scenes-171       locator scenes CACHE/icons.npz CACHE/scenes-171.npz --count 6000 --seed 171
cell-boards      cells draw CACHE/icons.npz CACHE/digits.npz CACHE/cells.npz --count 2500 --seed \
    41
boards-held-out  cells draw CACHE/icons.npz CACHE/digits.npz CACHE/cells-held-out.npz --count 120 \
    --seed 42 --split validation
grids            places draw CACHE/icons.npz CACHE/grids.npz --count 4100 --seed 61
grids-held-out   places draw CACHE/icons.npz CACHE/grids-held-out.npz --count 160 --seed 62 \
    --split validation
embedding        embedding CACHE/icons.npz CACHE/embedding.pt --minutes 35
detector         locator detector CACHE/scenes.npz --out CACHE/detector.pt --minutes 30
detector-2       locator detector CACHE/scenes-151.npz CACHE/scenes-171.npz --start \
    CACHE/detector.pt --out CACHE/detector2.pt --minutes 24 --rate 1.6e-3 --batch 12 --seed 173
refiner          locator refiner CACHE/scenes.npz --out CACHE/refiner.pt --minutes 15
stones           stones CACHE/icons.npz CACHE/embedding.pt CACHE/stones.pt --minutes 80 \
    --start-size 2 0 --symbols CACHE/symbols.npz
stones-2         stones CACHE/icons.npz CACHE/stones.pt CACHE/stones2.pt --minutes 95 --rate \
    1.3e-3 --seed 31 --symbols CACHE/symbols.npz
cells            cells train CACHE/embedding.pt CACHE/cells.pt --boards CACHE/cells.npz \
    --validation CACHE/cells-held-out.npz --minutes 40
cells-2          cells train CACHE/cells.pt CACHE/cells2.pt --boards CACHE/cells.npz --validation \
    CACHE/cells-held-out.npz --minutes 30 --rate 8e-4 --seed 83
places           places train CACHE/embedding.pt CACHE/places.pt --grids CACHE/grids.npz \
    --validation CACHE/grids-held-out.npz --minutes 22
card-scenes      cards scenes CACHE/icons.npz CACHE/card-scenes.npz --count 1100 --size 416 \
    --seed 1
card-scenes-5    cards scenes CACHE/icons.npz CACHE/card-scenes5.npz --count 800 --size 448 \
    --seed 5
card-scenes-6    cards scenes CACHE/icons.npz CACHE/card-scenes6.npz --count 900 --size 448 \
    --seed 6
card-scenes-161  cards scenes CACHE/icons.npz CACHE/card-161.npz --count 1500 --size 480 --seed \
    161
card-scenes-162  cards scenes CACHE/icons.npz CACHE/card-162.npz --count 1500 --size 480 --seed \
    162
card-scenes-163  cards scenes CACHE/icons.npz CACHE/card-163.npz --count 2000 --size 480 --seed \
    163
card-scenes-164  cards scenes CACHE/icons.npz CACHE/card-164.npz --count 2000 --size 480 --seed \
    164
card-scenes-165  cards scenes CACHE/icons.npz CACHE/card-165.npz --count 2000 --size 480 --seed \
    165
card-scenes-166  cards scenes CACHE/icons.npz CACHE/card-166.npz --count 2000 --size 480 --seed \
    166
card-finder      cards finder CACHE/card-scenes.npz --out CACHE/card-finder.pt --minutes 24
card-finder-2    cards finder CACHE/card-scenes5.npz CACHE/card-scenes6.npz --start \
    CACHE/card-finder.pt --out CACHE/card-finder2.pt --minutes 14 --rate 1.5e-3 --seed 61
card-finder-3    cards finder CACHE/card-161.npz CACHE/card-162.npz CACHE/card-163.npz \
    CACHE/card-164.npz CACHE/card-165.npz CACHE/card-166.npz --start CACHE/card-finder2.pt --out \
    CACHE/card-finder3.pt --minutes 32 --rate 2e-3 --seed 163
card-refiner     locator refiner CACHE/card-scenes.npz --start CACHE/refiner.pt --out \
    CACHE/card-refiner.pt --minutes 12 --rate 1e-3 --seed 43
card-refiner-2   locator refiner CACHE/card-163.npz CACHE/card-164.npz CACHE/card-165.npz \
    CACHE/card-166.npz --start CACHE/card-refiner.pt --out CACHE/card-refiner2.pt --minutes 6 \
    --rate 1.5e-3 --seed 177
card-reader-1    cards reader CACHE/icons.npz --out CACHE/reader1.pt --minutes 24
card-reader-2    cards reader CACHE/icons.npz --start CACHE/reader1.pt --out CACHE/reader2.pt \
    --minutes 12.5
card-reader-3    cards reader CACHE/icons.npz --start CACHE/reader2.pt --out CACHE/reader3.pt \
    --minutes 25 --rate 2e-3 --seed 41
card-reader-mean mean CACHE/reader2.pt CACHE/reader3.pt CACHE/reader-mean.pt
card-reader-4    cards reader CACHE/icons.npz --start CACHE/reader-mean.pt --out \
    CACHE/card-reader.pt --minutes 28 --rate 1.5e-3 --seed 51 --symbols CACHE/symbols.npz
card-reader-5    cards reader CACHE/icons.npz --start CACHE/card-reader.pt --out \
    CACHE/card-reader2.pt --minutes 24 --rate 1.2e-3 --seed 61 --symbols CACHE/symbols.npz
card-reader-6    cards reader CACHE/icons.npz --start CACHE/card-reader2.pt --out \
    CACHE/card-reader3.pt --minutes 17 --rate 1e-3 --seed 63 --symbols CACHE/symbols.npz
"""
"""Name, module of ``models.training`` and arguments of each step that draws or trains, in order."""

EXPORTS = {
    "detector": "detector2.pt",
    "refiner": "refiner.pt",
    "card-finder": "card-finder3.pt",
    "card-refiner": "card-refiner2.pt",
    "card-reader": "card-reader3.pt",
    "embedding": "embedding.pt",
    "stones": "stones2.pt",
    "cells": "cells2.pt",
    "places": "places.pt",
}
"""Checkpoint of each network that goes into the package."""

FITS = """
fit-places       places CACHE/icons.npz
fit-belief       belief CACHE/icons.npz
fit-belief-more  belief CACHE/icons.npz --kinds published stones --count 1000
fit-stones       boards CACHE/icons.npz --board stones --count 360 --fit
fit-published    boards CACHE/icons.npz --board stones --default --count 2000 --seed 5150 --fit
fit-seasons      boards CACHE/icons.npz --board seasons --count 120 --fit
fit-trust        trust CACHE/icons.npz --rounds 40
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
    yield from _listed("models.training", PLAN, cache)
    for network, checkpoint in EXPORTS.items():
        version = str(int(manifest()[network].version) + 1)
        arguments = f"export-{network} export {network} CACHE/{checkpoint} --version {version}"
        yield from _listed("models.training", arguments, cache)
    yield from _listed("calibration.measuring", FITS, cache)


def _listed(package: str, text: str, cache: Path) -> Iterator[Step]:
    for row in text.strip().splitlines():
        name, module, *words = row.split()
        paths = [str(cache / word[6:]) if word.startswith("CACHE/") else word for word in words]
        yield Step(name, (sys.executable, "-m", f"{package}.{module}", *paths))


def run(step: Step, cache: Path) -> None:
    """Run a step, then note that it has ended. Raises CalledProcessError if it fails."""
    if step.command[0] == "npm":
        (cache / step.name.removeprefix("fetch-")).mkdir(parents=True, exist_ok=True)
    subprocess.run(step.command, check=True)
    note = cache / "done" / step.name
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(step.line + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print the steps and run none")
    parser.add_argument(
        "--cache", type=Path, default=CACHE, help="folder of everything that is made"
    )
    args = parser.parse_args()
    for step in steps(args.cache):
        note = args.cache / "done" / step.name
        if args.list:
            line = note.read_text(encoding="utf-8").strip() if note.exists() else step.line
            print(f"{'done' if note.exists() else '':5}{step.name:20}{line}")
        elif not note.exists():
            print(f"{step.name}: {step.line}", flush=True)
            try:
                run(step, args.cache)
            except subprocess.CalledProcessError as stopped:
                raise SystemExit(f"{step.name} ended with status {stopped.returncode}") from None


if __name__ == "__main__":
    main()
