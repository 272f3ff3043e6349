"""Trains the cell reader: the cells of one printed season board in, what lies on each out.

Every edition's board has empty cells, the numbers 1 to 4, tiles and frames, so they need no
teaching. The network sees a cell with its surroundings, from which tiles and frames stand out. It
sees all cells of a board at once, since empty cells look alike::

    python -m models.training.cells draw BANK.npz DIGITS.npz BOARDS.npz --count 3000
    python -m models.training.cells train EMBEDDING.pt OUT.pt --boards BOARDS.npz --validation \\
        HELD_OUT.npz
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
from models.training.digits import DIGIT_PX, Masks, load_digits
from models.training.faces import ArtSource, Image, SetPainter, outlined
from models.training.scenes import (
    NUMBER_CELL,
    TILE,
    FaceKind,
    Layout,
    Scene,
    board_layout,
    render_scene,
)
from models.training.scenes.board_print import CELL_PX, Badge, legible
from models.training.scenes.season_board import in_print
from models.training.scenes.solids import colour
from models.training.schedule import Arrays, Batches, stacked
from models.training.together import UNKNOWN, TogetherNet, add_training_options, drawn, train
from models.training.views import UNIT_SQUARE, flattened

SIZE = 6
CELLS = SIZE * SIZE
CROP_PX = 64
MARGIN = 0.2
"""How much of its surroundings a cell is seen with, in cells."""
DIGITS, TURNS = 4, 4
EMPTY, PIECE = 0, 1
NUMBERS = 2
"""Class ``NUMBERS + (2 * (digit - 1) + framed) * TURNS + turn`` is a number."""
CLASSES = NUMBERS + 2 * DIGITS * TURNS
LEAST_VISIBLE = 0.6
PHOTOS_HW = ((576, 768), (864, 1152))
LARGE_PHOTO = 0.4
HIGHEST_FRAME = 0.3
THICK_TILES, THICKEST_TILE = 0.5, 0.25
"""Share of boards with tiles of wood or plastic, and the greatest thickness of these in cells."""
UNRULED, NEAR_PRINT = 0.35, 0.4
"""Shares of boards that are printed without lines, and of sets of tiles one of which has nearly the
colour of the print."""


class CellsNet(TogetherNet):
    """uint8 RGB crops of a board's cells (CELLS, 64, 64, 3) to log probabilities."""

    def __init__(self) -> None:
        super().__init__(CLASSES, 0.2, CELLS)

    def printed(self, crops: Tensor) -> Tensor:
        """The answer under the name of its head in the weights that ship."""
        return self.boards(crops[None])[0]


class Board(NamedTuple):
    """Crops (CELLS, 64, 64, 3) of a board's cells, row by row, and their classes."""

    crops: npt.NDArray[np.uint8]
    classes: npt.NDArray[np.int64]


def badge_style(rng: np.random.Generator, typefaces: Masks) -> Badge:
    """How the numbers of one board are printed: a typeface, its size, and what lies behind it."""
    masks = typefaces[rng.integers(len(typefaces))]
    if rng.random() < 0.4:  # bolder, which thin ones need to be seen at all
        masks = np.stack([cv2.dilate(mask, np.ones((3, 3), np.uint8)) for mask in masks])
    dark, light = colour(rng, (0, 0.8), (0, 0.4)), colour(rng, (0, 0.6), (0.6, 1))
    ground, ink = (dark, light) if rng.random() < 0.4 else (light, dark)
    scale = float(rng.uniform(0.3, 0.72))
    if rng.random() < 0.25:
        points = None
        scale = float(rng.uniform(0.4, 0.85))
    else:
        corners = int(rng.choice([40, 40, 4, 5, 6, 8]))
        angles = (np.arange(corners) + rng.choice([0, 0.5])) * 2 * np.pi / corners + np.pi / 2
        points = np.stack([np.cos(angles), np.sin(angles)], 1) * rng.uniform(0.32, 0.5)
        if rng.random() < 0.3:  # a shield or a banner
            width = rng.uniform(0.25, 0.42)
            high = rng.uniform(0.3, 0.45)
            tip = rng.uniform(-0.2, 0.2)
            points = np.array(
                (
                    (-width, -high),
                    (width, -high),
                    (width, high - abs(tip)),
                    (0, high + tip),
                    (-width, high - abs(tip)),
                )
            )
    rim = int(rng.choice([0, 0, 1, 2, 3]))
    lift = float(rng.uniform(-0.06, 0.06))

    def draw(sheet: Image, centre: tuple[float, float], text: str) -> None:
        middle = np.array(centre)
        if points is not None:
            outline = np.round((middle + points * CELL_PX) * 16).astype(np.int32)
            cv2.fillPoly(sheet, [outline], (*ground, 255.0), cv2.LINE_AA, 4)
            if rim:
                cv2.polylines(sheet, [outline], True, (*ink, 255.0), rim, cv2.LINE_AA, 4)
        side = scale * CELL_PX
        left, top = middle - side / 2 + (0, lift * CELL_PX)
        place = np.array([[side / DIGIT_PX, 0, left], [0, side / DIGIT_PX, top]])
        mask = cv2.warpAffine(masks[int(text) - 1], place, sheet.shape[1::-1], flags=cv2.INTER_AREA)
        pen = ink if points is not None else legible((ink, ground), sheet, centre)
        share = mask[..., None].astype(np.float32) / 255
        sheet[..., :3] = (sheet[..., :3] * (1 - share) + np.array(pen[:3]) * share).astype(np.uint8)

    return draw


def season_faces(
    painter: SetPainter, rng: np.random.Generator, count: int, print_seed: int, unruled: bool
) -> list[Image]:
    """Tiles as in the game: a few faces, many of each, half of them often plain, some near the
    colour of the print."""
    if rng.random() < 0.35:
        return painter.scene_faces(rng, "tiles", count)
    drawn = painter.plain_and_marked(rng, 8) if rng.random() < 0.7 else painter.draw(rng, 8)
    pictures = list(drawn.faces)
    if rng.random() < NEAR_PRINT:
        k = int(rng.integers(len(pictures)))
        pictures[k] = in_print(pictures[k], float(rng.uniform(0.5, 0.95)), print_seed, unruled)
    faces = [outlined(rng, face, 1.0, False) for face in pictures]
    return [faces[k] for k in rng.integers(len(faces), size=count)]


def draw_board(
    rng: np.random.Generator, painter: SetPainter, typefaces: Masks, traced: bool = False
) -> Board:
    """A board in a photo, cut into cells where the lattice of its middles expects them."""
    places = [(r, c) for r in range(SIZE) for c in range(SIZE)]
    count = int(rng.integers(8, 20))
    spots = [places[k] for k in rng.permutation(CELLS)[:count]]
    digits = {
        spot: str(d) for spot, d in zip(spots, rng.integers(1, DIGITS + 1, count), strict=True)
    }

    print_seed, unruled = int(rng.integers(2**31)), bool(rng.random() < UNRULED)

    def source(rng: np.random.Generator, kind: FaceKind, count: int) -> list[Image]:
        if kind == "tiles":
            return season_faces(painter, rng, count, print_seed, unruled)
        return painter.scene_faces(rng, kind, count)

    while True:
        layout = board_layout(
            np.random.default_rng(print_seed),
            source,
            (SIZE, SIZE),
            digits,
            0.5,
            HIGHEST_FRAME,
            badge_style(rng, typefaces),
            THICKEST_TILE if rng.random() < THICK_TILES else None,
            unruled,
        )
        photo_hw = PHOTOS_HW[int(rng.random() < LARGE_PHOTO)]
        scene = render_scene(rng, source, photo_hw, "seasons", layout, traced=traced)
        ours = scene.grid_id == 0
        middles = {
            (int(r), int(c)): quad.mean(0)
            for (r, c), quad in zip(scene.cells[ours], scene.quads_xy[ours], strict=True)
        }
        if len(middles) > 0.8 * CELLS:
            break
    at = np.array([(c, r) for r, c in middles], np.float32)
    to_photo, _ = cv2.findHomography(at, np.stack(list(middles.values())).astype(np.float32))
    if to_photo is None:
        return draw_board(rng, painter, typefaces, traced)
    shift, grow = rng.normal(0, 0.02, 2), rng.normal(1, 0.02)
    corners = []
    for r, c in places:
        jitter = rng.normal(0, 0.015, (4, 2)) + rng.normal(0, 0.025, 2) + shift
        corners.append((UNIT_SQUARE - 0.5) * grow + jitter + (c, r))
    quads = cv2.perspectiveTransform(np.array(corners, np.float32), to_photo).astype(np.float32)
    crops = cut_out(np.asarray(cv2.cvtColor(scene.image_bgr, cv2.COLOR_BGR2RGB), np.uint8), quads)
    board = Board(crops, classes_of(scene, layout, digits))
    return turned(board, int(rng.integers(TURNS)))


def classes_of(
    scene: Scene, layout: Layout, digits: dict[tuple[int, int], str]
) -> npt.NDArray[np.int64]:
    """The class of each cell of the board in a photo; UNKNOWN where too little of it shows."""
    ours = scene.grid_id == 0
    classes = np.full(CELLS, UNKNOWN, np.int64)
    for (r, c), kind, visible in zip(
        scene.cells[ours].tolist(), scene.kind[ours], scene.visible[ours], strict=True
    ):
        # a frame is mostly hole
        if visible < (0.3 if (r, c) in layout.framed else LEAST_VISIBLE):
            continue
        if kind == TILE:
            classes[SIZE * r + c] = PIECE
        elif kind == NUMBER_CELL:
            number = 2 * (int(digits[r, c]) - 1) + ((r, c) in layout.framed)
            classes[SIZE * r + c] = NUMBERS + number * TURNS
        else:
            classes[SIZE * r + c] = EMPTY
    return classes


def cut_out(
    image_rgb: Image, quads_xy: npt.NDArray[np.float32], margin: float = MARGIN
) -> npt.NDArray[np.uint8]:
    """Flatten quads (n, 4, 2) with a margin, in sides, onto squares.

    The picture is shrunk first if pixels would be skipped.
    """
    place = (UNIT_SQUARE + margin) / (1 + 2 * margin) * CROP_PX - 0.5
    levels = [image_rgb]
    crops = []
    for quad in quads_xy:
        side = float(np.sqrt(abs(cv2.contourArea(quad))))
        level = max(0, int(np.floor(np.log2(max(side * (1 + 2 * margin) / CROP_PX, 1e-6)) + 0.35)))
        while len(levels) <= level:
            h, w = levels[-1].shape[:2]
            half = cv2.resize(levels[-1], (w // 2, h // 2), interpolation=cv2.INTER_AREA)
            levels.append(np.asarray(half, np.uint8))
        scale = 2.0**level
        crops.append(flattened(levels[level], (quad + 0.5) / scale - 0.5, place, CROP_PX))
    return np.stack(crops)


def draw_boards(args: argparse.Namespace) -> None:
    bank = load_bank(args.bank)
    painter = SetPainter(ArtSource.of(bank, args.split))
    typefaces = load_digits(args.digits, args.split)
    rng = np.random.default_rng(args.seed)
    boards = drawn("boards", args.count, lambda: draw_board(rng, painter, typefaces, args.traced))
    np.savez(
        args.out,
        crops=np.stack([b.crops for b in boards]),
        classes=np.stack([b.classes for b in boards]),
    )


def relit(rng: np.random.Generator, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The crops of a board under another white balance and exposure."""
    gains = rng.normal(1, 0.1, 3) * rng.uniform(0.75, 1.2)
    return np.asarray(np.clip(crops * gains.astype(np.float32), 0, 255), np.uint8)


class StoredBoards:
    """The boards of several archives."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._crops = np.concatenate([np.load(path)["crops"] for path in paths])
        self._classes = np.concatenate([np.load(path)["classes"] for path in paths])

    def batch(self, rng: np.random.Generator, count: int) -> Arrays:
        """Some of them, each seen in another light and turned anew."""
        chosen = rng.integers(len(self._crops), size=count)
        turns = rng.integers(TURNS, size=count)
        return stacked(
            turned(Board(relit(rng, self._crops[b]), self._classes[b]), int(turn))
            for b, turn in zip(chosen, turns, strict=True)
        )


def turned(board: Board, turn: int) -> Board:
    """The board after another turn by quarters counterclockwise."""
    order = np.rot90(np.arange(CELLS).reshape(SIZE, SIZE), turn).ravel()
    classes = board.classes[order]
    number = classes >= NUMBERS
    old = (classes - NUMBERS) % TURNS
    return Board(
        np.ascontiguousarray(np.rot90(board.crops[order], turn, (1, 2))),
        np.where(number, classes - old + (old + turn) % TURNS, classes),
    )


def validate(net: CellsNet, path: Path) -> dict[str, float]:
    """Shares of right answers on held-out art and typefaces, the turn of the board being known."""
    with np.load(path) as stored:
        crops, classes = stored["crops"], stored["classes"]
    net.eval()
    with torch.no_grad():
        log_p = torch.cat(
            [net.boards(torch.from_numpy(crops[i : i + 10])) for i in range(0, len(crops), 10)]
        ).numpy()
    net.train()
    flat, wanted = log_p.reshape(-1, CLASSES), classes.ravel()
    seen = wanted != UNKNOWN
    flat, wanted = flat[seen], wanted[seen]
    best = flat.argmax(1)
    number = wanted >= NUMBERS
    code, answer = wanted[number] - NUMBERS, best[number] - NUMBERS
    return {
        "empty": float((best[wanted == EMPTY] == EMPTY).mean()),
        "tile": float((best[wanted == PIECE] == PIECE).mean()),
        "digit": float((code // (2 * TURNS) == answer // (2 * TURNS)).mean()),
        "frame": float((code // TURNS % 2 == answer // TURNS % 2).mean()),
        "turn": float((code % TURNS == answer % TURNS).mean()),
    }


def train_cells(args: argparse.Namespace) -> None:
    draw = partial(StoredBoards(args.boards).batch, count=args.batch)
    net = train(
        CellsNet, Batches(draw, args.seed), lambda net: validate(net, args.validation), 200, args
    )
    print("validation", validate(net, args.validation))


def main() -> None:
    parser = parser_of(__doc__)
    draw, fit = add_jobs(parser, "--boards", ("bank", "digits"), count=3000, seed=41)
    draw.set_defaults(job=draw_boards)
    add_training_options(fit, minutes=40.0, rate=1.5e-3, seed=43)
    fit.add_argument("--batch", type=int, default=8, help="boards a batch")
    fit.set_defaults(job=train_cells)
    args = parser.parse_args()
    args.job(args)


if __name__ == "__main__":
    main()
