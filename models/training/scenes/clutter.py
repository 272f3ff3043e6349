"""Things that lie around a board."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np

from models.training.scenes.materials import BANK_SIZE, Image, material
from models.training.scenes.prints import (
    book_cover,
    coin_top,
    die_top,
    keyboard,
    paper_sheet,
    phone,
    vessel_top,
)
from models.training.scenes.solids import Colour, Layer, Solid, Thing, Tube, blank, colour, rounded


def _at_angle(centre: tuple[float, float], distance: float, angle: float) -> tuple[float, float]:
    return (
        centre[0] + distance * float(np.cos(angle)),
        centre[1] + distance * float(np.sin(angle)),
    )


def mug(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """A mug with a handle, a bowl or a glass."""
    top = vessel_top(rng)
    side: Colour = tuple(top[64, 2, :3].astype(float).tolist())
    width, height = float(rng.uniform(60, 100)), float(rng.uniform(40, 110))
    taper = float(rng.uniform(0.55, 1.05))
    things: list[Thing] = [
        Solid(
            top,
            (width, width),
            at,
            0.0,
            height,
            side_bgr=side,
            gloss=0.4,
            sharpness=40,
            taper=taper,
        )
    ]
    if rng.random() < 0.6:
        angle = rng.uniform(0, 2 * np.pi)
        bow = np.linspace(-1, 1, 9)
        reach = width / 2 + 0.28 * width * np.sqrt(1 - bow**2) - 2
        xy = np.array(at) + reach[:, None] * np.array([np.cos(angle), np.sin(angle)])
        points = np.column_stack([xy, height * (0.52 + 0.3 * bow)]).astype(np.float32)
        things.append(Tube(points, width * 0.06, side, gloss=0.4))
    return things


def pen(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """A pen or pencil of two colours."""
    angle = rng.uniform(0, 2 * np.pi)
    length = rng.uniform(90, 160)
    radius = float(rng.uniform(3, 6))
    stops = [
        np.array([*_at_angle(at, d, angle), radius], np.float32)
        for d in (-length / 2, length * rng.uniform(0.1, 0.35), length / 2)
    ]
    ink = colour(rng)
    return [
        Tube(np.array(stops[:2]), radius, ink, gloss=0.4),
        Tube(np.array(stops[1:]), radius * float(rng.uniform(0.5, 1)), colour(rng), gloss=0.3),
    ]


def cable(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """A wandering cable or string."""
    turns = np.cumsum(rng.normal(0, 0.35, 30)) + rng.uniform(0, 6.3)
    steps = 18 * np.stack([np.cos(turns), np.sin(turns)], 1)
    radius = float(rng.uniform(1, 3))
    points = np.column_stack([np.array(at) + np.cumsum(steps, 0), np.full(30, radius)]).astype(
        np.float32
    )
    return [Tube(points, radius, colour(rng, (0, 0.6)))]


def dice(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """A few dice or wooden cubes."""
    side, things = float(rng.uniform(8, 20)), list[Thing]()
    for _ in range(rng.integers(1, 5)):
        top = die_top(rng)
        ink: Colour = tuple((top[16, 2, :3] * 0.9).tolist())
        place = _at_angle(at, side * rng.uniform(0, 3), rng.uniform(0, 6.3))
        things.append(
            Solid(top, (side, side), place, rng.uniform(0, 6.3), side, side_bgr=ink, gloss=0.2)
        )
    return things


def coins(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """Coins or round tokens, some in piles."""
    return [
        Solid(
            coin_top(rng),
            (d, d),
            _at_angle(at, rng.uniform(0, 50), rng.uniform(0, 6.3)),
            rng.uniform(0, 6.3),
            rng.uniform(1, 8),
            side_bgr=(120, 130, 140),
            gloss=0.4,
        )
        for d in rng.uniform(15, 32, rng.integers(1, 6))
    ]


def tokens(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """Wooden pieces of any outline."""
    things = list[Thing]()
    for _ in range(rng.integers(1, 6)):
        ink, size = colour(rng, (0.3, 1), (0.2, 0.95)), float(rng.uniform(8, 28))
        sheet = blank(48, 48, ink)
        corners = int(rng.choice([3, 5, 6, 6, 8]))
        angles = np.arange(corners) * 2 * np.pi / corners
        radii = 22 * rng.uniform(0.5, 1, corners) if rng.random() < 0.3 else np.full(corners, 23)
        mask = np.zeros((48, 48), np.uint8)
        points = 24 + radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)
        cv2.fillPoly(mask, [points.astype(np.int32)], 255.0)
        sheet[..., 3] = mask
        place = _at_angle(at, rng.uniform(0, 60), rng.uniform(0, 6.3))
        things.append(
            Solid(
                sheet,
                (size, size),
                place,
                rng.uniform(0, 6.3),
                rng.uniform(3, 20),
                side_bgr=ink,
                gloss=0.15,
            )
        )
    return things


def slab(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """A phone, a keyboard, a book, a box."""
    draw, width, thick = SLABS[rng.integers(len(SLABS))]
    top = draw(rng)
    w = float(rng.uniform(*width))
    h = w * top.shape[0] / top.shape[1]
    side: Colour = (
        tuple((top[top.shape[0] // 2, 1, :3] * 0.8).tolist())
        if rng.random() < 0.6
        else (225, 232, 236)
    )
    return [
        Solid(
            top,
            (w, h),
            at,
            rng.uniform(0, 6.3),
            rng.uniform(*thick),
            side_bgr=side,
            gloss=rng.uniform(0, 0.6),
            sharpness=rng.uniform(20, 200),
        )
    ]


SLABS: tuple[
    tuple[Callable[[np.random.Generator], Image], tuple[float, float], tuple[float, float]], ...
] = (
    (phone, (62, 80), (6, 11)),
    (keyboard, (60, 380), (8, 25)),
    (book_cover, (80, 220), (4, 50)),
    (book_cover, (60, 130), (20, 60)),
)
"""How each kind of slab is drawn, its width and its thickness."""


def sheet(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """A sheet of paper, a leaflet, a note, a cloth or a mat, flat on the table."""
    if rng.random() < 0.6:
        top, width = paper_sheet(rng), float(rng.uniform(110, 320))
    else:
        cloth = material(int(rng.integers(BANK_SIZE))).texture_bgr[
            : rng.integers(128, 512), : rng.integers(128, 512)
        ]
        opaque = np.dstack([cloth, np.full(cloth.shape[:2], 255, np.uint8)])
        top, width = rounded(opaque, rng.uniform(0, 0.5)), float(rng.uniform(80, 500))
    height = width * top.shape[0] / top.shape[1]
    return [
        Solid(
            top,
            (width, height),
            at,
            rng.uniform(0, 6.3),
            rng.uniform(0.2, 2),
            layer=Layer.FLAT,
            gloss=rng.uniform(0, 0.15),
        )
    ]


def rows_of_things(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """Round things or dice in rows and columns: a lattice of what are no pieces."""
    rows, cols = (int(v) for v in rng.integers(1, 5, 2))
    size, turn = float(rng.uniform(14, 60)), rng.uniform(0, 2 * np.pi)
    pitch, round_ones = size * rng.uniform(1.0, 1.6), rng.random() < 0.75
    top, thick = coin_top(rng) if rng.random() < 0.6 else vessel_top(rng), float(rng.uniform(1, 12))
    things = list[Thing]()
    for r in range(rows):
        for c in range(cols):
            x, y = (c - (cols - 1) / 2) * pitch, (r - (rows - 1) / 2) * pitch
            place = (
                at[0] + x * np.cos(turn) - y * np.sin(turn),
                at[1] + x * np.sin(turn) + y * np.cos(turn),
            )
            if round_ones:
                things.append(
                    Solid(
                        top,
                        (size, size),
                        place,
                        rng.uniform(0, 6.3),
                        thick,
                        side_bgr=(110, 120, 130),
                        gloss=0.3,
                    )
                )
            else:
                things.append(
                    Solid(
                        die_top(rng), (14, 14), place, turn, 14, side_bgr=(210, 215, 220), gloss=0.2
                    )
                )
    return things


def hand(rng: np.random.Generator, at: tuple[float, float], away: float) -> list[Thing]:
    """A hand with its sleeve that reaches to *at* from the direction *away* (radians)."""
    skin_tones = (
        (120, 160, 215),
        (150, 185, 235),
        (95, 130, 190),
        (60, 90, 140),
        (40, 60, 95),
        (135, 165, 205),
    )
    skin: Colour = tuple((np.array(skin_tones[rng.integers(6)]) * rng.uniform(0.9, 1.1)).tolist())
    height, palm_at = float(rng.uniform(12, 45)), _at_angle(at, 85, away)
    wrist, elbow = _at_angle(at, 150, away), _at_angle(at, 600, away + rng.normal(0, 0.1))

    def limb(radius: float, *points: tuple[float, float, float]) -> Tube:
        return Tube(np.array(points, np.float32), radius, skin, Layer.OVER)

    things = [limb(28, (*_at_angle(at, 110, away), height + 15), (*elbow, height + 40))]
    if rng.random() < 0.7:
        sleeve = limb(float(rng.uniform(36, 50)), (*wrist, height + 20), (*elbow, height + 50))
        things.append(replace(sleeve, colour_bgr=colour(rng), gloss=0.0))
    things.append(limb(36, (*palm_at, height + 10), (*_at_angle(at, 115, away), height + 12)))
    for k in range(int(rng.integers(1, 6))):
        base = _at_angle(palm_at, 30, away + np.pi + (k - 2) * 0.45)
        reach = rng.uniform(40, 85) if k else 45
        tip = _at_angle(base, reach, away + np.pi + (k - 2) * 0.2 + rng.normal(0, 0.1))
        middle = ((base[0] + tip[0]) / 2, (base[1] + tip[1]) / 2, height + 14)
        thick = float(rng.uniform(7.5, 10))
        things.append(limb(thick, (*base, height + 12), middle, (*tip, max(8.0, height - 12))))
    return [*things]


CLUTTER: tuple[
    tuple[Callable[[np.random.Generator, tuple[float, float]], list[Thing]], int], ...
] = (
    (mug, 4),
    (pen, 4),
    (cable, 2),
    (dice, 4),
    (coins, 3),
    (tokens, 4),
    (slab, 5),
    (sheet, 4),
    (rows_of_things, 1),
)
"""What lies about, with its weight."""


def clutter(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """Some object at a place; none of it is a piece."""
    weights = np.array([weight for _, weight in CLUTTER], float)
    draw, _ = CLUTTER[rng.choice(len(CLUTTER), p=weights / weights.sum())]
    return draw(rng, at)
