"""What a thread needs and what its draft says: rules first, then the model where it has a say.

    rules: certain, and no answer owed --> that stands, no model is asked
    unsure, or an answer owed --> judged at this revision before? that stands
                              --> the model is asked; its answer is checked by code
                                    unusable twice --> the rules' judgement, and the reason says so
                                    past the ceiling --> the same; due again on the owner's next day
                                    server silent --> the thread waits, a few times; then the rules

A draft is written by the model only where the model judged; else it is an outline. Whom to answer
is never the model's to say. Nothing here calls anything but the model, and nothing of what the
model says becomes a key.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from assistant.core.answers import (
    DRAFT_SCHEMA,
    TRIAGE_SCHEMA,
    Body,
    allowed_in,
    read_draft,
    read_triage,
)
from assistant.core.conversation import Conversation, Triage
from assistant.core.outline import outline
from assistant.core.prompts import (
    DRAFT_TOKENS,
    PROMPT_VERSION,
    TRIAGE_TOKENS,
    Frame,
    draft_question,
    triage_question,
)
from assistant.core.readers import asked_by_seen
from assistant.core.rules import RULES_VERSION, judge
from assistant.core.tokens import Rate
from assistant.house import Account, Brain, House
from assistant.loops.spending import (
    DRAFT_SHARE,
    PATIENCE_MS,
    CeilingReached,
    Means,
    Nothing,
    Purse,
    Silent,
    Unusable,
    ceiling_text,
)
from providers.mime.envelope import reply_envelope
from providers.mime.message import Envelope
from storage.threads import ThreadRow
from storage.words import Category, Urgency

WAITS_MS: Final = (10_000, 60_000, 300_000)
"""Waits of a thread whose model is silent; after them the rules decide about it."""

Facts = dict[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a thread needs. ``facts`` go into the log.

    ``ceiling`` says why the model writes no draft today; ``again_at_ms`` when the owner's next day
    begins, for a thread that the ceiling cost something. ``judging_stopped``: the ceiling stopped
    the judgement too. ``wait`` says why the model is waited for until ``again_at_ms``.
    """

    triage: Triage
    envelope: Envelope | None
    facts: Facts = field(default_factory=dict)
    ceiling: str | None = None
    again_at_ms: int | None = None
    judging_stopped: bool = False
    wait: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The body of a draft and who wrote it."""

    body: str
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwritten:
    """No body now: the daily ceiling, or a model that is waited for."""

    because: str
    again_at_ms: int
    facts: Facts = field(default_factory=dict)
    ceiling: bool = False


async def judged(
    house: House, account: Account, row: ThreadRow, conversation: Conversation
) -> Judged:
    """What the conversation needs, by the engine that the account's user has chosen."""
    rules = _by_rules(conversation)
    brain = account.brain
    if brain is None or not _has_a_say(rules):
        return _settled(conversation, rules, {"rules": RULES_VERSION})
    purse = _purse(house, account, brain)
    means = await purse.means()
    ceiling = ceiling_text(means) if means.drafts_stop else None
    before = _judged_before(row, conversation, brain)
    if before is not None:
        facts: Facts = {"judged_before": True}
        found = _settled(conversation, before, facts)
        return replace(found, ceiling=ceiling, again_at_ms=means.day_end_ms if ceiling else None)
    answer = await _ask_triage(purse, means, conversation, rules)
    if isinstance(answer, Triage):
        facts = {"prompt": PROMPT_VERSION, "tokens": purse.tokens, "requests": purse.asked}
        found = _settled(conversation, answer, facts)
        return replace(found, ceiling=ceiling, again_at_ms=means.day_end_ms if ceiling else None)
    return _without_model(conversation, rules, answer, row, means, purse)


async def written(
    house: House, account: Account, row: ThreadRow, conversation: Conversation, triage: Triage
) -> Written | Unwritten:
    """The body of a draft for the message that the triage answers."""
    brain = account.brain
    if brain is None or triage.answer is None or triage.engine != _engine(brain):
        return _outlined(account, conversation, triage, {})
    purse = _purse(house, account, brain, model=brain.draft)
    means = await purse.means()
    if means.rest is not None:
        answer: Body | Nothing = Silent(means.rest, asked=False)
    else:
        answer = await _ask_draft(purse, account, conversation, triage)
    facts: Facts = {
        "writer": f"model:{brain.draft}",
        "prompt": PROMPT_VERSION,
        "tokens": purse.tokens,
        "requests": purse.asked,
    }
    match answer:
        case Body():
            facts |= {
                f"removed {what.strip('[]').split()[0]}": n for what, n in answer.removed.items()
            }
            return Written(body=answer.text, facts=facts)
        case CeilingReached():
            return Unwritten(
                because=ceiling_text(means),
                again_at_ms=means.day_end_ms,
                facts=facts,
                ceiling=True,
            )
        case Silent() if _waits(answer, row, means):
            return Unwritten(
                because=_waiting(answer), again_at_ms=_later(answer, row, means), facts=facts
            )
        case Silent():
            return _outlined(account, conversation, triage, facts, why=answer.rest.problem)
        case Unusable():
            return _outlined(account, conversation, triage, facts, why=answer.text)


async def _ask_triage(
    purse: Purse, means: Means, conversation: Conversation, rules: Triage
) -> Triage | Nothing:
    if means.rest is not None:
        return Silent(means.rest, asked=False)
    brain = purse.brain
    return await purse.ask(
        triage_question(conversation, purse.frame),
        model=brain.triage,
        schema_name="triage",
        schema=TRIAGE_SCHEMA,
        most=TRIAGE_TOKENS,
        ceiling=1.0,
        read=lambda value: read_triage(
            value, conversation, rules, engine=_engine(brain), fence=purse.frame.fence
        ),
    )


async def _ask_draft(
    purse: Purse, account: Account, conversation: Conversation, triage: Triage
) -> Body | Nothing:
    brain, frame = purse.brain, purse.frame
    if triage.answer is None:
        raise RuntimeError("a draft answers a message")
    allowed = allowed_in(conversation, instructions=brain.instructions, signature=account.signature)
    return await purse.ask(
        draft_question(conversation, frame, answer=triage.answer, language=triage.language),
        model=brain.draft,
        schema_name="draft",
        schema=DRAFT_SCHEMA,
        most=DRAFT_TOKENS,
        ceiling=DRAFT_SHARE,
        read=lambda value: read_draft(
            value,
            language=triage.language,
            allowed=allowed,
            fence=frame.fence,
            signature=account.signature,
            name=account.name,
        ),
    )


def _by_rules(conversation: Conversation) -> Triage:
    if conversation.entries:
        return judge(conversation)
    return Triage(
        category=Category.FYI,
        urgency=Urgency.LOW,
        reason="there is no mail in this thread that can be read",
        engine="rules",
    )


def _has_a_say(rules: Triage) -> bool:
    """Whether a model is asked: what rules are sure of and what smells of fraud stays theirs."""
    if rules.category is Category.SUSPICIOUS:
        return False
    return rules.unsure or rules.category is Category.NEEDS_REPLY


def _settled(conversation: Conversation, triage: Triage, facts: Facts) -> Judged:
    if triage.answer is None:
        return Judged(triage=triage, envelope=None, facts=facts)
    mails = [entry.mail for entry in conversation.entries]
    envelope = reply_envelope(mails[triage.answer], conversation.owner, thread=mails)
    return Judged(triage=triage, envelope=envelope, facts=facts)


def _without_model(
    conversation: Conversation,
    rules: Triage,
    nothing: Nothing,
    row: ThreadRow,
    means: Means,
    purse: Purse,
) -> Judged:
    facts: Facts = {"rules": RULES_VERSION, "tokens": purse.tokens, "requests": purse.asked}
    match nothing:
        case CeilingReached():
            text = ceiling_text(means)
            told = _noted(rules, "The model's tokens of today are used up, so rules decided.")
            found = _settled(conversation, told, facts)
            return replace(found, ceiling=text, again_at_ms=means.day_end_ms, judging_stopped=True)
        case Silent() if _waits(nothing, row, means):
            found = _settled(conversation, _noted(rules, "The model is waited for."), facts)
            return replace(found, wait=_waiting(nothing), again_at_ms=_later(nothing, row, means))
        case Silent():
            why = f"The model gives no answer ({nothing.rest.problem}), so rules decided."
            return _settled(conversation, _noted(rules, why), facts)
        case Unusable():
            why = f"Rules decided, because {nothing.text}."
            return _settled(conversation, _noted(rules, why), facts)


def _noted(rules: Triage, why: str) -> Triage:
    return replace(rules, reason=f"{rules.reason} {why}")


def _waits(silent: Silent, row: ThreadRow, means: Means) -> bool:
    """Whether the thread is left for later: the server may soon answer again."""
    if silent.rest.standing or means.now_ms - silent.rest.since_at >= PATIENCE_MS:
        return False
    return row.failures < len(WAITS_MS)


def _waiting(silent: Silent) -> str:
    return f"the model is waited for: {silent.rest.problem}"


def _later(silent: Silent, row: ThreadRow, means: Means) -> int:
    own = means.now_ms + WAITS_MS[min(row.failures, len(WAITS_MS) - 1)]
    return max(own, silent.rest.until_at)


def _outlined(
    account: Account, conversation: Conversation, triage: Triage, facts: Facts, why: str = ""
) -> Written:
    quoted = asked_by_seen(conversation, triage)
    body = outline(conversation, quoted, signature=account.signature, name=account.name)
    told: Facts = {"writer": "outline"}
    if why:
        told["because"] = why
    return Written(body=body, facts=facts | told)


def _purse(house: House, account: Account, brain: Brain, *, model: str | None = None) -> Purse:
    name = model if model is not None else brain.triage
    frame = Frame(
        name=account.name,
        instructions=brain.instructions,
        fence=fence_of(house.mark_secret, account.user),
        budget=brain.thread_tokens,
        rate=brain.rates.get(name, Rate()),
    )
    return Purse(house=house, brain=brain, user=account.user, frame=frame)


def fence_of(secret: bytes, user: str) -> str:
    """The word that fences mail in this user's prompts; nobody outside can guess it."""
    digest = hmac.new(secret, f"fence {user}".encode(), hashlib.sha256).hexdigest()
    return f"mail-{digest[:10]}"


def _engine(brain: Brain) -> str:
    return f"model:{brain.triage}"


def _told_with(brain: Brain) -> str:
    """What a judgement of the model depends on besides the thread."""
    wishes = hashlib.sha256(brain.instructions.encode()).hexdigest()[:8]
    return f"{PROMPT_VERSION}.{wishes}"


def as_json(
    triage: Triage, row: ThreadRow, account: Account, conversation: Conversation
) -> dict[str, object]:
    """What must be kept to take a model's judgement again while the thread stays as it is."""
    brain = account.brain
    if brain is None or triage.engine != _engine(brain):
        return {}
    answers = None
    if triage.answer is not None:
        answers = str(conversation.entries[triage.answer].mail.identity)
    return {"revision": row.revision, "told_with": _told_with(brain), "answers": answers}


def _judged_before(row: ThreadRow, conversation: Conversation, brain: Brain) -> Triage | None:
    """The model's judgement of this very revision, so that it is not paid for again."""
    kept = row.triage
    if kept is None or kept.get("engine") != _engine(brain):
        return None
    if kept.get("revision") != row.revision or kept.get("told_with") != _told_with(brain):
        return None
    try:
        return _triage_of(kept, conversation)
    except (ValueError, KeyError):
        return None


def _triage_of(kept: Mapping[str, object], conversation: Conversation) -> Triage:
    """Raises ValueError or KeyError when it can't be taken again."""
    answers, asked = kept.get("answers"), kept.get("asked")
    places = [str(entry.mail.identity) for entry in conversation.entries]
    return Triage(
        category=Category(str(kept["category"])),
        urgency=Urgency(str(kept["urgency"])),
        reason=str(kept["reason"]),
        engine=str(kept["engine"]),
        asked=tuple(str(one) for one in asked) if isinstance(asked, list) else (),
        deadline=_text(kept.get("deadline")),
        language=_text(kept.get("language")),
        answer=places.index(str(answers)) if answers is not None else None,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
