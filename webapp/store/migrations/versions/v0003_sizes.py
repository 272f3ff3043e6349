"""How large each game is, and the result of those that are over."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns and measure the games that are there."""
    op.add_column("game", sa.Column("log_bytes", sa.Integer, server_default="0", nullable=False))
    op.add_column(
        "game", sa.Column("photo_bytes", sa.BigInteger, server_default="0", nullable=False)
    )
    op.add_column("game", sa.Column("result", sa.JSON))
    op.execute(
        "UPDATE game SET log_bytes = COALESCE((SELECT SUM(LENGTH(CAST(state AS TEXT)) + "
        "LENGTH(CAST(action AS TEXT))) FROM event WHERE event.game_id = game.id), 0)"
    )
    op.execute(
        "UPDATE game SET photo_bytes = COALESCE((SELECT SUM(size) FROM photo"
        " WHERE photo.game_id = game.id AND photo.file IS NOT NULL), 0)"
    )
    op.create_index("ix_game_log_bytes", "game", ["log_bytes", "photo_bytes"])
