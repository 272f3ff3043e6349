"""Trains the finder and the reader of pattern cards.

The finder says where cards of the deck lie, whatever else is on the table. The reader looks at one
flattened card. It says what each spot shows (a symbol, a grey cell, a digit, the ground), which way
up the card lies, and whether it is one at all. The networks learn patterns made by chance;
``vision.kinds.cards`` knows the 72 cards of the deck::

    python -m models.training.cards scenes BANK.npz SCENES.npz --count 2500
    python -m models.training.cards finder SCENES.npz --out FINDER.pt
    python -m models.training.cards reader BANK.npz --out READER.pt
    python -m models.training.cards mean READER.pt LATER.pt --out MEAN.pt
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset

from models.training.art import load_bank
from models.training.card_faces import (
    CLASSES,
    GROUND,
    POINTS,
    UNCLEAR,
    Deck,
    DrawnCard,
    random_pattern,
)
from models.training.clutter import card_back, playing_card
from models.training.embedding import InvertedResidual, downsample
from models.training.faces import ArtSource, Image, SetPainter, fractal_noise, scene_faces
from models.training.locator import (
    StoredScene,
    detector_loss,
    detector_targets,
    load_scenes,
    photometric,
    save_scenes,
    turned_and_mirrored,
)
from models.training.materials import BANK_SIZE, material
from models.training.scenes import SCENE_SHARES, Face, FaceKind, FaceSource, SceneKind, render_scene
from models.training.schedule import add_schedule_options, scheduled_steps
from models.training.start import load_start
from models.training.stones import BENT, DESCRIBED
from models.training.views import motion_kernel

FINDER_PX = 384
"""Side of the pictures that the finder is trained on."""
READER_PX = 96
"""Side of the flattened cards that the reader takes."""
SPOTS = READER_PX // 4
"""The reader answers for SPOTS x SPOTS spots."""
TURNS = 4
NO_CARD = TURNS
"""Class of crops that show no card, or one that does not fill the crop; class t a card turned
counterclockwise by t quarters."""

Floats = npt.NDArray[np.float32]


class CardFinderNet(nn.Module):
    """uint8 RGB photos (n, H, W, 3), H and W multiples of 32, to (n, H/8, W/8, 9): centre
    probability, 8 corner offsets.

    Offsets are in units of 64 pixels.
    """

    def __init__(self) -> None:
        super().__init__()
        self.down4 = nn.Sequential(downsample(3, 12), downsample(12, 24))
        self.down8 = nn.Sequential(downsample(24, 40), InvertedResidual(40))
        self.down16 = nn.Sequential(downsample(40, 48), InvertedResidual(48), InvertedResidual(48))
        self.down32 = nn.Sequential(downsample(48, 56), InvertedResidual(56), InvertedResidual(56))
        self.lateral16, self.lateral8 = nn.Conv2d(56, 48, 1), nn.Conv2d(48, 40, 1)
        self.fuse16, self.fuse8 = (
            InvertedResidual(48),
            nn.Sequential(InvertedResidual(40), InvertedResidual(40)),
        )
        self.head = nn.Conv2d(40, 9, 1)
        nn.init.constant_(self.head.bias, 0.0)
        with torch.no_grad():
            self.head.bias[0] = -4.0  # centres of cards are rare; start from there

    def logits(self, photos: Tensor) -> Tensor:
        """Raw maps (n, 9, H/8, W/8)."""
        x8 = self.down8(self.down4(photos.permute(0, 3, 1, 2).float() / 127.5 - 1.0))
        x16 = self.down16(x8)
        x32 = self.down32(x16)
        up16 = self.fuse16(
            x16 + functional.interpolate(self.lateral16(x32), scale_factor=2.0, mode="nearest")
        )
        up8 = x8 + functional.interpolate(self.lateral8(up16), scale_factor=2.0, mode="nearest")
        return torch.as_tensor(self.head(self.fuse8(up8)))

    def forward(self, photos: Tensor) -> Tensor:
        maps = self.logits(photos)
        return torch.cat([maps[:, :1].sigmoid(), maps[:, 1:]], 1).permute(0, 2, 3, 1)


class CardReaderNet(nn.Module):
    """uint8 RGB crops (n, READER_PX, READER_PX, 3) to log probabilities (n, SPOTS * SPOTS * CLASSES
    + TURNS + 1): the class of every spot, then the turn of the card or NO_CARD."""

    def __init__(self) -> None:
        super().__init__()
        self.down4 = nn.Sequential(
            downsample(3, 16), downsample(16, 32), InvertedResidual(32), InvertedResidual(32)
        )
        self.down8 = nn.Sequential(downsample(32, 48), InvertedResidual(48), InvertedResidual(48))
        self.down16 = nn.Sequential(downsample(48, 56), InvertedResidual(56), InvertedResidual(56))
        # the whole card says what white and grey look like in its light
        self.whole = nn.Linear(56, 32)
        self.lateral8, self.lateral4 = nn.Conv2d(56, 48, 1), nn.Conv2d(48, 32, 1)
        self.fuse8, self.fuse4 = (
            InvertedResidual(48),
            nn.Sequential(InvertedResidual(32), InvertedResidual(32)),
        )
        self.head = nn.Conv2d(32, CLASSES, 1)
        self.squeeze = nn.Sequential(
            nn.Conv2d(56, 12, 1, bias=False), nn.BatchNorm2d(12), nn.ReLU(inplace=True)
        )
        self.side = nn.Linear(12 * 6 * 6, TURNS + 1)

    def logits(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        """Raw maps (n, CLASSES, SPOTS, SPOTS) and turns (n, TURNS + 1)."""
        x4 = self.down4(crops.permute(0, 3, 1, 2).float() / 127.5 - 1.0)
        x8 = self.down8(x4)
        x16 = self.down16(x8)
        up8 = self.fuse8(
            x8 + functional.interpolate(self.lateral8(x16), scale_factor=2.0, mode="nearest")
        )
        up4 = x4 + functional.interpolate(self.lateral4(up8), scale_factor=2.0, mode="nearest")
        up4 = up4 + self.whole(x16.mean((2, 3)))[..., None, None]
        return self.head(self.fuse4(up4)), self.side(self.squeeze(x16).flatten(1))

    def forward(self, crops: Tensor) -> Tensor:
        maps, turns = self.logits(crops)
        spots = functional.log_softmax(maps.permute(0, 2, 3, 1), dim=3).flatten(1)
        return torch.cat([spots, functional.log_softmax(turns, dim=1)], 1)


# --- photos for the finder ---


def deck_faces(painter: SetPainter) -> FaceSource:
    """Cards of one deck for the first faces of a scene, faces of other games for the others."""
    asked = 0

    def faces(rng: np.random.Generator, kind: FaceKind, count: int) -> list[Face]:
        nonlocal asked
        asked += 1
        if kind != "cards" or asked > 1:
            return [Face(rgba) for rgba in scene_faces(painter, rng, kind, count)]
        deck = Deck.drawn(rng, painter, described=DESCRIBED)
        return [Face(opaque(random_card(rng, deck).image_rgb)) for _ in range(count)]

    return faces


def random_card(rng: np.random.Generator, deck: Deck) -> DrawnCard:
    """A card of the deck with a pattern and a value by chance."""
    return deck.card(random_pattern(rng), int(rng.choice(POINTS)))


def opaque(image_rgb: Image) -> Image:
    """The picture as RGBA."""
    return np.dstack([image_rgb, np.full(image_rgb.shape[:2], 255, np.uint8)])


def finder_scene(
    rng: np.random.Generator, painter: SetPainter, size_hw: tuple[int, int]
) -> StoredScene:
    """A photo of pattern cards, or one in four of other things, with the quads of pattern cards."""
    kinds: list[SceneKind] = list(SCENE_SHARES)
    kind: SceneKind = "loose"
    source = deck_faces(painter)
    if rng.random() < 0.25:
        kind = kinds[rng.choice(len(kinds), p=list(SCENE_SHARES.values()))]

        def source(rng: np.random.Generator, kind: FaceKind, count: int) -> list[Face]:
            return [Face(rgba) for rgba in scene_faces(painter, rng, kind, count)]

    scene = render_scene(rng, source, size_hw, kind)
    ours = scene.grid_id == 0 if kind == "loose" else np.zeros(len(scene.quads_xy), bool)
    _, jpeg = cv2.imencode(".jpg", scene.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 93])
    return StoredScene(jpeg.ravel(), scene.quads_xy[ours], scene.visible[ours])


def make_scenes(args: argparse.Namespace) -> None:
    painter = SetPainter(ArtSource.of(load_bank(args.bank), "training"))
    rng = np.random.default_rng(args.seed)
    scenes = []
    start = time.monotonic()
    for i in range(args.count):
        scenes.append(finder_scene(rng, painter, (args.size, args.size)))
        if (i + 1) % 250 == 0:
            save_scenes(scenes, args.out)
            print(
                f"{i + 1} scenes, {(time.monotonic() - start) / (i + 1) * 1000:.0f} ms each",
                flush=True,
            )
    save_scenes(scenes, args.out)


class FinderBatches(IterableDataset[tuple[Tensor, ...]]):
    """An endless stream of photos and targets at half size: the finder's stride is twice the
    detector's."""

    def __init__(self, paths: list[Path], batch: int, seed: int) -> None:
        self._paths, self._batch, self._seed = paths, batch, seed

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self._seed, worker.id if worker else 0])
        scenes = load_scenes(self._paths)
        while True:
            items = [
                self._one(rng, scenes[int(rng.integers(len(scenes)))]) for _ in range(self._batch)
            ]
            yield tuple(torch.from_numpy(np.stack(parts)) for parts in zip(*items, strict=True))

    def _one(
        self, rng: np.random.Generator, scene: StoredScene
    ) -> tuple[npt.NDArray[np.generic], ...]:
        image = np.asarray(cv2.imdecode(scene.jpeg, cv2.IMREAD_COLOR), np.uint8)[..., ::-1]
        image, quads = turned_and_mirrored(
            image, scene.quads_xy, int(rng.integers(4)), bool(rng.random() < 0.5)
        )
        image = photometric(rng, image)
        scale = (
            FINDER_PX
            / image.shape[0]
            * float(rng.choice([1.0, rng.uniform(0.6, 1.0), rng.uniform(1.0, 1.7)]))
        )
        free = FINDER_PX - scale * image.shape[0]
        shift = rng.uniform(min(0, free), max(0, free), 2)
        matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]], np.float32)
        ground = rng.integers(0, 255, 3).tolist()
        image = np.asarray(
            cv2.warpAffine(
                image, matrix, (FINDER_PX, FINDER_PX), flags=cv2.INTER_AREA, borderValue=ground
            ),
            np.uint8,
        )
        quads = (quads * scale + shift).astype(np.float32)
        inside = ((quads > -0.02 * FINDER_PX) & (quads < 1.02 * FINDER_PX)).all((1, 2))
        targets = detector_targets(
            (quads + 0.5) / 2 - 0.5, np.where(inside, scene.visible, 0), FINDER_PX // 2
        )
        return image, targets.heat, targets.offsets, targets.weight


# --- crops for the reader ---


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
    motion = None
    if rng.random() < 0.15:
        motion = motion_kernel(int(rng.choice([3, 3, 5])), float(rng.uniform(0, 3.14)))
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


_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


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
    small: Floats = _light_up(rng, np.asarray(taken, np.uint8), photo)
    if photo.blur_px > 0.25:
        small = np.asarray(cv2.GaussianBlur(small, (0, 0), photo.blur_px), np.float32)
    if photo.motion is not None:
        small = np.asarray(cv2.filter2D(small, -1, photo.motion), np.float32)
    if photo.noise > 0.5:
        small = small + rng.standard_normal(small.shape, np.float32) * np.float32(photo.noise)
    pixels = np.clip(small, 0, 255).astype(np.uint8)
    if photo.jpeg < 90:
        _, code = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, photo.jpeg])
        pixels = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    corners = (_UNIT - 0.5) * (1 + rng.normal(0, crooked)) + 0.5
    corners = corners + rng.normal(0, crooked * 0.7, (4, 2)) + rng.normal(0, crooked * 0.5, 2)
    if photo.sleeve and rng.random() < 0.5:  # the sleeve was taken for the card
        corners = (corners - 0.5) * (1 + 2 * photo.sleeve) + 0.5
    in_canvas = corners * (w + 2 * mount, h + 2 * mount) + pad - mount
    scale = np.array(size) / (canvas.shape[1], canvas.shape[0])
    target = (_UNIT * READER_PX - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform((in_canvas * scale - 0.5).astype(np.float32), target)
    crop = cv2.warpPerspective(
        pixels,
        matrix,
        (READER_PX, READER_PX),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    spots = (_UNIT * SPOTS - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform((in_canvas - 0.5).astype(np.float32), spots)
    labels = cv2.warpPerspective(
        classes, matrix, (SPOTS, SPOTS), flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(crop, np.uint8), np.asarray(labels, np.uint8)


class CropSource:
    """Draws crops for the reader and keeps decks for a while, which cost more than crops."""

    def __init__(self, painter: SetPainter, decks: int = 40, described: float = 0.0) -> None:
        self._painter = painter
        self._most, self._described = decks, described
        self._decks: list[Deck] = []

    def batch(
        self, rng: np.random.Generator, photos: int, cards: int
    ) -> tuple[Image, Image, npt.NDArray[np.int64]]:
        """Crops (n, READER_PX, READER_PX, 3), classes of their spots (n, SPOTS, SPOTS) and turns
        (n,)."""
        crops, spots, turns = [], [], []
        for _ in range(photos):
            deck = self._deck(rng)
            photo = conditions(rng)
            drawn = [random_card(rng, deck) for _ in range(cards)]
            for k, card in enumerate(drawn):
                photo = replace(photo, side_px=photo.side_px * float(rng.uniform(0.9, 1.1)))
                neighbour = drawn[k - 1].image_rgb if rng.random() < 0.4 else None
                crop, labels = card_crop(
                    rng, card, neighbour, photo, float(rng.choice([0.012, 0.03, 0.05]))
                )
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
        if len(self._decks) < self._most or rng.random() < 0.25:
            deck = Deck.drawn(rng, self._painter, described=self._described)
            self._decks = [*self._decks, deck][-self._most :]
            return self._decks[-1]
        return self._decks[int(rng.integers(len(self._decks)))]

    def _other(self, rng: np.random.Generator, card: DrawnCard, photo: Conditions) -> Image:
        """What the finder may take for a card: other cards and tiles, parts of a card, several, a
        table."""
        choice = rng.random()
        if choice < 0.45:  # badly framed
            h, w = card.classes.shape
            size = rng.choice([rng.uniform(0.25, 0.7), rng.uniform(1.35, 2.2)])
            shift = rng.uniform(-0.3, 0.3, 2) if size < 1 else rng.uniform(-0.4, 0.4, 2)
            if rng.random() < 0.4:
                size, shift = (
                    1.0,
                    rng.choice([-1, 1], 2) * rng.uniform(0.28, 0.6, 2) * rng.permutation(2),
                )
            quad = ((_UNIT - 0.5) * size + 0.5 + shift) * (w, h)
            matrix = cv2.getPerspectiveTransform(
                quad.astype(np.float32), (_UNIT * (w, h)).astype(np.float32)
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


class Crops(IterableDataset[tuple[Tensor, ...]]):
    """An endless stream of reader batches, seeded per worker."""

    def __init__(self, painter: SetPainter, photos: int, cards: int, seed: int) -> None:
        self._painter, self._photos, self._cards, self._seed = painter, photos, cards, seed

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self._seed, worker.id if worker else 0])
        source = CropSource(self._painter, described=DESCRIBED)
        while True:
            yield tuple(
                torch.from_numpy(part) for part in source.batch(rng, self._photos, self._cards)
            )


def reader_loss(
    maps: Tensor, turn_logits: Tensor, spots: Tensor, turns: Tensor
) -> tuple[Tensor, Tensor]:
    """Cross entropy of the clear spots, symbols above ground; cross entropy of the turns."""
    weights = torch.ones(CLASSES)
    weights[GROUND] = 0.35
    spot_loss = functional.cross_entropy(maps, spots.long(), weights, ignore_index=UNCLEAR)
    return spot_loss, functional.cross_entropy(turn_logits, turns)


def validate(net: CardReaderNet, bank: Path) -> str:
    """Shares of spots and turns that are right, on icon families that no training saw."""
    source = CropSource(SetPainter(ArtSource.of(load_bank(bank), "validation")))
    crops, spots, turns = source.batch(np.random.default_rng(5), 24, 8)
    net.eval()
    with torch.no_grad():
        maps, sides = net.logits(torch.from_numpy(crops))
    net.train()
    best, clear = maps.argmax(1).numpy(), spots < GROUND
    ground = spots >= GROUND
    ground &= spots != UNCLEAR
    return (
        f"cells {(best[clear] == spots[clear]).mean():.3f}  ground and digits "
        f"{(best[ground] == spots[ground]).mean():.3f}"
        f"  turns {(sides.argmax(1).numpy() == turns).mean():.3f}"
    )


def train(
    args: argparse.Namespace,
    net: nn.Module,
    stream: Iterator[tuple[Tensor, ...]],
    losses: Callable[[tuple[Tensor, ...]], tuple[Tensor, Tensor]],
    report: Callable[[], str],
) -> None:
    """Train one of the networks on the sum of two losses; print averages and save weights on the
    way."""
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=0.02)
    start, averages = time.monotonic(), np.zeros(2)
    for step in scheduled_steps(optimiser, args.rate, args.minutes, args.steps, 40):
        parts = losses(next(stream))
        optimiser.zero_grad()
        (parts[0] + parts[1]).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        now = np.array([part.item() for part in parts])
        averages = now if step == 1 else 0.97 * averages + 0.03 * now
        if step % 50 == 0:
            minutes = (time.monotonic() - start) / 60
            print(
                f"{minutes:5.1f} min  step {step}  {averages[0]:.4f}  {averages[1]:.4f}", flush=True
            )
        if step % 200 == 0:
            torch.save({"net": net.state_dict()}, args.out)
            print(report(), flush=True)
    torch.save({"net": net.state_dict()}, args.out)
    print(report())


def train_finder(args: argparse.Namespace) -> None:
    net = CardFinderNet()
    batches = FinderBatches(args.scenes, args.batch, args.seed)
    stream = iter(DataLoader(batches, batch_size=None, num_workers=args.workers, prefetch_factor=4))
    if args.start:
        load_start(net, args.start, next(stream)[0])
    net = net.to(memory_format=torch.channels_last)

    def losses(batch: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        photos, *targets = batch
        with torch.autocast("cpu", torch.bfloat16):
            raw = net.logits(photos)
        return detector_loss(raw.float(), *targets)

    train(args, net, stream, losses, str)


def train_reader(args: argparse.Namespace) -> None:
    net = CardReaderNet()
    art = ArtSource.of(load_bank(args.bank), "training")
    painter = (
        SetPainter(art.with_symbols(load_bank(args.symbols)), BENT)
        if args.symbols
        else SetPainter(art)
    )
    crops = Crops(painter, args.batch, 8, args.seed)
    stream = iter(DataLoader(crops, batch_size=None, num_workers=args.workers, prefetch_factor=4))
    if args.start:
        load_start(net, args.start, next(stream)[0])
    net = net.to(memory_format=torch.channels_last)

    def losses(batch: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        pictures, spots, turns = batch
        with torch.autocast("cpu", torch.bfloat16):
            maps, sides = net.logits(pictures)
        return reader_loss(maps.float(), sides.float(), spots, turns)

    train(args, net, stream, losses, lambda: validate(net, args.bank))


def average(args: argparse.Namespace) -> None:
    """Write the mean of several checkpoints of one training, each gone on from the last.

    It is often better than any of them (model soups, Wortsman et al. 2022, arXiv:2203.05482).
    """
    states = [torch.load(path)["net"] for path in args.checkpoints]
    mean = {
        name: torch.stack([state[name] for state in states]).mean(0)
        if first.is_floating_point()
        else first
        for name, first in states[0].items()
    }
    torch.save({"net": mean}, args.out)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    jobs = parser.add_subparsers(dest="job", required=True)
    scenes = jobs.add_parser("scenes")
    scenes.add_argument("bank", type=Path)
    scenes.add_argument("out", type=Path)
    scenes.add_argument("--count", type=int, default=2500)
    scenes.add_argument("--size", type=int, default=448)
    scenes.add_argument("--seed", type=int, default=1)
    finder, reader = jobs.add_parser("finder"), jobs.add_parser("reader")
    finder.add_argument("scenes", type=Path, nargs="+")
    reader.add_argument("bank", type=Path)
    reader.add_argument(
        "--symbols", type=Path, help="bank of more pictures that could stand for the symbols"
    )
    for sub, batch in ((finder, 16), (reader, 6)):
        sub.add_argument("--out", type=Path, required=True)
        add_schedule_options(sub, minutes=12.0, rate=3e-3, seed=7)
        sub.add_argument("--batch", type=int, default=batch, help="photos a batch")
        sub.add_argument("--workers", type=int, default=1)
        sub.add_argument("--start", type=Path, help="checkpoint or exported network to go on from")
    mean = jobs.add_parser("mean")
    mean.add_argument("checkpoints", type=Path, nargs="+")
    mean.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    if args.job in ("scenes", "mean"):
        (make_scenes if args.job == "scenes" else average)(args)
        return
    torch.manual_seed(args.seed)
    if args.job == "finder":
        train_finder(args)
    else:
        train_reader(args)


if __name__ == "__main__":
    main()
