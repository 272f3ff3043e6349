"""What the detector and the refiner are asked to learn is where the pieces lie."""

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra `training` is not installed")
pytest.importorskip("cairosvg", reason="the extra `training` is not installed")

from models.training.locator import (
    CORNER_UNIT_PX,
    CROP_CORNERS,
    REFINE_MARGIN,
    REFINE_PX,
    STRIDE,
    detector_targets,
    quad_sides,
    refiner_samples,
    turned_and_mirrored,
)
from models.training.views import UNIT_SQUARE

Floats = np.ndarray
SIZE = 128


def tilted(centre: tuple[float, float], side: float, turn: float = 0.3) -> Floats:
    """A square of that side, its corners clockwise on the screen."""
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return ((UNIT_SQUARE - 0.5) * side @ turned.T + np.array(centre)).astype(np.float32)


def numbered(size: int) -> np.ndarray:
    """An image whose every pixel has a colour of its own."""
    number = np.arange(size * size).reshape(size, size)
    return np.stack([number // 65536, number // 256 % 256, number % 256], -1).astype(np.uint8)


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("turns", range(4))
def test_turned_scenes_keep_corners_on_their_pixels(turns: int, mirror: bool) -> None:
    image = numbered(50)
    quads = np.array(
        [[[3, 4], [20, 6], [22, 25], [1, 19]], [[30, 30], [49, 30], [49, 49], [30, 49]]], np.float32
    )
    turned, moved = turned_and_mirrored(image, quads, turns, mirror)
    assert turned.shape == image.shape
    assert moved.shape == quads.shape
    for before, after in zip(quads, moved, strict=True):
        assert cv2.contourArea(after, True) > 0  # clockwise on the screen
        colours = [
            {tuple(im[int(y), int(x)]) for x, y in quad}
            for im, quad in ((image, before), (turned, after))
        ]
        assert colours[0] == colours[1]
        assert len(colours[0]) == 4


def test_turning_a_scene_leaves_the_stored_one_alone() -> None:
    image, quads = numbered(20), tilted((9, 9), 8)[None]
    kept = quads.copy()
    turned_and_mirrored(image, quads, 3, True)
    np.testing.assert_array_equal(quads, kept)
    np.testing.assert_array_equal(image, numbered(20))


def test_turning_four_times_is_not_turning() -> None:
    image, quads = numbered(20), tilted((9, 9), 8)[None]
    for _ in range(4):
        image, quads = turned_and_mirrored(image, quads, 1, False)
    np.testing.assert_array_equal(image, numbered(20))
    np.testing.assert_allclose(quads, tilted((9, 9), 8)[None], atol=1e-4)


def test_the_heat_peaks_at_the_centre_and_offsets_point_to_the_corners() -> None:
    quads = np.stack([tilted((30, 36), 24), tilted((92, 70), 40, 1.2), tilted((40, 100), 12, 0)])
    heat, offsets, weight = detector_targets(quads, np.ones(3, np.float32), SIZE)
    cells = SIZE // STRIDE
    assert heat.shape == weight.shape == (cells, cells)
    assert offsets.shape == (8, cells, cells)
    peaks = list(zip(*np.nonzero(heat >= 0.999), strict=True))
    assert len(peaks) == 3
    for row, col in peaks:
        position = np.array([col, row]) * STRIDE + (STRIDE - 1) / 2
        corners = position + offsets[:, row, col].reshape(4, 2) * CORNER_UNIT_PX
        nearest = quads[np.abs(quads.mean(1) - position).sum(1).argmin()]
        assert np.abs(nearest.mean(0) - position).max() <= STRIDE / 2
        np.testing.assert_allclose(corners, nearest, atol=1e-3)
        assert weight[row, col] > 0


def test_all_places_that_count_point_to_a_piece() -> None:
    quads = np.stack([tilted((30, 36), 24), tilted((92, 70), 40, 1.2)])
    _, offsets, weight = detector_targets(quads, np.ones(2, np.float32), SIZE)
    rows, cols = np.nonzero(weight)
    assert len(rows) > 20
    position = np.stack([cols, rows], 1) * STRIDE + (STRIDE - 1) / 2
    corners = position[:, None] + offsets[:, rows, cols].T.reshape(-1, 4, 2) * CORNER_UNIT_PX
    nearest = quads[np.linalg.norm(position[:, None] - quads.mean(1), axis=2).argmin(1)]
    np.testing.assert_allclose(corners, nearest, atol=1e-3)


def test_places_far_from_every_piece_are_cold() -> None:
    heat, _, weight = detector_targets(tilted((30, 30), 20)[None], np.ones(1, np.float32), SIZE)
    assert heat[20:, 20:].max() < 1e-6
    assert weight[20:, 20:].max() == 0


@pytest.mark.parametrize(
    ("quad", "visible"),
    [
        (tilted((60, 60), 30), 0.1),
        (tilted((60, 60), 5), 1.0),
        (tilted((-10, 60), 40), 1.0),
        (tilted((60, SIZE + 3), 40), 1.0),
        (np.array([[20, 20], [60, 60], [100, 100], [60, 60]], np.float32), 1.0),
    ],
    ids=["covered", "tiny", "centre left of the photo", "centre below the photo", "seen edge on"],
)
def test_what_cannot_be_found_is_not_asked_for(quad: Floats, visible: float) -> None:
    targets = detector_targets(quad[None], np.array([visible], np.float32), SIZE)
    assert all(not part.any() for part in targets)


def test_an_empty_table_has_no_targets() -> None:
    targets = detector_targets(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32), SIZE)
    assert all(not part.any() for part in targets)


def white_squares(seed: int) -> tuple[np.ndarray, Floats]:
    """White squares on black, and their quads."""
    rng = np.random.default_rng(seed)
    centres = [(80, 80), (240, 90), (90, 250), (260, 260)]
    quads = np.stack([tilted(c, rng.uniform(30, 64), rng.uniform(0, 6)) for c in centres])
    image = np.zeros((340, 340, 3), np.uint8)
    for quad in quads:
        cv2.fillPoly(
            image, [np.round(quad * 16).astype(np.int32)], (255, 255, 255), cv2.LINE_AA, shift=4
        )
    return image, quads


def test_the_shifts_mend_the_guess() -> None:
    edge = (UNIT_SQUARE * 32 - 0.5).astype(np.float32)
    pieces = 0
    for seed in range(12):
        image, quads = white_squares(seed)
        rng = np.random.default_rng(seed)
        crops, shifts, present = refiner_samples(rng, image, quads, np.ones(len(quads), np.float32))
        assert crops.shape[1:] == (REFINE_PX, REFINE_PX, 3)
        assert crops.dtype == np.uint8
        assert len(crops) == len(shifts) == len(present)
        for crop, shift in zip(crops[present == 1], shifts[present == 1], strict=True):
            pieces += 1
            mended = (
                (UNIT_SQUARE + shift + REFINE_MARGIN) / (1 + 2 * REFINE_MARGIN) * REFINE_PX - 0.5
            ).astype(np.float32)
            flat = cv2.warpPerspective(crop, cv2.getPerspectiveTransform(mended, edge), (32, 32))
            assert flat[3:-3, 3:-3].min() > 200  # nothing but the piece
            outside = np.full(crop.shape[:2], 255, np.uint8)
            cv2.fillConvexPoly(outside, np.round(mended).astype(np.int32), 0)
            beside = cv2.erode(outside, np.ones((7, 7), np.uint8)) > 0
            assert crop[beside].max(initial=0) < 60  # the whole piece
    assert pieces > 30


def test_a_perfect_guess_would_need_no_shift() -> None:
    crop_px = (CROP_CORNERS + 0.5) / REFINE_PX * (1 + 2 * REFINE_MARGIN) - REFINE_MARGIN
    np.testing.assert_allclose(crop_px, UNIT_SQUARE, atol=1e-6)


def test_half_covered_pieces_are_neither_there_nor_not() -> None:
    image, quads = white_squares(1)
    visible = np.array([1.0, 0.5, 0.5, 0.1], np.float32)
    _, shifts, present = refiner_samples(np.random.default_rng(0), image, quads, visible)
    assert set(present) <= {-1.0, 0.0, 1.0}
    assert (present == 1).sum() <= 1
    assert (present == -1).sum() <= 2
    assert not shifts[present == 0].any()


def test_a_table_without_pieces_gives_only_empty_crops() -> None:
    image = np.full((340, 340, 3), 90, np.uint8)
    nothing = np.zeros((0, 4, 2), np.float32)
    crops, shifts, present = refiner_samples(
        np.random.default_rng(0), image, nothing, np.zeros(0, np.float32)
    )
    assert len(crops) == len(shifts) == len(present) > 0
    assert not present.any()
    assert not shifts.any()


def test_the_side_of_a_quad_is_that_of_a_square_as_large() -> None:
    np.testing.assert_allclose(
        quad_sides(np.stack([tilted((9, 9), 7), tilted((50, 9), 30, 2)])), [7, 30], rtol=1e-5
    )
