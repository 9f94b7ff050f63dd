"""Recognise the lines with which mail programs announce a quotation.

An introduction ("On Mon, 2 Mar 2026 at 09:12, X wrote:"), a marker between dashes ("-----Original
Message-----", "Begin forwarded message:") and a block of quoted headers ("Von: Gesendet: An:
Betreff:") are each told from a person's own sentence by what only a program writes: a date with a
time, an address, several labels in a row. Where that evidence lacks, the answer is no: a quotation
that stays is the lesser error.

Lines are given plain (see ``plains``). Every test looks at a bounded number of characters and
lines, so a hostile text costs linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from providers.mime import quotewords as words

_LONGEST: Final = 400
"""Characters of a line, or of a wrapped introduction, beyond which it is no announcement."""
_MOST_WRAPPED: Final = 4
"""Lines over which an introduction may be wrapped."""
_MOST_HEADER_LINES: Final = 40
"""Lines of one quoted header block, folded recipients included."""

_SPACES: Final = dict.fromkeys(
    map(
        ord,
        "\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    ),
    " ",
)
_NOTHING: Final = dict.fromkeys(
    [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF, 0xAD, 0x61C]
)
_PLAIN: Final = {**_SPACES, **_NOTHING}


def _clear(text: str) -> str:
    return text.replace("\t", " ") if text.isascii() else text.translate(_PLAIN)


def plain(line: str) -> str:
    """``line`` with every kind of space made plain, invisible characters gone, ends stripped."""
    return _clear(line).strip()


def plains(lines: Sequence[str]) -> list[str]:
    """``plain`` of each of ``lines``, which hold no line ends."""
    return [line.strip() for line in _clear("\n".join(lines)).split("\n")] if lines else []


def fold(line: str) -> str:
    """A plain ``line`` as the word tables are looked up: casefolded, without marks of emphasis."""
    return line.strip("*_ ").casefold().replace("\u0307", "")


def _set(entries: str) -> frozenset[str]:
    return frozenset(fold(plain(entry)) for entry in entries.split(";"))


def _either(entries: str) -> str:
    longest_first = sorted(_set(entries), key=lambda e: (-len(e), e))
    return "|".join(re.escape(entry) for entry in longest_first)


_WROTE: Final = re.compile(
    rf"(?<!\w)(?:{_either(words.WROTE)})(?!\w)|{_either(words.WROTE_UNSPACED)}"
)
_ENDS_WITH_WROTE: Final = re.compile(rf"(?:{_WROTE.pattern})[-—– ]*$")
_ADDRESS: Final = re.compile(r"[^\s<>()\[\]\"',;:@]{1,80}@[\w.-]{1,120}")
_ENDS_WITH_ADDRESS: Final = re.compile(r"[<(\[](?:mailto:)?[^\s<>@]{1,80}@[\w.-]{1,120}[>)\]]+$")
_BRACKETED: Final = re.compile(r"[<(\[][^\s<>()\[\]@]{1,80}@")
_CONJUNCTIONS: Final = _set(words.CONJUNCTIONS)
_NAME_ONLY: Final = re.compile(r"^[^<>:.?!]{0,60}<[^\s<>@]{1,80}@[\w.-]{1,80}>[^.?!:]{0,12}$")
_TIME: Final = re.compile(r"\d{1,2}\s?[:.h時点點시]\s?\d{2}")
_DATE: Final = re.compile(
    r"\d{4}|\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}|\d{1,2}\.?(?:er)? (?:de )?[^\W\d]{3}"
    r"|[^\W\d]{3}\.? \d{1,2}(?!\d)"
)
_START: Final = re.compile(
    rf"(?:(?:{_either(words.INTRO_STARTS)})[ ,:]|(?:{_either(words.INTRO_STARTS)})(?=\d)"
    rf"|(?:{_either(words.DAYS)})[.,]{{0,2}} "
    r"|\d{1,4}[./-] ?\d{1,2}[./-] ?\d{2,4}|\d{4} ?[年년.]|\d{1,2}\.? (?:de )?[^\W\d]{3})"
)
_CJK_START: Final = re.compile(r"[在於于]|ใน|ב-")
_SELF: Final = re.compile(r"(?<!\w)I(?![\w.])|^我|我写道|我寫道")
_FIRST_PERSON: Final = _set(words.FIRST_PERSON)
_WORD: Final = re.compile(r"\w+")
_DASHES: Final = "-_=*~—–"
_MARKER_ENDS: Final = f"{_DASHES}:："
_DASHED: Final = re.compile(r"^([-_=*~—– ]{2,})?(.*?)([-_=*~—– ]{2,})?$")
_RULE: Final = re.compile(r"^[-_=*~—–]{3,}$")


def is_rule(line: str) -> bool:
    """Whether ``line`` is a line drawn with dashes or underscores, as stands above a quotation."""
    return len(line) <= _LONGEST and bool(_RULE.match(line))


def introduction(lines: Sequence[str], last: int, *, first: int, marked_next: bool) -> int | None:
    """Where the introduction that ends in line ``last`` begins, or None if there is none.

    ``lines`` are plain. Looks back no further than line ``first``. ``marked_next`` says that a
    line marked with ">" follows, which makes weaker evidence enough.
    """
    if not _may_end(lines[last], marked_next):
        return None
    joined = ""
    found: int | None = None
    ended = False
    for start in range(last, max(first, last - _MOST_WRAPPED + 1) - 1, -1):
        part = lines[start]
        if not part or len(joined) + len(part) > _LONGEST:
            break
        joined = f"{part} {joined}" if joined else part
        if not _introduces(joined, marked_next):
            continue
        if _is_whole(joined, part):
            return _name_above(lines, start, first, joined)
        if found is None:
            found, ended = start, _DATE.search(joined) is not None or part[0].isupper()
        elif not ended and _names_all(joined) and _begins_paragraph(lines, start, first):
            return start
    return found


def _names_all(joined: str) -> bool:
    return bool(_BRACKETED.search(joined) and _DATE.search(joined) and _TIME.search(joined))


def _begins_paragraph(lines: Sequence[str], at: int, first: int) -> bool:
    return at == first or not lines[at - 1]


def _name_above(lines: Sequence[str], start: int, first: int, joined: str) -> int:
    """One line further up where only name and address stand there, and none in the rest."""
    above = start - 1
    if above < first or _ADDRESS.search(joined) or not _NAME_ONLY.match(lines[above][:120]):
        return start
    return above


def _may_end(line: str, marked_next: bool) -> bool:
    if len(line) > _LONGEST:
        return False
    text = line.rstrip("*_ ")
    if text.endswith((":", "：")):
        return True
    if marked_next and is_rule(line):
        return True
    return (marked_next or text.endswith("---")) and bool(_ENDS_WITH_WROTE.search(fold(text)))


def _is_whole(joined: str, first: str) -> bool:
    """Whether no line above ``first`` can belong to it: it begins like one, or names everything."""
    folded = fold(joined).lstrip("-—– ")
    if _START.match(folded) or _CJK_START.match(folded):
        return True
    named = _BRACKETED.search(first) is not None and first[0] not in "<(["
    return named and bool(_DATE.search(folded) and _TIME.search(folded))


def _introduces(joined: str, marked_next: bool) -> bool:
    folded = fold(joined)
    body = folded.rstrip(":： ").strip("-—– ")
    address = "@" in body and _ADDRESS.search(body) is not None
    date = _DATE.search(body) is not None
    timed = date and _TIME.search(body) is not None
    if not (address or timed or joined.rstrip("*_ ").endswith((":", "："))):
        return False
    if not (address or timed or marked_next) or _is_own_sentence(joined, folded):
        return False
    if timed and address and (marked_next or _ENDS_WITH_ADDRESS.search(body)):
        return True  # Gmail in Russian, Japanese, Hebrew names no verb
    if marked_next and not address and not date:
        return _names_only(joined) and _WROTE.search(body) is not None
    return _WROTE.search(body) is not None


def _names_only(joined: str) -> bool:
    """Whether it is "Robin Vale wrote:" and no sentence such as "As Robin wrote:"."""
    named = _WORD.findall(joined)
    return (
        0 < len(named) <= 6
        and not named[0][:1].islower()
        and named[0].casefold() not in _CONJUNCTIONS
    )


def _is_own_sentence(joined: str, folded: str) -> bool:
    return bool(_SELF.search(joined) or _FIRST_PERSON.intersection(_WORD.findall(folded)))


class Marker(StrEnum):
    """What a line between dashes announces."""

    ORIGINAL = "original"
    FORWARDED = "forwarded"


_ORIGINAL: Final = _set(words.ORIGINAL)
_FORWARDED: Final = _set(words.FORWARDED)


def marker(line: str) -> Marker | None:
    """What ``line`` announces as a marker: between dashes, or (forwards only) before a colon."""
    if not 3 <= len(line) <= 120 or (line[0] not in _DASHES and line[-1] not in _MARKER_ENDS):
        return None
    text = line.strip("* ")
    match = _DASHED.match(text)
    if match is None:
        return None
    dashed = bool((match[1] or "").strip() or (match[3] or "").strip())
    inner = fold(match[2]).strip(" -_=*")
    name = inner.rstrip(":：").strip()
    if dashed and name in _ORIGINAL:
        return Marker.ORIGINAL
    if name in _FORWARDED and (dashed or inner != name):
        return Marker.FORWARDED
    if dashed and name.startswith(("forwarded by ", "forwarded message from ")):
        return Marker.FORWARDED  # Lotus Notes, mutt
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderBlock:
    """A quoted header block: lines ``start`` up to, without, ``end``; ``finnish`` by its labels."""

    start: int
    end: int
    finnish: bool


_NO_LABEL: Final[frozenset[str]] = frozenset()
_LABELS: Final[dict[str, frozenset[str]]] = {}
for _kind, _entries in words.LABELS.items():
    for _entry in _entries.split(";"):
        _name = fold(plain(_entry))
        _LABELS[_name] = _LABELS.get(_name, frozenset()) | {_kind}
_INNER_LABEL: Final = re.compile(r"([^\W\d]+)[*]*\s?[:：](?=\s|[*])")
_OPENING: Final = frozenset(("from", "sent", "date", "subject"))
_RAW_LABELS: Final = _set(words.RAW_LABELS)
_LABEL: Final = re.compile(r"^[*_ ]{0,4}([^:：@]{1,30}?)[*_ ]{0,4}[:：](?!//)")


def label(line: str) -> frozenset[str]:
    """What the label at the start of ``line`` names (from, sent, date, to, cc, subject, other)."""
    head = line[:40]
    if ":" not in head and "：" not in head:
        return _NO_LABEL
    match = _LABEL.match(head)
    return _LABELS.get(fold(match[1]), _NO_LABEL) if match else _NO_LABEL


def header_block(
    lines: Sequence[str], start: int, *, announced: bool = False
) -> HeaderBlock | None:
    """The header block that begins in line ``start``, or None.

    It begins with a sender and names at least three things, a subject or a time of sending among
    them, or two where the sender has an address (then another order will do as well):
    "From: Paris / To: Lyon / Date: ..." is a journey. A block with transport headers was pasted
    by a person and is theirs. Where a marker above has ``announced`` it, one label is enough.
    """
    opening = label(lines[start])
    if not opening or not (announced or opening & _OPENING):
        return None
    if "from" in opening and _on_one_line(lines[start]):
        return HeaderBlock(start=start, end=start + 1, finnish="lähettäjä" in fold(lines[start]))
    kinds: set[str] = set()
    names: set[str] = set()
    addressed = False
    end = at = start
    stop = min(len(lines), start + _MOST_HEADER_LINES)
    while at < stop:
        line = lines[at]
        found = label(line)
        if found and found <= kinds and found & _OPENING:
            break
        if found:
            kinds |= found
            names.add(fold(line.split(":", 1)[0]))
            addressed = addressed or ("from" in found and bool(_ADDRESS.search(line[:_LONGEST])))
            end = at + 1
        elif _pasted(line):
            return None
        elif line and at == end and _continues(lines[at - 1], line):
            end = at + 1
        elif line or at > end:
            break
        at += 1
    if not announced and not _is_header(kinds, addressed, "from" in opening):
        return None
    return HeaderBlock(start=start, end=end, finnish="lähettäjä" in names)


def _on_one_line(line: str) -> bool:
    """Whether a whole block stands on one line, as where its table was made text."""
    if len(line) > _LONGEST:
        return False
    kinds = frozenset[str]().union(
        *(_LABELS.get(fold(name), _NO_LABEL) for name in _INNER_LABEL.findall(line))
    )
    return bool(kinds & {"sent", "date"}) and bool(kinds & {"to", "subject"})


def _pasted(line: str) -> bool:
    return line[:40].split(":", 1)[0].strip().casefold() in _RAW_LABELS


def _continues(above: str, line: str) -> bool:
    """Whether a line without label looks like the rest of a folded list of recipients."""
    text = line[:_LONGEST]
    listed = above.endswith((";", ","))
    return listed or "@" in text or text.endswith(";") or text.startswith("<")


def _is_header(kinds: set[str], addressed: bool, sender_first: bool) -> bool:
    told = kinds & {"sent", "date", "to", "subject"}
    if "from" not in kinds or not (sender_first or addressed):
        return False
    if addressed:
        return bool(told - {"to"})
    return len(told) >= 2 and bool(told & {"subject", "sent"})


_REPLY_PREFIXES: Final = _set(words.REPLY_PREFIXES)
_FORWARD_PREFIXES: Final = _set(words.FORWARD_PREFIXES)


_TAGS: Final = re.compile(r"^\s*(?:\[[^\[\]]{0,80}\]\s*)+")
_COUNT: Final = re.compile(r"[\[(^*]?\d{1,4}[\])]?\s*$")
_MOST_PREFIXES: Final = 3
_LONGEST_PREFIX: Final = 20


class SubjectKind(StrEnum):
    """What the first prefix of a subject says of the mail."""

    REPLY = "reply"
    FORWARD = "forward"
    EITHER = "either"
    NEITHER = "neither"
    UNKNOWN = "unknown"


def subject_kind(subject: str) -> SubjectKind:
    """Whether ``subject`` begins as that of an answer or of a forward; VS: says both in the North.

    Tags of lists and words of gateways before it are skipped. Unknown where there is no subject.
    """
    if not plain(subject[:200]):
        return SubjectKind.UNKNOWN
    rest = _TAGS.sub("", plain(subject[:200]).replace("：", ":"))
    for _ in range(_MOST_PREFIXES):
        head, colon, rest = rest.partition(":")
        name = fold(_COUNT.sub("", head)).rstrip(". ")
        if not colon or len(name) > _LONGEST_PREFIX:
            break
        reply, forward = name in _REPLY_PREFIXES, name in _FORWARD_PREFIXES
        if reply and forward:
            return SubjectKind.EITHER
        if reply or forward:
            return SubjectKind.REPLY if reply else SubjectKind.FORWARD
        rest = _TAGS.sub("", rest)
    return SubjectKind.NEITHER
