"""The fit of the judge of doubt: curves that rise, and what boards may keep."""

import numpy as np
import pytest

from calibration.measuring.monotone import fitted
from calibration.measuring.trust import Outcome, bound, limits


def test_curves_rise_with_what_speaks_for_an_answer_and_ignore_what_does_not() -> None:
    rng = np.random.default_rng(5)
    odds, like, noise = rng.normal(3, 2, 6000), rng.normal(0, 1, 6000), rng.normal(0, 1, 6000)
    right = rng.random(6000) < 1 / (1 + np.exp(-(0.5 * odds + 1.5 * like)))
    judge = fitted({"odds": odds, "like": like, "noise": noise}, 1.0 - right, "odds")
    for bends, heights in judge.curves.values():
        assert (np.diff(bends) > 0).all()
        assert (np.diff(heights) >= 0).all()
    rise = {sign: heights[-1] - heights[0] for sign, (_, heights) in judge.curves.items()}
    assert rise["like"] > 2 > rise.get("noise", 0.0)
    risks = judge.risks({"odds": odds, "like": like, "noise": noise})
    assert risks.mean() == pytest.approx(1 - right.mean(), abs=0.01)
    bold = risks < 0.1
    assert (~right[bold]).mean() == pytest.approx(risks[bold].mean(), abs=0.02)


def test_few_examples_leave_the_slope_of_log_odds_as_it_is() -> None:
    judge = fitted({"odds": np.array([2.0, 3.0, 4.0])}, np.zeros(3), "odds")
    risks = judge.risks({"odds": np.array([-1.0, 1.0, 3.0])})
    assert np.diff(np.log((1 - risks) / risks)) == pytest.approx([2.0, 2.0], abs=0.1)


def test_boards_keep_no_more_than_can_be_shown_to_be_safe() -> None:
    """A thousand boards, of which those above a risk of 0.06 are often wrong."""
    rng = np.random.default_rng(7)
    outcomes = []
    for risk in rng.uniform(0, 0.3, 1000).tolist():
        wrong = risk > 0.06 and rng.random() < 0.5
        outcomes.append(Outcome(risk, risk / 2 if wrong else np.inf))
    found = limits(outcomes, 0.05, 0.05)
    assert found.sure == 0.05
    assert 0 < found.left <= found.sure
    few = limits(outcomes[:20], 0.05, 0.05)
    assert (few.sure, few.left) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("wrong", "count", "share"), [(0, 2995, 0.001), (1, 100, 0.0466), (5, 50, 0.1988), (0, 0, 1.0)]
)
def test_bounds_are_those_of_clopper_and_pearson(wrong: int, count: int, share: float) -> None:
    assert bound(wrong, count) == pytest.approx(share, abs=3e-4)
