"""A mailbox whose id was changed in its user's file keeps its history under the new id.

An integration stays bound to its account, so the new id is refused until a person says that it is
the old one. Nothing of the old one may be lost on the way: its intents, drafts and blocks are what
keeps its threads from getting a second draft. So all of it is renamed at once, while nobody works
on it, and only where the new id leads to the very account that the old one was bound to.

The receipt is written in the same transaction: the same key never renames twice.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from sqlalchemy import Connection

from assistant.commands.review import Answer, CommandError
from assistant.effects.keys import create_key, fingerprint, remove_key
from assistant.house import House
from providers.ports import ProviderError
from storage import drafts, mailboxes, receipts, renaming
from storage.dbtime import database_now_ms
from storage.events import log, story
from storage.intents import Intent
from storage.receipts import Receipt
from storage.words import Identity, IntegrationId, IntentKey, Kind, ThreadId, UserName, Version


async def rebind(house: House, old: IntegrationId, new: IntegrationId, key: str) -> Answer:
    """Give the history of *old* to *new*, once for ever under *key*.

    Raises CommandError, and ``storage.receipts.ConflictError`` for a key used otherwise.
    """
    user = UserName(old.partition("/")[0])
    asked = fingerprint(command="rebind", old=old, new=new)
    replay = await house.store.read(lambda conn: receipts.find(conn, user, key, asked))
    if replay is not None:
        return _answer(replay, replayed=True)
    identity = await _account_of(house, old, new)

    def unit(conn: Connection) -> Receipt:
        why_not = renaming.hindrance(conn, old, new)
        bound = mailboxes.load(conn, old)
        if why_not is None and bound is not None and bound.account != identity:
            why_not = f"{new} leads to another account than {old} is bound to"
        if why_not is not None and _was_given(conn, old, new):
            why_not = f"{new} has the history of {old} already"
        if why_not is not None:
            raise CommandError(f"{why_not}; nothing was changed")
        moved = renaming.rename(conn, old, new, lambda intent: _rekeyed(conn, intent, new))
        now = database_now_ms(conn)
        receipt = Receipt(
            scope=user,
            key=key,
            command=f"rebind {old} {new}",
            fingerprint=asked,
            operation=uuid.uuid4().hex,
            result={"mailbox": new, "was": old, "threads": moved},
        )
        receipts.write(conn, receipt, now)
        log(conn, now, new, "", "rebound", was=old, operation=receipt.operation)
        return receipt

    return _answer(await house.store.write(unit), replayed=False)


async def _account_of(house: House, old: IntegrationId, new: IntegrationId) -> str:
    """The account that *new* leads to now. Raises CommandError where *old* may not become it."""
    account = house.accounts.get(new)
    if account is None:
        raise CommandError(await _not_served(house, new))
    if old in house.accounts:
        raise CommandError(f"{old} is still in its user's file: rename it there first")
    if old.partition("/")[0] != new.partition("/")[0]:
        raise CommandError(f"{old} and {new} are of two users; a mailbox stays with its user")
    try:
        return await account.mailbox.account()
    except ProviderError as error:
        raise CommandError(f"{new} can't be reached to see whose it is: {error}") from error


async def _not_served(house: House, new: IntegrationId) -> str:
    """Why *new* cannot be given anything here, with every mailbox that there is."""
    known = {row.integration for row in await house.store.read(mailboxes.everything)}
    served = ", ".join(sorted(house.accounts)) or "none"
    elsewhere = ", ".join(sorted(known - house.accounts.keys()))
    said = f"there is no mailbox {new} in the users' files that are in force here (there are: "
    said += f"{served}" + (f"; the database knows besides: {elsewhere}" if elsewhere else "")
    return f"{said}): rename it there first, then give this command"


def _was_given(conn: Connection, old: IntegrationId, new: IntegrationId) -> bool:
    """Whether the history of *old* was given to *new* before."""
    details = [event["detail"] for event in story(conn, new, "") if event["kind"] == "rebound"]
    return any(isinstance(one, Mapping) and one.get("was") == old for one in details)


def _rekeyed(conn: Connection, intent: Intent, new: IntegrationId) -> tuple[IntentKey, str]:
    """Key and fingerprint under the new id, derived as they were under the old one."""
    old = intent.integration
    if intent.kind is Kind.CREATE_DRAFT:
        if _create(intent, old) != (intent.key, intent.fingerprint):
            raise CommandError(f"the key of the intent {intent.id} is none of this release's")
        return _create(intent, new)
    if intent.kind is Kind.REMOVE_DRAFT:
        number = int(str(intent.plan["draft"]))
        draft = drafts.one(conn, number)
        version = intent.plan.get("version", "" if draft is None else draft.version)
        thread, of_version = ThreadId(intent.thread), Version(str(version))
        if remove_key(old, thread, number, of_version) != intent.key:
            raise CommandError(f"the key of the intent {intent.id} is none of this release's")
        return remove_key(new, thread, number, of_version), intent.fingerprint
    # Notices are keyed by their user, who stays.
    return intent.key, intent.fingerprint


def _create(intent: Intent, integration: IntegrationId) -> tuple[IntentKey, str]:
    answers, thread = Identity(str(intent.plan["answers"])), ThreadId(intent.thread)
    return create_key(integration, thread, answers, intent.generation), fingerprint(
        kind="create_draft",
        integration=integration,
        thread=thread,
        answers=answers,
        generation=intent.generation,
    )


def _answer(receipt: Receipt, *, replayed: bool) -> Answer:
    return Answer(
        operation=receipt.operation,
        command=receipt.command,
        key=receipt.key,
        replayed=replayed,
        result=receipt.result,
    )
