"""The documentation site is whole: every page in the navigation, every sentence of the FAQ real."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CATALOGUE = ROOT / "webapp" / "translations" / "de" / "LC_MESSAGES" / "messages.po"
GAP = "…"
PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\w+\}")


def pages_of(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            for inner in entry.values():
                yield from [inner] if isinstance(inner, str) else pages_of(inner)


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def root_documents() -> dict[str, str]:
    """Read from the text of the hooks: mkdocs need not be installed for the tests."""
    hooks = (DOCS / "site" / "hooks.py").read_text(encoding="utf-8")
    found = re.search(r"^ROOT_DOCUMENTS = \{\n(.*?)^\}", hooks, re.MULTILINE | re.DOTALL)
    assert found
    return dict(re.findall(r'"(.+?)": "(.+?)"', found[1]))


def test_every_document_is_in_the_navigation_once(
    config: dict[str, Any], root_documents: dict[str, str]
) -> None:
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    made = {page for page in pages_of(config["nav"]) if page.startswith("reference/")}
    assert sorted(pages_of(config["nav"])) == sorted(written | made | set(root_documents.values()))


def test_the_documents_of_the_root_exist(root_documents: dict[str, str]) -> None:
    assert [name for name in root_documents if not (ROOT / name).exists()] == []
    assert {path.name for path in ROOT.glob("*.md")} <= set(root_documents)


def test_the_site_asks_no_other_host(config: dict[str, Any]) -> None:
    assert config["theme"]["font"] is False
    written = [config["extra_css"], config["extra_javascript"]]
    assert not [one for names in written for one in names if ":" in one]
    assert not [path for path in (DOCS / "site").iterdir() if "http" in path.read_text("utf-8")]


def test_every_question_of_the_faq_is_a_sentence_of_the_program() -> None:
    with CATALOGUE.open("rb") as file:
        known = {
            tuple(part.strip() for part in PLACEHOLDER.split(" ".join(message.id.split())))
            for message in read_po(file)
            if isinstance(message.id, str)
        }
    questions = re.findall(r"^### (.*)$", (DOCS / "faq.md").read_text("utf-8"), re.MULTILINE)
    assert len(questions) >= 15
    unreal = [one for one in questions if tuple(p.strip() for p in one.split(GAP)) not in known]
    # A sentence may end in the sign of the gap itself.
    assert [one for one in unreal if (one,) not in known] == []
