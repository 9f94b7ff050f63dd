"""A Gmail account without a network: the adapter's requests go straight to the test server.

So a world's clock sees everything that is under way. What the network does is tried elsewhere, and
lost answers come from the mailbox around the adapter, as for every other one.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from urllib.parse import quote

from anyio.lowlevel import checkpoint

from providers.gmail import GmailMailbox
from providers.gmail.wire import METHODS, Departure, Params, Raw
from providers.ports import Folder, Kept, Mailbox
from storage.words import Ref
from tests.gmail.neighbours import FixedTokens, Unlimited
from tests.support.clock import FakeClock
from tests.support.gate import FaultsHere
from tests.support.gmail import headers
from tests.support.gmail.asking import Asked
from tests.support.gmail.door import Door
from tests.support.gmail.oauth import MODIFY
from tests.support.gmail.owner import Owner
from tests.support.gmail.settings import Settings
from tests.support.gmail.world import World
from tests.support.hands import Lying

ROBIN = "robin@example.com"
KEPT = Kept(marks=frozenset({"header", "content"}), versioned_removal=True)
_LABELS = {
    Folder.INBOX: ["INBOX", "UNREAD"],
    Folder.SENT: ["SENT"],
    Folder.DRAFTS: ["DRAFT"],
    Folder.TRASH: ["TRASH"],
}


class DirectWire:
    """Stands for ``providers.gmail.wire.Wire``: one request, one answer, no octets between."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._numbers = itertools.count(1)

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
        verb, path, known = METHODS[method]
        query: list[tuple[str, str]] = []
        for name, value in params.items():
            if name not in known:
                path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
                continue
            several = value if isinstance(value, tuple) else (value,)
            query += [(name, str(each)) for each in several]
        # A connection is made before anything leaves; who was cancelled meanwhile ends here.
        await checkpoint()
        departure.left = True
        asked = Asked(
            verb=verb,
            path=f"/gmail/v1/users/me{path}",
            query=query,
            headers={"authorization": f"Bearer {token}", "content-type": "application/json"},
            body=b"" if body is None else json.dumps(body).encode(),
        )
        number = next(self._numbers)
        self._door.begin(asked, number)
        reply = await self._door.serve(asked, number)
        head, _, told = reply.raw.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        named = (line.partition(": ") for line in lines)
        return Raw(
            status=int(first.split(" ")[1]),
            headers={name.lower(): value for name, _, value in named},
            body=told,
        )

    async def close(self) -> None:
        """Nothing is open."""


class GmailHands:
    """An account at a Gmail, and everything that is not Fencepost around it."""

    def __init__(self, clock: FakeClock, *, lag_s: float = 0.0) -> None:
        self._clock = clock
        settings = Settings(units_per_minute=10**9, concurrent=100, token_lifetime_s=1e9)
        settings.lag_s |= {"drafts.list": lag_s, "threads.get": lag_s}
        self.world = World(settings=settings, clock=clock)
        self.box = self.world.account(ROBIN)
        self.owner = Owner(self.box)
        self._access = str(self.world.oauth.grant(ROBIN, MODIFY)["access_token"])
        self.mailbox: Mailbox = self.reopened()

    def reopened(self) -> Mailbox:
        """An adapter without memory, as after a restart."""
        made = GmailMailbox(
            FixedTokens(self._access),
            Unlimited(),
            clock=self._clock,
            addresses=(ROBIN,),
            kept=KEPT,
            faults=FaultsHere(),
        )
        direct = DirectWire(Door(self.world))
        made._reads._wire = made._writes._wire = direct  # type: ignore[assignment]
        return made

    def put(self, raw: bytes, folder: Folder = Folder.INBOX) -> Ref:
        if folder is Folder.DRAFTS:
            thread = self.owner.deliver(raw, ["SPAM"])["threadId"]
            message = self.box.messages[list(self.box.messages)[-1]]
            self.box.drop(message)
            draft = self.box.fresh_draft_id()
            alone = thread == message.id
            made = self.box.add(headers.crlf(raw), ["DRAFT"], None if alone else thread)
            self.box.point(draft, made)
            return Ref(f"draft/{draft}")
        told = self.owner.deliver(raw, _LABELS[folder], self._answered_in(raw))
        return Ref(f"mail/{told['threadId']}/{told['id']}")

    def _answered_in(self, raw: bytes) -> str | None:
        """The thread of a draft that was written as an answer to this mail before it came."""
        name = headers.first(headers.crlf(raw), "Message-ID")
        for message, labels in self.box.at(self.box.now_s()):
            if "DRAFT" in labels and name and name in headers.parents(message.raw):
                return message.thread
        return None

    def lying(self, folder: Folder) -> list[Lying]:
        label = _LABELS[folder][0]
        hidden = {"TRASH", "SPAM"} - {label}
        found = []
        for message, labels in self.box.at(self.box.now_s()):
            if label not in labels or hidden & set(labels):
                continue
            draft = self.box.draft_of(message.id)
            ref = f"mail/{message.thread}/{message.id}" if draft is None else f"draft/{draft}"
            found.append(Lying(Ref(ref), message.raw))
        return found

    def edit(self, ref: Ref, raw: bytes) -> Ref:
        draft = _draft(ref)
        old = self.box.draft(draft)
        self.box.drop(old)
        self.box.point(draft, self.box.add(headers.crlf(raw), ["DRAFT"], old.thread))
        return ref

    def send(self, ref: Ref) -> None:
        self.owner.send_draft(_draft(ref))

    def delete(self, ref: Ref, *, trash: bool = False) -> None:
        if trash:
            self.owner.trash(self.box.draft(_draft(ref)).id)
        else:
            self.owner.discard_draft(_draft(ref))


def _draft(ref: Ref) -> str:
    kind, _, name = ref.partition("/")
    assert kind == "draft", ref
    return name
