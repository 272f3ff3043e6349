"""Since which version of a game its players, members and photos are the same."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "game", sa.Column("people_version", sa.Integer, server_default="0", nullable=False)
    )
