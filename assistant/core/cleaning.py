"""What a model's text may not keep: links, images, addresses, numbers and codes.

Promise 9 by code: whatever a mail talked a model into, a draft can't point anywhere or carry a
number that neither the owner's file nor a message of the owner holds. What is taken out leaves a
visible mark, so that the owner sees that something was there and can put it back.

Obfuscated forms that a mail program or a helpful reader would still follow count as well: letters
and dots of other alphabets' width, "[.]", "(at)", " dot com", addresses without a scheme. Where it
is unclear it is taken out. Pure, total, linear in a bounded text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from providers.mime.invisible import visible

LINK: Final = "[link removed]"
ADDRESS: Final = "[address removed]"
IMAGE: Final = "[image removed]"
NUMBER: Final = "[number removed]"
CODE: Final = "[code removed]"
MARKERS: Final = (LINK, ADDRESS, IMAGE, NUMBER, CODE)

_WIDE: Final = (
    (0xFF10, 0xFF19),
    (0xFF21, 0xFF3A),
    (0xFF41, 0xFF5A),
    (0x1D400, 0x1D7FF),
    (0x2460, 0x24E9),
    (0x1F130, 0x1F189),
)
"""Letters and digits in other widths, frames and founts."""
_NARROW: Final = str.maketrans(
    {"．": ".", "․": ".", "＠": "@", "﹫": "@", "／": "/", "⁄": "/", "∕": "/", "\\": "\\"}
)
_EAST_DOT: Final = re.compile(r"(?<=[A-Za-z0-9])[。｡](?=[A-Za-z0-9])")
_EAST_COLON: Final = re.compile(r"(?<=[A-Za-z])：(?=//)")
_DEFANGED_DOT: Final = re.compile(
    r"[ \t]*(?:[\[({<][ \t]*(?:\.|dot|punkt|point|punto|ponto|punt)[ \t]*[\])}>])[ \t]*", re.I
)
_DEFANGED_AT: Final = re.compile(
    r"[ \t]*(?:[\[({<][ \t]*(?:@|at|arroba|chiocciola|arobase)[ \t]*[\])}>])[ \t]*", re.I
)

_TOP: Final = (
    "com|org|net|edu|gov|mil|int|info|biz|name|pro|app|dev|page|site|online|website|shop|store|"
    "blog|cloud|link|click|live|news|top|xyz|club|space|tech|agency|email|support|help|services|"
    "solutions|digital|media|group|global|world|today|zone|one|life|work|company|bank|finance|"
    "loan|win|icu|vip|buzz|rest|lol|zip|mov|wtf|sucks|mobi|asia|tel|jobs|travel|museum|coop|aero|"
    "post|xxx|cat|arpa|example|test|invalid|localhost|local|onion|i2p"
)
_DOT_WORD: Final = re.compile(
    rf"(?<=\w)[ \t]+dot[ \t]+(?=(?:\w+[ \t]+dot[ \t]+)?(?:{_TOP})\b)", re.I
)

_TAG: Final = re.compile(
    r"<!--.{0,20000}?(?:-->|\Z)|<!\[?[^<>]{0,2000}>|"
    r"</?(?P<tag>[a-zA-Z][a-zA-Z0-9_-]{0,30})(?P<rest>(?:[\s/][^<>]{0,4000})?)>",
    re.DOTALL,
)
_IMAGE: Final = re.compile(
    r"!\[[^\]]{0,500}\](?:[ \t]{0,3}\([^)]{0,4000}\)|[ \t]{0,3}\[[^\]]{0,200}\])?"
)
_SCHEMES: Final = (
    "mailto|tel|sms|smsto|callto|data|javascript|vbscript|file|skype|magnet|bitcoin|ethereum|"
    "intent|market|urn|cid|mid|blob|about|xmpp|sip|sips|whatsapp|tg|slack|msteams|zoommtg|geo|"
    "facetime|webcal|ldap|view-source|ms-[a-z]{2,20}"
)
_LINK: Final = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{1,20}:/{1,3}|\b[a-z][a-z0-9+.-]{1,20}:\\\\|(?<![\w:])//(?=\w)"
    rf"|\\\\(?=\w)|\bwww\d?\.|\b(?:{_SCHEMES}):(?=\S))[^\s<>\"”»]+",
    re.IGNORECASE,
)
_MAIL: Final = re.compile(r"[^\s<>()\[\],;:\"“”]{1,64}[ \t]?@[ \t]?[^\s<>()\[\],;:\"“”@]{1,255}")
_HOST: Final = re.compile(
    r"(?<![\w.@-])(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?P<top>xn--[a-z0-9-]{2,59}|[^\W\d_]{2,24})"
    r"(?![\w-])(?P<rest>(?::\d{1,5})?(?:[/?#][^\s<>\"”»]*)?)",
    re.IGNORECASE,
)
_IP: Final = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)(?::\d{1,5})?(?:/\S*)?")
_ENDINGS: Final = (
    "pdf|doc|docx|xls|xlsx|ppt|pptx|odt|ods|odp|txt|csv|rtf|ics|vcf|jpg|jpeg|png|gif|svg|webp|heic|"
    "tif|tiff|mp3|mp4|wav|avi|tar|gz|exe|json|xml|yaml|toml|html|htm|css|js|ts|jsx|java|cpp|eml|"
    "msg|log|bak|tex|epub|dwg|psd"
)
_FILES: Final = frozenset(_ENDINGS.split("|"))
_TOPS: Final = frozenset(_TOP.split("|"))

_IBAN: Final = re.compile(r"\b[A-Z]{2}\d{2}(?:[ \t]?[A-Z0-9]{2,4}){3,8}\b")
_DIGITS: Final = re.compile(r"(?<![\w.,])\+?\(?\d[\d \t\u00a0().\-/–‑+]{4,60}\d(?!\w)")
_DATES: Final = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:19|20)?\d\d"
    r"|(?:19|20)\d\d[ ]?[-–/][ ]?(?:19|20)\d\d"
    r"|\d{1,2}[.:]\d\d(?:[ ]?[-–][ ]?\d{1,2}[.:]\d\d)?"
    r"|\d{1,3}(?:[ .\u00a0]\d{3})+(?![ .\-]?\d)"
    r")(?!\d)"
)
_CODE: Final = re.compile(
    r"(?<![\w-])(?=[A-Za-z0-9_-]{0,200}[A-Za-z])(?=[A-Za-z0-9_-]{0,200}\d)"
    r"[A-Za-z0-9][A-Za-z0-9_-]{6,200}[A-Za-z0-9](?![\w-])"
)
_WORDY: Final = re.compile(
    r"\d{1,4}(?:st|nd|rd|th|er|e)?(?:-[A-Za-z]+)+|[A-Za-z]+(?:-[A-Za-z]+)*-?\d{1,2}"
    r"(?:-[A-Za-z]+)*|(?:19|20)\d\d-\d\d-\d\d[T_]\d{0,6}Z?"
)
_TRAILING: Final = ".,;:!?)]}>'\"*_”’»…"


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a draft may hold, because the owner's file or a message of the owner holds it."""

    links: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Allowed:
        """Everything that any of *texts* names."""
        noted = _Sieve(Allowed())
        for text in texts:
            noted.clean(text)
        return cls(
            frozenset(noted.links),
            frozenset(noted.addresses),
            frozenset(noted.numbers),
            frozenset(noted.codes),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A text without what it may not keep, and how often each marker took something's place."""

    text: str
    removed: dict[str, int]


def clean(text: str, allowed: Allowed) -> Cleaned:
    """*text* with everything that is not *allowed* replaced by a visible marker."""
    sieve = _Sieve(allowed)
    cleaned = sieve.clean(text)
    return Cleaned(text=cleaned, removed=sieve.removed)


@dataclass(slots=True)
class _Sieve:
    """Goes through a text rule by rule, and notes what each rule met."""

    allowed: Allowed
    removed: dict[str, int] = field(default_factory=dict)
    links: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)

    def clean(self, text: str) -> str:
        text = unmasked(visible(text))
        text = _TAG.sub(self._tag, text)
        text = _IMAGE.sub(lambda _: self._mark(IMAGE), text)
        text = _LINK.sub(self._link, text)
        text = _MAIL.sub(self._address, text)
        text = _IP.sub(self._link, text)
        text = _HOST.sub(self._host, text)
        text = _IBAN.sub(self._number, text)
        text = _DIGITS.sub(self._digits, text)
        return _CODE.sub(self._code, text)

    def _mark(self, marker: str) -> str:
        self.removed[marker] = self.removed.get(marker, 0) + 1
        return marker

    def _tag(self, found: re.Match[str]) -> str:
        name = (found["tag"] or "").lower()
        if name in ("img", "image", "picture", "svg", "video", "iframe", "object", "embed"):
            return self._mark(IMAGE)
        return self._mark(LINK) if re.search(r"\b(?:href|src)\s*=", found[0], re.I) else ""

    def _kept(
        self, found: re.Match[str], key: Callable[[str], str], seen: set[str], ok: frozenset[str]
    ) -> str | None:
        """The matched text when it is allowed, with what trails it."""
        bare = found[0].rstrip(_TRAILING)
        name = key(bare)
        seen.add(name)
        return found[0] if name in ok else None

    def _gone(self, found: re.Match[str], marker: str) -> str:
        bare = found[0].rstrip(_TRAILING)
        return self._mark(marker) + found[0][len(bare) :]

    def _link(self, found: re.Match[str]) -> str:
        kept = self._kept(found, link_key, self.links, self.allowed.links)
        return kept if kept is not None else self._gone(found, LINK)

    def _address(self, found: re.Match[str]) -> str:
        kept = self._kept(found, address_key, self.addresses, self.allowed.addresses)
        return kept if kept is not None else self._gone(found, ADDRESS)

    def _host(self, found: re.Match[str]) -> str:
        top, rest = found["top"], found["rest"].rstrip(_TRAILING)
        # An address that was kept stands before its host; "Friday.Thanks" is a missing space.
        sentence = top[:1].isupper() and not top.isupper() and top.casefold() not in _TOPS
        if not rest and (sentence or top.casefold() in _FILES):
            return found[0]
        return self._link(found)

    def _number(self, found: re.Match[str]) -> str:
        kept = self._kept(found, _figures, self.numbers, self.allowed.numbers)
        return kept if kept is not None else self._gone(found, NUMBER)

    def _digits(self, found: re.Match[str]) -> str:
        rest = _DATES.sub(" ", found[0])
        if sum(char.isdigit() for char in rest) < 7:
            return found[0]
        return self._number(found)

    def _code(self, found: re.Match[str]) -> str:
        if _WORDY.fullmatch(found[0]):
            return found[0]
        kept = self._kept(found, str.casefold, self.codes, self.allowed.codes)
        return kept if kept is not None else self._gone(found, CODE)


def unmasked(text: str) -> str:
    """*text* with the letters, dots and at-signs that stand for others written plainly."""
    if not text.isascii():
        text = "".join(_plain_letter(char) for char in text).translate(_NARROW)
        text = _EAST_DOT.sub(".", text)
        text = _EAST_COLON.sub(":", text)
    text = _DEFANGED_DOT.sub(".", text)
    text = _DEFANGED_AT.sub("@", text)
    return _DOT_WORD.sub(".", text)


def _plain_letter(char: str) -> str:
    code = ord(char)
    if code < 0x2460 or not any(low <= code <= high for low, high in _WIDE):
        return char
    return unicodedata.normalize("NFKC", char)


def link_key(link: str) -> str:
    """What two ways of writing one link have in common: no scheme of the web, no last slash."""
    key = re.sub(r"^https?://", "", link.strip(), flags=re.I)
    host, slash, path = key.partition("/")
    return host.casefold().removeprefix("www.") + (slash + path).rstrip("/")


def address_key(address: str) -> str:
    """An address for comparing."""
    return "".join(address.split()).casefold()


def _figures(number: str) -> str:
    return "".join(char for char in number.upper() if char.isalnum())
