"""Waiting for what a real process does, bounded; nothing is asserted about how long it takes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

BOUND_S = 60.0
_END = 4_000


def until(
    holds: Callable[[], object],
    daemon: subprocess.Popen[bytes] | None = None,
    log: Path | None = None,
    *,
    bound_s: float = BOUND_S,
) -> None:
    """Wait until something holds; fails when it does not, or when *daemon* ends before."""
    end = time.monotonic() + bound_s
    while not holds():
        said = log.read_text()[-_END:] if log is not None and log.exists() else ""
        if daemon is not None and daemon.poll() is not None:
            pytest.fail(f"the daemon ended ({daemon.returncode}): {said}")
        if time.monotonic() > end:
            pytest.fail(f"it did not happen: {said}")
        time.sleep(0.05)
