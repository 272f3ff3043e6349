"""What crops say: pieces that may lie turned are compared from all sides that they have."""

from dataclasses import replace

import numpy as np
import pytest

from models.session import CROP_PX, embed
from vision import profile
from vision.geometry import UNIT_SQUARE, Images, Pyramid
from vision.name.likeness import by_piece_turn
from vision.probability import Doubles
from vision.profile import Profile, mean_colours, tints, vectors_at


def some_likeness() -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (4, 6, 3)).astype(np.float32)


def test_pieces_that_lie_one_way_keep_their_likeness() -> None:
    np.testing.assert_array_equal(by_piece_turn(some_likeness(), 1), some_likeness())


def test_pieces_that_may_lie_upside_down_are_read_both_ways() -> None:
    likeness = some_likeness()
    best = by_piece_turn(likeness, 2)
    assert best.shape == likeness.shape
    for t in range(4):
        np.testing.assert_array_equal(best[t], np.maximum(likeness[t], likeness[(t + 2) % 4]))


def test_pieces_that_may_lie_any_way_look_alike_from_all_sides() -> None:
    likeness = some_likeness()
    best = by_piece_turn(likeness, 4)
    for t in range(4):
        np.testing.assert_array_equal(best[t], likeness.max(0))


def test_the_brightness_of_a_lamp_does_not_change_a_tint() -> None:
    crop = np.tile(np.array([200, 120, 90], np.uint8), (1, 64, 64, 1))
    dim = (crop * 0.8).astype(np.uint8)
    assert np.allclose(tints(mean_colours(crop)), tints(mean_colours(dim)), atol=0.1)
    assert np.linalg.norm(tints(mean_colours(crop)) - tints(mean_colours(crop[..., ::-1]))) > 0.9


def test_the_vector_of_a_quad_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (200, 300, 3)).astype(np.uint8)
    photo = Pyramid(pixels)
    quads = (UNIT_SQUARE * 60 + np.array([[[10, 10]], [[90, 20]], [[200, 80]]])).astype(np.float32)
    asked: list[int] = []

    def counted(crops: Images) -> np.ndarray:
        asked.append(len(crops))
        return embed(crops)

    monkeypatch.setattr(profile, "embed", counted)
    first = vectors_at(photo, quads[:2])
    again = vectors_at(photo, quads[::-1])
    assert asked == [2, 1]
    np.testing.assert_array_equal(again[:0:-1], first)
    np.testing.assert_allclose(again[::-1], embed(photo.crops(quads, CROP_PX)), atol=1e-5)
    assert vectors_at(photo, quads[:0]).shape == (0, 128)


def test_a_bare_cell_is_one_of_the_board_that_the_photo_shows() -> None:
    """Players have boards of their own: a tile in glare may look like the print of another."""
    own, other, tile = np.eye(4, dtype=np.float32)[:3]
    faces = {".": [own, other], "spring": [tile]}
    profile = Profile(
        "mine",
        "seasons",
        {label: np.repeat(np.stack(of)[:, None], 4, 1) for label, of in faces.items()},
        "test",
        bare_lessons=(0, 1),
    )
    in_glare = (0.8 * other + 0.6 * tile).astype(np.float32)
    cells, hues = np.stack([own] * 6 + [tile, in_glare]), np.zeros((8, 3), np.float32)
    bare = np.array([0.9] * 6 + [0.1, 0.3])

    def is_bare(profile: Profile, bare: Doubles | None) -> list[bool]:
        told = profile.distinction(cells, hues, np.ones(8, np.float32), 40.0, bare=bare)
        return (told[0].argmax(1) == 0).tolist()

    assert is_bare(profile, None) == [True] * 6 + [False, True]
    assert is_bare(profile, bare) == [True] * 6 + [False, False]
    one_print = replace(profile, bare_lessons=(0, 0))
    assert is_bare(one_print, bare) == is_bare(profile, None)
