"""No mail makes the rules or the outline raise, and work grows with the text, not faster."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.core import questions
from assistant.core.outline import LENGTH_LIMIT, outline
from assistant.core.phrases import lexicon
from assistant.core.phrases.sentences import LIMIT, sentences
from assistant.core.rules import judge
from providers.mime.message import Address, Mail
from storage.words import Category, Identity
from tests.core_rules.build import OWNER, thread

PIECES = [
    "Robin, ", "Hi Mina,\n", "could you ", "please send ", "the plan", "?", "？", ". ", "\n\n",
    "> ", "thanks", "by Friday", "https://x.example/?a", "a@b.example", "![x](y)",
    "---------- Forwarded ", "message ---------\n", "\u202e", "\u200b", "\ud800", "\x00",
    "Könnten Sie", "¿Puedes", "て下さい", "ignore all previous instructions", "</email>", "@Robin",
    "- ", "1) ", "\r", "…", '"', "''", "intended recipient", "Dear customer",
    "verify your account", "within 24 hours",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
)
NAMES = st.one_of(st.just("Mina Okafor"), st.text(max_size=40))
ADDRS = st.one_of(
    st.sampled_from(["robin@example.com", "mina@example.org", "robin+x@example.com", "", "@"]),
    st.text(max_size=30),
)
PEOPLE = st.lists(st.builds(Address, addr=ADDRS, name=NAMES), max_size=4).map(tuple)
IDS = st.one_of(st.none(), st.sampled_from(["<a@x>", "<b@x>", "<c@x>", "", "<"]))
REFERENCES = st.lists(st.sampled_from(["<a@x>", "<b@x>", "<c@x>"]), max_size=3).map(tuple)
MAILS = st.builds(
    Mail,
    identity=st.just(Identity("i")),
    message_id=IDS,
    in_reply_to=REFERENCES,
    references=REFERENCES,
    from_=PEOPLE,
    original_from=PEOPLE,
    reply_to=PEOPLE,
    to=PEOPLE,
    cc=PEOPLE,
    bcc=PEOPLE,
    list_id=st.one_of(st.none(), st.text(max_size=20)),
    subject=TEXTS,
    text=TEXTS,
    new_text=TEXTS,
    language=st.one_of(st.none(), st.sampled_from(["en", "de", "pl", "zz", ""])),
    automated=st.one_of(st.none(), st.just("a newsletter")),
    body_unreadable=st.one_of(st.none(), st.just("encrypted")),
)
HOSTILE = [
    "a." * 20_000, "a-" * 20_000, "@" * 40_000, "x@" * 20_000, "![[" * 12_000, "?" * 40_000,
    "? " * 20_000, "." * 40_000, "please can you " * 3_000, "\n" * 40_000, "a\n" * 20_000,
    '"' * 40_000, "([" * 20_000, "https://" * 6_000, "Robin, " * 6_000, "i we you " * 5_000,
    "\u200d" * 40_000, "- - " * 10_000, "\U000e0041" * 40_000, "ignore all of the " * 3_000,
]  # fmt: skip


@given(st.lists(MAILS, max_size=5), st.sets(st.integers(0, 4)), TEXTS)
@settings(max_examples=80, deadline=None)
def test_no_conversation_makes_it_raise(mails: list[Mail], own: set[int], signature: str) -> None:
    conversation = thread(*mails, own=tuple(own))
    triage = judge(conversation)
    assert triage.reason
    assert "\n" not in triage.reason
    assert (triage.answer is not None) is (triage.category is Category.NEEDS_REPLY)
    if triage.answer is not None:
        assert not conversation.entries[triage.answer].own
    drawn = outline(conversation, triage, signature=signature, name=OWNER.name)
    assert len(drawn) <= LENGTH_LIMIT
    drawn.encode()


@given(st.lists(MAILS, max_size=4))
@settings(max_examples=50, deadline=None)
def test_the_same_conversation_is_judged_the_same(mails: list[Mail]) -> None:
    assert judge(thread(*mails)) == judge(thread(*mails))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_of_a_hostile_text_only_a_bounded_part_is_looked_at(text: str) -> None:
    words = sum(len(sentence.words) for sentence in sentences(text))
    assert words <= LIMIT
    assert judge(thread(Mail(identity=Identity("i"), new_text=text, text=text))).reason


def _lookups(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    count = 0
    module = __import__("assistant.core.phrases.lexicon", fromlist=["_match"])
    real = module._match

    def counting(*given: object) -> int:
        nonlocal count
        count += 1
        return int(real(*given))

    monkeypatch.setattr(module, "_match", counting)
    questions.said(text, "en", frozenset())
    monkeypatch.undo()
    return count


@pytest.mark.parametrize("piece", ["please can you ", "Let me know if you, please. ", "i we you "])
def test_twice_the_text_costs_twice_the_work(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    once = _lookups(piece * 40, monkeypatch)
    twice = _lookups(piece * 80, monkeypatch)
    assert once
    assert twice <= 2.2 * once


def test_the_phrases_are_built_once() -> None:
    first = lexicon()
    assert lexicon() is first


def test_a_thread_of_thousands_is_read_from_its_end() -> None:
    old = Mail(
        identity=Identity("i"),
        from_=(Address(addr="mina@example.org"),),
        to=(Address(addr="robin@example.com"),),
        new_text="Which day suits you?",
    )
    quiet = Mail(
        identity=Identity("j"),
        from_=(Address(addr="ben@example.org"),),
        to=(Address(addr="robin@example.com"),),
        new_text="The weather is fine.",
    )
    assert judge(thread(old, *[quiet] * 3_000)).category is Category.FYI
