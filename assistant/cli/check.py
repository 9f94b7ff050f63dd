"""``fencepost check``: what works, and what to do about what does not."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.cli import common
from assistant.cli.finding import Finding

if TYPE_CHECKING:
    from assistant.house import Account, Receiver
    from assistant.shelves import Shelves
    from assistant.wiring import Built
    from config.loaded import Loaded


@click.command("check")
@click.option("--probe", metavar="MAILBOX", help="Make, find and remove one draft there.")
@common.json_option
@common.config_option
def command(config_dir: Path | None, probe: str | None, as_json: bool) -> None:
    """Check the configuration and every mailbox; nothing is changed without --probe."""
    common.set_up_logging(quiet=True)
    loaded = common.load_config(config_dir)
    findings = common.told(_check)(loaded, probe)
    if as_json:
        common.print_json(
            [
                {"what": one.what, "works": one.works, "says": one.says, "remedy": one.remedy}
                for one in findings
            ]
        )
    else:
        _show(findings)
    if not all(one.works for one in findings):
        raise SystemExit(common.FAILED)


def _show(findings: list[Finding]) -> None:
    screen = common.console()
    for one in findings:
        mark = "[green]ok[/green]  " if one.works else "[red]no[/red]  "
        screen.print(f"{mark}[bold]{common.shown(one.what)}[/bold]  {common.shown(one.says)}")
        if one.remedy:
            screen.print(f"    {common.shown(one.remedy)}")


async def _check(loaded: Loaded, probe: str | None) -> list[Finding]:
    from assistant.cli.logincheck import shelves_of
    from assistant.unserved import faults_of

    loaded = await _rightful(loaded)
    number = len(loaded.users)
    findings = [
        Finding(
            what="configuration",
            works=not loaded.faults,
            says=f"{number} user{'' if number == 1 else 's'} in {loaded.config_dir}",
        )
    ]
    findings += [
        Finding(what=one.what, works=False, says=one.problem, remedy=one.remedy)
        for one in faults_of(loaded)
    ]
    if not loaded.users and not loaded.faults:
        findings.append(
            Finding(
                what="users",
                works=False,
                says="there is no users/NAME.toml",
                remedy="make one with: fencepost init",
            )
        )
    findings += await _store(loaded)
    async with shelves_of(loaded) as shelves:
        return [*findings, *await _users(loaded, probe, shelves)]


async def _users(loaded: Loaded, probe: str | None, shelves: Shelves) -> list[Finding]:
    """What is found of every user: mailboxes, logins, receivers of notices, models."""
    from anyio import to_thread

    from assistant import wiring
    from assistant.cli.logincheck import login_findings
    from assistant.timing import SystemClock
    from assistant.unserved import nested
    from config.user import MaildirMailbox
    from storage.words import NO_FAULTS

    settings = wiring.settings_of(loaded.daemon)
    findings: list[Finding] = []
    inner = await to_thread.run_sync(nested, loaded)
    probed = False
    for user in loaded.users.values():
        build = partial(wiring.build_user, since_s=None, shelves=shelves)
        built = await to_thread.run_sync(build, user, settings, SystemClock(), NO_FAULTS)
        findings += [
            Finding(what=one.what, works=False, says=one.problem, remedy=one.remedy)
            for one in built.unbuilt
        ]
        places = {
            f"{user.user}/{one.id}": one.path
            for one in user.mailboxes
            if isinstance(one, MaildirMailbox)
        }
        for account in built.accounts.values():
            why = inner.get(account.integration)
            findings.append(
                await _mailbox(account, loaded, places.get(account.integration))
                if why is None
                else Finding(
                    what=str(account.integration),
                    works=False,
                    says=f"{why.what}: {why.problem}",
                    remedy=why.remedy,
                )
            )
            if probe == account.integration:
                probed = True
                data_dir = loaded.daemon.storage.data_dir
                findings.append(await _probe(account, data_dir, settings.call_timeout_s))
            await account.mailbox.close()
        findings += await login_findings(user, shelves)
        for receiver in built.telling.receivers if built.telling is not None else ():
            findings.append(await _receiver(user.user, receiver))
            await receiver.notifier.close()
        findings += await _models(built)
    if probe is not None and not probed:
        findings.append(
            Finding(
                what=f"probe of {probe}",
                works=False,
                says="there is no such mailbox",
                remedy="name it as NAME/ID; they are listed above",
            )
        )
    return findings


async def _rightful(loaded: Loaded) -> Loaded:
    """The configuration as a start would take it, where there is a database that can be read."""
    from assistant.opening import open_reader
    from assistant.process import rightful
    from config.secrets import SecretError
    from storage.errors import StorageError

    try:
        reader = await open_reader(loaded)
    except (SecretError, StorageError):
        return loaded
    try:
        return await rightful(loaded, reader)
    finally:
        await reader.close()


async def _store(loaded: Loaded) -> list[Finding]:
    from anyio import to_thread

    from assistant.cli.fleetcheck import fleet_findings
    from assistant.cli.servercheck import server_findings
    from assistant.cli.storecheck import store_findings
    from assistant.opening import is_shared
    from storage.sqlite import sqlite_version

    if is_shared(loaded):
        return [*await server_findings(loaded), *await fleet_findings(loaded)]
    return [
        Finding(what="SQLite", works=True, says=f"version {sqlite_version()}"),
        await to_thread.run_sync(_data_dir, loaded.daemon.storage.data_dir),
        *await to_thread.run_sync(store_findings, loaded),
    ]


def _data_dir(path: Path) -> Finding:
    from storage.errors import StorageError
    from storage.lock import holder_pid, try_lock

    try:
        lock = try_lock(path)
    except StorageError as error:
        return Finding(what="data folder", works=False, says=str(error))
    if lock is None:
        pid = holder_pid(path)
        return Finding(what="data folder", works=True, says=f"{path}, in use by process {pid}")
    lock.release()
    return Finding(what="data folder", works=True, says=str(path))


async def _mailbox(account: Account, loaded: Loaded, path: Path | None) -> Finding:
    """What is found of a mailbox; *path* is that of a Maildir."""
    from anyio import to_thread

    from assistant.cli.maildircheck import unwritable
    from config.secrets import SecretError
    from providers.ports import MailboxIllError, TransientError
    from storage.errors import StorageError
    from storage.mailboxes import AccountError, is_bound

    name = str(account.integration)
    try:
        identity = await account.mailbox.account()
        # What is wrong with the store is said of the store.
        with suppress(StorageError, SecretError):
            await common.read_store(loaded, partial(is_bound, integration=name, account=identity))
        refused = None if path is None else await to_thread.run_sync(unwritable, path)
        if refused is not None:
            raise refused
    except AccountError as error:
        return Finding(what=name, works=False, says=error.problem, remedy=error.remedy)
    except MailboxIllError as error:
        return Finding(what=name, works=False, says=error.problem, remedy=error.remedy)
    except TransientError as error:
        return Finding(what=name, works=False, says=str(error), remedy="try again in a while")
    profile = account.mailbox.profile
    removal = "drafts can be removed by version" if profile.versioned_removal else "never removes"
    return Finding(
        what=name,
        works=True,
        says="; ".join(
            [
                profile.provider,
                f"marks kept: {', '.join(sorted(profile.marks))}",
                removal,
                *profile.notes,
            ]
        ),
    )


async def _receiver(user: str, receiver: Receiver) -> Finding:
    """What is known of a receiver of notices; nobody is told anything."""
    from storage.words import Rejected

    name = f"notices of {user} to {receiver.address}"
    if receiver.trial is None:
        return Finding(what=name, works=True, says=f"{receiver.says}; not tried")
    outcome = await receiver.trial()
    if isinstance(outcome, Rejected):
        return Finding(
            what=name,
            works=False,
            says=f"{receiver.says}: {outcome.reason}",
            remedy="check [notify] smtp: host, port, security, username and password",
        )
    return Finding(what=name, works=True, says=f"{receiver.says}; it lets us in, nothing sent")


async def _models(built: Built) -> list[Finding]:
    from assistant.modelcheck import problem_of

    brain = built.brain
    if brain is None:
        return []
    findings = []
    for model in dict.fromkeys((brain.triage, brain.draft)):
        problem = await problem_of(brain, model)
        says = "answers with JSON and says what it costs" if problem is None else problem
        findings.append(Finding(what=f"model {model}", works=problem is None, says=says))
    await brain.model.close()
    return findings


async def _probe(account: Account, data_dir: Path, timeout_s: float) -> Finding:
    from anyio import to_thread

    from assistant.kept import save_kept
    from assistant.probe import probe

    name = f"probe of {account.integration}"
    tried = await probe(account, timeout_s)
    if tried.kept is not None:
        await to_thread.run_sync(save_kept, data_dir, account.integration, tried.kept)
    if tried.problem is not None:
        return Finding(
            what=name,
            works=False,
            says=tried.problem,
            remedy="look for a draft with the subject 'Fencepost probe' and delete it if it is "
            "there",
        )
    if tried.kept is None:
        return Finding(what=name, works=True, says="made, found by every mark, removed")
    marks = ", ".join(sorted(tried.kept.marks))
    return Finding(
        what=name,
        works=True,
        says=f"made, found, removed; it keeps: {marks}. A daemon that runs takes this over at its "
        "next start",
    )
