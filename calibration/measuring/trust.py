"""Fits the judge of doubt of open grids (``vision.trust``) and holds it to its word.

Grids of time, of other games, and such whose corners a person gave are drawn, read and kept with
all that was seen of them, so that fitting takes seconds. Of each grid that curves are fitted on,
judges say how much error it may keep that were fitted on other editions. Grids with a seed of their
own test what came out. Needs the ``training`` extra and the icon bank::

    python -m calibration.measuring.trust BANK.npz --rounds 40

Stopped and started again it goes on where it was; with ``--rounds 0`` it fits on what there is. It
writes ``vision/trust.toml`` and prints what the test says. Boards seen by other networks are drawn
again.
"""

import argparse
import math
import pickle
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from calibration.files import write_whole
from calibration.measuring.examples import Example, ExampleKind, examples
from calibration.measuring.generated import Tier, Truth
from calibration.measuring.monotone import fitted
from models.registry import model_version
from models.training.faces import SetPainter, held_out_painter
from scorer.notation import EMPTY
from vision.boards import BoardSpec
from vision.choose import CellsRead, read_best, read_cells
from vision.errors import VisionError
from vision.find.corners import board_at_corners
from vision.geometry import Pyramid
from vision.kinds import kind_of
from vision.name.signs import MOST_ODDS, Signs
from vision.probability import Doubles
from vision.profile import Profile
from vision.quality import BoardQuality, board_quality
from vision.trust import FILE, Answers, Judge, answers_of, named_of, risks_of

Part = Literal["fit", "test"]
SEEDS: dict[Part, tuple[int, ...]] = {"fit": (7101, 7202), "test": (7303,)}
EDITIONS: dict[ExampleKind, int] = {"time": 20, "other": 10, "given": 10}
"""New editions of each kind in one round of one seed."""
CELLS = ("open", "nothing")
JUDGES = (*CELLS, *(f"{name} strange" for name in CELLS), "open direction", "open extent")
"""Of cells with and without a piece, of the direction and of the extent of a grid."""
BASES = {"nothing": "presence", "open extent": "whole"} | dict.fromkeys(
    [f"{name} strange" for name in CELLS], "known"
)
"""The sign that holds log odds already, by judge; of the others it is ``odds``."""
TRUSTING = {
    base: Judge(0.0, {base: ((-MOST_ODDS, MOST_ODDS), (-MOST_ODDS, MOST_ODDS))})
    for base in {"odds", *BASES.values()}
}
"""What is judged without any example: log odds as they are."""
FOLDS = 4
"""In so many parts boards are held out of the fit to choose what they may keep."""
AMOUNTS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2)
"""Amounts of risk that boards may keep, to choose from."""
WRONG, MISSED = 0.1, 0.12
"""Tolerated shares of sure boards that are wrong, and of others wrong in what is not asked. Some
400 boards, a third of them made hard, cannot show less."""
CONFIDENCE = 0.05
"""How probably a bound may fail."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A board that was read: what was seen of it and what truly lies there."""

    kind: ExampleKind
    hard: str
    tier: Tier
    number: int
    truth: Truth
    spec: BoardSpec
    profile: Profile
    read: CellsRead
    quality: BoardQuality


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The answers of a board and which of them are wrong: cells (n,), nan where nobody can say.

    ``strange`` (n,) are those of the wrong cells that show what no lesson showed.
    """

    seen: Seen
    answers: Answers
    cells: Doubles
    strange: npt.NDArray[np.bool_]
    direction: bool
    extent: bool

    @property
    def judge(self) -> str:
        """Whose answers are judged alike."""
        return kind_of(self.seen.spec, self.seen.profile.published).judge

    @property
    def exact(self) -> bool:
        return not (self.direction or self.extent or (self.cells == 1).any())


def read_example(example: Example, number: int) -> Seen | None:
    """Read an example; None if it is refused."""
    pyramid = Pyramid(example.photo.image_rgb)
    try:
        if example.corners is not None:
            board = board_at_corners(example.photo, example.spec, example.corners, pyramid)
            read = read_cells(pyramid, board, example.spec, example.profile, fixed_turn=0)
            if read is None:
                return None
        else:
            read, _ = read_best(pyramid, example.spec, example.profile)
    except VisionError:
        return None
    quads = np.stack([cell.quad_xy for cell in read.board.cells])
    quality = board_quality(example.photo.image_bgr, quads, example.spec.aspect)
    return Seen(
        example.kind,
        example.hard,
        example.tier,
        number,
        example.truth,
        example.spec,
        example.profile,
        read,
        quality,
    )


def weighed(seen: Seen) -> Weighed:
    """The answers of a board against the truth."""
    profile = kind_of(seen.spec).completed(seen.profile)
    read, board = seen.read, seen.read.board
    named = named_of(board, seen.spec, profile, read.look)
    answers = answers_of(named, board, seen.spec, profile, read.look, read.extent, seen.quality)
    places, turn = board.upright(read.look.way.turn), read.look.way.turn
    size = (board.rows, board.cols) if turn % 2 == 0 else (board.cols, board.rows)
    have = dict(zip(places, answers.named.labels, strict=True))
    ways = list(_turned(*_laid(seen)))
    right = [
        sum(want[place] == label for place, label in have.items()) if shape == size else -1
        for want, shape in ways
    ]
    best = 0 if right[0] == max(right) else int(np.argmax(right))
    unknown, nothing = np.full(len(places), np.nan), np.zeros(len(places), np.bool_)
    if right[best] < 0:
        return Weighed(seen, answers, unknown, nothing, False, True)
    want, turned = ways[best][0], seen.spec.is_directed and best != 0
    if any(label != EMPTY for place, label in want.items() if place not in have):
        return Weighed(seen, answers, unknown, nothing, turned, True)
    wrong = np.array([want[place] != label for place, label in have.items()], np.float64)
    if turned:
        return Weighed(seen, answers, unknown, nothing, True, False)
    known = {*profile.labels, EMPTY}
    strange = np.array([want[place] not in known or seen.hard == "covered" for place in have])
    return Weighed(seen, answers, wrong, strange & (wrong > 0), False, False)


Grid = dict[tuple[int, int], str]


def _laid(seen: Seen) -> tuple[Grid, tuple[int, int]]:
    """What lies on each place of the whole grid, and its rows and columns; a stranger is ``?``."""
    places = np.array(list(seen.truth))
    given = seen.kind == "given"
    first = np.zeros(2, int) if given else places.min(0)
    size = np.array([seen.spec.rows[0], seen.spec.cols[0]]) if given else places.max(0) - first + 1
    rows, cols = (int(n) for n in size)
    grid = {(row, col): EMPTY for row in range(rows) for col in range(cols)}
    for (row, col), (label, stranger) in seen.truth.items():
        grid[row - int(first[0]), col - int(first[1])] = "?" if stranger else label
    return grid, (rows, cols)


def _turned(grid: Grid, size: tuple[int, int]) -> Iterator[tuple[Grid, tuple[int, int]]]:
    """The grid in its four turns, each with its rows and columns."""
    for _ in range(4):
        yield grid, size
        rows, cols = size
        grid = {(col, rows - 1 - row): label for (row, col), label in grid.items()}
        size = (cols, rows)


class Examples(NamedTuple):
    """Answers of one judge: their signs, which are wrong, and the board each is of; (n,) each."""

    signs: dict[str, Doubles]
    wrong: Doubles
    board: npt.NDArray[np.intp]


def examples_of(boards: Sequence[Weighed]) -> dict[str, Examples]:
    """The answers of all boards by their judge."""
    found: dict[str, list[tuple[Signs, Doubles, int]]] = {}
    for number, board in enumerate(boards):
        answers, judge = board.answers, board.judge
        kinds = np.array(answers.kinds)
        for kind in {*answers.kinds} if not np.isnan(board.cells).any() else ():
            of_kind = {name: sign[kinds == kind] for name, sign in answers.cells.items()}
            strange = board.strange[kinds == kind].astype(np.float64)
            confused = board.cells[kinds == kind] - strange
            found.setdefault(kind, []).append((of_kind, confused, number))
            found.setdefault(f"{kind} strange", []).append((of_kind, strange, number))
        if answers.direction is not None and not board.extent:
            wrong = np.array([float(board.direction)])
            found.setdefault(f"{judge} direction", []).append((answers.direction, wrong, number))
        if answers.extent is not None:
            wrong = np.array([float(board.extent)])
            found.setdefault(f"{judge} extent", []).append((answers.extent, wrong, number))
    return {
        judge: Examples(
            {name: np.concatenate([signs[name] for signs, _, _ in each]) for name in each[0][0]},
            np.concatenate([wrong for _, wrong, _ in each]),
            np.concatenate([np.full(len(wrong), number) for _, wrong, number in each]),
        )
        for judge, each in found.items()
    }


def judges_of(boards: Sequence[Weighed]) -> dict[str, Judge]:
    """All judges, fitted on these boards; one without examples trusts the networks."""
    found = {
        judge: fitted(each.signs, each.wrong, BASES.get(judge, "odds"))
        for judge, each in examples_of(boards).items()
    }
    return {judge: found.get(judge, TRUSTING[BASES.get(judge, "odds")]) for judge in JUDGES}


class Outcome(NamedTuple):
    """A board whose answers were judged: ``risk`` that any is wrong, and the most error that it may
    keep before a wrong answer is not asked about."""

    risk: float
    breaks: float


def outcome(board: Weighed, judges: Mapping[str, Judge]) -> Outcome:
    """What the judges say of a board, against the truth."""
    kind = kind_of(board.seen.spec, board.seen.profile.published)
    cells, direction, extent = risks_of(board.answers, kind, judges)
    risks = np.concatenate([cells, [direction, extent]])
    wrong = np.concatenate([np.nan_to_num(board.cells), [board.direction, board.extent]]) > 0
    order = np.argsort(risks)
    left = np.cumsum(risks[order])
    return Outcome(float(left[-1]), float(left[wrong[order]].min()) if wrong.any() else np.inf)


def held_out(boards: Sequence[Weighed]) -> list[Outcome]:
    """What judges say of each board that were fitted on the other editions."""
    fold = np.array([board.seen.number % FOLDS for board in boards])
    found: dict[int, Outcome] = {}
    for k in range(FOLDS):
        judges = judges_of([board for board, at in zip(boards, fold, strict=True) if at != k])
        for i in np.flatnonzero(fold == k).tolist():
            found[i] = outcome(boards[i], judges)
    return [found[i] for i in range(len(boards))]


def bound(wrong: int, count: int, tests: int = 1) -> float:
    """The share that is exceeded with 5 % probability in any of so many tests, if so many of
    ``count`` were wrong (Clopper and Pearson 1934).

    >>> round(bound(0, 2995), 4)
    0.001
    """
    low, high = wrong / max(count, 1), 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        if _at_most(wrong, count, middle) > CONFIDENCE / tests:
            low = middle
        else:
            high = middle
    return high


def _at_most(wrong: int, count: int, p: float) -> float:
    """Probability of at most so many wrong ones of ``count``, each with probability p."""
    terms, term = 0.0, count * math.log1p(-min(p, 1 - 1e-12))
    for k in range(wrong + 1):
        terms += math.exp(term)
        if p > 0 and k < count:
            term += math.log((count - k) / (k + 1)) + math.log(p) - math.log1p(-min(p, 1 - 1e-12))
    return min(terms, 1.0)


class Limits(NamedTuple):
    """``sure`` and ``left`` of ``vision.trust.Fitted``."""

    sure: float
    left: float


def limits(outcomes: Sequence[Outcome], wrong: float, missed: float) -> Limits:
    """How much risk boards may keep, at 95 % confidence.

    At most the share ``wrong`` of the sure boards is wrong, and at most the share ``missed`` of the
    others is wrong in what is not asked.

    Learn then test (Angelopoulos and others 2021, arXiv:2110.01052): each of the ``AMOUNTS`` is a
    hypothesis, tested at its part of the 5 % (Bonferroni), and the largest one that holds is taken.
    """

    def largest(held: Callable[[float], tuple[int, int]], tolerated: float) -> float:
        return max((a for a in AMOUNTS if bound(*held(a), len(AMOUNTS)) <= tolerated), default=0.0)

    def sure_ones(amount: float) -> tuple[int, int]:
        sure = [each for each in outcomes if each.risk <= amount]
        return sum(each.breaks < np.inf for each in sure), len(sure)

    sure = largest(sure_ones, wrong)

    def others(amount: float) -> tuple[int, int]:
        rest = [each for each in outcomes if each.risk > sure]
        return sum(each.breaks <= amount for each in rest), len(rest)

    return Limits(sure, min(largest(others, missed), sure))


def gather(bank: Path, folder: Path, rounds: int) -> None:
    """Draw and read boards that are not there yet."""
    painter: SetPainter | None = None
    for number in range(rounds):
        for seeds in SEEDS.values():
            for seed in seeds:
                for kind, count in EDITIONS.items():
                    path = folder / f"{seed}-{kind}-{number:04d}.pkl"
                    if path.is_file():
                        continue
                    painter = painter or held_out_painter(bank)
                    seen = [
                        read_example(example, edition)
                        for edition in range(number * count, (number + 1) * count)
                        for example in examples(kind, seed, edition, painter)
                    ]
                    write_whole(path, zlib.compress(pickle.dumps(seen), 1))


def boards_in(folder: Path, part: Part) -> list[Weighed]:
    """The boards of a part that were found, with their answers."""
    paths = [
        path
        for seed in SEEDS[part]
        for kind in EDITIONS
        for path in sorted(folder.glob(f"{seed}-{kind}-*.pkl"))
    ]
    kept = (seen for path in paths for seen in pickle.loads(zlib.decompress(path.read_bytes())))
    return [weighed(seen) for seen in kept if seen is not None]


def written(judges: Mapping[str, Judge], most: Limits, tolerated: Limits, boards: int) -> str:
    """The file of all fitted numbers."""
    lines = [
        "# Written by `python -m calibration.measuring.trust`: how probably answers are wrong.",
        f"date = {date.today()}",
        f'model = "{model_version()}"',
        f"seeds = {list(SEEDS['fit'])}",
        f"boards = {boards}",
        "# of sure boards that are wrong, and of others that are wrong in what is not asked about",
        f"tolerated = {list(tolerated)}",
        f"sure = {most.sure:.3g}",
        f"left = {most.left:.3g}",
    ]
    for name, judge in judges.items():
        lines += ["", f'[judge."{name}"]', f"offset = {judge.offset}"]
        lines += [f"{sign} = {[*map(list, curve)]}" for sign, curve in judge.curves.items()]
    return "\n".join(lines) + "\n"


def line(name: str, boards: Sequence[Weighed], outcomes: Sequence[Outcome], most: Limits) -> str:
    """What is said of some boards, and how often it is wrong."""
    pairs = list(zip(boards, outcomes, strict=True))
    sure = [board for board, each in pairs if each.risk <= most.sure]
    silent = sum(not board.exact for board in sure)
    left = sum(each.risk > most.sure and each.breaks <= most.left for each in outcomes)
    others = len(boards) - len(sure)
    return (
        f"{name:10s} boards {len(boards):5d}  exact {sum(b.exact for b in boards):5d}  sure"
        f" {len(sure):5d}  of them wrong {silent} (95 %: {bound(silent, len(sure)):.2%})"
        f"  others wrong and not asked {left} ({bound(left, others):.2%})"
    )


def report(boards: Sequence[Weighed], judges: Mapping[str, Judge], most: Limits) -> str:
    """The boards of each kind, and those that were made hard."""
    outcomes = [outcome(board, judges) for board in boards]
    groups = {str(kind): [b.seen.kind == kind for b in boards] for kind in EDITIONS}
    groups |= {
        hard: [b.seen.hard == hard for b in boards] for hard in ("planted", "lacking", "covered")
    }
    groups["all"] = [True] * len(boards)
    return "\n".join(
        line(
            name,
            [b for b, i in zip(boards, within, strict=True) if i],
            [o for o, i in zip(outcomes, within, strict=True) if i],
            most,
        )
        for name, within in groups.items()
        if any(within)
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bank", type=Path)
    parser.add_argument("--rounds", type=int, default=0, help="of new editions to draw")
    parser.add_argument(
        "--wrong", type=float, default=WRONG, help="share of sure boards that may be wrong"
    )
    parser.add_argument(
        "--missed",
        type=float,
        default=MISSED,
        help="share of other boards that may be wrong in what is not asked about",
    )
    args = parser.parse_args()
    folder = args.bank.parent / "trust" / model_version()
    folder.mkdir(parents=True, exist_ok=True)
    gather(args.bank, folder, args.rounds)
    boards = boards_in(folder, "fit")
    tolerated = Limits(args.wrong, args.missed)
    most = limits(held_out(boards), *tolerated)
    judges = judges_of(boards)
    text = written(judges, most, tolerated, len(boards))
    Path(str(resources.files("vision").joinpath(FILE))).write_text(text, encoding="utf-8")
    print(f"fitted on {len(boards)} boards: sure up to {most.sure:.3g}, left {most.left:.3g}")
    print(report(boards_in(folder, "test"), judges, most))


if __name__ == "__main__":
    main()
