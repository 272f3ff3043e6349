"""How actions are written in a record of a game, and read again.

A form is a template such as ``flip {flip:cell}[ paying {discard:int}]`` for the actions of one
type. It has a gap for each field: a name and a kind of value. What stands in square brackets is
written only if the action has the fields in it. An action that fits no form is written as JSON, so
every action can be written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from scorer.fields import Json

DIVIDER = "; "
"""Stands between two actions of a line."""

AS_JSON = "do "
"""Before an action that is written as JSON."""

_GAP = re.compile(r"\{(\w+)([:=])([^}]*)\}")
_CELL = r"r-?\d{1,2}c-?\d{1,2}"
_LABEL = r"[^\s;,]+"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value: what it looks like, how it is written and how it is read.

    ``write`` raises ValueError, TypeError or another error of a lookup for what it cannot write.
    """

    pattern: str
    write: Callable[[Any], str]
    read: Callable[[str], Any]


def cell_name(cell: Sequence[int]) -> str:
    """A cell as records name it: row and column, counted from 1.

    >>> cell_name((1, 2)), cell_name([-1, 0])
    ('r2c3', 'r0c1')
    """
    row, col = cell
    return f"r{_whole(row) + 1}c{_whole(col) + 1}"


def _cell(name: str) -> list[int]:
    row, col = name[1:].split("c")
    return [int(row) - 1, int(col) - 1]


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"expected a whole number, got {value!r}")
    return value


def _correction(correction: Sequence[Any]) -> str:
    row, col, before, after = correction
    return f"{cell_name((row, col))} {before}>{after}"


def _read_corrections(text: str) -> list[list[Any]]:
    words = text.split(" ")
    return [
        [*_cell(cell), *change.split(">")]
        for cell, change in zip(words[::2], words[1::2], strict=True)
    ]


def _figures(text: str) -> dict[str, int]:
    pairs = [] if text == "nothing" else text.split(", ")
    return {item: int(figure) for item, figure in (pair.split(" ") for pair in pairs)}


def _listed(
    pattern: str, write: Callable[[Any], str], read: Callable[[str], Any], divider: str, none: str
) -> Kind:
    """Several values one after the other; *none* stands for an empty list."""

    def written(values: Sequence[Any]) -> str:
        return divider.join(map(write, values)) or none

    return Kind(
        f"{none}|{pattern}(?:{divider}{pattern})*",
        written,
        lambda text: [] if text == none else [read(part) for part in text.split(divider)],
    )


KINDS: Mapping[str, Kind] = {
    "int": Kind(r"-?\d+", lambda value: str(_whole(value)), int),
    "ints": _listed(r"\d+", lambda value: str(_whole(value)), int, " ", "none"),
    "row": Kind(r"r-?\d+", lambda row: f"r{_whole(row) + 1}", lambda text: int(text[1:]) - 1),
    "col": Kind(r"c-?\d+", lambda col: f"c{_whole(col) + 1}", lambda text: int(text[1:]) - 1),
    "cell": Kind(_CELL, cell_name, _cell),
    "cells": _listed(_CELL, cell_name, _cell, " ", "nothing"),
    "paths": _listed(
        rf"{_CELL}(?:-{_CELL})*",
        lambda cells: "-".join(map(cell_name, cells)),
        lambda text: [_cell(name) for name in text.split("-")],
        " ",
        "none",
    ),
    "player": Kind(r"\d+", lambda seat: str(_whole(seat) + 1), lambda text: int(text) - 1),
    "word": Kind(_LABEL, str, str),
    "words": _listed(_LABEL, str, str, " ", "none"),
    "name": Kind(r"[^;,]+", str, str),
    "names": _listed(r"[^;,]+", str, str, ", ", "none"),
    "yes": Kind(
        "yes|no", lambda value: {True: "yes", False: "no"}[value], lambda text: text[0] == "y"
    ),
    "figures": Kind(
        r"nothing|\S+ -?\d+(?:, \S+ -?\d+)*",
        lambda lines: ", ".join(f"{item} {_whole(n)}" for item, n in lines.items()) or "nothing",
        _figures,
    ),
    "corrections": Kind(
        rf"{_CELL} [^\s>]+>[^\s>]+(?: {_CELL} [^\s>]+>[^\s>]+)*",
        lambda all_of_them: " ".join(map(_correction, all_of_them)),
        _read_corrections,
    ),
    "json": Kind(r"[{\[].*", lambda value: to_json(value), json.loads),
}
"""What can stand in a gap, by the name of its kind."""


def to_json(value: Any) -> str:
    """A value as JSON on one line, without a semicolon."""
    return json.dumps(value, ensure_ascii=False).replace(";", r"\u003b")


@dataclass(frozen=True)
class Form:
    """How the actions of one type are written.

    ``of_turn`` says that it is up to whoever has the turn and names no seat. ``{field=words}``
    is a switch: the words stand there if it is on.
    """

    type: str
    template: str
    of_turn: bool = False

    @cached_property
    def _groups(self) -> list[tuple[str, bool]]:
        """The template in parts, each with whether it may be left out."""
        parts = re.split(r"(\[[^\]]*\])", self.template)
        return [(part.strip("[]"), part.startswith("[")) for part in parts if part]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        found = ""
        for part, is_optional in self._groups:
            pattern, at = "", 0
            for gap in _GAP.finditer(part):
                inner = KINDS[gap[3]].pattern if gap[2] == ":" else re.escape(gap[3])
                pattern += re.escape(part[at : gap.start()]) + f"(?P<{gap[1]}>{inner})"
                at = gap.end()
            pattern += re.escape(part[at:])
            found += f"(?:{pattern})?" if is_optional else pattern
        return re.compile(found)

    @cached_property
    def _gaps(self) -> dict[str, str]:
        """The kinds of the fields; a switch has none."""
        return {gap[1]: gap[3] * (gap[2] == ":") for gap in _GAP.finditer(self.template)}

    def write(self, action: Json) -> str | None:
        """The action in words; None if it does not fit."""
        fields = {name: value for name, value in action.items() if name not in ("type", "seat")}
        if fields.keys() - self._gaps.keys() or (self.of_turn and "seat" in action):
            return None
        found = ""
        for part, is_optional in self._groups:
            names = [gap[1] for gap in _GAP.finditer(part)]
            if all(name in fields for name in names):
                try:
                    found += _GAP.sub(lambda gap: _written(gap, fields[gap[1]]), part)
                except (ValueError, TypeError, LookupError, AttributeError):
                    return None
            elif not is_optional:
                return None
        return None if re.search(r"[;\x00-\x1f\x7f]", found) else found

    def read(self, text: str) -> Json | None:
        """The action without its seat; None if the text is not of this form."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        fields: Json = {"type": self.type}
        try:
            for name, kind in self._gaps.items():
                if match[name] is not None:
                    fields[name] = KINDS[kind].read(match[name]) if kind else True
        except (ValueError, RecursionError):
            return None
        return fields


def _written(gap: re.Match[str], value: Any) -> str:
    if gap[2] == ":":
        return KINDS[gap[3]].write(value)
    if value is not True:
        raise ValueError(f"expected true, got {value!r}")
    return gap[3]


COMMON = (
    Form(
        "board",
        "board {text:name}[, photo {photo:int}][, turned {turns:int}]"
        "[, corrected {corrections:corrections}]",
    ),
    Form("claim", "claim {lines:figures}"),
    Form("finish", "finish"),
    Form("resume", "resume"),
)
"""The forms of the actions that every game takes."""

_IDLE: Mapping[str, Json] = {"board": {"corrections": [], "turns": 0}}
"""Values that mean nothing in the actions of all games, by type."""


@dataclass(frozen=True, slots=True)
class Notation:
    """The forms of one game. ``idle`` are values that mean nothing, by the type of the action."""

    forms: Sequence[Form]
    idle: Mapping[str, Json] = field(default_factory=dict)

    def plain(self, action: Json) -> Json:
        """The action without what changes nothing, such as empty fields and answers kept as notes.

        >>> Notation(()).plain({"type": "board", "seat": None, "text": ".", "corrections": []})
        {'type': 'board', 'text': '.'}
        """
        kind = action.get("type")
        idle = _IDLE.get(str(kind), {}) | self.idle.get(str(kind), {})
        return {
            name: value
            for name, value in action.items()
            if value is not None
            and not (name in idle and idle[name] in (value, ...))
            and not (kind == "board" and name == "answers")
        }

    def write(self, action: Json) -> tuple[str, Form | None]:
        """A plain action in words, and its form if it has one."""
        for form in (*self.forms, *COMMON):
            if form.type == action.get("type") and (text := form.write(action)) is not None:
                read = self.read(text)
                if read is not None and read[0] == _without_seat(action):
                    return text, form
        return AS_JSON + to_json(action), None

    def read(self, text: str) -> tuple[Json, Form] | None:
        """The action that *text* says, without its seat, and its form; None if none says so."""
        for form in (*self.forms, *COMMON):
            action = form.read(text)
            if action is not None:
                return action, form
        return None


def _without_seat(action: Json) -> Json:
    return {name: value for name, value in action.items() if name != "seat"}
