"""The text notation shared by all boards: words in cells, cells in rows, rows from the top.

Cells are separated by spaces, rows by a slash with a space on either side or by a new line. The
slash of a time card (``autumn/spring``) has no spaces around it and stays inside its cell.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TypeVar

from scorer.text import Text, Told

Cell = tuple[int, int]
"""Row and column, counted from 0 at the top left."""

EMPTY = "."
"""An empty cell; in a stone pattern, any stone."""

LEAST_PREFIX = 2
"""Letters that a shortened word needs at least."""

MOST_SIDE = 32
"""Rows or columns of the largest board."""

ROW_BREAK = "/"
"""Stands between two rows, as a word of its own."""

MOST_SHOWN = 80
"""Letters of a board that a sentence about it repeats."""

Word = TypeVar("Word", bound=Enum)
Entry = TypeVar("Entry")


class NotationError(Told, ValueError):
    """Text is not valid board notation."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a board that can be read cannot lie on a table.

    Boards come from cameras and from tired players, so an impossible board is a value and never an
    exception: the caller shows all its problems at once.
    """

    code: str
    message: Text
    cells: tuple[Cell, ...] = ()


def split_rows(text: str) -> list[list[str]]:
    """Split notation into rows of cell words. Blank lines mean nothing.

    >>> split_rows("sun moon / fish .")
    [['sun', 'moon'], ['fish', '.']]
    >>> split_rows("autumn/spring summer\\n. winter")
    [['autumn/spring', 'summer'], ['.', 'winter']]
    """
    rows: list[list[str]] = []
    for line in text.splitlines():
        row: list[str] = []
        for word in line.split():
            if word == ROW_BREAK:
                rows.append(row)
                row = []
            else:
                row.append(word)
        if row or ROW_BREAK in line:
            rows.append(row)
    if not rows or [] in rows:
        text = _brief(text)
        number = rows.index([]) + 1 if rows else 1
        raise NotationError(
            "expected at least one cell in row %(number)s, got %(text)s",
            number=number,
            text=repr(text),
        )
    return rows


def split_grid(text: str, least: Cell, most: Cell) -> list[list[str]]:
    """Split notation into a rectangle of words.

    Its rows and columns lie between *least* and *most*.
    """
    rows = split_rows(text)
    text = _brief(text)
    if not least[0] <= len(rows) <= most[0]:
        raise NotationError(
            "expected %(span)s rows, got %(count)s: %(text)s",
            span=span(least[0], most[0]),
            count=len(rows),
            text=repr(text),
        )
    for number, row in enumerate(rows, 1):
        if not least[1] <= len(row) <= most[1]:
            raise NotationError(
                "expected %(span)s cells in row %(number)s, got %(count)s: %(text)s",
                span=span(least[1], most[1]),
                number=number,
                count=len(row),
                text=repr(text),
            )
        if len(row) != len(rows[0]):
            raise NotationError(
                "expected %(expected)s cells in row %(number)s as in row 1, got "
                "%(count)s: %(text)s",
                expected=len(rows[0]),
                number=number,
                count=len(row),
                text=repr(text),
            )
    return rows


def join_rows(rows: Iterable[Iterable[object]]) -> str:
    """Write rows of cells on one line.

    >>> join_rows([["sun", "moon"], ["fish", "."]])
    'sun moon / fish .'
    """
    return " / ".join(" ".join(str(cell) for cell in row) for row in rows)


def by_cell(rows: Iterable[Iterable[Entry]]) -> Iterator[tuple[Cell, Entry]]:
    """What stands in rows, each with its cell, row by row.

    >>> list(by_cell([["sun", "moon"]]))
    [((0, 0), 'sun'), ((0, 1), 'moon')]
    """
    for row, entries in enumerate(rows):
        for col, entry in enumerate(entries):
            yield (row, col), entry


def parse_word(text: str, words: type[Word]) -> Word:
    """Read a word of *words*, or a prefix of it that is unique and has two or more letters.

    >>> class Side(Enum):
    ...     LEFT = "left"
    ...     RIGHT = "right"
    >>> parse_word("LE", Side)
    <Side.LEFT: 'left'>
    """
    member = _prefixes(words).get(text.lower())
    if member is None:
        known = " ".join(str(word.value) for word in words)
        raise NotationError(
            "expected one of %(known)s or two or more of its first letters, got %(text)s",
            known=known,
            text=repr(text),
        )
    # The cache below cannot be generic, so the type is narrowed here once more.
    assert isinstance(member, words)
    return member


@cache
def _prefixes(words: type[Enum]) -> dict[str, Enum]:
    """Every accepted spelling of every word, the shortest ones included where they are unique."""
    spellings: dict[str, list[Enum]] = {}
    for word in words:
        text = str(word.value)
        for length in range(LEAST_PREFIX, len(text) + 1):
            spellings.setdefault(text[:length], []).append(word)
    return {spelling: found[0] for spelling, found in spellings.items() if len(found) == 1}


def in_words(cell: Cell) -> Text:
    """A cell as people count it, from 1.

    >>> in_words((0, 2))
    'row 1 column 3'
    """
    return Text("row %(row)s column %(col)s", row=cell[0] + 1, col=cell[1] + 1)


def box_of(cells: Sequence[Cell]) -> tuple[Cell, Cell]:
    """The first and the last cell of the smallest rectangle around *cells*."""
    rows = [row for row, _ in cells]
    cols = [col for _, col in cells]
    return (min(rows), min(cols)), (max(rows), max(cols))


def _brief(text: str) -> str:
    """The beginning of a text, for a sentence about it."""
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"


def span(least: int, most: int) -> str:
    """A number, or those from *least* to *most*.

    >>> span(3, 3), span(1, 4)
    ('3', '1 to 4')
    """
    return str(least) if least == most else Text("%(least)s to %(most)s", least=least, most=most)
