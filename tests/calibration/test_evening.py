"""What the measurement of an evening counts, and what a copy knows at each of its photos."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from calibration.confirmed import ConfirmedBoard, as_confirmed
from calibration.measuring.evening import (
    ALONE,
    CONFIRMED,
    TWO,
    Photographed,
    by_photo,
    outcomes,
    report,
    with_second_lesson,
)
from calibration.measuring.figures import exact_svg, questions_svg
from calibration.measuring.generated import Edition, Outcome, Shot
from models.training.faces import FACE_PX
from scorer.text import Text
from vision.boards import STONES
from vision.doubts import Doubt
from vision.errors import BoardNotFound
from vision.photo import Photo
from vision.profile import Profile
from vision.reading import CellReading, Reading

NAMES = "fish", "bird", "sun"
DOUBT = Doubt("cell", 0.4, Text("Is it %(what)s?", what="sun"), ((0, 0),), (("sun", 0.6),))


def outcome(exact: bool, asks: int) -> Outcome:
    return Outcome(True, exact, not asks, (), "easy", asks=asks)


EVENINGS = [
    {
        CONFIRMED: [outcome(True, 4), outcome(True, 1), outcome(True, 0)],
        ALONE: [outcome(True, 4), outcome(False, 0), outcome(True, 4)],
        TWO: [outcome(True, 0)] * 3,
    },
    {
        CONFIRMED: [outcome(False, 9), outcome(True, 0), outcome(True, 1)],
        ALONE: [outcome(False, 9), outcome(False, 9), outcome(False, 9)],
        TWO: [outcome(True, 0)] * 3,
    },
]


def test_photos_are_counted_by_their_number() -> None:
    assert by_photo(EVENINGS, CONFIRMED) == [(0.5, 0, 4, 0), (1, 0.5, 0.5, 0), (1, 0.5, 0.5, 0)]
    alone = by_photo(EVENINGS, ALONE)
    assert [row.silent for row in alone] == [0, 1, 0]
    assert np.isnan(alone[1].asks)  # no board is exact
    lines = report(EVENINGS).splitlines()
    assert lines[3].split() == ["exact", "50.0%", "100.0%", "100.0%", "100.0%"]
    assert lines[5].split()[-4:] == ["4.00", "0.50", "0.50", "0.50"]


@pytest.mark.parametrize("draw", [exact_svg, questions_svg])
def test_the_figures_are_well_formed(draw: Callable[..., str]) -> None:
    root = ElementTree.fromstring(draw({"one": [0.5, 0.9, 1.0], "two": [0.9, 1.0, 1.0]}))
    assert len(root.findall(".//{http://www.w3.org/2000/svg}polyline")) == 2
    texts = [node.text for node in root.findall(".//{http://www.w3.org/2000/svg}text")]
    assert {"1", "2", "3", "one", "two"} <= {*texts}


def laid(*labels: str) -> Photographed:
    photo = Photo(np.zeros((8, 8, 3), np.uint8), (8, 8), 1.0, "jpeg")
    truth = {(0, col): (label, "") for col, label in enumerate(labels)}
    return Photographed(Shot(photo, truth, "easy", {}, 1.0), " ".join(labels).encode())


def read(jpeg: bytes) -> Reading:
    """What is read of a photo: everything as it lies there, but a moon is taken for a sun."""
    if jpeg == b"":
        raise BoardNotFound("no_board", "There is no board.")
    quad = np.array([[0, 0], [9, 0], [9, 9], [0, 9]], np.float32)
    labels = jpeg.decode().replace("moon", "sun").split()
    cells = [CellReading(0, col, label, 0.9, True, quad, ()) for col, label in enumerate(labels)]
    text = " ".join(labels)
    return Reading("stones", text, tuple(cells), quad, "mine", "1", doubts=(DOUBT,))


def test_a_copy_knows_the_boards_of_the_photos_before() -> None:
    known: list[list[str]] = []

    def knowing(boards: Sequence[ConfirmedBoard]) -> Profile:
        known.append([" ".join(label for label, _ in board.cells) for board in boards])
        return Profile("mine", "stones", {}, "1")

    photos = [laid("fish", "moon"), laid(), laid("moon", "moon", "sun"), laid("bird", "sun")]
    found = list(outcomes(photos, knowing, lambda _: read))
    assert [(one.found, one.exact, one.asks) for one in found] == [
        (True, False, 1),
        (False, False, 0),
        (True, False, 1),
        (True, True, 1),
    ]  # of the third too few were read right
    assert known == [[], ["fish moon"], ["fish moon"], ["fish moon"]]


def test_a_board_that_was_read_otherwise_is_no_lesson() -> None:
    quads = np.zeros((2, 4, 2))
    assert as_confirmed("a", bytes, ["sun", "sun"], ["moon", "fish"], quads) is None
    half = as_confirmed("a", bytes, ["sun", "sun"], ["moon", "sun"], quads)
    assert half == ConfirmedBoard("a", (("moon", (0.0,) * 8), ("sun", (0.0,) * 8)), bytes)


def test_the_second_lesson_shows_what_the_first_lacks() -> None:
    rng = np.random.default_rng(1)
    faces = {
        label: rng.integers(0, 255, (FACE_PX, FACE_PX, 3), np.uint8) for label in STONES.labels
    }
    taught = [label for label in faces if label not in ("moon", "bird")]
    crop, colour = np.ones((1, 4, 128), np.float32), np.ones((1, 3), np.float32)
    prototypes, seen = dict.fromkeys(taught, crop), dict.fromkeys(taught, colour)
    first = Profile("mine", "stones", prototypes, "1", seen, inks=seen)
    both = with_second_lesson(rng, Edition(STONES, faces, 1.0, first))
    assert {*both.prototypes} == {*both.colours} == {*both.inks} == {*faces}
    assert both.prototypes["moon"].shape == (1, 4, 128)
    assert np.array_equal(both.prototypes["fish"][:1], crop)
