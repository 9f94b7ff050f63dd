"""kill -9 of a real process at each fault point of the adapter, and what the next one finds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from providers.maildir import MaildirMailbox
from providers.ports import Staged, Whereabouts
from storage.words import Accepted, FaultPoint
from tests.contracts.harness import MaildirHarness
from tests.contracts.mails import MARK, ours
from tests.maildir.acts import REMOVAL, look, make, stage

ADAPTER_POINTS = (FaultPoint.EFFECT_DONE, FaultPoint.REMOVAL_ASIDE)

WORKER = """
    import json, os, signal, sys
    from pathlib import Path
    import anyio
    from providers.maildir import MaildirMailbox
    from providers.ports import DraftRef, Staged
    from tests.contracts.clock import SkippingClock
    from tests.contracts.mails import MARK, ours
    from tests.maildir.acts import REMOVAL, SCOPE

    root, what, where, argument = sys.argv[1:]

    class Kill:
        def hit(self, point):
            if point == where:
                os.kill(os.getpid(), signal.SIGKILL)

    async def main():
        box = MaildirMailbox(Path(root), clock=SkippingClock(), faults=Kill(), network=False)
        if what == "create":
            staged = Staged(content=ours(), token=json.loads(argument))
            await box.create(staged, scope=SCOPE)
        else:
            ref, version = json.loads(argument)
            draft = DraftRef(ref=ref, version=version, content_hash="", mark=MARK, scope=SCOPE)
            await box.remove(draft, intent=REMOVAL, attempt=1)

    anyio.run(main)
"""


def run_and_kill(root: Path, what: str, where: FaultPoint, argument: str) -> None:
    """Run one call in a process of its own that is killed at *where*."""
    command = [sys.executable, "-c", textwrap.dedent(WORKER), str(root), what, where, argument]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.crash
async def test_a_create_killed_after_its_effect_is_found_once(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    staged = await stage(box)
    run_and_kill(world.root, "create", FaultPoint.EFFECT_DONE, json.dumps(dict(staged.token)))
    seen = await look(box, world, staged)
    assert ([one.mark for one in seen.found], seen.proof) == ([MARK], None)
    assert world.list_drafts() == [ours()]


@pytest.mark.crash
async def test_a_process_killed_before_its_call_is_proved_never_to_have_made_it(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    staged = await stage(box)
    again = MaildirMailbox(world.root, clock=world.clock, network=False)
    assert (await look(again, world, Staged(content=ours(), token=staged.token))).proof


@pytest.mark.crash
async def test_a_removal_killed_after_its_effect_can_be_repeated(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    named = json.dumps([draft.ref, draft.version])
    run_and_kill(world.root, "remove", FaultPoint.EFFECT_DONE, named)
    assert (await box.draft(draft)).where is Whereabouts.ABSENT
    assert isinstance(await box.remove(draft, intent=REMOVAL, attempt=2), Accepted)


@pytest.mark.crash
async def test_a_removal_killed_while_the_draft_lies_aside_loses_nothing(
    world: MaildirHarness, box: MaildirMailbox
) -> None:
    draft = await make(box)
    named = json.dumps([draft.ref, draft.version])
    run_and_kill(world.root, "remove", FaultPoint.REMOVAL_ASIDE, named)
    assert world.list_drafts() == []
    assert (await box.draft(draft)).where is Whereabouts.UNTOUCHED
    await box.remove_orphans(frozenset(), world.clock.now())
    assert world.list_drafts() == [ours()]


def test_every_point_that_the_adapter_reaches_is_killed_at_here() -> None:
    source = Path(__file__).parents[2] / "providers" / "maildir"
    hit = {
        point
        for file in source.glob("*.py")
        for point in FaultPoint
        if f"FaultPoint.{point.name}" in file.read_text()
    }
    assert hit == set(ADAPTER_POINTS)
