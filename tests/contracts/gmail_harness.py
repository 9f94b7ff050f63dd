"""The harness of the Gmail adapter: a server of the tests' own, read past its API.

Two accounts of one kind: at the first Gmail replaces every Message-ID and an edit drops our header
field, as it is reported; at the second both stay, as others assume. Messages lie there with CRLF.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import ClassVar

import pytest

from providers.gmail import GmailMailbox
from providers.ports import Folder, Kept, Mailbox
from storage.words import Ref
from tests.contracts.harness import Harness
from tests.gmail.neighbours import FixedTokens, Unlimited
from tests.support.gmail import headers
from tests.support.gmail.mailbox import Message
from tests.support.gmail.server import ROBIN, GmailServer, running
from tests.support.gmail.settings import Settings

LABELS = {
    Folder.INBOX: ["INBOX", "UNREAD"],
    Folder.SENT: ["SENT"],
    Folder.TRASH: ["TRASH"],
}


class GmailHarness(Harness):
    """An account at a Gmail that replaces what it is reported to replace."""

    name = "gmail"
    stages = False
    pushes = False
    settings: ClassVar[dict[str, object]] = {}
    kept = Kept(marks=frozenset({"header", "content"}), versioned_removal=True)

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._stack = AsyncExitStack()
        self.server: GmailServer
        self.access = ""

    async def begin(self) -> None:
        settings = Settings()
        settings.change({"units_per_minute": 10**9, "concurrent": 100, **self.settings})
        self.server = await self._stack.enter_async_context(
            running(clock=self.clock, settings=settings)
        )
        self.access = self.server.login()["access_token"]

    async def end(self) -> None:
        await self._stack.aclose()

    def plain(self) -> Mailbox:
        return GmailMailbox(
            FixedTokens(self.access),
            Unlimited(),
            clock=self.clock,
            api_root=self.server.root,
            addresses=(ROBIN,),
            kept=self.kept,
        )

    def deliver(self, raw: bytes, folder: Folder = Folder.INBOX, *, days_ago: float = 0) -> None:
        at_ms = round((self.clock.now().timestamp() - days_ago * 86_400) * 1000)
        if folder is Folder.DRAFTS:
            box = self.server.box()
            message = box.add(headers.crlf(raw), ["DRAFT"], None, at_ms)
            box.point(box.fresh_draft_id(), message)
            return
        self.server.owner().deliver(raw, LABELS[folder], internal_ms=at_ms)

    def draft_id(self, ref: Ref) -> str:
        kind, _, name = ref.partition("/")
        assert kind == "draft"
        return name

    def owner_edits(self, ref: Ref, raw: bytes) -> None:
        box, draft = self.server.box(), self.draft_id(ref)
        old = box.draft(draft)
        new = headers.crlf(raw)
        if self.server.settings.x_headers_on_edit == "drop":
            new = headers.without_x(new)
        box.drop(old)
        box.point(draft, box.add(new, ["DRAFT"], old.thread))

    def owner_sends(self, ref: Ref) -> None:
        self.server.owner().send_draft(self.draft_id(ref))

    def owner_deletes(self, ref: Ref, *, trash: bool = False) -> None:
        draft = self.draft_id(ref)
        if trash:
            self.server.owner().trash(self.server.box().draft(draft).id)
        else:
            self.server.owner().discard_draft(draft)

    def messages(self, folder: Folder) -> list[Message]:
        label = {"drafts": "DRAFT"}.get(folder, folder.upper())
        now = self.server.box().at(self.clock.now().timestamp())
        hidden = set() if folder is Folder.TRASH else {"TRASH", "SPAM"}
        return [one for one, labels in now if label in labels and not hidden & set(labels)]

    def lying_in(self, folder: Folder) -> list[bytes]:
        return [one.raw.replace(b"\r\n", b"\n") for one in self.messages(folder)]

    def unread(self) -> int:
        return sum("UNREAD" in one.now for one in self.messages(Folder.INBOX))

    def fill(self) -> None:
        pytest.skip("nobody knows what a full account answers to drafts.create")

    def tear_down(self) -> None:
        """The server ends with ``end``."""


class FaithfulGmailHarness(GmailHarness):
    """An account at a Gmail that keeps Message-IDs and header fields."""

    name = "gmail_faithful"
    settings: ClassVar[dict[str, object]] = {
        "message_id_on_create": "keep",
        "message_id_on_edit": "keep",
        "message_id_on_send": "keep",
        "x_headers_on_edit": "keep",
        "x_headers_on_user_send": "keep",
        "trash_draft": "stays",
    }
    kept = Kept(marks=frozenset({"header", "message_id", "content"}), versioned_removal=True)


GMAIL_HARNESSES: Sequence[type[Harness]] = (GmailHarness, FaithfulGmailHarness)
