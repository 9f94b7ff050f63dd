"""The two calls that change a mailbox, and what their ends mean.

APPEND makes a draft. Its outcome follows from how far it had come (RFC 3501 6.3.11: a refused
APPEND leaves the folder as it was; both servers that were tried store what they have whole, even
when the client is gone at once):

    tagged OK                              accepted
    tagged NO or BAD                       rejected, by its response code passing or not
    not all octets handed over             rejected: no server can store half a literal
    all handed over, no tagged answer      unknown

Removal names UIDVALIDITY and UID, and expunges that UID alone (UIDPLUS, RFC 4315). A mail under its
UID never changes, so that an edited or sent draft can't be hit; without UIDPLUS nothing is removed.

Nothing is done twice here. A call that is cancelled drops its connection and stays unknown.
"""

from __future__ import annotations

from typing import Final

from providers.imap.finding import Finder
from providers.imap.folders import Roles
from providers.imap.parse import number
from providers.imap.refs import Spot, spot_of
from providers.imap.session import COMMAND_S, Session
from providers.imap.text import folder_name, uid_set
from providers.imap.wire import Done, LostError, Progress, RefusedError, Stage, shown
from providers.mime.reading import read_heads
from providers.ports import DraftRef, Folder, TransientError, Whereabouts
from storage.words import (
    Accepted,
    FaultPoint,
    Faults,
    Outcome,
    Rejected,
    Unknown,
)

BEFORE_S: Final = 10.0
"""How long everything up to the last octets of a draft may take."""
EDITED: Final = "the draft was changed since"
_ILL: Final = {
    b"OVERQUOTA": "the mailbox is full: free some space or raise the quota",
    b"TRYCREATE": "the drafts folder is gone: make it again, or name another in folders",
    b"NONEXISTENT": "the drafts folder is gone: make it again, or name another in folders",
    b"NOPERM": "the drafts folder is read-only: let this user write there",
}
_WORDS: Final = {
    "quota": b"OVERQUOTA",
    "read-only": b"NOPERM",
    "permission denied": b"NOPERM",
    "does not exist": b"NONEXISTENT",
}
_PASSING: Final = frozenset({b"UNAVAILABLE", b"INUSE", b"SERVERBUG", b"LIMIT", b"CONTACTADMIN"})


def ended(stage: Stage, done: Done | None, problem: str) -> Rejected | Unknown | None:
    """What the end of an APPEND means; None for OK. Pure; *problem* is why there is no answer."""
    if done is not None:
        return None if done.ok else refused(done)
    if stage < Stage.ALL:
        return Rejected(reason=f"never left: {problem}", passing=True, illness=True)
    return Unknown(reason=problem, detail=f"the whole draft was handed over ({stage.name.lower()})")


def refused(done: Done) -> Rejected:
    """What a NO or BAD means: nothing happened; whether to try again depends on why."""
    code, said = done.last.code_name, shown(done.text)
    if done.last.name == b"NO" and code not in _ILL:
        # Servers from before RFC 5530 say it in words only.
        words = said.lower()
        code = next((meant for word, meant in _WORDS.items() if word in words), code)
    if code in _ILL:
        return Rejected(reason=f"{_ILL[code]} ({said})", passing=True, illness=True)
    passing = done.last.name == b"NO" and code in _PASSING
    return Rejected(reason=f"the server refused the draft: {said}", passing=passing)


async def append(
    session: Session, roles: Roles, content: bytes, progress: Progress, *, answer_s: float
) -> Outcome:
    """Make a draft of *content*, once. Raises MailboxIllError where there is no drafts folder."""
    head = folder_name(roles.drafts) + b" (\\Draft \\Seen)"
    done: Done | None = None
    problem = ""
    try:
        done = await session.wire.append(
            head, wire_lines(content), progress, before_s=BEFORE_S, limit_s=answer_s
        )
    except LostError as error:
        problem = str(error)
    end = ended(progress.stage, done, problem)
    if end is not None or done is None:
        return end or Unknown(reason=problem)
    message_id = read_heads(content).message_id
    spot = _named(done, roles.drafts) or await _found(session, roles, content)
    if spot is None:
        return Unknown(reason="the server took the draft and did not say under which number")
    return Accepted(ref=spot.ref, version=spot.version, message_id=message_id)


def wire_lines(content: bytes) -> bytes:
    """The same lines with CRLF ends, as a mail has them on the wire."""
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _named(done: Done, folder: str) -> Spot | None:
    """The place that APPENDUID names."""
    code = done.last.code
    if done.last.code_name != b"APPENDUID" or len(code) < 3:
        return None
    validity, uid = number(code[1]), number(code[2])
    return Spot(validity, uid, folder) if validity and uid else None


async def _found(session: Session, roles: Roles, content: bytes) -> Spot | None:
    """The newest draft with the same mark and Message-ID, where the server names no UID."""
    heads = read_heads(content)
    try:
        box = await session.examine(roles.drafts)
        uids = (await session.search(b"ALL"))[-50:]
        items = await session.items(uids, header=True) if uids else []
    except TransientError:
        return None
    same = [
        item.uid
        for item in items
        if (item.heads.mark, item.heads.message_id) == (heads.mark, heads.message_id)
    ]
    return Spot(box.validity, max(same), box.name) if same else None


async def remove(session: Session, finder: Finder, draft: DraftRef, faults: Faults) -> Outcome:
    """Remove exactly the version that *draft* names. Raises TransientError before any change."""
    spot = spot_of(draft.ref)
    if not session.can("UIDPLUS") or session.kind == "gmail":
        return Rejected(reason="this server cannot remove one exact version of a draft")
    if spot is not None and finder.roles.role(spot.folder) is Folder.DRAFTS:
        box = await session.select(spot.folder)
        if (box.validity, spot.version) == (spot.validity, draft.version):
            there = await session.items([spot.uid], header=False)
            if there:
                return await _expunge(session, spot, faults)
    return await _gone(finder, draft)


async def _expunge(session: Session, spot: Spot, faults: Faults) -> Outcome:
    uid = uid_set([spot.uid])
    try:
        await session.ask("STORE", b"UID STORE", uid, b"+FLAGS.SILENT (\\Deleted)")
        await session.ask("EXPUNGE", b"UID EXPUNGE", uid)
        left = await session.items([spot.uid], header=False)
    except RefusedError as error:
        return await _restored(session, uid, error)
    except LostError as error:
        return Unknown(reason=str(error), detail="the removal was under way")
    if left:
        return await _restored(session, uid, None)
    faults.hit(FaultPoint.EFFECT_DONE)
    return Accepted(detail="removed")


async def _restored(session: Session, uid: bytes, error: RefusedError | None) -> Outcome:
    """Take the mark for deletion off again: a refused removal leaves the draft as it was."""
    try:
        await session.wire.command(
            b"UID STORE", uid, b"-FLAGS.SILENT (\\Deleted)", limit_s=COMMAND_S
        )
    except LostError as lost:
        return Unknown(reason=str(lost), detail="the draft may be marked for deletion")
    return (
        refused(error.done)
        if error is not None
        else Rejected(reason="the server did not remove the draft", passing=True)
    )


async def _gone(finder: Finder, draft: DraftRef) -> Outcome:
    """Nothing lies under the draft's number any more: what became of it decides."""
    match (await finder.whereabouts(draft)).where:
        case Whereabouts.ABSENT:
            return Accepted(detail="it was gone already, and nothing took its place")
        case Whereabouts.TRASHED:
            return Accepted(detail="its owner had put it into the trash already")
        case Whereabouts.SENT:
            return Rejected(reason="the draft was sent")
        case Whereabouts.EDITED:
            return Rejected(reason=EDITED)
        case Whereabouts.UNTOUCHED:
            return Rejected(reason="the drafts folder was numbered anew; the draft is left alone")
