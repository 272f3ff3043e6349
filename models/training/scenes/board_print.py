"""The printed boards of games with cells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np

from models.training.scenes.materials import BANK_SIZE, Field, Image, material, random_colour
from models.training.scenes.solids import blank, colour, colours_apart, rounded

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
    unruled: bool = False,
) -> BoardPrint:
    """A board as it may be printed; its numbers in the way of ``draw_badge``, else in one of
    OpenCV's fonts.

    ``unruled`` boards have small signs in or between cells and no lines.
    """
    margin = rng.uniform(0.08, 0.9, 4) * CELL_PX
    if rng.random() < 0.4:
        margin[:] = margin[0]
    pitch = CELL_PX * float(rng.choice([1.0, rng.uniform(1.0, 1.18)]))
    left, top = float(margin[0]), float(margin[1])
    w, h = int(left + margin[2] + pitch * cols), int(top + margin[3] + pitch * rows)
    ground = random_colour(rng, (0, 0.8), (0.15, 0.97))
    sheet = _ground(rng, (w, h), ground)
    ink = (*colour(rng, (0, 0.9), (0, 0.98)), 255.0)
    faint = (*np.clip(ground * rng.uniform(0.6, 1.35), 0, 255).tolist(), 255.0)
    _trim(rng, sheet, float(margin[1]), ink)
    style = _Signs.drawn(rng, ink, faint) if unruled else _CellStyle.drawn(rng, ink, faint)
    recessed = not unruled and rng.random() < 0.12
    badge = draw_badge or _badge_style(rng)
    boxes = {}
    for row in range(rows):
        for col in range(cols):
            x, y = left + pitch * (col + 0.5) - CELL_PX / 2, top + pitch * (row + 0.5) - CELL_PX / 2
            boxes[row, col] = (x / w, y / h, (x + CELL_PX) / w, (y + CELL_PX) / h)
            style.print(sheet, (x, y), 2 * (2 * row >= rows) + (2 * col >= cols))
            if (row, col) in numbers:
                badge(sheet, (x + CELL_PX / 2, y + CELL_PX / 2), numbers[row, col])
    if recessed:
        for x0, y0, x1, y1 in boxes.values():
            corners = (round(x0 * w), round(y0 * h), round(x1 * w - 1), round(y1 * h - 1))
            _sink(sheet, corners, (*np.minimum(ground * 1.4, 255).tolist(), 255))
    if not unruled and rng.random() < 0.25:
        middle_x, middle_y = int(left + pitch * (cols // 2)), int(top + pitch * (rows // 2))
        cv2.line(sheet, (middle_x, int(top)), (middle_x, int(top + pitch * rows)), ink, 3)
        cv2.line(sheet, (int(left), middle_y), (int(left + pitch * cols), middle_y), ink, 3)
    return BoardPrint(rounded(sheet, float(rng.choice([0, 0.01, 0.04]))), boxes, pitch)


def _ground(rng: np.random.Generator, size_wh: tuple[int, int], ink: Field) -> Image:
    """A sheet of one colour, or of that colour over a material."""
    sheet = blank(*size_wh, (float(ink[0]), float(ink[1]), float(ink[2])))
    if rng.random() < 0.45:
        picture = cv2.resize(material(int(rng.integers(BANK_SIZE))).texture_bgr, size_wh)
        share = rng.uniform(0.1, 0.8)
        plain = np.ascontiguousarray(sheet[..., :3])
        sheet[..., :3] = cv2.addWeighted(plain, 1 - share, picture, share, 0)
    return sheet


def _trim(rng: np.random.Generator, sheet: Image, margin: float, ink: Sequence[float]) -> None:
    """Perhaps a line along the edge and a title in the upper margin."""
    h, w = sheet.shape[:2]
    if rng.random() < 0.5:
        inset = int(rng.integers(2, 8))
        far = (w - inset, h - inset)
        cv2.rectangle(sheet, (inset, inset), far, ink, int(rng.integers(1, 4)), cv2.LINE_AA)
    if rng.random() < 0.5:
        text = "".join(chr(c) for c in rng.integers(65, 91, rng.integers(4, 9)))
        start = (int(w * rng.uniform(0.05, 0.6)), int(margin * 0.75))
        font = int(rng.integers(0, 5))
        cv2.putText(sheet, text, start, font, margin / 60, ink, 1, cv2.LINE_AA)


@dataclass(frozen=True, slots=True)
class _CellStyle:
    """How the cells of one board are printed; a colour that is None is not printed."""

    line_ink: tuple[float, ...] | None
    thick: int
    radius: float
    tints: tuple[tuple[float, ...], ...] | None
    sign_ink: tuple[float, ...] | None

    @classmethod
    def drawn(
        cls, rng: np.random.Generator, ink: tuple[float, ...], faint: tuple[float, ...]
    ) -> Self:
        """A style by chance; ``faint`` is a colour near that of the ground."""
        outline, fill = rng.random() < 0.75, rng.random() < 0.5
        line_ink = ink if rng.random() < 0.6 else faint
        thick, radius = int(rng.choice([1, 1, 2, 3])), float(rng.choice([0, 0, 0.1, 0.2]))
        tints = [(*colour(rng, (0, 0.7), (0.2, 0.97)), 255.0) for _ in range(4)]
        one_tint, sign = rng.random() < 0.6, rng.random() < 0.2
        return cls(
            line_ink if outline else None,
            thick,
            radius,
            tuple(tints[:1] * 4 if one_tint else tints) if fill else None,
            faint if sign else None,
        )

    def print(self, sheet: Image, at: tuple[float, float], area: int) -> None:
        """Print a cell of one of the four areas, its top left corner at a place."""
        x, y = at
        far = (round(x + CELL_PX - 0.5), round(y + CELL_PX - 0.5))
        corners = (round(x - 0.5), round(y - 0.5), *far)
        if self.tints:
            _cell(sheet, corners, self.radius, self.tints[area], -1)
        if self.sign_ink:
            middle = (int(x + CELL_PX / 2), int(y + CELL_PX / 2))
            pen = 1 if self.line_ink else -1
            cv2.circle(sheet, middle, int(CELL_PX * 0.2), self.sign_ink, pen, cv2.LINE_AA)
        if self.line_ink:
            _cell(sheet, corners, self.radius, self.line_ink, self.thick)


@dataclass(frozen=True, slots=True)
class _Signs:
    """How the cells of a board without lines are marked: in the middle, and at the corners."""

    middle: str
    corner: str
    ink: tuple[float, ...]
    size: float
    thick: int

    @classmethod
    def drawn(
        cls, rng: np.random.Generator, ink: tuple[float, ...], faint: tuple[float, ...]
    ) -> Self:
        """Signs by chance; at least one of the two is there."""
        middle, corner = (str(rng.choice(["none", "ring", "dot", "cross"])) for _ in range(2))
        if middle == corner == "none":
            middle = "ring"
        shown = ink if rng.random() < 0.4 else faint
        return cls(
            middle, corner, shown, float(rng.uniform(0.04, 0.16)), int(rng.choice([1, 1, 2]))
        )

    def print(self, sheet: Image, at: tuple[float, float], area: int) -> None:
        """Mark a cell, its top left corner at a place."""
        x, y = at
        self._sign(sheet, self.middle, (x + CELL_PX / 2, y + CELL_PX / 2), self.size)
        for dx in (0, CELL_PX):
            for dy in (0, CELL_PX):
                self._sign(sheet, self.corner, (x + dx, y + dy), self.size / 2)

    def _sign(self, sheet: Image, kind: str, at: tuple[float, float], size: float) -> None:
        x, y, reach = round(at[0]), round(at[1]), max(2, round(size * CELL_PX))
        if kind == "cross":
            cv2.line(sheet, (x - reach, y), (x + reach, y), self.ink, self.thick, cv2.LINE_AA)
            cv2.line(sheet, (x, y - reach), (x, y + reach), self.ink, self.thick, cv2.LINE_AA)
        elif kind != "none":
            pen = self.thick if kind == "ring" else -1
            cv2.circle(sheet, (x, y), reach, self.ink, pen, cv2.LINE_AA)


def _sink(sheet: Image, corners: tuple[int, int, int, int], light: Sequence[float]) -> None:
    """Shade the edges of a recessed cell."""
    left, top, right, bottom = corners
    cv2.line(sheet, (left, top), (right, top), (0, 0, 0, 255), 2)
    cv2.line(sheet, (left, top), (left, bottom), (30, 30, 30, 255), 2)
    cv2.line(sheet, (left, bottom), (right, bottom), light, 1)


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


def legible(
    inks: Sequence[tuple[float, ...]], sheet: Image, centre: tuple[float, float]
) -> tuple[float, ...]:
    """The ink that differs most from the middle of a cell of the sheet."""
    (x, y), reach = np.round(centre).astype(int).tolist(), CELL_PX // 4
    under = sheet[y - reach : y + reach, x - reach : x + reach, :3].reshape(-1, 3)
    ground = np.median(under, 0).tolist()
    return max(inks, key=lambda ink: colours_apart(ink, ground))


def _badge_style(rng: np.random.Generator) -> Badge:
    """How the numbers of one board are printed."""
    ground = (*colour(rng, (0, 0.8), (0.6, 1)), 255.0)
    ink = (*colour(rng, (0, 0.8), (0, 0.4)), 255.0)
    if rng.random() < 0.4:
        ground, ink = ink, ground
    font = int(rng.choice([0, 2, 3, 4]))
    thick = int(rng.integers(2, 6))
    scale = float(rng.uniform(0.6, 1.5))
    shape, radius, rim = int(rng.integers(5)), CELL_PX * rng.uniform(0.3, 0.48), rng.random() < 0.6

    def draw(sheet: Image, centre: tuple[float, float], text: str) -> None:
        x, y = centre
        pen = ink if shape else legible((ink, ground), sheet, centre)
        corners = {1: 40, 2: 4, 3: 6, 4: 5}.get(shape)
        if corners:
            turn, reach = (np.pi / 4, radius * 1.3) if shape == 2 else (np.pi / 2, radius)
            angles = np.arange(corners) * 2 * np.pi / corners + turn
            around = reach * np.stack([np.cos(angles), np.sin(angles)], 1)
            points = (np.array(centre) + around).astype(np.int32)
            cv2.fillPoly(sheet, [points], ground, cv2.LINE_AA)
            if rim:
                cv2.polylines(sheet, [points], True, ink, 2, cv2.LINE_AA)
        (w, h), _ = cv2.getTextSize(text, font, scale, thick)
        cv2.putText(
            sheet, text, (round(x - w / 2), round(y + h / 2)), font, scale, pen, thick, cv2.LINE_AA
        )

    return draw
