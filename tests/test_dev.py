"""The set-up script parses on old Pythons, names what is missing and is quick without changes."""

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "dev.py"


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, with nothing to run or to install, for a checkout elsewhere."""
    spec = importlib.util.spec_from_file_location("dev", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / ".venv").mkdir()
    (tmp_path / "pyproject.toml").write_text("[project]")
    (tmp_path / "constraints.txt").write_text("numpy==2.0")
    monkeypatch.setattr(module, "ROOT", str(tmp_path))
    monkeypatch.setattr(module, "VENV", str(tmp_path / ".venv"))
    monkeypatch.setattr(module, "install", lambda packages: False)
    monkeypatch.setattr(module, "works", lambda command: True)
    monkeypatch.setattr(module, "run", lambda *ignored: None)
    return module


def one_sentence(capsys: pytest.CaptureFixture[str]) -> str:
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


def test_an_old_python_can_parse_it() -> None:
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 8))


def test_an_old_python_is_told_so(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    assert dev.main(["demo"]) == 1
    assert "needs Python 3.11 or newer and this is 3.10" in one_sentence(capsys)


def test_a_missing_browser_is_told(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "find_browser", lambda: None)
    assert dev.main(["test"]) == 1
    assert "chromium" in one_sentence(capsys)


def test_a_missing_npm_is_told(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "works", lambda command: "npm" not in command)
    assert dev.main(["scripts"]) == 1
    assert "npm" in one_sentence(capsys)


def test_the_first_check_that_fails_ends_it(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail_at_mypy(command: list[str], failure: str, environment: object = None) -> None:
        if "mypy" in command:
            raise dev.Stop(failure)
        assert "pytest" not in command

    monkeypatch.setattr(dev, "find_browser", lambda: "chromium")
    monkeypatch.setattr(dev, "run", fail_at_mypy)
    assert dev.main(["test"]) == 1
    assert one_sentence(capsys) == "dev.py: mypy failed"


def test_what_is_installed_is_not_installed_again(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    installs: list[list[str]] = []
    monkeypatch.setattr(dev, "run", lambda command, *ignored: installs.append(command))
    dev.set_up("dev")
    dev.set_up("dev")
    dev.set_up("")  # what the tests need holds what the demo needs
    assert len(installs) == 1
    (Path(dev.ROOT) / "pyproject.toml").write_text("[project]\nname = 'changed'")
    dev.set_up("")
    assert len(installs) == 2
    (Path(dev.ROOT) / "constraints.txt").write_text("numpy==2.1")
    dev.set_up("")
    assert len(installs) == 3


def test_versions_that_do_not_exist_here_give_way_to_the_newest(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installs: list[list[str]] = []

    def refuse_pins(command: list[str], failure: str, environment: object = None) -> None:
        installs.append(command)
        if "--constraint" in command:
            raise dev.Stop(failure)

    monkeypatch.setattr(dev, "run", refuse_pins)
    dev.set_up("")
    assert ["--constraint" in command for command in installs] == [True, False]
    assert "taking the newest that fit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status"), [([], 2), (["demos"], 2), (["demo", "x"], 2), (["--help"], 0)]
)
def test_wrong_usage_shows_the_usage(
    dev: ModuleType, arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.main(arguments) == status
    assert "python3 dev.py demo" in capsys.readouterr().err
