"""The documents tell the truth: commands exist, links work, examples run."""

import doctest
import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from webapp.__main__ import cli

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PACKAGES = ("scorer", "models", "vision", "calibration", "webapp")
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
COMMAND_LINE = re.compile(r"(?:^|\s)(?:\S*/bin/)?tallystone\s+(.*)")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def without_code(text: str) -> str:
    return re.sub(
        r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    )


def code_lines(text: str) -> Iterator[str]:
    """Lines of fenced shell blocks, continued lines joined."""
    for block in re.findall(r"^```sh\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        yield from filter(None, map(str.strip, block.replace("\\\n", " ").splitlines()))


def anchors(path: Path) -> set[str]:
    """What GitHub calls the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("path", DOCUMENTS, ids=relative)
def test_links_lead_somewhere(path: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=relative)
def test_shell_examples_name_real_commands_and_options(path: Path) -> None:
    for line in code_lines(path.read_text(encoding="utf-8")):
        found = COMMAND_LINE.search(line)
        if found is None:
            continue
        words = shlex.split(found[1], comments=True)
        command: click.Command = cli
        while words and isinstance(command, click.Group):
            name = words.pop(0)
            assert name in command.commands, line
            command = command.commands[name]
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        assert {word.split("=")[0] for word in words if word.startswith("--")} - known == set(), (
            line
        )


def test_readme_has_the_picture_first_and_then_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.match(r"# Tallystone\n\n!\[[^\]]+\]\(docs/images/\S+\)\n", text)
    first = re.search(r"^```sh\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert first
    assert [line.split("#")[0].strip() for line in first[1].splitlines()] == [
        "python3 dev.py demo",
        "python3 dev.py test",
    ]


def test_readme_names_every_folder() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [
        folder for folder in (*PACKAGES, "fixtures", "tests") if f"| `{folder}` |" not in text
    ] == []


def test_continuous_integration_runs_the_second_command() -> None:
    assert "exec python3 dev.py test\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_changelog_describes_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    headings = re.findall(
        r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert version in headings
    assert headings[0] == "Unreleased"


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    if name.startswith("models.training."):
        pytest.importorskip("torch", reason="the extra `training` is not installed")
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("path", DOCUMENTS, ids=relative)
def test_python_examples_in_documents(path: Path) -> None:
    result = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert not result.failed


GUIDES = [
    *(ROOT / "docs" / "games").glob("*.md"),
    *(
        ROOT / "docs" / f"{name}.md"
        for name in ("custom-games", "faq", "review", "start", "teaching")
    ),
]


@pytest.mark.parametrize("path", sorted(GUIDES), ids=relative)
def test_what_a_guide_says_to_tap_is_on_a_page(path: Path) -> None:
    """``*Words in italics*`` that begin with a capital name a button or a title."""
    pages = "".join(
        source.read_text(encoding="utf-8")
        for folder in ("webapp", "scorer")
        for source in (ROOT / folder).rglob("*.*")
        if source.suffix in (".html", ".js", ".py")
    )
    text = without_code(path.read_text(encoding="utf-8"))
    names = re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", text)
    assert [name for name in names if " ".join(name.split()) not in pages] == []
