"""Where a mail that a listing showed belongs: its thread, and its place among the noted messages.

A part of noting, which calls it inside its transaction. The messages, their keys and new threads
are written by a mailbox's watcher alone, so they need no lock but its lease; what a worker or a
person may change at the same time (a thread's row, an intent) is not touched here.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from providers.mime.threads import choose_thread, claimed_keys, new_thread_id, thread_keys
from providers.ports import Sighting
from storage import intents, messages, threads
from storage.messages import Message
from storage.words import IntegrationId, IntentId, ThreadId


def thread_of(
    conn: Connection,
    integration: IntegrationId,
    sighting: Sighting,
    copies: Sequence[Message],
    intent: IntentId | None,
    now: int,
) -> ThreadId:
    """The thread that a mail belongs to, made if it is new; the mail's keys are the thread's now.

    *copies* are noted copies of the same message; *intent* is ours whose mark the mail bears.
    """
    keys = thread_keys(sighting.heads)
    if copies:
        thread: ThreadId | None = copies[0].thread
    elif sighting.thread is not None:
        thread = ThreadId(sighting.thread)
    else:
        known = messages.find_keys(conn, integration, (*keys.own, *keys.parents))
        thread = choose_thread(keys, known)
    if thread is None and intent is not None:
        made = intents.by_id(conn, intent)
        thread = made.thread if made is not None else None
    if thread is None:
        thread = new_thread_id(sighting.heads)
    subject = sighting.heads.subject
    threads.ensure(conn, integration, thread, now, provider_thread=sighting.thread, subject=subject)
    messages.claim_keys(conn, integration, thread, claimed_keys(keys))
    return thread


def put(
    conn: Connection,
    integration: IntegrationId,
    sighting: Sighting,
    thread: ThreadId,
    intent: IntentId | None,
) -> None:
    """Record a mail as a message of its thread."""
    messages.put(
        conn,
        integration,
        Message(
            ref=sighting.ref,
            identity=sighting.heads.identity,
            message_id=sighting.heads.message_id,
            thread=thread,
            folder=str(sighting.folder),
            arrived_at=threads.from_datetime(sighting.arrived_at),
            arrival_order=sighting.order,
            intent=intent,
            unreadable=sighting.unreadable,
        ),
    )
