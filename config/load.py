"""From a folder to values in force: ``fencepost.toml`` and every ``users/NAME.toml``.

A broken ``fencepost.toml`` stops everything with a ConfigError. A broken user file stops that user
only: it is told as a UserFault, and the others are there.

Blocks: call it on a thread. Reads only; a crash here changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

import platformdirs
from pydantic import TypeAdapter, ValidationError

from config.daemon import DaemonConfig
from config.environment import overrides, variable
from config.explain import Problem, problems
from config.faults import ConfigError, Fault, UserFault, dotted
from config.fields import SLUG_REMEDY, Places, is_slug
from config.files import Document, read_document
from config.loaded import Loaded, merge
from config.user import MaildirMailbox, UserConfig, UserFile
from storage.words import UserName

DAEMON_FILE: Final = "fencepost.toml"
USERS_FOLDER: Final = "users"
_DAEMON: Final = TypeAdapter(DaemonConfig)
_USER: Final = TypeAdapter(UserConfig)
_USER_FILE: Final = TypeAdapter(UserFile)


def find_config_dir(option: Path | None) -> Path:
    """The folder to use: *option*, else FENCEPOST_CONFIG, else the platform's; absolute."""
    named = option or os.environ.get("FENCEPOST_CONFIG")
    return Path(named or platformdirs.user_config_dir("fencepost")).expanduser().absolute()


def load(config_dir: Path, bound: Collection[str] = ()) -> Loaded:
    """Read and check the whole folder, as at start. Blocks.

    *bound* are the mailboxes (``NAME/ID``) that had an account before: of several that claim one,
    they keep it. Raises ConfigError where the folder can't be read, or ``fencepost.toml`` or the
    environment is wrong; what concerns one user only is in ``faults``, and that user is not in
    ``users``.
    """
    nothing = Loaded(config_dir=config_dir, daemon=load_daemon(config_dir))
    return merge(nothing, _with_users(nothing), bound)


def reload(previous: Loaded) -> Loaded:
    """Read the folder again, while *previous* is in force. Blocks, never raises.

    What can't be used stays as it was in *previous*, with its fault.
    """
    start = Loaded(config_dir=previous.config_dir, daemon=previous.daemon)
    try:
        start = replace(start, daemon=load_daemon(previous.config_dir))
    except ConfigError as error:
        start = replace(start, daemon_faults=error.faults)
    try:
        return merge(previous, _with_users(start))
    except ConfigError as error:
        kept = replace(previous, daemon=start.daemon)
        return replace(kept, daemon_faults=start.daemon_faults or error.faults)


def load_daemon(config_dir: Path) -> DaemonConfig:
    """Read ``fencepost.toml`` and the environment over it; defaults where neither says anything.

    Blocks. Raises ConfigError.
    """
    config_dir = _existing(config_dir.absolute())
    path = config_dir / DAEMON_FILE
    document = read_document(path)
    environment = overrides()
    table = dict(document.table) if document else {}
    for section in fields(DaemonConfig):  # also the empty ones: paths by default start here too
        written = table.get(section.name, {})
        if isinstance(written, Mapping):
            table[section.name] = {**written, **environment.get(section.name, {})}
    places = Places(config_dir=config_dir, data_dir=config_dir)
    try:
        return _DAEMON.validate_python(table, context=places)
    except ValidationError as error:
        found = problems(error, table, _DAEMON.json_schema())
    raise ConfigError(
        _in_order(_daemon_fault(problem, path, document, environment) for problem in found)
    )


def defaults(config_dir: Path, data_dir: Path | None = None) -> DaemonConfig:
    """What holds where no file says anything, with *data_dir* if that is known."""
    table: dict[str, dict[str, object]] = {section.name: {} for section in fields(DaemonConfig)}
    if data_dir is not None:
        table["storage"]["data_dir"] = str(data_dir)
    return _DAEMON.validate_python(
        table, context=Places(config_dir=config_dir, data_dir=config_dir)
    )


def _existing(folder: Path) -> Path:
    if not folder.is_dir():
        remedy = "name the right one with --config, or run: fencepost init"
        raise _folder_error(folder, "is no folder", remedy)
    return folder


def _with_users(start: Loaded) -> Loaded:
    """*start* with every user whose file is right by itself, and the faults of the others.

    Raises ConfigError where the users' folder can't be listed.
    """
    places = Places(config_dir=start.config_dir.absolute(), data_dir=start.daemon.storage.data_dir)
    users: dict[UserName, UserConfig] = {}
    lines: dict[UserName, tuple[int | None, ...]] = {}
    faults: list[UserFault] = []
    for path in _user_files(_existing(start.config_dir) / USERS_FOLDER):
        name = UserName(path.stem)
        try:
            document = read_document(path)
            if document is None:
                continue
            user = user_of(name, document, places)
            _keep_apart(user, document, places.data_dir)
        except ConfigError as error:
            faults.append(UserFault(user=name, faults=error.faults))
        else:
            users[name] = user
            lines[name] = tuple(document.lines("mailboxes", len(user.mailboxes)))
    return replace(start, users=users, faults=tuple(faults), lines=lines)


def _user_files(folder: Path) -> list[Path]:
    try:
        return sorted(
            path
            for path in folder.iterdir()
            if path.suffix == ".toml" and not path.name.startswith(".")
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        remedy = "let it be a folder that the user who runs Fencepost may read"
        raise _folder_error(folder, f"can't be listed ({error.strerror})", remedy) from error


def user_of(name: UserName, document: Document, places: Places) -> UserConfig:
    """Check one user's document; raises ConfigError with every fault in it."""
    if not is_slug(name):
        message, remedy = "has a name that can't be a user's", f"rename the file: {SLUG_REMEDY}"
        raise ConfigError([document.fault((), message, remedy)])
    table = document.table
    try:
        _USER_FILE.validate_python(table, context=places)
        value = {**table, "user": name, "hash": document.hash}
        return _USER.validate_python(value, context=places)
    except ValidationError as error:
        found = problems(error, table, _USER_FILE.json_schema())
    raise ConfigError(
        _in_order(document.fault(each.path, each.message, each.remedy) for each in found)
    )


def _keep_apart(user: UserConfig, document: Document, data_dir: Path) -> None:
    """Raise ConfigError where a Maildir lies in data_dir, or data_dir in a Maildir.

    Mail programs and fetchers make, move and delete what lies in a Maildir, whatever its name.
    """
    real = Path(os.path.realpath(data_dir))
    for index, mailbox in enumerate(user.mailboxes):
        if not isinstance(mailbox, MaildirMailbox):
            continue
        inside, around = real.is_relative_to(mailbox.path), mailbox.path.is_relative_to(real)
        if inside or around:
            how = "is data_dir itself" if inside and around else "has data_dir inside"
            message = how if inside else "lies in data_dir"
            remedy = f"set [storage] data_dir, now {data_dir}, to a folder of its own"
            raise ConfigError([document.fault(("mailboxes", index, "path"), message, remedy)])


def _daemon_fault(
    problem: Problem,
    path: Path,
    document: Document | None,
    environment: Mapping[str, Mapping[str, object]],
) -> Fault:
    """A problem of the merged table, at the place from which the value came."""
    section, key = (*problem.path, "", "")[:2]
    message, remedy = problem.message, problem.remedy
    if key in environment.get(str(section), {}):
        name = variable(problem.path)
        return Fault(file=None, line=None, key=name, message=message, remedy=remedy)
    if document is not None:
        return document.fault(problem.path, message, remedy)
    key_text = dotted(problem.path)
    return Fault(file=path, line=None, key=key_text, message=message, remedy=remedy)


def _in_order(faults: Iterable[Fault]) -> list[Fault]:
    return sorted(faults, key=lambda fault: fault.line or 0)


def _folder_error(folder: Path, message: str, remedy: str) -> ConfigError:
    return ConfigError([Fault(file=folder, line=None, key="", message=message, remedy=remedy)])
