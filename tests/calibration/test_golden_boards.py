"""Season boards and grids of time are taught from two photos, read from two and scored."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from webapp.__main__ import cli

FOLDER = Path(__file__).parents[2] / "fixtures" / "boards"
ANSWERS = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))

PUBLISHED = {"six-diagonals": 20, "connections": 14, "area-colour": 21, "largest-group": 15}
"""Points of the rulebook's example, whose figures the board of the first photo gives."""

SECOND = {"six-diagonals": 0, "connections": 0, "area-colour": 5 + 0 + 0 + 3, "largest-group": 3}
"""Points of the board of the second photo, counted by hand."""

RANKINGS = (
    [("spring", 3, 1, 4), ("winter", 2, 1, 3), ("summer", 2, 1, 2), ("autumn", 2, 1, 1)],
    [("winter", 2, 2, 4), ("spring", 1, 1, 3), ("summer", 1, 1, 2), ("autumn", 1, 1, 1)],
)
"""Season, cards, largest group and points; winter is first in turn order, spring second."""


def tallystone(*arguments: str, given: str | None = None) -> list[Any]:
    """The JSON lines that a command prints."""
    result = CliRunner().invoke(cli, list(arguments), input=given)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def readings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What is read from the photos of each board, once it was taught."""
    data = str(tmp_path_factory.mktemp("data"))
    found = {}
    for board, known in ANSWERS.items():
        lessons = [f"{FOLDER / photo}={text}" for photo, text in known["teach"]]
        tallystone("teach", f"my {board}", "--board", board, "--data", data, "--json", *lessons)
        photos = [str(FOLDER / photo["photo"]) for photo in known["photos"]]
        where = ("--board", board, "--profile", f"my {board}", "--data", data)
        found[board] = tallystone("read", *where, "--json", *photos)
    return found


@pytest.mark.parametrize("board", list(ANSWERS))
def test_boards_are_read_exactly(readings: dict[str, list[Any]], board: str) -> None:
    assert [reading["text"] for reading in readings[board]] == [
        photo["text"] for photo in ANSWERS[board]["photos"]
    ]


def test_what_is_clear_asks_nothing(readings: dict[str, list[Any]]) -> None:
    assert [reading["sure"] for reading in readings["time"]] == [True, True]
    assert readings["seasons"][1]["sure"]


def test_season_boards_are_scored_as_they_were_read(readings: dict[str, list[Any]]) -> None:
    known = ANSWERS["seasons"]
    players = [
        {"name": name, "season": season, "board": reading["text"]}
        for (name, season), reading in zip(
            known["players"].items(), readings["seasons"], strict=True
        )
    ]
    document = {"game": "seasons", "cards": known["cards"], "players": players}
    (answer,) = tallystone("score", "--json", given=json.dumps(document))
    ann, bob = answer["players"]
    assert {card["card"]: card["points"] for card in ann["cards"]} == PUBLISHED
    assert ann["total"] == 70
    assert {card["card"]: card["points"] for card in bob["cards"]} == SECOND
    assert answer["winners"] == ["Ann"]


@pytest.mark.parametrize("number", [0, 1])
def test_grids_of_time_are_scored_as_they_were_read(
    readings: dict[str, list[Any]], number: int
) -> None:
    document = {
        "game": "time",
        "grid": readings["time"][number]["text"],
        "order": ["winter", "spring"],
    }
    (answer,) = tallystone("score", "--json", given=json.dumps(document))
    rows = [(row["season"], row["cards"], row["group"], row["points"]) for row in answer["ranking"]]
    assert rows == RANKINGS[number]


def test_the_photos_are_those_that_the_script_lists() -> None:
    listed = {photo for known in ANSWERS.values() for photo, _ in known["teach"]}
    listed |= {photo["photo"] for known in ANSWERS.values() for photo in known["photos"]}
    assert {path.name for path in FOLDER.glob("*.jpg")} == listed
