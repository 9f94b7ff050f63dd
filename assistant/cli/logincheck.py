"""What ``fencepost check`` sees of logins: where they lie, and whether one ends by itself.

Whether a login works at all shows when the mailbox is asked who it is. Beside a fleet's database a
check uses and refreshes the very login that the hosts share, under their rules.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from assistant.cli.finding import Finding

if TYPE_CHECKING:
    from assistant.shelves import Shelves
    from config.loaded import Loaded
    from config.user import UserConfig


@asynccontextmanager
async def shelves_of(loaded: Loaded) -> AsyncIterator[Shelves]:
    """Where logins lie; without a database that can be used, where the users' files say."""
    from anyio import to_thread

    from assistant import wiring
    from assistant.opening import is_shared, place_of
    from assistant.shelves import references, shared
    from assistant.timing import SystemClock
    from config.secrets import SecretError, load_installation_key
    from storage.errors import StorageError
    from storage.postgres import open_postgres
    from storage.sealing import Sealer

    clock = SystemClock()
    here = references(loaded.daemon.storage.data_dir, clock)
    if not is_shared(loaded):
        yield here
        return
    try:
        ref = loaded.daemon.secrets.installation
        key = await to_thread.run_sync(load_installation_key, ref, loaded.config_dir)
        store = await open_postgres(await place_of(loaded), connections=2)
    except (SecretError, StorageError):
        # Told where the database itself is checked.
        yield here
        return
    try:
        if key is None:
            yield here
        else:
            sealer = Sealer(wiring.derived(key, "tokens"))
            yield shared(store, sealer, wiring.worker_name(), clock)
    finally:
        await store.close()


async def login_findings(user: UserConfig, shelves: Shelves) -> list[Finding]:
    """Logins that end by themselves, with what to do before they do."""
    from config.user import GmailMailbox
    from providers.gmail.ports import TokenError
    from storage.words import IntegrationId

    found = []
    for mailbox in user.mailboxes:
        if not isinstance(mailbox, GmailMailbox):
            continue
        integration = IntegrationId(f"{user.user}/{mailbox.id}")
        try:
            kept = await shelves(integration, mailbox.token).load()
        except TokenError:
            # Told where the mailbox is asked who it is.
            continue
        ends_at = None if kept is None else kept.token.login_ends_at
        if ends_at is not None:
            found.append(
                Finding(
                    what=f"login of {integration}",
                    works=True,
                    says=f'ends at {ends_at:%Y-%m-%d %H:%M} UTC: the OAuth client is in "Testing"',
                    remedy="publish it in Google's console (Audience: In production), then run: "
                    f"fencepost login {integration}",
                )
            )
    return found
