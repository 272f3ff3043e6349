"""Other games: the description of a board, as people write it."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Self

from scorer.custom.labels import MOST_LABEL, is_label
from scorer.custom.rules import (
    GroupRule,
    LineRule,
    PatternRule,
    Rule,
    RunRule,
    ScoreRuleError,
    as_told,
    rules_of,
)
from scorer.notation import EMPTY, MOST_SIDE, Problem, split_grid
from scorer.text import Text, Told, either, plural

FIELDS = frozenset(
    {"name", "rows", "cols", "empty", "aspect", "turns", "direction", "counts", "score"}
)
"""What a description may say."""

DIRECTIONS = FROM_PIECES, ANY_SIDE = "pieces", "any"
"""What tells which side of the board is up: its pieces, or nothing but the photo."""

BUILT_IN = ("stones", "seasons", "time")
"""Boards that have rules of their own."""

CHOICES = (*BUILT_IN, "cards", "auto")
"""Names that mean no board of one's own where photos are read: pattern cards and any game, too."""

MOST_LETTERS = 8_000
"""Letters of the text of a description; one with two hundred labels has half of them."""

MOST_TABLE_LETTERS = 7_000
"""Letters of a parsed description. Written as text again, it has at most MOST_LETTERS."""

MOST_NAME = 60
"""Letters of a board's name."""

MOST_LABELS = 200

MOST_PIECES = 10_000
"""Pieces of one label in a box: more than any box holds."""

MOST_DOTS = 20
"""Most dots in a line of a description, comments left out.

Each dot before ``=`` nests a table, and ``tomllib`` needs the square of their number.
"""

MOST_DEPTH = 60
"""How deeply lists and tables can be nested; score rules need four levels."""

_UNREAD = re.compile(r""" "(?:[^"\\\n]|\\.)*" | '[^'\n]*' | \#[^\n]* """, re.VERBOSE)
"""Texts and comments: nothing in them nests."""
_CURLY = re.compile(
    rf"""{_UNREAD.pattern}
    | [“”„] (?P<one>[^“”„"\\\n]*) [“”]
    | [‘’‚] (?P<other>[^‘’‚"\\\n]*) [‘’]""",
    re.VERBOSE,
)
"""The same, and texts in the quotes that phones and word processors write."""
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)$")
"""Where a description cannot be read, as ``tomllib`` ends its sentence."""
_TWICE = ("Cannot", "Duplicate")
"""How ``tomllib`` begins to say that a field stands there twice."""
_KEY = re.compile(r"(?:^|[{,])\s*([^\s=.,\"'#\[\]{}]+)\s*=")
"""One word before its ``=``."""
_BRACKET = re.compile(r"[\[{\]}]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class BoardSpecError(Told, ValueError):
    """The description of a board is not usable."""


@dataclass(frozen=True, slots=True)
class CustomBoard:
    """A board that somebody described.

    Attributes
    ----------
    name : str
    rows, cols : (least, most)
    empty : bool
        Whether cells may be without a piece.
    aspect : float
        Width over height of a piece that lies upright.
    turns : int
        In how many ways a piece may lie: 1 all point the way of the grid, 2 also upside down,
        4 any way.
    direction : str
        ANY_SIDE if the pieces look the same turned, so that the photo's upright side is the top;
        else FROM_PIECES.
    counts : mapping of str to int
        The most pieces of a label that the box holds, where that is known.
    score : tuple of Rule
        What earns points; empty if only people say it.
    """

    name: str
    rows: tuple[int, int]
    cols: tuple[int, int]
    empty: bool
    aspect: float
    turns: int
    direction: str = FROM_PIECES
    counts: Mapping[str, int] = field(default_factory=dict)
    score: tuple[Rule, ...] = ()

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Read a parsed TOML description. Raises BoardSpecError naming the field.

        Every description, from whatever file, form or request, is held to its lengths here.

        >>> CustomBoard.from_table({"name": "set", "rows": [1, 5], "cols": [1, 5], "turns": 2}).cols
        (1, 5)
        """
        if _letters_of(table) > MOST_TABLE_LETTERS:
            raise BoardSpecError(
                "expected a description of at most %(most)s letters", most=MOST_TABLE_LETTERS
            )
        unknown = sorted(table.keys() - FIELDS)
        if unknown:
            raise BoardSpecError(
                "%(field)s: unknown field, expected %(known)s",
                field=unknown[0],
                known=", ".join(sorted(FIELDS)),
            )
        return cls(
            _name(table),
            _span(table, "rows"),
            _span(table, "cols"),
            _empty(table),
            _aspect(table),
            _turns(table),
            _direction(table),
            _counts(table),
            _score(table),
        )

    def rows_in(self, text: str) -> list[list[str]]:
        """The labels of a board in notation. Raises NotationError if its size is another."""
        return split_grid(text, (self.rows[0], self.cols[0]), (self.rows[1], self.cols[1]))

    def problems(self, grids: Iterable[Sequence[Sequence[str]]]) -> list[Problem]:
        """More of a piece on all boards than the box holds, and bare cells that may not be."""
        held = Counter(word for rows in grids for row in rows for word in row)
        problems = [
            Problem(
                "too_many",
                Text(
                    "Please check: the box holds at most %(most)s of %(piece)s, "
                    "here are %(count)s.",
                    most=most,
                    piece=label,
                    count=held[label],
                ),
            )
            for label, most in self.counts.items()
            if held[label] > most
        ]
        if not self.empty and held[EMPTY]:
            message = plural(
                "Please check: every cell holds a piece, but %(count)s is bare.",
                "Please check: every cell holds a piece, but %(count)s are bare.",
                count=held[EMPTY],
            )
            problems.append(Problem("bare", message))
        return problems


def _letters_of(table: Mapping[str, Any]) -> int:
    """How long a description is. Raises BoardSpecError if it holds a number too long to write."""
    try:
        return len(repr(table))
    except ValueError:
        raise _long_number() from None


def _long_number() -> BoardSpecError:
    """What is said of a number of thousands of digits, which Python neither reads nor writes."""
    return BoardSpecError("expected numbers of a few digits")


def _name(table: Mapping[str, Any]) -> str:
    name = table.get("name")
    if not isinstance(name, str) or not name.strip():
        raise BoardSpecError(
            "name: expected the name of the game, got %(name)s", name=as_told(name)
        )
    if len(name) > MOST_NAME or _CONTROL.search(name):
        raise BoardSpecError("name: expected one line of at most %(most)s letters", most=MOST_NAME)
    _expect_other(name, BUILT_IN)
    return name


def _expect_other(name: str, taken: Sequence[str]) -> None:
    if name in taken:
        raise BoardSpecError(
            "name: expected another name than the built-in %(built_in)s, got %(name)s",
            built_in=", ".join(taken),
            name=as_told(name),
        )


def _span(table: Mapping[str, Any], key: str) -> tuple[int, int]:
    """The least and the most rows or columns; one number is both."""
    given = table.get(key)
    span = [given, given] if isinstance(given, int) else given
    if (
        not isinstance(span, list)
        or [type(at) for at in span] != [int, int]
        or not 1 <= span[0] <= span[1] <= MOST_SIDE
    ):
        raise BoardSpecError(
            "%(key)s: expected [least, most] from 1 to 32, got %(value)s",
            key=key,
            value=as_told(given),
        )
    return span[0], span[1]


def _empty(table: Mapping[str, Any]) -> bool:
    empty = table.get("empty", False)
    if not isinstance(empty, bool):
        raise BoardSpecError("empty: expected true or false, got %(empty)s", empty=as_told(empty))
    return empty


def _aspect(table: Mapping[str, Any]) -> float:
    aspect = table.get("aspect", 1.0)
    is_number = isinstance(aspect, int | float) and not isinstance(aspect, bool)
    if not is_number or not 0.2 <= aspect <= 5:
        raise BoardSpecError(
            "aspect: expected width / height of a piece from 0.2 to 5, got %(aspect)s",
            aspect=as_told(aspect),
        )
    return float(aspect)


def _turns(table: Mapping[str, Any]) -> int:
    turns: Any = table.get("turns", 1)
    if type(turns) is not int or turns not in (1, 2, 4):
        raise BoardSpecError("turns: expected 1, 2 or 4, got %(turns)s", turns=as_told(turns))
    return turns


def _direction(table: Mapping[str, Any]) -> str:
    direction: str = table.get("direction", FROM_PIECES)
    if direction not in DIRECTIONS:
        raise BoardSpecError(
            "direction: expected %(known)s, got %(direction)s",
            known=either(map(repr, DIRECTIONS)),
            direction=as_told(direction),
        )
    return direction


def _counts(table: Mapping[str, Any]) -> dict[str, int]:
    counts = table.get("counts", {})
    below = FIELDS.intersection(counts) if isinstance(counts, dict) else ()
    stray = next((key for key in sorted(below) if type(counts[key]) is not int), None)
    if stray:
        raise BoardSpecError("%(field)s stands below [counts]: write it above", field=stray)
    if not isinstance(counts, dict):
        raise BoardSpecError(
            "counts: expected label = most, got %(counts)s", counts=as_told(counts)
        )
    for label, most in counts.items():
        if type(most) is not int or not 0 <= most <= MOST_PIECES:
            got = f"{label[:MOST_LABEL]} = {as_told(most)}"
            raise BoardSpecError("counts: expected label = most, got %(counts)s", counts=got)
    if len(counts) > MOST_LABELS or any(
        len(label) > MOST_LABEL or _CONTROL.search(label) for label in counts
    ):
        raise BoardSpecError(
            "counts: expected at most %(labels)s labels of at most %(letters)s letters",
            labels=MOST_LABELS,
            letters=MOST_LABEL,
        )
    return counts


def _score(table: Mapping[str, Any]) -> tuple[Rule, ...]:
    try:
        return rules_of(table.get("score", []))
    except ScoreRuleError as error:
        raise BoardSpecError(error.message) from None


def parsed(text: str) -> dict[str, Any]:
    """The table of a description. Raises BoardSpecError if it cannot be read, or not safely.

    >>> parsed("rows = [1, 5]\\nname = “farm”")
    {'rows': [1, 5], 'name': 'farm'}
    """
    if len(text) > MOST_LETTERS:
        raise BoardSpecError(
            "expected a description of at most %(most)s letters", most=MOST_LETTERS
        )
    text = _CURLY.sub(_straight, text)
    if '"""' in text or "'''" in text:
        raise BoardSpecError("expected texts of one line")
    bare = _UNREAD.sub("", text)
    if any(line.count(".") > MOST_DOTS for line in bare.splitlines()):
        raise BoardSpecError("expected at most %(most)s dots in a line", most=MOST_DOTS)
    steps = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(bare))
    if max(accumulate(steps), default=0) > MOST_DEPTH:
        raise BoardSpecError("expected brackets at most %(most)s deep", most=MOST_DEPTH)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unread(str(error), text) from None
    except ValueError:
        raise _long_number() from None


def _straight(found: re.Match[str]) -> str:
    """A text with the quotes of TOML; what has them, and comments, as they are."""
    inside = found["one"] if found["one"] is not None else found["other"]
    return found[0] if inside is None else f'"{inside}"'


def _unread(said: str, text: str) -> BoardSpecError:
    """What is said of a text that is no TOML, for which ``tomllib`` has only English."""
    lines = text.splitlines() or [""]
    place = _PLACE.search(said)
    line, column = map(int, place.groups()) if place else (len(lines), len(lines[-1]) + 1)
    if said.startswith(_TWICE):
        return BoardSpecError(
            "line %(line)s of the description says again what stands above it: leave one of "
            "them out",
            line=line,
        )
    unread = "".join(lines[line - 1 : line])
    keys = _KEY.finditer(unread)
    if key := next((key for key in keys if key.start(1) < column <= key.end(1)), None):
        return BoardSpecError(
            "line %(line)s of the description: put straight quotes around %(word)s, as in "
            "%(example)s",
            line=line,
            word=key[1],
            example=f'"{key[1]}" =',
        )
    if _is_table_cut(lines[: line - 1], unread, column):
        return BoardSpecError(
            "line %(line)s of the description: write all from { to } in one line", line=line
        )
    return BoardSpecError(
        "the description cannot be read from line %(line)s, column %(column)s on: write a field "
        "as in %(example)s, with straight quotes around words",
        line=line,
        column=column,
        example='name = "farm"',
    )


def _is_table_cut(above: Sequence[str], line: str, column: int) -> bool:
    """Whether it is a line break that cannot be read: one between ``{`` and ``}``."""
    before = _UNREAD.sub("", "\n".join([*above, line[: column - 1]]))
    is_inside = before.count("{") > before.count("}") and not re.search("[\"']", before)
    return is_inside and not _UNREAD.sub("", line[column - 1 :]).strip()


def described(text: str) -> dict[str, Any]:
    """The table of a description that somebody writes now. Raises BoardSpecError."""
    table = parsed(text)
    new_board(table)
    return table


def new_board(table: Mapping[str, Any]) -> CustomBoard:
    """The board of a description that somebody gives now.

    Raises BoardSpecError also for what only boards that are kept already may have. Such are names
    with spaces at their ends, names that no address can hold, and those of `CHOICES`. Labels that
    no piece can have are refused, too, and score rules that can never earn what they say.
    """
    board = CustomBoard.from_table(table)
    _expect_trimmed("name", board.name)
    _expect_other(board.name, CHOICES)
    if not all(part.replace(".", " ").strip() for part in board.name.split("/")):
        raise BoardSpecError(
            "name: expected letters on both sides of every / and not only dots, got %(name)s",
            name=repr(board.name),
        )
    _expect_labels("counts", board.counts)
    most = board.rows[1], board.cols[1]
    for number, (rule, given) in enumerate(
        zip(board.score, table.get("score", []), strict=True), 1
    ):
        _expect_labels("score", words_of(rule))
        _expect_trimmed("score", rule.name)
        if empty := [key for key, value in given.items() if value == []]:
            raise BoardSpecError(
                "score rule %(number)s, %(key)s: the list is empty, which would mean all: fill it "
                "or leave it out",
                number=number,
                key=empty[0],
            )
        match rule:
            case LineRule(cells=cells) if any(
                row >= most[0] or col >= most[1] for row, col in cells
            ):
                raise _beyond(number, "cells", most)
            case LineRule(lines=lines) if "diagonal" in lines and not _may_be_square(board):
                raise BoardSpecError(
                    "score rule %(number)s, lines: the board is never square, so that it has no "
                    "diagonal: leave it out",
                    number=number,
                )
            case PatternRule(pattern=pattern) if not _fits(pattern, rule.turned, most):
                raise _beyond(number, "pattern", most)
            case RunRule(least=least) if least > max(most):
                raise _beyond(number, "least", most)
            case RunRule(full=full) if full > max(most):
                raise _beyond(number, "full", most)
            case GroupRule(least=least) if least > most[0] * most[1]:
                raise _beyond(number, "least", most)
            case RunRule(full=full) if 0 < full < rule.least:
                raise BoardSpecError(
                    "score rule %(number)s, full: expected at least %(least)s, as long as the "
                    "shortest run that earns points",
                    number=number,
                    least=rule.least,
                )
            case RunRule() if rule.bonus and not rule.full:
                raise BoardSpecError(
                    "score rule %(number)s, bonus: expected full, too: how long a run earns it",
                    number=number,
                )
    return board


def words_of(rule: Rule) -> Iterable[str]:
    """The labels, or parts of labels, that a rule names."""
    if isinstance(rule, PatternRule):
        return (word for row in rule.pattern for word in row if word != EMPTY)
    return rule.pieces


def _expect_labels(key: str, words: Iterable[str]) -> None:
    for word in words:
        if not is_label(word):
            raise BoardSpecError(
                "%(key)s: a piece's name is one word without a slash, got %(got)s",
                key=key,
                got=repr(word),
            )


def _expect_trimmed(key: str, name: str) -> None:
    if name != name.strip():
        raise BoardSpecError(
            "%(key)s: expected a name without spaces at its ends, got %(got)s",
            key=key,
            got=as_told(name),
        )


def _may_be_square(board: CustomBoard) -> bool:
    return board.rows[0] <= board.cols[1] and board.cols[0] <= board.rows[1]


def _fits(pattern: Sequence[Sequence[str]], turned: bool, most: tuple[int, int]) -> bool:
    rows, cols = len(pattern), len(pattern[0])
    sizes = {(rows, cols), (cols, rows)} if turned else {(rows, cols)}
    return any(high <= most[0] and wide <= most[1] for high, wide in sizes)


def _beyond(number: int, key: str, most: tuple[int, int]) -> BoardSpecError:
    return BoardSpecError(
        "score rule %(number)s, %(key)s: the board has at most %(rows)s rows and %(cols)s columns",
        number=number,
        key=key,
        rows=most[0],
        cols=most[1],
    )
