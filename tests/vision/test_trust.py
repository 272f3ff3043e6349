"""What a person is asked: bars of sureness, disagreeing pieces, the other side of a grid.

Also whether a grid shows the set at all.
"""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from drawn_grids import ALL_TURNS, IN_THE_BOX, TAUGHT, boxed, located

from vision import trust
from vision.boards import STONES
from vision.decode import weigh
from vision.evidence import Evidence
from vision.find.complete import Extent
from vision.kinds.kind import JudgeName
from vision.profile import Profile
from vision.trust import (
    LEAST_BELIEF,
    SAME_FACE,
    Signs,
    agreement,
    belief,
    judges,
    other_turns,
    reading_of,
)


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
    assert not reading_of(located(3, 3), STONES, TAUGHT, look, Extent(missing=1.0)).sure


def test_a_piece_that_looks_like_those_of_another_name_disagrees() -> None:
    alike, other = np.array([1.0, 0.0]), np.array([0.6, 0.8])
    vectors = np.stack([alike, alike, other, alike]).astype(np.float32)
    apart = agreement(vectors, ["sun", "sun", "moon", "moon"])
    assert apart[3] == pytest.approx(0.6 - 1.0)
    assert (apart[:2] <= 0).all()  # each of the two has a look-alike of another name
    assert (agreement(vectors, ["sun", "sun", "moon", "sun"]) > 0.3).all()


def test_faces_of_which_one_is_there_agree_with_themselves() -> None:
    vectors = np.eye(3, dtype=np.float32)
    assert np.allclose(agreement(vectors, ["sun", "moon", "fish"]), SAME_FACE)


def test_a_piece_of_another_tint_than_all_of_its_name_disagrees() -> None:
    """A lesson in glare: the figure of one card, the colour of another."""
    vectors = np.tile(np.array([1.0, 0.0], np.float32), (4, 1))
    green, cyan, warm = (-0.6, -0.3), (-1.6, 0.1), (-0.2, -0.5)
    shades = np.array([green, cyan, green, warm], np.float32)
    names = ["autumn", "autumn", "autumn", "spring"]
    agree = agreement(vectors, names, shades)
    assert agree[1] < 0
    assert (agree[[0, 2, 3]] == agreement(vectors, names)[[0, 2, 3]]).all()


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


CLEAR = Signs(
    typical=0.93,
    mean=0.92,
    low=0.9,
    apart=0.15,
    decided=6.0,
    clear=0.99,
    unclear=0.97,
    directed=1.0,
    misfit=0.01,
    share_known=1.0,
    known=0.99,
    least_known=0.95,
    bare=0.0,
    presence=0.99,
    pieces=0.0,
)
"""A board in a good photo."""
OTHER_GAME = Signs(
    typical=0.72,
    mean=0.71,
    low=0.69,
    apart=0.03,
    decided=1.0,
    clear=0.7,
    unclear=0.45,
    directed=0.7,
    misfit=1.8,
    share_known=0.2,
    known=0.35,
    least_known=0.02,
    bare=0.2,
    presence=0.97,
    pieces=0.0,
)
"""A grid on the tiles of another game."""


def on_board(signs: Signs, kind: JudgeName) -> Signs:
    """Eight cards lie there if the board is of open shape, and printed boards know no misfit."""
    misfit = signs.misfit if kind in ("published", "stones") else 0.0
    return signs._replace(misfit=misfit, pieces=2.08 if kind == "open" else 0.0)


@pytest.mark.parametrize("kind", get_args(JudgeName))
def test_a_clear_board_is_believed_and_another_game_is_not(kind: JudgeName) -> None:
    assert belief(on_board(CLEAR, kind), kind) > 0.9
    assert belief(on_board(OTHER_GAME, kind), kind) < 0.1 < LEAST_BELIEF


@pytest.mark.parametrize("kind", get_args(JudgeName))
def test_no_sign_speaks_against_what_it_is_a_sign_of(kind: JudgeName) -> None:
    for sign, weight in judges()[kind].weights._asdict().items():
        assert weight <= 0 if sign in ("misfit", "bare") else weight >= 0


@pytest.mark.parametrize("kind", ["stones", "seasons", "open"])
def test_pieces_little_like_the_faces_are_believed_less(kind: JudgeName) -> None:
    pale = CLEAR._replace(typical=0.8, mean=0.8, low=0.77)
    assert belief(on_board(pale, kind), kind) < belief(on_board(CLEAR, kind), kind)
