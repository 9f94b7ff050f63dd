"""How many threads the rules judge in a second on one core, and how many need no model.

Run it with ``python -m tests.bench.bench_rules``. Three inputs: the labelled threads, the same as
long conversations, and real mails (each as a thread of its own, to the first address in To).
Of the real mails only counts are printed. Ends with 1 when work grows faster than its input.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from assistant.core.conversation import Conversation, Entry
from assistant.core.outline import outline
from assistant.core.rules import RULES_VERSION, judge
from providers.mime.message import Owner
from providers.mime.reading import read_mail
from storage.words import Ref
from tests.bench.corpus import raw_mails
from tests.labelled.threads import OWNER, labelled

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT: Final = 1.6
"""How much more time a character may take when a text is four times as long."""
REAL: Final = 1_500
"""So many of the real mails are judged."""
AT: Final = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def seconds(conversations: Sequence[Conversation], times: int = 3) -> float:
    """Processor seconds for judging all of them once, the best of a few."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        for each in conversations:
            judge(each)
        best = min(best, time.process_time() - start)
    return best


def report(name: str, conversations: Sequence[Conversation]) -> None:
    """Print speed, the share that needs no model, and the categories."""
    spent = seconds(conversations)
    triages = [judge(each) for each in conversations]
    sure = sum(not each.unsure for each in triages) / len(triages)
    chars = sum(len(e.mail.new_text) for c in conversations for e in c.entries)
    print(f"{name}: {len(conversations)} threads, {chars / len(conversations):.0f} characters each")
    print(f"  {len(conversations) / spent:.0f} threads a second on one core")
    print(f"  {sure:.1%} need no model")
    print(f"  {dict(Counter(str(each.category) for each in triages))}")


def long_ones(conversations: Sequence[Conversation], times: int) -> list[Conversation]:
    """The same conversations with every text that many times as long."""
    return [
        replace(
            conversation,
            entries=tuple(
                replace(e, mail=replace(e.mail, new_text=(e.mail.new_text + "\n\n") * times))
                for e in conversation.entries
            ),
        )
        for conversation in conversations
    ]


def real_ones() -> list[Conversation]:
    """Real mails, each as the newest of a thread of its own."""
    found: list[Conversation] = []
    for raw, _ in zip(raw_mails(), range(REAL), strict=False):
        mail = read_mail(raw)
        addr = next((each.addr for each in mail.to if "@" in each.addr), "nobody@example.com")
        entry = Entry(mail=mail, own=False, arrived_at=AT, ref=Ref("r"))
        found.append(Conversation(owner=Owner(name="", addresses=(addr,)), entries=(entry,)))
    return found


def main() -> int:
    """Print the figures; 1 when growth is over its limit."""
    print(f"rules version {RULES_VERSION}")
    small = [each.conversation for each in labelled()]
    report("labelled threads", small)
    report("real mails", real_ones())
    start = time.process_time()
    for each in small:
        outline(each, judge(each), signature=OWNER.name, name=OWNER.name)
    spent = time.process_time() - start
    print(f"judging and drawing the outline: {len(small) / spent:.0f} threads a second")
    growth = seconds(long_ones(small, 8)) / seconds(long_ones(small, 2)) / 4
    print(f"a character in a text four times as long costs {growth:.2f} times as much")
    return 0 if growth <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
