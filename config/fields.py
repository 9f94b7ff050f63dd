"""The fields that configuration files share: how each is written, checked and turned into a value.

Pydantic calls these; nobody outside this package needs to. A refusal carries a message and a
remedy, and never the text of something that may be a secret.

Invariants: no value that leaves here holds CR, LF or NUL where it may reach a mail header, a
command of a mail protocol or a file name; a path is absolute once a file was loaded.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import time, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    WithJsonSchema,
)
from typing_extensions import override

from config.durations import PATTERN, REMEDY, parse_duration
from config.secrets import SecretRef, refusal

_LABEL: Final = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_ADDRESS: Final = re.compile(
    rf"[^\s@<>()\[\],;:\\\"]{{1,64}}@{_LABEL}(?:\.{_LABEL})*",
)
_SLUG: Final = re.compile(r"[a-z0-9_-]{1,64}")
_CLOCK: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
SLUG_REMEDY: Final = "use 1 to 64 of a-z, 0-9, _ and -"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders that relative paths of a file start from; the validation context."""

    config_dir: Path
    data_dir: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """A span of the owner's day, by their wall clock; it may run over midnight."""

    start: time
    end: time

    @override
    def __str__(self) -> str:
        return f"{self.start:%H:%M}-{self.end:%H:%M}"


def is_slug(text: str) -> bool:
    """Whether *text* may name a user or a mailbox."""
    return _SLUG.fullmatch(text) is not None


def is_loopback(host: str) -> bool:
    """Whether *host*, a name or an address, is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _not_bool(value: object) -> object:
    if isinstance(value, bool):
        raise refusal("is true or false, where a number belongs", "write a whole number")
    return value


def _duration(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    if not isinstance(value, str):
        raise refusal("is no duration, which has a unit and stands in quotes", REMEDY)
    try:
        return parse_duration(value)
    except ValueError as error:
        raise refusal(str(error).partition(": ")[0], REMEDY) from error


def _positive(value: timedelta) -> timedelta:
    if value <= timedelta(0):
        raise refusal("must be longer than zero", REMEDY)
    return value


def _line(value: str) -> str:
    text = value.strip(" ")
    if not text:
        raise refusal("is empty", "write a value, or delete the line")
    if not text.isprintable():
        raise refusal(
            "holds a line break or a control character", "write it on one line, as plain text"
        )
    return text


def _prose(value: str) -> str:
    if any(not (character.isprintable() or character in "\n\t") for character in value):
        raise refusal("holds a control character", "write plain text; line breaks are welcome")
    return value.strip()


def _slug(value: str) -> str:
    if not is_slug(value):
        raise refusal(f"{value[:80]!r} can't be an id", SLUG_REMEDY)
    return value


def _host(value: str) -> str:
    text = _line(value)
    name = text.removeprefix("[").removesuffix("]")
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        pass
    if re.fullmatch(rf"{_LABEL}(?:\.{_LABEL})*\.?", text) is None:
        raise refusal(
            f"{text[:80]!r} is no host name", 'write the bare name, like "mail.example.com"'
        )
    return text.lower().removesuffix(".")


def _address(value: str) -> str:
    text = value.strip(" ")
    if len(text) > 254 or not text.isprintable() or _ADDRESS.fullmatch(text) is None:
        raise refusal(
            f"{value[:80]!r} is no e-mail address",
            'write the bare address, like "robin@example.com", without a name or brackets',
        )
    return text


def _address_pattern(value: str) -> str:
    text = _line(value)
    if any(character in ' <>(),;:"\\' for character in text):
        raise refusal(
            f"{text[:80]!r} can't match an address", 'write a pattern like "*@example.net"'
        )
    if "@" not in text and "*" not in text:
        raise refusal(
            f"{text[:80]!r} matches no address, for it has no @",
            f'write "*@{text[:80]}" for everybody there',
        )
    return text.lower()


def _zone(value: object) -> ZoneInfo:
    if isinstance(value, ZoneInfo):
        return value
    if not isinstance(value, str):
        raise refusal("is no timezone", 'write a name like "Europe/Paris" in quotes')
    try:
        return ZoneInfo(value)
    except (ValueError, LookupError, OSError):
        near = get_close_matches(value[:80], available_timezones(), n=1)
        remedy = f"did you mean {near[0]!r}?" if near else 'write a name like "Europe/Paris"'
        raise refusal(f"{value[:80]!r} is no timezone", remedy) from None


def _clock(value: object) -> time:
    if isinstance(value, time) and value.tzinfo is None:
        return value
    match = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise refusal("is no time of day", 'write hours and minutes, like "08:00"')
    return time(int(match[1]), int(match[2]))


def _quiet_hours(value: object) -> QuietHours:
    if isinstance(value, QuietHours):
        return value
    remedy = 'write start and end, like "22:00-07:00"'
    ends = value.split("-") if isinstance(value, str) else []
    matches = [match for end in ends if (match := _CLOCK.fullmatch(end.strip())) is not None]
    if len(ends) != 2 or len(matches) != 2:
        raise refusal("is no span of the day", remedy)
    start, end = (time(int(match[1]), int(match[2])) for match in matches)
    if start == end:
        raise refusal("starts and ends at the same minute", remedy)
    return QuietHours(start=start, end=end)


def split_url(value: str) -> SplitResult:
    """Take an absolute URL apart; raises a refusal where it is none or holds a password."""
    remedy = 'write a whole address, like "https://hooks.example.com/x"'
    if not value.isprintable() or " " in value:
        raise refusal("holds a space or a control character", remedy)
    try:
        url = urlsplit(value)
        _ = url.port
    except ValueError:
        raise refusal("is no URL", remedy) from None
    if not url.scheme:
        raise refusal("has no scheme", remedy)
    if url.password is not None:
        raise refusal(
            "holds a password, and a configuration file holds none",
            'take it out and give it by reference, like { env = "X" }',
        )
    return url


def _https(value: str) -> str:
    url = split_url(value)
    if not url.hostname or url.scheme not in {"https", "http"}:
        raise refusal("is no web address", 'start it with "https://" and a host')
    if url.scheme == "http" and not is_loopback(url.hostname):
        raise refusal(
            "would cross the network in clear text",
            "write https; http is for this machine only",
        )
    return value.rstrip("/")


def _web(value: str) -> str:
    url = split_url(value)
    if not url.hostname or url.scheme not in {"https", "http"}:
        raise refusal("is no web address", 'start it with "https://" or "http://" and a host')
    return value.rstrip("/")


def _notice_url(value: str) -> str:
    url = split_url(value)
    remedy = (
        'write "https://host/path", "ntfy://host/topic" or "mailto:robin@example.com"; '
        'other services go into apprise = [{ env = "X" }]'
    )
    if url.scheme == "mailto":
        if url.query or url.netloc or _ADDRESS.fullmatch(url.path) is None:
            raise refusal("is no mail address", 'write "mailto:robin@example.com"')
    elif url.scheme in {"https", "http", "ntfy"}:
        if not url.hostname:
            raise refusal("names no host", remedy)
        if url.scheme == "http" and not is_loopback(url.hostname):
            raise refusal(
                "would cross the network in clear text",
                "write https; http is for this machine only",
            )
        if url.scheme == "ntfy" and not re.fullmatch(r"/[\w-]{1,64}", url.path):
            raise refusal("names no topic", 'write "ntfy://host/topic"')
    else:
        raise refusal(f"has the unknown scheme {url.scheme[:40]!r}", remedy)
    return value


def _path(value: object) -> Path:
    if not isinstance(value, str | Path):
        raise refusal("is no path", 'write it in quotes, like "~/Mail"')
    text = str(value)
    if not text.strip() or "\0" in text or "\n" in text:
        raise refusal("is no path", 'write it in quotes, like "~/Mail"')
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise refusal(
            "starts with ~, and no home folder is known", "write the whole path"
        ) from None


def _beside_config(value: Path, info: ValidationInfo) -> Path:
    places = info.context
    return places.config_dir / value if isinstance(places, Places) else value


def _real(value: Path, info: ValidationInfo) -> Path:
    """Links resolved, so that two spellings of one mailbox are seen to be one."""
    return Path(os.path.realpath(_beside_config(value, info)))


def _no_plain_secret(value: object) -> object:
    if isinstance(value, str):
        raise refusal(
            "is a plain text, and a configuration file holds no secret",
            'write a reference, like { env = "X" } or { file = "x.secret" }',
        )
    if isinstance(value, dict) and len(value) != 1:
        raise refusal(
            "must have exactly one of env, file, keyring, command and credential",
            'write one of them, like { env = "X" }',
        )
    return value


def _rebased(base: Callable[[Places], Path]) -> Callable[[SecretRef, ValidationInfo], SecretRef]:
    def rebase(ref: SecretRef, info: ValidationInfo) -> SecretRef:
        if ref.file is None or not isinstance(info.context, Places):
            return ref
        return replace(ref, file=base(info.context) / ref.file)

    return rebase


def _text_schema(pattern: str, *examples: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": list(examples)})


_DURATION_SCHEMA: Final = _text_schema(PATTERN, "60s", "5m", "1h30m", "3d")
_ADDRESS_SCHEMA: Final = WithJsonSchema({"type": "string", "format": "email"})
_PATH_SCHEMA: Final = WithJsonSchema({"type": "string"})
_URL_SCHEMA: Final = WithJsonSchema({"type": "string", "format": "uri"})

Count = Annotated[int, Field(ge=1), BeforeValidator(_not_bool)]
Units = Annotated[int, Field(ge=600, le=10_000_000), BeforeValidator(_not_bool)]
Port = Annotated[int, Field(ge=1, le=65_535), BeforeValidator(_not_bool)]
Duration = Annotated[timedelta, BeforeValidator(_duration), _DURATION_SCHEMA]
PositiveDuration = Annotated[
    timedelta, AfterValidator(_positive), BeforeValidator(_duration), _DURATION_SCHEMA
]
Line = Annotated[str, AfterValidator(_line), Field(min_length=1, max_length=1_000)]
Prose = Annotated[str, AfterValidator(_prose), Field(max_length=20_000)]
Slug = Annotated[str, AfterValidator(_slug), _text_schema("^[a-z0-9_-]{1,64}$", "work")]
Host = Annotated[str, AfterValidator(_host)]
Address = Annotated[str, AfterValidator(_address), _ADDRESS_SCHEMA]
AddressPattern = Annotated[
    str, AfterValidator(_address_pattern), WithJsonSchema({"type": "string"})
]
Zone = Annotated[
    ZoneInfo,
    BeforeValidator(_zone),
    WithJsonSchema({"type": "string", "examples": ["Europe/Paris"]}),
]
ClockTime = Annotated[
    time,
    BeforeValidator(_clock),
    _text_schema("^([01][0-9]|2[0-3]):[0-5][0-9]$", "08:00"),
]
Quiet = Annotated[
    QuietHours,
    BeforeValidator(_quiet_hours),
    _text_schema("^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$", "22:00-07:00"),
]
SecureUrl = Annotated[str, AfterValidator(_https), _URL_SCHEMA]
WebUrl = Annotated[str, AfterValidator(_web), _URL_SCHEMA]
NoticeUrl = Annotated[str, Field(max_length=2_000), AfterValidator(_notice_url), _URL_SCHEMA]
ConfigPath = Annotated[Path, AfterValidator(_beside_config), BeforeValidator(_path), _PATH_SCHEMA]
MailPath = Annotated[Path, AfterValidator(_real), BeforeValidator(_path), _PATH_SCHEMA]
_SECRET: Final = Field(json_schema_extra={"writeOnly": True})
ConfigSecret = Annotated[
    SecretRef,
    AfterValidator(_rebased(lambda places: places.config_dir)),
    BeforeValidator(_no_plain_secret),
    _SECRET,
]
TokenSecret = Annotated[
    SecretRef,
    AfterValidator(_rebased(lambda places: places.data_dir)),
    BeforeValidator(_no_plain_secret),
    _SECRET,
]
