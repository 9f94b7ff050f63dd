"""Every second answer lost, and the daemon killed again and again, from a seed:
``python -m tests.gmail_product.lost [--seed N] [--threads N] [--apart SECONDS]
[--short-rests] [--quota]``.

The drafts are made at the provider; their answers never come. What the provider counted is then
compared with what the commands say.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.gmail_product.site import Google, kill, question

PLENTY = 1_000_000
"""Units a minute where the quota is not what is tried."""


@dataclass
class Burst:
    """What happened to a mailbox that gets many questions at once."""

    site: Google
    threads: int
    seed: int
    kills: int = 0
    seconds: float = 0.0
    unknown: list[str] = field(default_factory=list)
    """What an unknown intent was shown with, one of each kill."""

    def run(
        self, apart_s: float, most_kills: int, bound_s: float, *, short_rests: bool = False
    ) -> None:
        """Deliver, lose, kill, and wait until every thread has its draft or *bound_s* is over.

        A mailbox rests for a minute after three unknowns in a row, and longer each time: with
        *short_rests* the daemon is killed then, and its next one finds that the time has passed.
        """
        site, dice = self.site, random.Random(self.seed)
        for number in range(self.threads):
            site.deliver(question(number))
        site.fault(method="drafts.create", every=2, times=10**6, end="drop", cut=0)
        begun = time.monotonic()
        daemon = site.start()
        try:
            # A watcher that dies three times in a row would rightly be set aside.
            site.until(lambda: len(site.noted()) >= self.threads, daemon, bound_s)
            while not self.done() and time.monotonic() - begun < bound_s:
                until = time.monotonic() + dice.uniform(0.5, 1.5) * apart_s
                more = len(site.effects()) + dice.randint(4, 12)
                while time.monotonic() < until and len(site.effects()) < more:
                    if self.done() or (short_rests and self.rests()):
                        break
                    time.sleep(0.05)
                if short_rests and self.rests():
                    kill(daemon)
                    site.change("UPDATE mailboxes SET calls_paused_until = 1")
                    site.change("UPDATE threads SET due_at = 1 WHERE due_at IS NOT NULL")
                    daemon = site.start()
                elif self.kills < most_kills and sum(site.states().values()) < self.threads:
                    kill(daemon)
                    self.kills += 1
                    daemon = site.start()
        finally:
            kill(daemon)
        self.seconds = time.monotonic() - begun

    def rests(self) -> bool:
        """Whether the mailbox makes no calls for a while."""
        return bool(self.site.sql("SELECT 1 FROM mailboxes WHERE calls_paused_until > 1"))

    def done(self) -> bool:
        """Whether each thread has a create that is accepted, or that never reached the provider.

        A daemon that dies between its commit and its first octet leaves an intent of which nobody
        can say that it had no effect: it stays unknown.
        """
        states = self.site.states()
        if states["accepted"] == self.threads:
            return True
        if states["accepted"] + states["unknown"] != self.threads:
            return False
        rows = self.site.sql("SELECT mark FROM intents WHERE state = 'unknown'")
        return not {mark for (mark,) in rows} & self.site.effects().keys()

    def faults(self) -> list[str]:
        """What is not as it must be."""
        site, found = self.site, []
        effects = site.effects()
        found += [f"{mark} took effect {n} times" for mark, n in effects.items() if n != 1]
        lying = Counter(str(one["thread"]) for one in site.drafts().values())
        found += [f"thread {thread} has {n} drafts" for thread, n in lying.items() if n != 1]
        accepted = site.states()["accepted"]
        if len(lying) != accepted:
            found.append(f"{len(lying)} threads have a draft and {accepted} creates are accepted")
        rows = site.sql("SELECT id, mark, state FROM intents WHERE kind = 'create_draft'")
        for name, mark, state in rows:
            if (mark in effects) != (state == "accepted"):
                found.append(f"{name} is {state} and took effect {effects.get(mark, 0)} times")
        hidden = site.sql(
            "SELECT id FROM intents i WHERE state = 'unknown' AND NOT EXISTS (SELECT 1 FROM "
            "review_items r WHERE r.about = i.id AND r.state = 'open' AND r.kind = "
            "'outcome_unknown')"
        )
        return found + [f"{name} is unknown and not shown" for (name,) in hidden]

    def told(self) -> dict[str, object]:
        """Numbers for a person."""
        return {
            "seed": self.seed,
            "threads": self.threads,
            "kills": self.kills,
            "seconds": round(self.seconds, 1),
            "states": dict(self.site.states()),
            "settled": dict(
                self.site.sql("SELECT settled_by, count(*) FROM intents GROUP BY settled_by")
            ),
            "units a draft": round(self.site.units() / self.threads, 1),
            "requests": self.site.counters()["requests"],
        }


def plenty(site: Google) -> None:
    """Take the quota out of the way."""
    site.settings(units_per_minute=PLENTY)
    path = site.config / "users" / "robin.toml"
    path.write_text(path.read_text() + f"units_per_minute = {PLENTY}\n")


def main() -> None:
    """A long run by hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--threads", type=int, default=200)
    parser.add_argument("--apart", type=float, default=4.0, help="seconds between kills")
    parser.add_argument("--quota", action="store_true", help="with Gmail's own quota")
    parser.add_argument("--short-rests", action="store_true", help="do not sit out its rests")
    given = parser.parse_args()
    say: Callable[[object], None] = print
    with Google.made(Path(tempfile.mkdtemp(prefix="fp-lost-"))) as site:
        if not given.quota:
            plenty(site)
        burst = Burst(site, given.threads, given.seed)
        burst.run(given.apart, 10**6, 1_800.0, short_rests=given.short_rests)
        say(burst.told())
        wrong = burst.faults()
    say("\n".join(wrong) or "nothing is wrong")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
