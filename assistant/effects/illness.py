"""When a whole mailbox is ill: it rests, an item says why, and its threads pay no tries.

After three unknown calls in a row a mailbox makes no mailbox-changing call until one look has
succeeded and a pause has passed, which doubles each time until a call succeeds. A call whose caller
died counts like one that was not answered: nobody can say which of the two it was. Called only
inside the transaction that records a call.

Threads of one mailbox end their calls side by side, each under its own lease: what is counted here
is read under the lock of the mailbox's row.
"""

from __future__ import annotations

from sqlalchemy import Connection

from storage import mailboxes, reviews
from storage.intents import Intent
from storage.words import IntegrationId, ItemKind, Rejected, UserName

UNKNOWNS_BEFORE_REST = 3
"""Unknown outcomes in a row after which a whole mailbox rests."""

REST_MS = 60_000
"""The first rest of a mailbox; doubled with each further one, a day at most."""

DAY_MS = 86_400_000


def well(conn: Connection, intent: Intent) -> None:
    """A call succeeded: the mailbox rests no more."""
    mailboxes.update(
        conn,
        intent.integration,
        unknowns_in_a_row=0,
        pauses=0,
        look_needed=0,
        calls_paused_until=None,
    )


def ill(conn: Connection, intent: Intent, now: int, outcome: Rejected) -> None:
    """The whole mailbox refused (auth, quota, full disk): it rests, and an item says why."""
    why = outcome.reason + (f" ({outcome.detail})" if outcome.detail else "")
    rest(
        conn,
        intent.integration,
        intent.user,
        now,
        why,
        reconnect=outcome.reconnect,
        asked_s=outcome.retry_after_s,
    )


def rest(
    conn: Connection,
    integration: IntegrationId,
    user: UserName,
    now: int,
    why: str,
    *,
    reconnect: bool = False,
    asked_s: float | None = None,
) -> int:
    """No call into this mailbox for a while, and an item that says why; gives until when.

    *reconnect*: only the owner's new login ends it. *asked_s*: how long the provider asks to wait.
    """
    mailbox = mailboxes.lock(conn, integration)
    if mailbox is None:
        return now + REST_MS
    until = mailbox.calls_paused_until or 0
    # Threads side by side meet one illness together: their refusals are one reason to rest.
    if until <= now:
        until = now + _pause_ms(mailbox.pauses, asked_s)
        mailboxes.update(conn, integration, calls_paused_until=until, pauses=mailbox.pauses + 1)
    if reconnect:
        ask_to_log_in(conn, integration, user, now, why)
        return until
    reviews.open_item(
        conn,
        now,
        ItemKind.MAILBOX_ILL,
        user=user,
        integration=integration,
        about="write",
        summary=f"drafts can't be written: {why}",
    )
    return until


def _pause_ms(pauses: int, asked_s: float | None) -> int:
    """The length of a rest: at first what the provider asks for, later no less than doubled."""
    pause: int = min(REST_MS * 2**pauses, DAY_MS)
    if asked_s is None:
        return pause
    asked = max(1_000, min(int(asked_s * 1000), DAY_MS))
    return max(pause, asked) if pauses else asked


def ask_to_log_in(
    conn: Connection, integration: IntegrationId, user: UserName, now: int, why: str
) -> None:
    """One item for a mailbox whose login is gone, whether a read or a write met it first."""
    reviews.open_item(
        conn,
        now,
        ItemKind.RECONNECT,
        user=user,
        integration=integration,
        about="login",
        summary=why,
    )


def wants_login(conn: Connection, integration: IntegrationId) -> bool:
    """Whether an item asks for a new login to this mailbox, shown or dismissed."""
    asked = reviews.open_about(conn, ItemKind.RECONNECT, "login")
    return any(item.integration == integration for item in asked)


def logged_in(conn: Connection, integration: IntegrationId, now: int) -> bool:
    """The login works again: the item closes and the rest that it brought ends; whether it had."""
    closed = reviews.close(
        conn, now, "facts", kind=ItemKind.RECONNECT, integration=integration, about="login"
    )
    if closed:
        mailboxes.update(conn, integration, calls_paused_until=None, pauses=0)
    return bool(closed)


def count_unknown(conn: Connection, intent: Intent, now: int) -> None:
    """One more call of this mailbox ended unknown, or lost its caller."""
    mailbox = mailboxes.lock(conn, intent.integration)
    if mailbox is None:
        return
    row = mailbox.unknowns_in_a_row + 1
    resting = (mailbox.calls_paused_until or 0) > now
    if row < UNKNOWNS_BEFORE_REST or resting:
        mailboxes.update(conn, intent.integration, unknowns_in_a_row=row)
        return
    mailboxes.update(
        conn,
        intent.integration,
        unknowns_in_a_row=row,
        look_needed=1,
        calls_paused_until=now + min(REST_MS * 2**mailbox.pauses, DAY_MS),
        pauses=mailbox.pauses + 1,
    )
