"""Which grid is read: its signs, whether it is believed to show the set, and what beside it may belong to it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from drawn_grids import IN_THE_BOX, TAUGHT, boxed, located

from vision import read
from vision.boards import STONES, TIME
from vision.evidence import Evidence
from vision.geometry import UNIT_SQUARE, Pyramid, homography, transform
from vision.interpretation import weigh
from vision.locate import LocatedBoard
from vision.profile import Profile
from vision.read import CellsRead, Familiarity, believable, best_candidate, signs_of
from vision.verdict import reading_of


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
