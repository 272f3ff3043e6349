"""Reads pattern cards: any number, anywhere in the photo, any way round.

Cards are found (``vision.kinds.cards.finding``), flattened, and weighed against the whole deck
(``vision.kinds.cards.deck``). The stones network gives a second opinion of every symbol. Fitted
judges say of each how probably a card lies there, and is the one that it was read as.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.registry import model_version
from models.session import CROP_PX, STONE_SYMBOLS
from scorer.text import Text
from vision.errors import BoardNotFound
from vision.find.corners import Corners, refuse_outside
from vision.geometry import UNIT_SQUARE, Floats, Pyramid, homography, transform, usable
from vision.kinds.cards.deck import HALF_STEPS, DeckView, view_card
from vision.kinds.cards.doubt import Seen, decided, there
from vision.kinds.cards.finding import FoundCard, find, look_from_all_sides
from vision.kinds.cards.reading import CardReading, CardsReading
from vision.kinds.cards.symbols import Opinion, by_network
from vision.photo import Photo
from vision.probability import Doubles, log_shares, logsumexp
from vision.quality import nothing_to_see
from vision.reading import stage_ms

LEAST_TURN = 0.02
"""Directions less probable than this are not looked at."""
EVIDENCE_WEIGHT = 0.5
"""How much the deck's own fit counts beside the network's opinion of which way up a card lies."""
CELL_SHARE = np.float32(0.94)
"""Part of the pitch that a printed cell fills."""


def read_card_photo(
    photo: Photo,
    profile: str,
    opinion: Opinion = by_network,
    corners: Corners | None = None,
    decode_ms: float = 0.0,
) -> CardsReading:
    """Find and read all pattern cards, or the one whose corners a person gave.

    Raises
    ------
    BoardNotFound
        If there is none; the message says what to do.
    """
    start = time.perf_counter()
    pyramid = Pyramid(photo.image_rgb)
    found = find(pyramid) if corners is None else _given(photo, corners, pyramid)
    located = time.perf_counter()
    seen = weigh(pyramid, found, opinion)
    if corners is None:
        seen = there(seen)
    if not seen:
        raise nothing_to_see(photo.image_bgr) or BoardNotFound(
            "no_cards",
            (
                "No pattern card was found: lay the cards face up and side by side, and photograph "
                "them from above."
            ),
        )
    cards = _in_reading_order(decided(seen))
    ms = stage_ms(start, located, time.perf_counter(), decode_ms)
    in_full = tuple(replace(card, quad_xy=photo.to_full(card.quad_xy)) for card in cards)
    return CardsReading(in_full, profile, model_version(), _problems(cards), ms)


def _given(photo: Photo, corners: Corners, pyramid: Pyramid) -> list[FoundCard]:
    """The card inside corners that a person gave, clockwise from any of its corners."""
    quad = photo.from_full(corners.quad_xy(photo.full_hw)).astype(np.float32)
    if not usable(quad[None], 8.0)[0]:
        raise BoardNotFound(
            "bad_corners",
            "The corners do not outline a card: give them clockwise from its top left.",
        )
    refuse_outside(photo, corners)
    return look_from_all_sides(pyramid, [quad])


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """A card seen in one of its directions: its quad from its own top left, by how many corners
    that is further on, and the log weight of the direction."""

    quad_xy: Floats
    turn: int
    view: DeckView
    weight: float


def weigh(
    pyramid: Pyramid, found: Sequence[FoundCard], opinion: Opinion = by_network
) -> list[Seen]:
    """Weigh the deck for each card, in each direction that it may lie in."""
    ways = [_ways(card) for card in found]
    flat = [way for some in ways for way in some]
    symbols = iter(_asked(opinion, pyramid, flat))
    return [
        _weighed(card, some, [next(symbols) for _ in some])
        for card, some in zip(found, ways, strict=True)
    ]


def _ways(card: FoundCard) -> list[_Way]:
    """The directions that a card may lie in; their weights are of probabilities that add up to
    one."""
    likely = np.flatnonzero(card.turns > np.log(LEAST_TURN)).tolist()
    quads = [np.roll(card.quad_xy, turn, axis=0) for turn in likely]
    views = [
        view_card(card.spots[turn], _aspect(quad)) for turn, quad in zip(likely, quads, strict=True)
    ]
    evidences = np.array([view.evidence for view in views])
    weights = log_shares(card.turns[likely] + EVIDENCE_WEIGHT * evidences)
    return [
        _Way(quad, turn, view, float(weight))
        for quad, turn, view, weight in zip(quads, likely, views, weights, strict=True)
        if weight > np.log(LEAST_TURN)
    ]


def _aspect(quad_xy: Floats) -> float:
    """Width / height of a card that lies upright in the quad."""
    edges = np.linalg.norm(np.roll(quad_xy, -1, axis=0) - quad_xy, axis=1)
    return float((edges[0] + edges[2]) / max(edges[1] + edges[3], 1e-6))


def _weighed(card: FoundCard, ways: Sequence[_Way], symbols: Sequence[Doubles]) -> Seen:
    """The deck's log probabilities over all directions, the rest from the likeliest."""
    each = [
        log_shares(way.view.scores(opinions)) for way, opinions in zip(ways, symbols, strict=True)
    ]
    weights = log_shares(np.array([way.weight for way in ways]))
    top = int(weights.argmax())
    best = int(each[top].argmax())
    return Seen(
        ways[top].quad_xy,
        card.is_card,
        logsumexp(np.stack(each) + weights[:, None], 0),
        ways[top].view.misfit(best, symbols[top]),
        float(ways[top].view.unexplained[best]),
        ways[top].view.evidence,
        float(np.exp(weights[top])),
        int(card.turns.argmax()) == ways[top].turn,
    )


def _asked(opinion: Opinion, pyramid: Pyramid, ways: Sequence[_Way]) -> list[Doubles]:
    """For each way a second opinion (25, 8) of the symbols wherever a likely card has cells; 0
    elsewhere.

    All are asked at once: the pictures of one photo lie in the same light.
    """
    places = [way.view.likely_places() for way in ways]
    quads = [
        transform(
            homography(UNIT_SQUARE, way.quad_xy),
            way.view.middles[at][:, None]
            + (UNIT_SQUARE - 0.5) * np.array(way.view.pitch, np.float32) * CELL_SHARE,
        )
        for way, at in zip(ways, places, strict=True)
    ]
    said = opinion(pyramid.crops(np.concatenate(quads), CROP_PX)) if quads else np.zeros((0, 8))
    answers, done = [], 0
    for at in places:
        symbols = np.zeros((len(HALF_STEPS), len(STONE_SYMBOLS)))
        symbols[at] = said[done : done + len(at)]
        done += len(at)
        answers.append(symbols)
    return answers


def _in_reading_order(cards: Iterator[CardReading]) -> list[CardReading]:
    """The cards from the top of the photo to the bottom, in each row from the left."""
    left = sorted(cards, key=lambda card: float(card.quad_xy[:, 1].mean()))
    rows: list[list[CardReading]] = []
    for card in left:
        middle = float(card.quad_xy[:, 1].mean())
        first = rows[-1][0].quad_xy[:, 1] if rows else None
        if first is not None and middle < float(first.max()) - 0.35 * float(np.ptp(first)):
            rows[-1].append(card)
        else:
            rows.append([card])
    return [
        card
        for row in rows
        for card in sorted(row, key=lambda card: float(card.quad_xy[:, 0].mean()))
    ]


def _problems(cards: list[CardReading]) -> tuple[Text, ...]:
    """What cannot lie on one table."""
    ids = [card.card.id for card in cards]
    twice = sorted({card for card in ids if ids.count(card) > 1})
    return tuple(
        Text("Card %(card)s was read twice, but the deck holds it once: check those.", card=card)
        for card in twice
    )
