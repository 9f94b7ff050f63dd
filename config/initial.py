"""The first configuration files, from a person's answers.

Rendering is pure. What is rendered is read back through the very models that will read it later,
before anything is written, so ``fencepost init`` can't make a file that ``fencepost run`` refuses.
A file that is there already is never touched. A crash leaves whole files or none.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Final

from config.atomic import write_new
from config.faults import ConfigError, Fault
from config.fields import SLUG_REMEDY, Places, is_slug
from config.files import Document
from config.load import DAEMON_FILE, USERS_FOLDER, user_of
from storage.words import UserName

DAEMON_TEXT: Final = """\
# Fencepost, this installation. Every line is optional; what is shown are the defaults.
# `fencepost schema` describes every setting, `fencepost check` tries them.

[storage]
# url = "sqlite"                # a file in data_dir; or "postgresql://user@host/database"
# data_dir = "~/.local/share/fencepost"

[runtime]
# concurrency = 8               # threads in work at once
# lease_ttl = "60s"             # at least three times call_timeout
# call_timeout = "20s"
# smtp_timeout = "10m"
# settle = "5s"                 # a thread is worked on after it has been quiet for so long
# poll = "30s"

[reconcile]
# looks = ["5s", "1m", "2m", "10m", "1h", "6h", "1d"]
# lag = "10m"

[secrets]
# installation = { file = "installation.key" }   # made at first start; keep a backup

[web]
# host = "127.0.0.1"
# port = 8025
"""
"""``fencepost.toml`` as ``init`` writes it: the defaults, for reading, commented out."""
CLIENT_FILE: Final = "client.json"
"""Where the OAuth client of the installation lies, beside ``fencepost.toml``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maildir:
    """A Maildir++ folder, as the person wrote its path."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imap:
    """An account at an IMAP server; its password goes into a file beside the configuration."""

    host: str
    username: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gmail:
    """An account at Gmail; the OAuth client lies in ``client.json`` beside the configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What ``fencepost init`` has asked. ``user`` becomes the name of the file."""

    user: str
    name: str
    addresses: tuple[str, ...]
    timezone: str
    signature: str
    mailbox: Maildir | Imap | Gmail


SAMPLE: Final = Answers(
    user="owner",
    name="Robin Vale",
    addresses=("robin@example.com",),
    timezone="UTC",
    signature="Robin",
    mailbox=Maildir(path="~/Mail"),
)
"""Answers in which nothing is wrong, to check a single other one among them."""


def user_name(name: str) -> str:
    """A name for a user's file, from the name of a person: ``Robin Vale`` is ``robin``.

    Falls back to ``owner`` where nothing of the name can be written in a to z.
    """
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9_-]+", ascii_name)
    return words[0][:64] if words else "owner"


def mailbox_id(answers: Answers) -> str:
    """The id of the one mailbox that ``render_user`` writes."""
    match answers.mailbox:
        case Maildir():
            return "local"
        case Imap():
            return "home"
        case Gmail():
            return "gmail"


def render_user(answers: Answers) -> str:
    """The text of ``users/NAME.toml``."""
    addresses = ", ".join(_quoted(address) for address in answers.addresses)
    return f"""\
# Fencepost, one user. `fencepost schema` describes every setting.

name = {_quoted(answers.name)}
addresses = [{addresses}]   # your own; plus-addresses of these count too
timezone = {_quoted(answers.timezone)}
signature = {_quoted(answers.signature)}
# instructions = "Decline sales calls kindly. Short answers."

[triage]
engine = "rules"                # offline; "model" asks the server of [model]
draft = ["needs_reply"]
# never_draft_for = ["*@example.net"]

# [model]
# base_url = "http://127.0.0.1:8080/v1"
# triage = "small-model"
# draft = "large-model"
# api_key = {{ env = "OPENAI_API_KEY" }}

[[mailboxes]]
id = {_quoted(mailbox_id(answers))}
{_mailbox(answers)}
since = "3d"                    # how far back the first pass looks

# [notify]
# urls = ["ntfy://ntfy.example.com/topic"]
# quiet_hours = "22:00-07:00"
"""


def _mailbox(answers: Answers) -> str:
    match answers.mailbox:
        case Maildir(path=path):
            return (
                'provider = "maildir"            # INBOX at path, .Sent, .Drafts\n'
                f"path = {_quoted(path)}"
            )
        case Imap(host=host, username=username):
            return (
                'provider = "imap"\n'
                f"host = {_quoted(host)}\n"
                f"username = {_quoted(username)}\n"
                f"password = {{ file = {_quoted(imap_secret(answers))} }}   # the password alone"
            )
        case Gmail():
            return (
                'provider = "gmail"\n'
                f"client = {{ file = {_quoted(CLIENT_FILE)} }}   # from Google's console\n"
                f"token = {{ file = {_quoted(f'tokens/{answers.user}-gmail.json')} }}   # by login"
            )


def imap_secret(answers: Answers) -> str:
    """The file beside the configuration that is to hold the password of an IMAP account."""
    return f"{answers.user}-home.secret"


def _quoted(text: str) -> str:
    """*text* as a TOML basic string, which is JSON's but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def check(config_dir: Path, answers: Answers) -> str:
    """The text of the user's file, after reading it back. Writes nothing.

    Raises ConfigError where an answer can't be used.
    """
    config_dir = config_dir.absolute()
    path = config_dir / USERS_FOLDER / f"{answers.user}.toml"
    if not is_slug(answers.user):
        fault = Fault(
            file=path, line=None, key="user", message="can't be a user's name", remedy=SLUG_REMEDY
        )
        raise ConfigError([fault])
    text = render_user(answers)
    digest = sha256(text.encode()).hexdigest()
    document = Document(path=path, text=text, table=tomllib.loads(text), hash=digest)
    user_of(UserName(answers.user), document, Places(config_dir=config_dir, data_dir=config_dir))
    return text


def problem_with(config_dir: Path, parts: Mapping[str, object]) -> str | None:
    """What is wrong with some answers and what to do about it; None where they can be used.

    *parts* are fields of Answers by name; the others are taken from SAMPLE.
    """
    whole = {field.name: getattr(SAMPLE, field.name) for field in fields(SAMPLE)}
    try:
        check(config_dir, Answers(**{**whole, **parts}))
    except ConfigError as error:
        return "; ".join(f"{fault.key}: {fault.message}; {fault.remedy}" for fault in error.faults)
    return None


def user_file(config_dir: Path, user: str) -> Path:
    """The file of a user."""
    return config_dir / USERS_FOLDER / f"{user}.toml"


def write(config_dir: Path, answers: Answers) -> tuple[Path, ...]:
    """Check and write what *answers* say; the files that were made. Blocks.

    An existing ``fencepost.toml`` stays. Raises ConfigError, with nothing written, where an answer
    can't be used or the user's file exists, and where a file can't be written.
    """
    text = check(config_dir, answers)
    path = config_dir / USERS_FOLDER / f"{answers.user}.toml"
    made: list[Path] = []
    for target, content in ((path, text), (config_dir / DAEMON_FILE, DAEMON_TEXT)):
        try:
            write_new(target, content.encode(), mode=0o600)
            made.append(target)
        except FileExistsError:
            if target == path:
                remedy = "edit it, or choose another name with --user"
                raise ConfigError([_fault(path, "is there already", remedy)]) from None
        except OSError as error:
            message = f"can't be written ({error.strerror})"
            remedy = "choose a folder you may write to with --config"
            raise ConfigError([_fault(target, message, remedy)]) from error
    return tuple(made)


def _fault(path: Path, message: str, remedy: str) -> Fault:
    return Fault(file=path, line=None, key="", message=message, remedy=remedy)
