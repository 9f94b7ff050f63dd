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

from typing import Final

from assistant.core.audience import Audience, Me, Place, writer
from assistant.core.closings import promises
from assistant.core.conversation import Conversation, Triage
from assistant.core.phrases.lexicon import Kind
from assistant.core.questions import said
from assistant.core.turns import Open, Turns, read_turns
from providers.mime.message import Mail
from storage.words import Category, Urgency

RULES_VERSION: Final = "3"
"""Rises with every change that can judge a thread differently; ``explain`` shows it."""
ENGINE: Final = "rules"
ASKED_LIMIT: Final = 12


def judge(conversation: Conversation) -> Triage:
    """What the conversation needs, with one sentence that says why. Never raises."""
    if not conversation.entries:
        return _triage(Category.FYI, "There is no message in this thread.")
    turns = read_turns(conversation, Me.of(conversation.owner))
    if turns.suspicion is not None:
        return _triage(Category.SUSPICIOUS, turns.suspicion)
    if turns.open:
        return _needs_reply(conversation, turns)
    return _nothing_owed(conversation, turns)


def _needs_reply(conversation: Conversation, turns: Turns) -> Triage:
    newest = turns.open[-1]
    asks = [ask for each in turns.open for ask in each.asks]
    urgent = any(
        Kind.URGENT in each.kinds or {Kind.SOON, Kind.DEADLINE} <= each.kinds for each in asks
    )
    deadline = next((e.said.deadline for e in reversed(turns.open) if e.said.deadline), None)
    return Triage(
        category=Category.NEEDS_REPLY,
        urgency=Urgency.HIGH if urgent else Urgency.NORMAL,
        reason=_why(conversation, newest),
        engine=ENGINE,
        asked=tuple(ask.text for ask in asks[-ASKED_LIMIT:]),
        deadline=deadline,
        language=_language(conversation, newest),
        answer=newest.index,
        unsure=newest.unsure,
    )


def _why(conversation: Conversation, newest: Open) -> str:
    """One sentence: who asks, how the owner is meant, and that it is still open."""
    who = writer(newest.mail)
    what = "a question" if any(ask.question for ask in newest.asks) else "for something"
    if not any(ask.firm for ask in newest.asks):
        what = "you to do something"
    meant = "by name" if newest.named else _standing(newest.around)
    asks = f"{who} asks {what} ({meant})"
    if newest.again:
        return f"{asks} again, and you have not answered."
    last = conversation.entries[-1]
    if newest.index == len(conversation.entries) - 1:
        return f"{asks}, and you have not answered."
    since = "you" if last.own else writer(last.mail)
    return f"{asks}, which is still open although {since} wrote last."


def _standing(around: Audience) -> str:
    return (
        "a message to you alone" if around.place is Place.SOLE else f"you are {around.place.value}"
    )


def _language(conversation: Conversation, newest: Open) -> str | None:
    """The language of the message to answer, else that of the thread, else of its phrases."""
    if newest.mail.language is not None:
        return newest.mail.language
    for entry in reversed(conversation.entries):
        if entry.mail.language is not None and entry.mail.automated is None:
            return entry.mail.language
    return newest.said.language


def _nothing_owed(conversation: Conversation, turns: Turns) -> Triage:
    newest = conversation.entries[-1]
    mail = newest.mail
    if newest.own:
        return _own_last(mail)
    if mail.automated is not None:
        return _triage(Category.AUTOMATED, f"The last message is automated: {mail.automated}.")
    if turns.circular is not None:
        return _triage(Category.AUTOMATED, turns.circular)
    who = writer(mail)
    if mail.unreadable is not None:
        return _triage(Category.FYI, f"The last message could not be read: {mail.unreadable}.")
    if mail.body_unreadable is not None:
        return _triage(Category.FYI, f"What {who} wrote could not be read: {mail.body_unreadable}.")
    if turns.waiting is not None:
        return _triage(Category.WAITING, turns.waiting)
    reason = turns.note or turns.told or f"{who} wrote last and waits for nothing of yours."
    return _triage(Category.FYI, reason, unsure=turns.unsure)


def _own_last(mail: Mail) -> Triage:
    spoken = said(mail.new_text, mail.language, frozenset())
    if any(ask.firm for ask in spoken.asks):
        return _triage(Category.WAITING, "You asked last and wait for an answer.")
    if promises(spoken):
        return _triage(Category.FYI, "You wrote last and said that you would come back to it.")
    return _triage(Category.FYI, "You wrote last and asked nothing.")


def _triage(category: Category, reason: str, *, unsure: bool = False) -> Triage:
    return Triage(
        category=category, urgency=Urgency.LOW, reason=reason, engine=ENGINE, unsure=unsure
    )
