"""How likely each game is at first sight."""

import numpy as np
import pytest

from vision.boards import SEASONS_BOARD, STONES, TIME
from vision.errors import BoardNotFound
from vision.find.lattice import Lattice
from vision.profile import Profile
from vision.which import NONE, Copy, Sighting, chances, share_held

QUAD = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


def grid(rows: int, cols: int) -> Lattice:
    """A grid with a piece on every place."""
    places = [(row, col) for row in range(rows) for col in range(cols)]
    return Lattice(
        {place: QUAD + place for place in places},
        dict.fromkeys(places, 1.0),
        np.eye(3),
        rows,
        cols,
        (0.5, 0.5),
    )


@pytest.mark.parametrize(
    ("rows", "cols", "stones", "time", "seasons"),
    [(3, 3, 1, 1, 1), (4, 4, 9 / 16, 1, 1), (6, 6, 9 / 36, 16 / 36, 1), (1, 2, 2 / 9, 1, 1)],
)
def test_a_board_of_another_size_holds_fewer_pieces(
    rows: int, cols: int, stones: float, time: float, seasons: float
) -> None:
    shares = [share_held(grid(rows, cols), spec) for spec in (STONES, TIME, SEASONS_BOARD)]
    assert shares == pytest.approx([stones, time, seasons])


def test_what_was_looked_for_and_not_found_is_least_probable() -> None:
    copies = [Copy(spec, Profile("one", spec.name, {}, "")) for spec in (STONES, TIME)]
    missing = Sighting(copies[0], 3.0, refusal=BoardNotFound("no_board", "No board."))
    not_read = Sighting(copies[1], 3.0)
    found = chances([missing, not_read])
    assert [name for name, _ in found][-1] == "stones"
    assert dict(found)[NONE] == pytest.approx(dict(found)["time"], rel=0.01)
    assert sum(p for _, p in found) == pytest.approx(1)


def test_the_likeliest_copy_speaks_for_its_game() -> None:
    copies = [Sighting(Copy(STONES, Profile(name, "stones", {}, "")), 2.0) for name in "abc"]
    assert chances(copies) == chances(copies[:1])
