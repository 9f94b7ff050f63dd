"""Mail files that a person points at: mbox, Maildir, folders of .eml, one .eml.

For ``fencepost try`` and ``fencepost read``: everything is opened for reading only, one message is
in memory at a time, and the order is the same each time. A message is handed on as the bytes that
lie there; whether it can be read is decided by whoever reads it. What is no mail at all raises an
error that says so before anything else is done with it.

In an mbox a line that begins with "From " ends a message only where it looks like the separator
that programs write (an address and a date, after an empty line, before a header): such lines stand
unescaped in bodies. Sources: RFC 4155; the mbox page of Dovecot; Gmail's Takeout (X-Gmail-Labels).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.utils import mktime_tz, parsedate_tz
from io import BufferedReader
from pathlib import Path
from typing import Final

from providers.mime.mbox import split_mbox
from providers.ports import Folder

_PIECE: Final = 1 << 20
_HEADER: Final = re.compile(rb"[!-9;-~]+[ \t]*:|>?From ")
_LABELS: Final = re.compile(rb"(?mi)^X-Gmail-Labels:((?:.*\r?\n?)(?:[ \t].*\r?\n?)*)")
_MOZILLA: Final = re.compile(rb"(?mi)^X-Mozilla-Status:[ \t]*([0-9a-f]{4})")
_EXPUNGED: Final = 0x0008
_FOLDERS: Final = {
    **dict.fromkeys(
        (
            "sent", "sent mail", "sent items", "sent messages", "gesendet", "gesendete objekte",
            "envoyés", "messages envoyés", "enviados", "enviado", "inviati", "posta inviata",
            "verzonden", "verzonden items", "wysłane", "отправленные", "已发送", "已傳送",
            "送信済み", "送信済みメール", "보낸편지함", "보낸메일함",
        ),
        Folder.SENT,
    ),
    **dict.fromkeys(
        (
            "draft", "drafts", "entwürfe", "entwurf", "brouillons", "borradores", "borrador",
            "bozze", "concepten", "rascunhos", "wersje robocze", "черновики", "草稿", "下書き",
            "임시보관함",
        ),
        Folder.DRAFTS,
    ),
    **dict.fromkeys(
        (
            "trash", "bin", "deleted items", "deleted messages", "spam", "junk", "junk e-mail",
            "papierkorb", "corbeille", "papelera", "cestino", "prullenbak", "lixeira", "kosz",
            "корзина", "спам",
        ),
        Folder.TRASH,
    ),
}  # fmt: skip


class MailFilesError(ValueError):
    """Nothing can be read there; the message says what to name instead."""


@dataclass(frozen=True, slots=True)
class MailFile:
    """One message as it lies in a file.

    ``path`` is how to call it (``box.mbox#3``: the third message of that file), ``folder`` what its
    place or its labels say (TRASH for spam too; None where nothing does), ``at`` when it was
    delivered as far as the file knows, aware UTC.
    """

    path: str
    raw: bytes
    folder: Folder | None
    at: datetime


def mails_in(path: Path) -> Iterator[MailFile]:
    """Every message under *path*, in a stable order: an mbox, a Maildir, a folder, one mail.

    Raises MailFilesError for a path that is missing, unreadable or no mail; inside a folder one
    file that can't be read is passed over.
    """
    if path.is_dir():
        found = False
        for mail in _folder(path):
            found = True
            yield mail
        if not found:
            raise MailFilesError(
                f"{path} holds no mail: name an mbox file, a Maildir or a folder of .eml files"
            )
        return
    try:
        yield from _file(path, path.name)
    except OSError as error:
        raise MailFilesError(
            f"{path} cannot be read ({error.strerror or error}): check the path and permissions"
        ) from error


def _folder(path: Path) -> Iterator[MailFile]:
    """Everything below a folder: Maildirs as such, other folders by their files."""
    for here, folders, files in os.walk(path):
        folders.sort(key=natural)
        if "cur" in folders and "new" in folders:
            folders[:] = [name for name in folders if name not in ("cur", "new", "tmp")]
            yield from _maildir(Path(here), path)
            continue
        for name in sorted(files, key=natural):
            file = Path(here, name)
            if file.suffix.lower() in (".eml", ".mbox", ".mbx", ".mail") or name == "mbox":
                try:
                    yield from _file(file, str(file.relative_to(path)))
                except (OSError, MailFilesError):
                    continue


def natural(name: str) -> list[tuple[int, str]]:
    """A key that puts ``9.eml`` before ``10.eml``, as whoever numbered them meant it."""
    parts = re.split(r"([0-9]{1,18})", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts if part]


def _maildir(place: Path, top: Path) -> Iterator[MailFile]:
    """The mails of one folder of a Maildir, by their names (which begin with the time)."""
    hint = _FOLDERS.get(place.resolve().name.rpartition(".")[2].lower())
    items = [
        item
        for sub in ("cur", "new")
        for item in (place / sub).iterdir()
        if not item.name.startswith(".") and item.is_file()
    ]
    for item in sorted(items, key=lambda one: (one.name, one.parent.name)):
        flags = item.name.rpartition(":2,")[2] if ":2," in item.name else ""
        folder = Folder.TRASH if "T" in flags else Folder.DRAFTS if "D" in flags else hint
        try:
            at = datetime.fromtimestamp(_named(item.name) or item.stat().st_mtime, UTC)
            raw = item.read_bytes()
        except OSError:
            continue
        yield MailFile(str(item.relative_to(top)), raw, folder, at)


def _named(name: str) -> int | None:
    """The seconds that begin a name in a Maildir, where they can be a time."""
    digits = name.partition(".")[0]
    return int(digits) if digits.isascii() and digits.isdigit() and 9 <= len(digits) <= 10 else None


def _file(path: Path, label: str) -> Iterator[MailFile]:
    with path.open("rb") as file:
        changed = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
        start = file.peek(_PIECE)[:4096]
        if start.startswith(b"From "):
            yield from _mbox(file, label, _FOLDERS.get(path.stem.lower()), changed)
            return
        if not _like_mail(start):
            raise MailFilesError(
                f"{path} is no mail (it does not begin with headers): name an mbox or .eml file"
            )
        raw = file.read()
    yield MailFile(label, raw, _hint(raw), changed)


def _like_mail(start: bytes) -> bool:
    """True for bytes that may begin a mail: some header line, and no NUL before it."""
    for line in start.lstrip(b"\xef\xbb\xbf\r\n").splitlines()[:20]:
        if b"\0" in line:
            return False
        if _HEADER.match(line):
            return True
    return False


def _mbox(
    file: BufferedReader, label: str, hint: Folder | None, changed: datetime
) -> Iterator[MailFile]:
    for number, (separator, raw) in enumerate(
        split_mbox(iter(lambda: file.readline(_PIECE), b"")), 1
    ):
        folder = _hint(raw) or hint
        yield MailFile(f"{label}#{number}", raw, folder, _separator_time(separator) or changed)


def _separator_time(line: bytes) -> datetime | None:
    """The date of a separator line, None where there is none to read."""
    words = line.decode("latin-1").split()
    for start in range(1, min(len(words), 6)):
        parsed = parsedate_tz(" ".join(words[start:]))
        if parsed is not None:
            try:
                return datetime.fromtimestamp(mktime_tz(parsed), UTC)
            except (OverflowError, ValueError, OSError):
                return None
    return None


def _hint(raw: bytes) -> Folder | None:
    """What the header block itself says of the place: Gmail's labels, Mozilla's deletion mark."""
    end = re.search(rb"\r?\n\r?\n", raw)
    head = raw[: end.start()] if end else raw
    deleted = _MOZILLA.search(head)
    if deleted is not None and int(deleted[1], 16) & _EXPUNGED:
        return Folder.TRASH
    labels = _LABELS.search(head)
    if labels is None:
        return None
    names = {name.strip(' "').lower() for name in _decoded(labels[1]).split(",")}
    held = {_FOLDERS[name] for name in names if name in _FOLDERS}
    order = (Folder.TRASH, Folder.DRAFTS, Folder.SENT)
    return next((folder for folder in order if folder in held), None)


def _decoded(value: bytes) -> str:
    """A header value with its encoded words decoded, as far as they can be."""
    text = " ".join(value.decode("utf-8", "replace").split())
    try:
        parts = decode_header(text)
    except (HeaderParseError, ValueError):
        return text
    out: list[str] = []
    for part, charset in parts:
        if isinstance(part, bytes):
            try:
                out.append(part.decode(charset or "utf-8", "replace"))
            except LookupError:
                out.append(part.decode("utf-8", "replace"))
        else:
            out.append(part)
    return "".join(out)
