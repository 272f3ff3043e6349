"""Every text in every language: none missing, gaps the same, refusals and reasons included."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from babel.messages.mofile import read_mo
from conftest import TokenClient
from flask import Flask

from scorer.documents import answer_lines
from webapp import messages
from webapp.i18n import LANGUAGES, gettext, ngettext
from webapp.tables.photos import told

OTHERS = sorted(set(LANGUAGES) - {"en"})


def gaps(text: str) -> list[str]:
    return sorted(set(re.findall(r"%\(\w+\)s", text)))


def test_the_languages_are_those_of_the_catalogues() -> None:
    assert sorted(messages.LANGUAGES) == OTHERS


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_is_missing(language: str) -> None:
    assert messages.missing(language) == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_same_gaps(language: str) -> None:
    for message in messages.catalogue(language):
        if message.id and message.string:
            assert gaps(str(message.string)) == gaps(str(message.id)), message.id


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    with (messages.FOLDER / language / "LC_MESSAGES" / "messages.mo").open("rb") as file:
        compiled = {str(one.id): one.string for one in read_mo(file) if one.id}
    assert compiled == {
        str(one.id): one.string for one in messages.catalogue(language) if one.id and one.string
    }


@pytest.mark.parametrize("language", OTHERS)
def test_the_page_and_its_scripts_speak_the_language(client: TokenClient, language: str) -> None:
    page = client.get("/", headers={"Accept-Language": language}).get_data(as_text=True)
    assert f'<html lang="{language}"' in page
    assert "Start a game" not in page
    texts = client.get(f"/i18n/{language}.json").get_json()
    assert texts["Start a game"] in page


@pytest.mark.parametrize(
    ("language", "one", "two"), [("de", "Eine Angabe", "2 Angaben"), ("zh", "有 1 处", "有 2 处")]
)
def test_numbers_aretold_in_the_language(app: Flask, language: str, one: str, two: str) -> None:
    with app.test_request_context(headers={"Accept-Language": language}):
        told = app.jinja_env.from_string(
            "{{ ngettext('One figure differs', '%(num)s figures differ', n) }}"
        ).render
        for number, start in ((1, one), (2, two)):
            assert told(n=number) == ngettext(
                "One figure differs", "%(num)s figures differ", number
            )
            assert told(n=number).startswith(start)
            assert "differ" not in told(n=number)


def test_a_refusal_istold_in_the_language_of_the_device(client: TokenClient) -> None:
    setup = {"players": [{"name": "Ann", "colour": "red"}, {"name": "ann", "colour": "green"}]}
    answer = client.post(
        "/api/games",
        json={"kind": "stones", "setup": setup},
        headers={"X-CSRF-Token": client.token(), "Accept-Language": "de"},
    )
    assert (
        answer.get_json()["error"]["message"]
        == "Zwei Spieler heißen ann: gib einem davon einen anderen Namen."
    )


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(
    "sentence",
    [
        (
            "There is glare on row 1 column 2 and row 3 column 1: tilt the phone a little, or move "
            "the lamp."
        ),
        "The photo cuts off column 3: step back until the whole board is in it.",
        "This is a HEIC photo, which is not read, please send it as JPEG (on an iPhone: Settings, "
        "Camera, Formats, Most Compatible).",
        "There is nothing to undo.",
        "There is a profile 'mine' already: choose another name, or replace it.",
        "The board shows 3 stones with fish or bird, but the box holds only 2.",
        "expected up to 24 tiles on a board, got 25",
        "not taught yet: fish, bird; such a piece will be read as another or flagged",
        "fish and bird look alike in this light (0.62): take one more photo of them",
        (
            "1 of 3 pictures of fish looks more like another face: check the layouts, or take one "
            "more photo"
        ),
        (
            "the picture of bird looks more like another face: check the layouts, or take one more "
            "photo"
        ),
        "mine was taken from the far side and was turned upright",
    ],
)
def test_what_is_put_together_istold_whole(app: Flask, language: str, sentence: str) -> None:
    with app.test_request_context(headers={"Accept-Language": language}):
        told = gettext(sentence)
    english = set(re.findall(r"\b[a-z]{3,}\b", sentence)) & set(re.findall(r"\b[a-z]{3,}\b", told))
    assert english <= {"mine"}


def test_the_problems_of_a_kept_reading_aretold_in_the_language_of_each_device(app: Flask) -> None:
    reading = {"text": "...", "problems": ["The photo is dark: switch on a light."]}
    with app.test_request_context(headers={"Accept-Language": "de"}):
        assert told(reading)["problems"] == ["Das Foto ist dunkel: mach ein Licht an."]
    with app.test_request_context(headers={"Accept-Language": "en"}):
        assert told(reading) == reading


def seasons() -> Iterator[dict[str, Any]]:
    """Boards filled at random, with a figure that is wrong for every card."""
    from scorer.seasons.cards import CARDS

    chance = random.Random(7)
    numbers = {(0, 1): "1", (1, 5): "2", (5, 4): "3", (4, 0): "4"}
    for _ in range(25):
        cells = [
            [
                numbers.get((row, col))
                or chance.choice(["sp", "su", "au", "wi", "sp*", "su*", "au*", "wi*"])
                for col in range(6)
            ]
            for row in range(6)
        ]
        for row, col in chance.sample(
            [(r, c) for r in range(6) for c in range(6) if (r, c) not in numbers], 8
        ):
            cells[row][col] = "."
        board = " / ".join(" ".join(row) for row in cells)
        yield {
            "game": "seasons",
            "cards": list(CARDS),
            "players": [{"name": "Ann", "season": "spring", "board": board}],
            "claimed": {
                "Ann": {card: chance.randrange(30) for card in CARDS}
                | {"total": chance.randrange(150)}
            },
        }


def others() -> Iterator[dict[str, Any]]:
    chance = random.Random(8)
    for _ in range(40):
        cards = chance.sample(range(1, 73), 8)
        yield {
            "game": "stones",
            "players": [{"name": "Ann", "cards": cards[:4]}, {"name": "Ben", "cards": cards[4:]}],
            "claimed": {
                "Ann": {
                    "points": chance.randrange(20),
                    "ones": 9,
                    "bonus": 1,
                    "total": chance.randrange(20),
                }
            },
        }
        row = [chance.choice(["spring", "summer", "autumn", "winter"]) for _ in range(8)]
        yield {
            "game": "time",
            "grid": " ".join(row[:4]) + " / " + " ".join(row[4:]),
            "order": ["spring", "summer", "autumn", "winter"],
            "claimed": {
                season: chance.randrange(5) for season in ("spring", "summer", "autumn", "winter")
            },
        }
        yield {
            "game": "villagers",
            "market": chance.choice([1, 2]),
            "village": {
                "chains": [["Hayer", ["Grazier", "Milk Maid"]], ["Chandler"], ["Miner", "Seeker"]]
            },
            "supply": 5,
            "claimed": {
                item: chance.randrange(12)
                for item in ("gold", "silver", "coins", "supply", "total")
            },
        }


ENGLISH = re.compile(r"\b(?:the|was|were|not|counted|points?|tiles?|more|fewer|cards?|with|but)\b")


@pytest.mark.parametrize("language", OTHERS)
def test_reasons_of_the_audit_aretold_in_the_language(app: Flask, language: str) -> None:
    untold = set()
    with app.test_request_context(headers={"Accept-Language": language}):
        for document in [*seasons(), *others()]:
            (answer,) = answer_lines("audit", [json.dumps(document)])
            for line in answer["lines"]:
                told = gettext(line["why"])
                if line["why"] and (told == line["why"] or ENGLISH.search(told)):
                    untold.add(f"{line['why']}\n    {told}")
    assert sorted(untold) == []
