"""A device at a game within one transaction: its place, the log, and the game as it sees it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import select, update

from scorer.game import Json
from scorer.text import Text
from webapp.i18n import language
from webapp.store.models import Event, Game, Member, Photo, Player, now_utc
from webapp.tables.devices import GONE
from webapp.tables.errors import TableError
from webapp.tables.news import add_news
from webapp.tables.scene import GameRows, Scene, viewer
from webapp.tables.values import MOST_LOG_BYTES, size_of_event


@dataclass(slots=True)
class Visit(GameRows):
    """One device, ``member``, at one ``game``. ``shown`` is the game as it was told last."""

    member: Member = field(init=False)
    shown: Scene | None = field(default=None, init=False)

    @property
    def state(self) -> Json:
        """The state of the game."""
        return self.standing()[0].state

    def viewer(self) -> Json:
        """Who asks, for the rules: role and seat, and in ``held`` every seat with a device."""
        return viewer(self.member, self.members())

    def photo(self, photo_id: int) -> Photo:
        """A photo of the game. Raises TableError if there is no such one."""
        photo = self.session.get(Photo, photo_id) if photo_id < 2**31 else None
        if photo is None or photo.game_id != self.game.id:
            raise TableError(404, "no_photo", "There is no such photo in this game.")
        return photo

    # The log

    def standing_actions(self) -> Iterable[Json]:
        """What was done and not undone, the last first."""
        return self.session.scalars(
            select(Event.action)
            .where(Event.game_id == self.game.id, Event.undone.is_(False), Event.dropped.is_(False))
            .order_by(Event.seq.desc())
        )

    def next_undone(self) -> Event:
        """The entry that redo would do again."""
        return self.session.scalars(
            select(Event)
            .where(Event.game_id == self.game.id, Event.undone.is_(True), Event.dropped.is_(False))
            .order_by(Event.seq)
            .limit(1)
        ).one()

    def touch(self, *, people: bool = True) -> None:
        """Give the game its next version; *people* says whether it may have other people now."""
        self.game.version += 1
        self.game.changed_utc = now_utc()
        if people:
            self.game.people_version = self.game.version

    def append(
        self,
        action: Json,
        state: Json,
        *,
        key: str | None = None,
        is_note: bool = False,
        by: Member | None = None,
    ) -> int:
        """Write an entry *by* this device, or another, at the end of the log; gives its number.

        One that is no note takes the place of what could be done again.
        """
        current, last, redo = self.standing()
        if redo and not is_note:
            self.session.execute(
                update(Event)
                .where(Event.game_id == self.game.id, Event.undone, ~Event.dropped)
                .values(dropped=True)
            )
        event = Event(
            game_id=self.game.id,
            seq=last + 1,
            version=self.game.version,
            member_id=(by or self.member).id,
            action=action,
            state=state,
            request_key=key,
            undone=is_note,
            dropped=is_note,
        )
        self.session.add(event)
        self._standing = (current, event.seq, redo) if is_note else (event, event.seq, False)
        return event.seq

    def note(self, member: Member, *, by: Member | None = None) -> None:
        """Write into the log who plays, watches or is out now.

        It is no step of the game: undo passes it by.
        """
        self.session.flush()
        change = {"type": "member", "name": member.name, "role": member.role, "seat": member.seat}
        state = self.state
        size = size_of_event(change, state)
        self.desk.quotas.admit(self.session, None, size)
        self.game.log_bytes += size
        self.append(change, state, is_note=True, by=by)

    def seat_players(self, players: Sequence[Json], *, undone_at: int | None = None) -> None:
        """Keep a seat for each of the players of a state, with what the player is.

        Whoever sat on one that is gone watches, and has it again where a redo brings the player
        back; *undone_at* is the version of the undo.
        """
        colours = [player.get("colour") or player.get("season") for player in players]
        if [row.colour for row in self.players()] == colours:
            return
        self.game.people_version = self.game.version
        self._members = self._players = None
        rows = self.players()
        for row, colour in zip(rows, colours, strict=False):
            row.colour = colour
        for seat, player in list(enumerate(players))[len(rows) :]:
            row = Player(game_id=self.game.id, seat=seat, name=player["name"], colour=colours[seat])
            self.session.add(row)
            if undone_at is not None:
                self._seat_again(row, undone_at)
        for row in rows[len(players) :]:
            self.session.delete(row)
        self._players = None
        for member in self.members():
            if member.seat is not None and member.seat >= len(players):
                member.seat = None
                member.role = "viewer" if member.role == "player" else member.role
                self.note(member, by=member)

    def _seat_again(self, player: Player, undone_at: int) -> None:
        """Give a player's seat back to the device that lost it, as the notes of the undo say.

        It watches, and bears the name still.
        """
        lost = self.session.scalars(
            select(Event.member_id).where(Event.game_id == self.game.id, Event.version == undone_at)
        ).all()
        watching = (one for one in self.members() if one.seat is None and one.role not in GONE)
        member = next((one for one in watching if one.id in lost and one.name == player.name), None)
        if member is not None:
            member.seat = player.seat
            member.role = "player" if member.role == "viewer" else member.role
            self.note(member)

    # What is seen

    def tell(self, says: Text, key: str | None = None, *, is_coming: bool = False) -> None:
        """Add a sentence to the news of the game as it is now; an empty one tells nothing.

        *is_coming* says that somebody came or went.
        """
        add_news(self.game, self.member, says, key, is_coming=is_coming)

    def log(self) -> list[Json]:
        """Every change since the start, those that were undone included."""
        viewer = self.viewer()
        names = {one.id: one.name for one in self.members()}
        events = self.session.scalars(
            select(Event).where(Event.game_id == self.game.id).order_by(Event.seq)
        )
        return [
            {
                "seq": event.seq,
                "at": event.at_utc.isoformat(),
                "by": names.get(event.member_id or 0),
                "action": self.rules.public_action(event.action, viewer, undone=event.undone),
                "undone": event.undone and not is_note(event.action),
                "dropped": event.dropped and not is_note(event.action),
            }
            for event in events
        ]

    def told(self) -> str:
        """The game as this device may see it, as JSON in the language of the request."""
        self.shown = self.scene()
        return self.shown.told(self.member.id, language()) or ""


def is_note(action: Json) -> bool:
    """Whether an entry of the log says who plays or watches, and is no step of the game."""
    return action.get("type") == "member"


def refuse_long(game: Game, size: int) -> None:
    """Raise TableError if the log of a game would grow too large by *size* bytes."""
    if game.log_bytes + size > MOST_LOG_BYTES:
        raise TableError(
            409,
            "long_game",
            "This game has so many changes that it takes no more: please start another one.",
        )
