"""Turn of Time: which cards were placed since the grid before, and what they flipped.

A card that is placed meets the cards beside it one by one, and only meetings flip cards. So every
flip that a photo shows must follow from the cards that it shows placed.
"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.change import Change
from scorer.game import Json
from scorer.notation import Cell, in_words
from scorer.season import Season
from scorer.text import NOTHING, Text, listed, plural
from scorer.time.board import TimeGrid
from scorer.time.explain import Placed
from scorer.time.laying import Laid, best_way


def change(state: Json, text: str) -> Change:
    """What a photo of the grid shows, against the grid of *state*."""
    before = TimeGrid.parse(state["grid"])
    way = best_way(before, text)
    if way is None:
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
    laid = way.laid
    if not laid.placed and not laid.flipped:
        return Change()
    return Change(
        says=_says(len(laid.placed), len(laid.flipped)),
        cells=tuple(laid.on_photo(cell) for cell in (*laid.placed, *laid.flipped)),
        moves=_moves(laid, way.moves) if way.moves else (),
        told=tuple(_told(laid)),
        possible=way.possible,
        why=NOTHING if way.possible else _why(laid.placed),
    )


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


def _told(laid: Laid) -> Iterator[Text]:
    now = dict(laid.grid.cards)
    for cell in laid.placed:
        yield Text(
            "%(season)s is new at %(cell)s",
            season=_season(now[cell].up),
            cell=in_words(laid.on_photo(cell)),
        )
    for cell in laid.flipped:
        yield Text(
            "%(before)s is flipped to %(after)s at %(cell)s",
            before=_season(laid.before[cell].up),
            after=_season(now[cell].up),
            cell=in_words(laid.on_photo(cell)),
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
