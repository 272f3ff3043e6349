"""A game with its people at one moment: loaded once, told to each device as it may see it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import Session, load_only

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
    """What all who look at a game share. ``redo`` is whether something can be done again."""

    rules: Rules
    title: str
    game: Game
    event: Event
    members: Sequence[Member]
    players: Sequence[Player]
    photos: Sequence[Photo]
    redo: bool
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


@dataclass(slots=True)
class GameRows:
    """The rows of one game within one transaction; what was loaded once is not loaded again."""

    desk: Desk
    session: Session
    game: Game
    _members: Sequence[Member] | None = field(default=None, kw_only=True)
    _players: Sequence[Player] | None = field(default=None, kw_only=True)
    _event: Event | None = field(default=None, kw_only=True)
    _can_redo: bool | None = field(default=None, kw_only=True)

    @property
    def rules(self) -> Rules:
        """The rules of the game. Raises TableError if this program does not know them."""
        return self.desk.rules(self.game.kind)

    def members(self) -> Sequence[Member]:
        """Every device that joined, removed ones included, the first one first."""
        if self._members is None:
            self._members = members_of(self.session, self.game)
        return self._members

    def players(self) -> Sequence[Player]:
        """The players by their seats."""
        if self._players is None:
            self._players = players_of(self.session, self.game)
        return self._players

    def current(self) -> Event:
        """The entry of the log whose state is that of the game."""
        if self._event is None or self._event.seq != self.game.event_seq:
            now = Event.game_id == self.game.id, Event.seq == self.game.event_seq
            self._event = self.session.scalars(select(Event).where(*now)).one()
        return self._event

    def next_undone(self) -> Event | None:
        """The entry that redo would do again."""
        return self.session.scalar(
            select(Event)
            .where(Event.game_id == self.game.id, Event.undone.is_(True), Event.dropped.is_(False))
            .order_by(Event.seq)
            .limit(1)
        )

    def photos(self) -> Sequence[Photo]:
        """The kept photos, without their readings, the first one first."""
        return self.session.scalars(
            select(Photo)
            .options(load_only(*SHOWN))
            .where(Photo.game_id == self.game.id)
            .order_by(Photo.id)
        ).all()

    def scene(self) -> Scene:
        """What all who look at the game share."""
        return Scene(
            self.rules,
            self.desk.title(self.game.kind),
            self.game,
            self.current(),
            self.members(),
            self.players(),
            self.photos(),
            self.next_undone() is not None if self._can_redo is None else self._can_redo,
        )


def viewer(member: Member, members: Sequence[Member]) -> Json:
    """Who looks, for the rules: role and seat, and in ``held`` every seat with a device."""
    held = sorted({one.seat for one in members if one.seat is not None})
    return {"role": member.role, "seat": member.seat, "held": held}


def _dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def members_of(session: Session, game: Game) -> Sequence[Member]:
    """Every device that joined a game, removed ones included, the first one first."""
    return session.scalars(
        select(Member).where(Member.game_id == game.id).order_by(Member.id)
    ).all()


def players_of(session: Session, game: Game) -> Sequence[Player]:
    """The players of a game by their seats."""
    return session.scalars(
        select(Player).where(Player.game_id == game.id).order_by(Player.seat)
    ).all()


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
