"""The tables. A test compares them with those that ``webapp/store/migrations`` make."""

from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    MetaData,
    String,
    UniqueConstraint,
    func,
    true,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.sql.expression import false
from sqlalchemy.types import TypeDecorator

CODE_LETTERS = 6


def now_utc() -> datetime:
    """The time, to the millisecond."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC. Stored without a zone, because SQLite knows none; aware in Python."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 (read by SQLAlchemy)
        dict[str, Any]: JSON,
        list[Any]: JSON(none_as_null=True),
        datetime: UtcTime,
    }


class Game(Base):
    """One game at one table.

    ``version`` counts every change, undo and redo included. ``event_seq`` is the cursor: the number
    of the event whose state is the game's; 0 is the start. ``open`` says whether new people may
    join. ``people_version`` is the first version with the players, members and photos of now.
    ``log_bytes`` and ``photo_bytes`` are what its log and its kept photos take; ``result`` is
    that of a game that is over. ``copies`` names the taught copy of each board that lies on the
    table, empty for the one that comes with the program. ``news`` are the last things that
    happened (``webapp.tables.news``), ``next_code`` the game that goes on after this one, and
    ``timer`` the one that runs (``webapp.tables.timer``).
    """

    __tablename__ = "game"
    __table_args__ = (Index(None, "log_bytes", "photo_bytes"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(String(CODE_LETTERS), unique=True)
    kind: Mapped[str] = mapped_column(String(20))
    setup: Mapped[dict[str, Any]]
    version: Mapped[int] = mapped_column(default=0)
    people_version: Mapped[int] = mapped_column(default=0, server_default="0")
    event_seq: Mapped[int] = mapped_column(default=0)
    open: Mapped[bool] = mapped_column(default=True, server_default=true())
    created_utc: Mapped[datetime] = mapped_column(default=now_utc)
    changed_utc: Mapped[datetime] = mapped_column(default=now_utc)
    finished_utc: Mapped[datetime | None]
    location: Mapped[str | None] = mapped_column(String(200))
    log_bytes: Mapped[int] = mapped_column(default=0, server_default="0")
    photo_bytes: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    result: Mapped[list[Any] | None]
    copies: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    news: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    next_code: Mapped[str | None] = mapped_column(String(CODE_LETTERS))
    timer: Mapped[dict[str, Any] | None]


NEWEST_FIRST = (func.coalesce(Game.finished_utc, Game.changed_utc).desc(), Game.id.desc())
"""Order of games: by their end, or their last change while they go on. What is entered on the pad
of a finished game does not move it."""


class Player(Base):
    """One who plays, whether with a phone or not; ``colour`` is the colour or the season chosen."""

    __tablename__ = "player"
    __table_args__ = (UniqueConstraint("game_id", "seat"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id", ondelete="CASCADE"), index=True)
    seat: Mapped[int]
    name: Mapped[str] = mapped_column(String(80), index=True)
    colour: Mapped[str | None] = mapped_column(String(40))


class Member(Base):
    """One device that joined: known by the hash of the secret in its cookie."""

    __tablename__ = "member"
    __table_args__ = (UniqueConstraint("game_id", "token_hash"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), index=True)
    role: Mapped[str] = mapped_column(String(10))
    seat: Mapped[int | None]
    name: Mapped[str] = mapped_column(String(80))
    joined_utc: Mapped[datetime] = mapped_column(default=now_utc)


class Event(Base):
    """One change and the whole state after it; ``seq`` 0 is the start.

    ``undone`` events can be redone unless they are ``dropped``: then something else was done
    instead, and they stay only as evidence. ``request_key`` is the sender's own number of the
    change: one that is sent again because the answer was lost is not done twice.
    """

    __tablename__ = "event"
    __table_args__ = (
        UniqueConstraint("game_id", "seq"),
        Index("ix_event_request", "game_id", "request_key", unique=True),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id", ondelete="CASCADE"))
    seq: Mapped[int]
    at_utc: Mapped[datetime] = mapped_column(default=now_utc)
    version: Mapped[int]
    member_id: Mapped[int | None] = mapped_column(ForeignKey("member.id", ondelete="SET NULL"))
    action: Mapped[dict[str, Any]]
    state: Mapped[dict[str, Any]]
    undone: Mapped[bool] = mapped_column(default=False, server_default=false())
    dropped: Mapped[bool] = mapped_column(default=False, server_default=false())
    request_key: Mapped[str | None] = mapped_column(String(40))


class Photo(Base):
    """A photo and its reading; ``file`` is its name in the folder, None once it is removed.

    ``sha256`` is that of the stored file. The quads of ``reading`` are in pixels of the stored
    picture. ``request_key`` is the sender's own number, as an event's.
    """

    __tablename__ = "photo"
    __table_args__ = (
        Index("ix_photo_request", "game_id", "member_id", "request_key", unique=True),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[int] = mapped_column(ForeignKey("game.id", ondelete="CASCADE"), index=True)
    member_id: Mapped[int | None] = mapped_column(ForeignKey("member.id", ondelete="SET NULL"))
    seat: Mapped[int | None]
    board: Mapped[str] = mapped_column(String(40))
    profile: Mapped[str | None] = mapped_column(String(80))
    sha256: Mapped[str] = mapped_column(String(64))
    file: Mapped[str | None] = mapped_column(String(80))
    reading: Mapped[dict[str, Any]]
    taken_utc: Mapped[datetime] = mapped_column(default=now_utc)
    width: Mapped[int]
    height: Mapped[int]
    size: Mapped[int]
    request_key: Mapped[str | None] = mapped_column(String(40))


class Person(Base):
    """Somebody with whom a device has played: offered by name when it starts the next game.

    ``device`` is the hash of its secret, ``key`` the name however its letters are written.
    ``colours`` and ``seats`` are those of the last game of each kind.
    """

    __tablename__ = "person"
    __table_args__ = (UniqueConstraint("device", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    device: Mapped[str] = mapped_column(String(64))
    key: Mapped[str] = mapped_column(String(80))
    name: Mapped[str] = mapped_column(String(80))
    colours: Mapped[dict[str, Any]] = mapped_column(default=dict)
    seats: Mapped[dict[str, Any]] = mapped_column(default=dict)
    games: Mapped[int] = mapped_column(default=0)
    played_utc: Mapped[datetime] = mapped_column(default=now_utc)


class Setting(Base):
    """A choice of the owner of the table computer, by its name."""

    __tablename__ = "setting"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[str] = mapped_column(String(40))


class SeenDay(Base):
    """One day (UTC) on which the program ran, as its clock said; see ``webapp.store.clock``."""

    __tablename__ = "seen_day"

    day: Mapped[date] = mapped_column(primary_key=True)


class Identity(Base):
    """The name of this database, in one row: by it a data folder knows its own."""

    __tablename__ = "identity"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)


class SharedValue(Base):
    """A key that all processes share; see ``webapp.store.shared``."""

    __tablename__ = "shared_value"

    name: Mapped[str] = mapped_column(String(80), primary_key=True)
    value: Mapped[bytes]


class WrongTry(Base):
    """One wrong code or PIN, and the address it came from."""

    __tablename__ = "wrong_try"
    __table_args__ = (Index(None, "what", "at_utc"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    what: Mapped[str] = mapped_column(String(20))
    address: Mapped[str] = mapped_column(String(80))
    at_utc: Mapped[datetime]


class Used(Base):
    """How much an address had used of an hourly amount at a moment."""

    __tablename__ = "used"

    what: Mapped[str] = mapped_column(String(20), primary_key=True)
    address: Mapped[str] = mapped_column(String(80), primary_key=True)
    used: Mapped[float] = mapped_column(Double)
    at_utc: Mapped[datetime]
