"""Pieces and boards in words, the same as the scripts have for the boards of games."""

from scorer.notation import EMPTY, split_rows
from scorer.time.cards import UNKNOWN
from vision.boards import BOARDS
from webapp.i18n import game_word
from webapp.i18n import gettext as _

_MARKS = ("*", "!")
"""What stands behind the label of a precious or a framed piece."""
_AS_ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def word_of(label: str, board: str) -> str:
    """A piece in words; those of somebody's own board are as they were typed.

    >>> word_of("spring*", "seasons"), word_of("spring/winter", "time"), word_of("cow", "custom")
    ('spring, precious', 'spring, below it winter', 'cow')
    """
    if label == EMPTY:
        return _("empty")
    if board not in BOARDS:
        return label
    if label.endswith("*") and label[:-1]:
        return _("%(what)s, precious", what=game_word(label[:-1]))
    if label.endswith("!") and label[:-1]:
        return _("%(what)s, framed", what=label[:-1])
    up, is_card, back = label.partition("/")
    return _card(game_word(up), game_word(back)) if is_card else game_word(label)


def _card(up: str, back: str) -> str:
    """A card of Turn of Time in words."""
    if up == UNKNOWN:
        return _("a card flipped to an unknown side, below it %(back)s", back=back)
    if back == UNKNOWN:
        return _("%(up)s, other side unknown", up=up)
    if up == back:
        return _("%(up)s on both sides", up=up)
    return _("%(up)s, below it %(back)s", up=up, back=back)


def board_words(text: str, board: str) -> str:
    """All pieces of a board in words, row by row.

    >>> board_words("sun moon / . fish", "stones")
    'sun, moon; empty, fish'
    """
    rows = split_rows(text)
    return "; ".join(", ".join(word_of(label, board) for label in row) for row in rows)


def plate_of(label: str, board: str) -> str:
    """A label as short as it is written on a photo, whose letters are those of ASCII.

    It stays English in a language that has others.
    """
    if board not in BOARDS:
        return label
    told = game_word(label.rstrip("".join(_MARKS))).translate(_AS_ASCII)
    mark = label[-1] if label.endswith(_MARKS) else ""
    return told + mark if told.isascii() else label
