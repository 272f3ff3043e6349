"""Untaught stones seen in a mirror, too: what both looks say counts alike."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.profiles import default_profile
from vision.boards import BOARDS
from vision.evidence import Evidence, beyond_doubt, cell_evidence, seen_both_ways
from vision.geometry import Images

MIRRORED_TURNS = [0, 3, 2, 1]


def evidence_of(crops: Images) -> Evidence:
    there = np.ones(len(crops), np.float32)
    return cell_evidence(crops, there, BOARDS["stones"], default_profile("stones"))


@pytest.fixture
def crops() -> Images:
    return np.random.default_rng(8).integers(0, 255, (5, 64, 64, 3)).astype(np.uint8)


def test_crops_and_their_mirror_pictures_are_seen_alike(crops: Images) -> None:
    mirrored = np.ascontiguousarray(crops[:, :, ::-1])
    one = seen_both_ways(evidence_of(crops), crops)
    other = seen_both_ways(evidence_of(mirrored), mirrored)
    assert one.alone is not None
    assert other.alone is not None
    assert one.scores == pytest.approx(other.scores[MIRRORED_TURNS], abs=1e-3)
    assert one.alone == pytest.approx(other.alone[MIRRORED_TURNS], abs=1e-3)
    assert one.known == pytest.approx(other.known, abs=1e-4)
    assert one.light == pytest.approx(other.light, abs=1e-5)


def test_one_stone_in_doubt_is_enough(crops: Images) -> None:
    seen = evidence_of(crops)
    assert seen.answer is not None
    sure = np.full_like(seen.answer, -9.0)
    sure[..., 3] = np.log(0.96)
    assert beyond_doubt(replace(seen, answer=sure))
    sure[0, 4, 3] = np.log(0.94)
    assert not beyond_doubt(replace(seen, answer=sure))


def test_taught_sets_need_no_mirror(crops: Images) -> None:
    likeness = np.zeros((4, 5, 8), np.float32)
    taught = Evidence(likeness.astype(np.float64), likeness, np.ones((4, 5)))
    assert beyond_doubt(taught)
    assert seen_both_ways(taught, crops) is taught
