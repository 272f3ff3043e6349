"""A game with its people at one moment: loaded once, told to each device as it may see it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.orm import Session, aliased, load_only

from scorer.ending import ending
from scorer.game import Game as Rules
from scorer.game import Json
from scorer.games import title_of
from scorer.setup import has_room
from webapp.i18n import in_language, language
from webapp.store.models import Event, Game, Member, Photo, Player
from webapp.tables.devices import GONE, has_device, is_here
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
    _dumped: dict[tuple[str | int | None, ...], str] = field(default_factory=dict)

    @property
    def version(self) -> int:
        """The version of the game."""
        return self.game.version

    def snapshot(self, member: Member) -> Json:
        """The game as a member may see it, in the language of the request."""
        code = language()
        return self._own(member) | self._shared(code) | self._of_place(member, code)

    def told(self, member_id: int, code: str) -> str | None:
        """The snapshot of a member as JSON, in a language.

        None for one who may not see the game (any more). What is the same for all, or for all of
        one role and seat, is worked out once.
        """
        member = next((one for one in self.members if one.id == member_id), None)
        if member is None or member.role in GONE:
            return None
        parts = (
            dumped(self._own(member)),
            self._once((code,), lambda: self._shared(code)),
            self._once((code, member.role, member.seat), lambda: self._of_place(member, code)),
        )
        return "{" + ",".join(part[1:-1] for part in parts) + "}"

    def screen(self) -> Json:
        """The game for a screen in the room: nothing that is not open to everybody."""
        state, rules = self.event.state, self.rules
        return self._shared(language()) | {
            "players": [
                {"seat": one.seat, "name": one.name, "score": row["score"], "rank": row["rank"]}
                for one, row in zip(self.players, rules.result(state), strict=True)
            ],
            "boards": [
                {"seat": seat, "text": board["text"]} for seat, board in rules.boards(state)
            ],
            "timer": timer_of(self.game),
        }

    def _once(self, key: tuple[str | int | None, ...], part: Callable[[], Json]) -> str:
        if key not in self._dumped:
            self._dumped[key] = dumped(part())
        return self._dumped[key]

    def _own(self, member: Member) -> Json:
        return {"you": member_document(member), "timer": timer_of(self.game)}

    def _shared(self, code: str) -> Json:
        game, event = self.game, self.event
        names = {one.id: one.name for one in self.members}
        is_over = self.rules.over(event.state)
        end = ending(self.rules, event.state) if is_over else ()
        return {
            "code": game.code,
            "kind": game.kind,
            "title": self.title,
            "version": game.version,
            "players": [
                {"seat": player.seat, "name": player.name, "colour": player.colour}
                for player in self.players
            ],
            "open": game.open,
            "turn": self.rules.turn(event.state),
            "over": is_over,
            "ending": in_language(list(end), code),
            "news": in_language(news_of(game), code),
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

    def _of_place(self, member: Member, code: str) -> Json:
        state, looking = self.event.state, viewer(member, self.members)
        return {
            "state": self.rules.public(state, looking),
            "view": in_language(self.rules.view(state, looking), code),
            "members": [
                member_document(one)
                for one in self.members
                if is_here(one)
                or (one.role == "removed" and has_device(one) and member.role == "host")
            ],
            "can_undo": self.event.seq > 0 and member.role != "viewer",
            "can_redo": self.redo and member.role != "viewer",
            "can_add_player": member.role == "host" and has_room(self.rules, state),
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
            title_of(self.game.kind, self.game.setup),
            self.game,
            *self.standing(),
            self.members(),
            self.players(),
            self.photos(),
        )


def viewer(member: Member, members: Sequence[Member]) -> Json:
    """Who looks, for the rules: role and seat, and in ``held`` every seat with a device."""
    held = sorted({one.seat for one in members if one.seat is not None and has_device(one)})
    return {"role": member.role, "seat": member.seat, "held": held}


def dumped(value: Json) -> str:
    """A value as JSON for a page."""
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
