"""Whom a process does not serve because of their files, and how that is told.

A user's file that is wrong stops nobody but its user. It is said in the log with its line, its key
and the remedy, for who starts a process sees nothing else at first; no address that a file may
quote goes there.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from typing import Final

import structlog

from assistant.loggable import loggable
from assistant.wiring import Unbuilt
from config.loaded import Loaded
from config.user import MaildirMailbox
from providers.maildir.places import NAMES
from providers.ports import Folder
from storage.words import IntegrationId, UserName
from storage.workers import File

log = structlog.get_logger()

FOLDERS: Final = (Folder.SENT, Folder.DRAFTS, Folder.TRASH)
"""The folders of a Maildir that are no mailbox of their own."""


def faults_of(loaded: Loaded) -> list[Unbuilt]:
    """What is wrong with users' files, as items of their users."""
    found = []
    for fault in loaded.faults:
        for one in fault.faults:
            where = f"{one.file}:{one.line}" if one.line is not None else str(one.file)
            found.append(
                Unbuilt(
                    user=fault.user,
                    what=f"{where} {one.key}".strip(),
                    problem=one.message,
                    remedy=one.remedy,
                )
            )
    return found


def nested(loaded: Loaded) -> dict[IntegrationId, Unbuilt]:
    """The mailboxes that are a folder of another served Maildir, and why none is served. Blocks.

    As a mailbox of its own its drafts and the owner's sent mail would pass for mail to answer.
    """
    boxes = [
        (user, number, mailbox.id, mailbox.path)
        for user in loaded.users.values()
        for number, mailbox in enumerate(user.mailboxes)
        if isinstance(mailbox, MaildirMailbox)
    ]
    names = [name for role in FOLDERS for name in NAMES[role]]
    inside = {
        os.path.realpath(path / name): f"{name} of {user.user}/{box}"
        for user, _, box, path in boxes
        for name in names
    }
    found = {}
    for user, number, box, path in boxes:
        folder = inside.get(os.path.realpath(path))
        if folder is not None:
            lines = loaded.lines.get(user.user, ())
            line = lines[number] if number < len(lines) else None
            where = f"{loaded.file_of(user.user)}{'' if line is None else f':{line}'}"
            found[IntegrationId(f"{user.user}/{box}")] = Unbuilt(
                user=user.user,
                what=f"{where} mailboxes[{number + 1}].path",
                problem=f"{path} is the folder {folder}, no mailbox of its own",
                remedy="delete this mailbox, or name the Maildir of another account",
            )
    return found


def disagreement(user: UserName, file: File) -> Unbuilt:
    """That the user's file here is not *file*, with which the fleet works."""
    return Unbuilt(
        user=user,
        what=f"users/{user}.toml",
        problem=f"it differs from the one that the fleet works with, of host {file.host}",
        remedy="copy the right file to every host; on a host that has it, run "
        "`fencepost migrate --adopt-users`",
    )


def log_faults(faults: Iterable[Unbuilt], served: Collection[str]) -> None:
    """Log each fault; who is among *served* is so by an older version of their file."""
    for one in faults:
        log.warning(
            "a user's file is wrong",
            user=one.user,
            what=loggable(one.what),
            problem=loggable(one.problem),
            remedy=loggable(one.remedy),
            served="as before the fault" if one.user in served else "not at all",
        )


def log_daemon(before: Loaded, now: Loaded) -> None:
    """Log that ``fencepost.toml`` has changed, or what is wrong with it now, while a process runs.

    Both are said once: when they begin.
    """
    if now.daemon != before.daemon:
        log.warning("fencepost.toml has changed: it takes effect at the next start")
    if now.daemon_faults != before.daemon_faults:
        for fault in now.daemon_faults:
            log.warning("fencepost.toml is wrong: a start would fail", problem=loggable(str(fault)))
