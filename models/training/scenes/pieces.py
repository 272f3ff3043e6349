"""Pieces of one set as solids, and how they are laid by hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from models.training.scenes.drawing import UNIT_SQUARE, in_world
from models.training.scenes.materials import Image
from models.training.scenes.solids import Colour, Mark, Points, Solid, blank, colour, rounded

TILE, EMPTY_CELL, NUMBER_CELL = 0, 1, 2
"""Kinds of marked places: a piece; a printed cell without a tile; a cell with a printed number or a
frame."""
STRAY = -1
"""Grid of a piece that belongs to none."""
FaceKind = Literal["stones", "tiles", "cards"]


FaceSource = Callable[[np.random.Generator, FaceKind, int], list[Image]]
"""Gives the printed tops of that many pieces of one art set: RGBA, the outline in alpha; a fully
opaque one is cut by the scene."""


@dataclass(frozen=True, slots=True)
class Make:
    """How the pieces of one set are made."""

    thick_mm: float
    side_bgr: Colour
    gloss: float
    sharpness: float
    bevel: float
    wobble: float
    corner: float


@dataclass(frozen=True, slots=True)
class Spacing:
    """How pieces lie, in shares of their size: gap, shift and turn (radians) of each, shift of
    rows."""

    gap: tuple[float, float]
    shift: float
    turn: float
    row_shift: float = 0.0


def make_of(rng: np.random.Generator, kind: FaceKind, side_mm: float) -> Make:
    glossy = rng.random() < 0.4
    gloss = float(rng.uniform(0.15, 0.9) if glossy else rng.uniform(0.0, 0.15))
    sharpness = float(np.exp(rng.uniform(np.log(8), np.log(300))))
    wobble = float(rng.uniform(0, 0.025))
    card = rng.random() < 0.5
    side = colour(rng, (0, 0.25), (0.55, 0.97)) if card else colour(rng, (0.1, 0.6), (0.1, 0.7))
    corner = float(rng.choice([0.0, rng.uniform(0.02, 0.08), rng.uniform(0.05, 0.16)]))
    bevel = 0.0
    if kind == "stones":
        thick = float(rng.uniform(0.05, 0.22) * side_mm)
        bevel = float(rng.choice([0, rng.uniform(0.1, 0.8)]))
        wobble *= 0.5
    elif kind == "tiles":
        thick = float(rng.uniform(1.2, 3.2))
        bevel = float(rng.choice([0, 0, rng.uniform(0.1, 0.4)]))
    else:
        thick = float(rng.uniform(0.2, 0.7))
    return Make(thick, side, gloss, sharpness, bevel, wobble, corner)


def cut_top(
    rng: np.random.Generator,
    face_rgba: Image,
    make: Make,
    border: tuple[float, Colour] | None = None,
) -> Image:
    """The face of a piece as BGRA, cut to the outline of its set."""
    top = np.asarray(cv2.cvtColor(face_rgba, cv2.COLOR_RGBA2BGRA), np.uint8)
    if border is not None:
        width, ink = border
        pad = max(1, round(width * min(top.shape[:2])))
        backed = blank(top.shape[1] + 2 * pad, top.shape[0] + 2 * pad, ink)
        opaque = top[..., 3:].astype(np.float32) / 255
        inner = backed[pad:-pad, pad:-pad]
        inner[..., :3] = inner[..., :3] * (1 - opaque) + top[..., :3] * opaque
        top = backed
    if top[..., 3].min() == 255 and make.corner:
        top = rounded(top.copy(), make.corner)
    wear = rng.normal(1, 0.03)
    return np.dstack([np.clip(top[..., :3] * wear, 0, 255).astype(np.uint8), top[..., 3]])


def piece_of(
    rng: np.random.Generator,
    top: Image,
    make: Make,
    size_mm: tuple[float, float],
    at: tuple[float, float],
    turn: float,
    mark: Mark,
    base_mm: float = 0.0,
) -> Solid:
    slope = rng.normal(0, make.wobble, 2)
    return Solid(
        top,
        size_mm,
        at,
        turn,
        make.thick_mm,
        base_mm,
        make.side_bgr,
        gloss=make.gloss,
        sharpness=make.sharpness,
        slope=(float(slope[0]), float(slope[1])),
        bevel=make.bevel,
        marks=(mark,),
    )


def laid_grid(
    rng: np.random.Generator,
    tops: Sequence[Image],
    cells: Sequence[tuple[int, int]],
    size_mm: tuple[float, float],
    make: Make,
    spacing: Spacing,
    turns: Sequence[float] = (0.0,),
) -> list[Solid]:
    """Pieces laid by hand in rows and columns around the origin, each face in one of several
    turns."""
    pitch = np.array(size_mm) * (1 + np.array(spacing.gap))
    sideways = rng.random() < 0.5
    rows, cols = (max(c[axis] for c in cells) + 1 for axis in (0, 1))
    shifts = rng.uniform(-1, 1, max(rows, cols)) * spacing.row_shift
    pieces = []
    for (row, col), top in zip(cells, tops, strict=True):
        shift = rng.uniform(-1, 1, 2) * spacing.shift
        shift[0 if sideways else 1] += shifts[row if sideways else col]
        x, y = (
            np.array((col - (cols - 1) / 2, row - (rows - 1) / 2)) * pitch + shift * size_mm
        ).tolist()
        turn = float(rng.uniform(-1, 1) * spacing.turn + rng.choice(turns))
        pieces.append(piece_of(rng, top, make, size_mm, (x, y), turn, Mark(TILE, 0, (row, col))))
    return pieces


@dataclass(frozen=True, slots=True)
class Layout:
    """Pieces and boards around the origin, the polygon to photograph, cells with framed numbers."""

    things: list[Solid]
    focus_mm: Points
    framed: tuple[tuple[int, int], ...] = ()


def focus_on(solids: Sequence[Solid]) -> Points:
    corners = np.vstack([in_world(solid, UNIT_SQUARE)[:, :2] for solid in solids])
    low, high = corners.min(0), corners.max(0)
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])], np.float32)


def random_border(rng: np.random.Generator, chance: float) -> tuple[float, Colour] | None:
    if rng.random() >= chance:
        return None
    ink = colour(rng, (0, 0.08), (0.85, 1)) if rng.random() < 0.6 else colour(rng)
    return float(rng.uniform(0.02, 0.1)), ink


def face_size(top: Image, side_mm: float) -> tuple[float, float]:
    """Millimetres of a piece of that mean side."""
    aspect = top.shape[1] / top.shape[0]
    return side_mm * float(np.sqrt(aspect)), side_mm / float(np.sqrt(aspect))
