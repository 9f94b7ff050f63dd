"""What the end of a write means: accepted, rejected or unknown.

Pure. Accepted and rejected are lists of what is allowed; everything else is unknown, whatever it
looks like. A status without Google's own error envelope is somebody else's answer (a proxy, a
captive portal) and proves nothing. Some refusals of Google's are about two calls at once
(``failedPrecondition``, ``aborted``), and nothing says that such a call had no effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from providers.gmail.ports import QuotaError, TokenError, TokenTrouble
from providers.gmail.transport import DAY, Answer, Exchange, NoAnswer, Refusal, is_rate
from storage.words import Accepted as Made
from storage.words import Outcome, Ref, Rejected, Unknown, Version

REFUSING: Final = frozenset({400, 401, 403, 404, 413})
"""Statuses that, in Google's envelope, say that nothing was done."""
_TOGETHER: Final = frozenset({"failedPrecondition", "aborted"})
_SCOPES: Final = frozenset(
    {"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientScopes"}
)
_OFF: Final = frozenset({"accessNotConfigured", "SERVICE_DISABLED"})
RENEWED_S: Final = 3.0
"""How long a mailbox waits for another access token where one has ended early."""
LOG_IN: Final = "log in again and allow everything that is asked for"


def classify(exchange: Exchange) -> Outcome:
    """What the end of ``drafts.create`` means; the reference is the draft's id as it is."""
    if isinstance(exchange, NoAnswer):
        return _no_answer(exchange)
    if exchange.status == 200:
        return _made(exchange.value)
    return refused(exchange)


def trashed(exchange: Exchange, message: str) -> Outcome:
    """What the end of ``messages.trash`` means by itself; a direct get has the last word."""
    if isinstance(exchange, NoAnswer):
        return _no_answer(exchange)
    value = exchange.value
    if exchange.status == 200:
        if isinstance(value, dict) and value.get("id") == message:
            return Made(detail="in the trash")
        return Unknown(reason="the answer does not name the message that was trashed")
    refusal = exchange.refusal
    if refusal is not None and refusal.reason in _TOGETHER:
        # Of labels it is known that such a refusal changed nothing, and this one names a version.
        return Rejected(
            reason=f"{_said(refusal)}: delete the draft in Gmail",
            passing=refusal.reason == "aborted",
        )
    return refused(exchange)


def refused(answer: Answer) -> Rejected | Unknown:
    """What an answer means that does not say yes."""
    refusal = answer.refusal
    if refusal is None:
        return Unknown(
            reason=f"the answer {answer.status} is not in the form of the Gmail API",
            detail="a proxy or a portal may have answered in its place",
        )
    if is_rate(refusal):
        return Rejected(
            reason=ill(refusal)[0],
            passing=True,
            illness=True,
            retry_after_s=answer.retry_after_s,
            detail=refusal.message,
        )
    if refusal.code not in REFUSING or refusal.reason in _TOGETHER:
        return Unknown(reason=_said(refusal))
    if refusal.code in (401, 403):
        # Reading may well go on, so that it is no matter of the login alone: drafts can't be made.
        problem, remedy = ill(refusal)
        return Rejected(
            reason=f"{problem}: {remedy}",
            passing=True,
            illness=True,
            retry_after_s=RENEWED_S if refusal.code == 401 else None,
            detail=refusal.message,
        )
    return Rejected(reason=_said(refusal))


def never_left(error: TokenError | QuotaError) -> Rejected:
    """What it means that there was no token or no quota: the request was never made."""
    if isinstance(error, QuotaError):
        return Rejected(
            reason=f"never left: {error}",
            passing=True,
            illness=True,
            retry_after_s=error.retry_after_s,
        )
    return Rejected(
        reason=f"never left: {error}",
        passing=True,
        illness=True,
        reconnect=error.kind is TokenTrouble.RECONNECT,
    )


def ill(refusal: Refusal) -> tuple[str, str]:
    """The problem and the remedy behind a 401, 403 or 429."""
    if refusal.reason == DAY:
        return "the day's quota of the Gmail API is used up", "it is tried again by itself"
    if is_rate(refusal):
        return "the Gmail API wants fewer calls for now", "it is tried again by itself"
    if refusal.code == 401:
        return "the API refused the access token", "it is renewed by itself"
    if refusal.reason in _SCOPES:
        return "the account did not allow what is needed to read mail and make drafts", LOG_IN
    if refusal.reason == "domainPolicy":
        return (
            "the domain's administrator has switched off Gmail or access to it for programs",
            "ask the administrator to allow this OAuth client",
        )
    if refusal.reason in _OFF:
        return (
            "the Gmail API is switched off in the project of the OAuth client",
            "enable the Gmail API there in Google's console",
        )
    return _said(refusal), "see what Google says; it is tried again by itself"


def needs_login(refusal: Refusal) -> bool:
    """Whether only a new login of the owner helps."""
    return refusal.code == 403 and refusal.reason in _SCOPES


def _no_answer(end: NoAnswer) -> Rejected | Unknown:
    if end.left:
        return Unknown(reason=end.problem, detail="the request had been handed to the network")
    return Rejected(reason=f"never left: {end.problem}", passing=True, illness=True)


def _made(value: object) -> Outcome:
    message = value.get("message") if isinstance(value, dict) else None
    if isinstance(value, dict) and isinstance(message, dict):
        names = (value.get("id"), message.get("id"), message.get("threadId"))
        draft, version, thread = (each if isinstance(each, str) else "" for each in names)
        if draft and version and thread:
            return Made(ref=Ref(draft), version=Version(version), detail=thread)
    return Unknown(reason="the answer does not name the draft, so it can't be told whether it is")


def _said(refusal: Refusal) -> str:
    said = refusal.message or refusal.reason
    return f"the Gmail API refused with {refusal.code}: {said}" if said else str(refusal.code)


def member(value: object, name: str) -> Mapping[str, object]:
    """The JSON object under *name*, an empty one where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
