"""Carved stones: any picture as a relief, and the editions of the published stones."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.training.art import Icon
from models.training.faces.drawing import (
    FACE_PX,
    Canvas,
    Colour,
    draw_icon,
    emboss,
    fractal_noise,
    frame_mask,
    paint,
    palette,
    place_icon,
)
from models.training.faces.sets import FaceSet, finished, ground_of, icon_of, texture_of
from models.training.faces.sources import CLOSE_COLOURS, ArtSource, bent, stone_colours


def relief(
    rng: np.random.Generator,
    mean: Colour,
    light: Colour,
    icon: Icon,
    rim: float,
    dark: bool,
    ornament: bool,
) -> Canvas:
    """One carved face: nearly one colour, a bevelled lighter rim, the picture as a relief."""
    canvas = np.full((FACE_PX, FACE_PX, 3), mean * rng.uniform(0.9, 1.1), np.float32)
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
        mean * rng.uniform(0.35, 0.7) if dark else np.clip(light * rng.uniform(0.95, 1.25), 0, 255)
    )
    paint(canvas, mask * rng.uniform(0.5, 1.0), tone)
    emboss(canvas, mask, rng.uniform(15, 80), rng.uniform(0, 6.28))
    return canvas


def carved(art: ArtSource, rng: np.random.Generator, count: int) -> FaceSet:
    """Carved stones of any picture, each face nearly of one colour."""
    colours = palette(rng, count)
    rim, dark, ornament = rng.uniform(0.03, 0.13), rng.random() < 0.5, rng.random() < 0.5
    faces = []
    for colour in colours:
        light = np.clip(colour * rng.uniform(1.1, 1.6) + 10, 0, 255)
        faces.append(relief(rng, colour, light, icon_of(art, rng), rim, dark, ornament))
    return finished(faces, carved=True)


def warmth_of(rng: np.random.Generator, mixed: float) -> dict[str, float]:
    """How far the close colours of an edition are mixed, see ``stone_colours``."""
    if not mixed or rng.random() >= mixed:
        return {}
    return {symbol: rng.uniform(0, 1) for symbol in CLOSE_COLOURS}


def stone_set(
    art: ArtSource,
    rng: np.random.Generator,
    symbols: Sequence[str],
    bent_share: float,
    mixed: float,
) -> list[Canvas]:
    """Faces of one edition in the published colours, in the order of the symbols."""
    rim, dark, ornament = rng.uniform(0.04, 0.13), rng.random() < 0.5, rng.random() < 0.6
    printed = rng.random() < 0.3
    gain, lift = rng.uniform(0.85, 1.15), rng.normal(0, 6, 3).astype(np.float32)
    texture, warmth = texture_of(rng), warmth_of(rng, mixed)
    faces = []
    for symbol in symbols:
        mean, light = stone_colours(symbol, gain, lift, warmth.get(symbol, 0.0))
        pool = art.symbols[symbol]
        icon = pool[int(rng.integers(len(pool)))]
        if bent_share and rng.random() < bent_share:
            icon = bent(rng, icon)
        face_dark = dark if symbol not in ("moon", "seed") else symbol == "seed"
        if not printed:
            faces.append(relief(rng, mean, light, icon, rim, face_dark, ornament))
            continue
        canvas = ground_of(rng, (mean + light) / 2, texture)
        paint(canvas, frame_mask(0.0, rim, 0.06), light)
        ink = mean * 0.45 if face_dark else np.clip(light * 1.15, 0, 255)
        draw_icon(canvas, replace(icon, mono=True), ink, rng.uniform(0.5, 0.75), (0.5, 0.5))
        faces.append(canvas)
    return faces
