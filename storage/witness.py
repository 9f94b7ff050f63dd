"""The witness: a file outside the database that remembers what the database must still know.

It holds an epoch and how far that was moved on, the highest fence seen, the database's own identity
and, for PostgreSQL, which server that was; one of an older release lacks some of these. It is
written after the epoch's commit, aside and renamed, so a crash between the two leaves an older
word, which the table bears out as well. An unreadable witness is not a missing one: it counts as
naming an epoch that no database has.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from storage.errors import StorageIllError
from storage.fs import write_atomically

WITNESS_NAME: Final = "witness.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """``epoch`` is the id last committed; empty when the file could not be read.

    ``at`` is what its row told then, a number that only rises, 0 where not known. ``server`` tells
    which PostgreSQL server and database it was, empty where not known.
    """

    epoch: str
    fence: int
    database: str
    server: str = ""
    at: int = 0


UNREADABLE: Final = Witness(epoch="", fence=0, database="")


def read_witness(data_dir: Path) -> Witness | None:
    """The witness in *data_dir*, None where there is none, UNREADABLE where it makes no sense."""
    try:
        found = json.loads((data_dir / WITNESS_NAME).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return UNREADABLE
    match found:
        case {"epoch": str(epoch), "fence": int(fence), "database": str(database), **rest}:
            server, at = rest.get("server"), rest.get("at")
            return Witness(
                epoch=epoch,
                fence=fence,
                database=database,
                server=server if isinstance(server, str) else "",
                at=at if isinstance(at, int) else 0,
            )
        case _:
            return UNREADABLE


def write_witness(data_dir: Path, witness: Witness) -> None:
    """Replace the witness in *data_dir*, durably. Raises StorageIllError."""
    try:
        write_atomically(data_dir / WITNESS_NAME, json.dumps(asdict(witness)).encode())
    except OSError as error:
        raise StorageIllError(
            f"the witness {data_dir / WITNESS_NAME} cannot be written ({error.strerror})",
            remedy="free some space on that disk, or give the daemon's user write permission",
        ) from error
