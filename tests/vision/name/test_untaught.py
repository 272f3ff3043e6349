"""Untaught stones are looked at again in doubt: in a mirror, and without the tint of the light."""

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from models.session import STONE_SYMBOLS
from vision.geometry import Floats, Images
from vision.name import untaught
from vision.name.untaught import (
    MOST_LOOKS,
    UntaughtEvidence,
    looked_at_again,
    needs_no_other_look,
    told_by_colour,
    untaught_evidence,
)

MIRRORED_TURNS = [0, 3, 2, 1]
PLAIN = np.zeros(2, np.float32)


@pytest.fixture
def crops() -> Images:
    return np.random.default_rng(8).integers(0, 255, (5, 64, 64, 3)).astype(np.uint8)


def in_plain_light(seen: UntaughtEvidence) -> UntaughtEvidence:
    return replace(seen, light=PLAIN)


def test_crops_and_their_mirror_pictures_are_seen_alike(crops: Images) -> None:
    mirrored = np.ascontiguousarray(crops[:, :, ::-1])
    one = looked_at_again(crops, in_plain_light(untaught_evidence(crops)))
    other = looked_at_again(mirrored, in_plain_light(untaught_evidence(mirrored)))
    assert one.alone is not None
    assert other.alone is not None
    assert one.scores == pytest.approx(other.scores[MIRRORED_TURNS], abs=1e-3)
    assert one.alone == pytest.approx(other.alone[MIRRORED_TURNS], abs=1e-3)
    assert one.known == pytest.approx(other.known, abs=1e-4)


def test_one_stone_in_doubt_or_coloured_light_is_enough_for_another_look(crops: Images) -> None:
    seen = in_plain_light(untaught_evidence(crops))
    sure = np.full_like(seen.answer, -9.0)
    sure[..., 3] = np.log(0.96)
    assert needs_no_other_look(replace(seen, answer=sure))
    assert not needs_no_other_look(
        replace(seen, answer=sure, light=np.array([0.0, 0.3], np.float32))
    )
    sure[0, 4, 3] = np.log(0.94)
    assert not needs_no_other_look(replace(seen, answer=sure))


def test_fish_and_bird_are_told_by_their_colour_too(crops: Images) -> None:
    """The picture says fish, the colour bird; only stones that may be one of the two are asked."""
    fish, bird, tree = (4 * STONE_SYMBOLS.index(symbol) for symbol in ("fish", "bird", "tree"))
    answer = np.full((2, 5, 33), -12.0, np.float32)
    answer[:, :2, fish], answer[:, :2, bird] = np.log(0.8), np.log(0.19)
    answer[:, 2:, tree] = np.log(0.99)
    by_colour = np.full((2, 5, 33), -12.0, np.float32)
    by_colour[..., bird], by_colour[..., fish] = np.log(0.98), np.log(0.01)
    asked = []

    def read(at: Images) -> tuple[Floats, Floats]:
        asked.append(at)
        return (by_colour if len(asked) > 1 else answer)[:, : len(at)], PLAIN

    with patch.object(untaught, "read_stones", read):
        seen = told_by_colour(untaught_evidence(crops))
    symbols = np.exp(seen.scores[0])
    assert (symbols[:2, bird // 4] > 0.9).all()
    assert symbols[:2, [fish // 4, bird // 4]].sum(1) == pytest.approx(0.99, abs=1e-4)
    np.testing.assert_allclose(seen.answer[0, 2:], answer[0, 2:])
    assert [len(at) for at in asked] == [5, 2, 5]  # the picture is contradicted: all are asked
    assert np.ptp(asked[1][:, 20:44, 20:44], axis=(1, 2)).max() == 0  # no picture is left
    np.testing.assert_array_equal(asked[1][:, :14], crops[:2, :14])


def looks_in(lights: list[Floats], crops: Images) -> list[tuple[Images, bool]]:
    """The lights that are tried after the first, if the network names them one after another."""
    told: Iterator[Floats] = iter(lights)
    looks = []

    def look(at: Images, mirrored: bool = False) -> UntaughtEvidence:
        looks.append((at, mirrored))
        return replace(untaught_evidence(at, mirrored), light=next(told))

    seen = look(crops)
    with patch.object(untaught, "untaught_evidence", look):
        looked_at_again(crops, seen)
    return looks[1:]


def test_plain_light_is_left_as_it_is(crops: Images) -> None:
    ((second, mirrored),) = looks_in([PLAIN, PLAIN], crops)
    assert mirrored
    np.testing.assert_array_equal(second, crops)


def test_a_tint_is_taken_away_until_none_is_left(crops: Images) -> None:
    red = np.array([0.25, 0.0], np.float32)
    (second, mirrored), (third, plain) = looks_in([red, red, PLAIN], crops)
    assert mirrored
    assert not plain
    assert second[..., 0].mean() == pytest.approx(crops[..., 0].mean() * np.exp(-0.25), rel=0.02)
    assert third[..., 0].mean() == pytest.approx(crops[..., 0].mean() * np.exp(-0.5), rel=0.02)
    np.testing.assert_array_equal(third[..., 1], crops[..., 1])


def test_a_look_in_strongly_coloured_light_is_followed_by_two_without_it(crops: Images) -> None:
    (second, mirrored), (third, plain) = looks_in(
        [np.array([0.5, 0.0], np.float32), PLAIN, PLAIN], crops
    )
    assert mirrored
    assert not plain
    np.testing.assert_array_equal(third, second)
    assert third[..., 0].mean() == pytest.approx(crops[..., 0].mean() * np.exp(-0.5), rel=0.02)


def test_light_that_stays_coloured_is_not_looked_at_for_ever(crops: Images) -> None:
    assert len(looks_in([np.array([0.5, 0.0], np.float32)] * 9, crops)) == MOST_LOOKS - 1
