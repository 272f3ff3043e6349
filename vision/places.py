"""Which places of a grid without a printed board hold a piece, and which beside it, as the places reader sees them.

It sees all places at once, each with its surroundings; one that the photo cuts off shows a strip of itself, on which a
piece beside it would begin.
"""

import numpy as np

from models.session import read_places
from vision.geometry import UNIT_SQUARE, Floats, Pyramid, share_within, transform, usable
from vision.locate import LocatedBoard, next_to

CROP_PX, MARGIN = 64, 0.35
"""Side of a crop, and how much of its surroundings it shows, in sides: as the network was trained."""
LEAST_IN_PHOTO = 0.12
"""Share of a place that the photo must show."""
Place = tuple[int, int]


def places_seen(pyramid: Pyramid, board: LocatedBoard) -> dict[Place, float]:
    """Log odds that a piece lies on each place (row, column) of the grid and of the ring around it.

    Places of which the photo shows too little are left out; all, if it shows nothing of the table around, to which the
    network compares them.
    """
    to_photo = board.to_photo
    if to_photo is None:
        return {}
    ring = next_to(board.rows, board.cols)
    places = [*ring, *((cell.row, cell.col) for cell in board.cells)]
    quads = transform(to_photo, np.stack([UNIT_SQUARE + np.array((c, r)) for r, c in places]))
    shown = usable(quads)
    shown[shown] = shares_in_photo(quads[shown], pyramid.levels[0].shape[:2]) >= LEAST_IN_PHOTO
    if not shown[: len(ring)].any():
        return {}
    log_p = read_places(pyramid.crops(quads[shown], CROP_PX, MARGIN))
    odds = log_p[:, 1] - log_p[:, 0]
    return {places[k]: float(value) for k, value in zip(np.flatnonzero(shown), odds, strict=True)}


def shares_in_photo(quads_xy: Floats, size_hw: tuple[int, ...]) -> Floats:
    """How much of each convex quad (n, 4, 2) lies inside a photo of that size, shape (n,)."""
    photo = (UNIT_SQUARE * (size_hw[1], size_hw[0])).astype(np.float32)
    return share_within(quads_xy, photo[None])
