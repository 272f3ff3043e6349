"""Trains the detector on reduced photos, and says what the refiner learns from.

The detector (after CenterNet, Zhou et al. 2019, arXiv:1904.07850) gives at every fourth pixel how
likely a piece has its centre there and where its four corners lie. The refiner looks at one piece,
flattened by its guessed corners, and says how far off they are and whether a piece is there at all
(``models.training.finding`` trains it). Scenes come from ``models.training.scenes``::

    python -m models.training.locator scenes BANK.npz SCENES.npz --count 10000
    python -m models.training.locator detector SCENES... --out DETECTOR.pt
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
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
from models.training.embedding import InvertedResidual, downsample
from models.training.finder import DetectorNet
from models.training.scenes.stored import (
    StoredScene,
    draw_scenes,
    load_scenes,
    photometric,
    turned_and_mirrored,
)
from models.training.schedule import Arrays, Batches, losses_of, stacked, train
from models.training.views import UNIT_SQUARE, flattened

STRIDE = 4
CORNER_UNIT_PX = 32.0
"""Corner offsets leave the detector in units of this many pixels of its input."""

REFINE_PX = 48
REFINE_MARGIN = 0.3
"""The refiner sees the guessed quad and this part of its side beyond each edge."""

CUT_SHORT = 0.25
"""Share of guesses with one edge far off, as where a title band was left out."""

LEAST_VISIBLE = 0.35
LEAST_SIDE_PX = 7.0

Floats = npt.NDArray[np.float32]

Sample = Callable[[np.random.Generator, npt.NDArray[np.uint8], Floats, Floats], Arrays]
"""From a generator, a picture, its quads and how far each is visible to a picture and targets."""


class RefinerNet(nn.Module):
    """uint8 RGB crops (n, REFINE_PX, REFINE_PX, 3) to (n, 9): presence and 8 corner shifts."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            downsample(3, 24), InvertedResidual(24),
            downsample(24, 40), InvertedResidual(40), InvertedResidual(40),
            downsample(40, 64), InvertedResidual(64), InvertedResidual(64),
            nn.Conv2d(64, 32, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU(inplace=True),
        )  # fmt: skip
        self.hidden = nn.Linear(32 * 6 * 6, 96)
        self.out = nn.Linear(96, 9)

    def logits(self, crops: Tensor) -> Tensor:
        x = self.features(crops.permute(0, 3, 1, 2).float() / 127.5 - 1.0)
        return torch.as_tensor(self.out(functional.relu(self.hidden(x.flatten(1)))))

    def forward(self, crops: Tensor) -> Tensor:
        raw = self.logits(crops)
        return torch.cat([raw[:, :1].sigmoid(), raw[:, 1:] * 0.1], 1)


def quad_sides(quads: Floats) -> Floats:
    """Root of the area of each quad, shape (n,)."""
    x, y = quads[..., 0], quads[..., 1]
    area = 0.5 * np.abs(np.sum(x * np.roll(y, -1, 1) - y * np.roll(x, -1, 1), 1))
    return np.sqrt(area).astype(np.float32)


class DetectorTargets(NamedTuple):
    """Maps of a scene: ``heat`` (h, w), ``offsets`` (8, h, w) and their ``weight`` (h, w)."""

    heat: Floats
    offsets: Floats
    weight: Floats


def detector_targets(quads: Floats, visible: Floats, size: int) -> DetectorTargets:
    """Gaussian centres and corner offsets around them; later quads overwrite earlier ones."""
    cells = size // STRIDE
    heat, weight = np.zeros((cells, cells), np.float32), np.zeros((cells, cells), np.float32)
    offsets = np.zeros((8, cells, cells), np.float32)
    sides = quad_sides(quads)
    position = np.arange(cells, dtype=np.float32) * STRIDE + (STRIDE - 1) / 2
    for quad, seen, side in zip(quads, visible, sides, strict=True):
        centre = quad.mean(0)
        if (
            seen < LEAST_VISIBLE
            or side < LEAST_SIDE_PX
            or not (0 <= centre[0] < size and 0 <= centre[1] < size)
        ):
            continue
        # a Gaussian shaped like the quad, so that foreshortened neighbours stay apart
        along = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
        across = (quad[2] + quad[3] - quad[0] - quad[1]) / 2
        basis = np.stack([along, across], 1)
        if abs(np.linalg.det(basis)) < 1e-3:
            continue
        inverse = np.linalg.inv(basis)
        reach = int(np.ceil(side * 0.6 / STRIDE)) + 2
        column = round(float((centre[0] - 1.5) / STRIDE))
        row = round(float((centre[1] - 1.5) / STRIDE))
        rows = slice(max(0, row - reach), row + reach + 1)
        columns = slice(max(0, column - reach), column + reach + 1)
        x, y = np.meshgrid(position[columns] - centre[0], position[rows] - centre[1])
        u, v = inverse[0, 0] * x + inverse[0, 1] * y, inverse[1, 0] * x + inverse[1, 1] * y
        r2 = u * u + v * v
        spread = max(0.12, 0.8 * STRIDE / side)
        value = np.exp(-r2 / (2 * spread * spread)).astype(np.float32)
        np.maximum(heat[rows, columns], value, out=heat[rows, columns])
        near = r2 < max(0.25, 1.2 * STRIDE / side) ** 2
        weight[rows, columns][near] = np.maximum(value, 0.1)[near] / (side / CORNER_UNIT_PX)
        for k in range(4):
            offsets[2 * k, rows, columns][near] = ((quad[k, 0] - centre[0] - x) / CORNER_UNIT_PX)[
                near
            ]
            offsets[2 * k + 1, rows, columns][near] = (
                (quad[k, 1] - centre[1] - y) / CORNER_UNIT_PX
            )[near]
        if 0 <= row < cells and 0 <= column < cells:
            heat[row, column] = 1.0
    return DetectorTargets(heat, offsets, weight)


def seen_anew(rng: np.random.Generator, scene: StoredScene) -> tuple[npt.NDArray[np.uint8], Floats]:
    """The photo of a scene turned, mirrored and relit, and its quads."""
    image = np.asarray(cv2.imdecode(scene.jpeg, cv2.IMREAD_COLOR), np.uint8)[..., ::-1]
    image, quads = turned_and_mirrored(
        image, scene.quads_xy, int(rng.integers(4)), bool(rng.random() < 0.5)
    )
    return photometric(rng, image), quads


def draw_batch(
    rng: np.random.Generator, scenes: Sequence[StoredScene], count: int, sample: Sample
) -> Arrays:
    """Some of the scenes, each seen anew, as ``sample`` shows it."""
    some = [scenes[int(rng.integers(len(scenes)))] for _ in range(count)]
    return stacked(sample(rng, *seen_anew(rng, scene), scene.visible) for scene in some)


def scene_batches(args: argparse.Namespace, sample: Sample) -> Batches:
    """Batches of the scenes that the command line names."""
    scenes = load_scenes(args.scenes)
    return Batches(partial(draw_batch, scenes=scenes, count=args.batch, sample=sample), args.seed)


def detector_sample(
    rng: np.random.Generator, image: npt.NDArray[np.uint8], quads: Floats, visible: Floats
) -> Arrays:
    """The scene from nearer or farther, with the targets of the detector."""
    size = image.shape[0]
    scale = float(rng.choice([1.0, 1.0, rng.uniform(0.55, 1.0), rng.uniform(1.0, 1.6)]))
    if scale != 1.0:  # nearer and farther: shrink onto a plain ground or cut out a part
        shift = rng.uniform(min(0, 1 - scale), max(0, 1 - scale), 2) * size
        matrix = np.array([[scale, 0, shift[0]], [0, scale, shift[1]]], np.float32)
        image = np.asarray(
            cv2.warpAffine(
                image, matrix, (size, size), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT
            ),
            np.uint8,
        )
        if scale < 1:  # the mirrored border would show pieces that have no quad
            inside = np.zeros((size, size), bool)
            x0, y0 = (int(v) for v in shift)
            inside[max(0, y0) : int(y0 + scale * size), max(0, x0) : int(x0 + scale * size)] = True
            image[~inside] = rng.integers(0, 255, 3)
        quads = (quads * scale + shift).astype(np.float32)
    centres = quads.mean(1) if len(quads) else np.zeros((0, 2), np.float32)
    visible = np.where(((centres > 0) & (centres < size)).all(1), visible, 0).astype(np.float32)
    targets = detector_targets(quads, visible, size)
    return image, targets.heat, targets.offsets, targets.weight


CROP_CORNERS = ((UNIT_SQUARE + REFINE_MARGIN) / (1 + 2 * REFINE_MARGIN) * REFINE_PX - 0.5).astype(
    np.float32
)


def refiner_crop(image: npt.NDArray[np.uint8], quad: Floats) -> npt.NDArray[np.uint8]:
    """The quad flattened onto the inner part of a crop of REFINE_PX."""
    return flattened(image, quad, CROP_CORNERS, REFINE_PX)


def empty_guesses(
    rng: np.random.Generator, quads: Floats, sides: Floats, size: int, count: int
) -> Iterator[Floats]:
    """Quads without a piece: beside pieces, where a lattice looks for a neighbour, and anywhere."""
    for k in range(count):
        if len(quads) and k % 4:
            i = int(rng.integers(len(quads)))
            if sides[i] < 14:
                continue
            step = np.array(
                ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1))[int(rng.integers(6))]
            )
            matrix = cv2.getPerspectiveTransform(UNIT_SQUARE, quads[i])
            moved = (
                UNIT_SQUARE
                + step * rng.uniform(0.95, 1.3)
                + rng.normal(0, 0.06, 2)
                + rng.normal(0, 0.03, (4, 2))
            )
            guess = cv2.perspectiveTransform(moved[None].astype(np.float32), matrix)[0].astype(
                np.float32
            )
            inside = (guess.mean(0) > 0).all() and (guess.mean(0) < size).all()
            if (
                inside
                and cv2.isContourConvex(guess)
                and 10 < float(quad_sides(guess[None])[0]) < size
            ):
                yield guess
            continue
        side = float(np.exp(rng.uniform(np.log(18), np.log(120))))
        angle = rng.uniform(0, 2 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        shape = (
            (UNIT_SQUARE - 0.5 + rng.normal(0, 0.06, (4, 2)))
            * side
            * np.array([1, rng.uniform(0.6, 1)])
        )
        yield (shape @ turn.T + rng.uniform(0.1 * size, 0.9 * size, 2)).astype(np.float32)


def refiner_samples(
    rng: np.random.Generator,
    image: npt.NDArray[np.uint8],
    quads: Floats,
    visible: Floats,
    most: int = 14,
) -> Arrays:
    """Crops by jittered quads, the shifts (n, 4, 2) that mend them, and their presence.

    Presence is 1 for a piece, 0 for none, -1 for unclear.
    """
    size = image.shape[0]
    sides = quad_sides(quads)
    crops, shifts, present = [], [], []
    shown = ((quads > -0.1 * size) & (quads < 1.1 * size)).all((1, 2))
    for i in rng.permutation(np.flatnonzero(shown & (sides > 14) & (visible > 0.25)))[:most]:
        quad = quads[i]
        matrix = cv2.getPerspectiveTransform(UNIT_SQUARE, quad)
        spread = float(rng.choice([0.03, 0.08, 0.13]))
        moved = UNIT_SQUARE + rng.normal(0, spread * 0.6, (4, 2)) + rng.normal(0, spread, 2)
        moved = (moved - 0.5) * (1 + rng.normal(0, spread)) + 0.5
        if rng.random() < CUT_SHORT:  # one edge lies along a line within the piece, or beyond it
            axis, far = rng.integers(2, size=2)
            moved[UNIT_SQUARE[:, axis] == far, axis] += (1 - 2 * far) * rng.uniform(-0.1, 0.3)
        turn = int(rng.integers(4))  # the guess starts at any corner
        moved = np.roll(moved, turn, 0).astype(np.float32)
        guess = cv2.perspectiveTransform(moved[None], matrix)[0]
        if not cv2.isContourConvex(guess.astype(np.float32)) or np.abs(guess).max() > 2 * size:
            continue
        to_unit = cv2.getPerspectiveTransform(guess.astype(np.float32), UNIT_SQUARE)
        truth = cv2.perspectiveTransform(np.roll(quad, turn, 0)[None], to_unit)[0]
        if np.abs(truth - UNIT_SQUARE).max() > 0.4:
            continue
        # read from a scale at which the piece is about as large as in the crop
        shrink = max(1.0, sides[i] / (REFINE_PX / (1 + 2 * REFINE_MARGIN)) * rng.uniform(0.7, 1.1))
        source = image
        if shrink >= 1.3:
            smaller = cv2.resize(
                image, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA
            )
            source, guess = np.asarray(smaller, np.uint8), (guess + 0.5) / shrink - 0.5
        crops.append(refiner_crop(source, guess))
        shifts.append(truth - UNIT_SQUARE)
        present.append(1.0 if visible[i] > 0.6 else -1.0)
    centres = quads.mean(1) if len(quads) else np.zeros((0, 2), np.float32)
    for guess in empty_guesses(rng, quads, sides, size, max(2, len(crops) // 2)):
        distance = np.hypot(*(centres - guess.mean(0)).T) if len(quads) else np.array([1e9])
        side = float(quad_sides(guess[None])[0])
        if len(quads) and (distance < 0.7 * (sides + side) / 2).any():
            continue
        crops.append(refiner_crop(image, guess))
        shifts.append(np.zeros((4, 2)))
        present.append(0.0)
    if not crops:
        return (
            np.zeros((0, REFINE_PX, REFINE_PX, 3), np.uint8),
            np.zeros((0, 4, 2), np.float32),
            np.zeros(0, np.float32),
        )
    return np.stack(crops), np.stack(shifts).astype(np.float32), np.array(present, np.float32)


def detector_loss(
    maps: Tensor, heat: Tensor, offsets: Tensor, weight: Tensor
) -> tuple[Tensor, Tensor]:
    """Focal loss of centres, and corner error in sides whichever corner comes first."""
    logit = maps[:, 0]
    probability = logit.sigmoid()
    positive = (heat >= 0.999).float()
    count = positive.sum().clamp(min=1)
    found = -functional.logsigmoid(logit) * (1 - probability) ** 2 * positive
    other = -functional.logsigmoid(-logit) * probability**2 * (1 - heat) ** 4 * (1 - positive)
    centre_loss = (found + other).sum() / count
    predicted = maps[:, 1:].reshape(maps.shape[0], 4, 2, *maps.shape[2:])
    wanted = offsets.reshape_as(predicted)
    errors = torch.stack([(predicted - wanted.roll(k, 1)).abs().sum((1, 2)) for k in range(4)])
    corner_loss = (errors.min(0).values * weight).sum() / (weight > 0).float().sum().clamp(min=1)
    return centre_loss, corner_loss


def refiner_loss(raw: Tensor, shifts: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
    """Binary cross entropy of presence; mean absolute corner error in parts of the side."""
    known = present >= 0
    presence = functional.binary_cross_entropy_with_logits(raw[known, 0], present[known])
    there = present != 0
    error = functional.smooth_l1_loss(raw[there, 1:] * 0.1, shifts[there].reshape(-1, 8), beta=0.01)
    return presence, error


def train_detector(args: argparse.Namespace) -> None:
    torch.manual_seed(args.seed)
    net = DetectorNet()
    batches = scene_batches(args, detector_sample)
    train(args, net, batches, losses_of(net.logits, detector_loss), 50)


def make_scenes(args: argparse.Namespace) -> None:
    from models.training.art import load_bank
    from models.training.faces import ArtSource, SetPainter
    from models.training.scenes import render_scene

    painter = SetPainter(ArtSource.of(load_bank(args.bank), args.split))
    rng = np.random.default_rng(args.seed)

    def one() -> StoredScene:
        scene = render_scene(rng, painter.scene_faces, (args.size, args.size))
        return StoredScene.of(scene.image_bgr, scene.quads_xy, scene.visible)

    draw_scenes(one, args.count, args.out)


def main() -> None:
    parser = parser_of(__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    scenes = jobs.add_parser("scenes")
    add_scene_options(scenes, count=10000)
    scenes.add_argument("--split", choices=("training", "validation"), default="training")
    detector = jobs.add_parser("detector")
    detector.add_argument("scenes", type=Path, nargs="+")
    add_network_options(detector, minutes=30.0, rate=3e-3, batch=16)
    args = parser.parse_args()
    if args.job == "scenes":
        make_scenes(args)
    else:
        train_detector(args)


if __name__ == "__main__":
    main()
