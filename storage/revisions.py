"""Which schema revision a database has, against the ones that this release knows.

Read without Alembic, which takes longer to import than everything else at a start: the revision
files are a chain of two names each, and the database names one of them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from storage.errors import MigrationError, SchemaTooNewError, SchemaTooOldError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

VERSIONS: Final = Path(__file__).parent / "migrations" / "versions"
"""The folder of this release's revision files."""
_VERSION_TABLE: Final = "alembic_version"
_WHICH: Final = f"SELECT version_num FROM {_VERSION_TABLE}"  # noqa: S608 - a constant
_NAMED: Final = re.compile(
    r"""^(down_)?revision\b(?:[ \t]*:[^=\n]*)?[ \t]*=[ \t]*["']([^"'\n]+)["']""", re.MULTILINE
)


def chain(versions: Path = VERSIONS) -> dict[str, str | None]:
    """Each known revision and the one before it."""
    found: dict[str, str | None] = {}
    for file in sorted(versions.glob("*.py")):
        names = {bool(down): name for down, name in _NAMED.findall(file.read_text("utf-8"))}
        if False in names:
            found[names[False]] = names.get(True)
    return found


def head(versions: Path = VERSIONS) -> str:
    """The newest revision. Raises MigrationError unless there is exactly one."""
    known = chain(versions)
    heads = sorted(known.keys() - set(known.values()))
    if len(heads) != 1:
        raise MigrationError(
            f"{versions} must have exactly one newest revision, it has {heads}: "
            "the installation is incomplete or mixed, install the release again"
        )
    return heads[0]


def current(conn: Connection) -> str | None:
    """The revision that the database is at; None for an empty database.

    Raises MigrationError for a database that is not ours.
    """
    tables = sa.inspect(conn).get_table_names()
    if _VERSION_TABLE in tables:
        found: str | None = conn.exec_driver_sql(_WHICH).scalar()
        return found
    if tables:
        raise MigrationError(
            "this database has tables but no schema revision, so it is not one of Fencepost: "
            "point [storage] at another place"
        )
    return None


def is_at_head(conn: Connection, versions: Path = VERSIONS) -> bool:
    """Whether nothing is to be migrated. Raises SchemaTooNewError and MigrationError."""
    found, newest = current(conn), head(versions)
    if found is not None and found not in chain(versions):
        raise SchemaTooNewError(found=found, known=newest)
    return found == newest


def require_still(conn: Connection, known: Mapping[str, str | None]) -> None:
    """Raise SchemaTooNewError or SchemaTooOldError unless the database is where *known* ends.

    *known* is what ``chain`` gave at the start: a release that is installed over a running one
    brings other files. One statement, to be asked again and again.
    """
    (newest,) = known.keys() - set(known.values())
    found = conn.exec_driver_sql(_WHICH).scalar()
    if found == newest:
        return
    if found is None or found in known:
        raise SchemaTooOldError(found=found or "none", known=newest)
    raise SchemaTooNewError(found=found, known=newest)


def require_head(conn: Connection, versions: Path = VERSIONS) -> None:
    """Raise SchemaTooNewError or SchemaTooOldError unless the database is at the newest."""
    if not is_at_head(conn, versions):
        raise SchemaTooOldError(found=current(conn) or "none", known=head(versions))
