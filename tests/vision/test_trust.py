"""What a person is asked, by judges that trust the networks and by those that are fitted."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from drawn_grids import ALL_TURNS, IN_THE_BOX, TAUGHT, boxed, located

from calibration.measuring.trust import ANSWERS, CELLS
from scorer.notation import EMPTY
from vision import trust
from vision.boards import STONES, TIME
from vision.decode import weigh
from vision.evidence import Evidence
from vision.find.complete import Extent
from vision.name.signs import MOST_ODDS
from vision.probability import Fitted, Judge, fitted
from vision.profile import Profile
from vision.reading import Reading
from vision.trust import Course, answers_of, named_of, other_turns, reading_of

PLAIN = Judge(0.0, {"odds": ((-MOST_ODDS, MOST_ODDS), (-MOST_ODDS, MOST_ODDS))})
"""Trusts the networks."""
WHOLE = Judge(0.0, {"whole": ((-MOST_ODDS, MOST_ODDS), (-MOST_ODDS, MOST_ODDS))})


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judges that trust the networks, and boards that are sure up to a risk of 5 %."""
    judges = dict.fromkeys((*ANSWERS, *(f"{kind} board" for kind in CELLS)), PLAIN)
    judges |= {"open extent": WHOLE}
    judges |= {name: Judge(MOST_ODDS, {}) for name in ANSWERS if name.endswith("strange")}
    monkeypatch.setattr(trust, "fitted", lambda: Fitted(0.05, 0.01, 0.0, judges, {}))


@pytest.mark.usefixtures("plain")
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


def test_answers_are_asked_about_until_the_board_is_rarely_wrong() -> None:
    course = Course(np.array([1, 3, 2, 4, 0]), np.array([0.25, 0.04, 0.01, 0.005, 0.001, 0.0]))
    assert course.asked(0.25, 0.01).tolist() == []
    assert course.asked(0.2, 0.01).tolist() == [1, 3]
    assert course.asked(0.2, 0.3).tolist() == [1]  # one at least
    assert course.asked(0.2, 0.005).tolist() == [1, 3, 2]
    assert course.asked(0.0, -1.0).tolist() == [1, 3, 2, 4, 0]


def stones(**changed: Any) -> Reading:
    """Nine stones in a row of each other's likeness, read with the fitted judges."""
    likeness = np.full((4, 9, 8), 0.6, np.float32)
    named = [STONES.labels.index(label) for label in IN_THE_BOX]
    likeness[:, range(9), named] = 0.97
    vectors = np.eye(8, dtype=np.float32)[named]
    seen = {"likeness": likeness, "vectors": vectors} | changed
    evidence = replace(boxed({0: 0.0}), **seen)
    look = weigh(evidence, located(3, 3), STONES, STONES.labels, (0,))
    return reading_of(located(3, 3), STONES, TAUGHT, look)


def test_stones_that_look_as_taught_are_sure() -> None:
    assert stones().sure


def test_a_stone_far_less_like_its_face_than_the_others_is_asked_about() -> None:
    """A coin or a hand lies on it, perhaps."""
    likeness = np.full((4, 9, 8), 0.6, np.float32)
    likeness[:, range(9), [STONES.labels.index(label) for label in IN_THE_BOX]] = 0.97
    likeness[:, 4] = 0.6
    reading = stones(
        likeness=likeness, known=np.where(np.arange(9) == 4, 0.4, 1.0) * np.ones((4, 1))
    )
    assert not reading.cells[4].sure


def read_cards(
    missing: float = 0.0001,
    doubt: float = 0.0001,
    others: float = 0.0001,
    pieces: int = 4,
    **more: Any,
) -> Reading:
    """Four cards, beside which another lies with that probability, and of which the first and the
    others are misnamed with those."""
    faces = dict.fromkeys(("spring", "summer", "autumn", "winter"), np.ones((1, 4, 2), np.float32))
    profile = Profile("set", "time", faces, "test")
    board = located(2, 2)
    p = np.full((4, 4), others / 3)
    p[range(4), range(4)] = 1 - others
    p[0] = [1 - doubt, doubt, 0, 0]
    scores = np.tile(np.log(np.maximum(p, 1e-9)), (4, 1, 1))
    evidence = Evidence(scores, np.ones((4, 4, 4), np.float32), np.ones((4, 4)))
    look = weigh(evidence, board, TIME, profile.labels, (0,))
    extent = Extent(missing=missing, place=(2, 0), pieces=pieces, **more)
    return reading_of(board, TIME, profile, look, extent)


def cards(**changed: Any) -> list[tuple[str, object]]:
    """What is asked of those cards."""
    reading = read_cards(**changed)
    assert all(cell.sure for cell in reading.cells) == all(d.kind != "cell" for d in reading.doubts)
    assert all(sum(p for _, p in d.options) <= 1 + 1e-9 for d in reading.doubts)
    return [(doubt.kind, doubt.cells) for doubt in reading.doubts]


def test_a_board_whose_pieces_may_lie_elsewhere_in_it_is_asked_about() -> None:
    (doubt,) = read_cards(placings=6).doubts
    assert (doubt.kind, doubt.cells) == ("extent", ())
    assert doubt.probability == pytest.approx(5 / 6)
    assert doubt.question == "Are the bare rows and columns on the right sides of the board?"


@pytest.mark.usefixtures("plain")
def test_a_grid_of_small_doubts_is_sure_as_a_whole_and_else_the_likeliest_errors_are_asked() -> (
    None
):
    assert cards() == []
    assert cards(others=0.01) == []
    assert cards(doubt=0.3, others=0.001) == [("cell", ((0, 0),))]
    assert len(cards(doubt=0.3, others=0.02)) > 1


def test_a_print_that_lessons_showed_bare_is_bare_though_it_looks_like_a_piece() -> None:
    """Of three cells, on each of which a piece seems to lie, two show what lessons called bare."""
    spec = replace(TIME, name="pond", rows=(1, 1), cols=(3, 3), labels=())
    faces = dict.fromkeys(("lake", "field", EMPTY), np.ones((1, 4, 2), np.float32))
    profile = Profile("set", "pond", faces, "test")
    p = np.array([[0.99, 0.005, 0.005], [0.0005, 0.0005, 0.999], [0.3, 0.1, 0.6]])
    board, none = located(1, 3), np.ones((4, 3, 3), np.float32)
    seen = Evidence(np.tile(np.log(p), (4, 1, 1)), none, np.ones((4, 3)))
    look = weigh(seen, board, spec, profile.labels, (0,))
    named = named_of(board, spec, profile, look)
    assert named.bare.tolist() == [False, True, True]
    signs = answers_of(named, board, spec, profile, look).cells
    assert signs["unlike"] == pytest.approx([0, -MOST_ODDS, -MOST_ODDS])  # all look as taught
    odds = signs["presence"]
    assert odds == pytest.approx(np.log(np.array([0.995, 0.999, 0.6]) / [0.005, 0.001, 0.4]))


def test_faces_that_are_alike_in_the_lessons_need_less_to_be_told_apart() -> None:
    spec = replace(TIME, name="cards", rows=(1, 1), cols=(2, 2), labels=())
    faces = {"red": (1.0, 0.0), "pink": (0.9, 0.19**0.5), "green": (0.0, -1.0)}
    prototypes = {name: np.tile(face, (1, 4, 1)).astype(np.float32) for name, face in faces.items()}
    profile = Profile("set", "cards", prototypes, "test")
    alike = np.tile(np.array([[0.95, 0.91, 0.1], [0.55, 0.1, 0.95]], np.float32), (4, 1, 1))
    look = weigh(
        Evidence(alike.astype(np.float64) * 9, alike, np.ones((4, 2))),
        located(1, 2), spec, profile.labels, (0,),
    )  # fmt: skip
    named = named_of(located(1, 2), spec, profile, look)
    assert named.names == ["red", "green"]
    apart = answers_of(named, located(1, 2), spec, profile, look).cells["apart"]
    assert apart == pytest.approx([0.04 / (1 - 0.9), 0.4], abs=1e-6)


@pytest.mark.usefixtures("plain")
def test_a_piece_beside_the_grid_is_one_question_and_marks_no_cell() -> None:
    assert cards(missing=0.001) == []
    assert cards(missing=0.4) == [("extent", ((2, 0),))]


@pytest.mark.usefixtures("plain")
def test_whether_a_piece_alone_is_the_whole_board_is_asked() -> None:
    """It shows no lattice."""
    assert cards(pieces=2) == []
    assert cards(pieces=1) == [("extent", ((2, 0),))]
    assert read_cards(pieces=1).doubts[0].options == (("nothing", 0.5), ("piece", 0.5))


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("sign", [{"unseen": 1}, {"apart": True}])
def test_whether_a_board_goes_on_is_asked_where_nobody_can_tell(
    monkeypatch: pytest.MonkeyPatch, sign: dict[str, Any]
) -> None:
    strict = trust.fitted()._replace(sure=0.04)
    monkeypatch.setattr(trust, "fitted", lambda: strict)
    assert cards() == []
    assert cards(**sign) == [("extent", ((2, 0),))]


def test_no_sign_speaks_against_what_it_is_a_sign_of() -> None:
    for judge in fitted().judges.values():
        for bends, heights in judge.curves.values():
            assert (np.diff(bends) > 0).all()
            assert (np.diff(heights) >= 0).all()
