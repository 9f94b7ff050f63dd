"""Tell the owner through any other service, as apprise knows them: for the long tail.

Apprise says yes or no, and its no covers a refusal, a lost answer and an answer after the effect
alike. So whatever is not a yes is unknown here, and is never sent again by itself. Its own repeats
(``retry`` in an address) and its optional services, whose failure it counts as a yes, are passed
by: one service is called directly, once. What a service's plugin repeats inside is beyond our
reach; where certainty matters, use a webhook, ntfy or mail.

The package is an extra and imported when the first such address is configured. It blocks, so it
runs on a worker thread; a cancelled call goes on there and its answer is dropped.
"""

from __future__ import annotations

import json
import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from anyio import to_thread

from providers.notifier_port import Notice
from providers.notify.post import AddressError
from storage.words import Accepted, Outcome, Rejected, Unknown

if TYPE_CHECKING:
    from apprise import NotifyBase

INSTALL: Final = 'pip install "fencepost[apprise]"'


class MissingError(Exception):
    """The extra is not installed; the message says how to."""


class Service:
    """A Notifier over one address of apprise, like ``tgram://TOKEN/CHAT``.

    Raises MissingError without the extra, AddressError for an address that apprise does not know.
    Neither repeats the address, which holds secrets.
    """

    def __init__(self, url: str) -> None:
        self._service = _service(url)

    def render(self, notice: Notice) -> bytes:
        """Title and text as JSON."""
        text = notice.text if notice.url is None else f"{notice.text}\n{notice.url}"
        body = {"id": notice.id, "title": notice.title, "text": text}
        return json.dumps(body, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")

    async def send(self, request: bytes) -> Outcome:
        """Call the service once; bytes that ``render`` did not make are refused unsent."""
        try:
            said = json.loads(request)
            call = partial(self._call, title=str(said["title"]), text=str(said["text"]))
        except (ValueError, KeyError, TypeError):
            return Rejected(reason="the stored request is no notice of ours: it was not sent")
        return await to_thread.run_sync(call, abandon_on_cancel=True)

    async def close(self) -> None:
        """Nothing is kept between two calls."""

    def _call(self, *, title: str, text: str) -> Outcome:
        try:
            done = self._service.notify(body=text, title=title)
        except Exception as error:  # noqa: BLE001 -- plugins raise anything, and it proves nothing
            return Unknown(reason="the service failed", detail=type(error).__name__)
        if done:
            return Accepted(detail="the service took it")
        return Unknown(reason="the service failed, and cannot say whether it told you")


def _service(url: str) -> NotifyBase:
    try:
        from apprise import Apprise
    except ImportError as error:
        raise MissingError(f"apprise is not installed: {INSTALL}") from error
    # Its messages hold addresses with their tokens.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    made = Apprise.instantiate(url)
    if made is None:
        raise AddressError("apprise does not know such an address: see its list of services")
    return made
