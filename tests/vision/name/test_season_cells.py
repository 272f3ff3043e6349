"""Numbers and frames are known on any edition's board."""

from dataclasses import replace

import numpy as np
import pytest

from vision.boards import SEASONS_BOARD, TIME
from vision.find.detect import LocatedBoard, LocatedCell
from vision.geometry import UNIT_SQUARE, Pyramid
from vision.name import season_cells
from vision.name.likeness import Evidence, with_print
from vision.name.season_cells import (
    cell_log_p,
    class_of,
    even_quads,
    printed_quads,
    with_untaught_numbers,
)
from vision.profile import Profile
from vision.trust import shown_quads

CLASSES = 34


def board(shift: tuple[float, float] = (0.0, 0.0)) -> LocatedBoard:
    """A board of six by six, one of whose quads is off by ``shift`` cells."""
    cells = []
    for r in range(6):
        for c in range(6):
            quad = (UNIT_SQUARE + np.array([c, r]) + (np.array(shift) if (r, c) == (2, 3) else 0)) * 40 + 30
            cells.append(LocatedCell(r, c, quad.astype(np.float32), 1.0))
    return LocatedBoard(6, 6, tuple(cells), (UNIT_SQUARE * 240 + 30).astype(np.float32))


def test_cells_are_cut_where_the_print_divides_the_board() -> None:
    """A tall frame draws its quad aside; the cell stays where it is printed."""
    quads = even_quads(board((0.2, -0.15)))
    assert quads is not None
    assert np.abs(quads - np.stack([cell.quad_xy for cell in board().cells])).max() < 2.0


@pytest.mark.parametrize("bare_cells", [36, 12, 4, 1])
def test_bare_cells_are_shown_where_they_are_printed(bare_cells: int) -> None:
    """Thick tiles hide the print and look moved against it; what is found of a bare cell is smaller than the cell."""
    printed = board()
    rng = np.random.default_rng(3)
    bare = np.zeros(36, bool)
    bare[rng.permutation(36)[:bare_cells]] = True
    found = []
    for cell, empty in zip(printed.cells, bare, strict=True):
        middle = cell.quad_xy.mean(0)
        quad = (
            middle + (cell.quad_xy - middle) * (0.85 if empty else 0.9) + (0 if empty else np.array([3, -2]))
        )
        found.append(replace(cell, quad_xy=quad.astype(np.float32)))
    quads = printed_quads(replace(printed, cells=tuple(found)), bare)
    assert quads is not None
    off = np.abs(quads - np.stack([cell.quad_xy for cell in printed.cells]))[bare]
    assert off.max() < 1.0


def test_a_board_full_of_tiles_shows_no_print() -> None:
    assert printed_quads(board(), np.zeros(36, bool)) is None


def test_tiles_keep_their_own_quads() -> None:
    laid = board()
    shrunk = [c.quad_xy.mean(0) + (c.quad_xy - c.quad_xy.mean(0)) * 0.9 for c in laid.cells]
    cells = tuple(replace(c, quad_xy=q.astype(np.float32)) for c, q in zip(laid.cells, shrunk, strict=True))
    laid = replace(laid, cells=cells)
    own = np.stack([cell.quad_xy for cell in laid.cells])
    labels = ["spring"] * 36
    labels[15] = "."
    shown = shown_quads(laid, SEASONS_BOARD, labels)
    assert np.abs(shown[15] - own[15]).max() > 1.0
    np.testing.assert_array_equal(np.delete(shown, 15, 0), np.delete(own, 15, 0))
    np.testing.assert_array_equal(shown_quads(laid, TIME, labels), own)


def test_classes_of_all_labels_and_turns_are_different_but_for_tiles() -> None:
    numbers = [label for label in SEASONS_BOARD.labels if label[0] in "1234"]
    codes = {class_of(label, turn) for label in numbers for turn in range(4)}
    assert codes == set(range(2, CLASSES))
    assert {class_of(label, turn) for label in ("spring", "winter*") for turn in range(4)} == {1}


def test_a_turned_board_is_asked_for_turned_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    log_p = np.full((36, CLASSES), -20.0, np.float32)
    log_p[:, class_of("3!", 1)] = 0.0
    monkeypatch.setattr(season_cells, "read_season_cells", lambda crops: log_p[: len(crops)])
    found = cell_log_p(Pyramid(np.zeros((300, 300, 3), np.uint8)), board(), ("spring", "3", "3!", "."))
    assert found is not None
    assert found.shape == (4, 36, 4)
    assert found[1, 0].argmax() == 2
    assert found[0].max() < -1


def test_cells_are_judged_in_their_places_in_whatever_order_they_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    picture = np.zeros((300, 300, 3), np.uint8)
    for r in range(6):
        for c in range(6):
            picture[30 + 40 * r : 70 + 40 * r, 30 + 40 * c : 70 + 40 * c] = 6 * (6 * r + c)
    seen: list[int] = []

    def judged(crops: np.ndarray) -> np.ndarray:
        seen.extend((crops[:, 32, 32, 0] // 6).tolist())
        log_p = np.full((36, CLASSES), -6.0, np.float32)
        log_p[:, 0] = -np.arange(36) / 36
        return log_p

    monkeypatch.setattr(season_cells, "read_season_cells", judged)
    upright = board()
    mixed = LocatedBoard(6, 6, upright.cells[::-1], upright.outline_xy)
    found = cell_log_p(Pyramid(picture), mixed, (".", "spring"))
    assert seen == list(range(36))
    assert found is not None
    assert np.allclose(found[0, :, 0], -np.arange(36)[::-1] / 36)
    assert (
        cell_log_p(Pyramid(picture), LocatedBoard(6, 6, upright.cells[:-1], upright.outline_xy), (".",))
        is None
    )


def test_a_number_is_known_though_it_looks_like_no_taught_one() -> None:
    labels = ("spring", "2", "2!", ".")
    print_log_p = np.log(np.array([[[0.01, 0.02, 0.96, 0.01]]]))
    strange = Evidence(np.zeros((1, 1, 4)), np.zeros((1, 1, 4), np.float32), np.array([[0.05]]))
    seen = with_print(strange, print_log_p, labels)
    assert seen.known[0, 0] > 0.95
    assert seen.scores[0, 0].argmax() == 2
    assert with_print(strange, None, labels) is strange


def test_numbers_that_no_lesson_showed_can_be_read() -> None:
    taught = {label: np.full((1, 4, 3), i, np.float32) for i, label in enumerate(("spring", "2!", "3"))}
    whole = with_untaught_numbers(Profile("mine", "seasons", taught, "test"))
    assert {label for label in whole.labels if label[0] in "1234"} == {
        f"{n}{f}" for n in "1234" for f in ("", "!")
    }
    assert (whole.prototypes["2"] == taught["2!"]).all()
    assert len(whole.prototypes["1"]) == 2
    assert with_untaught_numbers(Profile("mine", "time", taught, "test")).labels == ("spring", "2!", "3")
