"""When a host asks again for what it lacked, and what it does with a check that hangs."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant import needs, serving
from assistant.serving import LONGEST_PAUSE_S, NO_ANSWER, Need, Serving
from config.secrets import SecretRef
from providers.maildir.mailbox import MaildirMailbox
from providers.ports import NotHereError
from storage.words import IntegrationId
from tests.support.clock import FakeClock

BOX = IntegrationId("robin/local")


class Host:
    """A host that has something or not, and counts how often it was asked."""

    def __init__(self, *, has: bool = False, account: str | None = None) -> None:
        self.has = has
        self.account = account
        self.asked = 0

    def check(self) -> str | None:
        self.asked += 1
        if not self.has:
            raise NotHereError("it is missing", "put it there")
        return self.account


def need(check: Callable[[], str | None], *, costly: bool = False) -> dict[IntegrationId, Need]:
    return {BOX: Need(check=check, costly=costly)}


async def test_what_is_lacking_is_found_at_the_first_check() -> None:
    found = Serving()
    await found.check(need(Host().check), FakeClock())
    assert found.lacks[BOX].problem == "it is missing"


async def test_what_came_meanwhile_is_served_again() -> None:
    host, found, clock = Host(), Serving(), FakeClock()
    await found.check(need(host.check), clock)
    host.has = True
    clock.skip(1)
    assert await found.check(need(host.check), clock)
    assert found.has(BOX)


async def test_it_is_asked_for_more_and_more_slowly_up_to_a_minute() -> None:
    host, found, clock = Host(), Serving(), FakeClock()
    asked = []
    for second in range(200):
        before = host.asked
        await found.check(need(host.check), clock)
        if host.asked > before:
            asked.append(second)
        clock.skip(1)
    gaps = [later - earlier for earlier, later in itertools.pairwise(asked)]
    assert gaps == [1, 2, 4, 8, 16, 32, LONGEST_PAUSE_S, LONGEST_PAUSE_S]


async def test_what_is_costly_is_not_asked_for_while_nothing_seems_lacking() -> None:
    host, found, clock = Host(has=True), Serving(), FakeClock()
    await found.check(need(host.check, costly=True), clock, all_=True)
    await found.check(need(host.check, costly=True), clock)
    assert host.asked == 1


async def test_a_mailbox_that_changed_is_asked_for_at_once() -> None:
    host, found, clock = Host(), Serving(), FakeClock()
    await found.check(need(host.check), clock)
    host.has = True
    assert await found.check(need(host.check), clock, all_=True)


@pytest.mark.parametrize(
    ("here", "bound", "has"),
    [("x", "y", False), ("x", "x", True), (None, "y", True), ("x", None, True)],
)
async def test_another_account_at_the_same_path_is_lacking(
    here: str | None, bound: str | None, has: bool
) -> None:
    host, found = Host(has=True, account=here), Serving()
    accounts = {} if bound is None else {BOX: bound}
    await found.check(need(host.check), FakeClock(), bound=accounts)
    assert found.has(BOX) is has


async def test_a_check_that_hangs_counts_as_lacking_and_is_not_begun_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer, ended = threading.Event(), threading.Event()
    begun = []

    def hang() -> None:
        begun.append(1)
        answer.wait(10)

    found, clock = Serving(), FakeClock()
    inside = found._answer

    def told(_: Serving, name: IntegrationId, *rest: Any) -> object:
        try:
            return inside(name, *rest)
        finally:
            ended.set()

    monkeypatch.setattr(Serving, "_answer", told)
    monkeypatch.setattr(serving, "ANSWER_S", 0.05)
    await found.check(need(hang), clock)
    clock.skip(LONGEST_PAUSE_S)
    await found.check(need(hang), clock)
    assert (found.lacks[BOX], len(begun)) == (NO_ANSWER, 1)
    answer.set()
    assert ended.wait(10)


@pytest.mark.parametrize("made", ["nothing", "a folder", "a file"])
def test_a_path_without_a_maildir_is_lacking(tmp_path: Path, made: str) -> None:
    path = tmp_path / "mail"
    if made == "a folder":
        path.mkdir()
    if made == "a file":
        path.write_text("no folder")
    with pytest.raises(NotHereError):
        MaildirMailbox(path, clock=FakeClock()).account_here()


def test_a_maildir_is_not_lacking(tmp_path: Path) -> None:
    for sub in ("cur", "new", "tmp"):
        (tmp_path / "mail" / sub).mkdir(parents=True)
    MaildirMailbox(tmp_path / "mail", clock=FakeClock()).account_here()


def test_a_secret_that_this_host_does_not_have_is_lacking(tmp_path: Path) -> None:
    wanted = needs.secret(SecretRef(file=tmp_path / "imap.secret"))
    assert wanted is not None
    with pytest.raises(NotHereError, match="does not exist"):
        wanted.check()


@pytest.mark.parametrize(
    ("ref", "costly"),
    [
        (SecretRef(env="X"), False),
        (SecretRef(keyring="mail/robin"), True),
        (SecretRef(command="pass show mail"), True),
    ],
)
def test_a_secret_for_which_somebody_may_be_asked_is_costly(ref: SecretRef, costly: bool) -> None:
    wanted = needs.secret(ref)
    assert wanted is not None
    assert wanted.costly is costly
