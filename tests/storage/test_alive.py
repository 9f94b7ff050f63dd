"""A process's locked file: proof of its death for those who share the data folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from storage import alive
from storage.errors import StorageIllError
from storage.words import OwnerId

NAME = OwnerId("host:1:abc")
_SHOW = """
import os, sys
from pathlib import Path
from storage import alive
from storage.words import OwnerId
sign = alive.show(Path(sys.argv[1]), OwnerId(sys.argv[2]))
print("shown", flush=True)
sys.stdin.read()
"""


def test_a_living_process_is_not_dead(tmp_path: Path) -> None:
    sign = alive.show(tmp_path, NAME)
    assert not alive.is_dead(tmp_path, NAME)
    sign.take_down()


def test_nothing_is_known_of_a_process_that_ended_in_order(tmp_path: Path) -> None:
    alive.show(tmp_path, NAME).take_down()
    assert not alive.is_dead(tmp_path, NAME)
    assert not list((tmp_path / alive.FOLDER).iterdir())


@pytest.mark.parametrize("name", ["never:1:seen", "", "..", "a/b"])
def test_nothing_is_known_of_a_stranger(tmp_path: Path, name: str) -> None:
    alive.show(tmp_path, NAME).take_down()
    assert not alive.is_dead(tmp_path, OwnerId(name))


def test_a_killed_process_is_proved_dead(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _SHOW, str(tmp_path), NAME],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == b"shown\n"
        assert not alive.is_dead(tmp_path, NAME)
        process.kill()
    assert alive.is_dead(tmp_path, NAME)


def test_the_file_of_the_dead_stays_for_a_while(tmp_path: Path) -> None:
    path = tmp_path / alive.FOLDER / NAME
    path.parent.mkdir()
    path.touch()
    at = path.stat().st_mtime
    assert alive.remove_old(tmp_path, now_s=at + alive.KEEP_S - 1) == 0
    assert alive.remove_old(tmp_path, now_s=at + alive.KEEP_S + 1) == 1
    assert not path.exists()


def test_an_old_file_of_the_living_is_never_removed(tmp_path: Path) -> None:
    sign = alive.show(tmp_path, NAME)
    path = tmp_path / alive.FOLDER / NAME
    os.utime(path, (0, 0))
    assert alive.remove_old(tmp_path) == 0
    assert path.exists()
    sign.take_down()


def test_a_folder_that_cannot_hold_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / alive.FOLDER).write_text("in the way")
    with pytest.raises(StorageIllError, match="data_dir"):
        alive.show(tmp_path, NAME)
