"""Logins that the hosts of a fleet share, sealed; and what a provider's quota has been spent on.

Downgrading forgets both: where logins lie in the database, the older release knows no such mailbox,
and a later upgrade begins with a new login and an empty day.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "tokens",
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("refreshed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("integration", name=op.f("pk_tokens")),
    )
    op.create_table(
        "units",
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.Column("last_minute", sa.BigInteger(), nullable=False),
        sa.Column("told_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("integration", name=op.f("pk_units")),
    )


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("units")
    op.drop_table("tokens")
