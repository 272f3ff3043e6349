"""The command lines of trainings and measurements."""

import argparse
from collections.abc import Sequence
from pathlib import Path

MADE = {"cache", "figures"}
"""Folders that are made where they are missing."""
ABOVE_ZERO = {
    "batch", "boards", "boards_a_batch", "count", "jobs", "minutes", "photos", "rate", "sets",
    "workers",
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """Refuses, before hours of work, files that are not there and numbers that make no sense.

    What is written is called ``out``; its folder must be there. All other paths are read.
    """

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None
    ) -> argparse.Namespace:
        found = super().parse_args(args)
        for name, value in vars(found).items():
            for each in value if isinstance(value, list) else [value]:
                fault = _fault(name, each)
                if fault:
                    self.error(fault)
        return found


def _fault(name: str, value: object) -> str:
    """What is wrong with one value of an argument; nothing if it is right."""
    if isinstance(value, Path) and name == "out" and not value.parent.is_dir():
        return f"there is no folder {value.parent}: make it first"
    if isinstance(value, Path) and name not in {"out", *MADE} and not value.exists():
        return f"there is no {value}"
    if isinstance(value, int | float) and (value < 0 or (name in ABOVE_ZERO and value == 0)):
        least = "above 0" if name in ABOVE_ZERO else "0 or above"
        return f"--{name.replace('_', '-')} must be {least}"
    return ""


def parser_of(module_doc: str | None) -> Parser:
    """The parser of a module that is run, which tells its docstring as it stands."""
    return Parser(description=module_doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def bank_parser(module_doc: str | None, count: int, seed: int) -> Parser:
    """The parser of a measurement on so many things that are drawn with the icons of a bank."""
    parser = parser_of(module_doc)
    parser.add_argument("bank", type=Path)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=seed)
    return parser


def add_schedule_options(
    parser: argparse.ArgumentParser, minutes: float, rate: float, seed: int
) -> None:
    """Add ``--minutes``, ``--steps``, ``--rate`` and ``--seed`` with one network's defaults."""
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument(
        "--steps", type=int, default=0, help="fixed number of steps instead of a time limit"
    )
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--seed", type=int, default=seed)


def add_machine_options(parser: argparse.ArgumentParser) -> None:
    """Add how many processes draw what a network learns from, and what computes."""
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="what computes: cpu, or cuda")


def add_light_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--traced``."""
    told = "with light that Mitsuba traces, in place of painted light"
    parser.add_argument("--traced", action="store_true", help=told)


def add_scene_options(parser: argparse.ArgumentParser, count: int) -> None:
    """Add what square scenes are drawn with, and where they go."""
    parser.add_argument("bank", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--size", type=int, default=448)
    parser.add_argument("--seed", type=int, default=1)


def add_network_options(
    parser: argparse.ArgumentParser, minutes: float, rate: float, batch: int
) -> None:
    """Add what ``schedule.train`` needs besides the data."""
    parser.add_argument("--out", type=Path, required=True)
    add_schedule_options(parser, minutes, rate, seed=7)
    parser.add_argument("--batch", type=int, default=batch, help="pictures a batch")
    add_machine_options(parser)
    parser.add_argument("--start", type=Path, help="checkpoint or exported network to go on from")


def add_jobs(
    parser: argparse.ArgumentParser, examples: str, banks: Sequence[str], count: int, seed: int
) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """Add the jobs ``draw`` and ``train``; give their parsers.

    ``examples`` is the option that names what the first makes and the second reads, and ``banks``
    are what it is drawn from.
    """
    what = examples.strip("-")
    jobs = parser.add_subparsers(required=True)
    draw = jobs.add_parser("draw", help=f"draw {what} and cut out their crops")
    for name in (*banks, "out"):
        draw.add_argument(name, type=Path)
    draw.add_argument("--split", choices=("training", "validation"), default="training")
    draw.add_argument("--count", type=int, default=count)
    draw.add_argument("--seed", type=int, default=seed)
    add_light_option(draw)
    fit = jobs.add_parser("train", help="train the network")
    told = f"{what} of the training split"
    fit.add_argument(examples, type=Path, nargs="+", required=True, help=told)
    told = f"{what} of the validation split"
    fit.add_argument("--validation", type=Path, required=True, help=told)
    return draw, fit
