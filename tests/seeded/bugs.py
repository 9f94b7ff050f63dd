"""Bugs planted on purpose, one for each rule: each must be found.

A bug is a piece of one function's source and what stands there instead. ``planted`` compiles the
changed function in its own module and puts it in the place of the sound one, wherever that was
imported to.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType

HOUSE = ("assistant", "leases", "storage", "providers", "tests")


@dataclass(frozen=True, slots=True)
class Bug:
    """``near`` are names of cases that should find it, tried first."""

    name: str
    rule: str
    where: str
    sound: str
    broken: str
    near: tuple[str, ...] = ()


BUGS = (
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
        '**_row_of(held), "ttl"',
        '**_row_of(held), "o": lock(conn, held.integration, held.thread).owner, '
        '"f": lock(conn, held.integration, held.thread).fence, "ttl"',
        ("test_a_stale_fence_claims_nothing",),
    ),
    Bug(
        "claim by fence alone",
        "section 3, rule 1: owner and fence",
        "storage.leases:keep_all",
        '**_row_of(held), "ttl"',
        '**_row_of(held), "o": lock(conn, held.integration, held.thread).owner, "ttl"',
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
        "fence=leases.c.fence + 1",
        "fence=1",
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
        "sa.or_(died, leases.c.orphaned == 1)",
        "sa.and_(died, leases.c.orphaned == 1)",
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
        "\n        answers.append(storable(await effect.call(claimed)))\n",
        "\n        answers.append(storable(await effect.call(claimed)))\n"
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
        "if grip.term.remaining_s(clock.boot_s()) <= 0:",
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
        "absent settles",
        "promise 3: not found is an absence",
        "assistant.core.reconciliation:_absent",
        "if upcoming or",
        "if subject.state is IntentState.UNKNOWN:\n"
        "        return Verdict(finding=Finding.PROVED_NEVER, looks=done, next_look_at=None)\n"
        "    if upcoming or",
        ("test_a_call_that_never_landed_is_made_again_only_with_a_proof",),
    ),
    Bug(
        "absent before the lag window settles",
        "section 6",
        "assistant.core.reconciliation:assess",
        "look.delivered and now >= after_lag",
        "look.delivered",
        ("test_a_listing_that_lags_gives_no_absence_before_the_window",),
    ),
    Bug(
        "a look that failed counts",
        "section 5",
        "assistant.core.reconciliation:assess",
        "if not look.complete:",
        "if look.complete is None:",
        ("test_looks_that_failed_do_not_end_the_looking",),
    ),
    Bug(
        "one look ends the looking",
        "section 5: two, 60 s apart",
        "assistant.core.reconciliation:_absent",
        "if spaced and now >= after_lag:",
        "if now >= after_lag:",
        ("test_looks_that_were_missed_count_once",),
    ),
    Bug(
        "looks never end",
        "section 5, promise 3: it always has a way out",
        "assistant.core.reconciliation:_absent",
        "if spaced and now >= after_lag:",
        "if False:",
        ("test_two_looks_a_minute_apart_end_the_looking",),
    ),
    Bug(
        "a stale look moves a later attempt",
        "section 4: every change names the attempt",
        "assistant.effects.looks:record_look",
        "intent.attempt != attempt or ",
        "",
        ("test_a_proof_about_an_earlier_attempt_says_nothing_of_a_later_one",),
    ),
    Bug(
        "two are one",
        "section 4: two distinct effects are duplicated",
        "assistant.core.reconciliation:assess",
        "len(unsent) > 1 and not sent",
        "len(unsent) > 2 and not sent",
        ("test_a_provider_that_doubled_a_draft_is_told_and_nothing_is_deleted",),
    ),
    Bug(
        "a second sighting is no news",
        "section 4, row 16",
        "assistant.loops.noting:_wake_reconciler",
        "intent.state is IntentState.ACCEPTED and expected",
        "intent.state is IntentState.ACCEPTED",
        ("test_a_provider_that_doubled_a_draft_is_told_and_nothing_is_deleted",),
    ),
    Bug(
        "noting without the fence",
        "promise 4: a stale holder writes nothing",
        "assistant.loops.noting:_note",
        "    locks.require(conn, this.held)\n",
        "",
        ("test_a_watcher_that_was_overtaken_notes_nothing",),
    ),
    Bug(
        "a key that is taken is not looked for again",
        "section 3: two processes make one row, and one finds the other's",
        "storage.pg_errors:may_run_again",
        "return tried == 1",
        "return False",
        ("test_a_unit_whose_key_another_process_took_runs_again_once",),
    ),
    Bug(
        "ours is news",
        "promise 11: our marks raise no revision",
        "assistant.loops.noting:_ours",
        "if mark is None or",
        "if mark is not None or",
        ("test_own_drafts_and_sent_mail_raise_a_revision_and_ours_do_not",),
    ),
    Bug(
        "the owner's answer frees nothing",
        "section 5",
        "assistant.loops.noting:_answered_by_hand",
        "intents.update(work.conn, intent, blocks=0)",
        "pass",
        ("test_the_owners_own_answer_frees_a_thread_that_an_unknown_blocks",),
    ),
    Bug(
        "settle that does not wake the thread, rejected",
        "section 2",
        "assistant.effects.settle:rejected",
        "due_at = None if intent.kind is Kind.NOTIFY else retry_at or now",
        "due_at = None",
        ("test_a_call_that_never_landed_is_made_again_only_with_a_proof",),
    ),
    Bug(
        "a removal does not wake the thread",
        "section 2",
        "assistant.effects.settle:accepted",
        "again_at = now if intent.kind is Kind.REMOVE_DRAFT else None",
        "again_at = None",
        ("test_the_way_is_free_once_a_person_discarded_the_overtaken_draft",),
    ),
    Bug(
        "work that clears a newer due",
        "section 2",
        "storage.threads:finish_all",
        '"read": end.read_dues',
        '"read": dues(conn, one.held.integration, one.held.thread)',
        ("test_what_becomes_due_during_the_work_stays_due",),
    ),
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
        "assistant.commands.deciding:_never_happened",
        "if why_not is not None:",
        "if why_not == '':",
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
"""Not here: what only PostgreSQL has, such as the EXISTS fence, for which SQLite's one writer at a
time leaves no room; see ``tests.seeded.server_bugs``."""


class NotFoundError(AssertionError):
    """The sound code does not read as the bug says: the bug must follow it."""


@dataclass(frozen=True, slots=True)
class _Sound:
    """A function of the house as it was when this module was imported."""

    owner: object
    name: str
    found: object
    plain: FunctionType
    source: str


def _sound(where: str) -> _Sound:
    module_name, _, path = where.partition(":")
    owner_name, _, name = path.rpartition(".")
    module = importlib.import_module(module_name)
    owner = getattr(module, owner_name) if owner_name else module
    found = inspect.getattr_static(owner, name)
    plain = found.fget if isinstance(found, property) else found
    assert isinstance(plain, FunctionType)
    source = textwrap.dedent(inspect.getsource(plain))
    if source.startswith("@"):
        source = source.partition("\n")[2]
    return _Sound(owner, name, found, plain, source)


_SOUND: dict[str, _Sound] = {}


def read_sound(bugs: Iterable[Bug]) -> None:
    """Read at once: a file that is edited while the tests run no longer fits what was imported."""
    _SOUND.update((bug.where, _sound(bug.where)) for bug in bugs if bug.where not in _SOUND)


read_sound(BUGS)


@contextmanager
def planted(bug: Bug) -> Iterator[None]:
    """The house with this bug in it."""
    sound = _SOUND[bug.where]
    changed = _compiled(sound, bug)
    kept = property(changed) if isinstance(sound.found, property) else changed
    setattr(sound.owner, sound.name, kept)
    places = _places(sound.plain)
    for place, key in places:
        place[key] = changed
    try:
        yield
    finally:
        setattr(sound.owner, sound.name, sound.found)
        for place, key in places:
            place[key] = sound.plain


def _compiled(sound: _Sound, bug: Bug) -> FunctionType:
    if bug.sound not in sound.source:
        raise NotFoundError(f"{bug.where} has no {bug.sound!r}: let the bug follow the code")
    tree = ast.parse(sound.source.replace(bug.sound, bug.broken, 1))
    scope = dict(sound.plain.__globals__)
    # As under "from __future__ import annotations".
    exec(compile(tree, f"<{bug.name}>", "exec", flags=0x1000000), scope)  # noqa: S102
    made = scope[sound.name]
    assert isinstance(made, FunctionType)
    # The module's own globals, so that what else is patched there counts.
    changed = FunctionType(
        made.__code__,
        sound.plain.__globals__,
        sound.name,
        made.__defaults__,
        sound.plain.__closure__,
    )
    changed.__kwdefaults__ = sound.plain.__kwdefaults__
    return changed


def _places(sound: FunctionType) -> list[tuple[dict[object, object], object]]:
    """Every name under which a module knows the function, and every table that lists it."""
    tables: list[dict[object, object]] = []
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in HOUSE:
            tables.append(module.__dict__)
            tables += [value for value in vars(module).values() if type(value) is dict]
    return [(table, key) for table in tables for key, value in table.items() if value is sound]
