"""Bugs of ill mailboxes, a person's words, removals and the store."""

from __future__ import annotations

from tests.seeded.bug import Bug

WORD_BUGS = (
    Bug(
        "illness costs tries",
        "section 10",
        "assistant.effects.settle:_tries_after",
        "intent.tries_left if outcome.illness else intent.tries_left - 1",
        "intent.tries_left - 1",
        ("test_an_ill_mailbox_costs_no_tries_and_rests",),
    ),
    Bug(
        "a sighting ends the rest",
        "section 10",
        "assistant.effects.settle:accepted",
        "if moved.unwell and by is By.CALL:",
        "if moved.unwell:",
        ("test_after_three_unknowns_in_a_row_the_mailbox_rests",),
    ),
    Bug(
        "a person's word may be called again",
        "section 7: never retried under that key",
        "assistant.effects.settle:_tries_after",
        " and by is not By.PERSON\n    return",
        "\n    return",
        ("test_a_rejection_by_a_persons_word_is_final",),
    ),
    Bug(
        "never_happened that creates directly",
        "section 7: the command itself creates nothing",
        "assistant.commands.deciding:_never_happened",
        "threads.raise_generation(conn, intent.integration, intent.thread, now)",
        "intents.update(conn, intent, passing=1, retry_at=0)\n"
        "    threads.make_due(conn, intent.integration, intent.thread, now)",
        ("test_never_happened_frees_the_thread_under_a_new_key",),
    ),
    Bug(
        "never_happened before the lag window",
        "section 7",
        "assistant.commands.deciding:too_early",
        "if wait_ms <= 0:",
        "if True:",
        ("test_never_happened_is_refused_while_the_call_may_still_land",),
    ),
    Bug(
        "never_happened without a look",
        "section 7: it looks once more",
        "assistant.commands.review:_look_once_more",
        "for intent in wanted:",
        "for intent in wanted[:0]:",
        ("test_never_happened_is_refused_when_the_look_before_it_finds_the_draft",),
    ),
    Bug(
        "a removal that does not name the version",
        "promise 7, section 8",
        "providers.memory.mailbox:MemoryMailbox._where",
        "same = held.sight.version == draft.version",
        "same = held.sight.version != ''",
        ("test_a_draft_that_was_edited_just_before_its_removal_is_left",),
    ),
    Bug(
        "a discard outlives the owner's edit",
        "promise 7",
        "assistant.effects.tracking:is_news",
        "return draft.state is not DraftState.EDITED or draft.version != now.sight.version",
        "return False",
        ("test_a_draft_that_was_edited_after_its_discard_was_asked_is_left",),
    ),
    Bug(
        "an unknown removal sticks",
        "section 8: it may be repeated",
        "assistant.effects.claim:_may_call_again",
        "earlier.kind is Kind.REMOVE_DRAFT",
        "earlier.kind is Kind.NOTIFY",
        ("test_a_removal_whose_answer_was_lost_is_repeated_or_found_done",),
    ),
    Bug(
        "gone at once",
        "section 6: twice, the second after the lag window",
        "assistant.effects.tracking:follow",
        "if draft.missing_at is None:",
        "if draft.missing_at is None:\n"
        "                return _left(conn, draft, DraftState.GONE, now), None\n"
        "            if draft.missing_at is None:",
        ("test_a_draft_that_its_owners_program_saves_in_two_steps_is_not_gone",),
    ),
    Bug(
        "a replay repeats",
        "promise 6",
        "storage.receipts:find",
        "if row is None:",
        "if True:",
        ("test_a_reply_key_gives_the_first_operation_whatever_happened_since",),
    ),
    Bug(
        "a key serves two commands",
        "promise 6",
        "storage.receipts:find",
        "if row.fingerprint != fingerprint:",
        "if row.fingerprint == '':",
        ("test_a_reply_key_gives_the_first_operation_whatever_happened_since",),
    ),
    Bug(
        "every death accuses the thread",
        "section 10: only a death while alone",
        "storage.fences:take_over_all",
        "takes=leases.c.takes + leases.c.alone",
        "takes=leases.c.takes + 1",
        ("test_a_thread_that_kills_its_process_three_times_alone_is_set_aside",),
    ),
    Bug(
        "no death accuses the thread",
        "section 10",
        "storage.fences:take_over_all",
        "takes=leases.c.takes + leases.c.alone",
        "takes=leases.c.takes",
        ("test_a_thread_that_kills_its_process_three_times_alone_is_set_aside",),
    ),
    Bug(
        "synchronous=NORMAL",
        "promise 1: durably",
        "storage.sqlite:sync_engine",
        "else _WRITING",
        "else tuple(('synchronous', 'NORMAL', '1') if one[0] == 'synchronous' else one "
        "for one in _WRITING)",
        ("test_a_writing_connection_syncs_every_commit",),
    ),
    Bug(
        "the scope of a thread misses its messages",
        "section 3: the snapshot shows the thread's drafts and news",
        "assistant.loops.reading:Record.scope",
        'self.keys | {f"<{key}>" for key in self.keys}',
        "self.keys",
        ("test_a_draft_of_the_owner_that_only_the_snapshot_shows_stops_the_claim",),
    ),
)
