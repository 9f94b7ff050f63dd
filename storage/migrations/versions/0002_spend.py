"""What models cost, by user and day, and which server is left alone for now.

Downgrading forgets what was spent today, so that the older release, which asks no model, spends
nothing, and a later upgrade begins the day anew.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "spend",
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user", "day", name=op.f("pk_spend")),
    )
    op.create_table(
        "model_rests",
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("since_at", sa.BigInteger(), nullable=False),
        sa.Column("until_at", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("standing", sa.SmallInteger(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("user", name=op.f("pk_model_rests")),
    )


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("model_rests")
    op.drop_table("spend")
