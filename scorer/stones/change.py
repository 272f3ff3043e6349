"""Shifting Stones: which discards explain what a new photo shows.

A swap moves stones without turning them, and a flip turns one where it lies. So a way to
say which stone came from where costs the fewest adjacent swaps that bring them there, and one flip
for each stone that shows its other side. The cheapest way is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import permutations, product

from scorer.change import Change, changed_cells
from scorer.game import Json
from scorer.notation import EMPTY, in_words, split_grid, split_rows
from scorer.stones.board import SIDE, Kind, StoneGrid
from scorer.stones.documents import step_document
from scorer.stones.state import grid_of, is_over, rows_of, turn_seat
from scorer.stones.turn import CELLS, SHIFTS, SWAPS, Action, Flip, Shift, apply
from scorer.text import NOTHING, Text, plural

HALF_WAY = 4
"""Swaps whose outcomes are listed; twice as many are found by meeting in the middle."""

MOST_SWAPS = 2 * HALF_WAY

Order = tuple[int, ...]
"""For each cell the cell that its stone came from."""

_START: Order = tuple(range(CELLS))


@cache
def _orders() -> dict[Order, tuple[int, ...]]:
    """Every order that up to ``HALF_WAY`` swaps make, with the numbers of fewest such swaps."""
    found: dict[Order, tuple[int, ...]] = {_START: ()}
    frontier = [_START]
    for _ in range(HALF_WAY):
        reached = []
        for order in frontier:
            for number, (one, other) in enumerate(SWAPS):
                swapped = list(order)
                swapped[one], swapped[other] = swapped[other], swapped[one]
                after = tuple(swapped)
                if after not in found:
                    found[after] = (*found[order], number)
                    reached.append(after)
        frontier = reached
    return found


def _swaps_to(order: Order, fewer_than: int) -> tuple[int, ...] | None:
    """The fewest swaps that make an order; None unless they are ``fewer_than`` so many."""
    orders = _orders()
    direct = orders.get(order)
    if direct is not None:
        return direct if len(direct) < fewer_than else None
    best = None
    for first, swaps in orders.items():
        if len(swaps) + 1 >= fewer_than:
            continue
        back = [0] * CELLS
        for cell, came_from in enumerate(first):
            back[came_from] = cell
        rest = orders.get(tuple(back[came_from] for came_from in order))
        if rest is not None and len(swaps) + len(rest) < fewer_than:
            best, fewer_than = (*swaps, *rest), len(swaps) + len(rest)
    return best


def _sources(before: StoneGrid, after: StoneGrid) -> Iterator[tuple[int, int, Order]]:
    """Every way to say which stone came from where: fewest discards that it may need, flips, and
    the order. Stones stay of their kind."""
    wanted, held = ([symbol.kind for symbol in grid.cells] for grid in (after, before))
    cells = {kind: [at for at, one in enumerate(wanted) if one is kind] for kind in set(wanted)}
    ways = [
        [
            tuple(zip(places, sources, strict=True))
            for sources in permutations([at for at, one in enumerate(held) if one is kind])
        ]
        for kind, places in cells.items()
    ]
    for chosen in product(*ways):
        came_from = dict(pair for pairs in chosen for pair in pairs)
        order = tuple(came_from[at] for at in range(CELLS))
        flips = sum(after.cells[at] is not before.cells[source] for at, source in came_from.items())
        way = sum(
            abs(at // SIDE - source // SIDE) + abs(at % SIDE - source % SIDE)
            for at, source in came_from.items()
        )
        yield flips + (way + 1) // 2, flips, order


def moves_between(before: StoneGrid, after: StoneGrid) -> tuple[Action, ...] | None:
    """Fewest shifts and flips that lead from one grid to the other.

    None if no moves do, for other stones lie there, or if more than ``MOST_SWAPS`` swaps are
    needed.

    >>> before = StoneGrid.parse("bird horse boat / seed sun tree / seed bird horse")
    >>> moves_between(before, before.flipped((1, 1)).shifted((0, 0), (0, 1)))
    (Shift(first=(0, 0), second=(0, 1)), Flip(cell=(1, 1)))
    """
    if _kinds(before) != _kinds(after):
        return None
    best: tuple[tuple[int, ...], int, Order] | None = None
    fewest = MOST_SWAPS + CELLS + 1
    for least, flips, order in sorted(_sources(before, after)):
        if least >= fewest:
            break
        swaps = _swaps_to(order, min(fewest - flips, MOST_SWAPS + 1))
        if swaps is not None:
            best, fewest = (swaps, flips, order), len(swaps) + flips
    if best is None:
        return None
    swaps, _, order = best
    turned = [
        Flip(divmod(at, SIDE))
        for at, source in enumerate(order)
        if after.cells[at] is not before.cells[source]
    ]
    return (*(SHIFTS[number] for number in swaps), *turned)


def _kinds(grid: StoneGrid) -> Counter[Kind]:
    return Counter(symbol.kind for symbol in grid.cells)


def _told(grid: StoneGrid, moves: tuple[Action, ...]) -> Iterator[Text]:
    """Each move in words."""
    for move in moves:
        if isinstance(move, Shift):
            yield Text(
                "%(one)s at %(first)s and %(other)s at %(second)s change places",
                one=grid[move.first].value,
                other=grid[move.second].value,
                first=in_words(move.first),
                second=in_words(move.second),
            )
        else:
            yield Text(
                "%(one)s at %(cell)s is flipped to %(other)s",
                one=grid[move.cell].value,
                other=grid[move.cell].back.value,
                cell=in_words(move.cell),
            )
        grid = apply(grid, move)


def change(state: Json, text: str) -> Change:
    """What a photo of the nine stones shows, against the stones of *state*."""
    rows = split_grid(text, (SIDE, SIDE), (SIDE, SIDE))
    known = rows_of(state)
    was = grid_of(state)
    if was is None or any(EMPTY in row for row in rows):
        cells = tuple(
            (row, col)
            for row, col in changed_cells(known, rows)
            if EMPTY not in (known[row][col], rows[row][col])
        )
        return Change(_stones(len(cells)), cells) if cells else Change(NOTHING)
    seen = StoneGrid.parse(text)
    cells = changed_cells(known, split_rows(str(seen)))
    if not cells:
        return Change()
    moves = moves_between(was, seen)
    if moves is None:
        return Change(_stones(len(cells)), cells, possible=False, why=_unexplained(was, seen))
    why = _unpaid(state, len(moves))
    turn = state["turn"]
    # Boards of earlier versions do not say of which turn they are.
    is_same_turn = state["board"].get("turn", turn) == turn
    told: Json = {"type": "move", "turn": turn}
    return Change(
        says=_stones(len(cells)) if is_over(state) else _paid(state, len(cells), len(moves)),
        cells=cells,
        moves=() if why else tuple(told | step_document(move) for move in moves),
        told=tuple(_told(was, moves)),
        possible=not why,
        why=why,
        mover=None if is_same_turn else turn_seat(state),
    )


def _paid(state: Json, stones: int, discards: int) -> Text:
    """How many stones changed, and who pays for it."""
    return plural(
        "%(changed)s One discard of %(name)s explains it.",
        "%(changed)s %(count)s discards of %(name)s explain it.",
        count=discards,
        changed=_stones(stones),
        name=state["players"][turn_seat(state)]["name"],
    )


def _stones(count: int) -> Text:
    return plural("1 stone has changed.", "%(count)s stones have changed.", count=count)


def _unexplained(was: StoneGrid, seen: StoneGrid) -> Text:
    """Why no moves lead from one grid to the other."""
    if _kinds(was) != _kinds(seen):
        return Text(
            "These are not the same nine stones: no move makes a stone into one of another kind. "
            "Please check the marked stones."
        )
    return Text(
        "So much does not change in a turn: several turns were missed, or the board lies turned."
    )


def _unpaid(state: Json, discards: int) -> Text:
    """Why whoever has the turn cannot have made so many moves; nothing if they can."""
    if is_over(state):
        return Text("The game is over, so nobody moves a stone any more: please check the stones.")
    seat = turn_seat(state)
    cards: int = state["seats"][seat]["count"]
    if discards <= cards:
        return NOTHING
    return plural(
        "%(name)s holds 1 card to pay with: a turn was missed, or a stone was misread.",
        "%(name)s holds %(cards)s cards to pay with: a turn was missed, or a stone was misread.",
        cards=cards,
        name=state["players"][seat]["name"],
    )
