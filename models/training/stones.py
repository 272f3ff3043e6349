"""Trains the stones reader: the crops of one photo in, the symbol of each published stone and its quarter turn out.

For sets in the published colours nothing need be taught: this network was shown thousands of invented editions, every
symbol from many icon families. It starts from the embedding network's features::

    python -m models.training.stones BANK.npz EMBEDDING.pt OUT.pt --minutes 12
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import IterableDataset

from models.training.art import load_bank
from models.training.faces import STONE_COLOURS, ArtSource, SetPainter
from models.training.together import TogetherNet, add_training_options, train, unlikelihood
from models.training.views import Image, lesson_conditions, table_conditions, view

TURNS = 4
NONE = TURNS * len(STONE_COLOURS)
"""Class of crops that show no stone; class ``4 * symbol + turn`` shows a symbol turned counterclockwise."""
STRANGERS = 0.1
"""Share of crops that show faces of other games."""
ALONE = 0.5
"""What the judgement of each stone alone counts in training, beside that of all."""
STONES = 9
"""Most stones in a photo; batches of fewer are drawn, too."""

BENT = 0.6
"""Share of pictures that are bent, for there are few hundred of each symbol."""
DESCRIBED, MIRRORED = 0.4, 0.05
"""Share of editions that look as the published game is described, and of their pictures that look the other way."""


class StonesNet(TogetherNet):
    """uint8 RGB crops of one photo's stones (n, 64, 64, 3) to log probabilities of shape (2, n, NONE + 1).

    The first are judged by all stones: which of them show the same face, what the light does to all. The second are
    judged one by one, as if there were no others: what misleads one there does not mislead all.
    """

    def __init__(self) -> None:
        super().__init__(NONE + 1, 0.3)

    def forward(self, crops: Tensor) -> Tensor:
        seen = self.seen(crops)
        return torch.stack([self.judged(seen[None])[0], self.judged(seen[:, None])[:, 0]])

    def loss(self, crops: Tensor, classes: Tensor) -> Tensor:
        """What is judged by all stones of a photo counts, and what is judged of each alone."""
        seen = self.seen(crops.flatten(0, 1))
        together, alone = self.judged(seen.unflatten(0, crops.shape[:2])), self.judged(seen[:, None])
        return unlikelihood(together, classes) + ALONE * unlikelihood(alone, classes.reshape(-1, 1))


def draw_board(
    rng: np.random.Generator, painter: SetPainter, stones: int, turned: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Crops (stones, 64, 64, 3) and classes of stones of one edition in one photo, all turned alike.

    Any symbol may come any number of times: what the box allows is weighed later, by the decoder.
    """
    photo = lesson_conditions(rng) if rng.random() < 0.25 else table_conditions(rng)
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
    return np.stack(crops), np.array(classes)


class Boards(IterableDataset[tuple[Tensor, Tensor]]):
    """An endless stream of batches, seeded per worker."""

    def __init__(self, art: ArtSource, boards: int, seed: int) -> None:
        self._painter, self._boards, self._seed = SetPainter(art, BENT), boards, seed

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self._seed, worker.id if worker else 0])
        while True:
            stones = STONES if rng.random() < 0.7 else int(rng.integers(1, STONES))
            boards = [draw_board(rng, self._painter, stones) for _ in range(self._boards * STONES // stones)]
            yield (
                torch.from_numpy(np.stack([crops for crops, _ in boards])),
                torch.from_numpy(np.stack([classes for _, classes in boards])),
            )


def validate(net: StonesNet, painter: SetPainter, boards: int = 60) -> tuple[float, float]:
    """Share of right symbols, and of right symbols and turns, on icon families that no training saw."""
    net.eval()
    rng = np.random.default_rng(5)
    drawn = [draw_board(rng, painter, STONES, turned=False) for _ in range(boards)]
    classes = np.stack([classes for _, classes in drawn])
    with torch.no_grad():
        best = net.boards(torch.from_numpy(np.stack([c for c, _ in drawn])))[..., :NONE].argmax(2).numpy()
    net.train()
    return float((best // TURNS == classes // TURNS).mean()), float((best == classes).mean())


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
