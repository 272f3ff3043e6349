"""Whether a grid shows the set at all."""

from typing import get_args

import numpy as np
import pytest

from vision.choose import LEAST_BELIEF
from vision.kinds.kind import JudgeName
from vision.probability import fitted

CLEAR = {
    "typical": 0.93,
    "mean": 0.92,
    "low": 0.9,
    "apart": 0.15,
    "decided": 6.0,
    "clear": 0.99,
    "unclear": 0.97,
    "directed": 1.0,
    "fits": -0.01,
    "share_known": 1.0,
    "known": 0.99,
    "least_known": 0.95,
    "held": 1.0,
    "presence": 0.99,
    "pieces": 0.0,
}
"""A board in a good photo."""
OTHER_GAME = {
    "typical": 0.72,
    "mean": 0.71,
    "low": 0.69,
    "apart": 0.03,
    "decided": 1.0,
    "clear": 0.7,
    "unclear": 0.45,
    "directed": 0.7,
    "fits": -1.8,
    "share_known": 0.2,
    "known": 0.35,
    "least_known": 0.02,
    "held": 0.8,
    "presence": 0.97,
    "pieces": 0.0,
}
"""A grid on the tiles of another game."""


def belief(signs: dict[str, float], kind: JudgeName) -> float:
    """How probably such a grid shows the set.

    Eight cards lie there if the board is of open shape, and printed boards know no misfit.
    """
    fits = signs["fits"] if kind in ("published", "stones") else 0.0
    every = signs | {"fits": fits, "pieces": 2.08 if kind == "open" else 0.0}
    judge = fitted().judges[f"{kind} set"]
    return float(judge.chances({name: np.array([value]) for name, value in every.items()})[0])


@pytest.mark.parametrize("kind", get_args(JudgeName))
def test_a_clear_board_is_believed_and_another_game_is_not(kind: JudgeName) -> None:
    assert belief(CLEAR, kind) > 0.9
    assert belief(OTHER_GAME, kind) < 0.1 < LEAST_BELIEF


@pytest.mark.parametrize("kind", ["stones", "seasons", "open"])
def test_pieces_little_like_the_faces_are_believed_less(kind: JudgeName) -> None:
    pale = CLEAR | {"typical": 0.8, "mean": 0.8, "low": 0.77}
    assert belief(pale, kind) < belief(CLEAR, kind)
