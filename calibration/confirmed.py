"""Learns a copy while it is played: faces that no lesson showed, from boards that people confirmed.

They are learnt for the rest of the game, in memory alone; ``calibration.corrections`` adds to a
profile.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from calibration.selfcheck import plainly_other
from models.session import CROP_PX
from scorer.notation import EMPTY
from vision.errors import PhotoRejected
from vision.geometry import Floats, Pyramid, usable
from vision.photo import LEAST_LONG_SIDE, decode_photo
from vision.profile import Profile, ink_hues, mean_colours, turned_vectors

LEAST_AGREEING = 0.5
"""Least share of cells that were read right; below it the photo shows another board."""
MOST_BOARDS = 10
"""Most boards of a game that its copy learns from, the last ones."""
MOST_IN_MIND = 200
"""Boards whose crops are kept in memory, 20 kB each: those of twenty games."""


@dataclass(frozen=True, slots=True)
class ConfirmedBoard:
    """A photo, and what lies there as people let it stand.

    ``name`` is the photo's alone, whatever game it belongs to. ``cells`` are a label each, and its
    four corners in pixels of the upright photo: x and y of the top left one, then clockwise.
    ``load`` gives the bytes of the photo, or None if it is gone.
    """

    name: str
    cells: tuple[tuple[str, tuple[float, ...]], ...]
    load: Callable[[], bytes | None] = field(compare=False)


def as_confirmed(
    name: str,
    load: Callable[[], bytes | None],
    read: Sequence[str],
    stands: Sequence[str],
    quads_xy: npt.ArrayLike,
) -> ConfirmedBoard | None:
    """A board with the labels that were read, those that stand and the quads (n, 4, 2) of its
    cells; None if too few agree. For *name* and *load* see ``ConfirmedBoard``."""
    agreeing = sum(one == other for one, other in zip(read, stands, strict=True))
    if agreeing < LEAST_AGREEING * len(read):
        return None
    corners = np.reshape(quads_xy, (-1, 8)).tolist()
    return ConfirmedBoard(name, tuple(zip(stands, map(tuple, corners), strict=True)), load)


def with_confirmed(profile: Profile, boards: Sequence[ConfirmedBoard]) -> Profile:
    """The profile together with the faces of confirmed boards that no lesson showed.

    Of each photo a face gets one mean crop. Cells that plainly show a taught face are left out:
    people overlook errors. Taught faces learn nothing: photos in other light make them no clearer
    (docs/experiments.md). Nor do the bundled stones: a network reads them. A photo that is damaged
    or gone teaches nothing.
    """
    if profile.published:
        return profile
    prototypes, colours, inks = dict(profile.prototypes), dict(profile.colours), dict(profile.inks)
    for board in boards:
        is_usable = usable(_quads_of(board))
        new = tuple(
            cell
            for cell, can_be_cut in zip(board.cells, is_usable, strict=True)
            if can_be_cut and cell[0] not in {EMPTY, *profile.prototypes}
        )
        if not new:
            continue
        try:
            vectors, means, hues = _crops_of(replace(board, cells=new))
        except PhotoRejected:
            continue
        labels = [label for label, _ in new]
        fits = [
            plainly_other(profile, vector, label) is None
            for label, vector in zip(labels, vectors[:, 0], strict=True)
        ]
        for label in dict.fromkeys(label for label, fit in zip(labels, fits, strict=True) if fit):
            which = np.array(fits) & (np.array(labels) == label)
            middle = vectors[which].mean(0, keepdims=True)
            middle /= np.linalg.norm(middle, axis=2, keepdims=True)
            seen = means[which].mean(0, keepdims=True), hues[which].mean(0, keepdims=True)
            for known, more in zip((prototypes, colours, inks), (middle, *seen), strict=True):
                before = [known[label]] if label in known else []
                known[label] = np.concatenate([*before, more])
    return replace(profile, prototypes=prototypes, colours=colours, inks=inks)


@lru_cache(maxsize=MOST_IN_MIND)  # each new photo of a game needs them again
def _crops_of(board: ConfirmedBoard) -> tuple[Floats, Floats, Floats]:
    """Vectors (n, 4, d), mean colour (n, 3) and ink (n, 3) of each cell.

    Raises ``vision.errors.PhotoRejected``.
    """
    photo = decode_photo(board.load() or b"", LEAST_LONG_SIDE)
    crops = Pyramid(photo.image_rgb).crops(photo.from_full(_quads_of(board)), CROP_PX)
    return turned_vectors(crops), mean_colours(crops), ink_hues(crops)


def _quads_of(board: ConfirmedBoard) -> Floats:
    """The quads of the cells, shape (n, 4, 2)."""
    return np.array([corners for _, corners in board.cells], np.float32).reshape(-1, 4, 2)
