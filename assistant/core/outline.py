"""The outline of a reply: greeting, each open question with room for the answer, signature.

The rules can tell what is asked but not what the owner wants to say, so the draft says plainly
that it is an outline. Nothing of the mail gets into it but the first names of the people greeted
and the questions, without links, images, addresses and characters that nobody sees (promise 9),
each on one line behind a quotation mark, and bounded in length. Pure and total: no conversation
makes it raise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from assistant.core.conversation import Conversation, Triage
from assistant.core.greeting import greeting
from assistant.core.phrases.sentences import unlinked
from providers.mime.envelope import reply_envelope
from providers.mime.invisible import visible, visible_line
from providers.mime.message import Address

QUESTIONS_LIMIT: Final = 12
QUESTION_LENGTH: Final = 300
SIGNATURE_LENGTH: Final = 1_000
LENGTH_LIMIT: Final = 6_000
"""Characters of the longest outline."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """The words of an outline in one language."""

    notice: str
    room: str
    regards: str


_FRAMES: Final = {
    "en": _Frame("[Outline: complete before sending.]", "[your answer]", "Kind regards,"),
    "de": _Frame("[Gerüst: vor dem Senden ausfüllen.]", "[Antwort]", "Viele Grüße"),
    "fr": _Frame("[Ébauche : à compléter avant l’envoi.]", "[réponse]", "Cordialement,"),
    "es": _Frame("[Esquema: completar antes de enviar.]", "[respuesta]", "Un saludo,"),
    "it": _Frame("[Schema: completare prima dell’invio.]", "[risposta]", "Cordiali saluti,"),
    "pt": _Frame("[Esboço: completar antes de enviar.]", "[resposta]", "Cumprimentos,"),
    "nl": _Frame("[Opzet: aanvullen voor verzending.]", "[antwoord]", "Met vriendelijke groet,"),
}


def outline(conversation: Conversation, triage: Triage, *, signature: str, name: str) -> str:
    """The text of the outline; ``name`` signs when the ``signature`` is empty."""
    language = triage.language or "en"
    frame = _FRAMES.get(language, _FRAMES["en"])
    asked = [quoted(each) for each in triage.asked[-QUESTIONS_LIMIT:]]
    signed = visible(signature).strip() or visible_line(name)
    blocks = [
        frame.notice,
        greeting(_greeted(conversation, triage), language),
        *(f"> {each}\n{frame.room}" for each in asked if each),
    ]
    if not any(asked):
        blocks.append(frame.room)
    blocks.append(f"{frame.regards}\n{signed[:SIGNATURE_LENGTH]}".strip())
    return "\n\n".join(blocks) + "\n"


def quoted(question: str) -> str:
    """A sentence of a mail as one bounded line without links, images and addresses."""
    text = unlinked(visible_line(question))
    return text if len(text) <= QUESTION_LENGTH else text[: QUESTION_LENGTH - 1].rstrip() + "…"


def _greeted(conversation: Conversation, triage: Triage) -> tuple[Address, ...]:
    """Whom the answer goes to; a bare address of the writer's gets the writer's name."""
    if triage.answer is None or not 0 <= triage.answer < len(conversation.entries):
        return ()
    mail = conversation.entries[triage.answer].mail
    envelope = reply_envelope(mail, conversation.owner)
    if envelope is None:
        return ()
    writers = mail.original_from or mail.from_
    if len(envelope.to) == 1 and not envelope.to[0].name and len(writers) == 1:
        return (Address(addr=envelope.to[0].addr, name=writers[0].name),)
    return envelope.to
