"""A label that lies on every lesson's board equally often does so on the next one, too."""

from itertools import combinations

import numpy as np
import pytest

from vision.evidence import Evidence
from vision.name.frequency import CONSTANT, probably_constant, with_frequencies

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
    found = chances(with_frequencies(seen, LABELS, boards))
    assert found[2].argmax() == LABELS.index("castle")
    assert found.argmax(1).tolist() == [0, 1, 2, 0]


def test_a_second_castle_is_not_believed_where_there_always_was_one() -> None:
    seen = scores((0, 1, 9), (2, 3, 4), (9, 0, 1), (0, 9, 1))
    found = chances(with_frequencies(seen, LABELS, [{"castle": 1}] * 6))
    assert found.argmax(1).tolist() == [2, 1, 0, 1]


def test_what_is_plainly_seen_is_believed_though_it_lies_there_oftener_than_ever() -> None:
    seen = scores((0, 1, 20), (0, 0, 20), (20, 0, 1), (0, 20, 1))
    found = chances(with_frequencies(seen, LABELS, [{"castle": 1}] * 3))
    assert found.argmax(1).tolist() == [2, 2, 0, 1]


@pytest.mark.parametrize(
    "boards",
    [(), [{"castle": 1}, {"castle": 2}], [{"castle": 1}, {}], [{"castle": 4}] * 3],
    ids=["no whole board", "another number", "none once", "as many as cells"],
)
def test_nothing_changes_where_no_number_is_constant(boards: list[dict[str, int]]) -> None:
    seen = scores((0, 1, 9), (2, 3, 4), (9, 0, 1), (0, 9, 1))
    assert with_frequencies(seen, LABELS, boards) is seen


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
    found = chances(with_frequencies(seen, LABELS, boards))[:, 2]
    np.testing.assert_allclose(found, with_castle / total, rtol=1e-9)


def test_one_board_says_nothing_and_more_say_more() -> None:
    said = [probably_constant(2, boards) for boards in range(1, 6)]
    assert said[0] == pytest.approx(CONSTANT)
    assert said == sorted(said)
    assert said[-1] < 1


def test_where_most_cells_are_bare_a_doubtful_one_is_bare_too() -> None:
    labels = ("field", "lake", ".")
    doubtful, bare, field = (3.0, 0.0, 2.5), (0.0, 0.0, 9.0), (9.0, 0.0, 0.0)
    found = chances(with_frequencies(scores(doubtful, *[bare] * 20, field), labels, ()))
    assert found.argmax(1).tolist() == [2, *[2] * 20, 0]
    found = chances(with_frequencies(scores(doubtful, *[field] * 20, bare), labels, ()))
    assert found.argmax(1).tolist() == [0, *[0] * 20, 2]


def test_a_game_need_not_have_as_many_bare_cells_as_the_lessons() -> None:
    seen = scores((3.0, 0.0, 2.9), (0.0, 0.0, 9.0), (9.0, 0.0, 0.0))
    labels = ("field", "lake", ".")
    found = with_frequencies(seen, labels, [{".": 2, "field": 1}, {".": 2, "lake": 1}] * 3)
    np.testing.assert_array_equal(found.scores, with_frequencies(seen, labels, ()).scores)


def test_a_bare_cell_is_as_probable_as_the_rule_of_succession_says() -> None:
    """Where the other cells are certain and one says nothing."""
    labels = ("field", "lake", ".")
    bare, field, silent = (0.0, 0.0, 60.0), (60.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    found = chances(with_frequencies(scores(silent, *[bare] * 6, *[field] * 2), labels, ()))
    assert found[0, 2] == pytest.approx((6 + 1) / (8 + 2), abs=1e-9)
    assert found[0, 0] == pytest.approx(found[0, 1])
