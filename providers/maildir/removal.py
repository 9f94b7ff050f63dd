"""Remove one exact version of a draft, so that an edited or sent draft cannot be hit.

A Maildir can unlink a name but not "this name if its bytes are still these". So the draft is
renamed aside first, to a dot-name that programs pass over, and compared there, where nobody can
exchange it:

    DRAFT:2,DS --rename--> .fencepost-INTENT.ATTEMPT.DRAFT:2,DS --equal--> unlink: removed
                                        |
                                        +--other bytes--> link back under the old name: the owner's

While it lies aside the draft counts as held. Whoever finds one lying there after a crash puts it
back: renaming it to ``-back`` takes the right to unlink it away from a remover that wakes up late,
so of the two exactly one succeeds. Nothing is ever moved over a file. Blocking.
"""

from __future__ import annotations

import errno
import os
import secrets
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from providers.maildir.files import (
    FORBIDDEN,
    FULL,
    SUBS,
    entries,
    folder,
    read_mail,
    settled_listing,
    sync_folder,
)
from providers.maildir.names import (
    Aside,
    Entry,
    aside_name,
    aside_of,
    entry,
    going_back,
    version_of,
)
from providers.maildir.places import sha256
from storage.words import (
    Accepted,
    FaultPoint,
    Faults,
    IntentId,
    Outcome,
    Rejected,
    Unknown,
    Version,
)

ASIDE_S: Final = 300.0
"""A draft that lies aside for longer was left there by a crash, whoever left it."""
EDITED: Final = "the draft was changed since"
"""Why a removal is refused when the bytes are other ones."""

_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS})
_TRIES: Final = 4


def find(path: Path, uniq: str) -> Entry | None:
    """The file of a draft by its base name, wherever its flags have taken it. Raises OSError."""
    return next((item for item in settled_listing(path) if item.uniq == uniq), None)


@dataclass(frozen=True, slots=True)
class _Lifted:
    """A draft that lies aside: the open folder that holds it, and its dot-name."""

    sub: int
    name: str


def take(
    path: Path,
    uniq: str,
    version: Version,
    intent: IntentId,
    attempt: int,
    *,
    network: bool,
    faults: Faults,
) -> Outcome | None:
    """Remove the draft *uniq* if it is still *version*; None when no file of that name exists."""
    with ExitStack() as opened:
        try:
            lifted = _lift(opened, path, uniq, version, (intent, attempt))
        except OSError as error:
            return _refused(error)
        if not isinstance(lifted, _Lifted):
            return lifted
        faults.hit(FaultPoint.REMOVAL_ASIDE)
        gone = _compared(lifted, uniq, version, network=network)
        if not isinstance(gone, Accepted):
            return gone
        faults.hit(FaultPoint.EFFECT_DONE)
        try:
            sync_folder(lifted.sub)
        except OSError as error:
            return Unknown(reason="the folder could not be synced", detail=str(error))
        return gone


def _lift(
    opened: ExitStack, path: Path, uniq: str, version: Version, by: tuple[IntentId, int]
) -> _Lifted | Outcome | None:
    """Compare a draft and rename it aside; whatever ends this early has changed nothing."""
    root = opened.enter_context(folder(path))
    for _ in range(_TRIES):
        item = find(path, uniq)
        if item is None:
            return None
        if item.aside is not None:
            return Rejected(reason="another removal of this draft is under way", passing=True)
        sub = opened.enter_context(folder(item.sub, within=root))
        try:
            name = aside_name(*by, item.file)
        except ValueError as error:
            return Rejected(reason=str(error))
        try:
            if version_of(uniq, sha256(read_mail(item.file, within=sub))) != version:
                return Rejected(reason=EDITED)
            if not _links(root, sub, item.file):
                return Rejected(reason="this file system cannot remove an exact version")
            os.rename(item.file, name, src_dir_fd=sub, dst_dir_fd=sub)
        except FileNotFoundError:
            continue
        return _Lifted(sub, name)
    return Rejected(reason="the draft is being renamed all the time", passing=True)


def _compared(lifted: _Lifted, uniq: str, version: Version, *, network: bool) -> Outcome:
    """Unlink the draft that lies aside if it is the version named, else put it back."""
    try:
        if version_of(uniq, sha256(read_mail(lifted.name, within=lifted.sub))) != version:
            put_back(lifted.sub, lifted.name)
            return Rejected(reason=EDITED)
        os.unlink(lifted.name, dir_fd=lifted.sub)
    except FileNotFoundError:
        if network:
            return Unknown(reason="the draft that lay aside is gone")
        return Rejected(reason="the draft was put back before it was removed", passing=True)
    except OSError as error:
        return Unknown(reason="the draft lies aside and could not be removed", detail=str(error))
    return Accepted(detail="removed")


def put_back(sub: int, name: str) -> bool:
    """Give a draft that lies aside its own name again; False when it no longer lies there.

    Where that name is taken by another mail the draft gets a new one: nothing is ever replaced.
    Raises OSError; the draft is then still there under a dot-name.
    """
    aside = aside_of(name)
    if aside is None:
        return False
    held = name
    if not aside.going_back:
        held = going_back(aside)
        try:
            os.rename(name, held, src_dir_fd=sub, dst_dir_fd=sub)
        except FileNotFoundError:
            return False
    try:
        _link_free(sub, held, aside.file)
    except FileNotFoundError:
        return False
    with suppress(FileNotFoundError):
        os.unlink(held, dir_fd=sub)
    sync_folder(sub)
    return True


def recover(path: Path, *, intent: IntentId | None = None, every: bool = False) -> int:
    """Put back drafts of the folder *path* that lie aside; how many. Raises OSError.

    Those of *intent*, those that have lain for longer than any removal takes and, with *every*
    (at start, before the first worker), all of them.
    """
    count = 0
    with folder(path) as root:
        for name in SUBS:
            found = [item.aside for item in entries(root, name) if item.aside is not None]
            if not found:
                continue
            with folder(name, within=root) as sub:
                for aside in map(aside_of, found):
                    if aside is not None and (
                        every or aside.intent == intent or _lies_long(sub, aside)
                    ):
                        count += put_back(sub, aside.name)
    return count


def _lies_long(sub: int, aside: Aside) -> bool:
    """By the kernel's own clock on both sides: renaming stamps the file."""
    try:
        stamped = os.stat(aside.name, dir_fd=sub, follow_symlinks=False).st_ctime
    except FileNotFoundError:
        return False
    return time.time() - stamped > ASIDE_S


def _link_free(sub: int, held: str, file: str) -> None:
    """Link *held* to *file*, or to a name of its own where another mail has taken that base.

    Flags may have been set on a name that an earlier recovery gave back already: then it is done.
    """
    mine = os.stat(held, dir_fd=sub, follow_symlinks=False).st_ino
    target = file
    with os.scandir(sub) as listing:
        for item in listing:
            if item.name.startswith(".") or entry("", item.name).uniq != entry("", file).uniq:
                continue
            if item.inode() == mine:
                return
            target = f"{int(time.time())}.R{secrets.token_hex(8)}.fencepost:2,D"
    os.link(held, target, src_dir_fd=sub, dst_dir_fd=sub, follow_symlinks=False)


def _links(root: int, sub: int, file: str) -> bool:
    """Try whether a draft could be put back by a link, before it is taken away. Raises OSError."""
    probe = f"{int(time.time())}.R{secrets.token_hex(8)}.fencepost-link"
    with folder("tmp", within=root) as tmp:
        try:
            os.link(file, probe, src_dir_fd=sub, dst_dir_fd=tmp, follow_symlinks=False)
        except OSError as error:
            if error.errno in _NO_LINKS:
                return False
            raise
        os.unlink(probe, dir_fd=tmp)
    return True


def _refused(error: OSError) -> Rejected:
    """What an error means for a removal when nothing was touched yet."""
    return Rejected(
        reason=error.strerror or "the file system refused",
        passing=True,
        illness=error.errno in FULL | FORBIDDEN,
        detail=str(error),
    )
