"""The values of a game: what can be kept, how large it may get, and names as people see them."""

import json
import math
import re
from typing import Any
from unicodedata import category, normalize

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

_BLANK = "\u034f\u115f\u1160\u2800\u3164\uffa0"
"""Letters without ink that Unicode counts among those with it."""

_JOINERS = "\u200c\u200d"
"""Say whether the letters beside them join; without ink, but Persian and emoji need them."""

_JOINED = "\u0590-\u1cff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
"""Letters that may be joined, or shown as emoji: not those of Europe and East Asia."""

_IDLE = re.compile(f"(?<![{_JOINED}])[{_JOINERS}\ufe0e\ufe0f]+")
"""Joiners, and choices of a form, after a letter that knows neither."""


def tidied(text: str) -> str:
    """A text of one line, without letters that nobody sees or that turn the direction of others.

    >>> tidied(" \\u202eAnn \\u2066 Le\\u00ade\\u200b "), tidied("\\u200b\\u3164")
    ('Ann Lee', '')
    >>> [len(tidied(text)) for text in ("An\\u200dn", "\\u06cc\\u200c\\u0634", "\\u0645\\u200c")]
    [3, 3, 1]
    """
    seen = "".join(
        letter
        for letter in text
        if letter in _JOINERS or (category(letter) != "Cf" and letter not in _BLANK)
    )
    words = (word.rstrip(_JOINERS) for word in _IDLE.sub("", seen).split())
    return " ".join(filter(None, words))


def tidy_name(name: str) -> str:
    """A name as it is kept from now on: what looks the same is the same.

    >>> tidy_name("\\uff21nn\\u200b")
    'Ann'
    """
    return tidied(normalize("NFKC", name))


def with_tidy_name(player: Any) -> Any:
    """A player with a tidy name, or the action that adds one; what has no name as it is."""
    if isinstance(player, dict) and isinstance(player.get("name"), str):
        return player | {"name": tidy_name(player["name"])}
    return player


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


def tab_of(key: str | None) -> str | None:
    """The tab that gave a request its key, ``TAB.NUMBER``; None if the key names no tab.

    >>> tab_of("9f3a.17")
    '9f3a'
    """
    tab, dot, _ = (key or "").partition(".")
    return tab if dot else None


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
