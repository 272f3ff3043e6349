"""The names for people of what a score consists of."""

from __future__ import annotations

from scorer.seasons.cards import CARDS
from scorer.text import Text

_LABELS = {
    "points": Text("Points of the cards"),
    "ones": Text("Cards with 1 point"),
    "bonus": Text("Bonus"),
    "total": Text("Total"),
    "pieces": Text("Points of the pieces"),
    "extra": Text("Other points"),
    "gold": Text("Gold of the villagers"),
    "silver": Text("Silver"),
    "coins": Text("Coins on villagers"),
    "market": Text("Market"),
    "supply": Text("Supply"),
    "spring": Text("Spring"),
    "summer": Text("Summer"),
    "autumn": Text("Autumn"),
    "winter": Text("Winter"),
}


def label_of(item: str) -> Text:
    """The name of a figure of the pad, or of a line of a score.

    >>> label_of("bonus"), label_of("pieces"), label_of("Miner")
    ('Bonus', 'Points of the pieces', 'Miner')
    """
    return Text(CARDS[item].label) if item in CARDS else _LABELS.get(item, as_written(item))


def as_written(name: str) -> Text:
    """A name that somebody typed, which stays as it is in every language.

    >>> as_written("gold").template
    '%(name)s'
    """
    return Text("%(name)s", name=name)
