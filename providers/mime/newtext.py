"""What the author of one mail wrote themselves: its text without quotations and signature.

A reply is judged by what it says, not by what it repeats: a question that only stands in a
quotation is nobody's question, and an answer between quoted lines must not be lost with them. So
the first rule is to keep every word of the author; a quotation that stays is the lesser error.
Full text and new text are both kept, and what was cut is named.

Pure: no I/O, no clock. Never raises, whatever the text; linear in its length. Every line of the
result is a line of the text that was given (compared without white space and emphasis).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from providers.mime.htmlcut import HtmlLine, html_lines
from providers.mime.intros import introduction, plains, subject_kind
from providers.mime.quotes import Reading, read_lines
from providers.mime.quotes_parent import Parents, tokens

_LINE_ENDS: Final = re.compile(r"\r\n?")
_BLANK: Final = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_LOOSE: Final = re.compile(r"[\s*_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewText:
    """The author's own words, ``cut``: the kinds of text that were left out, in order of
    appearance, and whether the mail passes another one on (then that one's text is in it)."""

    text: str
    cut: tuple[str, ...] = ()
    forward: bool = False


def new_text(
    text: str, *, html: str | None = None, subject: str = "", parents: Sequence[str] = ()
) -> NewText:
    """The author's own part of a mail's body ``text``.

    ``text`` is the body as chosen for reading; ``html`` the source of its HTML part if it has one
    (only to see what its elements mark as quoted); ``subject`` the decoded subject; ``parents``
    full texts of earlier messages of the thread, in order of arrival.
    """
    text = _LINE_ENDS.sub("\n", text)
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    kind = subject_kind(subject)
    known = Parents(parents)
    by_text = _result(read_lines(text.split("\n"), subject=kind, parents=known))
    marked = html_lines(html) if html else None
    if marked is None:
        return by_text
    by_elements = _result(
        read_lines(
            [line.text for line in marked],
            subject=kind,
            parents=known,
            certain=_certain(marked),
            signature=frozenset(at for at, line in enumerate(marked) if line.signature),
        )
    )
    if tokens(by_elements.text) == tokens(by_text.text) or not _is_in(by_elements.text, text):
        return by_text
    return by_elements


def _certain(lines: Sequence[HtmlLine]) -> frozenset[int]:
    """Positions of the lines that are quoted: so marked, or in a blockquote that is introduced."""
    certain: set[int] = set()
    introduced = False
    texts = plains([line.text for line in lines])
    last = -1
    for at, line in enumerate(lines):
        if line.maybe and not line.quoted:
            if last >= 0 and not lines[last].maybe:
                introduced = (
                    lines[last].quoted
                    or introduction(texts, last, first=0, marked_next=True) is not None
                )
            if introduced:
                certain.add(at)
        elif line.quoted:
            certain.add(at)
        if texts[at]:
            last = at
    return frozenset(certain)


def _result(reading: Reading) -> NewText:
    kept = "\n".join(_kept(reading))
    return NewText(
        text=_BLANK.sub("\n\n", kept).strip("\n").rstrip(),
        cut=tuple(dict.fromkeys(str(why) for why in reading.why if why is not None)),
        forward=reading.forward_at is not None,
    )


def _kept(reading: Reading) -> Iterable[str]:
    """The lines that stay; a blank one stands for each stretch that went."""
    gap = False
    for line, why in zip(reading.lines, reading.why, strict=True):
        if why is not None:
            gap = True
            continue
        if gap and why is None:
            yield ""
            gap = False
        yield line.rstrip()


def _is_in(part: str, whole: str) -> bool:
    """Whether the lines of ``part`` stand in ``whole`` in order, white space and emphasis aside."""
    loose = _LOOSE.sub("", whole)
    at = 0
    for line in part.split("\n"):
        bare = _LOOSE.sub("", line)
        at = loose.find(bare, at)
        if at < 0:
            return False
        at += len(bare)
    return True
