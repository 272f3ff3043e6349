"""Fits all judges and holds them to their word.

First those of pattern cards, those that say on which places pieces lie, and whether a grid shows
the set at all. Then those of doubt (``vision.trust``): boards of every kind are drawn, read and
kept with all that was seen of them, so that fitting takes minutes. Of each board that curves are
fitted on, judges say how much error it may keep that were fitted on other editions. Boards with a
seed of their own test what came out. Needs the ``training`` extra and the icon bank::

    python -m calibration.measuring.trust BANK.npz --rounds 20

Stopped and started again it goes on where it was; with ``--rounds 0`` it fits on what there is. It
writes ``vision/trust.toml`` and prints what the tests say. What was seen by other networks, or on
places that were judged otherwise, is drawn again.
"""

import math
import pickle
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from importlib import resources
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from calibration.files import replacing, write_whole
from calibration.measuring import belief, card_judges, places
from calibration.measuring.examples import ExampleKind, examples
from calibration.measuring.monotone import fitted
from calibration.measuring.weighed import Weighed, read_example, weighed
from models.registry import model_version
from models.training.arguments import parser_of
from models.training.faces import SetPainter, held_out_painter
from vision import probability
from vision.name.signs import MOST_ODDS, board_signs
from vision.probability import FILE, Doubles, Fitted, Judge, Signs
from vision.trust import Risks, course_of, risks_of

Part = Literal["fit", "test"]
Drawn = TypeVar("Drawn")
SEEDS: dict[Part, tuple[int, ...]] = {"fit": (7101, 7202, 8101), "test": (7303,)}
EDITIONS: dict[ExampleKind, int] = {
    "published": 20, "stones": 20, "seasons": 10, "time": 20, "other": 10, "given": 10
}  # fmt: skip
"""New editions of each kind in one round of one seed."""
CELLS = {
    "published": ("published", "published alike"),
    "stones": ("stones",),
    "seasons": ("seasons", "seasons number", "seasons bare"),
    "open": ("open", "nothing"),
}
"""The answers about cells of each kind of board, see ``vision.kinds.kind.Kind.answer``."""
ANSWERS = (
    *(name for names in CELLS.values() for name in names),
    *(f"{name} strange" for names in CELLS.values() for name in names),
    *(f"{kind} direction" for kind in CELLS),
    "open extent",
)
BASES = {name: "known" for name in ANSWERS if name.endswith("strange")} | {
    "nothing": "presence",
    "nothing strange": "presence",
    "open extent": "whole",
}
"""The sign that holds log odds already, by judge; of the others it is ``odds``."""
TRUSTING = {
    base: Judge(0.0, {base: ((-MOST_ODDS, MOST_ODDS), (-MOST_ODDS, MOST_ODDS))})
    for base in {"odds", *BASES.values()}
}
"""What is judged without any example: log odds as they are."""
MISREAD = 0.1
"""Share of boards of each kind that are read wrong somewhere, where people play. Generated boards
are much harder on purpose: each stands for fewer or more boards, such that this is their share."""
FOLDS = 12
"""In so many parts boards are held out of the fit to choose what they may keep: the judges of each
part see nearly as many boards as those that ship."""
ASKED = (0, 1, 2, 3, 5, 8, 13)
"""After how many questions boards are looked at in the fit."""
AMOUNTS = tuple(0.003 * 1.05**k for k in range(80))
"""Risks that boards may keep, to choose from: each a twentieth more than the one before."""
WRONG, MISSED = 0.004, 0.05
"""Tolerated shares of sure boards that are wrong, and of other wrong ones that stay wrong after all
that is asked was answered. Some six thousand boards cannot show much less."""
CONFIDENCE = 0.05
"""How probably a bound may fail."""


class Examples(NamedTuple):
    """Answers of one judge: their signs, which are wrong, and for how many each stands; (n,)
    each."""

    signs: dict[str, Doubles]
    wrong: Doubles
    counts: Doubles


def counts_of(boards: Sequence[Weighed]) -> Doubles:
    """For how many boards each stands, if the share ``MISREAD`` of each kind is to be wrong,
    shape (n,)."""
    wrong = np.array([board.wrong.any() for board in boards])
    kinds = np.array([board.room.judge for board in boards])
    counts = np.ones(len(boards))
    for kind in {*kinds.tolist()}:
        share = wrong[kinds == kind].mean()
        if 0 < share < 1:
            counts[(kinds == kind) & wrong] = MISREAD / share
            counts[(kinds == kind) & ~wrong] = (1 - MISREAD) / (1 - share)
    return counts


def examples_of(boards: Sequence[Weighed]) -> dict[str, Examples]:
    """The answers of all boards by their judge."""
    found: dict[str, list[tuple[Signs, Doubles, float]]] = {}
    for board, count in zip(boards, counts_of(boards).tolist(), strict=True):
        answers, judge = board.answers, board.room.judge
        kinds = np.array(answers.kinds)
        for kind in {*answers.kinds} if not np.isnan(board.cells).any() else ():
            of_kind = {name: sign[kinds == kind] for name, sign in answers.cells.items()}
            strange = board.strange[kinds == kind].astype(np.float64)
            confused = board.cells[kinds == kind] - strange
            found.setdefault(kind, []).append((of_kind, confused, count))
            found.setdefault(f"{kind} strange", []).append((of_kind, strange, count))
        if answers.direction is not None and not board.extent:
            wrong = np.array([float(board.direction)])
            found.setdefault(f"{judge} direction", []).append((answers.direction, wrong, count))
        if answers.extent is not None:
            wrong = np.array([float(board.extent)])
            found.setdefault(f"{judge} extent", []).append((answers.extent, wrong, count))
    return {
        judge: Examples(
            {name: np.concatenate([signs[name] for signs, _, _ in each]) for name in each[0][0]},
            np.concatenate([wrong for _, wrong, _ in each]),
            np.concatenate([np.full(len(wrong), count) for _, wrong, count in each]),
        )
        for judge, each in found.items()
    }


def judges_of(boards: Sequence[Weighed], risks: Sequence[Risks]) -> dict[str, Judge]:
    """All judges, fitted on these boards; those of whole boards on held-out ``risks``."""
    return answer_judges(boards) | board_judges(boards, risks)


def answer_judges(boards: Sequence[Weighed]) -> dict[str, Judge]:
    """The judges of answers; one without examples trusts the networks."""
    found = {
        judge: fitted(each.signs, each.wrong, BASES.get(judge, "odds"), each.counts)
        for judge, each in examples_of(boards).items()
    }
    return {judge: found.get(judge, TRUSTING[BASES.get(judge, "odds")]) for judge in ANSWERS}


def board_judges(boards: Sequence[Weighed], risks: Sequence[Risks]) -> dict[str, Judge]:
    """The judges of whole boards, given the risks of their answers: before anything is asked, and
    after some of the likeliest errors were."""
    found = dict.fromkeys([f"{kind} board" for kind in CELLS], TRUSTING["odds"])
    for kind in CELLS:
        signs: list[Signs] = []
        wrong: list[Doubles] = []
        counts: list[Doubles] = []
        for board, judged, count in zip(boards, risks, counts_of(boards), strict=True):
            if board.room.judge == kind:
                order = np.argsort(-judged.every, kind="stable")
                at = [k for k in ASKED if k <= len(order)]
                each = board_signs(judged.every[order], board.answers.cells)
                signs.append({name: sign[at] for name, sign in each.items()})
                wrong.append(np.array([board.wrong[order][k:].any() for k in at], np.float64))
                counts.append(np.full(len(at), count))
        if signs:
            every = {name: np.concatenate([one[name] for one in signs]) for name in signs[0]}
            every_wrong, every_count = np.concatenate(wrong), np.concatenate(counts)
            found[f"{kind} board"] = fitted(every, every_wrong, "odds", every_count)
    return found


def folds(boards: Sequence[Weighed]) -> Iterator[tuple[list[int], list[int]]]:
    """Numbers of the boards of most editions, and of the others; in turn."""
    fold = np.array([board.number % FOLDS for board in boards])
    for k in range(FOLDS):
        yield np.flatnonzero(fold != k).tolist(), np.flatnonzero(fold == k).tolist()


def held_out_risks(boards: Sequence[Weighed]) -> list[Risks]:
    """The risks of the answers of each board, by judges that were fitted on other editions."""
    found: dict[int, Risks] = {}
    for rest, held in folds(boards):
        judges = answer_judges([boards[at] for at in rest])
        found |= {at: risks_of(boards[at].answers, boards[at].room, judges) for at in held}
    return [found[at] for at in range(len(boards))]


class Outcome(NamedTuple):
    """A board whose answers were judged: how probably it is wrong after so many were asked about
    (``Course.left``), and how many must be, the likeliest errors first, until it is right. ``kind``
    is the judge of such boards."""

    left: Doubles
    needed: int
    kind: str

    def missed(self, left: float) -> bool:
        """Whether it is still wrong once it seems as safe as ``left``, one answer at least was
        asked about."""
        enough = np.flatnonzero(self.left[1:] <= left)
        return len(enough) > 0 and int(enough[0]) + 1 < self.needed


def outcome(board: Weighed, judged: Risks, judges: Mapping[str, Judge]) -> Outcome:
    """What the judges say of a board, against the truth."""
    course = course_of(judged.every, board.answers.cells, board.room, judges)
    wrong = np.flatnonzero(board.wrong[course.order])
    return Outcome(course.left, int(wrong[-1]) + 1 if len(wrong) else 0, board.room.judge)


def held_out(boards: Sequence[Weighed], risks: Sequence[Risks]) -> list[Outcome]:
    """What judges say of each board that were fitted on the other editions, given its held-out
    ``risks``."""
    found: dict[int, Outcome] = {}
    for rest, held in folds(boards):
        judges = board_judges([boards[at] for at in rest], [risks[at] for at in rest])
        found |= {at: outcome(boards[at], risks[at], judges) for at in held}
    return [found[at] for at in range(len(boards))]


def outcomes_of(boards: Sequence[Weighed], judges: Mapping[str, Judge]) -> list[Outcome]:
    """What the judges say of boards that they were not fitted on."""
    return [outcome(one, risks_of(one.answers, one.room, judges), judges) for one in boards]


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


class Counted(NamedTuple):
    """Of how many boards that are right, and that are wrong, so many are sure; and of how many
    wrong ones that are not, so many stay wrong after what was asked."""

    right: tuple[int, int]
    wrong: tuple[int, int]
    missed: tuple[int, int]

    @property
    def silent(self) -> float:
        """The share of sure boards that are wrong, if the share ``MISREAD`` of all is."""
        right, wrong = (n / max(of, 1) for n, of in (self.right, self.wrong))
        return MISREAD * wrong / max(MISREAD * wrong + (1 - MISREAD) * right, 1e-9)

    @property
    def most_silent(self) -> float:
        """The same at most, at 95 % confidence."""
        count, of = self.right
        least, most = 1 - bound(of - count, of, 2), bound(*self.wrong, 2)
        return MISREAD * most / max(MISREAD * most + (1 - MISREAD) * least, 1e-9)


def counted(outcomes: Sequence[Outcome], most: Limits) -> Counted:
    """How many boards are sure and how many are missed, if they may keep so much risk."""
    right = [each.left[0] <= most.sure for each in outcomes if not each.needed]
    wrong = [each for each in outcomes if each.needed]
    doubted = [each.missed(most.left) for each in wrong if each.left[0] > most.sure]
    sure = len(wrong) - len(doubted)
    return Counted((sum(right), len(right)), (sure, len(wrong)), (sum(doubted), len(doubted)))


def limits(outcomes: Sequence[Outcome], wrong: float, missed: float) -> Limits:
    """How much risk boards may keep, at 95 % confidence.

    At most the share ``wrong`` of the sure boards is wrong, and at most the share ``missed`` of the
    other wrong ones is wrong in what is not asked. Of no kind of board alone were more of the sure
    ones wrong than the share ``wrong``: no game may be less safe because another one is safer.

    Learn then test (Angelopoulos and others 2021, arXiv:2110.01052): the ``AMOUNTS`` are tested one
    after the other, the least first, and the last one before the first that fails is taken.
    """

    kinds = {each.kind for each in outcomes}
    alone = [[each for each in outcomes if each.kind == kind] for kind in kinds]

    def silent(amount: float) -> bool:
        most = Limits(amount, amount)
        seen = max((counted(of_kind, most).silent for of_kind in alone), default=0.0)
        return max(counted(outcomes, most).most_silent, seen) > wrong

    sure = max(takewhile(lambda amount: not silent(amount), AMOUNTS), default=0.0)

    def misses(amount: float) -> bool:
        return bound(*counted(outcomes, Limits(sure, amount)).missed) > missed

    return Limits(sure, max(takewhile(lambda amount: not misses(amount), AMOUNTS), default=0.0))


def most_of_cards(cards: Sequence[card_judges.Judged], wrong: float) -> float:
    """Up to which risk a pattern card may be sure, so that at most the share ``wrong`` of the sure
    ones is wrong, at 95 % confidence. Amounts are tested as in ``limits``."""

    def holds(amount: float) -> bool:
        sure = card_judges.sure_ones(cards, amount)
        return bound(sum(card.wrong for card in sure), len(sure)) <= wrong

    return max(takewhile(holds, AMOUNTS), default=0.0)


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
                    keep(path, seen)


def boards_in(folder: Path, part: Part) -> list[Weighed]:
    """The boards of a part that were found, with their answers."""
    paths = [
        path
        for seed in SEEDS[part]
        for kind in EDITIONS
        for path in sorted(folder.glob(f"{seed}-{kind}-*.pkl"))
    ]
    return [weighed(seen) for path in paths for seen in kept(path) if seen is not None]


def keep(path: Path, drawn: object) -> None:
    """Keep what took long to draw."""
    write_whole(path, zlib.compress(pickle.dumps(drawn), 1))


def kept(path: Path) -> Any:
    """What was kept."""
    return pickle.loads(zlib.decompress(path.read_bytes()))


def kept_or(path: Path, draw: Callable[[], Drawn]) -> Drawn:
    """What was kept; it is drawn if nothing was."""
    if not path.is_file():
        keep(path, draw())
    found: Drawn = kept(path)
    return found


def mark_of(judges: object) -> str:
    """A short name of these judges."""
    return f"{zlib.crc32(repr(judges).encode()):08x}"


def fitted_to_grids(bank: Path, folder: Path, tolerated: Limits) -> Fitted:
    """What was fitted before, with new judges of cards, of places, and of whole grids, which are
    seen by those of places. All are written, so each is used from here on."""
    found = probability.fitted()
    photos = kept_or(folder / "cards.pkl", partial(card_judges.gather, bank))
    cards = card_judges.held_out(photos)
    most = most_of_cards(cards, tolerated.sure)
    print(f"pattern cards: {card_judges.report(cards, most)}", flush=True)
    found = found._replace(card=most, judges={**found.judges, **card_judges.judges_of(photos)})
    on = places.place_judges(kept_or(folder / "places.pkl", partial(places.gather, bank)))
    found = found._replace(places=on)
    write(found, tolerated)
    grids = kept_or(folder / f"grids-{mark_of(on)}.pkl", partial(belief.gather, bank))
    found = found._replace(judges={**found.judges, **belief.set_judges(grids)})
    write(found, tolerated)
    return found


def write(found: Fitted, tolerated: Limits, boards: int = 0) -> None:
    """Write all fitted numbers, which hold from here on in this process, too."""
    path = Path(str(resources.files("vision").joinpath(FILE)))
    with replacing(path) as file:
        file.write(written(found, tolerated, boards).encode())
    probability.fitted.cache_clear()


def written(found: Fitted, tolerated: Limits, boards: int) -> str:
    """The file of all fitted numbers; those of doubt are fitted on so many ``boards``."""
    lines = [
        "# Written by `python -m calibration.measuring.trust`: how probably answers are right.",
        f"date = {date.today()}",
        f'model = "{model_version()}"',
        f"seeds = {[card_judges.SEED, places.SEED, belief.SEED, *SEEDS['fit']]}",
        f"boards = {boards}",
        "# share of sure boards that are wrong, and of other wrong ones in what is not asked about",
        f"tolerated = {list(tolerated)}",
        f"sure = {found.sure:.3g}",
        f"left = {found.left:.3g}",
        f"card = {found.card:.3g}",
    ]
    for name, of_places in found.places.items():
        lines += ["", f"[place.{name}]"]
        lines += [f"{part} = {value.tolist()}" for part, value in of_places._asdict().items()]
    for name, judge in found.judges.items():
        lines += ["", f'[judge."{name}"]', f"offset = {judge.offset}"]
        lines += [f"{sign} = {[*map(list, curve)]}" for sign, curve in judge.curves.items()]
    return "\n".join(lines) + "\n"


def line(name: str, outcomes: Sequence[Outcome], most: Limits) -> str:
    """What is said of some boards, and how often it is wrong."""
    found = counted(outcomes, most)
    (sure, right), (silent, wrong), (missed, doubted) = found
    return (
        f"{name:10s} boards {right + wrong:5d}  exact {right:5d}  of them sure {sure:5d}"
        f"  wrong {wrong:5d}  of them sure {silent:3d}  share of the sure, if {MISREAD:.0%} are"
        f" wrong: {found.silent:.2%} (95 %: {found.most_silent:.2%})"
        f"  wrong and not asked {missed} of {doubted} ({bound(missed, doubted):.1%})"
    )


def report(boards: Sequence[Weighed], judges: Mapping[str, Judge], most: Limits) -> str:
    """The boards of each kind, and those that were made hard."""
    outcomes = outcomes_of(boards, judges)
    groups = {str(kind): [b.kind == kind for b in boards] for kind in EDITIONS}
    groups |= {hard: [b.hard == hard for b in boards] for hard in ("planted", "lacking", "covered")}
    groups["all"] = [True] * len(boards)
    return "\n".join(
        line(name, [o for o, i in zip(outcomes, within, strict=True) if i], most)
        for name, within in groups.items()
        if any(within)
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("bank", type=Path)
    parser.add_argument("--rounds", type=int, default=0, help="of new editions to draw")
    parser.add_argument(
        "--wrong", type=float, default=WRONG, help="share of sure boards that may be wrong"
    )
    parser.add_argument(
        "--missed",
        type=float,
        default=MISSED,
        help="share of other wrong boards that may be wrong in what is not asked about",
    )
    args = parser.parse_args()
    folder = args.bank.parent / "trust" / model_version()
    folder.mkdir(parents=True, exist_ok=True)
    tolerated = Limits(args.wrong, args.missed)
    found = fitted_to_grids(args.bank, folder, tolerated)
    of_grids = {name: found.judges[name] for name in belief.NAMES.values()}
    of_cards = {name: found.judges[name] for name in card_judges.NAMES}
    folder /= mark_of([found.places, of_grids])
    folder.mkdir(exist_ok=True)
    gather(args.bank, folder, args.rounds)
    boards = boards_in(folder, "fit")
    if not boards:
        parser.error("no board to fit on was drawn yet: give --rounds")
    risks = held_out_risks(boards)
    most = limits(held_out(boards, risks), *tolerated)
    judges = judges_of(boards, risks)
    every = {**of_cards, **of_grids, **judges}
    write(Fitted(*most, found.card, every, found.places), tolerated, len(boards))
    print(f"fitted on {len(boards)} boards: sure up to {most.sure:.3g}, left {most.left:.3g}")
    print(report(boards_in(folder, "test"), judges, most))


if __name__ == "__main__":
    main()
