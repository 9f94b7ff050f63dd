"""``fencepost demo``: the whole way on a sample mailbox, offline, one answer lost on purpose."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common

if TYPE_CHECKING:
    from assistant.once import Summary
    from assistant.process import Process


@click.command("demo")
@common.json_option
def command(as_json: bool) -> None:
    """Make a sample mailbox in a temporary folder and run the whole way over it."""
    common.set_up_logging(quiet=True)
    common.told(_demo)(as_json=as_json)


async def _demo(*, as_json: bool) -> None:
    from assistant import views
    from assistant.cli import once, review, threads
    from assistant.loops.reconciler import Reconciler
    from assistant.once import run_once
    from assistant.trial.sample import OWNER, write_sample
    from assistant.trial.stage import new_stage, on_stage, write_config
    from providers.mime.marks import MARK_HEADER

    started = time.monotonic()
    workdir = new_stage("demo")
    number = write_sample(workdir / "mail")
    config = write_config(workdir, OWNER, quick=True)
    say = _Sayer(silent=as_json)
    say(f"A sample mailbox of {number} mails lies in {workdir / 'mail'}.")
    say("One pass over it; the answer to the second draft is lost on purpose.\n")
    async with on_stage(config, _lose_one_answer) as process:
        store, house = process.house.store, process.house
        # However slow the machine, the lost answer is shown before it is looked for.
        summaries: list[Summary] = await run_once(house, look_horizon_s=None)
        lag_ms = house.schedule.lag_ms
        if not as_json:
            threads.show(await store.read(views.thread_list))
            say("\nThe review queue. One outcome is unknown: nothing is made again meanwhile.\n")
            review.show_list(await store.read(lambda conn: views.review_list(conn, lag_ms)))
            say("\nNow the mailbox is searched for what the lost answer may have left ...\n")
        await Reconciler(house).until_quiet(5.0)
        if not as_json:
            review.show_list(await store.read(lambda conn: views.review_list(conn, lag_ms)))
    seconds = time.monotonic() - started
    if as_json:
        once.show(summaries, seconds, as_json=True, more={"workdir": str(workdir)})
        return
    folder = workdir / "mail" / ".Drafts" / "cur"
    ours = sum(MARK_HEADER.encode() in one.read_bytes() for one in folder.iterdir())
    say(
        f"\n{ours} drafts of ours lie in {folder.parent}, one for each thread that needs one and "
        "none twice;\nbeside them a draft of Robin's own, untouched."
    )
    _what_next(say, config)


class _Sayer:
    """Says things to a person, or nothing at all."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent

    def __call__(self, text: str) -> None:
        if not self._silent:
            click.echo(text)


def _lose_one_answer(process: Process) -> None:
    from assistant.wiring import with_mailbox
    from providers.memory.faulty import Behaviour, FaultPlan, FaultyMailbox

    plan = FaultPlan(script={"create": (Behaviour.PASS, Behaviour.LOSE)})
    process.house.accounts = {
        name: with_mailbox(account, FaultyMailbox(account.mailbox, plan, clock=process.house.clock))
        for name, account in process.house.accounts.items()
    }


def _what_next(say: _Sayer, config: Path) -> None:
    name = common.program()
    say(
        f"""
What to do next
  look around          {name} --config {config} threads
  one thread's story   {name} --config {config} explain me/mail THREAD
  decide               {name} --config {config} review do ID discard
  your own mail        {name} try PATH      (an mbox, a Maildir or .eml files; on a copy)
  your own mailbox     {name} init, then: {name} check, {name} run
  when you are done    rm -r {config.parent}"""
    )
