"""Draws the faces of invented tile and card sets, in as many art styles as games come in.

A *set* is what one box holds: faces that share a style and differ in picture, colour, count, fill
or turn. Near misses are drawn on purpose: one picture in two colours, one colour with two pictures,
one shape more, a face turned.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt

from models.training import described
from models.training.art import (
    ICON_PX,
    LOOSE_NAMES,
    VALIDATION_FAMILIES,
    Icon,
    load_bank,
    symbol_of,
    symbol_of_name,
)

SWOLLEN, REDRAWN = 0.6, 0.2
"""Shares of pictures with parts of other sizes, and in another technique."""

FACE_PX = 80
"""Side of a drawn face; faces of other proportions are squeezed into this square, as crops are."""

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.floating[Any]]
"""Canvases, masks and colours: float32 where stored, float64 where a sum in between is."""
Colour = Floats

STONE_COLOURS: dict[str, tuple[str, str]] = {
    "sun": ("#beae5e", "#f9e85d"),
    "moon": ("#4b3e41", "#66515c"),
    "fish": ("#be7444", "#f39e63"),
    "bird": ("#c06561", "#f0727a"),
    "horse": ("#754e75", "#9775a0"),
    "boat": ("#488f91", "#57c1b9"),
    "seed": ("#8a857f", "#cfc8c1"),
    "tree": ("#547f4a", "#96c681"),
}
"""Published colours of the stones (mean of the face, light frame), from scans of the printed
game."""

CLOSE_COLOURS = {"fish": "bird", "bird": "fish"}
"""Orange and coral: in warm light, or faded, they are one colour, and only the picture tells."""


def colour_from_hex(text: str) -> Colour:
    """``#rrggbb`` as float32 RGB, 0 to 255."""
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)], np.float32)


def stone_colours(
    symbol: str, gain: float, lift: Colour, warmth: float = 0.0
) -> tuple[Colour, Colour]:
    """The published colours of a stone's face and of its light frame, as one edition prints them.

    ``warmth`` is the share that fish take of the colours of birds, and birds of those of fish.
    """
    mean, light = (np.clip(colour_from_hex(c) * gain + lift, 0, 255) for c in STONE_COLOURS[symbol])
    if warmth and symbol in CLOSE_COLOURS:
        other_mean, other_light = stone_colours(CLOSE_COLOURS[symbol], gain, lift)
        mean, light = mean + warmth * (other_mean - mean), light + warmth * (other_light - light)
    return mean, light


def hsv_colour(hue: float, saturation: float, value: float) -> Colour:
    """A colour from hue (turns), saturation and value (0 to 1) as float32 RGB, 0 to 255."""
    pixel = np.array([[[hue % 1.0 * 360.0, saturation, value]]], np.float32)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2RGB)[0, 0] * 255.0, np.float32)


@dataclass(frozen=True, slots=True)
class ArtSource:
    """The icons that a split may use: validation families never reach training."""

    mono: tuple[Icon, ...]
    colour: tuple[Icon, ...]
    symbols: dict[str, tuple[Icon, ...]]

    @classmethod
    def of(cls, bank: Sequence[Icon], split: Literal["training", "validation"]) -> "ArtSource":
        """The icons of one split of the bank."""
        icons = [i for i in bank if (i.family in VALIDATION_FAMILIES) == (split == "validation")]
        by_symbol: dict[str, list[Icon]] = {symbol: [] for symbol in STONE_COLOURS}
        for icon in icons:
            symbol = symbol_of(icon)
            if symbol is not None:
                by_symbol[symbol].append(icon)
        return cls(
            mono=tuple(i for i in icons if i.mono),
            colour=tuple(i for i in icons if not i.mono),
            symbols={symbol: tuple(found) for symbol, found in by_symbol.items()},
        )

    def with_symbols(self, bank: Sequence[Icon]) -> "ArtSource":
        """The same with the pictures of a bank that could stand for symbols, without held-out
        families."""
        symbols = dict(self.symbols)
        for icon in bank:
            symbol = symbol_of_name(icon.name, LOOSE_NAMES)
            if symbol is not None and icon.family not in VALIDATION_FAMILIES:
                symbols[symbol] = (*symbols[symbol], icon)
        return replace(self, symbols=symbols)


def bent(rng: np.random.Generator, icon: Icon) -> Icon:
    """The icon drawn by another hand, still the same side up.

    Slanted, stretched, rounder here and flatter there, bolder or thinner; some as outlines, some
    filled.
    """
    size = icon.rgba.shape[0]
    middle = (size - 1) / 2
    linear = np.array(
        [[rng.uniform(0.78, 1.1), rng.uniform(-0.2, 0.2)], [0, rng.uniform(0.78, 1.1)]]
    )
    lean = rng.uniform(-0.15, 0.15)
    linear = np.array([[np.cos(lean), -np.sin(lean)], [np.sin(lean), np.cos(lean)]]) @ linear
    linear = np.linalg.inv(linear)
    ys, xs = np.mgrid[:size, :size].astype(np.float32)
    from_xy = np.stack([xs, ys], -1) @ linear.T.astype(np.float32)
    from_xy += (middle - linear @ np.full(2, middle)).astype(np.float32)
    if rng.random() < SWOLLEN:
        knots = rng.normal(0, rng.uniform(1.0, 4.5), (2, 5, 5)).astype(np.float32)
        for axis in range(2):
            from_xy[..., axis] += cv2.resize(
                knots[axis], (size, size), interpolation=cv2.INTER_CUBIC
            )
    rgba = np.asarray(
        cv2.remap(icon.rgba, from_xy[..., 0], from_xy[..., 1], cv2.INTER_LINEAR), np.uint8
    )
    if rng.random() < REDRAWN:
        rgba = redrawn(rng, rgba, icon.mono)
    pen = int(rng.integers(-1, 4)) if icon.mono else 0
    if pen:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (abs(pen) + 1, abs(pen) + 1))
        rgba[..., 3] = (cv2.dilate if pen > 0 else cv2.erode)(
            np.ascontiguousarray(rgba[..., 3]), kernel
        )
        rgba[..., :3] = 255
    return replace(icon, rgba=rgba)


def redrawn(rng: np.random.Generator, rgba: Image, mono: bool) -> Image:
    """A picture with transparency (h, w, 4) in another technique.

    Silhouettes as outlines, outlines filled, paintings with the lines of a drawing.
    """
    alpha = np.ascontiguousarray(rgba[..., 3])
    pen = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (int(rng.integers(3, 6)),) * 2)
    if not mono:
        grey = cv2.cvtColor(np.ascontiguousarray(rgba[..., :3]), cv2.COLOR_RGB2GRAY)
        steps = np.where(alpha > 128, np.clip(grey, 40, 255), 0).astype(np.uint8)
        lines = np.clip(4.0 * cv2.morphologyEx(steps, cv2.MORPH_GRADIENT, pen) - 60.0, 0, 255)
        pale = rng.uniform(0, 0.7)
        colour = rgba[..., :3] + pale * (255.0 - rgba[..., :3])
        drawn = colour * (1 - lines[..., None] / 255.0)
        return np.dstack([drawn, np.maximum(alpha, np.where(lines > 128, lines, 0))]).astype(
            np.uint8
        )
    bulk = cv2.erode(alpha, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9)))
    if (bulk > 128).sum() > 0.15 * (alpha > 128).sum():
        alpha = np.asarray(cv2.morphologyEx(alpha, cv2.MORPH_GRADIENT, pen), np.uint8)
    else:
        edges = cv2.findContours(
            (alpha > 100).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
        )[0]
        filled = np.zeros_like(alpha)
        cv2.drawContours(filled, edges, -1, 255, cv2.FILLED)
        alpha = np.maximum(alpha, filled)
    return np.dstack([np.full_like(rgba[..., :3], 255), alpha])


def fractal_noise(
    rng: np.random.Generator, size: int, coarsest: int = 3, octaves: int = 4
) -> npt.NDArray[np.float32]:
    """Smooth noise in about -1 to 1 of shape (size, size), summed over octaves."""
    total = np.zeros((size, size), np.float32)
    cells, weight = coarsest, 1.0
    for _ in range(octaves):
        grid = rng.standard_normal((cells + 1, cells + 1)).astype(np.float32)
        total += weight * cv2.resize(grid, (size, size), interpolation=cv2.INTER_CUBIC)
        cells, weight = cells * 2, weight * 0.6
    return total / 1.6


def palette(rng: np.random.Generator, count: int) -> list[Colour]:
    """Colours of one set, most of them well apart, sometimes deliberately near."""
    start, value, saturation = rng.random(), rng.uniform(0.35, 1.0), rng.uniform(0.25, 1.0)
    spread = rng.choice([1.0, 1.0, 0.5, 0.25])
    colours = [
        hsv_colour(
            start + spread * i / count + rng.normal(0, 0.02),
            np.clip(saturation + rng.normal(0, 0.12), 0, 1),
            np.clip(value + rng.normal(0, 0.12), 0.12, 1),
        )
        for i in range(count)
    ]
    if rng.random() < 0.4:
        colours[int(rng.integers(count))] = hsv_colour(0, 0, rng.uniform(0.05, 1))
    rng.shuffle(colours)
    return colours


def contrast_colour(rng: np.random.Generator, against: Colour) -> Colour:
    """A colour that stands out from the given one in lightness."""
    light = against @ np.array([0.3, 0.59, 0.11], np.float32) / 255
    value = rng.uniform(0.75, 1.0) if light < 0.5 else rng.uniform(0.0, 0.3)
    return hsv_colour(rng.random(), rng.uniform(0, 0.4), value)


def place_icon(
    icon: Icon, scale: float, centre: tuple[float, float], turn_deg: float = 0.0
) -> Image:
    """The icon on a transparent FACE_PX square, RGBA uint8; centre and scale are parts of the
    face."""
    return place_on(icon, FACE_PX, scale, centre, turn_deg)


def place_on(
    icon: Icon, side: int, scale: float, centre: tuple[float, float], turn_deg: float = 0.0
) -> Image:
    """The icon on a transparent square of that side in pixels, RGBA uint8."""
    zoom = scale * side / ICON_PX
    matrix = np.asarray(
        cv2.getRotationMatrix2D((ICON_PX / 2, ICON_PX / 2), turn_deg, zoom), np.float64
    )
    matrix[:, 2] += np.array(centre) * side - ICON_PX / 2
    source = icon.rgba if zoom > 0.6 else cv2.GaussianBlur(icon.rgba, (3, 3), 0)
    return np.asarray(
        cv2.warpAffine(source, matrix, (side, side), flags=cv2.INTER_LINEAR), np.uint8
    )


def paint(canvas: npt.NDArray[np.float32], mask: Floats, colour: Floats) -> None:
    """Blend a colour (or picture) into the canvas in place, by a mask of 0 to 1."""
    canvas += mask[..., None] * (colour - canvas)


def draw_icon(
    canvas: npt.NDArray[np.float32],
    icon: Icon,
    ink: Colour,
    scale: float,
    centre: tuple[float, float],
) -> None:
    """Print the icon in place: glyphs in the ink, coloured icons in their own colours."""
    rgba = place_icon(icon, scale, centre).astype(np.float32)
    paint(canvas, rgba[..., 3] / 255, ink if icon.mono else rgba[..., :3])


def emboss(canvas: npt.NDArray[np.float32], mask: Floats, depth: float, angle: float) -> None:
    """Shade the slopes of a relief in place, as raking light from ``angle`` does."""
    soft = cv2.GaussianBlur(mask, (0, 0), 1.2)
    slope = cv2.Sobel(soft, cv2.CV_32F, 1, 0) * np.cos(angle) + cv2.Sobel(
        soft, cv2.CV_32F, 0, 1
    ) * np.sin(angle)
    canvas += np.clip(slope * depth, -90, 90)[..., None]


def frame_mask(inset: float, width: float, radius: float) -> npt.NDArray[np.float32]:
    """A rounded frame line as a mask; inset and width as parts of the side."""

    def rounded(margin: float) -> npt.NDArray[np.float32]:
        axis = np.abs(np.arange(FACE_PX, dtype=np.float32) + 0.5 - FACE_PX / 2) - (
            FACE_PX / 2 - margin - radius * FACE_PX
        )
        x, y = np.maximum(axis, 0)[None, :], np.maximum(axis, 0)[:, None]
        return np.asarray(np.clip(radius * FACE_PX + 0.5 - np.hypot(x, y), 0, 1), np.float32)

    return np.clip(rounded(inset * FACE_PX) - rounded((inset + width) * FACE_PX), 0, 1)


DIGIT_FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_PLAIN,
)


def glyph_mask(text: str, font: int, weight: float, scale: float) -> Floats:
    """Text centred on a face as a mask of 0 to 1; scale is its height over the face's."""
    big = 4 * FACE_PX
    canvas = np.zeros((big, big), np.uint8)
    (_, height), _ = cv2.getTextSize(text, font, 1.0, 1)
    size = scale * big / height
    thickness = max(1, round(weight * size * 2))
    (width, height), _ = cv2.getTextSize(text, font, size, thickness)
    cv2.putText(
        canvas,
        text,
        ((big - width) // 2, (big + height) // 2),
        font,
        size,
        255,
        thickness,
        cv2.LINE_AA,
    )
    return (
        cv2.resize(canvas, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA).astype(np.float32)
        / 255
    )


@dataclass(frozen=True, slots=True)
class FaceSet:
    """The faces of one box: RGB uint8 of shape (n, FACE_PX, FACE_PX, 3), and the width over height
    they stand for.

    The light decides which slopes of a ``carved`` face are bright.
    """

    faces: Image
    aspect: float
    carved: bool = False


class SetPainter:
    """Draws sets of one split of the art. All randomness comes from the generator passed in."""

    def __init__(
        self, art: ArtSource, bent: float = 0.0, stones: bool = True, mixed: float = 0.0
    ) -> None:
        """Draw with this art.

        ``bent`` is the share of bent pictures of the stones, ``mixed`` that of editions with mixed
        close colours. ``stones`` allows the published look of the stones as a random style.
        """
        self._art, self._bent, self._mixed = art, bent, mixed
        self._styles: tuple[tuple[float, Callable[[np.random.Generator, int], FaceSet]], ...] = (
            (0.24, self.pictures),
            (0.14, self.carved),
            (0.08 if stones else 0.0, self.stones),
            (0.12, self.plain_and_marked),
            (0.10, self.counted_shapes),
            (0.10, self.coloured_shapes),
            (0.15, self.badges),
            (0.14, self.landscapes),
            (0.25, self.illustrated),
        )

    def without_stones(self) -> "SetPainter":
        """A painter of other games only, with the same art."""
        return SetPainter(self._art, self._bent, stones=False, mixed=self._mixed)

    def _warmth(self, rng: np.random.Generator) -> dict[str, float]:
        """How far the close colours of an edition are mixed, see ``stone_colours``."""
        if not self._mixed or rng.random() >= self._mixed:
            return {}
        return {symbol: rng.uniform(0, 1) for symbol in CLOSE_COLOURS}

    def draw(self, rng: np.random.Generator, count: int) -> FaceSet:
        """A set of ``count`` faces in a random style."""
        weights = np.array([weight for weight, _ in self._styles])
        style = self._styles[int(rng.choice(len(weights), p=weights / weights.sum()))][1]
        return style(rng, count)

    def icon(self, rng: np.random.Generator, mono: bool | None = None) -> Icon:
        if mono is None:
            mono = rng.random() < 0.65
        pool = self._art.mono if mono else self._art.colour
        return pool[int(rng.integers(len(pool)))]

    def _texture(self, rng: np.random.Generator) -> npt.NDArray[np.float32]:
        """A brightness texture shared by a set: stone, paper, grain or nothing."""
        kind = rng.random()
        if kind < 0.35:
            return np.zeros((FACE_PX, FACE_PX), np.float32)
        noise = fractal_noise(rng, FACE_PX, int(rng.integers(2, 12)), 4)
        if kind > 0.85:
            noise = np.asarray(cv2.resize(noise[:, : FACE_PX // 8], (FACE_PX, FACE_PX)), np.float32)
        return noise * rng.uniform(3, 22)

    def _ground(
        self, rng: np.random.Generator, colour: Colour, texture: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """A printed ground: colour, texture (placed anew on each face) and sometimes a gradient."""
        canvas = np.empty((FACE_PX, FACE_PX, 3), np.float32)
        canvas[:] = colour
        flips = tuple(int(step) for step in rng.choice((-1, 1), 2))
        canvas += texture[:: flips[0], :: flips[1]][..., None]
        return canvas

    def _finish(
        self, canvases: list[npt.NDArray[np.float32]], aspect: float = 1.0, carved: bool = False
    ) -> FaceSet:
        return FaceSet(np.clip(np.stack(canvases), 0, 255).astype(np.uint8), aspect, carved)

    def pictures(self, rng: np.random.Generator, count: int) -> FaceSet:
        """A picture on each face; grounds shared or a colour each; frames, corner marks,
        borders."""
        aspect = float(rng.choice([1.0, 1.0, rng.uniform(0.62, 1.0), rng.uniform(1.0, 1.6)]))
        own_ground, mono = rng.random() < 0.6, rng.random() < 0.6
        colours, texture = palette(rng, count), self._texture(rng)
        shared = hsv_colour(rng.random(), rng.uniform(0, 0.5), rng.uniform(0.1, 1))
        pictures = [self.icon(rng, mono) for _ in range(count)]
        for i in range(1, count):  # near misses: the same picture on another ground
            if own_ground and rng.random() < 0.25:
                pictures[i] = pictures[int(rng.integers(i))]
        shared_ink = contrast_colour(rng, shared) if rng.random() < 0.5 else None
        scale = rng.uniform(0.4, 0.85)
        border = rng.uniform(0.02, 0.12) if rng.random() < 0.5 else 0.0
        border_ink = hsv_colour(rng.random(), rng.uniform(0, 0.3), rng.choice([0.05, 0.9, 1.0]))
        line = frame_mask(
            border + rng.uniform(0.01, 0.06), rng.uniform(0.01, 0.04), rng.uniform(0.02, 0.2)
        )
        has_line, corner = rng.random() < 0.35, rng.random() < 0.15
        depth = rng.uniform(20, 70) if rng.random() < 0.25 else 0.0
        worn = self._texture(rng) if rng.random() < 0.3 else None
        canvases = []
        for i in range(count):
            ground = colours[i] if own_ground else shared
            canvas = self._ground(rng, ground, texture)
            ink = shared_ink if shared_ink is not None else contrast_colour(rng, ground)
            if not own_ground and rng.random() < 0.7:
                ink = colours[i]
            if has_line:
                paint(canvas, line, ink)
            centre = (0.5 + rng.normal(0, 0.01), 0.5 + rng.normal(0, 0.01))
            before = canvas.copy()
            draw_icon(canvas, pictures[i], ink, scale, centre)
            if worn is not None:
                paint(canvas, np.clip(np.roll(worn, i * 9, 0) / 12 - 0.3, 0, 0.9), before)
            if depth:
                emboss(
                    canvas,
                    place_icon(pictures[i], scale, centre)[..., 3].astype(np.float32) / 255,
                    depth,
                    0.8,
                )
            if corner:
                for x, y in ((0.16, 0.16), (0.84, 0.84)):
                    draw_icon(canvas, pictures[i], ink, 0.18, (x, y))
            if border:
                paint(canvas, frame_mask(0, border, 0.06), border_ink)
            canvases.append(canvas)
        return self._finish(canvases, aspect)

    def _relief(
        self,
        rng: np.random.Generator,
        mean: Colour,
        light: Colour,
        icon: Icon,
        rim: float,
        dark: bool,
        ornament: bool,
    ) -> npt.NDArray[np.float32]:
        """One carved face: nearly one colour, a bevelled lighter rim, the picture as a relief."""
        canvas = np.empty((FACE_PX, FACE_PX, 3), np.float32)
        canvas[:] = mean * rng.uniform(0.9, 1.1)
        canvas += fractal_noise(rng, FACE_PX, 5)[..., None] * rng.uniform(3, 14)
        edge = frame_mask(0.0, rim, 0.08) * rng.uniform(0.6, 1.0)
        paint(canvas, edge, light)
        emboss(canvas, edge, rng.uniform(10, 45), rng.uniform(0, 6.28))
        if ornament:
            band = frame_mask(rim + 0.015, rng.uniform(0.03, 0.07), 0.04)
            step = int(rng.integers(3, 7))
            teeth = ((np.add.outer(np.arange(FACE_PX), np.arange(FACE_PX)) // step) % 2).astype(
                np.float32
            )
            paint(canvas, band * teeth * 0.5, light if rng.random() < 0.5 else mean * 0.5)
        centre = (0.5 + rng.normal(0, 0.015), 0.5 + rng.normal(0, 0.015))
        rgba = place_icon(icon, rng.uniform(0.5, 0.72), centre).astype(np.float32)
        mask = rgba[..., 3] / 255
        if not icon.mono:  # its inner drawing stays as relief
            inner = rgba[..., :3].mean(-1) / 255
            mask = mask * np.clip(1.2 - 0.9 * inner, 0.15, 1)
        tone = (
            mean * rng.uniform(0.35, 0.7)
            if dark
            else np.clip(light * rng.uniform(0.95, 1.25), 0, 255)
        )
        paint(canvas, mask * rng.uniform(0.5, 1.0), tone)
        emboss(canvas, mask, rng.uniform(15, 80), rng.uniform(0, 6.28))
        return canvas

    def carved(self, rng: np.random.Generator, count: int) -> FaceSet:
        """Carved stones of any picture, each face nearly of one colour."""
        colours = palette(rng, count)
        rim, dark, ornament = rng.uniform(0.03, 0.13), rng.random() < 0.5, rng.random() < 0.5
        return self._finish(
            [
                self._relief(
                    rng,
                    c,
                    np.clip(c * rng.uniform(1.1, 1.6) + 10, 0, 255),
                    self.icon(rng),
                    rim,
                    dark,
                    ornament,
                )
                for c in colours
            ],
            carved=True,
        )

    def stone_set(
        self, rng: np.random.Generator, symbols: Sequence[str]
    ) -> list[npt.NDArray[np.float32]]:
        """Faces of one edition in the published colours, in the order of the symbols."""
        rim, dark, ornament = rng.uniform(0.04, 0.13), rng.random() < 0.5, rng.random() < 0.6
        printed = rng.random() < 0.3
        gain, lift = rng.uniform(0.85, 1.15), rng.normal(0, 6, 3).astype(np.float32)
        texture, warmth = self._texture(rng), self._warmth(rng)
        faces = []
        for symbol in symbols:
            mean, light = stone_colours(symbol, gain, lift, warmth.get(symbol, 0.0))
            pool = self._art.symbols[symbol]
            icon = pool[int(rng.integers(len(pool)))]
            if self._bent and rng.random() < self._bent:
                icon = bent(rng, icon)
            face_dark = dark if symbol not in ("moon", "seed") else symbol == "seed"
            if not printed:
                faces.append(self._relief(rng, mean, light, icon, rim, face_dark, ornament))
                continue
            canvas = self._ground(rng, (mean + light) / 2, texture)
            paint(canvas, frame_mask(0.0, rim, 0.06), light)
            glyph = Icon(icon.family, icon.name, True, icon.rgba)
            draw_icon(
                canvas,
                glyph,
                mean * 0.45 if face_dark else np.clip(light * 1.15, 0, 255),
                rng.uniform(0.5, 0.75),
                (0.5, 0.5),
            )
            faces.append(canvas)
        return faces

    def described_set(
        self, rng: np.random.Generator, symbols: Sequence[str]
    ) -> list[npt.NDArray[np.float32]]:
        """Faces of one edition that looks as the published game is described, float32 RGB, in the
        order of the symbols.

        Nearly one colour each, a bevelled lighter frame, an ornament along it, a carved picture
        drawn for it or an icon.
        """
        gain, lift = rng.uniform(0.85, 1.15), rng.normal(0, 6, 3).astype(np.float32)
        rim, band = rng.uniform(0.03, 0.1), rng.uniform(0.03, 0.08)
        inner = rim + band + rng.uniform(0.01, 0.05)
        drawn, dark, grain = rng.random() < 0.7, rng.random() < 0.25, rng.uniform(3, 14)
        lined, shining, depth = rng.random() < 0.7, rng.uniform(0, 6.28), rng.uniform(15, 80)
        size, warmth = (1 - 2 * inner) * rng.uniform(0.86, 1.02), self._warmth(rng)
        faces = []
        for symbol in symbols:
            mean, light = stone_colours(symbol, gain, lift, warmth.get(symbol, 0.0))
            pale = light
            if symbol == "moon":  # dark, with a pale crescent
                pale = light + rng.uniform(0.2, 0.9) * (
                    np.array([220, 215, 205], np.float32) - light
                )
            canvas = np.empty((FACE_PX, FACE_PX, 3), np.float32)
            canvas[:] = mean * rng.uniform(0.9, 1.1)
            canvas += fractal_noise(rng, FACE_PX, 5)[..., None] * grain
            frame = frame_mask(0.0, rim, 0.08) * rng.uniform(0.7, 1.0)
            if lined:
                frame = np.maximum(frame, frame_mask(rim + band, rng.uniform(0.01, 0.025), 0.02))
            paint(canvas, frame, light)
            emboss(canvas, frame, rng.uniform(10, 45), shining)
            ornament = described.border(rng, FACE_PX, rim + 0.01, band - 0.01)
            paint(
                canvas,
                ornament * rng.uniform(0.3, 0.8),
                light if rng.random() < 0.6 else mean * 0.5,
            )
            if drawn:
                mask = described.DRAWN[symbol](rng)
            else:
                pool = self._art.symbols[symbol]
                picture = bent(rng, pool[int(rng.integers(len(pool)))])
                shrunk = place_on(picture, ICON_PX, rng.uniform(0.7, 0.85), (0.5, 0.5)).astype(
                    np.float32
                )
                mask = np.maximum(
                    shrunk[..., 3] / 255, described.around(rng, symbol) * (shrunk[..., 3] < 40)
                )
            glyph = Icon(
                "",
                symbol,
                True,
                np.dstack([np.full((*mask.shape, 3), 255), mask * 255]).astype(np.uint8),
            )
            placed = place_icon(
                glyph,
                size,
                (0.5 + rng.normal(0, 0.01), 0.5 + rng.normal(0, 0.01)),
                rng.normal(0, 2),
            )
            carved = placed[..., 3].astype(np.float32) / 255
            ground = frame_mask(inner, 0.5, 0.02)
            shade = (
                rng.uniform(0.3, 0.9) if symbol == "seed" else rng.uniform(0, 0.5)
            )  # bright frame, dark inside
            paint(canvas, ground * shade, mean * rng.uniform(0.5, 0.9))
            tone = (
                mean * rng.uniform(0.35, 0.7)
                if dark and symbol != "moon"
                else pale * rng.uniform(0.95, 1.2)
            )
            paint(canvas, carved * rng.uniform(0.6, 1.0), np.clip(tone, 0, 255))
            emboss(canvas, carved, depth, shining)
            faces.append(canvas)
        return faces

    def stones(self, rng: np.random.Generator, count: int) -> FaceSet:
        """The eight published symbols in the published colours, drawn anew."""
        symbols = list(STONE_COLOURS)
        rng.shuffle(symbols)
        return self._finish(self.stone_set(rng, symbols[:count]), carved=True)

    def plain_and_marked(self, rng: np.random.Generator, count: int) -> FaceSet:
        """Tiles of a few colours, plain or with one shared mark: the mark is all that differs."""
        half = max(1, count // 2)
        colours, texture, mark = palette(rng, half), self._texture(rng), self.icon(rng)
        with_picture = rng.random() < 0.6
        pictures = [self.icon(rng, True) for _ in range(half)]
        mark_ink = hsv_colour(rng.random(), rng.uniform(0, 0.6), rng.uniform(0.7, 1.0))
        mark_scale = rng.uniform(0.2, 0.55)
        spot = (
            (0.5, 0.5)
            if not with_picture
            else (float(rng.choice([0.2, 0.5, 0.8])), float(rng.choice([0.2, 0.8])))
        )
        picture_scale, tint = rng.uniform(0.3, 0.7), rng.uniform(0.6, 1.4)
        canvases = []
        for i in range(count):
            colour = colours[i % half]
            canvas = self._ground(rng, colour, texture)
            if with_picture:
                draw_icon(
                    canvas,
                    pictures[i % half],
                    np.clip(colour * tint + 15, 0, 255),
                    picture_scale,
                    (0.5, 0.5),
                )
            if i >= half:
                draw_icon(canvas, mark, mark_ink, mark_scale, spot)
            canvases.append(canvas)
        return self._finish(canvases)

    def counted_shapes(self, rng: np.random.Generator, count: int) -> FaceSet:
        """Cards that differ in number, colour, fill and shape of what they show."""
        aspect = float(rng.choice([1.5, 0.66, 1.0]))
        inks = palette(rng, 3)
        ground = (
            hsv_colour(rng.random(), rng.uniform(0, 0.12), rng.uniform(0.85, 1.0))
            if rng.random() < 0.8
            else palette(rng, 1)[0]
        )
        shapes = [self._shape(rng) for _ in range(3)]
        keys = [
            (n, c, f, s) for n in (1, 2, 3) for c in range(3) for f in range(3) for s in range(3)
        ]
        order = rng.permutation(len(keys))
        first = keys[order[0]]
        near = [k for k in keys if sum(a != b for a, b in zip(k, first, strict=True)) <= 2]
        chosen = near if rng.random() < 0.7 else keys
        picked = [chosen[i] for i in rng.permutation(len(chosen))[:count]]
        hatch_step, hatch_turn = int(rng.integers(2, 5)), int(rng.integers(3))
        canvases = []
        for number, ink, fill, shape in picked:
            canvas = np.empty((FACE_PX, FACE_PX, 3), np.float32)
            canvas[:] = ground
            paint(
                canvas, self._row_of(shapes[shape], number, fill, hatch_step, hatch_turn), inks[ink]
            )
            canvases.append(canvas)
        return self._finish(canvases, aspect)

    def _shape(self, rng: np.random.Generator) -> npt.NDArray[np.float32]:
        """A closed outline around the origin within -1 to 1, shape (n, 2)."""
        angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
        kind = int(rng.integers(6))
        if kind == 0:  # superellipse, from diamond to box
            power = rng.uniform(0.7, 5)
            radius = (np.abs(np.cos(angle)) ** power + np.abs(np.sin(angle)) ** power) ** (
                -1 / power
            )
        elif kind == 1:  # star
            points = int(rng.integers(3, 9))
            radius = 0.7 + 0.3 * np.cos(points * angle)
        elif kind == 2:  # polygon
            sides = int(rng.integers(3, 8))
            radius = 1 / np.cos((angle + np.pi / 2) % (2 * np.pi / sides) - np.pi / sides)
            radius /= radius.max()
        elif kind == 3:  # capsule is a clipped box; squiggle bends below
            radius = np.ones_like(angle)
        else:
            radius = (
                0.75
                + 0.15 * np.cos(2 * angle + rng.uniform(0, 6))
                + 0.1 * np.cos(3 * angle + rng.uniform(0, 6))
            )
        xy = np.stack([np.cos(angle) * radius, np.sin(angle) * radius], 1)
        if rng.random() < 0.3:
            xy[:, 0] += 0.35 * np.sin(xy[:, 1] * 2.6)
        return np.asarray(xy / np.abs(xy).max(0), np.float32)

    def _row_of(
        self,
        shape: npt.NDArray[np.float32],
        number: int,
        fill: int,
        hatch_step: int,
        hatch_turn: int,
    ) -> Floats:
        """``number`` copies of the shape side by side as a mask; fill 0 solid, 1 outline, 2
        hatched."""
        big = 4 * FACE_PX
        solid, outline = np.zeros((big, big), np.uint8), np.zeros((big, big), np.uint8)
        for i in range(number):
            centre = np.array([0.5 + (i - (number - 1) / 2) * 0.27, 0.5]) * big
            points = (shape * np.array([0.11, 0.33]) * big + centre).astype(np.int32)
            cv2.fillPoly(solid, [points], 255, cv2.LINE_AA)
            cv2.polylines(outline, [points], True, 255, 10, cv2.LINE_AA)
        mask = solid
        if fill == 1:
            mask = outline
        if fill == 2:
            axis = np.add.outer(
                np.arange(big) * (hatch_turn != 1), np.arange(big) * (hatch_turn != 0)
            )
            mask = np.maximum(
                outline,
                np.where(axis % (hatch_step * 4) < hatch_step * 1.5, solid, 0).astype(np.uint8),
            )
        return (
            cv2.resize(mask, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA).astype(np.float32)
            / 255
        )

    def coloured_shapes(self, rng: np.random.Generator, count: int) -> FaceSet:
        """One shape a tile in one of a few colours on a shared ground: many pairs share shape or
        colour."""
        grid = int(np.ceil(np.sqrt(count)))
        inks, ground = (
            palette(rng, grid),
            hsv_colour(rng.random(), rng.uniform(0, 0.4), rng.choice([0.05, 0.15, 0.9, 0.97])),
        )
        shapes = [self._shape(rng) for _ in range(grid)] if rng.random() < 0.6 else None
        icons = [self.icon(rng, True) for _ in range(grid)]
        texture, scale = self._texture(rng) * 0.5, rng.uniform(0.55, 0.9)
        cells = rng.permutation(grid * grid)[:count]
        canvases = []
        for cell in cells:
            canvas = self._ground(rng, ground, texture)
            if shapes is None:
                draw_icon(canvas, icons[cell // grid], inks[cell % grid], scale, (0.5, 0.5))
            else:
                mask = np.zeros((4 * FACE_PX, 4 * FACE_PX), np.uint8)
                points = (shapes[cell // grid] * scale / 2 * 4 * FACE_PX + 2 * FACE_PX).astype(
                    np.int32
                )
                cv2.fillPoly(mask, [points], 255, cv2.LINE_AA)
                small = cv2.resize(mask, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)
                paint(canvas, small.astype(np.float32) / 255, inks[cell % grid])
            canvases.append(canvas)
        return self._finish(canvases)

    def badges(self, rng: np.random.Generator, count: int) -> FaceSet:
        """Printed numbers or letters on a badge, some with a frame laid around: what player boards
        carry."""
        ground, badge_colour = palette(rng, 2)
        has_badge = rng.random() < 0.7
        ink = contrast_colour(rng, badge_colour if has_badge else ground)
        frame = hsv_colour(rng.random(), rng.uniform(0, 0.3), rng.uniform(0.1, 1))
        font, weight, scale = (
            int(rng.choice(DIGIT_FONTS)),
            rng.uniform(0.6, 3.0),
            rng.uniform(0.25, 0.55),
        )
        badge = np.zeros((4 * FACE_PX, 4 * FACE_PX), np.uint8)
        points = (self._shape(rng) * rng.uniform(0.3, 0.46) * 4 * FACE_PX + 2 * FACE_PX).astype(
            np.int32
        )
        cv2.fillPoly(badge, [points], 255, cv2.LINE_AA)
        mask = (
            cv2.resize(badge, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA).astype(np.float32)
            / 255
        )
        texts = [str(i) for i in range(1, 10)] + list("ABCDEFGHJKLNPRTUVXYZ")
        first = (
            texts[:4]
            if rng.random() < 0.7
            else [texts[i] for i in rng.permutation(len(texts))[: max(4, count // 2)]]
        )
        frame_wide = frame_mask(
            rng.uniform(0, 0.06), rng.uniform(0.03, 0.2), rng.uniform(0.01, 0.1)
        )
        if rng.random() < 0.3:  # of a material of its own, with a shaded edge
            frame_wide = frame_wide * rng.uniform(0.7, 1.0)
        texture = self._texture(rng)
        keys = [(text, framed) for framed in (False, True) for text in first][:count]
        canvases = []
        for text, framed in keys:
            canvas = self._ground(rng, ground, texture)
            if has_badge:
                paint(canvas, mask, badge_colour)
            paint(canvas, glyph_mask(text, font, weight, scale), ink)
            if framed:
                paint(canvas, frame_wide, frame)
            canvases.append(canvas)
        return self._finish(canvases)

    def landscapes(self, rng: np.random.Generator, count: int) -> FaceSet:
        """Pictorial terrain: mottled grounds strewn with small pictures; each face has several
        printings."""
        canvases = []
        for colour in palette(rng, count):
            second = np.clip(colour * rng.uniform(0.4, 1.5) + rng.normal(0, 15, 3), 0, 255).astype(
                np.float32
            )
            canvas = self._ground(rng, colour, np.zeros((FACE_PX, FACE_PX), np.float32))
            noise = fractal_noise(rng, FACE_PX, int(rng.integers(2, 9)), int(rng.integers(2, 5)))
            paint(
                canvas,
                np.clip(noise * rng.uniform(0.5, 3) + rng.normal(0, 0.3), 0, 1).astype(np.float32),
                second,
            )
            for _ in range(int(rng.choice([0, 1, 2, 6]))):
                icon = self.icon(rng)
                draw_icon(
                    canvas,
                    icon,
                    contrast_colour(rng, colour),
                    rng.uniform(0.15, 0.55),
                    tuple(rng.uniform(0.2, 0.8, 2)),
                )
            canvases.append(canvas)
        return self._finish(canvases)

    def illustrated(self, rng: np.random.Generator, count: int) -> FaceSet:
        """Painted cards: a scene in bands like sky and meadow, pictures in it, borders, corners,
        banners and panels.

        What lies within such a card looks like a piece itself. All faces of a set are composed
        alike.
        """
        bands = int(rng.choice([1, 2, 2, 2, 3]))
        heights = np.sort(rng.uniform(0.2, 0.85, bands - 1))
        waves, steep = float(rng.uniform(0, 0.07)) * (rng.random() < 0.6), rng.uniform(2, 12)
        upright = rng.random() < 0.85
        scattered, size = int(rng.choice([0, 2, 5, 9])), float(rng.uniform(0.08, 0.25))
        central = float(rng.choice([0, 0, rng.uniform(0.25, 0.6)]))
        panel = float(rng.uniform(0.5, 0.85)) if rng.random() < 0.2 else 0.0
        corners = int(rng.choice([0, 0, 1, 2, 4]))
        banner = float(rng.uniform(0.08, 0.2)) if rng.random() < 0.3 else 0.0
        banner_place = int(rng.integers(4))
        writing = rng.random() < 0.35
        border = float(rng.uniform(0.015, 0.08)) if rng.random() < 0.6 else 0.0
        border_ink = hsv_colour(
            rng.random(), rng.uniform(0, 0.3), rng.choice([rng.uniform(0.85, 1), rng.random()])
        )
        lined = float(rng.uniform(0.01, 0.03)) if rng.random() < 0.3 else 0.0
        sky = self.icon(rng)
        axis = np.linspace(0, 1, FACE_PX, dtype=np.float32)
        canvases = []
        for _ in range(count):
            inks = palette(rng, max(bands, 2))
            height = np.repeat(axis[:, None], FACE_PX, 1)
            canvas = self._ground(rng, inks[0], self._texture(rng))
            canvas *= 1 + rng.uniform(-0.35, 0.35) * (height[..., None] - 0.5)
            for level, ink in zip(heights, inks[1:], strict=False):
                hill = level + waves * np.sin(axis * steep + rng.uniform(0, 6))
                inside = np.clip((height - hill[None]) * FACE_PX, 0, 1).astype(np.float32)
                paint(canvas, inside, ink + 12 * fractal_noise(rng, FACE_PX, 6, 3)[..., None])
            if not upright:
                canvas = np.ascontiguousarray(np.rot90(canvas))
            own = self.icon(rng)
            ink = contrast_colour(rng, inks[0])
            if rng.random() < 0.5 and bands > 1:
                draw_icon(
                    canvas,
                    sky,
                    ink,
                    rng.uniform(0.15, 0.35),
                    (rng.uniform(0.2, 0.8), rng.uniform(0.12, 0.3)),
                )
            for _ in range(scattered):
                place = (float(rng.uniform(0.08, 0.92)), float(rng.uniform(0.4, 0.95)))
                draw_icon(
                    canvas,
                    own if rng.random() < 0.6 else self.icon(rng),
                    ink,
                    size * rng.uniform(0.6, 1.4),
                    place,
                )
            if panel:
                shape = frame_mask((1 - panel) / 2, panel / 2, 0.06)
                paint(canvas, np.maximum(shape, 0) * 0.85, inks[-1])
            if central:
                draw_icon(canvas, own, contrast_colour(rng, inks[-1]), central, (0.5, 0.5))
            for x, y in ((0.12, 0.1), (0.88, 0.9), (0.88, 0.1), (0.12, 0.9))[:corners]:
                draw_icon(canvas, own, ink, 0.14, (x, y))
            if banner:
                strip = np.zeros((FACE_PX, FACE_PX), np.float32)
                strip[round((0.98 - banner) * FACE_PX) : round(0.98 * FACE_PX)] = rng.uniform(
                    0.6, 1
                )
                paint(canvas, np.ascontiguousarray(np.rot90(strip, banner_place)), border_ink)
            if writing:
                text = "".join(chr(97 + c) for c in rng.integers(26, size=rng.integers(4, 8)))
                mask = glyph_mask(text, int(rng.choice(DIGIT_FONTS)), 0.8, 0.07)
                mask = np.roll(
                    mask, round(rng.uniform(0.34, 0.42) * FACE_PX) * int(rng.choice([-1, 1])), 0
                )
                paint(canvas, np.ascontiguousarray(np.rot90(mask, banner_place)), ink)
            if lined:
                paint(canvas, frame_mask(border + 0.02, lined, 0.03), ink)
            if border:
                paint(canvas, frame_mask(0, border, 0.04), border_ink)
            canvases.append(canvas)
        return self._finish(canvases)


@cache
def held_out_painter(bank: Path) -> SetPainter:
    """A painter with held-out icons; one in each process, since opening a bank takes seconds."""
    return SetPainter(ArtSource.of(load_bank(bank), "validation"))


def outlined(
    rng: np.random.Generator, face: Image, aspect: float, notched: bool
) -> npt.NDArray[np.uint8]:
    """The face cut out of its square: RGBA, corners rounded or notched in alpha, true
    proportions."""
    radius = float(rng.uniform(0.0, 0.14))
    axis = np.abs(np.arange(FACE_PX, dtype=np.float32) + 0.5 - FACE_PX / 2) - (
        FACE_PX / 2 - radius * FACE_PX
    )
    distance = np.hypot(np.maximum(axis, 0)[None, :], np.maximum(axis, 0)[:, None])
    alpha = (
        np.clip(radius * FACE_PX + 0.5 - distance, 0, 1)
        if radius > 0.01
        else np.ones((FACE_PX, FACE_PX))
    )
    if notched:
        edge = np.abs(np.arange(FACE_PX, dtype=np.float32) + 0.5 - FACE_PX / 2)
        margin = FACE_PX / 2 - np.maximum(edge[None, :], edge[:, None])
        alpha = alpha * np.clip(
            margin - np.abs(fractal_noise(rng, FACE_PX, 8, 3)) * rng.uniform(0.5, 3.0) + 1, 0, 1
        )
    rgba = np.dstack([face, (alpha * 255).astype(np.uint8)])
    long = 96
    size = (
        (long, max(8, round(long / aspect)))
        if aspect >= 1
        else (max(8, round(long * aspect)), long)
    )
    return np.asarray(cv2.resize(rgba, size, interpolation=cv2.INTER_LINEAR), np.uint8)


PAINTED_CARDS = 0.4
"""Share of decks that are painted cards whatever else is drawn."""


def scene_faces(
    painter: SetPainter, rng: np.random.Generator, kind: str, count: int
) -> list[npt.NDArray[np.uint8]]:
    """Cut-out faces of one set for the scene renderer; kind is "stones", "tiles" or "cards"."""
    painted = kind == "cards" and rng.random() < PAINTED_CARDS
    drawn = (painter.illustrated if painted else painter.draw)(rng, min(count, 12))
    aspect = drawn.aspect if kind == "cards" else 1.0
    if kind == "cards" and aspect == 1.0:
        aspect = float(rng.choice([0.65, 0.7, 0.75, 1.0, 1.4, 1.5]))
    notched = kind == "stones" and rng.random() < 0.5
    cut = [outlined(rng, face, aspect, notched) for face in drawn.faces]
    return [cut[i % len(cut)] for i in range(count)]
