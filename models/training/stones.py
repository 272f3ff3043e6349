"""Trains the stones reader: a crop in, the symbol of the published stones and its quarter turn out.

For sets in the published colours nothing need be taught: this network was shown thousands of invented editions, every
symbol from many icon families. It starts from the embedding network's features::

    python -m models.training.stones BANK.npz EMBEDDING.pt OUT.pt --minutes 12
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset

from models.training.art import Icon, load_bank
from models.training.embedding import EmbeddingNet
from models.training.faces import STONE_COLOURS, ArtSource, SetPainter
from models.training.schedule import scheduled_steps
from models.training.views import lesson_conditions, table_conditions, view

TURNS = 4
NONE = TURNS * len(STONE_COLOURS)
"""Class of crops that show no stone; class ``4 * symbol + turn`` shows a symbol turned counterclockwise."""
STRANGERS = 0.12
"""Share of crops that show faces of other games."""


class StonesNet(nn.Module):
    """uint8 RGB crops of shape (n, 64, 64, 3) to log probabilities of shape (n, NONE + 1)."""

    def __init__(self) -> None:
        super().__init__()
        self.features = EmbeddingNet().features
        self.drop = nn.Dropout(0.3)
        self.classify = nn.Linear(40 * 4 * 4, NONE + 1)

    def forward(self, crops: Tensor) -> Tensor:
        x = self.features(crops.permute(0, 3, 1, 2).float() / 127.5 - 1.0)
        return functional.log_softmax(self.classify(self.drop(x.flatten(1))), dim=1)


def draw_batch(
    rng: np.random.Generator, painter: SetPainter, editions: int, turned: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Crops and classes of whole editions, each in light of its own."""
    crops, classes = [], []
    for _ in range(editions):
        photo = lesson_conditions(rng) if rng.random() < 0.25 else table_conditions(rng)
        faces = painter.stone_set(rng, tuple(STONE_COLOURS))
        for symbol, face in enumerate(faces):
            picture = np.clip(face, 0, 255).astype(np.uint8)
            if rng.random() < 0.5:  # a fish may swim either way
                picture = picture[:, ::-1]
            turn = int(rng.integers(TURNS)) if turned else 0
            crops.append(view(rng, np.rot90(picture, turn), photo))
            classes.append(TURNS * symbol + turn)
        if turned and rng.random() < STRANGERS * len(STONE_COLOURS):
            stranger = painter.draw(rng, 4).faces[0]
            crops.append(view(rng, stranger, photo))
            classes.append(NONE)
    return np.stack(crops), np.array(classes)


class Editions(IterableDataset[tuple[Tensor, Tensor]]):
    """An endless stream of batches, seeded per worker."""

    def __init__(self, icons: list[Icon], editions: int, seed: int) -> None:
        self._painter, self._editions, self._seed = (
            SetPainter(ArtSource.of(icons, "training")),
            editions,
            seed,
        )

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self._seed, worker.id if worker else 0])
        while True:
            crops, classes = draw_batch(rng, self._painter, self._editions)
            yield torch.from_numpy(crops), torch.from_numpy(classes)


def validate(net: StonesNet, painter: SetPainter, editions: int = 60) -> tuple[float, float]:
    """Share of right symbols, and of right symbols and turns, on icon families that no training saw."""
    net.eval()
    crops, classes = draw_batch(np.random.default_rng(5), painter, editions, turned=False)
    with torch.no_grad():
        best = net(torch.from_numpy(crops))[:, :NONE].argmax(1).numpy()
    net.train()
    return float((best // TURNS == classes // TURNS).mean()), float((best == classes).mean())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bank", type=Path)
    parser.add_argument(
        "start", type=Path, help="checkpoint of the embedding network, or of this one to go on"
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=12.0)
    parser.add_argument("--steps", type=int, default=0, help="fixed number of steps instead of a time limit")
    parser.add_argument("--editions", type=int, default=30, help="editions a batch")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    icons = load_bank(args.bank)
    net = StonesNet()
    found = torch.load(args.start)["net"]
    if "classify.weight" in found:
        net.load_state_dict(found)
    else:
        net.features.load_state_dict({k[9:]: v for k, v in found.items() if k.startswith("features.")})
    net = net.to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=0.05)
    painter = SetPainter(ArtSource.of(icons, "validation"))
    stream = iter(
        DataLoader(
            Editions(icons, args.editions, args.seed),
            batch_size=None,
            num_workers=args.workers,
            prefetch_factor=6,
        )
    )
    start, running = time.monotonic(), 0.0
    for step in scheduled_steps(optimiser, args.rate, args.minutes, args.steps, 30):
        crops, classes = next(stream)
        with torch.autocast("cpu", torch.bfloat16):
            log_p = net(crops)
        loss = functional.nll_loss(log_p.float(), classes)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        running = loss.item() if step == 1 else 0.95 * running + 0.05 * loss.item()
        if step % 50 == 0:
            symbols, both = validate(net, painter)
            print(
                f"{(time.monotonic() - start) / 60:5.1f} min  step {step}  loss {running:.3f}  symbols {symbols:.3f}  with turn {both:.3f}",
                flush=True,
            )
            torch.save({"net": net.state_dict()}, args.out)
    torch.save({"net": net.state_dict()}, args.out)
    print("validation", validate(net, painter, 200))


if __name__ == "__main__":
    main()
