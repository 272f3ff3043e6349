"""Days that the clock has shown: photos are deleted by days seen to pass, not by one look.

Every start, and every hour of running, notes the day. A day counts as passed once the program ran
on ``DAYS_SEEN`` days since, that day and today included, and today is ``DAYS_APART`` days later. So
a clock that is wrong for an evening deletes nothing, and a laptop that is switched on once a month
deletes in the end. Where the clock was set back, all days are forgotten, as nobody knows when it
was wrong, and counted anew.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from webapp.store.models import Game, Photo, SeenDay
from webapp.store.shared import added

DAYS_SEEN = 3
"""Days on which the program ran before something is deleted; the first is one look at the clock."""

DAYS_APART = 7
"""Days from the first of them to today: longer than a weekend with a wrong clock."""


def see(session: Session, now: datetime) -> None:
    """Note the day, and take back what a wrong clock dated later than *now*.

    A day that passed tells that the clock is right by now. Only then the ends of games and the
    times of photos are taken back: a clock that is behind for an evening makes no photo old.
    """
    today = now.date()
    if any(day > today for day in seen(session)):
        session.execute(delete(SeenDay))
    session.execute(update(Game).where(Game.changed_utc > now).values(changed_utc=now))
    if session.get(SeenDay, today) is None:
        added(session, SeenDay(day=today))
    if passed(seen(session)) is not None:
        session.execute(update(Game).where(Game.finished_utc > now).values(finished_utc=now))
        session.execute(update(Photo).where(Photo.taken_utc > now).values(taken_utc=now))


def seen(session: Session) -> list[date]:
    """The days noted, the first one first."""
    return list(session.scalars(select(SeenDay.day).order_by(SeenDay.day)))


def passed(days: Iterable[date]) -> date | None:
    """The latest of *days* that counts as passed at the last of them; None if there is none yet.

    >>> [str(passed([date(2026, 1, 1), date(2026, 1, 5), date(2026, 1, last)])) for last in (7, 8)]
    ['None', '2026-01-01']
    """
    latest = sorted(days, reverse=True)
    apart = [day for day in latest if day <= latest[0] - timedelta(days=DAYS_APART)]
    if len(latest) < DAYS_SEEN or not apart:
        return None
    return min(latest[DAYS_SEEN - 1], apart[0])


def midnight(day: date) -> datetime:
    """The beginning of a day."""
    return datetime.combine(day, datetime.min.time(), UTC)
