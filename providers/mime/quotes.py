"""Tell the lines of a mail that its author wrote from those that only repeat somebody else's.

The text is walked once, top to bottom. Each line gets a reason why it goes, or none. Marks (">"),
introductions, header blocks and markers are read with what stands around them, because every one
of them also occurs in a person's own sentence. Where it is not sure, the line stays: losing the
author's words is the worse error. A forward's content is content and stays.

Linear in the text: each line is looked at a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from providers.mime import quotewords
from providers.mime.intros import (
    HeaderBlock,
    Marker,
    SubjectKind,
    header_block,
    introduction,
    is_rule,
    marker,
    plains,
)
from providers.mime.quotemarks import Marks, is_marked, next_filled, unmarked
from providers.mime.quotes_parent import Parents, answers_inside, is_theirs, repeated
from providers.mime.signatures import postscript, signature_start

_WRAP: Final = range(62, 82)
"""Length of a quoted line whose last word may have been wrapped out of the quotation."""
_ANSWER_WORDS: Final = frozenset(quotewords.ANSWER_WORDS.split(";"))
_LONGEST_LINE: Final = 400
_LONGEST_LEFTOVER: Final = 36


class Cut(StrEnum):
    """Why a line is not among the author's own words."""

    QUOTE = "quotation"
    INTRODUCTION = "introduction"
    HEADERS = "quoted headers"
    BELOW = "quotation without marks"
    PARENT = "text of an earlier message"
    SIGNATURE = "signature"
    PHONE = "mobile signature"
    FOOTER = "list footer"


_SIGNATURES: Final = {
    "signature": Cut.SIGNATURE,
    "mobile signature": Cut.PHONE,
    "list footer": Cut.FOOTER,
}


@dataclass(slots=True, kw_only=True)
class Reading:
    """One text being read: its lines (also ``plain``), which are marked, why each goes, and where
    a forward begins.

    ``certain`` are positions of lines that are quoted beyond doubt (HTML said so).
    """

    lines: Sequence[str]
    plain: Sequence[str]
    after: Sequence[int]
    marked: Sequence[bool]
    certain: frozenset[int]
    subject: SubjectKind
    parents: Parents
    why: list[Cut | None] = field(default_factory=list)
    forward_at: int | None = None


def read_lines(
    lines: Sequence[str],
    *,
    subject: SubjectKind,
    parents: Parents,
    certain: frozenset[int] = frozenset(),
    signature: frozenset[int] = frozenset(),
) -> Reading:
    """Reads ``lines``; afterwards ``why`` says for each why it goes, or None where it stays."""
    bare = plains(lines)
    after = next_filled(bare)
    marks = Marks(
        lines=bare,
        after=after,
        marked=[at in certain or is_marked(line) for at, line in enumerate(lines)],
        certain=certain,
        subject=subject,
        parents=parents,
    )
    reading = Reading(
        lines=lines,
        plain=bare,
        after=after,
        marked=marks.read(),
        certain=certain,
        subject=subject,
        parents=parents,
    )
    reading.why = [None] * len(lines)
    _Walk(reading).run()
    _answers(reading)
    _repetitions(reading)
    _signatures(reading)
    _marked_signatures(reading, signature)
    return reading


class _Walk:
    """The walk down the lines, with what it must remember on the way."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.lines = reading.plain
        self.marked = reading.marked
        self.first_own: int | None = None
        self.cut_above = False
        self.after = reading.after

    def run(self) -> None:
        at = first = 0
        while at < len(self.lines):
            if self.marked[at]:
                if self._forwards_marked(at):
                    return
                at = first = self._quotation(at)
                continue
            if not self.lines[at]:
                at += 1
                continue
            step = self._announcement(at, first)
            if step is None:
                self.first_own = at if self.first_own is None else self.first_own
                at += 1
            elif step < 0:
                return
            else:
                at = first = step

    def _announcement(self, at: int, first: int) -> int | None:
        """Handles an announcement at line ``at``: where to go on, -1 for the end, None if none."""
        found = marker(self.lines[at])
        if found is not None:
            below = self._block_below(at)
            if found is Marker.FORWARDED or self._passes_on(below):
                self.reading.forward_at = at
                return -1
            return self._headers(at, below)
        block = header_block(self.lines, at)
        if block is not None and not self._pasted(at):
            if self._passes_on(block) or self._alone(at):
                self.reading.forward_at = self._rule_above(at)
                return -1
            return self._headers(self._rule_above(at), block)
        following = self.after[at]
        marked_next = following < len(self.lines) and self.marked[following]
        start = introduction(self.lines, at, first=first, marked_next=marked_next)
        if start is None:
            return None
        if marked_next:
            self._cut(self._rule_above(start), following, Cut.INTRODUCTION)
            return following
        if not self._own_before(start) and not self._theirs(at + 1):
            return None  # all that follows may be the answer: it stays
        self._cut(self._rule_above(start), at + 1, Cut.INTRODUCTION)
        self._cut(at + 1, len(self.lines), Cut.BELOW)
        return -1

    def _theirs(self, start: int) -> bool:
        parents = self.reading.parents
        return bool(parents) and is_theirs(self.lines[start:], parents)

    def _headers(self, start: int, block: HeaderBlock | None) -> int:
        """Cuts a marker or a header block, and what stands below it unless marks tell it apart."""
        end = block.end if block is not None else start + 1
        self._cut(start, end, Cut.HEADERS)
        following = self.after[end - 1]
        if following < len(self.lines) and self.marked[following]:
            return following
        if not self._own_before(start) and any(self.marked[end:]):
            return following  # with nothing above, the author answers below, between the marks
        self._cut(end, len(self.lines), Cut.BELOW)
        return -1

    def _quotation(self, at: int) -> int:
        """Cuts the marked lines from ``at`` on, with blank lines between; returns what follows."""
        end = at
        while end < len(self.lines) and (self.marked[end] or self._left_over(end, at)):
            end += 1
        self._cut(at, end, Cut.QUOTE)
        return end

    def _left_over(self, at: int, start: int) -> bool:
        """Whether unmarked line ``at`` is the end of the quoted line above, wrapped out of it."""
        if at == start or not self.marked[at - 1] or at in self.reading.certain:
            return False
        above, text = self.reading.lines[at - 1].rstrip(), self.lines[at]
        if not 0 < len(text) <= _LONGEST_LINE:
            return False
        joined = unmarked(above[-200:]) + " " + text
        if self.reading.parents and len(joined.split()) >= 6:
            return self.reading.parents.holds_line(joined)
        if len(above) not in _WRAP or len(text) > _LONGEST_LEFTOVER:
            return False
        below = self.after[at]
        closed = below >= len(self.lines) or self.marked[below]
        words = text.split()
        return (
            closed
            and above[-1] not in ".?!:;,)>"
            and text[0].islower()
            and words[0].strip(".,!;:") not in _ANSWER_WORDS
        )

    def _forwards_marked(self, at: int) -> bool:
        """Whether a forward begins in marked line ``at``: some programs mark what they forward."""
        if self.cut_above:
            return False
        found = marker(unmarked(self.lines[at][:200]))
        forwarded = found is Marker.FORWARDED or (found is not None and self._passes_on())
        if not forwarded and at in self.reading.certain:
            block = header_block(self.lines, at)
            forwarded = block is not None and (self._passes_on(block) or self._alone(at))
        if forwarded:
            self.reading.forward_at = at
        return forwarded

    def _block_below(self, at: int) -> HeaderBlock | None:
        following = self.after[at]
        if following >= len(self.lines) or self.marked[following]:
            return None
        return header_block(self.lines, following, announced=True)

    def _passes_on(self, block: HeaderBlock | None = None) -> bool:
        subject = self.reading.subject
        if subject is SubjectKind.EITHER:  # VS: answers in Finnish, passes on in Danish
            return block is not None and not block.finnish
        if subject is SubjectKind.NEITHER:  # a new subject: what is quoted is there to be read
            return not self.reading.parents
        return subject is SubjectKind.FORWARD

    def _alone(self, at: int) -> bool:
        """Whether nothing stands above a header block in a mail that is no answer: a forward."""
        answer = self.reading.subject in (SubjectKind.REPLY, SubjectKind.EITHER)
        return not answer and not self._own_before(at)

    def _pasted(self, at: int) -> bool:
        """Whether the author announces a header block: then they pasted it and go on below it."""
        before = at - 1
        while before >= 0 and before > at - 3 and not self.lines[before]:
            before -= 1
        if before < 0 or self.marked[before]:
            return False
        return self.lines[before].endswith((":", "："))

    def _own_before(self, at: int) -> bool:
        return self.first_own is not None and self.first_own < at

    def _rule_above(self, at: int) -> int:
        """The line from which an announcement at ``at`` goes: a drawn line above goes with it."""
        above = at - 1
        while above >= 0 and above >= at - 3 and not self.lines[above]:
            above -= 1
        return above if above >= 0 and is_rule(self.lines[above]) else at

    def _cut(self, start: int, end: int, why: Cut) -> None:
        self.cut_above = True
        for at in range(start, end):
            if self.reading.why[at] is None:
                self.reading.why[at] = why


def _answers(reading: Reading) -> None:
    """Gives back what the author typed into a quotation, where the parent shows it."""
    if not reading.parents:
        return
    quoted = [
        at
        for at, why in enumerate(reading.why)
        if why is Cut.BELOW or (why is Cut.QUOTE and at in reading.certain)
    ]
    for at, line in enumerate(quoted):
        if header_block(reading.plain, line) or marker(unmarked(reading.plain[line])):
            quoted = quoted[:at]
            break
    texts = [unmarked(reading.lines[at]) for at in quoted]
    for position in answers_inside(texts, reading.parents):
        reading.why[quoted[position]] = None


def _repetitions(reading: Reading) -> None:
    if not reading.parents:
        return
    end = len(reading.lines) if reading.forward_at is None else reading.forward_at
    own = [at for at in range(end) if reading.why[at] is None]
    for position in repeated([reading.lines[at] for at in own], reading.parents):
        reading.why[own[position]] = Cut.PARENT


def _signatures(reading: Reading) -> None:
    """Cuts the signature of each run of the author's lines; runs end where something was cut."""
    end = len(reading.lines) if reading.forward_at is None else reading.forward_at
    start = 0
    while start < end:
        if reading.why[start] is not None:
            start += 1
            continue
        stop = start
        while stop < end and reading.why[stop] is None:
            stop += 1
        _signature(reading, start, stop)
        start = stop


def _signature(reading: Reading, start: int, stop: int) -> None:
    run = reading.plain[start:stop]
    begins, kind = signature_start(run, reading.lines[start:stop])
    if kind is None:
        return
    below = run[begins:]
    kept = set(postscript(below)) if kind == "signature" else set()
    for at in range(len(below)):
        if at not in kept:
            reading.why[start + begins + at] = _SIGNATURES[kind]


def _marked_signatures(reading: Reading, signature: frozenset[int]) -> None:
    """Cuts the lines that HTML names a signature, unless the author wrote into nothing else."""
    end = len(reading.lines) if reading.forward_at is None else reading.forward_at
    own = [at for at in range(end) if reading.why[at] is None and reading.plain[at]]
    if all(at in signature for at in own):
        return
    for at in signature:
        if at < end and reading.why[at] is None:
            reading.why[at] = Cut.SIGNATURE
