"""Lay the bytes of a draft aside, deliver them by one rename, or take them back for good.

    stage:    write tmp/NAME, sync file and tmp        nobody shows what lies in tmp
    deliver:  rename tmp/NAME -> cur/NAME:2,DS          the one step that makes the draft
    withdraw: rename tmp/NAME -> tmp/NAME.withdrawn     after it no rename of NAME can succeed

A rename of one name succeeds for one caller only, so delivering and withdrawing exclude each other
whatever the order, however late a paused process wakes up: that is what makes a withdrawal a proof
of never. On a network file system a repeated request may hide a success behind "no such file",
so there it proves nothing. After a crash the bytes are either in ``tmp`` (staged or withdrawn) or
in ``cur`` (delivered); nothing here is ever half done. Blocking.
"""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from pathlib import Path
from typing import Final

from providers.maildir.files import (
    FORBIDDEN,
    FULL,
    folder,
    make_folder,
    place,
    sync_folder,
    write_new,
)
from providers.maildir.names import (
    DRAFT_FLAGS,
    is_staged,
    ref_of,
    staged_name,
    version_of,
    withdrawn,
)
from providers.maildir.places import Place, sha256
from providers.ports import Json
from storage.words import Accepted, FaultPoint, Faults, IntentId, Outcome, Rejected, Unknown

TMP_KEPT: Final = timedelta(hours=36)
"""Mail programs clear ``tmp`` of files that are older than this."""

_ILL: Final = FULL | FORBIDDEN
_NOT_DONE: Final = _ILL | {
    errno.ELOOP,
    errno.EMFILE,
    errno.EMLINK,
    errno.ENAMETOOLONG,
    errno.ENFILE,
    errno.ENOTDIR,
    errno.EXDEV,
}


@dataclass(frozen=True, slots=True)
class Token:
    """What a claim commits of staged bytes: where they lie, so that any process can find them."""

    label: str
    name: str
    dev: int
    ino: int
    intent: str
    attempt: int

    def json(self) -> Json:
        """The form in which the store keeps it."""
        return {
            "folder": self.label,
            "name": self.name,
            "dev": self.dev,
            "ino": self.ino,
            "intent": self.intent,
            "attempt": self.attempt,
        }


def token_of(json: Json) -> Token | None:
    """Read a token back; None for what is none of ours (nothing was staged)."""
    label, name, dev, ino = (json.get(key) for key in ("folder", "name", "dev", "ino"))
    if not (isinstance(label, str) and isinstance(name, str) and is_staged(name)):
        return None
    if not (isinstance(dev, int) and isinstance(ino, int)):
        return None
    attempt = json.get("attempt")
    number = attempt if isinstance(attempt, int) else 0
    return Token(label, name, dev, ino, str(json.get("intent", "")), number)


def stage(home: Place, content: bytes, intent: IntentId, attempt: int, now: datetime) -> Token:
    """Write the bytes of one attempt into ``tmp`` of the drafts folder, made if it is missing.

    Synced when this returns: file, then folder. Raises OSError and leaves nothing then; ValueError
    for an intent's id that cannot stand in a name.
    """
    name = staged_name(intent, attempt, now, secrets.token_hex(4))
    if not all((home.path / part).is_dir() for part in ("cur", "new", "tmp")):
        make_folder(home.path)
    with folder(home.path) as root, folder("tmp", within=root) as tmp:
        write_new(tmp, name, content)
        try:
            sync_folder(tmp)
        except OSError:
            with suppress(OSError):
                os.unlink(name, dir_fd=tmp)
            raise
        dev, ino = place(root)
    return Token(home.label, name, dev, ino, intent, attempt)


def unstage(path: Path, token: Token) -> None:
    """Drop staged bytes, withdrawn or not. What is gone, or cannot be reached, is left at that."""
    with suppress(OSError), folder(path) as root:
        if place(root) != (token.dev, token.ino):
            return
        with folder("tmp", within=root) as tmp:
            for name in (token.name, withdrawn(token.name)):
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=tmp)


def deliver(
    path: Path,
    token: Token,
    content: bytes,
    message_id: str | None,
    *,
    network: bool,
    faults: Faults,
) -> Outcome:
    """Make the draft: one rename. What fails before it is a refusal, what fails after, unknown."""
    with ExitStack() as opened:
        try:
            root = opened.enter_context(folder(path))
            tmp = opened.enter_context(folder("tmp", within=root))
            cur = opened.enter_context(folder("cur", within=root))
            here = place(root)
        except OSError as error:
            return _refused(error)
        if here != (token.dev, token.ino):
            return Rejected(
                reason="the drafts folder was replaced since the bytes were staged", passing=True
            )
        return _rename(token, tmp, cur, content, message_id, network, faults)


def _rename(
    token: Token,
    tmp: int,
    cur: int,
    content: bytes,
    message_id: str | None,
    network: bool,
    faults: Faults,
) -> Outcome:
    try:
        os.rename(token.name, token.name + DRAFT_FLAGS, src_dir_fd=tmp, dst_dir_fd=cur)
    except FileNotFoundError:
        if network:
            return Unknown(reason="the staged bytes are gone, as after a rename that was repeated")
        return Rejected(reason="the staged bytes were withdrawn or cleared away", passing=True)
    except OSError as error:
        if error.errno in _NOT_DONE:
            return _refused(error)
        return Unknown(reason="the rename reported an error", detail=str(error))
    faults.hit(FaultPoint.EFFECT_DONE)
    try:
        sync_folder(cur)
        sync_folder(tmp)
    except OSError as error:
        return Unknown(reason="the folder could not be synced after the rename", detail=str(error))
    return Accepted(
        ref=ref_of(token.label, token.name),
        version=version_of(token.name, sha256(content)),
        message_id=message_id,
    )


def _refused(error: OSError) -> Rejected:
    """An error met before the rename had any effect."""
    return Rejected(
        reason=error.strerror or "the file system refused",
        passing=True,
        illness=error.errno in _ILL,
        detail=str(error),
    )


class Withdrawal(Enum):
    """What taking staged bytes back has shown."""

    PROVED = auto()  # they lie withdrawn: nobody can deliver them any more
    DELIVERED = auto()  # they are gone in neither name, and nobody else clears so early
    SILENT = auto()  # nothing follows


def withdraw(
    path: Path, token: Token, claimed_at: datetime, now: datetime, *, network: bool
) -> Withdrawal:
    """Take staged bytes back, or learn that they were delivered. Raises OSError."""
    with folder(path) as root:
        if place(root) != (token.dev, token.ino):
            return Withdrawal.SILENT
        with folder("tmp", within=root) as tmp:
            try:
                os.rename(token.name, withdrawn(token.name), src_dir_fd=tmp, dst_dir_fd=tmp)
            except FileNotFoundError:
                if _there(withdrawn(token.name), tmp):
                    return Withdrawal.PROVED
                if network or not now - claimed_at < TMP_KEPT:
                    return Withdrawal.SILENT
                return Withdrawal.DELIVERED
            sync_folder(tmp)
            return Withdrawal.PROVED


def sweep(path: Path, live: frozenset[str], now: datetime, *, at_start: bool) -> int:
    """Unlink staged bytes of ours that no open intent names; how many. Raises OSError.

    *at_start* says that no worker of any process may be between stage and claim now; otherwise only
    those go that are older than any claim could be.
    """
    gone = 0
    with folder(path) as root, folder("tmp", within=root) as tmp, os.scandir(tmp) as listing:
        for item in list(listing):
            if not is_staged(item.name) or item.name.removesuffix(".withdrawn") in live:
                continue
            with suppress(FileNotFoundError):
                age_s = now.timestamp() - item.stat(follow_symlinks=False).st_mtime
                if at_start or age_s > TMP_KEPT.total_seconds():
                    os.unlink(item.name, dir_fd=tmp)
                    gone += 1
    return gone


def _there(name: str, fd: int) -> bool:
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
