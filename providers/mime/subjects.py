"""The Subject of an answer: one "Re: " however many prefixes, in however many languages, came.

Mail programs translate "Re:" and do not know each other's translations, so that an answered answer
piles them up. Only words that stand for "answer" are taken off; a forward's word says what the
mail is and stays, and so do a list's tag and a writer's own words. Subjects never bind threads;
nothing here raises.
"""

from __future__ import annotations

import re
from typing import Final

REPLY_PREFIX: Final = "Re:"
"""What an answer begins with (RFC 5322 3.6.5)."""
MAX_SUBJECT: Final = 900
"""Characters of the longest Subject that is answered whole."""

_ANSWER_WORDS: Final = (
    "re", "(?-i:R)", "res", "rép", "rif", "resp",  # English and most; Italian, Portuguese, French
    "aw", "antw", "antwort", "antwoord",  # German, Dutch
    "sv", "vs", "vast",  # Swedish, Danish, Norwegian, Icelandic; Finnish, Estonian
    "odp", "ynt", "vá", "bls", "atb",  # Polish, Turkish, Hungarian, Indonesian, Welsh
    "απ", "σχετ", "ответ", "отв", "відп", "відповідь", "отг",  # Greek and Cyrillic
    "回复", "回覆", "回信", "答复", "答覆", "返信", "답장", "회신",  # Chinese, Japanese, Korean
    "השב", "תגובה", "رد", "ตอบ", "ตอบกลับ",  # Hebrew, Arabic, Thai
)  # fmt: skip
_COUNT: Final = r"(?:\s{0,2}(?:\[\d{1,4}\]|\(\d{1,4}\)|\^\d{1,4}|\*\d{1,4}))?"
_ANSWER: Final = re.compile(
    rf"(?:{'|'.join(_ANSWER_WORDS)}){_COUNT}\s{{0,2}}[:：]\s*", re.IGNORECASE
)
_TAG: Final = re.compile(r"(\[[^\[\]]{1,80}\])\s*")
_UNSHOWN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def base_subject(subject: str) -> str:
    """*subject* without the words for "answer" before and between its list tags.

    A tag that stands there twice stays once; everything else is kept as it is, on one line.
    """
    text = _UNSHOWN.sub(" ", subject).strip()
    tags: dict[str, str] = {}
    position = 0
    while True:
        answer, tag = _ANSWER.match(text, position), _TAG.match(text, position)
        if answer is not None:
            position = answer.end()
        elif tag is not None:
            tags.setdefault(tag[1].casefold(), tag[0])
            position = tag.end()
        else:
            return ("".join(tags.values()) + text[position:]).strip()


def reply_subject(subject: str) -> str:
    """The Subject of an answer to *subject*; "Re:" alone where there is none."""
    return f"{REPLY_PREFIX} {base_subject(subject)[:MAX_SUBJECT]}".strip()
