"""``fencepost.toml``: one installation's store, pace, reconciliation, secrets and web page.

The file is optional and so is each line of it. The environment overrides it:
``FENCEPOST_RUNTIME__POLL=10s`` is ``[runtime] poll``. The values are frozen dataclasses that
pydantic checks as they are made, so that others take them without knowing of pydantic.

Invariant: a call fits into a lease. A lease is renewed at a quarter of its time and given up at
two thirds; between the two, less a twelfth as margin, lies one third, and a
call may take no longer.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final, Self
from urllib.parse import parse_qs, urlsplit

from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic.dataclasses import dataclass

from config.durations import format_duration
from config.fields import (
    ConfigPath,
    ConfigSecret,
    Count,
    Duration,
    Host,
    Port,
    PositiveDuration,
    split_url,
)
from config.secrets import SecretRef, refusal

CALLS_IN_A_LEASE: Final = 3
"""A lease lasts at least this many calls: renewal, call and a margin of a twelfth end in time."""

_STRICT: Final = ConfigDict(extra="forbid", validate_default=True)
_LOOKS: Final = tuple(timedelta(seconds=s) for s in (5, 60, 120, 600, 3_600, 21_600, 86_400))


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Storage:
    """Where the durable record lies."""

    url: str = Field(
        default="sqlite",
        description='"sqlite" for a file in data_dir, or "postgresql://user@host/database".',
    )
    data_dir: ConfigPath = Field(
        default=Path("~/.local/share/fencepost"),
        description="Folder for the database, the lock, the socket and tokens.",
    )
    password: ConfigSecret | None = Field(
        default=None, description="Password of the PostgreSQL user, by reference."
    )

    @field_validator("url")
    @classmethod
    def _known_store(cls, value: str) -> str:
        if value == "sqlite":
            return value
        remedy = 'write "sqlite" or "postgresql://user@host/database"'
        if value.startswith("sqlite:"):
            raise refusal("names a file", 'write "sqlite", and name the folder in data_dir')
        url = split_url(value)
        if url.scheme != "postgresql":
            raise refusal(f"names the unknown store {url.scheme[:40]!r}", remedy)
        if not url.path.strip("/"):
            raise refusal("names no database", remedy)
        if "password" in parse_qs(url.query):
            raise refusal(
                "holds a password, and a configuration file holds none",
                'take it out and write password = { env = "X" } below it',
            )
        return value

    @model_validator(mode="after")
    def _password_has_a_use(self) -> Self:
        if self.password is not None and urlsplit(self.url).scheme != "postgresql":
            raise refusal(
                "has no use, for an embedded file has no password",
                "delete it, or write a postgresql:// url",
                "password",
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Runtime:
    """How much is done at once, and how long things may take."""

    concurrency: Count = Field(
        default=8, le=1_000, description="Threads in work at once in this process."
    )
    lease_ttl: PositiveDuration = Field(
        default=timedelta(seconds=60),
        description="Life of a lease; renewed at a quarter, given up at two thirds.",
    )
    call_timeout: PositiveDuration = Field(
        default=timedelta(seconds=20),
        description="Time that one call may take; at most a third of lease_ttl.",
    )
    smtp_timeout: PositiveDuration = Field(
        default=timedelta(minutes=10),
        description="Time that handing over one mail by SMTP may take, on a lease of that length.",
    )
    settle: Duration = Field(
        default=timedelta(seconds=5),
        description="How long a thread must be quiet before it is worked on.",
    )
    poll: PositiveDuration = Field(
        default=timedelta(seconds=30),
        description="How often a mailbox is looked at when nothing announces a change.",
    )

    @model_validator(mode="after")
    def _a_call_fits_into_a_lease(self) -> Self:
        if self.call_timeout * CALLS_IN_A_LEASE > self.lease_ttl:
            most = format_duration(self.lease_ttl / CALLS_IN_A_LEASE)
            least = format_duration(self.call_timeout * CALLS_IN_A_LEASE)
            raise refusal(
                f"{format_duration(self.call_timeout)} does not fit into a lease of "
                f"{format_duration(self.lease_ttl)}, which is renewed at a quarter and given up "
                "at two thirds of its time",
                f'set call_timeout to "{most}" or less, or lease_ttl to "{least}" or more',
                "call_timeout",
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Reconcile:
    """When the mailbox is searched for what an unknown call may have left."""

    looks: tuple[PositiveDuration, ...] = Field(
        default=_LOOKS,
        min_length=1,
        max_length=50,
        description="Times after the end of a call at which the mailbox is searched, rising.",
    )
    lag: Duration = Field(
        default=timedelta(minutes=10),
        description="How long a listing may miss what was stored.",
    )

    @field_validator("looks")
    @classmethod
    def _rising(cls, value: tuple[timedelta, ...]) -> tuple[timedelta, ...]:
        if any(later <= earlier for earlier, later in pairwise(value)):
            raise refusal("are not in order", "write the looks from the soonest to the latest")
        return value


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Secrets:
    """Secrets of the installation itself."""

    installation: ConfigSecret = Field(
        default=SecretRef(file=Path("installation.key")),
        description="Key from which the keys for marks and stored tokens derive; made at first "
        "start, the same on every host of a fleet.",
    )


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Web:
    """Where the review page is served."""

    host: Host = Field(default="127.0.0.1", description="Address to listen at.")
    port: Port = Field(default=8025, description="Port to listen at.")


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class DaemonConfig:
    """All of ``fencepost.toml``."""

    storage: Storage = Field(default_factory=Storage, description="Where the record lies.")
    runtime: Runtime = Field(default_factory=Runtime, description="Pace and limits.")
    reconcile: Reconcile = Field(
        default_factory=Reconcile, description="Searches for what an unknown call left."
    )
    secrets: Secrets = Field(
        default_factory=Secrets, description="Secrets of the installation, by reference."
    )
    web: Web = Field(default_factory=Web, description="The review page.")
