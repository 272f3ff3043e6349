"""People who are remembered, settings, and what a game tells its table."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables and add the columns."""
    op.create_table(
        "person",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("device", sa.String(64), nullable=False),
        sa.Column("key", sa.String(80), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("colours", sa.JSON, nullable=False),
        sa.Column("seats", sa.JSON, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("played_utc", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sa.UniqueConstraint("device", "key", name="uq_person_device"),
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("value", sa.String(40), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_setting"),
    )
    op.add_column("game", sa.Column("news", sa.JSON, server_default="[]", nullable=False))
    op.add_column("game", sa.Column("next_code", sa.String(6)))
    op.add_column("game", sa.Column("timer", sa.JSON))
