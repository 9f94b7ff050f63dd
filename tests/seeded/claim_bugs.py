"""Bugs of leases and claims, and of calls and the records of how they ended."""

from __future__ import annotations

from tests.seeded.bug import Bug

CLAIM_BUGS = (
    Bug(
        "rerun orphan",
        "section 4: a call without an outcome is unknown, never made again by itself",
        "assistant.effects.sweep:sweep",
        "settle.become_unknown(conn, intent, By.SWEEP, now, timing, outcome)",
        "settle.reject(conn, intent, By.CALL, now, "
        "__import__('storage.words', fromlist=['x']).Rejected(reason='died', passing=True))",
        ("test_an_orphan_whose_draft_no_listing_shows_yet_is_not_made_again",),
    ),
    Bug(
        "live calls are swept",
        "section 4: unknown by the sweeper when the lease is over",
        "storage.intents:orphans",
        '{"n": now_ms}',
        '{"n": 1 << 60}',
        ("test_a_call_in_flight_is_no_orphan",),
    ),
    Bug(
        "claim without fence",
        "section 3, rule 1",
        "storage.leases:keep_all",
        "return _each(wanted, _KEEP.run(conn, rows))",
        "kept = {held: seen(conn, held.integration, held.thread) for held in wanted}\n"
        '    rows = [{**row, "o": one.owner, "f": one.fence}'
        " for row, one in zip(rows, kept.values())]\n"
        "    _KEEP.run(conn, rows)\n"
        "    return {held: one.grace_until for held, one in kept.items()}",
        ("test_a_stale_fence_claims_nothing",),
    ),
    Bug(
        "claim by fence alone",
        "section 3, rule 1: owner and fence",
        "storage.leases:keep_all",
        "return _each(wanted, _KEEP.run(conn, rows))",
        "kept = {held: seen(conn, held.integration, held.thread) for held in wanted}\n"
        '    rows = [{**row, "o": one.owner} for row, one in zip(rows, kept.values())]\n'
        "    return _each(wanted, _KEEP.run(conn, rows))",
        ("test_the_right_fence_under_another_name_claims_nothing",),
    ),
    Bug(
        "claim does not renew",
        "section 3, rule 1: the same transaction renews the lease",
        "storage.leases:keep_all",
        '"ttl": wanted[held]',
        '"ttl": 0',
        ("test_a_claim_writes_the_intent_and_renews_the_lease",),
    ),
    Bug(
        "token restarts",
        "promise 4: a fence never restarts",
        "storage.leases:_take",
        "taken: Sequence[Sequence[object]] = [] if found is None else found.all()",
        "conn.execute(sa.update(leases).where(leases.c.thread.in_(wanted)).values(fence=0))\n"
        "    taken: Sequence[Sequence[object]] = [] if found is None else found.all()",
        ("test_a_fence_goes_on_where_it_was_after_a_release",),
    ),
    Bug(
        "lease row deleted on release",
        "promise 4: lease rows are never deleted",
        "storage.leases:give_back_all",
        "return _each(helds, _GIVE_BACK.run(conn, rows))",
        "found = _each(helds, _GIVE_BACK.run(conn, rows))\n"
        "    conn.execute(sa.delete(leases).where(leases.c.owner.is_(None)))\n"
        "    return found",
        ("test_a_fence_goes_on_where_it_was_after_a_release",),
    ),
    Bug(
        "no grace",
        "section 5: a paused process may still write to its socket",
        "assistant.effects.claim:_refused",
        "if grace_until > standing.now:",
        "if grace_until < 0:",
        ("test_nothing_is_claimed_in_the_grace_of_an_earlier_owner",),
    ),
    Bug(
        "takeover sets no grace",
        "section 5: taking over sets grace_until",
        "storage.leases:_take",
        "taken: Sequence[Sequence[object]] = [] if found is None else found.all()",
        "taken: Sequence[Sequence[object]] = [] if found is None else found.all()\n"
        "    conn.execute(sa.update(leases).where(leases.c.thread.in_(wanted))"
        ".values(grace_until=0))",
        ("test_nothing_is_claimed_in_the_grace_of_an_earlier_owner",),
    ),
    Bug(
        "pause is not read before a call",
        "section 3, rule 2",
        "assistant.effects.claim:_refused",
        "if standing.paused:",
        "if standing.paused is None:",
        ("test_nothing_is_claimed_while_paused",),
    ),
    Bug(
        "a pause loses the thread",
        "section 2: work clears due only for what it did",
        "assistant.loops.work:_refused",
        " | Refusal.PAUSED",
        "",
        ("test_nothing_is_called_while_paused_and_it_goes_on_after",),
    ),
    Bug(
        "plan for an older thread",
        "section 3, rule 3",
        "assistant.effects.claim:_not_as_planned",
        "thread.message_set != asked.message_set or",
        "",
        ("test_a_plan_for_another_set_of_messages_is_refused",),
    ),
    Bug(
        "plan for an older generation",
        "section 3, rule 3",
        "assistant.effects.claim:_not_as_planned",
        " or thread.generation != asked.generation",
        "",
        ("test_a_plan_for_another_generation_is_refused",),
    ),
    Bug(
        "nothing reconciles first",
        "section 11",
        "assistant.effects.claim:_not_as_planned",
        "if thread.reconcile_first:",
        "if thread.reconcile_first is None:",
        ("test_nothing_is_claimed_before_the_thread_reconciled",),
    ),
    Bug(
        "two calls into one thread",
        "section 3, rule 4",
        "assistant.effects.claim:_not_as_planned",
        "if thread.blocked:",
        "if thread.blocked is None:",
        ("test_another_open_call_blocks_the_thread",),
    ),
    Bug(
        "claim without the held-draft check, record",
        "section 3, rule 5",
        "assistant.effects.claim:_not_as_planned",
        " or thread.draft_open",
        "",
        ("test_a_recorded_draft_stops_the_next",),
    ),
    Bug(
        "claim without the held-draft check, snapshot",
        "section 3, rule 5",
        "assistant.effects.claim:_not_as_planned",
        "if asked.drafts_in_place or thread",
        "if thread",
        ("test_a_draft_of_ours_in_the_snapshot_stops_the_next",),
    ),
    Bug(
        "claim beside a draft of the owner",
        "section 3, rule 5",
        "assistant.effects.claim:_not_as_planned",
        "if asked.owner_draft_in_place:",
        "if asked.owner_draft_in_place is None:",
        ("test_a_draft_of_the_owner_in_the_snapshot_stops_ours",),
    ),
    Bug(
        "no fingerprint check",
        "section 3, rule 6",
        "assistant.effects.claim:_may_call_again",
        "earlier.fingerprint != asked.fingerprint or ",
        "",
        ("test_other_input_under_a_key_that_may_be_called_again_is_refused",),
    ),
    Bug(
        "a used key is called again",
        "promise 2",
        "assistant.effects.claim:_may_call_again",
        "earlier.state is not IntentState.REJECTED or not earlier.passing",
        "earlier.state is not IntentState.REJECTED",
        ("test_a_key_that_was_used_is_not_called_again",),
    ),
    Bug(
        "no back-off",
        "section 3, rule 6",
        "assistant.effects.claim:_may_call_again",
        "earlier.retry_at is not None and earlier.retry_at > now",
        "earlier.retry_at is None",
        ("test_a_passing_rejection_is_called_again_after_its_back_off",),
    ),
    Bug(
        "a passing rejection that retries itself",
        "section 4: it makes the thread due",
        "assistant.effects.guard:_call",
        "\n    return answer\n",
        "\n    if isinstance(answer, Rejected) and answer.passing:\n"
        "        return await effect.call(claimed)\n"
        "    return answer\n",
        ("test_a_passing_refusal_is_tried_again_under_the_same_key",),
    ),
    Bug(
        "an unknown answer is a refusal",
        "promise 3",
        "assistant.effects.guard:_call",
        "\n        answers.append(wording.storable(await effect.call(claimed)))\n",
        "\n        answers.append(wording.storable(await effect.call(claimed)))\n"
        "        if isinstance(answers[0], Unknown):\n"
        "            answers[0] = Rejected(reason='no answer', passing=True)\n",
        ("test_a_lost_answer_is_unknown_and_then_found",),
    ),
    Bug(
        "an adapter that raises is a refusal",
        "promise 3",
        "assistant.effects.guard:_call",
        'return Unknown(reason=f"the call ended in {type(error).__name__}")',
        "return Rejected(reason='it raised', passing=True)",
        ("test_a_call_that_raises_proves_nothing",),
    ),
    Bug(
        "the local deadline is not checked",
        "promise 4, row 34",
        "leases.keeper:Grip.allows",
        "self.term.allows(self.clock.boot_s(), call_s)",
        "True",
        ("test_a_holder_that_woke_too_late_to_call_never_lets_it_leave",),
    ),
    Bug(
        "outcome not shielded",
        "section 3, rows 43 and 44",
        "assistant.effects.guard:guarded",
        "with anyio.CancelScope(shield=True):",
        "with anyio.CancelScope():",
        ("test_a_cancel_after_the_answer_does_not_lose_it",),
    ),
    Bug(
        "a cancelled answer is unknown",
        "row 44",
        "assistant.effects.guard:guarded",
        "answers[0] if answers else outcome",
        "outcome",
        ("test_a_cancel_after_the_answer_does_not_lose_it",),
    ),
    Bug(
        "an error from COMMIT means that nothing happened",
        "section 3: read the key first",
        "assistant.effects.guard:_read_again",
        "return found if ours else None",
        "return None",
        ("test_a_claim_that_was_stored_despite_an_error_from_commit_is_owned",),
    ),
    Bug(
        "staged bytes of a claim in doubt are dropped",
        "section 6, Maildir",
        "assistant.effects.guard:_claim",
        "        in_doubt = True\n",
        "",
        ("test_a_stored_claim_that_nobody_could_read_back_is_not_taken_for_a_delivery",),
    ),
    Bug(
        "an outcome that failed to be stored is given up",
        "row 32",
        "assistant.effects.guard:_record",
        "if grip.term.remaining_s(clock.boot_s()) <= 0 and tried >= LATE_TRIES:",
        "if True:",
        ("test_an_outcome_that_could_not_be_stored_is_stored_again",),
    ),
    Bug(
        "a late answer is dropped",
        "section 4, row 15",
        "assistant.effects.outcomes:outcomes_of",
        "what = _late(conn, one)",
        "what = settle.unmoved(conn, one.claimed)",
        ("test_a_late_answer_settles_what_was_given_up",),
    ),
)
