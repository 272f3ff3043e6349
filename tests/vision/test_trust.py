"""What a person is asked: bars of boards of given size, and the judge of open grids."""

from dataclasses import replace

import numpy as np
import pytest
from drawn_grids import ALL_TURNS, IN_THE_BOX, TAUGHT, boxed, located

from vision import trust
from vision.boards import STONES, TIME
from vision.decode import weigh
from vision.evidence import Evidence
from vision.find.complete import Extent
from vision.name.signs import MOST_ODDS
from vision.profile import Profile
from vision.trust import Fitted, Judge, fitted, other_turns, reading_of, to_ask

PLAIN = Judge(0.0, {"odds": ((-MOST_ODDS, MOST_ODDS), (-MOST_ODDS, MOST_ODDS))})
"""Trusts the networks."""
WHOLE = Judge(0.0, {"whole": ((-MOST_ODDS, MOST_ODDS), (-MOST_ODDS, MOST_ODDS))})


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judges that trust the networks, and boards that are sure up to a risk of 5 %."""
    judges = {"open": PLAIN, "nothing": PLAIN, "open direction": PLAIN, "open extent": WHOLE}
    judges |= dict.fromkeys(("open strange", "nothing strange"), Judge(MOST_ODDS, {}))
    monkeypatch.setattr(trust, "fitted", lambda: Fitted(0.05, 0.01, judges))


def test_a_set_taught_in_part_is_sure_only_of_what_looks_just_as_taught() -> None:
    """The stone that was not taught looks most like one that was."""
    look_alike = 0.9
    for labels, sure in ((STONES.labels, True), (STONES.labels[:-1], False)):
        scores = np.full((4, 9, len(labels)), -12.0)
        for i, label in enumerate(IN_THE_BOX):
            scores[:, i, labels.index(label)] = 0.0
        likeness = np.full((4, 9, len(labels)), look_alike, np.float32)
        board = located(3, 3)
        look = weigh(Evidence(scores, likeness, np.ones((4, 9))), board, STONES, labels, (0,))
        profile = Profile(
            "set", "stones", {label: np.ones((1, 4, 2), np.float32) for label in labels}, "test"
        )
        assert reading_of(board, STONES, profile, look).sure is sure


def test_a_doubtful_direction_is_one_question_and_marks_no_cell() -> None:
    """Which side is up, with all ways that are likely, as read first."""
    evidence = boxed({0: np.log(0.6), 2: np.log(0.4)}, True)
    look = weigh(evidence, located(3, 3), STONES, STONES.labels, ALL_TURNS)
    reading = reading_of(located(3, 3), STONES, TAUGHT, look)
    assert all(cell.sure for cell in reading.cells)
    (doubt,) = reading.doubts
    assert doubt.kind == "direction"
    assert doubt.cells == ()
    assert [turn for turn, _ in doubt.options][:2] == [0, 2]
    assert doubt.options[0][1] == pytest.approx(look.turn_probability)


def test_turns_that_show_the_same_board_are_no_doubt() -> None:
    evidence = boxed({0: np.log(0.6), 2: np.log(0.4)}, True)
    look = weigh(evidence, located(3, 3), STONES, STONES.labels, ALL_TURNS)
    alike = [replace(way, probabilities=np.eye(8)[[7] * 9]) for _, way in look.others]
    same = replace(
        look, others=tuple((p, way) for (p, _), way in zip(look.others, alike, strict=True))
    )
    ((turn, certain),) = other_turns(located(3, 3), same, [7] * 9)
    assert turn == 0
    assert certain == pytest.approx(1.0)
    assert len(other_turns(located(3, 3), look, list(look.way.choice or ()))) > 1


@pytest.mark.parametrize(
    ("lowest", "others", "sure"),
    [(0.92, 0.92, 9), (0.92, 0.99, 9), (0.85, 0.99, 8), (0.85, 0.92, 1)],
)
def test_a_board_without_a_doubtful_cell_is_sure_as_a_whole(
    lowest: float, others: float, sure: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two bars a cell is sure if all others reach the lower one."""
    chances = np.full((9, 8), 0.0)
    for i, label in enumerate(IN_THE_BOX):
        chances[i, STONES.labels.index(label)] = 0.995 if i == 0 else lowest if i == 8 else others
    monkeypatch.setattr(trust, "over_turns", lambda *_: chances)
    look = weigh(boxed({0: 0.0}), located(3, 3), STONES, STONES.labels, (0,))
    reading = reading_of(located(3, 3), STONES, TAUGHT, look)
    assert sum(cell.sure for cell in reading.cells) == sure


def test_stones_are_sure_only_where_they_look_most_like_those_of_their_name() -> None:
    look = weigh(boxed({0: 0.0}), located(3, 3), STONES, STONES.labels, (0,))
    faces = np.eye(8, dtype=np.float32)
    named = [STONES.labels.index(label) for label in IN_THE_BOX]
    for swapped in (False, True):
        vectors = faces[named]
        if swapped:
            vectors[0] = faces[named[1]]
        seen = replace(look, evidence=replace(look.evidence, vectors=vectors))
        reading = reading_of(located(3, 3), STONES, TAUGHT, seen)
        assert reading.sure is not swapped
        assert reading.cells[0].sure is not swapped


def test_one_pair_that_hardly_differs_keeps_a_board_from_the_lower_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chances = np.full((9, 8), 0.0)
    named = [STONES.labels.index(label) for label in IN_THE_BOX]
    for i, name in enumerate(named):
        chances[i, name] = 0.999
    monkeypatch.setattr(trust, "over_turns", lambda *_: chances)
    look = weigh(boxed({0: 0.0}), located(3, 3), STONES, STONES.labels, (0,))
    vectors = np.eye(8, dtype=np.float32)[named]
    for nearly, least, sure in (
        (0.5, 0.92, True),
        (0.95, 0.92, False),
        (0.95, 0.96, False),
        (0.95, 0.985, True),
    ):
        chances[8, named[8]] = least
        close = vectors.copy()
        close[0] = nearly * vectors[1] + np.sqrt(1 - nearly**2) * vectors[0]
        seen = replace(look, evidence=replace(look.evidence, vectors=close))
        assert reading_of(located(3, 3), STONES, TAUGHT, seen).sure is sure


def test_a_piece_far_less_like_its_face_than_the_others_of_the_photo_is_not_sure() -> None:
    """A coin or a hand lies on it, perhaps."""
    for least, sure in ((0.9, True), (0.8, False)):
        likeness = np.full((4, 9, 8), 0.97, np.float32)
        likeness[:, 4] = least
        evidence = replace(boxed({0: 0.0}), likeness=likeness)
        look = weigh(evidence, located(3, 3), STONES, STONES.labels, (0,))
        reading = reading_of(located(3, 3), STONES, TAUGHT, look)
        assert [cell.sure for cell in reading.cells] == [sure or k != 4 for k in range(9)]


def test_a_stone_without_company_must_be_surer(monkeypatch: pytest.MonkeyPatch) -> None:
    chances = np.full((9, 8), 0.0)
    for i, label in enumerate(IN_THE_BOX):
        chances[i, STONES.labels.index(label)] = 0.985 if i == 0 else 0.99
    monkeypatch.setattr(trust, "over_turns", lambda *_: chances)
    look = weigh(boxed({0: 0.0}), located(3, 3), STONES, STONES.labels, (0,))
    reading = reading_of(located(3, 3), STONES, TAUGHT, look)
    assert [cell.sure for cell in reading.cells] == [False, *[True] * 8]


def test_answers_are_asked_about_until_the_rest_is_rarely_wrong() -> None:
    risks = np.array([0.001, 0.2, 0.004, 0.03, 0.002])
    assert not to_ask(risks, 0.25, 0.01).any()
    assert to_ask(risks, 0.2, 0.01).tolist() == [False, True, False, True, False]
    assert to_ask(risks, 0.2, 0.005).tolist() == [False, True, True, True, False]
    assert to_ask(risks, 0.0, 0.0).all()


def cards(
    missing: float = 0.0001, doubt: float = 0.0001, others: float = 0.0001
) -> list[tuple[str, object]]:
    """What is asked of four cards, beside which another lies with that probability, and of which
    the first and the others are misnamed with those."""
    faces = dict.fromkeys(("spring", "summer", "autumn", "winter"), np.ones((1, 4, 2), np.float32))
    profile = Profile("set", "time", faces, "test")
    board = located(2, 2)
    p = np.full((4, 4), others / 3)
    p[range(4), range(4)] = 1 - others
    p[0] = [1 - doubt, doubt, 0, 0]
    scores = np.tile(np.log(np.maximum(p, 1e-9)), (4, 1, 1))
    evidence = Evidence(scores, np.ones((4, 4, 4), np.float32), np.ones((4, 4)))
    look = weigh(evidence, board, TIME, profile.labels, (0,))
    extent = Extent(missing=missing, place=(2, 0), pieces=4)
    reading = reading_of(board, TIME, profile, look, extent)
    assert all(cell.sure for cell in reading.cells) == all(d.kind != "cell" for d in reading.doubts)
    assert all(sum(p for _, p in d.options) <= 1 + 1e-9 for d in reading.doubts)
    return [(doubt.kind, doubt.cells) for doubt in reading.doubts]


@pytest.mark.usefixtures("plain")
def test_a_grid_of_small_doubts_is_sure_as_a_whole_and_else_the_likeliest_errors_are_asked() -> (
    None
):
    assert cards() == []
    assert cards(others=0.01) == []
    assert cards(doubt=0.3, others=0.001) == [("cell", ((0, 0),))]
    assert len(cards(doubt=0.3, others=0.02)) > 1


@pytest.mark.usefixtures("plain")
def test_a_piece_beside_the_grid_is_one_question_and_marks_no_cell() -> None:
    assert cards(missing=0.001) == []
    assert cards(missing=0.4) == [("extent", ((2, 0),))]


def test_no_sign_speaks_against_what_it_is_a_sign_of() -> None:
    for judge in fitted().judges.values():
        for bends, heights in judge.curves.values():
            assert (np.diff(bends) > 0).all()
            assert (np.diff(heights) >= 0).all()
