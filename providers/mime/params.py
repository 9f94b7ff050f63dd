"""Content-Type and Content-Disposition: the value and its parameters, as they are really sent.

RFC 2231 continuations and character sets, encoded words inside parameters (forbidden and common),
raw eight-bit names, names without quotes that hold spaces, parameters without a value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote_to_bytes

from providers.mime.charset import decode
from providers.mime.headers import decode_text, raw_text
from providers.mime.invisible import visible_line

PARAMETERS_MAX: Final = 200
"""The most parameters of one header; a long name cut by RFC 2231 makes a few dozen."""
NAME_CHARS: Final = 255
"""The longest file name that is kept, as file systems have it."""

_PARAMETER: Final = re.compile(
    r"\s*(?P<name>[^\s=;\"]{1,100}+)\s*+(?:=\s*+(?P<value>\"(?:[^\"\\]|\\.)*+\"?|[^;\"]*+))?[^;]*+(?:;|\Z)",
    re.DOTALL,
)
_SPACES: Final = re.compile(r"\s+")
_ESCAPED: Final = re.compile(r"\\([\"\\])")
_SECTION: Final = re.compile(r"(?P<name>[^*]+)\*(?:(?P<number>\d{1,3})(?P<coded>\*)?)?\Z")
_MEDIA_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]{1,127}/[a-z0-9!#$&^_.+-]{1,127}")


@dataclass(frozen=True, slots=True)
class Structured:
    """A header of the form ``value; name=text``: lower-case value, parameters decoded."""

    value: str
    params: dict[str, str] = field(default_factory=dict)


def _unquote(text: str) -> str:
    text = text.strip()
    if text.startswith('"'):
        text = text[1:-1] if len(text) > 1 and text.endswith('"') else text[1:]
        return _ESCAPED.sub(r"\1", text)
    return text


def _coded(text: str) -> str:
    """One RFC 2231 value: ``charset'language'percent-encoded``; without quotes marks UTF-8."""
    charset, mark, rest = text.partition("'")
    if mark and "'" in rest:
        return decode(unquote_to_bytes(rest.partition("'")[2]), charset or "utf-8").text
    return decode(unquote_to_bytes(text), "utf-8").text


def _continued(sections: dict[int, tuple[bool, str]]) -> str:
    """The pieces of an RFC 2231 continuation put together, in the order of their numbers."""
    charset = "utf-8"
    out = bytearray()
    for index, number in enumerate(sorted(sections)):
        coded, text = sections[number]
        if index == 0 and coded and text.count("'") >= 2:
            label, _, text = text.split("'", 2)
            charset = label or charset
        out += unquote_to_bytes(text) if coded else text.encode("utf-8", "replace")
    return decode(bytes(out), charset).text


def parse_structured(value: bytes | None, charset: str | None = None) -> Structured:
    """Read a raw Content-Type or Content-Disposition; a broken parameter costs only itself."""
    if not value:
        return Structured("")
    text = raw_text(value, charset)
    head, _, rest = _SPACES.sub(" ", text).partition(";")
    plain: dict[str, str] = {}
    pieces: dict[str, dict[int, tuple[bool, str]]] = {}
    for count, found in enumerate(_PARAMETER.finditer(rest)):
        if count == PARAMETERS_MAX:
            break
        name, raw = found["name"].lower(), found["value"]
        if raw is None:
            continue
        content = _unquote(raw)
        section = _SECTION.fullmatch(name)
        if section is None:
            plain.setdefault(name, decode_text(content))
        elif section["number"] is None:
            pieces.setdefault(section["name"], {})[-1] = (True, content)
        else:
            number = int(section["number"])
            entry = (section["coded"] is not None, content)
            pieces.setdefault(section["name"], {}).setdefault(number, entry)
    for name, sections in pieces.items():
        whole = sections.pop(-1, None)
        decoded = _coded(whole[1]) if whole is not None else _continued(sections)
        if decoded.strip():
            plain[name] = visible_line(decoded)
    return Structured(head.strip().lower(), plain)


def media_type(value: bytes | None, charset: str | None = None) -> Structured:
    """A Content-Type; what names no media type is ``text/plain`` (RFC 2045 section 5.2)."""
    found = parse_structured(value, charset)
    kind = decode_text(found.value).strip("\"' ").partition(" ")[0]
    if kind == "text":
        kind = "text/plain"
    if _MEDIA_TYPE.fullmatch(kind) is None:
        kind = "text/plain" if not kind or "/" not in kind else "application/octet-stream"
    return Structured(kind, found.params)


def file_name(disposition: Structured, kind: Structured) -> str:
    """The name of a part without folders; "" where none is given."""
    for source, key in ((disposition, "filename"), (kind, "name"), (disposition, "name")):
        name = source.params.get(key, "").replace("\\", "/").rstrip("/").rpartition("/")[2].strip()
        if name:
            return name[:NAME_CHARS]
    return ""
