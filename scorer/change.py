"""What differs between a board as it was and as a photo shows it, and which moves explain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scorer.notation import EMPTY, Cell, by_cell, split_rows
from scorer.text import NOTHING, Text, plural

NO_CHANGE = Text("Nothing has changed since the board before.")


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between two boards.

    Attributes
    ----------
    says : one sentence about all of it; empty where no board lay there before.
    cells : the cells that changed, of the board as it was photographed.
    moves : actions of the game that lead from one board to the other; empty where nothing changed
        or where it cannot be told which they were.
    told : each move, or each changed cell, in words.
    possible : whether legal moves can lead there.
    why : what speaks against it, and what it may be.
    mover : the seat that the moves count for, where somebody else may have made them: a turn has
        ended since the board before. Else None.
    """

    says: Text = NO_CHANGE
    cells: tuple[Cell, ...] = ()
    moves: tuple[dict[str, Any], ...] = ()
    told: tuple[Text, ...] = ()
    possible: bool = True
    why: Text = NOTHING
    mover: int | None = None

    def to_document(self, seat: int | None = None) -> dict[str, Any]:
        """The change as a JSON value, its sentences as texts.

        ``noted`` says whether the moves count as played unless the person on *seat*, who took the
        photo, says otherwise.
        """
        return {
            "says": self.says,
            "cells": [list(cell) for cell in self.cells],
            "moves": [dict(move) for move in self.moves],
            "told": list(self.told),
            "possible": self.possible,
            "why": self.why,
            "noted": self.mover in (None, seat),
        }


def changed_cells(
    before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]
) -> tuple[Cell, ...]:
    """The cells of *after* whose word is another one in *before*, or whose place is new."""
    old = dict(by_cell(before))
    return tuple(cell for cell, word in by_cell(after) if old.get(cell) != word)


def cells_change(before: str | None, after: str) -> Change:
    """The change of a board whose rules are not known: which cells it changed.

    >>> cells_change("cow . / pig .", "cow . / . pig").says
    '2 cells have changed since the board before.'
    """
    rows = split_rows(after)
    if before is None:
        return Change(NOTHING)
    old = split_rows(before)
    cells = changed_cells(old, rows)
    if not cells:
        return Change()
    was, now = dict(by_cell(old)), dict(by_cell(rows))
    told = tuple(replaced(cell, was.get(cell, EMPTY), now[cell]) for cell in cells)
    return Change(cells_changed(len(cells)), cells, told=told)


def cells_changed(count: int) -> Text:
    """How many cells have changed, in words."""
    return plural(
        "1 cell has changed since the board before.",
        "%(count)s cells have changed since the board before.",
        count=count,
    )


def replaced(cell: Cell, before: str, after: str) -> Text:
    """One changed cell in words.

    >>> replaced((0, 1), "cow", ".")
    'row 1, column 2: cow is gone'
    """
    return Text(
        "row %(row)s, column %(col)s: %(before)s is gone"
        if after == EMPTY
        else "row %(row)s, column %(col)s: %(after)s is new"
        if before == EMPTY
        else "row %(row)s, column %(col)s: %(before)s is %(after)s now",
        row=cell[0] + 1,
        col=cell[1] + 1,
        before=before,
        after=after,
    )
