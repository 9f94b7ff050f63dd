"""The installation's key is made once, whole, and for its owner only."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from config import secrets
from config.atomic import write_new
from config.secrets import (
    SecretError,
    SecretRef,
    load_installation_key,
    load_or_make_installation_key,
)

REF = SecretRef(file=Path("installation.key"))


def test_the_key_is_made_once_and_stays(tmp_path: Path) -> None:
    first = load_or_make_installation_key(REF, tmp_path)

    assert len(first) == 32
    assert load_or_make_installation_key(REF, tmp_path) == first
    assert load_installation_key(REF, tmp_path) == first


def test_two_installations_have_two_keys(tmp_path: Path) -> None:
    assert load_or_make_installation_key(REF, tmp_path / "a") != load_or_make_installation_key(
        REF, tmp_path / "b"
    )


def test_only_its_owner_may_read_the_key(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        load_or_make_installation_key(REF, tmp_path)
    finally:
        os.umask(previous)

    assert (tmp_path / "installation.key").stat().st_mode & 0o777 == 0o600


def test_many_who_start_at_once_get_one_key(tmp_path: Path) -> None:
    barrier = Barrier(8)

    def start(_: int) -> bytes:
        barrier.wait()
        return load_or_make_installation_key(REF, tmp_path)

    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(start, range(8)))

    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["installation.key"]


def test_a_missing_key_can_be_asked_for_without_making_one(tmp_path: Path) -> None:
    assert load_installation_key(REF, tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "abc\n", "0" * 63, "g" * 64, "0" * 64 + "\n0"])
def test_a_damaged_key_is_refused_and_never_replaced(tmp_path: Path, content: str) -> None:
    path = tmp_path / "installation.key"
    path.write_text(content)
    path.chmod(0o600)

    with pytest.raises(SecretError, match=r"restore it from a backup|is empty"):
        load_or_make_installation_key(REF, tmp_path)

    assert path.read_text() == content


def test_a_link_to_nothing_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "installation.key").symlink_to("gone")

    with pytest.raises(SecretError, match="does not exist"):
        load_or_make_installation_key(REF, tmp_path)


def test_a_key_may_lie_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_KEY", "ab" * 32)

    assert load_or_make_installation_key(SecretRef(env="X_KEY"), tmp_path) == b"\xab" * 32
    assert list(tmp_path.iterdir()) == []


def test_a_key_elsewhere_is_never_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("X_KEY", raising=False)

    with pytest.raises(SecretError, match="not set"):
        load_or_make_installation_key(SecretRef(env="X_KEY"), tmp_path)


def test_a_key_that_can_not_be_written_names_the_way_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(secrets, "write_new", full)

    with pytest.raises(SecretError, match=r"No space left.*openssl rand -hex 32"):
        load_or_make_installation_key(REF, tmp_path)


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OSError, match="No space"):
        write_new(tmp_path / "x", b"half", mode=0o600)

    assert list(tmp_path.iterdir()) == []


def test_a_new_file_never_replaces_another(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")

    with pytest.raises(FileExistsError):
        write_new(tmp_path / "x", b"new", mode=0o600)

    assert (tmp_path / "x").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1
