"""A conversation as a model is shown it: each message once, in order, fenced as data.

    <FENCE {"message": 1, "from": "Mina <mina@example.org>", "to": ["you"], "date": ...}
    the new text of the message
    FENCE>

A later transcript of the same thread begins with the whole of an earlier one, so that a server that
keeps prefixes reads only what is new. When the budget is passed, older messages go in one large
step, down to half of it, and a line says how many; until the next step the beginning stays again.

The fence is a word that nobody outside knows, and wherever mail holds it nevertheless, it is taken
out; the line that describes a message is JSON, in which no name can end a string. Characters that
nobody sees are removed. Nothing here says what to do: that is ``prompts``. Pure and total.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assistant.core.conversation import Conversation, Entry
from providers.mime.invisible import visible
from providers.mime.message import Address, Mail
from providers.mime.owners import own_addresses, own_form
from providers.mime.subjects import base_subject

MESSAGE_SHARE: Final = 0.5
"""A message longer than this share of the budget is cut in its middle, the last one too."""
NAMES_SHOWN: Final = 12
"""So many of each of To, Cc and attachments are named; the others are counted."""
LINE_LIMIT: Final = 200
"""Characters of a name, subject or file name that are shown."""

_SPACES: Final = re.compile(r"[^\S\n]+")
_EMPTY_LINES: Final = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+\n")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
_BLANK: Final = dict.fromkeys(
    [
        *(ord(c) for c in "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)
"""Characters of other categories that nobody sees: fillers, joiners of graphemes, selectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """The text, how many older messages it leaves out, and whether some message was cut."""

    text: str
    omitted: int
    cut: bool


def transcript(conversation: Conversation, *, fence: str, budget: int) -> Transcript:
    """The conversation in at most about *budget* bytes of UTF-8.

    At least the last message is there, whole or visibly cut to ``MESSAGE_SHARE`` of the budget.
    """
    blocks: list[str] = []
    cut = []
    limit = max(200, int(budget * MESSAGE_SHARE))
    subject = ""
    for index, entry in enumerate(conversation.entries):
        now = base_subject(entry.mail.subject)
        block, was_cut = _block(
            index, entry, conversation, fence, limit, subject=now != subject or index == 0
        )
        subject = now
        blocks.append(block)
        cut.append(was_cut)
    start = _start([len(block.encode()) for block in blocks], budget)
    shown = blocks[start:]
    if start:
        number = f"[{start} older messages omitted]" if start > 1 else "[1 older message omitted]"
        shown.insert(0, number)
    return Transcript(text="\n".join(shown), omitted=start, cut=any(cut[start:]))


def one_message(conversation: Conversation, index: int, *, fence: str, limit: int) -> str:
    """A single message, for pointing at one that is older than what is shown."""
    entry = conversation.entries[index]
    return _block(index, entry, conversation, fence, limit, subject=True)[0]


def _start(sizes: Sequence[int], budget: int) -> int:
    """The first message that is shown.

    Found by going through the thread as it grew, so that it is the same for every later state
    until the budget is passed again.
    """
    start = total = 0
    for index, size in enumerate(sizes):
        total += size
        if total > budget:
            while start < index and total > budget / 2:
                total -= sizes[start]
                start += 1
    return start


def _block(
    index: int,
    entry: Entry,
    conversation: Conversation,
    fence: str,
    limit: int,
    *,
    subject: bool,
) -> tuple[str, bool]:
    about = _about(index, entry, conversation, subject=subject)
    text = plain(_words(entry.mail)) or "(no text)"
    shortened = _shortened(text, limit)
    head = unfenced(json.dumps(about, ensure_ascii=False), fence)
    body = unfenced(shortened, fence)
    return f"<{fence} {head}\n{body}\n{fence}>", shortened is not text


def _words(mail: Mail) -> str:
    if mail.body_unreadable is not None:
        return f"(the text could not be read: {mail.body_unreadable})"
    return mail.new_text


def _about(
    index: int, entry: Entry, conversation: Conversation, *, subject: bool
) -> dict[str, object]:
    """What a message's first line says of it; only code says what is the owner's own."""
    mail = entry.mail
    known = own_addresses(conversation.owner)
    about: dict[str, object] = {"message": index + 1}
    if entry.own:
        about["own"] = True
    else:
        about["from"] = _people(mail.from_, None)
    for name, people in (("to", mail.to), ("cc", mail.cc)):
        if people:
            about[name] = _people(people, known)
    about["date"] = entry.arrived_at.strftime("%Y-%m-%d %H:%M UTC")
    if subject:
        about["subject"] = line(mail.subject)
    if mail.automated is not None:
        about["automated"] = True
    if mail.attachments:
        about["attachments"] = _counted([line(one.name) or "?" for one in mail.attachments])
    return about


def _people(people: Sequence[Address], known: Mapping[str, str] | None) -> list[str]:
    return _counted(
        [
            "you"
            if known is not None and own_form(one.addr, known) is not None
            else line(f"{one.name} <{one.addr}>" if one.name else one.addr)
            for one in people
        ]
    )


def _counted(names: list[str]) -> list[str]:
    more = len(names) - NAMES_SHOWN
    return names if more <= 0 else [*names[:NAMES_SHOWN], f"and {more} more"]


def _shortened(text: str, limit: int) -> str:
    """*text* in at most *limit* bytes: its head and tail, and how much was cut between them."""
    octets = text.encode()
    if len(octets) <= limit:
        return text
    head = octets[: limit * 2 // 3].decode("utf-8", "ignore")
    tail = octets[len(octets) - limit // 3 :].decode("utf-8", "ignore")
    cut = len(text) - len(head) - len(tail)
    return f"{head}\n[... {cut} characters cut here ...]\n{tail}"


def unfenced(text: str, fence: str) -> str:
    """*text* without the fence, however often it is nested in itself."""
    # A replacement that holds none of its letters can't complete another one.
    return re.sub(re.escape(fence), "·", text, flags=re.IGNORECASE)


def plain(text: str) -> str:
    """*text* without anything that nobody sees, spaces and empty lines in moderation."""
    text = visible(text)
    if not text.isascii():
        text = text.translate(_BLANK)
        text = "".join(
            char for char in text if char in "\n\t" or unicodedata.category(char) not in _UNSEEN
        )
    text = "\n".join(each.strip() for each in _SPACES.sub(" ", text).split("\n"))
    return _EMPTY_LINES.sub("\n\n", text).strip()


def line(text: str) -> str:
    """*text* on one line, in at most LINE_LIMIT characters."""
    short = plain(text.replace("\n", " "))
    return short if len(short) <= LINE_LIMIT else short[: LINE_LIMIT - 1] + "…"
