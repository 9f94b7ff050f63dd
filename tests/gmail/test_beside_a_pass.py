"""A pass beside which others read: what comes meanwhile is the next pass's, and is not lost."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from storage.words import Ref
from tests.contracts.mails import mail
from tests.gmail.conftest import Site, scope
from tests.gmail.test_passing import ids, run


@pytest.mark.parametrize("first", [False, True])
async def test_a_snapshot_beside_a_pass_moves_no_cursor_past_mail(site: Site, first: bool) -> None:
    mailbox = site.mailbox()
    cursor = None if first else (await run(site, mailbox)).cursor
    site.deliver(mail("<one@example.org>"))
    came = False

    async def known(refs: Collection[Ref]) -> frozenset[Ref]:
        nonlocal came
        if not came:
            came = True
            site.deliver(mail("<two@example.org>"))
            # As a worker of the same process does before its claim.
            await mailbox.snapshot(scope(None))
        return await site.known(refs)

    changes = await mailbox.changes(cursor, since=None, known=known)
    site.refs |= {one.ref for one in changes.seen}
    seen = [*ids(changes), *ids(await run(site, mailbox, changes.cursor))]
    assert sorted(map(str, seen)) == ["<one@example.org>", "<two@example.org>"]
