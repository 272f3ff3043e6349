"""Which of the 72 pattern cards a flattened card shows: a closed set, so the whole deck is
weighed, not cell by cell."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.session import CARD_POINTS, CARD_SPOTS, STONE_SYMBOLS
from scorer.stones.board import SIDE
from scorer.stones.cards import CARDS, PatternCard
from vision.geometry import Floats
from vision.probability import Doubles, log_shares, logsumexp

GREY = len(STONE_SYMBOLS)
GROUND = GREY + 1
CELL_CLASSES = GREY + 1
"""Classes that a cell may have: the symbols, then grey."""

PITCHES = (
    (0.276, 0.193),
    (0.255, 0.175),
    (0.276, 0.21),
    (0.24, 0.155),
    (0.22, 0.16),
    (0.195, 0.26),
    (0.17, 0.25),
)
"""Width and height of a cell in shares of the card: first as published, then home-made portrait
and landscape decks."""
CENTRES_X = np.arange(5, 20) / 24
CENTRES_Y = np.arange(8, 18) / 24
"""Where the middle of the pattern may lie, in shares of the card: on home-made cards also where a
small pattern begins at the top left of the place of a large one."""
PUBLISHED_CENTRE = (0.5, 0.6)
CENTRE_SPREAD = 0.08
PITCH_PENALTY = 0.6
"""Log odds that a card is laid out otherwise than published, for each step."""
SQUARENESS = 0.3
"""Spread of the log ratio between the sides of a cell in the photo: cells are square, seen
aslant."""
LEAST_LOG_P = -10.0
"""No single spot decides a card alone."""
INNER = 0.75
"""Share of a cell's side that is looked at."""
CELL_WEIGHT = 0.6
"""What a cell's mean log likelihood counts: its thirty spots are seen together, not one by one."""
UNEXPLAINED_WEIGHT = 2.0
"""What each cell's worth of symbols counts against a card that has none there (nats): two wide
cells are not three narrow ones."""
LIKELY_CARDS = 12
"""The symbols of so many cards are looked at once more."""
LEAST_SEEN = 0.5
"""A spot that shows a cell at least this probably must be explained."""
DIGIT_WEIGHT = 1.5
DIGIT_DOUBT = 1.2
"""Spots of each digit that are taken as seen beforehand, so that a digit half lost in glare does
not decide."""

HALF_STEPS = np.array([(row, col) for row in range(-2, 3) for col in range(-2, 3)]) / 2
"""Middles of cells relative to the pattern's in pitches, as (row, col): patterns of two cells
lie between the others."""


@cache
def _deck_cells() -> tuple[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], ...]:
    """For each card the places (indices of HALF_STEPS) and classes of its cells."""
    return tuple(_cells_of(card) for card in CARDS)


def _cells_of(card: PatternCard) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    places, classes = [], []
    for row, symbols in enumerate(card.pattern.rows):
        for col, symbol in enumerate(symbols):
            down, right = 2 * row - (card.pattern.height - 1), 2 * col - (card.pattern.width - 1)
            places.append((down + SIDE - 1) * (2 * SIDE - 1) + right + SIDE - 1)
            classes.append(GREY if symbol is None else STONE_SYMBOLS.index(symbol.value))
    return np.array(places), np.array(classes)


@cache
def turned_twins() -> frozenset[int]:
    """Indices of the cards whose pattern is another card's turned round; all of them have the
    same value as their twin, so that only the print around the pattern tells them apart."""
    rows = [card.pattern.rows for card in CARDS]
    twins = set()
    for card, pattern in enumerate(rows):
        turned = pattern
        for _ in range(3):
            turned = tuple(zip(*turned[::-1], strict=True))
            if turned != pattern and turned in rows:
                twins.add(card)
    return frozenset(twins)


@cache
def _deck_index() -> npt.NDArray[np.intp]:
    """For each card where its cells lie in (25 * CELL_CLASSES) gains, padded with what lies
    behind the last; (72, 9)."""
    index = np.full((len(CARDS), SIDE * SIDE), len(HALF_STEPS) * CELL_CLASSES)
    for card, (places, classes) in enumerate(_deck_cells()):
        index[card, : len(places)] = places * CELL_CLASSES + classes
    return index


def _deck_sums(per_place: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.floating[Any]]:
    """Sums over the cells of each card, shape (..., 72), of values (..., 25, CELL_CLASSES)."""
    flat = per_place.reshape(*per_place.shape[:-2], -1)
    padded = np.concatenate([flat, np.zeros((*flat.shape[:-1], 1), flat.dtype)], -1)
    return np.asarray(np.take(padded, _deck_index(), -1).sum(-1))


@cache
def _layouts() -> tuple[tuple[tuple[float, float], npt.NDArray[np.float32], Doubles], ...]:
    """For each pitch: the middles of all cells as shares of the card, shape (layouts, 25, 2) as
    (x, y), and the log prior of each layout."""
    found = []
    y, x = np.meshgrid(CENTRES_Y, CENTRES_X, indexing="ij")
    centres = np.stack([x.ravel(), y.ravel()], 1)
    away = ((centres - PUBLISHED_CENTRE) / CENTRE_SPREAD) ** 2
    for rank, pitch in enumerate(PITCHES):
        middles = centres[:, None] + HALF_STEPS[None, :, ::-1] * pitch
        prior = -0.5 * np.minimum(away.sum(1), 9.0) - PITCH_PENALTY * min(rank, 3)
        found.append((pitch, middles.astype(np.float32), prior))
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class DeckView:
    """What the card reader saw on one upright card, laid out as fits the deck best.

    Attributes
    ----------
    pitch : width and height of a cell, shares of the card's.
    middles : middle (25, 2) of the cell at each of HALF_STEPS, as shares of the card's width and
        height.
    gains : mean log likelihood (25, CELL_CLASSES) of each class against the bare ground, were there
        a cell at that place.
    digits : log likelihood (72,) of each card by its printed value.
    unexplained : cells' worth (72,) of symbols seen where each card has none.
    evidence : log likelihood of the deck as a whole, against a card without cells.
    """

    pitch: tuple[float, float]
    middles: Floats
    gains: Floats
    digits: Doubles
    unexplained: Doubles
    evidence: float

    def likely_places(self) -> npt.NDArray[np.intp]:
        """Places that the most likely cards have cells in."""
        best = np.argsort(-self.scores())[:LIKELY_CARDS]
        return np.unique(np.concatenate([_deck_cells()[card][0] for card in best]))

    def scores(self, symbols: Doubles | None = None) -> Doubles:
        """Log likelihood of each card of the deck, shape (72,).

        Parameters
        ----------
        symbols : second opinion (25, 8) of the symbol at each place, log probabilities;
            0 where nobody was asked.
        """
        return _scores(self.with_symbols(symbols), self.digits, self.unexplained)

    def with_symbols(self, symbols: Doubles | None) -> Doubles:
        """The gains with another opinion of which symbol it is; how surely it is a symbol at all
        stays as it was."""
        gains = self.gains.astype(np.float64)
        if symbols is None:
            return gains
        own = gains[:, :GREY]
        whole = logsumexp(own, 1)[:, None]
        gains[:, :GREY] = log_shares(own + symbols, 1) + whole
        return gains

    def misfit(self, card: int, symbols: Doubles | None = None) -> float:
        """How many nats better any other contents of the card's cells would fit than its own."""
        gains = self.with_symbols(symbols)
        places, classes = _deck_cells()[card]
        return float((gains[places].max(1).clip(0) - gains[places, classes]).sum())


def view_card(spots: Floats, aspect: float | None = None) -> DeckView:
    """Find out how the cells of a card are laid out.

    Parameters
    ----------
    spots : ndarray of shape (CARD_SPOTS, CARD_SPOTS, classes)
        Log probabilities of an upright crop, from the card reader.
    aspect : width / height of the upright card in the photo, if it is known
    """
    log_p = np.maximum(spots.astype(np.float32), LEAST_LOG_P)
    ground = np.logaddexp.reduce(log_p[..., GROUND:], axis=2)
    gain = log_p[..., :CELL_CLASSES] - ground[..., None]
    seen = (np.exp(log_p[..., :CELL_CLASSES]).sum(2, keepdims=True) > LEAST_SEEN).astype(np.float32)
    digits = _digit_evidence(spots)
    views, total = list[DeckView](), []
    for pitch, middles, prior in _layouts():
        at = middles * CARD_SPOTS - 0.5
        gains = _sampled(gain, at, _box(pitch, INNER))
        shown = np.repeat(_sampled(seen, at, _box(pitch, 1.0)), CELL_CLASSES, 2)
        cells = float(seen.sum()) / (pitch[0] * pitch[1] * CARD_SPOTS**2)
        unexplained = np.maximum(cells - _deck_sums(shown), 0).astype(np.float64)
        evidence = logsumexp(_scores(gains, digits, unexplained), 1) + prior
        if aspect is not None:
            evidence -= 0.5 * (np.log(aspect * pitch[0] / pitch[1]) / SQUARENESS) ** 2
        total.append(evidence)
        top = int(evidence.argmax())
        seen_there = middles[top], gains[top], digits, unexplained[top]
        views.append(DeckView(pitch, *seen_there, float(evidence[top])))
    best = max(views, key=lambda view: view.evidence)
    return replace(best, evidence=float(logsumexp(np.concatenate(total))))


def _scores(gains: npt.NDArray[np.floating[Any]], digits: Doubles, unexplained: Doubles) -> Doubles:
    """Log likelihood of each card, shape (..., 72); see ``DeckView``."""
    cells = CELL_WEIGHT * _deck_sums(gains)
    return np.asarray(cells + DIGIT_WEIGHT * digits - UNEXPLAINED_WEIGHT * unexplained, np.float64)


def _box(pitch: tuple[float, float], share: float) -> tuple[int, int]:
    """Width and height in spots of that share of a cell."""
    width, height = (max(1, round(side * share * CARD_SPOTS)) for side in pitch)
    return width, height


def _sampled(gain: Floats, middles: npt.NDArray[np.float32], size: tuple[int, int]) -> Floats:
    """Mean gain of each class over boxes around the middles, shape (layouts, 25, classes)."""
    smooth = cv2.blur(gain, size, borderType=cv2.BORDER_REPLICATE).reshape(gain.shape)
    last = CARD_SPOTS - 1
    x, y = np.clip(middles[..., 0], 0, last), np.clip(middles[..., 1], 0, last)
    # a box of even size is centred half a spot further on
    x, y = x + (0.5 if size[0] % 2 == 0 else 0.0), y + (0.5 if size[1] % 2 == 0 else 0.0)
    left, top = np.minimum(x.astype(int), last - 1), np.minimum(y.astype(int), last - 1)
    u, v = np.clip(x - left, 0, 1)[..., None], np.clip(y - top, 0, 1)[..., None]
    upper = smooth[top, left] * (1 - u) + smooth[top, left + 1] * u
    lower = smooth[top + 1, left] * (1 - u) + smooth[top + 1, left + 1] * u
    return np.asarray(upper * (1 - v) + lower * v, np.float32)


def _digit_evidence(spots: Floats) -> Doubles:
    """Log likelihood of each card by its printed value, shape (72,)."""
    mass = np.exp(spots[..., GROUND + 1 :]).sum((0, 1)).astype(np.float64) + DIGIT_DOUBT
    log_p = dict(zip(CARD_POINTS, np.log(mass / mass.sum()), strict=True))
    return np.array([log_p[card.points] for card in CARDS])
