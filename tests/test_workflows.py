"""The workflows of the public repository say what is true here: commands, versions, options."""

import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
DEV = runpy.run_path(str(ROOT / "dev.py"))
ON = True
"""What YAML makes of the key ``on``."""


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for workflow in WORKFLOWS.values():
        yield from workflow["jobs"].items()


def steps() -> Iterator[dict[str, Any]]:
    for _, job in jobs():
        yield from job.get("steps", ())


COMMANDS = sorted({line for step in steps() for line in step.get("run", "").splitlines()})
SCRIPTS = sorted({found[1] for one in COMMANDS if (found := re.match(r"python (tests/\S+)", one))})


def matrix(name: str) -> set[str]:
    found = [job.get("strategy", {}).get("matrix", {}).get(name, []) for _, job in jobs()]
    return {str(value) for values in found for value in values}


def test_there_are_tests_nights_and_releases() -> None:
    assert set(WORKFLOWS) == {"test", "nightly", "release"}
    assert "schedule" in WORKFLOWS["nightly"][ON]
    assert WORKFLOWS["release"][ON] == {"push": {"tags": ["v*"]}}
    assert all(workflow["permissions"] == {"contents": "read"} for workflow in WORKFLOWS.values())


def test_every_python_that_is_promised_is_tested_and_no_other() -> None:
    promised = {
        one.rpartition(" ")[2]
        for one in PROJECT["classifiers"]
        if re.search(r":: Python :: 3\.\d+$", one)
    }
    assert matrix("python") == promised
    assert min(promised, key=lambda one: int(one[2:])) == PROJECT["requires-python"][2:]


def test_every_system_and_both_versions_of_opencv_are_tested() -> None:
    systems = {str(job.get("runs-on", "")) for _, job in jobs()} | matrix("system")
    for name in ("ubuntu", "macos", "windows"):
        assert any(system.startswith(name) for system in systems)
    assert matrix("packages") == {"opencv-python==4.12.*", "opencv-python==5.*"}
    assert "opencv-python>=4.12,<6" in PROJECT["dependencies"]


def test_actions_are_pinned_to_a_version_and_jobs_end() -> None:
    used = [step["uses"] for step in steps() if "uses" in step]
    assert used
    assert [one for one in used if not re.search(r"@(v\d+|release/v\d+)$", one)] == []
    assert [
        name for name, job in jobs() if "uses" not in job and "timeout-minutes" not in job
    ] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_name_jobs_extras_and_files_that_exist(command: str) -> None:
    if found := re.match(r"python dev\.py (\w+)$", command):
        assert callable(DEV[found[1]])
        assert f"python3 dev.py {found[1]} " in DEV["__doc__"]
    for extras in re.findall(r"\[([\w,]+)\]", command):
        assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    for word in command.split():
        if re.fullmatch(r"[\w./-]+\.(py|txt|toml)", word):
            assert (ROOT / word).is_file()
    if "-m pytest" in command:
        marks = {"browser", "wheel"}
        assert set(re.findall(r"not (\w+)", command)) == marks


@pytest.mark.parametrize("script", SCRIPTS)
def test_options_of_scripts_are_those_that_they_have(script: str) -> None:
    lines = [line for line in COMMANDS if script in line and " --" in line]
    if not lines:
        return
    told = subprocess.run(
        [sys.executable, script, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for option in re.findall(r" (--\w+)", " ".join(lines)):
        assert option in told


def test_the_promises_of_the_night_have_a_function() -> None:
    text = (ROOT / "tests" / "webapp" / "promises.py").read_text(encoding="utf-8")
    numbers = matrix("promise")
    assert numbers
    assert [one for one in numbers if not re.search(rf"^    {one}: Promise\(", text, re.M)] == []


def test_commits_are_checked_by_the_checks_of_the_tests() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    checked = {hook["name"]: hook["entry"] for hook in hooks["repos"][0]["hooks"]}
    known = {name: " ".join([".venv/bin/python", *words]) for name, words in DEV["CHECKS"]}
    assert checked == {name: entry for name, entry in known.items() if name != "pip check"}


def test_a_release_is_built_checked_and_of_the_version_of_its_tag() -> None:
    said = " ".join(COMMANDS)
    for command in ("python -m build", "python -m twine check --strict dist/*", "GITHUB_REF_NAME"):
        assert command in said
    line = "grep -m 1 '^version' pyproject.toml | cut -d '\"' -f 2"
    assert line in said
    found = subprocess.run(
        ["sh", "-c", line], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert found.strip() == PROJECT["version"]
    assert "actions/attest-build-provenance" in str(WORKFLOWS["release"])
