"""Signs that a mail is bait, a sales approach by a stranger, or speaks to the assistant.

One sign proves nothing: people write about passwords, ask for payments and send reminders. Signs
of different kinds together do, and the bar is higher for somebody whom the owner has written to.
Prose that tells an assistant what to do is a sign by itself; it is never followed, whatever this
module says. A suspicious thread never gets a draft, so what is unclear is not called so.
Pure and total.
"""

from __future__ import annotations

import re
from typing import Final

from assistant.core.audience import Me, domain
from assistant.core.phrases import LANGUAGES, lexicon
from assistant.core.phrases.lexicon import Kind
from assistant.core.phrases.sentences import ADDRESS, LINK, bounded, sentences, unlinked, words
from assistant.core.questions import Said
from providers.mime.invisible import visible
from providers.mime.message import Mail

_ROLE_MARKS: Final = re.compile(
    r"</?(?:email|thread|system|user|assistant|untrusted|instructions?|context|prompt)>\s*"
    r"(?:</?(?:email|thread|system|user|assistant|untrusted|instructions?|context|prompt)>|\n)"
    r"|<\|(?:im_start|im_end|system|user|assistant|endoftext|end|eot_id|start_header_id)\|?>"
    r"|\[/?INST\]|<<SYS>>|^\s*#{2,}\s*(?:system|instructions?|new task|assistant)\b"
    r"|^\s*(?:SYSTEM|ASSISTANT|DEVELOPER)(?: (?:PROMPT|MESSAGE|NOTE|OVERRIDE))?\s*:"
    r"|\"(?:needs_reply|category|tool_calls?|function_call)\"\s*:",
    re.MULTILINE,
)
_FREE: Final = re.compile(
    r"(?:gmail|googlemail|yahoo|hotmail|outlook|live|aol|gmx|web|icloud|proton|protonmail|mail|"
    r"qq|163|126|yandex|libero|orange|wanadoo|free|t-online)\."
)
_POINTS: Final = {
    Kind.CREDENTIAL: 2,
    Kind.PAYMENT: 2,
    Kind.BAIT: 2,
    Kind.PRESSURE: 1,
    Kind.GENERIC: 1,
}
_CORE: Final = (Kind.CREDENTIAL, Kind.PAYMENT, Kind.BAIT)
_ENOUGH: Final = 5
_LOUD: Final = 4
_FOOTER: Final = 3_000
_MANY_LINKS: Final = 6
_CIRCULARS: Final = frozenset(
    words(
        "newsletter newsletters digest bulletin mailing mailings rundbrief boletín boletim "
        "infolettre notiziario nieuwsbrief promotions promo deals offers angebote ofertas offerte"
    )
)
_ENOUGH_WHEN_KNOWN: Final = 7


def speaks_to_the_assistant(mail: Mail, spoken: Said) -> bool:
    """Whether the text gives orders to whoever or whatever prepares the answer."""
    if Kind.INJECTION in spoken.kinds or spoken.weights.get(Kind.ORDER, 0) > 1:
        return True
    return _ROLE_MARKS.search(bounded(mail.text)) is not None


def is_bait(mail: Mail, spoken: Said, me: Me, *, known: bool) -> bool:
    """Whether signs of fraud of several kinds come together.

    ``known`` says that the owner has written to this writer in the thread before.
    """
    points = sum(value for kind, value in _POINTS.items() if kind in spoken.kinds)
    kinds = sum(kind in spoken.kinds for kind in _POINTS)
    if not any(kind in spoken.kinds for kind in _CORE):
        return False
    if any(spoken.weights.get(kind, 0) > 1 for kind in _CORE):
        points += 1
        kinds += 1
    if spoken.weights.get(Kind.PRESSURE, 0) > 2:
        points += 1
    if LINK in unlinked(visible(bounded(mail.text))):
        points += 1
        kinds += 1
    if mismatch(mail, me):
        points += 2
        kinds += 1
    return kinds >= 3 and points >= (_ENOUGH_WHEN_KNOWN if known else _ENOUGH)


def mismatch(mail: Mail, me: Me) -> bool:
    """Whether the sender's name or answering address points to somebody else."""
    for each in mail.from_:
        shown = unlinked(visible(each.name)) if each.name else ""
        if ADDRESS in shown and domain(each.name.strip("\"'<> ")) != domain(each.addr):
            return True
    senders = {domain(each.addr) for each in mail.from_}
    answers = {domain(each.addr) for each in mail.reply_to} - senders - me.domains
    return any(_FREE.match(each) for each in answers) and not mail.list_id


def is_sales(mail: Mail, spoken: Said, me: Me, *, known: bool) -> bool:
    """Whether a stranger from outside offers what nobody asked for."""
    if known or mail.in_reply_to or not _outside(mail, me):
        return False
    pitch = spoken.weights.get(Kind.PITCH, 0)
    attention = spoken.weights.get(Kind.SALES, 0)
    return (pitch >= 1 and pitch + attention >= 3) or (pitch >= 2 and attention >= 1)


def is_circular(mail: Mail, me: Me, *, known: bool) -> bool:
    """Whether a first mail from outside is one of many alike.

    It tells its readers how to leave its list, is named as a newsletter, or is full of links. The
    end of the whole text is looked at, because that line stands in a footer that is no one's word.
    """
    if known or mail.in_reply_to or mail.list_id or not _outside(mail, me):
        return False
    if any(_CIRCULARS.intersection(words(each.name[:200])) for each in mail.from_):
        return True
    if unlinked(visible(bounded(mail.new_text))).count(LINK) >= _MANY_LINKS:
        return True
    languages = frozenset({mail.language, "en"}) if mail.language in LANGUAGES else None
    for sentence in sentences(mail.text[-_FOOTER:]):
        hits = lexicon().find(sentence.words, sentence.starts, languages)
        if not sentence.question and any(hit.kind is Kind.BULK for hit in hits):
            return True
    return False


def advertises(mail: Mail, spoken: Said, me: Me, *, known: bool) -> bool:
    """Whether a first mail from outside is made of the words of advertisements."""
    if known or mail.in_reply_to or not _outside(mail, me):
        return False
    return spoken.weights.get(Kind.PROMO, 0) + spoken.weights.get(Kind.PITCH, 0) >= _LOUD


def smells_of_sales(spoken: Said) -> bool:
    """Whether some of those signs are there, but not enough to be sure."""
    return spoken.weights.get(Kind.PITCH, 0) >= 1 and spoken.weights.get(Kind.SALES, 0) >= 1


def _outside(mail: Mail, me: Me) -> bool:
    inside = {each for each in me.domains if not _FREE.match(each)}
    return not any(domain(each.addr) in inside for each in mail.from_)
