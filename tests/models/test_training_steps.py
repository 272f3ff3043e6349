"""``python -m models.training.all`` knows every step, and goes on where it stopped.

Trains nothing.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from models.training import all as training

ROOT = Path(__file__).parents[2]
FILES = (".npz", ".npy", ".pt")
SHARED_OPTIONS = (ROOT / "models" / "training" / "arguments.py").read_text(encoding="utf-8")


def source(step: training.Step) -> str:
    return (ROOT / f"{step.command[2].replace('.', '/')}.py").read_text(encoding="utf-8")


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names the scripts that were started; none is run."""
    started: list[str] = []

    def run(command: tuple[str, ...], check: bool) -> None:
        started.append(command[2])
        if command[2] == "models.training.digits" and started.count(command[2]) == 1:
            raise subprocess.CalledProcessError(3, command)

    monkeypatch.setattr(training.subprocess, "run", run)
    return started


def test_modules_and_options_of_every_step_exist() -> None:
    for step in training.steps(training.CACHE):
        if step.command[0] != "npm":
            text = source(step) + SHARED_OPTIONS
            options = [word for word in step.command if word.startswith("--")]
            assert [option for option in options if f'"{option}"' not in text] == [], step.line


def test_every_file_is_made_before_it_is_read() -> None:
    made: set[str] = set()
    for step in training.steps(training.CACHE):
        named = [word for word in step.command if word.startswith(str(training.CACHE))]
        files = [word for word in named if word.endswith(FILES)]
        if step.command[0] == "npm":
            made.add(named[0])
            continue
        if "--out" in step.command:
            out = step.command[step.command.index("--out") + 1]
        elif step.name.startswith(("export-", "fit-", "measure-")):
            out = ""
        else:
            out = next(file for file in files if file not in made)
        assert set(named) - {out} <= made, step.line
        made.add(out)


def test_names_are_unique_and_every_network_is_exported() -> None:
    names = [step.name for step in training.steps(training.CACHE)]
    assert len(names) == len(set(names))
    assert set(training.EXPORTS) == set(training.manifest())


def test_notice_lists_every_icon_package() -> None:
    notice = (ROOT / "NOTICE.md").read_text(encoding="utf-8")
    packages = tomllib.loads((ROOT / "models/training/packages.toml").read_text(encoding="utf-8"))
    for folder in ("icons", "more-icons"):
        for package in packages[folder]["packages"]:
            name, version = package.split("@")
            assert f"`{name}` {version}" in notice


def test_a_failed_step_is_run_again_and_no_other(
    ended: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["all", "--cache", str(tmp_path)])
    with pytest.raises(SystemExit, match="digits ended with status 3"):
        training.main()
    before = list(ended)
    training.main()
    assert ended[: len(before)] == before
    assert ended[len(before)] == "models.training.digits"
    assert len(ended) == len(list(training.steps(tmp_path))) + 1
    training.main()
    assert len(ended) == len(list(training.steps(tmp_path))) + 1


def test_list_runs_nothing_and_marks_what_has_ended(
    ended: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, *_ = training.steps(tmp_path)
    training.run(first, tmp_path)
    ended.clear()
    monkeypatch.setattr(sys, "argv", ["all", "--cache", str(tmp_path), "--list"])
    training.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list(training.steps(tmp_path)))
    assert [line.split()[0] for line in lines[:2]] == ["done", "fetch-more-icons"]
    assert ended == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes of that kind")
def test_a_list_that_nobody_reads_to_its_end_tells_no_error() -> None:
    end, start = os.pipe()
    os.close(end)
    command = [sys.executable, "-m", training.__name__, "--list"]
    listing = subprocess.run(
        command, cwd=ROOT, stdout=start, stderr=subprocess.PIPE, text=True, check=True
    )
    os.close(start)
    assert listing.stderr == ""
