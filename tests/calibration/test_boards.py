"""A board of one's own is a small TOML file; whatever is wrong with it is said in one sentence."""

from pathlib import Path

import pytest

from calibration.boards import open_board
from scorer.custom.board import BoardSpecError
from vision.boards import BOARDS, BoardSpec
from webapp.commands.common import BoardType

GOOD = {"name": "set", "rows": [1, 5], "cols": [1, 5]}


def test_built_in_boards_are_opened_by_name() -> None:
    for name, spec in BOARDS.items():
        assert open_board(name) is spec
        assert spec.name == name


def test_every_field_is_read(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text(
        (
            'name = "set"\nrows = [3, 7]\ncols = 3\nempty = true\naspect = 1.5\nturns = '
            '2\n[counts]\n"red+oval" = 3\n'
        ),
        encoding="utf-8",
    )
    assert open_board(str(path)) == BoardSpec(
        "set", (3, 7), (3, 3), empty=True, aspect=1.5, turns=2, counts={"red+oval": 3}
    )


def test_pieces_that_look_the_same_turned_do_not_tell_a_direction() -> None:
    assert BoardSpec.from_table(GOOD).is_directed
    table = GOOD | {"direction": "any"}
    spec = BoardSpec.from_table(table)
    assert not spec.is_directed
    assert BoardSpec.from_table(spec.to_table()) == spec


def test_what_is_not_said_is_a_full_grid_of_upright_squares() -> None:
    assert BoardSpec.from_table(GOOD) == BoardSpec("set", (1, 5), (1, 5))
    assert BoardSpec.from_table(GOOD).most_cells == 25


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("", "name"),
        ("name = 3", "name"),
        ('name = " "', "name"),
        ('name = "stones"', "name"),
        ('name = "set"\nrows = "3"', "rows"),
        ('name = "set"\nrows = 0', "rows"),
        ('name = "set"\nrows = true', "rows"),
        ('name = "set"\nrows = [true, 2]', "rows"),
        ('name = "set"\nrows = [3, 2]', "rows"),
        ('name = "set"\nrows = [1, 33]', "rows"),
        ('name = "set"\nrows = [1, 2, 3]', "rows"),
        ('name = "set"\nrows = [1.0, 2.0]', "rows"),
        ('name = "set"\nrows = 3', "cols"),
        ('name = "set"\nrows = 3\ncols = -1', "cols"),
        ('name = "set"\nrows = 3\ncols = {}', "cols"),
        ('name = "set"\nrows = 3\ncols = 3\nempty = 1', "empty"),
        ('name = "set"\nrows = 3\ncols = 3\naspect = 0', "aspect"),
        ('name = "set"\nrows = 3\ncols = 3\naspect = 6.0', "aspect"),
        ('name = "set"\nrows = 3\ncols = 3\naspect = nan', "aspect"),
        ('name = "set"\nrows = 3\ncols = 3\naspect = inf', "aspect"),
        ('name = "set"\nrows = 3\ncols = 3\naspect = true', "aspect"),
        ('name = "set"\nrows = 3\ncols = 3\naspect = "wide"', "aspect"),
        ('name = "set"\nrows = 3\ncols = 3\nturns = 3', "turns"),
        ('name = "set"\nrows = 3\ncols = 3\nturns = true', "turns"),
        ('name = "set"\nrows = 3\ncols = 3\nturns = 2.0', "turns"),
        ('name = "set"\nrows = 3\ncols = 3\nturns = [1]', "turns"),
        ('name = "set"\nrows = 3\ncols = 3\ndirection = "up"', "direction"),
        ('name = "set"\nrows = 3\ncols = 3\ndirection = true', "direction"),
        ('name = "set"\nrows = 3\ncols = 3\ndirection = ["any"]', "direction"),
        ('name = "set"\nrows = 3\ncols = 3\ncounts = 3', "counts"),
        ('name = "set"\nrows = 3\ncols = 3\ncounts = {sun = -1}', "counts"),
        ('name = "set"\nrows = 3\ncols = 3\ncounts = {sun = "2"}', "counts"),
        ('name = "set"\nrows = 3\ncols = 3\ncounts = {sun = true}', "counts"),
        ('name = "set"\nrows = 3\ncols = 3\naspects = 1.5', "aspects"),
    ],
)
def test_a_wrong_field_is_named_with_its_file(line: str, field: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(BoardSpecError) as refused:
        open_board(str(path))
    message = str(refused.value)
    assert message.startswith(f"mine.toml: {field}: ")
    assert "expected" in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "data",
    [
        *(b"rows = ", b"rows = 1\nrows = 2", b'name = "\xff"', b"\x00", b"\x89PNG\r\n"),
        *(b"rows = " + b"9" * 5000, b"rows = 0x" + b"f" * 4000),
    ],
)
def test_a_file_that_is_no_toml_is_named(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(data)
    with pytest.raises(BoardSpecError, match=r"^mine\.toml: ") as refused:
        open_board(str(path))
    assert "\n" not in str(refused.value)


def test_a_file_that_begins_with_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nrows = 2\ncols = 3\n', encoding="utf-8-sig")
    assert open_board(str(path)).cols == (3, 3)


def test_a_file_of_another_encoding_is_named_and_its_ending_may_be_large(tmp_path: Path) -> None:
    path = tmp_path / "mine.TOML"
    path.write_text('name = "mine"\nrows = 2\ncols = 3\n', encoding="utf-16")
    with pytest.raises(BoardSpecError, match=r"^mine\.TOML: expected text in UTF-8: save "):
        open_board(str(path))
    path.write_text('name = "mine"\nrows = 2\ncols = 3\n', encoding="utf-8")
    assert open_board(path).name == "mine"
    assert open_board(BoardType().convert(str(path), None, None)).name == "mine"


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    for name in ("missing.toml", "folder.toml"):
        with pytest.raises(BoardSpecError, match=f"^{name}: cannot be read: "):
            open_board(str(tmp_path / name))


@pytest.mark.parametrize("name", ["", "Stones", "chess", "stones.txt", "../stones"])
def test_an_unknown_board_is_told_what_there_is(name: str) -> None:
    with pytest.raises(BoardSpecError, match="stones, seasons, time"):
        open_board(name)
