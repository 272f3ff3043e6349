"""People: with whom a device has played. It is offered their names when it starts the next game.

Every device has a list of its own: nobody is offered a name that was not at the own table.
"""

from collections.abc import Iterable

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from scorer.actions import name_key
from scorer.game import Json
from webapp.store.models import Person, Setting, now_utc
from webapp.store.shared import added
from webapp.tables.desk import Desk
from webapp.tables.devices import token_hash
from webapp.tables.errors import TableError

MOST_PEOPLE = 200
"""Of one device; whoever played longest ago is forgotten first."""

SETTING, OFF = "people", "off"
"""The setting of the table computer that turns remembering off."""


class People:
    """The people of all devices."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def known(self, token: str, kind: str = "") -> list[Json]:
        """With whom a device has played; who played last comes first.

        Those of one game come in the order of their last seats in a game of the *kind*.

        Each as ``name``, ``colours``, ``seats``, ``games`` and ``played``.
        """
        with self._desk.store.reading() as session:
            people = list(session.scalars(_of(token_hash(token)).order_by(Person.id)))
        people = sorted(people, key=lambda one: one.seats.get(kind, MOST_PEOPLE))
        people.sort(key=lambda one: one.played_utc, reverse=True)
        return [
            {
                "name": person.name,
                "colours": person.colours,
                "seats": person.seats,
                "games": person.games,
                "played": person.played_utc,
            }
            for person in people
        ]

    def forget(self, token: str, name: str | None = None) -> None:
        """Forget somebody, or without a name everybody, for this device."""
        gone = delete(Person).where(Person.device == token_hash(token))
        if name is not None:
            gone = gone.where(Person.key == key_of(name))
        with self._desk.store.writing() as session:
            session.execute(gone)
        self._desk.store.forget_deleted()

    def merge(self, token: str, name: str, into: str) -> None:
        """Two names are one person: what is known of *name* goes over to *into*."""
        with self._desk.store.writing() as session:
            found = {one.key: one for one in session.scalars(_of(token_hash(token)))}
            one, other = found.get(key_of(name)), found.get(key_of(into))
            if one is None or other is None or one is other:
                raise TableError(
                    404, "person", "There are no two such people here; please look again."
                )
            newer = one.played_utc > other.played_utc
            first, last = (other, one) if newer else (one, other)
            other.colours, other.seats = first.colours | last.colours, first.seats | last.seats
            other.games += one.games
            other.played_utc = max(one.played_utc, other.played_utc)
            session.delete(one)
        self._desk.store.forget_deleted()

    def is_on(self) -> bool:
        """Whether this table computer remembers people."""
        with self._desk.store.reading() as session:
            return _is_on(session)

    def count(self) -> int:
        """How many names this table computer remembers, those of all devices together."""
        with self._desk.store.reading() as session:
            return session.scalar(select(func.count()).select_from(Person)) or 0

    def turn(self, on: bool) -> None:
        """Remember people from now on; or nobody any more, those of all devices included."""
        with self._desk.store.writing() as session:
            session.execute(delete(Setting).where(Setting.name == SETTING))
            if not on:
                session.add(Setting(name=SETTING, value=OFF))
                session.execute(delete(Person))
        self._desk.store.forget_deleted()


def remember(
    session: Session, device: str, kind: str, players: Iterable[Json], *, is_new: bool = True
) -> None:
    """Note for the device of that hash who plays a game of a *kind*, with colours and seats.

    The game is counted only if it *is_new* to the device.
    """
    if not _is_on(session):
        return
    known = {one.key: one for one in session.scalars(_of(device))}
    now = now_utc()
    for seat, player in enumerate(players):
        person = known.get(key_of(player["name"]))
        if person is None:
            person = Person(
                device=device, key=key_of(player["name"]), colours={}, seats={}, games=0
            )
            person.name = player["name"]
            if not added(session, person):  # by another request of the same device
                continue
        person.name = player["name"]
        if player.get("colour"):
            person.colours = person.colours | {kind: player["colour"]}
        person.seats = person.seats | {kind: seat}
        person.games = max(1, person.games + is_new)
        person.played_utc = now
    session.flush()
    oldest = _of(device).order_by(Person.played_utc.desc(), Person.id).offset(MOST_PEOPLE)
    for person in session.scalars(oldest):
        session.delete(person)


def key_of(name: str) -> str:
    """The name however its letters and spaces are written, as it is kept."""
    return name_key(name)[:80]


def _of(device: str) -> Select[Person]:
    return select(Person).where(Person.device == device)


def _is_on(session: Session) -> bool:
    return session.get(Setting, SETTING) is None
