"""What each worker of a fleet lacks, and how long it may be silent before it counts as gone.

Downgrading forgets both; the older release takes every host for one that serves every mailbox.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both columns; rows of the older release say that nothing is lacking."""
    op.add_column(
        "workers", sa.Column("lacks", sa.JSON(), nullable=False, server_default=sa.text("'{}'"))
    )
    op.add_column(
        "workers", sa.Column("lease_ms", sa.BigInteger(), nullable=False, server_default="60000")
    )


def downgrade() -> None:
    """Drop both columns."""
    # Rebuilt on SQLite, whose older versions drop no column.
    with op.batch_alter_table("workers") as table:
        table.drop_column("lease_ms")
        table.drop_column("lacks")
