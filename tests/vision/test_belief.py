"""Whether a grid shows the set at all."""

from typing import get_args

import pytest

from vision.choose import LEAST_BELIEF, Signs, judges
from vision.kinds.kind import JudgeName

CLEAR = Signs(
    typical=0.93,
    mean=0.92,
    low=0.9,
    apart=0.15,
    decided=6.0,
    clear=0.99,
    unclear=0.97,
    directed=1.0,
    misfit=0.01,
    share_known=1.0,
    known=0.99,
    least_known=0.95,
    bare=0.0,
    presence=0.99,
    pieces=0.0,
)
"""A board in a good photo."""
OTHER_GAME = Signs(
    typical=0.72,
    mean=0.71,
    low=0.69,
    apart=0.03,
    decided=1.0,
    clear=0.7,
    unclear=0.45,
    directed=0.7,
    misfit=1.8,
    share_known=0.2,
    known=0.35,
    least_known=0.02,
    bare=0.2,
    presence=0.97,
    pieces=0.0,
)
"""A grid on the tiles of another game."""


def on_board(signs: Signs, kind: JudgeName) -> Signs:
    """Eight cards lie there if the board is of open shape, and printed boards know no misfit."""
    misfit = signs.misfit if kind in ("published", "stones") else 0.0
    return signs._replace(misfit=misfit, pieces=2.08 if kind == "open" else 0.0)


@pytest.mark.parametrize("kind", get_args(JudgeName))
def test_a_clear_board_is_believed_and_another_game_is_not(kind: JudgeName) -> None:
    assert judges()[kind].probability(on_board(CLEAR, kind)) > 0.9
    assert judges()[kind].probability(on_board(OTHER_GAME, kind)) < 0.1 < LEAST_BELIEF


@pytest.mark.parametrize("kind", get_args(JudgeName))
def test_no_sign_speaks_against_what_it_is_a_sign_of(kind: JudgeName) -> None:
    for sign, weight in judges()[kind].weights._asdict().items():
        assert weight <= 0 if sign in ("misfit", "bare") else weight >= 0


@pytest.mark.parametrize("kind", ["stones", "seasons", "open"])
def test_pieces_little_like_the_faces_are_believed_less(kind: JudgeName) -> None:
    pale = CLEAR._replace(typical=0.8, mean=0.8, low=0.77)
    assert judges()[kind].probability(on_board(pale, kind)) < judges()[kind].probability(
        on_board(CLEAR, kind)
    )
