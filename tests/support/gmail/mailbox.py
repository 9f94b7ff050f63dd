"""One account's mail: what is there now, what was there at any time before, and its history.

Nothing is forgotten: a message that is deleted gets an end. So a listing that lags is simply the
mailbox as it was then.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from tests.support.gmail import headers
from tests.support.gmail.errors import not_found
from tests.support.gmail.settings import Settings

SYSTEM_LABELS = (
    "INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "UNREAD", "STARRED", "IMPORTANT", "CHAT",
    "CATEGORY_PERSONAL", "CATEGORY_SOCIAL", "CATEGORY_PROMOTIONS", "CATEGORY_UPDATES",
    "CATEGORY_FORUMS",
)  # fmt: skip
Labels = tuple[str, ...]


@dataclass(kw_only=True)
class Message:
    """A message; its labels are a list of (since when, which)."""

    id: str
    thread: str
    raw: bytes
    internal_ms: int
    born_s: float
    labels: list[tuple[float, Labels]]
    history_id: int
    gone_s: float | None = None

    def labels_at(self, at_s: float) -> Labels | None:
        """Its labels then; None where it was not there."""
        if self.born_s > at_s or (self.gone_s is not None and self.gone_s <= at_s):
            return None
        return [labels for since_s, labels in self.labels if since_s <= at_s][-1]

    @property
    def now(self) -> Labels:
        """Its labels, or the last that it had."""
        return self.labels[-1][1]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A record of the history: *kind* is one of the four typed lists."""

    id: int
    at_s: float
    kind: str
    message: str
    thread: str
    labels: Labels
    changed: Labels = ()


@dataclass(kw_only=True)
class SendAs:
    """An address that the account may send as."""

    address: str
    name: str = ""
    signature: str = ""
    default: bool = False
    primary: bool = False
    verified: bool = True
    reply_to: str = ""


@dataclass(kw_only=True)
class Mailbox:
    """The mail of *address*; *now_s* reads the server's clock."""

    address: str
    settings: Settings
    now_s: Callable[[], float]
    messages: dict[str, Message] = field(default_factory=dict)
    threads: dict[str, list[str]] = field(default_factory=dict)
    drafts: dict[str, list[tuple[float, str | None]]] = field(default_factory=dict)
    history: list[Entry] = field(default_factory=list)
    history_id: int = 740_113
    oldest_history_id: int = 0
    labels: dict[str, str] = field(default_factory=dict)
    send_as: list[SendAs] = field(default_factory=list)
    known: dict[str, list[str]] = field(default_factory=dict)
    """Message-ID to the ids of the messages that bear it."""
    serial: int = 0
    dice: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        if not self.send_as:
            self.send_as = [SendAs(address=self.address, default=True, primary=True)]

    # -- names --

    def _fresh(self) -> str:
        self.serial += 1
        return f"{0x1989_0000_0000_0000 + (self.serial << 20) + self.dice.getrandbits(20):016x}"

    def fresh_draft_id(self) -> str:
        """As Gmail writes them: not a number's shape that anybody should parse."""
        self.serial += 1
        return f"r{self.dice.choice(('', '-'))}{self.dice.getrandbits(60)}{self.serial}"

    def fresh_message_id(self) -> str:
        """A Message-ID of the kind that Gmail puts in the place of another's."""
        self.serial += 1
        return f"<CA{self.dice.getrandbits(150):038x}{self.serial}@mail.gmail.com>"

    # -- looking --

    def get(self, message: str) -> Message:
        """The message that is there now; raises RefusedError (404)."""
        found = self.messages.get(message)
        if found is None or found.gone_s is not None:
            raise not_found()
        return found

    def at(self, at_s: float, ids: Iterable[str] | None = None) -> Iterator[tuple[Message, Labels]]:
        """What was there then, with its labels."""
        for one in self.messages.values() if ids is None else (self.messages[i] for i in ids):
            labels = one.labels_at(at_s)
            if labels is not None:
                yield one, labels

    def drafts_at(self, at_s: float) -> dict[str, str]:
        """Draft id to message id, as it was then."""
        found: dict[str, str] = {}
        for draft, line in self.drafts.items():
            then = [message for since_s, message in line if since_s <= at_s]
            if then and then[-1] is not None:
                found[draft] = then[-1]
        return found

    def draft(self, draft: str) -> Message:
        """The message of a draft that is there now; raises RefusedError (404)."""
        line = self.drafts.get(draft)
        if line is None or line[-1][1] is None:
            raise not_found()
        return self.get(line[-1][1])

    def draft_of(self, message: str) -> str | None:
        """The draft whose message this is."""
        for draft, line in self.drafts.items():
            if line[-1][1] == message:
                return draft
        return None

    def by_message_id(self, message_ids: Iterable[str]) -> list[Message]:
        """What is there now under any of those Message-IDs."""
        found = [name for one in dict.fromkeys(message_ids) for name in self.known.get(one, [])]
        return [message for message, _ in self.at(self.now_s(), dict.fromkeys(found))]

    # -- changing --

    def _record(self, kind: str, message: Message, changed: Labels = ()) -> None:
        self.history_id += self.dice.randint(1, 400)
        message.history_id = self.history_id
        self.history.append(
            Entry(
                id=self.history_id,
                at_s=self.now_s(),
                kind=kind,
                message=message.id,
                thread=message.thread,
                labels=message.now,
                changed=changed,
            )
        )

    def add(
        self, raw: bytes, labels: Iterable[str], thread: str | None, internal_ms: int | None = None
    ) -> Message:
        """A new message; without *thread* it begins one that bears its own id."""
        name = self._fresh()
        now_s = self.now_s()
        message = Message(
            id=name,
            thread=name if thread is None else thread,
            raw=raw,
            internal_ms=round(now_s * 1000) if internal_ms is None else internal_ms,
            born_s=now_s,
            labels=[(now_s, tuple(dict.fromkeys(labels)))],
            history_id=0,
        )
        self.keep(message)
        self._record("messagesAdded", message)
        return message

    def keep(self, message: Message) -> None:
        """Hold a message, new or read back from a file."""
        self.messages[message.id] = message
        self.threads.setdefault(message.thread, []).append(message.id)
        self.known.setdefault(headers.first(message.raw, "Message-ID"), []).append(message.id)

    def drop(self, message: Message) -> None:
        """Away for good."""
        message.gone_s = self.now_s()
        self._record("messagesDeleted", message)

    def relabel(self, message: Message, add: Iterable[str], remove: Iterable[str]) -> None:
        """Put labels on and take them off; only a change is recorded."""
        old = message.now
        added = tuple(one for one in dict.fromkeys(add) if one not in old)
        removed = tuple(one for one in dict.fromkeys(remove) if one in old)
        new = tuple(one for one in old if one not in removed) + added
        if new == old:
            return
        message.labels.append((self.now_s(), new))
        if added:
            self._record("labelsAdded", message, added)
        if removed:
            self._record("labelsRemoved", message, removed)

    def point(self, draft: str, message: Message | None) -> None:
        """From now on the draft is that message, or nothing."""
        line = self.drafts.setdefault(draft, [])
        line.append((self.now_s(), None if message is None else message.id))

    def forget_history(self, keep: int = 0) -> None:
        """Let all but the newest *keep* records expire."""
        if len(self.history) > keep:
            gone = self.history[: len(self.history) - keep]
            self.history = self.history[len(self.history) - keep :]
            self.oldest_history_id = gone[-1].id
