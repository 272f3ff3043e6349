"""Draws pictures of the published stones, as their game is described.

The crescent opens to the left between four stars, the fish swims up to the left, the horse stands
under arches, and so on. The program draws every line, each time anew.

A picture is a mask of shape (PICTURE_PX, PICTURE_PX), float32, 0 to 1, of what stands out of the
carved face.
"""

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from models.training.faces.carving import (
    CUT,
    Carving,
    Floats,
    almond,
    corner_spots,
    draw_beads,
    draw_flowers,
    draw_stars,
    draw_waves,
    ellipse,
    reached,
    scattered_spots,
    shrunk,
    square_around,
    turned,
)


def sun(rng: np.random.Generator) -> Floats:
    """Round, with rays, mostly eight, in a square frame."""
    on = Carving()
    if rng.random() < 0.8:
        square_around(rng, on)
    if rng.random() < 0.4:
        draw_beads(rng, on, corner_spots(rng))
    radius, rays = rng.uniform(0.12, 0.22), 8 if rng.random() < 0.8 else int(rng.integers(6, 17))
    tips = rng.uniform(0.3, 0.42), rng.uniform(0.26, 0.42)
    foot, wide = radius * rng.uniform(0.8, 1.2), rng.uniform(0.3, 0.9)
    shape, first = int(rng.integers(3)), 0.0 if rng.random() < 0.7 else 180 / rays
    for k in range(rays):
        half, tip = np.pi / rays * wide, tips[k % 2]
        if shape == 0:
            ray = [
                (foot * np.sin(-half), -foot * np.cos(half)),
                (0, -tip),
                (foot * np.sin(half), -foot * np.cos(half)),
            ]
        elif shape == 1:
            thick = rng.uniform(0.015, 0.04)
            ray = [(-thick, -foot), (-thick, -tip), (thick, -tip), (thick, -foot)]
        else:
            ray = [tuple(p) for p in almond(0, -foot * 0.8, tip - foot * 0.8, radius * wide, 0)]
        on.area(turned(ray, 360 * k / rays + first) + 0.5)
    on.disc(0.5, 0.5, radius)
    if rng.random() < 0.5:
        on.line(ellipse(0.5, 0.5, radius * 0.8, radius * 0.8), 0.012, CUT, closed=True)
    if rng.random() < 0.4:
        for side in (-1, 1):
            on.disc(0.5 + side * radius * 0.35, 0.5 - radius * 0.2, radius * 0.12, CUT)
        on.line(ellipse(0.5, 0.5 + radius * 0.1, radius * 0.4, radius * 0.35, 20, 160), 0.015, CUT)
    return on.finished()


def moon(rng: np.random.Generator) -> Floats:
    """A crescent that opens to the left, stars in the corners."""
    on = Carving()
    radius = rng.uniform(0.25, 0.36)
    inner, away = radius * rng.uniform(0.72, 0.95), radius * rng.uniform(0.3, 0.65)
    x, lean = 0.5 + rng.uniform(-0.02, 0.06), rng.normal(0, 10)
    hole = turned([(x - away, 0.5)], lean, (x, 0.5))[0]
    on.disc(x, 0.5, radius)
    for _ in range(int(rng.integers(0, 5))):
        on.disc(
            x + radius * rng.uniform(0.4, 0.85),
            0.5 + radius * rng.uniform(-0.5, 0.5),
            rng.uniform(0.01, 0.03),
            0.4,
        )
    on.disc(float(hole[0]), float(hole[1]), inner, 0.0)
    if rng.random() < 0.85:
        draw_stars(rng, on, corner_spots(rng))
    if rng.random() < 0.4:
        draw_stars(rng, on, [(x - radius * rng.uniform(0.3, 0.7), 0.5 + rng.uniform(-0.06, 0.06))])
    return on.finished()


def fish(rng: np.random.Generator) -> Floats:
    """Swimming up to the left."""
    on = Carving()
    long, high = rng.uniform(0.26, 0.34), rng.uniform(0.11, 0.21)
    degrees = rng.uniform(18, 58) if rng.random() < 0.85 else rng.uniform(-8, 18)
    at, zoom = np.array([0.5, 0.5]), rng.uniform(0.95, 1.2)

    def placed(points: npt.ArrayLike) -> Floats:
        return (turned(np.asarray(points) * zoom, degrees) + at).astype(np.float32)

    blunt = rng.uniform(0.7, 1.1)
    x = np.linspace(-1, 1, 30)
    profile = (
        high
        * (1 - np.abs(x) ** (2 if rng.random() < 0.5 else 1.6)) ** 0.75
        * (1 - 0.25 * blunt * x)
    )
    back = np.stack([x * long, -profile], 1)
    belly = np.stack([x * long, profile * rng.uniform(0.85, 1.15)], 1)
    tail, fork = rng.uniform(0.1, 0.2), rng.uniform(0.0, 0.1)
    spread = rng.uniform(0.1, 0.2)
    start = long * 0.8
    fin = rng.uniform(0.05, 0.12)
    on.area(
        placed(
            [(-0.35 * long, -high * 0.75), (0.1 * long, -high - fin), (0.55 * long, -high * 0.35)]
        ),
        rng.uniform(0.6, 1),
    )
    if rng.random() < 0.8:
        on.area(
            placed(
                [(-0.2 * long, high * 0.8), (0.25 * long, high + fin), (0.5 * long, high * 0.4)]
            ),
            rng.uniform(0.6, 1),
        )
    on.area(
        placed(
            [(start, 0), (start + tail, -spread), (start + tail - fork, 0), (start + tail, spread)]
        )
    )
    on.area(placed(np.concatenate([back, belly[::-1]])))
    eye_x, eye_y = placed([(-0.66 * long, -high * 0.18)])[0]
    on.disc(float(eye_x), float(eye_y), rng.uniform(0.015, 0.03), CUT)
    if rng.random() < 0.7:
        on.line(placed(ellipse(-0.6 * long, 0, 0.2 * long, high * 0.6, -70, 70)), 0.015, CUT)
    if rng.random() < 0.6:
        for column in range(int(rng.integers(1, 4))):
            for row in (-1, 0, 1):
                scale = ellipse(
                    (-0.1 + 0.25 * column) * long, row * high * 0.4, 0.03, 0.035, -80, 80
                )
                on.line(placed(scale), 0.01, CUT)
    if rng.random() < 0.6:
        scattered_spots(rng, on)
    if rng.random() < 0.3:
        draw_waves(rng, on, rng.uniform(0.88, 0.93), 1)
    return on.finished()


def bird(rng: np.random.Generator) -> Floats:
    """Facing left, with a long tail like a peacock's or a dragon's."""
    on = Carving()
    x, y = rng.uniform(0.42, 0.52), rng.uniform(0.55, 0.62)
    across, down = rng.uniform(0.13, 0.19), rng.uniform(0.12, 0.17)
    feathers, first, last = int(rng.integers(2, 9)), rng.uniform(-5, 40), rng.uniform(60, 125)
    reach, plume = rng.uniform(0.3, 0.45), rng.uniform(0.06, 0.13)
    eyes, level = rng.random() < 0.6, rng.uniform(0.6, 1)
    for degrees in np.linspace(first, last, feathers):
        on.area(almond(x + 0.08, y, reach, plume, float(degrees)), level)
        on.line(almond(x + 0.08, y, reach, plume, float(degrees)), 0.008, CUT, closed=True)
        if eyes:
            on.disc(*reached(x + 0.08, y, reach * 0.8, float(degrees)), plume * 0.28, CUT)
    head = (x - rng.uniform(0.12, 0.22), y - rng.uniform(0.24, 0.36))
    size = rng.uniform(0.055, 0.085)
    neck = rng.uniform(0.06, 0.1)
    on.area(
        [
            (x - across, y),
            (head[0] - neck * 0.5, head[1]),
            (head[0] + neck, head[1]),
            (x + across * 0.5, y - down * 0.6),
        ]
    )
    on.area(turned(ellipse(x, y, across, down), rng.uniform(-25, 10), (x, y)))
    on.disc(*head, size)
    beak = rng.uniform(0.05, 0.1)
    hx, hy = head
    near = hx - size * 0.7
    tip = (hx - size - beak, hy + rng.uniform(0, 0.03))
    on.area([(near, hy - size * 0.5), tip, (near, hy + size * 0.5)])
    on.disc(head[0] - size * 0.2, head[1] - size * 0.15, 0.015, CUT)
    if rng.random() < 0.6:
        for degrees in np.linspace(-20, 40, int(rng.integers(2, 5))):
            on.line([head, reached(*head, size + 0.07, float(degrees))], 0.012)
    if rng.random() < 0.8:
        on.line(
            turned(
                almond(x + 0.1, y + 0.02, 0.22, 0.13, 0), 70 + rng.uniform(-60, 30), (x + 0.1, y)
            ),
            0.012,
            CUT,
            closed=True,
        )
    for leg in (-0.03, 0.05):
        on.line([(x + leg, y + down * 0.8), (x + leg, 0.9)], 0.02)
        on.line([(x + leg - 0.05, 0.91), (x + leg + 0.03, 0.91)], 0.02)
    return on.finished()


def _standing_horse(rng: np.random.Generator, on: Carving) -> None:
    left, right = rng.uniform(0.28, 0.34), rng.uniform(0.68, 0.76)
    back, deep, ground = rng.uniform(0.44, 0.52), rng.uniform(0.15, 0.2), rng.uniform(0.88, 0.95)
    on.area(
        ellipse((left + right) / 2, back + deep / 2, (right - left) / 2 + 0.03, deep / 2 + 0.02)
    )
    leg = rng.uniform(0.02, 0.035)
    for x in (left + 0.02, left + 0.1, right - 0.1, right - 0.01):
        bend = rng.uniform(-0.03, 0.03)
        on.line(
            [(x, back + deep * 0.6), (x + bend, (back + ground) / 2 + 0.08), (x, ground)], 2 * leg
        )
    nose = (left - rng.uniform(0.1, 0.16), rng.uniform(0.24, 0.34))
    poll = (left - rng.uniform(-0.02, 0.04), nose[1] - rng.uniform(0.08, 0.13))
    on.area(
        [
            (left - 0.03, back + deep * 0.7),
            (poll[0] - 0.05, poll[1] + 0.05),
            (poll[0] + 0.04, poll[1]),
            (left + 0.16, back + 0.02),
        ]
    )
    on.line([(poll[0], poll[1] + 0.03), nose], rng.uniform(0.07, 0.1))
    on.area(
        [
            (poll[0] - 0.02, poll[1] + 0.02),
            (poll[0] + 0.01, poll[1] - 0.06),
            (poll[0] + 0.05, poll[1] + 0.02),
        ]
    )
    on.line(
        [(poll[0] + 0.04, poll[1]), (left + 0.14, back - 0.01)],
        rng.uniform(0.015, 0.04),
        CUT if rng.random() < 0.4 else 1,
    )
    tail = rng.uniform(0.04, 0.09)
    on.line(
        [
            (right, back + 0.04),
            (right + tail, back + 0.1),
            (right + tail * 0.8, back + rng.uniform(0.2, 0.32)),
        ],
        rng.uniform(0.03, 0.06),
    )
    on.disc(poll[0] - 0.03, poll[1] + 0.05, 0.012, CUT)


def horse(rng: np.random.Generator) -> Floats:
    """Standing, facing left."""
    on = Carving()
    _standing_horse(rng, on)
    if rng.random() < 0.8:
        on.mask = shrunk(on.mask, rng.uniform(0.75, 0.9))
        return np.maximum(on.finished(), arches(rng))
    return on.finished()


def arches(rng: np.random.Generator) -> Floats:
    """What stands around the horse."""
    on = Carving()
    width, level = rng.uniform(0.015, 0.04), rng.uniform(0.5, 1)
    half, top = rng.uniform(0.4, 0.47), rng.uniform(0.02, 0.1)
    round_ = rng.uniform(0.25, half)
    for ring in range(int(rng.integers(1, 4))):
        a, h = half - ring * (width + 0.025), top + ring * (width + 0.025)
        arc = ellipse(0.5, h + round_, a, round_, 180, 360)
        on.line(np.concatenate([[(0.5 - a, 0.96)], arc, [(0.5 + a, 0.96)]]), width, level)
    if rng.random() < 0.5:
        on.line([(0.05, 0.96), (0.95, 0.96)], width, level)
    return on.finished()


def _mainsail_and_jib(
    rng: np.random.Generator, on: Carving, mast: float, top: float, foot: float
) -> None:
    gap = rng.uniform(0.015, 0.03)
    for side, reach in ((-1, rng.uniform(0.18, 0.32)), (1, rng.uniform(0.15, 0.32))):
        curve = ellipse(mast + side * gap, foot, side * reach, foot - top - 0.04, -90, 0)
        straight = np.array([(mast + side * gap, top + 0.04), (mast + side * (gap + reach), foot)])
        edge = curve if rng.random() < 0.5 else straight
        on.area(np.concatenate([edge, [(mast + side * gap, foot)]]))


def _square_sails(
    rng: np.random.Generator, on: Carving, mast: float, top: float, foot: float
) -> None:
    """One above another, the lowest the widest."""
    count, wide = int(rng.integers(1, 4)), rng.uniform(0.2, 0.3)
    tall = (foot - top) / count
    for k in range(count):
        upper, lower = top + k * tall + 0.02, top + (k + 1) * tall - 0.02
        half, swell = wide * (0.7 + 0.3 * (k + 1) / count), rng.uniform(0, 0.05)
        middle = (upper + lower) / 2
        left = [
            (mast - half * 0.95, lower),
            (mast - half + swell, middle),
            (mast - half * 0.9, upper),
        ]
        right = [
            (mast + half * 0.9, upper),
            (mast + half + swell, middle),
            (mast + half * 0.95, lower),
        ]
        on.area(left + right)


def _sail_of_a_dhow(
    rng: np.random.Generator, on: Carving, mast: float, top: float, foot: float
) -> None:
    side = float(rng.choice([-1, 1]))
    far = mast + side * rng.uniform(0.25, 0.36)
    on.area([(mast + side * 0.05, top), (far, foot), (mast - side * 0.14, foot - 0.03)])


def boat(rng: np.random.Generator) -> Floats:
    """A sailing ship."""
    on = Carving()
    y, keel, half = rng.uniform(0.62, 0.7), rng.uniform(0.8, 0.86), rng.uniform(0.32, 0.42)
    lift = rng.uniform(0, 0.08)
    deck = np.stack([np.linspace(-half, half, 20), lift * np.linspace(-1, 1, 20) ** 2], 1)
    on.area(
        np.concatenate(
            [[0.5, y] + deck * [1, -1], [(0.5 + half * 0.65, keel), (0.5 - half * 0.65, keel)]]
        )
    )
    if rng.random() < 0.5:
        on.line([(0.5 - half * 0.8, y + 0.06), (0.5 + half * 0.8, y + 0.06)], 0.012, CUT)
    top, mast = rng.uniform(0.08, 0.18), 0.5 + rng.uniform(-0.06, 0.06)
    on.line([(mast, y), (mast, top)], rng.uniform(0.015, 0.03))
    foot = y - rng.uniform(0.03, 0.08)
    sails = (_mainsail_and_jib, _square_sails, _sail_of_a_dhow)[int(rng.integers(3))]
    sails(rng, on, mast, top, foot)
    if rng.random() < 0.5:
        on.area([(mast, top - 0.06), (mast + rng.choice([-1, 1]) * 0.11, top - 0.03), (mast, top)])
    draw_waves(rng, on, keel + rng.uniform(0, 0.06), int(rng.integers(1, 4)))
    return on.finished()


def seed(rng: np.random.Generator) -> Floats:
    """Almond-shaped, three leaves above it."""
    on = Carving()
    foot, long = rng.uniform(0.9, 0.98), rng.uniform(0.42, 0.58)
    wide, neck = rng.uniform(0.24, 0.4), foot - long
    on.area(almond(0.5, foot, long, wide, 0))
    for ring in range(int(rng.integers(0, 3))):
        shrink = 0.75 - 0.3 * ring
        on.line(
            almond(0.5, foot - long * (1 - shrink) / 2, long * shrink, wide * shrink, 0),
            0.015,
            CUT,
            closed=True,
        )
    if rng.random() < 0.4:
        on.line(
            [(0.5, foot - long * 0.2), (0.5 + rng.uniform(-0.04, 0.04), foot - long * 0.8)],
            0.02,
            CUT,
        )
    reach, leaf, spread = neck * rng.uniform(0.75, 0.95), rng.uniform(0.1, 0.2), rng.uniform(35, 75)
    for degrees in (-spread, spread, rng.normal(0, 4)):
        on.area(almond(0.5, neck + 0.02, reach, leaf, degrees))
        if rng.random() < 0.6:
            on.line([(0.5, neck), reached(0.5, neck + 0.02, reach * 0.85, degrees)], 0.01, CUT)
    if rng.random() < 0.5:
        size, y = rng.uniform(0.06, 0.11), rng.uniform(0.6, 0.85)
        for side in (-1, 1):
            on.line(
                ellipse(0.5 + side * 0.33, y, side * size, size, -60, 220),
                0.02,
                rng.uniform(0.6, 1),
            )
    if rng.random() < 0.4:
        draw_beads(rng, on, corner_spots(rng))
    return on.finished()


def tree(rng: np.random.Generator) -> Floats:
    """With a round crown, flowers in the corners."""
    on = Carving()
    if rng.random() < 0.85:
        draw_flowers(rng, on, corner_spots(rng))
    y, radius, ground = rng.uniform(0.34, 0.42), rng.uniform(0.22, 0.32), rng.uniform(0.9, 0.97)
    trunk, root = rng.uniform(0.03, 0.06), rng.uniform(0.06, 0.14)
    left, right, knee = 0.5 - trunk, 0.5 + trunk, ground - 0.1
    foot = [(0.5 + root, ground), (0.5, ground - 0.03), (0.5 - root, ground)]
    on.area([(left, y), (right, y), (right, knee), *foot, (left, knee)])
    lobes = int(rng.integers(0, 11))
    if lobes > 3:
        for k in range(lobes):
            a = 2 * np.pi * k / lobes
            on.disc(0.5 + radius * 0.65 * np.sin(a), y - radius * 0.65 * np.cos(a), radius * 0.42)
        on.disc(0.5, y, radius * 0.7)
    else:
        on.area(ellipse(0.5, y, radius, radius * rng.uniform(0.85, 1.15)))
    kind = int(rng.integers(3))
    if kind == 0:  # branches
        on.line([(0.5, y + radius), (0.5, y - radius * 0.5)], 0.015, CUT)
        for side in (-1, 1):
            on.line(
                [(0.5, y + radius * 0.4), (0.5 + side * radius * 0.5, y - radius * 0.1)], 0.012, CUT
            )
    elif kind == 1:  # fruit
        for _ in range(int(rng.integers(3, 9))):
            a, r = rng.uniform(0, 6.28), radius * rng.uniform(0, 0.75)
            on.disc(0.5 + r * np.cos(a), y + r * np.sin(a), rng.uniform(0.015, 0.03), CUT)
    return on.finished()


DRAWN: dict[str, Callable[[np.random.Generator], Floats]] = {
    "sun": sun,
    "moon": moon,
    "fish": fish,
    "bird": bird,
    "horse": horse,
    "boat": boat,
    "seed": seed,
    "tree": tree,
}
"""How each symbol is drawn."""


def around(rng: np.random.Generator, symbol: str) -> Floats:
    """What stands around a symbol's picture if another hand drew that: arches, waves, corners."""
    if symbol == "horse":
        return arches(rng)
    on = Carving()
    if symbol == "boat":
        draw_waves(rng, on, rng.uniform(0.88, 0.94), int(rng.integers(1, 3)))
    elif symbol == "tree":
        draw_flowers(rng, on, corner_spots(rng))
    elif symbol == "moon":
        draw_stars(rng, on, corner_spots(rng))
    elif symbol == "sun":
        square_around(rng, on)
    else:
        scattered_spots(rng, on)
    return on.finished()


def border(rng: np.random.Generator, size: int, inset: float, width: float) -> Floats:
    """An ornament along all four sides: dots, diamonds, zigzag, waves or a meander.

    ``inset`` and ``width`` are parts of the side.
    """
    long, thick = size, max(3, round(width * size))
    count, kind = int(rng.integers(7, 22)), int(rng.integers(5))
    u = (np.arange(long) / long * count)[None, :] % 1.0
    v = (np.arange(thick)[:, None] + 0.5) / thick
    if kind == 0:
        strip = np.hypot((u - 0.5) * long / count / thick, v - 0.5) < 0.36
    elif kind == 1:
        strip = np.abs(u - 0.5) * 1.1 + np.abs(v - 0.5) < 0.45
    elif kind == 2:
        strip = v > np.abs(u - 0.5) * 2
    elif kind == 3:
        strip = np.abs(v - 0.5 - 0.3 * np.sin(u * 2 * np.pi)) < 0.2
    else:
        strip = (
            (u < 0.2)
            | ((v < 0.25) & (u < 0.75))
            | ((v > 0.75) & (u > 0.4))
            | (np.abs(u - 0.55) < 0.1) & (v > 0.4)
        )
    band = np.zeros((size, size), np.float32)
    at = round(inset * size)
    band[at : at + thick, at : size - at] = strip[:, at : size - at]
    whole = band.copy()
    for quarter in (1, 2, 3):
        whole = np.maximum(whole, np.rot90(band, quarter))
    return np.asarray(cv2.GaussianBlur(whole, (0, 0), 0.6), np.float32)
