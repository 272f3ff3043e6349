"""A claimed figure beside the exact one, and the mistake that explains the difference.

Each game lists the usual mistakes with the figure that each would give. The first that gives the
claimed figure is named: a likely reason, not a proof.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
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


@dataclass(frozen=True, slots=True)
class Mistake:
    """A slip that would have given *points*."""

    points: int
    why: str
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One claimed figure, checked."""

    player: str | None
    item: str
    claimed: int
    points: int
    why: str = ""
    """A sentence when the figures differ, otherwise empty."""
    cells: tuple[Cell, ...] = ()
    """The cells to look at: those of the mistake, or else those that score."""

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
    sum_in_words: str,
    cells: tuple[Cell, ...] = (),
) -> Finding:
    """Compare a claim with the exact figure.

    *mistakes* are tried from the most usual on; if none gives the claim, the exact sum is shown
    instead.
    """
    if claimed == points:
        return Finding(player, item, claimed, points, "", cells)
    gap = abs(claimed - points)
    head = f"{gap} point{'s' * (gap != 1)} {'more' if points > claimed else 'fewer'} than claimed"
    for mistake in mistakes:
        if mistake.points == claimed:
            return Finding(
                player, item, claimed, points, f"{head}; {mistake.why}", mistake.cells or cells
            )
    return Finding(player, item, claimed, points, f"{head}; {sum_in_words}", cells)


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
