"""Runs a peer in its own interpreter and gives what it measured; knows nothing of the peers."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent
TIMEOUT_S = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one run took, and with which versions."""

    seconds: float
    version: str
    sqlite: str = ""


class PeerError(Exception):
    """A peer that could not be measured; the text is the end of what it said."""


def run(python: str, script: str, *args: object) -> Measured:
    """Run ``script`` of this folder under *python*; its last line of output is the answer.

    Raises PeerError.
    """
    command = [python, str(_FOLDER / script), *(str(arg) for arg in args)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, cwd=_FOLDER
        )
    except subprocess.TimeoutExpired as error:
        raise PeerError(f"{script} took more than {TIMEOUT_S} s") from error
    if done.returncode != 0 or not done.stdout.strip():
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise PeerError(said[-1] if said else f"{script} ended with {done.returncode}")
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return Measured(
        seconds=found["seconds"], version=found["version"], sqlite=found.get("sqlite", "")
    )
