"""``FENCEPOST_SECTION__KEY`` in the environment over ``fencepost.toml``.

For containers and units, where a variable is handier than a file. Lists and tables are written as
JSON. User files have no such override: each is one person's own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict, SettingsError

from config.daemon import Reconcile, Runtime, Secrets, Storage, Web
from config.faults import ConfigError, Fault

PREFIX: Final = "FENCEPOST_"
NESTED: Final = "__"


class _Settings(BaseSettings):
    """The sections of DaemonConfig, in the form from which pydantic-settings takes names."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter=NESTED)

    storage: Storage
    runtime: Runtime
    reconcile: Reconcile
    secrets: Secrets
    web: Web


def overrides() -> Mapping[str, Mapping[str, object]]:
    """What the environment sets, as a table like that of ``fencepost.toml``.

    Raises ConfigError for a section that does not exist and for a list or table that is no JSON.
    """
    table: dict[str, dict[str, object]] = {}
    faults: list[Fault] = []
    for name in sorted(os.environ):
        section = _section(name)
        if section in _Settings.model_fields:
            try:
                table.setdefault(section, {}).update(_one(name, section))
            except SettingsError:
                faults.append(_fault(name, "is no JSON", """write it like ["5s"] or {"env":"X"}"""))
        elif section and NESTED in name:
            known = ", ".join(_Settings.model_fields)
            faults.append(_fault(name, "names no section", f"known are {known}; or unset it"))
    if faults:
        raise ConfigError(faults)
    return table


def variable(path: tuple[str | int, ...]) -> str:
    """The name of the variable that sets the key *path*, ``("runtime", "poll")``."""
    return PREFIX + NESTED.join(str(part) for part in path[:2]).upper()


def _section(name: str) -> str:
    if not name.upper().startswith(PREFIX):
        return ""
    return name[len(PREFIX) :].partition(NESTED)[0].lower()


def _one(name: str, section: str) -> Mapping[str, object]:
    """What one variable sets below its section."""
    source = EnvSettingsSource(_Settings)
    source.env_vars = {name.lower(): os.environ[name]}
    values = source().get(section)
    return values if isinstance(values, Mapping) else {}


def _fault(name: str, message: str, remedy: str) -> Fault:
    return Fault(file=None, line=None, key=name, message=message, remedy=remedy)
