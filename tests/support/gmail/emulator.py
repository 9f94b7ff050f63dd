"""A Gmail emulator that others wrote, where one is installed: a second opinion on the adapter.

It is the npm package ``emulate`` (0.11 runs on Node 20, 0.12 needs a newer one); none of its code
is here. ``FENCEPOST_TEST_GMAIL_EMULATOR`` names its command, else ``emulate`` is looked for on the
path. What it does not play, as of 0.11.2: users.getProfile (404), custom fields in
``payload.headers`` (they stand in ``raw`` alone), ``rfc822msgid:`` (finds nothing), rotating
message ids, an unknown threadId (it makes the thread), an expired startHistoryId.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

COMMAND = "FENCEPOST_TEST_GMAIL_EMULATOR"
ROBIN = "robin@example.com"
_SCOPE = "https://www.googleapis.com/auth/gmail.modify"
_BACK = "http://127.0.0.1:7777/"
_PATIENCE_S = 20.0


def command() -> str | None:
    """The emulator's command, or None where it is not installed."""
    return os.environ.get(COMMAND) or shutil.which("emulate")


class Emulator:
    """A running emulator; the adapter needs ``root``, ``token_url`` and what ``login`` gives."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.root = f"http://127.0.0.1:{port}"
        self.token_url = self.root + "/oauth2/token"
        self.auth_url = self.root + "/o/oauth2/v2/auth"

    @classmethod
    @contextmanager
    def started(cls, folder: Path) -> Iterator[Emulator]:
        """Run it for the length of a block, or skip the test and say why."""
        found = command()
        if found is None:
            pytest.skip(f"no Gmail emulator: npm install emulate@0.11.2 and set {COMMAND}")
        seed = folder / "seed.json"
        seed.write_text(json.dumps({"google": {"users": [{"email": ROBIN, "name": "Robin"}]}}))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = int(free.getsockname()[1])
        line = [found, "start", "--service", "google", "--port", str(port), "--seed", str(seed)]
        with (folder / "emulator.log").open("wb") as log:
            child = subprocess.Popen(line, cwd=folder, stdout=log, stderr=log)
        try:
            made = cls(port)
            made._ready(child, folder / "emulator.log")
            yield made
        finally:
            child.kill()
            child.wait()

    def _ready(self, child: subprocess.Popen[bytes], log: Path) -> None:
        until_s = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until_s:
            if child.poll() is not None:
                raise AssertionError(f"the emulator ended: {log.read_text()}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError(f"the emulator did not open its port: {log.read_text()}")

    def ask(
        self, verb: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, Any, str]:
        """Status, JSON and Location of one request."""
        link = HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE_S)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            link.request(verb, path, body, named)
            answer = link.getresponse()
            octets = answer.read()
            kind = answer.getheader("Content-Type", "")
            value = json.loads(octets) if "json" in kind else None
            return answer.status, value, answer.getheader("Location", "")
        finally:
            link.close()

    def login(self) -> dict[str, Any]:
        """access_token, refresh_token and expires_at, by the way of a consent."""
        asked = {"client_id": "client-1", "redirect_uri": _BACK, "scope": _SCOPE, "email": ROBIN}
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        path = "/o/oauth2/v2/auth/callback"
        where = self.ask("POST", path, urlencode(asked).encode(), **form)[2]
        redeemed = {
            "grant_type": "authorization_code",
            "code": parse_qs(urlsplit(where).query)["code"][0],
            "client_id": "client-1",
            "client_secret": "not-a-secret",
            "redirect_uri": _BACK,
        }
        told = self.ask("POST", "/oauth2/token", urlencode(redeemed).encode(), **form)[1]
        return {
            "access_token": told["access_token"],
            "refresh_token": told["refresh_token"],
            "expires_at": time.time() + told["expires_in"],
        }

    def deliver(self, token: str, raw: bytes) -> dict[str, Any]:
        """Mail arrives: inserted by the API, since it has no other way in while it runs."""
        value = {
            "raw": base64.urlsafe_b64encode(raw).decode(),
            "labelIds": ["INBOX", "UNREAD"],
        }
        status, told, _ = self.ask(
            "POST",
            "/gmail/v1/users/me/messages",
            json.dumps(value).encode(),
            Content_Type="application/json",
            Authorization=f"Bearer {token}",
        )
        assert status == 200, told
        return {"id": told["id"], "threadId": told["threadId"]}
