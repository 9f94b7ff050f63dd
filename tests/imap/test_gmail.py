"""Gmail over IMAP, as far as a fake can stand for it: threads, folders, and what is not done."""

from __future__ import annotations

import pytest

from providers.imap import ImapMailbox
from providers.ports import Folder, ThreadScope
from storage.words import Rejected
from tests.contracts.mails import QUESTION, mail, question
from tests.contracts.steps import REMOVAL
from tests.imap.acts import SCOPE, make, nothing_known
from tests.imap.fake import Box, FakeServer


@pytest.fixture
def gmail(fake: FakeServer) -> FakeServer:
    fake.capabilities = b"IMAP4rev1 UIDPLUS IDLE SPECIAL-USE X-GM-EXT-1 AUTH=PLAIN SASL-IR"
    fake.boxes = {
        b"INBOX": Box(),
        b"[Gmail]": Box(b"\\HasChildren \\Noselect"),
        b"[Gmail]/All Mail": Box(b"\\All"),
        b"[Gmail]/Entw&APw-rfe": Box(b"\\Drafts"),
        b"[Gmail]/Sent Mail": Box(b"\\Sent"),
        b"[Gmail]/Bin": Box(b"\\Trash"),
    }
    return fake


def crlf(raw: bytes) -> bytes:
    return raw.replace(b"\n", b"\r\n")


async def test_folders_are_known_in_every_language(gmail: FakeServer, box: ImapMailbox) -> None:
    await make(box)
    assert len(gmail.boxes[b"[Gmail]/Entw&APw-rfe"].mails) == 1


async def test_threads_are_gmails_own(gmail: FakeServer, box: ImapMailbox) -> None:
    gmail.boxes[b"INBOX"].add(crlf(question()))
    (seen,) = (await box.changes(None, since=None, known=nothing_known)).seen
    assert (seen.thread, seen.folder) == ("1789", Folder.INBOX)


async def test_old_mail_of_the_thread_is_found_by_its_thread_id(
    gmail: FakeServer, box: ImapMailbox
) -> None:
    gmail.boxes[b"INBOX"].add(crlf(mail("<unrelated-headers@example.org>")))
    scope = ThreadScope(thread="1789", message_ids=frozenset({QUESTION}))
    news = (await box.snapshot(scope)).news
    assert [one.heads.message_id for one in news] == ["<unrelated-headers@example.org>"]
    assert gmail.count(b"UID SEARCH X-GM-THRID 1789") > 0


async def test_no_draft_is_removed_there(gmail: FakeServer, box: ImapMailbox) -> None:
    draft = await make(box)
    assert isinstance(await box.remove(draft, intent=REMOVAL, attempt=1), Rejected)
    assert gmail.count(b"UID STORE") == 0
    assert not box.profile.versioned_removal


async def test_check_says_what_it_lacks(gmail: FakeServer, box: ImapMailbox) -> None:
    await box.snapshot(SCOPE)
    assert "Gmail over IMAP: drafts are never removed" in box.profile.notes
    assert not any("thread ids" in note for note in box.profile.notes)
