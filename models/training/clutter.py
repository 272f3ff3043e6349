"""Things on a table as simple solids: what the scenes are built from, and all that lies around a
board.

Lengths are millimetres on the table: x to the right, y towards the viewer, heights upwards. A solid
is an upright prism with a printed top; a tube is a bent round bar (pens, cables, fingers, handles).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import cv2
import numpy as np
import numpy.typing as npt

from models.training.materials import BANK_SIZE, Image, material, random_colour

Points = npt.NDArray[np.float32]
Colour = tuple[float, float, float]


class Layer(IntEnum):
    """What lies over what; within the flat layer things are painted in the order of the list."""

    FLAT = 0
    STANDING = 1
    OVER = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the top of a solid that the detector has to find.

    ``box`` is left, top, right, bottom as fractions of the top. Kind, grid and cell are those of
    the scene.
    """

    kind: int
    grid: int
    cell: tuple[int, int]
    box: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Solid:
    """A prism whose outline is where its printed top is opaque."""

    top_bgra: Image
    size_mm: tuple[float, float]
    centre_mm: tuple[float, float]
    turn: float
    thick_mm: float
    base_mm: float = 0.0
    side_bgr: Colour = (200.0, 200.0, 200.0)
    layer: Layer = Layer.STANDING
    gloss: float = 0.05
    sharpness: float = 60.0
    slope: tuple[float, float] = (0.0, 0.0)
    bevel: float = 0.0
    taper: float = 1.0
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Tube:
    """A round bar along points (x, y, height)."""

    points_mm: Points
    radius_mm: float
    colour_bgr: Colour
    layer: Layer = Layer.STANDING
    gloss: float = 0.1


Thing = Solid | Tube


def colour(
    rng: np.random.Generator,
    saturation: tuple[float, float] = (0, 0.9),
    value: tuple[float, float] = (0.1, 0.95),
) -> Colour:
    """A random colour as a drawing function wants it."""
    b, g, r = random_colour(rng, saturation, value).tolist()
    return (b, g, r)


def blank(width: int, height: int, ink: Colour) -> Image:
    """An opaque BGRA sheet."""
    return np.full((height, width, 4), (*ink, 255), np.uint8)


def rounded(sheet: Image, radius: float) -> Image:
    """Cut round corners; the radius is a share of the shorter side."""
    h, w = sheet.shape[:2]
    r = radius * min(h, w)
    x = np.maximum(np.abs(np.arange(w) - (w - 1) / 2) - (w / 2 - r), 0)
    y = np.maximum(np.abs(np.arange(h) - (h - 1) / 2) - (h / 2 - r), 0)
    inside = (
        np.clip(r - np.hypot(x[None, :], y[:, None]) + 0.5, 0, 1) if r >= 1 else np.ones((h, w))
    )
    sheet[..., 3] = (sheet[..., 3] * inside).astype(np.uint8)
    return sheet


def disc(diameter: int, ink: Colour) -> Image:
    """A round BGRA sheet."""
    return rounded(blank(diameter, diameter, ink), 0.5)


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
            cv2.circle(
                sheet,
                (int(x * w), int(y * h)),
                int(rng.integers(2, 9)),
                (*colour(rng), 255),
                -1,
                cv2.LINE_AA,
            )
    else:
        rows = max(1, (count + 1) // 2)
        for k in range(count):
            x = 0.5 if count == 1 or (count % 2 and k == count - 1) else (0.32, 0.68)[k % 2]
            y = 0.5 if rows == 1 else 0.2 + 0.6 * (k // 2) / (rows - 1)
            pip(x, y, 0.2 if count == 1 else 0.09, y > 0.55)
    for x, y, turned in ((0.1, 0.2, False), (0.9, 0.8, True)):
        pip(x, y, 0.05, turned)
    cv2.putText(
        sheet,
        "A23456789TJQK"[count - 1],
        (2, 12),
        cv2.FONT_HERSHEY_SIMPLEX,
        0.38,
        (*ink, 255),
        1,
        cv2.LINE_AA,
    )
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
        start = rng.integers(0, 300, 2)
        picture = material(int(rng.integers(BANK_SIZE))).texture_bgr
        inner[..., :3] = picture[
            start[0] : start[0] + inner.shape[0], start[1] : start[1] + inner.shape[1]
        ]
    return rounded(sheet, rng.uniform(0.0, 0.09))


CELL_PX = 56
"""Side of a cell in the drawing of a printed board."""


Badge = Callable[[Image, tuple[float, float], str], None]
"""Prints a number onto a sheet (BGRA) around a centre, in place."""


@dataclass(frozen=True, slots=True)
class BoardPrint:
    """A printed board: its picture and where each cell is, as fractions of it."""

    sheet_bgra: Image
    boxes: dict[tuple[int, int], tuple[float, float, float, float]]
    pitch: float


def board_print(
    rng: np.random.Generator,
    rows: int,
    cols: int,
    numbers: dict[tuple[int, int], str],
    draw_badge: Badge | None = None,
) -> BoardPrint:
    """A board as it may be printed; its numbers in the way of ``draw_badge``, else in one of
    OpenCV's fonts."""
    margin = rng.uniform(0.08, 0.9, 4) * CELL_PX
    if rng.random() < 0.4:
        margin[:] = margin[0]
    pitch = CELL_PX * float(rng.choice([1.0, rng.uniform(1.0, 1.18)]))
    left, top = float(margin[0]), float(margin[1])
    w, h = int(left + margin[2] + pitch * cols), int(top + margin[3] + pitch * rows)
    ground = random_colour(rng, (0, 0.8), (0.15, 0.97))
    sheet = blank(w, h, (float(ground[0]), float(ground[1]), float(ground[2])))
    if rng.random() < 0.45:
        picture = material(int(rng.integers(BANK_SIZE))).texture_bgr
        share = rng.uniform(0.1, 0.8)
        sheet[..., :3] = cv2.addWeighted(
            np.ascontiguousarray(sheet[..., :3]), 1 - share, cv2.resize(picture, (w, h)), share, 0
        )
    ink = (*colour(rng, (0, 0.9), (0, 0.98)), 255.0)
    faint = (*np.clip(ground * rng.uniform(0.6, 1.35), 0, 255).tolist(), 255.0)
    if rng.random() < 0.5:
        inset = int(rng.integers(2, 8))
        cv2.rectangle(
            sheet, (inset, inset), (w - inset, h - inset), ink, int(rng.integers(1, 4)), cv2.LINE_AA
        )
    if rng.random() < 0.5:
        text = "".join(chr(c) for c in rng.integers(65, 91, rng.integers(4, 9)))
        scale = margin[1] / 60
        cv2.putText(
            sheet,
            text,
            (int(w * rng.uniform(0.05, 0.6)), int(margin[1] * 0.75)),
            int(rng.integers(0, 5)),
            scale,
            ink,
            1,
            cv2.LINE_AA,
        )
    outline, fill = rng.random() < 0.75, rng.random() < 0.5
    line_ink, thick, radius = (
        (ink if rng.random() < 0.6 else faint),
        int(rng.choice([1, 1, 2, 3])),
        float(rng.choice([0, 0, 0.1, 0.2])),
    )
    tints = [np.array(colour(rng, (0, 0.7), (0.2, 0.97))) for _ in range(4)]
    one_tint, sign, recessed = rng.random() < 0.6, rng.random() < 0.2, rng.random() < 0.12
    badge = draw_badge or _badge_style(rng)
    boxes = {}
    for row in range(rows):
        for col in range(cols):
            x, y = left + pitch * (col + 0.5) - CELL_PX / 2, top + pitch * (row + 0.5) - CELL_PX / 2
            boxes[row, col] = (x / w, y / h, (x + CELL_PX) / w, (y + CELL_PX) / h)
            corners = (
                round(x - 0.5),
                round(y - 0.5),
                round(x + CELL_PX - 0.5),
                round(y + CELL_PX - 0.5),
            )
            area = 0 if one_tint else 2 * (2 * row >= rows) + (2 * col >= cols)
            if fill:
                _cell(sheet, corners, radius, (*tints[area].tolist(), 255.0), -1)
            if sign:
                cv2.circle(
                    sheet,
                    (int(x + CELL_PX / 2), int(y + CELL_PX / 2)),
                    int(CELL_PX * 0.2),
                    faint,
                    1 if outline else -1,
                    cv2.LINE_AA,
                )
            if outline:
                _cell(sheet, corners, radius, line_ink, thick)
            if (row, col) in numbers:
                badge(sheet, (x + CELL_PX / 2, y + CELL_PX / 2), numbers[row, col])
    if recessed:
        for x0, y0, x1, y1 in boxes.values():
            left_x, top_y, right_x, bottom_y = (
                round(v) for v in (x0 * w, y0 * h, x1 * w - 1, y1 * h - 1)
            )
            cv2.line(sheet, (left_x, top_y), (right_x, top_y), (0, 0, 0, 255), 2)
            cv2.line(sheet, (left_x, top_y), (left_x, bottom_y), (30, 30, 30, 255), 2)
            cv2.line(
                sheet,
                (left_x, bottom_y),
                (right_x, bottom_y),
                (*np.minimum(ground * 1.4, 255).tolist(), 255),
                1,
            )
    if rng.random() < 0.25:
        middle_x, middle_y = int(left + pitch * (cols // 2)), int(top + pitch * (rows // 2))
        cv2.line(sheet, (middle_x, int(top)), (middle_x, int(top + pitch * rows)), ink, 3)
        cv2.line(sheet, (int(left), middle_y), (int(left + pitch * cols), middle_y), ink, 3)
    return BoardPrint(rounded(sheet, float(rng.choice([0, 0.01, 0.04]))), boxes, pitch)


def _cell(
    sheet: Image,
    corners: tuple[int, int, int, int],
    radius: float,
    ink: Sequence[float],
    thick: int,
) -> None:
    x0, y0, x1, y1 = corners
    r = int(radius * (x1 - x0))
    if r < 2:
        cv2.rectangle(sheet, (x0, y0), (x1, y1), ink, thick, cv2.LINE_AA)
        return
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    side = np.array([(x1 - r, y1 - r), (x0 + r, y1 - r), (x0 + r, y0 + r), (x1 - r, y0 + r)])[
        (np.arange(24) // 6)
    ]
    points = (side + r * np.stack([np.cos(angles), np.sin(angles)], 1)).astype(np.int32)
    if thick < 0:
        cv2.fillPoly(sheet, [points], ink, cv2.LINE_AA)
    else:
        cv2.polylines(sheet, [points], True, ink, thick, cv2.LINE_AA)


def _badge_style(rng: np.random.Generator) -> Badge:
    """How the numbers of one board are printed."""
    ground, ink = (
        (*colour(rng, (0, 0.8), (0.6, 1)), 255.0),
        (*colour(rng, (0, 0.8), (0, 0.4)), 255.0),
    )
    if rng.random() < 0.4:
        ground, ink = ink, ground
    font, thick, scale = (
        int(rng.choice([0, 2, 3, 4])),
        int(rng.integers(2, 6)),
        float(rng.uniform(0.6, 1.5)),
    )
    shape, radius, rim = int(rng.integers(5)), CELL_PX * rng.uniform(0.3, 0.48), rng.random() < 0.6

    def draw(sheet: Image, centre: tuple[float, float], text: str) -> None:
        x, y = centre
        corners = {1: 40, 2: 4, 3: 6, 4: 5}.get(shape)
        if corners:
            angles = np.arange(corners) * 2 * np.pi / corners + (
                np.pi / 4 if shape == 2 else np.pi / 2
            )
            points = (
                np.array(centre)
                + radius
                * (1.3 if shape == 2 else 1)
                * np.stack([np.cos(angles), np.sin(angles)], 1)
            ).astype(np.int32)
            cv2.fillPoly(sheet, [points], ground, cv2.LINE_AA)
            if rim:
                cv2.polylines(sheet, [points], True, ink, 2, cv2.LINE_AA)
        (w, h), _ = cv2.getTextSize(text, font, scale, thick)
        cv2.putText(
            sheet, text, (round(x - w / 2), round(y + h / 2)), font, scale, ink, thick, cv2.LINE_AA
        )

    return draw


def text_lines(
    rng: np.random.Generator, sheet: Image, box: tuple[int, int, int, int], line: int
) -> None:
    """Fill a box with lines of grey words."""
    x0, y0, x1, y1 = box
    ink = int(rng.integers(10, 130))
    for y in range(y0, y1 - line // 2, line):
        x, end = (
            x0,
            x1 - (int(rng.integers(0, max(1, (x1 - x0) // 2))) if rng.random() < 0.25 else 0),
        )
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
            for r in range(rows):
                for c in range(cols):
                    x, y = left + (w - 2 * left) * c // cols, top + (h - top - left) * r // rows
                    x2, y2 = (
                        left + (w - 2 * left) * (c + 1) // cols,
                        top + (h - top - left) * (r + 1) // rows,
                    )
                    if rng.random() < 0.2:
                        cv2.rectangle(
                            sheet, (x, y), (x2, y2), (*colour(rng, (0, 0.5), (0.6, 1)), 255), -1
                        )
                    cv2.rectangle(sheet, (x, y), (x2, y2), ink, 1)
                    if rng.random() < 0.6:
                        cv2.putText(
                            sheet,
                            str(rng.integers(1, 32)),
                            (x + 2, y + 10),
                            cv2.FONT_HERSHEY_SIMPLEX,
                            0.28,
                            ink,
                            1,
                            cv2.LINE_AA,
                        )
            cv2.putText(
                sheet,
                "MAY 2031",
                (left, max(10, top - 4)),
                cv2.FONT_HERSHEY_SIMPLEX,
                0.4,
                ink,
                1,
                cv2.LINE_AA,
            )
        case 3:
            half = int(h * rng.uniform(0.3, 0.6))
            start = rng.integers(0, 250, 2)
            picture = material(int(rng.integers(BANK_SIZE))).texture_bgr
            sheet[top:half, left : w - left, :3] = picture[
                start[0] : start[0] + half - top, start[1] : start[1] + w - 2 * left
            ]
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
        start = rng.integers(0, 180, 2)
        picture = material(int(rng.integers(BANK_SIZE))).texture_bgr
        part = sheet[inset : h - inset, inset : w - inset]
        part[..., :3] = picture[
            start[0] : start[0] + part.shape[0], start[1] : start[1] + part.shape[1]
        ]
    for _ in range(rng.integers(0, 5)):
        x, y = int(rng.integers(0, w)), int(rng.integers(0, h))
        a, b = (int(v) for v in rng.integers(10, 90, 2))
        cv2.rectangle(
            sheet, (x, y), (x + a, y + b), (*colour(rng), 255), int(rng.choice([-1, 1, 3]))
        )
    text = "".join(chr(c) for c in rng.integers(65, 91, rng.integers(3, 9)))
    scale, thick = rng.uniform(0.5, 1.4), int(rng.integers(1, 4))
    cv2.putText(
        sheet,
        text,
        (int(rng.integers(4, 40)), int(rng.integers(30, h - 10))),
        int(rng.integers(0, 5)),
        scale,
        (*colour(rng), 255),
        thick,
        cv2.LINE_AA,
    )
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
            cv2.rectangle(sheet, (x, y), (x + step - gap, y + step - gap), (*tone, 255), -1)
            cv2.line(
                sheet,
                (x, y + step - gap),
                (x + step - gap, y + step - gap),
                (*(v * 0.6 for v in tone), 255),
                1,
            )
            if label:
                cv2.putText(
                    sheet,
                    chr(int(rng.integers(48, 91))),
                    (x + 3, y + step // 2 + 2),
                    cv2.FONT_HERSHEY_SIMPLEX,
                    0.3,
                    (*ink, 255),
                    1,
                    cv2.LINE_AA,
                )
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
                    cv2.rectangle(
                        sheet,
                        (x, y),
                        (x + 15, y + 15),
                        (*colour(rng, (0.2, 0.9), (0.4, 1)), 255),
                        -1,
                    )
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


def _coin(rng: np.random.Generator) -> Image:
    metal = ((60.0, 130.0, 190.0), (90.0, 170.0, 215.0), (185.0, 190.0, 195.0), colour(rng))[
        rng.integers(4)
    ]
    sheet = disc(48, metal)
    dark = (*(v * rng.uniform(0.5, 0.9) for v in metal), 255.0)
    cv2.circle(sheet, (24, 24), int(rng.integers(17, 22)), dark, 1, cv2.LINE_AA)
    cv2.putText(
        sheet,
        str(rng.integers(1, 10)),
        (14, 34),
        int(rng.integers(0, 5)),
        0.9,
        dark,
        2,
        cv2.LINE_AA,
    )
    return sheet


def _vessel(rng: np.random.Generator) -> Image:
    """A mug, a glass or a bowl from above: rim, inner wall, what is in it."""
    outer = colour(rng, (0, 0.8), (0.15, 1))
    sheet = disc(128, outer)
    wall, content = int(rng.integers(3, 8)), int(rng.integers(10, 34))
    cv2.circle(sheet, (64, 64), 63 - wall, (*(v * 0.55 for v in outer), 255), -1, cv2.LINE_AA)
    cv2.circle(
        sheet, (64, 64), 63 - content, (*colour(rng, (0.1, 0.8), (0.05, 0.8)), 255), -1, cv2.LINE_AA
    )
    return sheet


def _at_angle(centre: tuple[float, float], distance: float, angle: float) -> tuple[float, float]:
    return (
        centre[0] + distance * float(np.cos(angle)),
        centre[1] + distance * float(np.sin(angle)),
    )


def mug(rng: np.random.Generator, at: tuple[float, float]) -> list[Thing]:
    """A mug with a handle, a bowl or a glass."""
    top = _vessel(rng)
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
    angle, length, radius = (
        rng.uniform(0, 2 * np.pi),
        rng.uniform(90, 160),
        float(rng.uniform(3, 6)),
    )
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
            _coin(rng),
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
        top, width = (
            rounded(
                np.dstack([cloth, np.full(cloth.shape[:2], 255, np.uint8)]), rng.uniform(0, 0.5)
            ),
            float(rng.uniform(80, 500)),
        )
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
    top, thick = _coin(rng) if rng.random() < 0.6 else _vessel(rng), float(rng.uniform(1, 12))
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
    things: list[Thing] = [
        Tube(
            np.array([(*_at_angle(at, 110, away), height + 15), (*elbow, height + 40)], np.float32),
            28,
            skin,
            Layer.OVER,
        )
    ]
    if rng.random() < 0.7:
        things.append(
            Tube(
                np.array([(*wrist, height + 20), (*elbow, height + 50)], np.float32),
                float(rng.uniform(36, 50)),
                colour(rng),
                Layer.OVER,
                0.0,
            )
        )
    things.append(
        Tube(
            np.array(
                [(*palm_at, height + 10), (*_at_angle(at, 115, away), height + 12)], np.float32
            ),
            36,
            skin,
            Layer.OVER,
        )
    )
    for k in range(int(rng.integers(1, 6))):
        base = _at_angle(palm_at, 30, away + np.pi + (k - 2) * 0.45)
        reach = rng.uniform(40, 85) if k else 45
        tip = _at_angle(base, reach, away + np.pi + (k - 2) * 0.2 + rng.normal(0, 0.1))
        middle = ((base[0] + tip[0]) / 2, (base[1] + tip[1]) / 2, height + 14)
        points = np.array([(*base, height + 12), middle, (*tip, max(8.0, height - 12))], np.float32)
        things.append(Tube(points, float(rng.uniform(7.5, 10)), skin, Layer.OVER))
    return things


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
