"""What to do next about the notices of one receiver, and what a notice says. Pure.

The record of what was told are the intents themselves: a notice that an intent of this receiver
names has had its call, and is called again only after a refusal that passes. So nothing has to be
written before a call but its intent, and whoever holds the receiver's lease comes to the same
answer from the same facts.

A notice holds no mail: no subject, no text, no address of anybody. Only where the owner's file says
so it has the subject and the beginning of the draft, bounded, for it passes through services that
its owner may not trust.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from assistant.core.hours import Hours, last_digest, next_digest, quiet_until
from storage.words import IntentId, ItemKind

SUBJECT_LENGTH: Final = 120
TEXT_LENGTH: Final = 1_500
"""Characters of a draft in a notice about it alone."""
DIGEST_TEXT_LENGTH: Final = 200
"""Characters of each draft in a digest."""
DIGEST_ITEMS: Final = 10
"""Items that a digest names; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A notice that waits; ``due_at`` in epoch milliseconds."""

    notice: int
    due_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A call that was made to the receiver about ``notices``; ``slot`` is the digest's moment.

    ``again``: it was refused and may be made again, from ``retry_at`` on (epoch ms).
    """

    intent: IntentId
    notices: frozenset[int]
    slot: int | None = None
    again: bool = False
    retry_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tell:
    """Make a call about these notices; ``slot`` makes them one digest."""

    notices: tuple[int, ...]
    slot: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Make a refused call again, with its stored bytes."""

    intent: IntentId


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Nothing to do before ``until`` (epoch ms); None: every notice has had its call."""

    until: int | None


Step = Tell | Again | Wait


def next_step(due: Sequence[Due], told: Sequence[Told], hours: Hours, now_ms: int) -> Step:
    """What to do next about the notices that are due, for one receiver."""
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    wanted = {one.notice for one in due}
    pending = [one for one in told if one.again and one.notices & wanted]
    named = frozenset[int]().union(*(one.notices for one in told))
    fresh = [one for one in due if one.notice not in named]
    if not pending and not fresh:
        return Wait(until=None)
    quiet = quiet_until(hours, now)
    if quiet is not None:
        return Wait(until=_ms(quiet))
    for one in pending:
        if one.retry_at <= now_ms:
            return Again(intent=one.intent)
    waits = [one.retry_at for one in pending]
    if fresh:
        step = _fresh(fresh, told, hours, now)
        if isinstance(step, Tell):
            return step
        waits += [] if step.until is None else [step.until]
    return Wait(until=min(waits))


def _fresh(due: Sequence[Due], told: Sequence[Told], hours: Hours, now: datetime) -> Tell | Wait:
    last, following = last_digest(hours, now), next_digest(hours, now)
    if last is None or following is None:
        return Tell(notices=(due[0].notice,))
    slot = _ms(last)
    if any(one.due_at <= slot for one in due) and all(one.slot != slot for one in told):
        return Tell(notices=tuple(one.notice for one in due), slot=slot)
    return Wait(until=_ms(following))


def is_done(notice: int, told: Sequence[Told]) -> bool:
    """Whether the receiver has had its call about this notice."""
    about = [one for one in told if notice in one.notices]
    return bool(about) and not any(one.again for one in about)


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a notice says."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """One item to tell of; ``subject`` and ``draft`` only where the owner wants mail in notices."""

    item: int
    kind: ItemKind
    place: str
    subject: str = ""
    draft: str = ""


_TITLES: Final[Mapping[ItemKind, str]] = MappingProxyType(
    {
        ItemKind.DRAFT_READY: "A draft waits for review",
        ItemKind.OUTCOME_UNKNOWN: "The outcome of a call is unknown",
        ItemKind.DUPLICATED: "A thread holds more than one draft",
        ItemKind.REJECTED: "A call was refused",
        ItemKind.DRAFT_OVERTAKEN: "A draft was overtaken by newer mail",
        ItemKind.QUARANTINED: "A mail was set aside unread",
        ItemKind.GAP: "A mailbox could not say what changed",
        ItemKind.RECONNECT: "A mailbox needs a new login",
        ItemKind.MAILBOX_ILL: "A mailbox cannot be used",
        ItemKind.CONFIG_FAULT: "The configuration has a fault",
        ItemKind.CEILING: "The day's tokens are used up",
    }
)


def words(about: Sequence[About], *, digest: bool) -> Words:
    """The words of a notice about one item, or of a digest."""
    if not digest:
        (one,) = about
        text = f"{one.place}: see fencepost review show {one.item}"
        return Words(title=_title(one.kind), text=text + _mail(one, TEXT_LENGTH))
    number = len(about)
    title = "One thing waits for review" if number == 1 else f"{number} things wait for review"
    lines = [
        f"{one.place}: {_title(one.kind)} (fencepost review show {one.item})"
        + _mail(one, DIGEST_TEXT_LENGTH)
        for one in about[:DIGEST_ITEMS]
    ]
    if number > DIGEST_ITEMS:
        lines.append(f"and {number - DIGEST_ITEMS} more: see fencepost review")
    return Words(title=title, text="\n".join(lines))


def _title(kind: ItemKind) -> str:
    return _TITLES.get(kind, "Something waits for you")


def _mail(one: About, length: int) -> str:
    parts = [_cut(" ".join(_plain(one.subject).split()), SUBJECT_LENGTH)]
    parts.append(_cut(_plain(one.draft).strip(), length))
    return "".join(f"\n{part}" for part in parts if part)


def _plain(text: str) -> str:
    """*text* without what no screen shows or what turns its direction."""
    return "".join(one if one.isprintable() or one == "\n" else " " for one in text)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
