"""How long a training runs and how fast it learns on the way, the same for every network."""

import argparse
import math
import time
from collections.abc import Iterator

import torch


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


def add_schedule_options(
    parser: argparse.ArgumentParser, minutes: float, rate: float, seed: int
) -> None:
    """Add ``--minutes``, ``--steps``, ``--rate`` and ``--seed`` with one network's defaults."""
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument(
        "--steps", type=int, default=0, help="fixed number of steps instead of a time limit"
    )
    parser.add_argument("--rate", type=float, default=rate)
    parser.add_argument("--seed", type=int, default=seed)
