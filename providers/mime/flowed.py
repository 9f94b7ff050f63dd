"""format=flowed: paragraphs put together again (RFC 3676)."""

from __future__ import annotations

from typing import Final

SIGNATURE: Final = "-- "
"""The one line that ends in a space and is not soft (RFC 3676 section 4.3)."""


def _depth(line: str) -> int:
    depth = 0
    while depth < len(line) and line[depth] == ">":
        depth += 1
    return depth


def unflow(text: str, *, delsp: bool) -> str:
    """*text* with soft line breaks taken out; *delsp* deletes the space that marks them.

    Quotation marks are kept as ``> `` in front of each paragraph; lines of different depth are
    never joined (RFC 3676 section 4.5).
    """
    out: list[str] = []
    paragraph: list[str] = []
    depth = 0

    def flush() -> None:
        if paragraph:
            out.append((">" * depth + " " if depth else "") + "".join(paragraph))
            paragraph.clear()

    for line in text.split("\n"):
        this = _depth(line)
        content = line[this:]
        content = content.removeprefix(" ")  # stuffed, or the space after a quotation mark
        soft = content.endswith(" ") and content != SIGNATURE
        if paragraph and (this != depth or content == SIGNATURE):
            flush()
        depth = this
        paragraph.append(content[:-1] if soft and delsp else content)
        if not soft:
            flush()
    flush()
    return "\n".join(out)
