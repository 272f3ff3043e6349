"""What the reader knows of one physical copy of a game: prototypes of its faces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.session import CROP_PX, STONE_SYMBOLS, VECTOR_SIZE, embed
from scorer.notation import EMPTY
from vision.geometry import Floats, Images, Pyramid, Spectra
from vision.probability import Doubles

QUARTER_TURNS = 4
INK_WEIGHT, MOST_INK = 0.1, 0.3
"""Likeness lost for each unit of squared distance between inks, and the most that counts.

Ink tells cards apart that differ only by the colour of a thin outline (docs/experiments.md).
"""
AS_SEEN, CENTRED = 0.4, 0.2
"""Weights of the plain scalar product and of that from the photo's middle (docs/experiments.md)."""
SHARP = 3.0
"""Pieces are given to faces this much more decidedly while the middle is estimated."""
CENTRING_PRIOR, CENTRING_ROUNDS = 3.0, 3
"""Weight of the expected middle, in pieces, and rounds of estimating it."""
DISPLAY_GAMMA, DARK_LIGHT = 2.2, 0.02
"""Gamma of pictures, and a floor under their light, since dark pieces tell no tint."""
LOGARITHMS = np.log(np.arange(256, dtype=np.float32) + 12)
"""Logarithm of each grey level; 12 is added, so that noise in the dark weighs little."""
CHROMA = np.eye(3, dtype=np.float32) - np.float32(1 / 3)
"""Takes brightness out of a logarithmic colour: the mean of its channels."""
LEAST_CHROMA = 0.05
"""Inks greyer than this have no hue that could be told."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Prototypes by label.

    Attributes
    ----------
    board : name of the board it was taught for.
    prototypes : for each label unit vectors (k, 4, d) of k crops of that face, each upright and
        turned counterclockwise by one, two and three quarters. All 0 for a face that no lesson
        showed, see ``Kind.completed``.
    colours : mean RGB (k, 3) of the same crops, 0 to 255; what the light of a photo is judged by.
        May be empty.
    inks : hue (k, 3) of what is printed on each crop's ground, see ``ink_hues``. May be empty.
    details : fine detail of the crops of lessons as templates, see ``vision.name.details``. May be
        empty, or lack labels.
    model : version of the network that made the vectors, or that reads instead of them; others
        cannot be used.
    published : whether the stones network reads, which knows the published colours and pictures;
        then ``prototypes`` is empty.
    boards : how often each label lay on every whole board of a lesson, where no rule tells what
        lies on one.
    bare_lessons : number of the lesson of each crop of a bare cell, where cells are printed. May be
        empty.
    """

    name: str
    board: str
    prototypes: Mapping[str, Floats]
    model: str
    colours: Mapping[str, Floats] = field(default_factory=dict)
    published: bool = False
    inks: Mapping[str, Floats] = field(default_factory=dict)
    details: Mapping[str, Spectra] = field(default_factory=dict)
    boards: Sequence[Mapping[str, int]] = ()
    bare_lessons: Sequence[int] = ()

    @property
    def unseen(self) -> tuple[int, ...]:
        """Numbers of the labels that no lesson showed."""
        return tuple(k for k, p in enumerate(self.prototypes.values()) if not p.any())

    @property
    def labels(self) -> tuple[str, ...]:
        return STONE_SYMBOLS if self.published else tuple(self.prototypes)

    def likeness(self, vectors: Floats) -> Floats:
        """Greatest scalar product of each vector with a label's prototypes in each turn.

        Returns
        -------
        ndarray of shape (4, n, labels): turn t is for crops whose upright picture was turned t
        quarters counterclockwise
        """
        best = [np.einsum("nd,ktd->tnk", vectors, p).max(2) for p in self.prototypes.values()]
        return np.stack(best, 2).astype(np.float32)

    def distinction(
        self,
        vectors: Floats,
        hues: Floats,
        there: Floats,
        scale: float,
        piece_turns: int = 1,
        bare: Doubles | None = None,
    ) -> Doubles:
        """Log likelihoods of the labels of a photo's pieces: which it is, not whether it is one.

        The light and blur of a photo move all its vectors alike. So vectors are compared from the
        middle of the photo's, taught faces from the middle of those that seem to lie there; both
        are estimated in turns.

        Parameters
        ----------
        vectors : ndarray of shape (n, d), of all pieces of the photo.
        hues : ndarray of shape (n, 3), see ``ink_hues``.
        there : ndarray of shape (n,), how probable it is that each is a piece: the bare table tells
            nothing of the rest.
        scale : inverse temperature of a scalar product.
        piece_turns : in how many of its quarter turns a piece may lie within the grid: 1, 2 or 4.
        bare : ndarray of shape (n,), how probable it is that each is a bare cell, where a print
            shows that.

        Returns
        -------
        ndarray of shape (4, n, labels), one for each turn of the grid
        """
        steps = np.arange(piece_turns) * (QUARTER_TURNS // piece_turns)
        counts = [len(p) * piece_turns for p in self.prototypes.values()]
        starts = np.cumsum([0, *counts[:-1]])
        apart = np.concatenate(
            [self._ink_apart(label, hues, piece_turns) for label in self.prototypes], 1
        )
        told = []
        for turn in range(QUARTER_TURNS):
            at = (turn + steps) % QUARTER_TURNS
            faces = np.concatenate(
                [p[:, at].reshape(-1, p.shape[2]) for p in self.prototypes.values()]
            )
            as_seen, ink = AS_SEEN * (vectors @ faces.T), INK_WEIGHT * apart
            shares = np.full(len(faces), 1 / len(faces))
            each = np.zeros((len(vectors), len(faces)))
            for _ in range(CENTRING_ROUNDS):
                expected = shares @ faces
                centre = (there @ vectors + CENTRING_PRIOR * expected) / (
                    there.sum() + CENTRING_PRIOR
                )
                alike = _unit(vectors - centre) @ _unit(faces - expected).T
                each = scale * (as_seen + CENTRED * alike - ink)
                used = np.exp(SHARP * (each - each.max(1, keepdims=True)))
                used = there @ (used / used.sum(1, keepdims=True)) + CENTRING_PRIOR / len(faces)
                shares = used / used.sum()
            best = np.maximum.reduceat(each, starts, 1)
            if bare is not None and self.bare_lessons:
                k = self.labels.index(EMPTY)
                crops = each[:, starts[k] : starts[k] + counts[k]]
                best[:, k] = _of_one_print(crops, np.array(self.bare_lessons), bare)
            told.append(best)
        return np.stack(told)

    def _ink_apart(self, label: str, hues: Floats, piece_turns: int) -> Floats:
        """Squared distance of inks from a label's crops, capped; shape (n, crops * piece_turns)."""
        if label not in self.inks:
            return np.zeros((len(hues), len(self.prototypes[label]) * piece_turns), np.float32)
        squared = ((hues[:, None] - self.inks[label][None]) ** 2).sum(2)
        return np.repeat(np.minimum(squared, MOST_INK), piece_turns, 1)


def _of_one_print(alike: Doubles, lessons: npt.NDArray[np.int_], bare: Doubles) -> Doubles:
    """Log likelihood (n,) that each cell of one board is bare.

    ``alike`` (n, crops) says how alike the cells and the bare crops are, and ``lessons`` (crops,)
    from which lesson a crop is. Each lesson may show another print, but the board has one. So all
    that a lesson tells is lowered by how much worse than the best one it explains bare cells. That
    is a mean, each cell weighed by how probably it is ``bare`` (n,), with one more cell that all
    lessons explain alike.
    """
    each = np.stack([alike[:, lessons == k].max(1) for k in np.unique(lessons)])
    told = each @ bare / (bare.sum() + 1)
    return np.asarray((each - (told.max() - told)[:, None]).max(0))


def _unit(vectors: npt.NDArray[Any]) -> Doubles:
    """Vectors of length 1; those of length 0 stay."""
    return np.asarray(
        vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6), np.float64
    )


def ink_hues(crops_rgb: Images) -> Floats:
    """Hue of the print on each crop's ground (k, s, s, 3), shape (k, 3), length 0 (grey) to 1.

    Log ratios to the colour just inside the crop's edge, brightness taken out: neither white
    balance nor exposure change them, as every photo of the same print keeps ratios of
    reflectance.
    """
    hues = [_ink_hue(crop) for crop in crops_rgb]  # one crop after another stays in the cache
    return np.array(hues, np.float32).reshape(-1, 3)


def _ink_hue(crop_rgb: Images) -> Floats:
    """Hue of the print on a crop's ground (s, s, 3), shape (3,)."""
    side = len(crop_rgb)
    near, far = side * 5 // 64, side * 10 // 64
    edges = crop_rgb[near:far], crop_rgb[-far:-near], crop_rgb[:, near:far], crop_rgb[:, -far:-near]
    ring = np.concatenate([edge.reshape(-1, 3) for edge in edges])
    middle = len(ring) // 2
    medians = np.partition(ring, (middle - 1, middle), 0)[middle - 1 : middle + 1]
    ground = LOGARITHMS[medians].mean(0)
    print_log = cv2.LUT(crop_rgb[near:-near, near:-near], LOGARITHMS).reshape(-1, 3).T
    chroma = CHROMA @ print_log - (CHROMA @ ground)[:, None]
    weight = (chroma * chroma).sum(0)
    ink = chroma @ weight / (weight.sum() + 0.5)
    return np.asarray(ink / (np.linalg.norm(ink) + LEAST_CHROMA), np.float32)


def mean_colours(crops_rgb: Images) -> Floats:
    """Mean RGB of the inner part of each crop (k, s, s, 3), shape (k, 3), 0 to 255."""
    edge = crops_rgb.shape[1] // 8
    means = [cv2.mean(crop[edge:-edge, edge:-edge])[:3] for crop in crops_rgb]
    return np.array(means, np.float32).reshape(-1, 3)


def tints(colours_rgb: Floats) -> Floats:
    """Log red and blue light relative to green of mean colours (k, 3), 0 to 255; shape (k, 2).

    The brightness of a lamp does not change them, its colour moves all of a photo alike.
    """
    light = np.log((colours_rgb / 255) ** DISPLAY_GAMMA + DARK_LIGHT)
    return np.asarray(light[:, [0, 2]] - light[:, [1]], np.float32)


def turned_vectors(crops_rgb: Images) -> Floats:
    """Vectors of upright crops (k, s, s, 3) in all four quarter turns, shape (k, 4, d)."""
    turns = [np.rot90(crops_rgb, t, axes=(1, 2)) for t in range(QUARTER_TURNS)]
    vectors = embed(np.ascontiguousarray(np.concatenate(turns)))
    return vectors.reshape(QUARTER_TURNS, len(crops_rgb), -1).transpose(1, 0, 2)


def vectors_at(pyramid: Pyramid, quads_xy: Floats) -> Floats:
    """Unit vectors (n, VECTOR_SIZE) of what the photo shows in quads (n, 4, 2).

    The photo keeps them: finding, naming and judging pieces ask about the same quads.
    """
    kept = pyramid.vectors
    keys = [quad.tobytes() for quad in quads_xy]
    new = [i for i, key in enumerate(keys) if key not in kept]
    if new:
        found = embed(pyramid.crops(quads_xy[new], CROP_PX))
        kept.update(zip((keys[i] for i in new), found, strict=True))
    return np.stack([kept[key] for key in keys]) if keys else np.zeros((0, VECTOR_SIZE), np.float32)
