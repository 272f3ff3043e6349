"""Turn of Time: which cards were placed since the grid before, and what they flipped.

A card that is placed meets the cards beside it one by one, and only meetings flip cards. So every
flip that a photo shows must follow from the cards that it shows placed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from scorer.change import Change
from scorer.game import Json
from scorer.notation import Cell, in_words
from scorer.season import SEASONS, Season
from scorer.text import NOTHING, Text, listed, plural
from scorer.time.board import TimeGrid, beside
from scorer.time.cards import SeasonCard
from scorer.time.laying import Laid, ways_to_lay
from scorer.time.turn import legal_cells, meeting

MOST_STEPS = 20_000
"""Placements and meetings that are tried before it is left open how the cards came to lie so."""
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

    def __init__(self, before: Mapping[Cell, SeasonCard], after: Mapping[Cell, SeasonCard]) -> None:
        self._before = dict(before)
        self._seen = {cell: card.up for cell, card in after.items()}
        self._new = frozenset(after) - frozenset(before)
        self._steps = 0

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
        self._steps += 1
        if self._steps > MOST_STEPS:
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


def explained(before: TimeGrid, after: TimeGrid) -> tuple[bool, tuple[Placed, ...] | None]:
    """Whether placing cards can lead from one grid to the other, cells the same in both; and how,
    where there is one way alone."""
    search = _Search(dict(before.cards), dict(after.cards))
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


def change(state: Json, text: str) -> Change:
    """What a photo of the grid shows, against the grid of *state*."""
    before = TimeGrid.parse(state["grid"])
    ways = sorted(map(_weighed, ways_to_lay(before, text)), key=lambda one: one.order)
    if not ways:
        seen = TimeGrid.parse(text)
        if not before.cards:
            return Change(NOTHING)
        return Change(
            Text("The photo shows another grid than before."),
            tuple(cell for cell, _ in seen.cards),
            possible=False,
            why=Text(
                "The cards that lay there cannot be found in it: some were misread, or it is "
                "another table."
            ),
        )
    way = ways[0]
    if not way.placed and not way.flipped:
        return Change()
    laid = way.laid
    return Change(
        says=_says(len(way.placed), len(way.flipped)),
        cells=tuple(laid.on_photo(cell) for cell in (*way.placed, *way.flipped)),
        moves=_moves(laid, way.moves) if way.moves else (),
        told=tuple(_told(way)),
        possible=way.possible,
        why=NOTHING if way.possible else _why(way.placed),
    )


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to lay the photo over the grid: what was placed and flipped, whether that can be, and
    how it went, where that is certain."""

    laid: Laid
    placed: list[Cell]
    flipped: list[Cell]
    possible: bool
    moves: tuple[Placed, ...] | None

    @property
    def order(self) -> tuple[bool, int]:
        """Possible ways first, then those with the fewest flips."""
        return not self.possible, len(self.flipped)


def _weighed(laid: Laid) -> _Way:
    now = dict(laid.grid.cards)
    placed = [cell for cell in now if cell not in laid.before]
    flipped = [cell for cell, card in laid.before.items() if _was_flipped(card, now[cell])]
    if not placed:
        return _Way(laid, placed, flipped, not flipped, None)
    return _Way(laid, placed, flipped, *explained(TimeGrid.of(laid.before), laid.grid))


def _was_flipped(old: SeasonCard, new: SeasonCard) -> bool:
    return old.up is not None and new.up is not None and old.up is not new.up


def _placed(count: int) -> Text:
    return plural("1 card was placed.", "%(count)s cards were placed.", count=count)


def _says(placed: int, flipped: int) -> Text:
    turned = plural("1 card was flipped.", "%(count)s cards were flipped.", count=flipped)
    if not placed:
        return turned
    return listed([_placed(placed), turned], " ") if flipped else _placed(placed)


def _why(placed: list[Cell]) -> Text:
    """Why no turns lead to what was seen."""
    if not placed:
        return Text(
            "Only a card that is placed flips others, and none was: a card was misread, or one "
            "was turned by mistake."
        )
    return Text(
        "No order of placing and meeting flips the cards like that: a card was misread, or a flip "
        "was forgotten."
    )


def _told(way: _Way) -> Iterator[Text]:
    now = dict(way.laid.grid.cards)
    for cell in way.placed:
        yield Text(
            "%(season)s is new at %(cell)s",
            season=_season(now[cell].up),
            cell=in_words(way.laid.on_photo(cell)),
        )
    for cell in way.flipped:
        yield Text(
            "%(before)s is flipped to %(after)s at %(cell)s",
            before=_season(way.laid.before[cell].up),
            after=_season(now[cell].up),
            cell=in_words(way.laid.on_photo(cell)),
        )


def _season(season: Season | None) -> str:
    return "?" if season is None else season.value


def _moves(laid: Laid, ways: tuple[Placed, ...]) -> tuple[Json, ...]:
    """The placements as actions. Cells count from the first row and column of the cards, which a
    card before the first moves."""
    moves = []
    cells = [*laid.before]
    for placed in ways:
        top = min((row for row, _ in cells), default=0)
        left = min((col for _, col in cells), default=0)
        row, col = placed.cell
        moves.append(
            {
                "type": "place",
                "card": str(placed.card),
                "row": row - top,
                "col": col - left,
                "order": [[r - top, c - left] for r, c in placed.order],
            }
        )
        cells.append(placed.cell)
    return tuple(moves)
