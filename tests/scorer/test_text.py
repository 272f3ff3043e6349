"""Sentences keep their templates and values wherever they go."""

import copy
import json
import pickle

import pytest

from scorer.documents import answer_lines
from scorer.notation import NotationError, split_grid
from scorer.report import render
from scorer.text import Text, Told, both, either, listed
from scorer.time.board import TimeGrid
from scorer.time.score import ranking
from scorer.time.view import ahead

PLACE = Text("row %(row)s column %(col)s", row=1, col=2)
TEXT = Text("%(group)s at %(places)s", group=Text("a winter tile"), places=listed([PLACE, PLACE]))
ENGLISH = "a winter tile at row 1 column 2, row 1 column 2"


def test_a_text_is_its_english() -> None:
    assert TEXT == ENGLISH
    assert {TEXT: 1}[ENGLISH] == 1
    assert f"{TEXT}." == ENGLISH + "."
    assert json.dumps([TEXT]) == json.dumps([ENGLISH])


@pytest.mark.parametrize(
    "again",
    [
        copy.deepcopy,
        lambda text: pickle.loads(pickle.dumps(text)),
        lambda text: Text.from_json(json.loads(json.dumps(text.to_json()))),
        Text,
    ],
)
def test_a_text_keeps_its_parts(again: type[Text]) -> None:
    text = again(TEXT)
    assert text == ENGLISH
    assert (text.template, text.values) == (TEXT.template, TEXT.values)
    assert text.values["group"].template == "a winter tile"
    assert text.values["places"].values["part1"].values == {"row": 1, "col": 2}


def test_what_was_kept_as_a_string_is_a_text_without_gaps() -> None:
    text = Text.from_json("100% of it was 5%(dark)s")
    assert (text, text.template, text.values) == (text, "100% of it was 5%(dark)s", {})


def test_lists_and_chains() -> None:
    assert listed([]) == ""
    assert listed(["a", "b", "c"], "; ") == "a; b; c"
    assert both(["a"]) == "a"
    assert both(["a", "b", "c"]) == "a and b and c"
    assert either(["a", "b", "c"]) == "a or b or c"


def test_an_error_has_its_text() -> None:
    with pytest.raises(NotationError) as caught:
        split_grid("sun moon", (3, 3), (3, 4))
    assert isinstance(caught.value, Told)
    message = caught.value.message
    assert message == str(caught.value) == "expected 3 rows, got 1: 'sun moon'"
    assert message.template == "expected %(span)s rows, got %(count)s: %(text)s"
    assert pickle.loads(pickle.dumps(caught.value)).message.values == message.values


def test_one_is_told_in_the_singular() -> None:
    ranks = ranking(TimeGrid.parse("spring"))
    assert ahead(*ranks[:2]) == "It is ahead of summer: 1 visible card against 0."
    (found,) = answer_lines("score", ['{"game": "time", "grid": "spring"}'])
    assert "spring  4 points (1 card, largest group 1)" in render(found)
    assert "winter  1 point (0 cards, largest group 0)" in render(found)
