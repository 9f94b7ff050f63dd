"""The hands of the mailbox's owner and of the world outside: what happens without our API calls.

Mail arrives; the person edits, sends and discards drafts in the web page; Google forgets history.
"""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

from tests.support.gmail import headers, writing
from tests.support.gmail.mailbox import Mailbox, SendAs


class Owner:
    """Acts on one mailbox; every function answers plain JSON."""

    def __init__(self, box: Mailbox) -> None:
        self._box = box

    def deliver(
        self,
        raw: bytes,
        labels: list[str] | None = None,
        thread: str | None = None,
        internal_ms: int | None = None,
    ) -> dict[str, Any]:
        """Mail arrives as it is; *thread* puts it there whatever it says."""
        raw = headers.crlf(raw)
        to = thread if thread is not None else writing.parent_thread(self._box, raw)
        wanted = ["INBOX", "UNREAD"] if labels is None else labels
        made = self._box.add(raw, wanted, to, internal_ms)
        return {"id": made.id, "threadId": made.thread}

    def deliver_thread(
        self, number: int, sender: str, subject: str = "A long thread", apart_s: float = 60.0
    ) -> dict[str, Any]:
        """A thread of *number* messages, each of which answers the one before."""
        thread: str | None = None
        names, parent = [], ""
        begun_s = self._box.now_s() - number * apart_s
        for index in range(number):
            mail = EmailMessage()
            mail["From"], mail["To"] = sender, self._box.address
            mail["Subject"] = subject if index == 0 else f"Re: {subject}"
            own = f"<{self._box.serial}.{index}@{sender.rpartition('@')[2]}>"
            mail["Message-ID"] = own
            if parent:
                mail["In-Reply-To"] = mail["References"] = parent
            mail.set_content(f"Part {index} of the thread.\n")
            at_ms = round((begun_s + index * apart_s) * 1000)
            made = self.deliver(mail.as_bytes(), thread=thread, internal_ms=at_ms)
            thread, parent = made["threadId"], own
            names.append(made["id"])
        return {"threadId": thread, "ids": names}

    def edit_draft(
        self, draft: str, body: str | None = None, subject: str | None = None
    ) -> dict[str, Any]:
        """An edit in the web page: the draft id stays, the message is another one.

        Another subject takes it out of its thread.
        """
        old = self._box.draft(draft)
        rules = self._box.settings
        raw = old.raw
        thread: str | None = old.thread
        if subject is not None and subject != headers.first(raw, "Subject"):
            before = headers.plain_subject(raw)
            raw = headers.set_field(raw, "Subject", subject)
            thread = thread if headers.plain_subject(raw) == before else None
        if body is not None:
            raw = _with_text(raw, body)
        raw = writing.composed(self._box, raw, rules.message_id_on_edit, rules.x_headers_on_edit)
        self._box.drop(old)
        made = self._box.add(raw, ["DRAFT"], thread)
        self._box.point(draft, made)
        return {"id": made.id, "threadId": made.thread}

    def autosave(self, draft: str, times: int, text: str = "Typing") -> dict[str, Any]:
        """The web page saves while the person types: a message added and one deleted each time."""
        made: dict[str, Any] = {}
        for number in range(times):
            made = self.edit_draft(draft, body=f"{text} {number}\n")
        return made

    def write_draft(self, raw: bytes, thread: str | None = None) -> dict[str, Any]:
        """The person begins a draft of their own in the web page."""
        raw = writing.composed(self._box, headers.crlf(raw), "replace", "drop")
        draft = self._box.fresh_draft_id()
        made = self._box.add(raw, ["DRAFT"], thread)
        self._box.point(draft, made)
        return {"draft": draft, "id": made.id, "threadId": made.thread}

    def send_draft(self, draft: str) -> dict[str, Any]:
        """The person presses Send."""
        sent = writing.send_draft(self._box, draft, by_user=True)
        return {"id": sent.id, "threadId": sent.thread}

    def discard_draft(self, draft: str) -> dict[str, Any]:
        """The person throws the draft away: it is gone for good."""
        writing.delete_draft(self._box, draft)
        return {}

    def recreate_draft(self, draft: str) -> dict[str, Any]:
        """Discarded and written again: the same text under another draft id."""
        old = self._box.draft(draft)
        writing.delete_draft(self._box, draft)
        return self.write_draft(old.raw, old.thread)

    def trash(self, message: str) -> dict[str, Any]:
        """Into the trash."""
        writing.trash(self._box, self._box.get(message))
        return {}

    def untrash(self, message: str) -> dict[str, Any]:
        """Out of it."""
        writing.untrash(self._box, self._box.get(message))
        return {}

    def delete(self, message: str) -> dict[str, Any]:
        """Deleted for good, as from the trash."""
        found = self._box.get(message)
        draft = self._box.draft_of(message)
        self._box.drop(found)
        if draft is not None:
            self._box.point(draft, None)
        return {}

    def relabel(
        self, message: str, add: list[str] | None = None, remove: list[str] | None = None
    ) -> dict[str, Any]:
        """Archive, star, mark as read."""
        self._box.relabel(self._box.get(message), add or [], remove or [])
        return {}

    def expire_history(self, keep: int = 0) -> dict[str, Any]:
        """Google forgets all but the newest records."""
        self._box.forget_history(keep)
        return {"oldest": str(self._box.oldest_history_id)}

    def label(self, name: str) -> dict[str, Any]:
        """A label of the person's own."""
        key = f"Label_{len(self._box.labels) + 1}"
        self._box.labels[key] = name
        return {"id": key}

    def send_as(self, entries: list[dict[str, Any]]) -> dict[str, Any]:
        """The addresses that the account may send as; exactly one is the default."""
        made = [SendAs(**one) for one in entries]
        if sum(one.default for one in made) != 1:
            raise ValueError("exactly one sendAs entry is the default: set default on one")
        self._box.send_as = made
        return {}


def _with_text(raw: bytes, text: str) -> bytes:
    """The same head with another body, as the web page writes it: plain text and HTML."""
    mail = EmailMessage()
    mail.set_content(text)
    mail.add_alternative(f"<div>{text}</div>\n", subtype="html")
    new, body = headers.split(headers.crlf(mail.as_bytes()))
    mime = {name.lower() for name, _ in new}
    kept = [one for one in headers.split(raw)[0] if one[0].lower() not in mime]
    kept = [one for one in kept if not one[0].lower().startswith("content-")]
    return headers.joined(kept + new, body)
