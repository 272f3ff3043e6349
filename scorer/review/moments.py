"""What a review consists of, and the moments of a game: boards with what was done to get there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from scorer.game import Game, Json
from scorer.games import GAMES
from scorer.happened import happened
from scorer.notation import EMPTY, Cell, by_cell, split_rows
from scorer.record import TABLE, Record, Step, label_of, line_of
from scorer.text import Text, listed

MOST_MOMENTS = 1_000
"""Moments that a review looks at; an evening has some hundred."""

Board = tuple[int | None, str]
"""Whose board it is, None for that of the table, and what lies there in notation."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A game after one line of its record.

    ``turn`` counts from 1 where the line belongs to a turn. ``changed`` has the cells of each of
    ``boards`` that differ from the moment before. ``scores`` are the points by seat.
    """

    turn: int | None
    who: str
    says: tuple[Text, ...]
    words: str
    boards: tuple[Board, ...]
    changed: tuple[tuple[Cell, ...], ...]
    scores: tuple[int, ...]
    state: Json


@dataclass(frozen=True, slots=True)
class Picture:
    """A board with the cells to look at."""

    text: str
    cells: tuple[Cell, ...] = ()
    says: Text | None = None
    """What it shows, where that is not plain."""


@dataclass(frozen=True, slots=True)
class Insight:
    """One thing to learn from a game, with boards and pattern cards that show it.

    ``moment`` is the number of the moment after it, ``cost`` the points that it was worth.
    """

    seat: int | None
    title: Text
    says: tuple[Text, ...]
    cost: int = 0
    moment: int | None = None
    pictures: tuple[Picture, ...] = ()
    cards: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """Values over the moments of a game: one row of them for each name."""

    title: Text
    rows: tuple[tuple[Text, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """A table with a row for each name; ``head`` names the columns after it.

    A float is told with its sign and one digit after the point.
    """

    title: Text
    head: tuple[Text, ...]
    rows: tuple[tuple[Text, tuple[str | float, ...]], ...]


@dataclass(frozen=True, slots=True)
class Chapter:
    """What the room of a game tells of it; ``notes`` say what is not known."""

    charts: tuple[Chart, ...] = ()
    figures: tuple[Figures, ...] = ()
    insights: tuple[Insight, ...] = ()
    notes: tuple[Text, ...] = ()


def moments(record: Record) -> Iterator[tuple[Moment, tuple[Step, ...]]]:
    """Every moment at which a board or a score is another, with the steps that led there.

    Lines that change neither, such as a hand that was told, belong to the next one. Turns at the
    end that change neither are one last moment.
    """
    rules = GAMES[record.kind]
    before: list[Board] = []
    scores = _scores(rules, record.start)
    steps: list[Step] = []
    shown: int | None = None
    passed: tuple[Step, ...] = ()
    for line in record.lines():
        steps += line
        number = line[0].number
        boards, now = _boards(rules, line[-1].after), _scores(rules, line[-1].after)
        if boards == before and now == scores:
            is_new = number not in (None, shown)
            if is_new and rules.turn_of(line[0].before) != rules.turn_of(line[-1].after):
                passed = line
            continue
        yield _moment(rules, line, before, boards, now), tuple(steps)
        before, scores, steps, passed = boards, now, [], ()
        shown = number or shown
    if passed:
        yield _moment(rules, passed, before, before, scores), tuple(steps)


def first_moments(record: Record) -> list[tuple[Moment, tuple[Step, ...]]]:
    """The moments that a review looks at."""
    return list(islice(moments(record), MOST_MOMENTS))


def _moment(
    rules: Game, line: tuple[Step, ...], before: list[Board], boards: list[Board], scores: list[int]
) -> Moment:
    told = (happened(rules, step.before, step.action, step.after) for step in line)
    old = dict(before)
    return Moment(
        line[0].number,
        _name(line[0]),
        tuple(dict.fromkeys(one for one in told if one)),
        line_of(line),
        tuple(boards),
        tuple(changed(old.get(seat), text) for seat, text in boards),
        tuple(scores),
        line[-1].after,
    )


def _name(step: Step) -> str:
    """Who did it, without the quotes of a record; empty for the table."""
    names = (str(player["name"]) for player in step.after["players"])
    return "" if step.who == TABLE else next(one for one in names if label_of(one) == step.who)


def _boards(rules: Game, state: Json) -> list[Board]:
    return [(seat, board["text"]) for seat, board in rules.boards(state)]


def _scores(rules: Game, state: Json) -> list[int]:
    return [row["score"] for row in rules.result(state)]


def changed(before: str | None, after: str) -> tuple[Cell, ...]:
    """The cells of a board that differ from the one before.

    A grid that grew upwards or to the left is laid where the fewest cells differ.

    >>> changed("spring summer", "winter . / spring summer")
    ((0, 0),)
    """
    new = cells_of(after)
    if before is None:
        return ()
    old = cells_of(before)
    shifts = [(row, col) for row in (0, 1, -1) for col in (0, 1, -1)]
    return min((_differing(old, new, shift) for shift in shifts), key=len)


def _differing(old: dict[Cell, str], new: dict[Cell, str], shift: Cell) -> tuple[Cell, ...]:
    moved = {(row + shift[0], col + shift[1]): word for (row, col), word in old.items()}
    cells = {**moved, **new}
    return tuple(sorted(cell for cell in cells if moved.get(cell) != new.get(cell)))


def cells_of(text: str) -> dict[Cell, str]:
    """The cells of a board that hold something."""
    return {cell: word for cell, word in by_cell(split_rows(text)) if word != EMPTY}


def course(title: Text, names: Sequence[str], values: Sequence[Sequence[int]]) -> Chart:
    """A chart of what each moment gives each name."""
    return Chart(
        title,
        tuple(
            (listed([name]), tuple(moment[at] for moment in values))
            for at, name in enumerate(names)
        ),
    )
