"""Which texts the catalogues of the languages must have, found in the code.

    python -m webapp.messages          update the catalogues, compile them

Most texts are marked where they stand: ``_("...")`` in Python and templates, ``t("...")`` in
scripts. Others become texts for people only when they are shown: the sentences of refusals, and the
forms of the games. A sentence that is put together (an f-string) is in the catalogue as a template
with a name for each part; ``webapp.wording`` finds the template again for the finished sentence.
"""

from __future__ import annotations

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

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "translations"
LANGUAGES = ("de", "zh")

_METHODS = [
    ("**.py", "python"),
    ("templates/**.html", "jinja2"),
    ("templates/**.svg", "jinja2"),
]
_KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2)}

REFUSALS = {
    "ActionError",
    "TableError",
    "StaleChange",
    "BadRequestError",
    "BoardNotFound",
    "PhotoRejected",
    "CornersRejected",
    "LessonRejected",
}
"""Errors whose sentence is shown to people."""

CLAUSES = {
    "ProfileError",
    "CameraError",
    "BoardSpecError",
    "NotationError",
    "NotTaughtError",
    "UnknownBoardError",
    "UnknownProfileError",
    "Problem",
    "ScoreLine",
}
"""Errors and problems that begin with a small letter on a terminal; pages capitalise them."""

SENTENCES_IN = ("webapp", "vision", "calibration", "scorer")


@cache
def texts() -> frozenset[str]:
    """Every text that a person may be shown."""
    return (
        frozenset(_marked())
        | set(_scripted())
        | set(_refusals())
        | set(_forms())
        | set(_named())
        | set(_wordings())
    )


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


def _refusals() -> Iterator[str]:
    for folder in SENTENCES_IN:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.parent.name == "commands":
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    if name in REFUSALS | CLAUSES:
                        for argument in node.args:
                            yield from _sentences(argument, small=name in CLAUSES)
                elif isinstance(node, ast.Dict):
                    for key, value in zip(node.keys, node.values, strict=True):
                        if isinstance(key, ast.Constant) and key.value == "message":
                            yield from _sentences(value)


def _sentences(node: ast.expr, small: bool = False) -> Iterator[str]:
    """The sentences that an expression may give, those put together as templates; *small* ones may
    begin small."""
    if isinstance(node, ast.IfExp):
        yield from _sentences(node.body, small)
        yield from _sentences(node.orelse, small)
    elif isinstance(node, ast.Call):
        if getattr(node.func, "id", "") in _KEYWORDS:
            for argument in node.args:
                yield from _sentences(argument, small)
    elif isinstance(node, ast.Constant | ast.JoinedStr):
        text = template(node)
        if " " in text and (small or not text[:1].islower()):
            yield text


def template(node: ast.Constant | ast.JoinedStr) -> str:
    """A string, or an f-string with a name for each of its parts.

    >>> tree = ast.parse("f'A name has at most {MOST_NAME} letters, not {len(name):.0f}.'")
    >>> template(tree.body[0].value)
    'A name has at most %(most_name)s letters, not %(part2)s.'
    """
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    parts = []
    for number, value in enumerate(
        (one for one in node.values if isinstance(one, ast.FormattedValue)), 1
    ):
        inner = value.value
        name = getattr(inner, "id", getattr(inner, "attr", f"part{number}"))
        parts.append(f"%({name.lower()})s")
    names = iter(parts)
    return "".join(
        str(value.value).replace("%", "%%") if isinstance(value, ast.Constant) else next(names)
        for value in node.values
    )


def _forms() -> Iterator[str]:
    from scorer.games import GAMES
    from scorer.setup import texts_of

    for game in GAMES.values():
        yield from texts_of(game.setup_form())


def _named() -> Iterator[str]:
    """Texts that stand in constants."""
    from scorer.seasons.cards import CARDS
    from scorer.stones.board import Symbol
    from webapp import errors

    yield from errors.SENTENCES.values()
    yield from errors.TITLES.values()
    yield from (symbol.value for symbol in Symbol)
    yield from (card.label for card in CARDS.values())
    yield from (card.rule for card in CARDS.values())


def _wordings() -> Iterator[str]:
    from webapp.wording import WORDINGS

    yield from WORDINGS


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


def update(language: str, translations: dict[str, str] | None = None) -> int:
    """Bring a catalogue up to date; gives how many texts are still missing in it."""
    folder = FOLDER / language / "LC_MESSAGES"
    path = folder / "messages.po"
    known = dict(translations or {})
    since: datetime | str = datetime.now(UTC)
    if path.is_file():
        old = catalogue(language)
        since = old.creation_date  # kept, so that nothing changes where no text did
        known = {
            str(message.id): str(message.string) for message in old if message.id and message.string
        } | known
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
