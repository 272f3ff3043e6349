"""The ink of a print is told whatever the light; prints alike in shape differ by it."""

import cv2
import numpy as np
import pytest

from vision.geometry import Images
from vision.profile import Profile, ink_hues


def outline(rgb: tuple[int, int, int]) -> Images:
    """A thin ring on white."""
    face = np.full((64, 64, 3), 240, np.uint8)
    cv2.circle(face, (32, 32), 17, rgb, 2, cv2.LINE_AA)
    return face


RED, GREEN, PURPLE = (200, 30, 40), (30, 150, 60), (110, 40, 140)


@pytest.mark.parametrize("gains", [(1.0, 1.0, 1.0), (0.8, 0.65, 0.5), (0.5, 0.6, 0.75)])
def test_white_balance_and_exposure_change_no_hue(gains: tuple[float, float, float]) -> None:
    faces = np.stack([outline(ink) for ink in (RED, GREEN, PURPLE)])
    lit = (faces * np.array(gains)).astype(np.uint8)
    apart = np.linalg.norm(ink_hues(faces)[:, None] - ink_hues(lit)[None], axis=2)
    assert apart.argmin(1).tolist() == [0, 1, 2]
    assert np.diag(apart).max() < 0.5 * np.sort(apart, 1)[:, 1].min()


def test_grey_print_has_no_hue() -> None:
    assert np.linalg.norm(ink_hues(outline((60, 60, 60))[None])) < 0.1


def test_ink_decides_between_prints_of_one_shape() -> None:
    vector = np.zeros((1, 4, 8), np.float32)
    vector[..., 0] = 1
    inks = {"red": ink_hues(outline(RED)[None]), "purple": ink_hues(outline(PURPLE)[None])}
    profile = Profile("set", "set", {"red": vector, "purple": vector}, "test", inks=inks)
    crop = (outline(PURPLE) * np.array([0.9, 0.75, 0.6])).astype(np.uint8)
    told = profile.distinction(vector[:, 0], ink_hues(crop[None]), np.ones(1, np.float32), 40.0)
    assert told[0, 0].argmax() == 1
    assert profile.likeness(vector[:, 0])[0, 0].tolist() == [1, 1]


def test_what_light_does_to_all_pieces_alike_is_taken_out() -> None:
    """The photo's vectors lean towards one face; seen from their own mean they do not."""
    rng = np.random.default_rng(4)
    faces = rng.normal(size=(6, 32)) + 2.0
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    profile = Profile(
        "set",
        "set",
        {
            f"face {i}": np.repeat(face[None, None], 4, 1).astype(np.float32)
            for i, face in enumerate(faces)
        },
        "test",
    )
    seen = faces + 0.8 * (faces[0] - faces.mean(0))
    seen = (seen / np.linalg.norm(seen, axis=1, keepdims=True)).astype(np.float32)
    hues, there = np.zeros((6, 3), np.float32), np.ones(6, np.float32)
    assert (profile.likeness(seen)[0].argmax(1) != np.arange(6)).any()
    assert profile.distinction(seen, hues, there, 40.0)[0].argmax(1).tolist() == list(range(6))
    with_table = np.concatenate([seen, np.repeat(-faces[:1], 6, 0)]).astype(np.float32)
    told = profile.distinction(
        with_table, np.zeros((12, 3), np.float32), np.repeat([1.0, 0.0], 6), 40.0
    )
    assert told[0, :6].argmax(1).tolist() == list(range(6))
