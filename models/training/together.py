"""Judges all crops of one photo together: the embedding's features, and attention between crops."""

import argparse
import copy
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.training.arguments import add_machine_options, add_schedule_options
from models.training.embedding import FEATURES, crop_features
from models.training.schedule import Batches, keep, low_precision, scheduled_steps, take_step
from models.training.start import load_start

CONTEXT = 96
"""Numbers by which a crop is known to the others of its photo."""
HEADS = 4
UNKNOWN = -1
"""Class of crops that show too little to learn from."""


class Attention(nn.Module):
    """A transformer block (Vaswani et al. 2017, arXiv:1706.03762) over crops (b, n, CONTEXT)."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(CONTEXT), nn.LayerNorm(CONTEXT)
        self.query, self.key, self.value = (nn.Linear(CONTEXT, CONTEXT) for _ in range(3))
        self.out = nn.Linear(CONTEXT, CONTEXT)
        self.think = nn.Sequential(
            nn.Linear(CONTEXT, 2 * CONTEXT), nn.ReLU(), nn.Linear(2 * CONTEXT, CONTEXT)
        )

    def forward(self, x: Tensor) -> Tensor:
        b, n = x.shape[:2]
        seen = self.before(x)
        query, key, value = (
            layer(seen).reshape(b, n, HEADS, CONTEXT // HEADS).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        weights = (query @ key.transpose(2, 3) * (CONTEXT // HEADS) ** -0.5).softmax(3)
        x = x + self.out((weights @ value).transpose(1, 2).reshape(b, n, CONTEXT))
        return torch.as_tensor(x + self.think(self.between(x)))


class Together(nn.Module):
    """Features of crops to log probabilities of their classes, seen beside those of their photo.

    Parameters
    ----------
    classes : how many classes a crop may have.
    places : how many crops a photo always has, if each has its own place in it; 0 if they come in
        any order.
    """

    def __init__(self, classes: int, places: int = 0) -> None:
        super().__init__()
        self.classify = nn.Linear(FEATURES, classes)
        self.token = nn.Linear(FEATURES, CONTEXT)
        self.place = nn.Parameter(torch.zeros(places, CONTEXT)) if places else None
        self.attend = nn.Sequential(Attention(), Attention())
        self.corrected = nn.Linear(CONTEXT, classes)
        nn.init.zeros_(self.corrected.weight)
        nn.init.zeros_(self.corrected.bias)

    def judged(self, seen: Tensor) -> Tensor:
        """Log probabilities (b, n, classes) of the features (b, n, f) of b photos."""
        return self.named(seen, self.in_context(seen))

    def in_context(self, seen: Tensor) -> Tensor:
        """Context (b, n, CONTEXT) of each crop from the others of its photo."""
        tokens = self.token(seen)
        return torch.as_tensor(self.attend(tokens if self.place is None else tokens + self.place))

    def named(self, seen: Tensor, context: Tensor) -> Tensor:
        """Log probabilities (b, n, classes) of features and their context."""
        correction = self.corrected(context)
        return functional.log_softmax(self.classify(seen) + correction, dim=2)


class TogetherNet(Together):
    """uint8 RGB crops of one photo (n, 64, 64, 3) to log probabilities of shape (n, classes).

    Parameters
    ----------
    classes, places : see ``Together``.
    dropped : share of the features that training leaves out.
    size : width and depth of the blocks, see ``crop_features``.
    """

    def __init__(
        self, classes: int, dropped: float, places: int = 0, size: tuple[int, int] = (2, 0)
    ) -> None:
        super().__init__(classes, places)
        self.features = crop_features(*size)
        self.drop = nn.Dropout(dropped)

    def start_from(self, checkpoint: Path, example: Tensor) -> None:
        """Take the weights of an earlier version of this network, or the features of the embedding.

        ``example`` are crops (b, n, 64, 64, 3) of photos, see ``load_start``.
        """
        if checkpoint.suffix != ".pt":
            load_start(
                self, checkpoint, example.flatten(0, 1) if self.place is None else example[0]
            )
            return
        found = torch.load(checkpoint)["net"]
        if "classify.weight" in found:
            self.load_state_dict(found, strict=False)  # earlier versions lack parts
        else:
            self.features.load_state_dict(
                {k[9:]: v for k, v in found.items() if k.startswith("features.")}
            )

    def loss(self, crops: Tensor, *truth: Tensor) -> Tensor:
        """The loss on classes (b, n) of crops (b, n, 64, 64, 3); class -1 is unknown."""
        return unlikelihood(self.boards(crops), truth[0])

    def boards(self, crops: Tensor) -> Tensor:
        """The same for several photos: crops (b, n, 64, 64, 3) to (b, n, classes)."""
        return self.judged(self.seen(crops.flatten(0, 1)).unflatten(0, crops.shape[:2]))

    def seen(self, crops: Tensor) -> Tensor:
        """Features (n, f) of crops (n, 64, 64, 3), each by itself."""
        x = self.features(crops.permute(0, 3, 1, 2).float() / 127.5 - 1.0)
        return torch.as_tensor(self.drop(x.flatten(1)))

    def forward(self, crops: Tensor) -> Tensor:
        return self.boards(crops[None])[0]


def unlikelihood(log_p: Tensor, classes: Tensor) -> Tensor:
    """Mean negative log probability of known classes (b, n) by log_p (b, n, classes)."""
    return functional.nll_loss(log_p.float().flatten(0, 1), classes.flatten(), ignore_index=UNKNOWN)


Net = TypeVar("Net", bound=TogetherNet)
Drawn = TypeVar("Drawn")


def drawn(what: str, count: int, one: Callable[[], Drawn]) -> list[Drawn]:
    """Draw so many pictures, and tell each hundred."""
    found: list[Drawn] = []
    start = time.monotonic()
    for done in range(1, count + 1):
        found.append(one())
        if done % 100 == 0:
            print(f"{done} {what}, {time.monotonic() - start:.0f} s", flush=True)
    return found


def add_training_options(
    parser: argparse.ArgumentParser, minutes: float, rate: float, seed: int
) -> None:
    """Add what every such network is trained from, and its schedule."""
    parser.add_argument(
        "start", type=Path, help="checkpoint of the embedding network, or of this one to go on"
    )
    parser.add_argument("out", type=Path)
    add_schedule_options(parser, minutes, rate, seed)
    add_machine_options(parser)


def train(
    new_net: Callable[[], Net],
    batches: Batches,
    validate: Callable[[Net], object],
    every: int,
    args: argparse.Namespace,
) -> Net:
    """Train a network with the options of ``add_training_options`` on batches of crops.

    It is saved every so many steps and at the end. Before each save but the last it is validated,
    on the processor.
    """
    torch.manual_seed(args.seed)
    device = torch.device(args.device)
    net = new_net()
    stream = batches.ahead(args.workers)
    net.start_from(args.start, next(stream)[0])
    net = net.to(device, memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=0.05)
    start, running = time.monotonic(), 0.0
    for step in scheduled_steps(optimiser, args.rate, args.minutes, args.steps, 30):
        batch = [part.to(device) for part in next(stream)]
        with low_precision(device.type):
            loss = net.loss(*batch)
        take_step(net, optimiser, loss, 2.0)
        running = loss.item() if step == 1 else 0.95 * running + 0.05 * loss.item()
        if step % 50 == 0:
            print(
                f"{(time.monotonic() - start) / 60:5.1f} min  step {step}  loss {running:.4f}",
                flush=True,
            )
        if step % every == 0:
            print("          ", validate(copy.deepcopy(net).cpu()), flush=True)
            keep(net, args.out)
    keep(net, args.out)
    return net.cpu()
