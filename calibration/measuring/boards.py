"""Measures reading and sureness on generated photos of art that no training saw.

Every board is a new edition: faces from the validation icon families, a lesson crop or two of each,
then one photo of a legal state under any light, angle and clutter. Needs the ``training`` extra and
the icon bank::

    python -m calibration.measuring.boards BANK.npz --board stones --count 300
    python -m calibration.measuring.boards BANK.npz --planted --count 1000 --jobs 2
    python -m calibration.measuring.boards BANK.npz --photos 3 --count 100
    python -m calibration.measuring.boards BANK.npz --figures docs/images --count 1000

A run of the same seed gives the same boards, whatever ``--jobs`` says; ``--first`` goes on where
another run ended.
"""

import argparse
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from calibration.measuring.figures import (
    Points,
    reliability_bins,
    reliability_svg,
    risk_coverage,
    risk_coverage_svg,
)
from calibration.measuring.generated import (
    TIERS,
    CellOutcome,
    Measured,
    Outcome,
    Task,
    measured,
    stone_pictures,
)
from calibration.measuring.generated_seasons import measured_seasons
from calibration.measuring.strangers import STRANGERS
from models.training.arguments import add_light_option, bank_parser
from models.training.faces import held_out_painter

COVERAGE_STEPS = (0.5, 0.9, 0.95, 0.97, 0.98, 0.985, 0.99, 0.995, 0.998, 0.999)
TOLERATED_RISK = 0.001
"""Tolerated share of wrong boards among those said to be sure."""


def calibration_error(cells: Sequence[CellOutcome], bins: int = 15) -> float:
    """Expected calibration error over equal-width bins (Guo et al. 2017, arXiv:1706.04599)."""
    confidence = np.array([cell.confidence for cell in cells])
    right = np.array([cell.right for cell in cells], float)
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(confidence[which == b].mean() - right[which == b].mean()) * (which == b).mean()
            for b in range(bins)
            if (which == b).any()
        )
    )


def share(part: int, whole: int) -> str:
    """A share in percent, or a dash if there are none."""
    return f"{part / whole:.1%}" if whole else "-"


def board_line(name: str, outcomes: Sequence[Outcome]) -> str:
    """Counts of boards: found, exact, sure and right, sure and wrong."""
    found = [o for o in outcomes if o.found]
    silent = sum(o.sure and not o.exact for o in found)
    cells = [cell for o in found for cell in o.cells]
    return (
        f"{name:<8} boards {len(outcomes):5d}  found {share(len(found), len(outcomes)):>6}  exact "
        f"{share(sum(o.exact for o in found), len(outcomes)):>6}  hands-free "
        f"{share(sum(o.sure and o.exact for o in found), len(outcomes)):>6}  silent {silent}  "
        f"cells right {share(sum(c.right for c in cells), len(cells)):>6}"
    )


def second_guesses(cells: Sequence[CellOutcome]) -> str:
    """Share of wrong cells with the right answer among the first two alternatives."""
    wrong = [cell for cell in cells if not cell.right and not cell.planted]
    second = sum(1 <= cell.rank <= 2 for cell in wrong)
    return (
        f"wrong cells {len(wrong)}  right answer among the first two alternatives "
        f"{share(second, len(wrong))}"
    )


def report(outcomes: Sequence[Outcome]) -> str:
    """The tables of a run: boards by difficulty, calibration, sureness, second guesses."""
    found = [o for o in outcomes if o.found]
    cells = [cell for o in found for cell in o.cells]
    lines = [
        *(board_line(tier, [o for o in outcomes if o.tier == tier]) for tier in TIERS),
        board_line("all", outcomes),
    ]
    clear = [o for o in outcomes if not o.unreadable]
    if len(clear) < len(outcomes):
        lines.append(
            f"{board_line('clear', clear)}  (every piece half in sight, none burnt out to white)"
        )
    if not cells:
        return "\n".join(lines)
    told = [cell for o in found if o.shape_told for cell in o.cells]
    lines += [
        (
            f"cells {len(cells)}  right {np.mean([c.right for c in cells]):.2%}  calibration error "
            f"{calibration_error(cells):.2%}"
        ),
        second_guesses(cells),
    ]
    readable = [cell for o in clear if o.found for cell in o.cells]
    if 0 < len(readable) < len(cells):
        lines.append(f"clear boards: {second_guesses(readable)}")
    if 0 < len(told) < len(cells):
        lines.append(
            f"grids of the right shape: calibration error {calibration_error(told):.2%}  "
            f"{second_guesses(told)}"
        )
    lines.append("least confidence   cells   wrong")
    for step in COVERAGE_STEPS:
        kept = [cell.right for cell in cells if cell.confidence >= step]
        lines.append(
            f"{step:16.3f} {share(len(kept), len(cells)):>7} {sum(not r for r in kept):7d}"
        )
    lines.append(sure_share(outcomes))
    return "\n".join(lines)


def sure_share(outcomes: Sequence[Outcome]) -> str:
    """The largest share of boards, surest first, with at most the tolerated share wrong."""
    ordered = sorted((o for o in outcomes if o.found), key=lambda o: -o.confidence)
    wrong = np.cumsum([not o.exact for o in ordered]) if ordered else np.zeros(0)
    allowed = [n + 1 for n in range(len(ordered)) if wrong[n] <= TOLERATED_RISK * (n + 1)]
    most = max(allowed, default=0)
    least = f" (least cell {ordered[most - 1].confidence:.4f})" if most else ""
    return (
        f"boards that could be taken with at most {TOLERATED_RISK:.1%} wrong: "
        f"{share(most, len(outcomes))}{least}"
    )


def planted_report(outcomes: Sequence[Outcome]) -> str:
    """How many planted strangers were flagged, by kind, and the other cells of those boards."""
    found = [o for o in outcomes if o.found]
    lines = [f"boards {len(outcomes)}, {len(outcomes) - len(found)} of them refused as a whole"]
    cells = [cell for o in found for cell in o.cells]
    for kind in (*STRANGERS, "all"):
        planted = [c for c in cells if c.planted == kind or (kind == "all" and c.planted)]
        lines.append(
            f"{kind:<13} planted {len(planted):5d}  flagged "
            f"{share(sum(not c.sure for c in planted), len(planted))}"
        )
    others = [cell for cell in cells if not cell.planted]
    lines.append(
        f"other cells of these boards: {len(others)}, "
        f"{share(sum(c.sure for c in others), len(others))} sure"
    )
    return "\n".join(lines)


def fused_report(boards: Sequence[Measured]) -> str:
    """Single photos against all photos of a state, by the hardest of them."""
    lines = []
    for tier in (*TIERS, "all"):
        chosen = [b for b in boards if b.fused and tier in ("all", b.fused.tier)]
        alone = [outcome for b in chosen for outcome in b.alone]
        lines += [
            board_line(tier, alone) + "   each photo alone",
            board_line("", [b.fused for b in chosen if b.fused]) + "   read as one",
        ]
    return "\n".join(lines)


def draw(outcomes: Sequence[Outcome], name: str, folder: Path) -> None:
    """Write the reliability diagram and the risk-coverage curve."""
    cells = [cell for o in outcomes for cell in o.cells]
    series = {"cells": reliability_bins([c.confidence for c in cells], [c.right for c in cells])}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"reliability-{name}.svg").write_text(reliability_svg(series), encoding="utf-8")
    curves: dict[str, Points] = {}
    for tier in ("all", *TIERS):
        group = [o for o in outcomes if tier in ("all", o.tier)]
        found = [o for o in group if o.found]
        curves[tier] = risk_coverage(
            [o.confidence for o in found], [o.exact for o in found], max(1, len(group))
        )
    (folder / f"risk-coverage-{name}.svg").write_text(risk_coverage_svg(curves), encoding="utf-8")


def _one(bank: Path, seed: int, task: Task, number: int) -> Measured:
    draw = measured_seasons if task.board == "seasons" else measured
    return draw(seed, number, held_out_painter(bank), task)


def run(bank: Path, task: Task, seed: int, first: int, count: int, jobs: int) -> Iterator[Measured]:
    """The boards ``first`` to ``first + count`` of a seed, in order."""
    work: Callable[[int], Measured] = partial(_one, bank, seed, task)
    numbers = range(first, first + count)
    if jobs == 1:
        yield from map(work, numbers)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(work, numbers, chunksize=4)


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = bank_parser(__doc__, count=300, seed=2026)
    parser.add_argument("--board", choices=("stones", "time", "seasons"), default="stones")
    parser.add_argument(
        "--default", action="store_true", help="published colours, bundled profile, nothing taught"
    )
    parser.add_argument(
        "--planted", action="store_true", help="put coins, hands, blanks and strangers on boards"
    )
    parser.add_argument(
        "--printed", action="store_true",
        help="with --default: colours and contrasts as scans of the game have them",
    )  # fmt: skip
    parser.add_argument(
        "--one-lesson", action="store_true",
        help="stones taught by one photo of a game, which lacks some faces",
    )  # fmt: skip
    parser.add_argument(
        "--unruled", action="store_true",
        help="season boards without lines, half of them with tiles near the colour of the print",
    )  # fmt: skip
    parser.add_argument(
        "--several", action="store_true",
        help="season boards with two prints, as players have boards of their own",
    )  # fmt: skip
    parser.add_argument(
        "--banded", action="store_true", help="cards of time with a title band or a wide frame"
    )
    add_light_option(parser)
    parser.add_argument(
        "--photos", type=int, default=1, help="photos of each state, read alone and as one"
    )
    parser.add_argument(
        "--pictures",
        type=stone_pictures,
        metavar="DIR",
        help="stones of one edition, LABEL.png, instead of new ones",
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first board")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--figures", type=Path, metavar="DIR", help="write the two diagrams as SVG")
    args = parser.parse_args()
    if args.photos > 1 and args.board != "stones":
        parser.error("--photos is for stones: other boards are laid anew for each photo")
    if args.photos > 1 and args.planted:
        parser.error("--planted is for one photo of each state")
    if args.printed and not args.default:
        parser.error("--printed goes with --default")
    boards = {
        "default": "stones", "one_lesson": "stones", "unruled": "seasons", "several": "seasons",
        "pictures": "stones", "banded": "time",
    }  # fmt: skip
    for option, board in boards.items():
        if getattr(args, option) and args.board != board:
            parser.error(f"--{option.replace('_', '-')} is for {board}")
    return args


def main() -> None:
    args = arguments()
    task = Task(
        args.board, args.default, args.planted, args.photos, pictures=args.pictures,
        printed=args.printed, unruled=args.unruled, one_lesson=args.one_lesson,
        banded=args.banded, traced=args.traced, framed=args.traced,
        several=args.several,
    )  # fmt: skip
    boards = list(run(args.bank, task, args.seed, args.first, args.count, args.jobs))
    outcomes = [outcome for board in boards for outcome in board.alone]
    if args.photos > 1:
        print(fused_report(boards))
    elif args.planted:
        print(planted_report(outcomes))
    else:
        print(report(outcomes))
    if args.figures is not None:
        draw(outcomes, f"{args.board}-published" if args.default else args.board, args.figures)


if __name__ == "__main__":
    main()
