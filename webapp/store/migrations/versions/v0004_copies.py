"""Which taught copy of each board lies on the table of a game."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column; games that are there have chosen none."""
    op.add_column("game", sa.Column("copies", sa.JSON, server_default="{}", nullable=False))
