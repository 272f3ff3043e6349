"""A printed board with tiles, numbers and frames on it."""

from dataclasses import replace

import numpy as np

from models.training.scenes.board_print import CELL_PX, Badge, board_print
from models.training.scenes.pieces import (
    EMPTY_CELL,
    NUMBER_CELL,
    TILE,
    FaceSource,
    Layout,
    cut_top,
    focus_on,
    make_of,
    piece_of,
    random_border,
)
from models.training.scenes.solids import Layer, Mark, Solid, blank, colour, rounded


def board_layout(
    rng: np.random.Generator,
    faces: FaceSource,
    size_rc: tuple[int, int],
    digits: dict[tuple[int, int], str],
    framed_share: float = 0.3,
    most_frame: float | None = None,
    draw_badge: Badge | None = None,
    most_tile: float | None = None,
) -> Layout:
    """A printed board with tiles on it.

    Parameters
    ----------
    size_rc : rows and columns
    digits : what number each number cell prints; no tile lies on them
    framed_share : how many of the numbers have a frame around
    most_frame : height of the highest frames, in cells; None: frames are as thick as the tiles
    draw_badge : prints the numbers
    most_tile : thickness of the thickest tiles, in cells; None: they are of cardboard

    Returns
    -------
    The layout, which also knows the cells whose number has a frame.
    """
    rows, cols = size_rc
    cells, spots = [(r, c) for r in range(rows) for c in range(cols)], list(digits)
    printed = board_print(rng, rows, cols, digits, draw_badge)
    cell_mm = float(rng.uniform(20, 42))
    h, w = printed.sheet_bgra.shape[:2]
    size = (w * cell_mm / CELL_PX, h * cell_mm / CELL_PX)
    thick = float(rng.choice([0.3, rng.uniform(1, 3.5)]))
    make = make_of(rng, "tiles", cell_mm)
    if most_tile is not None:
        make = replace(make, thick_mm=float(rng.uniform(0.02, most_tile) * cell_mm))
    share = float(
        rng.choice([rng.uniform(0, 0.3), rng.uniform(0.2, 0.95), 1.0], p=[0.15, 0.75, 0.1])
    )
    covered = [cell for cell in cells if cell not in spots and rng.random() < share]
    tile_mm = cell_mm * float(
        rng.uniform(0.86, 1.0) if printed.pitch == CELL_PX else rng.uniform(0.88, 1.04)
    )
    gap = printed.pitch / CELL_PX * cell_mm / tile_mm - 1
    play = max(gap, 0) / 2
    shift, turn = float(rng.uniform(0, 0.02 + play)), float(rng.uniform(0, 0.01 + play))
    things = [
        Solid(
            printed.sheet_bgra,
            size,
            (0.0, 0.0),
            0.0,
            thick,
            side_bgr=colour(rng, (0, 0.5), (0.3, 0.95)),
            layer=Layer.FLAT,
            gloss=float(rng.choice([0.05, rng.uniform(0.1, 0.7)])),
            sharpness=float(np.exp(rng.uniform(2, 5))),
        )
    ]
    framed = [cell for cell in spots if rng.random() < framed_share]
    things[0] = replace(
        things[0],
        marks=tuple(
            Mark(NUMBER_CELL if cell in spots else EMPTY_CELL, 0, cell, printed.boxes[cell])
            for cell in cells
            if cell not in covered and cell not in framed
        ),
    )

    def place(cell: tuple[int, int]) -> tuple[float, float]:
        x0, y0, x1, y1 = printed.boxes[cell]
        return ((x0 + x1) / 2 - 0.5) * size[0], ((y0 + y1) / 2 - 0.5) * size[1]

    border = random_border(rng, 0.1)
    for cell, face in zip(
        covered, faces(rng, "tiles", len(covered)) if covered else [], strict=True
    ):
        x, y = np.array(place(cell)) + rng.uniform(-1, 1, 2) * shift * tile_mm
        top = cut_top(rng, face, make, border)
        things.append(
            piece_of(
                rng,
                top,
                make,
                (tile_mm, tile_mm),
                (float(x), float(y)),
                float(rng.uniform(-1, 1) * turn),
                Mark(TILE, 0, cell),
                thick,
            )
        )
    ink, width = colour(rng), float(rng.uniform(0.06, 0.17))
    high = (
        make
        if most_frame is None
        else replace(make, thick_mm=float(rng.uniform(0.02, most_frame) * cell_mm))
    )
    for cell in framed:
        top = blank(48, 48, ink)
        hole = round(48 * width)
        top[hole:-hole, hole:-hole, 3] = 0
        x, y = np.array(place(cell)) + rng.uniform(-1, 1, 2) * shift * cell_mm
        frame = piece_of(
            rng,
            rounded(top, 0.05),
            high,
            (cell_mm,) * 2,
            (float(x), float(y)),
            float(rng.uniform(-1, 1) * turn),
            Mark(NUMBER_CELL, 0, cell),
            thick,
        )
        things.append(replace(frame, side_bgr=ink))
    if rng.random() < 0.12:
        things += _rim(rng, size)
    return Layout(things, focus_on(things[:1]), tuple(framed))


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
