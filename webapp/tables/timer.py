"""The timer of a table: one for all its devices, started by whoever wants a round to end."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from scorer.game import Json
from scorer.text import Text
from webapp.store.models import Game, now_utc
from webapp.tables.errors import TableError
from webapp.tables.news import tell

if TYPE_CHECKING:
    from webapp.tables.desk import Desk

MOST_SECONDS = 3600


class Timers:
    """The timers of all games."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def start(self, code: str, token: str, seconds: int) -> str:
        """Start the timer anew; 0 stops it. It ends on every device at the same moment."""
        if not 0 <= seconds <= MOST_SECONDS:
            raise TableError(
                400, "timer", "A timer runs for 1 to %(most)s seconds.", most=MOST_SECONDS
            )
        with self._desk.changing(code, token, acting=True) as visit:
            game, name = visit.game, visit.member.name
            visit.touch()
            if seconds:
                until = now_utc() + timedelta(seconds=seconds)
                game.timer = {"until": until.isoformat(), "seconds": seconds}
                says = Text(
                    "%(name)s has started a timer: %(seconds)s s.", name=name, seconds=seconds
                )
            else:
                game.timer = None
                says = Text("%(name)s has stopped the timer.", name=name)
            tell(game, visit.member, says)
            visit.session.flush()
            return visit.told()


def timer_of(game: Game) -> Json | None:
    """The timer for a page: how long it runs in all, and milliseconds that are left of it."""
    if game.timer is None:
        return None
    left = datetime.fromisoformat(game.timer["until"]) - now_utc()
    left_ms = round(left.total_seconds() * 1000)
    return {"seconds": game.timer["seconds"], "left_ms": left_ms} if left_ms > 0 else None
