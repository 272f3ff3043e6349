"""The example of docs/custom-games.md works as it is printed."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from calibration.lessons import Lesson
from calibration.reader import Reader
from calibration.teach import learn
from vision.boards import BoardSpec
from vision.errors import BoardNotFound
from webapp.__main__ import cli

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "fixtures" / "custom"
OWN_GAMES = ROOT / "fixtures" / "own_games"
PAGE = (ROOT / "docs" / "custom-games.md").read_text(encoding="utf-8")
ANSWERS = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))


def block(kind: str) -> str:
    found = re.search(rf"^```{kind}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_printed_board_is_the_one_in_the_folder() -> None:
    written = tomllib.loads((FOLDER / "harbour.toml").read_text(encoding="utf-8"))
    assert tomllib.loads(block("toml")) == written


def test_the_printed_commands_read_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)
    monkeypatch.setenv("TALLYSTONE_DATA", str(tmp_path))
    teach, read = (shlex.split(line)[1:] for line in block("sh").splitlines())
    taught = CliRunner().invoke(cli, teach)
    assert taught.exit_code == 0, taught.output
    assert "learnt 6 labels" in taught.stdout
    answers = [
        json.loads(line) for line in CliRunner().invoke(cli, [*read, "--json"]).stdout.splitlines()
    ]
    assert CliRunner().invoke(cli, read).stdout == block("text")
    for answer, known in zip(answers, ANSWERS["photos"], strict=True):
        assert (answer["photo"], answer["text"]) == (known["photo"], known["text"])
        assert all(cell["confidence"] > 0.9 for cell in answer["cells"] if cell["label"] != ".")


def test_a_board_of_another_size_is_refused_as_a_lesson(tmp_path: Path) -> None:
    lesson = f"{FOLDER / 'lesson_1.jpg'}=sun moon / bird boat"
    board = str(FOLDER / "harbour.toml")
    refused = CliRunner().invoke(
        cli, ["teach", "h", "--board", board, "--data", str(tmp_path), lesson]
    )
    assert (
        refused.exit_code,
        "3 rows of" in refused.stderr or "2 rows of 3" in refused.stderr,
    ) == (1, True)


def test_a_profile_that_is_taught_anew_can_be_brought_back(tmp_path: Path) -> None:
    def teach(photo: int, layout: str) -> Result:
        lesson = f"{FOLDER / f'lesson_{photo}.jpg'}={layout}"
        board = ["--board", str(FOLDER / "harbour.toml")]
        return CliRunner().invoke(cli, ["teach", "h", *board, *data, lesson, "--json"])

    data = ["--data", str(tmp_path)]
    assert "taught before" not in teach(1, "sun moon fish / bird boat tree").stderr
    path = tmp_path / "profiles" / "h.harbour.tallyprofile"
    former = path.read_bytes()
    anew = teach(2, "boat fish tree / moon sun bird")
    assert json.loads(anew.stdout)["profile"] == "h"
    assert path.read_bytes() != former
    said = re.search(r"`tallystone (profiles import .*)`", anew.stderr)
    assert said is not None
    back = CliRunner().invoke(cli, [*shlex.split(said[1]), *data])
    assert (back.exit_code, path.read_bytes()) == (0, former)


@pytest.mark.parametrize("game", ["harvest", "meadows", "ribbons"])
def test_every_example_is_taught_and_read(game: str) -> None:
    """Its pieces may be laid in any grid to teach them, also in one larger than the board."""
    spec = BoardSpec.from_toml((OWN_GAMES / f"{game}.toml").read_text(encoding="utf-8"))
    lies = json.loads((OWN_GAMES / "answers.json").read_text(encoding="utf-8"))
    photo = (OWN_GAMES / f"{game}_lesson.jpg").read_bytes()
    taught, _ = learn("ours", spec, [Lesson(photo, lies[f"{game}_lesson"], "lesson")])
    reader = Reader(spec, taught.with_details())
    reading = reader.read((OWN_GAMES / f"{game}_game.jpg").read_bytes())
    assert not isinstance(reading, BoardNotFound)
    assert (reading.text, reading.doubts) == (lies[f"{game}_game"], ())
