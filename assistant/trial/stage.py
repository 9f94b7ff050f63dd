"""The stage of a trial: a folder with configuration, mail and data of its own, and a pass over it.

The files are real ones, so that every other command works on them afterwards with ``--config``.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from assistant.process import Process, writing
from assistant.timing import SystemClock
from config.load import load
from providers.mime.message import Owner
from storage.lock import acquire

USER = "me"


def new_stage(kind: str) -> Path:
    """A new private folder for a trial."""
    return Path(tempfile.mkdtemp(prefix=f"fencepost-{kind}-"))


def write_config(workdir: Path, owner: Owner, *, quick: bool) -> Path:
    """Write the configuration of a trial; *quick* looks for lost answers after a second."""
    config = workdir / "config"
    (config / "users").mkdir(parents=True, exist_ok=True)
    looks = '["1s", "5s", "1m", "10m"]' if quick else '["5s", "1m", "2m", "10m"]'
    (config / "fencepost.toml").write_text(
        f"[storage]\ndata_dir = {_toml(str(workdir / 'data'))}\n"
        f'[runtime]\nsettle = "0s"\n[reconcile]\nlooks = {looks}\n',
        "utf-8",
    )
    addresses = ", ".join(_toml(address) for address in owner.addresses)
    (config / "users" / f"{USER}.toml").write_text(
        f"name = {_toml(owner.name)}\naddresses = [{addresses}]\n"
        f"signature = {_toml(owner.name.split()[0] if owner.name else '')}\n\n"
        f'[[mailboxes]]\nid = "mail"\nprovider = "maildir"\n'
        f"path = {_toml(str(workdir / 'mail'))}\n",
        "utf-8",
    )
    return config


def _toml(text: str) -> str:
    # A JSON string is a basic string of TOML, but for DEL.
    return json.dumps(text.replace("\x7f", ""), ensure_ascii=False)


@asynccontextmanager
async def on_stage(
    config: Path, prepare: Callable[[Process], None] | None = None
) -> AsyncIterator[Process]:
    """A process on the stage's files; it looks back without limit."""
    loaded = load(config)
    clock = SystemClock()
    with await acquire(loaded.daemon.storage.data_dir, clock=clock) as lock:
        async with writing(loaded, lock, clock, since_s=50 * 365 * 86_400.0) as process:
            if prepare is not None:
                prepare(process)
            yield process
