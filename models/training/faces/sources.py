"""The icons that a split may use, and the same pictures by another hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from models.training.art import LOOSE_NAMES, VALIDATION_FAMILIES, Icon, symbol_of, symbol_of_name
from models.training.faces.drawing import Colour, Image, colour_from_hex

SWOLLEN, REDRAWN = 0.6, 0.2
"""Shares of pictures with parts of other sizes, and in another technique."""
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
"""Published colours of the stones (face, light frame), from scans of the printed game."""
CLOSE_COLOURS = {"fish": "bird", "bird": "fish"}
"""Orange and coral: in warm light, or faded, they are one colour, and only the picture tells."""


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
        """The same with a bank's pictures that may stand for symbols, but no held-out families."""
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
