"""Title bands and picture windows: the ground of a card goes on where its picture ends.

Within such a card lies a smaller rectangle that looks like a piece. All faces of a set are laid out
alike.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from models.training.faces.drawing import (
    DIGIT_FONTS,
    FACE_PX,
    Canvas,
    Colour,
    contrast_colour,
    draw_icon,
    hsv_colour,
    paint,
    palette,
    reduced,
)
from models.training.faces.sets import FaceSet, icon_of
from models.training.faces.sources import ArtSource

ON_PAPER = 0.4
"""Share of sets whose pictures lie on light paper whatever was printed."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the faces of one set share; lengths are shares of the side."""

    band: float
    margin: float
    quarter_turns: int
    twice: bool
    solid: float
    written: bool
    pictured: bool
    font: int


def _layout(rng: np.random.Generator) -> _Layout:
    return _Layout(
        band=float(rng.uniform(0.08, 0.34)),
        margin=float(rng.choice([0.0, rng.uniform(0.01, 0.06)])),
        quarter_turns=int(rng.choice(4, p=(0.55, 0.1, 0.25, 0.1))),
        twice=rng.random() < 0.2,
        solid=float(rng.choice([1.0, rng.uniform(0.6, 1.0)])),
        written=rng.random() < 0.65,
        pictured=rng.random() < 0.2,
        font=int(rng.choice(DIGIT_FONTS)),
    )


def banded(art: ArtSource, rng: np.random.Generator, drawn: FaceSet) -> FaceSet:
    """The set with a band along one edge of each face, or along two that lie opposite.

    The band covers what was printed there, or what was printed gets smaller and makes room.
    """
    layout, room = _layout(rng), rng.random() < 0.45
    own, shared = palette(rng, len(drawn.faces)), palette(rng, 1)[0]
    if rng.random() < 0.4:
        shared = hsv_colour(rng.random(), rng.uniform(0, 0.15), rng.uniform(0.8, 1.0))
    coloured = rng.random() < (0.3 if room else 0.65)
    faces = []
    pictures = _on_paper(art, rng, layout, own) if rng.random() < ON_PAPER else drawn.faces
    for face, ink in zip(pictures, own, strict=True):
        canvas = np.ascontiguousarray(np.rot90(face, -layout.quarter_turns)).astype(np.float32)
        ground = ink if coloured else shared
        canvas = _with_room(canvas, layout, ground) if room else _covered(canvas, layout, ground)
        _title(art, rng, canvas, layout, contrast_colour(rng, ground))
        faces.append(np.rot90(canvas, layout.quarter_turns))
    return replace(drawn, faces=np.clip(np.stack(faces), 0, 255).astype(np.uint8))


def _on_paper(
    art: ArtSource, rng: np.random.Generator, layout: _Layout, own: list[Colour]
) -> Canvas:
    """Faces of light paper with a picture each, some with a few marks in a corner."""
    paper = hsv_colour(rng.random(), rng.uniform(0, 0.15), rng.uniform(0.75, 1.0))
    dark, mono = rng.random() < 0.6, rng.random() < 0.75
    scale, marks = rng.uniform(0.45, 0.9), rng.random() < 0.4
    faces = []
    for ink in own:
        canvas = np.full((FACE_PX, FACE_PX, 3), paper, np.float32)
        shade = contrast_colour(rng, paper) if dark else ink
        draw_icon(canvas, icon_of(art, rng, mono), shade, scale, (0.5, 0.5 - layout.band / 2))
        for k in range(int(rng.integers(4)) if marks else 0):
            cv2.circle(canvas, (7 + 7 * k, 8), 2, ink.tolist(), cv2.FILLED, cv2.LINE_AA)
        faces.append(np.rot90(canvas, layout.quarter_turns))
    return np.stack(faces)


def _window(layout: _Layout) -> tuple[slice, slice]:
    """Rows and columns of the picture, the band lying below it."""
    margin, band = (round(part * FACE_PX) for part in (layout.margin, layout.band))
    top = band if layout.twice else margin
    return slice(top, FACE_PX - band), slice(margin, FACE_PX - margin)


def _with_room(canvas: Canvas, layout: _Layout, ground: Colour) -> Canvas:
    """The picture made smaller on a ground of one colour."""
    rows, columns = _window(layout)
    framed = np.full_like(canvas, ground)
    size = (columns.stop - columns.start, rows.stop - rows.start)
    framed[rows, columns] = cv2.resize(canvas, size, interpolation=cv2.INTER_AREA)
    return framed


def _covered(canvas: Canvas, layout: _Layout, ground: Colour) -> Canvas:
    """A strip of that colour over the picture; its margin to the edges shows the picture."""
    margin, band = (round(part * FACE_PX) for part in (layout.margin, layout.band))
    strip = np.zeros((FACE_PX, FACE_PX), np.float32)
    strip[FACE_PX - band : FACE_PX - margin, margin : FACE_PX - margin] = layout.solid
    if layout.twice:
        strip = np.maximum(strip, strip[::-1])
    paint(canvas, strip, ground)
    return canvas


def _title(
    art: ArtSource, rng: np.random.Generator, canvas: Canvas, layout: _Layout, ink: Colour
) -> None:
    """What is written or shown on the band, in place."""
    middle = 1 - layout.band / 2
    if layout.written:
        big = 4 * FACE_PX
        text = "".join(chr(65 + c) for c in rng.integers(26, size=rng.integers(3, 9)))
        scale = rng.uniform(0.35, 0.6) * layout.band * big / 22
        (width, height), _ = cv2.getTextSize(text, layout.font, scale, 2)
        scale *= min(1.0, 0.85 * big / width)
        at = (round((big - min(width, 0.85 * big)) / 2), round(middle * big + height / 2))
        drawn = np.zeros((big, big), np.uint8)
        thick = max(1, round(2.5 * scale))
        cv2.putText(drawn, text, at, layout.font, scale, 255, thick, cv2.LINE_AA)
        paint(canvas, reduced(drawn), ink)
    if layout.pictured:
        place = (float(rng.uniform(0.15, 0.85)), middle)
        draw_icon(canvas, icon_of(art, rng, True), ink, 0.8 * layout.band, place)
