"""Trains the stones reader: the crops of one photo in, the symbol of each published stone and its quarter turn out.

For sets in the published colours nothing need be taught: this network was shown thousands of invented editions, every
symbol from many icon families. It starts from the embedding network's features::

    python -m models.training.stones BANK.npz EMBEDDING.pt OUT.pt --minutes 12
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import IterableDataset

from models.training.art import load_bank
from models.training.faces import STONE_COLOURS, ArtSource, SetPainter
from models.training.together import (
    CONTEXT,
    UNKNOWN,
    TogetherNet,
    add_training_options,
    train,
    unlikelihood,
)
from models.training.views import Image, lesson_conditions, table_conditions, view

TURNS = 4
NONE = TURNS * len(STONE_COLOURS)
"""Class of crops that show no stone; class ``4 * symbol + turn`` shows a symbol turned counterclockwise."""
STRANGERS = 0.1
"""Share of crops that show faces of other games."""
ALONE = 0.5
"""What the judgement of each stone alone counts in training, beside that of all."""
LIGHT = 1.0
"""What the tint of the light counts."""
TINTED, STRONG = 0.3, 0.5
"""Share of photos in strongly coloured light, and how strong it is: standard deviation of the logarithms of red and blue."""
STONES = 9
"""Most stones in a photo; batches of fewer are drawn, too."""

BENT = 0.6
"""Share of pictures that are bent, for there are few hundred of each symbol."""
DESCRIBED, MIRRORED = 0.4, 0.05
"""Share of editions that look as the published game is described, and of their pictures that look the other way."""


class StonesNet(TogetherNet):
    """uint8 RGB crops of one photo's stones (n, 64, 64, 3) to log probabilities of shape (2, n, NONE + 1), and the tint (2,)
    of the light.

    The first are judged by all stones: which of them show the same face, what the light does to all. The second are
    judged one by one, as if there were no others: what misleads one there does not mislead all. The tint is by how
    much more of red and of blue than of green the light holds (natural logarithms).
    """

    def __init__(self) -> None:
        super().__init__(NONE + 1, 0.3)
        self.light, self.trust = nn.Linear(CONTEXT, 2), nn.Linear(CONTEXT, 1)

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        seen = self.seen(crops)
        context = self.in_context(seen[None])
        log_p = torch.stack([self.named(seen[None], context)[0], self.judged(seen[:, None])[:, 0]])
        return log_p, self.tint(context)[0]

    def tint(self, context: Tensor) -> Tensor:
        """Tints (b, 2) of the light, as the stones say that tell most of it."""
        weight = self.trust(context).softmax(1)
        return torch.as_tensor((weight * self.light(context)).sum(1))

    def loss(self, crops: Tensor, *truth: Tensor) -> Tensor:
        """What is judged by all stones of a photo counts, what is judged of each alone, and the tint of the light."""
        classes, tint = truth
        seen = self.seen(crops.flatten(0, 1))
        apart = seen.unflatten(0, crops.shape[:2])
        context = self.in_context(apart)
        named = unlikelihood(self.named(apart, context), classes)
        alone = unlikelihood(self.judged(seen[:, None]), classes.reshape(-1, 1))
        return named + ALONE * alone + LIGHT * functional.l1_loss(self.tint(context).float(), tint)


class Board(NamedTuple):
    """Crops (n, 64, 64, 3) of stones in one photo, their classes (n,) and the tint (2,) of the light."""

    crops: np.ndarray
    classes: np.ndarray
    tint: np.ndarray


def draw_board(
    rng: np.random.Generator, painter: SetPainter, stones: int, turned: bool = True, tinted: float = TINTED
) -> Board:
    """Stones of one edition in one photo, all turned alike; in ``tinted`` of the photos the light is strongly coloured.

    Any symbol may come any number of times: what the box allows is weighed later, by the decoder. In strongly coloured
    light the classes are not known: colours are the same as others in another light, and shall be believed in a plain one.
    """
    photo = lesson_conditions(rng) if rng.random() < 0.25 else table_conditions(rng)
    strange_light = rng.random() < tinted
    if strange_light:
        red, blue = rng.normal(0, STRONG, 2)
        photo = replace(photo, gains=(photo.gains * np.exp([red, 0, blue])).astype(np.float32))
    pictures = []
    as_described = turned and rng.random() < DESCRIBED
    paint = painter.described_set if as_described else painter.stone_set
    for face in paint(rng, tuple(STONE_COLOURS)):
        picture = np.clip(face, 0, 255).astype(np.uint8)
        # an icon may look either way, a picture of the game looks to the left
        mirrored = rng.random() < (MIRRORED if as_described else 0.5)
        pictures.append(picture[:, ::-1] if mirrored else picture)
    turn = int(rng.integers(TURNS)) if turned else 0
    crops, classes = [], []
    for _ in range(stones):
        symbol = int(rng.integers(len(STONE_COLOURS)))
        stranger = turned and rng.random() < STRANGERS
        shown: Image = painter.draw(rng, 4).faces[0] if stranger else np.rot90(pictures[symbol], turn)
        crops.append(view(rng, shown, photo))
        classes.append(NONE if stranger else TURNS * symbol + turn)
    known = np.full(stones, UNKNOWN) if strange_light else np.array(classes)
    return Board(np.stack(crops), known, photo.tint)


class Boards(IterableDataset[tuple[Tensor, ...]]):
    """An endless stream of batches, seeded per worker."""

    def __init__(self, art: ArtSource, boards: int, seed: int) -> None:
        self._painter, self._boards, self._seed = SetPainter(art, BENT), boards, seed

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self._seed, worker.id if worker else 0])
        while True:
            stones = STONES if rng.random() < 0.7 else int(rng.integers(1, STONES))
            boards = [draw_board(rng, self._painter, stones) for _ in range(self._boards * STONES // stones)]
            yield tuple(torch.from_numpy(np.stack(what)) for what in zip(*boards, strict=True))


def validate(net: StonesNet, painter: SetPainter, boards: int = 60) -> tuple[float, float, float]:
    """Share of right symbols, and of right symbols and turns, on icon families that no training saw, and how far the tint is
    off in light of any colour (mean of red and blue)."""
    net.eval()
    rng = np.random.default_rng(5)
    plain, coloured = (
        [draw_board(rng, painter, STONES, False, share) for _ in range(boards)] for share in (0.0, 1.0)
    )
    classes = np.stack([board.classes for board in plain])
    with torch.no_grad():
        log_p = net.boards(torch.from_numpy(np.stack([board.crops for board in plain])))
        tints = np.stack([net(torch.from_numpy(board.crops))[1].numpy() for board in coloured])
    best = log_p[..., :NONE].argmax(2).numpy()
    off = np.abs(tints - np.stack([board.tint for board in coloured])).mean()
    net.train()
    return float((best // TURNS == classes // TURNS).mean()), float((best == classes).mean()), float(off)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bank", type=Path)
    add_training_options(parser, minutes=12.0, rate=1.5e-3, seed=11)
    parser.add_argument("--boards", type=int, default=26, help="photos of nine stones a batch")
    parser.add_argument("--symbols", type=Path, help="bank of more pictures that could stand for the symbols")
    args = parser.parse_args()
    icons = load_bank(args.bank)
    painter = SetPainter(ArtSource.of(icons, "validation"))
    art = ArtSource.of(icons, "training")
    if args.symbols:
        art = art.with_symbols(load_bank(args.symbols))
    net = train(StonesNet, Boards(art, args.boards, args.seed), lambda net: validate(net, painter), 50, args)
    print("validation", validate(net, painter, 200))


if __name__ == "__main__":
    main()
