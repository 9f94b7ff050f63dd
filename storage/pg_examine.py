"""A PostgreSQL database looked at from outside, for ``fencepost check``: what a start would meet.

Only reads, beside any fleet, and makes nothing where there is nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from anyio import to_thread

from storage import epochs
from storage.postgres import open_postgres
from storage.revisions import VERSIONS, current, is_at_head
from storage.tables import meta
from storage.witness import read_witness

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from storage.epochs import Alarm
    from storage.pg_place import Met, Place
    from storage.witness import Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedServer:
    """A server and a database on it that can be worked with.

    ``revision`` is None for an empty database; ``is_current`` says that nothing is to be migrated,
    and only then ``alarm`` and ``key`` (the fingerprint of the installation key) are known.
    """

    met: Met
    revision: str | None
    is_current: bool
    alarm: Alarm | None
    key: str | None


async def examine_server(
    place: Place, data_dir: Path, *, versions: Path = VERSIONS
) -> ExaminedServer:
    """Look at the database at *place*, and at the witness in *data_dir*.

    Raises what storage.postgres.open_postgres raises, and MigrationError for one that is not ours.
    """
    witness = await to_thread.run_sync(read_witness, data_dir)
    database = await open_postgres(place, connections=1, versions=None)
    try:
        return await database.read(lambda conn: _examined(conn, database.met, witness, versions))
    finally:
        await database.close()


def _examined(
    conn: Connection, met: Met, witness: Witness | None, versions: Path
) -> ExaminedServer:
    known = is_at_head(conn, versions)
    return ExaminedServer(
        met=met,
        revision=current(conn),
        is_current=known,
        alarm=epochs.judge(witness, epochs.look(conn, witness)) if known else None,
        key=_key(conn) if known else None,
    )


def _key(conn: Connection) -> str | None:
    return conn.scalar(sa.select(meta.c.value).where(meta.c.name == "installation_key"))
