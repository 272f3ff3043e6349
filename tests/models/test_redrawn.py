"""Training pictures drawn by another hand: other shapes, other techniques, the same side up."""

import cv2
import numpy as np
import pytest

from models.training.art import ICON_PX, LOOSE_NAMES, OTHER_THINGS, Icon, symbol_of_name
from models.training.faces import Image
from models.training.faces.sources import bent, redrawn

MIDDLE = ICON_PX // 2


def disc(thickness: int = cv2.FILLED, colour: tuple[int, int, int] = (255, 255, 255)) -> Image:
    """A picture of a disc, or of its outline, RGBA."""
    alpha = np.zeros((ICON_PX, ICON_PX), np.uint8)
    cv2.circle(alpha, (MIDDLE, MIDDLE), 30, 255, thickness)
    return np.dstack([np.full((ICON_PX, ICON_PX, 3), colour, np.uint8), alpha])


def test_silhouettes_become_outlines() -> None:
    drawn = redrawn(np.random.default_rng(1), disc(), mono=True)
    assert drawn[MIDDLE, MIDDLE, 3] == 0
    assert drawn[MIDDLE, MIDDLE - 30 : MIDDLE - 26, 3].max() == 255


def test_outlines_are_filled() -> None:
    drawn = redrawn(np.random.default_rng(1), disc(thickness=4), mono=True)
    assert drawn[MIDDLE, MIDDLE, 3] == 255
    assert drawn[2, 2, 3] == 0


def test_paintings_get_dark_lines_and_keep_their_colours() -> None:
    drawn = redrawn(np.random.default_rng(1), disc(colour=(220, 90, 60)), mono=False)
    red, _, blue = drawn[MIDDLE, MIDDLE, :3].astype(int)
    assert red > blue
    rim = drawn[MIDDLE, MIDDLE - 32 : MIDDLE - 27]
    assert rim[..., :3].max(1).min() < 60
    assert rim[..., 3].max() == 255


def test_the_same_side_stays_up() -> None:
    rgba = np.zeros((ICON_PX, ICON_PX, 4), np.uint8)
    rgba[..., :3] = 255
    rgba[14:40, 20:76, 3] = 255  # a broad head
    rgba[40:82, 44:52, 3] = 255  # on a stalk
    rng = np.random.default_rng(2)
    for _ in range(60):
        drawn = bent(rng, Icon("a", "mushroom", True, rgba)).rgba[..., 3] > 128
        widths = np.array([np.ptp(np.flatnonzero(row)) if row.any() else 0 for row in drawn])
        rows = np.flatnonzero(drawn.any(1))
        upper, lower = np.array_split(rows, 2)
        assert widths[upper].mean() > 1.3 * widths[lower].mean()


@pytest.mark.parametrize(
    ("family", "name", "symbol"),
    [
        ("bi", "nut", "seed"),
        ("lsicon", "tree-filled", "tree"),
        ("whh", "ram", "horse"),
        ("ic", "round-grain", "seed"),
    ],
)
def test_namesakes_are_no_symbols(family: str, name: str, symbol: str) -> None:
    assert symbol_of_name(name, LOOSE_NAMES) == symbol
    assert OTHER_THINGS.match(f"{family}:{name}")


def test_pictures_of_symbols_are_none_of_the_namesakes() -> None:
    for picture in (
        "lucide:nut",
        "twemoji:ram",
        "mdi:tree",
        "fluent-emoji:chicken",
        "tabler:seedling-filled",
    ):
        assert not OTHER_THINGS.match(picture)
