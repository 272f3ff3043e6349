"""What lies beside the board and on it: stray pieces, clutter, a hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from models.training.scenes.camera import Camera
from models.training.scenes.clutter import clutter, hand
from models.training.scenes.pieces import (
    STRAY,
    TILE,
    FaceKind,
    FaceSource,
    Layout,
    cut_top,
    face_size,
    make_of,
    piece_of,
    random_border,
)
from models.training.scenes.prints import card_back, playing_card
from models.training.scenes.solids import Layer, Mark, Solid, Thing, Tube


def _stray_pieces(
    rng: np.random.Generator, faces: FaceSource, at: tuple[float, float]
) -> list[Thing]:
    """A loose card or tile, a fanned few, or a deck."""
    mark, turn = Mark(TILE, STRAY, (STRAY, STRAY)), rng.uniform(0, 2 * np.pi)
    if rng.random() < 0.55:
        top = playing_card(rng) if rng.random() < 0.5 else card_back(rng)
        make = replace(
            make_of(rng, "cards", 60), thick_mm=float(rng.choice([0.3, 0.3, rng.uniform(1, 25)]))
        )
        width = float(rng.uniform(35, 65))
        size = (width, width * top.shape[0] / top.shape[1])
        things: list[Thing] = []
        count = int(rng.choice([1, 1, 1, 2, 3]))
        for k in range(count):
            place = (at[0] + float(rng.normal(0, 4)) * k, at[1] + float(rng.normal(0, 4)) * k)
            lift = k * make.thick_mm
            card = piece_of(
                rng, top, make, size, place, turn + float(rng.normal(0, 0.06)) * k, mark, lift
            )
            things.append(card if k == count - 1 else replace(card, layer=Layer.FLAT, marks=()))
        return things
    kinds: tuple[FaceKind, ...] = ("stones", "tiles", "cards")
    kind = kinds[rng.integers(3)]
    side = float(rng.uniform(25, 65))
    make = make_of(rng, kind, side)
    top = cut_top(rng, faces(rng, kind, 1)[0], make, random_border(rng, 0.2))
    return [piece_of(rng, top, make, face_size(top, side), at, turn, mark)]


def _radius(thing: Thing) -> tuple[npt.NDArray[np.float64], float]:
    """Middle and reach of a thing on the table."""
    if isinstance(thing, Tube):
        middle = thing.points_mm[:, :2].mean(0).astype(np.float64)
        return middle, float(
            np.linalg.norm(thing.points_mm[:, :2] - middle, axis=1).max()
        ) + thing.radius_mm
    return np.array(thing.centre_mm), float(np.hypot(*thing.size_mm)) / 2


def surroundings(
    rng: np.random.Generator,
    faces: FaceSource,
    layout: Layout,
    camera: Camera,
    size_hw: tuple[int, int],
    negative: bool,
) -> list[Thing]:
    """Clutter in sight, mostly beside the board; sometimes on it."""
    h, w = size_hw
    things: list[Thing] = []
    reach = float(np.ptp(layout.focus_mm, axis=0).max())
    taken = [_radius(thing) for thing in layout.things]
    wanted = int(rng.choice([0, 1, 3, 6], p=[0.2, 0.3, 0.3, 0.2])) + (2 if negative else 0)
    for _ in range(4 * wanted):
        if wanted == 0:
            break
        pixel = (rng.uniform(-0.1, 1.1) * w, rng.uniform(-0.1, 1.1) * h)
        ray = camera.to_table() @ (*pixel, 1)
        at = (float(ray[0] / ray[2]), float(ray[1] / ray[2]))
        if ray[2] <= 0 or np.hypot(*at) > 4 * reach + 400:
            continue
        group = (
            _stray_pieces(rng, faces, at)
            if not negative and rng.random() < 0.35
            else clutter(rng, at)
        )
        flat = [
            thing
            for thing in group
            if thing.layer is Layer.FLAT and not (isinstance(thing, Solid) and thing.marks)
        ]
        clear = all(
            np.linalg.norm(m - m2) > 0.8 * (r + r2)
            for m, r in map(_radius, group)
            for m2, r2 in taken
        )
        if len(flat) == len(group) and rng.random() < 0.5:  # under everything
            things[:0] = flat
            wanted -= 1
        elif clear:
            things += group
            taken += [_radius(thing) for thing in group]
            wanted -= 1
        elif (
            not negative
            and rng.random() < 0.06
            and max(r for _, r in map(_radius, group)) < 0.3 * reach
        ):
            things += [_raised(thing, _height_at(layout.things, thing)) for thing in group]
            wanted -= 1
    if rng.random() < (0.25 if negative else 0.07):
        corner = layout.focus_mm[rng.integers(4)] * rng.uniform(0.5, 1.6)
        things += hand(
            rng,
            (float(corner[0]), float(corner[1])),
            float(np.arctan2(corner[1], corner[0])) + rng.normal(0, 0.4),
        )
    return things


def _height_at(solids: Sequence[Solid], thing: Thing) -> float:
    middle, radius = _radius(thing)
    under = [
        s.base_mm + s.thick_mm
        for s in solids
        if np.linalg.norm(np.array(s.centre_mm) - middle) < radius + min(s.size_mm)
    ]
    return max(under, default=0.0)


def _raised(thing: Thing, height: float) -> Thing:
    if isinstance(thing, Tube):
        return replace(
            thing,
            points_mm=thing.points_mm + np.array((0, 0, height), np.float32),
            layer=Layer.OVER,
        )
    return replace(thing, base_mm=height, layer=Layer.OVER)
