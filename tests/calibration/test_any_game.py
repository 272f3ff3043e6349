"""Which game lies on a photo, where nobody says it."""

import json
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.any_game import AnyGame, open_any
from calibration.lessons import Lesson
from calibration.profiles import load_taught, save_taught
from calibration.taught import ProfileError
from calibration.teach import teach
from vision.choose import MORE_PIECES
from vision.errors import VisionError
from vision.kinds.cards.reading import CardsReading
from webapp.__main__ import cli
from webapp.quick_look import QuickLook
from webapp.service import TableReader

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "calibration" / "demo"
CUSTOM = ROOT / "fixtures" / "custom"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a game of its own, taught from two photos."""
    folder = tmp_path_factory.mktemp("any-game")
    answers = json.loads((CUSTOM / "answers.json").read_text(encoding="utf-8"))
    lessons = [
        Lesson(photo=(CUSTOM / name).read_bytes(), layout=layout, source=name)
        for name, layout in answers["teach"]
    ]
    teach("ours", str(CUSTOM / "harbour.toml"), lessons, folder)
    return folder


@pytest.fixture(scope="module")
def any_game(data: Path) -> AnyGame:
    return open_any(data)


def test_stones_are_told_from_a_taught_game(any_game: AnyGame) -> None:
    reading = any_game.read((DEMO / "easy_1.jpg").read_bytes())
    assert reading.board == "stones"
    (first, p), *_ = reading.kinds
    assert first == "stones"
    assert p > 0.9
    assert sum(chance for _, chance in reading.kinds) == pytest.approx(1)


def test_a_taught_game_is_found_by_its_name_with_its_copy(any_game: AnyGame) -> None:
    name = tomllib.loads((CUSTOM / "harbour.toml").read_text(encoding="utf-8"))["name"]
    found = any_game.found((CUSTOM / "game_1.jpg").read_bytes())
    assert found.reading.board == name
    assert found.reading.profile == "ours"
    assert found.reader is not None
    assert found.reader.spec.name == name


@pytest.mark.parametrize("board", ["auto", "harbour"])
def test_the_quick_look_reads_each_edition_by_its_own_description(
    board: str, data: Path, tmp_path: Path
) -> None:
    shutil.copytree(data / "profiles", tmp_path / "profiles")
    own = ROOT / "fixtures" / "own_games"
    layout = json.loads((own / "answers.json").read_text(encoding="utf-8"))["harvest_lesson"]
    shape = tmp_path / "newer.toml"
    shape.write_text('name = "harbour"\nrows = [2, 4]\ncols = [4, 5]', encoding="utf-8")
    lesson = Lesson((own / "harvest_lesson.jpg").read_bytes(), layout, "lesson.jpg")
    teach("newer", str(shape), [lesson], tmp_path)
    newer = load_taught("newer", "harbour", tmp_path)
    save_taught(replace(newer, created="2090-01-01T00:00:00+00:00"), tmp_path)
    looked = QuickLook(TableReader(tmp_path)).read((CUSTOM / "game_1.jpg").read_bytes(), board)
    answers = json.loads((CUSTOM / "answers.json").read_text(encoding="utf-8"))
    assert (looked.profile, looked.reading.text) == ("ours", answers["photos"][0]["text"])
    assert looked.spec is not None
    assert (looked.spec["rows"], looked.spec["cols"]) == ([2, 3], [3, 4])


def test_another_game_beside_the_one_that_is_read_is_told(any_game: AnyGame) -> None:
    photos = [DEMO / "easy_1.jpg", CUSTOM / "game_1.jpg"]
    both = np.hstack([cv2.resize(cv2.imread(str(photo)), (1200, 900)) for photo in photos])
    assert MORE_PIECES in any_game.read(bytes(cv2.imencode(".jpg", both)[1])).problems
    for photo in photos:
        assert MORE_PIECES not in any_game.read(photo.read_bytes()).problems


def test_pattern_cards_are_found_where_no_board_lies(any_game: AnyGame) -> None:
    reading = any_game.read((ROOT / "fixtures" / "cards" / "prints_1.jpg").read_bytes())
    assert isinstance(reading, CardsReading)
    assert reading.kinds[0][0] == "cards"


def test_a_table_without_a_game_is_refused_and_told_as_none(any_game: AnyGame) -> None:
    noise = np.random.default_rng(3).integers(60, 200, (24, 32, 3)).astype(np.uint8)
    table = cv2.resize(noise, (1280, 960), interpolation=cv2.INTER_CUBIC)
    jpeg = bytes(cv2.imencode(".jpg", table)[1])
    with pytest.raises(VisionError) as refused:
        any_game.read(jpeg)
    assert refused.value.code in ("no_board", "unknown_pieces", "blurred")
    assert dict(refused.value.kinds)["none"] > 0.5


def test_the_command_prints_the_kinds(data: Path) -> None:
    photo = str(DEMO / "easy_1.jpg")
    arguments = ["read", photo, "--board", "auto", "--data", str(data), "--json"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert answer["board"] == "stones"
    assert answer["kinds"][0][0] == "stones"
    told = CliRunner().invoke(cli, arguments[:-1]).stdout
    assert ": stones 9" in told


@pytest.mark.parametrize("more", [["--same"], ["--corners", "photo"]])
def test_what_belongs_to_one_board_needs_its_name(data: Path, more: list[str]) -> None:
    photo = str(DEMO / "easy_1.jpg")
    arguments = ["read", photo, "--board", "auto", "--data", str(data), *more]
    assert CliRunner().invoke(cli, arguments).exit_code == 2


def test_a_name_that_nobody_taught_is_refused(data: Path) -> None:
    with pytest.raises(ProfileError, match="no profile 'nobody'"):
        open_any(data, "nobody")
