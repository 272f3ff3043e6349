"""A game with its people at one moment: loaded once, told to each device as it may see it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.orm import Session, aliased, load_only

from scorer.ending import ending
from scorer.game import Game as Rules
from scorer.game import Json
from webapp.i18n import in_language
from webapp.store.models import Event, Game, Member, Photo, Player
from webapp.tables.devices import GONE
from webapp.tables.news import news_of
from webapp.tables.timer import timer_of

if TYPE_CHECKING:
    from webapp.tables.desk import Desk


@dataclass(frozen=True, slots=True)
class Scene:
    """What all who look at a game share.

    ``last`` is the number of the last entry of the log, ``redo`` whether something can be done
    again.
    """

    rules: Rules
    title: str
    game: Game
    event: Event
    last: int
    redo: bool
    members: Sequence[Member]
    players: Sequence[Player]
    photos: Sequence[Photo]
    _told: dict[tuple[str, int | None, str], str] = field(default_factory=dict)

    @property
    def version(self) -> int:
        """The version of the game."""
        return self.game.version

    def snapshot(self, member: Member, language: str | None = None) -> Json:
        """The game as a member may see it, in a language or that of the request."""
        return {"you": member_document(member), **self._shown(member, language)}

    def told(self, member_id: int, language: str) -> str | None:
        """The snapshot of a member as JSON; None for one who may not see the game (any more).

        Members of one role and seat are told the same but for ``you``.
        """
        member = next((one for one in self.members if one.id == member_id), None)
        if member is None or member.role in GONE:
            return None
        key = (member.role, member.seat, language)
        if key not in self._told:
            self._told[key] = _dumped(self._shown(member, language))
        return f'{{"you":{_dumped(member_document(member))},{self._told[key][1:]}'

    def _shown(self, member: Member, language: str | None) -> Json:
        game, event = self.game, self.event
        looking = viewer(member, self.members)
        names = {one.id: one.name for one in self.members}
        is_over = self.rules.over(event.state)
        end = ending(self.rules, event.state) if is_over else ()
        return {
            "code": game.code,
            "kind": game.kind,
            "title": self.title,
            "version": game.version,
            "state": self.rules.public(event.state, looking),
            "view": in_language(self.rules.view(event.state, looking), language),
            "players": [
                {"seat": player.seat, "name": player.name, "colour": player.colour}
                for player in self.players
            ],
            "members": [
                member_document(one)
                for one in self.members
                if one.role not in GONE or (one.role == "removed" and member.role == "host")
            ],
            "open": game.open,
            "can_undo": event.seq > 0 and member.role != "viewer",
            "can_redo": member.role != "viewer" and self.redo,
            "turn": self.rules.turn(event.state),
            "over": is_over,
            "ending": in_language(list(end), language),
            "news": in_language(news_of(game), language),
            "timer": timer_of(game),
            "next": game.next_code,
            "last": {
                "type": event.action["type"],
                "by": names.get(event.member_id or 0),
                "at": event.at_utc.isoformat(),
            },
            "finished": game.finished_utc is not None,
            "result": game.result,
            "photos": [{"id": photo.id, **photo_document(photo)} for photo in self.photos],
        }


SHOWN = (Photo.board, Photo.seat, Photo.taken_utc, Photo.file, Photo.width, Photo.height)
"""What a page is told of a kept photo; its reading is long."""

LOCKED = select(Game).where(Game.code == bindparam("code")).with_for_update()
MEMBERS = select(Member).where(Member.game_id == bindparam("game")).order_by(Member.id)
PLAYERS = select(Player).where(Player.game_id == bindparam("game")).order_by(Player.seat)
PHOTOS = (
    select(Photo)
    .options(load_only(*SHOWN))
    .where(Photo.game_id == bindparam("game"))
    .order_by(Photo.id)
)

_other = aliased(Event)
STANDING = (
    select(
        Game,
        Event,
        select(func.max(_other.seq)).where(_other.game_id == Game.id).scalar_subquery(),
        exists()
        .where(_other.game_id == Game.id, _other.seq > Game.event_seq)
        .where(_other.undone, ~_other.dropped),
    )
    .join(Event, (Event.game_id == Game.id) & (Event.seq == Game.event_seq))
    .where(Game.code == bindparam("code"))
)
"""A game, its current event, and ``last`` and ``redo`` of its scene."""


@dataclass(slots=True)
class GameRows:
    """The rows of one game within one transaction; what was loaded once is not loaded again.

    ``known`` is the game as this process knows it: what has not changed since is taken from there,
    for reading only.
    """

    desk: Desk
    session: Session
    game: Game
    known: Scene | None = None
    _standing: tuple[Event, int, bool] | None = None
    _members: Sequence[Member] | None = field(default=None, init=False)
    _players: Sequence[Player] | None = field(default=None, init=False)
    _photos: Sequence[Photo] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        known = self.known
        if known is not None and self.game.people_version <= known.version:
            self._members, self._players = known.members, known.players
            self._photos = known.photos
            if self.game.version == known.version:
                self._standing = known.event, known.last, known.redo

    @classmethod
    def load(cls, desk: Desk, session: Session, code: str) -> Self | None:
        """The game with that code, if there is one."""
        row = session.execute(STANDING, {"code": code}).one_or_none()
        if row is None:
            return None
        game, *standing = row
        return cls(desk, session, game, desk.announcements.known(code), tuple(standing))

    @property
    def rules(self) -> Rules:
        """The rules of the game. Raises TableError if this program does not know them."""
        return self.desk.rules(self.game.kind)

    def members(self) -> Sequence[Member]:
        """Every device that joined, removed ones included, the first one first."""
        if self._members is None:
            self._members = self.session.scalars(MEMBERS, {"game": self.game.id}).all()
        return self._members

    def players(self) -> Sequence[Player]:
        """The players by their seats."""
        if self._players is None:
            self._players = self.session.scalars(PLAYERS, {"game": self.game.id}).all()
        return self._players

    def photos(self) -> Sequence[Photo]:
        """The kept photos, without their readings, the first one first."""
        if self._photos is None:
            self._photos = self.session.scalars(PHOTOS, {"game": self.game.id}).all()
        return self._photos

    def standing(self) -> tuple[Event, int, bool]:
        """The entry of the log whose state is that of the game, and ``last`` and ``redo``."""
        if self._standing is None or self._standing[0].seq != self.game.event_seq:
            row = self.session.execute(STANDING, {"code": self.game.code}).one()
            self._standing = row[1], row[2], row[3]
        return self._standing

    def scene(self) -> Scene:
        """What all who look at the game share."""
        return Scene(
            self.rules,
            self.desk.title(self.game.kind),
            self.game,
            *self.standing(),
            self.members(),
            self.players(),
            self.photos(),
        )


def viewer(member: Member, members: Sequence[Member]) -> Json:
    """Who looks, for the rules: role and seat, and in ``held`` every seat with a device."""
    held = sorted({one.seat for one in members if one.seat is not None})
    return {"role": member.role, "seat": member.seat, "held": held}


def _dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def member_document(member: Member) -> Json:
    """What a page is told of a member."""
    return {"id": member.id, "name": member.name, "role": member.role, "seat": member.seat}


def photo_document(photo: Photo) -> Json:
    """What a page is told of a kept photo."""
    return {
        "board": photo.board,
        "seat": photo.seat,
        "taken": photo.taken_utc.isoformat(),
        "kept": photo.file is not None,
        "width": photo.width,
        "height": photo.height,
    }
