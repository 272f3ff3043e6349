"""Turn of Time, the card game: placing a card, the flips it causes, and the ranking of the seasons.

Rules: Nova Suecia, print and play. The table is at most 4x4 cards and has no fixed place before it is full.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import Self

from scorer.notation import EMPTY, Cell, NotationError, Problem, box_of, join_rows, split_grid
from scorer.season import SEASONS, Season

SIDE = 4
"""Rows and columns of the full table (rulebook, placing)."""

SINGLES_A_SEASON = 1
DOUBLES_A_PAIR = 2
"""Each season is on both sides of 1 card, and each two seasons share 2 cards (rulebook, contents)."""

POINTS = (4, 3, 2, 1)
"""Points of the first to the fourth season (rulebook, end)."""

OWN_DOUBLES = {4: 3, 3: 4}
"""Doubles with the own season that a player gets besides its single, by the number of players (rulebook, players).

Two players have two seasons each; how their cards are dealt is not described.
"""

UNKNOWN = "?"


class Flip(Enum):
    """Which of two meeting cards turns: the one just placed, the one that lay there, both or neither."""

    NEITHER = (False, False)
    PLACED = (True, False)
    LYING = (False, True)
    BOTH = (True, True)


def meeting(placed: Season, lying: Season) -> Flip:
    """What happens when a card just placed meets a card beside it (rulebook, flipping).

    A season is flipped by the one after it, opposite seasons flip each other, equal ones do nothing.

    >>> meeting(Season.SUMMER, Season.SPRING), meeting(Season.SPRING, Season.AUTUMN)
    (<Flip.LYING: (False, True)>, <Flip.BOTH: (True, True)>)
    """
    ahead = (SEASONS.index(placed) - SEASONS.index(lying)) % len(SEASONS)
    return (Flip.NEITHER, Flip.LYING, Flip.BOTH, Flip.PLACED)[ahead]


@dataclass(frozen=True, slots=True)
class SeasonCard:
    """A card on the table: the side that is up, and its back as far as it is known.

    >>> SeasonCard.parse("fall/sp")
    SeasonCard.parse('autumn/spring')
    >>> str(SeasonCard.parse("spring").flipped())
    '?/spring'
    """

    up: Season | None
    back: Season | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``up``, ``up/back``, ``up/?`` or ``?/back``. Raises NotationError if *text* is not that."""
        up, slash, back = text.partition("/")
        sides = [None if side == UNKNOWN else Season.parse(side) for side in ((up, back) if slash else (up,))]
        if sides == [None] or sides == [None, None]:
            raise NotationError(f"expected a card with a known side, got {text!r}")
        return cls(*sides)

    @property
    def sides(self) -> tuple[Season, ...]:
        """The known sides."""
        return tuple(side for side in (self.up, self.back) if side is not None)

    def flipped(self) -> Self:
        """The card turned over."""
        return type(self)(self.back, self.up)

    def __str__(self) -> str:
        up = UNKNOWN if self.up is None else self.up.value
        return up if self.back is None else f"{up}/{self.back.value}"

    def __repr__(self) -> str:
        return f"SeasonCard.parse({str(self)!r})"


@dataclass(frozen=True, slots=True)
class TimeGrid:
    """The cards on the table, by cell in reading order. Where on the table they lie means nothing.

    >>> grid = TimeGrid.parse(". . . / . autumn/spring su")
    >>> str(grid)
    'autumn/spring summer'
    >>> [cell for cell, _ in grid.cards]
    [(1, 1), (1, 2)]
    """

    cards: tuple[tuple[Cell, SeasonCard], ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read up to four rows of up to four cells. Raises NotationError if *text* is not that."""
        words = split_grid(text, (1, 1), (SIDE, SIDE))
        return cls.of(
            {
                (row, col): SeasonCard.parse(word)
                for row, line in enumerate(words)
                for col, word in enumerate(line)
                if word != EMPTY
            }
        )

    @classmethod
    def of(cls, cards: Mapping[Cell, SeasonCard]) -> Self:
        """The table with these cards."""
        return cls(tuple(sorted(cards.items(), key=lambda entry: entry[0])))

    def __str__(self) -> str:
        if not self.cards:
            return EMPTY
        at = dict(self.cards)
        (top, left), (bottom, right) = box_of(list(at))
        return join_rows(
            (at.get((row, col), EMPTY) for col in range(left, right + 1)) for row in range(top, bottom + 1)
        )

    def __repr__(self) -> str:
        return f"TimeGrid.parse({str(self)!r})"

    def problems(self) -> tuple[Problem, ...]:
        """Why these cards cannot lie like this: not one connected group, or not from the 16 cards."""
        found = list(deal_problems(self.cards))
        groups = sorted(_connected({cell for cell, _ in self.cards}), key=len)
        if len(groups) > 1:
            stray = tuple(sorted(cell for group in groups[:-1] for cell in group))
            found.append(
                Problem("not_connected", f"expected one connected group of cards, got {len(groups)}", stray)
            )
        return tuple(found)


def deal_problems(cards: Sequence[tuple[Cell, SeasonCard]]) -> Iterator[Problem]:
    """What no deal of the 16 cards gives, unknown backs taken as they fit best."""
    left: dict[frozenset[Season], int] = {frozenset([season]): SINGLES_A_SEASON for season in SEASONS}
    left |= {frozenset(pair): DOUBLES_A_PAIR for pair in combinations(SEASONS, 2)}
    open_backs: Counter[Season] = Counter()
    known: dict[frozenset[Season], list[Cell]] = {}
    for cell, card in cards:
        if len(card.sides) == 2:
            known.setdefault(frozenset(card.sides), []).append(cell)
        else:
            open_backs[card.sides[0]] += 1
    for sides, cells in known.items():
        if len(cells) > left[sides]:
            names = "/".join(season.value for season in SEASONS if season in sides)
            yield Problem(
                "too_many_cards",
                f"expected up to {left[sides]} cards {names}, got {len(cells)}",
                tuple(cells),
            )
        left[sides] = max(0, left[sides] - len(cells))
    # Hall's theorem: the cards with unknown backs can be found in the box exactly if no set of seasons shows
    # more of them than cards are left with any of these seasons. The smallest such set is the clearest.
    for size in range(1, len(SEASONS) + 1):
        for seasons in combinations(SEASONS, size):
            shown = sum(open_backs[season] for season in seasons)
            most = sum(count for sides, count in left.items() if sides & set(seasons))
            if shown > most:
                cells = [cell for cell, card in cards if len(card.sides) == 1 and card.sides[0] in seasons]
                names = " or ".join(season.value for season in seasons)
                yield Problem(
                    "too_many_cards",
                    f"expected up to {most} more cards with {names}, got {shown} with unknown backs",
                    tuple(cells),
                )
                return


def _beside(cell: Cell) -> tuple[Cell, ...]:
    row, col = cell
    return ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))


def _connected(cells: set[Cell]) -> Iterator[set[Cell]]:
    """The orthogonally connected groups of *cells*."""
    left = set(cells)
    while left:
        group: set[Cell] = set()
        reached = {left.pop()}
        while reached:
            group |= reached
            reached = {near for cell in reached for near in _beside(cell)} & left
            left -= reached
        yield group


def hand_problems(hand: Sequence[SeasonCard], season: Season, players: int) -> tuple[Problem, ...]:
    """Why this is not what the player of *season* starts with among three or four *players*."""
    singles = sum(card.sides == (season, season) for card in hand)
    doubles = sum(len(set(card.sides)) == 2 and season in card.sides for card in hand)
    expected = OWN_DOUBLES[players]
    if (singles, doubles, len(hand)) == (1, expected, 1 + expected):
        return ()
    message = f"expected the single and {expected} doubles with {season.value}, got {singles} and {doubles} of {len(hand)}"
    return (Problem("wrong_hand", message),)


def starting_grid(seasons: Iterable[Season]) -> TimeGrid:
    """The table before the first turn: with three players, the single of the season that nobody plays.

    >>> str(starting_grid([Season.SPRING, Season.AUTUMN, Season.WINTER]))
    'summer/summer'
    """
    played = set(seasons)
    left = [season for season in SEASONS if season not in played]
    if len(left) > 1:
        raise ValueError(f"expected three or four seasons in play, got {len(played)}")
    return TimeGrid.of({(0, 0): SeasonCard(left[0], left[0])} if left else {})


@dataclass(frozen=True, slots=True)
class Placement:
    """A cell and a side for a card, with every table that it can lead to."""

    cell: Cell
    up: Season
    grids: tuple[TimeGrid, ...]


def legal_cells(grid: TimeGrid) -> tuple[Cell, ...]:
    """Where the next card may go: beside a card, with no more than 4x4 cells around all of them.

    >>> legal_cells(TimeGrid.parse("spring summer autumn winter"))[:4]
    ((-1, 0), (-1, 1), (-1, 2), (-1, 3))
    """
    taken = [cell for cell, _ in grid.cards]
    if not taken:
        return ((0, 0),)
    (top, left), (bottom, right) = box_of(taken)
    return tuple(
        (row, col)
        for row, col in sorted({near for cell in taken for near in _beside(cell)} - set(taken))
        if max(bottom, row) - min(top, row) < SIDE and max(right, col) - min(left, col) < SIDE
    )


def placements(grid: TimeGrid, card: SeasonCard) -> tuple[Placement, ...]:
    """Every legal cell for every side of *card*, with the tables after all orders of its meetings.

    Raises ValueError unless both sides of the card are known.
    """
    if card.up is None or card.back is None:
        raise ValueError(f"expected a card with two known sides, got {str(card)!r}")
    sides = [card] if card.up is card.back else [card, card.flipped()]
    return tuple(
        Placement(cell, side.sides[0], outcomes(grid, cell, side))
        for cell in legal_cells(grid)
        for side in sides
    )


def outcomes(grid: TimeGrid, cell: Cell, card: SeasonCard) -> tuple[TimeGrid, ...]:
    """The different tables after *card* was placed on *cell* and met each card beside it once.

    The player chooses the order; a card that was flipped by the placed one triggers nothing.
    """
    lying = dict(grid.cards)
    near = frozenset(other for other in _beside(cell) if other in lying)
    ends: set[tuple[SeasonCard, frozenset[Cell]]] = set()
    seen: set[tuple[SeasonCard, frozenset[Cell], frozenset[Cell]]] = set()

    def meet(placed: SeasonCard, left: frozenset[Cell], turned: frozenset[Cell]) -> None:
        if (placed, left, turned) in seen:
            return
        seen.add((placed, left, turned))
        if not left:
            ends.add((placed, turned))
        for other in left:
            up = lying[other].up
            if placed.up is None or up is None:
                raise ValueError(f"expected cards with known upper sides to meet, got {str(lying[other])!r}")
            flips_placed, flips_lying = meeting(placed.up, up).value
            meet(
                placed.flipped() if flips_placed else placed,
                left - {other},
                turned | {other} if flips_lying else turned,
            )

    meet(card, near, frozenset())
    found = {
        TimeGrid.of(lying | {other: lying[other].flipped() for other in turned} | {cell: placed})
        for placed, turned in ends
    }
    return tuple(sorted(found, key=str))


@dataclass(frozen=True, slots=True)
class Rank:
    """A season at the end: its visible cards, its largest connected group and its points."""

    season: Season
    cards: int
    group: int
    points: int


def ranking(grid: TimeGrid, order: Sequence[Season] = SEASONS) -> tuple[Rank, ...]:
    """All four seasons, best first, with 4, 3, 2 and 1 points.

    More visible cards win, then the larger connected group, then who is earlier in *order*, the turn order;
    seasons that are not in it come last, in calendar order.
    """
    cells: dict[Season, set[Cell]] = {season: set() for season in SEASONS}
    for cell, card in grid.cards:
        if card.up is not None:
            cells[card.up].add(cell)
    whole_order = [*order, *(season for season in SEASONS if season not in order)]
    strength = {
        season: (len(cells[season]), max(map(len, _connected(cells[season])), default=0))
        for season in SEASONS
    }
    ranked = sorted(whole_order, key=lambda season: strength[season], reverse=True)
    return tuple(
        Rank(season, *strength[season], points) for season, points in zip(ranked, POINTS, strict=True)
    )


def largest_group(grid: TimeGrid, season: Season) -> tuple[Cell, ...]:
    """The cells of the largest connected group of *season*; of several, the one that begins further up and left.

    >>> largest_group(TimeGrid.parse("spring summer spring / winter winter spring"), Season.SPRING)
    ((0, 2), (1, 2))
    """
    groups = _connected({cell for cell, card in grid.cards if card.up is season})
    return min((tuple(sorted(group)) for group in groups), key=lambda cells: (-len(cells), cells), default=())


def player_points(ranks: Iterable[Rank], seasons: Iterable[Season]) -> int:
    """Points of a player with these seasons. The points of a season that nobody plays go to nobody."""
    own = set(seasons)
    return sum(rank.points for rank in ranks if rank.season in own)


@dataclass(frozen=True, slots=True)
class Choice:
    """A placement with the order of meetings settled: the table it leaves."""

    cell: Cell
    up: Season
    grid: TimeGrid
    rank: Rank


def best_choices(
    grid: TimeGrid, card: SeasonCard, season: Season, order: Sequence[Season] = SEASONS
) -> tuple[Choice, ...]:
    """The placements after which *season* would score most if the game ended now.

    Most points first, then most cards, then the largest group; every choice that is best in all three.
    """
    choices = [
        Choice(placement.cell, placement.up, after, rank)
        for placement in placements(grid, card)
        for after in placement.grids
        for rank in ranking(after, order)
        if rank.season is season
    ]
    best = max(((c.rank.points, c.rank.cards, c.rank.group) for c in choices), default=None)
    return tuple(c for c in choices if (c.rank.points, c.rank.cards, c.rank.group) == best)


DOMINANCE_GROUP = 7
BALANCE_CARDS = 4


def is_dominance(grid: TimeGrid) -> bool:
    """Solo goal: all cards are played and seven or more of one season are connected."""
    return len(grid.cards) == SIDE * SIDE and any(rank.group >= DOMINANCE_GROUP for rank in ranking(grid))


def is_balance(grid: TimeGrid) -> bool:
    """Solo goal: all cards are played and every season shows four."""
    return len(grid.cards) == SIDE * SIDE and all(rank.cards == BALANCE_CARDS for rank in ranking(grid))
