"""The rules: what a conversation needs from its owner, decided without a model.

They go from the newest message to the oldest and keep what came later: what the owner answered
and to whom, what others answered, who closed the matter. A message of somebody else is open when
its new text asks something of the owner and nothing later took care of it. The newest open one is
the message to answer.

They are deterministic, do no I/O and know no clock. They never raise on any mail, never take a
quotation for the writer's words, and nothing that a mail says changes what is decided here beyond
being a question, a request or a sign. Where the facts do not decide they say ``unsure``; a wrong
"needs a reply" costs a draft that nobody wanted, a wrong "does not" costs an answer that was owed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assistant.core.audience import Audience, Place, answers_to, audience, bare, writer
from assistant.core.conversation import Conversation, Entry, Triage
from assistant.core.phrases.lexicon import Kind
from assistant.core.questions import Ask, Said, said
from providers.mime.message import Mail, Owner
from storage.words import Category, Urgency

RULES_VERSION: Final = "1"
ENGINE: Final = "rules"
ASKED_LIMIT: Final = 12
READ_LIMIT: Final = 40
"""So many messages of others are read from the newest back; what is older was left behind."""


def judge(conversation: Conversation) -> Triage:
    """What the conversation needs, with one sentence that says why. Never raises."""
    if not conversation.entries:
        return _triage(Category.FYI, "There is no message in this thread.")
    reading = _read(conversation)
    if reading.open:
        return _needs_reply(reading)
    return _nothing_owed(conversation, reading)


@dataclass(slots=True)
class _Open:
    index: int
    mail: Mail
    asks: tuple[Ask, ...]
    said: Said
    reason: str
    unsure: bool


@dataclass(slots=True)
class _Reading:
    """What is known of the messages that came later, while going back through the thread."""

    open: list[_Open] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)
    spoken_to: set[str] = field(default_factory=set)
    spoken_to_all: bool = False
    closed_by: set[str] = field(default_factory=set)
    replied: dict[str, str] = field(default_factory=dict)
    newest: Said | None = None
    note: str | None = None
    unsure: bool = False


def _read(conversation: Conversation) -> _Reading:
    reading = _Reading()
    owner = conversation.owner
    own_ids = {e.mail.message_id for e in conversation.entries if e.own and e.mail.message_id}
    budget = READ_LIMIT
    for index in range(len(conversation.entries) - 1, -1, -1):
        entry = conversation.entries[index]
        if entry.own:
            _note_own(reading, entry.mail)
        elif entry.mail.automated is None and budget:
            budget -= 1
            _note_other(reading, index, entry.mail, owner, own_ids)
    reading.open.reverse()
    return reading


def _note_own(reading: _Reading, mail: Mail) -> None:
    reading.answered.update(mail.in_reply_to)
    reading.answered.update(mail.references)
    people = [bare(each.addr) for each in (*mail.to, *mail.cc, *mail.bcc)]
    reading.spoken_to.update(people)
    reading.spoken_to_all = reading.spoken_to_all or not people


def _note_other(reading: _Reading, index: int, mail: Mail, owner: Owner, own_ids: set[str]) -> None:
    senders = {bare(each.addr) for each in mail.from_}
    around = audience(mail, owner)
    spoken = said(mail.new_text, mail.language, around.owner_names | around.other_names)
    if reading.newest is None:
        reading.newest = spoken
    if _answered_by_owner(reading, mail, senders):
        return
    if senders & reading.closed_by:
        return
    asks = _for_owner(spoken, around, answers_own=not own_ids.isdisjoint(mail.in_reply_to))
    if not asks:
        if _closes(spoken):
            reading.closed_by |= senders
        elif spoken.words:
            reading.replied.update(dict.fromkeys(mail.in_reply_to, writer(mail)))
        return
    if not answers_to(mail, owner):
        reading.note = f"{writer(mail)} asked something, but no person would read an answer."
        return
    named = any(ask.names & around.owner_names for ask in asks)
    other = reading.replied.get(mail.message_id or "")
    if other is not None and not named and around.place is not Place.SOLE:
        reading.note = f"{other} has answered what {writer(mail)} asked."
        return
    reading.open.append(
        _Open(
            index=index,
            mail=mail,
            asks=asks,
            said=spoken,
            reason=_why(mail, around, asks, named=named),
            unsure=not any(ask.firm for ask in asks),
        )
    )


def _answered_by_owner(reading: _Reading, mail: Mail, senders: set[str]) -> bool:
    if mail.message_id and mail.message_id in reading.answered:
        return True
    return reading.spoken_to_all or not senders.isdisjoint(reading.spoken_to)


def _for_owner(spoken: Said, around: Audience, *, answers_own: bool) -> tuple[Ask, ...]:
    """The asks of a text that the owner is meant by."""
    chosen: list[Ask] = []
    for ask in spoken.asks:
        if ask.names & around.owner_names:
            chosen.append(ask)
        elif not ask.names and _reaches(ask, around, answers_own=answers_own):
            chosen.append(ask)
        elif around.place is Place.SOLE:
            chosen.append(ask)
    return tuple(chosen)


def _reaches(ask: Ask, around: Audience, *, answers_own: bool) -> bool:
    if around.place is Place.SOLE:
        return True
    if answers_own and ask.firm:
        return around.place is not Place.COPY
    if around.place is Place.FEW:
        return ask.firm and Kind.SOMEONE not in ask.kinds
    return around.place is Place.MANY and ask.firm and Kind.EVERYONE in ask.kinds


def _closes(spoken: Said) -> bool:
    return bool(spoken.kinds & {Kind.THANKS, Kind.CLOSING, Kind.WAIVE}) and spoken.words < 60


def _why(mail: Mail, around: Audience, asks: Sequence[Ask], *, named: bool) -> str:
    what = "a question" if any(ask.firm and "?" in ask.text for ask in asks) else "for something"
    who = writer(mail)
    if named:
        return f"{who} asks you by name {what}, and you have not answered."
    return f"{who} asks {what}; you are {around.place.value} and have not answered."


def _needs_reply(reading: _Reading) -> Triage:
    newest = reading.open[-1]
    asked = [ask.text for each in reading.open for ask in each.asks]
    deadline = next((e.said.deadline for e in reversed(reading.open) if e.said.deadline), None)
    urgent = any(e.said.kinds & {Kind.URGENT, Kind.SOON} for e in reading.open)
    return Triage(
        category=Category.NEEDS_REPLY,
        urgency=Urgency.HIGH if urgent else Urgency.NORMAL,
        reason=newest.reason,
        engine=ENGINE,
        asked=tuple(asked[-ASKED_LIMIT:]),
        deadline=deadline,
        language=newest.mail.language or newest.said.language,
        answer=newest.index,
        unsure=newest.unsure,
    )


def _nothing_owed(conversation: Conversation, reading: _Reading) -> Triage:
    newest: Entry = conversation.entries[-1]
    mail = newest.mail
    if newest.own:
        spoken = said(mail.new_text, mail.language, frozenset())
        if spoken.asks:
            return _triage(Category.WAITING, "You asked last and wait for an answer.")
        return _triage(Category.FYI, "The last word is yours.")
    if mail.automated is not None:
        return _triage(Category.AUTOMATED, f"The last message is automated: {mail.automated}.")
    if reading.note:
        return _triage(Category.FYI, reading.note)
    return _triage(Category.FYI, f"{writer(mail)} asks nothing of you.")


def _triage(category: Category, reason: str, *, unsure: bool = False) -> Triage:
    return Triage(
        category=category, urgency=Urgency.LOW, reason=reason, engine=ENGINE, unsure=unsure
    )
