"""Loose quads become rows and columns, whatever the camera does."""

import numpy as np
import pytest

from vision.boards import SEASONS_BOARD, STONES, TIME, BoardSpec
from vision.find.lattice import best_window, fit_lattice
from vision.geometry import UNIT_SQUARE, Floats, sides


def photographed(
    rng: np.random.Generator,
    cells: list[tuple[int, int]],
    tilt_deg: float,
    jitter: float,
    pitch: float,
) -> Floats:
    """Quads of hand-laid unit squares seen by a pinhole camera, corners starting anywhere."""
    tilt, turn = np.radians(tilt_deg), rng.uniform(0, 2 * np.pi)
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    extent = max(max(cell) for cell in cells) + 1
    quads = []
    for row, col in cells:
        angle = rng.normal(0, np.radians(3))
        crooked = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        centre = (np.array([col, row]) - (extent - 1) / 2) * pitch + rng.normal(0, jitter, 2)
        flat = (UNIT_SQUARE - 0.5) @ crooked.T + centre
        seen = np.column_stack([flat, np.zeros(4)]) @ (lean @ spin).T
        depth = seen[:, 2] + extent * 2.2
        quads.append(
            np.roll(seen[:, :2] / depth[:, None] * 450 + 256, int(rng.integers(4)), axis=0)
        )
    return np.array(quads, np.float32)


def square(size: int) -> list[tuple[int, int]]:
    return [(r, c) for r in range(size) for c in range(size)]


@pytest.mark.parametrize("spec", [STONES, SEASONS_BOARD], ids=lambda s: s.name)
@pytest.mark.parametrize("tilt_deg", [0, 30, 55])
def test_every_piece_gets_its_cell(spec: BoardSpec, tilt_deg: float) -> None:
    size = spec.rows[0]
    for seed in range(12):
        rng = np.random.default_rng(seed)
        quads = photographed(
            rng, square(size), tilt_deg, 0.05 if size == 3 else 0.02, rng.uniform(1.02, 1.25)
        )
        lattice = fit_lattice(quads, np.full(len(quads), 0.9, np.float32), spec)
        assert lattice is not None
        assert (lattice.rows, lattice.cols) == (size, size)
        assert len(lattice.cells) == size * size
        for place, quad in lattice.cells.items():
            offset = np.linalg.norm(lattice.expected_quad(*place).mean(0) - quad.mean(0))
            assert offset < 0.3 * float(sides(quad[None])[0])


def test_a_missed_stone_is_expected_where_it_lies() -> None:
    for missing in range(9):
        rng = np.random.default_rng(missing)
        quads = photographed(rng, square(3), 40, 0.03, 1.1)
        rest = np.delete(quads, missing, axis=0)
        lattice = fit_lattice(rest, np.full(8, 0.9, np.float32), STONES)
        assert lattice is not None
        holes = [(r, c) for r, c in square(3) if (r, c) not in lattice.cells]
        assert len(holes) == 1
        guess = lattice.expected_quad(*holes[0]).mean(0)
        assert np.linalg.norm(guess - quads[missing].mean(0)) < 0.25 * float(
            sides(quads[missing][None])[0]
        )


def test_strays_beside_the_grid_are_refused() -> None:
    rng = np.random.default_rng(1)
    quads = photographed(rng, square(3), 20, 0.03, 1.1)
    card = quads[0] + (quads[0].mean(0) - quads[4].mean(0)) * 3.0
    mug = (UNIT_SQUARE * 30 + np.array([20, 470])).astype(np.float32)
    lattice = fit_lattice(
        np.concatenate([quads, card[None], mug[None]]), np.full(11, 0.9, np.float32), STONES
    )
    assert lattice is not None
    assert (lattice.rows, lattice.cols, len(lattice.cells)) == (3, 3, 9)


@pytest.mark.parametrize("spec", [STONES, TIME], ids=lambda s: s.name)
def test_a_stray_near_the_horizon_does_not_hold_up_reading(spec: BoardSpec) -> None:
    members = {k: (row, col, 0) for k, (row, col) in enumerate(square(3))}
    members |= {9: (-985_664, 162_472, 0), 10: (17, 1, 0)}
    scores = np.array([0.9] * 9 + [0.4, 0.95], np.float32)
    # a look at every window up to there would take weeks
    value, rows, cols = best_window(members, scores, spec)
    for first, count in (rows, cols):
        assert first <= 0 < 2 < first + count
    assert value == pytest.approx(8.1)


def test_partly_filled_grids_keep_their_shape() -> None:
    cells = [(0, 1), (1, 0), (1, 1), (1, 2), (2, 2)]
    lattice = fit_lattice(
        photographed(np.random.default_rng(4), cells, 30, 0.02, 1.08),
        np.full(5, 0.9, np.float32),
        TIME,
    )
    assert lattice is not None
    assert sorted((lattice.rows, lattice.cols)) == [3, 3]
    assert len(lattice.cells) == 5


def test_scattered_quads_are_no_board() -> None:
    rng = np.random.default_rng(0)
    quads = np.stack(
        [(UNIT_SQUARE * s + rng.uniform(0, 900, 2)) for s in (20, 200, 60, 110)]
    ).astype(np.float32)
    assert fit_lattice(quads, np.full(4, 0.9, np.float32), SEASONS_BOARD) is None
    assert fit_lattice(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32), STONES) is None


def crooked_grid(off: tuple[float, float]) -> Floats:
    """Nine stones from above, 50 px large, 55 px apart, the first moved by ``off`` pitches."""
    middles = np.array([(c, r) for r, c in square(3)], np.float32)
    middles[0] += off
    return ((UNIT_SQUARE - 0.5) * 50 + middles[:, None] * 55 + 100).astype(np.float32)


@pytest.mark.parametrize("off", [(0.0, -0.5), (-0.6, 0.1), (-0.45, -0.45)])
def test_a_stone_far_out_of_line_is_still_a_stone_of_the_grid(off: tuple[float, float]) -> None:
    quads = crooked_grid(off)
    lattice = fit_lattice(quads, np.full(9, 0.9, np.float32), STONES)
    assert lattice is not None
    assert len(lattice.cells) == 9
    np.testing.assert_allclose(lattice.cells[0, 0].mean(0), quads[0].mean(0), atol=1)


def test_what_lies_on_another_stone_or_far_away_fills_no_place() -> None:
    for off in ((0.55, 0.0), (-0.7, -0.7)):
        lattice = fit_lattice(crooked_grid(off), np.full(9, 0.9, np.float32), STONES)
        assert lattice is not None
        assert (0, 0) not in lattice.cells


def test_two_columns_of_three_may_have_the_third_on_either_side() -> None:
    quads = crooked_grid((0.0, 0.0))
    lattice = fit_lattice(quads, np.full(9, 0.9, np.float32), STONES)
    assert lattice is not None
    assert lattice.other_windows() == []
    two_columns = fit_lattice(quads[np.arange(9) % 3 > 0], np.full(6, 0.9, np.float32), STONES)
    assert two_columns is not None
    (other,) = two_columns.other_windows()
    middles = {round(float(each.expected_quad(1, 0).mean(0)[0])) for each in (two_columns, other)}
    assert middles == {100, 155}
    assert len(other.cells) == 6
    for place, quad in other.cells.items():
        np.testing.assert_allclose(other.expected_quad(*place), quad, atol=0.5)


@pytest.mark.parametrize("turned_deg", [8, 16, 24, 32])
def test_the_checks_of_a_floor_do_not_draw_stones_into_their_lines(turned_deg: float) -> None:
    """They are as large, as square and as even as stones, but the detector is less sure of them."""
    turn = np.radians(turned_deg)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    stones = np.array(
        [(UNIT_SQUARE + np.array([c, r]) * 1.08) @ spin.T * 60 + 250 for r, c in square(3)]
    )
    checks = np.array([(UNIT_SQUARE * 0.95 + np.array([c, r])) * 72 for r, c in square(9)])
    apart = np.linalg.norm(checks.mean(1)[:, None] - stones.mean(1)[None], axis=2).min(1)
    bare = checks[apart > 60]
    quads = np.concatenate([stones, bare]).astype(np.float32)
    scores = np.concatenate([np.full(9, 0.9), np.full(len(bare), 0.35)]).astype(np.float32)
    lattice = fit_lattice(quads, scores, STONES)
    assert lattice is not None
    middles = {(round(float(x)), round(float(y))) for x, y in stones.mean(1)}
    assert {
        (round(float(x)), round(float(y))) for x, y in (q.mean(0) for q in lattice.cells.values())
    } == middles
