"""Days that the clock has shown, and the name of the database."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables and choose a name."""
    op.create_table(
        "seen_day",
        sa.Column("day", sa.Date, nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_seen_day"),
    )
    named = op.create_table(
        "identity",
        sa.Column("id", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_identity"),
    )
    op.bulk_insert(named, [{"id": secrets.token_hex(16)}])
