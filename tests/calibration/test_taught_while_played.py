"""Boards that people confirmed in a game teach its copy how the pieces look there."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.confirmed import ConfirmedBoard, with_confirmed
from calibration.lessons import Lesson
from calibration.profiles import default_profile
from calibration.teach import learn
from vision.boards import STONES
from vision.photo import decode_photo
from vision.profile import Profile
from vision.read import read_board
from vision.reading import Reading

PHOTOS = Path(__file__).parents[2] / "fixtures" / "photos"
SEVEN_FACES = "seed boat bird / horse sun tree / fish seed horse"
"""What ``easy_1.jpg`` shows: no moon."""
CONFIRMED = "easy_2.jpg", "tree horse moon / fish seed boat / bird tree boat"


@pytest.fixture(scope="module")
def profile() -> Profile:
    """Of a copy whose lesson lacked the moon."""
    lesson = Lesson((PHOTOS / "easy_1.jpg").read_bytes(), SEVEN_FACES, "easy_1.jpg")
    return learn("mine", STONES, [lesson])[0].profile


def read(name: str, profile: Profile) -> Reading:
    return read_board(decode_photo((PHOTOS / name).read_bytes(), 1000), STONES, profile)


def confirmed(profile: Profile, exchanged: tuple[str, str] | None = None) -> ConfirmedBoard:
    """A board as it is read, or with two names exchanged."""
    name, text = CONFIRMED
    reading = read(name, profile)
    assert reading.text == text
    names = dict([exchanged, exchanged[::-1]]) if exchanged else {}
    cells = [(names.get(one.label, one.label), one.quad_xy) for one in reading.cells]
    photo = (PHOTOS / name).read_bytes()
    quads = [(label, tuple(np.ravel(quad).tolist())) for label, quad in cells]
    return ConfirmedBoard(name, tuple(quads), lambda: photo)


def test_a_face_that_no_lesson_showed_is_known_from_then_on(profile: Profile) -> None:
    assert "moon" not in profile.prototypes
    more = with_confirmed(profile, [confirmed(profile)])
    assert more.prototypes["moon"].shape == (1, 4, 128)
    assert more.colours["moon"].shape == more.inks["moon"].shape == (1, 3)
    for label, known in profile.prototypes.items():
        assert np.array_equal(more.prototypes[label], known)
    reading, before = read("lesson_b.jpg", more), read("lesson_b.jpg", profile)
    assert reading.text == before.text == "moon bird bird / boat boat boat / tree tree tree"
    assert reading.sure
    assert reading.cells[0].confidence > 0.999
    assert 1 - before.cells[0].confidence > 5 * (1 - reading.cells[0].confidence)


def test_what_plainly_shows_a_taught_face_is_not_learnt(profile: Profile) -> None:
    wrong = with_confirmed(profile, [confirmed(profile, ("moon", "horse"))])
    assert "moon" not in wrong.prototypes


@pytest.mark.parametrize("left", [None, 0, 1000])
def test_a_damaged_photo_teaches_nothing_and_the_others_go_on(
    profile: Profile, left: int | None
) -> None:
    board = confirmed(profile)
    data = None if left is None else (board.load() or b"")[:left]
    broken = replace(board, name=f"broken {left}", load=lambda: data)
    assert "moon" not in with_confirmed(profile, [broken]).prototypes
    assert "moon" in with_confirmed(profile, [broken, board]).prototypes


def test_cells_of_no_size_teach_nothing(profile: Profile) -> None:
    board = replace(confirmed(profile), cells=(("moon", (0.0,) * 8),))
    assert "moon" not in with_confirmed(profile, [board]).prototypes


def test_bare_cells_teach_only_where_they_are_printed(profile: Profile) -> None:
    board = confirmed(profile)
    cells = ((".", board.cells[0][1]), *board.cells[1:])
    more = with_confirmed(profile, [replace(board, cells=cells)])
    assert "." not in more.prototypes


def test_a_photo_is_looked_at_once(profile: Profile) -> None:
    board = replace(confirmed(profile), name="looked at once")
    looked: list[str] = []

    def load() -> bytes | None:
        looked.append(board.name)
        return board.load()

    for _ in range(3):
        with_confirmed(profile, [replace(board, load=load)])
    assert len(looked) == 1


def test_the_bundled_stones_learn_nothing(profile: Profile) -> None:
    bundled = default_profile("stones")
    assert with_confirmed(bundled, [confirmed(profile)]) is bundled
