"""Stones of which a lesson showed some faces: the network that knows the published ones helps."""

from pathlib import Path

import numpy as np
import pytest

from calibration.lessons import Lesson
from calibration.teach import learn
from vision.boards import STONES
from vision.evidence import Evidence
from vision.name.untaught import UntaughtEvidence, with_untaught
from vision.photo import decode_photo
from vision.read import read_board

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
SEVEN_FACES = "seed boat bird / horse sun tree / fish seed horse"
"""What ``easy_1.jpg`` shows: no moon."""


def test_one_photo_that_lacks_a_face_is_enough_for_stones_of_the_published_look() -> None:
    lesson = (PHOTOS / "easy_1.jpg").read_bytes()
    taught, _ = learn("mine", STONES, [Lesson(lesson, SEVEN_FACES, "easy_1.jpg")])
    assert "moon" not in taught.profile.prototypes
    for name, text in (
        ("easy_2.jpg", "tree horse moon / fish seed boat / bird tree boat"),
        ("lesson_b.jpg", "moon bird bird / boat boat boat / tree tree tree"),
    ):
        photo = decode_photo((PHOTOS / name).read_bytes(), 1000)
        reading = read_board(photo, STONES, taught.profile)
        assert reading.text == text
        assert min(reading.cells, key=lambda cell: cell.confidence).label == "moon"


def evidence(likeliest: list[int], symbols: list[int]) -> tuple[Evidence, UntaughtEvidence]:
    """Stones that surely look like these taught faces, -1 like none, and that the network takes
    for these symbols."""
    count = len(likeliest)
    scores = np.zeros((4, count, 8))
    known = np.full((4, count), 0.01)
    for i, label in enumerate(likeliest):
        if label >= 0:
            scores[:, i, label], known[:, i] = 12.0, 0.999
    network = np.full((4, count, 8), -9.0)
    network[:, range(count), symbols] = -0.01
    told = np.exp(network).astype(np.float32)
    taught = Evidence(scores, scores.astype(np.float32), known)
    untaught = UntaughtEvidence(
        network, told, known, answer=network, light=np.zeros(2, np.float32),
        crops=np.zeros((count, 64, 64, 3), np.uint8),
    )  # fmt: skip
    return taught, untaught


@pytest.mark.parametrize("believed", [True, False])
def test_the_network_counts_as_far_as_it_names_taught_faces_rightly(believed: bool) -> None:
    """Of a home-made set it names none rightly: then it says nothing of the others."""
    labels = STONES.labels
    missing = [6, 7]
    right = [0, 1, 2, 3, 4, 5, 0]
    wrong = [1, 2, 3, 4, 5, 0, 1]
    seen = with_untaught(
        *evidence([*right, -1, -1], [*(right if believed else wrong), 6, 7]), labels, missing
    )
    found = seen.scores[0]
    assert found[:7].argmax(1).tolist() == right
    apart = found[7:, 6] - found[7:, 7]
    if believed:
        assert found[7:].argmax(1).tolist() == missing
        assert seen.unlearnt == ()
    else:
        assert {int(k) for k in found[7:].argmax(1)} <= {6, 7}
        assert np.abs(apart).max() < 0.1
        assert seen.unlearnt == (6, 7)
    assert seen.known[0, 0] > 0.99
