"""Shifting Stones: the actions of a turn, the best turn and how far away a card is.

Rulebook, "on your turn": any number of shifts and flips, each paid with a card of the hand, and any
number of scored cards, which cost nothing. Skipping the turn (draw two) is not weighed against the
rest.

The search works on the grid as one number, four bits a cell, so that an action is one exclusive or
and a match is one comparison. How far a single card is away comes exactly from a small table. A
swap moves stones without turning them, and a flip turns one stone where it lies. So the discards
are the flips of the stones used plus the fewest swaps that bring them to their places; the other
stones do not matter.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import combinations, permutations

from scorer.notation import Cell
from scorer.stones.board import SIDE, StoneGrid, Symbol
from scorer.stones.cards import PatternCard

MOST_CARDS = 6
"""Cards in a hand at most: four, and two more after a skipped turn (rulebook, skipping)."""

CELLS = SIDE * SIDE
_SYMBOLS = tuple(Symbol)
_CODE = {symbol: code for code, symbol in enumerate(_SYMBOLS)}
_BITS = 4
_FACE = (1 << _BITS) - 1

Packed = int
"""A grid as a number: the symbol of cell n in bits 4n to 4n+3; the lowest of them is the side."""


@dataclass(frozen=True, slots=True)
class Shift:
    """Discard a card and swap two orthogonally adjacent stones."""

    first: Cell
    second: Cell


@dataclass(frozen=True, slots=True)
class Flip:
    """Discard a card and turn one stone over in its place."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Score:
    """Reveal a card that the grid matches."""

    card: PatternCard


Action = Shift | Flip
Step = Shift | Flip | Score

SHIFTS = tuple(
    Shift((row, col), other)
    for row in range(SIDE)
    for col in range(SIDE)
    for other in ((row, col + 1), (row + 1, col))
    if max(other) < SIDE
)
FLIPS = tuple(Flip(divmod(at, SIDE)) for at in range(CELLS))
ACTIONS: tuple[Action, ...] = (*SHIFTS, *FLIPS)
"""The 12 shifts and 9 flips. Each is legal on every grid while there is a card to pay with."""

SWAPS = tuple(
    (shift.first[0] * SIDE + shift.first[1], shift.second[0] * SIDE + shift.second[1])
    for shift in SHIFTS
)
"""The cells of each shift, counted row by row."""

_SWAP_BITS = tuple((_BITS * one, _BITS * other) for one, other in SWAPS)
_FLIP_BITS = tuple(1 << (_BITS * at) for at in range(CELLS))


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn: its steps in their order, its points and how many cards it discards."""

    points: int
    discards: int
    steps: tuple[Step, ...]


def apply(grid: StoneGrid, action: Action) -> StoneGrid:
    """The grid after *action*."""
    if isinstance(action, Flip):
        return grid.flipped(action.cell)
    return grid.shifted(action.first, action.second)


def distance(grid: StoneGrid, card: PatternCard) -> int | None:
    """The fewest discards after which *grid* matches *card*.

    None if the stones of the grid can never show it, which only an impossible grid can do. Not
    limited by the cards in a hand: it also tells how many turns away a card is.

    >>> from scorer.stones.cards import cards_by_id
    >>> grid = StoneGrid.parse("bird horse boat / seed sun tree / seed bird horse")
    >>> distance(grid, cards_by_id()[1]), distance(grid, cards_by_id()[28])
    (0, 2)
    """
    return _Target.of(card).distance(_pack(grid))


def way_to(grid: StoneGrid, card: PatternCard) -> tuple[Action, ...] | None:
    """The actions of one shortest way to a grid that matches *card*; None if there is no way."""
    target = _Target.of(card)
    packed = _pack(grid)
    if target.distance(packed) is None:
        return None
    return tuple(ACTIONS[action] for action in _descend(packed, target))


def best_turn(grid: StoneGrid, hand: Sequence[PatternCard]) -> Turn:
    """The turn with the most points and, among those, the fewest discards; proven, not guessed.

    Every shift or flip is paid with a card of *hand* that is not scored this turn. Raises
    ValueError for more than six cards or for the same card twice.
    """
    if len(hand) > MOST_CARDS or len({card.id for card in hand}) != len(hand):
        raise ValueError(
            f"expected up to {MOST_CARDS} different cards, got {[card.id for card in hand]!r}"
        )
    return _Search(_pack(grid), tuple(hand)).best()


def _pack(grid: StoneGrid) -> Packed:
    return sum(_CODE[symbol] << (_BITS * at) for at, symbol in enumerate(grid.cells))


def _neighbours(grid: Packed) -> list[tuple[Packed, int]]:
    """The other grids one action away, each with its action. Swapping equal faces is left out."""
    found = []
    for action, (one, other) in enumerate(_SWAP_BITS):
        change = (grid >> one ^ grid >> other) & _FACE
        if change:
            found.append((grid ^ (change << one | change << other), action))
    for cell, bit in enumerate(_FLIP_BITS):
        found.append((grid ^ bit, len(_SWAP_BITS) + cell))
    return found


class _Target:
    """One card, prepared for fast matching and exact distances."""

    __slots__ = ("_roles", "_swaps", "placed", "points")

    def __init__(self, card: PatternCard) -> None:
        self.points = card.points
        # By the kind of stone and then by the symbol.
        symbols = sorted(card.pattern.symbols, key=lambda entry: _CODE[entry[1]])
        codes = tuple(_CODE[symbol] for _, symbol in symbols)
        spots = [
            tuple((top + row) * SIDE + left + col for (row, col), _ in symbols)
            for top, left in card.pattern.offsets()
        ]
        self.placed = tuple(
            (
                sum(_FACE << (_BITS * at) for at in spot),
                sum(code << (_BITS * at) for code, at in zip(codes, spot, strict=True)),
            )
            for spot in spots
        )
        self._roles: dict[int, tuple[int, ...]] = defaultdict(tuple)
        for code in codes:
            self._roles[code >> 1] += (code & 1,)
        self._swaps = _swap_table(frozenset(spots), codes)

    @staticmethod
    @lru_cache(maxsize=256)
    def of(card: PatternCard) -> "_Target":
        return _Target(card)

    def matches(self, grid: Packed) -> bool:
        return any(grid & mask == value for mask, value in self.placed)

    def distance(self, grid: Packed) -> int | None:
        """The fewest flips and swaps, over all choices of stones for the coloured cells."""
        stones: dict[int, list[tuple[int, int]]] = {kind: [] for kind in self._roles}
        for at in range(CELLS):
            code = grid >> (_BITS * at) & _FACE
            if code >> 1 in stones:
                stones[code >> 1].append((at, code & 1))
        partial = [(0, 0)]
        for kind, sides in self._roles.items():
            held = stones[kind]
            added = []
            for choice in _choices(len(held), sides):
                index = flips = 0
                for stone, side in zip(choice, sides, strict=True):
                    at, shown = held[stone]
                    index = index * CELLS + at
                    flips += shown ^ side
                added.append((index, flips))
            shift = CELLS ** len(sides)
            partial = [
                (base * shift + index, cost + flips)
                for base, cost in partial
                for index, flips in added
            ]
        swaps = self._swaps
        return min((swaps[index] + flips for index, flips in partial), default=None)


@cache
def _choices(held: int, sides: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Ways to give *held* stones of one kind to the cells that want them.

    Exchanging the stones of two cells that want the same side changes nothing, so those are in
    order.
    """
    return tuple(
        choice
        for choice in permutations(range(held), len(sides))
        if all(
            sides[at] != sides[at + 1] or choice[at] < choice[at + 1]
            for at in range(len(sides) - 1)
        )
    )


@lru_cache(maxsize=256)
def _swap_table(spots: frozenset[tuple[int, ...]], codes: tuple[int, ...]) -> dict[int, int]:
    """Fewest swaps from given cells to any of *spots*, by those cells as digits of base nine."""
    sources = {
        tuple(order)
        for spot in spots
        for order in permutations(spot)
        if all(codes[spot.index(at)] == code for at, code in zip(order, codes, strict=True))
    }
    seen = dict.fromkeys(sources, 0)
    frontier = list(sources)
    swaps = 0
    while frontier:
        swaps += 1
        reached = []
        for state in frontier:
            for one, other in SWAPS:
                if one in state or other in state:
                    moved = tuple(
                        other if at == one else one if at == other else at for at in state
                    )
                    if moved not in seen:
                        seen[moved] = swaps
                        reached.append(moved)
        frontier = reached
    return {
        reduce(lambda index, at: index * CELLS + at, state, 0): swaps
        for state, swaps in seen.items()
    }


def _descend(grid: Packed, target: _Target) -> Iterator[int]:
    """The actions of a shortest way: each makes the exact distance one smaller."""
    left = target.distance(grid)
    assert left is not None
    while left:
        for reached, action in _neighbours(grid):
            if target.distance(reached) == left - 1:
                yield action
                grid = reached
                break
        left -= 1


State = tuple[Packed, int]
"""A grid and the set (bit mask) of hand cards that could be scored on the way to it."""


class _Search:
    """Finds the best turn of one hand on one grid.

    With k cards, a turn that scores n of them has at most k - n actions. So three or more scored
    cards mean at most k - 3 actions: every way that long is walked. Pairs and single cards may have
    longer ways; they are looked up with the exact distances instead, and only while they could
    still win.
    """

    def __init__(self, grid: Packed, hand: tuple[PatternCard, ...]) -> None:
        self._start = grid
        self._hand = hand
        self._targets = [_Target.of(card) for card in hand]
        self._points = [card.points for card in hand]
        self._from: dict[State, tuple[State, int] | None] = {}
        self._layers: list[list[State]] = []
        self._best = (0, 0)
        self._way: tuple[int, ...] = ()
        self._scored: tuple[int, ...] = ()

    def best(self) -> Turn:
        self._walk(max(0, len(self._hand) - 3))
        self._single_cards()
        self._pairs(len(self._hand) - 2)
        steps: list[Step] = []
        grid, left = self._start, set(self._scored)
        for action in (*self._way, None):
            for card in sorted(left):
                if self._targets[card].matches(grid):
                    steps.append(Score(self._hand[card]))
                    left.remove(card)
            if action is not None:
                steps.append(ACTIONS[action])
                grid = next(reached for reached, one in _neighbours(grid) if one == action)
        return Turn(self._best[0], -self._best[1], tuple(steps))

    def _offer(self, scored: Sequence[int], way: Sequence[int]) -> None:
        if self._can_win(scored, len(way)):
            self._best = (sum(self._points[card] for card in scored), -len(way))
            self._scored, self._way = tuple(scored), tuple(way)

    def _can_win(self, scored: Sequence[int], discards: int) -> bool:
        return (sum(self._points[card] for card in scored), -discards) > self._best

    def _walk(self, depth: int) -> None:
        """Walk every way of up to *depth* actions and keep the states in which it may end."""
        richest = sorted(range(len(self._hand)), key=lambda card: -self._points[card])
        placed = [(1 << card, target.placed) for card, target in enumerate(self._targets)]
        best_sets: dict[Packed, list[int]] = {}

        @cache
        def matches(grid: Packed) -> int:
            """The cards that a grid shows, as bits."""
            found = 0
            for bit, places in placed:
                for mask, value in places:
                    if grid & mask == value:
                        found |= bit
                        break
            return found

        first = (self._start, matches(self._start))
        self._from[first] = None
        best_sets[self._start] = [first[1]]
        self._layers = [[first]]
        offered: set[int] = set()
        for discards in range(depth + 1):
            room = len(self._hand) - discards
            for state in self._layers[discards]:
                # The first offer of a set is the best: it has the fewest discards.
                if state[1] and state[1] not in offered:
                    offered.add(state[1])
                    scored = [card for card in richest if state[1] >> card & 1][:room]
                    self._offer(scored, self._way_to(state))
            if (
                discards == depth
                or sum(self._points[card] for card in richest[: room - 1]) <= self._best[0]
            ):
                break
            layer: list[State] = []
            for state in self._layers[discards]:
                grid, scored_set = state
                for reached, action in _neighbours(grid):
                    union = scored_set | matches(reached)
                    known = best_sets.setdefault(reached, [])
                    if not any(union | other == other for other in known):
                        known.append(union)
                        after = (reached, union)
                        self._from[after] = (state, action)
                        layer.append(after)
            self._layers.append(layer)

    def _single_cards(self) -> None:
        for card, target in enumerate(self._targets):
            away = target.distance(self._start)
            if away is not None and away < len(self._hand) and self._can_win([card], away):
                self._offer([card], list(_descend(self._start, target)))

    def _pairs(self, discards: int) -> None:
        """Pairs whose way has exactly *discards* actions: one more than was walked."""
        if discards < 1:
            return
        near: dict[int, list[State]] = {}
        pairs = sorted(
            combinations(range(len(self._hand)), 2),
            key=lambda pair: -sum(self._points[card] for card in pair),
        )
        for pair in pairs:
            if not self._can_win(pair, discards):
                break
            if not all(self._is_within(card, discards) for card in pair):
                continue
            way = self._one_after_the_other(pair, discards) or self._both_at_once(pair, near)
            if way:
                self._offer(pair, way)

    def _is_within(self, card: int, discards: int) -> bool:
        away = self._targets[card].distance(self._start)
        return away is not None and away <= discards

    def _one_after_the_other(self, pair: tuple[int, ...], discards: int) -> list[int] | None:
        """A way that matches one card of the pair within the walked part and ends on the other."""
        for one, other in (pair, pair[::-1]):
            target = self._targets[other]
            for walked, layer in enumerate(self._layers):
                for state in layer:
                    if state[1] >> one & 1:
                        away = target.distance(state[0])
                        if away is not None and walked + away <= discards:
                            return [*self._way_to(state), *_descend(state[0], target)]
        return None

    def _both_at_once(
        self, pair: tuple[int, ...], near: dict[int, list[State]]
    ) -> list[int] | None:
        """A way whose very last action makes both cards of the pair match."""
        first, second = (self._targets[card] for card in pair)
        if pair[0] not in near:
            near[pair[0]] = [state for state in self._layers[-1] if first.distance(state[0]) == 1]
        for state in near[pair[0]]:
            if second.distance(state[0]) == 1:
                for reached, action in _neighbours(state[0]):
                    if first.matches(reached) and second.matches(reached):
                        return [*self._way_to(state), action]
        return None

    def _way_to(self, state: State) -> list[int]:
        way = []
        step = self._from[state]
        while step is not None:
            state, action = step
            way.append(action)
            step = self._from[state]
        return way[::-1]
