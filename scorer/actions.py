"""What all games share: players, seats, and the fields of an action."""

from __future__ import annotations

import copy
from typing import Any, TypeVar
from unicodedata import normalize

from scorer.custom.labels import MOST_LABEL
from scorer.game import ActionError, Json
from scorer.notation import MOST_SIDE, Cell

Value = TypeVar("Value")

MOST_NAME = 40
"""Letters of a player's name."""

MOST_CORRECTIONS = MOST_SIDE * MOST_SIDE
MOST_TURNS = 1000
"""Quarter turns of a reading; more than anybody taps."""

MOST_TEXT = MOST_CORRECTIONS * (MOST_LABEL + 1) + 2 * MOST_SIDE
"""Letters of the largest board with the longest names of pieces."""


def players_of(setup: Json) -> list[Json]:
    """A copy of the players of a setup.

    Raises ActionError for names that are missing or the same.
    """
    players = setup.get("players")
    if (
        not isinstance(players, list)
        or not players
        or not all(isinstance(p, dict) for p in players)
    ):
        raise ActionError("players", "Please say who plays.")
    seen: set[str] = set()
    for player in players:
        name = player.get("name")
        if not isinstance(name, str) or not name.strip() or len(name) > MOST_NAME:
            raise ActionError(
                "players", "Every player needs a name of at most %(most)s letters.", most=MOST_NAME
            )
        if name_key(name) in seen:
            raise ActionError(
                "players",
                "Two players are called %(name)s: give one of them another name.",
                name=name.strip(),
            )
        seen.add(name_key(name))
    return copy.deepcopy(players)


def name_key(name: str) -> str:
    """A name however its letters and spaces are written.

    >>> name_key(" Ann  Lee ") == name_key("ANN LEE"), name_key("Zoe\\u0308") == name_key("zo\\xeb")
    (True, True)
    """
    return " ".join(normalize("NFC", name).split()).casefold()


def seat_of(action: Json, state: Json) -> int:
    """The seat an action names. Raises ActionError if there is no such player."""
    seat = action.get("seat")
    if isinstance(seat, int) and not isinstance(seat, bool) and 0 <= seat < len(state["players"]):
        return seat
    raise ActionError("seat", "There is no such player in this game.")


def is_own(seat: Any, viewer: Json) -> bool:
    """Whether the viewer holds this seat. Whoever only watches holds none."""
    return viewer.get("role") != "viewer" and seat is not None and viewer.get("seat") == seat


def turn_order(state: Json) -> list[int]:
    """The seats in turn order."""
    count = len(state["players"])
    return [(state["first"] + place) % count for place in range(count)]


def text_in(action: Json, name: str) -> str:
    """A field of an action that must be a text."""
    value = _value_in(action, name, str)
    if len(value) > MOST_TEXT:
        raise ActionError(
            "too_long", "A text of a change has at most %(most)s letters.", most=MOST_TEXT
        )
    return value


def int_in(action: Json, name: str) -> int:
    """A field of an action that must be a whole number."""
    return _value_in(action, name, int)


def list_in(action: Json, name: str) -> list[Any]:
    """A field of an action that must be a list."""
    return _value_in(action, name, list)


def is_cell(value: Any, side: int) -> bool:
    """Whether it is ``[row, column]`` of a square board."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(at) is int and 0 <= at < side for at in value)
    )


def cell_of(value: Any, side: int) -> Cell:
    """The cell ``[row, column]`` of a square board. Raises ActionError."""
    if is_cell(value, side):
        return value[0], value[1]
    raise ActionError("cell", "That cell is not on the board; please reload the page.")


def dict_in(action: Json, name: str) -> Json:
    """A field of an action that must be an object."""
    return _value_in(action, name, dict)


def _value_in(action: Json, name: str, kind: type[Value]) -> Value:
    value = action.get(name)
    if isinstance(value, bool) or not isinstance(value, kind):
        raise _lacking(name)
    return value


def evidence_in(action: Json) -> Json:
    """The photo that a board was read from, or None, and what people corrected on it."""
    photo, turns = action.get("photo"), action.get("turns")
    if not (photo is None or (type(photo) is int and photo >= 0)):
        raise _lacking("photo")
    if not (turns is None or (type(turns) is int and 0 <= turns <= MOST_TURNS)):
        raise _lacking("turns")
    corrections = action.get("corrections") or []
    if not isinstance(corrections, list) or len(corrections) > MOST_CORRECTIONS:
        raise _lacking("corrections")
    if not all(map(is_correction, corrections)):
        raise ActionError("action", "The corrections did not arrive well; please reload the page.")
    return {"photo": photo, "corrections": copy.deepcopy(corrections)}


def is_correction(value: Any) -> bool:
    """Whether it is ``[row, column, what was read, what lies there]``."""
    return (
        isinstance(value, list)
        and len(value) == 4
        and all(type(at) is int and 0 <= at < MOST_SIDE for at in value[:2])
        and all(isinstance(label, str) and len(label) <= MOST_LABEL for label in value[2:])
    )


def unknown_action(action: Json) -> ActionError:
    """The error for a type of action that the game does not know."""
    kind = str(action.get("type"))[:40]
    return ActionError(
        "action", "This game knows no change %(kind)s; please reload the page.", kind=repr(kind)
    )


def _lacking(name: str) -> ActionError:
    return ActionError(
        "action", "The change lacks %(name)s; please reload the page.", name=repr(name)
    )
