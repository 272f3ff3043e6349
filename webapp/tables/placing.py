"""Where on a board of given size the pieces of a photo lie, as the game so far tells."""

from scorer.game import Json
from scorer.notation import EMPTY, Cell, by_cell, split_rows
from vision.doubts import PLACING

LEAST_STAYING = 2
"""Least pieces that must lie as they did before; one alone may have been moved."""


def placed_as(document: Json, noted: str) -> Json:
    """A reading laid on its board as *noted*, the board before, tells; nobody is asked about that
    any more. It stays as it was read if *noted* does not tell, or if another side may be up."""
    doubts = [doubt for doubt in document["doubts"] if doubt["question"] != PLACING]
    if doubts == document["doubts"] or any(doubt["kind"] == "direction" for doubt in doubts):
        return document
    read, before = (dict(by_cell(split_rows(text))) for text in (document["text"], noted))
    step = _step(read, before)
    if step is None:
        return document
    inside = {(row, col) for row, col in read if (row + step[0], col + step[1]) in read}
    rows = [[EMPTY] * len(row) for row in split_rows(document["text"])]
    for row, col in inside:
        rows[row + step[0]][col + step[1]] = read[row, col]
    cells = [
        cell | {"row": cell["row"] + step[0], "col": cell["col"] + step[1]}
        for cell in document["cells"]
        if (cell["row"], cell["col"]) in inside
    ]
    moved = []
    for doubt in doubts:
        kept = [one for one in doubt["cells"] if doubt["kind"] != "cell" or tuple(one) in inside]
        if kept or not doubt["cells"]:
            at = [[row + step[0], col + step[1]] for row, col in kept]
            moved.append(doubt | {"cells": at})
    text = " / ".join(map(" ".join, rows))
    return document | {"text": text, "cells": cells, "doubts": moved, "sure": not moved}


def _step(read: dict[Cell, str], before: dict[Cell, str]) -> Cell | None:
    """The rows and columns by which the pieces that were read must move, so that most of those
    *before* lie as they did. None if no step does that, or two do it as well."""
    if {*read} != {*before}:
        return None
    pieces = {cell: label for cell, label in read.items() if label != EMPTY}
    staying: dict[Cell, int] = {}
    for step in {(to[0] - cell[0], to[1] - cell[1]) for cell in pieces for to in read}:
        moved = {(row + step[0], col + step[1]): label for (row, col), label in pieces.items()}
        if {*moved} <= {*read}:
            staying[step] = sum(before[cell] == label for cell, label in moved.items())
    most = max(staying.values(), default=0)
    best = [step for step, count in staying.items() if count == most]
    earlier = sum(label != EMPTY for label in before.values())
    return best[0] if len(best) == 1 and most >= max(LEAST_STAYING, earlier // 2 + 1) else None
