"""Pictures drawn as the published game is described: they show what they are said to show."""

import cv2
import numpy as np
import pytest

from models.training.faces import described
from models.training.faces.carving import PICTURE_PX
from models.training.faces.described import DRAWN
from models.training.faces.described_stones import AROUND, PRINTED, printed_inks

TIMES = 40


def pictures(symbol: str) -> list[described.Floats]:
    return [DRAWN[symbol](np.random.default_rng(seed)) for seed in range(TIMES)]


@pytest.mark.parametrize("symbol", list(DRAWN))
def test_a_picture_is_a_mask_that_shows_something(symbol: str) -> None:
    for mask in (*pictures(symbol), described.around(np.random.default_rng(3), symbol)):
        assert mask.shape == (PICTURE_PX, PICTURE_PX)
        assert mask.dtype == np.float32
        assert 0 <= mask.min() < mask.max() <= 1
    covered = [float(mask.mean()) for mask in pictures(symbol)]
    assert 0.06 < min(covered) < max(covered) < 0.7


@pytest.mark.parametrize("symbol", list(DRAWN))
def test_no_two_are_drawn_alike_and_the_seed_decides(symbol: str) -> None:
    first, second, other = (DRAWN[symbol](np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - other).mean() > 0.01


def middle_of(mask: described.Floats) -> tuple[float, float]:
    """Where the weight of a mask lies, x and y in parts of the side."""
    ys, xs = np.mgrid[:PICTURE_PX, :PICTURE_PX] / PICTURE_PX
    return float((mask * xs).sum() / mask.sum()), float((mask * ys).sum() / mask.sum())


def test_the_crescent_opens_to_the_left() -> None:
    assert np.mean([middle_of(mask)[0] for mask in pictures("moon")]) > 0.55


def test_the_fish_swims_up_to_the_left() -> None:
    along = []
    for mask in pictures("fish"):
        ys, xs = np.mgrid[:PICTURE_PX, :PICTURE_PX] / PICTURE_PX - 0.5
        along.append(float((mask * xs * ys).sum() / mask.sum()))
    assert np.mean(along) > 0.005  # its head lies up and left, its tail down and right


def test_the_tree_stands_on_a_narrow_foot_and_the_boat_on_waves() -> None:
    for tree, boat in zip(pictures("tree"), pictures("boat"), strict=True):
        crown, trunk = (tree[round(y * PICTURE_PX)] > 0.5 for y in (0.38, 0.75))
        assert crown.sum() > 2 * trunk[PICTURE_PX // 4 : -PICTURE_PX // 4].sum() > 0
        assert boat[-PICTURE_PX // 6 :].any()


@pytest.mark.parametrize("seed", range(12))
def test_a_border_runs_along_all_sides_and_leaves_the_middle_free(seed: int) -> None:
    band = described.border(np.random.default_rng(seed), 80, 0.06, 0.06)
    assert band.shape == (80, 80)
    assert not band[16:-16, 16:-16].any()
    for side in range(4):
        assert np.rot90(band, side)[:12].any()


@pytest.mark.parametrize("vivid", [-AROUND, 0.0, 0.5, 1.0, 1 + AROUND])
def test_printed_editions_have_the_colours_of_the_scans(vivid: float) -> None:
    """Figures are lighter than their ground, birds hardly; fish and bird are near in hue."""
    rng = np.random.default_rng(5)
    hues: dict[str, float] = {}
    contrast = {}
    for symbol in PRINTED:
        inks = printed_inks(rng, symbol, vivid)
        lab = cv2.cvtColor(np.stack([inks.ground, inks.figure])[None] / 255, cv2.COLOR_RGB2LAB)[0]
        contrast[symbol] = float(lab[1, 0] - lab[0, 0])
        hues[symbol] = float(
            cv2.cvtColor(inks.figure[None, None] / 255, cv2.COLOR_RGB2HSV)[0, 0, 0]
        )
    assert min(contrast.values()) > 5
    assert contrast["bird"] < contrast["fish"] + 5
    assert 15 < (hues["fish"] - hues["bird"]) % 360 < 30
