"""Secrets: by reference in files, as values that don't show themselves in memory.

A configuration file is copied, shown and committed; so it names where a secret lies and never
holds one. A reference is resolved when the secret is needed, each time anew, so that a changed
secret is picked up and a missing one stops only what needs it.

A ``Secret`` never appears in repr, str, format, pickles or logs; only ``reveal`` hands it out.
Errors name the reference and the remedy, never the secret, and of a command its exit status, never
its output. Everything here blocks (files, processes, a keyring that may ask a person): call it on a
thread. A crash here leaves nothing behind.
"""

from __future__ import annotations

import hmac
import logging
import os
import re
import shlex
import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, NoReturn, Self, final

from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticCustomError
from typing_extensions import override

from config.atomic import write_new
from config.command import CommandError, output_of

_LOG: Final = logging.getLogger(__name__)
_LIMIT: Final = 1 << 20
COMMAND_TIMEOUT_S: Final = 30.0


class SecretError(Exception):
    """A secret could not be had; ``problem`` says why and ``remedy`` what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}; {remedy}")
        self.problem = problem
        self.remedy = remedy


@final
class Secret:
    """A text that must not be seen: every way of printing it prints stars."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The secret itself, for the one call that needs it."""
        return self._text

    @override
    def __repr__(self) -> str:
        return "Secret(***)"

    @override
    def __str__(self) -> str:
        return "***"

    @override
    def __format__(self, spec: str) -> str:
        return "***"

    @override
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._text.encode(), other._text.encode())

    @override
    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a secret is never copied or written out; resolve the reference again")


def _check_env(name: str) -> str:
    fine = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)
    return "" if fine else 'write the name of an environment variable, like "IMAP_PASSWORD"'


def _check_file(name: str) -> str:
    fine = name.strip() and name != "." and "\0" not in name and "\n" not in name
    return "" if fine else 'write the path of a file, like "imap.secret"'


def _check_keyring(name: str) -> str:
    service, slash, user = name.rpartition("/")
    fine = service and slash and user and name.isprintable()
    return "" if fine else 'write "service/name", as the keyring knows it'


def _check_command(line: str) -> str:
    try:
        fine = shlex.split(line) and "\0" not in line
    except ValueError:
        fine = False
    return "" if fine else 'write a whole command with its quotes closed, like "pass show mail"'


def _check_credential(name: str) -> str:
    fine = re.fullmatch(r"[A-Za-z0-9_.@:-]+", name) and name not in {".", ".."}
    return "" if fine else "write the name that LoadCredential= gives it, without a folder"


_CHECKS: Final[Mapping[str, Callable[[str], str]]] = {
    "env": _check_env,
    "file": _check_file,
    "keyring": _check_keyring,
    "command": _check_command,
    "credential": _check_credential,
}
"""For each kind of reference: what to do about one that is written wrongly, or nothing."""


def _expand(value: object) -> object:
    if not isinstance(value, str | Path):
        return value
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise refusal(
            "starts with ~, and no home folder is known", "write the whole path"
        ) from None


def refusal(message: str, remedy: str, *key: str | int) -> PydanticCustomError:
    """An error for a validator to raise; *key* leads on from what is being checked."""
    context = {"message": message, "remedy": remedy, "key": list(key)}
    return PydanticCustomError("refused", "{message}", context)


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
    config=ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1, "maxProperties": 1}),
)
class SecretRef:
    """Where a secret lies: exactly one of these."""

    env: str | None = Field(default=None, description="Name of an environment variable.")
    file: Annotated[Path, BeforeValidator(_expand)] | None = Field(
        default=None, description="Path of a file that holds the secret and nothing else."
    )
    keyring: str | None = Field(
        default=None, description='Entry of the system keyring, "service/name".'
    )
    command: str | None = Field(
        default=None, description="Command whose first output is the secret; run without a shell."
    )
    credential: str | None = Field(
        default=None, description="Name of a systemd credential (LoadCredential=)."
    )

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [part for part in _CHECKS if getattr(self, part) is not None]
        if len(given) != 1:
            raise refusal(
                "must have exactly one of env, file, keyring, command and credential",
                'write one of them, like { env = "X" }',
            )
        if remedy := _CHECKS[given[0]](str(getattr(self, given[0]))):
            raise refusal("is not usable as written", remedy, given[0])
        return self

    @override
    def __str__(self) -> str:
        return next(
            f'{{ {part} = "{value}" }}'
            for part in _CHECKS
            if (value := getattr(self, part)) is not None
        )


def resolve(ref: SecretRef) -> Secret:
    """Fetch the secret that *ref* names. Blocks, for up to 30 s in the case of a command.

    One line break at the end is not part of a secret. Raises SecretError where the secret is
    missing, empty, unreadable, no text or larger than 1 MiB.
    """
    text = _fetch(ref)
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise SecretError(f"the secret {ref} is empty", "put the secret there")
    return Secret(text)


def exposure(ref: SecretRef) -> str | None:
    """What is wrong with the permissions of a secret's file, with the remedy; None if nothing."""
    if ref.file is None:
        return None
    try:
        mode = ref.file.stat().st_mode
    except OSError:
        return None
    if mode & (stat.S_IRGRP | stat.S_IROTH):
        return f"other users of this machine may read {ref.file}; run: chmod 600 '{ref.file}'"
    return None


def _fetch(ref: SecretRef) -> str:
    if ref.env is not None:
        return _from_env(ref.env)
    if ref.file is not None:
        return _from_file(ref)
    if ref.keyring is not None:
        return _from_keyring(ref.keyring)
    if ref.command is not None:
        return _from_command(ref.command)
    return _from_credential(ref.credential or "")


def _text(raw: bytes, what: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise SecretError(f"{what} is not UTF-8 text", "store the secret as text") from None


def _from_env(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise SecretError(
            f"the environment variable {name} is not set",
            f"set {name} where Fencepost is started, or refer to the secret in another way",
        )
    return _text(os.fsencode(value), f"the environment variable {name}")


def _from_file(ref: SecretRef) -> str:
    path = ref.file or Path()
    raw, mode = _read(path)
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise SecretError(
            f"other users of this machine may change the secret file {path}",
            f"check what it holds, then run: chmod 600 '{path}'",
        )
    if (warning := exposure(ref)) is not None:
        _LOG.warning(warning)
    return _text(raw, f"the secret file {path}")


def _read(path: Path) -> tuple[bytes, int]:
    remedy = f"put the secret into {path} (chmod 600)"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                raise SecretError(f"the secret file {path} is no regular file", remedy)
            raw = file.read(_LIMIT + 1)
    except FileNotFoundError:
        raise SecretError(f"the secret file {path} does not exist", remedy) from None
    except OSError as error:
        raise SecretError(
            f"the secret file {path} can't be read ({error.strerror})",
            "let the user that runs Fencepost own it (chown, chmod 600)",
        ) from error
    if len(raw) > _LIMIT:
        raise SecretError(f"the secret file {path} is larger than 1 MiB", remedy)
    return raw, mode


def _from_keyring(entry: str) -> str:
    service, _, user = entry.rpartition("/")
    elsewhere = "refer to the secret in another way, like { file = ... }"
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise SecretError(
            "the package keyring is not installed",
            f'run: pip install "fencepost[keyring]"; or {elsewhere}',
        ) from None
    try:
        value = keyring.get_password(service, user)
    except KeyringError as error:
        raise SecretError(
            f"the system keyring can't be read ({type(error).__name__})",
            f"unlock it, or {elsewhere}",
        ) from error
    if value is None:
        raise SecretError(
            f"the system keyring has no entry {entry}",
            f"run: keyring set {shlex.quote(service)} {shlex.quote(user)}",
        )
    return str(value)


def _from_credential(name: str) -> str:
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    remedy = f"add LoadCredential={name}:/path/of/the/secret to the systemd unit"
    if not folder:
        raise SecretError(
            f"there are no systemd credentials here, so {name} can't be read",
            f"{remedy}, or refer to the secret in another way",
        )
    path = Path(folder) / name
    if not path.exists():
        raise SecretError(f"there is no systemd credential {name}", remedy)
    raw, _ = _read(path)
    return _text(raw, f"the systemd credential {name}")


def _from_command(line: str) -> str:
    words = shlex.split(line)
    try:
        raw = output_of(words, COMMAND_TIMEOUT_S)
    except CommandError as error:
        raise SecretError(f"the command {words[0]} {error}", f"try it by hand: {line}") from error
    return _text(raw, f"what the command {words[0]} prints")


def load_installation_key(ref: SecretRef, config_dir: Path) -> bytes | None:
    """The 32 bytes of the installation's key; None if its file does not exist yet. Blocks.

    It is kept as 64 hex digits, so that every kind of reference can hold it. Raises SecretError.
    """
    ref = _absolute(ref, config_dir)
    if ref.file is not None and not os.path.lexists(ref.file):
        return None
    text = resolve(ref).reveal().strip()
    if re.fullmatch(r"[0-9A-Fa-f]{64}", text) is None:
        raise SecretError(
            f"the installation key {ref} is not 64 hex digits",
            "restore it from a backup; for a new installation make it with: openssl rand -hex 32",
        )
    return bytes.fromhex(text)


def load_or_make_installation_key(ref: SecretRef, config_dir: Path) -> bytes:
    """The 32 bytes of the installation's key, made at first start where *ref* is a file. Blocks.

    The file appears whole and readable by its owner only, or not at all; of two processes that
    start at once, both get the key of the first. Only for an installation whose database is empty:
    a new key does not know the marks of the old one. Raises SecretError.
    """
    ref = _absolute(ref, config_dir)
    key = load_installation_key(ref, config_dir)
    if key is None and ref.file is not None:
        try:
            write_new(ref.file, f"{os.urandom(32).hex()}\n".encode(), mode=0o600)
        except FileExistsError:
            pass
        except OSError as error:
            raise SecretError(
                f"the installation key {ref.file} can't be made ({error.strerror})",
                f"make it with: (umask 077; openssl rand -hex 32 > '{ref.file}')",
            ) from error
        key = load_installation_key(ref, config_dir)
    if key is None:
        raise SecretError(f"the installation key {ref} is gone again", "start once more")
    return key


def _absolute(ref: SecretRef, config_dir: Path) -> SecretRef:
    return ref if ref.file is None else replace(ref, file=config_dir / ref.file)
