"""A label that lies on every lesson's board equally often does so on the next one, too."""

from itertools import combinations

import numpy as np
import pytest

from vision.evidence import Evidence
from vision.name.constant import CONSTANT, probably_constant, with_constant

LABELS = ("field", "lake", "castle")


def scores(*rows: tuple[float, float, float]) -> Evidence:
    """Evidence of cells that is the same in all four turns."""
    each = np.tile(np.array(rows, np.float64), (4, 1, 1))
    return Evidence(each, each.astype(np.float32), np.ones(each.shape[:2]))


def chances(evidence: Evidence) -> np.ndarray:
    """Probabilities of the labels of each cell in the first turn, shape (n, labels)."""
    p = np.exp(evidence.scores[0])
    return np.asarray(p / p.sum(1, keepdims=True))


def test_a_piece_that_looks_like_nothing_is_the_castle_that_must_lie_there() -> None:
    seen = scores((9, 1, 0), (1, 8, 0), (2.5, 3, 2), (9, 0, 1))
    boards = [{"castle": 1, "field": 2, "lake": 1}, {"castle": 1, "field": 3}] * 4
    assert chances(seen)[2].argmax() == LABELS.index("lake")
    found = chances(with_constant(seen, LABELS, boards))
    assert found[2].argmax() == LABELS.index("castle")
    assert found.argmax(1).tolist() == [0, 1, 2, 0]


def test_a_second_castle_is_not_believed_where_there_always_was_one() -> None:
    seen = scores((0, 1, 9), (2, 3, 4), (9, 0, 1), (0, 9, 1))
    found = chances(with_constant(seen, LABELS, [{"castle": 1}] * 6))
    assert found.argmax(1).tolist() == [2, 1, 0, 1]


def test_what_is_plainly_seen_is_believed_though_it_lies_there_oftener_than_ever() -> None:
    seen = scores((0, 1, 20), (0, 0, 20), (20, 0, 1), (0, 20, 1))
    found = chances(with_constant(seen, LABELS, [{"castle": 1}] * 3))
    assert found.argmax(1).tolist() == [2, 2, 0, 1]


@pytest.mark.parametrize(
    "boards",
    [(), [{"castle": 1}, {"castle": 2}], [{"castle": 1}, {}], [{"castle": 4}] * 3],
    ids=["no whole board", "another number", "none once", "as many as cells"],
)
def test_nothing_changes_where_no_number_is_constant(boards: list[dict[str, int]]) -> None:
    seen = scores((0, 1, 9), (2, 3, 4), (9, 0, 1), (0, 9, 1))
    assert with_constant(seen, LABELS, boards) is seen


@pytest.mark.parametrize("count", [1, 2, 3])
def test_chances_are_those_of_all_ways_to_lay_the_board(count: int) -> None:
    """Counted one by one: so many castles with the prior's probability, else any number."""
    rng = np.random.default_rng(count)
    seen = scores(*rng.normal(2, 2, (6, 3)).tolist())
    boards = [{"castle": count}] * 3
    each = np.exp(seen.scores[0])
    castle, other = each[:, 2], each[:, :2].mean(1)
    prior = probably_constant(count, 3)
    total, with_castle = 0.0, np.zeros(6)
    for chosen in (set(c) for size in range(7) for c in combinations(range(6), size)):
        likely = np.prod([castle[i] if i in chosen else other[i] for i in range(6)])
        freely = (1 / 3) ** len(chosen) * (2 / 3) ** (6 - len(chosen))
        ways = len([*combinations(range(6), count)])
        weight = (1 - prior) * freely + (prior / ways if len(chosen) == count else 0.0)
        total += likely * weight
        with_castle[[*chosen]] += likely * weight
    found = chances(with_constant(seen, LABELS, boards))[:, 2]
    np.testing.assert_allclose(found, with_castle / total, rtol=1e-9)


def test_one_board_says_nothing_and_more_say_more() -> None:
    said = [probably_constant(2, boards) for boards in range(1, 6)]
    assert said[0] == pytest.approx(CONSTANT)
    assert said == sorted(said)
    assert said[-1] < 1
