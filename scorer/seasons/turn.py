"""Shifting Seasons: where a tile may go (rulebook, "your turn")."""

from scorer.notation import Cell
from scorer.seasons.board import SeasonBoard, beside, cells_of

AREAS = (1, 2, 3, 4)


def legal_cells(board: SeasonBoard, number: int) -> tuple[Cell, ...]:
    """Where a tile for the area of *number* may go: beside the number or beside a tile of the area.

    A full area gives nothing. Raises ValueError for a number that no area has.

    >>> legal_cells(SeasonBoard.empty(), 1)
    ((0, 0), (0, 2), (1, 1))
    """
    if number not in AREAS:
        raise ValueError(f"expected an area 1 to 4, got {number!r}")
    area = board.layout.plan.areas[number - 1]
    touched = beside(board.tiles & area) | board.layout.plan.neighbours[number - 1]
    return cells_of(touched & area & ~board.tiles)
