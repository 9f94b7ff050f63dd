"""What a login makes and what it needs: the installation's client, and one mailbox's tokens.

Values, and the text in which tokens are kept: ``{"access_token", "refresh_token", "expires_at"}``,
with ``login_ends_at`` where Google says how long a login lasts. Nothing here shows a secret when it
is printed. Pure: where the text lies is somebody else's business.

Sources: RFC 6749 section 5.1; Google's page on OAuth for installed applications (the shape of the
client's file).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

SCOPE: Final = "https://www.googleapis.com/auth/gmail.modify"
"""All that is ever asked for: read, draft, label, send; not to delete for good."""


class CredentialsError(ValueError):
    """A client's file or a kept token is not what it must be; ``remedy`` says what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}: {remedy}")
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The OAuth client of the installation, of the kind that Google calls "Desktop app".

    Its secret is no secret in Google's own words, for every copy of a program holds it; it is
    guarded here all the same. None where the client has none.
    """

    id: str
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One login as it stands: times are aware UTC.

    ``login_ends_at``: when the refresh token dies by itself (a client in "Testing"), None where
    Google does not say.
    """

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: datetime
    login_ends_at: datetime | None = None


def client_of(text: str) -> Client:
    """The client in the JSON *text* that Google's console gives. Raises CredentialsError."""
    again = (
        "in Google's console choose the client under Credentials, download its JSON and name that "
        "file in client"
    )
    try:
        document = json.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        where = f" (line {line})" if line is not None else ""
        raise CredentialsError(f"the OAuth client is no JSON{where}", again) from None
    if not isinstance(document, dict):
        raise CredentialsError("the OAuth client is no JSON object", again)
    if "web" in document:
        raise CredentialsError(
            'the OAuth client is of the kind "Web application", which cannot lead back here',
            'make one of the kind "Desktop app" in Google\'s console and download its JSON',
        )
    if document.get("type") == "service_account":
        raise CredentialsError(
            "the file is a service account's key, and Fencepost acts for a person",
            'make an OAuth client of the kind "Desktop app" and download its JSON',
        )
    installed = document.get("installed")
    if not isinstance(installed, dict):
        raise CredentialsError('the OAuth client has no "installed" in it', again)
    secret = installed.get("client_secret")
    if secret is not None and not _plain(secret):
        raise CredentialsError("client_secret of the OAuth client is no text", again)
    name = installed.get("client_id")
    if not isinstance(name, str) or not _plain(name):
        raise CredentialsError("the OAuth client has no client_id", again)
    return Client(id=name, secret=secret)


def _plain(value: object) -> bool:
    return isinstance(value, str) and value != "" and value.isascii() and value.isprintable()


def encode(token: Token) -> str:
    """*token* as it is kept; the inverse of ``decode``."""
    document = {
        "access_token": token.access_token,
        "refresh_token": token.refresh_token,
        "expires_at": _written(token.expires_at),
    }
    if token.login_ends_at is not None:
        document["login_ends_at"] = _written(token.login_ends_at)
    return json.dumps(document)


def decode(text: str) -> Token:
    """The token in *text*; unknown fields are ignored. Raises CredentialsError.

    Without a time of expiry, or with one that can't be read, it counts as expired.
    """
    again = "log in again"
    try:
        document = json.loads(text)
    except ValueError:
        raise CredentialsError("the kept token is no JSON", again) from None
    if not isinstance(document, dict):
        raise CredentialsError("the kept token is no JSON object", again)
    access, refresh = document.get("access_token", ""), document.get("refresh_token", "")
    if not _plain(refresh) and not _plain(access):
        raise CredentialsError("the kept token holds neither access_token nor refresh_token", again)
    return Token(
        access_token=access if _plain(access) else "",
        refresh_token=refresh if _plain(refresh) else "",
        expires_at=_read(document.get("expires_at")) or datetime.fromtimestamp(0, UTC),
        login_ends_at=_read(document.get("login_ends_at")),
    )


def _written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _read(value: object) -> datetime | None:
    """A time, as RFC 3339 or in seconds since 1970."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value)
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None
