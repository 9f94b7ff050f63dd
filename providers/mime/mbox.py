"""An mbox file to its messages, when lines of text begin with "From " too.

The format has no length and its escape is often forgotten, so a message begins only where a "From "
line follows a blank one, looks like a postmark (an address or a date) and is followed by a header.
Streams: one message is held at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

LINE_BYTES: Final = 1000
"""How much of a line is looked at to tell whether it is a postmark or a header."""

_DATE: Final = re.compile(
    rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:\d{1,2} +)?"
    rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b.*\d{1,2}:\d\d"
)
_SENDER: Final = re.compile(rb"From (?:\S+@\S+|MAILER-DAEMON|-)\s*$")
_HEADER: Final = re.compile(rb"(?:>?From |[!-9;-~]{1,100}[ \t]*:)")
_ESCAPED: Final = re.compile(rb">+From ")


def is_postmark(line: bytes) -> bool:
    """Whether *line* is what a mail program writes before a message in an mbox."""
    near = line[:LINE_BYTES]
    if not near.startswith(b"From "):
        return False
    return _DATE.search(near) is not None or _SENDER.match(near) is not None


def _finish(lines: list[bytes]) -> bytes:
    """One message without its last blank line and without the escape before "From ".

    After a quoted line the sign is rather a quotation than an escape, and is left.
    """
    if len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return b"".join(_unescaped(lines))


def _unescaped(lines: list[bytes]) -> Iterator[bytes]:
    quoted = False
    for line in lines:
        escaped = not quoted and _ESCAPED.match(line) is not None
        yield line[1:] if escaped else line
        quoted = line.startswith(b">") and not escaped


def split_mbox(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Postmark and message of each mail in an mbox; an empty file has none.

    *pieces* are its lines with their ends; a long line may come in several. What stands before the
    first postmark is a message without one (b"").
    """
    message: list[bytes] | None = None
    mark = b""
    held = b""
    fresh = blank = True
    for piece in pieces:
        if held:
            if message is None or _HEADER.match(piece[:LINE_BYTES]):
                if message is not None:
                    yield mark, _finish(message)
                mark, message = held, []
            else:
                message.append(held)
            held = b""
        if fresh and blank and is_postmark(piece):
            held = piece
        else:
            message = [] if message is None else message
            message.append(piece)
        blank = fresh and not piece.strip()
        fresh = piece.endswith(b"\n")
    if held:
        mark, message = (held, []) if message is None else (mark, [*message, held])
    if message is not None:
        yield mark, _finish(message)
