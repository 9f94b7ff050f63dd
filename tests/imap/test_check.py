"""``fencepost check`` over IMAP: what works, what the server lacks, and the probe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assistant.cli.main import cli
from providers.ports import Folder
from tests.contracts.imap_harness import ImapHarness
from tests.imap.fake import PASSWORD as FAKE_PASSWORD
from tests.imap.fake import FakeServer
from tests.imap.test_product import Site
from tests.support.dovecot import PASSWORD


def check(site: Site, *words: str) -> dict[str, dict[str, Any]]:
    done = CliRunner().invoke(cli, ["--config", str(site.config), "check", "--json", *words])
    return {one["what"]: one for one in json.loads(done.stdout)}


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_IMAP_PASSWORD", PASSWORD)


def test_a_mailbox_is_checked_and_told_what_it_lacks(world: ImapHarness, tmp_path: Path) -> None:
    told = check(Site(tmp_path, world.port, world.user))["robin/home"]
    assert told["works"]
    assert "marks kept: content, header, message_id" in told["says"]
    assert ("no thread ids" in told["says"]) == (world.name == "dovecot")


def test_the_probe_makes_finds_and_removes_one_draft(world: ImapHarness, tmp_path: Path) -> None:
    site = Site(tmp_path, world.port, world.user)
    told = check(site, "--probe", "robin/home")["probe of robin/home"]
    assert told["works"], told
    assert world.lying_in(Folder.DRAFTS) == []


def test_a_wrong_password_is_told_with_what_to_do(
    world: ImapHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_IMAP_PASSWORD", "wrong")
    told = check(Site(tmp_path, world.port, world.user))["robin/home"]
    assert not told["works"]
    assert told["remedy"] == "correct them"


def test_a_missing_password_is_told_with_what_to_do(
    fake: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_IMAP_PASSWORD")
    told = check(Site(tmp_path, fake.port, "robin"))["robin/home"]
    assert "TEST_IMAP_PASSWORD is not set" in told["says"]
    assert told["remedy"]


def test_a_poor_server_is_told_in_words(
    fake: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_IMAP_PASSWORD", FAKE_PASSWORD)
    fake.capabilities = b"IMAP4rev1 AUTH=PLAIN SASL-IR"
    del fake.boxes[b"Trash"]
    says = check(Site(tmp_path, fake.port, "robin"))["robin/home"]["says"]
    for words in ("no IDLE", "drafts are never removed", "no folder for trash", "no SPECIAL-USE"):
        assert words in says
