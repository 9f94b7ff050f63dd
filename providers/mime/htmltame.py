"""Make hostile HTML harmless for the parser, without touching any other.

The parser takes time in the square of two things: how deep blocks are nested and how many
attributes one tag has (100,000 of either cost it 15 and 40 seconds, a second of work for who sends
it). No mail that a person reads comes near the limits here. Only tags beyond them are taken out;
the text between them stays. Linear, and on ordinary HTML one count.
"""

from __future__ import annotations

import re
from typing import Final

DEEPEST: Final = 1_000
"""Blocks inside one another that stay; mail programs nest a few dozen."""
LONGEST_TAG: Final = 8_192
"""Characters of a tag from which its attributes are counted."""
MOST_ATTRIBUTES: Final = 500
"""White space and equals signs in one tag beyond which its attributes go."""

_BLOCK: Final = re.compile(
    r"<(/?)(?:div|blockquote|center|ul|ol|li|dl|dd|dt|section|article|aside|nav|main|header|footer|"
    r"fieldset|figure|details|address|dir|menu|pre|summary|hgroup|search)(?=[\s/>])",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r"[\s=/]+")


def tame(html: str) -> str:
    """``html``, without the tags and attributes beyond the limits above."""
    if html.count("<") > DEEPEST:
        html = _shallow(html)
    if len(html) > LONGEST_TAG:
        html = _short_tags(html)
    return html


def _shallow(html: str) -> str:
    depth = 0
    kept: list[str] = []
    at = 0
    for tag in _BLOCK.finditer(html):
        closing = bool(tag[1])
        over = depth > DEEPEST
        depth = max(0, depth - 1) if closing else depth + 1
        if over if closing else depth > DEEPEST:
            end = html.find(">", tag.end())
            end = len(html) if end < 0 else end + 1
            if tag.start() >= at:
                kept.append(html[at : tag.start()])
                at = end
    if not at:
        return html
    kept.append(html[at:])
    return "".join(kept)


def _short_tags(html: str) -> str:
    pieces = html.split("<")
    if max(map(len, pieces)) < LONGEST_TAG:
        return html
    for number, piece in enumerate(pieces):
        if number == 0 or len(piece) < LONGEST_TAG:
            continue
        inside, closed, rest = piece.partition(">")
        if len(inside) < LONGEST_TAG or len(_PARTS.findall(inside)) <= MOST_ATTRIBUTES:
            continue
        name = _PARTS.split(inside[:64], maxsplit=1)[0]
        pieces[number] = name + closed + rest
    return "<".join(pieces)
