"""The fit of the judge of doubt: curves that rise, and what boards may keep."""

import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from calibration.measuring import card_judges, examples, trust
from calibration.measuring.card_judges import (
    FOLDS,
    RIGHT,
    THERE,
    Found,
    Judged,
    cards_of,
    held_out,
    judges_of,
    kept_of,
    things_of,
)
from calibration.measuring.monotone import fitted
from calibration.measuring.trust import (
    AMOUNTS,
    MISREAD,
    Limits,
    Outcome,
    Weighed,
    bound,
    counted,
    counts_of,
    kept_or,
    limits,
    mark_of,
    most_of_cards,
    written,
)
from vision import probability
from vision.kinds.cards.doubt import Seen
from vision.kinds.kind import Kind
from vision.name.signs import Named
from vision.trust import Answers

QUAD = np.array([[0, 0], [140, 0], [140, 200], [0, 200]], np.float32)
ANSWERS = Answers(
    Named([0], ["sun"], np.zeros(1, bool), [(0, 1.0)]), ["stones"], {}, None, None, []
)


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


def boards(count: int, kind: str = "stones") -> list[Outcome]:
    """Boards of which those above a risk of 0.006 are often wrong, in one or two answers."""
    rng = np.random.default_rng(7)
    found = []
    for risk in rng.uniform(0, 0.02, count).tolist():
        left = np.array([risk, risk / 2, risk / 4, 0.0])
        wrong = risk > 0.006 and rng.random() < 0.5
        found.append(Outcome(left, int(rng.integers(1, 3)) if wrong else 0, kind))
    return found


def test_boards_keep_no_more_than_can_be_shown_to_be_safe() -> None:
    found = limits(boards(4000), 0.005, 0.1)
    assert found.sure == max(amount for amount in AMOUNTS if amount < 0.006)
    assert found.left == AMOUNTS[6]  # one answer is asked up to 0.008
    few = limits(boards(20), 0.005, 0.1)
    assert (few.sure, few.left) == (0.0, 0.0)


def test_a_game_is_not_less_safe_because_another_one_is_safer() -> None:
    found_out = [Outcome(np.array([1.0, 0.0]), 1, "open")] * 5000
    safe = [*[Outcome(np.zeros(4), 0, "open")] * 5000, *found_out]
    doubtful = boards(1000)
    lone = limits(doubtful, 0.005, 0.1).sure
    assert limits([*safe, *boards(1000, "open")], 0.005, 0.1).sure > lone
    shares = counted(doubtful, limits([*safe, *doubtful], 0.005, 0.1))
    assert shares.silent <= 0.005


def test_shares_are_those_of_a_world_in_which_one_board_in_ten_is_misread() -> None:
    found = counted(boards(4000), Limits(0.01, 0.003))
    (sure, right), (silent, wrong), (missed, doubted) = found
    assert right + wrong == 4000
    assert doubted == wrong - silent
    assert missed < 0.1 * doubted
    share = 0.1 * silent / wrong / (0.1 * silent / wrong + 0.9 * sure / right)
    assert found.silent == pytest.approx(share)
    assert found.silent < found.most_silent < 2 * found.silent


def test_a_board_is_missed_if_something_else_is_asked() -> None:
    board = Outcome(np.array([0.3, 0.02, 0.01, 0.0]), 2, "stones")
    assert board.missed(0.02)
    assert not board.missed(0.01)
    assert not Outcome(np.array([0.3, 0.02, 0.01, 0.0]), 1, "stones").missed(0.5)


def test_wrong_boards_stand_for_the_share_that_people_meet() -> None:
    none = np.zeros(1)
    laid = [
        Weighed("stones", "", n, Kind(), ANSWERS, none + (n < 3), none > 0, False, False)
        for n in range(5)
    ]
    counts = counts_of(laid)
    assert counts[:3].sum() / counts.sum() == pytest.approx(MISREAD)
    assert counts.sum() == pytest.approx(5)


@pytest.mark.parametrize(
    ("wrong", "count", "share"), [(0, 2995, 0.001), (1, 100, 0.0466), (5, 50, 0.1988), (0, 0, 1.0)]
)
def test_bounds_are_those_of_clopper_and_pearson(wrong: int, count: int, share: float) -> None:
    assert bound(wrong, count) == pytest.approx(share, abs=3e-4)


def test_what_was_fitted_is_read_as_it_was_written() -> None:
    found = probability.fitted()
    text = written(found, Limits(0.005, 0.05), 7)
    assert tomllib.loads(text)["boards"] == 7
    read = probability.parsed(text)
    assert read[:4] == found[:4]
    assert read.places.keys() == found.places.keys()
    for name, judge in found.places.items():
        for part, value in zip(judge, read.places[name], strict=True):
            np.testing.assert_array_equal(part, value)


def test_a_fit_without_a_base_is_level_where_signs_tell_nothing() -> None:
    shown = np.arange(200) % 2
    judge = fitted({"like": shown + 0.0, "same": np.ones(200)}, 1.0 - shown, ridge=0.1)
    assert [*judge.curves] == ["like"]
    assert judge.chances({"like": np.array([0.0, 1.0])}) == pytest.approx([0, 1], abs=0.1)


def test_what_was_drawn_is_kept_and_judges_that_differ_have_other_names(tmp_path: Path) -> None:
    assert kept_or(tmp_path / "drawn.pkl", lambda: [1, 2]) == [1, 2]
    assert kept_or(tmp_path / "drawn.pkl", lambda: [3]) == [1, 2]
    assert mark_of({"one": 1.0}) == mark_of({"one": 1.0}) != mark_of({"one": 1.5})


def test_judges_stay_where_no_board_was_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trust, "fitted_to_grids", lambda *_: probability.fitted())
    monkeypatch.setattr(trust, "write", lambda *_: pytest.fail("judges of nothing are written"))
    bank = tmp_path / "icons.npz"
    bank.touch()
    monkeypatch.setattr(sys, "argv", ["trust", str(bank)])
    with pytest.raises(SystemExit):
        trust.main()
    assert "give --rounds" in capsys.readouterr().err


def seen(card: int, sureness: float, is_card: float, misfit: float = 0.0) -> Seen:
    log_p = np.log(np.full(72, (1 - sureness) / 71))
    log_p[card] = np.log(sureness)
    return Seen(QUAD, is_card, log_p, misfit, 0.0, 5.0, 0.99)


def photos(count: int = 60) -> list[Found]:
    """Each with a clear card, one that is misread, and a part of the table."""
    rng = np.random.default_rng(5)
    found = []
    for k in range(count):
        clear, dull = rng.uniform(0.97, 0.999), rng.uniform(0.3, 0.6)
        cards = [seen(0, clear, 0.99), seen(1, dull, 0.95, 1.0), seen(2, dull, 0.62, 4.0)]
        found.append(Found(cards, [0, 1 if k % 2 else 3, -1]))
    return found


def test_what_is_no_card_is_learnt_apart_from_what_is_misread() -> None:
    (photo,) = photos(1)
    assert things_of(photo).wrong.tolist() == [0, 0, 1]
    assert cards_of(photo).wrong.tolist() == [0, 1, 1]


def test_judges_leave_out_what_is_no_card_and_doubt_what_is_dull() -> None:
    every = photos()
    judges = judges_of(every)
    left = kept_of(every[0], judges[THERE])
    assert left.lies == [0, 3]
    clear, dull = judges[RIGHT].risks(cards_of(left).signs)
    assert clear < 0.05 < 0.3 < dull


def test_each_card_is_judged_by_what_other_photos_taught() -> None:
    every = photos()
    answers = held_out(every)
    assert len(answers) >= 2 * len(every)
    assert len(every) % FOLDS == 0
    assert not any(wrong for risk, wrong, _ in answers if risk < 0.05)


@pytest.mark.parametrize(("wrong", "most"), [(0, 0.003 * 1.05**79), (40, 0.003 * 1.05**35)])
def test_so_much_risk_is_sure_as_leaves_few_wrong(wrong: int, most: float) -> None:
    safe = [Judged(0.001, False, True)] * 3000
    risky = [Judged(0.003 * 1.05**35.5, k < wrong, True) for k in range(60)]
    twins = [Judged(0.001, True, False)] * 50
    assert most_of_cards([*safe, *risky, *twins], 0.005) == pytest.approx(most)


def test_half_of_the_untaught_boards_have_the_colours_of_scans(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tasks: list[examples.Task] = []

    def photographed(_seed: int, _number: int, _painter: Any, task: examples.Task) -> Any:
        tasks.append(task)
        return SimpleNamespace(shots=(), profile=None)

    monkeypatch.setattr(examples, "photographed", photographed)
    monkeypatch.setattr(examples, "without_faces", lambda _, profile: profile)
    for number in range(300):
        for kind in ("published", "stones"):
            assert list(examples.examples(kind, 5, number, None)) == []  # type: ignore[arg-type]
    untaught = [task.printed for task in tasks if task.default]
    assert np.mean(untaught) == pytest.approx(examples.PRINTED, abs=0.1)
    assert not any(task.printed for task in tasks if not task.default)


def test_half_of_the_decks_that_judges_of_cards_see_have_the_colours_of_scans(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[str | None] = []

    def photo(_rng: object, _painter: object, deck: str | None) -> Any:
        shown.append(deck)
        return SimpleNamespace(image_bgr=np.zeros((8, 8, 3), np.uint8), cards=())

    monkeypatch.setattr(card_judges, "card_photo", photo)
    monkeypatch.setattr(card_judges, "printed_deck", lambda *_: "printed")
    monkeypatch.setattr(card_judges, "find", lambda _: [])
    for number in range(300):
        card_judges.found_in(np.random.default_rng(number), None, False)  # type: ignore[arg-type]
    assert {*shown} == {"printed", None}
    assert np.mean([deck is not None for deck in shown]) == pytest.approx(examples.PRINTED, abs=0.1)
