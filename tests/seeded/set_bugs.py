"""Bugs of claims and records that are made together, and of what waits for them."""

from __future__ import annotations

from tests.seeded.bug import Bug

SET_BUGS = (
    Bug(
        "two claims of a set into one thread",
        "section 3, rule 4, of claims that are made together",
        "assistant.effects.claim:claim_all",
        "if len(places) < len(claims):",
        "if False:",
        ("test_two_claims_into_one_thread_are_not_both_granted",),
    ),
    Bug(
        "two ends of a set in one thread",
        "section 5: two drafts of ours in a thread are told, also when they end together",
        "assistant.effects.recording:record_all",
        "if len(places) < len(records):",
        "if False:",
        ("test_a_late_answer_and_a_new_one_of_one_thread_see_each_other",),
    ),
    Bug(
        "a set whose COMMIT is unknown is asked for again",
        "section 4: after an error from COMMIT the key is read before anything else",
        "storage.together:Together._lead",
        "except CommitUnknownError as error:",
        "except ZeroDivisionError as error:",
        ("test_a_claim_of_several_whose_commit_is_unknown_makes_each_call_once",),
    ),
    Bug(
        "answers of a set are mixed up",
        "each of a set keeps its own answer",
        "storage.together:Together._lead",
        "zip(batch, answers, strict=True)",
        "zip(batch[::-1], answers, strict=True)",
        ("test_a_record_of_several_whose_commit_is_unknown_makes_no_second_call",),
    ),
    Bug(
        "an error of one is an error of whoever leads",
        "each of a set keeps its own error",
        "storage.together:Together._lead",
        "if len(batch) == 1 and not isinstance(error, _ApartError):",
        "if True:",
        ("test_a_record_that_fails_keeps_none_of_the_others_off_record",),
    ),
    Bug(
        "the calm is granted to one who does not wait for it any more",
        "a cancelled wait stops nobody",
        "storage.together:Together._hand_on",
        "if not one.cancelled()",
        "if True",
        ("test_a_worker_whose_wait_is_cancelled_as_it_ends_stops_nobody",),
    ),
    Bug(
        "a worker that drains takes what it waited for",
        "row 45: stop claiming first",
        "assistant.loops.worker:Worker._round",
        "if self.draining:",
        "if False:",
        ("test_a_worker_that_is_told_to_drain_while_it_waits_takes_nothing_more",),
    ),
    Bug(
        "a sweep is taken for the caller's own word",
        "rows 15 and 32: an answer that came is not lost with its commit",
        "assistant.effects.guard:_is_recorded",
        "    facts = ",
        "    found = await store.alone.write(lambda conn: intents.by_id(conn, claimed.id))\n"
        "    if found is not None and found.state is not IntentState.CALLING:\n"
        "        return True\n"
        "    facts = ",
        ("test_an_answer_that_came_after_a_sweep_is_not_lost_with_its_commit",),
    ),
    Bug(
        "a claim of an unknown COMMIT is read but once",
        "section 3: the key is read on a fresh connection before anything else",
        "assistant.effects.guard:_read_again",
        "if not grip.allows(asked.call_timeout_s):",
        "if True:",
        ("test_claims_of_an_unknown_commit_are_read_again_once_the_store_is_back",),
    ),
    Bug(
        "a call that was cancelled before it began is unknown",
        "section 3: too late means never left",
        "assistant.effects.guard:_call",
        'answers.append(Rejected(reason="never left: the work was cancelled", passing=True))',
        "pass",
        ("test_claims_whose_work_is_cancelled_before_their_calls_have_never_left",),
    ),
    Bug(
        "a stale holder in a set ends its work",
        "row 37: its outcome is evidence, its findings are void",
        "assistant.effects.recording:_release",
        "found.append((database_now_ms(conn), None))",
        "found.append((database_now_ms(conn), one.ending))",
        ("test_a_stale_holder_in_a_set_records_its_outcome_and_nothing_of_its_work",),
    ),
    Bug(
        "unknown calls of a set are counted by what stood there before it",
        "section 10: three unknowns in a row",
        "assistant.effects.illness:count_unknown",
        "row = mailbox.unknowns_in_a_row + 1",
        "row = min(mailbox.unknowns_in_a_row, 0) + 1",
        ("test_three_unknowns_of_one_set_let_the_mailbox_rest",),
    ),
    Bug(
        "text is stored as SQLite reads it out of JSON",
        "whatever a provider says is recorded and can be read",
        "storage.rows:_as_json",
        'if "\\\\u0000" not in text',
        "if True or text == ''",
        ("test_what_sqlite_would_store_unreadably_is_given_as_it_can_be_read",),
    ),
)
