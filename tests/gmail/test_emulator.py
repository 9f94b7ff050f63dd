"""The adapter against a Gmail emulator that others wrote, where one is installed.

It has no getProfile, shows no header field of ours but in ``raw``, and finds nothing by Message-ID:
what it lacks is told, and the rest is done all the same.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from providers.gmail import GmailMailbox
from providers.mime.compose import content_hash
from providers.mime.reading import read_mail
from providers.ports import Changes, Folder, ThreadScope, Whereabouts
from storage.words import Accepted, IntentId, Ref
from tests.contracts.clock import SkippingClock
from tests.contracts.mails import MARK, QUESTION, mail, ours, question
from tests.gmail.conftest import ALL
from tests.gmail.drafts import make, request
from tests.gmail.neighbours import FixedTokens, Unlimited
from tests.support.gmail.emulator import Emulator


@dataclass
class Elsewhere:
    """The emulator, a login and the adapter."""

    emulator: Emulator
    access: str
    mailbox: GmailMailbox
    clock: SkippingClock
    refs: set[Ref]

    def deliver(self, raw: bytes) -> dict[str, str]:
        return dict(self.emulator.deliver(self.access, raw))

    async def known(self, refs: object) -> frozenset[Ref]:
        return frozenset(refs) & self.refs  # type: ignore[call-overload]

    async def run(self, cursor: object = None) -> Changes:
        changes = await self.mailbox.changes(cursor, since=None, known=self.known)  # type: ignore[arg-type]
        self.refs |= {one.ref for one in changes.seen}
        return changes


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Elsewhere]:
    with Emulator.started(tmp_path) as emulator:
        access = emulator.login()["access_token"]
        clock = SkippingClock()
        mailbox = GmailMailbox(
            FixedTokens(access), Unlimited(), clock=clock, api_root=emulator.root, kept=ALL
        )
        yield Elsewhere(emulator, access, mailbox, clock, set())
        await mailbox.close()


async def talk(there: Elsewhere) -> ThreadScope:
    there.deliver(question())
    (seen,) = (await there.run()).seen
    return ThreadScope(
        thread=seen.thread, message_ids=frozenset({QUESTION}), refs=frozenset({seen.ref})
    )


async def test_the_account_has_a_name_and_what_is_missing_is_told(there: Elsewhere) -> None:
    assert await there.mailbox.account()
    assert any("getProfile" in note for note in there.mailbox.profile.notes)


async def test_mail_is_seen_once_and_read(there: Elsewhere) -> None:
    there.deliver(question())
    first = await there.run()
    there.deliver(mail("<second@example.org>", parent=QUESTION))
    second = await there.run(first.cursor)
    assert [one.heads.message_id for one in (*first.seen, *second.seen)] == [
        QUESTION,
        "<second@example.org>",
    ]
    fetched = await there.mailbox.fetch([one.ref for one in (*first.seen, *second.seen)])
    assert [read_mail(one.raw or b"").text for one in fetched] == ["Shall we meet on Tuesday?"] * 2


async def test_a_draft_is_made_in_its_thread_and_seen_in_its_place(there: Elsewhere) -> None:
    where = await talk(there)
    draft = await make(there.mailbox, where)
    (seen,) = (await there.mailbox.snapshot(where)).drafts
    assert (seen.ref, seen.version, seen.mark) == (draft.ref, draft.version, MARK)
    assert seen.content_hash == content_hash(ours())
    assert (await there.mailbox.draft(draft)).where is Whereabouts.UNTOUCHED


async def test_a_lost_draft_is_found(there: Elsewhere) -> None:
    where = await talk(there)
    before = await there.mailbox.snapshot(where)
    at = there.clock.now()
    await make(there.mailbox, where)
    there.clock.skip(30)
    found = await there.mailbox.look(request(where, at, before=before))
    assert [one.mark for one in found.found] == [MARK]
    assert found.complete


async def test_what_was_never_made_is_not_found(there: Elsewhere) -> None:
    where = await talk(there)
    before = await there.mailbox.snapshot(where)
    found = await there.mailbox.look(request(where, there.clock.now(), before=before))
    assert (found.found, found.candidates, found.complete) == ((), (), True)


async def test_own_drafts_are_no_news_of_the_thread(there: Elsewhere) -> None:
    where = await talk(there)
    first = await there.run()
    await make(there.mailbox, where)
    second = await there.run(first.cursor)
    assert [one.folder for one in second.seen] == [Folder.DRAFTS]
    assert (await there.run(second.cursor)).seen == ()


async def test_a_removal_is_what_a_direct_get_says(there: Elsewhere) -> None:
    where = await talk(there)
    draft = await make(there.mailbox, where)
    outcome = await there.mailbox.remove(draft, intent=IntentId("2e" * 16), attempt=1)
    left = (await there.mailbox.draft(draft)).where
    assert isinstance(outcome, Accepted) == (left in (Whereabouts.TRASHED, Whereabouts.ABSENT))
