"""Every command and every option stands in docs/commands.md, and every option there exists."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from webapp.__main__ import cli
from webapp.errors import SENTENCES, TITLES

DOCS = Path(__file__).parents[3] / "docs" / "commands.md"


Words = tuple[str, ...]


def commands(group: click.Group, prefix: Words = ()) -> Iterator[tuple[Words, click.Command]]:
    for name, command in group.commands.items():
        yield (*prefix, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*prefix, name))


ALL = dict(commands(cli))


def section_of(words: Words) -> str:
    for section in re.split(r"^## ", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title = section.splitlines()[0]
        if words[0] in re.split(r"[ ,]+", title):
            return section
    raise AssertionError(f"docs/commands.md has no section for {words[0]}")


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_command_and_option_is_documented(words: Words) -> None:
    section = section_of(words)
    command = ALL[words]
    if not isinstance(command, click.Group):
        assert f"tallystone {' '.join(words)}" in section
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            for option in parameter.opts:
                assert option in section, f"{' '.join(words)} {option}"


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_command_and_option_explains_itself(words: Words) -> None:
    command = ALL[words]
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{' '.join(words)} {parameter.opts}"


def test_no_option_is_documented_that_does_not_exist() -> None:
    known = {
        opt for command in ALL.values() for parameter in command.params for opt in parameter.opts
    }
    written = set(re.findall(r"--[a-z][a-z-]+", DOCS.read_text(encoding="utf-8")))
    assert written - known - {"--help", "--version"} == set()


def test_every_status_of_a_refusal_is_documented() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert [status for status in TITLES | SENTENCES if f"\n| {status} | " not in text] == []


def test_routes_of_the_api_are_documented(app) -> None:  # type: ignore[no-untyped-def]
    text = DOCS.read_text(encoding="utf-8")
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/"):
            assert rule.rule in text
