"""How threading grows with its input, and what it finds in real mails.

Run it with ``python -m tests.bench.bench_threads``. Growth is judged as a ratio in one run: twice
the input may cost a little more than twice the time. Of the real mails only counts are printed.
Ends with 1 when a ratio is over its limit or too many answers stand apart from what they answer.
"""

from __future__ import annotations

import hashlib
import sys
import time
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from providers.mime.message import Heads, Mail
from providers.mime.reading import read_heads
from providers.mime.threads import distinct_messages, group_threads, message_ids
from storage.words import Identity
from tests.bench.corpus import raw_mails

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LIMIT: Final = 1.6
"""How much more time a message or reference may take when there are four times as many."""
BESIDE: Final = 0.99
"""Share of real answers that must stand in the thread of a mail that they answer."""


def heads(number: int, references: Iterable[int]) -> Heads:
    return Heads(
        identity=Identity(hashlib.sha256(str(number).encode()).hexdigest()),
        message_id=f"<{number}.{'q' * 40}@example.org>",
        references=tuple(f"<{each}.{'q' * 40}@example.org>" for each in references),
    )


def thread(messages: int, references: int = 300) -> list[Heads]:
    """One thread; each message names at most *references* of those before it, and the first."""
    return [
        heads(number, sorted({0, *range(max(0, number - references), number)} if number else ()))
        for number in range(messages)
    ]


def seconds(work: Callable[[], object], times: int = 5) -> float:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def growth(
    name: str, unit: int, smaller: Callable[[], object], larger: Callable[[], object]
) -> bool:
    """Print how the time for one of *unit* grows when there are four times as many."""
    few, many = seconds(smaller) / unit, seconds(larger) / (4 * unit)
    ratio = many / few
    print(f"{name}: {few * 1e6:.1f} us each of {unit}, {many * 1e6:.1f} us of {4 * unit}", end="")
    print(f", ratio {ratio:.2f} (limit {LIMIT})")
    return ratio <= LIMIT


def synthetic() -> bool:
    """Growth with messages, references, namesakes and answers."""
    threads = {count: thread(count) for count in (1_000, 4_000)}
    long = {count: [heads(count, range(count))] * 20 for count in (300, 1_200)}
    assert len(set(group_threads(threads[1_000]))) == 1
    namesakes = {
        count: [
            Mail(identity=each.identity, message_id="<same@example.org>", text=f"{each.identity} x")
            for each in threads[4_000][:count]
        ]
        for count in (1_000, 4_000)
    }
    fine = [
        growth(
            "messages of a thread, References of 300",
            1_000,
            lambda: group_threads(threads[1_000]),
            lambda: group_threads(threads[4_000]),
        ),
        growth(
            "references of a message",
            300,
            lambda: group_threads(long[300]),
            lambda: group_threads(long[1_200]),
        ),
        growth(
            "mails with one Message-ID",
            1_000,
            lambda: distinct_messages(namesakes[1_000]),
            lambda: distinct_messages(namesakes[4_000]),
        ),
    ]
    return all(fine)


class Union:
    """Sets of ids that belong together, by any path (disjoint-set forest)."""

    def __init__(self) -> None:
        self._up: dict[str, str] = {}

    def root(self, key: str) -> str:
        while (above := self._up.setdefault(key, key)) != key:
            self._up[key] = self._up[above]
            key = above
        return key

    def join(self, keys: Sequence[str]) -> None:
        for key in keys[1:]:
            self._up[self.root(key)] = self.root(keys[0])


def sent_at(raw: bytes) -> float:
    """When a mail says that it was sent, for an order near that of arrival; 0 when it does not."""
    date = BytesHeaderParser(policy=compat32).parsebytes(raw[:65_536]).get("date")
    try:
        return parsedate_to_datetime(str(date)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0


def by_references(mails: Sequence[Heads]) -> list[str]:
    """The threads that References alone make, however the mails arrive: the yardstick."""
    union, own = Union(), []
    for number, mail in enumerate(mails):
        named = message_ids(mail.message_id or "")[:1] or [f"no id {number}"]
        union.join([*named, *(key for value in mail.references for key in message_ids(value))])
        own.append(named[0])
    return [union.root(key) for key in own]


def answers_beside_their_parents(mails: Sequence[Heads], threads: Sequence[str]) -> tuple[int, int]:
    """Answers to a mail of the set, and how many of them stand in one thread with one."""
    places: dict[str, set[str]] = {}
    for mail, found in zip(mails, threads, strict=True):
        for key in message_ids(mail.message_id or "")[:1]:
            places.setdefault(key, set()).add(found)
    answers = together = 0
    for mail, found in zip(mails, threads, strict=True):
        own = message_ids(mail.message_id or "")
        named = (key for value in mail.references + mail.in_reply_to for key in message_ids(value))
        parents = [places[key] for key in named if key in places and key not in own]
        answers += bool(parents)
        together += any(found in each for each in parents)
    return answers, together


def real() -> bool:
    """What is found in real mails, beside References alone; counts only."""
    mails = [read_heads(raw) for raw in sorted(raw_mails(), key=sent_at)]
    ours, yardstick = group_threads(mails), by_references(mails)
    answers, together = answers_beside_their_parents(mails, ours)
    _, alone = answers_beside_their_parents(mails, yardstick)
    cuts = len(set(zip(yardstick, ours, strict=True))) - len(set(yardstick))
    print(f"real mails: {len(mails)}, with Thread-Index {sum(bool(m.thread_index) for m in mails)}")
    print(f"  threads: {len(set(ours))}, by References alone {len(set(yardstick))}")
    print(f"  cuts through a thread of References alone (late bridges): {cuts}")
    print(f"  answers to a mail of the set: {answers}, beside it {together}, by References {alone}")
    return together >= BESIDE * answers


if __name__ == "__main__":
    sys.exit(0 if all([synthetic(), real()]) else 1)
