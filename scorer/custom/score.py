"""Other games: what each score rule of a board's file earns, and the pieces that earn it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from scorer.custom.labels import by_number
from scorer.custom.rules import (
    PART,
    WORTH,
    GroupRule,
    LineRule,
    PatternRule,
    PieceRule,
    Rule,
    RunRule,
    SetRule,
)
from scorer.notation import EMPTY, MOST_SIDE, Cell, by_cell, in_words
from scorer.text import Text, listed, plural

Grid = Sequence[Sequence[str]]
"""Rows of labels, all of one length."""

MOST_DIGITS = 2
"""Digits of a part that counts as a number of marks."""

MOST_KEPT = 2 * MOST_SIDE**2
"""Labels whose parts are kept: those of the largest board, and the words of its rules."""

MOST_SHOWN = 12
"""Things on the board that one sentence names."""

BOARDS_KEPT = 32
"""Boards whose points are kept: a change asks for those before it, after it and to show."""


@dataclass(frozen=True, slots=True)
class Earned:
    """Points for one thing on the board: its cells, and what it is in words."""

    cells: tuple[Cell, ...]
    points: int
    why: Text


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a score: the points of one rule, and what earns them."""

    name: str
    earned: tuple[Earned, ...]

    @property
    def points(self) -> int:
        return sum(one.points for one in self.earned)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells that earn something, each once."""
        return tuple(dict.fromkeys(cell for one in self.earned for cell in one.cells))


@dataclass(frozen=True, slots=True)
class PlayerScore:
    """A player's board with its score; ``extra`` are points by hand."""

    name: str
    grid: Grid
    items: tuple[Item, ...]
    extra: int

    @property
    def total(self) -> int:
        return sum(item.points for item in self.items) + self.extra


def score_player(
    name: str, grid: Grid, rules: Sequence[Rule], worth: Mapping[str, int], extra: int
) -> PlayerScore:
    """The points of all rules, of the pieces as the players value them (``worth``), and by hand."""
    items = score_board(grid, rules) if grid else tuple(Item(rule.name, ()) for rule in rules)
    if any(worth.values()):
        pieces = _places(grid, ())
        valued = ((label, worth[label]) for label in sorted(worth, key=by_number) if worth[label])
        earned = (_of_label(label, points, pieces) for label, points in valued)
        items = (*items, Item(WORTH, tuple(one for one in earned if one.cells)))
    return PlayerScore(name, grid, items, extra)


def winners(scores: Sequence[PlayerScore]) -> list[PlayerScore]:
    """Most points; all who have them."""
    best = max((score.total for score in scores), default=0)
    return [score for score in scores if score.total == best]


def score_board(grid: Grid, rules: Sequence[Rule]) -> tuple[Item, ...]:
    """What each rule gives for a board.

    >>> from scorer.custom.rules import rules_of
    >>> rules = rules_of([{"rule": "groups", "times": "marks"}])
    >>> scores = score_board([["field+2", "field"], ["lake", "field"]], rules)
    >>> scores[0].points, scores[0].earned[0].why
    (6, 'field: 3 pieces with 2 marks')
    """
    return _score_board(tuple(map(tuple, grid)), tuple(rules))


@lru_cache(BOARDS_KEPT)
def _score_board(grid: Grid, rules: Sequence[Rule]) -> tuple[Item, ...]:
    return tuple(Item(rule.name, tuple(_earned(rule, grid))) for rule in rules)


def matches(word: str, label: str) -> bool:
    """Whether a label has all parts of a rule's word.

    >>> matches("field", "field+2"), matches("field+2", "field"), matches("2", "field+2")
    (True, False, True)
    """
    return label != EMPTY and _parts(word) <= _parts(label)


@lru_cache(MOST_KEPT)
def _parts(label: str) -> frozenset[str]:
    return frozenset(label.split(PART))


def marks(label: str) -> int:
    """The number of marks on a piece.

    >>> marks("field+2"), marks("field"), marks("7")
    (2, 0, 0)
    """
    parts = label.split(PART)[1:]
    numbers = (part for part in parts if part.isdecimal() and len(part) <= MOST_DIGITS)
    return sum(map(int, numbers))


def kind_of(label: str) -> str:
    """The first part of a label: what it is without its marks."""
    return label.split(PART)[0]


def _earned(rule: Rule, grid: Grid) -> Iterator[Earned]:
    match rule:
        case PieceRule():
            return _of_pieces(rule, grid)
        case LineRule():
            return _of_lines(rule, grid)
        case RunRule():
            return _of_runs(rule, grid)
        case SetRule():
            return _of_sets(rule, grid)
        case GroupRule():
            return _of_groups(rule, grid)
        case PatternRule():
            return _of_patterns(rule, grid)


def _places(grid: Grid, pieces: Sequence[str]) -> dict[Cell, str]:
    """The cells with one of the pieces, row by row; with any piece if none is named."""
    return {
        cell: label
        for cell, label in by_cell(grid)
        if label != EMPTY and (not pieces or any(matches(word, label) for word in pieces))
    }


def _of_pieces(rule: PieceRule, grid: Grid) -> Iterator[Earned]:
    places = _places(grid, rule.pieces)
    for label in dict.fromkeys(places.values()):
        yield _of_label(label, rule.points, places)


def _of_label(label: str, points: int, places: Mapping[Cell, str]) -> Earned:
    cells = tuple(cell for cell, one in places.items() if one == label)
    why = Text("%(count)s × %(piece)s at %(points)s", count=len(cells), piece=label, points=points)
    return Earned(cells, points * len(cells), why)


def _of_lines(rule: LineRule, grid: Grid) -> Iterator[Earned]:
    places = _places(grid, rule.pieces)
    lines = [(rule.cells, Text("all its places"))] if rule.cells else _lines_of(rule, grid)
    for cells, why in lines:
        if all(cell in places for cell in cells):
            yield Earned(tuple(cells), rule.points, why)


def _lines_of(rule: LineRule, grid: Grid) -> Iterator[tuple[tuple[Cell, ...], Text]]:
    """The lines that the rule speaks of, with their names."""
    rows, cols = len(grid), len(grid[0])
    if "row" in rule.lines:
        for r in range(rows):
            yield tuple((r, c) for c in range(cols)), Text("row %(number)s", number=r + 1)
    if "column" in rule.lines:
        for c in range(cols):
            yield tuple((r, c) for r in range(rows)), Text("column %(number)s", number=c + 1)
    if "diagonal" in rule.lines and rows == cols:
        yield tuple((n, n) for n in range(rows)), Text("the diagonal from the upper left")
        if rows > 1:
            down = tuple((n, rows - 1 - n) for n in range(rows))
            yield down, Text("the diagonal from the upper right")
    if "board" in rule.lines:
        yield tuple((r, c) for r in range(rows) for c in range(cols)), Text("the whole board")


def _of_runs(rule: RunRule, grid: Grid) -> Iterator[Earned]:
    places = _places(grid, rule.pieces)
    for down, across in ((0, 1), (1, 0)):
        for r, c in places:
            if (r - down, c - across) in places:
                continue
            cells: list[Cell] = []
            while (r + down * len(cells), c + across * len(cells)) in places:
                cells.append((r + down * len(cells), c + across * len(cells)))
            if len(cells) < rule.least:
                continue
            line = (
                Text("row %(number)s", number=r + 1)
                if across
                else Text("column %(number)s", number=c + 1)
            )
            count, is_full = len(cells), bool(rule.full) and len(cells) >= rule.full
            why = Text("%(line)s: %(pieces)s", line=line, pieces=_pieces_in_words(count))
            if is_full:
                why = Text("%(why)s, %(bonus)s for a full line", why=why, bonus=rule.bonus)
            yield Earned(tuple(cells), rule.points * count + rule.bonus * is_full, why)


def _of_sets(rule: SetRule, grid: Grid) -> Iterator[Earned]:
    places = _places(grid, rule.pieces)
    words_of = {
        label: [word for word in rule.pieces if matches(word, label)] or [label]
        for label in dict.fromkeys(places.values())
    }
    fitting: dict[str, list[Cell]] = {word: [] for word in rule.pieces or words_of}
    for cell, label in places.items():
        for word in words_of[label]:
            fitting[word].append(cell)
    cells_of = _dealt(fitting)
    for turn in range(max(map(len, cells_of.values()), default=0)):
        words = [word for word, cells in cells_of.items() if len(cells) > turn]
        if rule.whole and len(words) < len(rule.pieces):
            return
        points = rule.points[min(len(words), len(rule.points)) - 1]
        if points:
            yield Earned(tuple(cells_of[word][turn] for word in words), points, listed(words))


def _dealt(fitting: Mapping[str, Sequence[Cell]]) -> dict[str, list[Cell]]:
    """The cells of each word when in every round as many words as can be get one more that fits.

    A word may take the cell of another that finds a further one (the augmenting paths of a
    bipartite matching). Where none does, all words that were asked can never have more.
    """
    owner: dict[Cell, str] = {}
    unseen = {word: iter(cells) for word, cells in fitting.items()}

    def finds(word: str, asked: set[str]) -> bool:
        asked.add(word)
        cell = next((cell for cell in unseen[word] if cell not in owner), None)
        if cell is None:
            others = (cell for cell in fitting[word] if owner[cell] not in asked)
            cell = next((cell for cell in others if finds(owner[cell], asked)), None)
        if cell is not None:
            owner[cell] = word
        return cell is not None

    done: set[str] = set()
    while len(done) < len(fitting):
        for word in fitting:
            asked = {*done}
            if word not in done and not finds(word, asked):
                done = asked
    return {word: [cell for cell in fitting[word] if owner[cell] == word] for word in fitting}


def _of_groups(rule: GroupRule, grid: Grid) -> Iterator[Earned]:
    places = _places(grid, rule.pieces)
    groups = [cells for cells in _groups(places, rule.alike) if len(cells) >= rule.least]
    earned = [_of_group(rule, cells, places) for cells in groups]
    if rule.take == "largest":
        earned = sorted(earned, key=lambda one: (len(one.cells), one.points))[-1:]
    for one in earned:
        if one.points:
            yield one


def _of_group(rule: GroupRule, cells: tuple[Cell, ...], places: dict[Cell, str]) -> Earned:
    kinds = listed(dict.fromkeys(kind_of(places[cell]) for cell in cells))
    count = len(cells)
    if rule.times == "marks":
        found = sum(marks(places[cell]) for cell in cells)
        why = Text(
            "%(piece)s: %(pieces)s with %(marks)s",
            piece=kinds,
            pieces=_pieces_in_words(count),
            marks=plural("1 mark", "%(count)s marks", count=found),
        )
        return Earned(cells, rule.points * count * found, why)
    why = Text("%(piece)s: %(pieces)s", piece=kinds, pieces=_pieces_in_words(count))
    return Earned(cells, rule.points * (1 if rule.times == "once" else count), why)


def _pieces_in_words(count: int) -> Text:
    return plural("1 piece", "%(count)s pieces", count=count)


def _groups(places: dict[Cell, str], alike: bool) -> Iterator[tuple[Cell, ...]]:
    """Cells that touch along an edge, from the first in reading order; with *alike* those of one
    kind."""
    left = dict(places)
    while left:
        start = next(iter(left))
        kind = kind_of(left.pop(start))
        group, edge = [start], [start]
        while edge:
            r, c = edge.pop()
            for cell in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)):
                if cell in left and (not alike or kind_of(left[cell]) == kind):
                    del left[cell]
                    group.append(cell)
                    edge.append(cell)
        yield tuple(sorted(group))


def _of_patterns(rule: PatternRule, grid: Grid) -> Iterator[Earned]:
    patterns = [rule.pattern]
    for _ in range(3 if rule.turned else 0):
        last = patterns[-1]
        patterns.append(tuple(tuple(column) for column in zip(*last[::-1], strict=True)))
    for pattern in dict.fromkeys(patterns):
        places = [(r, c, word) for (r, c), word in by_cell(pattern) if word != EMPTY]
        for top in range(len(grid) - len(pattern) + 1):
            for left in range(len(grid[0]) - len(pattern[0]) + 1):
                if all(matches(word, grid[top + r][left + c]) for r, c, word in places):
                    cells = tuple((top + r, left + c) for r, c, _ in places)
                    yield Earned(cells, rule.points, some_of(map(in_words, cells), ", "))


def some_of(things: Iterable[str], divider: str) -> Text:
    """The first things in words, and an ellipsis where there are more."""
    left = iter(things)
    named = list(islice(left, MOST_SHOWN))
    return listed([*named, *(["…"] if next(left, None) is not None else [])], divider)
