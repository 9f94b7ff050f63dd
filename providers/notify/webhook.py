"""Tell the owner through a webhook: one signed POST of a small JSON object.

    X-Fencepost-Delivery:  the notice's id; a receiver that has seen it drops the repeat
    X-Fencepost-Timestamp: seconds since 1970 at which the thing happened
    X-Fencepost-Signature: sha256=HEX, HMAC-SHA256 with the shared secret over TIMESTAMP "." BODY

The body is rendered once and stored with the intent; sending takes just those bytes, and every
header is made from them, so that a notice sent again after a refusal is the same to the last byte.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import datetime

from providers.notifier_port import Notice
from providers.notify.post import Post, address
from storage.words import Outcome, Rejected


class Webhook:
    """A Notifier over one http or https address; *secret* signs, None leaves the signature out.

    Raises AddressError for an address that cannot be posted to.
    """

    def __init__(self, url: str, secret: bytes | None, timeout_s: float) -> None:
        self._secret = secret
        self._post = Post(address(url), timeout_s)

    def render(self, notice: Notice) -> bytes:
        """The JSON body: id, kind, title, text, at (RFC 3339) and url (null without one)."""
        body = {
            "id": notice.id,
            "kind": notice.kind,
            "title": notice.title,
            "text": notice.text,
            "at": notice.at.isoformat(),
            "url": notice.url,
        }
        return json.dumps(body, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")

    async def send(self, request: bytes) -> Outcome:
        """Post rendered bytes once; bytes that ``render`` did not make are refused unsent."""
        try:
            headers = self._headers(request)
        except (ValueError, KeyError, TypeError):
            return Rejected(reason="the stored request is no notice of ours: it was not sent")
        return await self._post.send(request, headers)

    async def close(self) -> None:
        """Give back connections; safe to call twice."""
        await self._post.close()

    def _headers(self, request: bytes) -> dict[str, str]:
        notice = json.loads(request)
        stamp = str(int(datetime.fromisoformat(notice["at"]).timestamp()))
        headers = {
            "X-Fencepost-Delivery": _plain(str(notice["id"])),
            "X-Fencepost-Timestamp": stamp,
        }
        if self._secret is not None:
            headers["X-Fencepost-Signature"] = sign(self._secret, stamp, request)
        return headers


def sign(secret: bytes, timestamp: str, body: bytes) -> str:
    """The value of the signature header; a receiver computes the same and compares."""
    code = hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256)
    return f"sha256={code.hexdigest()}"


def _plain(text: str) -> str:
    """*text* as a header can hold it."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
