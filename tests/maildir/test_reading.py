"""What a pass over a Maildir shows, and what it must survive."""

from __future__ import annotations

import os
import shutil
import time
from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from providers.maildir import MaildirMailbox
from providers.ports import Changes, Folder, MailboxIllError, TransientError
from storage.words import Ref
from tests.contracts.clock import SkippingClock
from tests.contracts.harness import MaildirHarness
from tests.contracts.mails import QUESTION, mail, owners, question
from tests.maildir.acts import SCOPE, everything_known, nothing_known


async def passed(box: MaildirMailbox, after: Changes | None = None) -> Changes:
    cursor = None if after is None else after.cursor
    return await box.changes(cursor, since=None, known=nothing_known)


def backdate(root: Path) -> None:
    """Make every folder look as if nothing had happened to it lately."""
    for path in [root, *root.rglob("*")]:
        if path.is_dir():
            os.utime(path, (1_700_000_000, 1_700_000_000))


async def test_flags_and_the_way_from_new_to_cur_keep_the_reference(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    file = world.drop(question())
    (before,) = (await passed(box)).seen
    seen = file.parent.parent / "cur" / f"{file.name}:2,"
    file.rename(seen)
    seen.rename(seen.with_name(f"{file.name}:2,FRS"))
    (after,) = (await passed(box)).seen
    assert after.ref == before.ref
    (fetched,) = await box.fetch([before.ref])
    assert fetched.raw == question()


async def test_a_known_mail_that_only_changed_its_flags_is_not_gone(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    file = world.drop(question())
    first = await box.changes(None, since=None, known=everything_known)
    file.rename(file.parent.parent / "cur" / f"{file.name}:2,S")
    second = await box.changes(first.cursor, since=None, known=everything_known)
    assert second.vanished == ()


async def test_the_account_is_the_same_through_a_link(
    world: MaildirHarness, box: MaildirMailbox, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(world.root)
    other = MaildirMailbox(link, clock=world.clock)
    assert await other.account() == await box.account()


async def test_two_maildirs_are_two_accounts(
    world: MaildirHarness, box: MaildirMailbox, tmp_path: Path
) -> None:
    shutil.copytree(world.root, tmp_path / "copy")
    other = MaildirMailbox(tmp_path / "copy", clock=world.clock)
    assert await other.account() != await box.account()


async def test_a_folder_whose_times_are_old_and_equal_is_not_listed_again(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    world.drop(question())
    backdate(world.root)
    first = await passed(box)
    other = MaildirMailbox(world.root, clock=world.clock, network=False)
    assert (await passed(other, first)).seen == ()


async def test_a_folder_that_changed_just_now_is_listed_again(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    world.drop(question())
    first = await passed(box)
    assert len((await passed(box, first)).seen) == 1


async def test_a_change_in_the_same_tick_as_the_pass_is_not_missed(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    first = await passed(box)
    times = (world.root / "new").stat()
    world.drop(question())
    os.utime(world.root / "new", ns=(times.st_mtime_ns, times.st_mtime_ns))
    assert len((await passed(box, first)).seen) == 1


async def test_file_times_prove_nothing_on_a_network(world: MaildirHarness) -> None:
    box = MaildirMailbox(world.root, clock=world.clock, network=True)
    world.drop(question())
    backdate(world.root)
    first = await passed(box)
    assert len((await passed(box, first)).seen) == 1


async def test_a_replaced_maildir_is_a_gap_from_the_last_good_pass(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    first = await passed(box)
    at = world.clock.now()
    world.clock.skip(3600)
    world.root.rename(world.root.with_name("old"))
    shutil.copytree(world.root.with_name("old"), world.root)
    gap = (await passed(box, first)).gap
    assert gap is not None
    assert gap.covered_from is not None
    assert abs(gap.covered_from - at) < timedelta(minutes=1)


async def test_a_gap_goes_back_thirty_days_at_most(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    first = await passed(box)
    world.clock.skip(90 * 86400)
    world.root.rename(world.root.with_name("old"))
    shutil.copytree(world.root.with_name("old"), world.root)
    gap = (await passed(box, first)).gap
    assert gap is not None
    assert gap.covered_from is not None
    assert timedelta(days=29) < world.clock.now() - gap.covered_from < timedelta(days=31)


async def test_after_a_gap_what_arrived_since_is_shown(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    first = await passed(box)
    world.drop(mail("<old@example.org>"), days_ago=40)
    world.drop(question())
    world.root.rename(world.root.with_name("old"))
    shutil.copytree(world.root.with_name("old"), world.root)
    seen = (await passed(box, first)).seen
    assert [one.heads.message_id for one in seen] == [QUESTION]


@pytest.mark.parametrize(
    "cursor", [{}, {"at": "x"}, {"at": 1, "floor": 0, "root": 1, "folders": {"INBOX": "x"}}]
)
async def test_a_cursor_that_cannot_be_read_is_a_gap(
    box: MaildirMailbox, cursor: dict[str, object]
) -> None:
    assert (await box.changes(cursor, since=None, known=nothing_known)).gap is not None


async def test_an_earlier_look_back_shows_what_was_passed_over(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    world.drop(mail("<old@example.org>"), days_ago=9)
    now = world.clock.now()
    first = await box.changes(None, since=now - timedelta(days=3), known=nothing_known)
    wider = now - timedelta(days=30)
    second = await box.changes(first.cursor, since=wider, known=nothing_known)
    assert (len(first.seen), len(second.seen)) == (0, 1)


async def test_a_draft_that_its_owner_flagged_for_deletion_is_no_draft(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    world.drop(owners(), Folder.DRAFTS, flags="DST")
    assert (await passed(box)).seen == ()
    assert (await box.snapshot(SCOPE)).drafts == ()


async def test_an_unread_draft_folder_new_counts_too(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    (world.root / ".Drafts" / "new" / "1767225600.M1P1.host").write_bytes(owners())
    assert len((await box.snapshot(SCOPE)).drafts) == 1


@pytest.mark.parametrize("name", [".Sent Items", ".Sent Messages", ".INBOX.Sent"])
async def test_sent_is_found_under_the_names_that_programs_use(
    world: MaildirHarness, box: MaildirMailbox, name: str
) -> None:
    (world.root / ".Sent").rename(world.root / name)
    (world.root / name / "cur" / "1767225600.M1P1.host:2,S").write_bytes(question())
    (seen,) = (await passed(box)).seen
    assert seen.folder is Folder.SENT
    (fetched,) = await box.fetch([seen.ref])
    assert fetched.raw == question()


HOSTILE = (b"a\nb", b"\xff\xfe", b"%2e%2e", b" x ", b":2,S", b"x:2,S:2,S", b"-rf", b"\x01", b"'\"")


async def test_hostile_names_are_references_like_any_other(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    for name in HOSTILE:
        (world.root / "cur" / os.fsdecode(name)).write_bytes(question())
    seen = (await passed(box)).seen
    assert len(seen) == len({one.ref for one in seen}) == len(HOSTILE)
    fetched = await box.fetch([one.ref for one in seen])
    assert [one.raw for one in fetched] == [question()] * len(HOSTILE)


async def test_a_link_is_not_followed_out_of_the_mailbox(
    world: MaildirHarness, box: MaildirMailbox, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_bytes(mail("<secret@example.org>"))
    (world.root / "cur" / "1767225600.M1P1.host:2,").symlink_to(tmp_path / "secret")
    (seen,) = (await passed(box)).seen
    assert seen.heads.message_id is None
    assert seen.unreadable


async def test_no_reference_leads_out_of_the_mailbox(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    (world.path / "secret").write_bytes(b"secret")
    (world.root / "new" / ".hidden").write_bytes(b"hidden")
    (world.root / "new" / "x").mkdir()
    names = ["..%2F..%2Fsecret", "../../secret", "x%2F..%2F..%2F..%2Fsecret", ".hidden"]
    fetched = await box.fetch([Ref(f"INBOX/{name}") for name in names])
    assert [one.raw for one in fetched] == [None] * 4


async def test_dot_names_of_others_are_no_mail(world: MaildirHarness, box: MaildirMailbox) -> None:
    (world.root / "cur" / ".nfs000001").write_bytes(question())
    assert (await passed(box)).seen == ()


async def test_a_folder_that_is_no_maildir_is_told_with_a_remedy(
    tmp_path: Path, world: MaildirHarness
) -> None:
    (tmp_path / "plain").mkdir()
    box = MaildirMailbox(tmp_path / "plain", clock=world.clock)
    with pytest.raises(MailboxIllError, match="cur, new and tmp"):
        await passed(box)


async def test_a_missing_folder_is_told_with_a_remedy(
    tmp_path: Path, world: MaildirHarness
) -> None:
    box = MaildirMailbox(tmp_path / "nowhere", clock=world.clock)
    with pytest.raises(MailboxIllError, match="path of this mailbox"):
        await passed(box)


async def test_a_maildir_that_went_away_is_ill_and_not_empty(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    first = await passed(box)
    world.root.rename(world.root.with_name("away"))
    with pytest.raises(MailboxIllError):
        await passed(box, first)
    with pytest.raises(MailboxIllError):
        await box.snapshot(SCOPE)
    with pytest.raises(MailboxIllError):
        await box.fetch([Ref("INBOX/x")])


async def test_folders_without_mail_of_their_own_are_no_trouble(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    for name in (".Sent", ".Drafts", ".Trash"):
        shutil.rmtree(world.root / name)
    world.drop(question())
    assert len((await passed(box)).seen) == 1
    assert (await box.snapshot(SCOPE)).drafts == ()


@pytest.fixture
def without_rights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Maildir that the user nobody can reach, to be read as that user."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    root = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path("/tmp")
    path = root / f"fencepost-test-{os.getpid()}-{time.monotonic_ns()}"
    for sub in ("cur", "new", "tmp"):
        (path / sub).mkdir(parents=True, mode=0o755)
    return path


async def test_missing_permission_is_told_with_a_remedy(without_rights: Path) -> None:
    (without_rights / "cur").chmod(0o700)
    box = MaildirMailbox(without_rights, clock=SkippingClock(), network=False)
    os.seteuid(65534)
    try:
        with pytest.raises(MailboxIllError, match="permission"):
            await passed(box)
    finally:
        os.seteuid(0)
        shutil.rmtree(without_rights)


async def test_the_folder_without_permission_is_named(without_rights: Path) -> None:
    sent = without_rights / ".Sent"
    for sub in ("cur", "new"):
        (sub_path := sent / sub).mkdir(parents=True)
        sub_path.chmod(0o700)
    sent.chmod(0o755)
    box = MaildirMailbox(without_rights, clock=SkippingClock(), network=False)
    os.seteuid(65534)
    try:
        with pytest.raises(MailboxIllError, match=r"\.Sent/new"):
            await passed(box)
    finally:
        os.seteuid(0)
        shutil.rmtree(without_rights)


async def test_one_mail_without_permission_is_shown_as_unreadable(without_rights: Path) -> None:
    good, bad = without_rights / "cur" / "a:2,", without_rights / "cur" / "b:2,"
    good.write_bytes(question())
    bad.write_bytes(question())
    good.chmod(0o644)
    bad.chmod(0o600)
    box = MaildirMailbox(without_rights, clock=SkippingClock(), network=False)
    os.seteuid(65534)
    try:
        seen = (await passed(box)).seen
        assert sorted(one.unreadable is None for one in seen) == [False, True]
        with pytest.raises(TransientError, match="permit"):
            await box.fetch([one.ref for one in seen])
    finally:
        os.seteuid(0)
        shutil.rmtree(without_rights)


async def test_passes_and_snapshots_side_by_side_agree(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    world.drop(owners(), Folder.DRAFTS)
    counts: list[int] = []

    async def snap() -> None:
        counts.append(len((await box.snapshot(SCOPE)).drafts))

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(snap)
            tasks.start_soon(passed, box)
    assert counts == [1] * 8
