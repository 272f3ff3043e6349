"""The styles of tiles and cards that games come in, one function a style."""

import cv2
import numpy as np

from models.training.faces.drawing import (
    DIGIT_FONTS,
    FACE_PX,
    Floats,
    contrast_colour,
    draw_icon,
    emboss,
    fractal_noise,
    frame_mask,
    glyph_mask,
    hsv_colour,
    paint,
    palette,
    place_icon,
    reduced,
)
from models.training.faces.sets import FaceSet, finished, ground_of, icon_of, texture_of
from models.training.faces.sources import ArtSource


def pictures(art: ArtSource, rng: np.random.Generator, count: int) -> FaceSet:
    """A picture on each face, with shared or own grounds, frames, corner marks and borders."""
    aspect = float(rng.choice([1.0, 1.0, rng.uniform(0.62, 1.0), rng.uniform(1.0, 1.6)]))
    own_ground, mono = rng.random() < 0.6, rng.random() < 0.6
    colours, texture = palette(rng, count), texture_of(rng)
    shared = hsv_colour(rng.random(), rng.uniform(0, 0.5), rng.uniform(0.1, 1))
    pictures = [icon_of(art, rng, mono) for _ in range(count)]
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
    worn = texture_of(rng) if rng.random() < 0.3 else None
    canvases = []
    for i in range(count):
        ground = colours[i] if own_ground else shared
        canvas = ground_of(rng, ground, texture)
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
            shape = place_icon(pictures[i], scale, centre)[..., 3].astype(np.float32) / 255
            emboss(canvas, shape, depth, 0.8)
        if corner:
            for x, y in ((0.16, 0.16), (0.84, 0.84)):
                draw_icon(canvas, pictures[i], ink, 0.18, (x, y))
        if border:
            paint(canvas, frame_mask(0, border, 0.06), border_ink)
        canvases.append(canvas)
    return finished(canvases, aspect)


def plain_and_marked(art: ArtSource, rng: np.random.Generator, count: int) -> FaceSet:
    """Tiles of a few colours, plain or with one shared mark: the mark is all that differs."""
    half = max(1, count // 2)
    colours, texture, mark = palette(rng, half), texture_of(rng), icon_of(art, rng)
    with_picture = rng.random() < 0.6
    pictures = [icon_of(art, rng, True) for _ in range(half)]
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
        canvas = ground_of(rng, colour, texture)
        if with_picture:
            ink = np.clip(colour * tint + 15, 0, 255)
            draw_icon(canvas, pictures[i % half], ink, picture_scale, (0.5, 0.5))
        if i >= half:
            draw_icon(canvas, mark, mark_ink, mark_scale, spot)
        canvases.append(canvas)
    return finished(canvases)


def counted_shapes(art: ArtSource, rng: np.random.Generator, count: int) -> FaceSet:
    """Cards that differ in number, colour, fill and shape of what they show."""
    aspect = float(rng.choice([1.5, 0.66, 1.0]))
    inks = palette(rng, 3)
    ground = (
        hsv_colour(rng.random(), rng.uniform(0, 0.12), rng.uniform(0.85, 1.0))
        if rng.random() < 0.8
        else palette(rng, 1)[0]
    )
    shapes = [outline_of(rng) for _ in range(3)]
    keys = [(n, c, f, s) for n in (1, 2, 3) for c in range(3) for f in range(3) for s in range(3)]
    order = rng.permutation(len(keys))
    first = keys[order[0]]
    near = [k for k in keys if sum(a != b for a, b in zip(k, first, strict=True)) <= 2]
    chosen = near if rng.random() < 0.7 else keys
    picked = [chosen[i] for i in rng.permutation(len(chosen))[:count]]
    hatch_step, hatch_turn = int(rng.integers(2, 5)), int(rng.integers(3))
    canvases = []
    for number, ink, fill, shape in picked:
        canvas = np.full((FACE_PX, FACE_PX, 3), ground, np.float32)
        paint(canvas, row_of(shapes[shape], number, fill, hatch_step, hatch_turn), inks[ink])
        canvases.append(canvas)
    return finished(canvases, aspect)


def outline_of(rng: np.random.Generator) -> Floats:
    """A closed outline around the origin within -1 to 1, shape (n, 2)."""
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    kind = int(rng.integers(6))
    if kind == 0:  # superellipse, from diamond to box
        power = rng.uniform(0.7, 5)
        radius = (np.abs(np.cos(angle)) ** power + np.abs(np.sin(angle)) ** power) ** (-1 / power)
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


def row_of(
    shape: Floats,
    number: int,
    fill: int,
    hatch_step: int,
    hatch_turn: int,
) -> Floats:
    """``number`` shapes side by side as a mask; fill 0 is solid, 1 outline, 2 hatched."""
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
        axis = np.add.outer(np.arange(big) * (hatch_turn != 1), np.arange(big) * (hatch_turn != 0))
        mask = np.maximum(
            outline,
            np.where(axis % (hatch_step * 4) < hatch_step * 1.5, solid, 0).astype(np.uint8),
        )
    return reduced(mask)


def filled(outline: Floats) -> Floats:
    """A closed outline around the middle as a mask; 1 is the side of the face."""
    mask = np.zeros((4 * FACE_PX, 4 * FACE_PX), np.uint8)
    points = (outline * 4 * FACE_PX + 2 * FACE_PX).astype(np.int32)
    cv2.fillPoly(mask, [points], 255, cv2.LINE_AA)
    return reduced(mask)


def coloured_shapes(art: ArtSource, rng: np.random.Generator, count: int) -> FaceSet:
    """One shape a tile in one of a few colours: many pairs share shape or colour."""
    grid = int(np.ceil(np.sqrt(count)))
    inks = palette(rng, grid)
    ground = hsv_colour(rng.random(), rng.uniform(0, 0.4), rng.choice([0.05, 0.15, 0.9, 0.97]))
    shapes = [outline_of(rng) for _ in range(grid)] if rng.random() < 0.6 else None
    icons = [icon_of(art, rng, True) for _ in range(grid)]
    texture, scale = texture_of(rng) * 0.5, rng.uniform(0.55, 0.9)
    cells = rng.permutation(grid * grid)[:count]
    canvases = []
    for cell in cells:
        canvas = ground_of(rng, ground, texture)
        if shapes is None:
            draw_icon(canvas, icons[cell // grid], inks[cell % grid], scale, (0.5, 0.5))
        else:
            paint(canvas, filled(shapes[cell // grid] * scale / 2), inks[cell % grid])
        canvases.append(canvas)
    return finished(canvases)


def badges(art: ArtSource, rng: np.random.Generator, count: int) -> FaceSet:
    """Numbers or letters on a badge, some framed, as on player boards."""
    ground, badge_colour = palette(rng, 2)
    has_badge = rng.random() < 0.7
    ink = contrast_colour(rng, badge_colour if has_badge else ground)
    frame = hsv_colour(rng.random(), rng.uniform(0, 0.3), rng.uniform(0.1, 1))
    font = int(rng.choice(DIGIT_FONTS))
    weight = rng.uniform(0.6, 3.0)
    scale = rng.uniform(0.25, 0.55)
    mask = filled(outline_of(rng) * rng.uniform(0.3, 0.46))
    texts = [str(i) for i in range(1, 10)] + list("ABCDEFGHJKLNPRTUVXYZ")
    first = (
        texts[:4]
        if rng.random() < 0.7
        else [texts[i] for i in rng.permutation(len(texts))[: max(4, count // 2)]]
    )
    frame_wide = frame_mask(rng.uniform(0, 0.06), rng.uniform(0.03, 0.2), rng.uniform(0.01, 0.1))
    if rng.random() < 0.3:  # of a material of its own, with a shaded edge
        frame_wide = frame_wide * rng.uniform(0.7, 1.0)
    texture = texture_of(rng)
    keys = [(text, framed) for framed in (False, True) for text in first][:count]
    canvases = []
    for text, framed in keys:
        canvas = ground_of(rng, ground, texture)
        if has_badge:
            paint(canvas, mask, badge_colour)
        paint(canvas, glyph_mask(text, font, weight, scale), ink)
        if framed:
            paint(canvas, frame_wide, frame)
        canvases.append(canvas)
    return finished(canvases)


def landscapes(art: ArtSource, rng: np.random.Generator, count: int) -> FaceSet:
    """Pictorial terrain: mottled grounds strewn with small pictures."""
    canvases = []
    for colour in palette(rng, count):
        second = np.clip(colour * rng.uniform(0.4, 1.5) + rng.normal(0, 15, 3), 0, 255).astype(
            np.float32
        )
        canvas = ground_of(rng, colour, np.zeros((FACE_PX, FACE_PX), np.float32))
        noise = fractal_noise(rng, FACE_PX, int(rng.integers(2, 9)), int(rng.integers(2, 5)))
        paint(
            canvas,
            np.clip(noise * rng.uniform(0.5, 3) + rng.normal(0, 0.3), 0, 1).astype(np.float32),
            second,
        )
        for _ in range(int(rng.choice([0, 1, 2, 6]))):
            icon, ink = icon_of(art, rng), contrast_colour(rng, colour)
            draw_icon(canvas, icon, ink, rng.uniform(0.15, 0.55), tuple(rng.uniform(0.2, 0.8, 2)))
        canvases.append(canvas)
    return finished(canvases)
