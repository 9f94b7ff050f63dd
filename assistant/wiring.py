"""The composition root: the one place that names vendors and turns configuration into values.

Everything below gets ports and numbers. A mailbox that can't be built (an unknown account, a secret
that is missing) becomes a review item of its user; it never keeps the others from running.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import socket
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from assistant import needs
from assistant.core.hours import Hours
from assistant.core.plan import Policy
from assistant.house import Account, Brain, Receiver, Telling
from assistant.kept import load_kept
from assistant.serving import Need
from assistant.settings import Settings
from assistant.shelves import Shelves, login_command, references
from config.daemon import Storage
from config.secrets import SecretError, SecretRef, resolve
from config.user import GmailMailbox as GmailConfig
from config.user import ImapMailbox as ImapConfig
from config.user import Mailbox as MailboxConfig
from config.user import MaildirMailbox as MaildirConfig
from config.user import UserConfig
from providers.gmail import GmailMailbox
from providers.gmail.credentials import Client, CredentialsError, client_of
from providers.gmail.oauth import Google
from providers.gmail.quota import Quota
from providers.gmail.tokens import Tokens
from providers.gmail.writing import TOKEN_S
from providers.imap import ImapMailbox, Server
from providers.maildir.mailbox import MaildirMailbox
from providers.mime.message import Owner
from providers.model.openai import OpenAIModel
from providers.notifier_port import Notifier
from providers.notify.ntfy import Ntfy
from providers.notify.post import AddressError
from providers.notify.services import INSTALL, MissingError, Service
from providers.notify.smtp import Mail, MailServer
from providers.notify.webhook import Webhook
from providers.ports import Folder, Mailbox
from storage.words import Clock, Faults, IntegrationId, OwnerId, UserName

if TYPE_CHECKING:
    from config.daemon import DaemonConfig

SERVICE_CALL_S = 60.0
"""How long a call through apprise may take; it bounds its own network waits, several in a row."""

MAILDIR_LAG_S = 2.0
"""How long a mail program may take between the two halves of saving an edited draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbuilt:
    """A mailbox or a receiver of notices that can't be used, and what to do about it."""

    user: UserName
    what: str
    problem: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What one user's file came to."""

    accounts: Mapping[IntegrationId, Account]
    telling: Telling | None
    unbuilt: tuple[Unbuilt, ...]
    brain: Brain | None = None


def settings_of(daemon: DaemonConfig) -> Settings:
    """The daemon's numbers."""
    return Settings(
        concurrency=daemon.runtime.concurrency,
        lease_ttl_s=daemon.runtime.lease_ttl.total_seconds(),
        call_timeout_s=daemon.runtime.call_timeout.total_seconds(),
        smtp_timeout_s=daemon.runtime.smtp_timeout.total_seconds(),
        settle_s=daemon.runtime.settle.total_seconds(),
        poll_s=daemon.runtime.poll.total_seconds(),
        looks_s=tuple(look.total_seconds() for look in daemon.reconcile.looks),
        lag_s=daemon.reconcile.lag.total_seconds(),
        data_dir=daemon.storage.data_dir,
    )


def worker_name() -> OwnerId:
    """A name for this process that no other has or had."""
    return OwnerId(f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}")


def derived(key: bytes, purpose: str) -> bytes:
    """A key for one purpose, derived from the installation's key."""
    return hmac.new(key, purpose.encode(), hashlib.sha256).digest()


def owner_of(user: UserConfig) -> Owner:
    """The person whose mailboxes these are."""
    return Owner(name=user.name, addresses=user.addresses)


def build_user(
    user: UserConfig,
    settings: Settings,
    clock: Clock,
    faults: Faults,
    *,
    since_s: float | None,
    shelves: Shelves | None = None,
) -> Built:
    """The accounts and receivers of one user. Blocks: secrets are read here.

    *since_s* overrides how far back a first pass looks; *shelves* say where logins lie, without
    them where the user's file says.
    """
    accounts: dict[IntegrationId, Account] = {}
    unbuilt: list[Unbuilt] = []
    brain = _brain(user, clock, unbuilt)
    for mailbox in user.mailboxes:
        integration = IntegrationId(f"{user.user}/{mailbox.id}")
        quota = _quota(mailbox, clock)
        adapter = _adapter(user, mailbox, settings, clock, faults, shelves, quota)
        accounts[integration] = Account(
            integration=integration,
            user=user.user,
            owner=owner_of(user),
            mailbox=adapter,
            policy=Policy(
                draft=frozenset(user.triage.draft),
                never_draft_for=user.triage.never_draft_for,
            ),
            signature=user.signature,
            since_s=mailbox.since.total_seconds() if since_s is None else since_s,
            brain=brain,
            meter=quota,
            need=_need(mailbox, adapter),
        )
    receivers = _receivers(user, settings, unbuilt)
    telling = None
    if receivers:
        kinds = frozenset(str(kind) for kind in user.notify.kinds)
        quiet = user.notify.quiet_hours
        telling = Telling(
            user=user.user,
            receivers=tuple(receivers),
            kinds=kinds,
            hours=Hours(
                zone=user.timezone,
                quiet=None if quiet is None else (quiet.start, quiet.end),
                digest=user.notify.digest,
            ),
            include_text=user.notify.include_text,
        )
    return Built(accounts=accounts, telling=telling, unbuilt=tuple(unbuilt), brain=brain)


def _brain(user: UserConfig, clock: Clock, unbuilt: list[Unbuilt]) -> Brain | None:
    """The user's model; None where rules decide, because the file says so or the key is missing."""
    chosen = user.model
    if user.triage.engine != "model" or chosen is None:
        return None
    try:
        key = None if chosen.api_key is None else resolve(chosen.api_key).reveal()
    except SecretError as error:
        unbuilt.append(
            Unbuilt(
                user=user.user,
                what="[model] api_key",
                problem=f"{error.problem} (until then rules decide and drafts are outlines)",
                remedy=error.remedy,
            )
        )
        return None
    return Brain(
        model=OpenAIModel(chosen.base_url, key, clock),
        triage=chosen.triage,
        draft=chosen.draft,
        daily_tokens=chosen.daily_tokens,
        thread_tokens=chosen.thread_tokens,
        zone=user.timezone,
        instructions=user.instructions,
    )


def _quota(mailbox: MailboxConfig, clock: Clock) -> Quota | None:
    gmail = mailbox if isinstance(mailbox, GmailConfig) else None
    return None if gmail is None else Quota(clock, units_per_minute=gmail.units_per_minute)


def _adapter(
    user: UserConfig,
    mailbox: MailboxConfig,
    settings: Settings,
    clock: Clock,
    faults: Faults,
    shelves: Shelves | None,
    quota: Quota | None,
) -> Mailbox:
    if isinstance(mailbox, MaildirConfig):
        return MaildirMailbox(mailbox.path, clock=clock, faults=faults, lag_s=MAILDIR_LAG_S)
    if isinstance(mailbox, ImapConfig):
        return _imap(mailbox, settings, clock, faults)
    return _gmail(user, mailbox, settings, clock, faults, shelves, quota or Quota(clock))


def _gmail(
    user: UserConfig,
    mailbox: GmailConfig,
    settings: Settings,
    clock: Clock,
    faults: Faults,
    shelves: Shelves | None,
    quota: Quota,
) -> GmailMailbox:
    integration = IntegrationId(f"{user.user}/{mailbox.id}")
    data_dir = settings.data_dir or Storage().data_dir
    shelf = (shelves or references(data_dir, clock))(integration, mailbox.token)
    google = Google(
        partial(_client, mailbox.client),
        token_url=mailbox.token_url,
        api_root=mailbox.api_root,
    )
    return GmailMailbox(
        Tokens(shelf, google, clock, login=login_command(integration)),
        quota,
        clock=clock,
        api_root=mailbox.api_root,
        addresses=user.addresses,
        kept=load_kept(data_dir, integration),
        faults=faults,
        answer_s=max(1.0, settings.call_timeout_s - TOKEN_S),
    )


def _client(ref: SecretRef) -> Client:
    """The OAuth client of the installation. Blocks; raises CredentialsError."""
    try:
        return client_of(resolve(ref).reveal())
    except SecretError as error:
        raise CredentialsError(error.problem, error.remedy) from error


def _imap(mailbox: ImapConfig, settings: Settings, clock: Clock, faults: Faults) -> ImapMailbox:
    server = Server(
        host=mailbox.host,
        port=mailbox.port,
        security=mailbox.security,
        username=mailbox.username,
        password=needs.source(mailbox.password),
        token=needs.source(mailbox.token),
        direct=mailbox.direct,
    )
    named = {
        Folder.SENT: mailbox.folders.sent,
        Folder.DRAFTS: mailbox.folders.drafts,
        Folder.TRASH: mailbox.folders.trash,
    }
    return ImapMailbox(
        server,
        clock=clock,
        folders={role: name for role, name in named.items() if name is not None},
        faults=faults,
        answer_s=settings.call_timeout_s,
    )


def _need(mailbox: MailboxConfig, adapter: Mailbox) -> Need | None:
    """What a host must have to serve a mailbox. A fleet keeps logins to Gmail in the database."""
    if isinstance(adapter, MaildirMailbox):
        return Need(check=adapter.account_here)
    if isinstance(mailbox, ImapConfig):
        return needs.secret(mailbox.token or mailbox.password)
    return needs.secret(mailbox.client) if isinstance(mailbox, GmailConfig) else None


def _receivers(user: UserConfig, settings: Settings, unbuilt: list[Unbuilt]) -> list[Receiver]:
    makers = [(shown(url), partial(_receiver, url, user, settings)) for url in user.notify.urls]
    makers += [(f"[notify] apprise {ref}", partial(_service, ref)) for ref in user.notify.apprise]
    receivers: dict[str, Receiver] = {}
    for what, make in makers:
        try:
            made = make()
        except SecretError as error:
            problem, remedy = error.problem, error.remedy
        except MissingError:
            problem, remedy = "the package apprise is not installed", INSTALL
        except AddressError as error:
            problem, remedy = "nothing can be sent there", str(error)
        else:
            receivers[made.address] = made
            continue
        unbuilt.append(Unbuilt(user=user.user, what=what, problem=problem, remedy=remedy))
    return list(receivers.values())


def _receiver(url: str, user: UserConfig, settings: Settings) -> Receiver:
    parts = urlsplit(url)
    if parts.scheme == "mailto":
        return _mail(parts.path, user, settings)
    notifier: Notifier
    if parts.scheme == "ntfy":
        notifier, says = Ntfy(url, settings.call_timeout_s), "ntfy"
    else:
        secret = user.notify.webhook_secret
        key = None if secret is None else resolve(secret).reveal().encode()
        notifier = Webhook(url, key, settings.call_timeout_s)
        says = (
            "webhook, not signed: there is no webhook_secret" if key is None else "signed webhook"
        )
    return Receiver(address=shown(url), notifier=notifier, says=says)


def _mail(address: str, user: UserConfig, settings: Settings) -> Receiver:
    smtp = user.notify.smtp
    if smtp is None:
        raise AddressError("mail needs a server: add [notify] smtp")
    login = smtp.username
    mail = Mail(
        MailServer(
            host=smtp.host,
            port=smtp.port,
            security=smtp.security,
            username=login,
            password=None if smtp.password is None else resolve(smtp.password).reveal(),
        ),
        # Most servers send for nobody but the account that logs in.
        sender=login if login is not None and "@" in login else user.addresses[0],
        recipients=(address,),
        wait_s=settings.smtp_timeout_s,
    )
    return Receiver(
        address=shown(f"mailto:{address}"),
        notifier=mail,
        call_timeout_s=mail.call_s,
        says=f"mail through {smtp.host}:{smtp.port} ({smtp.security})",
        trial=mail.try_login,
    )


def _service(ref: SecretRef) -> Receiver:
    url = resolve(ref).reveal()
    digest = hashlib.sha256(url.encode()).hexdigest()[:8]
    scheme = urlsplit(url).scheme
    return Receiver(
        address=f"{scheme}://~{digest}",
        notifier=Service(url),
        call_timeout_s=SERVICE_CALL_S,
        says="through apprise; whatever is not a yes counts as unknown",
    )


def shown(url: str) -> str:
    """An address without what may be secret in it: no user, no query, the path hashed.

    The owner's own mail address is no secret and stands as it is.
    """
    parts = urlsplit(url)
    if parts.scheme == "mailto":
        return url
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    digest = hashlib.sha256(url.encode()).hexdigest()[:8]
    return urlunsplit((parts.scheme, f"{host}{port}", f"/~{digest}", "", ""))


def with_mailbox(account: Account, mailbox: Mailbox) -> Account:
    """The same account behind another mailbox (a wrapper that loses answers, say)."""
    return replace(account, mailbox=mailbox)
