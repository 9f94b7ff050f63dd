"""Google's token endpoint, and the one question who has consented.

Each request is made once on a connection of its own: nothing repeats it, no redirect is followed,
no proxy of the environment is used, and all of it has one deadline. A code is worth one attempt,
and a refresh may rotate the refresh token, so a second try by itself could cost the login.

What an answer means is decided by its shape, not by what Google usually sends: an answer may lack
``scope``, may hold fields that nobody has heard of, may be a page of a proxy. No error text here
holds a token, a code or a secret; of the answer only Google's own error word is repeated.

Sources: RFC 6749 sections 4.1.3, 5 and 6; RFC 7636 4.5; Google's pages on OAuth for installed
applications and on ``users.getProfile``.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlencode

import anyio
from anyio import to_thread
from httpx2 import AsyncHTTPTransport, Limits, Request, Response, TransportError

from providers.gmail.consent import Asked
from providers.gmail.credentials import SCOPE, Client, CredentialsError, Token

CALL_S: Final = 8.0
"""How long one request may take in all; well within the time of a guarded call."""
_CONNECT_SHARE: Final = 0.45
_MOST_BYTES: Final = 1 << 18
_SKEW_S: Final = 120.0
_LIFETIME_S: Final = 3_600.0
"""How long an access token is believed to be good where the answer does not say (RFC 6749 5.1)."""
_MOST_LIFETIME_S: Final = 86_400.0
_LIMITS: Final = Limits(max_connections=4, max_keepalive_connections=0)
_OWNER_MUST_ACT: Final = frozenset(
    {
        "access_denied",
        "admin_policy_enforced",
        "deleted_client",
        "disabled_client",
        "invalid_client",
        "invalid_grant",
        "org_internal",
        "unauthorized_client",
    }
)


class GoogleError(Exception):
    """A request to Google came to nothing; ``remedy`` says what to do.

    ``lost``: Google has withdrawn the login, or never gave it (``invalid_grant``). ``standing``:
    somebody must act, waiting does not help. ``retry_after_s``: what Google asked for.
    """

    def __init__(
        self,
        problem: str,
        remedy: str,
        *,
        lost: bool = False,
        standing: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(f"{problem}: {remedy}")
        self.problem = problem
        self.remedy = remedy
        self.lost = lost
        self.standing = standing
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """Tokens as Google gave them. ``scopes`` None where the answer does not name them.

    ``clock_off_s``: how far this machine's clock is ahead of Google's; 0 where they agree.
    """

    token: Token
    scopes: frozenset[str] | None
    clock_off_s: float


class Google:
    """The token endpoint at *token_url* and the API at *api_root*, for one client.

    *client* fetches the client anew for each request, on a thread; it raises CredentialsError.
    """

    def __init__(
        self, client: Callable[[], Client], *, token_url: str, api_root: str, call_s: float = CALL_S
    ) -> None:
        self._client = client
        self._token_url = token_url
        self._api_root = api_root
        self._call_s = call_s

    async def redeem(self, code: str, asked: Asked, now: datetime) -> Granted:
        """Tokens for a code of a consent; *now* is the wall clock. Raises GoogleError."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": asked.redirect,
            "code_verifier": asked.verifier,
        }
        return _granted(await self._post(form), "", now)

    async def refresh(self, refresh_token: str, now: datetime) -> Granted:
        """A new access token; the refresh token stays unless Google rotates it.

        Raises GoogleError: ``lost`` where only a new login helps.
        """
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return _granted(await self._post(form), refresh_token, now)

    async def address(self, access_token: str) -> str:
        """The mail address of the account that a token is for. Raises GoogleError."""
        url = f"{self._api_root}/gmail/v1/users/me/profile"
        headers = {"Authorization": f"Bearer {access_token}"}
        response, body = await self._once(Request("GET", url, headers=_fixed(headers)))
        found = _object(body)
        if response.status_code != 200:
            raise _no_profile(response.status_code, found)
        address = found.get("emailAddress")
        if not isinstance(address, str) or "@" not in address or not address.isprintable():
            raise GoogleError("Gmail does not say whose mailbox this is", "try again in a while")
        return address

    async def _post(self, form: Mapping[str, str]) -> tuple[Response, dict[str, object]]:
        try:
            client = await to_thread.run_sync(self._client)
        except CredentialsError as error:
            raise GoogleError(error.problem, error.remedy, standing=True) from None
        identity = {"client_id": client.id}
        if client.secret is not None:
            identity["client_secret"] = client.secret
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        content = urlencode({**identity, **form}).encode("ascii")
        request = Request("POST", self._token_url, headers=_fixed(headers), content=content)
        response, body = await self._once(request)
        found = _object(body)
        if response.status_code != 200:
            raise _refusal(response, found)
        return response, found

    async def _once(self, request: Request) -> tuple[Response, bytes]:
        request.extensions["timeout"] = {"connect": self._call_s * _CONNECT_SHARE}
        host = request.url.host
        transport = await to_thread.run_sync(_transport)
        try:
            with anyio.fail_after(self._call_s):
                response = await transport.handle_async_request(request)
                try:
                    return response, await _body(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise GoogleError(f"{host} does not answer", "try again in a while") from None
        except (TransportError, OSError, UnicodeError) as error:
            raise _unreachable(host, error) from None
        finally:
            with anyio.CancelScope(shield=True):
                await transport.aclose()


def _transport() -> AsyncHTTPTransport:
    # Made on a thread: it reads the system's certificates.
    return AsyncHTTPTransport(trust_env=False, limits=_LIMITS, retries=0)


def _fixed(headers: Mapping[str, str]) -> dict[str, str]:
    return {
        **headers,
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Connection": "close",
        "User-Agent": "fencepost",
    }


async def _body(response: Response) -> bytes:
    found = bytearray()
    async for part in response.aiter_raw():
        found += part
        if len(found) > _MOST_BYTES:
            break
    return bytes(found)


def _object(body: bytes) -> dict[str, object]:
    """The JSON object in *body*; empty where there is none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _granted(
    answer: tuple[Response, dict[str, object]], refresh_token: str, now: datetime
) -> Granted:
    response, found = answer
    access, kind = found.get("access_token"), found.get("token_type", "Bearer")
    if not _is_token(access) or not isinstance(access, str):
        raise GoogleError("the answer holds no access token", "try again in a while")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise GoogleError("the access token is of a kind that is not known here", "report it")
    fresh = found.get("refresh_token")
    scope = found.get("scope")
    return Granted(
        token=Token(
            access_token=access,
            refresh_token=fresh if isinstance(fresh, str) and _is_token(fresh) else refresh_token,
            expires_at=now + timedelta(seconds=_lifetime_s(found.get("expires_in"))),
            login_ends_at=_ends_at(found.get("refresh_token_expires_in"), now),
        ),
        scopes=frozenset(scope.split()) if isinstance(scope, str) and scope.strip() else None,
        clock_off_s=_clock_off_s(response, now),
    )


def _is_token(value: object) -> bool:
    return isinstance(value, str) and value != "" and value.isascii() and value.isprintable()


def _seconds(value: object) -> float | None:
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return None
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 < seconds < float("inf") else None


def _lifetime_s(value: object) -> float:
    return min(_seconds(value) or _LIFETIME_S, _MOST_LIFETIME_S)


def _ends_at(value: object, now: datetime) -> datetime | None:
    seconds = _seconds(value)
    # A login that lasts for years is one that does not end by itself.
    return (
        None if seconds is None or seconds > 10 * 365 * 86_400 else now + timedelta(seconds=seconds)
    )


def _clock_off_s(response: Response, now: datetime) -> float:
    """How far our clock is ahead of the server's, by its Date; 0 within two minutes."""
    try:
        told = parsedate_to_datetime(response.headers.get("Date", ""))
    except (ValueError, TypeError, OverflowError):
        return 0.0
    told = told if told.tzinfo is not None else told.replace(tzinfo=UTC)
    off_s = (now - told).total_seconds()
    return off_s if abs(off_s) > _SKEW_S else 0.0


def missing_scopes(granted: Granted) -> frozenset[str]:
    """What was asked for and not given; an answer that names no scope gave what was asked."""
    return frozenset({SCOPE}) - granted.scopes if granted.scopes is not None else frozenset()


def wider_scopes(granted: Granted) -> frozenset[str]:
    """What was given beyond what was asked for."""
    return (granted.scopes or frozenset()) - {SCOPE}


def _refusal(response: Response, found: Mapping[str, object]) -> GoogleError:
    """What a status other than 200 of the token endpoint means."""
    status = response.status_code
    error = found.get("error")
    word = error if isinstance(error, str) and error.replace("_", "").isalnum() else ""
    if 400 <= status < 500 and word == "invalid_grant":
        return GoogleError("Google does not take the login (invalid_grant)", "log in again",
                           lost=True, standing=True)  # fmt: skip
    if 400 <= status < 500 and word in {"invalid_client", "deleted_client", "disabled_client"}:
        return GoogleError(
            f"Google does not know the OAuth client ({word})",
            "it was deleted, or its secret was changed: download its JSON anew, name that file in "
            "client, and log in again",
            standing=True,
        )
    if 400 <= status < 500 and word in _OWNER_MUST_ACT:
        return GoogleError(
            f"Google refuses the login ({word})",
            "who administers the account must allow the OAuth client; then log in again",
            standing=True,
        )
    if 300 <= status < 400:
        return GoogleError(
            f"the token endpoint answers with a redirect ({status})",
            "check token_url, and whether a network in between wants a login of its own",
        )
    told = f"{status}, {word}" if word else str(status)
    return GoogleError(
        f"the token endpoint failed ({told})",
        "try again in a while",
        retry_after_s=_seconds(response.headers.get("Retry-After", "").strip() or None),
    )


def _no_profile(status: int, found: Mapping[str, object]) -> GoogleError:
    error = found.get("error")
    text = json.dumps(error) if isinstance(error, dict) else ""
    if status == 403 and ("accessNotConfigured" in text or "SERVICE_DISABLED" in text):
        return GoogleError(
            "the Gmail API is not enabled in the project of the OAuth client",
            "enable it in Google's console under APIs & Services, wait a minute, log in again",
            standing=True,
        )
    if status in {401, 403}:
        return GoogleError(
            f"Gmail does not let this login in ({status})",
            "log in again and leave the box of Gmail ticked",
            standing=True,
        )
    if status in {400, 404} and text:
        return GoogleError(
            f"this account has no Gmail mailbox ({status})", "choose the account that has the mail",
            standing=True,
        )  # fmt: skip
    return GoogleError(
        f"Gmail did not say whose mailbox this is ({status})", "try again in a while"
    )


def _unreachable(host: str, error: Exception) -> GoogleError:
    """A connection that came to nothing, told without anything that may hold a secret."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return GoogleError(
                f"the certificate of {host} does not hold ({cause.verify_message})",
                "check this machine's clock first, then what stands between it and the internet",
            )
        cause = cause.__cause__ or cause.__context__
    return GoogleError(
        f"{host} cannot be reached ({type(error).__name__})", "check the network, and try again"
    )
