"""Reading the fields of a JSON document, each error with the path of the field."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from scorer.notation import Cell, NotationError, Problem
from scorer.season import SEASONS, Season
from scorer.text import Text

Parsed = TypeVar("Parsed")

Json = dict[str, Any]
"""A JSON object, read or to be written."""

MOST = 10**9
"""No figure at any table is larger; what is, is a slip of the pen."""


MOST_DIGITS = 4300
"""Digits of a whole number in a document: what Python turns into a number by default."""


class UnreadableError(Exception):
    """A document that cannot be answered: ``path`` leads to the field that is to blame."""

    def __init__(self, code: str, message: str, path: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path


def read_json(text: str | bytes) -> Any:
    """The value that a JSON text holds.

    Raises
    ------
    UnreadableError
        If a key of an object is there twice.
    RecursionError
        If it is nested too deeply.
    ValueError
        If it is no JSON, or a number in it is none that a computer can hold.
    """
    return json.loads(
        text,
        object_pairs_hook=_object,
        parse_int=_whole,
        parse_float=_finite,
        parse_constant=_no_constant,
    )


def _object(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise UnreadableError(
            "duplicate", f"expected each key of an object once, got {twice!r} again"
        )
    return found


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"expected a number of up to {MOST_DIGITS} digits, got {len(text)}")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"expected a number that a computer can hold, got {text!r}")
    return number


def _no_constant(text: str) -> float:
    raise ValueError(f"expected JSON, which knows no {text}")


def member(document: Json, key: str, path: str = "") -> Any:
    """A field that must be there."""
    if key not in document:
        raise UnreadableError("missing", f"expected a field {key!r}, got none", joined(path, key))
    return document[key]


def joined(path: str, key: str) -> str:
    """The path of a field of the object at *path*."""
    return f"{path}.{key}" if path else key


def text_of(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise UnreadableError("wrong_type", f"expected a text, got {short(value)}", path)
    return value


def object_of(value: Any, path: str) -> Json:
    if not isinstance(value, dict):
        raise UnreadableError("wrong_type", f"expected an object, got {short(value)}", path)
    return value


def list_of(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise UnreadableError("wrong_type", f"expected a list, got {short(value)}", path)
    return value


def entries_of(value: Any, path: str) -> Iterator[tuple[Any, str]]:
    """The entries of a list, each with its path."""
    for position, entry in enumerate(list_of(value, path)):
        yield entry, f"{path}[{position}]"


def whole_of(value: Any, path: str, least: int = -MOST, most: int = MOST) -> int:
    """A whole number; JSON's true and false are none."""
    if type(value) is not int:
        raise UnreadableError("wrong_type", f"expected a whole number, got {short(value)}", path)
    if not least <= value <= most:
        raise UnreadableError(
            "out_of_range", f"expected a number from {least} to {most}, got {value!r}", path
        )
    return value


def cell_of(value: Any, path: str, side: int) -> Cell:
    """A cell ``[row, column]`` of a square board."""
    numbers = list_of(value, path)
    if len(numbers) != 2:
        raise UnreadableError("wrong_shape", f"expected [row, column], got {short(value)}", path)
    row, col = (whole_of(number, f"{path}[{at}]", 0, side - 1) for at, number in enumerate(numbers))
    return row, col


def notation_of(
    parse: Callable[[str], Parsed], value: Any, path: str, code: str = "bad_notation"
) -> Parsed:
    """What *parse* makes of a text."""
    try:
        return parse(text_of(value, path))
    except NotationError as error:
        raise UnreadableError(code, str(error), path) from None


def season_of(value: Any, path: str) -> Season:
    return notation_of(Season.named, value, path, "unknown_season")


def different_of(
    value: Any, path: str, read: Callable[[Any, str], Parsed], expected: str, name: str
) -> list[Parsed]:
    """The entries of a list, none of them twice; *name* is the attribute they are told by."""
    found: list[Parsed] = []
    for entry, where in entries_of(value, path):
        one = read(entry, where)
        if one in found:
            raise UnreadableError(
                "duplicate", f"expected {expected}, got {getattr(one, name)!r} again", where
            )
        found.append(one)
    return found


def seasons_of(value: Any, path: str) -> list[Season]:
    """Different seasons, in the given order."""
    return different_of(value, path, season_of, "each season once", "value")


def player_problems(players: Mapping[str, Sequence[Season]]) -> list[Problem]:
    """Why players cannot have these seasons: two have the same one, or they are too many."""
    held = [season for seasons in players.values() for season in seasons]
    found = [
        Problem(
            "shared_season",
            Text(
                "expected %(season)s with one player, got it with %(count)s",
                season=season.value,
                count=held.count(season),
            ),
        )
        for season in SEASONS
        if held.count(season) > 1
    ]
    if len(players) > len(SEASONS):
        found.append(
            Problem(
                "too_many_players",
                Text(
                    "expected up to %(most)s players, got %(count)s",
                    most=len(SEASONS),
                    count=len(players),
                ),
            )
        )
    return found


def players_of(document: Json, read: Callable[[str, Json, str], Parsed]) -> dict[str, Parsed]:
    """What *read* makes of each player: of the name, the object and its path. There is one."""
    found: dict[str, Parsed] = {}
    for entry, path in entries_of(member(document, "players"), "players"):
        player = object_of(entry, path)
        name = text_of(member(player, "name", path), f"{path}.name")
        if name in found:
            raise UnreadableError(
                "duplicate", f"expected different names, got {name!r} again", f"{path}.name"
            )
        found[name] = read(name, player, path)
    if not found:
        raise UnreadableError("wrong_shape", "expected at least one player, got none", "players")
    return found


def claims_of(value: Any, path: str, items: Mapping[str, str]) -> list[tuple[str, int]]:
    """Claimed figures by item.

    *items* gives the written form of every accepted spelling in lower case.
    """
    found: dict[str, int] = {}
    for key, figure in object_of(value, path).items():
        where = joined(path, key)
        item = items.get(key.lower())
        if item is None:
            known = " ".join(dict.fromkeys(items.values()))
            raise UnreadableError("unknown_item", f"expected one of {known}, got {key!r}", where)
        if item in found:
            raise UnreadableError("duplicate", f"expected each item once, got {key!r} again", where)
        found[item] = whole_of(figure, where)
    return list(found.items())


def short(value: Any) -> str:
    """A value for a message, cut so that a long document does not become a long error."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def with_remarks(answer: Json, problems: Sequence[Problem] = (), notes: Sequence[str] = ()) -> Json:
    """The answer with what is impossible or strange about its document, if anything is."""
    if problems:
        answer["problems"] = [problem_document(problem) for problem in problems]
    if notes:
        answer["notes"] = list(notes)
    return answer


def problem_document(problem: Problem) -> Json:
    return {
        "code": problem.code,
        "message": problem.message,
        "cells": cells_document(problem.cells),
    }


def cells_document(cells: Iterable[Cell]) -> list[list[int]]:
    return [list(cell) for cell in cells]
