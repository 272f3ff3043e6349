"""The command line as a person meets it: completion, colours, slips, and long waits."""

import io
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner
from rich.console import Console

from webapp.__main__ import cli
from webapp.commands import progress
from webapp.commands.completion import SHELLS

HALF = """
import os, tempfile, time, webapp.__main__

def half(**_):
    with tempfile.TemporaryDirectory(dir="."):
        os.kill(os.getpid(), {number})
        time.sleep(9)

webapp.__main__.cli = half
webapp.__main__.main()
"""
"""A command that is sent a signal while a folder of its own is there."""


def screen(terminal: bool = True) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=80)


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def completed(*words: str) -> list[str]:
    """What is offered for the last of the words."""
    *before, incomplete = words
    completer = BashComplete(cli, {}, "tallystone", "_TALLYSTONE_COMPLETE")
    return [item.value for item in completer.get_completions(before, incomplete)]


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_get_their_completion(shell: str) -> None:
    result = CliRunner().invoke(cli, ["completion", shell])
    assert result.exit_code == 0
    assert "_TALLYSTONE_COMPLETE" in result.stdout
    program = shutil.which(shell)
    if program:
        subprocess.run([program, "-n"], input=result.stdout, text=True, check=True)


def test_commands_options_boards_and_profiles_are_completed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = [SimpleNamespace(name="club", board="stones"), SimpleNamespace(name="c2", board="time")]
    monkeypatch.setattr("calibration.profiles.list_profiles", lambda _: known)
    assert {"read", "replay", "restore"} <= set(completed("re"))
    assert completed("read", "--bo") == ["--board"]
    assert completed("read", "--board", "s") == ["stones", "seasons"]
    assert completed("read", "--board", "")[0] == "auto"
    assert completed("read", "--profile", "") == ["c2", "club"]
    assert completed("read", "--board", "stones", "--profile", "c") == ["club"]
    assert completed("read", "--board", "cards", "--profile", "") == ["club"]
    assert completed("learn", "") == completed("profiles", "check", "c") == ["c2", "club"]


def test_profiles_of_a_described_board_are_completed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    known = [SimpleNamespace(name="ours", board="harbour"), SimpleNamespace(name="c", board="time")]
    monkeypatch.setattr("calibration.profiles.list_profiles", lambda _: known)
    file, broken = tmp_path / "h.toml", tmp_path / "broken.toml"
    file.write_text('name = "harbour"\nrows = 2\ncols = 3\n', encoding="utf-8")
    broken.write_text("name =", encoding="utf-8")
    assert completed("read", "--board", str(file), "--profile", "") == ["ours"]
    assert completed("read", "--board", str(broken), "--profile", "") == []


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["read", "--bord", "stones", "x.jpg"], "--board"),
        (["read", "--board", "stoens", "x.jpg"], "did you mean stones?"),
        (["read", "--board", "auot", "x.jpg"], "did you mean auto?"),
    ],
)
def test_slips_are_answered_with_what_was_meant(words: list[str], meant: str) -> None:
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert meant in result.stderr


@pytest.mark.parametrize(("no_colour", "coloured"), [("1", False), ("", True)])
def test_no_color_takes_the_colours_out(
    monkeypatch: pytest.MonkeyPatch, no_colour: str, coloured: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_colour)
    result = CliRunner().invoke(cli, ["doctor"], color=True)
    assert ("\x1b[" in result.output) == coloured


def test_a_long_wait_is_told_and_its_line_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_S", 0.01)
    console = screen()
    with progress.working("teaching", console):
        time.sleep(0.3)
    assert "teaching" in shown(console)
    assert shown(console).rstrip().endswith("\x1b[2K")


def test_a_short_wait_and_a_pipe_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    console = screen()
    with progress.working("teaching", console):
        pass
    monkeypatch.setattr(progress, "SILENT_S", 0.01)
    pipe = screen(terminal=False)
    with progress.working("teaching", pipe):
        time.sleep(0.1)
    assert shown(console) == shown(pipe) == ""


def test_rows_come_as_they_are_and_a_slow_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_S", 0.05)
    console = screen()

    def rows() -> Iterator[int]:
        yield 1
        time.sleep(0.4)
        yield 2

    assert list(progress.waited("measuring", rows(), console)) == [1, 2]
    assert "measuring" in shown(console)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGHUP")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_ended_leaves_nothing_half_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = int(getattr(signal, name))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    done = subprocess.run(
        [sys.executable, "-c", HALF.format(number=number)], cwd=tmp_path, check=False
    )
    assert (done.returncode, [*tmp_path.iterdir()]) == (128 + number, [])
