"""Template matching: correlations are those of OpenCV, whatever is printed or burnt out."""

import cv2
import numpy as np
import pytest

from vision.geometry import Floats, Images
from vision.name.matching import (
    DETAIL_PX,
    MARGIN,
    MOST_ALIKE,
    MOST_SHIFT,
    PRINTED_MARGIN,
    correlations,
    detail_of,
    template_of,
)


def picture(seed: int) -> Images:
    """Blots of any colours (64, 64, 3)."""
    blots = np.random.default_rng(seed).integers(0, 256, (9, 9, 3), np.uint8)
    return np.asarray(cv2.resize(blots, (64, 64), interpolation=cv2.INTER_CUBIC), np.uint8)


def by_opencv(crop: Floats, taught: Floats, margin: float) -> float:
    edge = round(margin * DETAIL_PX)
    shift = min(edge, round(MOST_SHIFT * DETAIL_PX))
    inner, around = slice(edge, DETAIL_PX - edge), slice(edge - shift, DETAIL_PX - edge + shift)
    alike = cv2.matchTemplate(
        np.ascontiguousarray(crop[around, around]),
        np.ascontiguousarray(taught[inner, inner]),
        cv2.TM_CCOEFF_NORMED,
    )
    return float(alike.max())


@pytest.mark.parametrize(("printed", "margin"), [(False, MARGIN), (True, PRINTED_MARGIN)])
def test_correlations_are_those_of_opencv(printed: bool, margin: float) -> None:
    taught = [detail_of(picture(seed)) for seed in range(5)]
    moved = detail_of(np.asarray(np.roll(picture(3), (4, -3), (0, 1)) // 2 + 60, np.uint8))
    templates = np.stack([template_of(one, printed) for one in taught])
    expected = [by_opencv(moved, one, margin) for one in taught]
    found = correlations([moved], templates, printed)
    np.testing.assert_allclose(found, expected, atol=2e-4)
    assert found[3] > 0.9 > np.delete(found, 3).max()


def test_the_likest_of_several_crops_counts() -> None:
    turned = [np.rot90(detail_of(picture(1)), turn) for turn in range(4)]
    template = template_of(turned[2], False)[None]
    alone = [float(correlations([one], template, False)[0]) for one in turned]
    assert correlations(turned, template, False) == [max(alone)] == [MOST_ALIKE]


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("level", [0, 120, 255])
def test_flat_colour_resembles_nothing(level: int, printed: bool) -> None:
    flat = detail_of(np.full((64, 64, 3), level, np.uint8))
    shown = detail_of(picture(2))
    templates = np.stack([template_of(one, printed) for one in (flat, shown)])
    assert correlations([flat], templates, printed).tolist() == [0.0, 0.0]
    assert correlations([shown], templates, printed).tolist() == [0.0, MOST_ALIKE]
