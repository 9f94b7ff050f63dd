"""Bytes to text when the label may be missing, wrong or unknown.

The ladder: the declared character set under the names that mail really uses (as the superset that
mail programs decode it with), strict UTF-8, detection, and last windows-1252, which knows every
byte. Each result says which rung it came from. Nothing here raises and nothing is lost in silence:
a byte without a meaning becomes U+FFFD.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cchardet

SAMPLE_BYTES: Final = 64 * 1024
"""How much of a text the detector sees: enough to be sure, short enough never to hold a thread."""

_SUPERSETS: Final = {
    # The label names the small set, the bytes come from the vendor's larger one (WHATWG Encoding).
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "cp950",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "iso8859-8": "cp1255",
    "iso2022_jp": "iso2022_jp",
}
_ALIASES: Final = {
    "utf8mb4": "utf-8",
    "utf8mb3": "utf-8",
    "unicode11utf8": "utf-8",
    "unicode20utf8": "utf-8",
    "unicode11utf7": "utf-7",
    "xunicode20utf7": "utf-7",
    "unicode": "utf-16",
    "ucs2": "utf-16",
    "iso10646ucs2": "utf-16",
    "ansi": "cp1252",
    "win1252": "cp1252",
    "xansi": "cp1252",
    "iso88598i": "cp1255",
    "iso88598e": "cp1255",
    "logical": "cp1255",
    "visual": "cp1255",
    "iso88596i": "iso8859-6",
    "iso88596e": "iso8859-6",
    "asmo708": "iso8859-6",
    "ksc56011987": "cp949",
    "ksc56011989": "cp949",
    "ksc5601": "cp949",
    "korean": "cp949",
    "windows949": "cp949",
    "cp51949": "cp949",
    "xsjis": "cp932",
    "mskanji": "cp932",
    "windows31j": "cp932",
    "cswindows31j": "cp932",
    "xeucjp": "euc_jp",
    "cp51932": "euc_jp",
    "eucjpms": "euc_jp",
    "cp50220": "iso2022_jp",
    "cp50221": "iso2022_jp",
    "cp50222": "iso2022_jp",
    "iso2022jpms": "iso2022_jp",
    "xgbk": "gb18030",
    "windows936": "gb18030",
    "cp936": "gb18030",
    "euccn": "gb18030",
    "xeuccn": "gb18030",
    "chinese": "gb18030",
    "gb231280": "gb18030",
    "hzgb2312": "hz",
    "xxbig5": "cp950",
    "windows950": "cp950",
    "big5eten": "cp950",
    "big5hkscs2004": "big5hkscs",
    "koi8": "koi8-r",
    "xkoi8r": "koi8-r",
    "koi8ru": "koi8-u",
    "xmacroman": "mac_roman",
    "xmaccyrillic": "mac_cyrillic",
    "xmacukrainian": "mac_cyrillic",
    "xmacjapanese": "cp932",
    "xmacce": "mac_latin2",
    "xmacgreek": "mac_greek",
    "xmacturkish": "mac_turkish",
    "windows874": "cp874",
    "dos874": "cp874",
    "windows1258vn": "cp1258",
    "tcvn": "cp1258",
}
_NOT_FOR_MAIL: Final = frozenset({
    # Codecs of Python that are no character set, or that a stranger's label must not choose.
    # EBCDIC is one of these: no mail is written in it, and it would turn plain letters round.
    "idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem",
    "cp037", "cp273", "cp424", "cp500", "cp875", "cp1026", "cp1140",
})  # fmt: skip
_WESTERN: Final = frozenset(("cp1252", "iso8859-15", "mac-roman"))
_NOT_JIS: Final = _WESTERN | {"utf-8", "cp932", "euc_jp"}
"""Sets that never hold the escapes of ISO-2022-JP, so that these mean what they say."""
_NOT_ASCII: Final = frozenset(("utf-7", "hz", "iso2022_kr"))
"""Sets in which bytes below 0x80 may mean something else, without an escape character."""
_WITHOUT_SEPARATORS: Final = re.compile(r"[^a-z0-9]")
_LABEL_END: Final = re.compile(r"[;,\s\"'<>]")

_LEAD_AND_REST: Final = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
    # cut short, written overlong, or a surrogate: made by UTF-8 software all the same
    rb"|[\xe1-\xef][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{1,2}|[\xc0\xc1][\x80-\xbf]|[\xc2-\xf4]\Z"
)
_HIGH: Final = re.compile(rb"[\x80-\xff]")
_JIS_ESCAPE: Final = re.compile(rb"\x1b(\$[@B]|\$\([@BD]|\([BJIH])")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the character set it was read as, and a note where that is not the declared one."""

    text: str
    charset: str
    note: str | None = None


@lru_cache(maxsize=512)
def codec_for(label: str) -> str | None:
    """Python's codec for a mail's charset *label*, or None when the label says nothing."""
    label = _LABEL_END.split(label.strip("\"' \t").lower(), maxsplit=1)[0][:64]
    bare = _WITHOUT_SEPARATORS.sub("", label)
    for name in (_ALIASES.get(bare), label, bare, bare.removeprefix("x"), bare.removeprefix("cs")):
        if not name:
            continue
        try:
            found = codecs.lookup(name)
        except (LookupError, ValueError):
            continue
        canonical = found.name
        if canonical in _NOT_FOR_MAIL or canonical.replace("_", "-") in _NOT_FOR_MAIL:
            return None
        if getattr(found, "_is_text_encoding", True):
            return _SUPERSETS.get(canonical, canonical)
    return None


def _jis(raw: bytes) -> str:
    """ISO-2022-JP as mail programs write it, with the vendor rows that Python's codecs refuse."""
    pieces = _JIS_ESCAPE.split(raw)
    out = [pieces[0].decode("ascii", "replace")]
    for escape, run in zip(pieces[1::2], pieces[2::2], strict=False):
        if escape == b"(I":
            out.append(bytes(byte | 0x80 for byte in run).decode("cp932", "replace"))
        elif escape.startswith(b"("):
            out.append(run.decode("ascii", "replace"))
        elif escape == b"$(D":
            out.append((b"\x1b$(D" + run).decode("iso2022_jp_1", "replace"))
        else:
            out.append(_two_byte_jis(run))
    return "".join(out)


def _two_byte_jis(run: bytes) -> str:
    """A run of JIS X 0208 pairs, through cp932 because that one has NEC's and IBM's rows too."""
    out = bytearray()
    position = 0
    while position < len(run):
        first = run[position]
        if first < 0x21 or position + 1 == len(run):
            out.append(first if first < 0x80 else 0x3F)
            position += 1
            continue
        second = run[position + 1] & 0x7F
        first &= 0x7F
        position += 2
        trail = second + (0x1F if first % 2 else 0x7E)
        if first % 2 and trail >= 0x7F:
            trail += 1
        lead = (first - 0x21) // 2 + 0x81
        out += bytes((lead + 0x40 if lead > 0x9F else lead, trail & 0xFF))
    return bytes(out).decode("cp932", "replace")


def _cp1252(raw: bytes) -> str:
    """windows-1252 for any bytes: its five holes read as Latin-1, as browsers do."""
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(
            bytes((byte,)).decode("cp1252", "ignore") or chr(byte) if byte > 0x7F else chr(byte)
            for byte in raw
        )


def _strict(raw: bytes, codec: str) -> str | None:
    if codec == "cp1252":
        return _cp1252(raw)
    try:
        return raw.decode(codec)
    except (UnicodeError, LookupError, ValueError):
        pass
    if codec.startswith("iso2022_jp"):
        return _jis(raw) if not _HIGH.search(raw) else None
    if codec == "cp950":
        return _strict(raw, "big5hkscs")
    if codec == "euc_jp":
        return _strict(raw, "euc_jis_2004")
    return None


def _mostly_utf8(raw: bytes) -> bool:
    """Whether damaged bytes were UTF-8 once: at least as many sequences as bytes outside one."""
    rest = _LEAD_AND_REST.sub(b"", raw[:SAMPLE_BYTES])
    sequences = len(_LEAD_AND_REST.findall(raw[:SAMPLE_BYTES]))
    return sequences > 0 and sequences >= len(_HIGH.findall(rest))


def _detected(raw: bytes) -> tuple[str, str] | None:
    found = cchardet.detect(raw[:SAMPLE_BYTES])
    label, confidence = found.get("encoding"), found.get("confidence") or 0.0
    codec = codec_for(label) if label else None
    if codec is None or confidence < 0.5:
        return None
    text = _strict(raw, codec)
    return None if text is None else (text, codec)


def _by_bom(raw: bytes) -> Decoded | None:
    for mark, codec in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if raw.startswith(mark):
            text = _strict(raw, codec)
            if text is not None:
                return Decoded(text, codec)
    return None


def decode(raw: bytes, declared: str | None) -> Decoded:
    """The text of *raw*, whose label is *declared* (None or "" where there is none)."""
    codec = codec_for(declared) if declared else None
    if raw.isascii() and codec not in _NOT_ASCII and b"\x1b" not in raw and b"\0" not in raw:
        note = f"unknown character set {declared!r}" if declared and codec is None else None
        return Decoded(raw.decode("ascii"), codec or "us-ascii", note)
    bom = _by_bom(raw)
    if bom is not None:
        return bom
    if b"\x1b$" in raw and not _HIGH.search(raw) and (codec is None or codec in _NOT_JIS):
        return Decoded(_jis(raw), "iso2022_jp", f"declared {declared}, read as iso-2022-jp")
    if codec is None:
        return _guess(raw, declared, codec)
    text = _strict(raw, "utf-8") if codec in _WESTERN else None
    if text is not None:
        return Decoded(text, "utf-8", f"declared {declared}, read as utf-8")
    text = _strict(raw, codec)
    return _guess(raw, declared, codec) if text is None else Decoded(text, codec)


def _guess(raw: bytes, declared: str | None, codec: str | None) -> Decoded:
    """The rungs below the label."""
    said = f"declared {declared}" if declared else "no character set declared"
    text = _strict(raw, "utf-8")
    if text is not None:
        return Decoded(text, "utf-8", f"{said}, read as utf-8")
    if _mostly_utf8(raw):
        return Decoded(raw.decode("utf-8", "replace"), "utf-8", f"{said}, damaged utf-8")
    if codec is not None and codec not in ("utf-8", "utf-7", "ascii"):
        text = raw.decode(codec, "replace")
        if text.count("\ufffd") * 20 <= len(text):
            return Decoded(text, codec, f"{said}, damaged")
    found = _detected(raw)
    if found is not None:
        return Decoded(found[0], found[1], f"{said}, detected as {found[1]}")
    return Decoded(_cp1252(raw), "cp1252", f"{said}, read as windows-1252 at last")
