"""A grid of open shape with the row or column in which one more piece lies beside it."""

from dataclasses import replace

import numpy as np

from vision.find.board import LocatedBoard, LocatedCell, in_photo, next_to
from vision.find.candidates import MOST_MOVED
from vision.find.complete import LEAST_FAMILIAR, outline_of
from vision.find.detect import refine_quads
from vision.find.neighbours import Place
from vision.geometry import Pyramid, sides, usable
from vision.profile import Profile, vectors_at


def grown(
    pyramid: Pyramid, board: LocatedBoard, place: Place, profile: Profile
) -> LocatedBoard | None:
    """All places of the grid and of the row or column of a ``place`` beside it.

    None if what lies there does not look like a taught face.
    """
    first, last = np.minimum(place, 0), np.maximum(place, (board.rows - 1, board.cols - 1))
    (top, left), (rows, cols) = first.tolist(), (last - first + 1).tolist()
    held = {*board.places}
    places = [(r + top, c + left) for r in range(rows) for c in range(cols)]
    new = [other for other in places if other not in held]
    quads = board.quads_at(new)
    around = board.quads_at([(r + top, c + left) for r, c in next_to(rows, cols)])
    if quads is None or around is None or not usable(quads).all():
        return None
    refined, presence = refine_quads(pyramid, quads)
    moved = np.linalg.norm(refined - quads, axis=2).max(1) > MOST_MOVED * sides(quads)
    quads = np.where(moved[:, None, None], quads, refined)
    beside = new.index(place)
    if profile.likeness(vectors_at(pyramid, quads[beside : beside + 1])).max() < LEAST_FAMILIAR:
        return None
    cells = [
        *board.cells,
        *(
            LocatedCell(*other, quad, there, settled=False)
            for other, quad, there in zip(new, quads, presence.tolist(), strict=True)
        ),
    ]
    cells = [replace(cell, row=cell.row - top, col=cell.col - left) for cell in cells]
    return replace(
        board,
        rows=rows,
        cols=cols,
        cells=tuple(sorted(cells, key=lambda cell: (cell.row, cell.col))),
        outline_xy=outline_of(board, (top, left), rows, cols),
        around_xy=in_photo(list(around), pyramid.levels[0].shape[:2]),
    )
