"""What ``fencepost check`` says of the database and of the key that belongs to it.

Nothing is written, and nothing is made where there is nothing yet. Both are read as the daemon
would read them at a start, so that what keeps it from starting is said here first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.cli.finding import Finding

if TYPE_CHECKING:
    from config.loaded import Loaded
    from storage.examine import Examined

DATABASE = "database"
KEY = "installation key"


def store_findings(loaded: Loaded) -> list[Finding]:
    """The findings about database and key. Blocks."""
    from storage.errors import DatabaseMissingError, StorageError, StorageIllError
    from storage.examine import examine
    from storage.sqlite import FILE_NAME
    from storage.witness import read_witness

    data_dir = loaded.daemon.storage.data_dir
    try:
        found = examine(data_dir / FILE_NAME)
    except DatabaseMissingError as error:
        if read_witness(data_dir) is None:
            says = "none yet: the first pass makes it"
            return [Finding(what=DATABASE, works=True, says=says), *key_findings(loaded, None)]
        return [
            Finding(
                what=DATABASE,
                works=False,
                says=f"{error.path} is gone, but {data_dir} belongs to one",
                remedy="restore it from a backup; or start without it: then a new one is begun, "
                "and every thread is looked up before anything is drafted",
            )
        ]
    except StorageIllError as error:
        return [Finding(what=DATABASE, works=False, says=error.problem, remedy=error.remedy)]
    except StorageError as error:
        says, _, remedy = str(error).partition(": ")
        return [Finding(what=DATABASE, works=False, says=says, remedy=remedy)]
    return [_database(found), *key_findings(loaded, found.key)]


def _database(found: Examined) -> Finding:
    if found.alarm is not None:
        return Finding(
            what=DATABASE,
            works=False,
            says=found.alarm.message,
            remedy="nothing more to do if you restored it; else put the newest file in its place "
            "before you start",
        )
    read = "every page read, sound" if found.complete else "sound as far as it was read in 10 s"
    return Finding(
        what=DATABASE,
        works=True,
        says=f"schema {found.revision}, {found.size / 1e6:.1f} MB, {read}; the one written last",
    )


def key_findings(
    loaded: Loaded, fingerprint: str | None, *, unasked: bool = False
) -> list[Finding]:
    """Whether the installation key is the one of *fingerprint*, that of the database. Blocks.

    *fingerprint* None: the database has none yet, or could not be asked for it before its tables
    are migrated (*unasked*).
    """
    from assistant.opening import is_shared
    from assistant.process import key_fingerprint
    from config.secrets import SecretError, load_installation_key

    ref = loaded.daemon.secrets.installation
    try:
        key = load_installation_key(ref, loaded.config_dir)
    except SecretError as error:
        return [Finding(what=KEY, works=False, says=error.problem, remedy=error.remedy)]
    if fingerprint is None:
        if unasked and key is None:
            remedy = "restore the one that the database was begun with; if it never was, a start "
            remedy += "makes one"
            return [Finding(what=KEY, works=False, says=f"{ref} is missing", remedy=remedy)]
        if unasked:
            says = "there; compared with the database's once that is migrated"
        elif key is None:
            says = "none yet: the first start makes it"
        else:
            says = "there; the database is new, and the first start binds it to this key for good"
        return [Finding(what=KEY, works=True, says=says)]
    if key is not None and fingerprint == key_fingerprint(key):
        return [Finding(what=KEY, works=True, says="belongs to the database")]
    # A host that is new to a fleet never had it.
    copy = "copy it from the host that has it, or " if is_shared(loaded) else ""
    return [
        Finding(
            what=KEY,
            works=False,
            says=f"{ref} is missing" if key is None else f"{ref} belongs to another database",
            remedy=f"{copy}restore the key that the database was begun with (no draft of ours "
            "would be recognised with another), or set [storage] data_dir (on PostgreSQL: url) to "
            "a place of this one's own",
        )
    ]
