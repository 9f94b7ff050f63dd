"""What a PostgreSQL server itself counted: statements, commits, syncs; for tests and benches.

The server counts in its own tables (pg_stat_statements, pg_stat_database, pg_stat_wal), so nothing
that a driver or a pool adds stays unseen. A backend hands its counts in when it ends, so ``counts``
is read after the store that is measured was closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tests.support.dovecot import missing
from tests.support.postgres import Cluster

_CONTROL: Final = ("BEGIN", "COMMIT", "ROLLBACK", "START", "SAVEPOINT", "RELEASE", "SET", "SHOW")
_OWN: Final = "pg_stat_statements"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What one database saw since ``reset``.

    ``statements`` are those that read or write rows; ``control`` begins, ends and sets up
    transactions. ``commits`` are COMMITs, of reading transactions as well; ``wal_syncs`` are those
    of the whole server, so at most what was durable and not shared.
    """

    statements: int
    control: int
    commits: int
    rollbacks: int
    wal_syncs: int
    by_text: dict[str, int]


def counting_cluster() -> Cluster:
    """A durable cluster that counts statements; skips where the extension is missing."""
    cluster = Cluster(durable=True)
    found = cluster.sql("SELECT 1 FROM pg_available_extensions WHERE name = 'pg_stat_statements'")
    if not found:
        cluster.remove()
        missing("PostgreSQL's contrib modules are not installed: run .ci/servers as root")
    cluster.sql("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
    cluster.restart("fast")
    cluster.sql("CREATE EXTENSION pg_stat_statements")
    return cluster


def reset(cluster: Cluster) -> None:
    """Begin to count; nothing may be at work."""
    cluster.sql(
        "SELECT pg_stat_statements_reset()",
        "SELECT pg_stat_reset_shared('wal')",
        "SELECT pg_stat_clear_snapshot()",
    )


def counts(cluster: Cluster, database: str) -> Counts:
    """What *database* saw since ``reset``; everything that used it has been closed."""
    rows = cluster.sql(
        "SELECT s.query, s.calls FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid "  # noqa: S608
        f"WHERE d.datname = '{database}' AND s.query NOT LIKE '%{_OWN}%'"
    )
    [wal] = cluster.sql("SELECT wal_sync FROM pg_stat_wal")
    by_text: dict[str, int] = {}
    for row in rows:
        by_text[row["query"]] = by_text.get(row["query"], 0) + row["calls"]

    def total(*words: str) -> int:
        return sum(n for text, n in by_text.items() if text.lstrip().upper().startswith(words))

    control = total(*_CONTROL)
    return Counts(
        statements=sum(by_text.values()) - control,
        control=control,
        commits=total("COMMIT"),
        rollbacks=total("ROLLBACK"),
        wal_syncs=wal["wal_sync"],
        by_text=by_text,
    )
