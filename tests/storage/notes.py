"""A table to write into, and units of work on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa

from storage.sqlite import sync_engine

metadata = sa.MetaData()
notes = sa.Table(
    "notes",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    # Checked at COMMIT, which is how a test makes COMMIT itself fail.
    sa.Column(
        "about", sa.ForeignKey("notes.id", deferrable=True, initially="DEFERRED"), nullable=True
    ),
)


def make(path: Path) -> None:
    """Make the file and the table."""
    engine = sync_engine(path)
    metadata.create_all(engine)
    engine.dispose()


def add(text: str, *, number: int | None = None) -> Callable[[sa.Connection], int]:
    """A unit that writes a note and returns its id."""

    def unit(conn: sa.Connection) -> int:
        return int(conn.execute(sa.insert(notes).values(id=number, text=text)).lastrowid)

    return unit


def texts(conn: sa.Connection) -> list[str]:
    """A unit that reads every note."""
    return list(conn.scalars(sa.select(notes.c.text).order_by(notes.c.id)))


def stored(path: Path) -> list[str]:
    """Every note in the file, as a connection of its own sees them."""
    engine = sync_engine(path, mode="ro")
    try:
        with engine.connect() as conn:
            return texts(conn)
    finally:
        engine.dispose()


def breaks_the_commit(conn: sa.Connection) -> None:
    """A unit that goes well and makes COMMIT fail."""
    conn.execute(sa.insert(notes).values(text="orphan", about=999))


def loses_the_transaction(conn: sa.Connection) -> None:
    """A unit whose error makes SQLite roll back everything, as a full disk does."""
    conn.exec_driver_sql("INSERT OR ROLLBACK INTO notes (id, text) VALUES (1, NULL)")
