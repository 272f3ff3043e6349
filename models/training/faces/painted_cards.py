"""Painted cards: a scene in bands like sky and meadow, with pictures, borders and panels.

What lies within such a card looks like a piece itself. All faces of a set are composed alike.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.training.art import Icon
from models.training.faces.drawing import (
    DIGIT_FONTS,
    FACE_PX,
    Canvas,
    Colour,
    contrast_colour,
    draw_icon,
    fractal_noise,
    frame_mask,
    glyph_mask,
    hsv_colour,
    paint,
    palette,
)
from models.training.faces.sets import FaceSet, finished, ground_of, icon_of, texture_of
from models.training.faces.sources import ArtSource

AXIS = np.linspace(0, 1, FACE_PX, dtype=np.float32)
"""Places along a side, as parts of it."""


@dataclass(frozen=True, slots=True)
class _Composition:
    """What the cards of one set share; sizes are parts of the side, 0 where a part is missing."""

    heights: npt.NDArray[np.float64]
    waves: float
    steep: float
    upright: bool
    scattered: int
    size: float
    central: float
    panel: float
    corners: int
    banner: float
    banner_place: int
    writing: bool
    border: float
    border_ink: Colour
    lined: float
    sky: Icon

    @property
    def bands(self) -> int:
        return len(self.heights) + 1


def _composition(art: ArtSource, rng: np.random.Generator) -> _Composition:
    bands = int(rng.choice([1, 2, 2, 2, 3]))
    # written in the order in which chance is drawn
    return _Composition(
        heights=np.sort(rng.uniform(0.2, 0.85, bands - 1)),
        waves=float(rng.uniform(0, 0.07)) * (rng.random() < 0.6),
        steep=rng.uniform(2, 12),
        upright=rng.random() < 0.85,
        scattered=int(rng.choice([0, 2, 5, 9])),
        size=float(rng.uniform(0.08, 0.25)),
        central=float(rng.choice([0, 0, rng.uniform(0.25, 0.6)])),
        panel=float(rng.uniform(0.5, 0.85)) if rng.random() < 0.2 else 0.0,
        corners=int(rng.choice([0, 0, 1, 2, 4])),
        banner=float(rng.uniform(0.08, 0.2)) if rng.random() < 0.3 else 0.0,
        banner_place=int(rng.integers(4)),
        writing=rng.random() < 0.35,
        border=float(rng.uniform(0.015, 0.08)) if rng.random() < 0.6 else 0.0,
        border_ink=hsv_colour(
            rng.random(), rng.uniform(0, 0.3), rng.choice([rng.uniform(0.85, 1), rng.random()])
        ),
        lined=float(rng.uniform(0.01, 0.03)) if rng.random() < 0.3 else 0.0,
        sky=icon_of(art, rng),
    )


def illustrated(art: ArtSource, rng: np.random.Generator, count: int) -> FaceSet:
    """Painted cards of one set."""
    card = _composition(art, rng)
    return finished([_face(art, rng, card) for _ in range(count)])


def _face(art: ArtSource, rng: np.random.Generator, card: _Composition) -> Canvas:
    inks = palette(rng, max(card.bands, 2))
    canvas = _landscape(rng, card, inks)
    own = icon_of(art, rng)
    ink = contrast_colour(rng, inks[0])
    if rng.random() < 0.5 and card.bands > 1:
        scale = rng.uniform(0.15, 0.35)
        draw_icon(canvas, card.sky, ink, scale, (rng.uniform(0.2, 0.8), rng.uniform(0.12, 0.3)))
    for _ in range(card.scattered):
        place = (float(rng.uniform(0.08, 0.92)), float(rng.uniform(0.4, 0.95)))
        icon = own if rng.random() < 0.6 else icon_of(art, rng)
        draw_icon(canvas, icon, ink, card.size * rng.uniform(0.6, 1.4), place)
    if card.panel:
        shape = frame_mask((1 - card.panel) / 2, card.panel / 2, 0.06)
        paint(canvas, np.maximum(shape, 0) * 0.85, inks[-1])
    if card.central:
        draw_icon(canvas, own, contrast_colour(rng, inks[-1]), card.central, (0.5, 0.5))
    for x, y in ((0.12, 0.1), (0.88, 0.9), (0.88, 0.1), (0.12, 0.9))[: card.corners]:
        draw_icon(canvas, own, ink, 0.14, (x, y))
    _edges(rng, canvas, card, ink)
    return canvas


def _landscape(rng: np.random.Generator, card: _Composition, inks: list[Colour]) -> Canvas:
    """Bands of colour with wavy edges, one behind the other."""
    height = np.repeat(AXIS[:, None], FACE_PX, 1)
    canvas = ground_of(rng, inks[0], texture_of(rng))
    canvas *= 1 + rng.uniform(-0.35, 0.35) * (height[..., None] - 0.5)
    for level, ink in zip(card.heights, inks[1:], strict=False):
        hill = level + card.waves * np.sin(AXIS * card.steep + rng.uniform(0, 6))
        inside = np.clip((height - hill[None]) * FACE_PX, 0, 1).astype(np.float32)
        paint(canvas, inside, ink + 12 * fractal_noise(rng, FACE_PX, 6, 3)[..., None])
    return canvas if card.upright else np.ascontiguousarray(np.rot90(canvas))


def _edges(rng: np.random.Generator, canvas: Canvas, card: _Composition, ink: Colour) -> None:
    """The banner, the writing on it, the line and the border of a card, in place."""
    if card.banner:
        strip = np.zeros((FACE_PX, FACE_PX), np.float32)
        top = round((0.98 - card.banner) * FACE_PX)
        strip[top : round(0.98 * FACE_PX)] = rng.uniform(0.6, 1)
        paint(canvas, np.ascontiguousarray(np.rot90(strip, card.banner_place)), card.border_ink)
    if card.writing:
        text = "".join(chr(97 + c) for c in rng.integers(26, size=rng.integers(4, 8)))
        mask = glyph_mask(text, int(rng.choice(DIGIT_FONTS)), 0.8, 0.07)
        away = round(rng.uniform(0.34, 0.42) * FACE_PX) * int(rng.choice([-1, 1]))
        turned = np.rot90(np.roll(mask, away, 0), card.banner_place)
        paint(canvas, np.ascontiguousarray(turned), ink)
    if card.lined:
        paint(canvas, frame_mask(card.border + 0.02, card.lined, 0.03), ink)
    if card.border:
        paint(canvas, frame_mask(0, card.border, 0.04), card.border_ink)
