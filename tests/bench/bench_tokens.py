"""How many tokens a model reads over a thread's whole life, per token of new text.

Run it with ``python -m tests.bench.bench_tokens``. Each message that arrives in a real thread is
judged anew. Three ways are compared, in bytes, since tokens follow bytes: the whole mails again
each time (naive); our prompts, with all that stands around the mail; and our prompts at a server
that keeps prefixes, which reads only what differs from the prompt before. Of the real mails only
counts are printed. Ends with 1 when our cost grows faster than the thread, or is not below the
naive one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from assistant.core.conversation import Conversation, Entry
from assistant.core.prompts import Frame, triage_question
from assistant.core.rules import judge
from assistant.core.tokens import Rate
from providers.mime.message import Mail, Owner
from providers.mime.reading import read_heads, read_mail
from providers.mime.threads import distinct_messages, group_threads
from storage.words import Category, Ref
from tests.bench.bench_threads import sent_at
from tests.bench.corpus import raw_mails
from tests.core_rules.build import MINA, mail

OWNER: Final = Owner(name="Robin Vale", addresses=("robin@example.com",))
FRAME: Final = Frame(
    name=OWNER.name,
    instructions="Short answers.",
    fence="mail-0123456789",
    budget=24_000,
    rate=Rate(3.0 / 0.75),
)
"""The defaults of a user's file, at a server whose tokens have been seen."""
GROWTH: Final = 1.25
"""How much more a message may cost in a thread of four times the length."""
LONG: Final = 6


class Cost:
    """Bytes read in each of the ways."""

    def __init__(self) -> None:
        self.new = self.naive = self.ours = self.cached = self.threads = self.messages = 0

    def add(self, other: Cost) -> None:
        for name in ("new", "naive", "ours", "cached", "threads", "messages"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def told(self, name: str) -> str:
        new = max(1, self.new)
        return (
            f"{name}: {self.threads} threads, {self.messages} messages; read per new text: "
            f"naive {self.naive / new:.2f}, ours {self.ours / new:.2f}, "
            f"with a prefix cache {self.cached / new:.2f}"
        )


def conversation(mails: Sequence[Mail]) -> Conversation:
    entries = tuple(
        Entry(
            mail=one,
            own=False,
            arrived_at=one.date or datetime(2002, 1, 1, tzinfo=UTC),
            ref=Ref(str(number)),
        )
        for number, one in enumerate(mails)
    )
    return Conversation(owner=OWNER, entries=entries, subject=mails[0].subject)


def shared(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def life(mails: Sequence[Mail], frame: Frame = FRAME) -> Cost:
    """What one thread costs, judged at each of its messages."""
    cost = Cost()
    cost.threads, cost.messages = 1, len(mails)
    before = FRAME_BYTES
    whole = 0
    for count in range(1, len(mails) + 1):
        last = mails[count - 1]
        cost.new += len(last.new_text.encode())
        whole += len(last.text.encode())
        cost.naive += whole
        question = triage_question(conversation(mails[:count]), frame)
        now = "".join(prompt.text for prompt in question.prompts).encode()
        cost.ours += len(now)
        cost.cached += len(now) - shared(before, now)
        before = now
    return cost


FRAME_BYTES: Final = triage_question(conversation([mail("")]), FRAME).prompts[0].text.encode()
"""What stands before the mail in every prompt of this owner, so it is cached from the first on."""


def threads_of(raws: Iterable[bytes]) -> list[list[Mail]]:
    """Real threads in order of arrival, each message once."""
    ordered = sorted(raws, key=sent_at)
    found: dict[str, list[bytes]] = {}
    names = group_threads([read_heads(raw) for raw in ordered])
    for name, raw in zip(names, ordered, strict=True):
        found.setdefault(name, []).append(raw)
    threads = []
    for group in found.values():
        texts: list[str] = []
        mails = []
        for raw in group:
            mails.append(read_mail(raw, parents=texts[-8:]))
            texts.append(mails[-1].text)
        threads.append([mails[one[0]] for one in distinct_messages(mails)])
    return threads


def real() -> bool:
    """Costs on real threads, and how many need no model at all."""
    threads = threads_of(raw_mails())
    everything, long = Cost(), Cost()
    for mails in threads:
        if len(mails) < 2:
            continue
        cost = life(mails)
        everything.add(cost)
        if len(mails) >= LONG:
            long.add(cost)
    print(everything.told("real threads of two and more"))
    print(long.told(f"real threads of {LONG} and more"))
    judged = [judge(conversation(mails)) for mails in threads]
    sure = sum(not one.unsure and one.category is not Category.NEEDS_REPLY for one in judged)
    print(f"threads that need no model: {sure} of {len(threads)} ({sure / len(threads):.0%})")
    return long.ours < long.naive and everything.cached < everything.ours


def growing() -> bool:
    """Whether a message costs the same in a thread of any length, once the budget is used."""
    each = {}
    for count in (100, 400):
        mails = [
            mail(f"Point {number}: " + "some more words about it " * 20, number=number, by=MINA)
            for number in range(count)
        ]
        cost = life(mails, replace(FRAME, budget=4_000))
        each[count] = (cost.naive / count, cost.ours / count, cost.cached / count)
        print(
            f"thread of {count}: bytes read per message: naive {each[count][0]:.0f}, "
            f"ours {each[count][1]:.0f}, with a prefix cache {each[count][2]:.0f}"
        )
    ratios = [each[400][way] / each[100][way] for way in range(3)]
    print(
        f"growth from 100 to 400: naive {ratios[0]:.2f}, ours {ratios[1]:.2f}, "
        f"with a prefix cache {ratios[2]:.2f} (limit {GROWTH})"
    )
    return ratios[1] <= GROWTH and ratios[2] <= GROWTH


if __name__ == "__main__":
    sys.exit(0 if all([growing(), real()]) else 1)
