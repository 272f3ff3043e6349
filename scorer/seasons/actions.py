"""Shifting Seasons: what each action changes in the state."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from scorer.actions import cell_of, evidence_in, int_in, is_cell, list_in, text_in
from scorer.fields import UnreadableError
from scorer.game import ActionError, Json
from scorer.notation import EMPTY, NotationError, by_cell, join_rows, split_grid, split_rows
from scorer.season import Season
from scorer.seasons import documents
from scorer.seasons.board import FRAME_MARK, ORDERS, SIDE, Hand, Layout, Number, SeasonBoard, Tile
from scorer.seasons.state import board_in, boards_of, layout_document, layout_of
from scorer.seasons.turn import AREAS

LEAST_NUMBERS = 2
"""Numbers that a reading must show at their cells before the others are taken to be there."""


def set_board(state: Json, seat: int, action: Json) -> None:
    """Takes a reading.

    The first board with other numbers says how those of the copy are printed.
    """
    evidence = evidence_in(action)
    text, numbered = with_numbers(text_in(action, "text"), layout_of(state))
    board = board_in(text)
    state["boards"][seat] = {
        "text": str(board),
        "photo": evidence["photo"],
        "corrections": _merged([*evidence["corrections"], *numbered]),
        "numbered": len(numbered),
        "turns": action.get("turns") or 0,
    }
    others = [other for at, other in enumerate(boards_of(state)) if at != seat]
    if board.layout != layout_of(state) and not any(other.tiles for other in others):
        set_layout(state, board.layout)


def with_numbers(text: str, layout: Layout) -> tuple[str, list[list[Any]]]:
    """A reading whose printed numbers are completed, where some are missing or doubled.

    Only where numbers are read at the number cells of one hand and nowhere else, so that no tile is
    touched. The changes are given as corrections; they are empty for a reading that can stay as it
    is.
    """
    with suppress(NotationError):
        SeasonBoard.parse(text)
        return text, []
    try:
        rows = split_grid(text, (SIDE, SIDE), (SIDE, SIDE))
    except NotationError:
        return text, []
    words = dict(by_cell(rows))
    read = {cell for cell, word in words.items() if word[0].isdigit()}
    for hand in Hand:
        cells = hand.clockwise
        if (
            len(read) >= LEAST_NUMBERS
            and read <= set(cells)
            and all(words[c] == EMPTY for c in {*cells} - read)
        ):
            changes: list[list[Any]] = []
            order = _likeliest_order([words[cell][0] for cell in cells], layout.order)
            for cell, number in zip(cells, order, strict=True):
                printed = str(Number(number, words[cell].endswith(FRAME_MARK)))
                if words[cell] != printed:
                    changes.append([*cell, words[cell], printed])
                    rows[cell[0]][cell[1]] = printed
            return join_rows(rows), changes
    return text, []


def _likeliest_order(read: Sequence[str], order: tuple[int, ...]) -> tuple[int, ...]:
    """The order of this copy if two numbers speak for it, else the one that most speak for."""

    def agreeing(other: tuple[int, ...]) -> int:
        return sum(word == str(number) for word, number in zip(read, other, strict=True))

    return order if agreeing(order) >= LEAST_NUMBERS else max((order, *ORDERS), key=agreeing)


def _merged(corrections: list[Any]) -> list[Any]:
    """One correction a cell: what was read there, and what people say.

    A cell that is as it was read has none.
    """
    found: dict[tuple[Any, Any], list[Any]] = {}
    for correction in corrections:
        if not is_cell(correction[:2], SIDE):
            raise ActionError(
                "action", "The corrections did not arrive well; please reload the page."
            )
        row, col, before, after = correction
        kept = found.setdefault((row, col), [row, col, before, after])
        kept[3] = after
    return [correction for correction in found.values() if correction[2] != correction[3]]


def _change(state: Json, seat: int, board: SeasonBoard) -> None:
    """Keeps a changed board; what differs from a photo is a correction of its reading."""
    kept = state["boards"][seat]
    if kept["photo"] is not None:
        before = dict(by_cell(split_rows(kept["text"])))
        now = by_cell(split_rows(str(board)))
        changes = [[*cell, before[cell], word] for cell, word in now if word != before[cell]]
        kept["corrections"] = _merged([*kept["corrections"], *changes])
    kept["text"] = str(board)


def set_cell(state: Json, seat: int, action: Json) -> None:
    board = board_in(state["boards"][seat]["text"])
    cell = cell_of([int_in(action, "row"), int_in(action, "col")], SIDE)
    content = _content(text_in(action, "label"))
    if isinstance(board[cell], Number) != isinstance(content, Number):
        raise ActionError("cell", "A number is printed there: no tile can lie on it.")
    if isinstance(content, Number) and content.value != board.layout.numbers.index(cell) + 1:
        raise ActionError("cell", "Another number is printed there.")
    _change(state, seat, SeasonBoard.of(dict(board.items()) | {cell: content}))


def _content(label: str) -> Tile | Number | None:
    """What a cell may show: nothing, a tile, or a number with or without a frame."""
    if label == ".":
        return None
    value, framed = label.removesuffix("!"), label.endswith("!")
    if value in map(str, AREAS):
        return Number(int(value), framed)
    try:
        return Tile.parse(label)
    except NotationError:
        raise ActionError(
            "cell", "There is no tile %(label)s in Shifting Seasons.", label=repr(label[:40])
        ) from None


def move(state: Json, seat: int, action: Json) -> None:
    board = board_in(state["boards"][seat]["text"])
    origin, target = (cell_of(list_in(action, name), SIDE) for name in ("origin", "target"))
    tile = board[origin]
    if not isinstance(tile, Tile):
        raise ActionError("cell", "There is no tile to move.")
    if board[target] is not None:
        raise ActionError("cell", "A tile can only move to a free space.")
    _change(state, seat, board.with_tile(origin, None).with_tile(target, tile))


def set_season(state: Json, seat: int, season: Season) -> None:
    """Gives a player another season; whoever has it takes the one that is given up."""
    own = state["players"][seat]
    for player in state["players"]:
        if player["season"] == season.value:
            player["season"] = own["season"]
    own["season"] = season.value


def set_layout(state: Json, layout: Layout) -> None:
    """Prints the numbers of all boards elsewhere, if no tile lies there."""
    changed = []
    for player, board in zip(state["players"], boards_of(state), strict=True):
        contents: dict[tuple[int, int], Tile | Number | None] = {
            cell: content for cell, content in board.items() if isinstance(content, Tile)
        }
        if any(cell in contents for cell in layout.numbers):
            raise ActionError(
                "layout",
                "The board of %(name)s has a tile where that print has a number; "
                "please check it first.",
                name=player["name"],
            )
        numbers = zip(layout.numbers, board.layout.numbers, strict=True)
        contents |= {new: board[old] for new, old in numbers}
        changed.append(str(SeasonBoard.of(contents)))
    for kept, text in zip(state["boards"], changed, strict=True):
        kept["text"] = text
    state["layout"] = layout_document(layout)
    try:
        set_short_diagonals(state, state["short_diagonals"])
    except ActionError:
        raise ActionError(
            "layout",
            "A number would lie on a diagonal of your short diagonals card; please change the "
            "card first.",
        ) from None


def set_short_diagonals(state: Json, diagonals: Any) -> None:
    """Keeps the print of the table's own card; None for the one of the box."""
    if diagonals is not None:
        try:
            documents.short_diagonals(diagonals, boards_of(state))
        except UnreadableError:
            raise ActionError(
                "short_diagonals",
                "The card shows four diagonals of three different spaces without a number.",
            ) from None
    state["short_diagonals"] = copy.deepcopy(diagonals)
