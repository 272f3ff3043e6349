"""Learns a copy while it is played: faces that no lesson showed, from boards that people confirmed.

They are learnt for the rest of the game, in memory alone; ``calibration.corrections`` adds to a
profile.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from calibration.selfcheck import plainly_other
from models.session import CROP_PX
from scorer.notation import EMPTY
from vision.errors import PhotoRejected
from vision.geometry import Floats, Pyramid, usable
from vision.photo import LEAST_LONG_SIDE, decode_photo
from vision.profile import Profile, ink_hues, mean_colours, turned_vectors


@dataclass(frozen=True, slots=True)
class ConfirmedBoard:
    """A photo, and what lies there as people let it stand.

    ``cells`` are a label each, and its four corners in pixels of the upright photo: x and y of the
    top left one, then clockwise.
    """

    photo: bytes
    cells: tuple[tuple[str, tuple[float, ...]], ...]


def with_confirmed(profile: Profile, boards: Sequence[ConfirmedBoard]) -> Profile:
    """The profile together with the faces of confirmed boards that no lesson showed.

    Of each photo a face gets one mean crop. Cells that plainly show a taught face are left out:
    people overlook errors. Taught faces learn nothing: photos in other light make them no clearer
    (docs/experiments.md). Nor do the bundled stones: a network reads them. A photo that is damaged
    teaches nothing.
    """
    if profile.published:
        return profile
    prototypes, colours, inks = dict(profile.prototypes), dict(profile.colours), dict(profile.inks)
    for board in boards:
        new = [cell for cell in board.cells if cell[0] not in {EMPTY, *profile.prototypes}]
        if not new:
            continue
        try:
            labels, vectors, means, hues = _crops_of(replace(board, cells=tuple(new)))
        except PhotoRejected:
            continue
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


@lru_cache(maxsize=16)  # the photos of a game are looked at again for each new one
def _crops_of(board: ConfirmedBoard) -> tuple[tuple[str, ...], Floats, Floats, Floats]:
    """Label, vectors (n, 4, d), mean colour (n, 3) and ink (n, 3) of each cell.

    Raises ``vision.errors.PhotoRejected``.
    """
    photo = decode_photo(board.photo, LEAST_LONG_SIDE)
    quads = np.array([corners for _, corners in board.cells], np.float32).reshape(-1, 4, 2)
    seen = usable(quads)
    crops = Pyramid(photo.image_rgb).crops(photo.from_full(quads[seen]), CROP_PX)
    labels = tuple(label for (label, _), is_seen in zip(board.cells, seen, strict=True) if is_seen)
    return labels, turned_vectors(crops), mean_colours(crops), ink_hues(crops)
