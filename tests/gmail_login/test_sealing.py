"""Logins in a shared database: sealed, bound to their row, replaced only by who has seen them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import anyio
import pytest
import sqlalchemy as sa

from assistant.shelves import SharedShelf
from assistant.wiring import derived
from providers.gmail.credentials import Token, encode
from providers.gmail.oauth import Google
from providers.gmail.ports import TokenError, TokenTrouble
from providers.gmail.tokens import Tokens
from storage import tokens, units
from storage.postgres import PostgresDatabase
from storage.sealing import Sealer, SealError
from storage.tables import metadata
from storage.words import IntegrationId, OwnerId
from tests.gmail_login.conftest import LOGIN
from tests.support import postgres
from tests.support.clock import START, FakeClock
from tests.support.database import CommitFault, InlineDatabase
from tests.support.gmail import ROBIN, GmailServer

WORK, HOME = IntegrationId("robin/work"), IntegrationId("robin/home")
KEY, OTHER_KEY = derived(b"1" * 32, "tokens"), derived(b"2" * 32, "tokens")
TOKEN = Token(
    access_token="sesame", refresh_token="open-wide", expires_at=START + timedelta(hours=1)
)


@pytest.fixture
def conn() -> Iterator[sa.Connection]:
    engine = sa.create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.begin() as made:
        yield made
    engine.dispose()


# -- sealing --


def test_what_is_sealed_is_opened_again_and_shows_nothing() -> None:
    sealer = Sealer(KEY)
    sealed = sealer.seal("open-wide", place=WORK, version=3)
    assert b"open-wide" not in sealed
    assert sealer.seal("open-wide", place=WORK, version=3) != sealed
    got = sealer.open(sealed, place=WORK, version=3, fingerprint=sealer.fingerprint)
    assert got == "open-wide"


@pytest.mark.parametrize(("place", "version"), [(HOME, 3), (WORK, 2), (WORK, 4)])
def test_a_row_in_another_s_place_is_not_opened(place: str, version: int) -> None:
    sealer = Sealer(KEY)
    sealed = sealer.seal("open-wide", place=WORK, version=3)
    with pytest.raises(SealError, match="log in again") as error:
        sealer.open(sealed, place=place, version=version, fingerprint=sealer.fingerprint)
    assert "open-wide" not in str(error.value)


@pytest.mark.parametrize("at", [0, 11, 12, -1])
def test_a_changed_byte_is_noticed(at: int) -> None:
    sealer = Sealer(KEY)
    sealed = bytearray(sealer.seal("open-wide", place=WORK, version=1))
    sealed[at] ^= 1
    with pytest.raises(SealError):
        sealer.open(bytes(sealed), place=WORK, version=1, fingerprint=sealer.fingerprint)


@pytest.mark.parametrize("sealed", [b"", b"short", b"0" * 12])
def test_what_is_too_short_is_no_seal(sealed: bytes) -> None:
    sealer = Sealer(KEY)
    with pytest.raises(SealError):
        sealer.open(sealed, place=WORK, version=1, fingerprint=sealer.fingerprint)


def test_another_installation_key_is_named_as_the_reason() -> None:
    one, two = Sealer(KEY), Sealer(OTHER_KEY)
    sealed = one.seal("x", place=WORK, version=1)
    with pytest.raises(SealError, match="another installation key"):
        two.open(sealed, place=WORK, version=1, fingerprint=one.fingerprint)


def test_a_fingerprint_says_nothing_of_its_key() -> None:
    sealer = Sealer(KEY)
    assert sealer.fingerprint not in KEY.hex()
    assert len(sealer.fingerprint) == 16


def test_a_key_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Sealer(b"short")


# -- rows --


def test_only_who_has_seen_a_row_replaces_it(conn: sa.Connection) -> None:
    sealer = Sealer(KEY)
    assert tokens.keep(conn, WORK, "a", sealer, after=None)
    assert not tokens.keep(conn, WORK, "b", sealer, after=None)
    assert tokens.keep(conn, WORK, "c", sealer, after=1)
    assert not tokens.keep(conn, WORK, "d", sealer, after=1)
    row = tokens.load(conn, WORK)
    assert row is not None
    assert (row.opened(sealer), row.version) == ("c", 2)
    assert tokens.load(conn, HOME) is None


def test_a_row_put_into_another_s_place_is_not_opened(conn: sa.Connection) -> None:
    sealer = Sealer(KEY)
    tokens.keep(conn, WORK, "a", sealer, after=None)
    conn.execute(sa.text("UPDATE tokens SET integration = 'robin/home'"))
    row = tokens.load(conn, HOME)
    assert row is not None
    with pytest.raises(SealError):
        row.opened(sealer)


def test_units_add_up_within_a_day_and_begin_anew_with_the_next(conn: sa.Connection) -> None:
    units.add(conn, WORK, "2026-03-02", 40, 40, 1)
    units.add(conn, WORK, "2026-03-02", 10, 30, 2)
    units.add(conn, HOME, "2026-03-02", 5, 5, 2)
    assert units.everything(conn)[WORK].units == 50
    units.add(conn, WORK, "2026-03-03", 7, 7, 3)
    spent = units.everything(conn)[WORK]
    assert (spent.day, spent.units, spent.last_minute) == ("2026-03-03", 7, 7)
    assert units.everything(conn)[HOME].units == 5


# -- the shelf, on a store without a server --


def shared(
    store: InlineDatabase | PostgresDatabase, clock: FakeClock, host: str = "a", key: bytes = KEY
) -> SharedShelf:
    return SharedShelf(store, Sealer(key), WORK, OwnerId(f"{host}:1:x"), clock)


async def test_a_login_that_another_key_sealed_says_what_to_do(clock: FakeClock) -> None:
    store = InlineDatabase(clock)
    await shared(store, clock).put(TOKEN)
    with pytest.raises(TokenError) as error:
        await shared(store, clock, key=OTHER_KEY).load()
    assert error.value.kind is TokenTrouble.RECONNECT
    assert "installation.key" in str(error.value)


async def test_a_new_login_replaces_one_that_cannot_be_opened(clock: FakeClock) -> None:
    store = InlineDatabase(clock)
    await shared(store, clock, key=OTHER_KEY).put(TOKEN)
    shelf = shared(store, clock)
    await shelf.put(TOKEN)
    kept = await shelf.load()
    assert kept is not None
    assert kept.token == TOKEN


async def test_a_turn_is_one_host_s_and_ends_with_it(clock: FakeClock) -> None:
    store = InlineDatabase(clock)
    one, two = shared(store, clock, "a"), shared(store, clock, "b")
    async with one.turn() as ours:
        assert ours
        assert await store.write(two._acquire) is None
    async with two.turn() as ours:
        assert ours


async def test_a_host_that_died_in_its_turn_holds_up_nobody_for_long(clock: FakeClock) -> None:
    store = InlineDatabase(clock)
    assert await store.write(shared(store, clock, "dead")._acquire) is not None
    clock.skip(31.0)
    async with shared(store, clock, "b").turn() as ours:
        assert ours


@pytest.mark.parametrize("fault", [CommitFault.LOST, CommitFault.LANDED])
async def test_an_error_from_commit_is_settled_by_the_row(
    clock: FakeClock, fault: CommitFault
) -> None:
    store = InlineDatabase(clock)
    shelf = shared(store, clock)
    await shelf.put(TOKEN)
    newer = Token(access_token="n", refresh_token="r2", expires_at=TOKEN.expires_at)
    store.faults.append(fault)
    assert await shelf.keep(newer, after="1") is (fault is CommitFault.LANDED)


async def test_a_store_that_is_ill_is_a_trouble_that_passes(clock: FakeClock) -> None:
    store = InlineDatabase(clock)
    shelf = shared(store, clock)
    store.faults.append(CommitFault.FULL)
    with pytest.raises(TokenError) as error:
        await shelf.put(TOKEN)
    assert error.value.kind is TokenTrouble.TRANSIENT


# -- two hosts and a real PostgreSQL --


@pytest.fixture
def database() -> Iterator[str]:
    with postgres.new_database() as made:
        yield made


async def test_two_hosts_refresh_a_shared_login_once(
    database: str, server: GmailServer, google: Google, clock: FakeClock
) -> None:
    server.settings.rotate_refresh = True
    stores = [await postgres.opened(database), await postgres.opened(database)]
    try:
        sources = [
            Tokens(shared(store, clock, host), google, clock, login=LOGIN)
            for store, host in zip(stores, "ab", strict=True)
        ]
        made = server.login()
        old = Token(
            access_token=made["access_token"],
            refresh_token=made["refresh_token"],
            expires_at=clock.now(),
        )
        await shared(stores[0], clock).put(old)
        got: list[str] = []

        async def call(source: Tokens) -> None:
            got.append(await source.token())

        done = anyio.Event()

        async def turn_the_clock() -> None:
            while not done.is_set():
                with anyio.move_on_after(0.02):
                    await done.wait()
                if clock.next_wake_s is not None:
                    clock.skip(clock.next_wake_s)

        async with anyio.create_task_group() as outer:
            outer.start_soon(turn_the_clock)
            async with anyio.create_task_group() as group:
                for source in sources * 5:
                    group.start_soon(call, source)
            done.set()
        assert len(set(got)) == 1
        assert server.world.oauth.counts["refresh"] == 1
        kept = await shared(stores[1], clock).load()
        assert kept is not None
        assert kept.token.access_token == got[0]
        assert not server.world.oauth.grants[kept.token.refresh_token].revoked
        assert server.world.oauth.grants[kept.token.refresh_token].user == ROBIN
    finally:
        for store in stores:
            await store.close()


async def test_of_two_hosts_that_keep_at_once_one_is_told_no(
    database: str, clock: FakeClock
) -> None:
    one, two = await postgres.opened(database), await postgres.opened(database)
    try:
        await shared(one, clock).put(TOKEN)
        answers: list[bool] = []

        async def keep(store: PostgresDatabase, name: str) -> None:
            token = Token(access_token=name, refresh_token=name, expires_at=TOKEN.expires_at)
            answers.append(await shared(store, clock, name).keep(token, after="1"))

        async with anyio.create_task_group() as group:
            group.start_soon(keep, one, "a")
            group.start_soon(keep, two, "b")
        assert sorted(answers) == [False, True]
    finally:
        await one.close()
        await two.close()


async def test_of_two_first_logins_at_once_none_is_an_error_of_sql(
    database: str, clock: FakeClock
) -> None:
    one, two = await postgres.opened(database), await postgres.opened(database)
    try:
        ended: list[str] = []

        async def put(store: PostgresDatabase, host: str) -> None:
            try:
                await shared(store, clock, host).put(TOKEN)
                ended.append("kept")
            except TokenError:
                ended.append("told")

        async with anyio.create_task_group() as group:
            group.start_soon(put, one, "a")
            group.start_soon(put, two, "b")
        assert "kept" in ended
        kept = await shared(two, clock).load()
        assert kept is not None
        assert encode(kept.token) == encode(TOKEN)
    finally:
        await one.close()
        await two.close()


async def test_a_stale_host_puts_no_old_token_over_a_new_one(
    database: str, clock: FakeClock
) -> None:
    store = await postgres.opened(database)
    try:
        shelf = shared(store, clock)
        await shelf.put(TOKEN)
        await shelf.put(Token(access_token="n", refresh_token="n", expires_at=TOKEN.expires_at))
        assert not await shelf.keep(TOKEN, after="1")
        kept = await shelf.load()
        assert kept is not None
        assert kept.token.refresh_token == "n"
    finally:
        await store.close()


async def test_the_database_holds_no_token_in_clear(database: str, clock: FakeClock) -> None:
    store = await postgres.opened(database)
    try:
        await shared(store, clock).put(TOKEN)
        whole = await store.read(
            lambda conn: bytes(conn.scalar(sa.text("SELECT sealed FROM tokens")) or b"")
        )
        assert b"sesame" not in whole
        assert b"open-wide" not in whole
    finally:
        await store.close()
