"""Season boards: numbers and frames are known on any edition, tiles come from lessons."""

from dataclasses import replace

import numpy as np
import pytest
from drawn_grids import season_board

from scorer.seasons.board import Hand
from vision.boards import TIME
from vision.evidence import Evidence, Interpretation, Look
from vision.find.board import LocatedBoard
from vision.geometry import Pyramid
from vision.kinds import kind_of, seasons
from vision.kinds.seasons import (
    FRAME_APART,
    SeasonBoard,
    frames_apart,
    number_evidence,
    printed_quads,
    tints_apart,
)
from vision.profile import Profile, tints

SEASONS = SeasonBoard()


@pytest.mark.parametrize("hand", Hand)
def test_number_cells_lie_in_the_same_cells_after_a_quarter_turn(hand: Hand) -> None:
    assert {(col, 5 - row) for row, col in hand.clockwise} == set(hand.clockwise)


def test_each_number_is_read_once_and_the_frame_with_it() -> None:
    labels = ("1", "2", "3", "4", "3!", "spring")
    p = np.full((4, 6), 0.01)
    p[[0, 1, 2, 3], [1, 0, 3, 4]] = 0.9  # 2 1 4 3!
    p[3, 1] = 0.8  # taken alone, the last could be a second 2
    evidence, shown = number_evidence(np.log(p), labels)
    assert [labels[k] for k in shown.argmax(1)] == ["2", "1", "4", "3!"]
    assert np.isfinite(evidence)
    assert shown.sum(1) == pytest.approx(1.0)
    assert not shown[:, labels.index("spring")].any()


@pytest.mark.parametrize("hand", Hand)
def test_numbers_are_read_on_the_cells_of_either_hand(hand: Hand) -> None:
    board = season_board()
    numbers = [
        hand.clockwise.index(at) + 1 if at in hand.clockwise else 0 for at in board.upright(0)
    ]
    alone = np.full((36, 5), -8.0)
    alone[range(36), numbers] = 0.0
    found, _ = SEASONS.interpreted(alone, board, ("spring", "1", "2", "3", "4"), 0)
    assert found.argmax(1).tolist() == numbers


@pytest.mark.parametrize("bare_cells", [36, 12, 4, 1])
def test_bare_cells_are_shown_where_they_are_printed(bare_cells: int) -> None:
    """Thick tiles hide the print and look shifted; the bare part of a cell is smaller than it."""
    printed = season_board()
    rng = np.random.default_rng(3)
    bare = np.zeros(36, bool)
    bare[rng.permutation(36)[:bare_cells]] = True
    found = []
    for cell, empty in zip(printed.cells, bare, strict=True):
        middle = cell.quad_xy.mean(0)
        quad = (
            middle
            + (cell.quad_xy - middle) * (0.85 if empty else 0.9)
            + (0 if empty else np.array([3, -2]))
        )
        found.append(replace(cell, quad_xy=quad.astype(np.float32)))
    quads = printed_quads(replace(printed, cells=tuple(found)), bare)
    assert quads is not None
    off = np.abs(quads - np.stack([cell.quad_xy for cell in printed.cells]))[bare]
    assert off.max() < 1.0


def test_a_board_full_of_tiles_shows_no_print() -> None:
    assert printed_quads(season_board(), np.zeros(36, bool)) is None


def test_tiles_keep_their_own_quads() -> None:
    laid = season_board()
    shrunk = [c.quad_xy.mean(0) + (c.quad_xy - c.quad_xy.mean(0)) * 0.9 for c in laid.cells]
    cells = tuple(
        replace(c, quad_xy=q.astype(np.float32)) for c, q in zip(laid.cells, shrunk, strict=True)
    )
    laid = replace(laid, cells=cells)
    own = np.stack([cell.quad_xy for cell in laid.cells])
    labels = ["spring"] * 36
    labels[15] = "."
    shown = SEASONS.shown_quads(laid, labels)
    assert np.abs(shown[15] - own[15]).max() > 1.0
    np.testing.assert_array_equal(np.delete(shown, 15, 0), np.delete(own, 15, 0))
    np.testing.assert_array_equal(kind_of(TIME).shown_quads(laid, labels), own)


def test_a_number_is_known_though_it_looks_like_no_taught_one() -> None:
    labels = ("spring", "2", "2!", ".")
    print_log_p = np.log(np.array([[[0.01, 0.02, 0.96, 0.01]]]))
    strange = Evidence(np.zeros((1, 1, 4)), np.zeros((1, 1, 4), np.float32), np.array([[0.05]]))
    seen = SEASONS.with_print(strange, print_log_p, labels)
    assert seen.known[0, 0] > 0.95
    assert seen.scores[0, 0].argmax() == 2
    assert SEASONS.with_print(strange, None, labels) is strange


def test_what_a_frame_looks_like_counts_more_than_what_a_digit_looks_like() -> None:
    """The print of an edition may look framed to the cell reader; its lessons know better."""
    labels = ("spring", "2", "2!", "3", "3!")
    unsure = np.log(np.array([[[0.02, 0.1, 0.5, 0.08, 0.3]]]))
    bare_three = np.array([[[0.0, 7.0, 4.0, 7.5, 4.5]]])
    seen = SEASONS.with_print(
        Evidence(bare_three, bare_three.astype(np.float32), np.array([[0.9]])), unsure, labels
    )
    assert labels[seen.scores[0, 0].argmax()] == "2"


def test_a_print_whose_numbers_all_look_framed_to_the_cell_reader_says_nothing() -> None:
    """Four numbers: as the lessons showed them, the first has a frame and the others have none."""
    labels = ("2", "2!")
    framed = [9.0, 7.0, 6.5, 8.0]
    print_log_p = np.log(np.stack([np.ones(4), np.exp(framed)], 1) / (1 + np.exp(framed))[:, None])
    likeness = np.array([[0.0, 5.0], [4.0, 0.0], [4.0, 0.0], [4.0, 0.0]])
    evidence = Evidence(likeness[None], likeness[None].astype(np.float32), np.ones((1, 4)))
    seen = SEASONS.with_print(evidence, print_log_p[None], labels)
    assert seen.scores[0].argmax(1).tolist() == [1, 0, 0, 0]


def test_frames_that_lessons_showed_in_another_light_or_print_say_less() -> None:
    """Where the two kinds of number were taught alike, the whole difference counts."""
    labels = ("2", "2!", "3", "3!")
    likeness = np.array([[0.9, 0.7, 0.8, 0.6]])

    def told(apart: float) -> np.ndarray:
        framed = np.array([1 - apart, np.sqrt(1 - (1 - apart) ** 2)], np.float32)
        bare = np.array([1, 0], np.float32)
        faces = {k: np.tile(framed if k.endswith("!") else bare, (1, 4, 1)) for k in labels}
        shared = SEASONS.with_shared_marks(likeness, Profile("own", "seasons", faces, "m"))
        return np.asarray(shared[0, [0, 2]] - shared[0, [1, 3]])

    assert told(FRAME_APART / 2) == pytest.approx(0.2)
    assert told(4 * FRAME_APART) == pytest.approx(0.2 / 4**2)


def test_the_print_says_which_cells_hold_a_tile() -> None:
    labels = (".", "1", "spring", "summer")
    tiles = np.arange(36) % 3 > 0
    print_log_p = np.full((4, 36, 4), -9.0)
    print_log_p[:, tiles, 2:] = -0.1
    print_log_p[:, ~tiles, 0] = -0.1
    assert SEASONS.tiles(print_log_p, labels).tolist() == tiles.tolist()
    assert not SEASONS.tiles(print_log_p[..., :2], labels[:2]).any()


def cells_that_look(*cells: tuple[float, float]) -> tuple[Evidence, np.ndarray]:
    """Evidence of cells and what their print shows: for each the log odds of a bare cell against
    a tile, by likeness and by print."""
    likeness, shown = np.array(cells).T
    none = np.full((4, len(cells)), -9.0)
    scores = np.stack([none * 0, np.tile(likeness, (4, 1)), none], 2)
    print_log_p = np.stack(
        [-np.logaddexp(0, np.tile(shown, (4, 1))), -np.logaddexp(0, -np.tile(shown, (4, 1))), none],
        2,
    )
    return Evidence(scores, scores.astype(np.float32), np.ones((4, len(cells)))), print_log_p


def read_as_bare(*cells: tuple[float, float]) -> list[bool]:
    evidence, print_log_p = cells_that_look(*cells)
    found = SEASONS.with_print(evidence, print_log_p, ("spring", ".", "1"))
    return [bool(k == 1) for k in found.scores[0].argmax(1)]


def test_a_print_that_the_cell_reader_takes_for_tiles_says_nothing() -> None:
    """A board without lines: all its cells are tiles to the reader, likeness tells them apart."""
    bare, tile = (4.0, -7.0), (-4.0, -8.0)
    assert read_as_bare(*[bare] * 8, *[tile] * 20) == [True] * 8 + [False] * 20


def test_a_tile_in_glare_is_in_doubt_if_the_print_around_it_tells() -> None:
    """It looks like the board; the print tells the other cells, so it is heard about this one."""
    bare, tile, glare = (4.0, 8.0), (-4.0, -8.9), (20.0, -8.9)
    assert read_as_bare(*[bare] * 8, *[tile] * 20) == [True] * 8 + [False] * 20
    evidence, print_log_p = cells_that_look(*[bare] * 8, *[tile] * 20, glare)
    found = SEASONS.with_print(evidence, print_log_p, ("spring", ".", "1")).scores[0]
    odds = found[:, 1] - found[:, 0]
    assert np.abs(odds[:-1]).min() > 6
    assert abs(odds[-1]) < 2


def test_a_second_look_at_the_print_lies_where_it_is_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laid = season_board()
    bare = np.arange(36) < 12
    moved = tuple(
        cell if is_bare else replace(cell, quad_xy=cell.quad_xy + np.float32([4, -3]))
        for cell, is_bare in zip(laid.cells, bare, strict=True)
    )
    labels = (".", "spring")
    names = np.where(bare[:, None], [[0.9, 0.1]], [[0.1, 0.9]])
    way = Interpretation(0, names, 0.0)
    seen = Look(Evidence(*[np.zeros((4, 36, 2))] * 3), way, np.zeros((36, 2)), np.ones(36), 1.0)
    looked: list[np.ndarray] = []

    def cut(
        _: Pyramid, __: LocatedBoard, ___: tuple[str, ...], quads: np.ndarray | None
    ) -> np.ndarray | None:
        if quads is None:
            return None
        looked.append(quads)
        return np.full((4, 36, 2), -3.0)

    monkeypatch.setattr(seasons, "cell_log_p", cut)
    picture = Pyramid(np.zeros((300, 300, 3), np.uint8))
    closer = SEASONS.print_log_p(picture, replace(laid, cells=moved), labels, seen)
    assert (closer == -3.0).all()
    printed = np.stack([cell.quad_xy for cell in laid.cells])
    assert np.abs(looked[0] - printed).max() < 0.5
    # a board full of tiles shows no print
    full = replace(seen, way=replace(way, probabilities=names[::-1] * 0 + [0.0, 1.0]))
    assert SEASONS.print_log_p(picture, laid, labels, full) is None


def test_numbers_that_no_lesson_showed_can_be_read() -> None:
    taught = {
        label: np.full((1, 4, 3), i, np.float32) for i, label in enumerate(("spring", "2!", "3"))
    }
    whole = SEASONS.completed(Profile("mine", "seasons", taught, "test"))
    assert {label for label in whole.labels if label[0] in "1234"} == {
        f"{n}{f}" for n in "1234" for f in ("", "!")
    }
    assert (whole.prototypes["2"] == taught["2!"]).all()
    assert len(whole.prototypes["1"]) == 2
    assert kind_of(TIME).completed(Profile("mine", "time", taught, "test")).labels == (
        "spring",
        "2!",
        "3",
    )


def test_tiles_of_two_seasons_in_one_tint_are_told_if_lessons_show_them_apart() -> None:
    colours = {
        "summer": np.array([[150, 150, 150]], np.float32),
        "autumn*": np.array([[165, 150, 135]], np.float32),
        "spring": np.array([[60, 150, 70]], np.float32),
        "winter": np.array([[151, 150, 149]], np.float32),
    }
    profile = Profile(
        "set",
        "seasons",
        {name: np.ones((1, 4, 2), np.float32) for name in colours},
        "test",
        colours,
    )
    grey, green = np.float32([0.0, 0.0]), tints(np.array([[60, 150, 70]], np.float32))[0]
    names = ["summer", "autumn*", "spring", "1!", "."]
    apart = tints_apart(names, np.stack([grey, grey + 0.01, green, grey, grey]), profile)
    assert (apart[:2] < 0.2).all()
    assert (apart[2:] == 1).all()
    # in another light both move, and stay apart
    warm = np.float32([0.4, -0.3])
    seen = np.stack([tints(colours[name])[0] + warm for name in names[:3]] + [grey, grey])
    assert tints_apart(names, seen, profile)[:3] == pytest.approx([1, 1, 1], abs=0.01)
    # what lessons show alike may look alike
    assert (tints_apart(["summer", "winter"], np.stack([grey, grey]), profile) == 1).all()
    assert (tints_apart(["1", "."], np.stack([grey, grey]), profile) == 1).all()


def test_a_number_that_looks_framed_where_none_was_read_is_told() -> None:
    labels = ("3", "3!", "4", "spring")
    likeness = np.array(
        [[0.7, 0.85, 0.2, 0.1], [0.8, 0.85, 0.2, 0.1], [0.1, 0.1, 0.9, 0.1]], np.float32
    )
    found = frames_apart(["3", "3!", "4"], likeness, labels)
    assert found == pytest.approx([-0.15, 0.05, 0.0])
    assert not frames_apart(["4", "spring", "."], likeness, labels).any()
