"""Games out of the database as plain records, and records into it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from scorer.games import GAMES
from scorer.text import Text
from webapp.after.arrivals import Arrival
from webapp.after.games import EventRecord, GameRecord, Json, PhotoRecord, fields_of, time_played
from webapp.after.replay import played_again
from webapp.guard.quotas import Quotas
from webapp.i18n import gettext
from webapp.store import Event, Game, Member, Photo, Player, Store
from webapp.store.models import NEWEST_FIRST, now_utc
from webapp.store.photos import PhotoFolder
from webapp.tables.devices import free_code, hash_of_nobody, of_device, token_hash
from webapp.tables.errors import TableError
from webapp.tables.values import size_of, size_of_event


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    added: tuple[str, ...]
    """Codes of the games that are new here."""
    already: int
    """Number of the games that were here before; they were left as they are."""
    recounted: tuple[str, ...]
    """Codes of new games in which today's rules give something else than was written."""
    joinable: tuple[tuple[str, str], ...]
    """Code, and title and players, of each new game that can be joined."""
    refusal: TableError | None
    """Why the other games were not taken in, where not all had room."""


def records(
    store: Store,
    token: str | None = None,
    code: str | None = None,
    *,
    with_log: bool = False,
    most: int | None = None,
) -> list[GameRecord]:
    """Games, newest first: of one device if *token* is given, else all; at most *most*.

    Without the log ``events`` holds only the first and the current one.
    """
    wanted = select(Game).order_by(*NEWEST_FIRST).limit(most)
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


def listed(
    store: Store, token: str, first: int = 0, most: int = 50, *, finished: bool = False
) -> list[GameRecord]:
    """A device's games for a list, newest first, without photos.

    Games that go on have the end of their log; where *finished* ones are asked for, all have.
    """
    page = (
        select(Game.id)
        .join(Member, Member.game_id == Game.id)
        .where(of_device(token), Game.kind.in_(list(GAMES)))
        .order_by(*NEWEST_FIRST)
        .offset(first)
        .limit(most)
    )
    if finished:
        page = page.where(Game.finished_utc.is_not(None))
    with store.reading() as session:
        of_page = select(Game).where(Game.id.in_(page)).order_by(*NEWEST_FIRST)
        games = session.scalars(of_page).all()
        asked = [game.id for game in games if finished or game.result is None]
        last = select(Event).join(Game, and_(Event.game_id == Game.id, Event.seq == Game.event_seq))
        ends = {event.game_id: event for event in session.scalars(last.where(Game.id.in_(asked)))}
        played = _played(session, games)
    return [_listed(game, ends.get(game.id), played[game.id]) for game in games]


def _listed(game: Game, end: Event | None, played: timedelta) -> GameRecord:
    events = () if end is None else (EventRecord(end.seq, end.at_utc, {}, end.action, end.state),)
    result = game.result
    if result is None:
        result = [] if end is None else GAMES[game.kind].result(end.state)
    return GameRecord(
        game.code,
        game.kind,
        game.setup,
        {} if end is None else end.state,
        game.created_utc,
        game.finished_utc,
        game.location or "",
        events,
        result=tuple(result),
        played=played,
    )


def _played(session: Session, games: Sequence[Game]) -> dict[int, timedelta]:
    """Time in which somebody played each game."""
    log = (
        select(Event.game_id, Event.at_utc)
        .where(Event.game_id.in_([game.id for game in games]))
        .order_by(Event.game_id, Event.seq)
    )
    ends = {game.id: game.finished_utc for game in games}
    return {
        number: time_played([entry.at_utc for entry in entries], ends[number])
        for number, entries in groupby(session.execute(log), key=lambda entry: entry.game_id)
    }


def covers(store: Store, codes: Iterable[str]) -> dict[str, int]:
    """The newest photo that is kept of each game that has one."""
    newest = (
        select(Game.code, func.max(Photo.id))
        .join(Photo, Photo.game_id == Game.id)
        .where(Game.code.in_(list(codes)), Photo.file.is_not(None))
        .group_by(Game.code)
    )
    with store.reading() as session:
        return dict(session.execute(newest).all())


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
            with_photos(event.action, numbers),
            with_photos(event.state, numbers),
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
                _in_english(photo.reading),
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
        _played(session, [game])[game.id],
    )


def with_photos(value: Any, numbers: Mapping[int, int] | None) -> Any:
    """An action, state or board with the numbers of its photos counted from 1 within their game.

    >>> with_photos({"boards": [{"text": "...", "photo": 17}], "photo": None}, {17: 1})
    {'boards': [{'text': '...', 'photo': 1}], 'photo': None}
    >>> with_photos({"worth": {"photo": 17}, "boards": {"0": {"photo": 17}}}, {17: 1})
    {'worth': {'photo': 17}, 'boards': {'0': {'photo': 1}}}
    """
    if numbers is None or not isinstance(value, dict):
        return value
    new = dict(value)
    if type(value.get("photo")) is int:
        new["photo"] = numbers.get(value["photo"])
    if "board" in value:
        new["board"] = with_photos(value["board"], numbers)
    match value.get("boards"):
        case list() as boards:
            new["boards"] = [with_photos(one, numbers) for one in boards]
        case dict() as boards:
            new["boards"] = {key: with_photos(one, numbers) for key, one in boards.items()}
    return new


class Kept:
    """All games of a store, or a device's finished ones, read one by one when asked for.

    ``games`` and ``pictures`` count what was read, ``damaged`` the pictures that are missing or are
    not as they were stored.
    """

    def __init__(self, store: Store, photos: PhotoFolder, token: str | None = None) -> None:
        self._store = store
        self._token = token
        self._folder = photos
        self._files: dict[str, str] = {}
        self.games = self.pictures = self.damaged = 0

    def __iter__(self) -> Iterator[GameRecord]:
        wanted = (
            select(Game.id).where(Game.kind.in_(list(GAMES))).order_by(Game.created_utc, Game.code)
        )
        if self._token is not None:
            wanted = wanted.join(Member, Member.game_id == Game.id)
            wanted = wanted.where(of_device(self._token), Game.finished_utc.is_not(None))
        with self._store.reading() as session:
            ids = session.scalars(wanted).all()
        for number in ids:
            with self._store.reading() as session:
                game = session.get(Game, number)
                record = None if game is None else _record(session, game, with_log=True)
            if record is not None:
                self._files |= {photo.sha256: photo.file for photo in record.photos if photo.file}
                self.games += 1
                yield record

    def picture(self, sha256: str) -> bytes | None:
        """A picture of a game that was read, if it is still kept as it was stored."""
        name = self._files.get(sha256)
        if name is None:
            return None
        jpeg = self._folder.whole(name, sha256)
        self.pictures += jpeg is not None
        self.damaged += jpeg is None
        return jpeg


def take_in(
    store: Store,
    photos: PhotoFolder,
    arrival: Arrival,
    token: str | None = None,
    quotas: Quotas | None = None,
) -> Imported:
    """Put a checked archive's games into the database, each in its own change with a new code.

    A game that the device of *token* has already (or without one anybody: kind, start and players
    the same) is left alone. The device becomes a host of what is new; without one, games that go on
    can be joined by their codes. Raises ArchiveError where the time is over; what was taken in
    until then stays, also where the *quotas* refuse the next one.
    """
    added: list[str] = []
    joinable: list[tuple[str, str]] = []
    recounted: list[str] = []
    already, refusal = 0, None
    for game in arrival.games():
        with store.reading() as session:
            is_here = _is_here(session, game, token)
        if is_here:
            already += 1
            continue
        # as its check did: an archive of years fits into no memory
        game, is_as_written = played_again(game, arrival.hurry)
        found = {photo.sha256: arrival.picture(photo.sha256) for photo in game.photos}
        saved = {sha256: photos.save(jpeg) for sha256, jpeg in found.items() if jpeg is not None}
        size = _log_bytes(game) + sum(len(jpeg) for jpeg in found.values() if jpeg is not None)
        try:
            with store.writing() as session:
                if quotas is not None:
                    quotas.admit(session, token, size, games=1, is_import=True)
                code = _insert(session, game, saved, token)
        except BaseException as error:
            for name in saved.values():
                photos.remove(name)
            if not isinstance(error, TableError):
                raise
            refusal = error
            break
        added.append(code)
        if _is_joinable(game, token):
            names = gettext(", ").join(player["name"] for player in game.state["players"])
            joinable.append((code, f"{game.title}: {names}"))
        if not is_as_written:
            recounted.append(code)
    return Imported(tuple(added), already, tuple(recounted), tuple(joinable), refusal)


def _is_joinable(game: GameRecord, token: str | None) -> bool:
    """Whether devices may come into a game: one that goes on, and that no device hosts yet."""
    return token is None and game.finished_utc is None


def _in_english(reading: Json) -> Json:
    """A kept reading with finished sentences, as archives have it."""
    return reading | {"problems": [Text.from_json(one) for one in reading.get("problems", ())]}


def _log_bytes(game: GameRecord) -> int:
    return sum(size_of_event(event.action, event.state) for event in game.events) + sum(
        size_of(photo.reading) for photo in game.photos
    )


def _is_here(session: Session, game: GameRecord, token: str | None) -> bool:
    same = select(Game.setup).where(Game.created_utc == game.created_utc, Game.kind == game.kind)
    if token is not None:
        same = same.join(Member, Member.game_id == Game.id).where(of_device(token))
    return game.setup in session.scalars(same)


def _insert(
    session: Session, record: GameRecord, saved: Mapping[str, str], token: str | None
) -> str:
    """Write the rows of a game; *saved* are the names of its pictures by sha256. Gives its code."""
    is_joinable = _is_joinable(record, token)
    standing = [event.seq for event in record.events if not event.undone and not event.dropped]
    game = Game(
        code=free_code(session),
        kind=record.kind,
        setup=record.setup,
        version=len(record.events) - 1,
        event_seq=max(standing),
        open=is_joinable,
        created_utc=record.created_utc,
        # by that time a game ends to be open
        changed_utc=now_utc() if is_joinable else max(event.at_utc for event in record.events),
        finished_utc=record.finished_utc,
        location=record.location or None,
        log_bytes=_log_bytes(record),
        photo_bytes=sum(photo.size for photo in record.photos if photo.sha256 in saved),
        result=GAMES[record.kind].result(record.state) if record.finished_utc else None,
    )
    session.add(game)
    session.flush()
    for seat, player in enumerate(record.state["players"]):
        colour = player.get("colour") or player.get("season")
        session.add(Player(game_id=game.id, seat=seat, name=player["name"], colour=colour))
    numbers = _insert_photos(session, game, record, saved)
    members = _members(session, game, (event.by for event in record.events))
    if token is not None:
        session.add(
            Member(
                game_id=game.id,
                token_hash=token_hash(token),
                role="host",
                seat=None,
                name=gettext("Host"),
                joined_utc=record.finished_utc or now_utc(),
            )
        )
    session.add_all(
        Event(
            **fields_of(event, "by", "action", "state"),
            game_id=game.id,
            version=event.seq,
            member_id=members[_key(event.by)],
            action=with_photos(event.action, numbers),
            state=with_photos(event.state, numbers),
        )
        for event in record.events
    )
    return game.code


def _insert_photos(
    session: Session, game: Game, record: GameRecord, saved: Mapping[str, str]
) -> dict[int, int]:
    """Write the rows of the photos; gives their new numbers by the old ones."""
    numbers: dict[int, int] = {}
    for photo in record.photos:
        row = Photo(**fields_of(photo, "id", "file"), game_id=game.id, file=saved.get(photo.sha256))
        session.add(row)
        session.flush()
        numbers[photo.id] = row.id
    return numbers


def _members(session: Session, game: Game, everybody: Iterable[Json]) -> dict[tuple[Any, ...], int]:
    """Rows for those who made the changes; they have no secrets, so they let nobody in."""
    members: dict[tuple[Any, ...], int] = {}
    for by in everybody:
        if _key(by) not in members:
            row = Member(
                game_id=game.id,
                token_hash=hash_of_nobody(),
                role=by["role"],
                seat=by["seat"],
                name=by["name"],
            )
            session.add(row)
            session.flush()
            members[_key(by)] = row.id
    return members


def _key(by: Json) -> tuple[Any, ...]:
    return by["name"], by["role"], by["seat"]
