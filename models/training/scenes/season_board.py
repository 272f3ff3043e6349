"""A printed board with tiles, numbers and frames on it."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from models.training.scenes.board_print import CELL_PX, Badge, BoardPrint, board_print
from models.training.scenes.materials import Image
from models.training.scenes.pieces import (
    EMPTY_CELL,
    NUMBER_CELL,
    TILE,
    FaceSource,
    Layout,
    Make,
    cut_top,
    focus_on,
    make_of,
    piece_of,
    random_border,
)
from models.training.scenes.solids import (
    Layer,
    Mark,
    Solid,
    blank,
    colour,
    colours_apart,
    rounded,
)

LEAST_APART = 25.0
"""Least difference of a frame from the print below, by ``colours_apart``: people must see it."""


def board_layout(
    rng: np.random.Generator,
    faces: FaceSource,
    size_rc: tuple[int, int],
    digits: dict[tuple[int, int], str],
    framed_share: float = 0.3,
    most_frame: float | None = None,
    draw_badge: Badge | None = None,
    most_tile: float | None = None,
    unruled: bool = False,
) -> Layout:
    """A printed board with tiles on it.

    Parameters
    ----------
    size_rc : rows and columns.
    digits : what number each number cell prints; no tile lies on them.
    framed_share : how many of the numbers have a frame around.
    most_frame : height of the highest frames, in cells; None: frames are as thick as the tiles.
    draw_badge : prints the numbers.
    unruled : whether its cells are marked by small signs alone.
    most_tile : thickness of the thickest tiles, in cells; None: they are of cardboard.

    Returns
    -------
    The layout, which also knows the cells whose number has a frame.
    """
    rows, cols = size_rc
    cells, spots = [(r, c) for r in range(rows) for c in range(cols)], list(digits)
    printed = board_print(rng, rows, cols, digits, draw_badge, unruled)
    cell_mm = float(rng.uniform(20, 42))
    h, w = printed.sheet_bgra.shape[:2]
    size = (w * cell_mm / CELL_PX, h * cell_mm / CELL_PX)
    thick = float(rng.choice([0.3, rng.uniform(1, 3.5)]))
    make = make_of(rng, "tiles", cell_mm)
    if most_tile is not None:
        make = replace(make, thick_mm=float(rng.uniform(0.02, most_tile) * cell_mm))
    covered = _covered(rng, [cell for cell in cells if cell not in spots])
    tight = printed.pitch == CELL_PX
    tile_mm = cell_mm * float(rng.uniform(0.86, 1.0) if tight else rng.uniform(0.88, 1.04))
    gap = printed.pitch / CELL_PX * cell_mm / tile_mm - 1
    play = max(gap, 0) / 2
    shift, turn = float(rng.uniform(0, 0.02 + play)), float(rng.uniform(0, 0.01 + play))
    board = _board(rng, printed, size, thick)
    framed = [cell for cell in spots if rng.random() < framed_share]
    marks = [
        Mark(NUMBER_CELL if cell in spots else EMPTY_CELL, 0, cell, printed.boxes[cell])
        for cell in cells
        if cell not in covered and cell not in framed
    ]
    laying = _Laying(printed, size, make, shift, turn, thick)
    things = [
        replace(board, marks=tuple(marks)),
        *_tiles(rng, faces, covered, tile_mm, laying),
        *_frames(rng, framed, cell_mm, laying, most_frame),
    ]
    if rng.random() < 0.12:
        things += _rim(rng, size)
    return Layout(things, focus_on(things[:1]), tuple(framed))


def _covered(rng: np.random.Generator, cells: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """On which of the cells a tile lies: few, many or all."""
    share = float(
        rng.choice([rng.uniform(0, 0.3), rng.uniform(0.2, 0.95), 1.0], p=[0.15, 0.75, 0.1])
    )
    return [cell for cell in cells if rng.random() < share]


def in_print(
    face_rgb: npt.NDArray[np.uint8], share: float, print_seed: int, unruled: bool
) -> npt.NDArray[np.uint8]:
    """A face (s, s, 3) whose colour is moved by a ``share`` of the way towards that of the bare
    cells of a board that is printed with this seed."""
    printed = board_print(np.random.default_rng(print_seed), 6, 6, {}, unruled=unruled)
    h, w = printed.sheet_bgra.shape[:2]
    x0, y0, x1, y1 = (np.array(printed.boxes[2, 2]) * (w, h, w, h)).astype(int).tolist()
    cell = np.median(printed.sheet_bgra[y0:y1, x0:x1, 2::-1].reshape(-1, 3), 0)
    moved = face_rgb + share * (cell - np.median(face_rgb.reshape(-1, 3), 0))
    return np.asarray(np.clip(moved, 0, 255), np.uint8)


@dataclass(frozen=True, slots=True)
class _Laying:
    """A board and how tiles lie on it: shifted by shares of their size, turned by radians."""

    printed: BoardPrint
    size_mm: tuple[float, float]
    make: Make
    shift: float
    turn: float
    thick_mm: float

    def piece(
        self,
        rng: np.random.Generator,
        top: Image,
        make: Make,
        side_mm: float,
        mark: Mark,
        at: npt.NDArray[np.float64],
    ) -> Solid:
        """A square piece on the cell of its mark."""
        x0, y0, x1, y1 = self.printed.boxes[mark.cell]
        x = ((x0 + x1) / 2 - 0.5) * self.size_mm[0] + float(at[0])
        y = ((y0 + y1) / 2 - 0.5) * self.size_mm[1] + float(at[1])
        turn = float(rng.uniform(-1, 1) * self.turn)
        return piece_of(rng, top, make, (side_mm, side_mm), (x, y), turn, mark, self.thick_mm)

    def aside(self, rng: np.random.Generator, side_mm: float) -> npt.NDArray[np.float64]:
        """How far a piece of that size lies from the middle of its cell, (x, y)."""
        return np.asarray(rng.uniform(-1, 1, 2) * self.shift * side_mm)


def _board(
    rng: np.random.Generator, printed: BoardPrint, size_mm: tuple[float, float], thick_mm: float
) -> Solid:
    return Solid(
        printed.sheet_bgra,
        size_mm,
        (0.0, 0.0),
        0.0,
        thick_mm,
        side_bgr=colour(rng, (0, 0.5), (0.3, 0.95)),
        layer=Layer.FLAT,
        gloss=float(rng.choice([0.05, rng.uniform(0.1, 0.7)])),
        sharpness=float(np.exp(rng.uniform(2, 5))),
    )


def _tiles(
    rng: np.random.Generator,
    faces: FaceSource,
    covered: list[tuple[int, int]],
    side_mm: float,
    laying: _Laying,
) -> list[Solid]:
    border = random_border(rng, 0.1)
    tiles = []
    drawn = faces(rng, "tiles", len(covered)) if covered else []
    for cell, face in zip(covered, drawn, strict=True):
        at = laying.aside(rng, side_mm)
        top = cut_top(rng, face, laying.make, border)
        tiles.append(laying.piece(rng, top, laying.make, side_mm, Mark(TILE, 0, cell), at))
    return tiles


def _frames(
    rng: np.random.Generator,
    framed: list[tuple[int, int]],
    cell_mm: float,
    laying: _Laying,
    most_frame: float | None,
) -> list[Solid]:
    """Frames of one make around numbers, told from the print by their colour."""
    under = [_rim_colour(laying.printed, cell) for cell in framed]
    ink = colour(rng)
    while min((colours_apart(ink, each) for each in under), default=LEAST_APART) < LEAST_APART:
        ink = colour(rng)
    width = float(rng.uniform(0.06, 0.17))
    make = laying.make
    if most_frame is not None:
        make = replace(make, thick_mm=float(rng.uniform(0.02, most_frame) * cell_mm))
    frames = []
    for cell in framed:
        top = blank(48, 48, ink)
        hole = round(48 * width)
        top[hole:-hole, hole:-hole, 3] = 0
        at = laying.aside(rng, cell_mm)
        mark = Mark(NUMBER_CELL, 0, cell)
        frame = laying.piece(rng, rounded(top, 0.05), make, cell_mm, mark, at)
        frames.append(replace(frame, side_bgr=ink))
    return frames


def _rim_colour(printed: BoardPrint, cell: tuple[int, int]) -> list[float]:
    """The colour of the outer part of a printed cell, BGR."""
    h, w = printed.sheet_bgra.shape[:2]
    x0, y0, x1, y1 = (np.array(printed.boxes[cell]) * (w, h, w, h)).round().astype(int).tolist()
    shown = printed.sheet_bgra[max(y0, 0) : y1, max(x0, 0) : x1, :3]
    rim, width = np.ones(shown.shape[:2], np.bool_), CELL_PX // 8
    rim[width:-width, width:-width] = False
    return np.median(shown[rim], 0).tolist()


def _rim(rng: np.random.Generator, size_mm: tuple[float, float]) -> list[Solid]:
    """A raised edge around a board: the wall of a tray."""
    (w, h), wall, height = size_mm, float(rng.uniform(3, 10)), float(rng.uniform(3, 12))
    ink = colour(rng, (0, 0.8), (0.1, 0.9))
    bar, gloss = blank(48, 8, ink), float(rng.uniform(0, 0.5))
    sides = (
        ((0.0, -(h + wall) / 2), w + 2 * wall, 0.0),
        ((0.0, (h + wall) / 2), w + 2 * wall, 0.0),
        ((-(w + wall) / 2, 0.0), h, np.pi / 2),
        (((w + wall) / 2, 0.0), h, np.pi / 2),
    )
    return [
        Solid(bar, (length, wall), middle, turn, height, side_bgr=ink, gloss=gloss)
        for middle, length, turn in sides
    ]
