"""What lies on the table in each kind of scene."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from models.training.scenes.clutter import rows_of_things, sheet, slab
from models.training.scenes.pieces import (
    TILE,
    FaceKind,
    FaceSource,
    Layout,
    Spacing,
    cut_top,
    face_size,
    focus_on,
    laid_grid,
    make_of,
    piece_of,
    random_border,
)
from models.training.scenes.season_board import board_layout
from models.training.scenes.solids import Layer, Mark, Solid, blank, colour

SceneKind = Literal["stones", "seasons", "time", "cards", "loose", "dense", "single", "negative"]
SCENE_SHARES: dict[SceneKind, float] = {
    "stones": 0.24,
    "seasons": 0.24,
    "time": 0.14,
    "cards": 0.14,
    "dense": 0.08,
    "single": 0.06,
    "negative": 0.1,
}
"""How often each kind of scene is drawn; the others only when asked for."""


def _stones(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(30, 70))
    make = make_of(rng, "stones", side)
    border = random_border(rng, 0.15)
    tops = [cut_top(rng, face, make, border) for face in faces(rng, "stones", 9)]
    gap = float(
        rng.choice([rng.uniform(0.0, 0.06), rng.uniform(0.02, 0.2), rng.uniform(0.15, 0.4)])
    )
    free = gap / 2 + 0.015
    spacing = Spacing(
        (gap, gap * float(rng.uniform(0.6, 1.4))),
        min(0.12, free) * float(rng.random()),
        min(0.15, 0.8 * free) * float(rng.random()),
        float(rng.uniform(0, 0.3)) if rng.random() < 0.25 else 0.0,
    )
    cells = [(k // 3, k % 3) for k in range(9)]
    solids = laid_grid(rng, tops, cells, face_size(tops[0], side), make, spacing)
    return Layout(solids, focus_on(solids))


def _polyomino(rng: np.random.Generator, count: int, side: int) -> list[tuple[int, int]]:
    """A connected shape that fits a square of that side, moved to the top left."""
    cells = {(int(rng.integers(side)), int(rng.integers(side)))}
    while len(cells) < count:
        row, col = list(cells)[rng.integers(len(cells))]
        down, right = ((0, 1), (1, 0), (0, -1), (-1, 0))[rng.integers(4)]
        if 0 <= row + down < side and 0 <= col + right < side:
            cells.add((row + down, col + right))
    top, left = (min(c[axis] for c in cells) for axis in (0, 1))
    return sorted((row - top, col - left) for row, col in cells)


def _time(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(40, 75))
    make = make_of(rng, "cards", side)
    cells = _polyomino(rng, int(rng.integers(2, 17)), 4)
    border = random_border(rng, 0.35)
    tops = [cut_top(rng, face, make, border) for face in faces(rng, "cards", len(cells))]
    gap = float(rng.uniform(0, 0.12))
    spacing = Spacing(
        (gap, float(rng.uniform(0, 0.12))),
        float(rng.uniform(0, 0.03)) + gap / 4,
        float(rng.uniform(0, 0.05)),
    )
    solids = laid_grid(rng, tops, cells, face_size(tops[0], side), make, spacing)
    return Layout(solids, focus_on(solids))


def _cards(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(40, 90))
    kind: FaceKind = "cards" if rng.random() < 0.7 else "tiles"
    make = make_of(rng, kind, side)
    rows, cols = (int(v) for v in rng.integers(1, 6, 2))
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    if rng.random() < 0.25:
        cells = [cell for cell in cells if rng.random() < 0.8] or cells
    border = random_border(rng, 0.25)
    tops = [cut_top(rng, face, make, border) for face in faces(rng, kind, len(cells))]
    gaps = (float(rng.uniform(0.02, 0.5)), float(rng.uniform(0.02, 0.5)))
    spacing = Spacing(
        gaps,
        min(0.15, min(gaps) / 2) * float(rng.random()),
        float(rng.choice([0.02, 0.08, 0.2])),
        float(rng.choice([0, 0, 0.2])),
    )
    turns = (0.0, np.pi) if rng.random() < 0.3 else (0.0,)
    solids = laid_grid(rng, tops, cells, face_size(tops[0], side), make, spacing, turns)
    return Layout(solids, focus_on(solids))


def _loose(rng: np.random.Generator, faces: FaceSource) -> Layout:
    """Up to twelve cards in no grid: in a row, fanned out or scattered any way round, some edges
    over others.

    The place of a card in its faces is the row of its mark.
    """
    side = float(rng.uniform(45, 80))
    make = make_of(rng, "cards", side)
    count = int(rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12]))
    border = random_border(rng, 0.15)
    tops = [cut_top(rng, face, make, border) for face in faces(rng, "cards", count)]
    size_mm = face_size(tops[0], side)
    size = np.array(size_mm)
    arrangement = rng.choice(3, p=(0.45, 0.15, 0.4))
    places: list[tuple[npt.NDArray[np.float64], float]] = []
    if arrangement == 0:
        cols = int(np.ceil(count / rng.integers(1, 4)))
        step = size * (1 + rng.uniform(-0.06, 0.25, 2))
        crooked = float(rng.choice([0.02, 0.06, 0.2]))
        around = rng.choice([0.0, np.pi, np.pi / 2], p=(0.7, 0.2, 0.1))
        for k in range(count):
            at = np.array((k % cols, k // cols)) * step + rng.normal(0, 0.02, 2) * size
            places.append((at, float(rng.uniform(-crooked, crooked) + around * rng.integers(2))))
    elif arrangement == 1:
        step_angle, radius = float(rng.uniform(0.28, 0.45)), float(rng.uniform(1.9, 3.2)) * size[1]
        step_angle = max(step_angle, float(0.95 * size[0] / (radius - size[1] / 2)))
        for k in range(min(count, 6)):
            angle = (k - (min(count, 6) - 1) / 2) * step_angle
            places.append((radius * np.array((np.sin(angle), -np.cos(angle))), angle))
    else:
        reach = float(np.hypot(*size))
        for _ in range(400):
            at = rng.uniform(-0.5, 0.5, 2) * reach * 1.15 * np.sqrt(count)
            if all(np.hypot(*(at - other)) > 0.93 * reach for other, _ in places):
                places.append((at, float(rng.uniform(0, 2 * np.pi))))
            if len(places) == count:
                break
    solids = []
    for k, (top, (at, turn)) in enumerate(zip(tops, places, strict=False)):
        (x, y), mark = at.tolist(), Mark(TILE, 0, (k, 0))
        card = piece_of(rng, top, make, size_mm, (x, y), turn, mark, k * 0.3)
        solids.append(replace(card, layer=Layer.FLAT))
    return Layout(solids, focus_on(solids) * float(rng.uniform(1, 1.08)))


def _dense(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(20, 50))
    make = make_of(rng, "tiles", side)
    make = replace(make, corner=make.corner * float(rng.choice([0, 0, 0.5])))
    rows, cols = (int(v) for v in rng.integers(2, 9, 2))
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    if rng.random() < 0.4:
        cells = _polyomino(rng, int(rng.integers(4, 24)), 5)
    tops = [cut_top(rng, face, make) for face in faces(rng, "tiles", len(cells))]
    size = face_size(tops[0], side)
    square = abs(size[0] - size[1]) < 0.01 * side
    turns = (0.0, np.pi / 2, np.pi, -np.pi / 2) if square and rng.random() < 0.5 else (0.0,)
    spacing = Spacing(
        (float(rng.uniform(0, 0.03)),) * 2,
        float(rng.uniform(0, 0.012)),
        float(rng.uniform(0, 0.012)),
    )
    solids = laid_grid(rng, tops, cells, size, make, spacing, turns)
    focus = focus_on(solids)
    if rng.random() < 0.25:  # a sheet to be cut up
        wide, high = (np.ptp(focus, axis=0) * rng.uniform(1.02, 1.4)).tolist()
        paper = blank(64, 64, colour(rng, (0, 0.1), (0.8, 1)))
        return Layout(
            [Solid(paper, (wide, high), (0.0, 0.0), 0.0, 0.1, layer=Layer.FLAT), *solids], focus
        )
    return Layout(solids, focus)


def _single(rng: np.random.Generator, faces: FaceSource) -> Layout:
    side = float(rng.uniform(25, 80))
    kinds: tuple[FaceKind, ...] = ("stones", "tiles", "cards")
    kind = kinds[rng.integers(3)]
    make = make_of(rng, kind, side)
    top = cut_top(rng, faces(rng, kind, 1)[0], make, random_border(rng, 0.2))
    solid = piece_of(rng, top, make, face_size(top, side), (0.0, 0.0), 0.0, Mark(TILE, 0, (0, 0)))
    return Layout([solid], focus_on([solid]) * float(rng.uniform(1, 2.5)))


def _negative(rng: np.random.Generator, _: FaceSource) -> Layout:
    if rng.random() < 0.65:
        draw = (sheet, slab, rows_of_things)[rng.integers(3)]
        solids = [thing for thing in draw(rng, (0.0, 0.0)) if isinstance(thing, Solid)]
        return Layout(solids, focus_on(solids) * float(rng.uniform(0.8, 1.5)))
    width, height = rng.uniform(60, 300, 2)
    corners = np.array([(-width, -height), (width, -height), (width, height), (-width, height)])
    return Layout([], (corners / 2).astype(np.float32))


def _seasons(rng: np.random.Generator, faces: FaceSource) -> Layout:
    rows, cols = (
        (6, 6) if rng.random() < 0.85 else (int(rng.integers(3, 7)), int(rng.integers(3, 7)))
    )
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    spots = (
        [(0, 1), (1, 5), (5, 4), (4, 0)] if rng.random() < 0.5 else [(1, 0), (0, 4), (4, 5), (5, 1)]
    )
    if (rows, cols) != (6, 6) or rng.random() < 0.25:
        spots = [cells[k] for k in rng.permutation(len(cells))[: rng.integers(0, 6)]]
    digits = {cell: str(k + 1) for cell, k in zip(spots, rng.permutation(len(spots)), strict=True)}
    return board_layout(rng, faces, (rows, cols), digits)


LAYOUTS: dict[SceneKind, Callable[[np.random.Generator, FaceSource], Layout]] = {
    "stones": _stones,
    "seasons": _seasons,
    "time": _time,
    "cards": _cards,
    "loose": _loose,
    "dense": _dense,
    "single": _single,
    "negative": _negative,
}
