"""Logins in the keyring, and what a lost login does to its mailbox."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import keyring
import pytest
import sqlalchemy as sa
from keyring.errors import KeyringLocked, NoKeyringError

from assistant.effects import illness
from assistant.shelves import ReferenceShelf
from config import keeping
from config.atomic import replace
from config.secrets import Secret, SecretError, SecretRef
from providers.gmail.credentials import Token
from providers.gmail.ports import TokenError
from storage import mailboxes, reviews
from storage.tables import metadata
from storage.words import IntegrationId, ItemKind, UserName
from tests.gmail_login.conftest import LOGIN
from tests.support.clock import START, FakeClock

TOKEN = Token(access_token="sesame", refresh_token="open", expires_at=START + timedelta(hours=1))
WORK = IntegrationId("robin/work")
ROBIN = UserName("robin")


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """A keyring that holds what is put there."""
    entries: dict[tuple[str, str], str] = {}

    def put(service: str, user: str, secret: str) -> None:
        entries[service, user] = secret

    monkeypatch.setattr(keyring, "get_password", lambda service, user: entries.get((service, user)))
    monkeypatch.setattr(keyring, "set_password", put)
    return entries


@pytest.fixture
def in_keyring(tmp_path: Path, clock: FakeClock) -> ReferenceShelf:
    return ReferenceShelf(SecretRef(keyring="fencepost/robin-work"), tmp_path, clock, login=LOGIN)


async def test_a_login_is_kept_in_the_keyring_and_found_there(
    in_keyring: ReferenceShelf, ring: dict[tuple[str, str], str]
) -> None:
    assert await in_keyring.load() is None
    async with in_keyring.turn() as ours:
        assert ours
        await in_keyring.put(TOKEN)
    kept = await in_keyring.load()
    assert kept is not None
    assert kept.token == TOKEN
    assert "sesame" in ring["fencepost", "robin-work"]


async def test_only_who_has_seen_an_entry_of_the_keyring_replaces_it(
    in_keyring: ReferenceShelf, ring: dict[tuple[str, str], str]
) -> None:
    assert await in_keyring.keep(TOKEN, after=None)
    assert not await in_keyring.keep(TOKEN, after=None)
    kept = await in_keyring.load()
    assert kept is not None
    assert await in_keyring.keep(TOKEN, after=kept.version)


@pytest.mark.parametrize("error", [NoKeyringError, KeyringLocked])
async def test_a_keyring_that_does_not_work_is_told_without_the_secret(
    in_keyring: ReferenceShelf, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def refuse(*words: str) -> None:
        raise error(" ".join(words))

    monkeypatch.setattr(keyring, "get_password", refuse)
    monkeypatch.setattr(keyring, "set_password", refuse)
    with pytest.raises(TokenError) as told:
        await in_keyring.put(TOKEN)
    assert "sesame" not in f"{told.value} {told.value.__cause__!r}"
    with pytest.raises(TokenError, match="keyring"):
        await in_keyring.load()


@pytest.mark.parametrize("part", ["env", "command", "credential"])
def test_a_login_is_put_only_where_it_can_be_put(part: str) -> None:
    ref = SecretRef(**{part: "X"})
    with pytest.raises(SecretError, match="tokens/NAME"):
        keeping.keep(ref, Secret("x"))


def test_a_replaced_file_is_whole_private_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.json"
    for content in (b"one", b"two"):
        replace(path, content, mode=0o600)
        assert path.read_bytes() == content
        assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["x.json"]
    assert path.parent.stat().st_mode & 0o777 == 0o700


# -- the mailbox whose login is gone --


@pytest.fixture
def conn() -> Iterator[sa.Connection]:
    engine = sa.create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.begin() as made:
        mailboxes.ensure(made, WORK, ROBIN, "gmail")
        yield made
    engine.dispose()


def test_a_lost_login_is_one_item_however_often_it_is_met(conn: sa.Connection) -> None:
    for now in (1_000, 2_000, 500_000):
        illness.rest(conn, WORK, ROBIN, now, "log in", reconnect=True)
    illness.ask_to_log_in(conn, WORK, ROBIN, 600_000, "log in")
    items = reviews.listed(conn)
    assert [item.kind for item in items] == [ItemKind.RECONNECT]


def test_a_new_login_ends_the_item_and_the_rest(conn: sa.Connection) -> None:
    illness.rest(conn, WORK, ROBIN, 1_000, "log in", reconnect=True)
    assert illness.wants_login(conn, WORK)
    assert illness.logged_in(conn, WORK, 2_000)
    assert not illness.wants_login(conn, WORK)
    row = mailboxes.load(conn, WORK)
    assert row is not None
    assert row.calls_paused_until is None
    assert reviews.listed(conn) == []


def test_a_login_that_nobody_waited_for_ends_no_other_rest(conn: sa.Connection) -> None:
    until = illness.rest(conn, WORK, ROBIN, 1_000, "the disk is full")
    assert not illness.logged_in(conn, WORK, 2_000)
    row = mailboxes.load(conn, WORK)
    assert row is not None
    assert row.calls_paused_until == until


def test_another_mailbox_s_item_is_not_closed(conn: sa.Connection) -> None:
    home = IntegrationId("robin/home")
    mailboxes.ensure(conn, home, ROBIN, "gmail")
    for name in (WORK, home):
        illness.ask_to_log_in(conn, name, ROBIN, 1_000, "log in")
    illness.logged_in(conn, WORK, 2_000)
    assert [item.integration for item in reviews.listed(conn)] == [home]
