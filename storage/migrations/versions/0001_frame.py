"""The tables of the frame.

Downgrading gives up everything that is recorded.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make every table."""
    _drafts()
    _epochs()
    _events()
    _evidence()
    _intents()
    _leases()
    _mailboxes()
    _messages()
    _meta()
    _notices()
    _pauses()
    _receipts()
    _review_items()
    _thread_keys()
    _threads()


def downgrade() -> None:
    """Drop every table."""
    for name in _TABLES:
        op.drop_table(name)


_TABLES = (
    "threads",
    "thread_keys",
    "review_items",
    "receipts",
    "pauses",
    "notices",
    "meta",
    "messages",
    "mailboxes",
    "leases",
    "intents",
    "evidence",
    "events",
    "epochs",
    "drafts",
)


def _drafts() -> None:
    op.create_table(
        "drafts",
        sa.Column("id", _SERIAL, autoincrement=True, nullable=False),
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=True),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("missing_at", sa.BigInteger(), nullable=True),
        sa.Column("discard_asked_by", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drafts")),
    )
    op.create_index(
        op.f("ix_drafts_integration_thread"), "drafts", ["integration", "thread"], unique=False
    )
    op.create_index(op.f("ix_drafts_intent"), "drafts", ["intent"], unique=False)


def _epochs() -> None:
    op.create_table(
        "epochs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_epochs")),
    )


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", _SERIAL, autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
    )
    op.create_index(
        op.f("ix_events_integration_thread"), "events", ["integration", "thread"], unique=False
    )


def _evidence() -> None:
    op.create_table(
        "evidence",
        sa.Column("id", _SERIAL, autoincrement=True, nullable=False),
        sa.Column("intent", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
    )
    op.create_index(op.f("ix_evidence_intent"), "evidence", ["intent"], unique=False)


def _intents() -> None:
    op.create_table(
        "intents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("tries_left", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("blocks", sa.SmallInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("request", sa.LargeBinary(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=True),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("token", sa.JSON(), nullable=False),
        sa.Column("place", sa.JSON(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=True),
        sa.Column("call_timeout_ms", sa.Integer(), nullable=False),
        sa.Column("claimed_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.Column("settled_by", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("passing", sa.SmallInteger(), nullable=False),
        sa.Column("retry_at", sa.BigInteger(), nullable=True),
        sa.Column("next_look_at", sa.BigInteger(), nullable=True),
        sa.Column("looks", sa.Integer(), nullable=False),
        sa.Column("clean_look_at", sa.BigInteger(), nullable=True),
        sa.Column("looks_ended_at", sa.BigInteger(), nullable=True),
        sa.Column("provider_ref", sa.Text(), nullable=True),
        sa.Column("version", sa.Text(), nullable=True),
        sa.Column("message_id_asked", sa.Text(), nullable=True),
        sa.Column("message_id_seen", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_intents")),
        sa.UniqueConstraint("key", name=op.f("uq_intents_key")),
    )
    op.create_index(
        op.f("ix_intents_integration_thread"), "intents", ["integration", "thread"], unique=False
    )
    op.create_index(op.f("ix_intents_next_look_at"), "intents", ["next_look_at"], unique=False)
    op.create_index(op.f("ix_intents_state"), "intents", ["state"], unique=False)


def _leases() -> None:
    op.create_table(
        "leases",
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("grace_until", sa.BigInteger(), nullable=False),
        sa.Column("takes", sa.Integer(), nullable=False),
        sa.Column("orphaned", sa.SmallInteger(), nullable=False),
        sa.Column("alone", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("integration", "thread", name=op.f("pk_leases")),
    )
    op.create_index(op.f("ix_leases_owner"), "leases", ["owner"], unique=False)


def _mailboxes() -> None:
    op.create_table(
        "mailboxes",
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=True),
        sa.Column("cursor", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("last_pass_at", sa.BigInteger(), nullable=True),
        sa.Column("last_served_at", sa.BigInteger(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("remedy", sa.Text(), nullable=True),
        sa.Column("unknowns_in_a_row", sa.Integer(), nullable=False),
        sa.Column("calls_paused_until", sa.BigInteger(), nullable=True),
        sa.Column("look_needed", sa.SmallInteger(), nullable=False),
        sa.Column("pauses", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("integration", name=op.f("pk_mailboxes")),
        sa.UniqueConstraint("account", name=op.f("uq_mailboxes_account")),
    )


def _messages() -> None:
    op.create_table(
        "messages",
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("arrived_at", sa.BigInteger(), nullable=False),
        sa.Column("arrival_order", sa.BigInteger(), nullable=False),
        sa.Column("intent", sa.Text(), nullable=True),
        sa.Column("unreadable", sa.Text(), nullable=True),
        sa.Column("gone_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("integration", "ref", name=op.f("pk_messages")),
    )
    op.create_index(
        op.f("ix_messages_integration_identity"),
        "messages",
        ["integration", "identity"],
        unique=False,
    )
    op.create_index(
        op.f("ix_messages_integration_thread"), "messages", ["integration", "thread"], unique=False
    )


def _meta() -> None:
    op.create_table(
        "meta",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_meta")),
    )


def _notices() -> None:
    op.create_table(
        "notices",
        sa.Column("id", _SERIAL, autoincrement=True, nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("item", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notices")),
    )
    op.create_index(
        op.f("ix_notices_user_state_due_at"), "notices", ["user", "state", "due_at"], unique=False
    )


def _pauses() -> None:
    op.create_table(
        "pauses",
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("paused_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("integration", name=op.f("pk_pauses")),
    )


def _receipts() -> None:
    op.create_table(
        "receipts",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "key", name=op.f("pk_receipts")),
    )


def _review_items() -> None:
    op.create_table(
        "review_items",
        sa.Column("id", _SERIAL, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_by", sa.Text(), nullable=True),
        sa.Column("hidden", sa.SmallInteger(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review_items")),
    )
    op.create_index(
        op.f("ix_review_items_integration_thread"),
        "review_items",
        ["integration", "thread"],
        unique=False,
    )
    op.create_index(op.f("ix_review_items_state"), "review_items", ["state"], unique=False)
    op.create_index(
        "uq_review_items_open",
        "review_items",
        ["kind", "user", "integration", "thread", "about"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )


def _thread_keys() -> None:
    op.create_table(
        "thread_keys",
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("integration", "key", name=op.f("pk_thread_keys")),
    )
    op.create_index(
        op.f("ix_thread_keys_integration_thread"),
        "thread_keys",
        ["integration", "thread"],
        unique=False,
    )


def _threads() -> None:
    op.create_table(
        "threads",
        sa.Column("integration", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("provider_thread", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("message_set", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("dues", sa.Integer(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("triaged_revision", sa.Integer(), nullable=False),
        sa.Column("triage", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("no_draft_because", sa.Text(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("quarantined_at", sa.BigInteger(), nullable=True),
        sa.Column("reconcile_first", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("integration", "thread", name=op.f("pk_threads")),
    )
    op.create_index(
        op.f("ix_threads_integration_due_at"), "threads", ["integration", "due_at"], unique=False
    )
