"""Everything behind the door: accounts, tokens, quota, faults; and which method a path means."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.gmail import changing, reading
from tests.support.gmail.asking import Asked
from tests.support.gmail.clock import ServerClock, Timed
from tests.support.gmail.errors import RefusedError, not_found
from tests.support.gmail.faults import Fault
from tests.support.gmail.journal import Journal, Line
from tests.support.gmail.mailbox import Mailbox
from tests.support.gmail.oauth import COMPOSE, FULL, METADATA, MODIFY, READONLY, OAuth
from tests.support.gmail.quota import Quota
from tests.support.gmail.settings import Settings

Read = Callable[[Mailbox, Asked], dict[str, Any]]
Change = Callable[[Mailbox, Asked, Line], dict[str, Any] | None]
_READERS = {FULL, MODIFY, READONLY, METADATA}
_BODIES = {FULL, MODIFY, READONLY}
_DRAFTERS = {FULL, MODIFY, COMPOSE}
_MODIFIERS = {FULL, MODIFY}
_ID = r"/(?P<id>[^/]+)"


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method of the API: what its path looks like behind ``/users/me``, and who may call it."""

    name: str
    verb: str
    path: re.Pattern[str]
    scopes: set[str]
    read: Read | None = None
    change: Change | None = None


def _method(
    name: str,
    verb: str,
    path: str,
    scopes: set[str],
    read: Read | None = None,
    change: Change | None = None,
) -> Method:
    return Method(
        name=name, verb=verb, path=re.compile(path), scopes=scopes, read=read, change=change
    )


_R, _C = reading, changing
METHODS = [
    _method("getProfile", "GET", "/profile", _READERS | {COMPOSE}, _R.profile),
    _method("labels.list", "GET", "/labels", _READERS, _R.labels_list),
    _method("labels.get", "GET", "/labels" + _ID, _READERS, _R.labels_get),
    _method("history.list", "GET", "/history", _READERS, _R.history_list),
    _method("settings.sendAs.list", "GET", "/settings/sendAs", _BODIES, _R.send_as_list),
    _method("threads.list", "GET", "/threads", _READERS, _R.threads_list),
    _method("threads.get", "GET", "/threads" + _ID, _READERS, _R.threads_get),
    _method("drafts.list", "GET", "/drafts", _BODIES | {COMPOSE}, _R.drafts_list),
    _method("drafts.get", "GET", "/drafts" + _ID, _BODIES | {COMPOSE}, _R.drafts_get),
    _method("drafts.create", "POST", "/drafts", _DRAFTERS, change=_C.drafts_create),
    _method("drafts.send", "POST", "/drafts/send", _DRAFTERS, change=_C.drafts_send),
    _method("drafts.update", "PUT", "/drafts" + _ID, _DRAFTERS, change=_C.drafts_update),
    _method("drafts.delete", "DELETE", "/drafts" + _ID, _DRAFTERS, change=_C.drafts_delete),
    _method("messages.list", "GET", "/messages", _READERS, _R.messages_list),
    _method("messages.get", "GET", "/messages" + _ID, _READERS, _R.messages_get),
    _method("messages.attachments.get", "GET",
            "/messages" + _ID + r"/attachments/(?P<attachment>[^/]+)", _BODIES,
            _R.attachments_get),
    _method("messages.send", "POST", "/messages/send", _DRAFTERS, change=_C.messages_send),
    _method("messages.insert", "POST", "/messages", _MODIFIERS, change=_C.messages_insert),
    _method("messages.modify", "POST", "/messages" + _ID + "/modify", _MODIFIERS,
            change=_C.messages_modify),
    _method("messages.trash", "POST", "/messages" + _ID + "/trash", _MODIFIERS,
            change=_C.messages_trash),
    _method("messages.untrash", "POST", "/messages" + _ID + "/untrash", _MODIFIERS,
            change=_C.messages_untrash),
    _method("messages.delete", "DELETE", "/messages" + _ID, {FULL}, change=_C.messages_delete),
]  # fmt: skip
_USERS = re.compile(r"(?:/upload)?/gmail/v1/users/(?P<user>[^/]+)(?P<rest>/.*)")


def method_of(verb: str, path: str) -> tuple[Method, dict[str, str]] | None:
    """The method that a path means, and what the path names."""
    users = _USERS.fullmatch(path)
    if users is None:
        return None
    for method in METHODS:
        found = method.path.fullmatch(users["rest"])
        if found is not None and method.verb == verb:
            return method, {"user": users["user"]} | found.groupdict()
    return None


@dataclass(kw_only=True)
class World:
    """One Google. *clock* is a test's own, or a ServerClock that ``advance`` moves."""

    settings: Settings = field(default_factory=Settings)
    clock: Timed = field(default_factory=ServerClock)
    accounts: dict[str, Mailbox] = field(default_factory=dict)
    journal: Journal = field(default_factory=Journal)
    faults: list[Fault] = field(default_factory=list)
    latency_s: float = 0.0
    """How long every call takes between its effect and its answer, by the server's clock."""
    saved: Callable[[], None] = lambda: None
    """Called after each effect, before its answer."""

    def __post_init__(self) -> None:
        self.oauth = OAuth(settings=self.settings, now_s=self.now_s)
        self.quota = Quota(settings=self.settings, now_s=self.now_s)

    def now_s(self) -> float:
        """Epoch seconds by the server's clock."""
        return self.clock.now().timestamp()

    def account(self, address: str) -> Mailbox:
        """The mailbox of *address*, made where there is none."""
        name = address.lower()
        if name not in self.accounts:
            self.accounts[name] = Mailbox(address=name, settings=self.settings, now_s=self.now_s)
        return self.accounts[name]

    def fault_for(self, method: str, counted_as: str | None = None) -> Fault | None:
        """The first fault that is due; every fault counts the call, once under both names."""
        faults = [one for one in self.faults if counted_as is None or not one.is_for(counted_as)]
        due = [one for one in faults if one.takes(method)]
        for other in due[1:]:
            other.acted -= 1
        return due[0] if due else None

    def allow(self, method: Method, asked: Asked) -> Mailbox:
        """Whose mailbox the call is for; raises 401, or 403 for a scope or another's mailbox."""
        access = self.oauth.user_of(asked.headers.get("authorization", ""))
        granted = set(access.scope.split())
        if not granted & method.scopes:
            raise reading.denied()
        if granted & method.scopes == {METADATA}:
            self._only_metadata(method, asked)
        if asked.args["user"] not in {"me", access.user}:
            raise RefusedError(403, "forbidden", "Delegation denied.")
        if access.user not in self.accounts:
            raise not_found()
        return self.accounts[access.user]

    @staticmethod
    def _only_metadata(method: Method, asked: Asked) -> None:
        if asked.text("q") or (
            method.name in {"messages.get", "threads.get"}
            and asked.text("format", "full") not in {"metadata", "minimal"}
        ):
            raise RefusedError(403, "forbidden", "Metadata scope does not allow this.")

    def perform(self, method: Method, box: Mailbox, asked: Asked, line: Line) -> object:
        """Do it, whole or not at all; raises RefusedError. None is an answer without a body."""
        if method.read is not None:
            return method.read(box, asked)
        assert method.change is not None
        told = method.change(box, asked, line)
        line.effect = True
        self.saved()
        return told
