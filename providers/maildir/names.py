"""Names in a Maildir: files, references, versions and what a name tells of the arrival.

A name in a Maildir is ``BASE:2,FLAGS``; the flags change whenever somebody reads or answers a mail
and the file wanders from ``new`` to ``cur``, so a reference names the folder and BASE alone. Names
come from strangers (any process may drop a file there), so a reference is percent-encoded until it
is plain ASCII: no byte of a name can end a line, break JSON or climb out of its folder.

Pure: no file is touched here. Sources: the Maildir page of Daniel J. Bernstein (names, time first)
and the Maildir++ page of Courier (sub-folders that begin with a dot).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from storage.words import IntentId, Ref, Version

DRAFT_FLAGS: Final = ":2,DS"
"""How a draft of ours is flagged: a draft, and seen, so that no client counts it as new mail."""
TRASHED: Final = "T"
"""The flag of a mail that its owner has marked for deletion."""

_SAFE: Final = "!#$&'()*+,-.;<=>?@[]^_`{|}~"
_PLAIN: Final = re.compile(r"[A-Za-z0-9!#$&'()*+,\-.;<=>?@\[\]^_`{|}~]+", re.ASCII)
_DAY_S: Final = 86_400
_EARLIEST_S: Final = 315_532_800  # 1980: a name that begins with less is a counter, not a time
_SECONDS: Final = re.compile(r"(\d{9,11})\.")
_MICROS: Final = re.compile(r"M(\d{1,6})(?!\d)")
_COUNT: Final = re.compile(r"Q(\d{1,9})(?!\d)")
_STAGED: Final = re.compile(
    r"\d+\.M\d{6}I(?P<intent>[0-9A-Za-z-]{1,64})A(?P<attempt>\d{1,9})R[0-9a-f]{8}\.fencepost"
    r"(?P<withdrawn>\.withdrawn)?",
    re.ASCII,
)
_ASIDE: Final = re.compile(
    r"\.fencepost-(?P<intent>[0-9A-Za-z-]{1,64})\.(?P<attempt>\d{1,9})(?P<back>-back)?\.(?P<file>.+)",
    re.ASCII | re.DOTALL,
)
_INTENT: Final = re.compile(r"[0-9A-Za-z-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file in ``new`` or ``cur`` (*sub*) of a folder, taken apart by its name.

    ``aside`` is the whole name of the file when it lies aside for a removal of ours; ``file`` is
    then the name that it had before and will have again if it is put back.
    """

    sub: str
    file: str
    uniq: str
    flags: str
    aside: str | None = None

    @property
    def on_disk(self) -> str:
        """The name under which the file is found now."""
        return self.file if self.aside is None else self.aside


def entry(sub: str, file: str) -> Entry:
    """Take the name *file* apart; a name that begins with its flags is all base."""
    uniq, mark, info = file.partition(":")
    if not uniq:
        return Entry(sub, file, file, "")
    flags = info[2:] if mark and info.startswith("2,") else ""
    return Entry(sub, file, uniq, flags)


def ref_of(label: str, uniq: str) -> Ref:
    """The reference of the mail *uniq* in the folder *label* (``INBOX``, ``Drafts``, ...)."""
    return Ref(f"{_quoted(label)}/{_quoted(uniq)}")


def parts_of(ref: Ref) -> tuple[str, str] | None:
    """Folder label and base name of *ref*; None for what can name no file of a Maildir."""
    label, slash, uniq = ref.partition("/")
    names = _unquoted(label), _unquoted(uniq)
    if not slash or any(not n or n.startswith(".") or "/" in n or "\0" in n for n in names):
        return None
    return names


def version_of(uniq: str, sha256_hex: str) -> Version:
    """The exact version of a draft: its base name and the SHA-256 of its bytes, never its flags."""
    return Version(f"{_quoted(uniq)}#{sha256_hex}")


def arrival(uniq: str, mtime_ns: int, now: datetime) -> tuple[datetime, int]:
    """When the mail was delivered, and a number that orders mails of one second.

    The seconds that begin the name count unless they are no plausible time (before 1980, or more
    than a day after *now*), or the file's own *mtime_ns* is earlier: a fetcher that keeps the times
    of arrival sets that one. The number is microseconds times a million plus a running count, from
    the ``M`` and ``Q`` parts of the name or from *mtime_ns*.
    """
    rest_ns = mtime_ns % 1_000_000_000
    order = rest_ns // 1_000 * 1_000_000 + rest_ns % 1_000
    found = _SECONDS.match(uniq)
    seconds = int(found[1]) if found else 0
    earlier = _EARLIEST_S < mtime_ns // 1_000_000_000 < seconds
    if found is None or earlier or not _EARLIEST_S < seconds < now.timestamp() + _DAY_S:
        return _at(mtime_ns // 1_000_000_000, now), order
    middle = uniq[found.end() :].partition(".")[0]
    micros, count = _MICROS.search(middle), _COUNT.search(middle)
    if micros is not None:
        order = int(micros[1]) * 1_000_000 + (int(count[1]) % 1_000_000 if count else 0)
    return _at(seconds, now), order


def named_second(uniq: str, now: datetime) -> int | None:
    """The plausible second of delivery in a name, None where only the file's time can tell."""
    found = _SECONDS.match(uniq)
    seconds = int(found[1]) if found else 0
    return seconds if _EARLIEST_S < seconds < now.timestamp() + _DAY_S else None


def staged_name(intent: IntentId, attempt: int, now: datetime, random: str) -> str:
    """The name under which the bytes of one attempt wait in ``tmp``: made for that attempt alone.

    Raises ValueError for an intent whose id could not stand in a file name.
    """
    if _INTENT.fullmatch(intent) is None:
        raise ValueError(f"{intent!r} cannot stand in a file name: an intent's id is 32 hex digits")
    return f"{int(now.timestamp())}.M{now.microsecond:06}I{intent}A{attempt}R{random}.fencepost"


def is_staged(file: str) -> bool:
    """True for the names that ``staged_name`` gives, withdrawn or not."""
    return _STAGED.fullmatch(file) is not None


def withdrawn(name: str) -> str:
    """What staged bytes are called once nobody can deliver them any more."""
    return f"{name}.withdrawn"


def aside_name(intent: IntentId, attempt: int, file: str) -> str:
    """The dot-name under which a draft lies while it is compared for a removal.

    Programs that read Maildirs pass over names that begin with a dot.
    Raises ValueError when the name would be too long for a file system (255 bytes).
    """
    if _INTENT.fullmatch(intent) is None:
        raise ValueError(f"{intent!r} cannot stand in a file name: an intent's id is 32 hex digits")
    name = f".fencepost-{intent}.{attempt}.{file}"
    if len(os.fsencode(name)) > 250:  # "-back" must fit as well
        raise ValueError("the name of this draft leaves no room for a name beside it")
    return name


@dataclass(frozen=True, slots=True)
class Aside:
    """A dot-name of ours taken apart: whose removal it was and what the draft was called."""

    name: str
    intent: str
    attempt: int
    going_back: bool
    file: str


def aside_of(name: str) -> Aside | None:
    """Take a dot-name of ours apart, None for any other name."""
    found = _ASIDE.fullmatch(name)
    if found is None:
        return None
    return Aside(name, found["intent"], int(found["attempt"]), bool(found["back"]), found["file"])


def going_back(aside: Aside) -> str:
    """The name of a draft that is on its way back: renaming to it takes the right to unlink it."""
    return f".fencepost-{aside.intent}.{aside.attempt}-back.{aside.file}"


def _at(seconds: int, now: datetime) -> datetime:
    """*seconds* as a time; *now* where the number is beyond what a time can hold."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return now


def _quoted(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return quote(os.fsencode(name), safe=_SAFE)


def _unquoted(text: str) -> str:
    return os.fsdecode(unquote_to_bytes(text))
