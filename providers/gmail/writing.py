"""The two calls that change a mailbox: a draft made, and one version of a draft put into the trash.

A draft is made by one ``drafts.create`` with the thread's id and the bytes that were stored with
the intent. ``outcomes`` says what its end means; nothing is done twice here.

A removal names the id of the draft's message. That id changes with every edit and with sending, so
an edited or sent draft can't be hit, and the trash can be undone. Whether Gmail lets a draft's
message be trashed is contested; it is only done where the probe has seen it work. What became of
the draft is then asked for directly, and that decides.
"""

from __future__ import annotations

import base64
from typing import Final

from providers.gmail import outcomes
from providers.gmail.finding import Finder, threads_of
from providers.gmail.ports import QuotaError, TokenError
from providers.gmail.refs import Entry, Stub, draft_ref
from providers.gmail.transport import NoAnswer, Transport
from providers.gmail.whereabouts import whereabouts
from providers.mime.reading import read_heads
from providers.ports import DraftRef, ProviderError, ThreadScope, Whereabouts
from storage.words import Accepted, Outcome, Rejected, Unknown

TOKEN_S: Final = 8.0
"""How long a write waits for an access token before it is given back unsent."""
RAW_OCTETS: Final = 36_700_160
"""The largest message that the API takes."""
EDITED: Final = "the draft was changed since"


async def create(
    transport: Transport, finder: Finder, raw: bytes, scope: ThreadScope, *, keeps_id: bool
) -> Outcome:
    """Make a draft of *raw* in the thread, once; *keeps_id*: its Message-ID is known to stay."""
    if len(raw) > RAW_OCTETS:
        return Rejected(reason=f"never left: Gmail takes {RAW_OCTETS} octets, these are {len(raw)}")
    message: dict[str, object] = {"raw": base64.urlsafe_b64encode(raw).decode()}
    threads = threads_of(scope)
    if scope.thread is not None or len(threads) == 1:
        message["threadId"] = threads[0]
    try:
        end = await transport.call("drafts.create", body={"message": message}, patience_s=TOKEN_S)
    except (TokenError, QuotaError) as error:
        return outcomes.never_left(error)
    outcome = outcomes.classify(end)
    if not isinstance(outcome, Accepted):
        return outcome
    thread = outcome.detail
    finder.shelf.made(Entry(id=outcome.ref, message=Stub(thread, outcome.version)))
    wanted = message.get("threadId")
    elsewhere = wanted is not None and thread != wanted
    return Accepted(
        ref=draft_ref(outcome.ref),
        version=outcome.version,
        message_id=read_heads(raw).message_id if keeps_id else None,
        detail="Gmail put the draft into a conversation of its own" if elsewhere else "",
    )


async def remove(transport: Transport, finder: Finder, draft: DraftRef) -> Outcome:
    """Put exactly the version that *draft* names into the trash."""
    version = str(draft.version)
    try:
        end = await transport.call("messages.trash", {"id": version}, patience_s=TOKEN_S)
    except (TokenError, QuotaError) as error:
        return outcomes.never_left(error)
    outcome = outcomes.trashed(end, version)
    if isinstance(end, NoAnswer) and not end.left:
        return outcome
    try:
        where = (await whereabouts(finder, draft)).where
    except ProviderError as error:
        if isinstance(outcome, Accepted):
            return outcome
        return Unknown(reason=f"{outcome.reason}; and it could not be looked up: {error}")
    return judged(outcome, where)


def judged(outcome: Outcome, where: Whereabouts) -> Outcome:
    """What a direct get after the call makes of its end. Pure."""
    match where:
        case Whereabouts.TRASHED:
            return Accepted(detail="in the trash")
        case Whereabouts.ABSENT:
            return Accepted(detail="it is gone, and nothing took its place")
        case Whereabouts.SENT:
            return Rejected(reason="the draft was sent")
        case Whereabouts.EDITED:
            return Rejected(reason=EDITED)
        case Whereabouts.UNTOUCHED:
            if isinstance(outcome, Accepted):
                return Rejected(reason="Gmail said yes and left the draft where it was")
            return outcome
