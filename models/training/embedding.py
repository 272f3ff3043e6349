"""Trains the embedding network, which turns crops of like faces into near vectors.

Episodes mimic the table (prototypical networks, Snell et al. 2017, arXiv:1703.05175). The faces of
a set are learnt from one photo and told apart in another, against near misses, turned copies and
strangers. Run ``python -m models.training.embedding BANK.npz OUT.pt --minutes 40``.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.registry import manifest
from models.training.arguments import add_schedule_options, parser_of
from models.training.art import load_bank
from models.training.faces import ArtSource, SetPainter
from models.training.schedule import (
    Arrays,
    Batches,
    low_precision,
    save,
    scheduled_steps,
    stacked,
    take_step,
)
from models.training.start import load_start
from models.training.views import CROP_PX, lesson_conditions, table_conditions, view

EMBEDDING_SIZE = 128
FEATURES = 40 * 4 * 4
"""Numbers that ``crop_features`` give of a crop."""
FACES_A_SET = 12
QUERIES = 2
CLOSE_SETS = 0.15
"""Share of sets of plain and marked tiles, the pieces most often taken for each other."""
LEAST_SEEN = 4
"""Fewest faces of a set that lie in a photo while its middle is taken."""
AS_SEEN, CENTRED = 0.4, 0.2
"""Factors on a scalar product of vectors as they are, and from the middle of their photo."""
TURN_DIFFERENCE = 14.0
"""Least mean grey difference at which a turned or recoloured face is another face."""


class InvertedResidual(nn.Module):
    """Expand, filter depthwise, project, add (MobileNetV2, arXiv:1801.04381)."""

    def __init__(self, channels: int, expansion: int = 2) -> None:
        super().__init__()
        wide = channels * expansion
        self.body = nn.Sequential(
            nn.Conv2d(channels, wide, 1, bias=False),
            nn.BatchNorm2d(wide),
            nn.ReLU(inplace=True),
            nn.Conv2d(wide, wide, 3, padding=1, groups=wide, bias=False),
            nn.BatchNorm2d(wide),
            nn.ReLU(inplace=True),
            nn.Conv2d(wide, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)


def downsample(inputs: int, outputs: int) -> nn.Sequential:
    """A plain 3x3 convolution of stride 2."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, 2, 1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


def upsampled(x: Tensor) -> Tensor:
    """Maps of twice the size."""
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


def crop_features(expansion: int = 2, further: int = 0) -> nn.Sequential:
    """The convolutions that read a crop: float images (n, 3, 64, 64) to (n, 40, 4, 4).

    Parameters
    ----------
    expansion : how many times as wide as its ends each block is inside
    further : blocks more than three and two at the last two scales
    """

    def blocks(channels: int, count: int) -> list[nn.Module]:
        return [InvertedResidual(channels, expansion) for _ in range(count)]

    return nn.Sequential(
        downsample(3, 24),
        downsample(24, 48), *blocks(48, 2),
        downsample(48, 96), *blocks(96, 3 + further),
        downsample(96, 128), *blocks(128, 2 + further),
        nn.Conv2d(128, 40, 1, bias=False), nn.BatchNorm2d(40), nn.ReLU(inplace=True),
    )  # fmt: skip


def grow(larger: nn.Module, smaller: nn.Module) -> None:
    """Give a network the weights of one with fewer or narrower blocks, so that it answers alike.

    New channels inside a block do not reach its end, and new blocks end in a normalisation that
    gives zero (Chen et al. 2016, arXiv:1511.05641).
    """
    left = list(smaller.children())
    for module in larger.children():
        if isinstance(module, InvertedResidual):
            if not (left and isinstance(left[0], InvertedResidual)):
                nn.init.zeros_(module.body[-1].weight)
                continue
            nn.init.zeros_(module.body[-2].weight)
        grow(module, left.pop(0))
    own = chain(smaller.named_parameters(recurse=False), smaller.named_buffers(recurse=False))
    with torch.no_grad():
        for name, values in own:
            getattr(larger, name)[tuple(slice(size) for size in values.shape)] = values


class EmbeddingNet(nn.Module):
    """uint8 RGB crops of shape (n, 64, 64, 3) to unit vectors of shape (n, EMBEDDING_SIZE)."""

    def __init__(self) -> None:
        super().__init__()
        self.features = crop_features()
        self.project = nn.Linear(FEATURES, EMBEDDING_SIZE)

    def forward(self, crops: Tensor) -> Tensor:
        x = crops.permute(0, 3, 1, 2).float() / 127.5 - 1.0
        return functional.normalize(self.project(self.features(x).flatten(1)), dim=1)


class Episode(NamedTuple):
    """Crops of a set, uint8: ``lesson`` (faces, 64, 64, 3), ``queries`` (faces, QUERIES, ...)."""

    lesson: npt.NDArray[np.uint8]
    queries: npt.NDArray[np.uint8]


def draw_episode(rng: np.random.Generator, painter: SetPainter) -> Episode:
    """One set, its lesson and its photos; some faces stand in it a second time, turned."""
    close = rng.random() < CLOSE_SETS
    drawn = (painter.plain_and_marked if close else painter.draw)(rng, FACES_A_SET)
    faces = list(drawn.faces)
    rng.shuffle(faces)
    for i in range(min(4, len(faces) - 1) if rng.random() < 0.6 else 0):
        turned = np.rot90(faces[i], int(rng.integers(1, 4))).copy()
        if _other_face(turned, faces[i]):
            faces[-1 - i] = turned
    while len(faces) < FACES_A_SET:
        faces.append(_near_miss(rng, faces[int(rng.integers(len(faces)))]))
    lesson = lesson_conditions(rng)
    photos = [table_conditions(rng) for _ in range(QUERIES)]
    if not drawn.carved:  # print does not swap light and dark
        photos = [replace(photo, detail=max(photo.detail, 0.3)) for photo in photos]
    return Episode(
        np.stack([view(rng, face, lesson) for face in faces]),
        np.stack([[view(rng, face, photo) for photo in photos] for face in faces]),
    )


def _other_face(face: npt.NDArray[np.uint8], than: npt.NDArray[np.uint8]) -> bool:
    """Whether a turned or recoloured face can be told from the one it was made of."""
    return bool(np.abs(face.astype(np.int16) - than).mean() > TURN_DIFFERENCE)


def _near_miss(rng: np.random.Generator, face: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The face in other colours or turned; its negative if neither makes another face of it."""
    colours = [face[..., order] for order in rng.permutation(list(permutations(range(3)))[1:])]
    turned = [np.rot90(face, int(quarters)).copy() for quarters in rng.permutation([1, 2, 3])]
    for other in [*colours, *turned] if rng.random() < 0.5 else [*turned, *colours]:
        if _other_face(other, face):
            return other
    return 255 - face


def draw_batch(rng: np.random.Generator, painter: SetPainter, sets: int) -> Arrays:
    """Lessons and queries of several episodes."""
    return stacked(draw_episode(rng, painter) for _ in range(sets))


class EpisodeLoss(nn.Module):
    """Cross entropy of each query over its set's prototypes and one 'none of these' answer.

    The reader also compares vectors from the middle of their photo, because light moves them all
    alike. So the network is trained on both.
    """

    def __init__(self) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(np.log(12.0), dtype=torch.float32))
        self.none_likeness = nn.Parameter(torch.tensor(0.5))

    def start_from(self, numbers: Mapping[str, float]) -> None:
        """Go on from the numbers of an exported network."""
        with torch.no_grad():
            self.log_scale.fill_(np.log(numbers["scale"]))
            self.none_likeness.fill_(numbers["none_likeness"])

    def forward(self, lesson: Tensor, queries: Tensor) -> tuple[Tensor, Tensor]:
        """Loss and share of right answers; lesson (sets, faces, d), queries (sets, faces, q, d)."""
        sets, faces, q, _ = queries.shape
        scale = self.log_scale.exp().clamp(max=60.0)
        flat = queries.reshape(sets, faces * q, -1)
        none = (self.none_likeness * scale).expand(sets, faces * q, 1)
        logits = torch.cat([torch.einsum("sqd,sfd->sqf", flat, lesson) * scale, none], 2)
        target = torch.arange(faces).repeat_interleave(q).expand(sets, -1)
        known = functional.cross_entropy(
            logits.reshape(-1, faces + 1), target.reshape(-1), label_smoothing=0.005
        )
        strangers = flat.roll(1, 0)[:, ::3]
        strange = torch.cat(
            [torch.einsum("sqd,sfd->sqf", strangers, lesson) * scale, none[:, ::3]], 2
        )
        unknown = functional.cross_entropy(
            strange.reshape(-1, faces + 1),
            torch.full((strange.shape[0] * strange.shape[1],), faces),
        )
        apart, seen = self.from_middles(lesson, queries)
        centred = functional.cross_entropy(
            apart[seen],
            torch.arange(faces)[None, :, None].expand(sets, faces, q)[seen],
            label_smoothing=0.005,
        )
        right = (logits[..., :faces].argmax(2) == target).float().mean()
        return known + 0.25 * unknown + centred, right

    def from_middles(self, lesson: Tensor, queries: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (sets, faces, q, faces) from each photo's middle, and the faces in that photo.

        Each of the q photos shows some of the faces, chosen by chance.
        """
        sets, faces, q, _ = queries.shape
        order = torch.rand(sets, faces, q).argsort(1).argsort(1)
        seen = order < torch.randint(LEAST_SEEN, faces + 1, (sets, 1, q))
        share = (seen / seen.sum(1, keepdim=True)).float()
        photo = torch.einsum("sfq,sfqd->sqd", share, queries)
        taught = torch.einsum("sfq,sfd->sqd", share, lesson)
        beside = functional.normalize(queries - photo[:, None], dim=3)
        prototypes = functional.normalize(lesson[:, None] - taught[:, :, None], dim=3)
        as_seen = torch.einsum("sfqd,sgd->sfqg", queries, lesson)
        alike = torch.einsum("sfqd,sqgd->sfqg", beside, prototypes)
        return self.log_scale.exp().clamp(max=60.0) * (AS_SEEN * as_seen + CENTRED * alike), seen


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("bank", type=Path)
    parser.add_argument("out", type=Path)
    add_schedule_options(parser, minutes=40.0, rate=3e-3, seed=7)
    parser.add_argument("--sets", type=int, default=16, help="sets a batch")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--start", type=Path, help="checkpoint or exported network to go on from")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    icons = load_bank(args.bank)
    net, loss_of = EmbeddingNet(), EpisodeLoss()
    painter = SetPainter(ArtSource.of(icons, "training"))
    if args.start:
        _go_on_from(
            args.start, net, loss_of, draw_episode(np.random.default_rng(args.seed), painter)
        )
    net = net.to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(
        [*net.parameters(), *loss_of.parameters()], lr=args.rate, weight_decay=0.02
    )
    validation = SetPainter(ArtSource.of(icons, "validation"))
    batches = Batches(partial(draw_batch, painter=painter, sets=args.sets), args.seed)
    stream = batches.ahead(args.workers)
    start, running, step = time.monotonic(), 0.0, 0
    for step in scheduled_steps(optimiser, args.rate, args.minutes, args.steps, 60):
        lesson, queries = next(stream)
        crops = torch.cat(
            [lesson.reshape(-1, CROP_PX, CROP_PX, 3), queries.reshape(-1, CROP_PX, CROP_PX, 3)]
        )
        with low_precision("cpu"):
            vectors = net(crops)
        vectors = vectors.float()
        count = lesson.shape[0] * lesson.shape[1]
        loss, right = loss_of(
            vectors[:count].reshape(*lesson.shape[:2], -1),
            vectors[count:].reshape(*queries.shape[:3], -1),
        )
        take_step(net, optimiser, loss, 2.0)
        running = 0.95 * running + 0.05 * right.item() if step > 1 else right.item()
        if step % 50 == 0:
            elapsed = time.monotonic() - start
            told = f"{elapsed / 60:5.1f} min  step {step}  loss {loss.item():.3f}"
            print(f"{told}  right {running:.4f}", flush=True)
        if step % 300 == 0:
            print(f"           validation right {validate(net, validation):.4f}", flush=True)
            save({"net": net.state_dict(), "loss": loss_of.state_dict()}, args.out)
    save({"net": net.state_dict(), "loss": loss_of.state_dict()}, args.out)
    print(f"{step} steps; validation right {validate(net, validation, 100):.4f}")


def _go_on_from(start: Path, net: EmbeddingNet, loss_of: EpisodeLoss, example: Episode) -> None:
    """Load the weights of a network and, where they are kept, of its loss."""
    state: dict[str, Any] = {}
    crops = torch.from_numpy(example.queries.reshape(-1, CROP_PX, CROP_PX, 3))
    load_start(net, start, crops, state)
    if state:
        loss_of.load_state_dict(state["loss"])
    else:
        loss_of.start_from(manifest()["embedding"].numbers)


def validate(net: EmbeddingNet, painter: SetPainter, sets: int = 24) -> float:
    """Share of queries whose nearest prototype is the right one, on art that no training saw."""
    rng = np.random.default_rng(99)
    net.eval()
    right = []
    with torch.no_grad():
        for _ in range(sets):
            episode = draw_episode(rng, painter)
            prototypes = net(torch.from_numpy(episode.lesson))
            flat = net(torch.from_numpy(episode.queries.reshape(-1, CROP_PX, CROP_PX, 3)))
            nearest = (flat @ prototypes.T).argmax(1).numpy()
            right.append((nearest == np.repeat(np.arange(len(episode.lesson)), QUERIES)).mean())
    net.train()
    return float(np.mean(right))


if __name__ == "__main__":
    main()
