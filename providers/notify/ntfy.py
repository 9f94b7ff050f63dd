"""Tell the owner through ntfy (ntfy.sh or a server of one's own): one POST of a JSON message.

``ntfy://HOST/TOPIC`` is posted to ``https://HOST/`` (plain http on this machine alone). ntfy keeps
no ids of ours, so a repeat would show twice: as everywhere, nothing here repeats.
Source: https://docs.ntfy.sh/publish/ (publish as JSON).
"""

from __future__ import annotations

import json
import re
from typing import Final

from providers.notifier_port import Notice
from providers.notify.post import AddressError, Post, address
from storage.words import Outcome

_URL: Final = re.compile(r"ntfy://(?P<host>[^/?#]+)/(?P<topic>[A-Za-z0-9_-]{1,64})/?")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_MESSAGE_OCTETS: Final = 4_000  # ntfy makes a file of what is over 4,096
_SHAPE: Final = "write ntfy://HOST/TOPIC, the topic of letters, digits, - and _"


class Ntfy:
    """A Notifier over one topic. Raises AddressError for an address of another shape."""

    def __init__(self, url: str, timeout_s: float) -> None:
        found = _URL.fullmatch(url)
        if found is None:
            raise AddressError(f"this is no ntfy address: {_SHAPE}")
        self._topic = found["topic"]
        target = address(f"https://{found['host']}/")
        if target.host in _LOOPBACK:
            target = address(f"http://{found['host']}/")
        self._post = Post(target, timeout_s)

    def render(self, notice: Notice) -> bytes:
        """The JSON message: topic, title, message, the kind as a tag, and where a click leads."""
        body: dict[str, object] = {
            "topic": self._topic,
            "title": notice.title,
            "message": _cut(notice.text),
            "tags": [notice.kind],
        }
        if notice.url is not None:
            body["click"] = notice.url
        return json.dumps(body, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")

    async def send(self, request: bytes) -> Outcome:
        """Post rendered bytes once."""
        return await self._post.send(request, {})

    async def close(self) -> None:
        """Give back connections; safe to call twice."""
        await self._post.close()


def _cut(text: str) -> str:
    octets = text.encode("utf-8", "replace")
    if len(octets) <= _MESSAGE_OCTETS:
        return text
    return octets[: _MESSAGE_OCTETS - 3].decode("utf-8", "ignore") + "…"
