"""Trains the finder and the reader of pattern cards.

The finder says where cards of the deck lie, whatever else is on the table. The reader looks at one
flattened card. It says what each spot shows (a symbol, a grey cell, a digit, the ground), which way
up the card lies, and whether it is one at all. The networks learn patterns made by chance;
``vision.kinds.cards`` knows the 72 cards of the deck::

    python -m models.training.cards scenes BANK.npz SCENES.npz --count 2500
    python -m models.training.cards finder SCENES.npz --detector DETECTOR.pt --out FINDER.pt
    python -m models.training.cards crops BANK.npz CROPS.npy --count 60000
    python -m models.training.cards reader BANK.npz --crops CROPS.npy --out READER.pt
"""

import argparse
from functools import partial
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.training.arguments import add_network_options, add_scene_options, parser_of
from models.training.art import load_bank
from models.training.card_crops import (
    TURNS,
    CropSource,
    KeptCrops,
    keep_crops,
    opaque,
    random_card,
    turned_cards,
)
from models.training.embedding import InvertedResidual, downsample, grow, upsampled
from models.training.faces import ArtSource, Image, SetPainter
from models.training.faces.deck import CLASSES, GROUND, UNCLEAR, Deck
from models.training.finder import FinderNet
from models.training.locator import Floats, detector_loss, detector_targets, scene_batches
from models.training.scenes import SCENE_SHARES, FaceKind, FaceSource, SceneKind, render_scene
from models.training.scenes.stored import StoredScene, draw_scenes
from models.training.schedule import Arrays, Batch, Batches, losses_of, low_precision, train
from models.training.start import load_start
from models.training.stones import BENT, DESCRIBED

FINDER_PX = 384
"""Side of the pictures that the finder is trained on."""
SEEN = 0.4
"""Crops cut out of scenes, in a step of the reader's training, for each crop of a drawn card."""
SIZE, START_SIZE = (4, 1), (2, 0)
"""Size of the reader, see ``CardReaderNet``, and of the smaller one that it is grown from."""


class CardReaderNet(nn.Module):
    """uint8 RGB crops to log probabilities of each spot's class and of the card's turn.

    (n, READER_PX, READER_PX, 3) to (n, SPOTS * SPOTS * CLASSES + TURNS + 1).

    Parameters
    ----------
    size : how many times as wide as its ends each block is inside. Then how many blocks there are
        besides two at an eighth, two at a sixteenth and one on the way back at an eighth.
    """

    def __init__(self, size: tuple[int, int] = SIZE) -> None:
        super().__init__()
        expansion, further = size

        def blocks(channels: int, count: int) -> list[nn.Module]:
            return [InvertedResidual(channels, expansion) for _ in range(count)]

        self.down4 = nn.Sequential(downsample(3, 16), downsample(16, 32), *blocks(32, 2))
        self.down8 = nn.Sequential(downsample(32, 48), *blocks(48, 2 + further))
        self.down16 = nn.Sequential(downsample(48, 56), *blocks(56, 2 + further))
        # the whole card says what white and grey look like in its light
        self.whole = nn.Linear(56, 32)
        self.lateral8, self.lateral4 = nn.Conv2d(56, 48, 1), nn.Conv2d(48, 32, 1)
        self.fuse8 = nn.Sequential(*blocks(48, 1 + further))
        self.fuse4 = nn.Sequential(*blocks(32, 2))
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
        up8 = self.fuse8(x8 + upsampled(self.lateral8(x16)))
        up4 = x4 + upsampled(self.lateral4(up8))
        up4 = up4 + self.whole(x16.mean((2, 3)))[..., None, None]
        return self.head(self.fuse4(up4)), self.side(self.squeeze(x16).flatten(1))

    def forward(self, crops: Tensor) -> Tensor:
        maps, turns = self.logits(crops)
        spots = functional.log_softmax(maps.permute(0, 2, 3, 1), dim=3).flatten(1)
        return torch.cat([spots, functional.log_softmax(turns, dim=1)], 1)


def deck_faces(painter: SetPainter) -> FaceSource:
    """Cards of one deck for the first faces of a scene, faces of other games for the others."""
    asked = 0

    def faces(rng: np.random.Generator, kind: FaceKind, count: int) -> list[Image]:
        nonlocal asked
        asked += 1
        if kind != "cards" or asked > 1:
            return painter.scene_faces(rng, kind, count)
        deck = Deck.drawn(rng, painter, described=DESCRIBED)
        return [opaque(random_card(rng, deck).image_rgb) for _ in range(count)]

    return faces


class CardScene(NamedTuple):
    """A photo with all its pieces, and which of these are pattern cards (n,)."""

    scene: StoredScene
    pattern_cards: npt.NDArray[np.bool_]

    def cards_alone(self) -> StoredScene:
        jpeg, quads, visible = self.scene
        return StoredScene(jpeg, quads[self.pattern_cards], visible[self.pattern_cards])


def card_scene(
    rng: np.random.Generator, painter: SetPainter, size_hw: tuple[int, int]
) -> CardScene:
    """A photo of pattern cards, or one in four of other things."""
    kinds: list[SceneKind] = list(SCENE_SHARES)
    kind: SceneKind = "loose"
    source = deck_faces(painter)
    if rng.random() < 0.25:
        kind = kinds[rng.choice(len(kinds), p=list(SCENE_SHARES.values()))]
        source = painter.scene_faces
    scene = render_scene(rng, source, size_hw, kind)
    ours = scene.grid_id == 0 if kind == "loose" else np.zeros(len(scene.quads_xy), bool)
    return CardScene(StoredScene.of(scene.image_bgr, scene.quads_xy, scene.visible), ours)


def make_scenes(args: argparse.Namespace) -> None:
    painter = SetPainter(ArtSource.of(load_bank(args.bank), "training"))
    rng = np.random.default_rng(args.seed)
    size_hw = (args.size, args.size)
    draw_scenes(lambda: card_scene(rng, painter, size_hw).cards_alone(), args.count, args.out)


def finder_sample(rng: np.random.Generator, image: Image, quads: Floats, visible: Floats) -> Arrays:
    """A photo from nearer or farther, and targets at half size since the stride is doubled."""
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
        ((quads + 0.5) / 2 - 0.5).astype(np.float32), np.where(inside, visible, 0), FINDER_PX // 2
    )
    return image, targets.heat, targets.offsets, targets.weight


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


def train_finder(args: argparse.Namespace) -> None:
    if not (args.detector or args.start):
        raise SystemExit("say with --detector or --start where the convolutions come from")
    net, batches = FinderNet(), scene_batches(args, finder_sample)
    if args.detector:
        load_start(net.detector, args.detector, next(iter(batches))[0])
    net.train().detector.requires_grad_(False)
    train(args, net, batches, losses_of(net.card_logits, detector_loss), 40)


def painter_of(bank: Path, symbols: Path | None) -> SetPainter:
    """The painter of decks that the reader learns from."""
    art = ArtSource.of(load_bank(bank), "training")
    return SetPainter(art if symbols is None else art.with_symbols(load_bank(symbols)), BENT)


def make_crops(args: argparse.Namespace) -> None:
    """Draw crops of flattened cards and keep them."""
    source = CropSource(painter_of(args.bank, args.symbols), described=DESCRIBED)
    rng, drawn, count = np.random.default_rng(args.seed), list[Arrays](), 0
    while count < args.count:
        drawn.append(source.batch(rng, photos=6, cards=8))
        count += len(drawn[-1][0])
    crops, spots, turns = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    keep_crops(args.out, crops, spots, turns)


def reader_batch(
    rng: np.random.Generator, drawn: KeptCrops, seen: KeptCrops | None, count: int
) -> Arrays:
    """So many crops of drawn cards, and some that were cut out of scenes; of these only turns are
    known."""
    crops, spots, turns = drawn.batch(rng, count)
    if seen is None:
        return crops, spots, turns
    others, unclear, directions = seen.batch(rng, round(SEEN * count))
    others, directions = turned_cards(rng, others, directions)
    return (
        np.concatenate([crops, others]),
        np.concatenate([spots, unclear]),
        np.concatenate([turns, directions]),
    )


def train_reader(args: argparse.Namespace) -> None:
    net = CardReaderNet(tuple(args.size))

    def losses(batch: Batch) -> tuple[Tensor, Tensor]:
        pictures, spots, turns = batch
        with low_precision(pictures.device.type):
            maps, sides = net.logits(pictures)
        return reader_loss(maps.float(), sides.float(), spots, turns)

    seen = KeptCrops(args.candidates) if args.candidates else None
    draw = partial(reader_batch, drawn=KeptCrops(args.crops), seen=seen, count=args.batch)
    batches = Batches(draw, args.seed)
    if args.grown_from:
        smaller = CardReaderNet(START_SIZE)
        load_start(smaller, args.grown_from, next(iter(batches))[0])
        grow(net, smaller)
    train(args, net, batches, losses, 60, report=lambda: validate(net, args.bank))


def main() -> None:
    parser = parser_of(__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    scenes = jobs.add_parser("scenes")
    add_scene_options(scenes, count=2500)
    finder, reader = jobs.add_parser("finder"), jobs.add_parser("reader")
    finder.add_argument("scenes", type=Path, nargs="+")
    told = "trained detector; --start goes on from one that has learnt cards, too"
    finder.add_argument("--detector", type=Path, help=told)
    crops = jobs.add_parser("crops")
    for name in ("bank", "out"):
        crops.add_argument(name, type=Path)
    crops.add_argument("--count", type=int, default=60000)
    crops.add_argument("--seed", type=int, default=1)
    crops.add_argument(
        "--symbols", type=Path, help="bank of more pictures that could stand for the symbols"
    )
    reader.add_argument("bank", type=Path, help="validation")
    reader.add_argument("--crops", type=Path, nargs="+", required=True)
    told = "crops of cards and of others in scenes, by calibration.measuring.candidates"
    reader.add_argument("--candidates", type=Path, nargs="+", help=told)
    told = "width and depth of the blocks"
    reader.add_argument(
        "--size", type=int, nargs=2, default=SIZE, metavar=("EXPANSION", "FURTHER"), help=told
    )
    told = "reader of size {} {} to grow from, in place of --start".format(*START_SIZE)
    reader.add_argument("--grown-from", type=Path, help=told)
    for sub, batch in ((finder, 16), (reader, 60)):
        add_network_options(sub, minutes=12.0, rate=3e-3, batch=batch)
    args = parser.parse_args()
    if args.job in ("scenes", "crops"):
        (make_scenes if args.job == "scenes" else make_crops)(args)
        return
    torch.manual_seed(args.seed)
    if args.job == "finder":
        train_finder(args)
    else:
        train_reader(args)


if __name__ == "__main__":
    main()
