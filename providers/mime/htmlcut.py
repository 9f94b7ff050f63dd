"""Carry over from a mail's HTML which of its text is quoted.

HTML says by elements what plain text says by ">" signs: Gmail, Apple Mail, Outlook, Thunderbird,
Yahoo, Proton and others each by their own. Private-use characters are put around those elements
before the HTML becomes text, and read off its lines afterwards. So there is one rendering and one
reader (``quotes``) for text and HTML alike, and answers between quoted elements keep their place.
Nothing is decided here but what an element claims.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from providers.mime.html import HTML_CHARS, bounded, tree_to_text

_OPEN: Final = "\ue0f0"
_CLOSE: Final = "\ue0f1"
_MAYBE_OPEN: Final = "\ue0f2"
_MAYBE_CLOSE: Final = "\ue0f3"
_SIGN_OPEN: Final = "\ue0f4"
_SIGN_CLOSE: Final = "\ue0f5"
_REST: Final = "\ue0f6"
_MARKS: Final = re.compile("([\ue0f0-\ue0f6])")
_MOST_MARKS: Final = 20_000
"""Elements beyond which the rest goes unmarked: no mail has as many, and each costs time."""

_QUOTES: Final = ",".join(
    (
        "div.gmail_attr",
        "div.moz-cite-prefix",
        "#reply-intro",
        "div[class*=yahoo_quoted]",
        "div[id*=yahoo_quoted]",
        "div.protonmail_quote",
        "div.zmail_extra",
        "div[name=quote]",
        "div.hs_reply",
        "div.freshdesk_quote",
        "div.missive_quote",
        "div.tutanota_quote",
        "div[name=messageReplySection]",
        "#OLK_SRC_BODY_SECTION",
        "#mail-editor-reference-message-container",
    )
)
"""Elements that hold what is quoted or the line that announces it, and nothing else."""

_WORTH: Final = (
    "blockquote", "_quote", "gmail_attr", "moz-cite", "reply", "signature", "zmail_extra",
    "olk_src", "reference-message", "rplyfwd", "appendonsend", "stopspelling", "name=quote",
    'name="quote', "name='quote",
)  # fmt: skip
"""What no HTML lacks that has an element named here."""

_BLOCKQUOTE: Final = re.compile(
    r"quote|cite|messagereply|isreplycontent|border-left", re.IGNORECASE
)
"""What in its own attributes tells a mail program's blockquote from one of the author."""

_BELOW: Final = "#divRplyFwdMsg,#appendonsend,hr#stopSpelling"
"""Elements below which, to the end, everything is quoted: Outlook's."""

_SIGNATURES: Final = ",".join(
    (
        "div.gmail_signature",
        "span.gmail_signature_prefix",
        "div.moz-signature",
        "pre.moz-signature",
        "#AppleMailSignature",
        "#ms-outlook-mobile-signature",
        "div.protonmail_signature_block",
        "div[class*=yahoo-signature]",
        "div.tutanota_signature",
        "#Signature",
        "#composer_signature",
        "div[name=messageSignatureSection]",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlLine:
    """A line of the rendered text: ``quoted`` for sure, in a blockquote that says nothing more
    (``maybe``), or in a signature's element."""

    text: str
    quoted: bool
    maybe: bool
    signature: bool


def html_lines(html: str) -> list[HtmlLine] | None:
    """The lines of ``html`` as text with what its elements claim, or None where they claim nothing.

    Never raises; of HTML longer than the reader's own limit the head is read.
    """
    lower = html[:HTML_CHARS].lower()
    if not any(word in lower for word in _WORTH):
        return None
    tree = LexborHTMLParser(bounded(_MARKS.sub("", html[:HTML_CHARS])))
    if tree.body is None or not _mark(tree):
        return None
    return _lines(tree_to_text(tree))


def _mark(tree: LexborHTMLParser) -> bool:
    room = _MOST_MARKS
    for selector, before, after in (
        (_QUOTES, _OPEN, _CLOSE),
        ("blockquote", _MAYBE_OPEN, _MAYBE_CLOSE),
        (_BELOW, _REST, ""),
        (_SIGNATURES, _SIGN_OPEN, _SIGN_CLOSE),
    ):
        for node in tree.css(selector)[:room]:
            room -= 1
            sure = before == _MAYBE_OPEN and _is_programs(node)
            node.insert_before(_OPEN if sure else before)
            if after:
                node.insert_after(_CLOSE if sure else after)
    return room < _MOST_MARKS


def _is_programs(node: LexborNode) -> bool:
    return any(
        name == "cite" or _BLOCKQUOTE.search((value or "")[:400])
        for name, value in node.attributes.items()
    )


def _lines(text: str) -> list[HtmlLine]:
    lines: list[HtmlLine] = []
    depth = {_OPEN: 0, _MAYBE_OPEN: 0, _SIGN_OPEN: 0}
    opened = {_CLOSE: _OPEN, _MAYBE_CLOSE: _MAYBE_OPEN, _SIGN_CLOSE: _SIGN_OPEN}
    rest = False
    for line in text.split("\n"):
        parts = _MARKS.split(line)
        for part in parts:
            if part == _REST:
                rest = True
            elif part in depth:
                depth[part] += 1
            elif part in opened:
                depth[opened[part]] = max(0, depth[opened[part]] - 1)
            elif part.strip() or len(parts) == 1:
                lines.append(
                    HtmlLine(
                        text=part.strip() if len(parts) > 1 else part,
                        quoted=rest or depth[_OPEN] > 0,
                        maybe=depth[_MAYBE_OPEN] > 0,
                        signature=depth[_SIGN_OPEN] > 0,
                    )
                )
    return lines
