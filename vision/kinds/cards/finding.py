"""Finds pattern cards: any number, anywhere in the photo, any way round.

Outlines and the detector propose cards. The refiner moves them onto their edges. They are kept
where the card reader sees a card that fills the frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from models.session import find_cards, read_cards, refine
from vision.find.detect import REFINE_MARGIN, REFINE_PX, padded, peaks, pieces_of, resized
from vision.geometry import (
    UNIT_SQUARE,
    Floats,
    Images,
    Pyramid,
    distinct,
    quads_around,
    shared_area,
    sides,
    usable,
    within_quads,
)
from vision.kinds.cards.outlines import outlined_quads
from vision.probability import Doubles, log_shares

STRIDE = 8
CORNER_UNIT_PX = 64.0
CARD_PX = 96
"""These three are how the networks were trained (``models.training.cards``)."""

LONG_SIDES = (192, 288, 400, 512, 832)
"""Long sides of the photo that the detector looks at: a card may fill it or lie far away."""
CELLS_APART = 512
"""Beyond this long side it tells a card's cells apart and sees these as pieces. Before, its cards
are framed too roughly."""
LEAST_FOUND = 0.2
"""Weaker cards that the detector proposes are not looked at."""
LEAST_DETECTED = 0.25
"""The same for the pieces it proposes, which may be cards."""
REFINE_ROUNDS = 3
LEAST_PRESENCE = 0.1
MOST_MOVED = 0.7
"""A proposal is not followed if the refiner sees no card, or goes farther than this share of its
side."""
MOST_SHIFT = 0.35
"""Share of the side that a corner moves at most in one round."""
SAME_MIDDLE = 0.035
SAME_SIZE = 1.06
"""Proposals that differ by less, in sides and as a ratio of sides, are the same."""
ROUGHLY_SAME = 2.5
"""How many times farther apart proposals may be that are only about to be refined."""
MOST_PROPOSALS = 160
"""Proposals that are looked at, the largest: of small ones a patterned table has hundreds."""
LEAST_SIDE_PX = 26.0
"""Smaller cards cannot be read."""
TURNS = 4
NO_CARD = TURNS
LEAST_CARD = 0.6
"""Least probability that what is framed is a card at all."""
MAYBE_CARD = 0.3
"""The same for a frame that is yet to be refined."""
MOST_MENDED = 6
"""Likely cards whose frames are mended where none was seen."""
MENDING = (1.0, 0.5)
"""How far such a frame goes in each round, in parts of ``CHANGES``."""
WAYS = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)], np.float32)
"""To the right, to the left, down and up."""
CHANGES = np.concatenate(
    [
        [UNIT_SQUARE + np.float32(step) * way for way in WAYS for step in (0.15, 0.3)],
        [
            (UNIT_SQUARE - 0.5) * np.array(size, np.float32) + 0.5
            for size in ((0.75, 1), (1, 0.75), (1.3, 1), (1, 1.3), (1.25, 1.25), (0.8, 0.8))
        ],
    ]
).astype(np.float32)
"""How a frame on which no card is seen is moved and stretched to find one; shape (k, 4, 2)."""
AROUND = np.stack(
    [
        UNIT_SQUARE,
        (UNIT_SQUARE - 0.5) * np.float32(1.08) + 0.5,
        (UNIT_SQUARE - 0.5) * np.float32(0.92) + 0.5,
        UNIT_SQUARE + np.float32(0.06),
        UNIT_SQUARE - np.float32(0.06),
    ]
).astype(np.float32)
"""Frames around one from which the refiner is asked again, shape (k, 4, 2)."""
MOST_STEPS = 4
GAPS = (0.02, 0.14)
"""Gap between the cards of a row, in shares of a card."""
SHARED_AREA = 0.3
"""Two cards may lie over each other by less than this share of the smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundCard:
    """A quad that is a card, clockwise from any of its corners.

    Attributes
    ----------
    is_card : probability that a card fills the quad.
    turns : log probabilities (4,) that the card's own top left is that many corners further on.
    spots : what the reader sees on it (4, CARD_SPOTS, CARD_SPOTS, classes), had it been turned so.
    """

    quad_xy: Floats
    is_card: float
    turns: Doubles
    spots: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """A quad that may be a card, and how surely it is one."""

    quad_xy: Floats
    is_card: float


def find(pyramid: Pyramid) -> list[FoundCard]:
    """The cards of a photo, each once, framed as well as any proposal frames it."""
    guesses, likely = propose(pyramid.image_rgb)
    if not len(guesses):
        return []
    refined = _refined(pyramid, guesses)
    kept = _best_of([], _weighed(pyramid, refined))
    kept = _best_of(kept, _weighed(pyramid, _mended(pyramid, likely, kept)))
    # cards are laid in rows: where one lies, there may be others beside it
    for _ in range(MOST_STEPS):
        free = [quad for quad in _beside(kept) if not _covered(quad, kept)]
        if not free:
            break
        before, quads = len(kept), np.stack(free)
        refined = _refined(pyramid, quads[_distinct(quads, ROUGHLY_SAME)])
        kept = _best_of(kept, _weighed(pyramid, refined))
        if len(kept) == before:
            break
    seen = look_from_all_sides(pyramid, _settled(pyramid, kept))
    return [card for card in seen if card.is_card >= LEAST_CARD]


def candidates(pyramid: Pyramid) -> Floats:
    """Quads (n, 4, 2) of the photo that may be cards, moved onto edges and as they were
    proposed."""
    guesses, _ = propose(pyramid.image_rgb)
    return np.concatenate([_refined(pyramid, guesses), guesses]) if len(guesses) else guesses


def propose(image_rgb: Images) -> tuple[Floats, Floats]:
    """Quads (n, 4, 2) of the photo that may be cards, from outlines and the detector; and those of
    them that the detector takes for cards (k, 4, 2), the likeliest first."""
    quads = [outlined_quads(image_rgb)]
    likely, chances = [], []
    for long_side in LONG_SIDES:
        small, shrink = resized(image_rgb, long_side)
        pieces, cards = find_cards(padded(small))
        if long_side <= CELLS_APART:
            quads.append(_in_photo(pieces_of(pieces, LEAST_DETECTED)[0], shrink))
        if long_side >= CELLS_APART:
            found, p = peaks(cards, LEAST_FOUND, STRIDE, CORNER_UNIT_PX)
            likely.append(_in_photo(found, shrink))
            chances.append(p)
    order = np.argsort(-np.concatenate(chances), kind="stable")
    return _apart(np.concatenate([*quads, *likely])), _apart(np.concatenate(likely)[order])


def _apart(quads: Floats) -> Floats:
    """The quads that are large enough, those of each thing once."""
    large = quads[usable(quads, LEAST_SIDE_PX)].astype(np.float32)
    return large[_distinct(large, ROUGHLY_SAME)]


def _in_photo(quads: Floats, shrink: float) -> Floats:
    return np.asarray((quads + 0.5) * np.float32(shrink) - np.float32(0.5), np.float32)


def _refined(pyramid: Pyramid, guesses: Floats) -> Floats:
    """The guesses moved onto the cards that the refiner sees, each once, the clearest first."""
    quads, first = guesses, guesses
    there = np.ones(len(guesses), np.float32)
    for _ in range(REFINE_ROUNDS):
        if not len(quads):
            break
        there, shifts = refine(pyramid.crops(quads, REFINE_PX, REFINE_MARGIN))
        moved = _moved(quads, shifts)
        off = np.linalg.norm(moved - first, axis=2).max(1) / np.maximum(sides(first), 1e-6)
        good = (there > LEAST_PRESENCE) & (off < MOST_MOVED) & usable(moved, LEAST_SIDE_PX)
        order = np.flatnonzero(good)[np.argsort(-there[good])]
        order = order[_distinct(moved[order])]
        quads, first, there = moved[order], first[order], there[order]
    return quads


def _weighed(pyramid: Pyramid, quads: Floats) -> list[_Frame]:
    """How surely a card fills each of the quads."""
    if not len(quads):
        return []
    quads = quads[np.argsort(-sides(quads), kind="stable")[:MOST_PROPOSALS]]
    no_card = read_cards(pyramid.crops(quads, CARD_PX))[1][:, NO_CARD]
    return [
        _Frame(quad, float(1 - np.exp(log_p))) for quad, log_p in zip(quads, no_card, strict=True)
    ]


def _best_of(kept: list[_Frame], new: list[_Frame]) -> list[_Frame]:
    """Frames of cards that hardly lie over each other, the surest first."""
    best: list[_Frame] = []
    for frame in sorted([*kept, *new], key=lambda one: -one.is_card):
        if frame.is_card >= LEAST_CARD and not _covered(frame.quad_xy, best):
            best.append(frame)
    return best


def _covered(quad_xy: Floats, kept: Sequence[_Frame]) -> bool:
    return any(_shared_part(quad_xy, other.quad_xy) > SHARED_AREA for other in kept)


def _shared_part(one: Floats, other: Floats) -> float:
    """The area that two quads share, as a share of the smaller."""
    smaller = min(cv2.contourArea(one), cv2.contourArea(other))
    return shared_area(one, other) / max(smaller, 1e-6)


def _mended(pyramid: Pyramid, likely: Floats, kept: Sequence[_Frame]) -> Floats:
    """Frames of likely cards on which none was seen yet, each moved and stretched in steps to where
    one is seen best, and refined."""
    free = [quad for quad in likely if not _covered(quad, kept)][:MOST_MENDED]
    if not free:
        return np.zeros((0, 4, 2), np.float32)
    best, no_card = np.stack(free), np.zeros(len(free))
    for part in MENDING:
        around = UNIT_SQUARE + np.float32(part) * (CHANGES - UNIT_SQUARE)
        tries = quads_around(best, np.concatenate([UNIT_SQUARE[None], around]))
        _, turns = read_cards(pyramid.crops(tries.reshape(-1, 4, 2), CARD_PX))
        log_p = turns[:, NO_CARD].reshape(len(best), -1)
        best, no_card = tries[np.arange(len(best)), log_p.argmin(1)], log_p.min(1)
    best = best[(no_card < np.log(1 - MAYBE_CARD)) & usable(best, LEAST_SIDE_PX)]
    return np.concatenate([best, _refined(pyramid, best)]) if len(best) else best


def _settled(pyramid: Pyramid, kept: Sequence[_Frame]) -> list[Floats]:
    """The frames moved once more, each to the middle of where the refiner goes from several
    places around it."""
    if not kept:
        return []
    quads = quads_around(np.stack([frame.quad_xy for frame in kept]), AROUND).reshape(-1, 4, 2)
    _, shifts = refine(pyramid.crops(quads, REFINE_PX, REFINE_MARGIN))
    settled = np.median(_moved(quads, shifts).reshape(len(kept), *AROUND.shape), axis=1).astype(
        np.float32
    )
    return [
        quad if sound else frame.quad_xy
        for quad, sound, frame in zip(settled, usable(settled, LEAST_SIDE_PX), kept, strict=True)
    ]


def _moved(quads: Floats, shifts: Floats) -> Floats:
    """Each quad with its corners moved by shares of its side."""
    return within_quads(quads, UNIT_SQUARE + np.clip(shifts, -MOST_SHIFT, MOST_SHIFT))


def _beside(kept: Sequence[_Frame]) -> list[Floats]:
    """Where cards would lie next to those that were found."""
    if not kept:
        return []
    there = np.stack([UNIT_SQUARE + way * np.float32(1 + gap) for gap in GAPS for way in WAYS])
    quads = quads_around(np.stack([one.quad_xy for one in kept]), there).reshape(-1, 4, 2)
    return list(quads[usable(quads, LEAST_SIDE_PX)])


def _distinct(quads: Floats, tolerance: float = 1.0) -> list[int]:
    """Indices of quads that do not frame what an earlier one frames just as well."""
    middles, size = quads.mean(1), np.maximum(sides(quads), 1e-6)

    def same(i: int, kept: list[int]) -> npt.NDArray[np.bool_]:
        away = np.hypot(*(middles[kept] - middles[i]).T) / np.minimum(size[kept], size[i])
        larger = np.maximum(size[kept], size[i]) / np.minimum(size[kept], size[i])
        return np.asarray((away < SAME_MIDDLE * tolerance) & (larger < SAME_SIZE**tolerance))

    return distinct(len(quads), same)


def look_from_all_sides(pyramid: Pyramid, quads: Sequence[Floats]) -> list[FoundCard]:
    """What the reader sees in each of the quads, asked in all four directions."""
    if not quads:
        return []
    crops = pyramid.crops(np.stack(quads), CARD_PX)
    turned = np.concatenate([np.rot90(crops, -turn, (1, 2)) for turn in range(TURNS)])
    spots, log_p = read_cards(np.ascontiguousarray(turned))
    spots = spots.reshape(TURNS, len(quads), *spots.shape[1:])
    log_p = log_p.reshape(TURNS, len(quads), TURNS + 1).astype(np.float64)
    found = []
    for k, quad in enumerate(quads):
        # a card that lay turned by s is seen turned by s - t once it has been turned back by t
        turns = np.mean([np.roll(log_p[t, k, :TURNS], t) for t in range(TURNS)], axis=0)
        is_card = float(1 - np.exp(log_p[:, k, NO_CARD]).mean())
        found.append(FoundCard(quad, is_card, log_shares(turns), spots[:, k]))
    return found
