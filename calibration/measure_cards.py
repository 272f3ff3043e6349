"""Measures the reading of pattern cards on generated photos of decks that no training saw.

Every photo shows up to twelve cards of a new deck, in a row, fanned out or scattered, under any light, angle and clutter:
the published layout as far as it is known, and home-made ones, light and dark, portrait and landscape, drawn with the
validation icon families. Needs the ``training`` extra and the icon bank::

    python -m calibration.measure_cards BANK.npz --count 100
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from models.session import STONE_SYMBOLS
from models.training.art import load_bank
from models.training.card_faces import GREY, Deck
from models.training.faces import ArtSource, SetPainter, scene_faces
from models.training.scenes import Face, FaceKind, render_scene
from scorer.stones import CARDS, PatternCard
from vision.card_reading import CardsReading
from vision.cards import read_card_photo
from vision.errors import VisionError
from vision.geometry import Floats, Images
from vision.photo import Photo

PHOTO_HW = (1200, 1600)
CARD_PX = 220
"""Shorter side of the drawn cards."""
LEAST_VISIBLE = 0.9
LEAST_EDGE_PX = 60.0
"""A card of which less is in sight, or that is smaller in the photo, need not be read; but it must not be read wrong."""
COVERAGE_STEPS = (0.5, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999)


@dataclass(frozen=True, slots=True)
class TrueCard:
    """A card of a photo; ``clear`` if it lies in the open and is large enough to be read."""

    card: PatternCard
    quad_xy: Floats
    clear: bool


@dataclass(frozen=True, slots=True)
class CardPhoto:
    """A rendered photo and all the pattern cards on it."""

    image_bgr: Images
    cards: tuple[TrueCard, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the reader made of one card: ``right`` is None for something that is no card of the deck."""

    right: bool | None
    sure: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One photo: all answers, and how many of the clear cards were found, read right, and overlooked."""

    answers: tuple[Answer, ...]
    clear: int
    right: int
    overlooked: int
    sure: bool


def face_of(deck: Deck, card: PatternCard) -> Images:
    """The face of a card of the real deck in a drawn design."""
    rows = [
        [GREY if symbol is None else STONE_SYMBOLS.index(symbol.value) for symbol in row]
        for row in card.pattern.rows
    ]
    return deck.card(rows, card.points).image_rgb


def card_photo(
    rng: np.random.Generator,
    painter: SetPainter,
    deck: Deck | None = None,
    size_hw: tuple[int, int] = PHOTO_HW,
) -> CardPhoto:
    """Photograph some cards of a deck; None draws a new one."""
    dealt: list[PatternCard] = []

    def source(rng: np.random.Generator, kind: FaceKind, count: int) -> list[Face]:
        if kind != "cards" or dealt:  # what lies around is of other games
            return [Face(rgba) for rgba in scene_faces(painter, rng, kind, count)]
        ours = deck or Deck.drawn(rng, painter, CARD_PX)
        dealt.extend(CARDS[int(k)] for k in rng.permutation(len(CARDS))[:count])
        return [
            Face(np.dstack([face, np.full(face.shape[:2], 255, np.uint8)]))
            for face in (face_of(ours, card) for card in dealt)
        ]

    scene = render_scene(rng, source, size_hw, "loose")
    cards = []
    for quad, visible, grid, (row, _) in zip(
        scene.quads_xy, scene.visible, scene.grid_id, scene.cells, strict=True
    ):
        if grid != 0:
            continue
        edges = np.linalg.norm(quad - np.roll(quad, 1, 0), axis=1)
        inside = (quad > -1).all() and (quad < size_hw[::-1]).all()
        clear = bool(visible >= LEAST_VISIBLE and inside and edges.min() >= LEAST_EDGE_PX)
        cards.append(TrueCard(dealt[int(row)], quad, clear))
    return CardPhoto(np.ascontiguousarray(scene.image_bgr), tuple(cards))


def judge(photo: CardPhoto, reading: CardsReading | None) -> Outcome:
    """Compare a reading (None: refused) with what lies there."""
    clear = sum(card.clear for card in photo.cards)
    if reading is None:
        return Outcome((), clear, 0, clear, False)
    answers, matched, right = [], set(), 0
    for read in reading.cards:
        at = _match(read.quad_xy, photo.cards)
        correct = None if at is None else photo.cards[at].card.id == read.card.id
        answers.append(Answer(correct, read.sure, read.confidence))
        if at is not None and at not in matched:
            matched.add(at)
            right += bool(correct and photo.cards[at].clear)
    overlooked = sum(card.clear for k, card in enumerate(photo.cards) if k not in matched)
    return Outcome(tuple(answers), clear, right, overlooked, reading.sure)


def _match(quad_xy: Floats, cards: Sequence[TrueCard]) -> int | None:
    """The card that lies where the quad is."""
    for k, card in enumerate(cards):
        shared, _ = cv2.intersectConvexConvex(quad_xy.astype(np.float32), card.quad_xy.astype(np.float32))
        together = cv2.contourArea(quad_xy) + cv2.contourArea(card.quad_xy) - shared
        if shared > 0.5 * together:
            return k
    return None


def read_photo(image_bgr: Images) -> CardsReading | None:
    """Read a photo at its full size; None if it is refused."""
    h, w = image_bgr.shape[:2]
    try:
        return read_card_photo(Photo(image_bgr, (h, w), 1.0, "jpeg"), "bundled")
    except VisionError:
        return None


def report(outcomes: Sequence[Outcome]) -> str:
    """The table of a run."""
    answers = [answer for outcome in outcomes for answer in outcome.answers]
    clear = sum(outcome.clear for outcome in outcomes)
    right = sum(outcome.right for outcome in outcomes)
    overlooked = sum(outcome.overlooked for outcome in outcomes)
    silent = sum(answer.sure and not answer.right for answer in answers)
    sure = sum(answer.sure and bool(answer.right) for answer in answers)
    strays = sum(answer.right is None for answer in answers)
    lines = [
        f"photos {len(outcomes)}  clear cards {clear}  right {right / max(1, clear):.1%}"
        f"  overlooked {overlooked / max(1, clear):.1%}",
        f"cards read {len(answers)}  sure and right {sure / max(1, len(answers)):.1%}  silent {silent}"
        f"  no cards of the deck {strays}",
        "least confidence   cards   wrong",
    ]
    for step in COVERAGE_STEPS:
        kept = [answer for answer in answers if answer.confidence >= step]
        wrong = sum(not answer.right for answer in kept)
        lines.append(f"{step:16.3f} {len(kept) / max(1, len(answers)):7.1%} {wrong:7d}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bank", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    painter = SetPainter(ArtSource.of(load_bank(args.bank), "validation"))
    rng = np.random.default_rng(args.seed)
    outcomes = []
    for _ in range(args.count):
        photo = card_photo(rng, painter)
        outcomes.append(judge(photo, read_photo(photo.image_bgr)))
    print(report(outcomes))


if __name__ == "__main__":
    main()
