"""Path-traced photos of the scenes that are laid out here: light that a painter cannot fake.

Soft shadows, mirror images of windows in gloss, and colour that one thing throws on another come
from Mitsuba 3 (`pip install mitsuba`, BSD-3-Clause). It is asked for only where photos are traced:
for more variety in training, and to measure on photos that another program made.

World coordinates of Mitsuba are x to the right, y towards the viewer and z down into the table, so
that they turn the same way round as its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import cv2
import mitsuba
import numpy as np
import numpy.typing as npt

from models.training.scenes.camera import NEAR_MM, Camera
from models.training.scenes.drawing import UNIT_SQUARE, Shown, edge_of, in_world
from models.training.scenes.light import kelvin_bgr
from models.training.scenes.materials import BANK_SIZE, Field, Image, material
from models.training.scenes.solids import Colour, Mark, Points, Solid, Thing, Tube

mitsuba.set_variant("llvm_ad_rgb")
mitsuba.set_log_level(mitsuba.LogLevel.Error)

SAMPLES = 8
"""Light paths a pixel. What noise they leave looks like that of a phone in dim light."""
DEPTH = 4
"""Most edges of a path from the camera to a light."""
LEAST_GLOSS = 0.08
"""Less glossy things are matt."""
LEAST_THICK_MM = 0.15
"""Thinner things show no sides."""
APART_MM = 0.02
"""How far a printed top lies above its solid, and a flat thing above another: two surfaces never
share a plane."""
ROOM_MM = 9000.0
FLOOR_MM = -750.0
SEEN_MM = 0.6
"""A point is in sight if nothing lies further than this before it."""
SQUARES = 64
"""Squares along each side of a top of which its opaque part consists."""
EDGE = 2
"""Pixels around each print on a picture of several."""
POINTS_ACROSS = 12
"""Points along each side of a place that are asked whether they are in sight."""

Description = dict[str, Any]
"""Mitsuba's own: a nested dictionary of what a scene consists of."""
Coords = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.int64]


Part = tuple[Coords, Triangles]
"""Corners (x, y, height) and the triangles between them."""


def stacked(under: Sequence[Thing], over: Sequence[Solid]) -> list[Thing]:
    """Flat things, each a little above those before it, and solids above all of them."""
    raised: list[Thing] = []
    height = 0.0
    for thing in under:
        if isinstance(thing, Solid):
            raised.append(replace(thing, base_mm=thing.base_mm + height))
            height += thing.thick_mm + APART_MM
        else:
            raised.append(thing)
    return [*raised, *(replace(thing, base_mm=thing.base_mm + height) for thing in over)]


class TracedScene:
    """Solids and tubes on a table under lights, ready to be seen by one camera.

    Parameters
    ----------
    rng : the only source of chance.
    things : what lies on the table; each flat thing lies on those before it.
    camera : where it is seen from.
    size_hw : (height, width) of the photo, in pixels.
    middle_mm, reach_mm : middle and width of what is photographed.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        things: Sequence[Thing],
        camera: Camera,
        size_hw: tuple[int, int],
        middle_mm: Coords,
        reach_mm: float,
    ) -> None:
        self._things, self._camera, self._size_hw = things, camera, size_hw
        self._seed = int(rng.integers(2**31))
        described: Description = {
            "type": "scene",
            "integrator": {"type": "path", "max_depth": DEPTH},
            "sensor": _sensor(camera, size_hw),
            **_table(rng, middle_mm, reach_mm),
            **_lights(rng, middle_mm, reach_mm),
        }
        solids = [thing for thing in things if isinstance(thing, Solid)]
        described |= _tops(solids) | _all_sides(solids)
        for k, thing in enumerate(things):
            if isinstance(thing, Tube):
                described |= _tube(k, thing)
        self._scene = mitsuba.load_dict(described)

    def light(self) -> Field:
        """Linear light that reaches the sensor, as three planes: blue, green, red."""
        seed = mitsuba.UInt32(self._seed)
        seen = np.array(mitsuba.render(self._scene, seed=seed))
        planes = np.nan_to_num(seen, posinf=0.0)[..., 2::-1].transpose(2, 0, 1)
        return np.ascontiguousarray(planes, np.float32)

    def shown(self) -> list[Shown]:
        """The marked places before the camera."""
        found, points = list[tuple[Mark, Points]](), list[Coords]()
        for solid in self._things:
            if isinstance(solid, Tube):
                continue
            for mark in solid.marks:
                x0, y0, x1, y1 = mark.box
                corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
                quad, depth = self._camera.project(in_world(solid, corners))
                if depth.min() > NEAR_MM:
                    found.append((mark, quad))
                    points.append(_printed_points(solid, mark))
        if not found:
            return []
        seen = self._in_sight(np.concatenate(points))
        parts = np.split(seen, np.cumsum([len(some) for some in points])[:-1])
        return [
            Shown(mark, quad, float(part.mean()))
            for (mark, quad), part in zip(found, parts, strict=True)
        ]

    def _in_sight(self, points_mm: Coords) -> npt.NDArray[np.bool_]:
        """Which points (n, 3) the photo shows, shape (n,)."""
        pixels, _ = self._camera.project(points_mm)
        inside = ((pixels > -0.5) & (pixels < np.array(self._size_hw[::-1]) - 0.5)).all(1)
        eye = _world(self._camera.position())
        ways = _world(points_mm) - eye
        far = np.linalg.norm(ways, axis=1)
        directions = mitsuba.Vector3f(*(ways / far[:, None]).T.astype(np.float32))
        rays = mitsuba.Ray3f(mitsuba.Point3f(*eye.tolist()), directions)
        hits = np.array(self._scene.ray_intersect_preliminary(rays, coherent=False).t)
        return np.asarray(inside & (hits > far - SEEN_MM), np.bool_)


def _printed_points(solid: Solid, mark: Mark) -> Coords:
    """Points (x, y, height) all over the opaque part of a place."""
    x0, y0, x1, y1 = mark.box
    across = (np.arange(POINTS_ACROSS) + 0.5) / POINTS_ACROSS
    grid = np.stack(np.meshgrid(across, across), -1).reshape(-1, 2) * (x1 - x0, y1 - y0) + (x0, y0)
    h, w = solid.top_bgra.shape[:2]
    columns, rows = (grid.clip(0, 0.999) * (w, h)).astype(int).T
    opaque = solid.top_bgra[rows, columns, 3] > 127
    return in_world(solid, grid[opaque] if opaque.any() else grid)


def _world(points_mm: npt.ArrayLike) -> Coords:
    """Points (x, y, height) in Mitsuba's coordinates."""
    return np.asarray(points_mm, np.float64) * (1, 1, -1)


def _sensor(camera: Camera, size_hw: tuple[int, int]) -> Description:
    h, w = size_hw
    place = np.eye(4, dtype=np.float32)
    place[:3, :3] = camera.rotation.T @ np.diag((-1.0, -1.0, 1.0))  # Mitsuba's x is to the left
    place[:3, 3] = _world(camera.position())
    x, y = camera.centre_px
    return {
        "type": "perspective",
        "to_world": mitsuba.ScalarTransform4f(place),
        "fov": float(np.degrees(2 * np.arctan(w / 2 / camera.focal_px))),
        "fov_axis": "x",
        "near_clip": NEAR_MM,
        "far_clip": 4 * ROOM_MM,
        "principal_point_offset_x": 0.5 - (x + 0.5) / w,
        "principal_point_offset_y": 0.5 - (y + 0.5) / h,
        "film": {
            "type": "hdrfilm",
            "width": w,
            "height": h,
            "pixel_format": "rgb",
            "component_format": "float32",
            "rfilter": {"type": "gaussian", "stddev": 0.45},
        },
        "sampler": {"type": "independent", "sample_count": SAMPLES},
    }


def _table(rng: np.random.Generator, middle_mm: Coords, reach_mm: float) -> Description:
    """A table of some material, and the floor beyond its edge."""
    cover = material(int(rng.integers(BANK_SIZE)))
    half = float(reach_mm * rng.uniform(0.7, 3) + rng.uniform(150, 900))
    repeats = 2 * half / (cover.repeat_mm * float(rng.uniform(0.6, 1.7)))
    gains = rng.uniform(0.8, 1.2, 3) * rng.uniform(0.7, 1.15)
    texture = np.clip(cover.texture_bgr * gains, 0, 255).astype(np.uint8)
    turned = mitsuba.ScalarTransform3f().rotate(float(rng.uniform(0, 360)))
    laid = {
        **_picture(texture),
        "to_uv": turned @ mitsuba.ScalarTransform3f().scale([repeats, repeats]),
        "wrap_mode": "repeat",
    }
    gloss = cover.gloss * float(rng.uniform(0.3, 1.3))
    roughness = float(np.exp(rng.uniform(np.log(0.08), np.log(0.5))))
    ground = rng.uniform(0.05, 0.6) * rng.uniform(0.7, 1, 3)
    return {
        "table": _rectangle(middle_mm, -APART_MM, half, _finish(laid, gloss, roughness)),
        "floor": _rectangle(middle_mm, FLOOR_MM, ROOM_MM, _finish(_colour(ground), 0.0, 1.0)),
    }


def _rectangle(
    middle_mm: Coords, height_mm: float, half_mm: float, bsdf: Description
) -> Description:
    place = np.diag(np.array((half_mm, half_mm, 1, 1), np.float32))
    place[:3, 3] = _world((*middle_mm, height_mm))
    return {"type": "rectangle", "to_world": mitsuba.ScalarTransform4f(place), "bsdf": bsdf}


def _lights(rng: np.random.Generator, middle_mm: Coords, reach_mm: float) -> Description:
    """A room: light from everywhere, and one to three windows, lamps or suns."""
    room = float(rng.uniform(0.08, 0.7)) * kelvin_bgr(rng.uniform(4000, 8000))[::-1]
    found: Description = {"room": {"type": "constant", "radiance": _colour(room)}}
    for k in range(int(rng.choice([1, 1, 2, 3]))):
        angle, away = rng.uniform(0, 2 * np.pi), reach_mm * rng.uniform(1, 4) + 200
        kind = rng.choice(["ceiling", "window", "lamp", "sun"])
        if kind == "ceiling":
            aside, height, size = rng.uniform(0, reach_mm), rng.uniform(1200, 2200), (150, 600)
        elif kind == "window":
            aside, height, size = away, rng.uniform(300, 1200), (300, 900)
        elif kind == "lamp":
            aside, height, size = 0.6 * away, rng.uniform(350, 900), (60, 180)
        else:
            rise = np.radians(rng.uniform(25, 80))
            aside, height, size = 3000 * np.cos(rise), 3000 * np.sin(rise), (40, 160)
        width, high = rng.uniform(*size, 2).tolist()
        place = (*(middle_mm + aside * np.array([np.cos(angle), np.sin(angle)])), height)
        target = (*middle_mm, 0.0)
        far = float(np.linalg.norm(np.subtract(place, target)))
        slant = max(height / far, 0.15)
        strength = rng.uniform(0.3, 1.2) * np.pi * far**2 / (width * high * slant)
        pane = mitsuba.ScalarTransform4f().look_at(
            origin=_world(place).tolist(), target=_world(target).tolist(), up=[0.01, 0.02, -1.0]
        ) @ mitsuba.ScalarTransform4f().scale([width / 2, high / 2, 1.0])
        shine = _colour(strength * kelvin_bgr(rng.uniform(2700, 7000))[::-1])
        found[f"light_{k}"] = {
            "type": "rectangle",
            "to_world": pane,
            "emitter": {"type": "area", "radiance": shine},
        }
    return found


def _tops(solids: Sequence[Solid]) -> Description:
    """The printed tops. Those of one finish are one mesh, with one picture of all their prints."""
    alike: dict[tuple[float, float], list[Solid]] = {}
    for solid in solids:
        alike.setdefault((solid.gloss, solid.sharpness), []).append(solid)
    found: Description = {}
    for k, ((gloss, sharpness), group) in enumerate(alike.items()):
        picture, spots = _one_picture([solid.top_bgra[..., :3] for solid in group])
        parts, prints = list[Part](), list[Coords]()
        for solid, (left, top, width, height) in zip(group, spots, strict=True):
            points, triangles = _opaque_part(np.ascontiguousarray(solid.top_bgra[..., 3]))
            at = in_world(solid, points)
            at[:, 2] += APART_MM
            parts.append((at, triangles))
            prints.append(points * (width, height) + (left, top))
        roughness = float(np.clip(1 / np.sqrt(sharpness), 0.05, 0.5))
        finish = _finish(_picture(picture), gloss, roughness)
        found[f"tops_{k}"] = _mesh(f"tops_{k}", parts, finish, np.concatenate(prints))
    return found


def _one_picture(prints_bgr: Sequence[Image]) -> tuple[Image, list[tuple[float, ...]]]:
    """Pictures below each other, and where each lies, in shares of the whole: left, top, width,
    height. The edge of each goes on beyond it."""
    wide = max(print_bgr.shape[1] for print_bgr in prints_bgr)
    rows, spots, top = list[Image](), list[tuple[float, ...]](), 0
    for print_bgr in prints_bgr:
        h, w = print_bgr.shape[:2]
        row = cv2.copyMakeBorder(print_bgr, EDGE, EDGE, EDGE, EDGE + wide - w, cv2.BORDER_REPLICATE)
        rows.append(np.asarray(row, np.uint8))
        spots.append((EDGE, top + EDGE, w, h))
        top += len(row)
    whole = np.concatenate(rows)
    scale = (whole.shape[1], whole.shape[0]) * 2
    return whole, [tuple(np.divide(spot, scale)) for spot in spots]


def _all_sides(solids: Sequence[Solid]) -> Description:
    """The sides of thick solids; those of one colour are one mesh."""
    alike: dict[Colour, list[Solid]] = {}
    for solid in solids:
        if solid.thick_mm > LEAST_THICK_MM:
            alike.setdefault(solid.side_bgr, []).append(solid)
    found: Description = {}
    for k, (ink, group) in enumerate(alike.items()):
        parts = [part for solid in group for part in _walls(solid)]
        if parts:
            found[f"sides_{k}"] = _mesh(f"sides_{k}", parts, _finish(_ink(ink), 0.0, 1.0))
    return found


def _opaque_part(alpha: npt.NDArray[np.uint8]) -> tuple[Coords, Triangles]:
    """Points, as fractions of a top, and triangles between them where it is opaque."""
    if alpha.min() > 127:
        return UNIT_SQUARE, np.array([(0, 1, 2), (0, 2, 3)])
    shape = cv2.resize(alpha, (SQUARES, SQUARES), interpolation=cv2.INTER_AREA) > 127
    along = np.arange(SQUARES + 1) / SQUARES
    points = np.stack(np.meshgrid(along, along), -1).reshape(-1, 2)
    rows, columns = np.nonzero(shape)
    first = rows * (SQUARES + 1) + columns
    right, below = first + 1, first + SQUARES + 1
    upper = np.stack([first, right, below + 1], 1)
    return points, np.concatenate([upper, np.stack([first, below + 1, below], 1)])


def _walls(solid: Solid) -> list[Part]:
    """What stands below each edge of a top, that of a hole as well."""
    h, w = solid.top_bgra.shape[:2]
    shape = (solid.top_bgra[..., 3] > 127).astype(np.uint8)
    contours, _ = cv2.findContours(shape, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    walls = []
    for edge in (edge_of(contour, (h, w)) for contour in contours):
        if len(edge) > 2:
            upper = np.arange(len(edge))
            following, lower = np.roll(upper, -1), upper + len(edge)
            beside = np.stack([upper, following, lower], 1)
            below = np.stack([following, following + len(edge), lower], 1)
            corners = [in_world(solid, edge), in_world(solid, edge, base=True)]
            walls.append((np.concatenate(corners), np.concatenate([beside, below])))
    return walls


def _tube(k: int, tube: Tube) -> Description:
    """A chain of cylinders, round at their ends."""
    finish = _finish(_ink(tube.colour_bgr), tube.gloss, 0.15)
    points, radius = _world(tube.points_mm).tolist(), float(tube.radius_mm)
    found: Description = {
        f"bar_{k}_{i}": {
            "type": "cylinder", "p0": start, "p1": end, "radius": radius, "bsdf": finish
        }
        for i, (start, end) in enumerate(pairwise(points))
    }  # fmt: skip
    for i, point in enumerate(points):
        found[f"end_{k}_{i}"] = {
            "type": "sphere", "center": point, "radius": radius, "bsdf": finish
        }  # fmt: skip
    return found


def _mesh(
    name: str,
    parts: Sequence[Part],
    bsdf: Description,
    print_at: Coords | None = None,
) -> Any:
    """One surface of several parts; ``print_at`` are the places of all corners on the picture."""
    corners_mm = np.concatenate([corners for corners, _ in parts])
    starts = np.cumsum([0, *(len(corners) for corners, _ in parts)])
    moved = [triangles + start for (_, triangles), start in zip(parts, starts, strict=False)]
    faces = np.concatenate(moved).astype(np.uint32)
    properties = mitsuba.Properties()
    properties["bsdf"] = mitsuba.load_dict(bsdf)
    properties["face_normals"] = True
    mesh = mitsuba.Mesh(
        name, len(corners_mm), len(faces), props=properties,
        has_vertex_texcoords=print_at is not None,
    )  # fmt: skip
    values = mitsuba.traverse(mesh)
    values["vertex_positions"] = _world(corners_mm).astype(np.float32).ravel()
    values["faces"] = faces.ravel()
    if print_at is not None:
        values["vertex_texcoords"] = print_at.astype(np.float32).ravel()
    values.update()
    return mesh


def _finish(reflectance: Description, gloss: float, roughness: float) -> Description:
    """A surface that mirrors light as far as it is glossy."""
    if gloss < LEAST_GLOSS:
        inside: Description = {"type": "diffuse", "reflectance": reflectance}
    else:
        inside = {
            "type": "roughplastic",
            "alpha": roughness,
            "int_ior": 1.3 + 0.3 * min(gloss, 1.0),
            "diffuse_reflectance": reflectance,
        }
    return {"type": "twosided", "bsdf": inside}


def _picture(picture_bgr: Image) -> Description:
    rgb = np.ascontiguousarray(picture_bgr[..., ::-1])
    return {"type": "bitmap", "bitmap": mitsuba.Bitmap(rgb), "wrap_mode": "clamp"}


def _ink(colour_bgr: Colour) -> Description:
    return _colour((np.clip(colour_bgr[::-1], 0, 255) / 255) ** 2.2)


def _colour(linear_rgb: npt.ArrayLike) -> Description:
    return {"type": "rgb", "value": np.asarray(linear_rgb, np.float64).tolist()}
