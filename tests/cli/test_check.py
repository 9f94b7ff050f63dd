"""``fencepost check`` says of the database what a start would say, and changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3

import pytest

from storage.examine import examine
from tests.cli.conftest import Place


def findings(place: Place, *, status: int = 0) -> dict[str, dict[str, object]]:
    found = json.loads(place.run("check", "--json", status=status))
    return {one["what"]: one for one in found}


@pytest.fixture
def used(place: Place) -> Place:
    """A place that one pass was made over."""
    place.deliver(1)
    place.run("once")
    return place


def test_before_the_first_pass_there_is_no_database_and_none_is_made(place: Place) -> None:
    found = findings(place)
    assert str(found["database"]["says"]).startswith("none yet")
    assert str(found["installation key"]["says"]).startswith("none yet")
    assert not (place.data_dir / "fencepost.db").exists()


def test_a_sound_database_is_said_to_be_so_and_left_as_it_was(used: Place) -> None:
    file = used.data_dir / "fencepost.db"
    before = file.read_bytes()
    found = findings(used)
    assert "every page read, sound; the one written last" in str(found["database"]["says"])
    assert found["installation key"]["says"] == "belongs to the database"
    assert file.read_bytes() == before


def test_a_damaged_database_is_found(used: Place) -> None:
    file = used.data_dir / "fencepost.db"
    raw = bytearray(file.read_bytes())
    with sqlite3.connect(file) as conn:
        (page,) = conn.execute("SELECT rootpage FROM sqlite_master WHERE name='epochs'").fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
    conn.close()
    raw[(page - 1) * size : page * size] = b"\x5a" * size
    file.write_bytes(raw)
    found = findings(used, status=1)
    assert "damaged" in str(found["database"]["says"])
    assert "restore data_dir" in str(found["database"]["remedy"])


def test_a_file_that_is_no_database_is_found(place: Place) -> None:
    place.data_dir.mkdir()
    (place.data_dir / "fencepost.db").write_text("notes of mine, " * 100)
    assert "not an SQLite database" in str(findings(place, status=1)["database"]["says"])


def test_a_database_of_a_newer_release_is_found(used: Place) -> None:
    with sqlite3.connect(used.data_dir / "fencepost.db") as conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    conn.close()
    found = findings(used, status=1)
    assert "9999" in str(found["database"]["says"])
    assert "newer release" in str(found["database"]["remedy"])


def test_a_restored_database_is_found(used: Place) -> None:
    file = used.data_dir / "fencepost.db"
    shutil.copy(file, used.root / "old.db")
    used.run("once")
    shutil.copy(used.root / "old.db", file)
    assert "older than" in str(findings(used, status=1)["database"]["says"])


def test_a_database_that_is_gone_is_found(used: Place) -> None:
    (used.data_dir / "fencepost.db").unlink()
    assert "is gone" in str(findings(used, status=1)["database"]["says"])


def test_another_installation_key_is_found(used: Place) -> None:
    (used.config / "installation.key").write_text("ab" * 32)
    assert "another database" in str(findings(used, status=1)["installation key"]["says"])


def test_a_lost_installation_key_is_found(used: Place) -> None:
    (used.config / "installation.key").unlink()
    assert "is missing" in str(findings(used, status=1)["installation key"]["says"])


def test_a_big_database_is_read_for_a_bounded_time(used: Place) -> None:
    file = used.data_dir / "fencepost.db"
    with sqlite3.connect(file) as conn:
        rows = ((n, "", "", "noted", "{}") for n in range(50_000))
        conn.executemany(
            "INSERT INTO events (at, integration, thread, kind, detail) VALUES (?,?,?,?,?)", rows
        )
    conn.close()
    assert not examine(file, within_s=0.0).complete
    assert examine(file, within_s=60.0).complete


def as_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let folders be closed by their mode alone, also to the user who may write everywhere."""
    access = os.access

    def asked(path: os.PathLike[str] | str, mode: int) -> bool:
        return access(path, mode) and bool(os.stat(path).st_mode & 0o200 or not mode & os.W_OK)

    monkeypatch.setattr(os, "access", asked)


@pytest.mark.parametrize("closed", ["cur", "new", "tmp"])
def test_a_maildir_whose_drafts_cannot_be_written_does_not_work(
    place: Place, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    as_anybody(monkeypatch)
    folder = place.maildir / ".Drafts" / closed
    folder.chmod(0o555)
    says = findings(place, status=1)["robin/local"]
    assert says["says"] == f"could not write a draft in {folder} (Permission denied)"
    assert "read and write permission" in str(says["remedy"])


def test_a_maildir_without_a_drafts_folder_needs_to_be_written_itself(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_anybody(monkeypatch)
    shutil.rmtree(place.maildir / ".Drafts")
    assert findings(place)["robin/local"]["works"]
    place.maildir.chmod(0o555)
    assert "could not write a draft" in str(findings(place, status=1)["robin/local"]["says"])
    place.maildir.chmod(0o755)
    assert not (place.maildir / ".Drafts").exists()
