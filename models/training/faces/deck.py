"""Draws pattern cards: a value and a small rectangle of symbols and grey cells, in many designs.

The published design is known roughly: portrait, a dark ground with ruins in the corners, a white
digit at the top, the pattern below it, flat grey cells. Home-made decks look otherwise, so
everything varies around it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from models.training.faces.drawing import (
    DIGIT_FONTS,
    FACE_PX,
    Colour,
    Image,
    contrast_colour,
    fractal_noise,
    hsv_colour,
    rounded_square,
)
from models.training.faces.painter import SetPainter
from models.training.faces.sources import STONE_COLOURS

SHORT_PX = 104
"""Shorter side of a drawn card, unless another is asked for."""
SYMBOLS = tuple(STONE_COLOURS)
GREY = len(SYMBOLS)
"""Class of a grey cell (any stone); smaller ones are the symbols in the order of STONE_COLOURS."""
GROUND = GREY + 1
POINTS = (1, 2, 3, 5)
"""Values a card may have; the digit of ``POINTS[k]`` has class ``GROUND + 1 + k``."""
CLASSES = GROUND + 1 + len(POINTS)
UNCLEAR = 255
"""Label of pixels that belong to no class: rims of cells, parts of digits' surroundings."""
PRINTED = 0.5
"""Share of the decks with described pictures that have the colours of scans."""

Pattern = Sequence[Sequence[int]]
"""Rows of classes: a symbol or GREY."""
GreyStyle = Literal["flat", "rimmed", "hollow", "hatched"]


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """A card, RGB uint8 of shape (h, w, 3), and the class of each pixel, uint8 of shape (h, w)."""

    image_rgb: Image
    classes: Image


@dataclass(frozen=True, slots=True)
class CardDesign:
    """The look of one deck, near that of the ``published`` one or not.

    Lengths are shares of the card's shorter side, places shares of width and height.
    """

    size_px: tuple[int, int]
    ground: Image
    pitch: float
    gap: float
    round: float
    centre: tuple[float, float]
    anchored: bool
    grey: Colour
    grey_style: GreyStyle
    digit_place: tuple[float, float]
    digit_height: float
    digit_font: int
    digit_weight: float
    digit_ink: Colour
    digit_twice: bool
    badge: tuple[Colour, float] | None
    corner: float
    published: bool


def random_pattern(rng: np.random.Generator) -> tuple[tuple[int, ...], ...]:
    """A pattern of one of the shapes that patterns have, at least one cell of it a symbol."""
    shapes = ((1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (3, 3))
    rows, cols = shapes[rng.choice(len(shapes), p=(0.15, 0.15, 0.12, 0.19, 0.19, 0.2))]
    symbols = rng.integers(GREY, size=rows * cols)
    kept = 2 if rows * cols == 2 else int(rng.integers(1, min(rows * cols, 5) + 1))
    cells = np.full(rows * cols, GREY)
    chosen = rng.permutation(rows * cols)[:kept]
    cells[chosen] = symbols[chosen]
    if rng.random() < 0.3:  # patterns repeat a symbol more often than chance does
        cells[chosen] = symbols[chosen[0]]
    return tuple(tuple(int(c) for c in row) for row in cells.reshape(rows, cols))


def _ruins(rng: np.random.Generator, canvas: npt.NDArray[np.float32], ground: Colour) -> None:
    """Broken walls, leaves or ornament in the corners, in tones near the ground's."""
    h, w = canvas.shape[:2]
    for x, y in ((0, 0), (w, 0), (0, h), (w, h)):
        if rng.random() < 0.15:
            continue
        for _ in range(int(rng.integers(2, 7))):
            middle = np.array((x, y)) + rng.normal(0, 0.11 * min(h, w), 2)
            tone = np.clip(ground * rng.uniform(0.4, 2.0) + rng.normal(0, 8, 3), 0, 255).tolist()
            if rng.random() < 0.5:
                size = rng.uniform(0.04, 0.2, 2) * min(h, w)
                points = cv2.boxPoints((middle.tolist(), size.tolist(), rng.uniform(0, 90)))
            else:
                points = middle + rng.normal(0, 0.08 * min(h, w), (int(rng.integers(3, 7)), 2))
                points = cv2.convexHull(points.astype(np.float32))[:, 0]
            cv2.fillPoly(canvas, [np.asarray(points * 16, np.int32)], tone, cv2.LINE_AA, 4)


def _ground(
    rng: np.random.Generator, size_px: tuple[int, int], published: bool
) -> tuple[Image, Colour]:
    """The empty face of a card and its main colour."""
    w, h = size_px
    if published:
        main = hsv_colour(rng.uniform(0.06, 0.28), rng.uniform(0.1, 0.6), rng.uniform(0.1, 0.42))
    elif rng.random() < 0.45:
        main = hsv_colour(rng.random(), rng.uniform(0, 0.25), rng.uniform(0.75, 1.0))
    else:
        main = hsv_colour(rng.random(), rng.uniform(0, 0.8), rng.uniform(0.05, 0.75))
    canvas = np.full((h, w, 3), main, np.float32)
    noise = cv2.resize(fractal_noise(rng, 96, int(rng.integers(2, 12))), (w, h))
    canvas += noise[..., None] * np.float32(rng.uniform(0, 14))
    if rng.random() < 0.4:  # lighter in the middle or along one side
        y, x = np.mgrid[:h, :w].astype(np.float32)
        reach = np.hypot(x / w - rng.uniform(0.2, 0.8), y / h - rng.uniform(0.2, 0.8))
        canvas *= (1 + np.float32(rng.uniform(-0.5, 0.5)) * (0.5 - reach))[..., None]
    if rng.random() < (0.85 if published else 0.35):
        _ruins(rng, canvas, main)
    if rng.random() < 0.35:
        inset, thick = int(rng.uniform(0, 0.04) * w), max(1, int(rng.uniform(0.01, 0.06) * w))
        ink = contrast_colour(rng, main) if rng.random() < 0.5 else main * rng.uniform(0.4, 1.7)
        half = thick // 2
        cv2.rectangle(
            canvas,
            (inset + half, inset + half),
            (w - 1 - inset - half, h - 1 - inset - half),
            np.clip(ink, 0, 255).tolist(),
            thick,
        )
    return np.clip(canvas, 0, 255).astype(np.uint8), main


def _grey_look(rng: np.random.Generator, main: Colour, published: bool) -> tuple[Colour, GreyStyle]:
    """The colour of grey cells and how they are drawn on a ground of mainly that colour."""
    grey: Colour = np.array([126, 126, 117]) * rng.uniform(0.8, 1.2) + rng.normal(0, 5, 3)
    style: GreyStyle = "flat" if rng.random() < 0.6 else "rimmed"
    if not published:
        if rng.random() < 0.5:
            grey = hsv_colour(rng.random(), rng.uniform(0, 0.1), rng.uniform(0.3, 0.8))
        styles: tuple[GreyStyle, ...] = ("flat", "rimmed", "hollow", "hatched")
        style = styles[rng.choice(4, p=(0.45, 0.25, 0.2, 0.1))]
    # a grey that is hardly another colour than the ground is drawn with a rim
    if style == "flat" and float(np.abs(grey - main).max()) < 28:
        style = "rimmed"
    return np.asarray(grey, np.float32), style


def draw_design(rng: np.random.Generator, short_px: int = SHORT_PX) -> CardDesign:
    """A deck's look: mostly near the published one, otherwise any of a home-made deck."""
    published = rng.random() < 0.6
    landscape = not published and rng.random() < 0.25
    aspect = rng.normal(0.70, 0.015) if published else rng.uniform(0.6, 0.82)
    long = round(short_px / float(np.clip(aspect, 0.58, 0.85)))
    size_px = (long, short_px) if landscape else (short_px, long)
    ground, main = _ground(rng, size_px, published)
    centre = (0.5 + rng.normal(0, 0.008), rng.normal(0.6, 0.012))
    digit_place = (0.5 + rng.normal(0, 0.01), rng.uniform(0.12, 0.2))
    pitch = rng.normal(0.276, 0.008)
    if landscape:
        right = rng.random() < 0.8
        pitch = rng.uniform(0.24, 0.29)
        middle = long / short_px - 0.5 - rng.uniform(0, 0.06)
        centre = (middle * short_px / long, rng.uniform(0.48, 0.55))
        digit_place = (rng.uniform(0.12, 0.18), rng.uniform(0.15, 0.5))
        if not right:
            centre, digit_place = (1 - centre[0], centre[1]), (1 - digit_place[0], digit_place[1])
    elif not published:
        pitch = rng.uniform(0.2, 0.29)
        centre = (0.5 + rng.normal(0, 0.015), rng.uniform(0.55, 0.63))
        place = rng.random()
        x = 0.5 if place < 0.5 else rng.uniform(0.1, 0.2) if place < 0.85 else rng.uniform(0.8, 0.9)
        digit_place = (x, rng.uniform(0.08, 0.17))
    paper = main if rng.random() < 0.7 else hsv_colour(0, 0, rng.choice([0.1, 0.95]))
    badge = None
    if rng.random() < (0.15 if published else 0.35):
        badge = (
            paper if rng.random() < 0.3 else contrast_colour(rng, main),
            float(rng.uniform(1.2, 1.7)),
        )
    under = badge[0] if badge else main
    if published and not badge:
        ink = hsv_colour(rng.uniform(0, 0.2), rng.uniform(0, 0.12), rng.uniform(0.82, 1.0))
    else:
        ink = contrast_colour(rng, under)
    grey, style = _grey_look(rng, main, published)
    return CardDesign(
        size_px,
        ground,
        float(pitch),
        float(rng.choice([0.0, rng.uniform(0, 0.06), rng.uniform(0.03, 0.13)])),
        float(rng.choice([0.0, rng.uniform(0, 0.1), rng.uniform(0.05, 0.25)])),
        (float(centre[0]), float(centre[1])),
        bool(not published and rng.random() < 0.15),
        grey,
        style,
        (float(digit_place[0]), float(digit_place[1])),
        float(rng.uniform(0.1, 0.22)),
        int(rng.choice(DIGIT_FONTS)),
        float(rng.uniform(0.6, 3.2)),
        np.asarray(ink, np.float32),
        bool(not published and rng.random() < 0.2),
        badge,
        float(rng.choice([0.0, rng.uniform(0.02, 0.1)])),
        published,
    )


class Deck:
    """One edition: a design, and a face of each symbol, RGB of shape (FACE_PX, FACE_PX, 3)."""

    def __init__(
        self, design: CardDesign, faces: Sequence[npt.NDArray[np.floating] | Image]
    ) -> None:
        self.design = design
        self._faces = [np.clip(face, 0, 255).astype(np.uint8) for face in faces]

    @classmethod
    def drawn(
        cls,
        rng: np.random.Generator,
        painter: SetPainter,
        short_px: int = SHORT_PX,
        described: float = 0.0,
    ) -> "Deck":
        """An edition by chance, in the published colours of the symbols.

        ``described`` is the probability that its pictures look as the published game is described.
        """
        paint = painter.stone_set
        if described and rng.random() < described:
            paint = painter.printed_set if rng.random() < PRINTED else painter.described_set
        return cls.showing(rng, paint(rng, SYMBOLS), short_px)

    @classmethod
    def showing(
        cls,
        rng: np.random.Generator,
        faces: Sequence[npt.NDArray[np.floating] | Image],
        short_px: int = SHORT_PX,
    ) -> "Deck":
        """A design by chance with these faces of the symbols."""
        if rng.random() < 0.25:  # flat prints: the frame of the stones is left off
            edge = int(rng.uniform(0.04, 0.12) * FACE_PX)
            faces = [
                cv2.resize(face[edge:-edge, edge:-edge], (FACE_PX, FACE_PX)).astype(np.float32)
                for face in faces
            ]
        return cls(draw_design(rng, short_px), faces)

    def card(self, pattern: Pattern, points: int) -> DrawnCard:
        """The card with that pattern and value."""
        look = self.design
        w, h = look.size_px
        canvas = look.ground.astype(np.float32)
        classes = np.full((h, w), GROUND, np.uint8)
        pitch = look.pitch * min(w, h)
        rows, cols = len(pattern), len(pattern[0])
        left, top = look.centre[0] * w - 1.5 * pitch, look.centre[1] * h - 1.5 * pitch
        if not look.anchored:
            left, top = left + (3 - cols) / 2 * pitch, top + (3 - rows) / 2 * pitch
        side = max(8, round(pitch * (1 - look.gap)))
        mask = rounded_square(side, look.round)
        for row, symbols in enumerate(pattern):
            for col, symbol in enumerate(symbols):
                x = round(left + (col + 0.5) * pitch - side / 2)
                y = round(top + (row + 0.5) * pitch - side / 2)
                self._cell(canvas, classes, (x, y, side), mask, symbol)
        image = np.clip(canvas, 0, 255).astype(np.uint8)
        self._digit(image, classes, points)
        return DrawnCard(image, classes)

    def _cell(
        self,
        canvas: npt.NDArray[np.float32],
        classes: Image,
        box: tuple[int, int, int],
        mask: npt.NDArray[np.float32],
        symbol: int,
    ) -> None:
        x, y, side = box
        h, w = classes.shape
        inside = mask[max(0, -y) : h - y, max(0, -x) : w - x, None]
        part = (slice(max(0, y), min(h, y + side)), slice(max(0, x), min(w, x + side)))
        under = canvas[part]
        if symbol == GREY:
            face = self._grey_face(side)
        else:
            face = cv2.resize(
                self._faces[symbol], (side, side), interpolation=cv2.INTER_AREA
            ).astype(np.float32)
        face = face[max(0, -y) : h - y, max(0, -x) : w - x]
        if symbol == GREY and self.design.grey_style == "hollow":
            ring = np.ones((side, side), bool)
            thick = max(1, side // 14)
            ring[thick:-thick, thick:-thick] = False
            inside = inside * ring[max(0, -y) : h - y, max(0, -x) : w - x, None]
        canvas[part] = under + inside * (face - under)
        classes[part] = UNCLEAR
        rim = max(1, round(side / 10))
        classes[
            max(0, y + rim) : min(h, y + side - rim), max(0, x + rim) : min(w, x + side - rim)
        ] = symbol

    def _grey_face(self, side: int) -> npt.NDArray[np.float32]:
        grey = self.design.grey
        face = np.full((side, side, 3), grey, np.float32)
        dark = grey * 0.75 if grey.mean() > 70 else grey * 1.5 + 20
        if self.design.grey_style == "rimmed":
            thick = max(1, side // 12)
            for edge in (face[:thick], face[-thick:], face[:, :thick], face[:, -thick:]):
                edge[:] = dark
        elif self.design.grey_style == "hatched":
            step = max(3, side // 6)
            lines = np.add.outer(np.arange(side), np.arange(side)) % step < max(1, step // 3)
            face[lines] = dark
        return face

    def _digit(self, canvas: Image, classes: Image, points: int) -> None:
        look = self.design
        w, h = look.size_px
        places, text = [look.digit_place], str(points)
        if look.digit_twice:
            x, y = look.digit_place
            places.append((1 - x if x != 0.5 else 0.12, y))
        for place in places:
            x, y = place[0] * w, place[1] * h
            height = look.digit_height * min(w, h)
            if look.badge is not None:
                paper, size = look.badge
                spot, radius = (round(x * 16), round(y * 16)), round(height * size / 2 * 16)
                cv2.circle(canvas, spot, radius, paper.tolist(), -1, cv2.LINE_AA, 4)
            (_, tall), _ = cv2.getTextSize(text, look.digit_font, 1.0, 1)
            scale = height / tall
            thick = max(1, round(look.digit_weight * scale))
            (wide, tall), _ = cv2.getTextSize(text, look.digit_font, scale, thick)
            at = (round(x - wide / 2), round(y + tall / 2))
            ink = look.digit_ink.tolist()
            cv2.putText(canvas, text, at, look.digit_font, scale, ink, thick, cv2.LINE_AA)
            box = (at[0] - wide // 4, at[1] - tall - 1, at[0] + wide + wide // 4, at[1] + 1)
            area = classes[max(0, box[1]) : box[3], max(0, box[0]) : box[2]]
            area[area == GROUND] = GROUND + 1 + POINTS.index(points)
