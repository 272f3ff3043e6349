"""Turn of Time: the grid of a photo, taken from any side, laid over the grid that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scorer.notation import Cell, join_rows, split_grid
from scorer.time.board import SIDE, TimeGrid
from scorer.time.cards import SeasonCard
from scorer.time.explain import Placed, explained

MOST_STEPS = 20_000
"""Placements and meetings that are tried before it is left open how the cards came to lie so."""
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

    @property
    def is_turned(self) -> bool:
        return self.quarters > 0

    @property
    def placed(self) -> list[Cell]:
        """The cells of the cards that are new."""
        return [cell for cell, _ in self.grid.cards if cell not in self.before]

    @property
    def flipped(self) -> list[Cell]:
        """The cells of the known cards that show another side than before."""
        now = dict(self.grid.cards)
        return [
            cell
            for cell, card in self.before.items()
            if None not in (card.up, now[cell].up) and card.up is not now[cell].up
        ]


@dataclass(frozen=True, slots=True)
class Way:
    """A new grid as it was laid, and whether cards that were placed can have led there.

    ``moves`` are these cards, if that is certain.
    """

    laid: Laid
    possible: bool
    certain: bool
    moves: tuple[Placed, ...] | None


def laid_over(known: TimeGrid, text: str) -> TimeGrid | None:
    """The new grid, turned as the *known* one and with the backs that are known from it.

    None unless it is certain how it was laid.
    """
    way = best_way(known, text)
    return way.laid.grid if way and way.certain else None


def best_way(known: TimeGrid, text: str) -> Way | None:
    """The best way to lay a new grid over the *known* one, of those that contradict the fewest of
    its cards; None if it shows another table.

    Possible ways are best, then those that leave the photo as it was taken, then those with the
    fewest flips. It is certain if every other possible way has to turn the photo and this one not.
    """
    ways = sorted(_ways_to_lay(known, text), key=_effort)
    steps = iter(range(MOST_STEPS))
    for at, laid in enumerate(ways):
        possible, moves = _explained(laid, steps)
        if possible:
            rivals = (way for way in ways[at + 1 :] if way.is_turned is laid.is_turned)
            certain = not any(_explained(rival, steps)[0] for rival in rivals)
            return Way(laid, True, certain, moves if certain else None)
    if not ways:
        return None
    return Way(ways[0], False, len(ways) == 1 or _effort(ways[0]) < _effort(ways[1]), None)


def _effort(laid: Laid) -> tuple[bool, int]:
    return laid.is_turned, len(laid.flipped)


def _explained(laid: Laid, steps: Iterator[int]) -> tuple[bool, tuple[Placed, ...] | None]:
    if not laid.placed:
        return not laid.flipped, None
    return explained(TimeGrid.of(laid.before), laid.grid, steps)


def _ways_to_lay(known: TimeGrid, text: str) -> list[Laid]:
    """The different ways to lay a new grid over the *known* one, in any direction, that contradict
    as few of its cards as any."""
    if not known.cards:
        return []
    words = turned = split_grid(text, (1, 1), (SIDE, SIDE))
    found: dict[TimeGrid, Laid] = {}
    for quarters in range(4):
        if quarters:
            turned = [list(row) for row in zip(*turned[::-1], strict=True)]
        seen = TimeGrid.parse(join_rows(turned))
        for misread, grid, before in _fits(known, seen):
            laid = Laid(grid, before, quarters, len(words), len(words[0]), misread)
            found.setdefault(grid, laid)
    least = min((one.misread for one in found.values()), default=0)
    return [one for one in found.values() if one.misread == least]


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
