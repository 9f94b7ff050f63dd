"""The labelled threads, as the conversations that the worker would read.

A file a language; each thread has a label (its kind of mail) and whether its owner owes an answer.
The messages are turned into bytes and read back by the mail reader, so that quotations, languages
and automated mail are found as they are in a mailbox. One half is held apart: it was not looked
at while the rules were written, and which thread is in it follows from the hash of its id.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import cache
from pathlib import Path

from assistant.core.conversation import Conversation, Entry
from providers.mime.message import Owner
from providers.mime.reading import read_mail
from storage.words import Ref

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
OWNER = Owner(name="Robin Vale", addresses=("robin@example.com",))
ME = "Robin Vale <robin@example.com>"
OTHERS = [f"Reader Nr{number} <reader{number}@example.net>" for number in range(1, 21)]
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One thread of the set and what is true of it."""

    id: str
    label: str
    language: str
    needs_reply: bool
    held: bool
    conversation: Conversation


@cache
def labelled() -> tuple[Labelled, ...]:
    """Every thread of the set, in the order of the files."""
    raw = [(language, each) for language in LANGUAGES for each in _load(language)]
    held = _held(raw)
    return tuple(
        Labelled(
            id=thread["id"],
            label=thread["label"],
            language=language,
            needs_reply=thread["needs_reply"],
            held=thread["id"] in held,
            conversation=_conversation(thread),
        )
        for language, thread in raw
    )


def _load(language: str) -> list[dict]:  # type: ignore[type-arg]
    with (FOLDER / f"{language}.toml").open("rb") as file:
        return list(tomllib.load(file)["thread"])


def _held(raw: Sequence[tuple[str, dict]]) -> set[str]:  # type: ignore[type-arg]
    """Every second id by hash, within each language and answer, so that the halves are alike."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for language, thread in raw:
        groups.setdefault((language, thread["needs_reply"]), []).append(thread["id"])
    held: set[str] = set()
    for group in groups.values():
        ordered = sorted(group, key=lambda each: hashlib.sha256(each.encode()).hexdigest())
        held.update(ordered[1::2])
    return held


def _conversation(thread: dict) -> Conversation:  # type: ignore[type-arg]
    entries: list[Entry] = []
    for number, message in enumerate(thread["message"]):
        at = START + timedelta(hours=number)
        raw = _bytes(thread, message, number, at)
        entries.append(
            Entry(
                mail=read_mail(raw),
                own=message.get("own", False),
                arrived_at=at,
                ref=Ref(f"{thread['id']}/{number}"),
            )
        )
    return Conversation(owner=OWNER, entries=tuple(entries), subject=thread["subject"])


def _bytes(thread: dict, message: dict, number: int, at: datetime) -> bytes:  # type: ignore[type-arg]
    mail = EmailMessage(policy=SMTP.clone(header_factory=HeaderRegistry()))
    mail["From"] = message.get("from", ME)
    mail["To"] = ", ".join(_people(message["to"]))
    if "cc" in message:
        mail["Cc"] = ", ".join(_people(message["cc"]))
    mail["Subject"] = thread["subject"]
    mail["Date"] = format_datetime(at)
    mail["Message-ID"] = f"<{thread['id']}.{number}@example.org>"
    if number:
        parent = message.get("answers", number) - 1
        mail["In-Reply-To"] = f"<{thread['id']}.{parent}@example.org>"
        mail["References"] = f"<{thread['id']}.{parent}@example.org>"
    if "list" in message:
        mail["List-Id"] = f"<{message['list'].replace('@', '.')}>"
        mail["List-Post"] = f"<mailto:{message['list']}>"
    if "header" in message:
        name, _, value = message["header"].partition(": ")
        mail[name] = value
    mail.set_content(message["text"])
    return mail.as_bytes()


def _people(given: Sequence[str]) -> list[str]:
    found: list[str] = []
    for each in given:
        found += [ME] if each == "me" else OTHERS if each == "twenty others" else [each]
    return found
