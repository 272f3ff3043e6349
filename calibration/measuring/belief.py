"""Fits the belief that a grid shows the set (``vision.choose``).

Examples are the grids that are found in generated photos. These show boards of art that no training
saw, some with coins, hands and other things on them, or tables without the board.
``calibration.measuring.trust`` calls this.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.measuring.generated import Laid, Task, photographed
from calibration.measuring.generated_seasons import photographed_seasons
from calibration.measuring.monotone import fitted
from calibration.measuring.places import HELD_OUT, laid_grid, pieces_among
from calibration.measuring.refusals import stranger_to
from models.training.faces import SetPainter, held_out_painter
from vision.boards import BoardSpec
from vision.choose import LEAST_BELIEF, best_candidate, set_signs
from vision.errors import BoardNotFound
from vision.geometry import Pyramid
from vision.kinds.kind import JudgeName
from vision.photo import Photo
from vision.probability import Judge, Signs
from vision.profile import Profile

BOARD_OF: dict[JudgeName, str] = {
    "published": "stones",
    "stones": "stones",
    "seasons": "seasons",
    "open": "time",
}
NAMES: dict[JudgeName, str] = {kind: f"{kind} set" for kind in BOARD_OF}
"""What the judge of each kind of board is called."""
COUNTS: dict[JudgeName, int] = {"published": 1000, "stones": 1000, "seasons": 200, "open": 400}
SEED = 601
PART = 40
"""Photos in one piece of work."""
PLANTED = 3
"""One board in so many has strangers on it."""
EQUAL = 25
"""For one board of stones in so many there is a grid of nine equal ones, which no box holds."""
RIDGE = 0.5
"""Held-out likelihood is greater with it than with that of ``monotone``, for all kinds."""
ON_PIECES, ELSEWHERE = 0.75, 0.3
"""A grid is the board if at least the first share of its cells lies on the board's pieces, and
something else up to the second. A grid of given size in between is not the board either."""


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
    return Example(set_signs(found.read, spec), share >= ON_PIECES)


def gather_part(work: tuple[JudgeName, int], bank: Path, seed: int) -> list[Example]:
    """The grids in photos of boards of a kind, and in as many photos without the board."""
    kind, first = work
    painter = held_out_painter(bank)
    examples = []
    for number in range(first, first + PART):
        laid = laid_board(kind, seed, number, painter)
        examples.append(found_in(laid.shots[0].photo, laid.spec, laid.profile, laid))
        rng = np.random.default_rng([seed, number, 1])
        photo, profile = stranger_to(rng, painter, BOARD_OF[kind], kind == "published")
        examples.append(found_in(photo, laid.spec, profile, None))
        if laid.spec.name == "stones" and number % EQUAL == 0:
            task = Task("stones", kind == "published", equal=True)
            other = photographed(seed, number, painter, task)
            examples.append(found_in(other.shots[0].photo, other.spec, other.profile, None))
    return [example for example in examples if example is not None]


def gather(
    bank: Path, counts: Mapping[JudgeName, int] = COUNTS, seed: int = SEED
) -> dict[JudgeName, list[Example]]:
    """The grids in photos of boards of each kind, ``counts`` of them, and of as many without."""
    works = [(kind, first) for kind, count in counts.items() for first in range(0, count, PART)]
    gathered: dict[JudgeName, list[Example]] = {kind: [] for kind in counts}
    with ProcessPoolExecutor() as pool:
        found = pool.map(partial(gather_part, bank=bank, seed=seed), works)
        for (kind, _), examples in zip(works, found, strict=True):
            gathered[kind] += examples
    return gathered


def judge_of(examples: Sequence[Example]) -> Judge:
    """The judge that says how probably a grid shows the set."""
    names = examples[0].signs
    signs = {name: np.concatenate([each.signs[name] for each in examples]) for name in names}
    return fitted(signs, 1 - np.array([each.shown for each in examples], np.float64), ridge=RIDGE)


def report(judge: Judge, examples: Sequence[Example]) -> str:
    """Errors of a judge on grids it was not fitted on."""
    believed = [
        (judge.chances(example.signs)[0] >= LEAST_BELIEF, example.shown) for example in examples
    ]
    boards = sum(shown for _, shown in believed)
    return (
        f"{boards} boards, not believed {sum(shown and not yes for yes, shown in believed)};"
        f" {len(believed) - boards} other grids, believed "
        f"{sum(yes and not shown for yes, shown in believed)}"
    )


def set_judges(gathered: Mapping[JudgeName, Sequence[Example]]) -> dict[str, Judge]:
    """The judges of grids. Prints what those say of some photos that are fitted on the others."""
    judges = {}
    for kind, examples in gathered.items():
        learnt = [example for i, example in enumerate(examples) if i % HELD_OUT]
        print(f"{NAMES[kind]}: {report(judge_of(learnt), examples[::HELD_OUT])}", flush=True)
        judges[NAMES[kind]] = judge_of(examples)
    return judges
