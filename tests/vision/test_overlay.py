"""A reading is drawn on a copy, and what a person must look at stands out."""

from dataclasses import replace

import numpy as np
import pytest

from scorer.notation import EMPTY
from vision.geometry import UNIT_SQUARE
from vision.overlay import DOUBTFUL_BGR, SURE_BGR, draw_overlay
from vision.reading import CellReading, Reading

SIDE = 120


def some_reading(
    *, unsure: tuple[int, ...] = (), labels: tuple[str, ...] = ("sun", "moon", "fish", "bird")
) -> Reading:
    cells = []
    for i, label in enumerate(labels):
        row, col = divmod(i, 2)
        quad = (UNIT_SQUARE * SIDE + np.array([40 + 160 * col, 40 + 160 * row])).astype(np.float32)
        cells.append(CellReading(row, col, label, 0.9, i not in unsure, quad))
    outline = (UNIT_SQUARE * 300 + 30).astype(np.float32)
    return Reading("set", "", tuple(cells), outline, "mine", "0")


def photo(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(60, 180, (360, 380, 3), np.uint8)


def share(image: np.ndarray, colour: tuple[int, int, int]) -> float:
    """Part of the pixels that have about this colour."""
    return float((np.abs(image.astype(int) - np.array(colour)).max(-1) < 12).mean())


def inside(image: np.ndarray, reading: Reading, cell: int) -> np.ndarray:
    left, top = reading.cells[cell].quad_xy[0].astype(int)
    return image[top - 6 : top + SIDE + 6, left - 6 : left + SIDE + 6]


def test_the_photo_is_not_modified() -> None:
    image = photo()
    image.flags.writeable = False
    drawn = draw_overlay(image, some_reading(unsure=(1,)))
    assert drawn.shape == image.shape
    assert drawn.dtype == np.uint8
    assert not np.shares_memory(drawn, image)
    np.testing.assert_array_equal(image, photo())
    assert not np.array_equal(drawn, image)


def test_labels_are_written_in_the_words_that_are_asked_for() -> None:
    plain, told = (draw_overlay(photo(), some_reading(), word=word) for word in (str, str.upper))
    other = draw_overlay(photo(), some_reading(labels=("SUN", "MOON", "FISH", "BIRD")))
    np.testing.assert_array_equal(told, other)
    assert not np.array_equal(told, plain)


def test_doubtful_cells_look_different() -> None:
    reading = some_reading(unsure=(1, 2))
    drawn = draw_overlay(photo(), reading)
    for i in range(4):
        colours = (
            share(inside(drawn, reading, i), SURE_BGR),
            share(inside(drawn, reading, i), DOUBTFUL_BGR),
        )
        assert max(colours) > 0.01
        assert (colours[0] < colours[1]) == (i in (1, 2))
        assert min(colours) < 0.001


def test_a_doubtful_cell_differs_by_more_than_colour() -> None:
    """Not everyone sees green beside orange: the text differs as well."""
    sure, unsure = (draw_overlay(photo(), some_reading(unsure=u)).mean(-1) for u in ((), (0,)))
    reading = some_reading()
    plates = [(inside(image, reading, 0)[70:] > 240).sum() for image in (sure, unsure)]
    assert plates[0] != plates[1]


def test_only_what_changed_is_drawn_differently() -> None:
    reading = some_reading()
    before, after = draw_overlay(photo(), reading), draw_overlay(photo(), some_reading(unsure=(0,)))
    for i in range(4):
        same = np.array_equal(inside(before, reading, i), inside(after, reading, i))
        assert same == (i != 0)


def test_an_empty_cell_has_no_name_unless_it_is_doubtful() -> None:
    reading = some_reading(labels=("sun", EMPTY, "fish", "bird"))
    doubtful = some_reading(labels=("sun", EMPTY, "fish", "bird"), unsure=(1,))
    plate = [
        (inside(draw_overlay(photo(), r), r, 1) < 40).all(-1).sum() for r in (reading, doubtful)
    ]
    assert plate[0] == 0
    assert plate[1] > 50


def test_the_bar_shows_which_way_up_a_piece_was_read() -> None:
    reading = some_reading()
    turned = replace(
        reading, cells=tuple(replace(c, quad_xy=np.roll(c.quad_xy, -1, 0)) for c in reading.cells)
    )
    upright, sideways = draw_overlay(photo(), reading), draw_overlay(photo(), turned)
    top, right = (slice(10, 20), slice(40, 90)), (slice(20, 60), slice(112, 122))
    for i in range(4):
        a, b = inside(upright, reading, i), inside(sideways, reading, i)
        assert share(a[top], SURE_BGR) > share(b[top], SURE_BGR)
        assert share(a[right], SURE_BGR) < share(b[right], SURE_BGR)


@pytest.mark.parametrize("scale", [2.0, 4.0])
def test_quads_of_the_full_photo_fit_the_smaller_one(scale: float) -> None:
    small = some_reading(unsure=(3,))
    full = replace(
        small,
        cells=tuple(
            replace(c, quad_xy=(c.quad_xy + 0.5) * np.float32(scale) - 0.5) for c in small.cells
        ),
        outline_xy=(small.outline_xy + 0.5) * np.float32(scale) - 0.5,
    )
    np.testing.assert_array_equal(draw_overlay(photo(), full, scale), draw_overlay(photo(), small))


def test_cells_partly_or_wholly_outside_the_photo_are_drawn_as_far_as_they_go() -> None:
    reading = some_reading(
        labels=("a label much longer than its cell is wide", "moon", "fish", "bird"), unsure=(0,)
    )
    tiny = np.full((50, 60, 3), 128, np.uint8)
    assert draw_overlay(tiny, reading).shape == tiny.shape
    away = replace(
        reading, cells=tuple(replace(c, quad_xy=c.quad_xy - 5000) for c in reading.cells)
    )
    assert draw_overlay(photo(), away).shape == photo().shape


def test_a_reading_without_cells_shows_its_outline() -> None:
    reading = replace(some_reading(), cells=())
    assert not np.array_equal(draw_overlay(photo(), reading), photo())
