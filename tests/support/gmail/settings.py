"""What the test server can be set to: every fact about Gmail that is contested has both ways here.

The defaults are the unkind ones. A test changes fields of the ``Settings`` that its server holds;
another process sends them to ``/_control/settings``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

MAX_RAW = 36_700_160
"""Octets of a raw message, as the API states them."""

NEW_UNITS = {
    "getProfile": 1,
    "labels.list": 1,
    "labels.get": 1,
    "history.list": 2,
    "messages.list": 5,
    "messages.get": 20,
    "messages.attachments.get": 20,
    "messages.modify": 5,
    "messages.trash": 20,
    "messages.untrash": 20,
    "messages.insert": 25,
    "messages.delete": 20,
    "messages.send": 100,
    "threads.list": 10,
    "threads.get": 40,
    "drafts.create": 10,
    "drafts.delete": 10,
    "drafts.get": 20,
    "drafts.list": 5,
    "drafts.update": 15,
    "drafts.send": 100,
    "settings.sendAs.list": 1,
}
"""What a call costs in projects made since 2026-05; drafts.get, .list and .update are guesses."""

OLD_UNITS = NEW_UNITS | {"messages.get": 5, "threads.get": 10, "drafts.get": 5, "messages.trash": 5}
"""What it costs in older projects."""

Header = Literal["replace", "keep"]
Custom = Literal["drop", "keep"]


@dataclass(kw_only=True)
class Settings:
    """How the server behaves; see the names. Times are seconds of the server's own clock."""

    message_id_on_create: Header = "replace"
    message_id_on_update: Header = "replace"
    message_id_on_edit: Header = "replace"
    message_id_on_send: Header = "replace"
    x_headers_on_create: Custom = "keep"
    x_headers_on_edit: Custom = "drop"
    x_headers_on_send: Custom = "keep"
    x_headers_on_user_send: Custom = "drop"

    threading: Literal["documented", "thread_id"] = "documented"
    """Whether threadId joins only with the same subject and References, or alone."""

    trash_draft: Literal["leaves", "stays", "refused"] = "leaves"
    """messages.trash on a draft: it is a draft no more; it stays one, in the trash; or 400."""

    history_cursor: Literal["visible", "current"] = "visible"
    """Whether a lagging history.list names the last record that it shows, or the newest."""

    wrap_on_user_send: bool = True
    """Whether a plain text without HTML is wrapped when the person sends it."""

    search_finds_drafts: bool = True
    never_indexed: list[str] = field(default_factory=list)
    lag_s: dict[str, float] = field(default_factory=lambda: {"search": 60.0})
    """How far behind listings are: "search" (any q), "drafts.list", "messages.list",
    "threads.list", "threads.get", "history.list"."""

    headers_decoded: bool = True
    """Whether encoded words in ``payload.headers`` are decoded, or given as they stand."""

    max_raw: int = MAX_RAW
    too_large: Literal[413, 400] = 413

    units: dict[str, int] = field(default_factory=lambda: dict(NEW_UNITS))
    units_per_minute: int = 6_000
    concurrent: int = 10

    consent: Literal["auto", "page", "deny"] = "auto"
    client_id: str = "client-1.apps.example.com"
    client_secret: str = "not-a-secret"
    secret_required: bool = True
    token_lifetime_s: float = 3_599.0
    code_lifetime_s: float = 600.0
    refresh_lifetime_s: float | None = None
    """604,800 for an application in testing: its refresh tokens die after seven days."""
    refresh_tokens_kept: int = 100
    refresh_scope: bool = False
    """Whether the answer to a refresh names the scope."""
    refresh_extra: dict[str, Any] = field(
        default_factory=lambda: {"refresh_token_expires_in": 604_799, "x_unheard_of": {"a": [1]}}
    )
    rotate_refresh: bool = False

    def change(self, values: dict[str, Any]) -> None:
        """Set fields by name; raises ValueError for one that is none. ``lag_s`` is merged."""
        known = {one.name for one in fields(self)}
        for name, value in values.items():
            if name not in known:
                raise ValueError(f"{name!r} is no setting; there are {', '.join(sorted(known))}")
            if name in {"lag_s", "units"}:
                getattr(self, name).update(value)
            else:
                setattr(self, name, value)
