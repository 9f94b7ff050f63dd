"""What probes have found, in files of the data folder: one for each mailbox that was tried.

``fencepost check --probe`` may run beside the daemon, which alone writes the database; so the
result lies beside it, whole or not at all, and is read when a mailbox is built. A file that is
missing or can't be understood means that nobody has tried: the pessimistic answer holds.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from urllib.parse import quote

from providers.ports import Kept
from storage.words import IntegrationId


def load_kept(data_dir: Path, integration: IntegrationId) -> Kept | None:
    """What a probe of the mailbox has found, None where none did. Blocks."""
    try:
        found = json.loads(_path(data_dir, integration).read_text())
    except (OSError, ValueError):
        return None
    marks = found.get("marks") if isinstance(found, dict) else None
    removal = found.get("versioned_removal") if isinstance(found, dict) else None
    if not isinstance(marks, list) or not isinstance(removal, bool):
        return None
    return Kept(
        marks=frozenset(one for one in marks if isinstance(one, str)), versioned_removal=removal
    )


def save_kept(data_dir: Path, integration: IntegrationId, kept: Kept) -> None:
    """Put down what a probe has found, durably. Blocks; raises OSError."""
    path = _path(data_dir, integration)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    value = {"marks": sorted(kept.marks), "versioned_removal": kept.versioned_removal}
    try:
        with aside.open("x") as file:
            json.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _path(data_dir: Path, integration: IntegrationId) -> Path:
    return data_dir / "probes" / f"{quote(integration, safe='')}.json"
