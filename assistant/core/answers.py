"""What a model answered, checked: a judgement or a draft comes out, or what is wrong with it.

Nothing of an answer is taken on trust. A judgement names one of our categories, quotes only what
the mail holds, and says nothing about whom to answer; the message to answer is chosen by code. A
draft is plain text in the language of the thread, of moderate length, that claims nothing was done
and keeps no link, image, address, number or code that the owner's own words do not hold.

``Fault.text`` is told to the model when it is asked again, so it holds nothing of the mail. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assistant.core.audience import Me, poses_as_owner
from assistant.core.claims import claim_in
from assistant.core.cleaning import MARKERS, Allowed, clean
from assistant.core.conversation import Conversation, Triage
from assistant.core.transcript import line, plain, unfenced
from providers.mime.envelope import reply_envelope
from providers.mime.language import language_of
from providers.ports import Json
from storage.words import Category, Urgency

LONGEST_DRAFT: Final = 6_000
"""Characters of a draft; nobody opens a longer one."""
ASKED_LIMIT: Final = 12
_OWN_TEXT_LIMIT: Final = 20_000

TRIAGE_SCHEMA: Final[Json] = {
    "type": "object",
    "properties": {
        "category": {"type": "string", "enum": [str(one) for one in Category]},
        "urgency": {"type": "string", "enum": [str(one) for one in Urgency]},
        "reason": {"type": "string"},
        "asked": {"type": "array", "items": {"type": "string"}},
        "deadline": {"type": ["string", "null"]},
        "language": {"type": ["string", "null"]},
    },
    "required": ["category", "urgency", "reason", "asked", "deadline", "language"],
    "additionalProperties": False,
}
DRAFT_SCHEMA: Final[Json] = {
    "type": "object",
    "properties": {"body": {"type": "string"}},
    "required": ["body"],
    "additionalProperties": False,
}

_HEADER_LINE: Final = re.compile(
    r"\s*(?:subject|betreff|objet|asunto|oggetto|assunto|onderwerp|to|an|cc|bcc|from|von|reply-to|"
    r"in-reply-to|references|message-id|date|content-type|x-[\w-]+)\s?:[^\n]*(?:\n|\Z)",
    re.IGNORECASE,
)
_MARKDOWN: Final = re.compile(r"^\s{0,3}(?:#{1,6}\s+|```\w*\s*$)|\*\*|__(?=\w)|(?<=\w)__", re.M)
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an answer was not taken, in words for the model and for the owner."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The body of a draft, whole with its signature, and what was taken out of it."""

    text: str
    removed: dict[str, int]


class _Triage(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    category: Annotated[Category, Field(strict=False)]
    urgency: Annotated[Urgency, Field(strict=False)]
    reason: Annotated[str, Field(max_length=4_000)]
    asked: Annotated[list[str], Field(max_length=200)]
    deadline: Annotated[str | None, Field(max_length=4_000)]
    language: Annotated[str | None, Field(max_length=40)]


class _Draft(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    body: str


def read_triage(
    value: Json, conversation: Conversation, rules: Triage, *, engine: str, fence: str
) -> Triage | Fault:
    """The model's judgement of the conversation; *rules* is what the rules made of it."""
    try:
        said = _Triage.model_validate(dict(value))
    except ValidationError as error:
        return Fault(_told(error))
    answer = rules.answer
    if said.category is Category.NEEDS_REPLY and answer is None:
        answer = _answerable(conversation)
        if answer is None:
            return replace(
                rules, reason=f"{rules.reason} The model wanted an answer; nobody would read one."
            )
    reason = clean(unfenced(line(said.reason), fence), Allowed()).text
    spoken = [plain(entry.mail.new_text) for entry in conversation.entries if not entry.own]
    asked = tuple(_quoted(said.asked, spoken)) or rules.asked
    return Triage(
        category=said.category,
        urgency=said.urgency,
        reason=reason or "The model gave no reason.",
        engine=engine,
        asked=asked if said.category is Category.NEEDS_REPLY else (),
        deadline=next(iter(_quoted([said.deadline or ""], spoken)), rules.deadline),
        language=_language(conversation, answer, rules, said.language),
        answer=answer if said.category is Category.NEEDS_REPLY else rules.answer,
        unsure=False,
    )


def _told(error: ValidationError) -> str:
    """What is wrong, by the names of fields; never by what stands in them."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    known = {"category", "urgency", "reason", "asked", "deadline", "language", "body"}
    field = next((str(part) for part in first["loc"][:1] if part in known), "a key")
    return f"{field} is not as the schema wants it ({first['type']})"


def _answerable(conversation: Conversation) -> int | None:
    """The newest message of somebody else that an answer could go to."""
    mails = [entry.mail for entry in conversation.entries]
    me = Me.of(conversation.owner)
    for index in range(len(mails) - 1, -1, -1):
        entry = conversation.entries[index]
        if entry.own or entry.mail.automated is not None or poses_as_owner(entry.mail, me):
            continue
        found = reply_envelope(entry.mail, conversation.owner, thread=mails)
        return index if found is not None else None
    return None


def _quoted(wanted: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Those of *wanted* that stand in a message word for word; nobody else's words get through."""
    squeezed = [" ".join(text.split()).casefold() for text in texts]
    found = []
    for each in wanted:
        words = " ".join(plain(each).split())
        if words and any(words.casefold() in text for text in squeezed):
            found.append(words)
    return list(dict.fromkeys(found))[:ASKED_LIMIT]


def _language(
    conversation: Conversation, answer: int | None, rules: Triage, said: str | None
) -> str | None:
    """The language to answer in: of the message, else as the rules say, else as the model says."""
    if answer is not None and conversation.entries[answer].mail.language is not None:
        return conversation.entries[answer].mail.language
    if rules.language is not None:
        return rules.language
    code = (said or "").strip().casefold()[:2]
    return code if len(code) == 2 and code.isascii() and code.isalpha() else None


def allowed_in(conversation: Conversation, *, instructions: str, signature: str) -> Allowed:
    """What a draft may hold: what the owner's file and the owner's own messages hold."""
    owner = conversation.owner
    own = [entry.mail.new_text for entry in conversation.entries if entry.own]
    texts = [instructions, signature, owner.name, *owner.addresses, *own]
    return Allowed.of(text[:_OWN_TEXT_LIMIT] for text in texts)


def read_draft(
    value: Json,
    *,
    language: str | None,
    allowed: Allowed,
    fence: str,
    signature: str,
    name: str,
) -> Body | Fault:
    """The body that the model wrote, made safe and signed; or what is wrong with it."""
    try:
        said = _Draft.model_validate(dict(value)).body
    except ValidationError as error:
        return Fault(_told(error))
    if len(said) > LONGEST_DRAFT:
        return Fault(f"body is longer than {LONGEST_DRAFT} characters")
    cleaned = clean(unfenced(said, fence), allowed)
    text = _unsigned(_tidy(cleaned.text), signature, name)
    fault = _fault_in(text, language)
    if fault is not None:
        return fault
    signed = f"{text}\n{signature.strip() or name.strip()}".strip()
    return Body(text=signed + "\n", removed=cleaned.removed)


def _tidy(text: str) -> str:
    """Plain text without header lines on top and without marks of markup."""
    while (header := _HEADER_LINE.match(text)) is not None:
        text = text[header.end() :]
    text = _MARKDOWN.sub("", text)
    lines = [each.rstrip() for each in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _unsigned(text: str, signature: str, name: str) -> str:
    """*text* without the name or signature at its end, which is put there by code."""
    for end in (signature, name, name.split()[0] if name.split() else ""):
        mark = end.strip()
        if mark and text.casefold().endswith(mark.casefold()):
            before = text[: len(text) - len(mark)]
            if before.endswith("\n"):
                return before.rstrip()
    return text


def _fault_in(text: str, language: str | None) -> Fault | None:
    rest = text
    for marker in MARKERS:
        rest = rest.replace(marker, " ")
    if len(_WORD.findall(rest)) < 3:
        return Fault("body says hardly anything")
    if claim_in(text) is not None:
        return Fault("body says that something was done, attached or sent, and nothing was")
    written = language_of(rest)
    if language is not None and written is not None and written != language:
        return Fault(f"body is not in the language {language}")
    return None
