"""Games: starting, listing, seeing and deleting them."""

from sqlalchemy import Select, select
from sqlalchemy.exc import DBAPIError

from scorer.game import ActionError, Json
from scorer.games import title_of
from scorer.setup import started
from scorer.text import Text
from webapp.i18n import gettext
from webapp.store.engine import takes_nothing
from webapp.store.models import NEWEST_FIRST, Event, Game, Member, Photo, Player
from webapp.store.photos import PhotoFolder
from webapp.tables.desk import Desk
from webapp.tables.devices import free_code, is_here, of_device, token_hash
from webapp.tables.people import remember
from webapp.tables.scene import GameRows, Scene
from webapp.tables.values import checked_json, size_of_event, tidied, with_tidy_name
from webapp.tables.visit import Visit

MOST_LISTED = 500
"""Games of a device among which the newest are looked for."""

MOST_BOARDS = 100
"""Games whose boards are offered for the next one."""


class Games:
    """The games of one data folder."""

    def __init__(self, desk: Desk, folder: PhotoFolder) -> None:
        self._desk = desk
        self._folder = folder

    def start(
        self,
        kind: str,
        setup: Json,
        token: str,
        seat: int | None,
        location: str = "",
        after: str | None = None,
    ) -> str:
        """Start a game hosted by the device; gives its code. *seat* is the host's, if any.

        *after* is the game of the device that it follows: with the same taught copies. The host of
        that one brings everybody along; a player shows the others the way.
        """
        rules = self._desk.rules(kind)
        setup = checked_json(setup)
        if isinstance(setup.get("players"), list):
            setup = setup | {"players": [with_tidy_name(one) for one in setup["players"]]}
        setup, state = started(rules, setup)
        rules.expect_new(setup)
        state = checked_json(state)
        players = setup["players"]
        if seat is not None and not 0 <= seat < len(players):
            raise ActionError("seat", "There is no such player in this game.")
        location = checked_json(tidied(location)[:200])
        with self._desk.store.writing() as session:
            size = size_of_event({}, state)
            self._desk.quotas.admit(session, token, size, games=1)
            game = Game(
                code=free_code(session),
                kind=kind,
                setup=setup,
                location=location or None,
                log_bytes=size,
            )
            session.add(game)
            session.flush()
            for at, player in enumerate(players):
                session.add(
                    Player(game_id=game.id, seat=at, name=player["name"], colour=player["colour"])
                )
            name = players[seat]["name"] if seat is not None else gettext("Host")
            host = Member(
                game_id=game.id, token_hash=token_hash(token), role="host", seat=seat, name=name
            )
            session.add(host)
            session.flush()
            start = {"action": {"type": "start"}, "state": state}
            session.add(Event(game_id=game.id, seq=0, version=0, member_id=host.id, **start))
            remember(session, host.token_hash, kind, players)
            if after is not None:
                visit = Visit(self._desk, session, game)
                visit.member = host
                before = _followed(self._desk, visit, token, after)
                self._desk.tell(session, before.code, before.version)
        self._desk.pruning.prune()
        return game.code

    def again(self, code: str, token: str) -> Json | None:
        """How a game of the device was set up: code, kind, players, options and its own seat.

        None for a game that the device is not in.
        """
        if self.version(code, token) is None:
            return None
        with self._desk.looking(code, token) as visit:
            return {
                "code": code,
                "kind": visit.game.kind,
                "players": [
                    {"name": player.name, "colour": player.colour} for player in visit.players()
                ],
                "options": visit.game.setup["options"],
                "seat": visit.member.seat,
            }

    def latest(self, kind: str, token: str) -> str | None:
        """The code of the newest game of a kind on the device; None if there is none."""
        with self._desk.store.reading() as session:
            return session.scalar(
                select(Game.code)
                .where(Game.id.in_(_joined(token)), Game.kind == kind)
                .order_by(*NEWEST_FIRST)
                .limit(1)
            )

    def of_device(self, token: str, most: int = 20, *, finished: bool | None = None) -> list[Json]:
        """The device's games, newest first; games joined long ago are left out.

        Only those that are *finished*, or that are not, where that is given.
        """
        wanted = select(Game).where(Game.id.in_(_joined(token))).order_by(*NEWEST_FIRST).limit(most)
        if finished is not None:
            ended = Game.finished_utc.is_not(None)
            wanted = wanted.where(ended if finished else ~ended)
        with self._desk.store.reading() as session:
            games = session.scalars(wanted).all()
            names: dict[int, list[str]] = {game.id: [] for game in games}
            players = select(Player).where(Player.game_id.in_(names)).order_by(Player.seat)
            for player in session.scalars(players):
                names[player.game_id].append(player.name)
        return [
            {
                "code": game.code,
                "kind": game.kind,
                "title": title_of(game.kind, game.setup),
                "players": names[game.id],
                "changed": game.changed_utc.isoformat(),
                "finished": game.finished_utc is not None,
            }
            for game in games
        ]

    def boards_of_device(self, token: str) -> list[Json]:
        """Descriptions of boards that a device has played on, the newest first, each once."""
        with self._desk.store.reading() as session:
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

    def snapshot(self, code: str, token: str) -> Json:
        """The game as this device may see it. Raises TableError for anybody who is no member."""
        with self._desk.looking(code, token) as visit:
            return visit.scene().snapshot(visit.member)

    def told(self, code: str, token: str) -> str:
        """The same as JSON."""
        with self._desk.looking(code, token) as visit:
            return visit.told()

    def screen(self, code: str, token: str) -> Json:
        """The game as anybody at the table may see it, whoever asks: for a screen in the room."""
        with self._desk.looking(code, token) as visit:
            return visit.scene().screen()

    def version(self, code: str, token: str) -> int | None:
        """The version of the game, None for whoever is no member (any more)."""
        with self._desk.store.reading() as session:
            return session.scalar(
                select(Game.version)
                .join(Member, Member.game_id == Game.id)
                .where(Game.code == code, of_device(token))
            )

    def member(self, code: str, token: str) -> int:
        """The number of the member that the device is. Raises TableError if it is none."""
        with self._desk.looking(code, token) as visit:
            return visit.member.id

    def scene(self, code: str) -> Scene | None:
        """The game for all who look at it; None if there is none."""
        with self._desk.store.reading() as session:
            rows = GameRows.load(self._desk, session, code)
            return rows.scene() if rows else None

    def log(self, code: str, token: str) -> list[Json]:
        """Every change since the start, those that were undone included."""
        with self._desk.looking(code, token) as visit:
            return visit.log()

    def delete(self, code: str, token: str) -> None:
        """Delete a game for ever: rows and photos.

        Even that takes room in SQLite's journal: on a full disk the photos make it.
        """
        try:
            files = self._delete_rows(code, token)
        except (OSError, DBAPIError) as error:
            if not takes_nothing(error):
                raise
            with self._desk.store.reading() as session:
                self._remove(_files_of(self._desk.enter(session, code, token, hosting=True)))
            files = self._delete_rows(code, token)
        self._remove(files)
        self._desk.store.forget_deleted()

    def _delete_rows(self, code: str, token: str) -> list[str]:
        """Delete the rows of a game; gives the files of its photos."""
        with self._desk.store.writing() as session:
            visit = self._desk.enter(session, code, token, lock=True, hosting=True)
            files = _files_of(visit)
            _lead_nowhere(self._desk, visit)
            session.delete(visit.game)  # and with it all rows that refer to it
            self._desk.tell(session, code, visit.game.version + 1)
        return files

    def _remove(self, files: list[str]) -> None:
        for name in files:
            self._folder.remove(name)


def _files_of(visit: Visit) -> list[str]:
    """The files of the photos of a game that are still kept."""
    kept = select(Photo.file).where(Photo.game_id == visit.game.id, Photo.file.is_not(None))
    return [str(name) for name in visit.session.scalars(kept)]


def _followed(desk: Desk, visit: Visit, token: str, code: str) -> Game:
    """Let the game of a visit follow that of *code*, which the device must be in; gives that one.

    All who are in it are told and shown the way: by its host, or by a player while there is no
    next game yet. Where its host is the one who starts, they are in the new game, too.
    """
    old = desk.enter(visit.session, code, token, lock=True)
    visit.game.copies = dict(old.game.copies)
    is_host = old.member.role == "host"
    if is_host:
        _bring_along(visit, old)
    if is_host or (old.member.role == "player" and old.game.next_code is None):
        old.game.next_code = visit.game.code
        old.touch()
        old.tell(Text("%(name)s has started the next game.", name=old.member.name))
    return old.game


def _lead_nowhere(desk: Desk, visit: Visit) -> None:
    """Let games that led to that of a visit, which is deleted, be followed by another one.

    Whoever started it was in both.
    """
    devices = [one.token_hash for one in visit.members()]
    shared = select(Member.game_id).where(Member.token_hash.in_(devices))
    leading = select(Game).where(Game.id.in_(shared), Game.next_code == visit.game.code)
    for game in visit.session.scalars(leading.with_for_update()).all():
        game.next_code = None
        game.version += 1
        desk.tell(visit.session, game.code, game.version)


def _bring_along(visit: Visit, old: Visit) -> None:
    """Let all of *old* be in the game of a visit: on the seats of their names, or watching."""
    game, host = visit.game, visit.member
    seats = {player.name.casefold(): player.seat for player in visit.players()}
    taken = {host.seat}
    for one in old.members():
        if one is old.member or not is_here(one):
            continue
        seat = None if one.seat is None else seats.get(one.name.casefold())
        seat = None if seat in taken else seat
        taken.add(seat)
        role = "viewer" if seat is None else "player"
        visit.session.add(
            Member(game_id=game.id, token_hash=one.token_hash, role=role, seat=seat, name=one.name)
        )
        if seat is not None:
            remember(visit.session, one.token_hash, game.kind, game.setup["players"])


def _joined(token: str) -> Select[int]:
    """The games a device joined last, by number, few enough to list at once.

    A finished game that was taken in counts as joined when it ended.
    """
    return (
        select(Member.game_id)
        .where(of_device(token))
        .order_by(Member.joined_utc.desc(), Member.id.desc())
        .limit(MOST_LISTED)
    )
