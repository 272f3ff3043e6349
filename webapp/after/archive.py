"""Games out of the database as plain records, and records into it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from webapp.after.exchange import Archive
from webapp.after.games import EventRecord, GameRecord, Json, PhotoRecord
from webapp.play import GAMES
from webapp.store import Event, Game, Member, Photo, Player, Store
from webapp.store.photos import PhotoFolder
from webapp.tables import ALPHABET, of_device, token_hash


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    added: tuple[str, ...]
    """Codes of the games that are new here."""
    already: tuple[str, ...]
    """Codes of the games that were here before; they were left as they are."""


def records(
    store: Store, token: str | None = None, code: str | None = None, *, with_log: bool = False
) -> list[GameRecord]:
    """Games, the newest first: of one device if *token* is given, otherwise all.

    Without the log ``events`` holds only the first and the current one.
    """
    wanted = select(Game).order_by(Game.changed_utc.desc(), Game.id.desc())
    if token is not None:
        wanted = wanted.join(Member, Member.game_id == Game.id).where(of_device(token))
    if code is not None:
        wanted = wanted.where(Game.code == code)
    with store.reading() as session:
        return [
            _record(session, game, with_log=with_log)
            for game in session.scalars(wanted)
            if game.kind in GAMES
        ]


def _record(session: Session, game: Game, *, with_log: bool) -> GameRecord:
    log = select(Event).where(Event.game_id == game.id).order_by(Event.seq)
    if not with_log:
        log = log.where(Event.seq.in_((0, game.event_seq)))
    members = {
        member.id: {"name": member.name, "role": member.role, "seat": member.seat}
        for member in session.scalars(select(Member).where(Member.game_id == game.id))
    }
    photos = session.scalars(select(Photo).where(Photo.game_id == game.id).order_by(Photo.id)).all()
    numbers = {photo.id: number for number, photo in enumerate(photos, 1)} if with_log else None
    events = tuple(
        EventRecord(
            event.seq,
            event.at_utc,
            members.get(event.member_id or 0, {"name": "", "role": "player", "seat": None}),
            renumbered(event.action, numbers),
            renumbered(event.state, numbers),
            event.undone,
            event.dropped,
        )
        for event in session.scalars(log)
    )
    state = next(event.state for event in events if event.seq == game.event_seq)
    return GameRecord(
        game.code,
        game.kind,
        game.setup,
        state,
        game.created_utc,
        game.finished_utc,
        game.location or "",
        events,
        tuple(
            PhotoRecord(
                number if with_log else photo.id,
                photo.seat,
                photo.board,
                photo.sha256,
                photo.reading,
                photo.taken_utc,
                photo.width,
                photo.height,
                photo.size,
                photo.profile,
                photo.file,
            )
            for number, photo in enumerate(photos, 1)
        ),
        tuple(GAMES[game.kind].result(state)),
    )


def renumbered(value: Any, numbers: Mapping[int, int] | None) -> Any:
    """*value* with the numbers of photos in it exchanged: in a file they count from 1 within their game.

    >>> renumbered({"boards": [{"text": "...", "photo": 17}], "photo": None}, {17: 1})
    {'boards': [{'text': '...', 'photo': 1}], 'photo': None}
    """
    if numbers is None:
        return value
    if isinstance(value, dict):
        return {
            key: numbers.get(one)
            if key == "photo" and isinstance(one, int) and not isinstance(one, bool)
            else renumbered(one, numbers)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [renumbered(one, numbers) for one in value]
    return value


def archive(store: Store, photos: PhotoFolder, token: str | None = None) -> Archive:
    """Everything, or everything of one device, with the pictures that are still kept."""
    games = records(store, token, with_log=True)
    pictures = {}
    for game in games:
        for photo in game.photos:
            if photo.file is not None and (path := photos.path(photo.file)).is_file():
                pictures[photo.sha256] = path.read_bytes()
    return Archive(tuple(sorted(games, key=lambda game: (game.created_utc, game.code))), pictures)


def take_in(store: Store, photos: PhotoFolder, archive: Archive, token: str | None = None) -> Imported:
    """Put the games of a checked archive into the database: all of them, or none if one cannot be.

    A game that is here already (code and start the same) is left alone; one whose code belongs to another game
    gets a new code. The device of *token* becomes a host of what is new.
    """
    added: list[str] = []
    already: list[str] = []
    saved: list[str] = []
    try:
        with store.writing() as session:
            for game in archive.games:
                same = session.scalar(select(Game).where(Game.code == game.code))
                if same is not None and same.created_utc == game.created_utc and same.kind == game.kind:
                    already.append(game.code)
                    continue
                code = game.code if same is None else _free_code(session)
                _insert(session, photos, replace(game, code=code), archive.pictures, token, saved)
                added.append(code)
    except BaseException:
        for name in saved:
            photos.remove(name)
        raise
    return Imported(tuple(added), tuple(already))


def _insert(
    session: Session,
    photos: PhotoFolder,
    record: GameRecord,
    pictures: Mapping[str, bytes],
    token: str | None,
    saved: list[str],
) -> None:
    standing = [event.seq for event in record.events if not event.undone and not event.dropped]
    game = Game(
        code=record.code,
        kind=record.kind,
        setup=record.setup,
        version=len(record.events) - 1,
        event_seq=max(standing),
        open=False,
        created_utc=record.created_utc,
        changed_utc=max(event.at_utc for event in record.events),
        finished_utc=record.finished_utc,
        location=record.location or None,
    )
    session.add(game)
    session.flush()
    for seat, player in enumerate(record.setup["players"]):
        session.add(Player(game_id=game.id, seat=seat, name=player["name"], colour=player.get("colour")))
    numbers: dict[int, int] = {}
    for photo in record.photos:
        name = photos.save(pictures[photo.sha256]) if photo.sha256 in pictures else None
        if name is not None:
            saved.append(name)
        row = Photo(
            game_id=game.id,
            seat=photo.seat,
            board=photo.board,
            profile=photo.profile,
            sha256=photo.sha256,
            file=name,
            reading=photo.reading,
            taken_utc=photo.taken_utc,
            width=photo.width,
            height=photo.height,
            size=photo.size,
        )
        session.add(row)
        session.flush()
        numbers[photo.id] = row.id
    members = _members(session, game, (event.by for event in record.events))
    if token is not None:
        session.add(
            Member(game_id=game.id, token_hash=token_hash(token), role="host", seat=None, name="Host")
        )
    for event in record.events:
        session.add(
            Event(
                game_id=game.id,
                seq=event.seq,
                at_utc=event.at_utc,
                version=event.seq,
                member_id=members[_key(event.by)],
                action=renumbered(event.action, numbers),
                state=renumbered(event.state, numbers),
                undone=event.undone,
                dropped=event.dropped,
            )
        )


def _members(session: Session, game: Game, everybody: Iterable[Json]) -> dict[tuple[Any, ...], int]:
    """Rows for those who made the changes; nobody holds their secrets, so nobody is let in by them."""
    members: dict[tuple[Any, ...], int] = {}
    for by in everybody:
        if _key(by) not in members:
            unknown = token_hash(secrets.token_urlsafe(32))
            row = Member(
                game_id=game.id, token_hash=unknown, role=by["role"], seat=by["seat"], name=by["name"]
            )
            session.add(row)
            session.flush()
            members[_key(by)] = row.id
    return members


def _key(by: Json) -> tuple[Any, ...]:
    return by["name"], by["role"], by["seat"]


def _free_code(session: Session) -> str:
    while True:
        code = "".join(secrets.choice(ALPHABET) for _ in range(6))
        if session.scalar(select(Game.id).where(Game.code == code)) is None:
            return code
