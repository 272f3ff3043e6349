"""The timer of a table: one for all its devices, started by whoever wants a round to end."""

from datetime import datetime, timedelta

from scorer.game import Json
from webapp.store.models import Game, now_utc

MOST_SECONDS = 3600


def timer_for(seconds: int) -> Json:
    """A timer that starts now, as a game keeps it."""
    return {"until": (now_utc() + timedelta(seconds=seconds)).isoformat(), "seconds": seconds}


def timer_of(game: Game) -> Json | None:
    """The timer for a page: how long it runs in all, and milliseconds that are left of it.

    One that would run for longer than it was started for is over: the clock was set back.
    """
    if game.timer is None:
        return None
    seconds = game.timer["seconds"]
    left = datetime.fromisoformat(game.timer["until"]) - now_utc()
    left_ms = round(left.total_seconds() * 1000)
    return {"seconds": seconds, "left_ms": left_ms} if 0 < left_ms <= seconds * 1000 else None
