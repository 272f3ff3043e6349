"""A claimed figure beside the exact one, and the mistake that explains the difference.

Each game lists the usual mistakes with the figure that each would give. The first that gives the
claimed figure is named: a likely reason, not a proof.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scorer.fields import (
    Json,
    UnreadableError,
    cells_document,
    claims_of,
    joined,
    member,
    object_of,
)
from scorer.notation import Cell
from scorer.text import NOTHING, Text, listed, plural


@dataclass(frozen=True, slots=True)
class Mistake:
    """A slip that would have given *points*; ``cards`` are those that it may be about."""

    points: int
    why: Text
    cells: tuple[Cell, ...] = ()
    cards: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One claimed figure, checked."""

    player: str | None
    item: str
    claimed: int
    points: int
    why: Text = NOTHING
    """A sentence when the figures differ, otherwise empty."""
    cells: tuple[Cell, ...] = ()
    """The cells to look at: those of the mistake, or else those that score."""
    cards: tuple[int, ...] = ()
    """The cards that the mistake may be about."""

    @property
    def difference(self) -> int:
        return self.claimed - self.points

    @property
    def agrees(self) -> bool:
        return self.claimed == self.points


def check(
    player: str | None,
    item: str,
    claimed: int,
    points: int,
    mistakes: Iterable[Mistake],
    sum_in_words: Text,
    cells: tuple[Cell, ...] = (),
) -> Finding:
    """Compare a claim with the exact figure.

    *mistakes* are tried from the most usual on; if none gives the claim, the exact sum is shown
    instead.
    """
    if claimed == points:
        return Finding(player, item, claimed, points, cells=cells)
    gap = abs(claimed - points)
    if points > claimed:
        head = plural(
            "%(count)s point more than claimed", "%(count)s points more than claimed", count=gap
        )
    else:
        head = plural(
            "%(count)s point fewer than claimed", "%(count)s points fewer than claimed", count=gap
        )
    made = next((mistake for mistake in mistakes if mistake.points == claimed), None)
    if made is None:
        return Finding(player, item, claimed, points, listed([head, sum_in_words], "; "), cells)
    why = listed([head, Text("this would fit: %(slip)s", slip=made.why)], "; ")
    return Finding(player, item, claimed, points, why, made.cells or cells, made.cards)


def slip_of_claims(claims: Mapping[str, int], parts: Mapping[str, int]) -> Mistake:
    """A sum that is right for the claims about its *parts*, which have their exact figures."""
    figures = [claims.get(item, points) for item, points in parts.items()]
    why = Text("it follows from the figures as claimed: %(sum)s", sum=added(figures))
    return Mistake(sum(figures), why)


def added(figures: Sequence[int]) -> Text:
    """Figures with their sum; one alone is its own.

    >>> added([3, 4]), added([6])
    ('3 + 4 = 7', '6')
    """
    if len(figures) < 2:
        return Text(str(sum(figures)))
    return Text("%(parts)s = %(total)s", parts=" + ".join(map(str, figures)), total=sum(figures))


def slips_of_adding(
    total: int, card: str, points: int, cells: tuple[Cell, ...] = ()
) -> Iterator[Mistake]:
    """A card or line whose points were left out of the total, or added twice."""
    values = {"points": points, "card": card}
    left_out = Text("the %(points)s points of %(card)s were not added", **values)
    yield Mistake(total - points, left_out, cells)
    twice = Text("the %(points)s points of %(card)s were added twice", **values)
    yield Mistake(total + points, twice)


def player_claims(
    document: Json, players: Collection[str], items: Mapping[str, str]
) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The claimed figures of each player, in the order given."""
    for name, figures in object_of(member(document, "claimed"), "claimed").items():
        path = joined("claimed", name)
        if name not in players:
            raise UnreadableError(
                "unknown_player", f"expected one of {list(players)!r}, got {name!r}", path
            )
        yield name, claims_of(figures, path, items)


def audit_document(findings: Iterable[Finding]) -> Json:
    """One line a claimed figure."""
    return {
        "lines": [
            {
                "player": finding.player,
                "item": finding.item,
                "claimed": finding.claimed,
                "points": finding.points,
                "difference": finding.difference,
                "agrees": finding.agrees,
                "why": finding.why,
                "cells": cells_document(finding.cells),
            }
            for finding in findings
        ]
    }
