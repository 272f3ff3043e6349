"""Grids are seen from any side of the table: turning them back is exact, and only turns that can be are tried."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision import interpretation, read, verdict
from vision.boards import SEASONS_BOARD, STONES, TIME, BoardSpec
from vision.evidence import Evidence, by_piece_turn
from vision.geometry import UNIT_SQUARE, Pyramid, homography, transform
from vision.interpretation import (
    Interpretation,
    apparent_aspect,
    possible_turns,
    turn_opinion,
    turned_place,
    weigh,
)
from vision.locate import LocatedBoard, LocatedCell
from vision.profile import Profile, tints
from vision.read import CellsRead, Familiarity, believable, best_candidate, signs_of
from vision.verdict import SAME_FACE, agreement, bars_of, reading_of


def located(rows: int, cols: int, width: float = 50.0, height: float = 50.0) -> LocatedBoard:
    """A full grid of cells as wide and high as given."""
    size = np.array([width, height])
    cells = tuple(
        LocatedCell(r, c, ((UNIT_SQUARE + np.array([c, r])) * size).astype(np.float32), 1.0)
        for r in range(rows)
        for c in range(cols)
    )
    return LocatedBoard(rows, cols, cells, (UNIT_SQUARE * size * np.array([cols, rows])).astype(np.float32))


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


@pytest.mark.parametrize(("aspect", "wide", "tall"), [(1.5, [0, 2], [1, 3]), (0.66, [1, 3], [0, 2])])
def test_long_pieces_show_how_the_grid_lies(aspect: float, wide: list[int], tall: list[int]) -> None:
    spec = BoardSpec("set", (1, 5), (1, 5), aspect=aspect)
    assert list(possible_turns(located(3, 3, 90, 60), spec)) == wide
    assert list(possible_turns(located(3, 3, 60, 90), spec)) == tall
    assert list(possible_turns(located(3, 3, 60, 63), spec)) == [0, 1, 2, 3]  # foreshortened: cannot be told


def test_cards_of_unknown_shape_are_tried_all_ways() -> None:
    assert list(possible_turns(located(3, 4, 60, 90), TIME)) == [0, 1, 2, 3]


def test_a_grid_of_another_size_is_read_as_it_lies() -> None:
    assert list(possible_turns(located(5, 5), STONES)) == [0]


def test_the_aspect_is_what_most_cells_show() -> None:
    assert apparent_aspect(located(2, 3, 90, 60)) == pytest.approx(1.5)
    board = located(3, 3, 50, 100)
    odd = LocatedCell(0, 0, (UNIT_SQUARE * np.array([500, 10])).astype(np.float32), 1.0)
    assert apparent_aspect(LocatedBoard(3, 3, (odd, *board.cells[1:]), board.outline_xy)) == pytest.approx(
        0.5
    )


def some_likeness() -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (4, 6, 3)).astype(np.float32)


def test_pieces_that_lie_one_way_keep_their_likeness() -> None:
    np.testing.assert_array_equal(by_piece_turn(some_likeness(), 1), some_likeness())


def test_pieces_that_may_lie_upside_down_are_read_both_ways() -> None:
    likeness = some_likeness()
    best = by_piece_turn(likeness, 2)
    assert best.shape == likeness.shape
    for t in range(4):
        np.testing.assert_array_equal(best[t], np.maximum(likeness[t], likeness[(t + 2) % 4]))


def test_pieces_that_may_lie_any_way_look_alike_from_all_sides() -> None:
    likeness = some_likeness()
    best = by_piece_turn(likeness, 4)
    for t in range(4):
        np.testing.assert_array_equal(best[t], likeness.max(0))


IN_THE_BOX = ["sun", "fish", "fish", "horse", "horse", "horse", "seed", "seed", "seed"]


def shown_as(labels_shown: Sequence[str]) -> CellsRead:
    """A grid read clearly as those stones, whatever the box holds."""
    labels = STONES.labels
    scores = np.full((4, 9, len(labels)), -8.0)
    for i, label in enumerate(labels_shown):
        scores[:, i, labels.index(label)] = 0.0
    evidence = Evidence(scores, np.ones((4, 9, len(labels)), np.float32), np.ones((4, 9)))
    board = located(3, 3)
    look = weigh(evidence, board, STONES, labels, (0,))
    reading = reading_of(board, STONES, TAUGHT, look, 0.0)
    return CellsRead(reading, Familiarity(9.0, 0.95, 1.0, 1.0), board, look, 0.0)


def test_stones_that_no_box_can_hold_are_a_misfit() -> None:
    """Two strangers may lie on the board; nine suns are another thing."""
    strange = ["sun", "sun", "sun", *IN_THE_BOX[3:]]
    assert signs_of(shown_as(IN_THE_BOX), STONES).misfit < 0.1
    assert signs_of(shown_as(strange), STONES).misfit < 1.0
    assert signs_of(shown_as(["sun"] * 9), STONES).misfit > 3.0


@pytest.mark.parametrize("published", [False, True])
def test_stones_that_no_box_can_hold_are_not_believed(published: bool) -> None:
    strange = ["sun", "sun", "sun", *IN_THE_BOX[3:]]
    for shown, good in ((IN_THE_BOX, True), (strange, True), (["sun"] * 9, False)):
        grid = shown_as(shown)
        likeness = np.full_like(grid.look.likeness, 0.7)
        likeness[np.arange(9), grid.look.way.probabilities.argmax(1)] = 0.85
        grid = grid._replace(
            look=replace(grid.look, likeness=likeness), familiarity=Familiarity(9.0, 0.85, 1.0, 1.0)
        )
        assert believable(grid, STONES, published) is good


def read_as(board: LocatedBoard, turn_probability: float = 1.0) -> CellsRead:
    """A grid read as a box of stones, with its direction that certain."""
    whole = located(3, 3)
    weighed = weigh(boxed({0: 0.0}), whole, STONES, STONES.labels, (0,))
    look = replace(weighed, turn_probability=turn_probability)
    reading = reading_of(whole, STONES, TAUGHT, look, 0.0)
    return CellsRead(reading, Familiarity(9.0, 0.95, 1.0, 1.0), board, look, 0.0)


def test_signs_say_what_is_bare_directed_and_decided() -> None:
    board = located(3, 3)
    third = replace(
        board, cells=tuple(replace(c, presence=0.1 if i < 3 else 1.0) for i, c in enumerate(board.cells))
    )
    signs = signs_of(read_as(third, 0.6), STONES)
    assert signs.bare == pytest.approx(1 / 3)
    assert signs.presence == 1.0
    assert signs.directed == 0.6
    assert signs.pieces == 0.0
    read = read_as(board)
    way = replace(read.look.way, probabilities=np.full((9, 8), 1 / 8))
    undecided = signs_of(read._replace(look=replace(read.look, way=way)), STONES)
    assert undecided.decided < 0 < signs.decided
    assert undecided.clear == undecided.unclear == pytest.approx(1 / 8)


def test_few_pieces_count_where_the_shape_is_open() -> None:
    assert signs_of(read_as(located(3, 3)), TIME).pieces == pytest.approx(np.log(9))


def test_turns_that_cannot_win_are_not_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: list[int] = []
    interpreted = interpretation.interpret

    def noted(*args: Any) -> Interpretation:
        weighed.append(args[-1])
        return interpreted(*args)

    monkeypatch.setattr(interpretation, "interpret", noted)
    scores = np.full((4, 9, 8), -6.0)
    for i, label in enumerate(IN_THE_BOX):
        scores[2, i, STONES.labels.index(label)] = 0.0
    evidence = Evidence(scores, np.ones((4, 9, 8), np.float32), np.ones((4, 9)))
    look = weigh(evidence, located(3, 3), STONES, STONES.labels, (0, 1, 2, 3))
    assert look.way.turn == 2
    assert look.turn_probability == pytest.approx(1.0)
    assert weighed == [2]


@pytest.mark.parametrize(
    ("middle_xy", "side", "whole"),
    [
        pytest.param((25, 25), 20, True, id="the figure of a piece"),
        pytest.param((50, 25), 40, True, id="halves of two pieces"),
        pytest.param((125, 25), 50, False, id="a piece beside the board"),
        pytest.param((95, 25), 50, False, id="a piece half beside it"),
        pytest.param((25, 75), 40, False, id="a piece on a place that seems bare"),
        pytest.param((400, 25), 50, True, id="a piece far away"),
        pytest.param((125, 25), 20, True, id="a check of the cloth beside the board"),
        pytest.param((125, 25), 36, False, id="a half of a piece beside the board"),
    ],
)
def test_only_what_lies_beside_the_pieces_may_belong_to_a_board(
    monkeypatch: pytest.MonkeyPatch, middle_xy: tuple[float, float], side: float, whole: bool
) -> None:
    monkeypatch.setattr(read, "embed", lambda crops: np.eye(128, dtype=np.float32)[: len(crops)])
    profile = Profile(
        "mine", "time", {"spring": np.eye(128, dtype=np.float32)[:1].repeat(4, 0)[:, None]}, "embedding-0"
    )
    board = located(2, 2)
    bare = replace(board.cells[2], presence=0.1)
    stray = (UNIT_SQUARE - 0.5) * side + np.array(middle_xy)
    board = replace(
        board, cells=(*board.cells[:2], bare, board.cells[3]), strays_xy=stray[None].astype(np.float32)
    )
    photo = Pyramid(np.zeros((200, 500, 3), np.uint8))
    assert read.seems_whole(photo, board, profile) is whole


def test_what_lies_far_behind_a_board_seen_aslant_is_far_away() -> None:
    """From low down three cells are hardly as long as one."""
    aslant = homography(UNIT_SQUARE * 4, np.array([[200, 100], [300, 100], [500, 300], [0, 300]], np.float32))

    def seen(middle: tuple[float, float]) -> np.ndarray:
        return transform(aslant, UNIT_SQUARE - 0.5 + np.array(middle))

    board = located(4, 4)
    cells = tuple(replace(c, quad_xy=seen((c.col + 0.5, c.row + 0.5))) for c in board.cells)
    strays = np.stack([seen((1.5, -1.0)), seen((1.5, -3.0)), seen((5.0, 1.5))])
    slanting = replace(board, cells=cells, strays_xy=strays, outline_xy=seen((2.0, 2.0)))
    np.testing.assert_array_equal(read.strays_beside(slanting), strays[[0, 2]])


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
        assert reading_of(board, STONES, profile, look, 0.0).sure is sure


def boxed(scores_at: dict[int, float], together: bool = False) -> Evidence:
    """Evidence for the stones of a box, symbol by symbol certain, with the given log probability of each turn."""
    scores = np.full((4, 9, 8), -12.0)
    for turn, value in scores_at.items():
        for i, label in enumerate(IN_THE_BOX):
            scores[turn, i, STONES.labels.index(label)] = value
    return Evidence(scores, np.ones((4, 9, 8), np.float32), np.ones((4, 9)), scores if together else None)


ALL_TURNS = (0, 1, 2, 3)
TAUGHT = Profile("set", "stones", {label: np.ones((1, 4, 2), np.float32) for label in STONES.labels}, "test")


def test_stones_that_were_seen_at_once_have_one_opinion_of_the_direction() -> None:
    """Nine stones that each give a turn seven in ten leave more doubt if they are of one opinion."""
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


def test_a_doubtful_direction_shows_what_lies_there_seen_from_the_other_side() -> None:
    """If the grid may be upside down, the stone of the cell across is the first alternative."""
    look = weigh(
        boxed({0: np.log(0.6), 2: np.log(0.4)}, True), located(3, 3), STONES, STONES.labels, ALL_TURNS
    )
    reading = reading_of(located(3, 3), STONES, TAUGHT, look, 0.0)
    assert not reading.sure
    for cell in reading.cells:
        across = IN_THE_BOX[8 - (3 * cell.row + cell.col)]
        if across != cell.label:
            assert cell.alternatives[0][0] == across
            assert cell.alternatives[0][1] == pytest.approx(1 - look.turn_probability, abs=0.05)


@pytest.mark.parametrize(
    ("lowest", "others", "sure"), [(0.85, 0.85, 9), (0.85, 0.99, 9), (0.75, 0.99, 8), (0.75, 0.85, 1)]
)
def test_a_board_without_a_doubtful_cell_is_sure_as_a_whole(
    lowest: float, others: float, sure: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cell between the two bars is sure if all others reach the lower one; a stone without company has a higher one."""
    chances = np.full((9, 8), 0.0)
    for i, label in enumerate(IN_THE_BOX):
        chances[i, STONES.labels.index(label)] = 0.99 if i == 0 else lowest if i == 8 else others
    monkeypatch.setattr(verdict, "over_turns", lambda *_: chances)
    look = weigh(boxed({0: 0.0}), located(3, 3), STONES, STONES.labels, (0,))
    reading = reading_of(located(3, 3), STONES, TAUGHT, look, 0.0)
    assert sum(cell.sure for cell in reading.cells) == sure
    assert not reading_of(located(3, 3), STONES, TAUGHT, look, 1.0).sure


def test_bars_are_higher_where_readers_err_with_certainty() -> None:
    """Orange and coral in warm light, flat frames around numbers: measured on generated boards."""
    plain, orange = bars_of(STONES, True, "sun"), bars_of(STONES, True, "fish")
    assert orange.together > plain.together
    assert bars_of(STONES, True, "bird") == orange
    assert bars_of(STONES, False, "fish") == bars_of(STONES, False, "sun")
    assert bars_of(STONES, False, "sun", confirmed=False).together > bars_of(STONES, False, "sun").together
    assert bars_of(TIME, False, "spring", confirmed=False).together > bars_of(TIME, False, "spring").alone
    tile, number = bars_of(SEASONS_BOARD, False, "spring*"), bars_of(SEASONS_BOARD, False, "1!")
    assert number.alone > tile.alone
    assert number.together > tile.together
    for bars in (plain, orange, tile, number, bars_of(TIME, False, "."), bars_of(TIME, False, "spring")):
        assert 0.5 < bars.together <= bars.alone < 1


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


def test_the_brightness_of_a_lamp_does_not_change_a_tint() -> None:
    crop = np.tile(np.array([200, 120, 90], np.uint8), (1, 64, 64, 1))
    dim = (crop * 0.8).astype(np.uint8)
    assert np.allclose(tints(crop), tints(dim), atol=0.1)
    assert np.linalg.norm(tints(crop) - tints(crop[..., ::-1])) > 0.9


def test_stones_are_sure_only_where_they_look_most_like_those_of_their_name() -> None:
    look = weigh(boxed({0: 0.0}), located(3, 3), STONES, STONES.labels, (0,))
    faces = np.eye(8, dtype=np.float32)
    named = [STONES.labels.index(label) for label in IN_THE_BOX]
    for swapped in (False, True):
        vectors = faces[named]
        if swapped:
            vectors[0] = faces[named[1]]
        seen = replace(look, evidence=replace(look.evidence, vectors=vectors))
        reading = reading_of(located(3, 3), STONES, TAUGHT, seen, 0.0)
        assert reading.sure is not swapped
        assert reading.cells[0].sure is not swapped


def test_one_pair_that_hardly_differs_keeps_a_board_from_the_lower_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chances = np.full((9, 8), 0.0)
    named = [STONES.labels.index(label) for label in IN_THE_BOX]
    for i, name in enumerate(named):
        chances[i, name] = 0.85 if i == 8 else 0.999
    monkeypatch.setattr(verdict, "over_turns", lambda *_: chances)
    look = weigh(boxed({0: 0.0}), located(3, 3), STONES, STONES.labels, (0,))
    vectors = np.eye(8, dtype=np.float32)[named]
    for nearly, sure in ((0.5, True), (0.95, False)):
        close = vectors.copy()
        close[0] = nearly * vectors[1] + np.sqrt(1 - nearly**2) * vectors[0]
        seen = replace(look, evidence=replace(look.evidence, vectors=close))
        assert reading_of(located(3, 3), STONES, TAUGHT, seen, 0.0).sure is sure


def test_a_piece_far_less_like_its_face_than_the_others_of_the_photo_is_not_sure() -> None:
    """A coin or a hand lies on it, perhaps."""
    for least, sure in ((0.9, True), (0.8, False)):
        likeness = np.full((4, 9, 8), 0.97, np.float32)
        likeness[:, 4] = least
        evidence = replace(boxed({0: 0.0}), likeness=likeness)
        look = weigh(evidence, located(3, 3), STONES, STONES.labels, (0,))
        reading = reading_of(located(3, 3), STONES, TAUGHT, look, 0.0)
        assert [cell.sure for cell in reading.cells] == [sure or k != 4 for k in range(9)]


def test_a_stone_without_company_must_be_surer(monkeypatch: pytest.MonkeyPatch) -> None:
    chances = np.full((9, 8), 0.0)
    for i, label in enumerate(IN_THE_BOX):
        chances[i, STONES.labels.index(label)] = 0.96 if i == 0 else 0.99
    monkeypatch.setattr(verdict, "over_turns", lambda *_: chances)
    look = weigh(boxed({0: 0.0}), located(3, 3), STONES, STONES.labels, (0,))
    reading = reading_of(located(3, 3), STONES, TAUGHT, look, 0.0)
    assert [cell.sure for cell in reading.cells] == [False, *[True] * 8]


@pytest.mark.parametrize(("least_known", "looked_at"), [(0.9, 1), (0.1, 2)])
def test_a_grid_with_a_piece_that_is_hardly_one_of_the_set_lets_others_be_looked_at(
    least_known: float, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have slipped by a row."""
    board = located(3, 3)
    look = weigh(boxed({0: 0.0}), board, STONES, STONES.labels, (0,))
    reading = reading_of(board, STONES, TAUGHT, look, 0.0)
    slipped = CellsRead(reading, Familiarity(6.0, 0.95, 0.9, least_known), board, look, 0.0)
    right = CellsRead(reading, Familiarity(9.0, 0.95, 1.0, 1.0), board, look, 0.0)
    waiting = iter([slipped, right])
    monkeypatch.setattr(read, "candidate_boards", lambda *_: [board, board])
    monkeypatch.setattr(read, "read_cells", lambda *_: next(waiting))
    image = np.zeros((200, 200, 3), np.uint8)
    best, _ = best_candidate(image, Pyramid(image), STONES, TAUGHT)
    assert best is (slipped, right)[looked_at - 1]
    assert len(list(waiting)) == 2 - looked_at
