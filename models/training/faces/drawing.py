"""Colours, icons, frames and text on a face."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.training.art import ICON_PX, Icon

FACE_PX = 80
"""Side of a drawn face; faces of other proportions are squeezed into this square, as crops are."""
Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.floating[Any]]
"""Canvases, masks and colours: float32 where stored, float64 where a sum in between is."""
Colour = Floats
Canvas = npt.NDArray[np.float32]
"""A face or a mask while it is drawn."""


def colour_from_hex(text: str) -> Colour:
    """``#rrggbb`` as float32 RGB, 0 to 255."""
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)], np.float32)


def hsv_colour(hue: float, saturation: float, value: float) -> Colour:
    """A colour from hue (turns), saturation and value (0 to 1) as float32 RGB, 0 to 255."""
    pixel = np.array([[[hue % 1.0 * 360.0, saturation, value]]], np.float32)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2RGB)[0, 0] * 255.0, np.float32)


def fractal_noise(
    rng: np.random.Generator, size: int, coarsest: int = 3, octaves: int = 4
) -> Canvas:
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
    """The icon on a transparent FACE_PX square, RGBA; centre and scale are parts of the face."""
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


def reduced(drawn: Image) -> Floats:
    """A mask that was drawn large, at the size of a face, 0 to 1."""
    small = cv2.resize(drawn, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)
    return small.astype(np.float32) / 255


def paint(canvas: Canvas, mask: Floats, colour: Floats) -> None:
    """Blend a colour (or picture) into the canvas in place, by a mask of 0 to 1."""
    canvas += mask[..., None] * (colour - canvas)


def draw_icon(
    canvas: Canvas,
    icon: Icon,
    ink: Colour,
    scale: float,
    centre: tuple[float, float],
) -> None:
    """Print the icon in place: glyphs in the ink, coloured icons in their own colours."""
    rgba = place_icon(icon, scale, centre).astype(np.float32)
    paint(canvas, rgba[..., 3] / 255, ink if icon.mono else rgba[..., :3])


def emboss(canvas: Canvas, mask: Floats, depth: float, angle: float) -> None:
    """Shade the slopes of a relief in place, as raking light from ``angle`` does."""
    soft = cv2.GaussianBlur(mask, (0, 0), 1.2)
    slope = cv2.Sobel(soft, cv2.CV_32F, 1, 0) * np.cos(angle) + cv2.Sobel(
        soft, cv2.CV_32F, 0, 1
    ) * np.sin(angle)
    canvas += np.clip(slope * depth, -90, 90)[..., None]


def frame_mask(inset: float, width: float, radius: float) -> Canvas:
    """A rounded frame line as a mask; inset and width as parts of the side."""

    outer, inner = (
        rounded_square(FACE_PX, radius, margin * FACE_PX) for margin in (inset, inset + width)
    )
    return np.clip(outer - inner, 0, 1)


def rounded_square(side: int, radius: float, margin: float = 0.0) -> Canvas:
    """A square of that side in pixels with round corners as a mask of 0 to 1.

    ``radius`` is a share of the side, ``margin`` what is left free around it in pixels.
    """
    from_middle = np.abs(np.arange(side, dtype=np.float32) + 0.5 - side / 2)
    axis = np.maximum(from_middle - (side / 2 - margin - radius * side), 0)
    distance = np.hypot(axis[None, :], axis[:, None])
    return np.asarray(np.clip(radius * side + 0.5 - distance, 0, 1), np.float32)


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
    at = ((big - width) // 2, (big + height) // 2)
    cv2.putText(canvas, text, at, font, size, 255, thickness, cv2.LINE_AA)
    return reduced(canvas)
