"""Fits the belief that a grid shows the set (``vision.choose``).

Examples are the grids that are found in generated photos. These show boards of art that no training
saw, some with coins, hands and other things on them, or tables without the board. Needs the
``training`` extra and the icon bank::

    python -m calibration.measuring.belief BANK.npz --count 200

Of each kind it draws so many photos of boards, and as many without. It prints the errors on photos
that were held out, then fits on all and writes ``vision/belief.toml``.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from calibration.measuring.generated import Laid, Task, photographed
from calibration.measuring.generated_seasons import photographed_seasons
from calibration.measuring.places import HELD_OUT, descend, laid_grid, pieces_among
from calibration.measuring.refusals import stranger_to
from models.training.arguments import bank_parser
from models.training.faces import SetPainter, held_out_painter
from vision.boards import BoardSpec
from vision.choose import FILE, LEAST_BELIEF, Judge, Signs, best_candidate, judges, signs_of
from vision.errors import BoardNotFound
from vision.geometry import Pyramid
from vision.kinds.kind import JudgeName
from vision.photo import Photo
from vision.profile import Profile

BOARD_OF: dict[JudgeName, str] = {
    "published": "stones",
    "stones": "stones",
    "seasons": "seasons",
    "open": "time",
}
PART = 40
"""Photos in one piece of work."""
PLANTED = 3
"""One board in so many has strangers on it."""
ON_PIECES, ELSEWHERE = 0.75, 0.3
"""A grid is the board if at least the first share of its cells lies on the board's pieces, and
something else up to the second. A grid of given size in between is not the board either."""
AGAINST = ("misfit", "bare")
"""Signs that speak against a grid; the others speak for it or not at all."""


class Example(NamedTuple):
    """A grid that was found in a photo, and whether it is the board."""

    signs: Signs
    shown: bool


def laid_board(kind: JudgeName, seed: int, number: int, painter: SetPainter) -> Laid:
    """A new edition and a photo of its board; boards of open shape are of any game."""
    if kind == "seasons":
        return photographed_seasons(seed, number, painter)
    planted = number % PLANTED == 0
    if kind == "open":
        return laid_grid(seed, number, painter, planted)
    return photographed(seed, number, painter, Task(BOARD_OF[kind], kind == "published", planted))


def found_in(photo: Photo, spec: BoardSpec, profile: Profile, laid: Laid | None) -> Example | None:
    """The grid that is found in a photo, of a board or without one.

    None if there is none, or if it lies on half of a board of open shape: a person may add the
    other half.
    """
    try:
        found, _ = best_candidate(Pyramid(photo.image_rgb), spec, profile)
    except BoardNotFound:
        return None
    share = pieces_among(laid.shots[0], found.read.board).mean() if laid is not None else 0.0
    if spec.is_open and ELSEWHERE < share < ON_PIECES:
        return None
    return Example(signs_of(found.read, spec), share >= ON_PIECES)


def gather(work: tuple[JudgeName, int], bank: Path, count: int, seed: int) -> list[Example]:
    """The grids in photos of boards of a kind, and in as many photos without the board."""
    kind, first = work
    painter = held_out_painter(bank)
    examples = []
    for number in range(first, min(first + PART, count)):
        laid = laid_board(kind, seed, number, painter)
        examples.append(found_in(laid.shots[0].photo, laid.spec, laid.profile, laid))
        rng = np.random.default_rng([seed, number, 1])
        photo, profile = stranger_to(rng, painter, BOARD_OF[kind], kind == "published")
        examples.append(found_in(photo, laid.spec, profile, None))
    return [example for example in examples if example is not None]


def fitted(examples: Sequence[Example]) -> Judge:
    """The judge of greatest likelihood, with a little decay; signs count only in their
    direction."""
    signs = np.array([example.signs for example in examples], np.float64)
    shown = torch.tensor([example.shown for example in examples], dtype=torch.float64)
    centre, spread = signs.mean(0), np.maximum(signs.std(0), 1e-3)
    given = torch.from_numpy((signs - centre) / spread)
    sides = torch.tensor(
        [-1.0 if sign in AGAINST else 1.0 for sign in Signs._fields], dtype=torch.float64
    )
    weights = torch.zeros(len(centre), dtype=torch.float64, requires_grad=True)
    offset = torch.zeros((), dtype=torch.float64, requires_grad=True)

    def hold() -> None:
        with torch.no_grad():
            weights.copy_(sides * (sides * weights).clamp(min=0))

    descend([weights, offset], lambda: given @ weights + offset, shown, hold)
    scaled = weights.detach().numpy() / spread
    return Judge(Signs(*scaled.tolist()), float(offset.detach() - scaled @ centre))


def report(judge: Judge, examples: Sequence[Example]) -> str:
    """Errors of a judge on grids it was not fitted on."""
    believed = [
        (judge.probability(example.signs) >= LEAST_BELIEF, example.shown) for example in examples
    ]
    boards = sum(shown for _, shown in believed)
    return (
        f"{boards} boards, not believed {sum(shown and not yes for yes, shown in believed)};"
        f" {len(believed) - boards} other grids, believed "
        f"{sum(yes and not shown for yes, shown in believed)}"
    )


def written(fits: Mapping[str, Judge]) -> str:
    """The file of weights."""
    lines = [
        "# Written by `python -m calibration.measuring.belief`: what each sign of a grid weighs."
    ]
    for kind, judge in fits.items():
        lines += ["", f"[{kind}]", f"offset = {judge.offset:.4f}", "", f"[{kind}.weights]"]
        lines += [f"{sign} = {weight:.4f}" for sign, weight in judge.weights._asdict().items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = bank_parser(__doc__, count=200, seed=601)
    parser.add_argument(
        "--kinds",
        nargs="+",
        choices=list(BOARD_OF),
        default=list(BOARD_OF),
        help="others stay as they are",
    )
    args = parser.parse_args()
    fits: dict[str, Judge] = dict(judges())
    works = [(kind, first) for kind in args.kinds for first in range(0, args.count, PART)]
    gathered: dict[JudgeName, list[Example]] = {kind: [] for kind in args.kinds}
    with ProcessPoolExecutor() as pool:
        found = pool.map(partial(gather, bank=args.bank, count=args.count, seed=args.seed), works)
        for (kind, _), examples in zip(works, found, strict=True):
            gathered[kind] += examples
    for kind, examples in gathered.items():
        learnt = [example for i, example in enumerate(examples) if i % HELD_OUT]
        print(f"{kind}: {report(fitted(learnt), examples[::HELD_OUT])}", flush=True)
        fits[kind] = fitted(examples)
    Path(str(resources.files("vision").joinpath(FILE))).write_text(written(fits), encoding="utf-8")


if __name__ == "__main__":
    main()
