"""Trains the cell reader to tell which places of an unprinted grid hold a piece, too.

A gap between cards has four edges, like a card, and a place that the photo cuts off shows a strip
of itself. The network sees each place with its surroundings, and all places of a photo at once:
bare places look like the other bare ones, cards like the other cards. It knows no game::

    python -m models.training.places draw BANK.npz GRIDS.npz --count 2400
    python -m models.training.places train CELLS.pt OUT.pt --grids GRIDS.npz --validation \\
        HELD_OUT.npz --boards BOARDS.npz --held-out-boards HELD_OUT_BOARDS.npz
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from models.training.arguments import add_jobs, parser_of
from models.training.art import load_bank
from models.training.cells import CellsNet, StoredBoards, cut_out, relit
from models.training.cells import validate as validate_cells
from models.training.faces import ArtSource, Image, SetPainter
from models.training.scenes import FaceKind, Scene, SceneKind, render_scene
from models.training.schedule import Arrays, Batches, stacked
from models.training.together import (
    UNKNOWN,
    Together,
    add_training_options,
    drawn,
    train,
    unlikelihood,
)
from models.training.views import UNIT_SQUARE

MARGIN = 0.35
"""How much of its surroundings a place is seen with, in sides."""
BARE, PIECE = 0, 1
LEAST_IN_PHOTO = 0.12
"""Least share of a place in the photo of which the network is asked."""
LEAST_VISIBLE = 0.35
"""A piece with less than this in sight is neither bare nor a piece."""
PHOTOS_HW = ((480, 640), (768, 1024))
LARGE_PHOTO = 0.5
KINDS: dict[SceneKind, float] = {"time": 0.5, "cards": 0.2, "dense": 0.3}
"""Shares of layouts: hand-laid cards, rows of cards with gaps, tiles edge to edge."""
CUT = 0.5
"""Share of photos whose edge runs through the grid."""
LEAST_HELD = 2


class PlacesNet(CellsNet):
    """The cell reader, which reads the places of any grid as well.

    uint8 RGB crops (CELLS, 64, 64, 3) of a printed board to its answer, and crops (n, 64, 64, 3) of
    a photo's places to log probabilities (n, 2).
    """

    def __init__(self) -> None:
        super().__init__()
        self.places = Together(2)

    def loss(self, crops: Tensor, *truth: Tensor) -> Tensor:
        """The sum of both losses: of boards, and of as many photos of other grids as given."""
        classes, places, pieces = truth
        # seen at once, so that normalisation sees in training what it sees later
        seen = self.seen(torch.cat([crops.flatten(0, 1), places.flatten(0, 1)]))
        cells = seen[: classes.numel()].unflatten(0, classes.shape)
        others = seen[classes.numel() :].unflatten(0, pieces.shape)
        held = unlikelihood(self.places.judged(others), pieces)
        return unlikelihood(self.judged(cells), classes) + held

    def held(self, crops: Tensor) -> Tensor:
        """Log probabilities (n, 2) of bare table and of a piece on the places of one photo."""
        return self.places.judged(self.seen(crops)[None])[0]

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        return self.printed(crops), self.held(crops)


class Grid(NamedTuple):
    """Crops (n, 64, 64, 3) of the places of one photo, in any order, and their classes (n,)."""

    crops: npt.NDArray[np.uint8]
    classes: npt.NDArray[np.int64]


def few_faces(
    painter: SetPainter, rng: np.random.Generator, kind: FaceKind, count: int
) -> list[Image]:
    """Faces of a deck that has a few, many of each."""
    faces = painter.scene_faces(rng, kind, int(rng.integers(3, 7)))
    return [faces[k] for k in rng.integers(len(faces), size=count)]


def shares_in_photo(
    quads_xy: npt.NDArray[np.float32], size_hw: tuple[int, int]
) -> npt.NDArray[np.float64]:
    """How much of each quad (n, 4, 2) lies inside the photo, shape (n,)."""
    photo = (UNIT_SQUARE * size_hw[::-1]).astype(np.float32)
    inside = [
        cv2.intersectConvexConvex(quad, photo)[0] / abs(cv2.contourArea(quad)) for quad in quads_xy
    ]
    return np.asarray(inside, np.float64)


def cut_off(rng: np.random.Generator, scene: Scene) -> Scene:
    """The photo with one or two edges cut, through the grid or beside it."""
    h, w = scene.image_bgr.shape[:2]
    ours = scene.quads_xy[scene.grid_id == 0].reshape(-1, 2)
    low, high = np.zeros(2), np.array((w, h), np.float64)
    for side in rng.permutation(4)[: int(rng.integers(1, 3))]:
        axis, far = side % 2, side >= 2
        reach = np.ptp(ours[:, axis])
        if far:
            high[axis] = min(high[axis], ours[:, axis].max() + rng.uniform(-0.3, 0.35) * reach)
        else:
            low[axis] = max(low[axis], ours[:, axis].min() - rng.uniform(-0.3, 0.35) * reach)
    x0, y0 = np.floor(low).astype(int).tolist()
    x1, y1 = np.ceil(high).astype(int).tolist()
    if x1 - x0 < w / 3 or y1 - y0 < h / 3:
        return scene
    shift = np.array((x0, y0), np.float32)
    return scene._replace(image_bgr=scene.image_bgr[y0:y1, x0:x1], quads_xy=scene.quads_xy - shift)


def draw_grid(rng: np.random.Generator, painter: SetPainter, traced: bool = False) -> Grid:
    """A grid of pieces in a photo, and the places on and around it as a reader guesses them."""
    while True:
        kind = list(KINDS)[rng.choice(len(KINDS), p=list(KINDS.values()))]
        photo_hw = PHOTOS_HW[int(rng.random() < LARGE_PHOTO)]
        scene = render_scene(rng, partial(few_faces, painter), photo_hw, kind, traced=traced)
        if rng.random() < CUT:
            scene = cut_off(rng, scene)
        ours = scene.grid_id == 0
        size_hw = scene.image_bgr.shape[:2]
        quads, cells = scene.quads_xy[ours], scene.cells[ours]
        visible = shares_in_photo(quads, size_hw)
        held = (visible > 0.6) & (scene.visible[ours] > 0.5)
        if held.sum() < LEAST_HELD:
            continue
        known = held & (rng.random(len(held)) < 0.9)
        known = known if known.any() else held
        noisy = (
            quads[known]
            + rng.normal(0, 0.012, quads[known].shape) * np.ptp(quads[known], axis=1).mean()
        )
        at = np.concatenate([UNIT_SQUARE + cell[::-1] for cell in cells[known]]).astype(np.float32)
        to_photo, _ = cv2.findHomography(at, noisy.reshape(-1, 2).astype(np.float32))
        if to_photo is not None:
            break
    low, high = cells[held].min(0) - 1, cells[held].max(0) + 1
    pieces = {(int(r), int(c)): k for k, (r, c) in enumerate(cells)}
    places = [(r, c) for r in range(low[0], high[0] + 1) for c in range(low[1], high[1] + 1)]
    corners = np.array([UNIT_SQUARE + np.array((c, r)) for r, c in places], np.float32)
    depth = np.concatenate([corners, np.ones((*corners.shape[:2], 1), np.float32)], 2) @ to_photo[2]
    around = cv2.perspectiveTransform(corners, to_photo).astype(np.float32)
    asked = (depth > 0.05).all(1)
    asked[asked] = shares_in_photo(around[asked], size_hw) >= LEAST_IN_PHOTO
    if not asked.any():
        return draw_grid(rng, painter, traced)
    classes = []
    for k in np.flatnonzero(asked):
        piece = pieces.get(places[k])
        seen = piece is None or scene.visible[ours][piece] >= LEAST_VISIBLE
        classes.append(UNKNOWN if not seen else BARE if piece is None else PIECE)
    rgb = np.asarray(cv2.cvtColor(scene.image_bgr, cv2.COLOR_BGR2RGB), np.uint8)
    return Grid(cut_out(rgb, around[asked], MARGIN), np.array(classes, np.int64))


def draw_grids(args: argparse.Namespace) -> None:
    painter = SetPainter(ArtSource.of(load_bank(args.bank), args.split))
    rng = np.random.default_rng(args.seed)
    grids = drawn("grids", args.count, lambda: draw_grid(rng, painter, args.traced))
    np.savez(
        args.out,
        crops=np.concatenate([grid.crops for grid in grids]),
        classes=np.concatenate([grid.classes for grid in grids]),
        sizes=np.array([len(grid.classes) for grid in grids]),
    )


def load_grids(paths: Sequence[Path]) -> list[Grid]:
    """The grids of several archives."""
    grids: list[Grid] = []
    for path in paths:
        with np.load(path) as stored:
            ends = np.cumsum(stored["sizes"])[:-1]
            crops, classes = np.split(stored["crops"], ends), np.split(stored["classes"], ends)
        grids += [Grid(c, k) for c, k in zip(crops, classes, strict=True)]
    return grids


def seen_anew(rng: np.random.Generator, grid: Grid, places: int) -> Grid:
    """So many places of a grid, in another light, turned and perhaps mirrored."""
    chosen = rng.permutation(len(grid.classes))[:places]
    crops = np.rot90(relit(rng, grid.crops[chosen]), int(rng.integers(4)), (1, 2))
    return Grid(
        np.ascontiguousarray(crops[:, :, ::-1] if rng.random() < 0.5 else crops),
        grid.classes[chosen],
    )


def draw_batch(
    rng: np.random.Generator, boards: StoredBoards, grids: Sequence[Grid], counts: tuple[int, int]
) -> Arrays:
    """So many of the boards and of the grids, these of equally many places."""
    chosen = [grids[k] for k in rng.integers(len(grids), size=counts[1])]
    places = min(len(grid.classes) for grid in chosen)
    return (
        *boards.batch(rng, counts[0]), *stacked(seen_anew(rng, grid, places) for grid in chosen)
    )  # fmt: skip


def validate(net: PlacesNet, grids: Sequence[Grid]) -> dict[str, float]:
    """Shares on held-out art.

    Places judged right, mean log loss, grids with every place beyond 98 %, and those of them with a
    wrong place.
    """
    net.eval()
    right, loss, clear, silent = [], [], [], []
    with torch.no_grad():
        for grid in grids:
            log_p = net.held(torch.from_numpy(grid.crops)).numpy()
            known = grid.classes != UNKNOWN
            log_p, wanted = log_p[known], grid.classes[known]
            if not len(wanted):
                continue
            best = log_p.argmax(1)
            right += (best == wanted).tolist()
            loss += np.maximum(log_p[np.arange(len(wanted)), wanted], -9).tolist()
            sure = bool((np.exp(log_p.max(1)) > 0.98).all())
            clear.append(sure)
            silent.append(sure and bool((best != wanted).any()))
    net.train()
    return {
        "right": float(np.mean(right)),
        "loss": -float(np.mean(loss)),
        "clear": float(np.mean(clear)),
        "silent": float(np.mean(silent)),
    }


def train_places(args: argparse.Namespace) -> None:
    held_out = load_grids([args.validation])
    boards, grids = StoredBoards(args.boards), load_grids(args.grids)
    draw = partial(draw_batch, boards=boards, grids=grids, counts=(args.boards_a_batch, args.batch))

    def report(net: PlacesNet) -> dict[str, float]:
        return {**validate(net, held_out), **validate_cells(net, args.held_out_boards)}

    net = train(PlacesNet, Batches(draw, args.seed), report, 300, args)
    print("validation", report(net))


def main() -> None:
    parser = parser_of(__doc__)
    draw, fit = add_jobs(parser, "--grids", ("bank",), count=2400, seed=61)
    draw.set_defaults(job=draw_grids)
    add_training_options(fit, minutes=25.0, rate=1.5e-3, seed=67)
    fit.add_argument("--batch", type=int, default=10, help="grids a batch")
    fit.add_argument("--boards-a-batch", type=int, default=8)
    fit.add_argument("--boards", type=Path, nargs="+", required=True, help="of the cell reader")
    fit.add_argument("--held-out-boards", type=Path, required=True)
    fit.set_defaults(job=train_places)
    args = parser.parse_args()
    args.job(args)


if __name__ == "__main__":
    main()
