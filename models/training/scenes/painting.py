"""Paints solids and tubes into a drawing, from far to near."""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from models.training.scenes.camera import NEAR_MM, Camera
from models.training.scenes.drawing import (
    MATTE,
    SUBPIXEL_BITS,
    UNIT_SQUARE,
    Drawing,
    Placed,
    Surface,
    edge_of,
    fill,
    fixed,
    in_world,
    soften,
    stamp,
)
from models.training.scenes.light import Light
from models.training.scenes.materials import Image
from models.training.scenes.solids import Layer, Points, Solid, Thing, Tube

TALL_MM = 16.0
"""Thicker things cast their shadow over pieces as well."""
SIDE_BANDS = ((0.0, 1.0, 1.0), (0.0, 0.2, 1.12), (0.2, 0.75, 1.0), (0.75, 1.0, 0.8))
"""Tones of a side between two shares of its height: the first if it is low, otherwise the
others."""
TUBE_TONES = ((1.0, 0.45), (0.82, 0.62), (0.62, 0.8), (0.4, 0.95), (0.18, 1.08))
"""Tones of a round bar, from its edge to its lit line, as shares of its radius."""


def _outline(top_bgra: Image) -> npt.NDArray[np.float64]:
    """The outer edge of the opaque part, as fractions of the top."""
    h, w = top_bgra.shape[:2]
    alpha = np.ascontiguousarray(top_bgra[..., 3])
    contours, _ = cv2.findContours(
        (alpha > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    if not contours:
        return UNIT_SQUARE
    points = edge_of(max(contours, key=len), (h, w))
    return points if len(points) > 2 else UNIT_SQUARE


def _relief(top_bgra: Image, toward: tuple[float, float], strength: float) -> Image:
    """Light the bevelled rim and the carving of a top from a direction in its own frame."""
    alpha = top_bgra[..., 3].astype(np.float32) / 255
    rim = cv2.GaussianBlur(np.pad(alpha, 1), (0, 0), 0.022 * max(alpha.shape))[1:-1, 1:-1]
    carving = cv2.GaussianBlur(
        cv2.cvtColor(top_bgra[..., :3], cv2.COLOR_BGR2GRAY).astype(np.float32) / 255, (0, 0), 1
    )
    height = 5 * rim + 1.5 * carving
    slope = (
        cv2.Sobel(height, cv2.CV_32F, 1, 0) * toward[0]
        + cv2.Sobel(height, cv2.CV_32F, 0, 1) * toward[1]
    )
    factor = np.clip(1 - strength * slope, 0.35, 1.9)
    lit = top_bgra.copy()
    lit[..., :3] = np.clip(top_bgra[..., :3] * factor[..., None], 0, 255)
    return lit


class Painter:
    """Paints things into a drawing and notes where the marked places are."""

    def __init__(self, camera: Camera, light: Light, albedo: Image, table: Surface) -> None:
        h, w = albedo.shape[:2]
        self.drawing = Drawing(
            albedo,
            np.full((h, w), 255, np.uint8),
            np.full((h, w), 255, np.uint8),
            np.zeros((h, w), np.uint16),
        )
        self.surfaces = [table, MATTE]
        self.placed: list[Placed] = []
        self._camera, self._light = camera, light
        self._eye = camera.position()
        self._outlines: dict[int, npt.NDArray[np.float64]] = {}

    def paint(self, things: Sequence[Thing]) -> None:
        """Paint all things, lower layers first and then from far to near."""
        self._patches()
        for layer in Layer:
            here = [thing for thing in things if thing.layer is layer]
            self._shadows(here)
            if layer is not Layer.FLAT:
                here.sort(key=self._distance, reverse=True)
            for thing in here:
                if isinstance(thing, Tube):
                    self._tube(thing)
                else:
                    self._solid(thing)

    def _distance(self, thing: Thing) -> float:
        if isinstance(thing, Tube):
            return float(np.linalg.norm(thing.points_mm.mean(0) - self._eye))
        return float(np.linalg.norm((*thing.centre_mm, thing.base_mm) - self._eye))

    def _patches(self) -> None:
        light = self._light
        if not light.patches_mm:
            return
        mask = np.full_like(self.drawing.far, 30 if light.patches_lit else 255)
        for patch in light.patches_mm:
            pixels, depth = self._camera.project(np.column_stack([patch, np.zeros(len(patch))]))
            if depth.min() > NEAR_MM:
                fill(mask, pixels, 255.0 if light.patches_lit else 20.0)
        np.minimum(self.drawing.far, soften(mask, light.patch_softness), out=self.drawing.far)

    def _outline_of(self, solid: Solid) -> npt.NDArray[np.float64]:
        found = self._outlines.get(id(solid))
        if found is None:
            found = self._outlines[id(solid)] = _outline(solid.top_bgra)
        return found

    def _shadows(self, things: Sequence[Thing]) -> None:
        px_per_mm = self._camera.focal_px / self._camera.distance_mm
        for tall, target in ((False, self.drawing.near), (True, self.drawing.far)):
            mask, height = np.full_like(target, 255), 0.0
            for thing in things:
                if isinstance(thing, Tube):
                    if (thing.radius_mm >= 4) is tall:
                        self._tube_shadow(thing, mask)
                        height = max(height, float(thing.points_mm[:, 2].max()))
                elif (thing.thick_mm > TALL_MM) is tall:
                    self._solid_shadow(thing, mask)
                    height = max(height, thing.thick_mm)
            if height:
                sigma = float(np.clip(0.5 * self._light.softness * height * px_per_mm, 0.5, 14))
                np.minimum(target, soften(mask, sigma), out=target)

    def _solid_shadow(self, solid: Solid, mask: Image) -> None:
        corners = UNIT_SQUARE if solid.thick_mm < 1 else self._outline_of(solid)
        base = in_world(solid, corners, base=True)
        cast = self._light.shadow_of(in_world(solid, corners), solid.base_mm)
        hull = cv2.convexHull(np.vstack([base, cast])[:, :2].astype(np.float32))[:, 0]
        pixels, depth = self._camera.project(
            np.column_stack([hull, np.full(len(hull), solid.base_mm)])
        )
        if depth.min() > NEAR_MM:
            fill(mask, pixels, 0.0)

    def _solid(self, solid: Solid) -> None:
        outline = self._outline_of(solid)
        top, base = in_world(solid, outline), in_world(solid, outline, base=True)
        top_px, top_depth = self._camera.project(top)
        base_px, base_depth = self._camera.project(base)
        if min(top_depth.min(), base_depth.min()) < NEAR_MM:
            return
        h, w = self.drawing.albedo.shape[:2]
        both = np.vstack([top_px, base_px])
        if (both.max(0) < 0).any() or (both.min(0) > (w, h)).any():
            return
        hull = np.asarray(cv2.convexHull(both)[:, 0], np.float32)
        stamp(self.drawing.near, hull, 255.0)
        if solid.thick_mm > TALL_MM:
            stamp(self.drawing.far, hull, 255.0)
        stamp(self.drawing.surface, hull, 1.0)
        self._sides(solid, top, top_px, base_px)
        self._top(solid, self._camera.project(in_world(solid, UNIT_SQUARE))[0])
        self._mark(solid, top_px)

    def _sides(
        self, solid: Solid, top: npt.NDArray[np.float64], top_px: Points, base_px: Points
    ) -> None:
        drop = base_px - top_px
        length = float(np.abs(drop).max())
        if length < 0.3:
            return
        following = np.roll(np.arange(len(top)), -1)
        edge_px = top_px[following] - top_px
        facing = edge_px[:, 0] * drop[:, 1] - edge_px[:, 1] * drop[:, 0]
        edge = top[following] - top
        normal = np.column_stack([edge[:, 1], -edge[:, 0]])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-6)[:, None]
        if cv2.contourArea(top_px, True) < 0:
            facing = -facing
        if cv2.contourArea(top[:, :2].astype(np.float32), True) < 0:
            normal = -normal
        toward = np.array(self._light.place_mm) - top.mean(0)
        lit = 0.35 + 0.8 * np.maximum(normal @ toward[:2] / np.linalg.norm(toward), 0)
        bands = SIDE_BANDS[:1] if length < 3 else SIDE_BANDS[1:]
        shown = np.flatnonzero(facing < 0)
        ends = np.stack([shown, following[shown]], 1)
        for start, end, tone in bands:
            upper, lower = top_px[ends] + start * drop[ends], top_px[ends] + end * drop[ends]
            corners = fixed(np.concatenate([upper, lower[:, ::-1]], axis=1))
            inks = np.minimum(np.array(solid.side_bgr) * (tone * lit[shown, None]), 255).tolist()
            for quad, ink in zip(corners, inks, strict=True):
                cv2.fillConvexPoly(self.drawing.albedo, quad, ink, cv2.LINE_AA, SUBPIXEL_BITS)

    def _top(self, solid: Solid, quad_px: Points) -> None:
        height, width = self.drawing.albedo.shape[:2]
        texture = solid.top_bgra
        if solid.bevel:
            light = np.array(self._light.place_mm[:2]) - solid.centre_mm
            light /= np.linalg.norm(light) + 1e-6
            c, s = np.cos(solid.turn), np.sin(solid.turn)
            texture = _relief(
                texture,
                (float(c * light[0] + s * light[1]), float(-s * light[0] + c * light[1])),
                solid.bevel,
            )
        sides = np.linalg.norm(quad_px - np.roll(quad_px, 1, axis=0), axis=1)
        shrink = max(texture.shape[:2]) / max(float(sides.max()), 2.0)
        if shrink > 1.25:
            size = (
                max(2, round(texture.shape[1] / shrink)),
                max(2, round(texture.shape[0] / shrink)),
            )
            texture = np.asarray(cv2.resize(texture, size, interpolation=cv2.INTER_AREA), np.uint8)
        left, top = (max(0, int(v)) for v in np.floor(quad_px.min(0)) - 1)
        right, bottom = (int(v) for v in np.ceil(quad_px.max(0)) + 2)
        right, bottom = min(right, width), min(bottom, height)
        if right <= left or bottom <= top:
            return
        h, w = texture.shape[:2]
        edge = (UNIT_SQUARE * (w, h) - 0.5).astype(np.float32)
        place = cv2.getPerspectiveTransform(edge, (quad_px - (left, top)).astype(np.float32))
        opaque = texture[..., 3]
        ready = cv2.multiply(
            texture, cv2.merge([opaque, opaque, opaque, np.full_like(opaque, 255)]), scale=1 / 255
        )
        patch = cv2.warpPerspective(
            ready, place, (right - left, bottom - top), flags=cv2.INTER_LINEAR
        )
        behind = 255 - patch[..., 3]
        region = self.drawing.albedo[top:bottom, left:right]
        region[:] = cv2.add(
            patch[..., :3], cv2.multiply(region, cv2.merge([behind, behind, behind]), scale=1 / 255)
        )

    def _mark(self, solid: Solid, top_px: Points) -> None:
        surface = Surface(solid.gloss, solid.slope, solid.sharpness)
        self.surfaces.append(surface)
        stamp(self.drawing.surface, top_px, len(self.surfaces) - 1)
        for mark in solid.marks:
            x0, y0, x1, y1 = mark.box
            corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
            quad_px = self._camera.project(in_world(solid, corners))[0]
            shape = top_px if mark.box == (0, 0, 1, 1) else quad_px
            self.surfaces.append(surface)
            stamp(self.drawing.surface, shape, len(self.surfaces) - 1)
            # a filled polygon covers the pixels of its edge too
            area = max(1.0, cv2.contourArea(shape) + cv2.arcLength(shape, True) / 2)
            self.placed.append(Placed(mark, quad_px, area, len(self.surfaces) - 1))

    def _tube_shadow(self, tube: Tube, mask: Image) -> None:
        shadow = self._light.shadow_of(tube.points_mm.astype(np.float64), 0.0)
        pixels, depth = self._camera.project(shadow)
        for a, b, near in zip(pixels[:-1], pixels[1:], depth[1:], strict=True):
            if near > NEAR_MM:
                self._bar(mask, a, b, tube.radius_mm / near, 0.0)

    def _bar(
        self,
        target: Image | npt.NDArray[np.uint16],
        a: Points,
        b: Points,
        radius_per_depth: float,
        value: float | Sequence[float],
    ) -> None:
        thickness = int(np.clip(2 * radius_per_depth * self._camera.focal_px, 1, 250))
        ends = fixed(np.stack([a, b]))
        kind = cv2.LINE_AA if target.dtype == np.uint8 else cv2.LINE_8
        cv2.line(target, ends[0].tolist(), ends[1].tolist(), value, thickness, kind, SUBPIXEL_BITS)

    def _tube(self, tube: Tube) -> None:
        pixels, depth = self._camera.project(tube.points_mm)
        if depth.min() < 4 * NEAR_MM:
            return
        mean = tube.points_mm.mean(0)
        lamp, _ = self._camera.project(
            np.array([mean, mean + (np.array(self._light.place_mm) - mean) * 0.02])
        )
        toward = lamp[1] - lamp[0]
        toward /= np.linalg.norm(toward) + 1e-6
        ink = np.array(tube.colour_bgr)
        segments = list(zip(pixels[:-1], pixels[1:], (depth[:-1] + depth[1:]) / 2, strict=True))
        for share, tone in TUBE_TONES:
            for a, b, here in segments:
                offset = toward * (1 - share) * 0.7 * tube.radius_mm / here * self._camera.focal_px
                self._bar(
                    self.drawing.albedo,
                    a + offset,
                    b + offset,
                    share * tube.radius_mm / here,
                    np.clip(ink * tone, 0, 255).tolist(),
                )
        self.surfaces.append(Surface(tube.gloss * 0.3, (0.0, 0.0), 20.0))
        layers = (
            (self.drawing.near, 255.0),
            (self.drawing.far, 255.0),
            (self.drawing.surface, len(self.surfaces) - 1.0),
        )
        for a, b, here in segments:
            for target, value in layers:
                self._bar(target, a, b, tube.radius_mm / here, value)
