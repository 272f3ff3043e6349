"""What a change did, told to everybody at the table."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.game import Game, Json
from scorer.text import Text, listed, signed


def happened(rules: Game, before: Json, action: Json, after: Json) -> Text:
    """What an action did: the step itself, then whose points are others now.

    Empty where neither is to be told.
    """
    step = rules.told(before, action, after)
    parts = [step] if step else []
    return listed([*parts, *gains(rules, before, after)], " ")


def gains(rules: Game, before: Json, after: Json) -> Iterator[Text]:
    """A sentence for each player whose points differ between two states; none before the start,
    where points are nobody's work yet."""
    if not (rules.is_begun(before) or rules.is_begun(after)):
        return
    old = {row["player"]: row["score"] for row in rules.result(before)}
    for row in rules.result(after):
        gain = row["score"] - old.get(row["player"], 0)
        if gain:
            yield Text(
                "%(name)s: %(gain)s, now %(points)s.",
                name=row["player"],
                gain=signed(gain),
                points=row["score"],
            )
