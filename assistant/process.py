"""One process that writes: from a folder of configuration to a house at work, and back.

    lock --> installation key --> migrate --> open --> restored? --> new epoch
         --> every lease of the dead is void --> orphaned staging removed --> ready

On SQLite only the holder of the file lock gets here, so that nobody else writes the same file. A
PostgreSQL database is shared: there is no lock, nobody is known to be dead before their leases end,
and what lies staged may be another process's. The order matters: the alarm of a restored database
is acted upon before a new epoch would hush it, and before the first lease is taken.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from anyio import to_thread
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from assistant import wiring
from assistant.epoch import Epoch
from assistant.fleet import Fleet, Role
from assistant.house import Account, House
from assistant.minded import MindedStore
from assistant.opening import is_shared, open_database
from assistant.shelves import Shelves, references, shared
from assistant.unserved import disagreement, faults_of, log_daemon, log_faults, nested
from assistant.wiring import Built, Unbuilt
from config.faults import ConfigError
from config.load import load
from config.loaded import Loaded
from config.secrets import SecretError, load_installation_key, load_or_make_installation_key
from leases.keeper import Keeper
from providers.maildir.mailbox import MaildirMailbox
from providers.mime.reading import read_mail
from providers.ports import ProviderError
from storage import fences, intents, mailboxes, reviews
from storage.database import Database, Reader
from storage.dbtime import database_now_ms
from storage.errors import StorageError
from storage.lock import FileLock
from storage.sealing import Sealer
from storage.words import (
    NO_FAULTS,
    Clock,
    Faults,
    IntegrationId,
    IntentState,
    ItemKind,
    UserName,
)
from storage.workers import File

log = structlog.get_logger()

BEATS_IN_A_LEASE: Final = 4
_ELSEWHERE: Final = "set [storage] data_dir (on PostgreSQL: url) to a place of this one's own"


class StartError(Exception):
    """The process can't start; the message says what to do."""


@dataclass(slots=True, kw_only=True)
class Process:
    """A house with its database, as one process runs it."""

    house: House
    store: MindedStore
    database: Database
    data_dir: Path
    loaded: Loaded
    since_s: float | None
    shelves: Shelves
    epoch: Epoch
    fleet: Fleet | None = None
    differing: Mapping[UserName, File] = field(default_factory=dict)
    nested: Mapping[IntegrationId, Unbuilt] = field(default_factory=dict)
    built: dict[str, Built] = field(default_factory=dict)
    retired: list[Built] = field(default_factory=list)

    @property
    def beat_s(self) -> float:
        """How often a sign of life is given."""
        return self.house.settings.lease_ttl_s / BEATS_IN_A_LEASE

    async def take_in(self, loaded: Loaded) -> tuple[list[Account], list[Account]]:
        """Serve the users of *loaded*; gives the accounts that came and those that went.

        A user whose file did not change keeps their mailboxes as they are.
        """
        before = dict(self.house.accounts)
        hashes = hashes_of(loaded)
        self.differing = await self.fleet.agree(hashes) if self.fleet is not None else {}
        kept: dict[str, Built] = {}
        for name, user in loaded.users.items():
            if name in self.differing:
                continue
            old = self.loaded.users.get(name)
            if name in self.built and old is not None and old.hash == user.hash:
                kept[name] = self.built[name]
            else:
                kept[name] = await to_thread.run_sync(
                    partial(
                        wiring.build_user,
                        user,
                        self.house.settings,
                        self.house.clock,
                        self.house.faults,
                        since_s=self.since_s,
                        shelves=self.shelves,
                    )
                )
        log_daemon(self.loaded, loaded)
        # Work in hand may still use what went; it is closed with the process.
        self.retired += [old for name, old in self.built.items() if kept.get(name) is not old]
        self.nested = await to_thread.run_sync(nested, loaded)
        accounts = {
            name: account
            for built in kept.values()
            for name, account in built.accounts.items()
            if name not in self.nested
        }
        self.house.serving.keep_only(accounts)
        # Before anything of a new mailbox can be taken.
        await self.house.see_what_is_here(
            [one for name, one in accounts.items() if before.get(name) is not one], new=True
        )
        self.built = kept
        self.loaded = loaded
        self.house.accounts = accounts
        self.house.tellings = {
            built.telling.user: built.telling
            for built in kept.values()
            if built.telling is not None
        }
        faults = faults_of(loaded)
        log_faults(faults, kept)
        log_faults(self.nested.values(), ())
        unbuilt = [one for built in kept.values() for one in built.unbuilt]
        faults += self.nested.values()
        await self._tell_faults([*faults, *unbuilt, *self.disagreements()])
        return _difference(before, self.house.accounts)

    async def beat(self) -> bool:
        """Give a sign of life; whether other files are in force than those that are served.

        Raises StorageError; StorageGoneError and SchemaError where the database is no longer the
        one that this process can go on with.
        """
        await self.epoch.beat()
        if self.fleet is None:
            return False
        served = {name: account.user for name, account in self.house.accounts.items()}
        seen = await self.fleet.beat(hashes_of(self.loaded), served)
        return seen.differing.keys() != self.differing.keys()

    def disagreements(self) -> list[Unbuilt]:
        """The users who are not served: their file here is not the one of the fleet."""
        return [disagreement(user, file) for user, file in self.differing.items()]

    def not_served(self) -> list[Unbuilt]:
        """Users and mailboxes that are not served, for a file here is wrong, and why."""
        wrong = [one for one in faults_of(self.loaded) if one.user not in self.built]
        return [*wrong, *self.nested.values()]

    async def _tell_faults(self, faults: Iterable[Unbuilt]) -> None:
        """Open an item for each fault of configuration; close those that are mended."""
        # Each host of a fleet tells of its own files.
        where = "" if self.fleet is None else f" on {self.fleet.host}"
        wanted = {(one.user, f"{one.what}{where}"): one for one in faults}

        def unit(conn: Connection) -> None:
            now = database_now_ms(conn)
            for item in reviews.listed_kind(conn, ItemKind.CONFIG_FAULT):
                if item.about.endswith(where) and (item.user, item.about) not in wanted:
                    reviews.close(conn, now, "facts", item=item.id)
            for (user, about), one in wanted.items():
                reviews.open_item(
                    conn,
                    now,
                    ItemKind.CONFIG_FAULT,
                    user=user,
                    about=about,
                    summary=f"{about}: {one.problem}; {one.remedy}",
                )

        await self.house.store.write(unit)

    async def close(self) -> None:
        """Close mailboxes and notifiers, then the database."""
        for built in (*self.built.values(), *self.retired):
            for account in built.accounts.values():
                await account.mailbox.close()
            if built.telling is not None:
                for receiver in built.telling.receivers:
                    await receiver.notifier.close()
            if built.brain is not None:
                await built.brain.model.close()
        if self.fleet is not None:
            # Another release's tables may lack what is written here.
            with suppress(StorageError, SQLAlchemyError):
                await self.fleet.leave()
            self.fleet.close()
        await self.database.close()


def hashes_of(loaded: Loaded) -> dict[UserName, str]:
    """The version of each user's file that was read."""
    return {UserName(name): user.hash for name, user in loaded.users.items()}


def _difference(
    before: Mapping[IntegrationId, Account], after: Mapping[IntegrationId, Account]
) -> tuple[list[Account], list[Account]]:
    came = [one for name, one in after.items() if before.get(name) is not one]
    went = [one for name, one in before.items() if after.get(name) is not one]
    return came, went


@asynccontextmanager
async def writing(
    loaded: Loaded,
    lock: FileLock | None,
    clock: Clock,
    *,
    faults: Faults = NO_FAULTS,
    since_s: float | None = None,
    role: Role = Role.ALL,
) -> AsyncIterator[Process]:
    """A process that may write, under *lock* (None on PostgreSQL); closed in order at the end.

    Raises StartError, ``config.secrets.SecretError`` and ``storage.errors.StorageError``.
    """
    data_dir = loaded.daemon.storage.data_dir
    database = await open_database(loaded)
    process: Process | None = None
    try:
        key = await rightful_key(loaded, database)
        loaded = await rightful(loaded, database)
        settings = wiring.settings_of(loaded.daemon)
        store = MindedStore(database, clock)
        house = House(
            store=store,
            clock=clock,
            worker=wiring.worker_name(),
            keeper=Keeper(database, clock, ttl_s=settings.lease_ttl_s),
            settings=settings,
            mark_secret=wiring.derived(key, "marks"),
            read=lambda raw, parents: read_mail(raw, parents=parents),
            faults=faults,
        )
        process = Process(
            house=house,
            store=store,
            database=database,
            data_dir=data_dir,
            loaded=loaded,
            epoch=Epoch(store=store, data_dir=data_dir, clock=clock),
            since_s=since_s,
            shelves=_shelves(house, data_dir, key, is_shared=lock is None),
        )
        if lock is None:
            process.fleet = await _join(process, role)
        await process.epoch.begin()
        if lock is not None:
            await database.write(fences.take_over_all)
        await process.take_in(loaded)
        if lock is not None:
            await _remove_orphans(process)
        yield process
        await process.epoch.end()
    finally:
        if process is None:
            await database.close()
        else:
            await process.close()


async def rightful(loaded: Loaded, database: Reader) -> Loaded:
    """*loaded*, with every account that several users claim left to who had it before.

    Files alone can't tell the newcomer; at a start the database can.
    """
    if not loaded.faults:
        return loaded
    bound = await database.read(mailboxes.bound_names)
    try:
        return await to_thread.run_sync(load, loaded.config_dir, bound)
    except ConfigError:
        # It was right a moment ago; what was read then is served, and the watch tells.
        return loaded


def _shelves(house: House, data_dir: Path, key: bytes, *, is_shared: bool) -> Shelves:
    """Where logins lie: hosts share theirs in the database, sealed with the installation's key."""
    if is_shared:
        sealer = Sealer(wiring.derived(key, "tokens"))
        return shared(house.store, sealer, house.worker, house.clock)
    return references(data_dir, house.clock)


async def _join(process: Process, role: Role) -> Fleet:
    """Become one of many: nobody else's file lock says who is dead any more."""
    house = process.house
    fleet = Fleet(
        database=process.store,
        data_dir=process.data_dir,
        name=house.worker,
        role=role,
        lease_ttl_s=house.settings.lease_ttl_s,
        sharing=house.sharing,
        serving=house.serving,
    )
    house.sole = False
    house.known_dead = fleet.is_dead
    await fleet.join()
    return fleet


async def rightful_key(loaded: Loaded, database: Database) -> bytes:
    """The installation key, which is the one that the database was begun with.

    Raises StartError, ``config.secrets.SecretError`` and ``storage.errors.StorageError``.
    """
    key = await _installation_key(loaded, database)
    await database.write(partial(_hold_to_key, key=key))
    return key


async def _installation_key(loaded: Loaded, database: Database) -> bytes:
    ref = loaded.daemon.secrets.installation
    key = await to_thread.run_sync(load_installation_key, ref, loaded.config_dir)
    if key is not None:
        return key
    if await database.read(fences.highest) or await database.read(_has_intents):
        raise StartError(
            f"the installation key {ref} is missing, and the database has drafts that only it "
            f"can recognise: {_restore(loaded)} (a new one would not know them); or, if they "
            f"belong to another configuration, {_ELSEWHERE}"
        )
    try:
        return await to_thread.run_sync(load_or_make_installation_key, ref, loaded.config_dir)
    except SecretError as error:
        raise StartError(str(error)) from error


def _restore(loaded: Loaded) -> str:
    """Where a key that is missing is to be had; a host that is new to a fleet never had it."""
    restore = "restore the key from your backup"
    return f"copy it from the host that has it, or {restore}" if is_shared(loaded) else restore


def key_fingerprint(key: bytes) -> str:
    """What a database remembers of its installation key."""
    return wiring.derived(key, "fingerprint").hex()[:16]


def _hold_to_key(conn: Connection, key: bytes) -> None:
    """A database knows its key by a fingerprint: another one would not know our drafts."""
    seen = key_fingerprint(key)
    if fences.remembered(conn, "installation_key", seen) != seen:
        raise StartError(
            "the installation key is not the one that this database was begun with, so no draft of "
            f"ours would be recognised: restore the right key, or {_ELSEWHERE}"
        )


def _has_intents(conn: Connection) -> bool:
    return bool(intents.everything(conn))


async def _remove_orphans(process: Process) -> None:
    """Staged bytes that no open intent names; only here, before the first worker."""
    open_states = (IntentState.CALLING, IntentState.UNKNOWN)
    live = await process.database.read(lambda conn: intents.in_state(conn, *open_states))
    names = frozenset(
        str(intent.token["name"]) for intent in live if isinstance(intent.token.get("name"), str)
    )
    for account in process.house.accounts.values():
        mailbox = account.mailbox
        if not isinstance(mailbox, MaildirMailbox):
            continue
        try:
            removed = await mailbox.remove_orphans(names, process.house.clock.now())
        except ProviderError:
            # Its watcher meets the same trouble and tells it.
            continue
        if removed:
            log.info("left-over staged drafts removed", mailbox=account.integration)
