"""``users/NAME.toml``: who somebody is, what they want, and which mailboxes are theirs.

One file is one user, and it can't disturb another one. The values are frozen dataclasses that
pydantic checks as they are made, so that others take them without knowing of pydantic.

Invariants: no value holds a secret, only references to them; addresses and hosts hold no CR, LF or
NUL, so that none can break out of a header or a command.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic.dataclasses import dataclass

from config.fields import (
    Address,
    AddressPattern,
    ClockTime,
    ConfigSecret,
    Count,
    Duration,
    Host,
    Line,
    MailPath,
    NoticeUrl,
    Port,
    Prose,
    Quiet,
    SecureUrl,
    Slug,
    TokenSecret,
    Units,
    WebUrl,
    Zone,
    is_loopback,
)
from config.secrets import SecretRef, refusal
from storage.words import Category, ItemKind, UserName

_STRICT: Final = ConfigDict(extra="forbid", validate_default=True)
Security = Literal["tls", "starttls", "none"]
_SINCE: Final = timedelta(days=3)
_SINCE_TEXT: Final = "How far back the first pass looks, by arrival."
_ID_TEXT: Final = "Name of the mailbox among this user's; part of its id everywhere."


def _no_clear_text(security: Security, host: str) -> None:
    if security == "none" and not is_loopback(host):
        raise refusal(
            f'"none" would send the password to {host} in clear text',
            'write "tls" or "starttls"; "none" is for this machine only',
            "security",
        )


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Smtp:
    """A server that takes mail to be sent."""

    host: Host = Field(description="Name of the server.")
    port: Port = Field(default=587, description="Port of the server.")
    security: Security = Field(
        default="starttls", description='"tls", "starttls", or "none" on this machine only.'
    )
    username: Line | None = Field(
        default=None, description="Who logs in; in a mailbox, its own user unless given."
    )
    password: ConfigSecret | None = Field(default=None, description="Password, by reference.")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        _no_clear_text(self.security, self.host)
        if (self.username is None) != (self.password is None):
            missing = "username" if self.username is None else "password"
            raise refusal(
                f"{missing} is missing", "give both username and password, or neither", missing
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class MaildirMailbox:
    """A Maildir++ on this machine: INBOX at path, .Sent and .Drafts below it."""

    id: Slug = Field(description=_ID_TEXT)
    provider: Literal["maildir"] = Field(description="A Maildir++ folder on this machine.")
    path: MailPath = Field(description="The folder that holds cur, new and tmp.")
    since: Duration = Field(default=_SINCE, description=_SINCE_TEXT)

    @property
    def account(self) -> str:
        """What two mailboxes must not share."""
        return f"maildir {self.path}"


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class ImapFolders:
    """Names of folders at an IMAP server that does not mark them itself."""

    sent: Line | None = Field(default=None, description="Where sent mail lies.")
    drafts: Line | None = Field(default=None, description="Where drafts lie.")
    trash: Line | None = Field(default=None, description="Where deleted mail lies.")


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class ImapMailbox:
    """An account at an IMAP server."""

    id: Slug = Field(description=_ID_TEXT)
    provider: Literal["imap"] = Field(description="An account at an IMAP server.")
    host: Host = Field(description="Name of the server.")
    port: Port = Field(default=993, description="Port of the server; 143 is usual for starttls.")
    security: Security = Field(
        default="tls", description='"tls", "starttls", or "none" on this machine only.'
    )
    username: Line = Field(description="Who logs in.")
    password: ConfigSecret | None = Field(
        default=None, description="Password, by reference; or give a token."
    )
    token: TokenSecret | None = Field(
        default=None,
        description="OAuth token for XOAUTH2, by reference; a file is relative to data_dir.",
    )
    folders: ImapFolders = Field(
        default_factory=ImapFolders,
        description="Folders, where the server itself does not mark them.",
    )
    direct: bool = Field(
        default=False,
        description="True only for a Dovecot or Cyrus that is reached without a proxy between: "
        "a lost call can then be proved never to have happened.",
    )
    smtp: Smtp | None = Field(default=None, description="Server that sends approved mail.")
    since: Duration = Field(default=_SINCE, description=_SINCE_TEXT)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        _no_clear_text(self.security, self.host)
        if self.password is None and self.token is None:
            raise refusal("password is missing", 'add password = { env = "X" }', "password")
        if self.password is not None and self.token is not None:
            raise refusal("is given beside password", "delete one of the two", "token")
        return self

    @property
    def account(self) -> str:
        """What two mailboxes must not share."""
        return f"imap {self.username}@{self.host}"


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class GmailMailbox:
    """An account at Gmail, through its API."""

    id: Slug = Field(description=_ID_TEXT)
    provider: Literal["gmail"] = Field(description="An account at Gmail.")
    client: ConfigSecret = Field(
        description="The OAuth client of the installation, as Google's console gives it."
    )
    token: TokenSecret = Field(
        description="The token that login makes; a file is relative to data_dir."
    )
    api_root: SecureUrl = Field(
        default="https://gmail.googleapis.com", description="Root of the API."
    )
    auth_url: SecureUrl = Field(
        default="https://accounts.google.com/o/oauth2/v2/auth",
        description="Page on which the owner consents.",
    )
    token_url: SecureUrl = Field(
        default="https://oauth2.googleapis.com/token", description="Where tokens are refreshed."
    )
    units_per_minute: Units = Field(
        default=6_000,
        description="Units a minute that Google grants an account of this client (15000 in "
        "projects older than May 2026); nine tenths of them are used.",
    )
    since: Duration = Field(default=_SINCE, description=_SINCE_TEXT)

    @field_validator("token")
    @classmethod
    def _login_can_write_it(cls, value: SecretRef) -> SecretRef:
        if value.file is None and value.keyring is None:
            raise refusal(
                "can't be written by login",
                'write { file = "tokens/NAME.json" } or { keyring = "fencepost/NAME" }',
            )
        return value

    @property
    def account(self) -> str:
        """What two mailboxes must not share."""
        return f"gmail {self.token}"


Mailbox = MaildirMailbox | ImapMailbox | GmailMailbox


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Triage:
    """How a thread is judged and when it gets a draft."""

    engine: Literal["rules", "model"] = Field(
        default="rules", description='"rules" works offline; "model" asks the server of [model].'
    )
    draft: tuple[Category, ...] = Field(
        default=(Category.NEEDS_REPLY,), description="Categories that get a draft."
    )
    never_draft_for: tuple[AddressPattern, ...] = Field(
        default=(), max_length=1_000, description='Senders who get no draft, like "*@example.net".'
    )

    @field_validator("draft")
    @classmethod
    def _nothing_suspicious(cls, value: tuple[Category, ...]) -> tuple[Category, ...]:
        if Category.SUSPICIOUS in value:
            raise refusal("names suspicious, which never gets a draft", 'delete "suspicious"')
        return tuple(dict.fromkeys(value))


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Model:
    """An OpenAI-compatible server, and how much of it may be used."""

    base_url: WebUrl = Field(description="Root of the server's API, as a rule ending in /v1.")
    triage: Line = Field(description="Name of the model that judges.")
    draft: Line = Field(description="Name of the model that writes.")
    api_key: ConfigSecret | None = Field(
        default=None, description="Key of the server, by reference; local servers need none."
    )
    daily_tokens: Count = Field(
        default=500_000, description="Tokens that may be used between two of the owner's midnights."
    )
    thread_tokens: Count = Field(
        default=24_000, description="Tokens of one thread that a model is shown."
    )

    @model_validator(mode="after")
    def _a_thread_fits_into_a_day(self) -> Self:
        if self.thread_tokens > self.daily_tokens:
            raise refusal(
                "is more than daily_tokens, so no thread could be shown",
                f"set thread_tokens to {self.daily_tokens} or less",
                "thread_tokens",
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Notify:
    """Whom to tell, of what, and when not."""

    urls: tuple[NoticeUrl, ...] = Field(
        default=(), max_length=50, description="Where notices go: https://, ntfy://, mailto:."
    )
    kinds: tuple[ItemKind, ...] = Field(
        default=(ItemKind.DRAFT_READY, ItemKind.OUTCOME_UNKNOWN),
        description="Review items of which a notice is sent.",
    )
    quiet_hours: Quiet | None = Field(
        default=None, description="Span of the owner's day in which nothing is sent."
    )
    digest: ClockTime | None = Field(
        default=None, description="One notice a day, at this time of the owner's day."
    )
    webhook_secret: ConfigSecret | None = Field(
        default=None, description="Key of the HMAC over the body of a webhook, by reference."
    )
    include_text: bool = Field(
        default=False, description="Whether notices may hold text of the mail."
    )
    smtp: Smtp | None = Field(default=None, description="Server that sends notices by mail.")
    apprise: tuple[ConfigSecret, ...] = Field(
        default=(),
        max_length=50,
        description="Addresses of other services as apprise writes them, each by reference.",
    )

    @field_validator("urls")
    @classmethod
    def _each_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value))

    @model_validator(mode="after")
    def _mail_has_a_server(self) -> Self:
        if self.smtp is None and any(urlsplit(url).scheme == "mailto" for url in self.urls):
            raise refusal(
                "smtp is missing, and mailto: needs a server that sends",
                'add smtp = { host = "smtp.example.com", port = 587, security = "starttls" }',
                "smtp",
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class UserFile:
    """All of ``users/NAME.toml``."""

    name: Line = Field(description="The owner's name, as it stands in From.")
    addresses: tuple[Address, ...] = Field(
        min_length=1, max_length=100, description="The owner's own addresses, the main one first."
    )
    timezone: Zone = Field(
        default=ZoneInfo("UTC"), description='The owner\'s timezone, like "Europe/Paris".'
    )
    signature: Prose = Field(default="", description="Text below a draft.")
    instructions: Prose = Field(
        default="", description="What the owner wants of drafts, in their own words."
    )
    triage: Triage = Field(default_factory=Triage, description="How threads are judged.")
    model: Model | None = Field(default=None, description="The model, where one is used.")
    mailboxes: tuple[Annotated[Mailbox, Field(discriminator="provider")], ...] = Field(
        min_length=1, max_length=100, description="The mailboxes that are watched."
    )
    notify: Notify = Field(default_factory=Notify, description="Whom to tell, and when.")

    @field_validator("addresses")
    @classmethod
    def _each_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        first: dict[str, str] = {}
        for address in value:
            first.setdefault(address.casefold(), address)
        return tuple(first.values())

    @field_validator("mailboxes")
    @classmethod
    def _ids_differ(cls, value: tuple[Mailbox, ...]) -> tuple[Mailbox, ...]:
        seen: set[str] = set()
        for index, mailbox in enumerate(value):
            if mailbox.id in seen:
                raise refusal(
                    f'"{mailbox.id}" names an earlier mailbox already',
                    "give each mailbox an id of its own",
                    index,
                    "id",
                )
            seen.add(mailbox.id)
        return value

    @model_validator(mode="after")
    def _engine_has_a_model(self) -> Self:
        if self.triage.engine == "model" and self.model is None:
            raise refusal(
                'is "model", and there is no [model]',
                'add [model] with base_url, triage and draft, or write engine = "rules"',
                "triage",
                "engine",
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class UserConfig(UserFile):
    """One user as they are in force: their file, their name in the system and the file's hash."""

    user: UserName = Field(description="The NAME of the file.")
    hash: str = Field(description="sha256 of the bytes of the file, in hex.")
