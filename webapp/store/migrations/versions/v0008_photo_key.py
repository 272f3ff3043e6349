"""The sender's own number of a photo, so that one that is sent again is kept once."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column and its index."""
    op.add_column("photo", sa.Column("request_key", sa.String(40)))
    op.create_index(
        "ix_photo_request", "photo", ["game_id", "member_id", "request_key"], unique=True
    )
