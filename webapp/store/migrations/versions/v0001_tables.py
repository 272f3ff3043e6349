"""Games, players, members, events and photos."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "game",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("code", sa.String(6), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("setup", sa.JSON, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("event_seq", sa.Integer, nullable=False),
        sa.Column("open", sa.Boolean, server_default=sa.true(), nullable=False),
        sa.Column("created_utc", sa.DateTime, nullable=False),
        sa.Column("changed_utc", sa.DateTime, nullable=False),
        sa.Column("finished_utc", sa.DateTime),
        sa.Column("location", sa.String(200)),
        sa.PrimaryKeyConstraint("id", name="pk_game"),
        sa.UniqueConstraint("code", name="uq_game_code"),
    )
    op.create_table(
        "player",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("game_id", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("colour", sa.String(40)),
        sa.PrimaryKeyConstraint("id", name="pk_player"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["game.id"], name="fk_player_game_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("game_id", "seat", name="uq_player_game_id"),
    )
    op.create_index("ix_player_game_id", "player", ["game_id"])
    op.create_index("ix_player_name", "player", ["name"])
    op.create_table(
        "member",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("game_id", sa.Integer, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("joined_utc", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_member"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["game.id"], name="fk_member_game_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("game_id", "token_hash", name="uq_member_game_id"),
    )
    op.create_index("ix_member_game_id", "member", ["game_id"])
    op.create_index("ix_member_token_hash", "member", ["token_hash"])
    op.create_table(
        "event",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("game_id", sa.Integer, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("at_utc", sa.DateTime, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("member_id", sa.Integer),
        sa.Column("action", sa.JSON, nullable=False),
        sa.Column("state", sa.JSON, nullable=False),
        sa.Column("undone", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("dropped", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("request_key", sa.String(40)),
        sa.PrimaryKeyConstraint("id", name="pk_event"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["game.id"], name="fk_event_game_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["member_id"], ["member.id"], name="fk_event_member_id", ondelete="SET NULL"
        ),
        sa.UniqueConstraint("game_id", "seq", name="uq_event_game_id"),
    )
    op.create_index("ix_event_request", "event", ["game_id", "request_key"], unique=True)
    op.create_table(
        "photo",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("game_id", sa.Integer, nullable=False),
        sa.Column("member_id", sa.Integer),
        sa.Column("seat", sa.Integer),
        sa.Column("board", sa.String(40), nullable=False),
        sa.Column("profile", sa.String(80)),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("file", sa.String(80)),
        sa.Column("reading", sa.JSON, nullable=False),
        sa.Column("taken_utc", sa.DateTime, nullable=False),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_photo"),
        sa.ForeignKeyConstraint(
            ["game_id"], ["game.id"], name="fk_photo_game_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["member_id"], ["member.id"], name="fk_photo_member_id", ondelete="SET NULL"
        ),
    )
    op.create_index("ix_photo_game_id", "photo", ["game_id"])
