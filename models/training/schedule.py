"""How a training runs, for how long and how fast it learns on the way, alike for every network."""

import argparse
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from models.training.start import load_start

Batch = tuple[Tensor, ...]
Arrays = tuple[npt.NDArray[Any], ...]


class Batches(IterableDataset[Batch]):
    """An endless stream of batches, each drawn by ``draw`` with the generator of its process."""

    def __init__(self, draw: Callable[[np.random.Generator], Arrays], seed: int) -> None:
        self._draw, self._seed = draw, seed

    def __iter__(self) -> Iterator[Batch]:
        worker = get_worker_info()
        rng = np.random.default_rng([self._seed, worker.id if worker else 0])
        while True:
            yield tuple(torch.from_numpy(part) for part in self._draw(rng))

    def ahead(self, workers: int = 1) -> Iterator[Batch]:
        """The stream, which other processes draw while a network learns."""
        return iter(DataLoader(self, batch_size=None, num_workers=workers, prefetch_factor=6))


def stacked(examples: Iterable[Arrays]) -> Arrays:
    """One batch of examples that have the same parts."""
    return tuple(np.stack(parts) for parts in zip(*examples, strict=True))


def keep(net: nn.Module, path: Path) -> None:
    """Save the weights of a network as any machine can load them, also one without its device."""
    save({"net": {name: value.cpu() for name, value in net.state_dict().items()}}, path)


def save(checkpoint: dict[str, Any], path: Path) -> None:
    """Write a checkpoint; one that was there stays until the new one is whole."""
    target = path.resolve()
    if target.exists() and not target.is_file():  # a device takes what is written to it
        torch.save(checkpoint, target)
        return
    part = target.with_name(f"{target.name}.part")
    try:
        torch.save(checkpoint, part)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def take_step(
    net: nn.Module, optimiser: torch.optim.Optimizer, loss: Tensor, most_norm: float
) -> None:
    """Move the weights of a network against the slope of a loss, clipped to a norm."""
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), most_norm)
    optimiser.step()


def scheduled_steps(
    optimiser: torch.optim.Optimizer, rate: float, minutes: float, steps: int, warm_up: int
) -> Iterator[int]:
    """Number the steps of a training from 1, setting the learning rate before each.

    The rate rises over ``warm_up`` steps and then falls along a cosine to a fiftieth. The end is
    after ``steps`` steps, or after ``minutes`` if that is 0.
    """
    start, step = time.monotonic(), 0
    while (done := step / steps if steps else (time.monotonic() - start) / (60 * minutes)) < 1:
        step += 1
        falling = 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done))
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, step / warm_up) * falling
        yield step


def low_precision(device: str) -> torch.autocast:
    """Compute in bfloat16 where the device (``cpu`` or ``cuda``) has instructions for it.

    A processor without them takes fifteen times as long as in single precision.
    """
    can = torch.cpu.get_capabilities()
    has_them = device != "cpu" or can.get("avx512_bf16") or can.get("amx_bf16")
    return torch.autocast(device, torch.bfloat16, enabled=bool(has_them))


def losses_of(
    logits: Callable[[Tensor], Tensor], loss: Callable[..., tuple[Tensor, Tensor]]
) -> Callable[[Batch], tuple[Tensor, Tensor]]:
    """The two losses of what a network makes of photos, the first part of a batch."""

    def losses(batch: Batch) -> tuple[Tensor, Tensor]:
        photos, *targets = batch
        with low_precision(photos.device.type):
            raw = logits(photos)
        return loss(raw.float(), *targets)

    return losses


def train(
    args: argparse.Namespace,
    net: nn.Module,
    batches: Batches,
    losses: Callable[[Batch], Sequence[Tensor]],
    warm_up: int,
    weights: Sequence[float] = (1.0, 1.0),
    report: Callable[[], str] = str,
) -> None:
    """Train a network on weighted losses; print averages and save weights on the way."""
    device = torch.device(args.device)
    stream = batches.ahead(args.workers)
    if args.start:
        load_start(net, args.start, next(stream)[0])
    net = net.to(device, memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=0.02)
    start, averages = time.monotonic(), np.zeros(len(weights))
    for step in scheduled_steps(optimiser, args.rate, args.minutes, args.steps, warm_up):
        parts = losses(tuple(part.to(device) for part in next(stream)))
        weighed = [part * weight for part, weight in zip(parts, weights, strict=True)]
        take_step(net, optimiser, torch.stack(weighed).sum(), 5.0)
        now = np.array([part.item() for part in parts])
        averages = now if step == 1 else 0.97 * averages + 0.03 * now
        if step % 50 == 0:
            minutes = (time.monotonic() - start) / 60
            told = "  ".join(f"{average:.4f}" for average in averages)
            print(f"{minutes:5.1f} min  step {step}  {told}", flush=True)
        if step % 200 == 0:
            keep(net, args.out)
            print(report(), flush=True)
    keep(net, args.out)
    print(report())
