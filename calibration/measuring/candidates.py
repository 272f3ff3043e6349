"""Cuts cards out of scenes, and what the program takes for cards there.

The reader of pattern cards learns from these crops what a card in a photo looks like and what does
not (``models.training.cards``)::

    python -m calibration.measuring.candidates SCENES.npz CROPS.npy
"""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from models.training.arguments import parser_of
from models.training.card_crops import (
    CROOKED,
    NO_CARD,
    READER_PX,
    SPOTS,
    TURNS,
    crooked_frame,
    keep_crops,
)
from models.training.faces.deck import UNCLEAR
from models.training.scenes.stored import StoredScene, load_scenes
from vision.geometry import UNIT_SQUARE, Floats, Images, Pyramid, homography, overlap, transform
from vision.kinds.cards.finding import LEAST_SIDE_PX, candidates

LEAST_VISIBLE = 0.75
"""A card of which less is in sight is no example."""
EVERY, MOST_OTHERS = 2, 6
"""One scene in so many also gives things that are no cards, and how many of them at most."""
MOST_SHARED = 0.3
"""Greatest overlap of such a thing with a card."""


def framed(rng: np.random.Generator, quad_xy: Floats) -> Floats:
    """A card as it may be framed, (4, 2)."""
    corners = crooked_frame(rng, float(rng.choice(CROOKED)))
    in_photo = transform(homography(UNIT_SQUARE, quad_xy), corners[None].astype(np.float32))
    return np.asarray(in_photo[0], np.float32)


def cards_in(scene: StoredScene, size_hw: tuple[int, int]) -> Iterator[Floats]:
    """The cards (4, 2) that lie open and within the photo."""
    for quad, visible in zip(scene.quads_xy, scene.visible, strict=True):
        edges = np.linalg.norm(quad - np.roll(quad, 1, 0), axis=1)
        inside = (quad > -2).all() and (quad < np.add(size_hw[::-1], 2)).all()
        if visible >= LEAST_VISIBLE and edges.min() >= LEAST_SIDE_PX and inside:
            yield quad.astype(np.float32)


def is_other(quad_xy: Floats, scene: StoredScene) -> bool:
    """Whether a quad frames something that is no card."""
    cards = scene.quads_xy.astype(np.float32)
    return all(overlap(quad_xy, card) <= MOST_SHARED for card in cards)


def crops_of(
    rng: np.random.Generator, scene: StoredScene, others: bool
) -> Iterator[tuple[Images, int]]:
    """Crops (READER_PX, READER_PX, 3) of upright cards and of others, each with its class."""
    image = np.asarray(cv2.imdecode(scene.jpeg, cv2.IMREAD_COLOR), np.uint8)
    pyramid = Pyramid(np.ascontiguousarray(image[..., ::-1]))
    for quad in cards_in(scene, image.shape[:2]):
        yield pyramid.crops(framed(rng, quad)[None], READER_PX)[0], 0
    if not others:
        return
    found = [quad for quad in candidates(pyramid) if is_other(quad, scene)]
    for k in rng.permutation(len(found))[:MOST_OTHERS]:
        quad = np.roll(found[k], int(rng.integers(TURNS)), 0)
        yield pyramid.crops(quad[None], READER_PX)[0], NO_CARD


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("scenes", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    crops, turns = list[Images](), list[int]()
    for number, scene in enumerate(load_scenes([args.scenes])):
        for crop, turn in crops_of(rng, scene, number % EVERY == 0):
            crops.append(crop)
            turns.append(turn)
    spots = np.full((len(crops), SPOTS, SPOTS), UNCLEAR, np.uint8)
    keep_crops(args.out, np.stack(crops), spots, np.array(turns))


if __name__ == "__main__":
    main()
