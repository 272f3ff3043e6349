"""Turning a grid back is exact, and only possible directions are tried."""

from typing import Any

import numpy as np
import pytest
from drawn_grids import ALL_TURNS, IN_THE_BOX, boxed, located
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.boards import SEASONS_BOARD, STONES, TIME, BoardSpec
from vision.decode import (
    apparent_aspect,
    piece_turns,
    possible_turns,
    turn_opinion,
    weigh,
    within_counts,
)
from vision.evidence import Evidence
from vision.find.board import LocatedBoard, LocatedCell, turned_place
from vision.geometry import UNIT_SQUARE
from vision.kinds.stones import Stones


@settings(deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 3))
def test_turned_places_agree_with_turned_arrays(rows: int, cols: int, turn: int) -> None:
    upright = np.arange(rows * cols).reshape(rows, cols)
    seen = np.rot90(upright, turn)
    for (row, col), value in np.ndenumerate(seen):
        assert upright[turned_place(row, col, *seen.shape, turn)] == value


@settings(deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_four_turns_are_none(rows: int, cols: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, cols - 1))
    assert turned_place(*place, rows, cols, 4) == place
    assert turned_place(*place, rows, cols, 0) == place
    once = turned_place(*place, rows, cols, 1)
    assert turned_place(*once, cols, rows, 3) == place


def test_square_grids_of_square_pieces_are_tried_all_ways() -> None:
    assert list(possible_turns(located(3, 3), STONES)) == [0, 1, 2, 3]
    assert list(possible_turns(located(6, 6), SEASONS_BOARD)) == [0, 1, 2, 3]


def test_a_grid_that_is_not_square_says_which_side_is_up() -> None:
    spec = BoardSpec("set", (2, 2), (4, 4))
    assert list(possible_turns(located(2, 4), spec)) == [0, 2]
    assert list(possible_turns(located(4, 2), spec)) == [1, 3]


def test_pieces_that_may_lie_turned_need_fewer_turns_of_the_grid() -> None:
    assert list(possible_turns(located(3, 3), BoardSpec("set", (3, 3), (3, 3), turns=2))) == [0, 1]
    assert list(possible_turns(located(3, 3), BoardSpec("set", (3, 3), (3, 3), turns=4))) == [0]
    assert list(possible_turns(located(4, 2), BoardSpec("set", (2, 2), (4, 4), turns=4))) == [1]


def test_pieces_that_look_the_same_turned_lie_as_the_photo_shows_them() -> None:
    spec = BoardSpec("set", (1, 5), (1, 5), aspect=1.5, direction="any")
    assert list(possible_turns(located(3, 3, 60, 90), spec)) == [0]
    assert list(piece_turns(located(3, 3, 60, 90), spec)) == [1, 3]
    wide = BoardSpec("set", (2, 2), (4, 4), direction="any")
    assert list(possible_turns(located(4, 2), wide)) == [1]


@pytest.mark.parametrize(
    ("aspect", "wide", "tall"), [(1.5, [0, 2], [1, 3]), (0.66, [1, 3], [0, 2])]
)
def test_long_pieces_show_how_the_grid_lies(
    aspect: float, wide: list[int], tall: list[int]
) -> None:
    spec = BoardSpec("set", (1, 5), (1, 5), aspect=aspect)
    assert list(possible_turns(located(3, 3, 90, 60), spec)) == wide
    assert list(possible_turns(located(3, 3, 60, 90), spec)) == tall
    assert list(possible_turns(located(3, 3, 60, 63), spec)) == [
        0,
        1,
        2,
        3,
    ]  # foreshortened: cannot be told


def test_cards_of_unknown_shape_are_tried_all_ways() -> None:
    assert list(possible_turns(located(3, 4, 60, 90), TIME)) == [0, 1, 2, 3]


def test_a_grid_of_another_size_is_read_as_it_lies() -> None:
    assert list(possible_turns(located(5, 5), STONES)) == [0]


def test_the_aspect_is_what_most_cells_show() -> None:
    assert apparent_aspect(located(2, 3, 90, 60)) == pytest.approx(1.5)
    board = located(3, 3, 50, 100)
    odd = LocatedCell(0, 0, (UNIT_SQUARE * np.array([500, 10])).astype(np.float32), 1.0)
    assert apparent_aspect(
        LocatedBoard(3, 3, (odd, *board.cells[1:]), board.outline_xy)
    ) == pytest.approx(0.5)


def test_stones_that_were_seen_at_once_have_one_opinion_of_the_direction() -> None:
    """Nine stones of seven in ten for a turn leave more doubt if their errors are shared."""
    told = {0: np.log(0.7), 2: np.log(0.3)}
    alone = weigh(boxed(told), located(3, 3), STONES, STONES.labels, ALL_TURNS)
    at_once = weigh(boxed(told, together=True), located(3, 3), STONES, STONES.labels, ALL_TURNS)
    assert alone.way.turn == at_once.way.turn == 0
    assert alone.turn_probability > 0.97
    assert 0.7 < at_once.turn_probability < 0.93


def test_equal_symbols_have_one_voice() -> None:
    once, thrice = np.full((4, 2, 8), -16.0), np.full((4, 4, 8), -16.0)
    once[0, 0, 0] = once[2, 1, 1] = 0.0
    thrice[0, 0, 0] = 0.0
    thrice[2, 1:, 1] = 0.0
    np.testing.assert_allclose(turn_opinion(once, once), turn_opinion(thrice, thrice), atol=1e-3)
    assert turn_opinion(once, once)[0] == pytest.approx(turn_opinion(once, once)[2])


def test_the_direction_is_told_by_stones_that_are_judged_alone() -> None:
    """What they say together names the symbols only: one of them may have misled the others."""
    together, alone = np.full((4, 2, 8), -12.0), np.full((4, 2, 8), -12.0)
    together[2, 0, 0] = together[2, 1, 1] = 0.0
    alone[0, 0, 0] = alone[0, 1, 1] = 0.0
    assert turn_opinion(together, alone).argmax() == 0


def test_turns_that_cannot_win_are_not_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: list[int] = []
    interpreted = Stones.interpreted

    def noted(*args: Any) -> Any:
        weighed.append(args[-1])
        return interpreted(*args)

    monkeypatch.setattr(Stones, "interpreted", noted)
    scores = np.full((4, 9, 8), -6.0)
    for i, label in enumerate(IN_THE_BOX):
        scores[2, i, STONES.labels.index(label)] = 0.0
    evidence = Evidence(scores, np.ones((4, 9, 8), np.float32), np.ones((4, 9)))
    look = weigh(evidence, located(3, 3), STONES, STONES.labels, (0, 1, 2, 3))
    assert look.way.turn == 2
    assert look.turn_probability == pytest.approx(1.0)
    assert weighed == [2]


def test_surplus_pieces_move_to_their_next_best_label() -> None:
    p = np.array([[0.9, 0.1, 0.0], [0.8, 0.15, 0.05], [0.55, 0.05, 0.4]])
    assert within_counts(p, ["a", "b", "c"], {"a": 2}) == [0, 0, 2]
    assert within_counts(p, ["a", "b", "c"], {}) == [0, 0, 0]
    nearly_as_good = np.array([[0.5, 0.49, 0.01], [0.45, 0.05, 0.0]])
    assert within_counts(nearly_as_good, ["a", "b", "c"], {"a": 1}) == [1, 0]
