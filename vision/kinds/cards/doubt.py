"""How probably a pattern card lies where one was found, and is the one that it was read as.

Two fitted judges weigh the signs (``calibration.measuring.card_judges``): one says whether what was
found is a card of the deck, the other whether it was read right.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scorer.stones.cards import CARDS
from vision.geometry import Floats, sides
from vision.kinds.cards.deck import turned_twins
from vision.kinds.cards.reading import CardReading
from vision.name.signs import log_odds
from vision.probability import Doubles, Judge, Signs, fitted, log_shares

THERE, RIGHT = "card there", "card"
"""Names of the two judges."""
LEAST_THERE = 0.8
"""What is less probably a card of the deck is left out: one that is not there misleads more than
one that a second photo may still show."""
TWICE = 0.02
"""How probable it is that a card seen once in the photo is there a second time."""
WITNESSES = 3
"""Other cards that must bear out that the side is told rightly, where only the print tells it: by
chance that happens in one of 64 photos."""
ALTERNATIVES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A card as seen alone: its quad from its own top left, log probabilities of the deck, and
    how well they explain it. ``side_told`` says whether the print alone tells the same side as
    the whole deck."""

    quad_xy: Floats
    is_card: float
    log_p: Doubles
    misfit: float
    unexplained: float
    evidence: float
    turn_probability: float = 1.0
    side_told: bool = True


def signs_there(seen: Sequence[Seen]) -> Signs:
    """Signs that each is a card of the deck, shape (n,) each: it looks like a card, what it shows
    is explained by one, and it is as large as most cards of the photo."""
    side = np.log(sides(np.stack([card.quad_xy for card in seen])).astype(np.float64))
    return {
        "filled": log_odds(np.array([card.is_card for card in seen])),
        "evidence": np.array([card.evidence for card in seen]),
        "fits": -np.array([card.misfit for card in seen]),
        "explained": -np.array([card.unexplained for card in seen]),
        "directed": log_odds(np.array([card.turn_probability for card in seen])),
        "likeliest": np.array([float(card.log_p.max()) for card in seen]),
        "usual": -np.abs(side - np.median(side)),
        "large": side,
    }


def kept_by(judge: Judge, seen: Sequence[Seen]) -> list[int]:
    """Numbers of those that a judge takes for cards of the deck."""
    if not seen:
        return []
    return np.flatnonzero(judge.chances(signs_there(seen)) >= LEAST_THERE).tolist()


def there(seen: Sequence[Seen]) -> list[Seen]:
    """Those that are probably cards of the deck."""
    return [seen[k] for k in kept_by(fitted().judges[THERE], seen)]


class Decided(NamedTuple):
    """The card that each was read as (n,), probabilities (n, 72) given that the deck holds every
    card once, and the signs that it was read right."""

    best: list[int]
    p: Doubles
    signs: Signs


def weighed_together(seen: Sequence[Seen]) -> Decided:
    """Choose a card for each."""
    log_p = np.stack([card.log_p for card in seen])
    taken = np.exp(log_p)
    for _ in range(3):  # each card as probable as nobody else makes it
        free = np.log(np.maximum(1 - taken, TWICE))
        taken = np.exp(log_shares(log_p + free.sum(0) - free, 1))
    best = taken.argmax(1)
    each = np.arange(len(seen))
    others = log_p.copy()
    others[each, best] = -np.inf
    ahead = log_p[each, best] - others.max(1)
    signs = {**signs_there(seen), "odds": log_odds(taken[each, best]), "ahead": ahead}
    return Decided(best.tolist(), taken, signs)


def decided(seen: Sequence[Seen]) -> Iterator[CardReading]:
    """Each card as it is read.

    One that is another card turned round is sure only if other cards show that their print tells
    the side: the deck says of these which way up they lie.
    """
    best, p, signs = weighed_together(seen)
    risks = fitted().judges[RIGHT].risks(signs).tolist()
    told = [
        card.side_told
        for card, k, risk in zip(seen, best, risks, strict=True)
        if risk <= fitted().card and k not in turned_twins()
    ]
    sides_told = len(told) >= WITNESSES and all(told)
    for card, k, chances, risk in zip(seen, best, p, risks, strict=True):
        sure = risk <= fitted().card and (sides_told or k not in turned_twins())
        order = np.argsort(-chances)[: ALTERNATIVES + 1]
        left = risk / max(1 - float(chances[k]), 1e-9)
        others = tuple((CARDS[j].id, min(float(chances[j]) * left, risk)) for j in order if j != k)
        yield CardReading(CARDS[k], 1 - risk, sure, card.quad_xy, others)
