"""Editions of the stones that look as the published game is described.

Nearly one colour each, a bevelled lighter frame, an ornament along it, a carved picture drawn for
it or an icon. Printed editions keep to the colours that two scans of the game measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np

from models.training.art import ICON_PX, Icon
from models.training.faces import described
from models.training.faces.carved import warmth_of
from models.training.faces.drawing import (
    FACE_PX,
    Canvas,
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


class _Print(NamedTuple):
    """Colours of a printed face: hue in degrees, saturation and the lightness (CIE L*) of ground
    and figure in percent, the frame as RGB."""

    hue: float
    saturation: float
    ground: float
    figure: float
    frame: tuple[int, int, int]


PRINTED: dict[str, tuple[_Print, _Print]] = {
    "sun": (_Print(51, 51, 56, 87, (203, 189, 105)), _Print(54, 72, 55, 94, (236, 233, 76))),
    "moon": (_Print(75, 17, 25, 49, (97, 100, 85)), _Print(326, 20, 5, 48, (99, 80, 90))),
    "fish": (_Print(24, 65, 42, 71, (238, 148, 87)), _Print(22, 84, 36, 73, (239, 138, 55))),
    "bird": (_Print(3, 51, 37, 65, (227, 126, 121)), _Print(358, 63, 45, 66, (244, 106, 102))),
    "horse": (_Print(299, 16, 31, 62, (148, 140, 162)), _Print(296, 53, 7, 62, (174, 109, 203))),
    "boat": (_Print(149, 26, 38, 78, (152, 208, 172)), _Print(183, 64, 18, 82, (101, 220, 216))),
    "seed": (_Print(48, 16, 43, 77, (208, 203, 182)), _Print(326, 14, 14, 84, (241, 230, 238))),
    "tree": (_Print(100, 38, 36, 71, (131, 179, 114)), _Print(96, 45, 16, 89, (186, 235, 143))),
}
"""Each face in a faded and in a vivid scan. Other prints and cameras lie between and around."""
AROUND = 0.15
"""How far beyond the two scans an edition may lie, in parts of their distance."""


class Inks(NamedTuple):
    """Colours of one printed face, float32 RGB."""

    ground: Colour
    figure: Colour
    frame: Colour


def printed_set(art: ArtSource, rng: np.random.Generator, symbols: Sequence[str]) -> list[Canvas]:
    """Faces of one edition in the colours of the scans, float32 RGB, in the order of the symbols.

    A light figure stands on a dark ground.
    """
    vivid = rng.uniform(-AROUND, 1 + AROUND)
    edition = _edition(rng, mixed=0.0)[0]
    return [
        _face(art, rng, symbol, edition, inks.ground, inks.frame, inks)
        for symbol, inks in ((symbol, printed_inks(rng, symbol, vivid)) for symbol in symbols)
    ]


def printed_inks(rng: np.random.Generator, symbol: str, vivid: float) -> Inks:
    """The colours of a face in an edition that lies at ``vivid`` between the faded scan (0) and
    the vivid one (1)."""
    faded, strong = PRINTED[symbol]
    turn = (strong.hue - faded.hue + 180) % 360 - 180
    hue = faded.hue + vivid * turn + rng.normal(0, 1.0)

    def between(one: float, other: float) -> float:
        return float(np.clip(one + vivid * (other - one) + rng.normal(0, 3), 3, 97))

    saturation = between(faded.saturation, strong.saturation) / 100
    frame = np.array(faded.frame) + vivid * (np.array(strong.frame) - faded.frame)
    return Inks(
        _ink(hue, saturation, between(faded.ground, strong.ground)),
        _ink(hue, saturation, between(faded.figure, strong.figure)),
        np.clip(frame, 0, 255).astype(np.float32),
    )


def _ink(hue: float, saturation: float, lightness: float) -> Colour:
    """The colour (RGB, 0 to 255) of that hue and saturation whose lightness is nearest."""
    values = np.linspace(0, 1, 101, dtype=np.float32)
    hsv = np.stack([np.full(101, hue % 360), np.full(101, saturation), values], 1)
    rgb = cv2.cvtColor(hsv.astype(np.float32)[None], cv2.COLOR_HSV2RGB)
    light = cv2.cvtColor(rgb, cv2.COLOR_RGB2LAB)[0, :, 0]
    return np.asarray(rgb[0, np.abs(light - lightness).argmin()] * 255, np.float32)


def described_set(
    art: ArtSource, rng: np.random.Generator, symbols: Sequence[str], mixed: float
) -> list[Canvas]:
    """Faces of one edition, float32 RGB, in the order of the symbols."""
    gain, lift = rng.uniform(0.85, 1.15), rng.normal(0, 6, 3).astype(np.float32)
    edition, warmth = _edition(rng, mixed)
    faces = []
    for symbol in symbols:
        mean, light = stone_colours(symbol, gain, lift, warmth.get(symbol, 0.0))
        faces.append(_face(art, rng, symbol, edition, mean, light))
    return faces


def _edition(rng: np.random.Generator, mixed: float) -> tuple[_Edition, dict[str, float]]:
    """What the stones of an edition share, and by how much of them fish and birds mix colours."""
    rim, band = rng.uniform(0.03, 0.1), rng.uniform(0.03, 0.08)
    inner = rim + band + rng.uniform(0.01, 0.05)
    drawn, dark, grain = rng.random() < 0.7, rng.random() < 0.25, rng.uniform(3, 14)
    lined, shining, depth = rng.random() < 0.7, rng.uniform(0, 6.28), rng.uniform(15, 80)
    size, warmth = (1 - 2 * inner) * rng.uniform(0.86, 1.02), warmth_of(rng, mixed)
    return _Edition(rim, band, inner, drawn, dark, grain, lined, shining, depth, size), warmth


def _face(
    art: ArtSource,
    rng: np.random.Generator,
    symbol: str,
    edition: _Edition,
    mean: Colour,
    light: Colour,
    inks: Inks | None = None,
) -> Canvas:
    """One face; ``inks`` are its exact colours, where a scan tells them."""
    pale = light
    if symbol == "moon":  # dark, with a pale crescent
        pale = light + rng.uniform(0.2, 0.9) * (np.array([220, 215, 205], np.float32) - light)
    rim, band = edition.rim, edition.band
    canvas = np.full((FACE_PX, FACE_PX, 3), mean * rng.uniform(0.9, 1.1), np.float32)
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
    if inks is not None:
        paint(canvas, ground * 0.9, inks.ground)
        tone = inks.figure
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
