"""Removing the exact version of a draft: the owner's can't be hit, and a crash loses nothing."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import anyio
import pytest

from providers.maildir import MaildirMailbox, removal
from providers.maildir.files import folder
from providers.ports import DraftRef, Whereabouts
from storage.words import Accepted, FaultPoint, IntentId, Outcome, Rejected, Unknown
from tests.contracts.harness import MaildirHarness
from tests.contracts.mails import ours
from tests.maildir.acts import REMOVAL, SCOPE, At, look, make

LATER = IntentId("3d" * 16)


async def remove(box: MaildirMailbox, draft: DraftRef, attempt: int = 1) -> Outcome:
    return await box.remove(draft, intent=REMOVAL, attempt=attempt)


def names_in(world: MaildirHarness) -> list[str]:
    return sorted(path.name for path in (world.root / ".Drafts" / "cur").iterdir())


class KilledError(BaseException):
    """The process ends here."""


async def killed_aside(world: MaildirHarness, draft: DraftRef) -> None:
    """A removal that dies while the draft lies aside."""

    def die() -> None:
        raise KilledError

    faults = At(FaultPoint.REMOVAL_ASIDE, die)
    box = MaildirMailbox(world.root, clock=world.clock, faults=faults, network=False)
    with pytest.raises(KilledError):
        await remove(box, draft)
    assert faults.reached == 1


async def test_flags_that_changed_are_no_other_version(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    file = world.file(draft.ref)
    file.rename(file.with_name(f"{file.name}F"))
    assert isinstance(await remove(box, draft), Accepted)
    assert names_in(world) == []


async def test_a_draft_edited_in_place_is_never_removed(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    file = world.file(draft.ref)
    file.write_bytes(ours(body="Another day?"))
    assert isinstance(await remove(box, draft), Rejected)
    assert file.read_bytes() == ours(body="Another day?")


async def test_a_draft_that_was_edited_before_is_not_even_moved_aside(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    world.file(draft.ref).write_bytes(ours(body="Another day?"))
    faults = At(FaultPoint.REMOVAL_ASIDE, None)
    racing = MaildirMailbox(world.root, clock=world.clock, faults=faults, network=False)
    assert isinstance(await remove(racing, draft), Rejected)
    assert faults.reached == 0


async def test_a_draft_edited_just_before_it_is_moved_aside_comes_back(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    file = world.file(draft.ref)
    name = file.name

    def edit() -> None:
        (aside,) = (world.root / ".Drafts" / "cur").glob(".fencepost-*")
        aside.write_bytes(ours(body="Another day?"))

    faults = At(FaultPoint.REMOVAL_ASIDE, edit)
    racing = MaildirMailbox(world.root, clock=world.clock, faults=faults, network=False)
    assert isinstance(await remove(racing, draft), Rejected)
    assert faults.reached == 1
    assert names_in(world) == [name]
    assert file.read_bytes() == ours(body="Another day?")


async def test_a_draft_that_comes_back_is_never_put_over_a_file(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    file = world.file(draft.ref)

    def edit_and_take_the_name() -> None:
        (aside,) = (world.root / ".Drafts" / "cur").glob(".fencepost-*")
        aside.write_bytes(ours(body="Another day?"))
        file.write_bytes(ours(body="A third."))

    faults = At(FaultPoint.REMOVAL_ASIDE, edit_and_take_the_name)
    racing = MaildirMailbox(world.root, clock=world.clock, faults=faults, network=False)
    assert isinstance(await remove(racing, draft), Rejected)
    assert sorted(world.list_drafts()) == sorted([ours(body="Another day?"), ours(body="A third.")])
    assert not [name for name in names_in(world) if name.startswith(".")]


async def test_a_draft_that_lies_aside_counts_as_held(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    await killed_aside(world, draft)
    assert world.list_drafts() == []
    assert (await box.draft(draft)).where is Whereabouts.UNTOUCHED
    assert [one.ref for one in (await box.snapshot(SCOPE)).drafts] == [draft.ref]
    assert [one.ref for one in (await look(box, world)).found] == [draft.ref]


async def test_a_draft_left_aside_is_put_back_at_start(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    name = world.file(draft.ref).name
    await killed_aside(world, draft)
    await box.remove_orphans(frozenset(), world.clock.now())
    assert names_in(world) == [name]


async def test_a_draft_left_aside_is_put_back_by_a_look_for_its_removal(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    await killed_aside(world, draft)
    await look(box, world, intent=REMOVAL)
    assert world.list_drafts() == [ours()]


async def test_a_look_for_another_intent_leaves_a_removal_alone(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    await killed_aside(world, draft)
    await look(box, world, intent=LATER)
    assert world.list_drafts() == []


async def test_a_draft_that_lay_aside_for_long_is_put_back_by_any_look(
    world: MaildirHarness, box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = await make(box)
    await killed_aside(world, draft)
    monkeypatch.setattr(removal, "ASIDE_S", -1.0)
    await box.draft(draft)
    assert world.list_drafts() == [ours()]


async def test_a_repeated_removal_takes_what_its_first_attempt_left_aside(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    await killed_aside(world, draft)
    assert isinstance(await remove(box, draft, attempt=2), Accepted)
    assert names_in(world) == []


async def test_a_draft_aside_for_another_removal_is_refused_for_now(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    await killed_aside(world, draft)
    outcome = await box.remove(draft, intent=LATER, attempt=1)
    assert isinstance(outcome, Rejected)
    assert outcome.passing


async def test_a_remover_that_wakes_late_finds_its_draft_put_back(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    drafts = world.root / ".Drafts"
    faults = At(FaultPoint.REMOVAL_ASIDE, lambda: removal.recover(drafts, intent=REMOVAL))
    late = MaildirMailbox(world.root, clock=world.clock, faults=faults, network=False)
    assert isinstance(await remove(late, draft), Rejected)
    assert world.list_drafts() == [ours()]


async def test_a_remover_that_wakes_while_its_draft_is_put_back_cannot_unlink_it(
    world: MaildirHarness, box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    await killed_aside(world, await make(box))
    (aside,) = (world.root / ".Drafts" / "cur").glob(".fencepost-*")
    unlinked: list[bool] = []
    real = os.link

    def link_then_wake(*names: str, **options: int) -> None:
        real(*names, **options)  # type: ignore[arg-type]
        try:
            aside.unlink()
        except FileNotFoundError:
            unlinked.append(False)
        else:
            unlinked.append(True)

    monkeypatch.setattr(os, "link", link_then_wake)
    removal.recover(world.root / ".Drafts", every=True)
    assert unlinked == [False]
    assert world.list_drafts() == [ours()]


async def test_on_a_network_a_remover_that_wakes_late_knows_nothing(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    drafts = world.root / ".Drafts"
    faults = At(FaultPoint.REMOVAL_ASIDE, lambda: removal.recover(drafts, intent=REMOVAL))
    late = MaildirMailbox(world.root, clock=world.clock, faults=faults, network=True)
    assert isinstance(await remove(late, draft), Unknown)
    assert world.list_drafts() == [ours()]


async def test_a_recovery_that_died_between_its_steps_is_finished(
    world: MaildirHarness, box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = await make(box)
    name = world.file(draft.ref).name
    await killed_aside(world, draft)
    real = os.unlink

    def die(path: str, *, dir_fd: int | None = None) -> None:
        raise KilledError

    monkeypatch.setattr(os, "unlink", die)
    with pytest.raises(KilledError):
        removal.recover(world.root / ".Drafts", every=True)
    monkeypatch.setattr(os, "unlink", real)
    assert len(names_in(world)) == 2
    assert len((await look(box, world)).found) == 1
    await box.remove_orphans(frozenset(), world.clock.now())
    assert names_in(world) == [name]


async def test_a_draft_whose_flags_changed_after_it_went_back_is_not_given_a_second_name(
    world: MaildirHarness, box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = await make(box)
    await killed_aside(world, draft)
    real = os.unlink

    def die(path: str, *, dir_fd: int | None = None) -> None:
        raise KilledError

    monkeypatch.setattr(os, "unlink", die)
    with pytest.raises(KilledError):
        removal.recover(world.root / ".Drafts", every=True)
    monkeypatch.setattr(os, "unlink", real)
    back = world.file(draft.ref)
    back.rename(back.with_name(f"{back.name}F"))
    await box.remove_orphans(frozenset(), world.clock.now())
    assert names_in(world) == [f"{back.name}F"]


async def test_a_draft_without_room_for_a_second_name_is_left(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    file = world.file(draft.ref)
    uniq = "x" * 240
    file.rename(file.with_name(f"{uniq}:2,DS"))
    moved = await box.draft(draft)
    assert moved.sight is not None
    named = DraftRef(
        ref=moved.sight.ref,
        version=moved.sight.version,
        content_hash=draft.content_hash,
        mark=draft.mark,
        scope=SCOPE,
    )
    assert isinstance(await remove(box, named), Rejected)
    assert world.list_drafts() == [ours()]


async def test_where_links_cannot_be_made_no_draft_is_touched(
    world: MaildirHarness, box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = await make(box)

    def unable(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", unable)
    outcome = await remove(box, draft)
    assert isinstance(outcome, Rejected)
    assert not outcome.passing
    assert world.list_drafts() == [ours()]


async def test_an_unlink_that_fails_leaves_it_unknown_and_the_draft_held(
    world: MaildirHarness, box: MaildirMailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = await make(box)
    real = os.unlink

    def broken(path: str | Path, *, dir_fd: int | None = None) -> None:
        if str(path).startswith(".fencepost-"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", broken)
    assert isinstance(await remove(box, draft), Unknown)
    monkeypatch.setattr(os, "unlink", real)
    assert (await box.draft(draft)).where is Whereabouts.UNTOUCHED


async def test_a_removal_in_a_missing_maildir_is_the_illness_of_the_mailbox(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    world.root.rename(world.root.with_name("away"))
    outcome = await remove(box, draft)
    assert isinstance(outcome, Rejected)
    assert outcome.illness


@pytest.mark.parametrize("ref", ["Drafts/../../x", "Sent/x", "nonsense", "Drafts/.fencepost-x"])
async def test_a_reference_that_names_no_draft_removes_nothing(
    world: MaildirHarness, box: MaildirMailbox, ref: str
) -> None:
    draft = await make(box)
    named = DraftRef(
        ref=type(draft.ref)(ref),
        version=draft.version,
        content_hash=draft.content_hash,
        mark=draft.mark,
        scope=SCOPE,
    )
    await remove(box, named)
    assert world.list_drafts() == [ours()]


async def test_of_two_removals_at_once_at_most_one_is_accepted_by_its_own_doing(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    outcomes: list[Outcome] = []

    async def one(intent: IntentId) -> None:
        outcomes.append(await box.remove(draft, intent=intent, attempt=1))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one, REMOVAL)
        tasks.start_soon(one, LATER)
    assert sum(isinstance(o, Accepted) and o.detail == "removed" for o in outcomes) == 1
    assert world.list_drafts() == []


def test_nothing_lies_aside_in_an_untouched_folder(world: MaildirHarness) -> None:
    assert removal.recover(world.root / ".Drafts", every=True) == 0
    with folder(world.root / ".Drafts" / "cur") as fd:
        assert not removal.put_back(fd, ".fencepost-x.1.gone")
