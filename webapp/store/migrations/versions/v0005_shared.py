"""What several processes share: keys, wrong tries, and what addresses sent."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the tables; a database in a file leaves them empty."""
    op.create_table(
        "shared_value",
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_shared_value"),
    )
    op.create_table(
        "wrong_try",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("address", sa.String(80), nullable=False),
        sa.Column("at_utc", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_wrong_try"),
    )
    op.create_index("ix_wrong_try_what", "wrong_try", ["what", "at_utc"])
    op.create_table(
        "used",
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("address", sa.String(80), nullable=False),
        sa.Column("used", sa.Double, nullable=False),
        sa.Column("at_utc", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("what", "address", name="pk_used"),
    )
