"""Changes of a game: an action, and the way back and forth over what was done."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from scorer.game import Json, conflict
from scorer.happened import gains, happened
from scorer.text import Refused, Text, listed
from webapp.store.models import Event, Game, now_utc
from webapp.tables.desk import Desk
from webapp.tables.devices import is_here
from webapp.tables.errors import StaleChange, TableError, not_the_host
from webapp.tables.members import remember_company
from webapp.tables.news import is_told
from webapp.tables.timer import MOST_SECONDS, timer_for
from webapp.tables.values import (
    MOST_ACTION_CHARS,
    MOST_STATE_CHARS,
    chars_of,
    checked_json,
    checked_key,
    size_of_event,
    tab_of,
    with_tidy_name,
)
from webapp.tables.visit import Visit, refuse_long

THE_END = frozenset({"finish", "resume"})
"""What ends a game, or opens it again."""

HOST_ACTIONS = THE_END | {"player"}
"""What is up to the host: the end, and who plays."""

AFTER_THE_END = THE_END | {"claim"}
"""What a finished game accepts: figures of the pad; anything else would change the result."""

MOST_CORRECTION = timedelta(minutes=30)
"""A finished game that goes on for less, and less than it rested before, is corrected."""

SMALL_BYTES = 32_000
"""Changes up to this size count for their game only, so an address can always play on."""


class Changes:
    """What devices do to the games."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def act(
        self, code: str, token: str, action: Any, base_version: Any = None, key: Any = None
    ) -> str:
        """Do *action* and give the new snapshot as JSON.

        *base_version* is what the sender saw; a change of the same thing by somebody else since
        then is not overwritten (StaleChange). *key* names the request: a second one with the same
        key does nothing more. Such are rare, so they are noticed by what refuses them, at last by
        the index of the keys.
        """
        if not isinstance(action, dict) or not isinstance(action.get("type"), str):
            raise TableError(400, "action", 'Expected an action such as {"type": "finish"}.')
        action, key = checked_json(action), checked_key(key)
        if action["type"] == "player":
            action = with_tidy_name(action)
        if chars_of(action) > MOST_ACTION_CHARS:
            raise TableError(413, "too_large", "That change is too large.")
        try:
            return self._act(code, token, action, base_version, key)
        except (IntegrityError, Refused):
            done = None if key is None else self._done(code, token, key)
            if done is None:
                raise
            return done

    def _act(self, code: str, token: str, action: Json, base_version: Any, key: str | None) -> str:
        with self._desk.changing(code, token, acting=True) as visit, visit.session.no_autoflush:
            _refuse(visit, action)
            _refuse_stale(visit, action, base_version, key)
            _refuse_foreign_photo(visit, action)
            before = visit.state
            state = checked_json(visit.rules.act(before, action, visit.viewer()))
            if chars_of(state) > MOST_STATE_CHARS:
                raise TableError(
                    413, "too_large", "This game cannot take any more changes of that kind."
                )
            _count(visit, token, action, state)
            visit.touch(people=False)
            visit.game.event_seq = visit.append(action, state, key=key)
            visit.tell(happened(visit.rules, before, action, state))
            told = _changed(visit, state)
            if action["type"] == "player":
                _remember(visit)
            return told

    def _done(self, code: str, token: str, key: str) -> str | None:
        """The game, if the request of that key arrived before."""
        with self._desk.looking(code, token) as visit:
            done = select(Event.id).where(Event.game_id == visit.game.id, Event.request_key == key)
            return None if visit.session.scalar(done) is None else visit.told()

    def undo(self, code: str, token: str, base_version: Any = None, key: Any = None) -> str:
        """Go back one change, whoever made it; a second request with the same key does nothing."""
        return self._travel(code, token, base_version, checked_key(key), back=True)

    def redo(self, code: str, token: str, base_version: Any = None, key: Any = None) -> str:
        """Do the change again that was undone last; once for each key, as ``undo``."""
        return self._travel(code, token, base_version, checked_key(key), back=False)

    def _travel(
        self, code: str, token: str, base_version: Any, key: str | None, *, back: bool
    ) -> str:
        with self._desk.changing(code, token, acting=True) as visit:
            game = visit.game
            if is_told(game, key):
                return visit.told()
            seen = _checked_version(game, base_version)
            if seen < game.version and seen < _done_version(visit):
                raise StaleChange(
                    "Somebody changed the game just now: look again before you go back.",
                    newer=visit.scene().snapshot(visit.member),
                )
            current, _, can_redo = visit.standing()
            if back and current.seq == 0:
                raise TableError(409, "nothing_to_undo", "There is nothing to undo.")
            if not back and not can_redo:
                raise TableError(409, "nothing_to_redo", "There is nothing to redo.")
            event = visit.session.merge(current, load=False) if back else visit.next_undone()
            _refuse_host_action(visit, event.action)
            before = current.state
            undone_at = None if back else event.version
            event.undone = back
            visit.touch(people=False)
            event.version = game.version
            visit.session.flush()
            standing = select(func.max(Event.seq)).where(
                Event.game_id == game.id, Event.undone.is_(False), Event.dropped.is_(False)
            )
            game.event_seq = visit.session.scalar(standing) or 0
            state = visit.state
            visit.tell(_travelled(visit, before, state, back=back), key)
            return _changed(visit, state, undone_at=undone_at)

    def start_timer(self, code: str, token: str, seconds: int) -> str:
        """Start the timer anew; 0 stops it. It ends on every device at the same moment."""
        if not 0 <= seconds <= MOST_SECONDS:
            raise TableError(
                400, "timer", "A timer runs for 1 to %(most)s seconds.", most=MOST_SECONDS
            )
        with self._desk.changing(code, token, acting=True) as visit:
            name = visit.member.name
            visit.touch()
            visit.game.timer = timer_for(seconds) if seconds else None
            visit.tell(
                Text("%(name)s has started a timer: %(seconds)s s.", name=name, seconds=seconds)
                if seconds
                else Text("%(name)s has stopped the timer.", name=name)
            )
            visit.session.flush()
            return visit.told()


def _remember(visit: Visit) -> None:
    """Note for every device that plays who came to its game."""
    for member in visit.members():
        if is_here(member):
            remember_company(visit, member, is_new=False)


def _travelled(visit: Visit, before: Json, after: Json, *, back: bool) -> Text:
    """Who went back or forth, and whose points are others now."""
    name, rules = visit.member.name, visit.rules
    step = (
        Text("%(name)s took the last change back.", name=name)
        if back
        else Text("%(name)s did it again.", name=name)
    )
    return listed([step, *gains(rules, before, after)], " ")


def _changed(visit: Visit, state: Json, *, undone_at: int | None = None) -> str:
    """Note in the game who plays, and whether *state* is its end; gives the new snapshot as JSON.

    After a redo, *undone_at* is the version of the undo.
    """
    game = visit.game
    visit.seat_players(state["players"], undone_at=undone_at)
    if not state.get("finished"):
        game.finished_utc = game.result = None
    else:
        game.result = visit.rules.result(state)
        game.finished_utc = game.finished_utc or _ended(visit)
    visit.session.flush()
    return visit.told()


def _ended(visit: Visit) -> datetime:
    """When the game ended: corrections afterwards leave that as it was."""
    visit.session.flush()
    log = (
        select(Event.at_utc, Event.action)
        .where(Event.game_id == visit.game.id, Event.undone.is_(False))
        .where(Event.action["type"].as_string().in_(THE_END))
        .order_by(Event.seq)
    )
    ended = closed = opened = None
    for at, action in visit.session.execute(log):
        if action["type"] == "resume":
            opened = at
            continue
        if not (closed and opened and at - opened < min(opened - closed, MOST_CORRECTION)):
            ended = at
        closed = at
    return ended or now_utc()


def _refuse(visit: Visit, action: Json) -> None:
    """Raise TableError for what is up to the host, and for changes of a finished game."""
    _refuse_host_action(visit, action)
    if visit.game.finished_utc is not None and action["type"] not in AFTER_THE_END:
        raise TableError(
            409, "finished", "The game is finished: the host can choose “Play on” in the menu."
        )


def _refuse_host_action(visit: Visit, action: Json) -> None:
    if action["type"] in HOST_ACTIONS and visit.member.role != "host":
        raise not_the_host()


def _refuse_stale(visit: Visit, action: Json, base_version: Any, key: str | None) -> None:
    """Raise StaleChange if somebody else did the same, or changed the same place meanwhile.

    Only what came after *base_version* counts. What was undone is not done. What leaves the
    game as it is can be said by two. Another tab of the device, told by *key*, is somebody else,
    too: it does not know what this one shows.
    """
    game = visit.game
    seen = _checked_version(game, base_version)
    if seen == game.version:
        return
    rules, viewer = visit.rules, visit.viewer()
    mine = rules.touches(action)
    since = select(Event).where(Event.game_id == game.id, Event.version > seen)
    me = visit.member.id, tab_of(key)
    others = [
        event
        for event in visit.session.scalars(since)
        if (event.member_id, tab_of(event.request_key)) != me
    ]
    # Compared as this device may know it: a refusal must not tell what lies in a hand.
    is_stale = any(
        (not event.undone and rules.public_action(event.action, viewer) == action)
        or conflict(mine, rules.touches(event.action))
        for event in others
    )
    if is_stale and not _is_done(visit, action):
        raise StaleChange(
            "Somebody changed the same place just now: look at what it says and change it "
            "again if needed.",
            newer=visit.scene().snapshot(visit.member),
        )


def _checked_version(game: Game, base_version: Any) -> int:
    """The version that the sender saw, that of now where it is not said.

    Raises TableError for one that the game never had.
    """
    if base_version is None:
        return game.version
    if isinstance(base_version, bool) or not isinstance(base_version, int):
        raise TableError(400, "base_version", "The version of the game is a whole number.")
    if not 0 <= base_version <= game.version:
        raise TableError(
            400, "base_version", "The game has no such version: please reload the page."
        )
    return base_version


def _done_version(visit: Visit) -> int:
    """The version of what was done, undone or done again last: who comes and goes is no step."""
    done = select(func.max(Event.version)).where(
        Event.game_id == visit.game.id, Event.dropped.is_(False)
    )
    return visit.session.scalar(done) or 0


def _is_done(visit: Visit, action: Json) -> bool:
    """Whether *action* would leave the game as it is: it sets what is so already."""
    try:
        return visit.rules.act(visit.state, action, visit.viewer()) == visit.state
    except Refused:
        return False


def _refuse_foreign_photo(visit: Visit, action: Json) -> None:
    number = action.get("photo")
    if number is None:
        return
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise TableError(400, "photo", "The number of a photo is a whole number.")
    visit.photo(number)


def _count(visit: Visit, token: str, action: Json, state: Json) -> None:
    """Count an entry of the log.

    Raises TableError if the log, or all that is kept, is large enough.
    """
    size = size_of_event(action, state)
    if action["type"] not in THE_END:
        refuse_long(visit.game, size)
    if size > SMALL_BYTES:
        visit.desk.quotas.admit(visit.session, token, size)
    visit.game.log_bytes += size
