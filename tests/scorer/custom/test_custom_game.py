"""Games that the players describe, at the table: what may be changed on a board."""

from typing import Any

import pytest

from scorer.game import ActionError
from scorer.games import GAMES
from scorer.setup import started

GAME = GAMES["custom"]
HOST = {"role": "host", "seat": 0}
BOARD = {"name": "farm", "rows": [2, 2], "cols": [2, 2], "empty": True}
CELL = {"type": "cell", "seat": 0, "row": 1, "col": 1, "label": "dog"}
Json = dict[str, Any]


def laid() -> Json:
    players = [{"name": "Ann", "colour": "red"}, {"name": "Ben", "colour": "blue"}]
    _, state = started(GAME, {"players": players, "options": {"board": BOARD}})
    return GAME.act(state, {"type": "board", "seat": 0, "text": "cow pig / hen ."}, HOST)


def test_a_tap_changes_one_cell() -> None:
    assert GAME.act(laid(), CELL, HOST)["boards"]["0"]["text"] == "cow pig / hen dog"


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (CELL | {"row": -1}, "cell"),
        (CELL | {"col": -1}, "cell"),
        (CELL | {"col": 2}, "cell"),
        (CELL | {"label": ""}, "label"),
        (CELL | {"label": "a b"}, "label"),
        (CELL | {"label": "a/b"}, "label"),
        ({"type": "extra", "seat": 0, "points": 10**9}, "points"),
        ({"type": "worth", "label": ".", "points": 3}, "label"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(action: Json, code: str) -> None:
    with pytest.raises(ActionError) as refused:
        GAME.act(laid(), action, HOST)
    assert refused.value.code == code
    assert refused.value.message.endswith(".")


def test_pieces_are_listed_by_their_numbers() -> None:
    state = GAME.act(laid(), {"type": "board", "seat": 0, "text": "p10 p2 / p1 ."}, HOST)
    view = GAME.view(state, HOST)
    lines = [line["label"] for line in view["players"][0]["lines"]]
    assert view["labels"] == lines == ["p1", "p2", "p10"]
    glanced = GAME.glance("p10 p2 / p1 .")
    assert glanced is not None
    assert [line.item for line in glanced] == lines


def test_the_one_board_of_all_earns_nothing_and_says_so_nowhere() -> None:
    rule = {"rule": "run", "name": "cows", "pieces": "cow", "least": 2}
    options = {"board": BOARD | {"score": [rule]}, "shared": True}
    _, state = started(GAME, {"players": [{"name": "Ann", "colour": "red"}], "options": options})
    for action in (
        {"type": "board", "text": "cow cow / hen ."},
        {"type": "worth", "label": "cow", "points": 3},
        {"type": "extra", "seat": 0, "points": 4},
    ):
        state = GAME.act(state, action, HOST)
    view = GAME.view(state, HOST)
    (ann,) = view["players"]
    assert (ann["rules"], ann["lines"], ann["total"], view["labels"]) == ([], [], 4, [])
    assert [column.items for column in GAME.pad(state)] == [("total",)]
    assert [(line.item, line.points) for line in GAME.score_lines(state)] == [("total", 4)]
