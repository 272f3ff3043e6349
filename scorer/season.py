"""The four seasons, which Shifting Seasons and Turn of Time share."""

from enum import Enum
from typing import Self

from scorer.notation import NotationError, parse_word
from scorer.text import Term


class Season(Enum):
    """A season, in calendar order."""

    SPRING = Term("spring")
    SUMMER = Term("summer")
    AUTUMN = Term("autumn")
    WINTER = Term("winter")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a season or a unique prefix of it; ``fall`` is autumn.

        >>> Season.parse("su"), Season.parse("Fall")
        (<Season.SUMMER: 'summer'>, <Season.AUTUMN: 'autumn'>)
        """
        if text.lower() in _FALL:
            text = cls.AUTUMN.value
        return parse_word(text, cls)

    @classmethod
    def named(cls, text: str) -> Self:
        """Read a season by its full name, as documents give it."""
        if text.lower() not in _NAMES:
            known = " ".join(season.value for season in cls)
            raise NotationError(
                "expected one of %(known)s, got %(text)s", known=known, text=repr(text)
            )
        return cls.parse(text)


_FALL = ("fa", "fal", "fall")
_NAMES = {season.value for season in Season} | {"fall"}
SEASONS = tuple(Season)
"""The seasons in calendar order, which is also their index in every table of this package."""
