"""Quads, homographies and crops agree with each other to a hundredth of a pixel."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.geometry import (
    UNIT_SQUARE,
    Floats,
    Pyramid,
    areas,
    fit_homography,
    homography,
    share_within,
    sides,
    transform,
    usable,
    within_quads,
)

SQUARE = UNIT_SQUARE * 40 + 10


@st.composite
def photographed_quads(draw: st.DrawFn) -> Floats:
    """Convex quads such as pieces give in a photo: any size and place, turned and foreshortened."""
    side, turn = draw(st.floats(20, 1500)), draw(st.floats(0, 2 * np.pi))
    squash = draw(st.floats(0.35, 1))
    bends = np.array(draw(st.lists(st.floats(-0.12, 0.12), min_size=8, max_size=8))).reshape(4, 2)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    place = np.array([draw(st.floats(0, 4000)), draw(st.floats(0, 3000))])
    shape = (UNIT_SQUARE - 0.5 + bends) * np.array([1, squash]) * side
    return (shape @ spin.T + place).astype(np.float32)


@settings(deadline=None)
@given(photographed_quads(), st.sampled_from([32, 64, 200]))
def test_there_and_back_is_within_a_hundredth_of_a_pixel(quad: Floats, size: int) -> None:
    crop = (UNIT_SQUARE * size - 0.5).astype(np.float32)
    u, v = np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 1, 5))
    upper = quad[0] + u[..., None] * (quad[1] - quad[0])
    lower = quad[3] + u[..., None] * (quad[2] - quad[3])
    points = (upper + v[..., None] * (lower - upper)).astype(np.float32)
    there = transform(homography(quad, crop), points)
    back = transform(homography(crop, quad), there)
    assert back.shape == points.shape
    assert np.abs(back - points).max() < 0.01


@settings(deadline=None)
@given(photographed_quads(), photographed_quads())
def test_points_of_many_unit_squares_go_where_each_homography_takes_them(
    first: Floats, second: Floats
) -> None:
    points = np.array([UNIT_SQUARE * 1.2 - 0.1, UNIT_SQUARE * 0.5], np.float32)
    expected = [
        transform(homography(UNIT_SQUARE, quad), at)
        for quad, at in zip((first, second), points, strict=True)
    ]
    np.testing.assert_allclose(within_quads(np.stack([first, second]), points), expected, atol=0.01)


@settings(deadline=None)
@given(photographed_quads())
def test_corners_go_to_corners(quad: Floats) -> None:
    np.testing.assert_allclose(
        transform(homography(UNIT_SQUARE, quad), UNIT_SQUARE), quad, atol=0.01
    )
    np.testing.assert_allclose(
        transform(homography(quad, UNIT_SQUARE), quad), UNIT_SQUARE, atol=1e-4
    )


@settings(deadline=None)
@given(photographed_quads())
def test_photographed_quads_are_usable_from_any_corner(quad: Floats) -> None:
    turned = np.stack([np.roll(quad, k, 0) for k in range(4)])
    assert usable(turned).all()
    np.testing.assert_allclose(sides(turned), sides(turned)[0], rtol=1e-4)
    assert not usable(turned[:, ::-1]).any()  # anticlockwise, as in a mirror


@pytest.mark.parametrize(
    "quad",
    [
        SQUARE[::-1],
        SQUARE[[0, 2, 1, 3]],
        [[10, 10], [50, 10], [20, 20], [10, 50]],
        [[10, 10], [30, 10], [50, 10], [70, 10]],
        [[10, 10], [10, 10], [50, 50], [10, 50]],
        UNIT_SQUARE * 3.9,
        [[10, 10], [np.nan, 10], [50, 50], [10, 50]],
        [[10, 10], [50, 10], [50, np.inf], [10, 50]],
        SQUARE * 1e30,
        np.full((4, 2), np.nan),
        np.zeros((4, 2)),
    ],
    ids="turned crossed concave line triangle tiny nan infinite enormous all-nan point".split(),
)
def test_unusable_quads_are_refused(quad: Floats) -> None:
    quads = np.stack([SQUARE, np.asarray(quad), SQUARE]).astype(np.float32)
    assert usable(quads).tolist() == [True, False, True]


def test_what_is_tiny_can_be_chosen() -> None:
    quads = (UNIT_SQUARE * 8)[None]
    assert usable(quads, 7.9).all()
    assert not usable(quads, 8.1).any()
    assert usable(np.zeros((0, 4, 2), np.float32)).shape == (0,)


def test_areas_tell_the_direction() -> None:
    np.testing.assert_allclose(areas(np.stack([SQUARE, SQUARE[::-1]])), [1600, -1600])
    np.testing.assert_allclose(sides(np.stack([SQUARE, SQUARE[::-1]])), [40, 40])


def test_shares_within_other_quads_add_up() -> None:
    others = np.stack([box(0, 0, 10, 10), box(10, 0, 10, 10)])
    quads = np.stack([box(2, 2, 4, 4), box(5, 0, 10, 10), box(15, 0, 10, 10), box(40, 0, 10, 10)])
    np.testing.assert_allclose(share_within(quads, others), [1.0, 1.0, 0.5, 0.0], atol=1e-5)
    np.testing.assert_allclose(
        share_within(quads[:, ::-1], others), [1.0, 1.0, 0.5, 0.0], atol=1e-5
    )


def test_nothing_lies_within_no_quads() -> None:
    nothing = np.zeros((0, 4, 2), np.float32)
    assert share_within(np.stack([box(0, 0, 4, 4)]), nothing).tolist() == [0.0]
    assert share_within(nothing, nothing).shape == (0,)


def smooth_photo(height: int = 480, width: int = 640) -> np.ndarray:
    """Random colours that vary slowly, so that neighbouring pyramid levels look alike."""
    coarse = (
        np.random.default_rng(3).integers(0, 256, (height // 40, width // 40, 3)).astype(np.uint8)
    )
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


def box(left: int, top: int, width: int, height: int) -> Floats:
    """The quad around whole pixels."""
    return np.array(
        [[left, top], [left + width, top], [left + width, top + height], [left, top + height]],
        np.float32,
    ) - np.float32(0.5)


def test_a_crop_of_its_own_size_is_the_region_itself() -> None:
    photo = np.random.default_rng(0).integers(0, 256, (300, 400, 3), np.uint8)
    quads = np.stack([box(0, 0, 64, 64), box(101, 37, 64, 64), box(336, 236, 64, 64)])
    for crop, (x, y) in zip(
        Pyramid(photo).crops(quads, 64), [(0, 0), (101, 37), (336, 236)], strict=True
    ):
        np.testing.assert_array_equal(crop, photo[y : y + 64, x : x + 64])


def test_a_margin_shows_what_lies_around() -> None:
    photo = np.random.default_rng(0).integers(0, 256, (300, 400, 3), np.uint8)
    (crop,) = Pyramid(photo).crops(box(100, 80, 64, 64)[None], 96, margin=0.25)
    np.testing.assert_array_equal(crop, photo[64:160, 84:180])


def test_corners_in_another_order_turn_the_crop() -> None:
    photo = np.random.default_rng(0).integers(0, 256, (300, 400, 3), np.uint8)
    quad = box(100, 80, 64, 64)
    upright, *turned = Pyramid(photo).crops(np.stack([np.roll(quad, -k, 0) for k in range(4)]), 64)
    for k, crop in enumerate(turned, 1):
        np.testing.assert_array_equal(crop, np.rot90(upright, k))


@pytest.mark.parametrize("factor", [2, 4])
def test_a_smaller_crop_is_the_resized_region(factor: int) -> None:
    photo = np.random.default_rng(0).integers(0, 256, (512, 768, 3), np.uint8)
    left, top, side = 96, 64, 64 * factor
    (crop,) = Pyramid(photo, least_side_px=64).crops(box(left, top, side, side)[None], 64)
    region = photo[top : top + side, left : left + side]
    resized = cv2.resize(region, (64, 64), interpolation=cv2.INTER_AREA)
    assert np.abs(crop.astype(int) - resized).max() <= 1  # each level rounds once


@settings(deadline=None, max_examples=40)
@given(st.integers(40, 400), st.integers(40, 400), st.integers(0, 200), st.integers(0, 80))
def test_any_box_comes_out_like_the_resized_region(
    width: int, height: int, left: int, top: int
) -> None:
    photo = smooth_photo()
    (crop,) = Pyramid(photo).crops(box(left, top, width, height)[None], 64)
    region = photo[top : top + height, left : left + width]
    resized = cv2.resize(region, (64, 64), interpolation=cv2.INTER_LINEAR)
    difference = np.abs(crop.astype(int) - resized)
    assert difference.mean() < 2
    assert np.percentile(difference, 99) < 12


def test_crops_beyond_the_photo_repeat_its_border() -> None:
    photo = np.full((200, 200, 3), 77, np.uint8)
    crops = Pyramid(photo).crops(
        np.stack([box(-50, -50, 80, 80), box(180, 190, 500, 500)]), 32, 0.3
    )
    assert (crops == 77).all()
    assert Pyramid(photo).crops(np.zeros((0, 4, 2), np.float32), 32).shape == (0, 32, 32, 3)


def test_the_pyramid_halves_down_to_its_least_side() -> None:
    levels = Pyramid(np.zeros((1000, 1600, 3), np.uint8), least_side_px=96).levels
    assert [level.shape[:2] for level in levels] == [
        (1000, 1600),
        (500, 800),
        (250, 400),
        (125, 200),
    ]


@settings(deadline=None)
@given(photographed_quads())
def test_many_points_fix_the_homography(quad: Floats) -> None:
    grid = np.stack(np.meshgrid(np.arange(4), np.arange(4)), -1).reshape(-1, 2).astype(np.float32)
    seen = transform(homography(UNIT_SQUARE * 3, quad), grid)
    matrix = fit_homography(grid, seen)
    assert matrix is not None
    assert np.abs(transform(matrix, grid) - seen).max() < 0.05


def test_few_points_fix_an_affine_map_and_a_line_fixes_none() -> None:
    corners = np.array([[0, 0], [1, 0], [0, 1]], np.float32)
    matrix = fit_homography(corners, corners * 5 + 2)
    assert matrix is not None
    np.testing.assert_allclose(transform(matrix, [[1.0, 1.0]]), [[7, 7]], atol=1e-4)
    line = np.array([[k, k] for k in range(8)], np.float32)
    assert fit_homography(line, line) is None
    assert fit_homography(corners[:2], corners[:2]) is None
