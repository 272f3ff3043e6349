"""The review of a finished game of any kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scorer.record import Record
from scorer.review.moments import (
    MOST_MOMENTS,
    Chapter,
    Chart,
    Moment,
    course,
    first_moments,
)
from scorer.seasons import review as seasons
from scorer.stones import review as stones
from scorer.text import Text
from scorer.time import review as time

CHAPTERS: Mapping[str, Callable[..., Chapter]] = {
    "stones": stones.chapter,
    "seasons": seasons.chapter,
    "time": time.chapter,
}
"""What makes the chapter of each game; other games have boards and points alone."""


@dataclass(frozen=True, slots=True)
class Review:
    """A game looked back on."""

    kind: str
    players: tuple[str, ...]
    moments: tuple[Moment, ...]
    points: Chart
    chapter: Chapter
    is_cut: bool
    """The game has more than ``MOST_MOMENTS``."""


def review(record: Record) -> Review:
    """The review of a game. Its figures are those of the rules, not guessed."""
    found = first_moments(record)
    shown = tuple(moment for moment, _ in found)
    players = tuple(str(player["name"]) for player in record.state["players"])
    known = [(*moment.scores, *[0] * len(players))[: len(players)] for moment in shown]
    tell = CHAPTERS.get(record.kind)
    return Review(
        record.kind,
        players,
        shown,
        course(Text("Points in the course of the game"), players, known),
        tell(found) if tell and found else Chapter(),
        len(found) == MOST_MOMENTS,
    )
