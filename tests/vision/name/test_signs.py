"""Signs of answers: how the pieces of a photo compare with each other and with the lessons."""

from dataclasses import replace

import numpy as np
import pytest

from vision.evidence import Evidence, Interpretation, Look
from vision.kinds.kind import Kind
from vision.name.signs import (
    SAME_FACE,
    Named,
    agreement,
    ahead_in_pictures,
    log_odds,
    rivals,
    tint_agreement,
)
from vision.profile import Profile


def test_a_piece_that_looks_like_those_of_another_name_disagrees() -> None:
    alike, other = np.array([1.0, 0.0]), np.array([0.6, 0.8])
    vectors = np.stack([alike, alike, other, alike]).astype(np.float32)
    apart = agreement(vectors, ["sun", "sun", "moon", "moon"])
    assert apart[3] == pytest.approx(0.6 - 1.0)
    assert (apart[:2] <= 0).all()  # each of the two has a look-alike of another name
    assert (agreement(vectors, ["sun", "sun", "moon", "sun"]) > 0.3).all()


def test_faces_of_which_one_is_there_agree_with_themselves() -> None:
    vectors = np.eye(3, dtype=np.float32)
    assert np.allclose(agreement(vectors, ["sun", "moon", "fish"]), SAME_FACE)


def test_a_piece_of_another_tint_than_all_of_its_name_disagrees() -> None:
    """A lesson in glare: the figure of one card, the colour of another."""
    green, cyan, warm = (-0.6, -0.3), (-1.6, 0.1), (-0.2, -0.5)
    shades = np.array([green, cyan, green, warm], np.float32)
    told = tint_agreement(shades, ["autumn", "autumn", "autumn", "spring"])
    assert told[1] < -0.9
    assert np.allclose(told[[0, 2, 3]], 0)


def test_a_face_that_another_looks_like_has_a_rival() -> None:
    sun, moon, like_sun = np.eye(3)[0], np.eye(3)[1], np.array([0.8, 0.0, 0.6])
    faces = {"sun": sun, "moon": moon, "star": like_sun}
    profile = Profile(
        "set",
        "stones",
        {name: np.tile(face, (1, 4, 1)).astype(np.float32) for name, face in faces.items()},
        "test",
    )
    assert rivals(profile) == pytest.approx({"sun": 0.8, "moon": 0.0, "star": 0.8})


def test_how_much_better_pictures_fit_a_name_than_the_next_one() -> None:
    details = {label: np.zeros((1, 4, 4, 3), np.float32) for label in ("sun", "moon")}
    profile = Profile(
        "own", "stones", {label: np.ones((1, 4, 2), np.float32) for label in details}, "test"
    )
    pictured = np.array([[0.9, 0.3], [0.4, 0.6], [0, 0]], np.float32)
    scores = np.zeros((4, 3, 2))
    evidence = Evidence(scores, scores.astype(np.float32), np.ones((4, 3)), pictured=pictured)
    seen = Look(evidence, Interpretation(0, scores[0], 0.0), evidence.likeness[0], np.ones(3), 1.0)
    named = Named([0, 0, 1], ["sun", "sun", "moon"], np.zeros(3, bool), [(0, 1.0)])
    ahead = ahead_in_pictures(Kind(), profile, seen, named)
    np.testing.assert_allclose(ahead, [0.6, -0.2, 0.0], atol=1e-6)
    nothing = replace(seen, evidence=replace(evidence, pictured=None))
    assert not ahead_in_pictures(Kind(), profile, nothing, named).any()


def test_certainty_has_an_end() -> None:
    assert log_odds(np.array([0.0, 0.5, 1.0])).tolist() == [-16.0, 0.0, 16.0]
