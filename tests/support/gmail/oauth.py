"""Google's OAuth endpoints: consent by redirect to loopback, codes, tokens, revocation.

PKCE (RFC 7636) is verified where a challenge was given. A refresh answers as unlike the first
answer as Google's: no refresh token, perhaps no scope, and fields that nobody has heard of.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.support.gmail.errors import RefusedError
from tests.support.gmail.settings import Settings

GMAIL = "https://www.googleapis.com/auth/gmail."
MODIFY = GMAIL + "modify"
COMPOSE = GMAIL + "compose"
READONLY = GMAIL + "readonly"
METADATA = GMAIL + "metadata"
FULL = "https://mail.google.com/"


class OAuthError(Exception):
    """RFC 6749 5.2: ``{"error", "error_description"}``."""

    def __init__(self, error: str, code: int = 400, description: str = "Bad Request") -> None:
        super().__init__(error)
        self.code = code
        self.body = {"error": error, "error_description": description}


@dataclass(kw_only=True)
class Code:
    """What a consent gave."""

    user: str
    client: str
    redirect: str
    scope: str
    challenge: str
    method: str
    offline: bool
    born_s: float


@dataclass(kw_only=True)
class Grant:
    """A refresh token."""

    user: str
    client: str
    scope: str
    born_s: float
    revoked: bool = False


@dataclass(kw_only=True)
class Access:
    """An access token; *refresh* is the token that it came from."""

    user: str
    scope: str
    expires_s: float
    refresh: str


@dataclass(kw_only=True)
class OAuth:
    """The tokens of the world."""

    settings: Settings
    now_s: Callable[[], float]
    codes: dict[str, Code] = field(default_factory=dict)
    grants: dict[str, Grant] = field(default_factory=dict)
    access: dict[str, Access] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    """refresh (answered with a token), refused, code, revoke, auth."""

    # -- for tests --

    def grant(self, user: str, scope: str = MODIFY) -> dict[str, Any]:
        """A login that has been: access_token, refresh_token, expires_at (epoch seconds)."""
        name = self._new_grant(user, self.settings.client_id, scope)
        token = self._new_access(name)
        return {
            "access_token": token,
            "refresh_token": name,
            "expires_at": self.access[token].expires_s,
        }

    def expire(self, user: str) -> None:
        """Every access token of *user* ends now."""
        for one in self.access.values():
            if one.user == user:
                one.expires_s = self.now_s()

    def forget(self, user: str) -> None:
        """A changed password: every token of *user* is void."""
        for one in self.grants.values():
            one.revoked = one.revoked or one.user == user
        self.expire(user)

    # -- the API's door --

    def user_of(self, authorization: str) -> Access:
        """Who calls; raises 401 with the envelope."""
        kind, _, token = authorization.partition(" ")
        found = self.access.get(token.strip()) if kind.lower() == "bearer" else None
        if found is None or found.expires_s <= self.now_s() or self._dead(found.refresh):
            raise RefusedError(
                401,
                "authError",
                "Request had invalid authentication credentials.",
                headers={"WWW-Authenticate": 'Bearer realm="Google", error="invalid_token"'},
            )
        return found

    def _dead(self, refresh: str) -> bool:
        grant = self.grants.get(refresh)
        lifetime_s = self.settings.refresh_lifetime_s
        if grant is None or grant.revoked:
            return True
        return lifetime_s is not None and grant.born_s + lifetime_s <= self.now_s()

    def _new_grant(self, user: str, client: str, scope: str) -> str:
        name = f"1//{secrets.token_urlsafe(32)}"
        self.grants[name] = Grant(user=user, client=client, scope=scope, born_s=self.now_s())
        mine = [key for key, one in self.grants.items() if (one.user, one.client) == (user, client)]
        for old in mine[: max(0, len(mine) - self.settings.refresh_tokens_kept)]:
            del self.grants[old]
        return name

    def _new_access(self, refresh: str) -> str:
        grant = self.grants[refresh]
        token = f"ya29.{secrets.token_urlsafe(40)}"
        self.access[token] = Access(
            user=grant.user,
            scope=grant.scope,
            expires_s=self.now_s() + self.settings.token_lifetime_s,
            refresh=refresh,
        )
        return token

    # -- consent --

    def consent(self, asked: dict[str, str], users: list[str]) -> str:
        """Where the browser goes next; raises OAuthError for a request shown as an error page."""
        self.counts["auth"] += 1
        if asked.get("client_id") != self.settings.client_id:
            raise OAuthError("invalid_client", 401, "The OAuth client was not found.")
        redirect = asked.get("redirect_uri", "")
        parts = urlsplit(redirect)
        if parts.scheme != "http" or parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
            raise OAuthError("redirect_uri_mismatch", 400)
        if asked.get("response_type") != "code" or not asked.get("scope"):
            raise OAuthError("invalid_request", 400, "response_type and scope are required")
        challenge = asked.get("code_challenge", "")
        method = asked.get("code_challenge_method", "plain" if challenge else "")
        if method not in {"", "plain", "S256"}:
            raise OAuthError("invalid_request", 400, "code_challenge_method")
        state = {"state": asked["state"]} if "state" in asked else {}
        joint = "&" if parts.query else "?"
        if self.settings.consent == "deny":
            return redirect + joint + urlencode(state | {"error": "access_denied"})
        hint = asked.get("login_hint", "")
        name = f"4/{secrets.token_urlsafe(24)}"
        self.codes[name] = Code(
            user=hint if hint in users else users[0],
            client=asked["client_id"],
            redirect=redirect,
            scope=asked["scope"],
            challenge=challenge,
            method=method,
            offline=asked.get("access_type") == "offline",
            born_s=self.now_s(),
        )
        return redirect + joint + urlencode(state | {"code": name, "scope": asked["scope"]})

    # -- tokens --

    def token(self, form: dict[str, str]) -> dict[str, Any]:
        """The token endpoint; raises OAuthError."""
        try:
            self._client(form)
            kind = form.get("grant_type")
            if kind == "authorization_code":
                return self._redeem(form)
            if kind == "refresh_token":
                return self._refresh(form)
        except OAuthError:
            self.counts["refused"] += 1
            raise
        raise OAuthError("unsupported_grant_type", 400, f"Invalid grant_type: {kind}")

    def _client(self, form: dict[str, str]) -> None:
        if form.get("client_id") != self.settings.client_id:
            raise OAuthError("invalid_client", 401, "The OAuth client was not found.")
        given = form.get("client_secret")
        wrong = given != self.settings.client_secret
        if wrong and (given is not None or self.settings.secret_required):
            raise OAuthError("invalid_client", 401, "Unauthorized")

    def _redeem(self, form: dict[str, str]) -> dict[str, Any]:
        code = self.codes.pop(form.get("code", ""), None)  # once, whatever comes of it
        if code is None or code.born_s + self.settings.code_lifetime_s <= self.now_s():
            raise OAuthError("invalid_grant", 400, "Malformed auth code.")
        if form.get("redirect_uri") != code.redirect:
            raise OAuthError("redirect_uri_mismatch", 400)
        if code.challenge and not _proved(code, form.get("code_verifier", "")):
            raise OAuthError("invalid_grant", 400, "Invalid code verifier.")
        refresh = self._new_grant(code.user, code.client, code.scope)
        self.counts["code"] += 1
        told = self._told(refresh) | {"scope": code.scope}
        return told | {"refresh_token": refresh} if code.offline else told

    def _refresh(self, form: dict[str, str]) -> dict[str, Any]:
        name = form.get("refresh_token", "")
        if not name:
            raise OAuthError("invalid_request", 400, "Missing required parameter: refresh_token")
        if self._dead(name) or self.grants[name].client != form.get("client_id"):
            raise OAuthError("invalid_grant", 400, "Token has been expired or revoked.")
        self.counts["refresh"] += 1
        told = self._told(name) | self.settings.refresh_extra
        if self.settings.refresh_scope:
            told["scope"] = self.grants[name].scope
        if self.settings.rotate_refresh:
            grant = self.grants[name]
            told["refresh_token"] = self._new_grant(grant.user, grant.client, grant.scope)
        return told

    def _told(self, refresh: str) -> dict[str, Any]:
        lifetime_s = int(self.settings.token_lifetime_s)
        token = self._new_access(refresh)
        return {"access_token": token, "expires_in": lifetime_s, "token_type": "Bearer"}

    def revoke(self, token: str) -> None:
        """The whole grant of that user and client; raises OAuthError for an unknown token."""
        refresh = self.access[token].refresh if token in self.access else token
        grant = self.grants.get(refresh)
        if grant is None or grant.revoked:
            raise OAuthError("invalid_token", 400, "Token expired or revoked")
        self.counts["revoke"] += 1
        for one in self.grants.values():
            one.revoked = one.revoked or (one.user, one.client) == (grant.user, grant.client)


def _proved(code: Code, verifier: str) -> bool:
    if not 43 <= len(verifier) <= 128:
        return False
    if code.method == "plain":
        return verifier == code.challenge
    digest = hashlib.sha256(verifier.encode("ascii", "replace")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == code.challenge
