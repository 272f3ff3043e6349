"""Printed tops of things: cards, papers, books, keyboards, coins."""

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np

from models.training.scenes.materials import BANK_SIZE, Image, material, random_colour
from models.training.scenes.solids import Colour, blank, colour, disc, rounded

SUITS: tuple[tuple[tuple[float, float], ...], ...] = (
    ((0, -1), (0.7, 0), (0, 1), (-0.7, 0)),
    (
        (0, 1),
        (-0.9, -0.1),
        (-0.8, -0.7),
        (-0.4, -0.8),
        (0, -0.4),
        (0.4, -0.8),
        (0.8, -0.7),
        (0.9, -0.1),
    ),
    (
        (0, -1),
        (0.9, 0.2),
        (0.6, 0.7),
        (0.15, 0.5),
        (0.3, 1),
        (-0.3, 1),
        (-0.15, 0.5),
        (-0.6, 0.7),
        (-0.9, 0.2),
    ),
    (
        (0, -1),
        (0.4, -0.6),
        (0.3, -0.2),
        (0.9, -0.1),
        (0.8, 0.5),
        (0.2, 0.4),
        (0.3, 1),
        (-0.3, 1),
        (-0.2, 0.4),
        (-0.8, 0.5),
        (-0.9, -0.1),
        (-0.3, -0.2),
        (-0.4, -0.6),
    ),
)
"""Outlines of diamonds, hearts, spades and clubs, -1 to 1."""


def _write(
    sheet: Image, text: str, at: tuple[int, int], scale: float, ink: Sequence[float]
) -> None:
    """Print thin letters in place; their lower left corner is at a point."""
    cv2.putText(sheet, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, 1, cv2.LINE_AA)


def _paste_picture(rng: np.random.Generator, part: Image, most: int) -> None:
    """Fill a part of a sheet with a material, from a place before ``most``."""
    top, left = rng.integers(0, most, 2)
    picture = material(int(rng.integers(BANK_SIZE))).texture_bgr
    part[..., :3] = picture[top : top + part.shape[0], left : left + part.shape[1]]


def playing_card(rng: np.random.Generator) -> Image:
    """The face of a common playing card."""
    w, h = 64, int(64 * rng.uniform(1.35, 1.6))
    sheet = blank(w, h, colour(rng, (0, 0.1), (0.85, 1)))
    suit = int(rng.integers(4))
    ink: Colour = (30, 30, 200) if suit < 2 else (30, 30, 30)
    outline = np.array(SUITS[suit], np.float32)

    def pip(x: float, y: float, size: float, turned: bool) -> None:
        points = np.array((x * w, y * h)) + outline * size * w * (-1 if turned else 1)
        cv2.fillPoly(sheet, [(points * 16).astype(np.int32)], (*ink, 255), cv2.LINE_AA, 4)

    count = int(rng.integers(1, 14))
    if count > 10:
        cv2.rectangle(sheet, (w // 5, h // 7), (w - w // 5, h - h // 7), (*colour(rng), 255), -1)
        cv2.rectangle(sheet, (w // 5, h // 7), (w - w // 5, h - h // 7), (*ink, 255), 1)
        for _ in range(12):
            x, y = rng.uniform(0.25, 0.75), rng.uniform(0.2, 0.8)
            at, radius = (int(x * w), int(y * h)), int(rng.integers(2, 9))
            cv2.circle(sheet, at, radius, (*colour(rng), 255), -1, cv2.LINE_AA)
    else:
        rows = max(1, (count + 1) // 2)
        for k in range(count):
            x = 0.5 if count == 1 or (count % 2 and k == count - 1) else (0.32, 0.68)[k % 2]
            y = 0.5 if rows == 1 else 0.2 + 0.6 * (k // 2) / (rows - 1)
            pip(x, y, 0.2 if count == 1 else 0.09, y > 0.55)
    for x, y, turned in ((0.1, 0.2, False), (0.9, 0.8, True)):
        pip(x, y, 0.05, turned)
    _write(sheet, "A23456789TJQK"[count - 1], (2, 12), 0.38, (*ink, 255))
    return rounded(sheet, rng.uniform(0.03, 0.09))


def card_back(rng: np.random.Generator) -> Image:
    """The patterned back of a card."""
    w, h = 64, int(64 * rng.uniform(1.0, 1.6))
    sheet = blank(w, h, colour(rng, (0, 0.1), (0.8, 1)))
    inset = int(rng.integers(0, 7))
    inner = sheet[inset : h - inset, inset : w - inset]
    if rng.random() < 0.6:
        y, x = np.mgrid[: inner.shape[0], : inner.shape[1]].astype(np.float32)
        f = rng.uniform(0.3, 1.5)
        wave = (
            np.sin(f * (x + y)) * np.sin(f * (x - y))
            if rng.random() < 0.6
            else np.sin(f * np.hypot(x - w / 2, y - h / 2))
        )
        inner[..., :3] = np.where(
            wave[..., None] > rng.uniform(-0.4, 0.4), random_colour(rng), random_colour(rng)
        )
    else:
        _paste_picture(rng, inner, 300)
    return rounded(sheet, rng.uniform(0.0, 0.09))


def text_lines(
    rng: np.random.Generator, sheet: Image, box: tuple[int, int, int, int], line: int
) -> None:
    """Fill a box with lines of grey words."""
    x0, y0, x1, y1 = box
    ink = int(rng.integers(10, 130))
    for y in range(y0, y1 - line // 2, line):
        x = x0
        end = x1 - (int(rng.integers(0, max(1, (x1 - x0) // 2))) if rng.random() < 0.25 else 0)
        while x < end:
            word = int(rng.integers(line // 2 + 1, line * 3 + 2))
            cv2.rectangle(
                sheet, (x, y), (min(x + word, end), y + max(1, line // 3)), (ink, ink, ink, 255), -1
            )
            x += word + line // 3 + 1


def paper_sheet(rng: np.random.Generator) -> Image:
    """A sheet with text, boxes, a table, a calendar or a plan on it: grids that are no boards."""
    w = int(rng.integers(130, 220))
    h = int(w * rng.uniform(0.7, 1.5))
    sheet = blank(w, h, colour(rng, (0, 0.2), (0.75, 1)))
    ink = (*colour(rng, (0, 0.8), (0, 0.5)), 255.0)
    left, top = int(w * rng.uniform(0.05, 0.15)), int(h * rng.uniform(0.05, 0.2))
    match rng.integers(5):
        case 0:
            text_lines(rng, sheet, (left, top, w - left, h - top), int(rng.integers(4, 12)))
        case 1 | 2:
            rows, cols = (int(v) for v in rng.integers(2, 9, 2))
            xs = [left + (w - 2 * left) * c // cols for c in range(cols + 1)]
            ys = [top + (h - top - left) * r // rows for r in range(rows + 1)]
            for y, y2 in pairwise(ys):
                for x, x2 in pairwise(xs):
                    if rng.random() < 0.2:
                        cv2.rectangle(
                            sheet, (x, y), (x2, y2), (*colour(rng, (0, 0.5), (0.6, 1)), 255), -1
                        )
                    cv2.rectangle(sheet, (x, y), (x2, y2), ink, 1)
                    if rng.random() < 0.6:
                        _write(sheet, str(rng.integers(1, 32)), (x + 2, y + 10), 0.28, ink)
            _write(sheet, "MAY 2031", (left, max(10, top - 4)), 0.4, ink)
        case 3:
            half = int(h * rng.uniform(0.3, 0.6))
            _paste_picture(rng, sheet[top:half, left : w - left], 250)
            text_lines(rng, sheet, (left, half + 6, w - left, h - 8), int(rng.integers(4, 9)))
        case _:
            for _ in range(rng.integers(3, 12)):
                x, y = int(rng.integers(5, w - 40)), int(rng.integers(5, h - 40))
                a, b = (int(v) for v in rng.integers(10, 60, 2))
                cv2.rectangle(sheet, (x, y), (x + a, y + b), ink, int(rng.integers(1, 3)))
    return sheet


def book_cover(rng: np.random.Generator) -> Image:
    """A book, a box lid or a picture in its frame."""
    w = int(rng.integers(120, 220))
    h = int(w * rng.uniform(0.7, 1.5))
    sheet = blank(w, h, colour(rng))
    inset = int(rng.integers(0, 30))
    if rng.random() < 0.6:
        _paste_picture(rng, sheet[inset : h - inset, inset : w - inset], 180)
    for _ in range(rng.integers(0, 5)):
        x, y = int(rng.integers(0, w)), int(rng.integers(0, h))
        a, b = (int(v) for v in rng.integers(10, 90, 2))
        cv2.rectangle(
            sheet, (x, y), (x + a, y + b), (*colour(rng), 255), int(rng.choice([-1, 1, 3]))
        )
    text = "".join(chr(c) for c in rng.integers(65, 91, rng.integers(3, 9)))
    scale, thick = rng.uniform(0.5, 1.4), int(rng.integers(1, 4))
    at, font = (int(rng.integers(4, 40)), int(rng.integers(30, h - 10))), int(rng.integers(0, 5))
    cv2.putText(sheet, text, at, font, scale, (*colour(rng), 255), thick, cv2.LINE_AA)
    return rounded(sheet, rng.uniform(0, 0.03))


def keyboard(rng: np.random.Generator) -> Image:
    """Rows of keys: a keyboard, a calculator, a remote control, a chocolate bar."""
    rows, cols = int(rng.integers(3, 8)), int(rng.integers(3, 16))
    step = int(rng.integers(14, 26))
    body, key, ink = colour(rng, (0, 0.3)), colour(rng, (0, 0.4)), colour(rng, (0, 0.5))
    sheet = blank(cols * step + 12, rows * step + 12, body)
    gap, label = int(rng.integers(1, 5)), rng.random() < 0.7
    for r in range(rows):
        shift = int(rng.integers(0, step // 2)) if cols > 8 else 0
        for c in range(cols):
            x, y = 6 + c * step + shift, 6 + r * step
            tone = key if rng.random() < 0.93 else colour(rng)
            far_x, far_y = x + step - gap, y + step - gap
            cv2.rectangle(sheet, (x, y), (far_x, far_y), (*tone, 255), -1)
            cv2.line(sheet, (x, far_y), (far_x, far_y), (*(v * 0.6 for v in tone), 255), 1)
            if label:
                letter = chr(int(rng.integers(48, 91)))
                _write(sheet, letter, (x + 3, y + step // 2 + 2), 0.3, (*ink, 255))
    return rounded(sheet, rng.uniform(0, 0.08))


def phone(rng: np.random.Generator) -> Image:
    """A dark slab, perhaps with a lit screen of app squares."""
    sheet = blank(110, 220, colour(rng, (0, 0.3), (0.02, 0.3)))
    if rng.random() < 0.5:
        screen = sheet[8:-8, 6:-6]
        screen[..., :3] = random_colour(rng, (0, 0.7), (0.1, 0.9))
        for r in range(6):
            for c in range(4):
                if rng.random() < 0.8:
                    x, y = 12 + c * 24, 24 + r * 30
                    ink = (*colour(rng, (0.2, 0.9), (0.4, 1)), 255)
                    cv2.rectangle(sheet, (x, y), (x + 15, y + 15), ink, -1)
    return rounded(sheet, 0.12)


def die_top(rng: np.random.Generator) -> Image:
    """One side of a die."""
    sheet = blank(32, 32, colour(rng) if rng.random() < 0.5 else (235, 238, 240))
    ink = (*((20.0, 20.0, 20.0) if sheet[0, 0, 1] > 120 else (240.0, 240.0, 240.0)), 255.0)
    count = int(rng.integers(1, 7))
    spots = {1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "acdfgi"}[count]
    for spot in spots:
        k = ord(spot) - 97
        cv2.circle(sheet, (8 + 8 * (k % 3), 8 + 8 * (k // 3)), 3, ink, -1, cv2.LINE_AA)
    return rounded(sheet, rng.uniform(0.05, 0.25))


def coin_top(rng: np.random.Generator) -> Image:
    metal = ((60.0, 130.0, 190.0), (90.0, 170.0, 215.0), (185.0, 190.0, 195.0), colour(rng))[
        rng.integers(4)
    ]
    sheet = disc(48, metal)
    dark = (*(v * rng.uniform(0.5, 0.9) for v in metal), 255.0)
    cv2.circle(sheet, (24, 24), int(rng.integers(17, 22)), dark, 1, cv2.LINE_AA)
    value, font = str(rng.integers(1, 10)), int(rng.integers(0, 5))
    cv2.putText(sheet, value, (14, 34), font, 0.9, dark, 2, cv2.LINE_AA)
    return sheet


def vessel_top(rng: np.random.Generator) -> Image:
    """A mug, a glass or a bowl from above: rim, inner wall, what is in it."""
    outer = colour(rng, (0, 0.8), (0.15, 1))
    sheet = disc(128, outer)
    wall, content = int(rng.integers(3, 8)), int(rng.integers(10, 34))
    cv2.circle(sheet, (64, 64), 63 - wall, (*(v * 0.55 for v in outer), 255), -1, cv2.LINE_AA)
    cv2.circle(
        sheet, (64, 64), 63 - content, (*colour(rng, (0.1, 0.8), (0.05, 0.8)), 255), -1, cv2.LINE_AA
    )
    return sheet
