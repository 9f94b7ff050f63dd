"""Access tokens: refreshed once, kept before use, and calmly missing where a login is gone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from assistant.shelves import ReferenceShelf
from config.secrets import SecretRef
from providers.gmail.credentials import Token, decode
from providers.gmail.oauth import Google, GoogleError, Granted
from providers.gmail.ports import TokenError, TokenSource, TokenTrouble
from providers.gmail.tokens import EARLY_S, Kept, Shelf, Tokens
from tests.gmail_login.conftest import LOGIN
from tests.support.clock import START, FakeClock, drive, quiesce
from tests.support.gmail import NAMED, ROBIN, GmailServer

HOUR_S = 3_600.0


def refreshes(server: GmailServer) -> int:
    return len([line for line in server.journal.lines if line.method == "oauth.refresh"])


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)


def let_all_write(path: Path) -> None:
    path.chmod(0o622)


def kept_in(path: Path) -> Token:
    return decode(path.read_text())


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def trouble(tokens: Tokens) -> TokenError:
    with pytest.raises(TokenError) as error:
        await tokens.token()
    return error.value


async def test_tokens_are_what_the_mailbox_asks_for(tokens: Tokens, shelf: ReferenceShelf) -> None:
    source: TokenSource = tokens
    place: Shelf = shelf
    assert source is not place


async def test_a_kept_token_is_used_without_a_refresh(
    server: GmailServer, tokens: Tokens, logged_in: dict[str, object]
) -> None:
    assert await tokens.token() == logged_in["access_token"]
    assert refreshes(server) == 0


async def test_a_burst_at_expiry_makes_one_refresh(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    clock.skip(HOUR_S)
    got: list[str] = []

    async def call() -> None:
        got.append(await tokens.token())

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(call)
    assert len(got) == 20
    assert len(set(got)) == 1
    assert got[0] != logged_in["access_token"]
    assert refreshes(server) == 1


async def test_a_token_is_refreshed_a_little_before_its_end(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    await tokens.token()
    clock.skip(3_599 - EARLY_S - 1)
    assert await tokens.token() == logged_in["access_token"]
    clock.skip(2)
    assert await tokens.token() != logged_in["access_token"]
    assert refreshes(server) == 1


async def test_a_refreshed_token_lies_in_the_file_before_it_is_used(
    server: GmailServer,
    tokens: Tokens,
    clock: FakeClock,
    logged_in: dict[str, object],
    token_file: Path,
) -> None:
    server.settings.rotate_refresh = True
    clock.skip(HOUR_S)
    got = await tokens.token()
    kept = kept_in(token_file)
    assert kept.access_token == got
    assert kept.refresh_token != logged_in["refresh_token"]
    assert mode_of(token_file) == 0o600


async def test_a_short_lived_token_is_not_refreshed_for_every_call(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    server.settings.token_lifetime_s = 100.0
    clock.skip(HOUR_S)
    first = await tokens.token()
    clock.skip(49.0)
    assert await tokens.token() == first
    clock.skip(2.0)
    assert await tokens.token() != first


# -- the API refuses a token --


async def test_a_refused_token_is_refreshed_once_before_the_next_call(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    old = await tokens.token()
    for _ in range(5):
        await tokens.refused(old)
    new = await tokens.token()
    assert new != old
    assert refreshes(server) == 1
    await tokens.refused(old)
    assert await tokens.token() == new
    assert refreshes(server) == 1


async def test_a_token_that_is_refused_at_once_is_not_refreshed_in_a_circle(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    for _ in range(3):
        with suppress(TokenError):
            await tokens.refused(await tokens.token())
    assert refreshes(server) == 1
    clock.skip(60.0)
    await tokens.token()
    assert refreshes(server) == 2


async def test_a_wall_clock_that_is_set_meanwhile_ends_no_token(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    got = await tokens.token()
    clock.wall_off_s = 86_400.0
    assert await tokens.token() == got
    clock.wall_off_s = -86_400.0
    clock.skip(HOUR_S)
    assert await tokens.token() != got


# -- Google does not answer --


async def test_a_failed_refresh_is_told_to_all_who_wait_and_asked_once(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    server.fault("oauth.refresh", effect="before", answer=NAMED["empty_503"], times=99)
    clock.skip(HOUR_S)
    kinds: list[TokenTrouble] = []

    async def call() -> None:
        kinds.append((await trouble(tokens)).kind)

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(call)
    assert set(kinds) == {TokenTrouble.TRANSIENT}
    assert refreshes(server) == 1


async def test_google_is_left_alone_longer_each_time_and_asked_again(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    server.fault("oauth.refresh", effect="before", answer=NAMED["empty_503"], times=5)
    clock.skip(HOUR_S)
    begun_s = clock.boot_s()
    asked_at = []
    while len(asked_at) < 6:
        before = refreshes(server)
        with suppress(TokenError):
            await tokens.token()
        if refreshes(server) > before:
            asked_at.append(clock.boot_s() - begun_s)
        clock.skip(1.0)
    assert asked_at == [0, 5, 15, 35, 75, 155]
    assert await tokens.token()


async def test_retry_after_of_the_token_server_is_kept_to(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    wait = replace(NAMED["empty_503"], headers={"Retry-After": "600"})
    server.fault("oauth.refresh", effect="before", answer=wait)
    clock.skip(HOUR_S)
    await trouble(tokens)
    clock.skip(599.0)
    await trouble(tokens)
    assert refreshes(server) == 1
    clock.skip(1.0)
    await tokens.token()


async def test_a_refresh_whose_answer_is_lost_is_made_again_later(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    server.fault("oauth.refresh", end="reset")
    clock.skip(HOUR_S)
    assert (await trouble(tokens)).kind is TokenTrouble.TRANSIENT
    clock.skip(5.0)
    assert await tokens.token()


# -- the login is gone --


async def test_nobody_has_logged_in_yet(tokens: Tokens) -> None:
    error = await trouble(tokens)
    assert error.kind is TokenTrouble.RECONNECT
    assert LOGIN in error.remedy


async def test_a_withdrawn_login_is_asked_for_once(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    server.world.oauth.forget(ROBIN)
    clock.skip(HOUR_S)
    for _ in range(10):
        error = await trouble(tokens)
        assert error.kind is TokenTrouble.RECONNECT
        assert LOGIN in error.remedy
        clock.skip(HOUR_S)
    assert refreshes(server) == 1


async def test_a_new_login_is_found_without_a_restart(
    server: GmailServer,
    tokens: Tokens,
    clock: FakeClock,
    logged_in: dict[str, object],
    token_file: Path,
) -> None:
    server.world.oauth.forget(ROBIN)
    clock.skip(HOUR_S)
    await trouble(tokens)
    made = server.login()
    write(token_file, json.dumps(made))
    assert await tokens.token() == made["access_token"]


async def test_a_login_that_ended_after_seven_days_says_how_to_make_it_last(
    server: GmailServer,
    tokens: Tokens,
    clock: FakeClock,
    logged_in: dict[str, object],
    token_file: Path,
) -> None:
    ends_at = clock.now() + timedelta(days=7)
    write(token_file, json.dumps(logged_in | {"login_ends_at": ends_at.isoformat()}))
    server.settings.refresh_lifetime_s = 7 * 86_400.0
    clock.skip(7 * 86_400.0)
    error = await trouble(tokens)
    assert error.kind is TokenTrouble.RECONNECT
    assert "Testing" in error.problem
    assert "In production" in error.remedy


async def test_a_withdrawn_login_names_testing_among_the_reasons(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    server.world.oauth.forget(ROBIN)
    clock.skip(HOUR_S)
    assert "7 days" in (await trouble(tokens)).problem


async def test_a_client_that_google_does_not_know_wants_the_owner(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    server.settings.client_secret = "changed"
    clock.skip(HOUR_S)
    error = await trouble(tokens)
    assert error.kind is TokenTrouble.RECONNECT
    assert "download its JSON" in error.remedy
    await trouble(tokens)
    assert refreshes(server) == 1


async def test_a_broken_file_wants_a_new_login(tokens: Tokens, token_file: Path) -> None:
    write(token_file, "{")
    error = await trouble(tokens)
    assert error.kind is TokenTrouble.RECONNECT
    assert LOGIN in error.remedy


# -- several at once --


async def test_another_process_that_has_refreshed_saves_us_the_refresh(
    server: GmailServer,
    google: Google,
    clock: FakeClock,
    logged_in: dict[str, object],
    token_file: Path,
    tmp_path: Path,
) -> None:
    def process() -> Tokens:
        shelf = ReferenceShelf(SecretRef(file=token_file), tmp_path / "data", clock, login=LOGIN)
        return Tokens(shelf, google, clock, login=LOGIN)

    one, two = process(), process()
    clock.skip(HOUR_S)
    got: list[str] = []

    async def call(tokens: Tokens) -> None:
        got.append(await tokens.token())

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(call, one)
            group.start_soon(call, two)

    await drive_beside_io(clock, both)
    assert got[0] == got[1]
    assert refreshes(server) == 1


async def drive_beside_io(clock: FakeClock, work: object) -> None:
    """Run *work* over real sockets and files; whoever sleeps on the clock is woken by and by."""
    async with anyio.create_task_group() as group:
        done = anyio.Event()

        async def run() -> None:
            await work()  # type: ignore[operator]
            done.set()

        group.start_soon(run)
        while not done.is_set():
            with anyio.move_on_after(0.02):
                await done.wait()
            if clock.next_wake_s is not None:
                clock.skip(clock.next_wake_s)


async def test_a_turn_that_another_holds_is_waited_for_a_moment_only(
    server: GmailServer,
    tokens: Tokens,
    clock: FakeClock,
    shelf: ReferenceShelf,
    logged_in: dict[str, object],
    token_file: Path,
    tmp_path: Path,
) -> None:
    clock.skip(HOUR_S)
    other = ReferenceShelf(SecretRef(file=token_file), tmp_path / "data", clock, login=LOGIN)
    begun_s = clock.boot_s()
    async with other.turn() as ours:
        assert ours
        error = await drive(clock, lambda: trouble(tokens))
    assert error.kind is TokenTrouble.TRANSIENT
    assert clock.boot_s() - begun_s < 10.0
    assert refreshes(server) == 0
    assert await tokens.token()


# -- crashes and cancellation, with a shelf and a Google made for it --


class Memory:
    """A shelf that can be full, and that somebody else may change."""

    def __init__(self, token: Token) -> None:
        self.token = token
        self.version = 1
        self.full = False
        self.kept: list[str] = []

    async def load(self) -> Kept | None:
        await anyio.lowlevel.checkpoint()
        return Kept(token=self.token, version=str(self.version))

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[bool]:
        yield True

    async def keep(self, token: Token, *, after: str | None) -> bool:
        await anyio.lowlevel.checkpoint()
        if self.full:
            raise TokenError(TokenTrouble.TRANSIENT, "the disk is full", "make room")
        if after != str(self.version):
            return False
        self.token, self.version = token, self.version + 1
        self.kept.append(token.refresh_token)
        return True


class Rotating:
    """A Google that takes each refresh token once."""

    def __init__(self) -> None:
        self.good = "refresh-0"
        self.made = 0
        self.gate: anyio.Event | None = None
        self.asking = anyio.Event()

    async def refresh(self, refresh_token: str, now: object) -> Granted:
        self.asking.set()
        if refresh_token != self.good:
            raise GoogleError("withdrawn", "log in again", lost=True, standing=True)
        self.made += 1
        self.good = f"refresh-{self.made}"
        if self.gate is not None:
            await self.gate.wait()
        token = Token(
            access_token=f"access-{self.made}",
            refresh_token=self.good,
            expires_at=START + timedelta(hours=1),
        )
        return Granted(token=token, scopes=None, clock_off_s=0.0)


OLD = Token(access_token="access-0", refresh_token="refresh-0", expires_at=START)


async def test_a_rotated_refresh_token_survives_a_full_disk() -> None:
    clock, shelf, google = FakeClock(), Memory(OLD), Rotating()
    tokens = Tokens(shelf, google, clock, login=LOGIN)
    shelf.full = True
    for _ in range(3):
        assert (await trouble(tokens)).problem == "the disk is full"
    assert google.made == 1
    shelf.full = False
    assert await tokens.token() == "access-1"
    assert shelf.token.refresh_token == google.good


async def test_a_token_that_ended_before_it_could_be_kept_is_followed_by_its_successor() -> None:
    clock, shelf, google = FakeClock(), Memory(OLD), Rotating()
    tokens = Tokens(shelf, google, clock, login=LOGIN)
    shelf.full = True
    await trouble(tokens)
    shelf.full = False
    clock.skip(2 * HOUR_S)
    good_for_an_hour_from_now(clock, google)
    assert await tokens.token() == "access-2"
    assert shelf.kept == ["refresh-1", "refresh-2"]


def good_for_an_hour_from_now(clock: FakeClock, google: Rotating) -> None:
    """Have Google's next token be good for an hour from now."""
    made = google.refresh

    async def refresh(refresh_token: str, now: object) -> Granted:
        granted = await made(refresh_token, now)
        expires_at = clock.now() + timedelta(hours=1)
        return replace(granted, token=replace(granted.token, expires_at=expires_at))

    google.refresh = refresh  # type: ignore[method-assign]


async def test_a_caller_that_is_cancelled_in_a_refresh_loses_no_login() -> None:
    clock, shelf, google = FakeClock(), Memory(OLD), Rotating()
    google.gate = anyio.Event()
    tokens = Tokens(shelf, google, clock, login=LOGIN)
    async with anyio.create_task_group() as group:
        group.start_soon(tokens.token)
        await google.asking.wait()
        group.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            await quiesce()
            google.gate.set()
    assert shelf.token.refresh_token == google.good
    assert await tokens.token() == "access-1"
    assert google.made == 1


async def test_a_login_made_during_a_refresh_is_not_overwritten() -> None:
    clock, shelf, google = FakeClock(), Memory(OLD), Rotating()
    google.gate = anyio.Event()
    tokens = Tokens(shelf, google, clock, login=LOGIN)
    newer = Token(access_token="new", refresh_token="newer", expires_at=START + timedelta(hours=1))
    got: list[str] = []

    async def call() -> None:
        got.append(await tokens.token())

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await google.asking.wait()
        shelf.token, shelf.version = newer, 7
        google.gate.set()
    assert got == ["new"]
    assert shelf.token == newer


async def test_no_error_holds_a_token(
    server: GmailServer, tokens: Tokens, clock: FakeClock, logged_in: dict[str, object]
) -> None:
    server.world.oauth.forget(ROBIN)
    clock.skip(HOUR_S)
    error = await trouble(tokens)
    shown = f"{error} {error!r} {error.__cause__!r} {error.__context__!r}"
    assert str(logged_in["refresh_token"]) not in shown
    assert str(logged_in["access_token"]) not in shown


# -- the file --


async def test_a_token_that_others_may_write_is_not_believed(
    tokens: Tokens, token_file: Path, logged_in: dict[str, object]
) -> None:
    let_all_write(token_file)
    error = await trouble(tokens)
    assert "chmod 600" in error.remedy


async def test_a_folder_that_cannot_be_written_is_told(
    shelf: ReferenceShelf, token_file: Path
) -> None:
    write(token_file.parent, "a file where a folder belongs")
    with pytest.raises(TokenError):
        await shelf.put(OLD)
    with pytest.raises(TokenError):
        async with shelf.turn():
            pass


async def test_a_new_login_replaces_the_old_one_whole(
    shelf: ReferenceShelf, token_file: Path, logged_in: dict[str, object]
) -> None:
    async with shelf.turn() as ours:
        assert ours
        await shelf.put(OLD)
    assert kept_in(token_file) == OLD
    assert mode_of(token_file) == 0o600
    assert names_in(token_file.parent) == {token_file.name, f".{token_file.name}.lock"}
