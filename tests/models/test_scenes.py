"""Training scenes: the truth lies where pieces are drawn, and the seed decides everything."""

import cv2
import numpy as np
import pytest
from plain_faces import coloured_faces, quartered_faces

from models.training.scenes import (
    LAYOUTS,
    NUMBER_CELL,
    TILE,
    Scene,
    SceneKind,
    board_layout,
    render_scene,
)
from models.training.scenes.board_print import board_print
from models.training.scenes.solids import Solid, colours_apart

SIZE_HW = (384, 512)


def rendered(seed: int, kind: SceneKind | None = None) -> Scene:
    return render_scene(np.random.default_rng(seed), coloured_faces, SIZE_HW, kind)


@pytest.mark.parametrize("kind", list(LAYOUTS))
def test_a_scene_has_the_promised_shapes(kind: SceneKind) -> None:
    scene = rendered(5, kind)
    count = len(scene.quads_xy)
    assert scene.image_bgr.shape == (*SIZE_HW, 3)
    assert scene.image_bgr.dtype == np.uint8
    assert scene.quads_xy.shape == (count, 4, 2)
    assert scene.quads_xy.dtype == np.float32
    assert scene.cells.shape == (count, 2)
    assert scene.visible.shape == scene.kind.shape == scene.grid_id.shape == (count,)
    assert ((scene.visible > 0) & (scene.visible <= 1)).all()


@pytest.mark.parametrize("kind", list(LAYOUTS))
def test_every_layout_can_be_laid(kind: SceneKind) -> None:
    for seed in range(60):
        LAYOUTS[kind](np.random.default_rng(seed), coloured_faces)


def test_the_seed_decides_everything() -> None:
    first, second = rendered(11), rendered(11)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first.image_bgr, rendered(12).image_bgr)


def test_negatives_show_no_piece() -> None:
    assert all(len(rendered(seed, "negative").quads_xy) == 0 for seed in range(8))


@pytest.mark.parametrize("kind", ["stones", "time", "dense", "cards"])
def test_cells_of_a_grid_are_told_once(kind: SceneKind) -> None:
    for seed in range(5):
        scene = rendered(seed, kind)
        cells = [tuple(cell) for cell in scene.cells[scene.grid_id == 0]]
        assert len(cells) == len(set(cells))


def test_quads_run_clockwise_and_visible_pieces_lie_in_the_photo() -> None:
    h, w = SIZE_HW
    for seed in range(15):
        scene = rendered(seed)
        for quad, visible in zip(scene.quads_xy, scene.visible, strict=True):
            assert cv2.contourArea(quad, True) > 0
            if visible > 0.995:
                rounding = 0.25 * np.sqrt(cv2.contourArea(quad))
                assert (quad > -rounding - 1).all()
                assert (quad < (w + rounding, h + rounding)).all()


NUMBERS = {(0, 3): "1", (2, 5): "2", (5, 2): "3", (3, 0): "4"}
LEAST_APART = 20.0


def test_people_could_see_each_frame() -> None:
    seen = 0
    for seed in range(40):
        printed = board_print(np.random.default_rng(seed), 6, 6, NUMBERS)
        layout = board_layout(np.random.default_rng(seed), coloured_faces, (6, 6), NUMBERS, 1.0)
        h, w = printed.sheet_bgra.shape[:2]
        for frame in layout.things:
            if not isinstance(frame, Solid) or len(frame.marks) != 1:
                continue
            mark = frame.marks[0]
            if mark.kind != NUMBER_CELL:
                continue
            x0, y0, x1, _ = (np.array(printed.boxes[mark.cell]) * (w, h, w, h)).round().astype(int)
            below = np.median(printed.sheet_bgra[y0 : y0 + 7, x0:x1, :3].reshape(-1, 3), 0)
            seen += colours_apart(frame.side_bgr, below.tolist()) > LEAST_APART
    assert seen >= 155  # of 160; a line of the print may lie below one


def test_people_could_read_each_number() -> None:
    faint = (20, 86, 126, 154, 159)  # before inks were chosen by what lies below
    for seed in (*range(20), *faint):
        one, other = (
            board_print(np.random.default_rng(seed), 6, 6, {(2, 2): digit}).sheet_bgra[..., :3]
            for digit in "14"
        )
        changed = (one != other).any(2)
        lab = [
            cv2.cvtColor(each, cv2.COLOR_BGR2LAB)[changed].astype(float) for each in (one, other)
        ]
        apart = np.linalg.norm((lab[0] - lab[1]) * (100 / 255, 1, 1), axis=1)
        assert np.percentile(apart, 75) > LEAST_APART, seed


def test_the_corners_lie_on_the_faces() -> None:
    """Cutting each face out by its quad gives back its picture, to the pixel."""
    ideal = np.full((64, 64), -1.0)
    ideal[:32, :32] = 1
    scores = []
    for seed in range(25):
        scene = render_scene(np.random.default_rng(seed), quartered_faces, SIZE_HW, "stones")
        grey = cv2.cvtColor(scene.image_bgr, cv2.COLOR_BGR2GRAY)
        for k in np.flatnonzero(
            (scene.visible > 0.98) & (scene.kind == TILE) & (scene.grid_id == 0)
        ):
            quad = scene.quads_xy[k]
            if np.sqrt(cv2.contourArea(quad)) < 40:
                continue
            edge = np.array([[0, 0], [64, 0], [64, 64], [0, 64]], np.float32) - 0.5
            crop = cv2.warpPerspective(grey, cv2.getPerspectiveTransform(quad, edge), (64, 64))
            scores.append(np.corrcoef(crop[6:-6, 6:-6].ravel(), ideal[6:-6, 6:-6].ravel())[0, 1])
    assert len(scores) > 30
    assert np.median(scores) > 0.9
