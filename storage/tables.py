"""The tables, as SQLAlchemy Core sees them; Alembic makes and changes them.

Times are integers, epoch milliseconds by the database's clock, and end in ``_at`` or ``_until``.
Identifiers of a mailbox and a thread stand in every row of a thread's story, so that the tables can
later be spread over machines by integration. Nothing here is ever deleted except events by pruning.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _ms(name: str, *, nullable: bool = True) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def _flag(name: str, *, default: int = 0) -> sa.Column[int]:
    # Integers, so that both engines compare and sum them alike.
    return sa.Column(name, sa.SmallInteger, nullable=False, default=default)


def _count(name: str, *, default: int = 0) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, default=default)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _serial() -> sa.Column[int]:
    # SQLite gives rowids to INTEGER only.
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column("id", kind, primary_key=True, autoincrement=True)


mailboxes = sa.Table(
    "mailboxes",
    metadata,
    sa.Column("integration", sa.Text, primary_key=True),
    _text("user"),
    _text("provider"),
    sa.Column("account", sa.Text, nullable=True, unique=True),
    sa.Column("cursor", sa.JSON(none_as_null=True), nullable=True),
    _ms("last_pass_at"),
    _ms("last_served_at"),
    _text("problem", nullable=True),
    _text("remedy", nullable=True),
    _count("unknowns_in_a_row"),
    _ms("calls_paused_until"),
    _flag("look_needed"),
    _count("pauses"),
)

pauses = sa.Table(
    "pauses",
    metadata,
    sa.Column("integration", sa.Text, primary_key=True),
    _ms("paused_at", nullable=False),
)

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("integration", sa.Text, primary_key=True),
    sa.Column("thread", sa.Text, primary_key=True),
    _text("owner", nullable=True),
    sa.Column("fence", sa.BigInteger, nullable=False),
    _ms("expires_at", nullable=False),
    _ms("grace_until", nullable=False),
    _count("takes"),
    _flag("orphaned"),
    _flag("alone"),
    sa.Index(None, "owner"),
)

threads = sa.Table(
    "threads",
    metadata,
    sa.Column("integration", sa.Text, primary_key=True),
    sa.Column("thread", sa.Text, primary_key=True),
    _text("provider_thread", nullable=True),
    _text("subject"),
    _count("revision"),
    _text("message_set"),
    _ms("due_at"),
    _count("dues"),
    _ms("changed_at", nullable=False),
    _count("generation"),
    _count("triaged_revision", default=-1),
    sa.Column("triage", sa.JSON(none_as_null=True), nullable=True),
    _text("no_draft_because", nullable=True),
    _count("failures"),
    _ms("quarantined_at"),
    _flag("reconcile_first"),
    sa.Index(None, "integration", "due_at"),
)

messages = sa.Table(
    "messages",
    metadata,
    sa.Column("integration", sa.Text, primary_key=True),
    sa.Column("ref", sa.Text, primary_key=True),
    _text("identity"),
    _text("message_id", nullable=True),
    _text("thread"),
    _text("folder"),
    _ms("arrived_at", nullable=False),
    sa.Column("arrival_order", sa.BigInteger, nullable=False),
    _text("intent", nullable=True),
    _text("unreadable", nullable=True),
    _ms("gone_at"),
    sa.Index(None, "integration", "thread"),
    sa.Index(None, "integration", "identity"),
)

thread_keys = sa.Table(
    "thread_keys",
    metadata,
    sa.Column("integration", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    _text("thread"),
    sa.Index(None, "integration", "thread"),
)

intents = sa.Table(
    "intents",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, nullable=False, unique=True),
    _text("kind"),
    _text("user"),
    _text("integration"),
    _text("thread"),
    _count("generation"),
    _count("attempt"),
    _count("tries_left"),
    _text("state"),
    _flag("blocks"),
    _text("owner"),
    sa.Column("fence", sa.BigInteger, nullable=False),
    sa.Column("request", sa.LargeBinary, nullable=False),
    _text("fingerprint"),
    _text("mark", nullable=True),
    sa.Column("plan", sa.JSON, nullable=False),
    sa.Column("token", sa.JSON, nullable=False),
    sa.Column("place", sa.JSON, nullable=False),
    sa.Column("before", sa.JSON, nullable=False),
    _text("content_hash", nullable=True),
    _count("call_timeout_ms"),
    _ms("claimed_at", nullable=False),
    _ms("ended_at"),
    _ms("settled_at"),
    _text("settled_by", nullable=True),
    _text("reason", nullable=True),
    _flag("passing"),
    _ms("retry_at"),
    _ms("next_look_at"),
    _count("looks"),
    _ms("clean_look_at"),
    _ms("looks_ended_at"),
    _text("provider_ref", nullable=True),
    _text("version", nullable=True),
    _text("message_id_asked", nullable=True),
    _text("message_id_seen", nullable=True),
    sa.Index(None, "integration", "thread"),
    sa.Index(None, "state"),
    sa.Index(None, "next_look_at"),
)

evidence = sa.Table(
    "evidence",
    metadata,
    _serial(),
    _text("intent"),
    _count("attempt"),
    _ms("at", nullable=False),
    _text("kind"),
    sa.Column("detail", sa.JSON, nullable=False),
    sa.Index(None, "intent"),
)

drafts = sa.Table(
    "drafts",
    metadata,
    _serial(),
    _text("integration"),
    _text("thread"),
    _text("intent"),
    _text("ref"),
    _text("version"),
    _text("content_hash"),
    _text("state"),
    _text("answers", nullable=True),
    sa.Column("shown", sa.JSON, nullable=False),
    _ms("made_at", nullable=False),
    _ms("missing_at"),
    _text("discard_asked_by", nullable=True),
    sa.Index(None, "integration", "thread"),
    sa.Index(None, "intent"),
)

review_items = sa.Table(
    "review_items",
    metadata,
    _serial(),
    _text("kind"),
    _text("user"),
    _text("integration"),
    _text("thread"),
    _text("about"),
    _text("subject"),
    _text("summary"),
    _text("state"),
    _ms("opened_at", nullable=False),
    _ms("closed_at"),
    _text("closed_by", nullable=True),
    _flag("hidden"),
    sa.Column("detail", sa.JSON, nullable=False),
    sa.Index(None, "state"),
    sa.Index(None, "integration", "thread"),
    # One open item for one thing: opening again updates it.
    sa.Index(
        "uq_review_items_open",
        "kind",
        "user",
        "integration",
        "thread",
        "about",
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    ),
)

notices = sa.Table(
    "notices",
    metadata,
    _serial(),
    _text("user"),
    sa.Column("item", sa.BigInteger, nullable=False),
    _text("kind"),
    _ms("due_at", nullable=False),
    _text("state"),
    sa.Index(None, "user", "state", "due_at"),
)

receipts = sa.Table(
    "receipts",
    metadata,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    _text("command"),
    _text("fingerprint"),
    _text("operation"),
    sa.Column("result", sa.JSON, nullable=False),
    _ms("at", nullable=False),
)

events = sa.Table(
    "events",
    metadata,
    _serial(),
    _ms("at", nullable=False),
    _text("integration"),
    _text("thread"),
    _text("kind"),
    sa.Column("detail", sa.JSON, nullable=False),
    sa.Index(None, "integration", "thread"),
)

epochs = sa.Table(
    "epochs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _ms("at", nullable=False),
    sa.Column("fence", sa.BigInteger, nullable=False),
)

meta = sa.Table(
    "meta",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    _text("value"),
)

spend = sa.Table(
    "spend",
    metadata,
    sa.Column("user", sa.Text, primary_key=True),
    sa.Column("day", sa.Text, primary_key=True),
    sa.Column("tokens", sa.BigInteger, nullable=False),
)

model_rests = sa.Table(
    "model_rests",
    metadata,
    sa.Column("user", sa.Text, primary_key=True),
    _ms("since_at", nullable=False),
    _ms("until_at", nullable=False),
    _count("tries"),
    _flag("standing"),
    _text("problem"),
)

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    _text("host"),
    _text("role"),
    sa.Column("serves", sa.JSON, nullable=False),
    _ms("started_at", nullable=False),
    _ms("seen_at", nullable=False),
    _ms("ended_at"),
    _flag("draining"),
    sa.Column("lacks", sa.JSON, nullable=False, server_default=sa.text("'{}'")),
    sa.Column("lease_ms", sa.BigInteger, nullable=False, server_default="60000"),
)

user_files = sa.Table(
    "user_files",
    metadata,
    sa.Column("user", sa.Text, primary_key=True),
    _text("hash"),
    _text("host"),
    _ms("adopted_at", nullable=False),
)

tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("integration", sa.Text, primary_key=True),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
    _text("fingerprint"),
    sa.Column("version", sa.BigInteger, nullable=False),
    _ms("refreshed_at", nullable=False),
)

units = sa.Table(
    "units",
    metadata,
    sa.Column("integration", sa.Text, primary_key=True),
    _text("day"),
    sa.Column("units", sa.BigInteger, nullable=False),
    sa.Column("last_minute", sa.BigInteger, nullable=False),
    _ms("told_at", nullable=False),
)
