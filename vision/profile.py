"""What the reader knows of one physical copy of a game: prototypes of its faces."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from models.session import STONE_SYMBOLS, embed
from vision.geometry import Floats, Images

QUARTER_TURNS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Prototypes by label.

    Attributes
    ----------
    name : str
    board : str
        Name of the board it was taught for.
    prototypes : mapping of label to ndarray of shape (k, 4, d)
        Unit vectors of k crops of that face, each upright and turned counterclockwise by one, two and three quarters.
    colours : mapping of label to ndarray of shape (k, 3)
        Mean RGB of the same crops, 0 to 255; what the light of a photo is judged by. May be empty.
    model : str
        Version of the network that made the vectors, or that reads instead of them; others cannot be used.
    published : bool
        Whether the stones network reads, which knows the published colours and pictures; then ``prototypes`` is empty.
    """

    name: str
    board: str
    prototypes: Mapping[str, Floats]
    model: str
    colours: Mapping[str, Floats] = field(default_factory=dict)
    published: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        return STONE_SYMBOLS if self.published else tuple(self.prototypes)

    def likeness(self, vectors: Floats) -> Floats:
        """Greatest scalar product of each vector with a label's prototypes in each turn.

        Returns
        -------
        ndarray of shape (4, n, labels): turn t is for crops whose upright picture was turned t quarters
        counterclockwise
        """
        best = [np.einsum("nd,ktd->tnk", vectors, p).max(2) for p in self.prototypes.values()]
        return np.stack(best, 2).astype(np.float32)


def mean_colours(crops_rgb: Images) -> Floats:
    """Mean RGB of the inner part of each crop (k, s, s, 3), shape (k, 3), 0 to 255."""
    edge = crops_rgb.shape[1] // 8
    return np.asarray(crops_rgb[:, edge:-edge, edge:-edge].mean((1, 2)), np.float32)


def turned_vectors(crops_rgb: Images) -> Floats:
    """Vectors of upright crops (k, s, s, 3) in all four quarter turns, shape (k, 4, d)."""
    turns = [np.rot90(crops_rgb, t, axes=(1, 2)) for t in range(QUARTER_TURNS)]
    vectors = embed(np.ascontiguousarray(np.concatenate(turns)))
    return vectors.reshape(QUARTER_TURNS, len(crops_rgb), -1).transpose(1, 0, 2)
