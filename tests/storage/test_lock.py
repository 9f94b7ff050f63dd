"""One process writes a data folder, and the kernel is what says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.errors import LockedError, NetworkFileSystemError, StorageIllError
from storage.lock import WAIT_S, acquire, try_lock
from tests.storage.clocks import SteppingClock

HOLDER = (
    "import sys, pathlib; from storage.lock import try_lock;"
    "lock = try_lock(pathlib.Path(sys.argv[1]));"
    "print('held' if lock else 'refused', flush=True); sys.stdin.read()"
)


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_second_opener_in_one_process_is_refused(tmp_path: Path) -> None:
    first = try_lock(tmp_path)
    assert first is not None
    with first:
        assert try_lock(tmp_path) is None


def test_released_lock_is_free(tmp_path: Path) -> None:
    first = try_lock(tmp_path)
    assert first is not None
    first.release()
    first.release()
    second = try_lock(tmp_path)
    assert second is not None
    second.release()


async def test_second_process_is_refused_and_told_the_pid_of_the_first(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    clock = SteppingClock()
    with pytest.raises(LockedError, match=f"process {holder.pid} holds") as caught:
        await acquire(tmp_path, clock=clock)
    assert caught.value.pid == holder.pid
    assert sum(clock.slept) == pytest.approx(WAIT_S, abs=0.2)


async def test_waiting_process_gets_the_lock_when_the_holder_ends(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    clock = SteppingClock(asleep=lambda: holder.communicate(""))
    with await acquire(tmp_path, clock=clock):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_killed_holder_leaves_the_lock_free(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    lock = try_lock(tmp_path)
    assert lock is not None
    lock.release()


def test_child_that_runs_another_program_does_not_keep_the_lock(tmp_path: Path) -> None:
    lock = try_lock(tmp_path)
    assert lock is not None
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False):
        lock.release()
        again = try_lock(tmp_path)
        assert again is not None
        again.release()


def test_lock_file_is_private_and_stays(tmp_path: Path) -> None:
    lock = try_lock(tmp_path / "data")
    assert lock is not None
    lock.release()
    assert (tmp_path / "data" / "lock").stat().st_mode & 0o777 == 0o600


def test_lock_on_a_network_file_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NetworkFileSystemError):
        try_lock(tmp_path, kind_of=lambda _: "nfs")


def test_lock_file_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageIllError, match="cannot be opened"):
        try_lock(tmp_path)


async def test_unreadable_pid_is_not_guessed(tmp_path: Path) -> None:
    first = try_lock(tmp_path)
    assert first is not None
    with first:
        (tmp_path / "lock").write_text("nonsense")
        with pytest.raises(LockedError, match="another process holds"):
            await acquire(tmp_path, clock=SteppingClock())
