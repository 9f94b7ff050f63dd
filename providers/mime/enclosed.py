"""What lies inside winmail.dat and inside an opaque S/MIME signature.

Outlook sends both to people whose mail programs cannot open them, and then the whole text is in
there. Only the text, the names of files and the signed content are taken out; nothing is verified
or decrypted. Every length comes from a stranger: reads stay inside the bytes, loops are bounded,
and whatever is broken yields what came before it. Nothing raises. Sources: MS-OXTNEF, MS-OXRTFCP,
RFC 5652 sections 3 and 5.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from providers.mime.charset import codec_for, decode
from providers.mime.html import html_to_text
from providers.mime.invisible import visible, visible_line
from providers.mime.message import Attachment

ENCLOSED_BYTES: Final = 8 * 1024 * 1024
"""How much of an enclosure is decoded; text comes before files in what Outlook writes."""
RTF_BYTES: Final = 4 * 1024 * 1024
"""How long rich text may become when it is unpacked."""
ITEMS_MAX: Final = 5000
"""How many attributes, properties or elements of one enclosure are looked at."""
NESTING_MAX: Final = 8
"""How deep octet strings in pieces may nest."""

_SIGNATURE: Final = 0x223E9F78
_BODY, _PROPERTIES, _CODEPAGE = 0x0002800C, 0x00069003, 0x00069007
_FILE_BEGINS, _FILE_TITLE = 0x00069002, 0x00018010
_FILE_DATA, _FILE_PROPERTIES = 0x0006800F, 0x00069005
_TEXT, _RTF, _HTML, _LONG_NAME = 0x1000, 0x1009, 0x1013, 0x3707
_FIXED: Final = {
    0x2: 4, 0x3: 4, 0x4: 4, 0x5: 8, 0x6: 8, 0x7: 8, 0xA: 4, 0xB: 4, 0x14: 8, 0x40: 8, 0x48: 16,
}  # fmt: skip
_VARIABLE: Final = frozenset((0x0D, 0x1E, 0x1F, 0x102))
_RTF_START: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_RTF_TOKEN: Final = re.compile(
    rb"\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\([^a-zA-Z])"
    rb"|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_RTF_SKIPPED: Final = frozenset(
    (b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object")
)
_RTF_BREAKS: Final = {b"par": "\n", b"line": "\n", b"tab": "\t", b"cell": " ", b"row": "\n"}


@dataclass(slots=True)
class Winmail:
    """The text of a winmail.dat ("" if there is none) and the files in it."""

    text: str = ""
    files: list[Attachment] = field(default_factory=list)


def _number(raw: bytes, position: int) -> int:
    """A 32-bit number; raises struct.error where the bytes end."""
    found: int = struct.unpack_from("<I", raw, position)[0]
    return found


def _attributes(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """The attributes of a TNEF stream: level, id, length, data, checksum."""
    position = 6
    for _ in range(ITEMS_MAX):
        if position + 9 > len(raw):
            return
        name, length = struct.unpack_from("<II", raw, position + 1)
        yield name, raw[position + 9 : position + 9 + length]
        position += 9 + length + 2


def _skip_name(raw: bytes, position: int) -> int:
    """The position behind the name of a named property."""
    if _number(raw, position + 16) == 0:
        return position + 24
    length = _number(raw, position + 20)
    return position + 24 + length + (-length) % 4


def _properties(raw: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The properties of one MAPI block: id, type, first value. Ends where one is broken."""
    position = 4
    try:
        for _ in range(ITEMS_MAX):
            kind, name = struct.unpack_from("<HH", raw, position)
            position += 4
            if name >= 0x8000:
                position = _skip_name(raw, position)
            count = 1
            if kind & 0x1000 or kind & 0xFFF in _VARIABLE:
                count = _number(raw, position)
                position += 4
            for number in range(min(count, ITEMS_MAX)):
                length = _FIXED.get(kind & 0xFFF, 0)
                if kind & 0xFFF in _VARIABLE:
                    length = _number(raw, position)
                    position += 4
                elif not length:
                    return
                if number == 0:
                    yield name, kind & 0xFFF, raw[position : position + length]
                position += length + (-length) % 4
    except struct.error:
        return


def _string(kind: int, value: bytes, codec: str) -> str:
    text = value.decode("utf-16-le", "replace") if kind == 0x1F else decode(value, codec).text
    return text.partition("\0")[0]


def unpack_rtf(raw: bytes) -> bytes:
    """Compressed rich text unpacked (MS-OXRTFCP); what is damaged ends early."""
    if len(raw) < 16:
        return b""
    size, magic = _number(raw, 4), raw[8:12]
    if magic == b"MELA":
        return raw[16 : 16 + size]
    window = bytearray(_RTF_START.ljust(4096, b"\0"))
    at, out, position = len(_RTF_START), bytearray(), 16
    while position < len(raw) and len(out) < min(size, RTF_BYTES):
        flags = raw[position]
        position += 1
        for bit in range(8):
            if position >= len(raw) or len(out) >= size:
                break
            if not flags >> bit & 1:
                piece = raw[position : position + 1]
                position += 1
            else:
                reference = int.from_bytes(raw[position : position + 2], "big")
                position += 2
                start, length = reference >> 4, (reference & 15) + 2
                if start == at:
                    return bytes(out)
                piece = b""
                for offset in range(length):
                    byte = window[(start + offset) & 4095]
                    piece += bytes((byte,))
                    window[(at + offset) & 4095] = byte
            for offset, byte in enumerate(piece):
                window[(at + offset) & 4095] = byte
            at = (at + len(piece)) & 4095
            out += piece
    return bytes(out)


class _RichText:
    """Reads the text out of rich text: groups that are not text are left out."""

    def __init__(self, codec: str) -> None:
        self._codec = codec
        self._out: list[str] = []
        self._bytes = bytearray()
        self._groups: list[bool] = []
        self._skipped = False
        self._swallow = 0

    def _flush(self) -> None:
        if self._bytes:
            self._out.append(decode(bytes(self._bytes), self._codec).text)
            self._bytes.clear()

    def _put(self, text: str) -> None:
        self._flush()
        self._out.append(text)

    def _word(self, word: bytes, number: bytes | None) -> None:
        if word in _RTF_SKIPPED:
            self._skipped = True
        elif word == b"ansicpg" and number is not None:
            self._codec = codec_for("cp" + number.decode("ascii")) or self._codec
        elif self._skipped:
            return
        elif word == b"u" and number is not None:
            self._put(chr(int(number) % 0x10000))
            self._swallow = 1
        elif word in _RTF_BREAKS:
            self._put(_RTF_BREAKS[word])

    def _text(self, raw: bytes) -> None:
        if self._swallow:
            raw, self._swallow = raw[1:], 0
        if not self._skipped:
            self._bytes += raw

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._skipped = True
        elif symbol in b"{}\\":
            self._text(symbol)
        elif symbol == b"~":
            self._text(b" ")

    def read(self, raw: bytes) -> str:
        for token in _RTF_TOKEN.finditer(raw):
            code, word, number, symbol, brace, text = token.groups()
            if brace == b"{":
                self._groups.append(self._skipped)
            elif brace == b"}":
                self._skipped = self._groups.pop() if self._groups else False
            elif code is not None:
                self._text(bytes((int(code, 16),)))
            elif word is not None:
                self._word(word, number)
            elif symbol is not None:
                self._symbol(symbol)
            elif text is not None:
                self._text(text)
        self._flush()
        joined = "".join(self._out).encode("utf-16-le", "surrogatepass")
        return joined.decode("utf-16-le", "replace")


def _best_text(found: dict[int, tuple[int, bytes]], plain: bytes, codec: str) -> str:
    """The text of a TNEF message: the plain property, HTML, the old body, rich text."""
    if _TEXT in found and (text := _string(*found[_TEXT], codec)).strip():
        return text
    if _HTML in found:
        kind, value = found[_HTML]
        html = _string(kind, value, codec) if kind == 0x1F else decode(value, codec).text
        if (text := html_to_text(html)).strip():
            return text
    if plain.strip(b"\0 \r\n"):
        return decode(plain, codec).text.partition("\0")[0]
    return _RichText(codec).read(unpack_rtf(found[_RTF][1])) if _RTF in found else ""


@dataclass(slots=True)
class _Tnef:
    """What the attributes of a TNEF stream have said so far."""

    codec: str = "cp1252"
    plain: bytes = b""
    found: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def attribute(self, name: int, data: bytes) -> None:
        if name == _CODEPAGE and len(data) >= 4:
            self.codec = codec_for(f"cp{_number(data, 0)}") or self.codec
        elif name == _BODY:
            self.plain = data
        elif name == _PROPERTIES:
            self.found.update({key: (kind, value) for key, kind, value in _properties(data)})
        elif name == _FILE_BEGINS:
            self.titles.append("")
            self.sizes.append(0)
        elif self.titles:
            self._file(name, data)

    def _file(self, name: int, data: bytes) -> None:
        if name == _FILE_TITLE:
            self.titles[-1] = _string(0x1E, data, self.codec)
        elif name == _FILE_DATA:
            self.sizes[-1] = len(data)
        elif name == _FILE_PROPERTIES:
            for key, kind, value in _properties(data):
                if key == _LONG_NAME:
                    self.titles[-1] = _string(kind, value, self.codec)


def read_winmail(raw: bytes) -> Winmail:
    """The text and the files of a winmail.dat; empty where it holds none or is none."""
    if len(raw) < 6 or _number(raw, 0) != _SIGNATURE:
        return Winmail()
    tnef = _Tnef()
    for name, data in _attributes(raw):
        tnef.attribute(name, data)
    files = [
        Attachment(name=visible_line(title)[:255], type="application/octet-stream", size=size)
        for title, size in zip(tnef.titles, tnef.sizes, strict=True)
    ]
    return Winmail(visible(_best_text(tnef.found, tnef.plain, tnef.codec)), files)


def _element(raw: bytes, position: int) -> tuple[int, int, int, int] | None:
    """One BER element: tag, begin and end of its content (-1: until the end mark), next."""
    if position + 2 > len(raw):
        return None
    tag, length = raw[position], raw[position + 1]
    start = position + 2
    if length == 0x80:
        return tag, start, -1, -1
    if length > 0x80:
        count = length & 0x7F
        if count > 4 or start + count > len(raw):
            return None
        length = int.from_bytes(raw[start : start + count], "big")
        start += count
    return tag, start, min(len(raw), start + length), start + length


def _octets(raw: bytes, position: int) -> bytes:
    """An octet string, whole or in pieces, from *position* on; nested pieces are opened."""
    out = bytearray()
    depth = 0
    for _ in range(len(raw)):
        element = _element(raw, position)
        if element is None:
            break
        tag, start, end, _ = element
        if tag == 0x04 and end >= 0:
            out += raw[start:end]
            position = end
            if depth == 0:
                break
        elif tag == 0x24 and depth < NESTING_MAX:
            depth += 1
            position = start
        else:
            break
    return bytes(out)


def signed_content(raw: bytes) -> bytes | None:
    """What an opaque S/MIME signature encloses, or None where this is no such thing.

    Walks down ContentInfo, SignedData and EncapsulatedContentInfo; a signature without content
    (detached) or an encrypted envelope gives None.
    """
    signed = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"
    data = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"
    outer = raw.find(signed, 0, 32)
    inner = raw.find(data, outer + len(signed), outer + 4096) if outer >= 0 else -1
    if inner < 0:
        return None
    wrapper = _element(raw, inner + len(data))
    if wrapper is None or wrapper[0] != 0xA0:
        return None
    return _octets(raw, wrapper[1]) or None
