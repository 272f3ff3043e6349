"""Turn of Time: the sixteen cards, and what nobody can be dealt."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self

from scorer.notation import Cell, NotationError, Problem
from scorer.season import SEASONS, Season
from scorer.text import Text, either, listed

SINGLES_A_SEASON = 1
DOUBLES_A_PAIR = 2
"""Each season has 1 card of its own, and each two seasons share 2 cards (rulebook, contents)."""

UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class SeasonCard:
    """A card on the table: the side that is up, and its back as far as it is known.

    >>> SeasonCard.parse("fall/sp")
    SeasonCard.parse('autumn/spring')
    >>> str(SeasonCard.parse("spring").flipped())
    '?/spring'
    """

    up: Season | None
    back: Season | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``up``, ``up/back``, ``up/?`` or ``?/back``. Raises NotationError for other text."""
        up, slash, back = text.partition("/")
        sides = [
            None if side == UNKNOWN else Season.parse(side)
            for side in ((up, back) if slash else (up,))
        ]
        if sides == [None] or sides == [None, None]:
            raise NotationError("expected a card with a known side, got %(text)s", text=repr(text))
        return cls(*sides)

    @property
    def sides(self) -> tuple[Season, ...]:
        """The known sides."""
        return tuple(side for side in (self.up, self.back) if side is not None)

    def flipped(self) -> Self:
        """The card turned over."""
        return type(self)(self.back, self.up)

    def __str__(self) -> str:
        up = UNKNOWN if self.up is None else self.up.value
        return up if self.back is None else f"{up}/{self.back.value}"

    def __repr__(self) -> str:
        return f"SeasonCard.parse({str(self)!r})"


KINDS = tuple(SeasonCard(one, other) for at, one in enumerate(SEASONS) for other in SEASONS[at:])
"""The ten kinds of cards: each pair of seasons, the single ones included."""


def deal_problems(cards: Sequence[tuple[Cell, SeasonCard]]) -> Iterator[Problem]:
    """What no deal of the 16 cards gives, unknown backs taken as they fit best."""
    left: dict[frozenset[Season], int] = {
        frozenset([season]): SINGLES_A_SEASON for season in SEASONS
    }
    left |= {frozenset(pair): DOUBLES_A_PAIR for pair in combinations(SEASONS, 2)}
    open_backs: Counter[Season] = Counter()
    known: dict[frozenset[Season], list[Cell]] = {}
    for cell, card in cards:
        if len(card.sides) == 2:
            known.setdefault(frozenset(card.sides), []).append(cell)
        else:
            open_backs[card.sides[0]] += 1
    for sides, cells in known.items():
        if len(cells) > left[sides]:
            names = listed((season.value for season in SEASONS if season in sides), "/")
            yield Problem(
                "too_many_cards",
                Text(
                    "Please check: the box holds %(most)s of %(names)s, here are %(count)s.",
                    most=left[sides],
                    names=names,
                    count=len(cells),
                ),
                tuple(cells),
            )
        left[sides] = max(0, left[sides] - len(cells))
    # Hall's theorem: the box has all cards with unknown backs exactly if no set of seasons shows
    # more of them than cards are left with these seasons. The smallest such set is the clearest.
    for size in range(1, len(SEASONS) + 1):
        for seasons in combinations(SEASONS, size):
            shown = sum(open_backs[season] for season in seasons)
            most = sum(count for sides, count in left.items() if sides & set(seasons))
            if shown > most:
                cells = [
                    cell
                    for cell, card in cards
                    if len(card.sides) == 1 and card.sides[0] in seasons
                ]
                up = either(season.value for season in seasons)
                yield Problem(
                    "too_many_cards",
                    Text(
                        "Please check: the game has %(most)s more cards with %(names)s, and "
                        "%(shown)s with unknown backs lie here.",
                        most=most,
                        names=up,
                        shown=shown,
                    ),
                    tuple(cells),
                )
                return
