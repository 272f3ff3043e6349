"""Villagers: the cards as data, and the formulas by which some of them score.

The packaged table has the columns of a user's own table (`Deck.with_file`), so a card whose values
are not published is added by typing in one row.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from importlib import resources
from typing import Any, Self

from scorer.text import Text, Told

COLUMNS = (
    "name", "suit", "on", "gold", "silver", "bronze", "food", "builder", "lock", "key",
    "suit_symbols", "box", "note",
)  # fmt: skip
"""Columns of the card table; only ``name`` must be filled in."""

SPECIAL = "special"
"""The suit of cards that show none."""

SUITS = ("grains", "wood", "hay", "ore", "grapes", "wool", "leather", "solitary", SPECIAL)

TURNED = "!"
"""After a name: the card lies with its other side up."""


class FormulaError(Told, ValueError):
    """No rule is known for what a card is said to give."""


class CardError(Told, ValueError):
    """A row of the card table cannot be read; ``column`` says where."""

    def __init__(self, column: str, template: str, /, **values: Any) -> None:
        super().__init__(template, **values)
        self.column = column


@dataclass(frozen=True, slots=True)
class Counts:
    """What the formulas count in one village. Covered cards add only what stays visible."""

    suits: Mapping[str, int]
    """Suit symbols, those of covered cards included: their strips stay visible."""
    padlocks: int
    """Padlock symbols, those of covered cards included."""
    gold_symbols: int
    food: int
    builders: int
    printed_gold: Mapping[str, int]
    """Gold printed on uncovered villagers, by suit."""
    coins: tuple[int, ...]
    """Coins on each villager."""
    hand: int
    long_chains: int
    """Production chains of three or more villagers."""
    silver: tuple[int, ...] = ()
    """Silver values of the uncovered silver villagers."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A plain number."""

    amount: int

    def value(self, counts: Counts) -> int:
        return self.amount

    @property
    def text(self) -> Text:
        return Text(str(self.amount))

    def why(self, counts: Counts) -> Text:
        return Text("%(count)s printed", count=self.amount)


@dataclass(frozen=True, slots=True)
class Rate:
    """An amount for every one, two or more of something: ``3 per 2 hay symbols`` is 3 x floor(n /
    2)."""

    amount: int
    each: int
    noun: str
    count: Callable[[Counts], int] = field(compare=False)

    def value(self, counts: Counts) -> int:
        return self.amount * (self.count(counts) // self.each)

    @property
    def text(self) -> Text:
        return Text(
            "%(each)s per %(per)s %(what)s" if self.each > 1 else "%(each)s per %(what)s",
            each=self.amount,
            per=self.each,
            what=Text(self.noun),
        )

    def why(self, counts: Counts) -> Text:
        return Text("%(rate)s: %(count)s counted", rate=self.text, count=self.count(counts))


@dataclass(frozen=True, slots=True)
class HalfSilver:
    """Half the value of the best own silver villager, rounded down."""

    def value(self, counts: Counts) -> int:
        return max(counts.silver, default=0) // 2

    @property
    def text(self) -> Text:
        return Text("half of one own silver villager")

    def why(self, counts: Counts) -> Text:
        return Text(
            "half of the best silver villager, which shows %(count)s",
            count=max(counts.silver, default=0),
        )


Formula = Printed | Rate | HalfSilver
"""How much gold, silver or bronze a card shows: ``value`` and ``why`` in a village, ``text``."""

_MOST_DIGITS = 6
"""Digits of a number of a card: enough for any card, too few to fill a line with one number."""
_NUMBER = f"[0-9]{{1,{_MOST_DIGITS}}}"
_RATE = re.compile(rf"({_NUMBER}) (?:per|x) (?:({_NUMBER}) )?(.+)")
_SUIT_SYMBOLS = re.compile(r"([a-z]+(?:, [a-z]+)*(?: or [a-z]+)?) symbols?")
_PRINTED_GOLD = re.compile(r"gold printed on own ([a-z]+) villagers")
MOST_COINS = Text("value of the coins placed on one villager")
"""What an Agent counts."""
_HALF_SILVER = "half the value of one own silver villager, rounded down"
_COUNTED: dict[str, Callable[[Counts], int]] = {
    "gold symbol": lambda counts: counts.gold_symbols,
    "padlock symbol": lambda counts: counts.padlocks,
    "food": lambda counts: counts.food,
    "builder": lambda counts: counts.builders,
    "card in hand": lambda counts: counts.hand,
    "villager with coins on it": lambda counts: sum(coins > 0 for coins in counts.coins),
    "production chain of 3 or more villagers": lambda counts: counts.long_chains,
    "set of 1 ore + 1 hay + 1 wood": lambda counts: min(
        counts.suits.get(s, 0) for s in ("ore", "hay", "wood")
    ),
    # The player names one villager; the best choice is the one with the most coins.
    MOST_COINS: lambda counts: max(counts.coins, default=0),
}


NOUNS = (
    Text("builder"),
    Text("card in hand"),
    Text("food"),
    Text("gold printed on own leather villagers"),
    Text("gold printed on own wood villagers"),
    Text("gold symbol"),
    Text("gold symbols"),
    Text("grain symbol"),
    Text("grapes, wool or leather symbol"),
    Text("hay symbols"),
    Text("ore symbols"),
    Text("padlock symbol"),
    Text("production chain of 3 or more villagers"),
    Text("set of 1 ore + 1 hay + 1 wood"),
    Text("solitary symbols"),
    MOST_COINS,
    Text("villager with coins on it"),
    Text("wood symbol"),
)
"""What the published cards count, for people."""


def parse_formula(text: str) -> Formula:
    """Read a gold, silver or bronze cell. Raises FormulaError if no rule is known for it.

    >>> parse_formula("15")
    Printed(amount=15)
    >>> parse_formula("3 per 2 hay symbols").noun
    'hay symbols'
    """
    text = " ".join(text.split()).lower()
    if re.fullmatch(_NUMBER, text):
        return Printed(int(text))
    if text == _HALF_SILVER:
        return HalfSilver()
    rate = _RATE.fullmatch(text)
    count = _counter(rate[3]) if rate else None
    if rate is None or count is None or int(rate[2] or 1) == 0:
        raise FormulaError(
            "expected a number or a formula such as '3 per 2 hay symbols', '2 per food' or "
            "'1 x gold printed on own wood villagers', got %(text)s",
            text=repr(text),
        )
    return Rate(int(rate[1]), int(rate[2] or 1), rate[3], count)


def _counter(noun: str) -> Callable[[Counts], int] | None:
    for known in (noun, noun.removesuffix("s"), noun.replace("cards ", "card ")):
        if known in _COUNTED:
            return _COUNTED[known]
    suits = _SUIT_SYMBOLS.fullmatch(noun)
    if suits:
        names = [_suit(name) for name in re.split(r", | or ", suits[1])]
        return lambda counts: sum(counts.suits.get(name, 0) for name in names)
    printed = _PRINTED_GOLD.fullmatch(noun)
    if printed:
        suit = _suit(printed[1])
        return lambda counts: counts.printed_gold.get(suit, 0)
    return None


def _suit(name: str) -> str:
    """The suit as the table writes it; cards say ``grain symbol``."""
    return "grains" if name == "grain" else name


class Place(Enum):
    """Where a card may lie in a village."""

    BOTTOM = Text("at the bottom of a chain")
    ON = Text("on the card that it names")
    ALONE = Text("alone")
    CHAIN_TOP = Text("on any card of a chain")
    CHAIN_INSIDE = Text("anywhere in a chain but on top")
    CHAIN_ANYWHERE = Text("anywhere in a chain")
    NOWHERE = Text("nowhere: it is discarded when played")


_PLACES = {
    "(start)": Place.BOTTOM,
    "(basic)": Place.BOTTOM,
    "": Place.ALONE,
    "(on a chain)": Place.CHAIN_TOP,
    "(any non-top place in a chain)": Place.CHAIN_INSIDE,
    # An Apprentice stays when the cards above it leave; no source sends it back to the hand.
    "(replaces a non-top villager)": Place.CHAIN_ANYWHERE,
    "(any place in a chain)": Place.CHAIN_ANYWHERE,
    "(discard)": Place.NOWHERE,
}

_TURNED_SIDE = re.compile(r"turned side: food (\d+) and no gold")


@dataclass(frozen=True, slots=True)
class VillagerCard:
    """One kind of card, one side of it."""

    name: str
    suit: str = ""
    on: str = ""
    gold: Formula | None = None
    silver: Formula | None = None
    bronze: Formula | None = None
    food: int = 0
    builder: int = 0
    lock: str = ""
    """The villager that unlocks this one."""
    key_ring: bool = False
    suit_symbols: int = 1
    box: str = ""
    note: str = ""
    place: Place = Place.ALONE
    branches: int = 1
    """Branches that may lie on this card."""
    is_turned: bool = False

    @classmethod
    def from_row(cls, row: Mapping[str, str]) -> Self:
        """Read a row of the table. Raises CardError."""
        cells = {column: row.get(column, "").strip() for column in COLUMNS}
        name, on, note = cells["name"], cells["on"], cells["note"]
        if not name or name.endswith(TURNED):
            raise CardError(
                "name",
                "expected a name that does not end with %(turned)s, got %(name)s",
                turned=repr(TURNED),
                name=repr(name),
            )
        if on.startswith("(") and on.lower() not in _PLACES:
            raise CardError(
                "on",
                "expected a villager or one of %(known)s, got %(on)s",
                known=repr(sorted(filter(None, _PLACES))),
                on=repr(on),
            )
        return cls(
            name=name,
            suit=_suit(cells["suit"].lower()),
            on=on,
            gold=_formula(cells, "gold"),
            silver=_formula(cells, "silver"),
            bronze=_formula(cells, "bronze"),
            food=_whole(cells, "food", 0),
            builder=_whole(cells, "builder", 0),
            lock=cells["lock"],
            key_ring=cells["key"] not in ("", "0"),
            suit_symbols=_whole(cells, "suit_symbols", 1),
            box=cells["box"],
            note=note,
            place=_PLACES.get(on.lower(), Place.ON),
            branches=2 if "two branches" in note or "2 branches" in note else 1,
        )

    @property
    def turned(self) -> "VillagerCard | None":
        """The other side, for the card that has one."""
        side = _TURNED_SIDE.search(self.note)
        if side is None or self.is_turned:
            return None
        return replace(self, gold=None, food=int(side[1]), is_turned=True)

    @property
    def formulas(self) -> tuple[tuple[str, Formula], ...]:
        """The formulas that it shows, each with what it gives: gold, silver or bronze."""
        every = (("gold", self.gold), ("silver", self.silver), ("bronze", self.bronze))
        return tuple((what, formula) for what, formula in every if formula is not None)

    @property
    def printed_gold(self) -> int:
        return self.gold.amount if isinstance(self.gold, Printed) else 0

    @property
    def is_team(self) -> bool:
        """A Builder or Harvest team, of which a village has one at most."""
        return self.note.startswith("team of")

    @property
    def is_valued(self) -> bool:
        """Whether the published faces say anything that a tally could count."""
        return self.suit != SPECIAL or any(
            (self.gold, self.silver, self.bronze, self.food, self.builder)
        )

    def __str__(self) -> str:
        return self.name + TURNED * self.is_turned


def _formula(cells: Mapping[str, str], column: str) -> Formula | None:
    if not cells[column]:
        return None
    try:
        return parse_formula(cells[column])
    except FormulaError as error:
        raise CardError(column, error.message) from None


def _whole(cells: Mapping[str, str], column: str, default: int) -> int:
    text = cells[column]
    if not text:
        return default
    if not re.fullmatch(_NUMBER, text):
        raise CardError(column, "expected a whole number, got %(text)s", text=repr(text))
    return int(text)


@dataclass(frozen=True, slots=True)
class Deck:
    """The known cards, found by name whatever the case of its letters."""

    cards: Mapping[str, VillagerCard]

    def find(self, name: str) -> VillagerCard | None:
        """The card of that name, its turned side with a ``!`` after it; None if there is none.

        >>> str(published_deck().find("milk maid")), str(published_deck().find("FOUNDERS!"))
        ('Milk Maid', 'Founders!')
        """
        card = self.cards.get(name.removesuffix(TURNED).strip().casefold())
        return card.turned if card is not None and name.endswith(TURNED) else card

    def with_cards(self, cards: Iterable[VillagerCard]) -> "Deck":
        """This deck with more cards; a card of a known name takes its place."""
        return Deck({**self.cards, **{card.name.casefold(): card for card in cards}})

    def with_file(self, text: str) -> "Deck":
        """This deck with the rows of a user's table: tab-separated, the columns in its first line.

        Raises CardError for the first row that cannot be read.
        """
        return self.with_cards(_read_table(text))


def _read_table(text: str) -> list[VillagerCard]:
    table = csv.DictReader(io.StringIO(text), delimiter="\t")
    unknown = sorted(str(column) for column in set(table.fieldnames or ()) - set(COLUMNS))
    if unknown or "name" not in (table.fieldnames or ()):
        raise CardError(
            "name",
            "expected the columns %(known)s, got %(columns)s",
            known=repr(list(COLUMNS)),
            columns=repr(table.fieldnames),
        )
    return [
        VillagerCard.from_row(
            {column: str(cell) for column, cell in row.items() if cell is not None}
        )
        for row in table
    ]


@cache
def published_deck() -> Deck:
    """The cards with published values, and the names of those without."""
    text = resources.files("scorer.villagers").joinpath("cards.tsv").read_text(encoding="utf-8")
    return Deck({}).with_file(text)


def suits_of(cards: Iterable[VillagerCard]) -> Counter[str]:
    """Suit symbols of these cards, by suit."""
    found: Counter[str] = Counter()
    for card in cards:
        found[card.suit] += card.suit_symbols
    return found
