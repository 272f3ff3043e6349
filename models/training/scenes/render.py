"""Draws a scene and says where each piece is."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from models.training.scenes.camera import aim
from models.training.scenes.drawing import OVERSAMPLE, Shown, Surface
from models.training.scenes.layouts import LAYOUTS, SCENE_SHARES, SceneKind
from models.training.scenes.light import illuminate
from models.training.scenes.materials import Image
from models.training.scenes.painting import Painter
from models.training.scenes.photo import Lens, expose, light_up, spoil
from models.training.scenes.pieces import FaceSource, Layout
from models.training.scenes.solids import Layer
from models.training.scenes.surroundings import surroundings
from models.training.scenes.table import table_picture


class Scene(NamedTuple):
    """A photo and what is on it.

    ``quads_xy`` are the corners of each top face, clockwise from the piece's own top left, as if it
    were not rounded; they may lie outside the photo. ``visible`` is the share of the face that the
    photo shows.
    """

    image_bgr: Image
    quads_xy: npt.NDArray[np.float32]
    visible: npt.NDArray[np.float32]
    kind: npt.NDArray[np.int8]
    grid_id: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]


def render_scene(
    rng: np.random.Generator,
    faces: FaceSource,
    size_hw: tuple[int, int] = (384, 512),
    kind: SceneKind | None = None,
    layout: Layout | None = None,
    framed: bool = False,
    traced: bool = False,
) -> Scene:
    """Draw a photo.

    Parameters
    ----------
    rng : the only source of chance.
    faces : gives the printed tops of pieces.
    size_hw : (height, width) of the photo, in pixels.
    kind : what is on the table; by chance if None.
    layout : the board on the table, if it is drawn already.
    framed : whether the board fills most of the photo.
    traced : whether its light is traced by Mitsuba, which takes five times as long, not painted.
    """
    if kind is None:
        kinds = list(SCENE_SHARES)
        kind = kinds[rng.choice(len(kinds), p=list(SCENE_SHARES.values()))]
    layout = layout or LAYOUTS[kind](rng, faces)
    if traced:
        return _traced(rng, faces, size_hw, kind, layout, framed)
    large = (round(size_hw[0] * OVERSAMPLE), round(size_hw[1] * OVERSAMPLE))
    camera = aim(rng, layout.focus_mm, large, framed)
    light = illuminate(rng, layout.focus_mm, camera)
    around = surroundings(rng, faces, layout, camera, large, kind == "negative")
    albedo, gloss = table_picture(rng, camera, large, float(np.ptp(layout.focus_mm, axis=0).max()))
    painter = Painter(
        camera, light, albedo, Surface(gloss, (0.0, 0.0), float(np.exp(rng.uniform(1.5, 5))))
    )
    under = [thing for thing in around if thing.layer is Layer.FLAT]
    painter.paint(
        [*under, *layout.things, *(thing for thing in around if thing.layer is not Layer.FLAT)]
    )
    lens = Lens(size_hw, float(rng.normal(0, 0.05)) if rng.random() < 0.3 else 0.0)
    drawing = lens.through(painter.drawing)
    photo = spoil(rng, expose(rng, light_up(drawing, painter.surfaces, camera, light)))
    seen = np.bincount(drawing.surface.ravel(), minlength=len(painter.surfaces)) * OVERSAMPLE**2
    shown = [
        Shown(place.mark, lens.points(place.quad_px), min(1.0, seen[place.surface] / place.area_px))
        for place in painter.placed
    ]
    return _scene_of(photo, shown)


def _traced(
    rng: np.random.Generator,
    faces: FaceSource,
    size_hw: tuple[int, int],
    kind: SceneKind,
    layout: Layout,
    framed: bool,
) -> Scene:
    """The same with light that is traced."""
    from models.training.scenes.traced import TracedScene, stacked  # Mitsuba may not be there

    camera = aim(rng, layout.focus_mm, size_hw, framed)
    around = surroundings(rng, faces, layout, camera, size_hw, kind == "negative")
    under = [thing for thing in around if thing.layer is Layer.FLAT]
    over = [thing for thing in around if thing.layer is not Layer.FLAT]
    middle = layout.focus_mm.mean(0).astype(np.float64)
    reach = float(np.ptp(layout.focus_mm, axis=0).max())
    things = [*stacked(under, layout.things), *over]
    scene = TracedScene(rng, things, camera, size_hw, middle, reach)
    photo = spoil(rng, expose(rng, scene.light()))
    return _scene_of(photo, scene.shown())


def _scene_of(photo: Image, shown: Sequence[Shown]) -> Scene:
    """The photo with those places of which something is in sight."""
    seen = [place for place in shown if place.visible]
    return Scene(
        photo,
        np.array([place.quad_px for place in seen], np.float32).reshape(-1, 4, 2),
        np.array([place.visible for place in seen], np.float32),
        np.array([place.mark.kind for place in seen], np.int8),
        np.array([place.mark.grid for place in seen], np.int64),
        np.array([place.mark.cell for place in seen], np.int64).reshape(-1, 2),
    )
