"""Measures the reading of pattern cards on generated photos of decks that no training saw.

Every photo shows up to twelve cards of a new deck, in a row, fanned out or scattered, under any
light, angle and clutter. Decks have the published layout as far as it is known, or are home-made:
light and dark, portrait and landscape, drawn with the validation icon families. Milliseconds are of
processor time. Needs the ``training`` extra and the icon bank::

    python -m calibration.measuring.cards BANK.npz --count 100
    python -m calibration.measuring.cards BANK.npz --count 100 --pictures fixtures/art/stones
    python -m calibration.measuring.cards BANK.npz --count 100 --printed
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.measuring.generated import flattened, pictured_set, stone_pictures, white_share
from models.session import STONE_SYMBOLS
from models.training.arguments import bank_parser
from models.training.card_crops import opaque
from models.training.faces import SetPainter, held_out_painter
from models.training.faces.deck import GREY, Deck, DrawnCard
from models.training.scenes import FaceKind, render_scene
from scorer.stones.cards import CARDS, PatternCard
from vision.errors import VisionError
from vision.geometry import Floats, Images, overlap
from vision.kinds.cards.read import read_card_photo
from vision.kinds.cards.reading import CardsReading
from vision.photo import Photo

PHOTO_HW = (1200, 1600)
CARD_PX = 220
"""Shorter side of the drawn cards."""
LEAST_VISIBLE = 0.9
LEAST_EDGE_PX = 60.0
MOST_BURNT = 0.25
"""Bounds of a clear card: the least share in sight, the least edge in pixels, the most burnt out
share of its cells. Other cards need not be read, but must not be sure and wrong."""
LARGE_PX = 100.0
"""Least shorter edge of a card in a photo of a hand of cards."""
MANY_CARDS = 8
"""Photos with at least so many cards are timed apart."""
COVERAGE_STEPS = (0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998)


@dataclass(frozen=True, slots=True)
class TrueCard:
    """A card of a photo; ``clear`` if it lies in the open, large enough and not burnt out."""

    card: PatternCard
    quad_xy: Floats
    clear: bool

    @property
    def edge_px(self) -> float:
        """Its shortest edge in the photo."""
        return float(np.linalg.norm(self.quad_xy - np.roll(self.quad_xy, 1, 0), axis=1).min())


@dataclass(frozen=True, slots=True)
class CardPhoto:
    """A rendered photo and its pattern cards; ``published`` if laid out as the printed game."""

    image_bgr: Images
    cards: tuple[TrueCard, ...]
    published: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The reader's answer to one card; ``right`` is None for what is no card of the deck."""

    right: bool | None
    sure: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One photo: its answers, the outcome of each clear card, and the time.

    A clear card is read right, read wrong or overlooked (None). ``large`` says of the large cards
    among them whether each was read right.
    """

    answers: tuple[Answer, ...]
    clear: tuple[bool | None, ...]
    large: tuple[bool, ...]
    cards: int
    published: bool
    ms: float


def printed_deck(rng: np.random.Generator, painter: SetPainter) -> Deck:
    """A deck in the colours that scans of the game have."""
    return Deck.showing(rng, painter.printed_set(rng, STONE_SYMBOLS), CARD_PX)


def face_of(deck: Deck, card: PatternCard) -> DrawnCard:
    """A card of the real deck in a drawn design."""
    rows = [
        [GREY if symbol is None else STONE_SYMBOLS.index(symbol.value) for symbol in row]
        for row in card.pattern.rows
    ]
    return deck.card(rows, card.points)


def burnt_out(image_bgr: Images, quad_xy: Floats, face: DrawnCard) -> float:
    """Share of the pixels of a card's cells that are white in the photo, whatever they show."""
    h, w = face.classes.shape
    return white_share(flattened(image_bgr, quad_xy, (h, w))[face.classes <= GREY])


def card_photo(
    rng: np.random.Generator, painter: SetPainter, deck: Deck | None = None
) -> CardPhoto:
    """Photograph some cards of a deck; None draws a new one."""
    dealt: list[PatternCard] = []
    drawn: list[DrawnCard] = []
    decks = [deck] if deck else []

    def source(rng: np.random.Generator, kind: FaceKind, count: int) -> list[Images]:
        if kind != "cards" or dealt:  # what lies around is of other games
            return painter.scene_faces(rng, kind, count)
        if not decks:
            decks.append(Deck.drawn(rng, painter, CARD_PX))
        dealt.extend(CARDS[int(k)] for k in rng.permutation(len(CARDS))[:count])
        drawn.extend(face_of(decks[0], card) for card in dealt)
        return [opaque(face.image_rgb) for face in drawn]

    scene = render_scene(rng, source, PHOTO_HW, "loose")
    cards = []
    for quad, visible, grid, (row, _) in zip(
        scene.quads_xy, scene.visible, scene.grid_id, scene.cells, strict=True
    ):
        if grid != 0:
            continue
        card = TrueCard(dealt[int(row)], quad, False)
        clear = bool(
            visible >= LEAST_VISIBLE
            and (quad > -1).all()
            and (quad < PHOTO_HW[::-1]).all()
            and card.edge_px >= LEAST_EDGE_PX
            and burnt_out(scene.image_bgr, quad, drawn[int(row)]) <= MOST_BURNT
        )
        cards.append(replace(card, clear=clear))
    return CardPhoto(np.ascontiguousarray(scene.image_bgr), tuple(cards), decks[0].design.published)


def judge(photo: CardPhoto, reading: CardsReading | None, ms: float) -> Outcome:
    """Compare a reading (None: refused) with what lies there."""
    answers: list[Answer] = []
    became: dict[int, bool] = {}
    for read in reading.cards if reading else ():
        at = match(read.quad_xy, photo.cards)
        right = None if at is None else photo.cards[at].card.id == read.card.id
        answers.append(Answer(right, read.sure, read.confidence))
        if at is not None and right is not None:
            became.setdefault(at, right)
    clear = [k for k, card in enumerate(photo.cards) if card.clear]
    return Outcome(
        tuple(answers),
        tuple(became.get(k) for k in clear),
        tuple(bool(became.get(k)) for k in clear if photo.cards[k].edge_px >= LARGE_PX),
        len(photo.cards),
        photo.published,
        ms,
    )


def match(quad_xy: Floats, cards: Sequence[TrueCard]) -> int | None:
    """The card that lies where the quad is."""
    for k, card in enumerate(cards):
        if overlap(quad_xy.astype(np.float32), card.quad_xy.astype(np.float32)) > 0.5:
            return k
    return None


def read_photo(image_bgr: Images) -> CardsReading | None:
    """Read a photo at its full size; None if it is refused."""
    h, w = image_bgr.shape[:2]
    try:
        return read_card_photo(Photo(image_bgr, (h, w), 1.0, "jpeg"), "bundled")
    except VisionError:
        return None


def share(values: Sequence[bool]) -> str:
    """How many are true, in percent, and of how many."""
    return f"{100 * np.mean(values):.1f} % of {len(values)}" if values else "none"


def report(outcomes: Sequence[Outcome]) -> str:
    """The table of a run."""
    answers = [answer for outcome in outcomes for answer in outcome.answers]
    wrong_and_sure = sum(answer.sure and not answer.right for answer in answers)
    lines = [f"photos {len(outcomes)}  silent {wrong_and_sure}"]
    groups = {
        "all decks": list(outcomes),
        "laid out as published": [outcome for outcome in outcomes if outcome.published],
        "home-made": [outcome for outcome in outcomes if not outcome.published],
    }
    for name, group in groups.items():
        clear = [became for outcome in group for became in outcome.clear]
        large = [right for outcome in group for right in outcome.large]
        lines.append(
            f"{name}: clear cards found {share([became is not None for became in clear])},"
            f" read right {share([bool(became) for became in clear])}; from {LARGE_PX:.0f} px "
            f"{share(large)}"
        )
    strays = sum(answer.right is None for answer in answers)
    lines += [
        (
            f"answers {len(answers)}  sure {share([answer.sure for answer in answers])}  no "
            f"pattern card there {strays}"
        ),
        f"ms a photo {np.median([outcome.ms for outcome in outcomes]):.0f}, from {MANY_CARDS} "
        f"cards {np.median([o.ms for o in outcomes if o.cards >= MANY_CARDS] or [0]):.0f}",
        "least confidence  answers   wrong",
    ]
    for step in COVERAGE_STEPS:
        kept = [answer for answer in answers if answer.confidence >= step]
        wrong = sum(not answer.right for answer in kept)
        lines.append(f"{step:16.3f} {len(kept) / max(1, len(answers)):8.1%} {wrong:7d}")
    return "\n".join(lines)


def main() -> None:
    parser = bank_parser(__doc__, count=100, seed=2026)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--pictures", type=stone_pictures, help="decks of the symbols' pictures in this folder"
    )
    shown.add_argument(
        "--printed", action="store_true", help="decks in the colours that scans of the game have"
    )
    args = parser.parse_args()
    painter = held_out_painter(args.bank)
    pictures = [*pictured_set(args.pictures, STONE_SYMBOLS).values()] if args.pictures else None
    rng = np.random.default_rng(args.seed)
    outcomes = []
    for _ in range(args.count):
        deck = Deck.showing(rng, pictures, CARD_PX) if pictures else None
        if args.printed:
            deck = printed_deck(rng, painter)
        photo = card_photo(rng, painter, deck)
        start = time.process_time()
        reading = read_photo(photo.image_bgr)
        outcomes.append(judge(photo, reading, (time.process_time() - start) * 1000))
    print(report(outcomes))


if __name__ == "__main__":
    main()
