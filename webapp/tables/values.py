"""The JSON values of a game: what can be kept, and how large it may get."""

import json
import math
from typing import Any

from scorer.game import Json
from webapp.tables.errors import TableError

MOST_ACTION_CHARS = 100_000
"""Size of an action as JSON; a photo's corrections have a few thousand."""

MOST_STATE_CHARS = 500_000
"""Largest state as JSON: eight of the largest boards with the longest names."""

MOST_LOG_BYTES = 10_000_000
"""Largest log or readings of a game as JSON; a long evening has a few hundred thousand."""

LEAST_EVENT_BYTES = 800
"""What an entry of the log counts at least: with its row and its member of a file."""

MOST_NESTED = 20


def checked_json(value: Any, nested: int = MOST_NESTED) -> Any:
    """The value, if every database can keep it as it is.

    Raises TableError for NaN, stray surrogates and the like.
    """
    match value:
        case None | bool():
            return value
        case int() if abs(value) < 2**53:
            return value
        case float() if math.isfinite(value):
            return value
        case str() if "\0" not in value and not any("\ud800" <= c <= "\udfff" for c in value):
            return value
        case list() if nested:
            return [checked_json(one, nested - 1) for one in value]
        case dict() if nested:
            return {checked_json(key): checked_json(one, nested - 1) for key, one in value.items()}
    raise TableError(
        400, "bad_json", "The change holds something that cannot be kept; please reload the page."
    )


def checked_key(key: Any) -> str | None:
    """The key of a request, None where it has none. Raises TableError for anything else."""
    if key is not None and (not isinstance(key, str) or not 0 < len(checked_json(key)) <= 40):
        raise TableError(400, "key", "The key of a change has at most 40 letters.")
    return key


def no_constant(name: str) -> None:
    """Refuses NaN and Infinity while JSON is read: they are none."""
    raise ValueError(f"{name} is no JSON")


def size_of(value: Any) -> int:
    """Bytes of a value as JSON."""
    return len(_text(value).encode(errors="replace"))


def chars_of(value: Any) -> int:
    """Letters of a value as JSON."""
    return len(_text(value))


def size_of_event(action: Json, state: Json) -> int:
    """What an entry of the log counts."""
    return max(LEAST_EVENT_BYTES, size_of(action) + size_of(state))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
