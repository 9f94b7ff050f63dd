"""Take out what nobody can see: controls, direction overrides, zero-width and tag characters.

Invisible characters carry orders past a reader, pad preheaders to hundreds of tokens, and turn a
display name around. What a script needs stays: joiners inside words and emoji, one variation
selector after a visible character, the three flags that are spelled in tag characters. The result
is always valid UTF-8 and holds no NUL, so that every store takes it.
"""

from __future__ import annotations

import re
from typing import Final

_FLAGS: Final = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_ZERO_WIDTH: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb"
)
_DIRECTION: Final = "\u061c\u202a-\u202e\u2066-\u2069"
_SELECTORS: Final = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINERS: Final = "\u200c\u200d"
_TAGS: Final = "\U000e0000-\U000e007f"
_CONTROLS: Final = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff"

_SUSPECT: Final = re.compile(
    f"[{_CONTROLS}{_ZERO_WIDTH}{_DIRECTION}{_SELECTORS}{_JOINERS}{_TAGS}\u200e\u200f\ud800-\udfff]"
)
_ASCII_SUSPECT: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_ASCII_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_UNSEEN: Final = f"\\s{_CONTROLS}{_ZERO_WIDTH}{_DIRECTION}{_SELECTORS}{_JOINERS}{_TAGS}"
_HAN: Final = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RIGHT_TO_LEFT: Final = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_MONGOLIAN: Final = "\u1820-\u18aa"
_DROP: Final = re.compile(
    f"(?P<flag>{_FLAGS})|[{_CONTROLS}{_ZERO_WIDTH}{_DIRECTION}{_TAGS}\ufe00-\ufe0d]"
    # A selector chooses a form of the character before it; any other may carry a hidden message.
    f"|(?:(?<=[{_UNSEEN}A-Za-z])|^)[\ufe0e\ufe0f]"
    f"|(?<![{_HAN}])[\U000e0100-\U000e01ef]|(?<![{_MONGOLIAN}])[\u180b-\u180d\u180f]"
    # A mark of direction belongs to a letter that is written from the right.
    f"|(?<![{_RIGHT_TO_LEFT}])[\u200e\u200f](?![{_RIGHT_TO_LEFT}])"
)
# A joiner joins two characters of one word or one emoji: not ASCII, white space or the text's edge.
_LOOSE_JOINER: Final = re.compile(
    f"[{_JOINERS}](?=[\\x00-\\x7f\\s{_JOINERS}]|$)|(?:(?<=[\\x00-\\x7f\\s{_JOINERS}])|^)[{_JOINERS}]"
)
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_LINE_ENDS: Final = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")
_SPACES: Final = re.compile(r"\s+")


def visible(text: str) -> str:
    """*text* without what cannot be seen; lone surrogates become U+FFFD, line ends ``\\n``."""
    if text.isascii():
        if _ASCII_SUSPECT.search(text) is None:
            return text
        return _ASCII_CONTROLS.sub("", _LINE_ENDS.sub("\n", text))
    text = _LINE_ENDS.sub("\n", text)
    if _SUSPECT.search(text) is None:
        return text
    text = _SURROGATES.sub("\ufffd", text)
    text = _DROP.sub(lambda found: found["flag"] or "", text)
    # Twice: dropping one loose joiner may leave another one bare.
    return _LOOSE_JOINER.sub("", _LOOSE_JOINER.sub("", text))


def visible_line(text: str) -> str:
    """*text* as one line: what cannot be seen is gone, every run of white space is one space."""
    return visible(_SPACES.sub(" ", text)).strip()
