"""Draws flattened cards as the reader gets them: a deck, a photo's conditions, crooked corners."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.training.faces import Image, SetPainter, fractal_noise
from models.training.faces.deck import GROUND, POINTS, UNCLEAR, Deck, DrawnCard, random_pattern
from models.training.scenes.materials import BANK_SIZE, material
from models.training.scenes.prints import card_back, playing_card
from models.training.views import UNIT_SQUARE, flattened, shake, spoilt

READER_PX = 96
"""Side of the flattened cards that the reader takes."""
SPOTS = READER_PX // 4
"""The reader answers for SPOTS x SPOTS spots."""
TURNS = 4
NO_CARD = TURNS
"""Class of crops without a card that fills them; class t is a card turned by t quarters."""
MOST_DECKS, NEW_DECK = 40, 0.6
"""Decks that are kept to draw crops of, and the share of photos that show a new one."""
CROOKED = (0.012, 0.03, 0.05)
"""Spreads of a frame's corners around the true ones in shares of the side, each equally often."""
CROP = np.dtype(
    [("crop", "u1", (READER_PX, READER_PX, 3)), ("spots", "u1", (SPOTS, SPOTS)), ("turn", "i8")]
)
"""A crop as it is kept in a file of many."""
Floats = npt.NDArray[np.float32]


def random_card(rng: np.random.Generator, deck: Deck) -> DrawnCard:
    """A card of the deck with a pattern and a value by chance."""
    return deck.card(random_pattern(rng), int(rng.choice(POINTS)))


def opaque(image_rgb: Image) -> Image:
    """The picture as RGBA."""
    return np.dstack([image_rgb, np.full(image_rgb.shape[:2], 255, np.uint8)])


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all crops of one photo have in common. Gains are factors, sizes pixels of the photo.

    ``sleeve`` is how far clear plastic reaches beyond the card, ``mount`` how wide a border of
    paper was left around it, as shares of its width.
    """

    gains: Floats
    gamma: float
    veil: float
    side_px: float
    squash: float
    blur_px: float
    motion: Floats | None
    noise: float
    jpeg: int
    gloss: float
    shade: float
    saturation: float
    sleeve: float
    mount: float


def conditions(rng: np.random.Generator) -> Conditions:
    """A photo in any light, from near or far, sharp or not."""
    warmth = float(np.clip(rng.normal(0, 0.17), -0.4, 0.4))
    cast = np.array([1 + warmth, 1 + rng.normal(0, 0.04), 1 - warmth], np.float32)
    side = float(np.exp(rng.uniform(np.log(36), np.log(140))))
    motion = shake(rng, 0.15)
    return Conditions(
        (np.exp(rng.uniform(np.log(0.42), np.log(1.25))) * cast).astype(np.float32),
        float(rng.uniform(0.75, 1.35)),
        float(rng.choice([0, rng.uniform(0, 25), rng.uniform(0, 70)], p=[0.5, 0.38, 0.12])),
        side,
        float(rng.uniform(0.45, 1.0)) if rng.random() < 0.6 else 1.0,
        float(rng.uniform(0, 1.4)) * (1.0 if side > 60 else 0.5),
        motion,
        float(abs(rng.normal(0, 6))),
        int(rng.integers(40, 97)),
        float(rng.choice([0, 0.25, 0.6])),
        float(rng.uniform(0, 0.5)),
        float(rng.choice([1.0, rng.uniform(0.55, 1.3)])),
        float(rng.choice([0.0, 0.0, 0.0, rng.uniform(0.02, 0.06)])),
        float(rng.choice([0.0, rng.uniform(0.02, 0.11)], p=[0.85, 0.15])),
    )


def _light_up(rng: np.random.Generator, image: Image, photo: Conditions) -> Floats:
    """The card in its light: shade, shadows, glare, colour cast and haze; float32, 0 to 255."""
    h, w = image.shape[:2]
    x, y = np.linspace(0, 1, w, dtype=np.float32), np.linspace(0, 1, h, dtype=np.float32)[:, None]
    angle = rng.uniform(0, 2 * np.pi)
    c, s = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    along = (x - np.float32(0.5)) * c + (y - np.float32(0.5)) * s
    factor = np.float32(1 + rng.normal(0, 0.05)) * (
        1 + along * np.float32(rng.normal(0, photo.shade))
    )
    if rng.random() < 0.6 * photo.shade:
        edge = np.clip(
            (along - np.float32(rng.uniform(-0.5, 0.5))) * np.float32(rng.uniform(4, 40)) + 0.5,
            0,
            1,
        )
        factor = factor * (1 - edge * np.float32(rng.uniform(0.2, 0.65)))
    lit = image * factor[..., None]
    lit *= photo.gains
    if photo.saturation != 1.0:
        grey = lit.mean(2, keepdims=True)
        lit = grey + (lit - grey) * np.float32(photo.saturation)
    lit += np.float32(photo.veil * rng.uniform(0.4, 1.6))
    if rng.random() < photo.gloss:
        cx, cy = rng.uniform(-0.2, 1.2, 2).astype(np.float32)
        across, ahead = (x - cx) * s - (y - cy) * c, (x - cx) * c + (y - cy) * s
        spread, stretch = np.float32(rng.uniform(0.08, 0.6)), np.float32(rng.uniform(0.3, 1))
        glare = np.exp(-(ahead**2 + (across / stretch) ** 2) / (2 * spread**2)) * np.float32(
            rng.uniform(20, 170)
        )
        lit += glare[..., None]
    if photo.sleeve and rng.random() < 0.5:  # streaks of light on a sleeve
        streaks = np.clip(cv2.resize(fractal_noise(rng, 32, 3, 2), (w, h)) - 0.6, 0, 1)
        lit += streaks[..., None] * np.float32(rng.uniform(30, 120))
    np.clip(lit, 0, 255, out=lit)
    if photo.gamma != 1.0:
        lit = 255 * (lit / 255) ** np.float32(photo.gamma)
    return np.asarray(lit, np.float32)


@cache
def _tables() -> tuple[Image, ...]:
    """Pieces of some tables, small."""
    pieces: list[npt.NDArray[Any]] = []
    for index in range(0, BANK_SIZE, 12):
        texture = material(index).texture_bgr
        pieces += [texture[k : k + 64, k : k + 64] for k in (0, 200)]
        pieces.append(cv2.resize(texture, (64, 64), interpolation=cv2.INTER_AREA))
    return tuple(np.ascontiguousarray(piece, np.uint8) for piece in pieces)


def _surround(rng: np.random.Generator, shape_hw: tuple[int, int]) -> Image:
    """What lies around a card: one of the tables, or a plain colour."""
    h, w = shape_hw
    if rng.random() < 0.5:
        return np.full((h, w, 3), rng.integers(0, 255, 3), np.uint8)
    tables = _tables()
    texture = np.asarray(cv2.resize(tables[int(rng.integers(len(tables)))], (w, h)), np.uint8)
    return np.asarray(cv2.convertScaleAbs(texture, alpha=float(rng.uniform(0.3, 1.1))), np.uint8)


def _lay_beside(
    rng: np.random.Generator, canvas: Image, classes: Image, neighbour: Image, pad: int
) -> None:
    """Lay another card beside the middle one, or a little over its edge, in place."""
    over = pad + round(float(rng.uniform(-0.15, 0.12)) * (canvas.shape[1] - 2 * pad))
    if over <= 0:
        return
    side = int(rng.integers(4))
    turned, marked = np.rot90(canvas, side), np.rot90(classes, side)
    high = turned.shape[0] - 2 * pad
    strip = cv2.resize(neighbour, (max(over + 1, high * 2 // 3), high))[:, -over:]
    turned[pad : pad + high, :over] = strip
    marked[pad : pad + high, :over] = UNCLEAR


def crooked_frame(rng: np.random.Generator, crooked: float) -> npt.NDArray[np.float64]:
    """Corners (4, 2) of a frame around a card in shares of its sides, spread by ``crooked``."""
    corners = (UNIT_SQUARE - 0.5) * (1 + rng.normal(0, crooked)) + 0.5
    return np.asarray(
        corners + rng.normal(0, crooked * 0.7, (4, 2)) + rng.normal(0, crooked * 0.5, 2)
    )


def card_crop(
    rng: np.random.Generator,
    card: DrawnCard,
    neighbour: Image | None,
    photo: Conditions,
    crooked: float,
) -> tuple[Image, Image]:
    """A card as the reader gets it, upright: the crop and the class of each spot.

    ``crooked`` is the spread of its corners around the true ones in shares of the side;
    ``neighbour`` a picture of another card that lies beside it or over one of its edges.
    """
    h, w = card.classes.shape
    pad = round(0.22 * w)
    canvas = _surround(rng, (h + 2 * pad, w + 2 * pad))
    classes = np.full(canvas.shape[:2], GROUND, np.uint8)
    inner = (slice(pad, pad + h), slice(pad, pad + w))
    mount = round(photo.mount * w)
    if mount:
        paper = (
            rng.integers(200, 255) * np.ones(3) if rng.random() < 0.6 else rng.integers(0, 255, 3)
        )
        canvas[pad - mount : pad + h + mount, pad - mount : pad + w + mount] = paper
    canvas[inner], classes[inner] = card.image_rgb, card.classes
    if photo.sleeve:  # clear plastic beyond the edge, with a bright rim
        beyond = max(1, round(photo.sleeve * w))
        box = ((pad - beyond, pad - beyond), (pad + w + beyond, pad + h + beyond))
        cv2.rectangle(canvas, *box, rng.integers(120, 255, 3).tolist(), max(1, beyond // 3))
    if neighbour is not None:
        _lay_beside(rng, canvas, classes, neighbour, pad)
    zoom = photo.side_px / w
    wide = rng.random() < 0.5
    size = (
        max(16, round(canvas.shape[1] * zoom * (1 if wide else photo.squash))),
        max(16, round(canvas.shape[0] * zoom * (photo.squash if wide else 1))),
    )
    taken = cv2.resize(canvas, size, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR)
    lit = _light_up(rng, np.asarray(taken, np.uint8), photo)
    pixels = spoilt(rng, lit, photo.blur_px, photo.motion, photo.noise, photo.jpeg)
    corners = crooked_frame(rng, crooked)
    if photo.sleeve and rng.random() < 0.5:  # the sleeve was taken for the card
        corners = (corners - 0.5) * (1 + 2 * photo.sleeve) + 0.5
    in_canvas = corners * (w + 2 * mount, h + 2 * mount) + pad - mount
    scale = np.array(size) / (canvas.shape[1], canvas.shape[0])
    place, spots = UNIT_SQUARE * READER_PX - 0.5, UNIT_SQUARE * SPOTS - 0.5
    crop = flattened(pixels, in_canvas * scale - 0.5, place, READER_PX)
    labels = flattened(classes, in_canvas - 0.5, spots, SPOTS, cv2.INTER_NEAREST)
    return crop, labels


class CropSource:
    """Draws crops for the reader and keeps decks for a while, which cost more than crops."""

    def __init__(self, painter: SetPainter, described: float = 0.0) -> None:
        self._painter, self._described = painter, described
        self._decks: list[Deck] = []

    def batch(
        self, rng: np.random.Generator, photos: int, cards: int
    ) -> tuple[Image, Image, npt.NDArray[np.int64]]:
        """Crops (n, READER_PX, READER_PX, 3), spots (n, SPOTS, SPOTS) and turns (n,)."""
        crops, spots, turns = [], [], []
        for _ in range(photos):
            deck = self._deck(rng)
            photo = conditions(rng)
            drawn = [random_card(rng, deck) for _ in range(cards)]
            for k, card in enumerate(drawn):
                photo = replace(photo, side_px=photo.side_px * float(rng.uniform(0.9, 1.1)))
                neighbour = drawn[k - 1].image_rgb if rng.random() < 0.4 else None
                crop, labels = card_crop(rng, card, neighbour, photo, float(rng.choice(CROOKED)))
                turn = 0 if rng.random() < 0.6 else int(rng.integers(TURNS))
                crops.append(np.rot90(crop, turn))
                # a card that lies otherwise is read once it has been turned
                spots.append(labels if turn == 0 else np.full_like(labels, UNCLEAR))
                turns.append(turn)
            for _ in range(max(1, cards // 4)):
                crops.append(self._other(rng, drawn[0], photo))
                spots.append(np.full((SPOTS, SPOTS), UNCLEAR, np.uint8))
                turns.append(NO_CARD)
        return np.stack(crops), np.stack(spots), np.array(turns)

    def _deck(self, rng: np.random.Generator) -> Deck:
        if len(self._decks) < MOST_DECKS or rng.random() < NEW_DECK:
            deck = Deck.drawn(rng, self._painter, described=self._described)
            self._decks = [*self._decks, deck][-MOST_DECKS:]
            return self._decks[-1]
        return self._decks[int(rng.integers(len(self._decks)))]

    def _other(self, rng: np.random.Generator, card: DrawnCard, photo: Conditions) -> Image:
        """A false card of the finder: other cards and tiles, a part of a card, several, a table."""
        choice = rng.random()
        if choice < 0.45:  # badly framed
            h, w = card.classes.shape
            size = rng.choice([rng.uniform(0.25, 0.7), rng.uniform(1.35, 2.2)])
            shift = rng.uniform(-0.3, 0.3, 2) if size < 1 else rng.uniform(-0.4, 0.4, 2)
            if rng.random() < 0.4:
                size = 1.0
                shift = rng.choice([-1, 1], 2) * rng.uniform(0.28, 0.6, 2) * rng.permutation(2)
            quad = ((UNIT_SQUARE - 0.5) * size + 0.5 + shift) * (w, h)
            matrix = cv2.getPerspectiveTransform(
                quad.astype(np.float32), (UNIT_SQUARE * (w, h)).astype(np.float32)
            )
            around = _surround(rng, (h, w))
            moved = cv2.warpPerspective(
                card.image_rgb, matrix, (w, h), dst=around, borderMode=cv2.BORDER_TRANSPARENT
            )
            picture = np.asarray(moved, np.uint8)
        elif choice < 0.6:
            back = playing_card(rng) if rng.random() < 0.5 else card_back(rng)
            picture = np.asarray(cv2.resize(back[..., 2::-1], (100, 143)), np.uint8)
        elif choice < 0.85:
            faces = self._painter.draw(rng, 9).faces
            if rng.random() < 0.5 or len(faces) < 9:
                picture = cv2.resize(faces[0], (100, 140))
            else:  # nine tiles in a square are no card
                picture = np.concatenate(
                    [np.concatenate(list(faces[k : k + 3]), 1) for k in (0, 3, 6)]
                )
        else:
            picture = _surround(rng, (140, 100))
        blank = DrawnCard(
            np.ascontiguousarray(picture), np.full(picture.shape[:2], GROUND, np.uint8)
        )
        return np.rot90(card_crop(rng, blank, None, photo, 0.03)[0], int(rng.integers(TURNS)))


def keep_crops(path: Path, crops: Image, spots: Image, turns: npt.NDArray[np.int64]) -> None:
    """Write crops (n, READER_PX, READER_PX, 3) with their spots (n, SPOTS, SPOTS) and turns (n,)
    to a file ``.npy``."""
    kept = np.empty(len(crops), CROP)
    kept["crop"], kept["spots"], kept["turn"] = crops, spots, turns
    np.save(path, kept)


class KeptCrops:
    """The crops of several files. They stay on the disk until they are asked for."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._files = [np.load(path, mmap_mode="r") for path in paths]

    def batch(
        self, rng: np.random.Generator, count: int
    ) -> tuple[Image, Image, npt.NDArray[np.int64]]:
        """Some crops of one file in another light, with their spots and turns."""
        file = self._files[int(rng.integers(len(self._files)))]
        kept = file[np.sort(rng.integers(len(file), size=count))]
        gains = rng.normal(1, 0.06, 3) * rng.uniform(0.8, 1.15, (count, 1, 1, 1))
        crops = np.clip(kept["crop"] * gains.astype(np.float32), 0, 255).astype(np.uint8)
        return crops, kept["spots"], kept["turn"]


def turned_cards(
    rng: np.random.Generator, crops: Image, turns: npt.NDArray[np.int64]
) -> tuple[Image, npt.NDArray[np.int64]]:
    """Crops of upright cards and of other things, half of the cards and all else turned anew."""
    by = rng.integers(TURNS, size=len(crops))
    by[(turns != NO_CARD) & (rng.random(len(crops)) < 0.5)] = 0
    turned = [np.rot90(crop, turn) for crop, turn in zip(crops, by, strict=True)]
    return np.stack(turned), np.where(turns == NO_CARD, NO_CARD, by)
