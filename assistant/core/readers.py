"""Who has seen what of a thread: an answer holds nothing that its reader has not seen.

Somebody who only knows a Message-ID can put a mail into a thread, and a forged sender can have its
answers sent elsewhere. So a model that writes, and an outline that quotes, get only the messages
that whoever is answered took part in. People whom that writer adds are the writer's own affair.
Pure and total.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.core.conversation import Conversation, Entry, Triage
from assistant.core.phrases.sentences import sentences
from providers.mime.message import Address, Mail
from providers.mime.owners import address_key, own_addresses, own_form


def seen_by_the_writer(conversation: Conversation, answer: int) -> tuple[Conversation, int]:
    """The messages that whoever gets the answer took part in, and where the answered one is there.

    Somebody who only knows a Message-ID can put a mail into a thread; nothing of what others wrote
    in it before may be talked into the answer.
    """
    mail = conversation.entries[answer].mail
    own = own_addresses(conversation.owner)
    asking = (*mail.from_, *mail.reply_to, *mail.original_from, *mail.mail_followup_to)
    keys = {address_key(one.addr) for one in asking}
    readers = {key for key in keys if own_form(key, own) is None}
    listed = _list_addresses(conversation.entries, mail, answer)
    kept = [
        index
        for index, entry in enumerate(conversation.entries)
        if index == answer
        or (readers and readers <= _present(entry))
        or (mail.list_id is not None and _on_list(entry, mail.list_id, listed))
    ]
    entries = tuple(conversation.entries[index] for index in kept)
    return replace(conversation, entries=entries), kept.index(answer)


def _keys(*groups: Sequence[Address]) -> frozenset[str]:
    return frozenset(address_key(one.addr) for group in groups for one in group)


def _present(entry: Entry) -> frozenset[str]:
    mail = entry.mail
    if entry.own:
        return _keys(mail.to, mail.cc, mail.bcc)
    return _keys(mail.from_, mail.original_from, mail.reply_to, mail.to, mail.cc)


def _list_addresses(entries: Sequence[Entry], mail: Mail, answer: int) -> frozenset[str]:
    """Where other messages of the same list went to."""
    others = [
        entry.mail
        for index, entry in enumerate(entries)
        if index != answer and not entry.own and entry.mail.list_id == mail.list_id
    ]
    return _keys(*(one.to for one in others), *(one.cc for one in others))


def _on_list(entry: Entry, list_id: str, addresses: frozenset[str]) -> bool:
    if entry.own:
        return not addresses.isdisjoint(_keys(entry.mail.to, entry.mail.cc))
    return entry.mail.list_id == list_id


def asked_by_seen(conversation: Conversation, triage: Triage) -> Triage:
    """The triage without questions that only messages hold which the answered writer never saw."""
    if triage.answer is None:
        return triage
    seen, _ = seen_by_the_writer(conversation, triage.answer)
    shown = {id(entry) for entry in seen.entries}
    hidden = _said(entry for entry in conversation.entries if id(entry) not in shown)
    if not hidden:
        return triage
    hidden -= _said(seen.entries)
    asked = tuple(each for each in triage.asked if " ".join(each.split()) not in hidden)
    return replace(triage, asked=asked)


def _said(entries: Iterable[Entry]) -> set[str]:
    """Every sentence of these messages, as questions are quoted."""
    return {
        " ".join(sentence.text.split())
        for entry in entries
        for sentence in sentences(entry.mail.new_text)
    }
