"""The harnesses of the IMAP adapter: a real Dovecot and a real Cyrus, read by ``imaplib``.

Mail lies on such servers with CRLF line ends; the reader gives it back as it was written here.
"""

from __future__ import annotations

import imaplib
import itertools
import os
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from providers.imap import ImapMailbox, Server
from providers.ports import Folder, Mailbox
from storage.words import Ref
from tests.contracts.harness import Harness
from tests.support.cyrus import cyrus
from tests.support.dovecot import PASSWORD, dovecot, log_in

NAMES = {Folder.INBOX: "INBOX", Folder.SENT: "Sent", Folder.DRAFTS: "Drafts", Folder.TRASH: "Trash"}


class ImapHarness(Harness):
    """An account at a real server."""

    stages = False
    room: ClassVar[int] = 5 * 1024 * 1024

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.port, self.user = self.account()
        self.reader = log_in(self.port, self.user)
        self._counter = itertools.count(1)

    def account(self) -> tuple[int, str]:
        """A new user of the server: port and name."""
        raise NotImplementedError

    def plain(self) -> Mailbox:
        server = Server(
            host="127.0.0.1",
            port=self.port,
            username=self.user,
            security="none",
            password=lambda: PASSWORD,
            direct=True,
        )
        return ImapMailbox(server, clock=self.clock)

    def deliver(self, raw: bytes, folder: Folder = Folder.INBOX, *, days_ago: float = 0) -> None:
        flags = {Folder.DRAFTS: "(\\Draft)", Folder.SENT: "(\\Seen)"}.get(folder, "")
        self.append(raw, folder, flags, days_ago=days_ago)

    def append(self, raw: bytes, folder: Folder, flags: str = "", *, days_ago: float = 0) -> None:
        """Store a mail over the wire, as the owner's program does it."""
        date = imaplib.Time2Internaldate(time.time() - days_ago * 86400)
        lines = raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        done, said = self.reader.append(NAMES[folder], flags, date, lines)
        assert done == "OK", said

    def uid(self, ref: Ref) -> tuple[str, str]:
        """Folder and UID that a reference of the adapter names."""
        numbers, _, folder = ref.partition("/")
        return folder, numbers.partition(".")[2]

    def take(self, ref: Ref) -> bytes:
        """Take a mail out of its folder; gives what it was."""
        folder, uid = self.uid(ref)
        self.reader.select(folder)
        raw = self._raw(uid)
        self.reader.uid("STORE", uid, "+FLAGS", "(\\Deleted)")
        self.reader.uid("EXPUNGE", uid)
        return raw

    def owner_edits(self, ref: Ref, raw: bytes) -> None:
        self.append(raw, Folder.DRAFTS, "(\\Draft \\Seen)")
        self.take(ref)

    def owner_sends(self, ref: Ref) -> None:
        self.append(self.take(ref), Folder.SENT, "(\\Seen)")

    def owner_deletes(self, ref: Ref, *, trash: bool = False) -> None:
        if not trash:
            self.take(ref)
            return
        folder, uid = self.uid(ref)
        self.reader.select(folder)
        done, said = self.reader.uid("MOVE", uid, NAMES[Folder.TRASH])
        assert done == "OK", said

    def lying_in(self, folder: Folder) -> list[bytes]:
        self.reader.select(NAMES[folder], readonly=True)
        _, found = self.reader.uid("SEARCH", "UNDELETED")
        return [self._raw(uid).replace(b"\r\n", b"\n") for uid in found[0].decode().split()]

    def unread(self) -> int:
        self.reader.select("INBOX", readonly=True)
        _, found = self.reader.uid("SEARCH", "UNSEEN")
        return len(found[0].split())

    def fill(self) -> None:
        junk = b"From: a@example.org\r\nSubject: junk\r\n\r\n" + b"junk junk\r\n" * 90_000
        for _ in range(10):
            done, _ = self.reader.append("Trash", "", None, junk)
            if done != "OK":
                return
            left = self.left()
            if left < len(junk):
                junk = junk[: max(0, left - 20_000)]
            if left < 50_000:
                return
        raise AssertionError("the mailbox does not get full")

    def left(self) -> int:
        """How many octets the quota leaves."""
        _, (_, quotas) = self.reader.getquotaroot("INBOX")
        used, limit = quotas[0].decode().rpartition("STORAGE ")[2].strip("()").split()[:2]
        return (int(limit) - int(used)) * 1024

    def tear_down(self) -> None:
        self.reader.logout()

    def _raw(self, uid: str) -> bytes:
        _, data = self.reader.uid("FETCH", uid, "(BODY.PEEK[])")
        (raw,) = [part[1] for part in data if isinstance(part, tuple)]
        return bytes(raw)


class DovecotHarness(ImapHarness):
    """An account at Dovecot, which puts no mail into threads."""

    name = "dovecot"

    def account(self) -> tuple[int, str]:
        self.server = dovecot()
        return self.server.port, f"{uuid.uuid4().hex}@5m"

    def deliver(self, raw: bytes, folder: Folder = Folder.INBOX, *, days_ago: float = 0) -> None:
        if raw and b"\0" not in raw:
            super().deliver(raw, folder, days_ago=days_ago)
            return
        name = f"{int(time.time())}.M{next(self._counter):06}P{os.getpid()}.example"
        self.server.deliver_file(self.user, raw, name)


class CyrusHarness(ImapHarness):
    """An account at Cyrus, which takes no NUL and no mail without lines, and knows threads."""

    name = "cyrus"

    def account(self) -> tuple[int, str]:
        server, user = cyrus(), f"u{uuid.uuid4().hex}"
        server.add_user(user)
        return server.port, user

    def deliver(self, raw: bytes, folder: Folder = Folder.INBOX, *, days_ago: float = 0) -> None:
        if not raw or b"\0" in raw or b"\n" not in raw:
            raw = b"\n" + raw.replace(b"\0", b"")
        super().deliver(raw, folder, days_ago=days_ago)

    def fill(self) -> None:
        cyrus().set_quota(self.user, 20)


IMAP_HARNESSES: Sequence[type[Harness]] = (DovecotHarness, CyrusHarness)
