"""The owner's consent by RFC 8252: what the browser is sent to, and what it brings back.

The browser comes back to a port of this machine with a code. Anybody on the machine, or a page in
the same browser, could knock there too; so only an answer that carries our ``state`` is believed,
and the code is worth nothing without the ``verifier``, which never leaves this process (RFC 7636).

Pure. One scope is asked for and nothing wider, and nothing of an earlier consent is added.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

from providers.gmail.credentials import SCOPE

_BYTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request for consent: where the browser comes back to, and what only we know."""

    redirect: str
    state: str = field(repr=False)
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Code:
    """The owner agreed: this is redeemed for tokens, once."""

    code: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Denied:
    """The owner or Google said no; ``error`` is Google's word for why."""

    error: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """Not the answer to our question; ``why`` says so to a person. The wait goes on."""

    why: str


Answer = Code | Denied | Foreign


def ask(redirect: str) -> Asked:
    """A new request that comes back to *redirect*."""
    return Asked(
        redirect=redirect,
        state=secrets.token_urlsafe(_BYTES),
        verifier=secrets.token_urlsafe(_BYTES),
    )


def challenge(verifier: str) -> str:
    """The S256 challenge of a verifier (RFC 7636 4.2)."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def address(auth_url: str, client_id: str, asked: Asked, *, hint: str | None = None) -> str:
    """The page on which the owner consents; *hint* is the address that should be chosen there."""
    parts = urlsplit(auth_url)
    query = [
        *parse_qsl(parts.query),
        ("response_type", "code"),
        ("client_id", client_id),
        ("redirect_uri", asked.redirect),
        ("scope", SCOPE),
        ("state", asked.state),
        ("code_challenge", challenge(asked.verifier)),
        ("code_challenge_method", "S256"),
        ("access_type", "offline"),
        # Without it a second login may bring no refresh token.
        ("prompt", "consent"),
    ]
    if hint is not None:
        query.append(("login_hint", hint))
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def answer_of(target: str, asked: Asked) -> Answer:
    """What a browser brought back: *target* is a path with its query, or a whole address."""
    try:
        query = parse_qs(urlsplit(target.strip()).query, max_num_fields=50)
    except ValueError:
        return Foreign("this address cannot be read")
    states = query.get("state", [])
    if len(states) != 1:
        return Foreign("it carries no state")
    if not hmac.compare_digest(states[0].encode(), asked.state.encode()):
        return Foreign("it belongs to another login")
    if error := query.get("error"):
        return Denied(_word(error[0]))
    codes = query.get("code", [])
    if len(codes) != 1 or not codes[0]:
        return Foreign("it carries no code")
    return Code(codes[0])


def _word(text: str) -> str:
    """An error code as it may be shown: Google's are plain words."""
    fine = text.isascii() and text.replace("_", "").replace("-", "").isalnum()
    return text[:60] if fine else "an error without a name"
