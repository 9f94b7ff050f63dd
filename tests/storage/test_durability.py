"""What reaches the disk and when, as the kernel sees it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.storage.notes import make, stored

ROOT = Path(__file__).parents[2]
WRITES = """
import pathlib, sys, anyio
from storage.sqlite import open_sqlite
from tests.storage.notes import add

async def main():
    database = await open_sqlite(pathlib.Path(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        async with anyio.create_task_group() as tasks:
            for _ in range(int(sys.argv[3])):
                tasks.start_soon(database.write, add("x"))
    await database.close()

anyio.run(main)
"""
DIES_AFTER_AN_UNKNOWN_COMMIT = """
import os, pathlib, signal, sys, anyio
from storage.errors import CommitUnknownError
from storage.sqlite import open_sqlite
from tests.storage.notes import add, texts

async def main():
    database = await open_sqlite(pathlib.Path(sys.argv[1]))
    await database.read(texts)
    for number in range(10):
        try:
            await database.write(add(str(number)))
        except CommitUnknownError:
            print(*await database.read(texts), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

anyio.run(main)
"""
WITNESSES = """
import pathlib, sys
from storage.witness import Witness, write_witness
write_witness(pathlib.Path(sys.argv[1]), Witness(epoch="e", fence=1, database="d"))
"""


def trace(
    folder: Path, program: str, *args: str, calls: str = "fsync,fdatasync", inject: str = ""
) -> tuple[list[str], str]:
    """Run *program* under strace: the system calls in order, and what it printed."""
    if sys.platform != "linux":
        pytest.skip("strace is a tool of Linux")
    strace = shutil.which("strace")
    if strace is None:
        assert os.environ.get("CI") != "true", "install strace: CI counts fsyncs with it"
        pytest.skip("strace is not installed")
    log = folder / "strace.log"
    command = [strace, "-f", "--seccomp-bpf", "-o", str(log), "-e", f"trace={calls}"]
    if inject:
        command += ["-e", f"inject={inject}"]
    done = subprocess.run(
        [*command, sys.executable, "-c", program, *args],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    found = re.findall(r"^\d+ +(\w+)\((.*)$", log.read_text(), re.MULTILINE)
    return [f"{name}({rest}" for name, rest in found], done.stdout


def syncs(tmp_path: Path, *, batches: int, width: int) -> int:
    path = tmp_path / f"{batches}-{width}.db"
    make(path)
    calls, _ = trace(tmp_path, WRITES, str(path), str(batches), str(width))
    assert len(stored(path)) == batches * width
    return len(calls)


def test_each_commit_is_one_sync_of_the_disk(tmp_path: Path) -> None:
    more, fewer = (syncs(tmp_path, batches=count, width=1) for count in (25, 5))
    assert more - fewer == 20


def test_units_that_wait_together_share_one_sync_of_the_disk(tmp_path: Path) -> None:
    alone, together = (syncs(tmp_path, batches=10, width=width) for width in (1, 16))
    assert alone == together


@pytest.mark.parametrize("sync", [4, 5, 7])
def test_what_was_read_as_absent_after_a_failed_sync_stays_absent_after_a_crash(
    tmp_path: Path, sync: int
) -> None:
    path = tmp_path / "notes.db"
    make(path)
    inject = f"fdatasync,fsync:error=EIO:when={sync}"
    _, printed = trace(tmp_path, DIES_AFTER_AN_UNKNOWN_COMMIT, str(path), inject=inject)
    assert printed.endswith("\n"), "the injected error must have hit a commit"
    assert stored(path) == printed.split()


def test_witness_is_synced_before_and_its_folder_after_the_rename(tmp_path: Path) -> None:
    calls, _ = trace(
        tmp_path,
        WITNESSES,
        str(tmp_path),
        calls="fsync,fdatasync,rename,renameat,renameat2",
    )
    names = [call.partition("(")[0].rstrip("at2") for call in calls]
    assert names == ["fsync", "rename", "fsync"]
