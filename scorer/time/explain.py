"""Turn of Time: which cards, placed one after the other, lead from one grid to another.

A card that is placed meets the cards beside it one by one, and only meetings flip cards. So every
flip must follow from the cards that were placed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from scorer.notation import Cell
from scorer.season import SEASONS
from scorer.time.board import TimeGrid, beside
from scorer.time.cards import SeasonCard
from scorer.time.turn import legal_cells, meeting

ENOUGH = 2
"""Explanations that are looked for: with two it is not certain which one is true."""

Cards = dict[Cell, SeasonCard]


@dataclass(frozen=True, slots=True)
class Placed:
    """A card as it was placed, and the cells beside it in the order that it met them."""

    cell: Cell
    card: SeasonCard
    order: tuple[Cell, ...]


class _TooManyStepsError(Exception):
    """The search was given up."""


class _Search:
    """Ways to place cards one after the other until the table shows what was seen."""

    def __init__(
        self,
        before: Mapping[Cell, SeasonCard],
        after: Mapping[Cell, SeasonCard],
        steps: Iterator[int],
    ) -> None:
        self._before = dict(before)
        self._seen = {cell: card.up for cell, card in after.items()}
        self._new = frozenset(after) - frozenset(before)
        self._steps = steps

    def ways(self) -> Iterator[tuple[Placed, ...]]:
        """Each way with its cards. Raises _TooManyStepsError."""
        for way, lying in self._place(self._before, self._new, ()):
            yield tuple(replace(one, card=self._as_placed(one, lying[one.cell])) for one in way)

    def _as_placed(self, placed: Placed, lies: SeasonCard) -> SeasonCard:
        """The card as it was placed, with the back that it shows to have had."""
        up, shown = placed.card.up, lies.up or self._seen[placed.cell]
        return SeasonCard(up, lies.back if shown is up else shown)

    def _place(
        self, lying: Cards, left: frozenset[Cell], so_far: tuple[Placed, ...]
    ) -> Iterator[tuple[tuple[Placed, ...], Cards]]:
        if not left:
            yield so_far, lying
            return
        for cell in sorted(left & {*legal_cells(TimeGrid.of(lying))}):
            rest = left - {cell}
            near = tuple(other for other in beside(cell) if other in lying)
            for up in SEASONS:
                for card, others, order in self._meet(SeasonCard(up), lying, near, ()):
                    after = others | {cell: card}
                    settled = [one for one in after if rest.isdisjoint(beside(one))]
                    if all(self._shows(after, one) for one in settled):
                        placed = Placed(cell, SeasonCard(up), order)
                        yield from self._place(after, rest, (*so_far, placed))

    def _meet(
        self, card: SeasonCard, lying: Cards, left: tuple[Cell, ...], met: tuple[Cell, ...]
    ) -> Iterator[tuple[SeasonCard, Cards, tuple[Cell, ...]]]:
        """The card and the others after all meetings, and the order of these."""
        if next(self._steps, None) is None:
            raise _TooManyStepsError
        if not left:
            yield card, lying, met
            return
        for other in left:
            rest = tuple(cell for cell in left if cell != other)
            for mine, theirs in product(_turned_up(card), _turned_up(lying[other])):
                assert mine.up is not None
                assert theirs.up is not None
                flips_mine, flips_theirs = meeting(mine.up, theirs.up).value
                yield from self._meet(
                    mine.flipped() if flips_mine else mine,
                    lying | {other: theirs.flipped() if flips_theirs else theirs},
                    rest,
                    (*met, other),
                )

    def _shows(self, lying: Cards, cell: Cell) -> bool:
        up, seen = lying[cell].up, self._seen[cell]
        return up is None or seen is None or up is seen


def _turned_up(card: SeasonCard) -> list[SeasonCard]:
    """The card with its upper side known: each that it may be."""
    if card.up is not None:
        return [card]
    return [SeasonCard(season, card.back) for season in SEASONS]


def explained(
    before: TimeGrid, after: TimeGrid, steps: Iterator[int]
) -> tuple[bool, tuple[Placed, ...] | None]:
    """Whether placing cards can lead from one grid to the other, cells the same in both; and how,
    where there is one way alone.

    It takes one of *steps* for each placement and meeting that it tries. When none are left, the
    grid counts as possible.
    """
    search = _Search(dict(before.cards), dict(after.cards), steps)
    found: list[tuple[Placed, ...]] = []
    try:
        for way in search.ways():
            if way not in found:
                found.append(way)
            if len(found) == ENOUGH:
                break
    except _TooManyStepsError:
        return True, None
    return bool(found), found[0] if len(found) == 1 else None
