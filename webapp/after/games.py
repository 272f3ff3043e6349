"""What the pages after a game need of one: plain values, no database rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from scorer.ending import ending
from scorer.games import GAMES, title_of
from scorer.text import Text

Json = dict[str, Any]

BREAK = timedelta(hours=6)
"""Nobody played in a gap of the log that is as long; a board may be read at the end alone."""


@dataclass(frozen=True, slots=True)
class PhotoRecord:
    """A photo that a board was read from, and what was read."""

    id: int
    seat: int | None
    board: str
    sha256: str
    reading: Json
    taken_utc: datetime
    width: int
    height: int
    size: int
    """Bytes of the stored file."""
    profile: str | None = None
    file: str | None = None
    """Its name in the photo folder; None once it was removed."""


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One change and the state after it."""

    seq: int
    at_utc: datetime
    by: Json
    """Who made it: ``{"name", "role", "seat"}``."""
    action: Json
    state: Json
    undone: bool = False
    dropped: bool = False
    """Undone, and something else done instead."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game with its log and photos."""

    code: str
    kind: str
    setup: Json
    state: Json
    """The state at the cursor of undo and redo."""
    created_utc: datetime
    finished_utc: datetime | None = None
    location: str = ""
    events: tuple[EventRecord, ...] = ()
    photos: tuple[PhotoRecord, ...] = ()
    result: tuple[Json, ...] = field(default=())
    played: timedelta = timedelta()
    """Time in which somebody played."""

    @property
    def title(self) -> str:
        """The game's own name, which is not translated, or that of its board."""
        return title_of(self.kind, self.setup)

    @property
    def file_name(self) -> str:
        """Name of a file about it, with the day as pages show it, without an ending; ASCII: not
        every system keeps more."""
        kind = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-") or self.kind
        return f"{self.played_utc.astimezone():%Y-%m-%d}-{kind}-{self.code}"

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(str(player["name"]) for player in self.state["players"])

    @property
    def is_begun(self) -> bool:
        """Whether anything was played or laid."""
        return GAMES[self.kind].is_begun(self.state)

    @property
    def ending(self) -> tuple[Text, ...]:
        """How it ended, sentence by sentence; nothing while it goes on."""
        return () if self.finished_utc is None else ending(GAMES[self.kind], self.state)

    @property
    def minutes(self) -> int:
        """Minutes played; at least one."""
        return max(1, round(self.played.total_seconds() / 60))

    @property
    def played_utc(self) -> datetime:
        """The date under which the game stands in the history."""
        return self.finished_utc or self.created_utc


def fields_of(record: GameRecord | EventRecord | PhotoRecord, *but: str) -> Json:
    """What a record holds, but for some of its fields."""
    return {one.name: getattr(record, one.name) for one in fields(record) if one.name not in but}


def time_played(log: Sequence[datetime], finished_utc: datetime | None) -> timedelta:
    """Time played by the moments of a *log*, from the start to the end: without its breaks.

    A gap that is a break or less than nothing, as where the clock was set, is none in which
    somebody played. A log that is all later than the end, which was taken back from a clock that
    was ahead, counts as it is.

    >>> evening = [datetime(2026, 11, 21, hour) for hour in (18, 20, 19, 20)]
    >>> str(time_played(evening, None))
    '3:00:00'
    """
    end = finished_utc
    before = [] if end is None else [at for at, moment in enumerate(log) if moment <= end]
    if end is not None and before:
        # what was corrected later is no play; the end itself may be noted a moment later
        log = [*log[: before[-1] + 1], end]
    gaps = (later - moment for moment, later in pairwise(log))
    return sum((gap for gap in gaps if timedelta() <= gap < BREAK), timedelta())


def as_utc(moment: datetime) -> datetime:
    """The same moment with its time zone: databases give times without one, and ours are all UTC.

    >>> as_utc(datetime(2026, 11, 21, 18, 30)).isoformat()
    '2026-11-21T18:30:00+00:00'
    """
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
