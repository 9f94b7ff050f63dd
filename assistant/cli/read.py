"""``fencepost read``: what Fencepost sees in mail files, as values and as something to read.

For fault reports and for trust: the same reading that the daemon does, over files that anybody can
attach to a report. One entry a message; a file that cannot be read or is no mail gives an entry
that says so, and the rest goes on. Files are only read, one message is held at a time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Final

from providers.mailfiles import natural
from providers.mime.envelope import reply_envelope
from providers.mime.invisible import visible, visible_line
from providers.mime.mbox import is_postmark, split_mbox
from providers.mime.message import Heads, Mail, Owner
from providers.mime.reading import read_heads, read_mail
from providers.mime.threads import message_ids
from storage.words import Identity

if TYPE_CHECKING:
    from rich.console import Console

_NONE: Final = Identity("")
FILE_BYTES: Final = 512 * 1024 * 1024
"""The largest single mail that is read; no server delivers one half as large."""
KNOWN_MAX: Final = 2000
"""How many earlier messages are remembered, so that a quotation of them is known."""
NEAREST: Final = 20
"""How many of a message's nearest ancestors are looked at."""
PARENTS: Final = 3
"""How many of these help to find what it quotes."""
PARENT_CHARS: Final = 64 * 1024
"""How much of an earlier message's text is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawMessage:
    """The bytes of one message and where they lie, or in ``problem`` why there are none."""

    path: str
    raw: bytes = b""
    problem: str | None = None


def raw_messages(path: Path) -> Iterator[RawMessage]:
    """Every message at *path*: a mail file, an mbox, a Maildir or a folder of .eml files.

    A message of an mbox is named ``box.mbox#3`` (the first is 1). Never raises OSError: what cannot
    be read is a message with ``problem`` set.
    """
    try:
        if path.is_dir():
            yield from _folder(path)
        else:
            yield from _file(path)
    except FileNotFoundError:
        yield RawMessage(path=str(path), problem="there is no such file: check the path")
    except OSError as error:
        yield RawMessage(path=str(path), problem=f"cannot be read: {error.strerror or error}")


def _file(path: Path) -> Iterator[RawMessage]:
    if not path.exists():
        raise FileNotFoundError(path)
    if not path.is_file():
        yield RawMessage(path=str(path), problem="is neither a file nor a folder")
        return
    with path.open("rb") as file:
        if is_postmark(file.readline(1000)):
            file.seek(0)
            for number, (_, raw) in enumerate(split_mbox(file), 1):
                yield RawMessage(path=f"{path}#{number}", raw=raw)
            return
        file.seek(0)
        raw = file.read(FILE_BYTES + 1)
    if len(raw) > FILE_BYTES:
        yield RawMessage(path=str(path), problem="is larger than 512 MiB: no single mail is")
        return
    yield RawMessage(path=str(path), raw=raw)


def _folder(path: Path) -> Iterator[RawMessage]:
    """A Maildir with its subfolders (Maildir++), else every .eml and .mbox below *path*."""
    boxes = [box for box in (path, *sorted(path.glob(".*"))) if (box / "cur").is_dir()]
    if boxes:
        found = [
            file
            for box in boxes
            for name in ("cur", "new")
            if (box / name).is_dir()
            for file in (box / name).iterdir()
            if file.is_file() and not file.name.startswith(".")
        ]
        # A Maildir's names begin with the second of delivery.
        found.sort(key=lambda file: (file.name.partition(".")[0].zfill(20), file.name))
    else:
        found = sorted(
            (file for file in path.rglob("*") if file.suffix.lower() in (".eml", ".mbox", ".mbx")),
            key=lambda file: natural(str(file)),
        )
    if not found:
        yield RawMessage(path=str(path), problem="holds no mail: no Maildir, no .eml and no .mbox")
    for file in found:
        yield from raw_messages(file)


class _Known:
    """The messages already read, by Message-ID; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._mails: OrderedDict[str, list[Mail]] = OrderedDict()
        self._count = 0

    def add(self, mail: Mail) -> None:
        for key in message_ids(mail.message_id or "")[:1]:
            kept = replace(mail, text=mail.text[:PARENT_CHARS], new_text="")
            self._mails.setdefault(key, []).append(kept)
            self._count += 1
            while self._count > KNOWN_MAX:
                self._count -= len(self._mails.popitem(last=False)[1])

    def thread(self, heads: Heads) -> list[Mail]:
        """The nearest known ancestors of a message and its copies, in order of arrival."""
        named = [
            key
            for value in (*heads.references, *heads.in_reply_to, heads.message_id or "")
            for key in message_ids(value)
        ]
        keys = [key for key in dict.fromkeys(reversed(named)) if key in self._mails][:NEAREST]
        return [mail for key in reversed(keys) for mail in self._mails[key]]


def read_paths(paths: Sequence[Path], owner: Owner | None) -> Iterator[dict[str, object]]:
    """The entries of ``fencepost read --json``, one a message, in the order of *paths*.

    ``reply`` is the envelope of an answer to all as *owner*, None without one. Earlier messages of
    the same call help to tell what later ones quote and to which address the owner was written.
    """
    known = _Known()
    for path in paths:
        for message in raw_messages(path):
            if message.problem is not None:
                mail = Mail(identity=_NONE, unreadable=message.problem)
                yield _entry(message.path, mail, owner, [])
                continue
            heads = read_heads(message.raw)
            thread = known.thread(heads)
            # A copy is no parent, and would take the place of one.
            parents = [each.text for each in thread if each.message_id != heads.message_id]
            mail = read_mail(message.raw, parents=parents[-PARENTS:])
            yield _entry(message.path, mail, owner, [*thread, mail])
            known.add(mail)


def _entry(path: str, mail: Mail, owner: Owner | None, thread: Sequence[Mail]) -> dict[str, object]:
    date = mail.date
    return {
        "path": visible_line(path),
        "message_id": mail.message_id,
        "from": [address.addr for address in mail.from_],
        "from_name": mail.from_[0].name if mail.from_ else "",
        "to": [address.addr for address in mail.to],
        "cc": [address.addr for address in mail.cc],
        "date": None if date is None else date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "subject": mail.subject,
        "text": mail.text,
        "new_text": mail.new_text,
        "language": mail.language,
        "automated": mail.automated,
        "attachments": [
            {"name": file.name, "type": file.type, "size": file.size} for file in mail.attachments
        ],
        "body_unreadable": mail.body_unreadable,
        "unreadable": mail.unreadable,
        "notes": list(mail.notes),
        "reply": None if owner is None else _reply(mail, owner, thread),
    }


def _reply(mail: Mail, owner: Owner, thread: Sequence[Mail]) -> dict[str, object] | None:
    """The envelope of an answer to all, or None where there is nobody to answer."""
    if mail.unreadable is not None:
        return None
    envelope = reply_envelope(mail, owner, thread=thread)
    if envelope is None:
        return None
    return {
        "to": [address.addr for address in envelope.to],
        "cc": [address.addr for address in envelope.cc],
        "from": envelope.from_.addr,
        "subject": envelope.subject,
        "in_reply_to": envelope.in_reply_to,
        "references": list(envelope.references),
    }


def render(entries: Iterable[dict[str, object]], console: Console) -> None:
    """Show *entries* to a person, one after the other as they come."""
    from rich.panel import Panel
    from rich.text import Text

    for entry in entries:
        shown = Text()
        for name, value in _lines(entry):
            shown.append(f"{name:<16}", style="bold")
            shown.append(f"{visible_line(value)}\n")
        said = entry["new_text"] or entry["text"]
        if said:
            shown.append(f"\n{visible(str(said))}")
        console.print(
            Panel(shown, title=Text(visible_line(str(entry["path"]))), title_align="left")
        )


def _shown(value: object) -> str:
    """A value of an entry as one line."""
    if isinstance(value, list):
        return ", ".join(_shown(item) for item in value)
    if isinstance(value, dict):
        return f"{value['name'] or 'unnamed'} ({value['type']}, {value['size']} bytes)"
    return "" if value is None else str(value)


def _lines(entry: dict[str, object]) -> Iterator[tuple[str, str]]:
    """What is worth a line: everything that says something."""
    for key in (
        "from_name", "from", "to", "cc", "date", "subject", "message_id", "language", "automated",
        "unreadable", "body_unreadable", "attachments", "notes",
    ):  # fmt: skip
        text = _shown(entry[key])
        if text:
            yield key.replace("_", " "), text
    reply = entry["reply"]
    if isinstance(reply, dict):
        for key in ("to", "cc", "from", "subject"):
            text = _shown(reply[key])
            if text:
                yield f"reply {key}", text
