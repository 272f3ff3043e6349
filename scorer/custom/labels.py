"""Other games: what a piece may be called."""

import re

from scorer.notation import EMPTY, ROW_BREAK

MOST_LABEL = 40
"""Letters of a label."""

JOINER = "\u200d"
"""Makes one picture of those before and after it; not printable itself."""


def is_word(text: str) -> bool:
    """Whether a text is one word that can be shown.

    >>> is_word("\N{WOMAN}\u200d\N{EAR OF RICE}"), is_word("moon\u200d"), is_word("two words")
    (True, False, False)
    """
    return (
        0 < len(text) <= MOST_LABEL
        and all(part and part.isprintable() for part in text.split(JOINER))
        and not any(letter.isspace() for letter in text)
    )


def is_label(text: str) -> bool:
    """Whether a piece of a described game may be called so.

    >>> is_label("field+2"), is_label("a/b"), is_label(".")
    (True, False, False)
    """
    return is_word(text) and text != EMPTY and ROW_BREAK not in text


def by_number(label: str) -> list[str | int]:
    """A key that sorts labels by their letters, and numbers in them by their value.

    >>> sorted(["tile10", "tile2", "sun"], key=by_number)
    ['sun', 'tile2', 'tile10']
    """
    parts = re.split(r"([0-9]+)", label)
    return [int(part) if at % 2 else part for at, part in enumerate(parts)]
