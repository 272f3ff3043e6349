"""Scenes whose light is traced: the truth lies where pieces are seen, and light gets everywhere."""

import cv2
import numpy as np
import pytest

pytest.importorskip("mitsuba", reason="the extra `training` is not installed")
drjit = pytest.importorskip("drjit")

from plain_faces import quartered_faces  # noqa: E402

from models.training.scenes import (  # noqa: E402
    TILE,
    Layout,
    Scene,
    SceneKind,
    render_scene,
)
from models.training.scenes.pieces import focus_on  # noqa: E402
from models.training.scenes.solids import Layer, Mark, Solid, blank  # noqa: E402
from models.training.views import flattened  # noqa: E402

pytestmark = pytest.mark.skipif(
    not drjit.has_backend(drjit.JitBackend.LLVM), reason="Mitsuba finds no LLVM"
)
SIZE_HW = (300, 400)
SQUARE = np.array([[0, 0], [32, 0], [32, 32], [0, 32]], np.float32) - 0.5


def traced(
    seed: int, kind: SceneKind, layout: Layout | None = None, size_hw: tuple[int, int] = SIZE_HW
) -> Scene:
    rng = np.random.default_rng(seed)
    return render_scene(rng, quartered_faces, size_hw, kind, layout, True, True)


def crop(scene: Scene, quad: np.ndarray) -> np.ndarray:
    return flattened(scene.image_bgr, quad, SQUARE, 32)


@pytest.mark.parametrize("kind", ["stones", "time", "dense"])
def test_pieces_are_seen_where_the_truth_says(kind: SceneKind) -> None:
    differences = []
    for seed in range(6):
        scene = traced(seed, kind)
        assert scene.image_bgr.shape == (*SIZE_HW, 3)
        assert ((scene.visible > 0) & (scene.visible <= 1)).all()
        for quad, seen in zip(scene.quads_xy, scene.visible, strict=True):
            if seen < 0.99 or abs(cv2.contourArea(quad)) < 400:
                continue
            grey = crop(scene, quad).mean(2)
            others = [grey[4:12, 20:28], grey[20:28, 4:12], grey[20:28, 20:28]]
            differences.append(grey[4:12, 4:12].mean() - max(part.mean() for part in others))
    assert len(differences) > 20
    assert np.mean(np.array(differences) > 0) > 0.95  # some are burnt out or in the dark


def test_the_same_seed_gives_the_same_photo() -> None:
    one, other = traced(3, "time"), traced(3, "time")
    assert np.array_equal(one.quads_xy, other.quads_xy)
    assert np.array_equal(one.visible, other.visible)
    apart = np.abs(one.image_bgr.astype(int) - other.image_bgr)
    assert np.median(apart) == 0


def tile(ink: float, side: float, at: tuple[float, float] = (0.0, 0.0), **more: float) -> Solid:
    layer = Layer.FLAT if not more else Layer.STANDING
    return Solid(
        blank(32, 32, (ink, ink, ink)), (side, side), at, 0.0, 1.0, marks=(Mark(TILE, 0, (0, 0)),),
        layer=layer, **more,
    )  # fmt: skip


def test_what_lies_over_a_piece_hides_it() -> None:
    low = tile(200, 60)
    free = Layout([low], focus_on([low]))
    high = Solid(blank(32, 32, (9, 9, 9)), (70, 70), (35.0, 0.0), 0.0, 1.0, 3.0)
    hidden = Layout([low, high], focus_on([low]))
    for seed in range(8):
        whole = traced(seed, "single", free)
        half = traced(seed, "single", hidden)
        if len(whole.visible) and whole.visible.max() == 1.0:
            seen = half.visible[half.grid_id == 0][0]
            assert 0.3 < seen < 0.7
            return
    pytest.fail("each of the photos hides the piece")


def test_light_falls_through_the_hole_of_a_frame() -> None:
    board = tile(200, 90)
    top = blank(48, 48, (20, 20, 20))
    top[8:-8, 8:-8, 3] = 0
    frame = Solid(top, (30, 30), (0.0, 0.0), 0.0, 1.0, 1.0)
    ratios = []
    for seed in range(4):
        scene = traced(seed, "single", Layout([board, frame], focus_on([board])))
        quad = scene.quads_xy[scene.grid_id == 0]
        if len(quad):
            grey = crop(scene, quad[0]).mean(2)
            around = np.median(np.r_[grey[6, 4:28], grey[25, 4:28]])
            ratios.append(np.median(grey[14:18, 14:18]) / max(around, 1))
    assert np.median(ratios) > 0.75
