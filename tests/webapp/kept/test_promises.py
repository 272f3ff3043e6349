"""Every promise has a figure and a command; a sample of each that is quick is measured."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from promises import PROMISES

ROOT = Path(__file__).parents[3]
ROWS = re.findall(r"^\| (\d+) \|(.*)\|$", (ROOT / "docs" / "promises.md").read_text("utf-8"), re.M)

SAMPLES = {4: 1, 12: 300, 16: 40, 23: 200, 25: 9}
"""How much of a promise each run of the tests measures: those that need no server of their own."""


def test_thirty_promises_have_a_figure_and_a_command_each() -> None:
    assert [int(number) for number, _ in ROWS] == list(range(1, 31)) == list(PROMISES)
    assert [number for number, row in ROWS if "not yet" in row.lower()] == []
    for number, row in ROWS:
        _, figure, shown = row.strip().rsplit(" | ", 2)
        assert re.search(r"\d", figure), number
        assert f"promises.py {number}" in shown or "`" in shown, number


@pytest.mark.parametrize("number", PROMISES)
def test_what_a_promise_names_is_there(number: int) -> None:
    promise = PROMISES[number]
    assert promise.function or promise.commands
    if promise.function:
        module, _, name = promise.function.partition(".")
        text = (ROOT / "tests" / "webapp" / "kept" / f"{module}.py").read_text("utf-8")
        assert f"\ndef {name}(" in text
    for command in promise.commands:
        for word in command.split():
            assert not word.endswith(".py") or (ROOT / word).is_file()
        if " -m " in command:
            assert find_spec(command.split(" -m ")[1].split()[0])


@pytest.mark.parametrize(("number", "count"), SAMPLES.items())
def test_a_sample_is_kept(number: int, count: int) -> None:
    figures = list(PROMISES[number].figures(count))
    assert figures
    assert [figure for figure in figures if not figure.kept] == []


def test_the_command_lists_them() -> None:
    listed = subprocess.run(
        [sys.executable, "tests/webapp/promises.py"], cwd=ROOT, capture_output=True, check=True
    )
    assert len(listed.stdout.splitlines()) == 30
