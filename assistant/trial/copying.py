"""A copy of somebody's mail files as a Maildir, and a guess whose mail it is.

Only reads what it is pointed at; everything is written into a folder of its own. What the owner
wrote goes into Sent, as a mailbox would hold it, and unsent drafts into Drafts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from providers.mailfiles import MailFile, mails_in
from providers.mime.message import Mail, Owner
from providers.mime.owners import own_addresses, own_form
from providers.mime.reading import read_mail
from providers.ports import Folder

LOOSE = frozenset({".eml", ".mail"})
"""Files that say nothing of when they arrived: their order is that of their names."""

PLACES = {Folder.INBOX: "", Folder.SENT: ".Sent", Folder.DRAFTS: ".Drafts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """Whose mail it seems to be, and by how many of the mails."""

    owner: Owner
    by: int
    of: int


def guess_owner(path: Path) -> Guess | None:
    """The address that most of the mail is to or from; None when there is none.

    Raises ``providers.mailfiles.MailFilesError``.
    """
    votes: Counter[str] = Counter()
    names: dict[str, Counter[str]] = {}
    total = 0
    for file in mails_in(path):
        total += 1
        mail = read_mail(file.raw)
        for addr, name, weight in _votes(file, mail):
            votes[addr] += weight
            if name:
                names.setdefault(addr, Counter())[name] += 1
    if not votes:
        return None
    addr, _ = votes.most_common(1)[0]
    named = names.get(addr)
    name = named.most_common(1)[0][0] if named else addr.partition("@")[0]
    return Guess(owner=Owner(name=name, addresses=(addr,)), by=votes[addr], of=total)


def _votes(file: MailFile, mail: Mail) -> Iterator[tuple[str, str, int]]:
    if file.folder is Folder.SENT:
        yield from ((one.addr.lower(), one.name, 3) for one in mail.from_)
        return
    yield from ((addr.lower(), "", 2) for addr in mail.delivered_to)
    if mail.list_id is None:
        yield from ((one.addr.lower(), one.name, 1) for one in mail.to)


def copy_mail(path: Path, maildir: Path, owner: Owner, copied: Callable[[int], None]) -> int:
    """Copy every mail below *path* into a new Maildir; gives how many. *copied* hears of progress.

    Raises ``providers.mailfiles.MailFilesError`` and OSError.
    """
    for place in PLACES.values():
        for sub in ("cur", "new", "tmp"):
            (maildir / place / sub).mkdir(parents=True, exist_ok=True)
    number = 0
    start = datetime.now(UTC) - timedelta(days=1)
    for number, file in enumerate(mails_in(path), 1):
        folder = _folder(file, owner)
        if folder is not None:
            at = start + timedelta(milliseconds=number) if _is_loose(file) else file.at
            _write(maildir / PLACES[folder], file.raw, at, number, folder)
        if number % 50 == 0:
            copied(number)
    copied(number)
    return number


def _is_loose(file: MailFile) -> bool:
    return Path(file.path).suffix.lower() in LOOSE


def _folder(file: MailFile, owner: Owner) -> Folder | None:
    if file.folder in (Folder.TRASH, Folder.DRAFTS, Folder.SENT):
        return None if file.folder is Folder.TRASH else file.folder
    authors = read_mail(file.raw).from_
    mine = own_addresses(owner)
    own = authors and all(own_form(author.addr, mine) is not None for author in authors)
    return Folder.SENT if own else Folder.INBOX


def _write(place: Path, raw: bytes, at: datetime, number: int, folder: Folder) -> None:
    seconds, micro = int(at.timestamp()), at.microsecond
    flags = {Folder.INBOX: "", Folder.SENT: "S", Folder.DRAFTS: "DS"}[folder]
    target = place / "cur" / f"{seconds}.M{micro:06d}P1Q{number}.trial:2,{flags}"
    target.write_bytes(raw)
    os.utime(target, (at.timestamp(), at.timestamp()))
