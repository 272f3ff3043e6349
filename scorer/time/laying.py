"""Turn of Time: the grid of a photo, taken from any side, laid over the grid that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scorer.notation import Cell, join_rows, split_grid
from scorer.time.board import SIDE, TimeGrid
from scorer.time.cards import SeasonCard

CARDS_A_MISREAD = 3
"""A photo shows the same table if it contradicts at most one of so many known cards."""


@dataclass(frozen=True, slots=True)
class Laid:
    """The new ``grid``, with the known cards where they lay ``before``, by cells of the new grid.

    The photo has ``rows`` and ``cols``; the grid is it, turned clockwise by ``quarters``.
    """

    grid: TimeGrid
    before: Mapping[Cell, SeasonCard]
    quarters: int
    rows: int
    cols: int
    misread: int

    def on_photo(self, cell: Cell) -> Cell:
        """Where a cell of the grid lies on the photo."""
        row, col = cell
        for quarter in reversed(range(self.quarters)):
            row, col = (self.cols if quarter % 2 else self.rows) - 1 - col, row
        return row, col


def laid_over(known: TimeGrid, text: str) -> Laid | None:
    """The new grid, turned as the *known* one and with the backs that are known from it.

    None unless there is one way to lay it that leaves every known card where it was.
    """
    ways = ways_to_lay(known, text)
    return ways[0] if len(ways) == 1 else None


def ways_to_lay(known: TimeGrid, text: str) -> list[Laid]:
    """All ways to lay a new grid over the *known* one that contradict as few of its cards.

    A turned photo is considered only if it fits in no other way.
    """
    if not known.cards:
        return []
    words = turned = split_grid(text, (1, 1), (SIDE, SIDE))
    found: list[Laid] = []
    for quarters in range(4):
        if quarters:
            turned = [list(row) for row in zip(*turned[::-1], strict=True)]
        seen = TimeGrid.parse(join_rows(turned))
        found += [
            Laid(grid, before, quarters, len(words), len(words[0]), misread)
            for misread, grid, before in _fits(known, seen)
        ]
        if not quarters and found:
            break
    least = min((one.misread for one in found), default=0)
    return list({one.grid: one for one in found if one.misread == least}.values())


def _fits(
    known: TimeGrid, seen: TimeGrid
) -> Iterator[tuple[int, TimeGrid, dict[Cell, SeasonCard]]]:
    """Every way to lay *known* over *seen*: the number of cards that contradict it, the new grid,
    and the known cards in it."""
    lying = dict(seen.cards)
    for down in range(-SIDE, SIDE + 1):
        for right in range(-SIDE, SIDE + 1):
            over = {(row + down, col + right): card for (row, col), card in known.cards}
            if not all(cell in lying for cell in over):
                continue
            cards = {cell: merged(over.get(cell), card) for cell, card in lying.items()}
            misread = sum(not _is_same_card(card, lying[cell]) for cell, card in over.items())
            if misread * CARDS_A_MISREAD <= len(over):
                yield misread, TimeGrid.of(cards), over


def _is_same_card(known: SeasonCard, seen: SeasonCard) -> bool:
    """Whether the card that shows *seen* can be the *known* one."""
    return seen.up is None or seen.up in known.sides or None in (known.up, known.back)


def merged(known: SeasonCard | None, seen: SeasonCard) -> SeasonCard:
    """What is known of a card that shows *seen* now."""
    if known is None or seen.up is None or seen.back is not None:
        return seen
    if seen.up is known.up:
        return known
    if seen.up is known.back:
        return known.flipped()
    if known.up is None:
        return SeasonCard(seen.up, known.back)
    if known.back is None:
        return SeasonCard(seen.up, known.up)
    return seen
