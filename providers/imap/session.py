"""A logged-in session as typed questions: folders, selecting, searching, fetching.

Reading opens folders with EXAMINE and asks for BODY.PEEK, so that no mail is ever marked as read.
Every limit is here: how many messages one command asks for, how much of a mail is taken. Answers
are taken by UID, in whatever order they come; what was not asked for is passed over.

Sources: RFC 3501 6.3 to 7.4, 6154 (SPECIAL-USE), 7162 (CONDSTORE, QRESYNC), 8474 (OBJECTID), 2971
(ID), Google's page on IMAP extensions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from anyio import CapacityLimiter

from providers.imap.folders import Listed, Roles
from providers.imap.login import LoggedIn, Server, log_in
from providers.imap.parse import Response, Value, number, pairs
from providers.imap.text import (
    Literal,
    folder_name,
    quoted,
    read_folder_name,
    read_uid_ranges,
    uid_set,
)
from providers.imap.wire import Done, LostError, RefusedError, Wire, shown
from providers.mime.message import Heads
from providers.mime.reading import IDENTITY_BYTES, read_heads
from providers.ports import MailboxIllError

COMMAND_S: Final = 30.0
"""How long a question may take; a search in a large folder is not quick."""
BATCH: Final = 100
"""Messages whose header blocks one command asks for."""
MAIL_OCTETS: Final = 64 * 1024 * 1024
"""How much of one mail is taken."""
_HEADER: Final = b"BODY.PEEK[HEADER]<0.%d>" % IDENTITY_BYTES
_LIMIT: Final = "APPENDLIMIT="
_WHOLE: Final = b"BODY.PEEK[]<0.%d>" % MAIL_OCTETS


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """A folder as the server described it when it was opened.

    ``modseq`` is None where the server counts no changes (RFC 7162).
    """

    name: str
    validity: int
    next: int
    modseq: int | None
    exists: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What a FETCH said of one message; None for what was not asked or not told."""

    uid: int
    flags: frozenset[str] = frozenset()
    arrived_at: datetime | None = None
    header: bytes | None = None
    raw: bytes | None = None
    thread: str | None = None

    @property
    def deleted(self) -> bool:
        """Whether a program has marked it for deletion."""
        return "\\deleted" in self.flags

    @property
    def heads(self) -> Heads:
        """What its header block says."""
        return read_heads(self.header or b"")


class Session:
    """One connection that is logged in."""

    def __init__(self, made: LoggedIn, opened_at: datetime) -> None:
        self.wire: Wire = made.wire
        self.capabilities = made.capabilities
        self.greeting = made.greeting
        self.opened_at = opened_at
        self.product = ""
        self.qresync = False
        self.used_s = 0.0
        self.roles: Roles | None = None

    @staticmethod
    async def open(
        server: Server, limiter: CapacityLimiter, now: datetime, *, writes: bool
    ) -> Session:
        """Connect, log in, ask who the server is and switch change counting on.

        Raises MailboxIllError or TransientError.
        """
        session = Session(await log_in(server, limiter, writes=writes), now)
        try:
            await session._introduce()
        except RefusedError as error:
            await session.wire.drop()
            raise LostError("the server cannot be used", shown(error.done.text)) from error
        return session

    def can(self, capability: str) -> bool:
        """Whether the server offers it."""
        return capability in self.capabilities

    @property
    def broken(self) -> bool:
        """Whether the connection is closed."""
        return self.wire.broken

    @property
    def kind(self) -> str:
        """Which server it says that it is: ``dovecot``, ``cyrus``, ``gmail`` or nothing."""
        said = f"{self.product} {self.greeting}".lower()
        if self.can("X-GM-EXT-1"):
            return "gmail"
        return next((name for name in ("dovecot", "cyrus") if name in said), "")

    async def ask(self, name: str, *parts: bytes | Literal) -> Done:
        """One command that must succeed. Raises RefusedError or LostError."""
        return await self.wire.ok(name, *parts, limit_s=COMMAND_S)

    async def folders(self) -> list[Listed]:
        """The owner's folders, with their special use where the server tells it (RFC 6154)."""
        foreign = await self._foreign()
        done = None
        if self.can("SPECIAL-USE"):
            asked = await self.wire.command(b'LIST "" "*" RETURN (SPECIAL-USE)', limit_s=COMMAND_S)
            done = asked if asked.ok else None
        if done is None:
            done = await self.ask("LIST", b'LIST "" "*"')
        listed = filter(None, map(_listed, done.of(b"LIST")))
        return [one for one in listed if not one.name.startswith(foreign)]

    async def _foreign(self) -> tuple[str, ...]:
        """Where other people's and shared folders begin (RFC 2342); drafts are never put there."""
        if not self.can("NAMESPACE"):
            return ()
        done = await self.wire.command(b"NAMESPACE", limit_s=COMMAND_S)
        found: list[str] = []
        for one in done.of(b"NAMESPACE"):
            for space in one.data[1:]:
                spaces = space if isinstance(space, tuple) else ()
                starts = [each[0] for each in spaces if isinstance(each, tuple) and each]
                found += [read_folder_name(start) for start in starts if isinstance(start, bytes)]
        # An empty prefix would shut out the owner's own folders.
        return tuple(start for start in found if start)

    async def examine(self, name: str) -> Selected:
        """Open a folder for reading, afresh. Raises RefusedError, LostError, MailboxIllError."""
        return await self._open(b"EXAMINE", name)

    async def select(self, name: str) -> Selected:
        """Open a folder for changing it; the same errors."""
        return await self._open(b"SELECT", name)

    async def _open(self, verb: bytes, name: str) -> Selected:
        parts = [verb, folder_name(name)]
        if self.can("CONDSTORE") and not self.qresync:
            parts.append(b"(CONDSTORE)")
        done = await self.ask(verb.decode(), *parts)
        codes = {one.code_name: one.code[1:] for one in done.untagged if one.code}
        validity = number(next(iter(codes.get(b"UIDVALIDITY", ())), None))
        if validity is None:
            raise MailboxIllError(
                f"the server gives the folder {name} no UIDVALIDITY",
                "it does not keep the numbers of mails; Fencepost cannot use it",
            )
        following = number(next(iter(codes.get(b"UIDNEXT", ())), None))
        if following is None:
            following = max(await self.search(b"ALL"), default=0) + 1
        exists = [one.number or 0 for one in done.of(b"EXISTS")]
        return Selected(
            name=name,
            validity=validity,
            next=following,
            modseq=number(next(iter(codes.get(b"HIGHESTMODSEQ", ())), None)),
            exists=exists[-1] if exists else 0,
        )

    async def search(self, *criteria: bytes) -> list[int]:
        """UIDs in the open folder, ascending. Criteria come from ``providers.imap.text``."""
        done = await self.ask("SEARCH", b"UID SEARCH", *criteria)
        found: set[int] = set()
        for one in done.of(b"SEARCH"):
            found.update(uid for uid in map(number, one.data) if uid)
        return sorted(found)

    async def holding(self, header: str, value: str) -> list[int]:
        """UIDs of mails whose *header* holds *value*; a superset of those where it equals it."""
        return await self.search(b"HEADER", quoted(header), quoted(value))

    async def items(self, uids: Iterable[int], *, header: bool) -> list[Item]:
        """Flags, time of arrival and thread of messages, with their header blocks if wanted.

        A message that is gone is left out. Raises RefusedError or LostError.
        """
        asked = [b"UID", b"FLAGS", b"INTERNALDATE"]
        if self.can("X-GM-EXT-1"):
            asked.append(b"X-GM-THRID")
        elif self.can("OBJECTID"):
            asked.append(b"THREADID")
        if header:
            asked.append(_HEADER)
        return await self._fetch(sorted(set(uids)), asked, BATCH if header else 2000)

    async def whole(self, uid: int) -> Item | None:
        """One message with all its octets; None when it is gone."""
        found = await self._fetch([uid], [b"UID", b"FLAGS", b"INTERNALDATE", _WHOLE], 1)
        return found[0] if found else None

    async def vanished(self, uids: tuple[int, int], modseq: int) -> list[tuple[int, int]]:
        """Ranges of UIDs within *uids* that went since *modseq* (QRESYNC only)."""
        done = await self.ask(
            "FETCH",
            b"UID FETCH %d:%d (UID) (CHANGEDSINCE %d VANISHED)" % (*uids, modseq),
        )
        found = []
        for one in done.of(b"VANISHED"):
            last = one.data[-1] if one.data else None
            if isinstance(last, bytes):
                found += read_uid_ranges(last)
        return found

    async def room(self, name: str) -> int | None:
        """How many octets still fit into a folder, None where the server does not say.

        Sources: RFC 9208 (QUOTA, in units of 1024 octets), 7889 (APPENDLIMIT).
        """
        limits = [
            int(text) for one in self.capabilities if (text := one.removeprefix(_LIMIT)).isdigit()
        ]
        if self.can("QUOTA"):
            done = await self.wire.command(b"GETQUOTAROOT", folder_name(name), limit_s=COMMAND_S)
            for one in done.of(b"QUOTA"):
                limits += _left(one.data[-1] if one.data else None)
        return min(limits, default=None)

    async def _fetch(self, uids: Sequence[int], asked: list[bytes], batch: int) -> list[Item]:
        items: dict[int, Item] = {}
        for at in range(0, len(uids), batch):
            part = uids[at : at + batch]
            wanted = frozenset(part)
            done = await self.ask(
                "FETCH", b"UID FETCH", uid_set(part), b"(" + b" ".join(asked) + b")"
            )
            for one in done.of(b"FETCH"):
                item = _item(one.data[0] if one.data else None)
                if item is not None and item.uid in wanted and item.arrived_at is not None:
                    items[item.uid] = item
        return [items[uid] for uid in uids if uid in items]

    async def _introduce(self) -> None:
        if self.can("ID"):
            done = await self.wire.command(b'ID ("name" "Fencepost")', limit_s=COMMAND_S)
            for one in done.of(b"ID"):
                name = pairs(one.data[0] if one.data else None).get(b"NAME")
                self.product = name.decode("utf-8", "replace") if isinstance(name, bytes) else ""
        if self.can("QRESYNC") and self.can("ENABLE"):
            done = await self.wire.command(b"ENABLE QRESYNC", limit_s=COMMAND_S)
            self.qresync = done.ok and any(b"QRESYNC" in one.data for one in done.of(b"ENABLED"))


def _listed(one: Response) -> Listed | None:
    if len(one.data) < 3 or not isinstance(one.data[2], bytes):
        return None
    separator = one.data[1]
    return Listed(
        name=read_folder_name(one.data[2]),
        attributes=_lower(one.data[0]),
        separator=separator.decode("ascii", "replace") if isinstance(separator, bytes) else "",
    )


def _left(values: Value) -> list[int]:
    """What is left of each resource of a quota that has to do with octets or messages."""
    told = list(values) if isinstance(values, tuple) else []
    left = []
    for at in range(0, len(told) - 2, 3):
        used, limit = number(told[at + 1]), number(told[at + 2])
        if told[at] in (b"STORAGE", b"storage") and used is not None and limit is not None:
            left.append(max(0, limit - used) * 1024)
    return left


def _lower(values: Value) -> frozenset[str]:
    if not isinstance(values, tuple):
        return frozenset()
    return frozenset(v.decode("ascii", "replace").lower() for v in values if isinstance(v, bytes))


def _item(values: Value) -> Item | None:
    told = pairs(values)
    uid = number(told.get(b"UID"))
    if not uid:
        return None
    thread = told.get(b"X-GM-THRID") or told.get(b"THREADID")
    if isinstance(thread, tuple):
        thread = thread[0] if thread else None
    header = _octets(told, b"BODY[HEADER]")
    return Item(
        uid=uid,
        flags=_lower(told.get(b"FLAGS")),
        arrived_at=_arrival(told.get(b"INTERNALDATE")),
        header=header,
        raw=_octets(told, b"BODY[]"),
        thread=thread.decode("ascii", "replace") if isinstance(thread, bytes) else None,
    )


def _octets(told: dict[bytes, Value], name: bytes) -> bytes | None:
    """The octets of one section; some servers leave the partial's origin out of its name."""
    for key in (name + b"<0>", name):
        if key in told:
            value = told[key]
            return value if isinstance(value, bytes) else b""
    return None


def _arrival(value: Value) -> datetime | None:
    """INTERNALDATE in UTC; the epoch where a server sends what is no date."""
    if not isinstance(value, bytes):
        return None
    try:
        found = parsedate_to_datetime(value.decode("ascii", "replace").strip().replace("-", " ", 2))
        return found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return datetime.fromtimestamp(0, UTC)
