"""What the audits of all games share: claims by player, and the lines of the answer."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from scorer.audit import Finding
from scorer.documents.fields import (
    Json,
    UnreadableError,
    cells_document,
    claims_of,
    joined,
    member,
    object_of,
)


def player_claims(
    document: Json, players: Collection[str], items: Mapping[str, str]
) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The claimed figures of each player, in the order given."""
    for name, figures in object_of(member(document, "claimed"), "claimed").items():
        path = joined("claimed", name)
        if name not in players:
            raise UnreadableError("unknown_player", f"expected one of {list(players)!r}, got {name!r}", path)
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
