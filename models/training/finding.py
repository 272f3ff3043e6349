"""Trains the finder and the refiner on scenes that are drawn while they learn.

Each scene is shown some eight times, turned, mirrored and relit, and forgotten. The finder learns
with both heads at once, from the photos; the refiner from crops around guesses::

    python -m models.training.finding finder BANK.npz --start FINDER.pt --out OUT.pt --minutes 40
    python -m models.training.finding refiner BANK.npz --out OUT.pt --minutes 40
"""

from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from models.training.arguments import add_network_options, parser_of
from models.training.art import load_bank
from models.training.cards import CardScene, card_scene, finder_sample
from models.training.faces import ArtSource, Image, SetPainter
from models.training.finder import FinderNet
from models.training.locator import (
    Floats,
    RefinerNet,
    detector_loss,
    detector_sample,
    refiner_loss,
    refiner_samples,
    seen_anew,
)
from models.training.scenes import render_scene
from models.training.scenes.stored import StoredScene
from models.training.schedule import Arrays, Batch, Batches, losses_of, stacked, train

SCENE_PX, CARD_SCENE_PX = 448, 480
SHOWN = 8
"""How often each scene is shown, on average."""
KEPT = 250
"""Scenes of each sort that are shown in turn."""
FIRST = 10
"""Scenes of each sort that are drawn before any is shown."""
BANDED = 0.5
"""Share of the sets of cards that have title bands."""
CROPS = 12
"""Crops for each photo."""


class Painters(NamedTuple):
    """Who draws the faces: of any game, and of decks with more pictures of their symbols."""

    any_game: SetPainter
    decks: SetPainter


class Sight(NamedTuple):
    """A scene as it is shown once, and which of its pieces are pattern cards (n,)."""

    image: Image
    quads: Floats
    visible: Floats
    pattern_cards: npt.NDArray[np.bool_]

    def cards_alone(self) -> tuple[Floats, Floats]:
        """Quads of the pattern cards, and how far they are visible."""
        return self.quads[self.pattern_cards], self.visible[self.pattern_cards]


class FreshScenes:
    """Draws batches of so many photos of any pieces, and half as many of pattern cards."""

    def __init__(self, painters: Painters, photos: int) -> None:
        self._painters, self._photos = painters, photos
        self._scenes, self._cards = (deque[CardScene](maxlen=KEPT) for _ in range(2))

    def photos(self, rng: np.random.Generator) -> Arrays:
        """Pictures, heat, offsets and weight of both sorts."""
        sights = list(self._sights(rng))
        pieces = [
            detector_sample(rng, sight.image, sight.quads, sight.visible)
            for sight in sights[: self._photos]
        ]
        pattern_cards = [
            finder_sample(rng, sight.image, *sight.cards_alone())
            for sight in sights[self._photos :]
        ]
        return (*stacked(pieces), *stacked(pattern_cards))

    def crops(self, rng: np.random.Generator) -> Arrays:
        """Crops around guesses of what lies there, always as many; shifts and presence."""
        sights = list(self._sights(rng))
        taken = [refiner_samples(rng, sight.image, sight.quads, sight.visible) for sight in sights]
        crops = [np.concatenate(parts) for parts in zip(*taken, strict=True)]
        # a graphics card makes its plans anew for each other number of them
        some = np.resize(rng.permutation(len(crops[0])), CROPS * len(sights))
        return tuple(part[some] for part in crops)

    def _sights(self, rng: np.random.Generator) -> Iterator[Sight]:
        """The photos of a batch, those of any pieces first."""
        for scenes, count, draw in (
            (self._scenes, self._photos, self._any_scene),
            (self._cards, self._photos // 2, self._card_scene),
        ):
            for _ in range(max(count // SHOWN, 1, FIRST - len(scenes))):
                scenes.append(draw(rng))
            for _ in range(count):
                scene, ours = scenes[int(rng.integers(len(scenes)))]
                yield Sight(*seen_anew(rng, scene), scene.visible, ours)

    def _any_scene(self, rng: np.random.Generator) -> CardScene:
        scene = render_scene(rng, self._painters.any_game.scene_faces, (SCENE_PX, SCENE_PX))
        none = np.zeros(len(scene.quads_xy), bool)
        return CardScene(StoredScene.of(scene.image_bgr, scene.quads_xy, scene.visible), none)

    def _card_scene(self, rng: np.random.Generator) -> CardScene:
        painter = self._painters[int(rng.integers(len(self._painters)))]
        return card_scene(rng, painter, (CARD_SCENE_PX, CARD_SCENE_PX))


def losses(net: FinderNet, batch: Batch) -> tuple[Tensor, ...]:
    """Losses of centres and of corners, of pieces and then of pattern cards."""
    pieces, cards = batch[:4], batch[4:]
    return (
        *losses_of(net.detector.logits, detector_loss)(pieces),
        *losses_of(net.card_logits, detector_loss)(cards),
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("network", choices=("finder", "refiner"))
    parser.add_argument("bank", type=Path)
    told = "bank of more pictures that could stand for the symbols of decks"
    parser.add_argument("--symbols", type=Path, help=told)
    add_network_options(parser, minutes=40.0, rate=3.5e-4, batch=16)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    art = ArtSource.of(load_bank(args.bank), "training")
    more = art.with_symbols(load_bank(args.symbols)) if args.symbols else art
    painters = Painters(*(SetPainter(icons, banded=BANDED) for icons in (art, more)))
    scenes = FreshScenes(painters, args.batch)
    if args.network == "finder":
        finder = FinderNet(steady=True).train()
        batches = Batches(scenes.photos, args.seed)
        train(args, finder, batches, partial(losses, finder), 60, (1.0, 1.0, 1.0, 1.0))
    else:
        refiner = RefinerNet()
        loss = losses_of(refiner.logits, refiner_loss)
        train(args, refiner, Batches(scenes.crops, args.seed), loss, 60, (0.1, 20.0))


if __name__ == "__main__":
    main()
