"""What people at the table can do: start, join, change, undo, keep photos. Knows no Flask.

Everything that goes in or out is text, bytes or plain JSON values. A change is in the database
before it is answered or announced. Who asks is told by the secret of their device; only its hash is
stored.
"""

from __future__ import annotations

import hashlib
import math
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import ColumnElement, Select, and_, func, select, update
from sqlalchemy.orm import Session

from scorer.actions import MOST_NAME
from scorer.game import ActionError, Json, conflict
from scorer.game import Game as Rules
from scorer.games import GAMES
from scorer.setup import checked_setup
from webapp.bundled import demo_names
from webapp.i18n import gettext
from webapp.live import Announcements
from webapp.store import clock
from webapp.store.models import CODE_LETTERS, Event, Game, Member, Photo, Player, now_utc
from webapp.store.photos import PhotoFolder, picture_of

if TYPE_CHECKING:
    from vision.find.corners import Corners
    from webapp.quotas import Quotas
    from webapp.service import TableReader
    from webapp.store.engine import Store

Role = Literal["host", "player", "viewer", "removed"]
"""What a device is in a game; one that was removed stays out until the host lets it in."""

HOST_ACTIONS = frozenset({"finish", "resume"})
"""What ends a game, or opens it again, is up to the host."""

AFTER_THE_END = HOST_ACTIONS | {"claim"}
"""What a finished game accepts: figures of the pad; anything else would change the result."""

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""The 31 symbols of a code: no 0 and O, no 1, I and L."""

MOST_ACTION_CHARS = 100_000
"""Size of an action as JSON; a photo's corrections have a few thousand."""

MOST_STATE_CHARS = 500_000
"""Largest state as JSON: eight of the largest boards with the longest names."""

MOST_LOG_BYTES = 10_000_000
"""Largest log or readings of a game as JSON; a long evening has a few hundred thousand."""

LEAST_EVENT_BYTES = 800
"""What an entry of the log counts at least: with its row and its member of a file."""

SMALL_BYTES = 32_000
"""Changes up to this size count for their game only, so an address can always play on."""

MOST_NESTED = 20
MOST_PHOTOS = 500
"""Photos of one game: a whole evening, and an end for whoever wants to fill the disk."""

MOST_LISTED = 500
"""Games of a device among which the newest are looked for."""

MOST_BOARDS = 100
"""Games whose boards are offered for the next one."""

MOST_MEMBERS = 60
JOIN_FOR = timedelta(hours=48)
"""How long after its last change a game can be joined by its code."""

PRUNE_EVERY_SECONDS = 3600.0


class TableError(Exception):
    """Something cannot be done: ``status`` is the HTTP status, ``message`` one sentence."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


class StaleChange(TableError):
    """Somebody else changed the same thing meanwhile; ``newer`` is the game as it is now."""

    def __init__(self, message: str, newer: Json) -> None:
        super().__init__(409, "changed_meanwhile", message)
        self.newer = newer


def new_token() -> str:
    """A secret for a device."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What the database knows of a secret."""
    return hashlib.sha256(token.encode()).hexdigest()


def tidy_code(text: str) -> str:
    """A code as people type it: in any case, with spaces or dashes.

    >>> tidy_code(" ab7-k2q ")
    'AB7K2Q'
    """
    return "".join(c for c in text.upper() if c.isalnum())


def checked_json(value: Any, nested: int = MOST_NESTED) -> Any:
    """The value, if every database can keep it as it is.

    Raises TableError for NaN, stray surrogates and the like.
    """
    match value:
        case None | bool():
            return value
        case int() if abs(value) < 2**53:
            return value
        case float() if math.isfinite(value):
            return value
        case str() if "\0" not in value and not any("\ud800" <= c <= "\udfff" for c in value):
            return value
        case list() if nested:
            return [checked_json(one, nested - 1) for one in value]
        case dict() if nested:
            return {checked_json(key): checked_json(one, nested - 1) for key, one in value.items()}
    raise TableError(
        400, "bad_json", "The change holds something that cannot be kept; please reload the page."
    )


class Tables:
    """All games of one data folder.

    ``photo_days`` is how long photos are kept: None for ever, 0 until the game is finished.
    """

    def __init__(
        self,
        store: Store,
        reader: TableReader,
        photos: PhotoFolder,
        announcements: Announcements,
        quotas: Quotas,
        photo_days: int | None = None,
        games: Mapping[str, Rules] = GAMES,
    ) -> None:
        self.store = store
        self.reader = reader
        self.photos = photos
        self.announcements = announcements
        self.quotas = quotas
        self.photo_days = photo_days
        self.games = games
        self._pruned = -math.inf
        self._pruning = threading.Lock()

    # Starting and joining

    def start(
        self,
        kind: str,
        setup: Json,
        token: str,
        seat: int | None,
        location: str = "",
    ) -> str:
        """Start a game hosted by the device; gives its code. *seat* is the host's, if any."""
        rules = self._rules(kind)
        setup = checked_setup(rules.setup_form(), checked_json(setup))
        state = checked_json(rules.start(setup))
        if seat is not None and not 0 <= seat < len(setup["players"]):
            raise ActionError("seat", "There is no such player in this game.")
        location = checked_json(location.strip()[:200])
        with self.store.writing() as session:
            self.quotas.admit(session, token, size_of_event({}, state), games=1)
            game = Game(
                code=self._free_code(session),
                kind=kind,
                setup=setup,
                location=location or None,
                log_bytes=size_of_event({}, state),
            )
            session.add(game)
            session.flush()
            for at, player in enumerate(setup["players"]):
                session.add(
                    Player(game_id=game.id, seat=at, name=player["name"], colour=player["colour"])
                )
            name = setup["players"][seat]["name"] if seat is not None else gettext("Host")
            host = Member(
                game_id=game.id, token_hash=token_hash(token), role="host", seat=seat, name=name
            )
            session.add(host)
            session.flush()
            session.add(
                Event(
                    game_id=game.id,
                    seq=0,
                    version=0,
                    member_id=host.id,
                    action={"type": "start"},
                    state=state,
                )
            )
        self.prune()
        return game.code

    def joinable(self, code: str, token: str) -> Json | None:
        """What someone who may join sees: kind, players, taken seats; None if there is no game.

        Raises TableError for a device that was removed.
        """
        with self.store.reading() as session:
            game = session.scalar(select(Game).where(Game.code == code))
            if game is not None and any(
                one.role == "removed" and one.token_hash == token_hash(token)
                for one in self._members(session, game)
            ):
                raise _removed()
            if game is None or not game.open or game.changed_utc + JOIN_FOR < now_utc():
                return None
            taken = {member.seat for member in self._members(session, game)}
            return {
                "code": game.code,
                "kind": game.kind,
                "title": self._title(game.kind),
                "players": [
                    {
                        "seat": player.seat,
                        "name": player.name,
                        "colour": player.colour,
                        "taken": player.seat in taken,
                    }
                    for player in self._players(session, game)
                ],
            }

    def join(self, code: str, token: str, seat: int | None, name: str = "") -> None:
        """Become a member: the player of a free *seat*, or a viewer called *name*.

        Joining again changes the seat.

        A seat that is taken, and the way from watching to playing, is given by those at the table
        (`set_member`).
        """
        name = " ".join(name.split())
        with self.store.writing() as session:
            game = self._locked(session, code)
            if game is None or not game.open or game.changed_utc + JOIN_FOR < now_utc():
                raise _no_game()
            players = self._players(session, game)
            if seat is None:
                name = name or gettext("Guest")
                checked_json(name)
                if len(name) > MOST_NAME:
                    raise TableError(400, "name", f"A name has at most {MOST_NAME} letters.")
            elif 0 <= seat < len(players):
                name = players[seat].name
            else:
                raise TableError(400, "seat", "There is no such player in this game.")
            members = self._members(session, game)
            member = next((one for one in members if one.token_hash == token_hash(token)), None)
            self._refuse_place(member, seat, members, name)
            if member is None:
                if len(members) >= MOST_MEMBERS:
                    raise TableError(409, "full", "Too many devices have joined this game.")
                member = Member(
                    game_id=game.id, token_hash=token_hash(token), role="viewer", name=name
                )
                session.add(member)
            if member.role != "host":
                member.role = "viewer" if seat is None else "player"
            member.seat, member.name = seat, name
            self._touch(game)
            session.flush()
            self._note(session, game, member, member)
        self.announcements.announce(game.code, game.version)

    def my_games(self, token: str, most: int = 20) -> list[Json]:
        """The device's games, newest first; games joined long ago are left out."""
        with self.store.reading() as session:
            games = session.scalars(
                select(Game)
                .where(Game.id.in_(_joined(token)))
                .order_by(Game.changed_utc.desc(), Game.id.desc())
                .limit(most)
            ).all()
            names: dict[int, list[str]] = {game.id: [] for game in games}
            players = select(Player).where(Player.game_id.in_(names)).order_by(Player.seat)
            for player in session.scalars(players):
                names[player.game_id].append(player.name)
        return [
            {
                "code": game.code,
                "kind": game.kind,
                "title": self._title(game.kind),
                "players": names[game.id],
                "changed": game.changed_utc.isoformat(),
                "finished": game.finished_utc is not None,
            }
            for game in games
        ]

    def my_boards(self, token: str) -> list[Json]:
        """Descriptions of boards that this device has played on, the newest first, each once."""
        with self.store.reading() as session:
            setups = session.scalars(
                select(Game.setup)
                .where(Game.id.in_(_joined(token)), Game.kind == "custom")
                .order_by(Game.id.desc())
                .limit(MOST_BOARDS)
            ).all()
        found: list[Json] = []
        for setup in setups:
            board = setup["options"].get("board")
            if board and board not in found:
                found.append(board)
        return found

    # Seeing

    def snapshot(self, code: str, token: str) -> Json:
        """The game as this device may see it. Raises TableError for anybody who is no member."""
        with self.store.reading() as session:
            game, member = self._entered(session, code, token)
            return self._snapshot(session, game, member)

    def version(self, code: str, token: str) -> int | None:
        """The version of the game, None for whoever is no member (any more)."""
        with self.store.reading() as session:
            return session.scalar(
                select(Game.version)
                .join(Member, Member.game_id == Game.id)
                .where(Game.code == code, of_device(token))
            )

    def log(self, code: str, token: str) -> list[Json]:
        """Every change since the start, those that were undone included."""
        with self.store.reading() as session:
            game, member = self._entered(session, code, token)
            rules = self._rules(game.kind)
            members = self._members(session, game)
            viewer = _viewer(member, members)
            names = {one.id: one.name for one in members}
            events = session.scalars(
                select(Event).where(Event.game_id == game.id).order_by(Event.seq)
            )
            return [
                {
                    "seq": event.seq,
                    "at": event.at_utc.isoformat(),
                    "by": names.get(event.member_id or 0),
                    "action": rules.public_action(event.action, viewer),
                    "undone": event.undone and not is_note(event.action),
                    "dropped": event.dropped and not is_note(event.action),
                }
                for event in events
            ]

    # Changing

    def act(
        self, code: str, token: str, action: Any, base_version: Any = None, key: Any = None
    ) -> Json:
        """Do *action* and give the new snapshot.

        *base_version* is what the sender saw; a change of the same thing by somebody else since
        then is not overwritten (StaleChange). *key* names the request: a second one with the same
        key does nothing more.
        """
        if not isinstance(action, dict) or not isinstance(action.get("type"), str):
            raise TableError(400, "action", 'Expected an action such as {"type": "finish"}.')
        action = checked_json(action)
        if _chars(action) > MOST_ACTION_CHARS:
            raise TableError(413, "too_large", "That change is too large.")
        with self.store.writing() as session:
            game, member = self._entered(session, code, token, lock=True, acting=True)
            if key is not None and self._done_before(session, game, key):
                return self._snapshot(session, game, member)
            rules = self._rules(game.kind)
            if action["type"] in HOST_ACTIONS:
                self._refuse_all_but_the_host(member)
            if game.finished_utc is not None and action["type"] not in AFTER_THE_END:
                raise TableError(
                    409,
                    "finished",
                    "The game is finished: the host can choose “Play on” in the menu.",
                )
            self._refuse_stale(session, game, member, rules, action, base_version)
            self._refuse_foreign_photo(session, game, action)
            old = self._current(session, game)
            by = _viewer(member, self._members(session, game))
            new_state = checked_json(rules.act(old.state, action, by))
            if _chars(new_state) > MOST_STATE_CHARS:
                raise TableError(
                    413, "too_large", "This game cannot take any more changes of that kind."
                )
            self._count(session, game, token, action, new_state)
            session.execute(
                update(Event)
                .where(Event.game_id == game.id, Event.undone.is_(True), Event.dropped.is_(False))
                .values(dropped=True)
            )
            last = session.scalar(select(func.max(Event.seq)).where(Event.game_id == game.id)) or 0
            game.event_seq = last + 1
            self._touch(game)
            session.add(
                Event(
                    game_id=game.id,
                    seq=last + 1,
                    version=game.version,
                    member_id=member.id,
                    action=action,
                    state=new_state,
                    request_key=key,
                )
            )
            self._mark_finished(game, new_state)
            session.flush()
            answer = self._snapshot(session, game, member)
        self._after_change(game)
        return answer

    def undo(self, code: str, token: str, base_version: Any = None) -> Json:
        """Go back one change, whoever made it."""
        return self._travel(code, token, base_version, back=True)

    def redo(self, code: str, token: str, base_version: Any = None) -> Json:
        """Do the change again that was undone last."""
        return self._travel(code, token, base_version, back=False)

    def _travel(self, code: str, token: str, base_version: Any, *, back: bool) -> Json:
        with self.store.writing() as session:
            game, member = self._entered(session, code, token, lock=True, acting=True)
            if base_version is not None and base_version != game.version:
                raise StaleChange(
                    "Somebody changed the game just now: look again before you go back.",
                    self._snapshot(session, game, member),
                )
            event = self._current(session, game) if back else self._next_undone(session, game)
            if event is None or (back and event.seq == 0):
                if back:
                    raise TableError(409, "nothing_to_undo", "There is nothing to undo.")
                raise TableError(409, "nothing_to_redo", "There is nothing to redo.")
            if event.action["type"] in HOST_ACTIONS:
                self._refuse_all_but_the_host(member)
            event.undone = back
            self._touch(game)
            event.version = game.version
            session.flush()
            standing = select(func.max(Event.seq)).where(
                Event.game_id == game.id, Event.undone.is_(False), Event.dropped.is_(False)
            )
            game.event_seq = session.scalar(standing) or 0
            self._mark_finished(game, self._current(session, game).state)
            session.flush()
            answer = self._snapshot(session, game, member)
        self._after_change(game)
        return answer

    # The host's part

    def set_member(
        self, code: str, token: str, member_id: int, role: str, seat: int | None
    ) -> Json:
        """Let somebody play, only watch, or host, too.

        The host may, and who gives the own seat to a viewer.

        Where the host makes a player watch, nobody new can join until the host lets people in
        again: the same person could come back as somebody new.
        """
        with self.store.writing() as session:
            game, giver = self._entered(session, code, token, lock=True)
            if role not in ("host", "player", "viewer"):
                raise TableError(400, "role", "A member is a host, a player or a viewer.")
            member = session.get(Member, member_id)
            if giver.role != "host" and (
                giver.role != "player" or role != "player" or seat != giver.seat
            ):
                raise TableError(403, "not_the_host", "Only the host of the game can do that.")
            if member is None or member.game_id != game.id or member.role == "host":
                raise TableError(404, "member", "There is no such member to change.")
            if giver.role != "host" and member.role != "viewer":
                raise TableError(403, "not_the_host", "Only the host of the game can do that.")
            players = self._players(session, game)
            if role == "player" and (seat is None or not 0 <= seat < len(players)):
                raise TableError(400, "seat", "There is no such player in this game.")
            if member.role == "player" and role == "viewer":
                game.open = False
            if role != "host":
                member.seat = seat if role == "player" else None
            member.role = role
            if member.seat is not None:
                member.name = players[member.seat].name
            self._touch(game)
            session.flush()
            self._note(session, game, giver, member)
            answer = self._snapshot(session, game, giver)
        self._after_change(game)
        return answer

    def remove_member(self, code: str, token: str, member_id: int) -> Json:
        """Remove a device; its changes stay. Nobody new can join until the host opens the door."""
        with self.store.writing() as session:
            game, host = self._hosting(session, code, token)
            member = session.get(Member, member_id)
            if member is None or member.game_id != game.id or member.role == "host":
                raise TableError(404, "member", "There is no such member to change.")
            member.role, member.seat = "removed", None
            game.open = False
            self._touch(game)
            session.flush()
            self._note(session, game, host, member)
            answer = self._snapshot(session, game, host)
        self._after_change(game)
        return answer

    def set_open(self, code: str, token: str, is_open: bool) -> Json:
        """Let new people join, or nobody any more."""
        with self.store.writing() as session:
            game, host = self._hosting(session, code, token)
            game.open = is_open
            self._touch(game)
            session.flush()
            answer = self._snapshot(session, game, host)
        self._after_change(game)
        return answer

    def delete(self, code: str, token: str) -> None:
        """Delete a game for real: rows and photos."""
        with self.store.writing() as session:
            game, _ = self._hosting(session, code, token)
            files = delete_game(session, game)
        for name in files:
            self.photos.remove(name)
        self.store.forget_deleted()
        self.announcements.announce(code, game.version + 1)

    # Photos

    def boards(self, code: str, token: str, board: str) -> Json:
        """What is needed to photograph or type in a board: labels, shape, and who can read it."""
        with self.store.reading() as session:
            game, _ = self._entered(session, code, token)
            described = self.reader.describe(board, self._own_board(game, board))
        return described | {"samples": demo_names(board)}

    def add_photo(
        self,
        code: str,
        token: str,
        data: bytes,
        board: str,
        seat: int | None = None,
        profile: str | None = None,
        corners: Corners | None = None,
        size: tuple[int, int] | None = None,
        camera: str | None = None,
    ) -> Json:
        """Read a photo and keep it as evidence; gives its number, reading and the cells' options.

        Nothing is kept of a photo that is refused. Raises VisionError, ProfileError and TableError.
        """
        with self.store.reading() as session:
            game, member = self._entered(session, code, token, acting=True)
            self._refuse_seat(session, game, seat)
            kept = session.scalar(
                select(func.count()).select_from(Photo).where(Photo.game_id == game.id)
            )
            if (kept or 0) >= MOST_PHOTOS:
                raise TableError(
                    409,
                    "too_many_photos",
                    f"This game holds {MOST_PHOTOS} photos; it cannot take more.",
                )
            own_board = self._own_board(game, board)
            self.quotas.admit(session, token, 0)
        read = self.reader.read_board(data, board, profile, corners, own_board, size, camera)
        picture = picture_of(data)
        document = scaled(read.document, picture.per_px)
        name = self.photos.save(picture.jpeg)
        try:
            with self.store.writing() as session:
                game, member = self._entered(session, code, token, lock=True, acting=True)
                read_bytes = size_of(document)
                _refuse_long(game, read_bytes)
                self.quotas.admit(session, token, len(picture.jpeg) + read_bytes)
                game.photo_bytes += len(picture.jpeg)
                game.log_bytes += read_bytes
                photo = Photo(
                    game_id=game.id,
                    member_id=member.id,
                    seat=seat,
                    board=board,
                    profile=document["profile"],
                    sha256=picture.sha256,
                    file=name,
                    reading=document,
                    width=picture.width,
                    height=picture.height,
                    size=len(picture.jpeg),
                )
                session.add(photo)
        except BaseException:
            self.photos.remove(name)
            raise
        self.prune()
        return {
            "photo": photo.id,
            **_photo_document(photo),
            "reading": _told(document),
            "spec": read.spec,
        }

    def look(
        self,
        code: str,
        token: str,
        data: bytes,
        board: str,
        profile: str | None = None,
        camera: str | None = None,
    ) -> dict[str, Json]:
        """Read a live camera's picture and keep nothing: ``{"reading"}``, in its pixels.

        Raises VisionError, ProfileError and TableError.
        """
        with self.store.reading() as session:
            game, _ = self._entered(session, code, token, acting=True)
            own_board = self._own_board(game, board)
        read = self.reader.read_board(data, board, profile, own=own_board, camera=camera)
        return {"reading": _told(read.document)}

    def read_cards(self, code: str, token: str, data: bytes, profile: str | None = None) -> Json:
        """Read a photo of pattern cards and keep nothing: a hand is private.

        Raises VisionError, ProfileError and TableError.
        """
        with self.store.reading() as session:
            self._entered(session, code, token, acting=True)
        return _told(self.reader.read_cards(data, profile))

    def photo_reading(self, code: str, token: str, photo_id: int) -> Json:
        """A kept photo with its reading, to go on correcting it."""
        with self.store.reading() as session:
            game, _ = self._entered(session, code, token)
            photo = self._photo(session, game, photo_id)
            spec = self.reader.describe(photo.board, self._own_board(game, photo.board))
            used = self._last_use(session, game, photo)
            return {
                "photo": photo.id,
                **_photo_document(photo),
                "reading": _told(photo.reading),
                "spec": spec,
                "used": used and {"text": used.get("text"), "turns": used.get("turns", 0)},
            }

    def photo_file(self, code: str, token: str, photo_id: int) -> Path:
        """Where a kept photo lies.

        Raises TableError if it was removed, or is not for this device.
        """
        with self.store.reading() as session:
            game, _ = self._entered(session, code, token)
            photo = self._photo(session, game, photo_id)
            if photo.file is None or not self.photos.path(photo.file).is_file():
                raise TableError(
                    404, "photo_removed", "This photo was removed; what was read from it is kept."
                )
            return self.photos.path(photo.file)

    def prune(self, now: Callable[[], float] = time.monotonic) -> int:
        """Note the day, and remove photos that are older than they may get or belong to no game.

        At most once an hour. Gives how many there were too old.
        """
        with self._pruning:
            if now() - self._pruned < PRUNE_EVERY_SECONDS:
                return 0
            self._pruned = now()
        with self.store.writing() as session:
            clock.see(session, now_utc())
        self._sweep()
        return self.remove_old_photos()

    def _sweep(self) -> None:
        """Remove photos without a row: a crash came between writing the file and the row."""
        lost = self.photos.left_over()
        with self.store.reading() as session:
            kept = set(session.scalars(select(Photo.file).where(Photo.file.is_not(None))))
        for path in lost:
            if path.name not in kept:
                path.unlink(missing_ok=True)

    def remove_old_photos(self) -> int:
        """Remove photos that are older than they may get; their readings stay. Gives how many.

        Their age is counted to the last day that has surely passed (``webapp.store.clock``).
        """
        if self.photo_days is None:
            return 0
        old = select(Photo).where(Photo.file.is_not(None))
        if self.photo_days == 0:
            old = old.join(Game, Game.id == Photo.game_id).where(Game.finished_utc.is_not(None))
        else:
            with self.store.reading() as session:
                passed = clock.passed(clock.seen(session))
            if passed is None:
                return 0
            old = old.where(
                Photo.taken_utc < clock.midnight(passed) - timedelta(days=self.photo_days)
            )
        with self.store.writing() as session:
            photos = session.scalars(old).all()
            names = [photo.file for photo in photos if photo.file]
            for photo in photos:
                photo.file = None
                smaller = Game.photo_bytes - photo.size
                session.execute(
                    update(Game).where(Game.id == photo.game_id).values(photo_bytes=smaller)
                )
        for name in names:
            self.photos.remove(name)
        return len(names)

    # Within a transaction

    def _rules(self, kind: str) -> Rules:
        rules = self.games.get(kind)
        if rules is None:
            raise TableError(400, "kind", "This program does not know that game.")
        return rules

    def _title(self, kind: str) -> str:
        rules = self.games.get(kind)
        return rules.setup_form().title if rules else kind

    def _free_code(self, session: Session) -> str:
        while True:
            code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
            if session.scalar(select(Game.id).where(Game.code == code)) is None:
                return code

    def _locked(self, session: Session, code: str) -> Game | None:
        return session.scalar(select(Game).where(Game.code == code).with_for_update())

    def _member(self, session: Session, game: Game, token: str) -> Member | None:
        return session.scalar(select(Member).where(Member.game_id == game.id, of_device(token)))

    def _entered(
        self, session: Session, code: str, token: str, *, lock: bool = False, acting: bool = False
    ) -> tuple[Game, Member]:
        """The game and who asks. To outsiders a game that is not theirs looks like none."""
        game = (
            self._locked(session, code)
            if lock
            else session.scalar(select(Game).where(Game.code == code))
        )
        member = self._member(session, game, token) if game else None
        if game is None or member is None:
            raise TableError(
                403, "not_a_member", "You are not in this game: join it with its code first."
            )
        if acting and member.role == "viewer":
            raise TableError(403, "viewer", "You are watching: ask the host to let you play.")
        return game, member

    def _hosting(self, session: Session, code: str, token: str) -> tuple[Game, Member]:
        game, member = self._entered(session, code, token, lock=True)
        self._refuse_all_but_the_host(member)
        return game, member

    def _refuse_all_but_the_host(self, member: Member) -> None:
        if member.role != "host":
            raise TableError(403, "not_the_host", "Only the host of the game can do that.")

    def _refuse_place(
        self, member: Member | None, seat: int | None, members: Sequence[Member], name: str
    ) -> None:
        """Raise TableError where a device may not take a place by itself."""
        if member is not None and member.role == "removed":
            raise _removed()
        if seat is None or (member is not None and member.role == "host"):
            return
        if member is not None and member.role == "viewer":
            raise TableError(403, "viewer", "You are watching: ask the host to let you play.")
        if any(one.seat == seat and one is not member for one in members):
            raise TableError(
                409,
                "seat_taken",
                (
                    f"Somebody plays as {name} already: watch first, then {name} or the host can "
                    "give you the seat."
                ),
            )

    def _note(self, session: Session, game: Game, by: Member, member: Member) -> None:
        """Write into the log who plays, watches or is out now.

        It is no step of the game: undo passes it by.
        """
        last = session.scalar(select(func.max(Event.seq)).where(Event.game_id == game.id)) or 0
        change = {"type": "member", "name": member.name, "role": member.role, "seat": member.seat}
        state = self._current(session, game).state
        self.quotas.admit(session, None, size_of_event(change, state))
        session.add(
            Event(
                game_id=game.id,
                seq=last + 1,
                version=game.version,
                member_id=by.id,
                action=change,
                state=state,
                undone=True,
                dropped=True,
            )
        )

    def _members(self, session: Session, game: Game) -> Sequence[Member]:
        return session.scalars(
            select(Member).where(Member.game_id == game.id).order_by(Member.id)
        ).all()

    def _players(self, session: Session, game: Game) -> Sequence[Player]:
        return session.scalars(
            select(Player).where(Player.game_id == game.id).order_by(Player.seat)
        ).all()

    def _photo(self, session: Session, game: Game, photo_id: int) -> Photo:
        photo = session.get(Photo, photo_id) if photo_id < 2**31 else None
        if photo is None or photo.game_id != game.id:
            raise TableError(404, "no_photo", "There is no such photo in this game.")
        return photo

    def _current(self, session: Session, game: Game) -> Event:
        return session.scalars(
            select(Event).where(Event.game_id == game.id, Event.seq == game.event_seq)
        ).one()

    def _next_undone(self, session: Session, game: Game) -> Event | None:
        return session.scalar(
            select(Event)
            .where(Event.game_id == game.id, Event.undone.is_(True), Event.dropped.is_(False))
            .order_by(Event.seq)
            .limit(1)
        )

    def _touch(self, game: Game) -> None:
        game.version += 1
        game.changed_utc = now_utc()

    def _count(self, session: Session, game: Game, token: str, action: Json, state: Json) -> None:
        """Count an entry of the log.

        Raises TableError if the log, or all that is kept, is large enough.
        """
        size = size_of_event(action, state)
        if action["type"] not in HOST_ACTIONS:
            _refuse_long(game, size)
        if size > SMALL_BYTES:
            self.quotas.admit(session, token, size)
        game.log_bytes += size

    def _mark_finished(self, game: Game, state: Json) -> None:
        if not state.get("finished"):
            game.finished_utc = game.result = None
            return
        game.result = self._rules(game.kind).result(state)
        if game.finished_utc is None:
            game.finished_utc = now_utc()

    def _after_change(self, game: Game) -> None:
        self.announcements.announce(game.code, game.version)
        if self.photo_days == 0 and game.finished_utc is not None:
            self.remove_old_photos()

    def _done_before(self, session: Session, game: Game, key: Any) -> bool:
        if not isinstance(key, str) or not 0 < len(checked_json(key)) <= 40:
            raise TableError(400, "key", "The key of a change has at most 40 letters.")
        return (
            session.scalar(
                select(Event.id).where(Event.game_id == game.id, Event.request_key == key)
            )
            is not None
        )

    def _refuse_stale(
        self,
        session: Session,
        game: Game,
        member: Member,
        rules: Rules,
        action: Json,
        base_version: Any,
    ) -> None:
        if base_version is None or base_version == game.version:
            return
        if isinstance(base_version, bool) or not isinstance(base_version, int):
            raise TableError(400, "base_version", "The version of the game is a whole number.")
        if not 0 <= base_version < game.version:
            raise TableError(
                400, "base_version", "The game has no such version: please reload the page."
            )
        mine = rules.touches(action)
        if not mine:
            return
        others = session.scalars(
            select(Event).where(
                Event.game_id == game.id,
                Event.version > base_version,
                Event.member_id.is_distinct_from(member.id),
            )
        )
        for event in others:
            if event.action != action and conflict(mine, rules.touches(event.action)):
                raise StaleChange(
                    (
                        "Somebody changed the same place just now: look at what it says and change "
                        "it again if needed."
                    ),
                    self._snapshot(session, game, member),
                )

    def _last_use(self, session: Session, game: Game, photo: Photo) -> Json | None:
        """The action that last set a board from this photo."""
        events = session.scalars(
            select(Event)
            .where(Event.game_id == game.id, Event.undone.is_(False), Event.dropped.is_(False))
            .order_by(Event.seq.desc())
        )
        uses = (
            event.action
            for event in events
            if event.action["type"] == "board" and event.action.get("photo") == photo.id
        )
        return next(uses, None)

    def _refuse_seat(self, session: Session, game: Game, seat: int | None) -> None:
        if seat is not None and not 0 <= seat < len(self._players(session, game)):
            raise TableError(400, "seat", "There is no such player in this game.")

    def _refuse_foreign_photo(self, session: Session, game: Game, action: Json) -> None:
        number = action.get("photo")
        if number is None:
            return
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise TableError(400, "photo", "The number of a photo is a whole number.")
        self._photo(session, game, number)

    def _own_board(self, game: Game, board: str) -> Json | None:
        """The description of a board that only this game has."""
        table = game.setup["options"].get("board") if board == "custom" else None
        if board == "custom" and not isinstance(table, dict):
            raise TableError(400, "unknown_board", "This game has no board of its own.")
        return table

    def _snapshot(self, session: Session, game: Game, member: Member) -> Json:
        rules = self._rules(game.kind)
        event = self._current(session, game)
        members = self._members(session, game)
        viewer = _viewer(member, members)
        names = {one.id: one.name for one in members}
        photos = session.scalars(select(Photo).where(Photo.game_id == game.id).order_by(Photo.id))
        return {
            "code": game.code,
            "kind": game.kind,
            "title": self._title(game.kind),
            "version": game.version,
            "state": rules.public(event.state, viewer),
            "view": rules.view(event.state, viewer),
            "players": [
                {"seat": player.seat, "name": player.name, "colour": player.colour}
                for player in self._players(session, game)
            ],
            "you": {"role": member.role, "seat": member.seat, "id": member.id, "name": member.name},
            "members": [
                {"id": one.id, "name": one.name, "role": one.role, "seat": one.seat}
                for one in members
                if one.role != "removed" or member.role == "host"
            ],
            "open": game.open,
            "can_undo": event.seq > 0 and member.role != "viewer",
            "can_redo": member.role != "viewer" and self._next_undone(session, game) is not None,
            "last": {
                "type": event.action["type"],
                "by": names.get(event.member_id or 0),
                "at": event.at_utc.isoformat(),
            },
            "finished": game.finished_utc is not None,
            "photos": [{"id": photo.id, **_photo_document(photo)} for photo in photos],
        }


def _refuse_long(game: Game, size: int) -> None:
    if game.log_bytes + size > MOST_LOG_BYTES:
        raise TableError(
            409,
            "long_game",
            "This game has so many changes that it takes no more: please start another one.",
        )


def size_of_event(action: Json, state: Json) -> int:
    """What an entry of the log counts."""
    return max(LEAST_EVENT_BYTES, size_of(action) + size_of(state))


def delete_game(session: Session, game: Game) -> list[str]:
    """Delete a game's rows within the caller's transaction; gives the photo files to remove."""
    photos = session.scalars(select(Photo).where(Photo.game_id == game.id)).all()
    files = [photo.file for photo in photos if photo.file]
    for table in (Photo, Event, Member, Player):
        for row in session.scalars(select(table).where(table.game_id == game.id)):
            session.delete(row)
        session.flush()
    session.delete(game)
    return files


def scaled(document: Json, per_px: tuple[float, float]) -> Json:
    """A reading's document with its corners in pixels of another size of the photo.

    Pixel centres are whole numbers, so the picture's edge lies at -0.5.
    """

    def moved(quad: list[list[float]]) -> list[list[float]]:
        return [
            [
                round((value + 0.5) * factor - 0.5, 2)
                for value, factor in zip(point, per_px, strict=True)
            ]
            for point in quad
        ]

    cells = [cell | {"quad": moved(cell["quad"])} for cell in document["cells"]]
    return document | {"cells": cells, "outline": moved(document["outline"])}


def of_device(token: str) -> ColumnElement[bool]:
    """The condition that a member is the device of *token*, and was not removed."""
    return and_(Member.token_hash == token_hash(token), Member.role != "removed")


def _joined(token: str) -> Select[int]:
    """The games a device joined last, by number, few enough to list at once."""
    return (
        select(Member.game_id).where(of_device(token)).order_by(Member.id.desc()).limit(MOST_LISTED)
    )


def is_note(action: Json) -> bool:
    """Whether an entry of the log says who plays or watches, and is no step of the game."""
    return action.get("type") == "member"


def _viewer(member: Member, members: Sequence[Member]) -> Json:
    """Who asks, for the rules: role, seat, and in ``held`` the seats that have a device."""
    held = sorted({one.seat for one in members if one.seat is not None})
    return {"role": member.role, "seat": member.seat, "held": held}


def _told(reading: Json) -> Json:
    """A reading whose problems are told in the language of the request."""
    return reading | {"problems": [gettext(problem) for problem in reading.get("problems", ())]}


def _photo_document(photo: Photo) -> Json:
    return {
        "board": photo.board,
        "seat": photo.seat,
        "taken": photo.taken_utc.isoformat(),
        "kept": photo.file is not None,
        "width": photo.width,
        "height": photo.height,
    }


def size_of(value: Any) -> int:
    """Bytes of a value as JSON."""
    import json

    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace"))


def _chars(value: Any) -> int:
    import json

    return len(json.dumps(value, ensure_ascii=False))


def _removed() -> TableError:
    return TableError(
        403, "removed", "You were taken out of this game: ask the host to let you in again."
    )


def _no_game() -> TableError:
    return TableError(
        404, "no_game", "There is no game with that code: please check its six letters and digits."
    )
