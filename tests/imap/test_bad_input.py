"""Servers that misbehave: everything is told calmly, and nothing is lost or made up."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from providers.imap import ImapMailbox, wire
from providers.ports import Folder, MailboxIllError, ThreadScope, TransientError
from storage.words import Accepted, Ref, Rejected, Unknown
from tests.contracts.clock import SkippingClock
from tests.contracts.mails import QUESTION, ours, question
from tests.contracts.steps import REMOVAL, ids
from tests.imap.acts import SCOPE, make, nothing_known, request, server_of, stage
from tests.imap.fake import Box, Connection, FakeServer


def crlf(raw: bytes) -> bytes:
    return raw.replace(b"\n", b"\r\n")


async def first(box: ImapMailbox) -> list[str | None]:
    return ids((await box.changes(None, since=None, known=nothing_known)).seen)


async def test_a_server_that_drops_in_the_middle_of_a_literal(
    fake: FakeServer, box: ImapMailbox
) -> None:
    fake.boxes[b"INBOX"].add(crlf(question()))

    def half(connection: Connection, tag: bytes, rest: bytes) -> None:
        answer = connection.fetched(connection.box.mails[0], rest)
        if b"HEADER" not in rest:
            connection.send(answer)
            connection.ok(tag)
            return
        connection.send(answer[: len(answer) // 2])
        connection.hang_up()

    fake.answers[b"UID FETCH"] = half
    with pytest.raises(TransientError):
        await first(box)
    del fake.answers[b"UID FETCH"]
    assert await first(box) == [QUESTION]


async def test_a_server_that_answers_in_another_order(fake: FakeServer, box: ImapMailbox) -> None:
    uids = [fake.boxes[b"INBOX"].add(crlf(question())) for _ in range(3)]

    def mixed(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.line(b"* 9 FETCH (FLAGS (\\Seen))")
        for mail in reversed(connection.wanted(rest.split()[2])):
            connection.line(b"* 5 EXISTS")
            connection.send(connection.fetched(mail, rest))
        connection.line(b"* 4 FETCH (UID 4711 FLAGS ())")
        connection.ok(tag)

    fake.answers[b"UID FETCH"] = mixed
    refs = [one.ref for one in (await box.changes(None, since=None, known=nothing_known)).seen]
    assert refs == [f"7.{uid}/INBOX" for uid in uids]
    fetched = await box.fetch([Ref("7.3/INBOX"), Ref("7.1/INBOX")])
    assert all(one.raw == crlf(question()) for one in fetched)


async def test_a_line_of_a_hundred_megabytes(fake: FakeServer, box: ImapMailbox) -> None:
    def endless(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.send(b"* LIST ")
        for _ in range(100):
            connection.send(b"x" * 1_000_000)

    fake.answers[b"LIST"] = endless
    with pytest.raises(TransientError, match="line without an end"):
        await box.account()


async def test_a_literal_that_nobody_asked_for(fake: FakeServer, box: ImapMailbox) -> None:
    fake.answers[b"LIST"] = lambda connection, tag, rest: connection.line(
        b'* LIST () "/" {4000000000}'
    )
    with pytest.raises(TransientError, match="nobody asked for"):
        await box.account()


async def test_answers_without_an_end(
    fake: FakeServer, box: ImapMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "UNTAGGED_OCTETS", 1_000_000)

    def endless(connection: Connection, tag: bytes, rest: bytes) -> None:
        while True:
            connection.send(b"* SEARCH 1 2 3\r\n" * 1000)

    fake.answers[b"LIST"] = endless
    with pytest.raises(TransientError, match="without an end"):
        await box.account()


async def test_a_mailbox_without_a_drafts_folder_is_read_and_told(
    fake: FakeServer, box: ImapMailbox
) -> None:
    del fake.boxes[b"Drafts"]
    fake.boxes[b"INBOX"].add(crlf(question()))
    assert await first(box) == [QUESTION]
    for act in (stage(box), box.snapshot(SCOPE)):
        with pytest.raises(MailboxIllError, match="no drafts folder"):
            await act
    assert any("no folder for drafts" in note for note in box.profile.notes)


async def test_a_drafts_folder_that_went_is_a_rejection(fake: FakeServer, box: ImapMailbox) -> None:
    staged = await stage(box)
    del fake.boxes[b"Drafts"]
    outcome = await box.create(staged, scope=SCOPE)
    assert isinstance(outcome, Rejected)
    assert outcome.illness
    assert "make it again" in outcome.reason


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"NO [OVERQUOTA] Quota exceeded", "free some space"),
        (b"NO [NOPERM] not yours", "let this user write"),
        (b"NO Mailbox is read-only", "let this user write"),
    ],
)
async def test_a_refused_draft_says_what_to_do(
    fake: FakeServer, box: ImapMailbox, said: bytes, words: str
) -> None:
    fake.answers[b"APPEND"] = lambda connection, tag, rest: connection.line(tag + b" " + said)
    outcome = await box.create(await stage(box), scope=SCOPE)
    assert isinstance(outcome, Rejected)
    assert words in outcome.reason
    assert outcome.illness
    assert fake.boxes[b"Drafts"].mails == []


async def test_a_refusal_after_the_whole_is_a_rejection(fake: FakeServer, box: ImapMailbox) -> None:
    def refuse(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.read_literal(rest)
        connection.line(tag + b" NO [OVERQUOTA] full")

    fake.answers[b"APPEND"] = refuse
    assert isinstance(await box.create(await stage(box), scope=SCOPE), Rejected)


async def test_an_answer_to_another_command_is_no_answer(
    fake: FakeServer, box: ImapMailbox
) -> None:
    def other(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.read_literal(rest)
        connection.line(b"F0 OK [APPENDUID 7 1] that was another")

    fake.answers[b"APPEND"] = other
    assert isinstance(await box.create(await stage(box), scope=SCOPE), Unknown)


async def test_garbage_instead_of_an_answer_is_unknown(fake: FakeServer, box: ImapMailbox) -> None:
    def garbage(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.read_literal(rest)
        connection.line(tag + b" PERHAPS")

    fake.answers[b"APPEND"] = garbage
    assert isinstance(await box.create(await stage(box), scope=SCOPE), Unknown)


async def test_bye_instead_of_an_answer_is_unknown(fake: FakeServer, box: ImapMailbox) -> None:
    def bye(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.read_literal(rest)
        connection.line(b"* BYE going down")
        connection.hang_up()

    fake.answers[b"APPEND"] = bye
    outcome = await box.create(await stage(box), scope=SCOPE)
    assert isinstance(outcome, Unknown)
    assert "going down" in outcome.reason


async def test_a_server_that_names_no_uid_is_searched_for_the_draft(
    fake: FakeServer, box: ImapMailbox
) -> None:
    fake.uid_in_append = False
    draft = await make(box)
    assert draft.ref == "7.1/Drafts"


async def test_a_server_that_hides_what_it_took_leaves_it_unknown(
    fake: FakeServer, box: ImapMailbox
) -> None:
    def hide(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.read_literal(rest)
        connection.ok(tag)

    fake.answers[b"APPEND"] = hide
    assert isinstance(await box.create(await stage(box), scope=SCOPE), Unknown)


async def test_a_mail_that_the_server_cannot_give_stops_no_other(
    fake: FakeServer, box: ImapMailbox
) -> None:
    for _ in range(5):
        fake.boxes[b"INBOX"].add(crlf(question()))

    def broken(connection: Connection, tag: bytes, rest: bytes) -> None:
        wanted = connection.wanted(rest.split()[2])
        if b"HEADER" in rest and any(mail.uid == 3 for mail in wanted):
            connection.line(tag + b" NO [SERVERBUG] cannot read that")
            return
        for mail in wanted:
            connection.send(connection.fetched(mail, rest))
        connection.ok(tag)

    fake.answers[b"UID FETCH"] = broken
    seen = (await box.changes(None, since=None, known=nothing_known)).seen
    assert [one.unreadable is not None for one in sorted(seen, key=lambda one: one.order)] == [
        False, False, True, False, False,
    ]  # fmt: skip


async def test_a_removal_that_the_server_refuses_leaves_the_draft_as_it_was(
    fake: FakeServer, box: ImapMailbox
) -> None:
    draft = await make(box)
    fake.answers[b"UID EXPUNGE"] = lambda connection, tag, rest: connection.line(tag + b" NO no")
    assert isinstance(await box.remove(draft, intent=REMOVAL, attempt=1), Rejected)
    assert fake.boxes[b"Drafts"].mails[0].flags == {b"\\Draft", b"\\Seen"}


async def test_a_removal_that_does_nothing_is_no_success(
    fake: FakeServer, box: ImapMailbox
) -> None:
    draft = await make(box)
    fake.answers[b"UID EXPUNGE"] = lambda connection, tag, rest: connection.ok(tag)
    assert isinstance(await box.remove(draft, intent=REMOVAL, attempt=1), Rejected)


async def test_plain_expunge_is_never_sent(fake: FakeServer, box: ImapMailbox) -> None:
    await box.remove(await make(box), intent=REMOVAL, attempt=1)
    assert fake.count(b"UID EXPUNGE") == 1
    assert fake.count(b"EXPUNGE") + fake.count(b"CLOSE") == 0


async def test_a_removal_over_a_lost_connection_changed_nothing(
    fake: FakeServer, box: ImapMailbox
) -> None:
    draft = await make(box)
    fake.answers[b"SELECT"] = lambda connection, tag, rest: connection.hang_up()
    outcome = await box.remove(draft, intent=REMOVAL, attempt=1)
    assert isinstance(outcome, Rejected)
    assert outcome.passing


@pytest.mark.parametrize(
    "message_id",
    ['<a"b@example.com>', "<a\\b@example.com>", "<ümlaut@example.com>", "<a\r\nF9 DELETE X@x>"],
)
async def test_no_message_id_gets_out_of_its_quotation(
    fake: FakeServer, box: ImapMailbox, message_id: str
) -> None:
    for name in (b"Sent", b"Trash"):
        fake.boxes[name].add(crlf(question()))
    asked = replace(request(SkippingClock().now()), message_id=message_id)
    await box.look(asked)
    assert fake.count(b"DELETE") == 0
    assert all(line.split()[0].isupper() for line in fake.commands)


async def test_no_thread_id_gets_out_of_its_quotation(fake: FakeServer, box: ImapMailbox) -> None:
    fake.capabilities += b" OBJECTID"
    fake.boxes[b"INBOX"].add(crlf(question()))
    evil = 'x" DELETE "INBOX'
    await box.snapshot(ThreadScope(thread=evil, message_ids=frozenset({QUESTION})))
    assert any(b'THREADID "x\\" DELETE \\"INBOX"' in line for line in fake.commands)


async def test_a_folder_whose_name_is_a_trap_is_never_sent_raw(
    fake: FakeServer, box: ImapMailbox
) -> None:
    fake.boxes[b"&AAoACg-x"] = Box(b"\\Drafts")
    del fake.boxes[b"Drafts"]
    with pytest.raises(MailboxIllError, match="no drafts folder"):
        await box.snapshot(SCOPE)
    assert fake.count(b"EXAMINE") == 0


async def test_a_stalled_server_holds_a_draft_up_and_sends_nothing(fake: FakeServer) -> None:
    box = ImapMailbox(server_of(fake), clock=SkippingClock())
    staged = await stage(box)
    release = anyio.Event()
    async with anyio.create_task_group() as tasks:

        async def occupy() -> None:
            async with box._work.session():
                await release.wait()

        tasks.start_soon(occupy)
        await anyio.wait_all_tasks_blocked()
        with anyio.move_on_after(0.2) as gave_up:
            await box.create(staged, scope=SCOPE)
        release.set()
    assert gave_up.cancelled_caught
    assert fake.count(b"APPEND") == 0
    await box.close()


async def test_lines_get_their_ends_whatever_the_draft_has(
    fake: FakeServer, box: ImapMailbox
) -> None:
    for raw in (ours(), crlf(ours())):
        assert isinstance(await box.create(await stage(box, raw), scope=SCOPE), Accepted)
    assert [mail.raw for mail in fake.boxes[b"Drafts"].mails] == [crlf(ours())] * 2


async def test_sent_and_trash_may_be_missing(fake: FakeServer, box: ImapMailbox) -> None:
    del fake.boxes[b"Sent"], fake.boxes[b"Trash"]
    await make(box)
    look = await box.look(request(SkippingClock().now()))
    assert (len(look.found), look.complete) == (1, True)
    assert look.found[0].folder is Folder.DRAFTS


async def test_no_draft_is_put_into_other_peoples_folders(
    fake: FakeServer, box: ImapMailbox
) -> None:
    fake.capabilities += b" NAMESPACE"
    fake.boxes = {
        b"INBOX": Box(),
        b"Other Users/mina/Drafts": Box(b"\\Drafts"),
        b"INBOX/Drafts": Box(),
    }

    def namespace(connection: Connection, tag: bytes, rest: bytes) -> None:
        connection.line(b'* NAMESPACE (("" "/")) (("Other Users/" "/")) NIL')
        connection.ok(tag)

    fake.answers[b"NAMESPACE"] = namespace
    assert (await make(box)).ref.endswith("/INBOX/Drafts")
