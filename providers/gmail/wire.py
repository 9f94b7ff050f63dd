"""The one place that touches aiogoogle and aiohttp: requests are built, sent once, and answered.

aiogoogle builds a request from a discovery document and carries the token. The document is our own
and holds only the methods in use, so that nothing is downloaded at start. The session behind it is
ours as well, because the one that comes along has no time limit, follows redirects and turns a
status into exceptions of many kinds: here a request is sent exactly once, no redirect is followed,
every wait has a limit, and a status is only a number.

aiohttp repeats GET, PUT and DELETE by itself when a connection breaks. That is switched off, and
should it ever come back, the trace stops the second sending before a byte of it is written.

``Departure`` says whether a request was handed to the transport: before that it provably did
nothing. Values of unknown type stop here; everybody else gets octets and numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from anyio import to_thread
from typing_extensions import override

if TYPE_CHECKING:
    from types import SimpleNamespace

    import aiohttp
    from aiogoogle.client import Aiogoogle
    from aiogoogle.models import Request, Response
    from aiogoogle.resource import GoogleAPI

Params = Mapping[str, str | int | tuple[str, ...]]
"""Path and query parameters of a method; a tuple is repeated. Booleans are the words themselves."""

USER_AGENT: Final = "fencepost (gzip)"
_NEVER: Final = "9999-12-31T00:00:00+00:00"
_ITEM: Final = "gmail/v1/users/{userId}"
_PAGED: Final = ("maxResults", "pageToken")
_FORM: Final = ("format", "metadataHeaders")
METHODS: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "getProfile": ("GET", "/profile", ()),
    "history.list": ("GET", "/history", ("startHistoryId", "historyTypes", *_PAGED)),
    "messages.list": ("GET", "/messages", ("labelIds", "q", "includeSpamTrash", *_PAGED)),
    "messages.get": ("GET", "/messages/{id}", _FORM),
    "messages.trash": ("POST", "/messages/{id}/trash", ()),
    "threads.get": ("GET", "/threads/{id}", _FORM),
    "drafts.list": ("GET", "/drafts", ("includeSpamTrash", *_PAGED)),
    "drafts.get": ("GET", "/drafts/{id}", ("format",)),
    "drafts.create": ("POST", "/drafts", ()),
    "settings.sendAs.list": ("GET", "/settings/sendAs", ()),
}
"""Verb, path below the user and query parameters of each method in use (reference of Gmail v1)."""


class ResentError(Exception):
    """The transport was about to send a request a second time; it was stopped."""


class TooLargeError(Exception):
    """The answer is larger than the caller takes."""


@dataclass(slots=True)
class Departure:
    """Whether a request has been handed to the transport."""

    left: bool = False


_departure: ContextVar[Departure | None] = ContextVar("gmail_departure", default=None)
_limit: ContextVar[int] = ContextVar("gmail_limit", default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """How long a request may take, in seconds: to connect, between octets, and as a whole."""

    connect_s: float = 10.0
    read_s: float = 20.0
    total_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """An answer as it came: status, the header fields in lower case, the octets of the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def document(api_root: str) -> dict[str, Any]:
    """A discovery document of the methods in use, for the API under *api_root*."""
    users: dict[str, Any] = {"methods": {}, "resources": {}}
    for name, (verb, path, query) in METHODS.items():
        *groups, last = name.split(".")
        place = users
        for group in groups:
            place = place["resources"].setdefault(group, {"methods": {}, "resources": {}})
        inside = [each for each in ("userId", "id") if f"{{{each}}}" in _ITEM + path]
        place["methods"][last] = {
            "id": f"gmail.users.{name}",
            "httpMethod": verb,
            "path": _ITEM + path,
            "parameterOrder": inside,
            "parameters": {
                **{each: {"type": "string", "location": "path"} for each in inside},
                **{each: {"type": "string", "location": "query"} for each in query},
            },
        }
    return {
        "name": "gmail",
        "version": "v1",
        "rootUrl": api_root.rstrip("/") + "/",
        "servicePath": "",
        "batchPath": "batch/gmail/v1",
        "resources": {"users": users},
    }


class Wire:
    """Connections to one API root for one account. Nothing is opened before the first request."""

    def __init__(self, api_root: str, waits: Waits) -> None:
        self._root = api_root
        self._waits = waits
        self._http: dict[bool, aiohttp.ClientSession] = {}
        self._clients: dict[bool, Aiogoogle] = {}
        self._api: GoogleAPI | None = None

    async def send(
        self,
        method: str,
        params: Params,
        *,
        token: str,
        body: Mapping[str, object] | None,
        departure: Departure,
        limit: int,
    ) -> Raw:
        """Send one request, once; *limit* bounds the octets of the answer.

        Raises TooLargeError and whatever aiohttp raises; *departure* then says how far it had come.
        """
        if self._api is None:
            self._api = await to_thread.run_sync(_load, self._root)
        request = _request(self._api, method, params, body)
        client: Any = self._client(writes=request.method != "GET")
        set_departure, set_limit = _departure.set(departure), _limit.set(limit)
        try:
            answer = await client.as_user(
                request,
                full_res=True,
                raise_for_status=False,
                user_creds={"access_token": token, "expires_at": _NEVER},
            )
        finally:
            _departure.reset(set_departure)
            _limit.reset(set_limit)
        return Raw(
            status=int(answer.status_code),
            headers={str(name).lower(): str(value) for name, value in answer.headers.items()},
            body=answer.data or b"",
        )

    async def close(self) -> None:
        """Close every connection; safe to call twice."""
        sessions, self._http, self._clients = list(self._http.values()), {}, {}
        for session in sessions:
            await session.close()

    def _client(self, *, writes: bool) -> Aiogoogle:
        if writes not in self._clients:
            from aiogoogle.client import Aiogoogle

            session = self._http[writes] = _open(self._waits, writes=writes)
            shared = _session_class()(session)
            # One session for whoever asks: the library makes one for each context otherwise.
            self._clients[writes] = Aiogoogle(session_factory=cast("Any", lambda: shared))
        return self._clients[writes]


def _load(api_root: str) -> GoogleAPI:
    """Import the client, which takes a moment, and read the document."""
    import aiogoogle.client  # noqa: F401 - loaded here, beside the event loop
    from aiogoogle.resource import GoogleAPI

    made: Any = GoogleAPI
    return cast("GoogleAPI", made(document(api_root)))


def _request(
    api: GoogleAPI, method: str, params: Params, body: Mapping[str, object] | None
) -> Request:
    place: Any = api.users
    for name in method.split("."):
        place = getattr(place, name)
    given: dict[str, Any] = {"userId": "me", **params}
    built: Request = place(
        validate=False,
        json=None if body is None else dict(body),
        path_params_safe_chars={"userId": "", "id": ""},
        **given,
    )
    return built


def _open(waits: Waits, *, writes: bool) -> aiohttp.ClientSession:
    """A session that repeats nothing; *writes* get a connection each, so that none is stale."""
    import aiohttp

    trace = aiohttp.TraceConfig()
    trace.on_request_headers_sent.append(_leaving)
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(force_close=writes, limit=8),
        timeout=aiohttp.ClientTimeout(
            total=waits.total_s, sock_connect=waits.connect_s, sock_read=waits.read_s
        ),
        trace_configs=[trace],
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=True,
    )
    session._retry_connection = False  # noqa: SLF001 - there is no public way to switch it off
    return session


async def _leaving(
    session: aiohttp.ClientSession,
    context: SimpleNamespace,
    params: aiohttp.TraceRequestHeadersSentParams,
) -> None:
    """Called just before the first octet of a request is handed over."""
    departure = _departure.get()
    if departure is None:
        return
    if departure.left:
        raise ResentError("the transport wanted to send a request again")
    departure.left = True


def _session_class() -> Any:
    """The session that aiogoogle is given; made here so that importing this module is cheap."""
    from aiogoogle.models import Response
    from aiogoogle.sessions.abc import AbstractSession

    class OneRequest(AbstractSession):
        """Sends one request over a session that somebody else owns; never raises for a status."""

        def __init__(self, http: aiohttp.ClientSession) -> None:
            self._http = http

        @override
        async def send(self, *requests: Any, **_: Any) -> Response:
            (request,) = requests
            limit = _limit.get()
            async with self._http.request(
                request.method,
                request.url,
                headers={**request.headers, "User-Agent": USER_AGENT},
                json=request.json,
                allow_redirects=False,
            ) as answer:
                body = bytearray()
                async for piece in answer.content.iter_chunked(65_536):
                    body += piece
                    if len(body) > limit:
                        raise TooLargeError(f"the answer is larger than {limit} octets")
            return Response(
                status_code=answer.status,
                headers=answer.headers,
                url=request.url,
                data=bytes(body),
                req=request,
            )

    return OneRequest
