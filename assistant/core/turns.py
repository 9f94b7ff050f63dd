"""Whose turn it is: a conversation read from its newest message to its oldest.

What came later decides what is still open: the owner's own answers (to a message, or to its
writer), others who answered, writers who closed the matter, a conversation that went on. Everything
is kept in sets while going back, so a thread of thousands of messages costs no more than reading
its last ones; older than READ_LIMIT messages of others nothing counts as open.

The facts and their wording are ``rules``' business; here is only what follows from order. Never
raises, whatever the headers claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assistant.core.audience import (
    Audience,
    Me,
    Place,
    audience,
    poses_as_owner,
    writer,
    writers,
)
from assistant.core.closings import SHORT, answers, closes, is_clear, promises
from assistant.core.conversation import Conversation, Entry
from assistant.core.phrases.lexicon import Kind
from assistant.core.phrases.sentences import words
from assistant.core.questions import Ask, Said, said
from assistant.core.signs import (
    advertises,
    is_bait,
    is_circular,
    is_sales,
    smells_of_sales,
    speaks_to_the_assistant,
)
from providers.mime.envelope import reply_envelope
from providers.mime.message import Mail
from providers.mime.owners import address_key

READ_LIMIT: Final = 40
"""So many messages of others are read from the newest back; what is older was left behind."""
LEFT_BEHIND: Final = 6
"""After so many later messages of others a question to several people is no longer open."""
_SUBJECT_WORDS: Final = 12
"""A first message of so few words may have its question in the subject."""


@dataclass(frozen=True, slots=True)
class Open:
    """A message that still waits for the owner, and what in it does."""

    index: int
    mail: Mail
    asks: tuple[Ask, ...]
    said: Said
    around: Audience
    named: bool
    unsure: bool
    again: bool


@dataclass(slots=True)
class Turns:
    """What is known of a conversation; while going back, of the messages that came later.

    ``open`` is oldest first in the end. ``note`` says why a question is not open, ``told`` what the
    newest message does instead of asking, ``waiting`` that somebody promised to come back,
    ``suspicion`` what is wrong with the newest message, ``circular`` that it is one.
    """

    open: list[Open] = field(default_factory=list)
    note: str | None = None
    told: str | None = None
    waiting: str | None = None
    suspicion: str | None = None
    circular: str | None = None
    unsure: bool = False
    answered: set[int] = field(default_factory=set)
    spoken_to: set[str] = field(default_factory=set)
    copied_to: dict[str, int] = field(default_factory=dict)
    closed_by: set[str] = field(default_factory=set)
    replied: dict[int, str] = field(default_factory=dict)
    later: int = 0
    own_later: bool = False


def read_turns(conversation: Conversation, me: Me) -> Turns:
    """Go through the conversation backwards and keep what is open."""
    return _Walk(conversation, me).go()


class _Walk:
    """One pass over a conversation, newest message first."""

    def __init__(self, conversation: Conversation, me: Me) -> None:
        self._entries = conversation.entries
        self._owner = conversation.owner
        self._me = me
        self._turns = Turns()
        self._positions = {
            entry.mail.message_id: index
            for index, entry in enumerate(self._entries)
            if entry.mail.message_id
        }
        self._known = _written_to(self._entries)

    def go(self) -> Turns:
        budget = READ_LIMIT
        for index in range(len(self._entries) - 1, -1, -1):
            entry = self._entries[index]
            if entry.own:
                self._own(index, entry.mail)
            elif budget and _by_person(entry.mail):
                budget -= 1
                if poses_as_owner(entry.mail, self._me):
                    self._posing()
                else:
                    self._other(index, entry.mail)
            if self._turns.suspicion is not None:
                break
        self._turns.open.reverse()
        return self._turns

    def _posing(self) -> None:
        """Somebody's claim to be the owner: it answers nothing, and nobody is answered for it."""
        turns = self._turns
        if not turns.later and not turns.own_later:
            turns.suspicion = (
                "The message says that you wrote it, but it is not in Sent, which alone proves it."
            )
        turns.later += 1

    def _parents(self, index: int) -> tuple[int, ...]:
        """The messages that one answers: those it names, else the one before it."""
        mail = self._entries[index].mail
        named = mail.in_reply_to or mail.references[-1:]
        if not named:
            return (index - 1,) if index else ()
        found = (self._positions.get(name, index) for name in named)
        return tuple(each for each in found if each < index)

    def _own(self, index: int, mail: Mail) -> None:
        """The owner's message answers what it names and whom it is written to."""
        turns = self._turns
        turns.own_later = True
        parents = self._parents(index) if mail.in_reply_to or mail.references else ()
        turns.answered.update(parents)
        turns.spoken_to.update(address_key(each.addr) for each in mail.to)
        reach = max(parents, default=len(self._entries))
        for each in (*mail.cc, *mail.bcc):
            key = address_key(each.addr)
            turns.copied_to[key] = max(reach, turns.copied_to.get(key, 0))

    def _other(self, index: int, mail: Mail) -> None:
        turns, me = self._turns, self._me
        around = audience(mail, me)
        spoken = said(mail.new_text, mail.language, me.names | around.others)
        newest = not turns.later and not turns.own_later
        turns.later += 1
        if newest:
            turns.suspicion = self._suspicion(index, mail, spoken)
            if turns.suspicion is not None:
                return
        if is_circular(mail, me, known=self._is_known(index, mail)):
            if newest:
                turns.circular = f"{writer(mail)} sent a circular that one can unsubscribe from."
            return
        if self._answered(index, mail):
            return
        asks, doubtful = self._for_owner(index, mail, spoken, around)
        if asks:
            self._asked(index, mail, spoken, around, asks, doubtful=doubtful)
        else:
            self._told(index, mail, spoken, around, newest=newest)

    def _suspicion(self, index: int, mail: Mail, spoken: Said) -> str | None:
        who = writer(mail)
        known = self._is_known(index, mail)
        if speaks_to_the_assistant(mail, spoken):
            return f"The message of {who} gives orders to an assistant."
        if is_bait(mail, spoken, self._me, known=known):
            return f"The message of {who} shows several signs of fraud."
        if is_sales(mail, spoken, self._me, known=known):
            return f"{who}, whom you have not written to, offers what nobody asked for."
        if advertises(mail, spoken, self._me, known=known):
            return f"{who}, whom you have not written to, sent an advertisement."
        return None

    def _is_known(self, index: int, mail: Mail) -> bool:
        """Whether the owner wrote to this writer before."""
        return any(self._known.get(key, index) < index for key in writers(mail))

    def _answered(self, index: int, mail: Mail) -> bool:
        """Whether a later message of the owner took this one's turn."""
        turns = self._turns
        if index in turns.answered:
            return True
        for key in writers(mail):
            if key in turns.spoken_to or turns.copied_to.get(key, -1) >= index:
                return True
        return turns.own_later and not turns.spoken_to and not turns.copied_to

    def _to_own(self, index: int) -> bool:
        """Whether a message answers one of the owner's."""
        return any(self._entries[parent].own for parent in self._parents(index))

    def _for_owner(
        self, index: int, mail: Mail, spoken: Said, around: Audience
    ) -> tuple[tuple[Ask, ...], bool]:
        """The asks that the owner is meant by, and whether that is doubtful."""
        direct = self._to_own(index)
        asks = spoken.asks or _in_subject(mail, spoken)
        sure: list[Ask] = []
        perhaps: list[Ask] = []
        for ask in asks:
            reach = _reach(ask, spoken, around, self._me, direct=direct)
            if reach is not None:
                (sure if reach else perhaps).append(ask)
        if sure:
            return tuple(sure), asks is not spoken.asks
        return tuple(perhaps), True

    def _asked(
        self,
        index: int,
        mail: Mail,
        spoken: Said,
        around: Audience,
        asks: tuple[Ask, ...],
        *,
        doubtful: bool,
    ) -> None:
        turns, who = self._turns, writer(mail)
        named = any(ask.names & self._me.names for ask in asks)
        if self._settled(index, mail, around, named=named):
            return
        if reply_envelope(mail, self._owner, thread=()) is None:
            turns.note = turns.note or f"{who} asks something, but nobody would read an answer."
            return
        again = Kind.REMIND in spoken.kinds and any(
            writers(entry.mail) & writers(mail)
            for entry in self._entries[max(0, index - 5) : index]
        )
        own_since = turns.own_later
        unsure = doubtful or own_since or around.place is Place.HIDDEN or smells_of_sales(spoken)
        turns.open.append(Open(index, mail, asks, spoken, around, named, unsure, again))

    def _settled(self, index: int, mail: Mail, around: Audience, *, named: bool) -> bool:
        """Whether somebody else took care of the question, or it was left behind."""
        turns, who = self._turns, writer(mail)
        if writers(mail) & turns.closed_by:
            turns.note = turns.note or f"{who} asked something and has closed the matter since."
            return True
        other = turns.replied.get(index)
        if other is not None and not named:
            turns.note = turns.note or f"{other} has answered what {who} asked."
            turns.unsure = turns.unsure or around.place is Place.SOLE
            return True
        if turns.later > LEFT_BEHIND and not named and around.place is not Place.SOLE:
            turns.note = turns.note or f"The conversation went on after what {who} asked."
            turns.unsure = True
            return True
        return False

    def _told(
        self, index: int, mail: Mail, spoken: Said, around: Audience, *, newest: bool
    ) -> None:
        """Keep what a message that asks nothing of the owner does to earlier ones."""
        turns = self._turns
        if closes(spoken):
            turns.closed_by |= writers(mail)
        if answers(spoken):
            for parent in self._parents(index):
                if not writers(self._entries[parent].mail) & writers(mail):
                    turns.replied.setdefault(parent, writer(mail))
        if not newest:
            return
        direct = self._to_own(index)
        if promises(spoken) and index and direct:
            turns.waiting = f"{writer(mail)} will come back to what you asked."
        turns.told = _nothing(mail, spoken, around)
        turns.unsure = _doubtful(spoken, around, self._me, direct=direct)


def _by_person(mail: Mail) -> bool:
    return mail.automated is None and mail.unreadable is None


def _written_to(entries: Sequence[Entry]) -> dict[str, int]:
    """Whom the owner wrote to, with the first message of theirs that did."""
    found: dict[str, int] = {}
    for index, entry in enumerate(entries):
        if entry.own:
            for each in (*entry.mail.to, *entry.mail.cc):
                found.setdefault(address_key(each.addr), index)
    return found


def _reach(ask: Ask, spoken: Said, around: Audience, me: Me, *, direct: bool) -> bool | None:
    """True when the owner is meant by an ask, False when perhaps, None when not."""
    if ask.names & me.names:
        return True
    others = bool(ask.names & around.others)
    match around.place:
        case Place.SOLE:
            return _reach_alone(ask, spoken)
        case Place.HIDDEN:
            return False if ask.firm and not others and around.addressed <= 2 else None
        case Place.FEW:
            if others or not ask.firm:
                return None
            many = around.addressed > 4 and Kind.SOMEONE in ask.kinds
            return None if many and not direct else True
        case Place.MANY:
            each = Kind.EVERYONE in ask.kinds or direct
            return True if ask.firm and each and not others else None
        case Place.COPY:
            each = Kind.EVERYONE in ask.kinds and around.addressed <= 4
            return False if ask.firm and each and not others else None
        case Place.LISTED:
            return True if ask.firm and direct and not others else None


def _reach_alone(ask: Ask, spoken: Said) -> bool | None:
    if ask.firm:
        return True
    return None if Kind.BILL in spoken.kinds else False


def _in_subject(mail: Mail, spoken: Said) -> tuple[Ask, ...]:
    """The question in the subject of a first message that hardly says anything else."""
    first = not mail.in_reply_to and not mail.references
    if not first or spoken.words > _SUBJECT_WORDS or spoken.forwards:
        return ()
    asked = said(mail.subject, mail.language, frozenset()).asks
    return tuple(ask for ask in asked if ask.question)


def _nothing(mail: Mail, spoken: Said, around: Audience) -> str:
    """Why the newest message asks nothing of the owner."""
    who = writer(mail)
    if spoken.forwards and not spoken.words:
        return f"{who} forwarded something without a word."
    if spoken.asks and any(ask.firm for ask in spoken.asks):
        return f"{who} asks somebody else; you are {around.place.value}."
    if spoken.asks:
        return f"{who} tells several people what to do; you are {around.place.value}."
    if not spoken.words:
        return f"{who} wrote nothing new."
    if closes(spoken):
        return f"{who} thanks or agrees and asks nothing."
    return f"{who} asks nothing of you."


def _doubtful(spoken: Said, around: Audience, me: Me, *, direct: bool) -> bool:
    """Whether a model should look at a newest message that seems to ask nothing."""
    if spoken.forwards and not spoken.words:
        return True
    if any(ask.firm and not me.names.isdisjoint(words(ask.text)) for ask in spoken.asks):
        return True
    if around.place in (Place.COPY, Place.LISTED, Place.MANY):
        return False
    if spoken.asks:
        return around.place is Place.HIDDEN
    return not is_clear(spoken) and not (direct and spoken.words < SHORT)
