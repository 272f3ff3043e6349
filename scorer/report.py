"""Answers of ``scorer.documents`` as text for people."""

from collections.abc import Callable, Iterator

from scorer.fields import Json
from scorer.notation import in_words
from scorer.text import counted, listed


def render(answer: Json) -> str:
    """One answer as lines of text.

    >>> print(render({"id": 4, "gold": 10, "why": ["5 villagers in hand at 2 gold"]}))
    document 4
    10 gold
      5 villagers in hand at 2 gold
    >>> error = {"code": "missing", "message": "got no game", "where": "line 1: game"}
    >>> print(render({"error": error}))
    line 1: game: got no game
    """
    return "\n".join(_lines(answer))


def _lines(answer: Json) -> Iterator[str]:
    if "id" in answer:
        yield f"document {answer['id']}"
    if "error" in answer:
        yield f"{answer['error']['where']}: {answer['error']['message']}"
        return
    for key, body in _BODIES.items():
        if key in answer:
            yield from body(answer)
            break
    for problem in answer.get("problems", ()):
        cells = f" ({_cells(problem['cells'])})" if problem.get("cells") else ""
        yield f"problem: {problem['message']}{cells}"
    for note in answer.get("notes", ()):
        yield f"note: {note}"


def _audit(answer: Json) -> Iterator[str]:
    for line in answer["lines"]:
        player = f"{line['player']}: " if line["player"] is not None else ""
        if line["agrees"]:
            yield f"{player}{line['item']}: {line['points']}, as claimed"
        else:
            yield f"{player}{line['item']}: {line['points']}, not {line['claimed']}: {line['why']}"


def _ranking(answer: Json) -> Iterator[str]:
    for rank in answer["ranking"]:
        yield (
            f"{rank['season']:<7} {counted(rank['points'], 'point')}"
            f" ({counted(rank['cards'], 'card')}, largest group {rank['group']})"
        )
    for player in answer.get("players", ()):
        yield f"{player['name']}: {player['points']}"
    yield from _winners(answer)


def _players(answer: Json) -> Iterator[str]:
    for player in answer["players"]:
        yield f"{player['name']}: {player['total']}"
        if "rules" in player:
            yield from _rules(player)
            continue
        if "cards" not in player:
            yield (
                f"  {counted(player['points'], 'point')} + {player['bonus']} bonus"
                f" ({counted(player['ones'], 'card')} of 1 point)"
            )
            continue
        for card in player["cards"]:
            yield (
                f"  {card['card']:<17} {card['points']:>3}  {counted(card['tiles'], 'tile')}, "
                f"{card['precious']} precious, {card['own']} of the own season"
            )
            for group in card["groups"]:
                yield f"    {_cells(group)}"
        yield f"  {counted(player['precious'], 'precious tile')} on the board"
    yield from _winners(answer)


def _rules(player: Json) -> Iterator[str]:
    for rule in player["rules"]:
        yield f"  {rule['rule']:<17} {rule['points']:>3}"
        for group in rule["groups"]:
            why, cells = group["why"], _cells(group["cells"])
            yield f"    {group['points']:>3}  {why if why == cells else f'{why} ({cells})'}"
    if player["extra"]:
        yield f"  {'by hand':<17} {player['extra']:>3}"


def _winners(answer: Json) -> Iterator[str]:
    if answer.get("winners"):
        yield f"wins: {', '.join(answer['winners'])}"


def _best_turn(answer: Json) -> Iterator[str]:
    best = answer["best"]
    yield f"matching now: {', '.join(map(str, answer['matches'])) or 'none'}"
    points, discards = counted(best["points"], "point"), counted(best["discards"], "discard")
    yield f"best turn: {points} for {discards}"
    for step in best["steps"]:
        if "shift" in step:
            yield f"  shift {_cells(step['shift'])}"
        elif "flip" in step:
            yield f"  flip {_cells([step['flip']])}"
        else:
            yield f"  score card {step['score']}"
    for card, away in answer["distance"].items():
        far = "cannot be reached" if away is None else f"{counted(away, 'discard')} away"
        yield f"card {card}: {far}"


def _placements(answer: Json) -> Iterator[str]:
    for placement in answer["placements"]:
        yield f"{placement['up']} {_free_cell(*placement['cell'])}"
        for grid in placement["grids"]:
            yield f"  {grid}"
    if not answer["placements"]:
        yield "no cell is free"


def _free_cell(row: int, col: int) -> str:
    """Where a card may lie; the rows and columns that people count are those with cards."""
    if row < 0:
        return f"above the cards, column {col + 1}"
    if col < 0:
        return f"left of the cards, row {row + 1}"
    return f"on {in_words((row, col))}"


def _legal_cells(answer: Json) -> Iterator[str]:
    yield f"free cells: {_cells(answer['cells']) or 'none'}"


def _tally(answer: Json) -> Iterator[str]:
    for line in answer["villagers"]:
        yield (
            f"  {line['name']:<16} {line['gold'] + line['silver'] + line['coins']:>3}  "
            f"{line['why']}"
        )
    yield (
        f"{answer['gold']} gold + {answer['silver']} silver + "
        f"{counted(answer['coins'], 'coin')} = "
        f"{answer['market']}, with the supply of {answer['supply']}: {answer['total']}"
    )


def _income(answer: Json) -> Iterator[str]:
    yield f"{answer['gold']} gold"
    for reason in answer["why"]:
        yield f"  {reason}"


# Keys that only one kind of answer has. The ranking comes first: its answer may have players, too.
_BODIES: dict[str, Callable[[Json], Iterator[str]]] = {
    "lines": _audit,
    "ranking": _ranking,
    "players": _players,
    "best": _best_turn,
    "placements": _placements,
    "cells": _legal_cells,
    "villagers": _tally,
    "gold": _income,
}


def _cells(cells: list[list[int]]) -> str:
    """Cells as people count them, from 1: the answer itself counts from 0."""
    return listed(in_words((row, col)) for row, col in cells)
