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
_ESCAPED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)


def is_postmark(line: bytes) -> bool:
    """Whether *line* is what a mail program writes before a message in an mbox."""
    near = line[:LINE_BYTES]
    if not near.startswith(b"From "):
        return False
    return _DATE.search(near) is not None or _SENDER.match(near) is not None


def _finish(lines: list[bytes]) -> bytes:
    """One message without its postmark, its last blank line, and the escape of its From lines."""
    if len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return _ESCAPED.sub(rb"\1", b"".join(lines))


def split_mbox(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The messages of an mbox, given as lines with their ends; an empty file has none."""
    message: list[bytes] | None = None
    postmark: bytes | None = None
    blank = True
    for line in lines:
        if postmark is not None:
            if message is None or _HEADER.match(line[:LINE_BYTES]):
                if message is not None:
                    yield _finish(message)
                message = []
            else:
                message.append(postmark)
            postmark = None
        if blank and is_postmark(line):
            postmark = line
            blank = False
            continue
        blank = not line.strip()
        message = [] if message is None else message
        message.append(line)
    if postmark is not None and message is not None:
        message.append(postmark)
    if message is not None:
        yield _finish(message)
