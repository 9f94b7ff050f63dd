"""Conversations for the tests of judging, made by hand or from the shared cases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistant.core.conversation import Conversation, Entry
from providers.mime.message import Address, Mail, Owner
from providers.mime.owners import own_addresses, own_form
from providers.mime.reading import read_heads, read_mail
from providers.mime.threads import distinct_messages, group_threads
from storage.words import Identity, Ref

CASES = Path(__file__).parent.parent / "cases"
OWNER = Owner(name="Robin Vale", addresses=("robin@example.com",))
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ME = "Robin Vale <robin@example.com>"
MINA = "Mina Okafor <mina@example.org>"
BEN = "Ben Arno <ben@example.org>"
KAI = "Kai Lind <kai@example.net>"


def person(text: str) -> Address:
    """An address from "Name <addr>" or a bare address."""
    name, bracket, addr = text.rpartition("<")
    if not bracket:
        return Address(addr=text.strip())
    return Address(addr=addr.rstrip("> "), name=name.strip())


def mail(
    new_text: str,
    *,
    by: str = MINA,
    to: Sequence[str] = (ME,),
    cc: Sequence[str] = (),
    number: int = 0,
    answers: Sequence[int] = (),
    **fields: object,
) -> Mail:
    """A mail with the given new text; ``number`` makes its Message-ID."""
    values: dict[str, object] = {
        "identity": Identity(f"m{number}"),
        "message_id": f"<m{number}@example.org>",
        "in_reply_to": tuple(f"<m{each}@example.org>" for each in answers),
        "references": tuple(f"<m{each}@example.org>" for each in answers),
        "from_": (person(by),) if by else (),
        "to": tuple(person(each) for each in to),
        "cc": tuple(person(each) for each in cc),
        "text": new_text,
        "new_text": new_text,
        "subject": "Plans",
    }
    return Mail(**(values | fields))  # type: ignore[arg-type]


def thread(*mails: Mail, owner: Owner = OWNER, own: Sequence[int] = ()) -> Conversation:
    """A conversation of mails in order; those by the owner, or listed in ``own``, are theirs."""
    known = own_addresses(owner)
    entries = tuple(
        Entry(
            mail=each,
            own=index in own or any(own_form(a.addr, known) is not None for a in each.from_),
            arrived_at=START + timedelta(hours=index),
            ref=Ref(f"r{index}"),
        )
        for index, each in enumerate(mails)
    )
    return Conversation(owner=owner, entries=entries, subject=mails[0].subject if mails else "")


def case(name: str) -> tuple[Conversation, dict[str, object]]:
    """A shared case as the conversation of its last message, and what is expected of it."""
    folder = CASES / name
    told = json.loads((folder / "expect.json").read_text("utf-8"))
    drafts = {file for file, flags in told.get("flags", {}).items() if "\\Draft" in flags}
    paths = sorted(path for path in folder.glob("*.eml") if path.name not in drafts)
    raws = [path.read_bytes() for path in paths]
    threads = group_threads([read_heads(raw) for raw in raws])
    texts: list[str] = []
    mails: list[Mail] = []
    for raw, found in zip(raws, threads, strict=True):
        if found == threads[-1]:
            mails.append(read_mail(raw, parents=tuple(reversed(texts))))
            texts.append(mails[-1].text)
    addresses = (told["mailbox_owner"], *told.get("owner_aliases", ()))
    owner = Owner(name="Robin Vale", addresses=addresses)
    distinct = [mails[group[0]] for group in distinct_messages(mails)]
    return thread(*distinct, owner=owner), told["expect"]
