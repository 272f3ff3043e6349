"""Finds the pieces of a board in a photo: detector, lattice, refinement of every corner."""

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from models.session import detect, refine
from vision.geometry import (
    UNIT_SQUARE,
    Floats,
    Images,
    Pyramid,
    distinct,
    sides,
    usable,
    within_quads,
)

STRIDE = 4
CORNER_UNIT_PX = 32.0
REFINE_PX = 48
REFINE_MARGIN = 0.3
"""These four are how the networks were trained (``models.training.locator``)."""

DETECTOR_PX = 512
"""Long side of the photo that the detector sees first."""
CLOSER_PX = 832
"""Long side for a second, closer look where pieces are small or nothing was found."""
NEARLY = 0.92
"""Pictures within this factor of those sizes will do."""
LEAST_SCORE = 0.22
"""Weaker centres are not looked at."""
MOST_CENTRES = 400
"""So many of the best are."""
STRAIGHT_CELL_PX = 64.0
"""Largest pitch of a straightened picture."""
OVERLAP_SIDES = 0.45
"""Centres nearer than this, in sides of the larger piece, are the same piece."""
REFINE_ROUNDS = 2
"""How often each quad is moved onto the piece seen in it."""


Evened = Callable[[Floats, Floats], Floats]
"""Corrects quads (n, 4, 2) by what all pieces share; takes the presence (n,) of a piece in each."""


def resized(image: Images, long_side: float) -> tuple[Images, float]:
    """The image with that long side and the factor by which it shrank (below 1: grew)."""
    h, w = image.shape[:2]
    shrink = max(h, w) / long_side
    size = (max(1, round(w / shrink)), max(1, round(h / shrink)))
    mode = cv2.INTER_AREA if shrink > 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, size, interpolation=mode), np.uint8), shrink


def nearly_sized(pyramid: Pyramid, long_side: int) -> tuple[Images, float]:
    """The photo with about that long side, and the factor by which it shrank.

    A level of the pyramid that is nearly as large will do: shrinking to a given size takes
    longer than to the half.
    """
    large_enough = sum(max(level.shape[:2]) >= NEARLY * long_side for level in pyramid.levels)
    halvings = max(large_enough - 1, 0)
    picture, shrink = pyramid.levels[halvings], 1.0
    if max(picture.shape[:2]) > long_side / NEARLY:
        picture, shrink = resized(picture, long_side)
    return picture, shrink * 2.0**halvings


def detect_pieces(image_rgb: Images, least_score: float = LEAST_SCORE) -> tuple[Floats, Floats]:
    """Quads (n, 4, 2), clockwise on screen, and scores (n,) of an image's pieces, best first."""
    return pieces_of(detect(padded(image_rgb)), least_score)


def padded(image_rgb: Images) -> Images:
    """The image with sides that are multiples of 32, as the detector takes it."""
    h, w = image_rgb.shape[:2]
    larger = cv2.copyMakeBorder(image_rgb, 0, -h % 32, 0, -w % 32, cv2.BORDER_REPLICATE)
    return np.asarray(larger, np.uint8)


def pieces_of(maps: Floats, least_score: float) -> tuple[Floats, Floats]:
    """The same from what the detector answers, maps (h, w, 9)."""
    quads, scores = peaks(maps, least_score, STRIDE, CORNER_UNIT_PX)
    quads, scores = quads[:MOST_CENTRES], scores[:MOST_CENTRES]
    good = usable(quads, 5.0)
    quads, scores = quads[good], scores[good]
    keep = distinct_pieces(quads)
    return quads[keep], scores[keep]


def peaks(
    maps: Floats, least_score: float, stride: int, corner_unit_px: float
) -> tuple[Floats, Floats]:
    """Quads (n, 4, 2) and scores (n,) where the first of the maps (h, w, 9) is highest, best first.

    The others tell where the corners lie from there.
    """
    heat = np.ascontiguousarray(maps[..., 0])
    highest = heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, cols = np.nonzero(highest & (heat > least_score))
    order = np.argsort(-heat[rows, cols])
    rows, cols = rows[order], cols[order]
    centres = np.stack([cols, rows], 1) * stride + (stride - 1) / 2
    quads = centres[:, None] + maps[rows, cols, 1:].reshape(-1, 4, 2) * corner_unit_px
    return quads.astype(np.float32), heat[rows, cols].astype(np.float32)


def distinct_pieces(quads: Floats) -> list[int]:
    """Indices of quads, best first, that are not the same piece as a better one."""
    centres, size = quads.mean(1), sides(quads)

    def same(i: int, kept: list[int]) -> npt.NDArray[np.bool_]:
        distance = np.hypot(*(centres[kept] - centres[i]).T)
        return np.asarray(distance < OVERLAP_SIDES * np.maximum(size[kept], size[i]))

    return distinct(len(quads), same)


def refine_quads(
    pyramid: Pyramid,
    quads_xy: Floats,
    evened: Evened | None = None,
    rounds: int = REFINE_ROUNDS,
) -> tuple[Floats, Floats]:
    """Move each guessed quad onto its piece; ``evened`` corrects the quads before each round.

    Returns
    -------
    quads of shape (n, 4, 2) and the probability that a piece is there, shape (n,)
    """
    quads = quads_xy.astype(np.float32).copy()
    presence = np.ones(len(quads), np.float32)
    for _ in range(rounds):
        if evened is not None:
            quads = evened(quads, presence)
        presence, shifts = refine(pyramid.crops(quads, REFINE_PX, REFINE_MARGIN))
        wanted = UNIT_SQUARE + np.clip(shifts, -0.35, 0.35)
        there = within_quads(quads, wanted)
        quads = np.where(usable(there)[:, None, None], there, quads)
    return quads, presence
