"""Cells that look alike and have the same two guesses are one question."""

import numpy as np
import pytest

from vision.doubts import Asked, cell_doubts

GUESSES = (("spring", 0.8), ("summer", 0.2))


def vector(apart: float) -> np.ndarray:
    """A unit vector whose likeness to the first axis is one less ``apart``."""
    like = 1 - apart
    return np.array([like, np.sqrt(1 - like**2)], np.float32)


@pytest.mark.parametrize(
    ("cells_apart", "faces_apart", "questions"),
    [(0.01, 0.2, 1), (0.01, 0.02, 2), (0.1, 0.9, 2), (0.01, None, 1), (0.1, None, 2)],
)
def test_pieces_are_one_question_if_they_are_nearer_than_the_faces_they_may_show(
    cells_apart: float, faces_apart: float | None, questions: int
) -> None:
    """Two faces that nearly look alike are told apart by less than other pieces of one face."""
    cells = [
        Asked((0, column), GUESSES, vector(apart), faces_apart)
        for column, apart in enumerate((0.0, cells_apart))
    ]
    doubts = cell_doubts(cells)
    assert len(doubts) == questions
    assert sorted(place for doubt in doubts for place in doubt.cells) == [(0, 0), (0, 1)]


def test_other_guesses_or_nothing_to_compare_are_questions_of_their_own() -> None:
    one = Asked((0, 0), GUESSES, vector(0.0), 0.5)
    other = Asked((0, 1), (("spring", 0.8), ("winter", 0.2)), vector(0.0), 0.5)
    unseen = Asked((0, 2), GUESSES)
    assert len(cell_doubts([one, other, unseen])) == 3
