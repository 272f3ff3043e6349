"""Shifting Seasons: which tiles were added or moved since the board before.

A turn adds one tile; a bonus token moves one to a free space. A tile goes next to the printed
number of its area or next to another tile of that area.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scorer.change import Change, cells_changed, changed_cells, replaced
from scorer.game import Json
from scorer.notation import EMPTY, Cell, in_words, split_rows
from scorer.seasons.board import FRAME_MARK, Cells, SeasonBoard, Tile, as_cells, beside
from scorer.seasons.state import board_in
from scorer.text import NOTHING, Text, plural

TOKENS_AT_START = 1
"""Bonus tokens of a player; each filled area gives at most one more (rulebook, bonus tokens)."""

Words = Mapping[Cell, str]


@dataclass(frozen=True, slots=True)
class Steps:
    """The fewest steps from one board to another.

    ``moved`` are pairs of cells, ``added`` cells with their words, ``gone`` tiles that lie nowhere
    any more; ``actions`` are all of them in an order in which each finds its cell free.
    """

    moved: tuple[tuple[Cell, Cell], ...]
    added: tuple[tuple[Cell, str], ...]
    gone: tuple[tuple[Cell, str], ...]
    actions: tuple[Json, ...]


def steps_between(before: SeasonBoard, after: SeasonBoard, seat: int) -> Steps:
    """The fewest tiles to move and to add. Frames count as none."""
    old, new = _tiles(before), _tiles(after)
    left = {cell: word for cell, word in old.items() if new.get(cell) != word}
    come = {cell: word for cell, word in new.items() if old.get(cell) != word}
    moved: list[tuple[Cell, Cell]] = []
    # a free space first: two tiles that lie on each other's cells cannot both move at once
    for target in sorted(come, key=lambda cell: (cell in old, cell)):
        source = next((cell for cell, word in left.items() if word == come[target]), None)
        if source is not None:
            moved.append((source, target))
            del left[source]
    targets = {target for _, target in moved}
    added = tuple((cell, word) for cell, word in come.items() if cell not in targets)
    return Steps(
        tuple(moved),
        added,
        tuple(left.items()),
        () if left else tuple(_actions(before, moved, added, seat)),
    )


def _tiles(board: SeasonBoard) -> dict[Cell, str]:
    return {cell: str(one) for cell, one in board.items() if isinstance(one, Tile)}


def _actions(
    before: SeasonBoard,
    moved: list[tuple[Cell, Cell]],
    added: tuple[tuple[Cell, str], ...],
    seat: int,
) -> Iterator[Json]:
    """Moves and new tiles as actions. Tiles that exchange cells go by way of a free space."""
    held = set(_tiles(before))
    waiting = [*moved]
    while waiting:
        ready = next((one for one in waiting if one[1] not in held), None)
        if ready is None:
            source, target = waiting.pop()
            free = next(c for c, one in before.items() if one is None and c not in held)
            waiting.append((free, target))
            ready = (source, free)
        else:
            waiting.remove(ready)
        held = held - {ready[0]} | {ready[1]}
        yield {"type": "move", "seat": seat, "origin": list(ready[0]), "target": list(ready[1])}
    for (row, col), word in _in_reach(before, moved, dict(added)):
        yield {"type": "cell", "seat": seat, "row": row, "col": col, "label": word}


def _in_reach(
    before: SeasonBoard, moved: list[tuple[Cell, Cell]], added: Words
) -> Iterator[tuple[Cell, str]]:
    """The new tiles, each after those that it had to lie next to; the others last."""
    here = as_cells([*_tiles(before)]) & ~as_cells([source for source, _ in moved])
    here |= as_cells([target for _, target in moved])
    waiting = dict(added)
    while waiting:
        cell = next((cell for cell in waiting if _touches(before, here, cell)), next(iter(waiting)))
        yield cell, waiting.pop(cell)
        here |= as_cells([cell])


def _touches(board: SeasonBoard, tiles: Cells, cell: Cell) -> bool:
    """Whether a cell lies next to its area's number or to one of the ``tiles`` of its area."""
    plan, one = board.layout.plan, as_cells([cell])
    for number, area in zip(board.layout.numbers, plan.areas, strict=True):
        if area & one:
            return bool(beside(one) & (area & tiles | as_cells([number])))
    return False


def change(state: Json, seat: int, text: str) -> Change:
    """What a photo of a player's board shows, against the board of *state*."""
    before, after = board_in(state["boards"][seat]["text"]), board_in(text)
    cells = changed_cells(split_rows(str(before)), split_rows(str(after)))
    if not cells:
        return Change()
    if not before.tiles and not before.framed:
        return Change(NOTHING)
    other = _whose(state, seat, after)
    if other is not None or before.layout != after.layout:
        return Change(cells_changed(len(cells)), cells, possible=False, why=_stranger(state, other))
    steps = steps_between(before, after, seat)
    told = [
        *(replaced(cell, Text(word), EMPTY) for cell, word in steps.gone),
        *(_moved(before, *pair) for pair in steps.moved),
        *(replaced(cell, EMPTY, Tile.parse(word).words) for cell, word in steps.added),
        *_frames(before, after),
    ]
    why = _unlikely(before, after, steps)
    return Change(
        says=_says(steps, len(cells)),
        cells=cells,
        moves=() if why else steps.actions,
        told=tuple(told),
        possible=not why,
        why=why,
    )


def _says(steps: Steps, cells: int) -> Text:
    """All of it in one sentence."""
    if steps.gone:
        return cells_changed(cells)
    if not steps.moved and not steps.added:
        return Text("Only frames have changed since the board before.")
    if not steps.moved:
        return _added(len(steps.added))
    moved = plural("1 tile was moved.", "%(count)s tiles were moved.", count=len(steps.moved))
    if not steps.added:
        return moved
    return Text("%(added)s %(moved)s", added=_added(len(steps.added)), moved=moved)


def _added(count: int) -> Text:
    return plural("1 tile was added.", "%(count)s tiles were added.", count=count)


def _moved(board: SeasonBoard, source: Cell, target: Cell) -> Text:
    return Text(
        "%(tile)s went from %(source)s to %(target)s",
        tile=Tile.parse(str(board[source])).words,
        source=in_words(source),
        target=in_words(target),
    )


def _frames(before: SeasonBoard, after: SeasonBoard) -> Iterator[Text]:
    """Frames that were laid or taken away."""
    for cell in before.layout.numbers:
        old, new = str(before[cell]), str(after[cell])
        if old != new:
            number = new.removesuffix(FRAME_MARK)
            yield Text(
                "the number %(number)s has a frame now"
                if new.endswith(FRAME_MARK)
                else "the number %(number)s has no frame any more",
                number=number,
            )


def _unlikely(before: SeasonBoard, after: SeasonBoard, steps: Steps) -> Text:
    """Why no turns lead from one board to the other; nothing if some do."""
    if steps.gone:
        return Text(
            "Tiles stay on a board and never turn into others: please check the marked cells."
        )
    if before.framed & ~after.framed:
        return Text("A frame stays where it was laid: please check the marked numbers.")
    filled = sum(
        not area & ~(before.tiles & after.tiles) or bool(as_cells([number]) & after.framed)
        for number, area in zip(after.layout.numbers, after.layout.plan.areas, strict=True)
    )
    if len(steps.moved) > TOKENS_AT_START + filled:
        return Text(
            "Only a bonus token moves a tile, and so many nobody has had: please check the marked "
            "cells."
        )
    return NOTHING


def _whose(state: Json, seat: int, seen: SeasonBoard) -> int | None:
    """Whose board this is, if it is plainly that of another player: with all of its tiles."""
    own = _tiles(board_in(state["boards"][seat]["text"]))
    new = _tiles(seen).items()
    for other, board in enumerate(state["boards"]):
        theirs = _tiles(board_in(board["text"]))
        if other != seat and theirs and theirs.items() <= new and not own.items() <= new:
            return other
    return None


def _stranger(state: Json, other: int | None) -> Text:
    """What is said of a board that is not this player's."""
    if other is not None:
        return Text("This looks like the board of %(name)s.", name=state["players"][other]["name"])
    return Text(
        "The printed numbers are elsewhere than on the board before: this may be another board."
    )
