"""Turn of Time: where a card may go, the flips it causes, and the best choice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import permutations

from scorer.fields import Json
from scorer.notation import Cell, box_of
from scorer.season import SEASONS, Season
from scorer.time.board import SIDE, TimeGrid, beside
from scorer.time.cards import SeasonCard

Cards = Mapping[Cell, SeasonCard]


class Flip(Enum):
    """Which of two meeting cards turns: the placed one, the one that lay there, both or neither."""

    NEITHER = (False, False)
    PLACED = (True, False)
    LYING = (False, True)
    BOTH = (True, True)


def meeting(placed: Season, lying: Season) -> Flip:
    """What happens when a card just placed meets a card beside it (rulebook, flipping).

    A season is flipped by the one after it, opposite seasons flip each other, equal ones do
    nothing.

    >>> meeting(Season.SUMMER, Season.SPRING), meeting(Season.SPRING, Season.AUTUMN)
    (<Flip.LYING: (False, True)>, <Flip.BOTH: (True, True)>)
    """
    ahead = (SEASONS.index(placed) - SEASONS.index(lying)) % len(SEASONS)
    return (Flip.NEITHER, Flip.LYING, Flip.BOTH, Flip.PLACED)[ahead]


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
        for row, col in sorted({near for cell in taken for near in beside(cell)} - set(taken))
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
    found = {
        TimeGrid.of(after_meetings(lying, cell, card, list(meetings(lying, card, order))))
        for order in permutations(cards_beside(lying, cell))
    }
    return tuple(sorted(found, key=str))


def cards_beside(lying: Cards, cell: Cell) -> list[Cell]:
    """The cells with a card beside *cell*: above, left, right, below."""
    return [other for other in beside(cell) if other in lying]


def meetings(lying: Cards, card: SeasonCard, order: Sequence[Cell]) -> Iterator[Json]:
    """What happens when *card* is placed and meets the cards beside it in *order*.

    Raises ValueError where a side that meets is not known.
    """
    for other in order:
        met = lying[other]
        if card.up is None or met.up is None:
            raise ValueError(f"expected cards with known upper sides to meet, got {str(met)!r}")
        flips_placed, flips_lying = meeting(card.up, met.up).value
        yield {
            "cell": list(other),
            "placed": card.up.value,
            "lying": met.up.value,
            "flips_placed": flips_placed,
            "flips_lying": flips_lying,
        }
        if flips_placed:
            card = card.flipped()


def after_meetings(
    lying: Cards, cell: Cell, card: SeasonCard, steps: Sequence[Json]
) -> dict[Cell, SeasonCard]:
    """The cards after *card* was placed on *cell* and its meetings."""
    turned = {tuple(step["cell"]) for step in steps if step["flips_lying"]}
    flips = sum(step["flips_placed"] for step in steps)
    after = {other: met.flipped() if other in turned else met for other, met in lying.items()}
    return after | {cell: card.flipped() if flips % 2 else card}
