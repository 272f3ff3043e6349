"""Grids as they would be located and seen, made without any photo."""

import numpy as np

from vision.boards import STONES
from vision.evidence import Evidence
from vision.find.board import LocatedBoard, LocatedCell
from vision.geometry import UNIT_SQUARE
from vision.profile import Profile

IN_THE_BOX = ["sun", "fish", "fish", "horse", "horse", "horse", "seed", "seed", "seed"]
ALL_TURNS = (0, 1, 2, 3)
TAUGHT = Profile(
    "set", "stones", {label: np.ones((1, 4, 2), np.float32) for label in STONES.labels}, "test"
)


def located(rows: int, cols: int, width: float = 50.0, height: float = 50.0) -> LocatedBoard:
    """A full grid of cells as wide and high as given."""
    size = np.array([width, height])
    cells = tuple(
        LocatedCell(r, c, ((UNIT_SQUARE + np.array([c, r])) * size).astype(np.float32), 1.0)
        for r in range(rows)
        for c in range(cols)
    )
    return LocatedBoard(
        rows, cols, cells, (UNIT_SQUARE * size * np.array([cols, rows])).astype(np.float32)
    )


def boxed(scores_at: dict[int, float], together: bool = False) -> Evidence:
    """Certain evidence for the symbols of a box, with the given log probability of each turn."""
    scores = np.full((4, 9, 8), -12.0)
    for turn, value in scores_at.items():
        for i, label in enumerate(IN_THE_BOX):
            scores[turn, i, STONES.labels.index(label)] = value
    return Evidence(
        scores, np.ones((4, 9, 8), np.float32), np.ones((4, 9)), scores if together else None
    )


def season_board(shift: tuple[float, float] = (0.0, 0.0)) -> LocatedBoard:
    """A board of six by six, one of whose quads is off by ``shift`` cells."""
    cells = []
    for r in range(6):
        for c in range(6):
            quad = (
                UNIT_SQUARE + np.array([c, r]) + (np.array(shift) if (r, c) == (2, 3) else 0)
            ) * 40 + 30
            cells.append(LocatedCell(r, c, quad.astype(np.float32), 1.0))
    return LocatedBoard(6, 6, tuple(cells), (UNIT_SQUARE * 240 + 30).astype(np.float32))
