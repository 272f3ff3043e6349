"""Score rules of a described board, as its file says them; how they are counted is in ``score``."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, get_args

from scorer.custom.labels import is_word
from scorer.labels import as_written, label_of
from scorer.notation import EMPTY, MOST_SIDE, ROW_BREAK, NotationError, split_rows
from scorer.text import Text, Told

Line = Literal["row", "column", "diagonal", "board"]
Take = Literal["every", "largest"]
Times = Literal["pieces", "marks", "once"]

PART = "+"
"""Stands between the parts of a label: ``field+2`` is a field with two marks."""

MOST_RULES = 20
MOST_POINTS = 10_000
"""Most points that a rule names, and most below zero."""
MOST_NAME = 40
"""Letters of a rule's name."""
MOST_TOLD = 80
"""Letters of a value that a sentence repeats."""
MOST_NAMED = 200
"""Pieces or cells that one rule names."""
WORTH, EXTRA, TOTAL = "pieces", "extra", "total"
"""The lines of a score besides its rules: points a piece that the players set, points by hand, and
the sum. No rule bears their names."""


def label_of_line(name: str) -> Text:
    """The name for people of a line of a score. A rule bears the name that its file gives, even one
    that other games have a word for.

    >>> label_of_line("pieces"), label_of_line("gold")
    ('Points of the pieces', 'gold')
    """
    return label_of(name) if name in (WORTH, EXTRA, TOTAL) else as_written(name)


class ScoreRuleError(Told, ValueError):
    """A score rule is not usable. The message begins with its number and the key."""


@dataclass(frozen=True, slots=True)
class PieceRule:
    """Points for each piece."""

    name: str
    pieces: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class LineRule:
    """Points for each line of which every place has such a piece: one of the ``lines``, or the
    ``cells`` if there are any."""

    name: str
    pieces: tuple[str, ...]
    points: int
    lines: tuple[Line, ...]
    cells: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RunRule:
    """Points for each piece of an unbroken row or column of at least ``least`` pieces.

    One of ``full`` pieces or more earns the ``bonus`` besides; 0 if there is none.
    """

    name: str
    pieces: tuple[str, ...]
    points: int
    least: int
    full: int
    bonus: int


@dataclass(frozen=True, slots=True)
class SetRule:
    """Points for sets of different pieces: the n-th figure for n different ones.

    With ``whole`` there is one figure, for a set of all ``pieces``. Each set takes one of every
    piece that is left.
    """

    name: str
    pieces: tuple[str, ...]
    points: tuple[int, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class GroupRule:
    """Points for pieces of one kind that touch along an edge.

    ``alike`` makes groups of pieces with the same first part, else any of the pieces go together.
    The points are earned for each piece (``times`` is ``pieces``), for each piece and each mark in
    the group (``marks``), or ``once``. Groups below ``least`` pieces earn nothing.
    """

    name: str
    pieces: tuple[str, ...]
    points: int
    take: Take
    times: Times
    least: int
    alike: bool


@dataclass(frozen=True, slots=True)
class PatternRule:
    """Points for each place where the pattern lies; with ``turned`` in any of its four turns."""

    name: str
    pattern: tuple[tuple[str, ...], ...]
    points: int
    turned: bool


Rule = PieceRule | LineRule | RunRule | SetRule | GroupRule | PatternRule


def rules_of(value: Any) -> tuple[Rule, ...]:
    """The rules of the list ``score`` of a description. Raises ScoreRuleError.

    >>> rules_of([{"rule": "piece", "pieces": "moon", "points": 2}])
    (PieceRule(name='piece', pieces=('moon',), points=2),)
    """
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise ScoreRuleError("score: expected a list of rules, got %(got)s", got=as_told(value))
    if len(value) > MOST_RULES:
        raise ScoreRuleError(
            "score: expected at most %(most)s rules, got %(got)s", most=MOST_RULES, got=len(value)
        )
    rules: list[Rule] = []
    for number, table in enumerate(value, 1):
        fields = Fields(number, table)
        kind = fields.word("rule", tuple(_KINDS), None)
        known, read = _KINDS[kind]
        fields.expect_known(("rule", "name", *known))
        taken = [name.casefold() for name in (WORTH, EXTRA, TOTAL, *(rule.name for rule in rules))]
        name = fields.name("name", _free_name(kind, taken))
        if name.casefold() in taken:
            fields.refuse("name", Text("a name that no other line of the score has"))
        rules.append(read(name, fields))
    return tuple(rules)


def _free_name(kind: str, taken: Iterable[str]) -> str:
    """The name of a rule that has none: its kind, with a number from the second on."""
    names = (kind if number == 1 else f"{kind} {number}" for number in range(1, MOST_RULES + 2))
    return next(name for name in names if name not in taken)


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one rule, counted from 1; each error names the rule, the key and what was
    expected."""

    number: int
    table: Mapping[str, Any]

    def refuse(self, key: str, expected: str) -> NoReturn:
        raise ScoreRuleError(
            "score rule %(number)s, %(key)s: expected %(expected)s, got %(got)s",
            number=self.number,
            key=key,
            expected=expected,
            got=as_told(self.table.get(key)),
        )

    def expect_known(self, known: tuple[str, ...]) -> None:
        for key in self.table:
            if key not in known:
                raise ScoreRuleError(
                    "score rule %(number)s, %(key)s: unknown key, expected one of %(known)s",
                    number=self.number,
                    key=key[:MOST_NAME],
                    known=", ".join(known),
                )

    def word(self, key: str, words: tuple[str, ...], default: str | None) -> str:
        value = self.table.get(key, default)
        if not isinstance(value, str) or value not in words:
            self.refuse(key, ", ".join(words))
        return value

    def name(self, key: str, default: str) -> str:
        value = self.table.get(key, default)
        if not isinstance(value, str) or not 0 < len(value.strip()) <= MOST_NAME:
            self.refuse(key, Text("up to %(most)s letters", most=MOST_NAME))
        if not value.isprintable():
            self.refuse(key, Text("letters on one line"))
        return value

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        value = self.table.get(key, default)
        if type(value) is not int or not least <= value <= most:
            self.refuse(
                key, Text("a whole number from %(least)s to %(most)s", least=least, most=most)
            )
        return value

    def points(self, default: int = 1) -> int:
        return self.whole("points", default, -MOST_POINTS, MOST_POINTS)

    def switch(self, key: str, default: bool) -> bool:
        value = self.table.get(key, default)
        if not isinstance(value, bool):
            self.refuse(key, Text("true or false"))
        return value

    def pieces(self) -> tuple[str, ...]:
        """Labels or parts of labels; none means any piece."""
        value = self.table.get("pieces", [])
        words = [value] if isinstance(value, str) else value
        if (
            not isinstance(words, list)
            or len(words) > MOST_NAMED
            or not all(isinstance(word, str) and _is_label(word) for word in words)
        ):
            self.refuse("pieces", Text("a piece's label or a list of them"))
        if len(set(words)) != len(words):
            self.refuse("pieces", Text("each piece once"))
        return tuple(words)


def _piece(name: str, fields: Fields) -> Rule:
    return PieceRule(name, fields.pieces(), fields.points())


def _line(name: str, fields: Fields) -> Rule:
    lines = fields.table.get("lines", ["row", "column"])
    if not isinstance(lines, list) or not lines or any(line not in _LINES for line in lines):
        fields.refuse("lines", Text("a list of %(known)s", known=", ".join(_LINES)))
    if "cells" in fields.table and "lines" in fields.table:
        fields.refuse("cells", Text("either lines or cells"))
    cells = fields.table.get("cells", [])
    if (
        not isinstance(cells, list)
        or len(cells) > MOST_NAMED
        or not all(
            isinstance(cell, list)
            and len(cell) == 2
            and all(type(at) is int and 1 <= at <= MOST_SIDE for at in cell)
            for cell in cells
        )
    ):
        fields.refuse("cells", Text("a list of [row, column], counted from 1"))
    places = tuple(dict.fromkeys((row - 1, col - 1) for row, col in cells))
    return LineRule(name, fields.pieces(), fields.points(), tuple(dict.fromkeys(lines)), places)


def _run(name: str, fields: Fields) -> Rule:
    least = fields.whole("least", 2, 1, MOST_SIDE)
    full = fields.whole("full", 0, 0, MOST_SIDE)
    bonus = fields.whole("bonus", 0, -MOST_POINTS, MOST_POINTS)
    return RunRule(name, fields.pieces(), fields.points(), least, full, bonus)


def _set(name: str, fields: Fields) -> Rule:
    points, pieces = fields.table.get("points"), fields.pieces()
    if type(points) is int and abs(points) <= MOST_POINTS:
        if len(pieces) < 2:
            fields.refuse("pieces", Text("the pieces of a whole set"))
        return SetRule(name, pieces, (points,), whole=True)
    if (
        not isinstance(points, list)
        or not 1 <= len(points) <= MOST_NAMED
        or not all(type(one) is int and abs(one) <= MOST_POINTS for one in points)
    ):
        fields.refuse(
            "points", Text("the points of a whole set, or a list: for 1, 2, 3 different ones")
        )
    return SetRule(name, pieces, tuple(points), whole=False)


def _groups(name: str, fields: Fields) -> Rule:
    return GroupRule(
        name,
        fields.pieces(),
        fields.points(),
        "largest" if fields.word("take", get_args(Take), "every") == "largest" else "every",
        _TIMES[fields.word("times", tuple(_TIMES), "pieces")],
        fields.whole("least", 1, 1, MOST_SIDE * MOST_SIDE),
        fields.switch("alike", True),
    )


def _pattern(name: str, fields: Fields) -> Rule:
    text = fields.table.get("pattern")
    rows: list[list[str]] = []
    if isinstance(text, str):
        with suppress(NotationError):
            rows = split_rows(text)
    words = [word for row in rows for word in row]
    if (
        not words
        or any(len(row) != len(rows[0]) for row in rows)
        or max(len(rows), len(rows[0])) > MOST_SIDE
        or all(word == EMPTY for word in words)
        or not all(word == EMPTY or _is_label(word) for word in words)
    ):
        fields.refuse("pattern", Text("rows of labels such as 'sun moon / . sun'"))
    pattern = tuple(map(tuple, rows))
    return PatternRule(name, pattern, fields.points(), fields.switch("turned", False))


_LINES: tuple[Line, ...] = get_args(Line)
_TIMES: dict[str, Times] = {times: times for times in get_args(Times)}
_KINDS: dict[str, tuple[tuple[str, ...], Callable[[str, Fields], Rule]]] = {
    "piece": (("pieces", "points"), _piece),
    "line": (("pieces", "points", "lines", "cells"), _line),
    "run": (("pieces", "points", "least", "full", "bonus"), _run),
    "set": (("pieces", "points"), _set),
    "groups": (("pieces", "points", "take", "times", "least", "alike"), _groups),
    "pattern": (("pattern", "points", "turned"), _pattern),
}
"""The keys of each kind of rule, and what reads them."""


def _is_label(word: str) -> bool:
    return is_word(word) and word not in (EMPTY, ROW_BREAK) and all(word.split(PART))


def as_told(value: Any) -> str:
    """A value as a sentence about it repeats it: as a file writes it, and in short.

    >>> as_told(None), as_told(True), as_told(["a", {"b": 1}])
    ('nothing', 'true', "['a', a table]")
    """
    match value:
        case None:
            return Text("nothing")
        case dict():
            return Text("a table")
        case bool():
            return str(value).lower()
        case list():
            text = f"[{', '.join(map(as_told, value))}]"
        case str():
            text = repr(value)
        case _:
            text = str(value)
    return text if len(text) <= MOST_TOLD else text[:MOST_TOLD] + "…"
