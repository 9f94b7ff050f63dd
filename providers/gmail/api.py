"""The reads of the Gmail API as values, and what their failures mean.

``None`` says that Google itself answered "not found"; a 404 of anybody else (a proxy, a portal) is
a failure like any other, because what is missing is evidence here. A listing is whole or it raises.
Nothing is repeated; each method says in units what it costs (Google's table of 2026-05).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final

from anyio import to_thread

from providers.gmail import outcomes
from providers.gmail.items import (
    FIELDS,
    Event,
    Item,
    entries_of,
    entry_of,
    events_of,
    item_of,
    listed,
    stubs_of,
    text,
)
from providers.gmail.ports import QuotaError, TokenError, TokenTrouble
from providers.gmail.refs import Entry, Stub
from providers.gmail.transport import USUAL, Answer, Exchange, NoAnswer, Transport, is_rate
from providers.gmail.wire import Params
from providers.ports import MailboxIllError, ReconnectError, TransientError

PAGE: Final = 500
PAGES: Final = 2_000
"""Of how many pages a listing may consist; more is a server that turns in circles."""
THREAD_OCTETS: Final = 32 * 1024 * 1024
"""The largest thread that is read as a whole; a larger one is read mail by mail."""
_MANY: Final = 20
_NO_METHOD: Final = frozenset({404, 405, 501})


class FailedReadError(TransientError):
    """Something answered and did not give this one thing: it may fail again and others may not."""


class RefusedReadError(FailedReadError):
    """The API answered and would not give this one thing; others may be read.

    ``missing``: there is no such method here. ``too_large``: the answer was dropped for its size.
    """

    def __init__(self, problem: str, *, missing: bool = False, too_large: bool = False) -> None:
        super().__init__(problem)
        self.missing = missing
        self.too_large = too_large


class ExpiredError(Exception):
    """The history does not reach back to where it was asked from; *missing*: there is none here."""

    def __init__(self, *, missing: bool = False) -> None:
        super().__init__("no history" if missing else "the history does not reach back so far")
        self.missing = missing


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Changes since a point, in their order. ``last`` is the id of the last record, the point
    itself where there is none; ``current`` what the server calls the mailbox's present id."""

    events: tuple[Event, ...]
    last: str
    current: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """An address that the account sends as. ``usable``: it is the account's own or verified."""

    address: str
    primary: bool
    default: bool
    usable: bool


class Api:
    """Reads for one account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def profile(self) -> tuple[str, str] | None:
        """Address and present history id (1 unit); None where the server has no getProfile."""
        try:
            value = await self._get("getProfile", {})
        except RefusedReadError as error:
            if error.missing:
                return None
            raise
        address, history = text(value, "emailAddress"), text(value, "historyId")
        if value is None or address is None or history is None:
            return None
        return address, history

    async def aliases(self) -> list[Alias] | None:
        """The addresses that the account sends as (1 unit); None where the server can't tell."""
        try:
            value = await self._get("settings.sendAs.list", {})
        except RefusedReadError:
            return None
        if value is None:
            return None
        found = []
        for one in listed(value, "sendAs"):
            address = text(one, "sendAsEmail")
            primary = one.get("isPrimary") is True
            if address is not None:
                found.append(
                    Alias(
                        address=address,
                        primary=primary,
                        default=one.get("isDefault") is True,
                        usable=primary or text(one, "verificationStatus") == "accepted",
                    )
                )
        return found

    async def history(self, start: str) -> History:
        """Every change after the id *start* (2 units a page).

        Raises ExpiredError when the server does not know that far back.
        """
        events: list[Event] = []
        last, current = start, start
        kinds = ("messageAdded", "messageDeleted", "labelAdded", "labelRemoved")
        asked: Params = {"startHistoryId": start, "historyTypes": kinds, "maxResults": PAGE}
        try:
            async for page in self._pages("history.list", asked):
                if page is None:
                    raise ExpiredError
                for record in listed(page, "history"):
                    events += events_of(record)
                    last = text(record, "id") or last
                current = text(page, "historyId") or current
        except RefusedReadError as error:
            # What is no number to this server is as good as forgotten by it.
            raise ExpiredError(missing=error.missing) from error
        return History(events=tuple(events), last=last, current=current)

    async def messages(
        self, label: str | None = None, q: str | None = None, *, thrown_away: bool = False
    ) -> AsyncIterator[Stub]:
        """The messages with a label and found by a search, newest first (5 units a page).

        With those in spam and trash where *thrown_away*.
        """
        asked: dict[str, str | int | tuple[str, ...]] = {"maxResults": PAGE}
        if label is not None:
            asked["labelIds"] = (label,)
        if q is not None:
            asked["q"] = q
        if thrown_away:
            # The word: a Python True would be sent as "True", which is no value of the API.
            asked["includeSpamTrash"] = "true"
        async for page in self._pages("messages.list", asked):
            for stub in stubs_of(page):
                yield stub

    async def drafts(self, *, thrown_away: bool = False) -> list[Entry]:
        """Every draft (5 units a page), with those in the trash where *thrown_away*."""
        asked: dict[str, str | int | tuple[str, ...]] = {"maxResults": PAGE}
        if thrown_away:
            asked["includeSpamTrash"] = "true"
        return [
            entry async for page in self._pages("drafts.list", asked) for entry in entries_of(page)
        ]

    async def thread(self, thread: str, *, whole: bool = True) -> list[Item] | None:
        """The messages of a thread (40 units), with their bodies or their heads alone.

        None when there is no such thread. Raises RefusedReadError (too large, say).
        """
        form: Params = {"format": "full"} if whole else _heads()
        value = await self._get("threads.get", {"id": thread, **form}, limit=THREAD_OCTETS)
        if value is None:
            return None
        members = listed(value, "messages")
        if len(members) < _MANY:
            return _items(members, whole)
        return await to_thread.run_sync(_items, members, whole)

    async def message(self, message: str, *, whole: bool) -> Item | None:
        """One message as it was sent, or its heads alone (20 units); None when it is gone."""
        form: Params = {"format": "raw"} if whole else _heads()
        return item_of(await self._get("messages.get", {"id": message, **form}), bodies=whole)

    async def point(self) -> str:
        """The mailbox's present history id (1 unit); without getProfile, its newest message's."""
        profile = await self.profile()
        if profile is not None:
            return profile[1]
        async for stub in self.messages():
            value = await self._get("messages.get", {"id": stub.id, "format": "minimal"})
            found = text(value, "historyId")
            if found is not None:
                return found
        return "1"

    async def draft(self, draft: str) -> tuple[Entry, Item] | None:
        """A draft as it is now, its message whole (20 units); None when it is gone."""
        value = await self._get("drafts.get", {"id": draft, "format": "raw"})
        entry = entry_of(value)
        item = item_of(value.get("message")) if value is not None else None
        return (entry, item) if entry is not None and item is not None else None

    async def _pages(
        self, method: str, params: Params
    ) -> AsyncIterator[Mapping[str, object] | None]:
        token: str | None = None
        for _ in range(PAGES):
            page = await self._get(
                method, params if token is None else {**params, "pageToken": token}
            )
            yield page
            following = text(page, "nextPageToken")
            if following is None:
                return
            if following == token:
                break
            token = following
        raise TransientError(f"{method} does not come to an end")

    async def _get(
        self, method: str, params: Params, *, limit: int = USUAL
    ) -> Mapping[str, object] | None:
        """The JSON object of an answer, None for Google's "not found"."""
        end = await self._call(method, params, limit)
        if isinstance(end, Answer) and end.refusal is not None and end.refusal.code == 401:
            # The token has ended before its time and another one is at hand: a new question.
            end = await self._call(method, params, limit)
        if isinstance(end, NoAnswer):
            if end.too_large:
                raise RefusedReadError(end.problem, too_large=True)
            raise TransientError(f"the Gmail API could not be reached ({end.problem})")
        if end.status == 200 and isinstance(end.value, dict):
            return end.value
        if end.refusal is not None and end.refusal.code == 404:
            return None
        raise _failure(method, end)

    async def _call(self, method: str, params: Params, limit: int) -> Exchange:
        try:
            return await self._transport.call(method, params, limit=limit)
        except TokenError as error:
            if error.kind is TokenTrouble.RECONNECT:
                raise ReconnectError(error.problem, error.remedy) from error
            raise TransientError(str(error)) from error
        except QuotaError as error:
            if error.day:
                remedy = "or raise the quota in Google's console"
                raise MailboxIllError(str(error), remedy) from error
            raise TransientError(str(error)) from error


def _heads() -> Params:
    return {"format": "metadata", "metadataHeaders": FIELDS}


def _items(members: list[Mapping[str, object]], whole: bool) -> list[Item]:
    return [item for one in members if (item := item_of(one, bodies=whole)) is not None]


def _failure(method: str, end: Answer) -> TransientError | MailboxIllError:
    """What an answer means that is neither a yes nor Google's "not found"."""
    refusal = end.refusal
    if refusal is None:
        said = f"{method} was answered with {end.status} and not in the form of the Gmail API"
        if end.status in _NO_METHOD:
            return RefusedReadError(said, missing=True)
        return FailedReadError(said)
    problem, remedy = outcomes.ill(refusal)
    if outcomes.needs_login(refusal):
        return ReconnectError(problem, remedy)
    if refusal.code == 401 or is_rate(refusal):
        return TransientError(f"{problem}: {remedy}")
    if refusal.code == 403:
        return MailboxIllError(problem, remedy)
    if refusal.code in _NO_METHOD:
        return RefusedReadError(problem, missing=True)
    if refusal.code >= 500:
        return FailedReadError(problem)
    return RefusedReadError(f"{method}: {problem}")
