"""Members: who joins a game, who plays and who watches, and who is out."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy.orm import Session

from scorer.actions import MOST_NAME
from scorer.game import Json
from scorer.games import title_of
from scorer.text import Text
from webapp.i18n import gettext
from webapp.store.models import Game, Member, Player, now_utc
from webapp.tables.desk import Desk
from webapp.tables.devices import device_among, has_device, is_here, token_hash
from webapp.tables.errors import (
    TableError,
    no_game,
    no_such_member,
    no_such_player,
    not_the_host,
    only_watching,
    removed,
)
from webapp.tables.people import remember
from webapp.tables.scene import GameRows
from webapp.tables.values import checked_json, tidy_name
from webapp.tables.visit import Visit

MOST_MEMBERS, MOST_EVER = 60, 600
"""Devices that may be in a game at once, and that may ever have joined it."""

KEPT_FOR_SEATS = 100
"""So many of those that may ever join are kept for free seats, whoever watches."""

JOIN_FOR = timedelta(hours=48)
"""How long after its last change a game can be joined by its code."""


class Members:
    """The devices at the tables."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def joinable(self, code: str, token: str) -> Json | None:
        """What someone who may join sees: kind, players, taken seats; None if there is no game.

        Raises TableError for a device that was removed.
        """
        with self._desk.store.reading() as session:
            rows = GameRows.load(self._desk, session, code)
            if rows is None:
                return None
            member = device_among(rows.members(), token)
            if member is not None and member.role == "removed":
                raise removed()
            game = rows.game
            if not self._takes_people(game):
                return None
            taken = {member.seat for member in rows.members() if has_device(member)}
            return {
                "code": game.code,
                "kind": game.kind,
                "title": title_of(game.kind, game.setup),
                "players": [
                    {
                        "seat": player.seat,
                        "name": player.name,
                        "colour": player.colour,
                        "taken": player.seat in taken,
                    }
                    for player in rows.players()
                ],
            }

    def join(self, code: str, token: str, seat: int | None, name: str = "") -> None:
        """Become a member: the player of a free *seat*, or a viewer called *name*.

        Where no device hosts the game, as after an import by the owner, this one does from now on.
        Joining again changes the seat, or only the name, of which nobody is told at once. A seat
        that is taken, and the way from watching to playing, is given by those at the table
        (``set``).
        """
        with self._desk.store.writing() as session:
            visit = self._desk.locked(session, code)
            if visit is None or not self._takes_people(visit.game):
                raise no_game()
            game, members = visit.game, visit.members()
            name = _name_of(visit.players(), seat, tidy_name(name))
            member = device_among(members, token)
            _refuse_place(member, seat, members, name)
            if member is not None and member.role != "left" and member.seat == seat:
                if member.name != name:
                    member.name, game.people_version = name, game.version + 1
                return
            _refuse_full(members, member, seat)
            self._desk.quotas.admit_joining(session, code)
            is_new = member is None
            if member is None:
                member = Member(
                    game_id=game.id, token_hash=token_hash(token), role="viewer", name=name
                )
                session.add(member)
            watched = member.seat is None and member.role in ("viewer", "left")
            if not any(one.role == "host" and has_device(one) for one in members):
                member.role = "host"
            if member.role != "host":
                member.role = "viewer" if seat is None else "player"
            member.seat, member.name = seat, name
            visit.member = member
            visit.touch()
            if not watched or seat is not None:  # who only watches fills no log
                visit.note(member)
            visit.tell(_place(member), is_coming=True)
            remember_company(visit, member, is_new=is_new)
            self._desk.tell(session, code, game.version)

    def leave(self, code: str, token: str) -> None:
        """Leave a game; what was done stays, and one can join again.

        A last host who leaves hands the game over to whoever plays it for longest, or else watches.
        """
        with self._desk.changing(code, token) as visit:
            me = visit.member
            others = [one for one in visit.members() if one is not me and is_here(one)]
            if not others:
                raise TableError(
                    409,
                    "alone",
                    "Nobody else is in this game: finish it, or delete it if it is not needed.",
                )
            says = Text("%(name)s has left.", name=me.name)
            visit.touch()
            if me.role == "host" and not any(one.role == "host" for one in others):
                heir = min(others, key=lambda one: (one.role == "viewer", one.id))
                heir.role = "host"
                visit.note(heir)
                says = Text(
                    "%(name)s has left; %(heir)s is the host now.", name=me.name, heir=heir.name
                )
            watched = me.role == "viewer"
            me.role, me.seat = "left", None
            if not watched:
                visit.note(me)
            visit.tell(says, is_coming=True)

    def hand_over(self, code: str, token: str, member_id: int) -> str:
        """Make somebody the host in one's own place; one plays or watches on."""
        with self._desk.changing(code, token, hosting=True) as visit:
            me, member = visit.member, _other(visit.session, visit.game, member_id)
            if not is_here(member):
                raise no_such_member()
            member.role = "host"
            me.role = "viewer" if me.seat is None else "player"
            visit.touch()
            visit.note(member)
            visit.note(me)
            says = Text(
                "%(name)s has handed the game over to %(heir)s.", name=me.name, heir=member.name
            )
            visit.tell(says)
            return visit.told()

    def set(self, code: str, token: str, member_id: int, role: str, seat: int | None) -> str:
        """Let somebody play, only watch, or host, too.

        The host may, and who gives the own seat to a viewer.

        Where the host makes a player watch, nobody new can join until the host lets people in
        again: the same person could come back as somebody new.
        """
        with self._desk.changing(code, token) as visit:
            giver = visit.member
            if role not in ("host", "player", "viewer"):
                raise TableError(400, "role", "A member is a host, a player or a viewer.")
            gives_own_seat = giver.role == role == "player" and seat == giver.seat
            if giver.role != "host" and not gives_own_seat:
                raise not_the_host()
            member = _other(visit.session, visit.game, member_id)
            if giver.role != "host" and member.role != "viewer":
                raise not_the_host()
            players = visit.players()
            if role == "player" and (seat is None or not 0 <= seat < len(players)):
                raise no_such_player()
            watched = member.role == "viewer"
            if member.role == "player" and role == "viewer":
                visit.game.open = False
            if role != "host":
                member.seat = seat if role == "player" else None
            member.role = role
            if member.seat is not None:
                member.name = players[member.seat].name
            visit.touch()
            visit.note(member)
            visit.tell(_place(member))
            remember_company(visit, member, is_new=watched)
            return visit.told()

    def remove(self, code: str, token: str, member_id: int) -> str:
        """Remove a device; its changes stay. Nobody new can join until the host opens the door."""
        with self._desk.changing(code, token, hosting=True) as visit:
            member = _other(visit.session, visit.game, member_id)
            member.role, member.seat = "removed", None
            visit.game.open = False
            visit.touch()
            visit.note(member)
            visit.tell(Text("%(name)s was taken out of the game.", name=member.name))
            return visit.told()

    def remove_viewers(self, code: str, token: str) -> str:
        """Remove all devices that only watch, as ``remove`` does with one; they fill no log."""
        with self._desk.changing(code, token, hosting=True) as visit:
            for member in visit.members():
                if member.role == "viewer":
                    member.role = "removed"
            visit.game.open = False
            visit.touch()
            visit.tell(Text("All who were watching were taken out of the game."))
            visit.session.flush()
            return visit.told()

    def set_open(self, code: str, token: str, is_open: bool) -> str:
        """Let new people join, or nobody any more."""
        with self._desk.changing(code, token, hosting=True) as visit:
            visit.game.open = is_open
            visit.touch()
            visit.tell(
                Text("People can join again.") if is_open else Text("Nobody new can join any more.")
            )
            visit.session.flush()
            return visit.told()

    def _takes_people(self, game: Game) -> bool:
        """Whether a game is open and goes on: a device at the table shows it, or it was changed of
        late. The clock may have been wrong when it was."""
        is_shown = game.code in self._desk.announcements.codes
        return game.open and (is_shown or game.changed_utc + JOIN_FOR >= now_utc())


def _place(member: Member) -> Text:
    """What somebody does in the game from now on, for all at the table."""
    match member.role:
        case "host":
            return Text("%(name)s hosts the game, too.", name=member.name)
        case "player":
            return Text("%(name)s plays along now.", name=member.name)
        case _:
            return Text("%(name)s is watching now.", name=member.name)


def remember_company(visit: Visit, member: Member, *, is_new: bool) -> None:
    """Note for the device of somebody who plays with whom it does, in a game that *is_new* to it
    or goes on with another role or seat."""
    if member.seat is not None:
        players = [{"name": one.name, "colour": one.colour} for one in visit.players()]
        remember(visit.session, member.token_hash, visit.game.kind, players, is_new=is_new)


def _other(session: Session, game: Game, member_id: int) -> Member:
    """A member whom the host may change: anybody but a host, and who has left."""
    member = session.get(Member, member_id) if member_id < 2**31 else None
    if member is None or member.game_id != game.id or member.role in ("host", "left"):
        raise no_such_member()
    return member


def _name_of(players: Sequence[Player], seat: int | None, name: str) -> str:
    """The name of the player on a seat; of a viewer the one given."""
    if seat is None:
        name = checked_json(name or gettext("Guest"))
        if len(name) > MOST_NAME:
            raise TableError(400, "name", "A name has at most %(most)s letters.", most=MOST_NAME)
        return name
    if not 0 <= seat < len(players):
        raise no_such_player()
    return players[seat].name


def _refuse_full(members: Sequence[Member], member: Member | None, seat: int | None) -> None:
    """Raise TableError where too many have joined; whoever watches keeps no free seat from others.

    Seats are few, so only who watches is counted among those that are here.
    """
    here = sum(is_here(one) and one is not member for one in members)
    most_ever = MOST_EVER if seat is not None else MOST_EVER - KEPT_FOR_SEATS
    if (seat is None and here >= MOST_MEMBERS) or (member is None and len(members) >= most_ever):
        raise TableError(409, "full", "Too many devices have joined this game.")


def _refuse_place(
    member: Member | None, seat: int | None, members: Sequence[Member], name: str
) -> None:
    """Raise TableError where a device may not take a place by itself."""
    if member is not None and member.role == "removed":
        raise removed()
    if seat is None or (member is not None and member.role == "host"):
        return
    if member is not None and member.role == "viewer":
        raise only_watching()
    if any(one.seat == seat and one is not member and has_device(one) for one in members):
        raise TableError(
            409,
            "seat_taken",
            "Somebody plays as %(name)s already: watch first, then %(name)s or the host can give "
            "you the seat.",
            name=name,
        )
