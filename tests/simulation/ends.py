"""What must hold of whole workers while they run and when nothing happens any more."""

from __future__ import annotations

from collections.abc import Collection

from storage import watches
from storage.words import IntentState, ItemKind, Kind
from tests.support.invariants import two_of_ours
from tests.support.world import BOX, World


def late_orphans(world: World, alive_since_s: float, locked: Collection[str] = ()) -> list[str]:
    """I8: within lease, grace and sweep interval of a living process, an orphan is seen.

    *locked*: intents whose rows nobody can change, or could for a while.
    """
    running = [one for one in world.processes if not one.gate.dead and not one.gate.stopped]
    if not running:
        return []
    waits_s = world.settings.call_timeout_s + world.settings.poll_s + 1.0
    rows = world.db.ask(
        "SELECT i.id, l.expires_at FROM intents i JOIN leases l USING (integration, thread) "
        "WHERE i.state = 'calling'"
    )
    now_s = world.clock.database_s()
    return [
        f"orphan {str(intent)[:6]} was seen by nobody"
        for intent, expires in rows
        if intent not in locked and max(float(str(expires)) / 1000, alive_since_s) + waits_s < now_s
    ]


def at_the_end(world: World, *, calm: bool) -> list[str]:
    """What must not be left of a schedule when nothing happens any more."""
    found = [
        f"intent {intent.id[:6]} is still being called"
        for intent in world.intents()
        if intent.state is IntentState.CALLING
    ]
    found += [f"{name} is owed a draft and has none" for name in owed(world)]
    told = {
        item.thread
        for item in world.items(ItemKind.DUPLICATED, closed=True)
        if item.state == "open" or item.closed_by != "facts"
    }
    if not _is_set_aside(world):
        found += [what for thread, what in two_of_ours(world) if thread not in told]
    if calm:
        found += [
            f"{item.kind} was opened though nothing failed"
            for item in world.items()
            if item.kind not in ("draft_ready", "draft_overtaken")
        ]
    return found


def _is_set_aside(world: World) -> bool:
    """Whether the mailbox waits for its owner, with all that lies in it."""
    return world.read(lambda conn: watches.is_set_aside(conn, BOX))


def owed(world: World) -> list[str]:
    """Threads whose last word is a question, and in which nothing was done about it."""
    if _is_set_aside(world):
        return []
    found = []
    intents = world.intents()
    for row in world.threads():
        messages = world.db.ask(
            "SELECT identity, folder, intent FROM messages WHERE thread = ? AND gone_at IS NULL "
            "AND folder IN ('inbox', 'sent') ORDER BY arrived_at, arrival_order",
            row.thread,
        )
        own_draft = world.db.ask(
            "SELECT 1 FROM messages WHERE thread = ? AND gone_at IS NULL AND folder = 'drafts'",
            row.thread,
        )
        ours = any(draft.open for draft in world.records() if draft.thread == row.thread)
        if not messages or messages[-1][1] == "sent" or own_draft or ours:
            continue
        blocked = any(
            one.thread == row.thread and one.blocks and one.kind is not Kind.NOTIFY
            for one in intents
        )
        asked = any(
            one.plan.get("answers") == messages[-1][0] and one.generation == row.generation
            for one in intents
        )
        if not asked and not blocked and row.quarantined_at is None:
            found.append(row.subject)
    return found
