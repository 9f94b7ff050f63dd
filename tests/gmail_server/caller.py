"""A plain HTTP client for these tests: it repeats nothing and follows nothing."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import aiohttp

from tests.support.gmail import ROBIN, GmailServer

LETTER = b"""From: Ada Stone <ada@example.org>
To: robin@example.com
Subject: The lease
Message-ID: <lease-1@example.org>
Date: Mon, 02 Mar 2026 08:00:00 +0000

Please sign the lease.
"""


def reply(mark: str = "m1", *, text: str = "Yes, gladly.", subject: str = "Re: The lease") -> bytes:
    """A draft of ours that answers LETTER."""
    return f"""From: robin@example.com
To: ada@example.org
Subject: {subject}
Message-ID: <{mark}@example.com>
In-Reply-To: <lease-1@example.org>
References: <lease-1@example.org>
X-Fencepost-Intent: {mark}

{text}
""".encode()


def packed(raw: bytes) -> str:
    """base64url."""
    return base64.urlsafe_b64encode(raw).decode()


def unpacked(text: str) -> bytes:
    """And back."""
    return base64.urlsafe_b64decode(text)


@dataclass(frozen=True)
class Told:
    """An answer."""

    status: int
    body: Any
    headers: dict[str, str]
    reason: str | None
    octets: bytes

    @property
    def why(self) -> str:
        """The reason in the envelope."""
        return str(self.body["error"]["errors"][0]["reason"])

    def field(self, name: str) -> str | None:
        """A header of the message shown."""
        message = self.body.get("message", self.body)
        for one in message["payload"].get("headers", []):
            if one["name"].lower() == name.lower():
                return str(one["value"])
        return None


class Caller:
    """Calls as one user."""

    def __init__(self, google: GmailServer, session: aiohttp.ClientSession) -> None:
        self.google = google
        self._session = session
        self.token = google.login()["access_token"]

    async def call(
        self,
        verb: str,
        path: str,
        body: object = None,
        *,
        data: bytes | None = None,
        headers: dict[str, str] | None = None,
        query: list[tuple[str, str]] | None = None,
    ) -> Told:
        """One request; *path* stands behind ``/users/me`` unless it begins with ``http``."""
        root = self.google.root
        url = path if path.startswith("http") else f"{root}/gmail/v1/users/me{path}"
        url += "?" + urlencode(query) if query else ""
        sent = {"Authorization": f"Bearer {self.token}"} | (headers or {})
        octets = json.dumps(body).encode() if body is not None else data
        if body is not None:
            sent["Content-Type"] = "application/json"
        async with self._session.request(
            verb, url, data=octets, headers=sent, allow_redirects=False
        ) as answer:
            got = await answer.read()
            try:
                value = json.loads(got)
            except ValueError:
                value = None
            named = {key.lower(): text for key, text in answer.headers.items()}
            return Told(answer.status, value, named, answer.reason, got)

    async def get(self, path: str, *query: tuple[str, str]) -> Told:
        """GET."""
        return await self.call("GET", path, query=list(query))

    async def form(self, path: str, **fields: str) -> Told:
        """POST a form to an OAuth endpoint, without a token."""
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Authorization": ""}
        root = self.google.root
        return await self.call("POST", root + path, data=urlencode(fields).encode(), headers=kind)

    async def refresh(self, token: str) -> Told:
        """A refresh as a client does it."""
        rules = self.google.settings
        return await self.form(
            "/token",
            grant_type="refresh_token",
            refresh_token=token,
            client_id=rules.client_id,
            client_secret=rules.client_secret,
        )

    async def draft(self, raw: bytes, thread: str | None = None) -> Told:
        """drafts.create."""
        message = {"raw": packed(raw)} | ({"threadId": thread} if thread else {})
        return await self.call("POST", "/drafts", {"message": message})

    def letter(self) -> dict[str, Any]:
        """LETTER arrives."""
        return self.google.owner(ROBIN).deliver(LETTER)
