"""Reading one configuration file: from a path to its bytes, its table and its lines.

A file may be anything: half written, a folder, a pipe, a gigabyte, another encoding. Each of these
ends in a Fault that says what to do; nothing blocks, nothing is read without a limit, and no
exception of the parser leaves here.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from config.faults import ConfigError, Fault, dotted
from config.lines import key_lines, line_of

LIMIT: Final = 1 << 18
"""Bytes; a larger file is no configuration."""
_DEEP_KEY: Final = re.compile(r"""(?<![\w-])(?:(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)[ \t]*\.[ \t]*){32}""")
"""A dotted key that no setting has, and for which the parser needs minutes."""
_AT_LINE: Final = re.compile(r" \(at line ([0-9]+), column [0-9]+\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file as it was read."""

    path: Path
    text: str
    table: Mapping[str, object]
    hash: str

    def fault(self, path: tuple[str | int, ...], message: str, remedy: str) -> Fault:
        """A fault at the key *path* of this file."""
        line = line_of(key_lines(self.text), path) or 1
        return Fault(file=self.path, line=line, key=dotted(path), message=message, remedy=remedy)

    def lines(self, key: str, count: int) -> list[int | None]:
        """The line of each of *count* elements of the array *key*."""
        known = key_lines(self.text)
        return [line_of(known, (key, index)) for index in range(count)]


def read_document(path: Path) -> Document | None:
    """Read and parse *path*; None if there is nothing at all. Blocks.

    Raises ConfigError for everything else that is no TOML file.
    """
    raw = _read(path)
    if raw is None:
        return None
    text = _decode(path, raw)
    digest = sha256(raw).hexdigest()
    return Document(path=path, text=text, table=_parse(path, text), hash=digest)


def _error(path: Path, message: str, remedy: str, line: int | None = None) -> ConfigError:
    return ConfigError([Fault(file=path, line=line, key="", message=message, remedy=remedy)])


def _read(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        if path.is_symlink():
            raise _error(path, "is a link to nothing", "mend the link or delete it") from None
        return None
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _error(path, "is no regular file", "put the configuration in a plain file")
        with open(descriptor, "rb", closefd=False) as file:
            raw = file.read(LIMIT + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    finally:
        os.close(descriptor)
    if len(raw) > LIMIT:
        raise _error(path, "is larger than 256 KiB", "keep only settings in it")
    return raw


def _unreadable(path: Path, error: OSError) -> ConfigError:
    return _error(
        path,
        f"can't be read ({error.strerror})",
        "let the user that runs Fencepost read it (ls -l shows who may)",
    )


def _decode(path: Path, raw: bytes) -> str:
    if not raw.strip():
        raise _error(path, "is empty", "write the settings, or delete the file")
    remedy = "save it as UTF-8 without a byte order mark"
    if raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise _error(path, "starts with a byte order mark", remedy, 1)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _error(path, "is not UTF-8 text", remedy, line) from None


def _parse(path: Path, text: str) -> Mapping[str, object]:
    remedy = "write plain settings; fencepost schema shows them"
    if (deep := _DEEP_KEY.search(text)) is not None:
        line = text.count("\n", 0, deep.start()) + 1
        raise _error(path, "holds a key of more than 32 parts", remedy, line)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, line = str(error), text.count("\n") + (not text.endswith("\n"))
        if (match := _AT_LINE.search(message)) is not None:
            message, line = message[: match.start()], int(match[1])
        message = f"is no TOML: {_plain(message)}"
        raise _error(path, message, "mend the line; was the file saved whole?", line) from None
    except (ValueError, RecursionError):
        message = "is no TOML that can be read: a number or a nesting is too large"
        raise _error(path, message, remedy) from None


def _plain(message: str) -> str:
    """The parser's own words in our manner; they name positions and characters, not values."""
    text = message.replace(" (at end of document)", " at the end")
    return text[:1].lower() + text[1:200]
