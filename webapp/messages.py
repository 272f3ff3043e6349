"""Which texts the catalogues of the languages must have, found in the code.

    python -m webapp.messages          update the catalogues, compile them

Texts are marked where they stand: ``_("...")`` in Python and templates, ``t("...")`` in scripts,
``Text("...")``, ``Term("...")`` and the errors that have a ``Text`` wherever they are shown later.
The forms of the games are texts as a whole.
"""

import ast
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import BinaryIO

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from scorer.games import GAMES
from scorer.setup import texts_of

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "translations"
LANGUAGES = ("de", "zh")

_METHODS = [("templates/**.html", "jinja2"), ("templates/**.svg", "jinja2")]
_KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2)}

PROGRAM = ("webapp", "vision", "calibration", "scorer")

PLURALS = {"ngettext", "plural"}
"""What makes a text of two, one of which is for a single thing."""

BUILDERS = {"Text", "Term", "_", "gettext", *PLURALS}
"""What makes texts in Python, besides the errors that have one."""


@cache
def texts() -> frozenset[str]:
    """Every text that a person may be shown."""
    return frozenset(_marked()) | set(_scripted()) | set(_forms()) | set(built())


def _marked() -> Iterator[str]:
    for _, _, message, _, _ in extract_from_dir(
        Path(__file__).parent, _METHODS, {}, _KEYWORDS, callback=None
    ):
        yield from filter(None, message if isinstance(message, tuple) else (message,))


_STRING = r"'(?:[^'\\]|\\.)+'"
_TEXT = rf"\s*({_STRING}(?:\s*\+\s*{_STRING})*)\s*"
_CALLS = (re.compile(r"\bt\(" + _TEXT), re.compile(r"\btn\(" + _TEXT + "," + _TEXT))


def _scripted() -> Iterator[str]:
    """The texts of scripts; Babel's own reader does not find those within template strings."""
    for path in sorted((Path(__file__).parent / "static").rglob("*.js")):
        script = path.read_text(encoding="utf-8")
        for call in _CALLS:
            for found in call.finditer(script):
                for strings in found.groups():
                    yield "".join(one[1:-1] for one in re.findall(_STRING, strings)).replace(
                        "\\'", "'"
                    )


def built() -> Iterator[str]:
    """The templates in the Python code."""
    for template in templates():
        yield from filter(None, _literals(template))


def templates() -> Iterator[ast.expr]:
    """What stands in the code for the template of each text: the last argument without a name."""
    trees = [
        ast.parse(path.read_text(encoding="utf-8"))
        for folder in PROGRAM
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.parent.name != "commands"  # which speak to a terminal, in English
    ]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    builders = BUILDERS | _errors([node for node in nodes if isinstance(node, ast.ClassDef)])
    for node in nodes:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in builders:
                yield from node.args[:2] if name in PLURALS else node.args[-1:]


def _errors(classes: list[ast.ClassDef]) -> set[str]:
    """The errors that have a text."""
    bases = [(one.name, {getattr(base, "id", "") for base in one.bases}) for one in classes]
    found: set[str] = set()
    more = {"Told"}
    while more:
        found |= more
        more = {name for name, of in bases if of & found} - found
    return found


def _literals(node: ast.expr) -> Iterator[str]:
    """The strings that an expression may give, as far as they stand in it."""
    if isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)
    elif isinstance(node, ast.Constant):
        yield str(node.value)


def _forms() -> Iterator[str]:
    for game in GAMES.values():
        yield from texts_of(game.setup_form())


def catalogue(language: str) -> Catalog:
    """The catalogue of a language as it is written."""
    with (FOLDER / language / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return read_po(file, locale=language)


def missing(language: str) -> list[str]:
    """Texts that the language does not have."""
    written = {
        message.id for message in catalogue(language) if message.string and not message.fuzzy
    }
    return sorted(text for text in texts() if text not in written)


@contextmanager
def _replaced(path: Path) -> Iterator[BinaryIO]:
    """A file that replaces *path* when it is whole: a running program may read the old one."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        yield file
    os.replace(part, path)


def update(language: str) -> int:
    """Bring a catalogue up to date; gives how many texts are still missing in it."""
    folder = FOLDER / language / "LC_MESSAGES"
    path = folder / "messages.po"
    known: dict[str, str] = {}
    since: datetime | str = datetime.now(UTC)
    if path.is_file():
        old = catalogue(language)
        since = old.creation_date  # kept, so that nothing changes where no text did
        known = {
            str(message.id): str(message.string) for message in old if message.id and message.string
        }
    made = Catalog(
        locale=language,
        header_comment="# The texts of Tallystone, kept by: python -m webapp.messages",
        project="Tallystone",
        creation_date=since,
        revision_date=since,
        last_translator="the Tallystone authors",
        language_team="the Tallystone authors",
        msgid_bugs_address="",
        fuzzy=False,
    )
    wanted = sorted(texts())
    for text in wanted:
        flags = ["python-format"] if "%(" in text else []
        made.add(text, known.get(text, ""), flags=flags)
    folder.mkdir(parents=True, exist_ok=True)
    with _replaced(path) as file:
        write_po(file, made, omit_header=False, width=120, sort_output=True, ignore_obsolete=True)
    with _replaced(folder / "messages.mo") as file:
        write_mo(file, made)
    return sum(not known.get(text) for text in wanted)


def main() -> None:
    """Update all catalogues and say which texts somebody has to translate."""
    for language in LANGUAGES:
        print(f"{language}: {update(language)} texts are not translated yet")
        for text in missing(language):
            print(f"    {text}")


if __name__ == "__main__":
    main()
