"""Fits how probably a pattern card lies where one was found, and was read right
(``vision.kinds.cards.doubt``).

Examples are the cards that are found in generated photos of decks that no training saw, and in
photos without any. ``calibration.measuring.trust`` calls this.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.measuring.cards import TrueCard, card_photo, match, printed_deck
from calibration.measuring.examples import PRINTED
from calibration.measuring.monotone import fitted
from calibration.measuring.refusals import table_without
from models.training.faces import SetPainter, held_out_painter
from scorer.stones.cards import CARDS
from vision.geometry import Pyramid
from vision.kinds.cards.deck import turned_twins
from vision.kinds.cards.doubt import (
    RIGHT,
    THERE,
    Seen,
    kept_by,
    signs_there,
    weighed_together,
)
from vision.kinds.cards.finding import find
from vision.kinds.cards.read import weigh
from vision.probability import Doubles, Judge, Signs

NAMES = (THERE, RIGHT)
"""What the judges are called."""
COUNT, SEED = 1200, 701
PART = 20
"""Photos in one piece of work."""
WITHOUT = 4
"""One photo in so many shows no card of the deck."""
FOLDS = 6
"""In so many parts photos are held out of the fit to choose which risk is sure."""


class Found(NamedTuple):
    """Cards that were found in a photo: each as seen alone, and the card that lies there as its
    number in the deck, -1 where none does."""

    seen: list[Seen]
    lies: list[int]


class Answers(NamedTuple):
    """Answers of one photo: their signs, and which are wrong; (n,) each."""

    signs: Signs
    wrong: Doubles


class Judged(NamedTuple):
    """A card that was read: how probably it is wrong, whether it is, and whether it may be sure by
    itself, which one that is another card turned round may not."""

    risk: float
    wrong: bool
    alone: bool


def found_in(rng: np.random.Generator, painter: SetPainter, without: bool) -> Found:
    """The cards that are found in a new photo."""
    if without:
        photo = table_without(rng, painter, "").image_rgb
        cards: tuple[TrueCard, ...] = ()
    else:
        printed = rng.random() < PRINTED
        drawn = card_photo(rng, painter, printed_deck(rng, painter) if printed else None)
        photo, cards = np.ascontiguousarray(drawn.image_bgr[..., ::-1]), drawn.cards
    pyramid = Pyramid(photo)
    seen, ids = weigh(pyramid, find(pyramid)), [card.id for card in CARDS]
    at = [match(card.quad_xy, cards) for card in seen]
    return Found(seen, [-1 if k is None else ids.index(cards[k].card.id) for k in at])


def gather_part(first: int, bank: Path, seed: int) -> list[Found]:
    """What is found in the photos from this number on."""
    painter = held_out_painter(bank)
    return [
        found_in(np.random.default_rng([seed, number]), painter, number % WITHOUT == 0)
        for number in range(first, first + PART)
    ]


def gather(bank: Path, count: int = COUNT, seed: int = SEED) -> list[Found]:
    """What is found in so many photos."""
    with ProcessPoolExecutor() as pool:
        parts = pool.map(partial(gather_part, bank=bank, seed=seed), range(0, count, PART))
        return [found for part in parts for found in part]


def things_of(photo: Found) -> Answers:
    """Whether each thing that was found is a card of the deck."""
    return Answers(signs_there(photo.seen), (np.array(photo.lies) < 0).astype(np.float64))


def cards_of(photo: Found) -> Answers:
    """Whether each card was read right."""
    best, _, signs = weighed_together(photo.seen)
    return Answers(signs, (np.array(best) != photo.lies).astype(np.float64))


def judge_of(photos: Sequence[Answers], base: str) -> Judge:
    """The judge of the answers of some photos; ``base`` is the sign that holds log odds."""
    every = [photo.signs for photo in photos]
    signs = {name: np.concatenate([one[name] for one in every]) for name in every[0]}
    return fitted(signs, np.concatenate([photo.wrong for photo in photos]), base)


def kept_of(photo: Found, judge: Judge) -> Found:
    """What a judge takes for cards of the deck."""
    kept = kept_by(judge, photo.seen)
    return Found([photo.seen[k] for k in kept], [photo.lies[k] for k in kept])


def judges_of(photos: Sequence[Found]) -> dict[str, Judge]:
    """Both judges; the second sees what the first leaves."""
    there = judge_of([things_of(photo) for photo in photos if photo.seen], "filled")
    left = [kept_of(photo, there) for photo in photos]
    return {THERE: there, RIGHT: judge_of([cards_of(one) for one in left if one.seen], "odds")}


def judged(photos: Sequence[Found], judges: Mapping[str, Judge]) -> Iterator[Judged]:
    """The cards that the first judge leaves, as the second sees them."""
    for photo in photos:
        left = kept_of(photo, judges[THERE])
        if left.seen:
            best, _, signs = weighed_together(left.seen)
            risks = judges[RIGHT].risks(signs).tolist()
            for risk, k, lies in zip(risks, best, left.lies, strict=True):
                yield Judged(risk, k != lies, k not in turned_twins())


def held_out(photos: Sequence[Found]) -> list[Judged]:
    """The cards of each photo as judges see them that were fitted on the others."""
    found = []
    for fold in range(FOLDS):
        learnt = [photo for k, photo in enumerate(photos) if k % FOLDS != fold]
        found += [*judged(photos[fold::FOLDS], judges_of(learnt))]
    return found


def sure_ones(cards: Sequence[Judged], most: float) -> list[Judged]:
    """The cards that are sure by themselves, if so much risk is."""
    return [card for card in cards if card.alone and card.risk <= most]


def report(cards: Sequence[Judged], most: float) -> str:
    """What is said of some cards, if so much risk is sure."""
    sure = sure_ones(cards, most)
    return (
        f"{len(cards)} cards, wrong {sum(card.wrong for card in cards)};"
        f" sure {len(sure)}, of these wrong {sum(card.wrong for card in sure)}"
    )
