"""Procedural surfaces that boards lie on: wood, cloth, stone, paper and the patterns people play
on.

Every material is drawn from its index alone, so a bank of them needs no files and is the same in
every run. The textures repeat without a seam, and so cover a table of any size.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Field = npt.NDArray[np.float32]

SIDE_PX = 512
"""Side of a texture."""
BANK_SIZE = 240
"""How many materials there are."""
BANK_SEED = 7301


@dataclass(frozen=True, slots=True)
class Material:
    """A surface that repeats.

    ``repeat_mm`` is the usual width of one repeat on the table, ``gloss`` how much of a lamp it
    mirrors.
    """

    texture_bgr: Image
    repeat_mm: float
    gloss: float


def noise(rng: np.random.Generator, rows: int, cols: int | None = None) -> Field:
    """Smooth noise between 0 and 1 with that many lumps a side (powers of two), repeating without a
    seam."""
    cols = rows if cols is None else cols
    grid = np.pad(rng.random((rows, cols), np.float32), 2, mode="wrap")
    cell_h, cell_w = SIDE_PX // rows, SIDE_PX // cols
    large = cv2.resize(
        grid, ((cols + 4) * cell_w, (rows + 4) * cell_h), interpolation=cv2.INTER_CUBIC
    )
    return np.asarray(
        large[2 * cell_h : 2 * cell_h + SIDE_PX, 2 * cell_w : 2 * cell_w + SIDE_PX], np.float32
    )


def fractal(
    rng: np.random.Generator,
    rows: int,
    cols: int | None = None,
    octaves: int = 4,
    gain: float = 0.55,
) -> Field:
    """Noise in octaves, about 0 to 1."""
    cols = rows if cols is None else cols
    total, weight, amplitude = np.zeros((SIDE_PX, SIDE_PX), np.float32), 0.0, 1.0
    for _ in range(octaves):
        if max(rows, cols) > SIDE_PX:
            break
        total += amplitude * noise(rng, rows, cols)
        weight += amplitude
        rows, cols, amplitude = rows * 2, cols * 2, amplitude * gain
    return total / np.float32(weight)


def random_colour(
    rng: np.random.Generator,
    saturation: tuple[float, float] = (0.0, 0.9),
    value: tuple[float, float] = (0.1, 0.95),
) -> Field:
    """A BGR colour, 0 to 255."""
    hsv = np.array(
        [[[rng.uniform(0, 360), rng.uniform(*saturation), rng.uniform(*value)]]], np.float32
    )
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0] * 255, np.float32)


def _mix(low: Field, high: Field, share: Field) -> Field:
    share = np.clip(share, 0, 1)[..., None]
    return low * (1 - share) + high * share


def _finish(canvas: Field) -> Image:
    return np.clip(canvas, 0, 255).astype(np.uint8)


def _plain(
    rng: np.random.Generator, saturation: tuple[float, float], value: tuple[float, float]
) -> Image:
    """One colour everywhere."""
    colour = random_colour(rng, saturation, value)
    return _finish(np.broadcast_to(colour, (SIDE_PX, SIDE_PX, 3)))


def _grain(rng: np.random.Generator, strength: float) -> Field:
    return 1 + np.float32(strength) * (rng.standard_normal((SIDE_PX, SIDE_PX, 1), np.float32))


def _weave(rng: np.random.Generator, strength: float) -> Field:
    """Threads over and under, as a factor."""
    period = int(rng.choice([2, 4, 4, 8]))
    steps = np.arange(SIDE_PX) % period
    over = np.abs(steps - (period - 1) / 2) / (period / 2)
    plain = np.where(
        (np.arange(SIDE_PX) // period % 2)[:, None] ^ (np.arange(SIDE_PX) // period % 2)[None, :],
        over[:, None],
        over[None, :],
    )
    threads = fractal(rng, 256, 8, 1) + fractal(rng, 8, 256, 1) - 1
    return np.asarray(1 - strength * plain + strength * threads, np.float32)[..., None]


WOODS: tuple[tuple[tuple[int, int, int], tuple[int, int, int]], ...] = (
    ((70, 120, 175), (120, 175, 220)),
    ((35, 70, 115), (75, 120, 165)),
    ((20, 35, 60), (45, 70, 105)),
    ((15, 18, 24), (38, 42, 52)),
    ((25, 45, 110), (60, 90, 165)),
    ((110, 150, 190), (165, 200, 228)),
    ((95, 105, 112), (150, 160, 165)),
    ((175, 190, 198), (215, 225, 232)),
    ((45, 85, 150), (85, 140, 205)),
    ((8, 8, 10), (24, 24, 28)),
)
"""Wood species as dark and light BGR."""


def _wood(rng: np.random.Generator) -> Image:
    dark, light = (
        np.array(c, np.float32) * rng.uniform(0.85, 1.15, 3).astype(np.float32)
        for c in WOODS[rng.integers(len(WOODS))]
    )
    y = np.linspace(0, 1, SIDE_PX, endpoint=False, dtype=np.float32)[:, None]
    warp = fractal(rng, 8, 2, 3)
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (rng.integers(3, 18) * y + rng.uniform(1, 5) * warp))
    fibres = fractal(rng, 128, 4, 3)
    share = (
        rng.uniform(0.15, 0.6) * rings + rng.uniform(0.3, 0.8) * fibres + rng.uniform(-0.1, 0.15)
    )
    canvas = _mix(dark, light, share.astype(np.float32))
    planks = int(rng.choice([0, 2, 3, 4, 6, 8]))
    if planks:
        edges = np.linspace(0, SIDE_PX, planks + 1).astype(int)
        gap = np.float32(rng.uniform(0.25, 0.95))
        for top, bottom in pairwise(edges):
            board = np.roll(canvas[top:bottom], int(rng.integers(SIDE_PX)), axis=1) * np.float32(
                rng.uniform(0.75, 1.2)
            )
            for joint in rng.integers(0, SIDE_PX, rng.integers(0, 3)):
                board[:, : max(joint, 1)] *= np.float32(rng.uniform(0.8, 1.2))
                board[:, joint : joint + 2] *= gap
            board[: rng.integers(1, 4)] *= gap
            canvas[top:bottom] = board
    return _finish(canvas * _grain(rng, 0.02))


def _bands(rng: np.random.Generator, colours: list[Field]) -> tuple[npt.NDArray[np.intp], int]:
    """Which colour each line of a striped cloth has, and the number of lines before it repeats."""
    widths = rng.integers(2, 40, rng.integers(2, 7))
    sequence = np.concatenate([np.full(w, rng.integers(len(colours))) for w in widths])
    repeats = max(1, round(SIDE_PX / len(sequence)))
    at = (np.arange(SIDE_PX) * len(sequence) * repeats // SIDE_PX) % len(sequence)
    return sequence[at], repeats


def _cloth_colours(rng: np.random.Generator, count: int) -> list[Field]:
    colours = [random_colour(rng, (0.2, 0.95), (0.15, 0.9)) for _ in range(count)]
    if rng.random() < 0.7:
        colours[0] = random_colour(rng, (0, 0.12), (0.75, 0.97))
    return colours


def _gingham(rng: np.random.Generator) -> Image:
    ground, ink = _cloth_colours(rng, 2)
    checks = int(rng.choice([2, 4, 8, 16, 32]))
    line = (np.arange(SIDE_PX) * 2 * checks // SIDE_PX % 2).astype(np.float32)
    share = np.float32(0.5) * (line[:, None] + line[None, :])
    return _finish(_mix(ground, ink, share) * _weave(rng, rng.uniform(0.05, 0.2)))


def _plaid(rng: np.random.Generator) -> Image:
    colours = np.array(_cloth_colours(rng, 4))
    bands, _ = _bands(rng, list(colours))
    across = bands if rng.random() < 0.6 else _bands(rng, list(colours))[0]
    crossed = np.float32(0.5) * (colours[bands][:, None] + colours[across][None, :])
    return _finish(crossed * _weave(rng, rng.uniform(0.05, 0.2)))


def _stripes(rng: np.random.Generator) -> Image:
    colours = np.array(_cloth_colours(rng, int(rng.integers(2, 5))))
    bands, _ = _bands(rng, list(colours))
    return _finish(
        np.repeat(colours[bands][:, None], SIDE_PX, axis=1) * _weave(rng, rng.uniform(0.03, 0.2))
    )


def _linen(rng: np.random.Generator) -> Image:
    colour = random_colour(rng, (0, 0.6), (0.2, 0.95))
    return _finish(
        colour * _weave(rng, rng.uniform(0.08, 0.3)) * (0.9 + 0.2 * fractal(rng, 4)[..., None])
    )


def _felt(rng: np.random.Generator) -> Image:
    colour = random_colour(rng, (0.2, 0.9), (0.08, 0.7))
    return _finish(
        colour * (0.75 + 0.5 * fractal(rng, 64, 64, 3, 0.9)[..., None]) * _grain(rng, 0.05)
    )


def _marble(rng: np.random.Generator) -> Image:
    ground = random_colour(rng, (0, 0.2), (0.1, 0.98))
    vein = random_colour(rng, (0, 0.4), (0.1, 0.8))
    share = np.exp(-np.abs(fractal(rng, 4, 4, 5) - 0.5) * rng.uniform(15, 60)) * rng.uniform(0.4, 1)
    share += 0.4 * np.exp(-np.abs(fractal(rng, 8, 8, 4) - 0.5) * 60)
    return _finish(_mix(ground, vein, share) * (0.92 + 0.16 * fractal(rng, 4)[..., None]))


def _granite(rng: np.random.Generator) -> Image:
    canvas = np.broadcast_to(
        random_colour(rng, (0, 0.4), (0.1, 0.8)), (SIDE_PX, SIDE_PX, 3)
    ).astype(np.float32)
    for lumps in (64, 128, 256):
        canvas = _mix(
            canvas,
            random_colour(rng, (0, 0.4), (0.05, 0.95)),
            (noise(rng, lumps) - rng.uniform(0.45, 0.75)) * 6,
        )
    return _finish(canvas)


def _paint(rng: np.random.Generator) -> Image:
    colour = random_colour(rng, (0, 0.9) if rng.random() < 0.4 else (0, 0.15), (0.03, 0.98))
    spread = rng.uniform(0, 0.12)
    return _finish(
        colour
        * (1 - spread / 2 + spread * fractal(rng, 2)[..., None])
        * _grain(rng, rng.uniform(0, 0.02))
    )


def _paper(rng: np.random.Generator) -> Image:
    colour = random_colour(rng, (0, 0.25), (0.6, 0.98))
    return _finish(colour * (0.93 + 0.1 * fractal(rng, 32)[..., None]) * _grain(rng, 0.012))


def _cork(rng: np.random.Generator) -> Image:
    share = (fractal(rng, 64, 64, 3, 0.8) - 0.3) * 2
    low, high = np.array((40, 75, 120), np.float32), np.array((110, 165, 205), np.float32)
    canvas = _mix(low * np.float32(rng.uniform(0.6, 1)), high, share)
    return _finish(_mix(canvas, np.array((20, 35, 55), np.float32), (noise(rng, 64) - 0.75) * 8))


def _tiles(rng: np.random.Generator) -> Image:
    """A tiled floor, a chess board, squared paper: regular squares that are no pieces."""
    count = int(rng.choice([2, 4, 4, 8, 16]))
    step = SIDE_PX // count
    first, second, grout = (random_colour(rng, (0, 0.7), (0.1, 0.95)) for _ in range(3))
    checked = rng.random() < 0.5
    parity = np.add.outer(np.arange(SIDE_PX) // step, np.arange(SIDE_PX) // step) % 2
    canvas = _mix(first, second if checked else first, parity.astype(np.float32))
    tone = rng.normal(1, rng.uniform(0, 0.12), (count, count)).astype(np.float32)
    canvas *= np.kron(tone, np.ones((step, step), np.float32))[..., None]
    canvas *= 0.85 + 0.3 * fractal(rng, 8, 8, 4)[..., None]
    if not checked or rng.random() < 0.4:
        line = (np.arange(SIDE_PX) % step) < max(1, int(step * rng.uniform(0.01, 0.08)))
        canvas[line[:, None] | line[None, :]] = grout
    return _finish(canvas)


def _scatter(
    rng: np.random.Generator, canvas: Image, sprites: Callable[[tuple[int, int]], None], count: int
) -> Image:
    """Place sprites and their copies across the seam."""
    for x, y in rng.integers(0, SIDE_PX, (count, 2)):
        state = rng.bit_generator.state
        for dx in (-SIDE_PX, 0, SIDE_PX):
            for dy in (-SIDE_PX, 0, SIDE_PX):
                if -80 < x + dx < SIDE_PX + 80 and -80 < y + dy < SIDE_PX + 80:
                    rng.bit_generator.state = state
                    sprites((int(x + dx), int(y + dy)))
    return canvas


def _blossoms(rng: np.random.Generator) -> Image:
    canvas = _plain(rng, (0, 0.7), (0.15, 0.97))
    inks = [random_colour(rng, (0.3, 0.95), (0.2, 0.95)).tolist() for _ in range(4)]
    largest = int(rng.integers(8, 40))

    def flower(at: tuple[int, int]) -> None:
        radius, turn = rng.uniform(0.4, 1) * largest, rng.uniform(0, 6.3)
        ink, heart = inks[rng.integers(4)], inks[rng.integers(4)]
        petals = int(rng.integers(3, 9))
        for k in range(petals):
            angle = turn + k * 2 * np.pi / petals
            centre = (int(at[0] + radius * np.cos(angle)), int(at[1] + radius * np.sin(angle)))
            axes = (max(1, int(radius * 0.8)), max(1, int(radius * 0.45)))
            cv2.ellipse(
                canvas, centre, axes, float(np.degrees(angle)), 0, 360, ink, -1, cv2.LINE_AA
            )
        cv2.circle(canvas, at, max(1, int(radius * 0.5)), heart, -1, cv2.LINE_AA)

    _scatter(rng, canvas, flower, int(rng.integers(10, 90)))
    return _finish(canvas * _weave(rng, rng.uniform(0.03, 0.15)))


def _shapes(rng: np.random.Generator) -> Image:
    """Printed dots, rings, squares and stars on cloth or wrapping paper."""
    canvas = _plain(rng, (0, 0.8), (0.1, 0.97))
    inks = [random_colour(rng, (0, 0.95), (0.1, 0.97)).tolist() for _ in range(3)]
    size = int(rng.integers(5, 45))
    corners = int(rng.choice([3, 4, 4, 5, 6, 30]))
    thickness = int(rng.choice([-1, -1, 1, 3]))
    fixed_turn = rng.uniform(0, 6.3) if rng.random() < 0.5 else None

    def shape(at: tuple[int, int]) -> None:
        turn = rng.uniform(0, 6.3) if fixed_turn is None else fixed_turn
        angles = turn + np.arange(corners) * 2 * np.pi / corners
        points = np.array(at) + size * np.stack([np.cos(angles), np.sin(angles)], 1)
        ink = inks[rng.integers(3)]
        if thickness < 0:
            cv2.fillPoly(canvas, [points.astype(np.int32)], ink, cv2.LINE_AA)
        else:
            cv2.polylines(canvas, [points.astype(np.int32)], True, ink, thickness, cv2.LINE_AA)

    if rng.random() < 0.5:
        _scatter(rng, canvas, shape, int(rng.integers(15, 120)))
    else:
        step = SIDE_PX // int(rng.choice([4, 8, 16]))
        size = min(size, step // 2)
        for y in range(0, SIDE_PX, step):
            for x in range(0, SIDE_PX, step):
                shape((x + step // 2, y + step // 2))
    return _finish(canvas * _weave(rng, rng.uniform(0.0, 0.12)))


def _mat(rng: np.random.Generator) -> Image:
    """A game mat: printed lines, frames and zones over a picture."""
    low = random_colour(rng, (0.1, 0.8), (0.05, 0.6))
    high = random_colour(rng, (0.1, 0.8), (0.1, 0.9))
    canvas = _finish(_mix(low, high, fractal(rng, 4, 4, 5)))
    ink = random_colour(rng, (0, 0.5), (0.3, 0.98)).tolist()
    for _ in range(rng.integers(2, 12)):
        x, y = (int(v) for v in rng.integers(20, SIDE_PX - 180, 2))
        w, h = (int(v) for v in rng.integers(30, 160, 2))
        thick = int(rng.choice([1, 2, 4]))
        match rng.integers(4):
            case 0:
                cv2.rectangle(canvas, (x, y), (x + w, y + h), ink, thick)
            case 1:
                end = (x + w, y + (0 if rng.random() < 0.6 else h))
                cv2.line(canvas, (x, y), end, ink, thick, cv2.LINE_AA)
            case 2:
                cv2.circle(canvas, (x + 80, y + 80), w // 2, ink, thick, cv2.LINE_AA)
            case _:
                text, font = "MAT 12 ZONE"[: rng.integers(2, 11)], int(rng.integers(0, 5))
                scale = rng.uniform(0.4, 1.5)
                cv2.putText(canvas, text, (x, y), font, scale, ink, thick, cv2.LINE_AA)
    return _finish(canvas * _grain(rng, 0.02))


def _newsprint(rng: np.random.Generator) -> Image:
    """Columns of text lines and grey pictures."""
    canvas = _plain(rng, (0, 0.12), (0.7, 0.95))
    columns, line = int(rng.choice([1, 2, 4])), int(rng.integers(5, 14))
    width = SIDE_PX // columns
    for column in range(columns):
        y = 4
        while y < SIDE_PX - line:
            left = column * width + 6
            if rng.random() < 0.03:
                h = int(rng.integers(40, 120))
                shade = rng.integers(40, 200)
                canvas[y : y + h, left : left + width - 12] = (
                    shade * fractal(rng, 16)[y : y + h, left : left + width - 12, None] * 1.6
                ).clip(0, 255)
                y += h + line
            height = line * (3 if rng.random() < 0.03 else 1)
            x, end = left, column * width + width - 6 - int(rng.choice([0, 0, 0, width // 3]))
            while x < end:
                word = int(rng.integers(1, 8) * height * 0.45)
                ink = int(rng.integers(20, 110))
                cv2.rectangle(
                    canvas, (x, y), (min(x + word, end), y + height // 2), (ink, ink, ink), -1
                )
                x += word + max(2, int(height * 0.4))
            y += height
    speckle = noise(rng, 256)[..., None]
    return _finish(np.where(speckle > 0.5, canvas, canvas * 0.55 + 100))


def _leather(rng: np.random.Generator) -> Image:
    colour = random_colour(rng, (0.1, 0.7), (0.05, 0.5))
    cells = np.abs(noise(rng, 128) - 0.5) + np.abs(noise(rng, 128) - 0.5)
    return _finish(colour * (0.6 + cells)[..., None])


def _terrazzo(rng: np.random.Generator) -> Image:
    canvas = _plain(rng, (0, 0.2), (0.5, 0.95))
    inks = [random_colour(rng, (0, 0.5), (0.2, 0.95)).tolist() for _ in range(4)]
    largest = int(rng.integers(5, 22))

    def chip(at: tuple[int, int]) -> None:
        points = np.array(at) + rng.normal(0, largest, (5, 2))
        cv2.fillConvexPoly(
            canvas, cv2.convexHull(points.astype(np.int32)), inks[rng.integers(4)], cv2.LINE_AA
        )

    return _scatter(rng, canvas, chip, int(rng.integers(60, 300)))


FAMILIES: tuple[
    tuple[Callable[[np.random.Generator], Image], int, tuple[float, float], tuple[float, float]],
    ...,
] = (
    (_wood, 95, (250, 900), (0.02, 0.5)),
    (_gingham, 18, (120, 500), (0, 0.02)),
    (_plaid, 14, (80, 400), (0, 0.02)),
    (_stripes, 10, (80, 500), (0, 0.02)),
    (_linen, 14, (100, 350), (0, 0.03)),
    (_felt, 14, (100, 400), (0, 0.02)),
    (_marble, 10, (300, 900), (0.2, 0.7)),
    (_granite, 8, (150, 500), (0.1, 0.6)),
    (_paint, 30, (400, 900), (0.05, 0.7)),
    (_paper, 8, (300, 600), (0, 0.05)),
    (_cork, 5, (120, 300), (0, 0.03)),
    (_tiles, 14, (120, 900), (0.05, 0.5)),
    (_blossoms, 10, (150, 500), (0, 0.1)),
    (_shapes, 12, (120, 500), (0, 0.2)),
    (_mat, 10, (300, 700), (0, 0.15)),
    (_newsprint, 7, (180, 350), (0, 0.05)),
    (_leather, 6, (80, 250), (0.05, 0.3)),
    (_terrazzo, 6, (150, 500), (0.1, 0.5)),
)
"""How each family is drawn, its share of the bank, ranges of the width of a repeat (mm) and of
gloss."""


@cache
def material(index: int) -> Material:
    """Material *index* of the bank, drawn when first asked for."""
    rng = np.random.default_rng((BANK_SEED, index))
    shares = np.array([share for _, share, _, _ in FAMILIES], float)
    draw, _, repeat_mm, gloss = FAMILIES[rng.choice(len(FAMILIES), p=shares / shares.sum())]
    return Material(
        draw(rng), float(np.exp(rng.uniform(*np.log(repeat_mm)))), float(rng.uniform(*gloss))
    )
