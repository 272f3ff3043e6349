"""Numbers and frames are known on any edition's board."""

import numpy as np
import pytest
from drawn_grids import season_board

from vision.boards import SEASONS_BOARD
from vision.find.board import LocatedBoard
from vision.geometry import Pyramid
from vision.name import season_cells
from vision.name.season_cells import cell_log_p, class_of, even_quads

CLASSES = 34


def test_cells_are_cut_where_the_print_divides_the_board() -> None:
    """A tall frame draws its quad aside; the cell stays where it is printed."""
    quads = even_quads(season_board((0.2, -0.15)))
    assert quads is not None
    assert np.abs(quads - np.stack([cell.quad_xy for cell in season_board().cells])).max() < 2.0


def test_classes_of_all_labels_and_turns_are_different_but_for_tiles() -> None:
    numbers = [label for label in SEASONS_BOARD.labels if label[0] in "1234"]
    codes = {class_of(label, turn) for label in numbers for turn in range(4)}
    assert codes == set(range(2, CLASSES))
    assert {class_of(label, turn) for label in ("spring", "winter*") for turn in range(4)} == {1}


def test_a_turned_board_is_asked_for_turned_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    log_p = np.full((36, CLASSES), -20.0, np.float32)
    log_p[:, class_of("3!", 1)] = 0.0
    monkeypatch.setattr(season_cells, "read_season_cells", lambda crops: log_p[: len(crops)])
    picture, board = Pyramid(np.zeros((300, 300, 3), np.uint8)), season_board()
    found = cell_log_p(picture, board, ("spring", "3", "3!", "."), even_quads(board))
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
    upright = season_board()
    mixed = LocatedBoard(6, 6, upright.cells[::-1], upright.outline_xy)
    found = cell_log_p(Pyramid(picture), mixed, (".", "spring"), even_quads(mixed))
    assert seen == list(range(36))
    assert found is not None
    assert np.allclose(found[0, :, 0], -np.arange(36)[::-1] / 36)
    part = LocatedBoard(6, 6, upright.cells[:-1], upright.outline_xy)
    assert cell_log_p(Pyramid(picture), part, (".",), even_quads(part)) is None
