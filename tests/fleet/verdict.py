"""What must be found once a fleet that was under fire has come to rest.

The provider's own log is compared with the record: one effect a key at most, no thread with two
drafts, no unknown hidden, fences only rising, every question drafted or with a word why not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from providers.mime.marks import MARK_HEADER

if TYPE_CHECKING:
    from tests.fleet.fire import Site


def unrest(site: Site) -> dict[str, object]:
    """What keeps the fleet from resting."""
    return {
        "threads": site.sql(
            "SELECT integration, thread, due_at, failures, no_draft_because FROM threads "
            "WHERE due_at IS NOT NULL AND quarantined_at IS NULL"
        ),
        "intents": site.sql(
            "SELECT integration, id, state, attempt, looks FROM intents "
            "WHERE state IN ('calling', 'unknown')"
        ),
        "mailboxes": site.sql("SELECT integration, problem, calls_paused_until FROM mailboxes"),
    }


def faults(site: Site) -> list[str]:
    """What is not as it must be, after everything is at rest."""
    found: list[str] = []
    effects = site.google.say("effects", header=MARK_HEADER.lower(), methods=["drafts.create"])
    intents = {
        str(mark): (str(name), str(state))
        for name, state, mark in site.sql(
            "SELECT id, state, mark FROM intents WHERE kind = 'create_draft'"
        )
    }
    for mark, number in effects.items():
        name, state = intents.get(mark, ("nobody", "absent"))
        if number != 1:
            found.append(f"intent {name} took effect {number} times")
        if state not in ("accepted", "unknown"):
            found.append(f"intent {name} took effect and is {state}")
    for mark, (name, state) in intents.items():
        if state == "accepted" and mark not in effects:
            found.append(f"intent {name} is accepted and had no effect")
    for user in site.users:
        lying = Counter(
            one["threadId"] if "threadId" in one else one["thread"]
            for one in site.drafts(user).values()
        )
        found += [f"{user}: {thread} has {n} drafts" for thread, n in lying.items() if n > 1]
    hidden = site.sql(
        "SELECT id FROM intents i WHERE state = 'unknown' AND NOT EXISTS (SELECT 1 FROM "
        "review_items r WHERE r.kind = 'outcome_unknown' AND r.about = i.id AND r.state = 'open')"
    )
    found += [f"intent {name} is unknown and not shown" for (name,) in hidden]
    found += [f"a fence fell: {row}" for row in site.sql("SELECT * FROM audit")]
    found += _undrafted(site)
    return found


def _undrafted(site: Site) -> list[str]:
    """Questions whose thread has no draft and no word why."""
    rows = site.sql(
        "SELECT t.integration, t.provider_thread, t.no_draft_because, t.quarantined_at, EXISTS("
        "SELECT 1 FROM drafts d WHERE d.integration = t.integration AND d.thread = t.thread)"
        " FROM threads t WHERE t.provider_thread IS NOT NULL"
    )
    known = {(str(box), str(thread)): row for box, thread, *row in rows}
    found = []
    for user, thread, own in site.asked:
        row = known.get((f"{user}/mail", thread))
        if row is None:
            found.append(f"{user}: {own} was never noted")
        elif not row[2] and row[0] is None and row[1] is None:
            found.append(f"{user}: {own} has neither a draft nor a reason")
    return found
