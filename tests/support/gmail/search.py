"""The search index: ``q`` on the mailbox as it was a while ago, without what is never indexed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from tests.support.gmail import headers
from tests.support.gmail.errors import invalid
from tests.support.gmail.mailbox import Labels, Mailbox, Message
from tests.support.gmail.render import words

Test = Callable[[Message, Labels], bool]
_TERMS = re.compile(r'(?:[^\s"]|"[^"]*")+')
_AGE = re.compile(r"(\d+)([dmy])")
_NOT_PLAYED = {"has", "filename", "larger", "smaller", "size", "list", "category", "deliveredto"}
_DAYS = {"d": 1, "m": 30, "y": 365}
_PLACES = {
    "inbox": "INBOX",
    "sent": "SENT",
    "drafts": "DRAFT",
    "draft": "DRAFT",
    "trash": "TRASH",
    "spam": "SPAM",
    "unread": "UNREAD",
    "starred": "STARRED",
    "important": "IMPORTANT",
}


def matching(box: Mailbox, query: str) -> tuple[Test, bool]:
    """A test for *query*, and whether it asks for the trash or spam by itself."""
    terms = [term.replace('"', "") for term in _TERMS.findall(query)]
    if set(query) & set("{}()") or "OR" in terms:
        raise NotImplementedError(f"the test server plays no groups and no OR: {query}")
    tests = [_term(box, term) for term in terms if term != "AND"]
    everywhere = any(re.fullmatch(r"(in|is|label):(trash|spam|anywhere)", t, re.I) for t in terms)

    def passes(message: Message, labels: Labels) -> bool:
        hidden = message.id in box.settings.never_indexed
        if hidden or ("DRAFT" in labels and not box.settings.search_finds_drafts):
            return False
        return all(test(message, labels) for test in tests)

    return passes, everywhere


def _term(box: Mailbox, term: str) -> Test:
    if term.startswith("-") and len(term) > 1:
        inner = _term(box, term[1:])
        return lambda message, labels: not inner(message, labels)
    name, colon, value = term.partition(":")
    build = _OPERATORS.get(name.lower()) if colon and value else None
    if build is not None:
        return build(box, value)
    if name.lower() in _NOT_PLAYED and colon:
        raise NotImplementedError(f"the test server does not play {name}: in a search")
    wanted = term.lower()

    def found(message: Message, labels: Labels) -> bool:
        text = f"{headers.first(message.raw, 'Subject')} {words(message.raw)}".lower()
        if re.fullmatch(r"\w+", wanted):
            return re.search(rf"(?<!\w){wanted}(?!\w)", text) is not None
        return wanted in text

    return found


def _rfc822msgid(box: Mailbox, value: str) -> Test:
    wanted = value.strip("<>")
    return lambda message, labels: headers.first(message.raw, "Message-ID").strip("<>") == wanted


def _place(box: Mailbox, value: str) -> Test:
    if value.lower() == "anywhere":
        return lambda message, labels: True
    names = {name.lower(): label for label, name in box.labels.items()}
    label = _PLACES.get(value.lower()) or names.get(value.lower())
    return lambda message, labels: label in labels


def _after(box: Mailbox, value: str) -> Test:
    at_s = _moment(value)
    return lambda message, labels: message.internal_ms >= at_s * 1000


def _before(box: Mailbox, value: str) -> Test:
    at_s = _moment(value)
    return lambda message, labels: message.internal_ms < at_s * 1000


def _moment(value: str) -> float:
    if re.fullmatch(r"\d{9,}", value):
        return float(value)
    found = re.fullmatch(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})", value)
    if found is None:
        raise invalid(f"Invalid query: {value!r} is no date")
    return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC).timestamp()


def _age(value: str) -> float:
    found = _AGE.fullmatch(value)
    if found is None:
        raise invalid(f"Invalid query: {value!r} is no age")
    return int(found[1]) * _DAYS[found[2]] * 86_400.0


def _newer_than(box: Mailbox, value: str) -> Test:
    since_s = box.now_s() - _age(value)
    return lambda message, labels: message.internal_ms >= since_s * 1000


def _older_than(box: Mailbox, value: str) -> Test:
    since_s = box.now_s() - _age(value)
    return lambda message, labels: message.internal_ms < since_s * 1000


def _field(*names: str) -> Callable[[Mailbox, str], Test]:
    def build(box: Mailbox, value: str) -> Test:
        wanted = value.lower()
        return lambda message, labels: any(
            wanted in headers.first(message.raw, name).lower() for name in names
        )

    return build


_OPERATORS: dict[str, Callable[[Mailbox, str], Test]] = {
    "rfc822msgid": _rfc822msgid,
    "in": _place,
    "is": _place,
    "label": _place,
    "after": _after,
    "before": _before,
    "newer_than": _newer_than,
    "older_than": _older_than,
    "newer": _after,
    "older": _before,
    "from": _field("From"),
    "to": _field("To", "Cc", "Bcc"),
    "cc": _field("Cc"),
    "bcc": _field("Bcc"),
    "subject": _field("Subject"),
}
