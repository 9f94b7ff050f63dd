"""Which parts of a mail are what it says, and which are attached to it.

Chosen as a person reads: the alternative that a mail program shows, the text of a signed or
reported mail, several texts one after the other. What is shown inside the text is not attached.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from providers.mime.charset import decode
from providers.mime.content import TEXT_BYTES, body, size, unwrap_uu
from providers.mime.flowed import unflow
from providers.mime.html import TEXT_CHARS, bounded, tree_to_text
from providers.mime.invisible import visible
from providers.mime.message import Attachment
from providers.mime.params import Structured, file_name, parse_structured
from providers.mime.scan import TOO_DEEP, Part

ATTACHMENTS_MAX: Final = 500
"""The most attachments that are listed."""
HTML_BYTES: Final = 8 * 1024 * 1024
"""How much of an HTML part is decoded; pictures are written into it as text."""
PIECE: Final = 16
"""Length of the pieces of text by which two alternatives are compared."""
COMPARED: Final = 200_000
"""How many letters of each alternative are compared."""
NEARBY: Final = 4000
"""How far behind the last piece the next one is looked for first; so the whole stays linear."""
AGREE: Final = 0.45
"""The share of what the HTML shows that a plain text says which stands for it."""

UNSEEN: Final = 0.05
"""The share of letters that may stand in the plain text alone."""
UNSEEN_LETTERS: Final = 80
"""So many of them may always: a short line about viewing it in a browser."""

READABLE: Final = frozenset(("text/plain", "text/html", "text/calendar", "text/enriched"))
_PICTURE: Final = re.compile(r"data:[^\"'\s<>()]{200,}")
_URL: Final = re.compile(r"<?\b(?:https?://|www\.|mailto:)\S+")
_NO_LETTERS: Final = re.compile(r"[\W\d_]+")
_CID: Final = re.compile(r"[\"'(]\s*cid:([^\"')\s]+)", re.IGNORECASE)
_CALENDAR_LINE: Final = re.compile(
    r"^(SUMMARY|DTSTART|DTEND|LOCATION|DESCRIPTION|COMMENT)[^:\n]*:(.*)$", re.M
)


@dataclass(slots=True)
class Body:
    """What the parts of one mail came to."""

    texts: list[str] = field(default_factory=list)
    html: str | None = None
    attachments: list[Attachment] = field(default_factory=list)
    unreadable: str | None = None
    notes: list[str] = field(default_factory=list)

    def note(self, text: str | None) -> None:
        if text is not None and text not in self.notes:
            self.notes.append(text)


class Reader:
    """Walks the tree once and collects; the bytes stay where they are."""

    def __init__(self, raw: bytes, charset: str | None) -> None:
        self.raw = raw
        self.charset = charset
        self.out = Body()
        self.lenient = False
        self.used: set[int] = set()
        self.htmls: list[str] = []

    def disposition(self, part: Part) -> Structured:
        return parse_structured(part.headers.first("content-disposition"), self.charset)

    def name(self, part: Part) -> str:
        return file_name(self.disposition(part), part.kind)

    def attached(self, part: Part) -> bool:
        """Whether a text part is an attachment rather than something to read.

        One that only has a name is attached to the others, but the text where there is no other.
        """
        disposition = self.disposition(part)
        if disposition.value == "attachment":
            return True
        return disposition.value != "inline" and not self.lenient and bool(self.name(part))

    def plain(self, part: Part) -> str:
        """The text of one readable part, hidden characters gone."""
        self.used.add(id(part))
        kind = part.kind
        rich = kind.value == "text/html"
        raw, cut = body(self.raw, part, HTML_BYTES if rich else TEXT_BYTES)
        if cut:
            self.out.note("a long text part was cut")
        if rich:
            return self.html(raw, kind.params.get("charset"))
        raw, files = unwrap_uu(raw)
        self.out.attachments += [
            Attachment(name=name, type="application/octet-stream", size=length)
            for name, length in files
        ]
        decoded = decode(raw, kind.params.get("charset") or None)
        self.out.note(decoded.note)
        text = visible(decoded.text)
        if kind.value == "text/calendar":
            return _calendar(text)
        if kind.value == "text/enriched":
            return re.sub(r"<(?:(<)|/?[a-zA-Z][^<>]{0,60}>)", r"\1", text)
        if kind.params.get("format", "").lower() == "flowed":
            text = unflow(text, delsp=kind.params.get("delsp", "").lower() == "yes")
        return text[:TEXT_CHARS]

    def html(self, raw: bytes, charset: str | None) -> str:
        decoded = decode(raw, charset or _meta_charset(raw))
        self.out.note(decoded.note)
        text = _PICTURE.sub("", decoded.text) if "data:" in decoded.text else decoded.text
        html = bounded(text)
        if len(html) + text.count("\0") < len(text):
            self.out.note("the HTML is too long or too deep; its end was not read")
        self.htmls.append(html)
        return tree_to_text(LexborHTMLParser(html))

    def read(self, part: Part) -> list[str]:
        """The texts to read of *part* and what it contains, in their order."""
        kind = part.kind.value
        if not part.children:
            if kind.startswith("multipart/"):
                return self._childless(part)
            if kind in READABLE and not self.attached(part):
                return [self.plain(part)]
            return []
        if kind == "multipart/alternative":
            return self.alternative(part)
        if kind in ("multipart/signed", "multipart/report", "multipart/appledouble"):
            first = part.children[1 if kind.endswith("double") and part.children[1:] else 0]
            return self.read(first)
        if kind == "multipart/related":
            return self.read(self._root(part))
        if kind == "multipart/encrypted":
            return []
        return self._in_turn(part)

    def _in_turn(self, part: Part) -> list[str]:
        """The texts of all parts, but not the same one again as HTML."""
        texts: list[str] = []
        for child in part.children:
            found = self.read(child)
            if child.kind.value == "text/html" and any(
                agree(text, new) for text in texts for new in found if new.strip()
            ):
                continue
            texts += found
        return texts

    def _childless(self, part: Part) -> list[str]:
        """A multipart without parts is text, unless it was not opened or is empty."""
        if TOO_DEEP in self.out.notes and part.depth:
            return []
        raw, _ = body(self.raw, part)
        self.used.add(id(part))
        text = decode(raw, part.kind.params.get("charset")).text
        return [visible(text)] if text.strip() else []

    def _root(self, part: Part) -> Part:
        """The part of a multipart/related that the others belong to (RFC 2387)."""
        start = part.kind.params.get("start", "").strip("<> ")
        for child in part.children:
            given = child.headers.first("content-id") or b""
            if start and given.decode("latin-1").strip("<> \r\n") == start:
                return child
        for child in part.children:
            if child.kind.value.startswith(("text/", "multipart/")):
                return child
        return part.children[0]

    def alternative(self, part: Part) -> list[str]:
        """The alternative that a person sees: plain text while it says what the HTML shows."""
        plain: list[str] = []
        rich: list[str] = []
        calendar: Part | None = None
        for child in part.children:
            if child.kind.value == "text/calendar":
                calendar = child
            elif child.kind.value in ("text/plain", "text/enriched"):
                plain = plain if has_text(plain) else self.read(child)
            elif child.kind.value == "text/html" or child.kind.value.startswith("multipart/"):
                found = self.read(child)
                rich = found if has_text(found) or not rich else rich
        if calendar is not None:
            self.used.add(id(calendar))
        if not has_text(plain):
            return rich if has_text(rich) or calendar is None else [self.plain(calendar)]
        if not has_text(rich) or agree("\n".join(plain), "\n".join(rich)):
            return plain
        self.out.note("the plain text does not say what the HTML shows; the HTML was read")
        return rich

    def attach(self, root: Part) -> None:
        """List every leaf that was not read."""
        pictured = (html for html in self.htmls if "cid:" in html.lower())
        shown = {name for html in pictured for name in _CID.findall(html)}
        for part in root.walk():
            if part.children or id(part) in self.used:
                continue
            if part is root and part.kind.value in READABLE and not self.attached(part):
                continue
            if len(self.out.attachments) == ATTACHMENTS_MAX:
                self.out.note(f"more than {ATTACHMENTS_MAX} attachments")
                return
            if self._embedded(part, shown):
                continue
            name = self.name(part)
            self.out.attachments.append(
                Attachment(name=name, type=part.kind.value, size=size(self.raw, part))
            )

    def _embedded(self, part: Part, shown: set[str]) -> bool:
        """Whether *part* is a picture that the HTML shows in its text."""
        given = part.headers.first("content-id")
        if given is None or not part.kind.value.startswith("image/"):
            return False
        return given.decode("latin-1").strip("<> \r\n") in shown


def has_text(texts: list[str]) -> bool:
    return any(text.strip() for text in texts)


def _meta_charset(raw: bytes) -> str | None:
    """The character set that HTML names in its own head."""
    found = re.search(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", raw[:4096], re.I)
    return found[1].decode("ascii", "replace") if found else None


def _letters(text: str) -> str:
    near = text[: 4 * COMPARED]
    return _NO_LETTERS.sub("", _URL.sub("", near)).casefold()[:COMPARED]


def agree(plain: str, rich: str) -> bool:
    """Whether a plain alternative says what the HTML shows, and next to nothing that it hides.

    Compared are letters alone, in short pieces, so that wrapped lines, marks of quotation, list
    numbers and the addresses of links make no difference.
    """
    one, other = _letters(plain), _letters(rich)
    if min(len(one), len(other)) < PIECE:
        return one == other
    unseen = at = 0
    for start in range(0, len(one), PIECE):
        piece = one[start : start + PIECE]
        found = other.find(piece, at, at + NEARBY)
        if found < 0 and unseen < NEARBY:
            found = other.find(piece)
        if found < 0:
            unseen += len(piece)
        else:
            at = found + len(piece)
    said = len(one) - unseen
    return said >= AGREE * len(other) and unseen <= max(UNSEEN_LETTERS, UNSEEN * len(one))


def _calendar(text: str) -> str:
    """An invitation in words: the lines of its first event that a person reads (RFC 5545)."""
    unfolded = re.sub(r"\n[ \t]", "", text)
    event = unfolded.partition("BEGIN:VEVENT")[2] or unfolded
    lines = []
    for name, value in _CALENDAR_LINE.findall(event.partition("END:VEVENT")[0]):
        shown = value.replace("\\n", "\n").replace("\\N", "\n")
        shown = re.sub(r"\\([,;\\])", r"\1", shown).strip()
        if shown:
            lines.append(f"{name.capitalize()}: {shown}")
    return "\n".join(lines)
