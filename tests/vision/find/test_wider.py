"""Pieces whose frames leave out a band at their edge are framed whole."""

from collections.abc import Callable, Collection

import cv2
import numpy as np
import pytest

from vision.boards import STONES
from vision.find import wider
from vision.find.candidates import locate_board
from vision.find.wider import whole_pieces
from vision.geometry import UNIT_SQUARE, Floats, Pyramid

PYRAMID = Pyramid(np.zeros((400, 400, 3), np.uint8))
BAND = 25.0
"""Pixels of the band at the right of pieces that are framed 100 pixels wide."""
Refiner = Callable[..., tuple[Floats, Floats]]


def framed(count: int, in_a_row: int = 3) -> Floats:
    """Frames of pieces in rows, without their bands."""
    spots = [(10 + 130 * (k % in_a_row), 10 + 130 * (k // in_a_row)) for k in range(count)]
    return np.array([UNIT_SQUARE * 100 + spot for spot in spots], np.float32)


def refiner(quads: Floats, banded: Collection[int]) -> Refiner:
    """Ends at whole pieces where these have a band, or seem to, and else at frames without it."""

    def refine(
        pyramid: Pyramid, guesses: Floats, evened: None = None, rounds: int = 2
    ) -> tuple[Floats, Floats]:
        ends = []
        for guess in guesses:
            near = int(np.linalg.norm(quads.mean(1) - guess.mean(0), axis=1).argmin())
            end = quads[near].copy()
            if guess[1, 0] - end[1, 0] > 10 and near in banded:
                end[1:3, 0] += BAND
            ends.append(end)
        return np.array(ends, np.float32), np.ones(len(guesses), np.float32)

    return refine


@pytest.mark.parametrize(("banded", "grown"), [(range(6), BAND), ([], 0.0), (range(1, 5), 0.0)])
def test_frames_grow_where_all_pieces_go_on(
    monkeypatch: pytest.MonkeyPatch, banded: Collection[int], grown: float
) -> None:
    quads = framed(6)
    monkeypatch.setattr(wider, "refine_quads", refiner(quads, banded))
    whole = whole_pieces(PYRAMID, quads, np.ones(6, bool))
    np.testing.assert_allclose(whole[:, 1:3, 0] - quads[:, 1:3, 0], grown, atol=0.01)
    np.testing.assert_allclose(whole[:, [0, 3]], quads[:, [0, 3]], atol=0.01)


def test_a_band_of_the_neighbour_is_no_band(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last piece of the row has no neighbour whose band it could take for its own."""
    quads = framed(7, in_a_row=7)
    monkeypatch.setattr(wider, "refine_quads", refiner(quads, range(6)))
    assert np.array_equal(whole_pieces(PYRAMID, quads, np.ones(7, bool)), quads)


def test_bare_places_grow_as_pieces_do(monkeypatch: pytest.MonkeyPatch) -> None:
    quads = framed(6)
    monkeypatch.setattr(wider, "refine_quads", refiner(quads, range(6)))
    there = np.array([True, True, False, True, True, True])
    whole = whole_pieces(PYRAMID, quads, there)
    np.testing.assert_allclose(whole[2, 1:3, 0] - quads[2, 1:3, 0], BAND, atol=0.01)


def test_two_pieces_may_agree_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    quads = framed(2)
    monkeypatch.setattr(wider, "refine_quads", refiner(quads, range(2)))
    assert np.array_equal(whole_pieces(PYRAMID, quads, np.ones(2, bool)), quads)


@pytest.mark.parametrize("table", [100, 120, 135])
def test_cards_are_framed_with_their_title_bands(table: int) -> None:
    rng = np.random.default_rng(table)
    grain = cv2.GaussianBlur(rng.normal(0, 30, (700, 700, 3)).astype(np.float32), (0, 0), 1.2)
    photo = np.clip(table + grain, 0, 255).astype(np.uint8)
    titles = {"SPRING": (60, 110, 50), "SUMMER": (150, 60, 50), "FALL": (140, 90, 50)}
    true = []
    for k in range(9):
        x, y = 110 + 160 * (k % 3), 110 + 160 * (k // 3)
        true.append(UNIT_SQUARE * 140 + (x, y))
        title, ink = list(titles.items())[k % 3]
        cv2.rectangle(photo, (x, y), (x + 140, y + 140), (205, 205, 200), cv2.FILLED)
        cv2.rectangle(photo, (x + 3, y + 108), (x + 137, y + 137), ink, cv2.FILLED)
        cv2.putText(photo, title, (x + 35, y + 130), 0, 0.6, (230, 230, 230), 2, cv2.LINE_AA)
        angles = np.linspace(0, 2 * np.pi, 6 + 2 * (k % 3), endpoint=False)
        reach = np.where(np.arange(len(angles)) % 2, 18, 42)
        star = np.stack([np.cos(angles) * reach + x + 70, np.sin(angles) * reach + y + 54], 1)
        cv2.fillPoly(photo, [star.astype(np.int32)], (25, 25, 25), cv2.LINE_AA)
    photo = (photo * 0.6).astype(np.uint8)
    board = locate_board(Pyramid(photo), STONES)
    for corners in true:
        off = [
            np.abs(np.roll(cell.quad_xy, turn, 0) - corners).max()
            for cell in board.cells
            for turn in range(4)
        ]
        assert min(off) < 8
