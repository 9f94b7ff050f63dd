"""The outline of a reply: greeting, each open question with room for the answer, signature.

The rules can tell what is asked but not what the owner wants to say, so the draft says plainly
that it is an outline. Nothing of the mail gets into it but the names of the people greeted and
the questions, without links, images, addresses and characters that nobody sees (promise 9), and
bounded in length. Pure and total: no conversation makes it raise.
"""

from __future__ import annotations

from typing import Final

from assistant.core.conversation import Conversation, Triage
from assistant.core.greeting import greeting
from assistant.core.phrases.sentences import unlinked
from providers.mime.envelope import reply_envelope
from providers.mime.invisible import visible_line
from providers.mime.message import Address

QUESTIONS_LIMIT: Final = 12
QUESTION_LENGTH: Final = 300

_FRAME: Final = {
    "en": ("[Outline: please complete before sending.]", "[your answer]", "Kind regards,"),
    "de": ("[Entwurf: bitte vor dem Senden ergänzen.]", "[Antwort]", "Viele Grüße"),
    "fr": ("[Ébauche : à compléter avant l’envoi.]", "[réponse]", "Cordialement,"),
    "es": ("[Borrador: complétalo antes de enviarlo.]", "[respuesta]", "Un saludo,"),
    "it": ("[Bozza: da completare prima dell’invio.]", "[risposta]", "Cordiali saluti,"),
    "pt": ("[Rascunho: completar antes de enviar.]", "[resposta]", "Cumprimentos,"),
    "nl": ("[Opzet: aanvullen voor verzending.]", "[antwoord]", "Met vriendelijke groet,"),
}


def outline(conversation: Conversation, triage: Triage, *, signature: str, name: str) -> str:
    """The text of the outline; ``name`` signs when the ``signature`` is empty."""
    language = triage.language if triage.language in _FRAME else "en"
    notice, room, regards = _FRAME[language]
    blocks = [notice, greeting(_greeted(conversation, triage), triage.language)]
    blocks += [f"> {_quoted(each)}\n{room}" for each in triage.asked[-QUESTIONS_LIMIT:]]
    if not triage.asked:
        blocks.append(room)
    blocks.append(f"{regards}\n{signature.strip() or name.strip()}".strip())
    return "\n\n".join(blocks) + "\n"


def _greeted(conversation: Conversation, triage: Triage) -> tuple[Address, ...]:
    if triage.answer is None or not 0 <= triage.answer < len(conversation.entries):
        return ()
    mail = conversation.entries[triage.answer].mail
    envelope = reply_envelope(mail, conversation.owner)
    return envelope.to if envelope is not None else ()


def _quoted(question: str) -> str:
    text = unlinked(visible_line(question))
    return text if len(text) <= QUESTION_LENGTH else text[: QUESTION_LENGTH - 1].rstrip() + "…"
