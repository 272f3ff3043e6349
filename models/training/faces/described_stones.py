"""Editions of the stones that look as the published game is described.

Nearly one colour each, a bevelled lighter frame, an ornament along it, a carved picture drawn for
it or an icon.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.training.art import ICON_PX, Icon
from models.training.faces import described
from models.training.faces.carved import warmth_of
from models.training.faces.drawing import (
    FACE_PX,
    Colour,
    Floats,
    emboss,
    fractal_noise,
    frame_mask,
    paint,
    place_icon,
    place_on,
)
from models.training.faces.sources import ArtSource, bent, stone_colours


@dataclass(frozen=True, slots=True)
class _Edition:
    """What the stones of one edition share; widths and sizes are parts of the side."""

    rim: float
    band: float
    inner: float
    drawn: bool
    dark: bool
    grain: float
    lined: bool
    shining: float
    depth: float
    size: float


def described_set(
    art: ArtSource, rng: np.random.Generator, symbols: Sequence[str], mixed: float
) -> list[npt.NDArray[np.float32]]:
    """Faces of one edition, float32 RGB, in the order of the symbols."""
    gain, lift = rng.uniform(0.85, 1.15), rng.normal(0, 6, 3).astype(np.float32)
    rim, band = rng.uniform(0.03, 0.1), rng.uniform(0.03, 0.08)
    inner = rim + band + rng.uniform(0.01, 0.05)
    drawn, dark, grain = rng.random() < 0.7, rng.random() < 0.25, rng.uniform(3, 14)
    lined, shining, depth = rng.random() < 0.7, rng.uniform(0, 6.28), rng.uniform(15, 80)
    size, warmth = (1 - 2 * inner) * rng.uniform(0.86, 1.02), warmth_of(rng, mixed)
    edition = _Edition(rim, band, inner, drawn, dark, grain, lined, shining, depth, size)
    faces = []
    for symbol in symbols:
        mean, light = stone_colours(symbol, gain, lift, warmth.get(symbol, 0.0))
        faces.append(_face(art, rng, symbol, edition, mean, light))
    return faces


def _face(
    art: ArtSource,
    rng: np.random.Generator,
    symbol: str,
    edition: _Edition,
    mean: Colour,
    light: Colour,
) -> npt.NDArray[np.float32]:
    pale = light
    if symbol == "moon":  # dark, with a pale crescent
        pale = light + rng.uniform(0.2, 0.9) * (np.array([220, 215, 205], np.float32) - light)
    rim, band = edition.rim, edition.band
    canvas = np.empty((FACE_PX, FACE_PX, 3), np.float32)
    canvas[:] = mean * rng.uniform(0.9, 1.1)
    canvas += fractal_noise(rng, FACE_PX, 5)[..., None] * edition.grain
    frame = frame_mask(0.0, rim, 0.08) * rng.uniform(0.7, 1.0)
    if edition.lined:
        frame = np.maximum(frame, frame_mask(rim + band, rng.uniform(0.01, 0.025), 0.02))
    paint(canvas, frame, light)
    emboss(canvas, frame, rng.uniform(10, 45), edition.shining)
    ornament = described.border(rng, FACE_PX, rim + 0.01, band - 0.01)
    paint(canvas, ornament * rng.uniform(0.3, 0.8), light if rng.random() < 0.6 else mean * 0.5)
    mask = described.DRAWN[symbol](rng) if edition.drawn else _icon_mask(art, rng, symbol)
    relief = np.dstack([np.full((*mask.shape, 3), 255), mask * 255]).astype(np.uint8)
    centre = (0.5 + rng.normal(0, 0.01), 0.5 + rng.normal(0, 0.01))
    placed = place_icon(Icon("", symbol, True, relief), edition.size, centre, rng.normal(0, 2))
    carved = placed[..., 3].astype(np.float32) / 255
    ground = frame_mask(edition.inner, 0.5, 0.02)
    # the seed has a bright frame and is dark inside
    shade = rng.uniform(0.3, 0.9) if symbol == "seed" else rng.uniform(0, 0.5)
    paint(canvas, ground * shade, mean * rng.uniform(0.5, 0.9))
    is_dark = edition.dark and symbol != "moon"
    tone = mean * rng.uniform(0.35, 0.7) if is_dark else pale * rng.uniform(0.95, 1.2)
    paint(canvas, carved * rng.uniform(0.6, 1.0), np.clip(tone, 0, 255))
    emboss(canvas, carved, edition.depth, edition.shining)
    return canvas


def _icon_mask(art: ArtSource, rng: np.random.Generator, symbol: str) -> Floats:
    """An icon of the symbol in place of a drawn picture, with ornaments around it."""
    pool = art.symbols[symbol]
    picture = bent(rng, pool[int(rng.integers(len(pool)))])
    shrunk = place_on(picture, ICON_PX, rng.uniform(0.7, 0.85), (0.5, 0.5)).astype(np.float32)
    around = described.around(rng, symbol) * (shrunk[..., 3] < 40)
    return np.maximum(shrunk[..., 3] / 255, around)
