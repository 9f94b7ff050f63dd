"""A mailbox whose id was renamed in its user's file: told what to run, and its history kept."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

import pytest

from assistant.effects.keys import create_key
from storage.lock import try_lock
from storage.tables import metadata
from storage.words import Identity, IntegrationId, ThreadId
from tests.cli.conftest import Place

Items = Callable[[object], list[dict[str, object]]]
OLD, NEW = "robin/local", "robin/mail"


def ask(place: Place, sql: str, *values: object) -> list[tuple[object, ...]]:
    conn = sqlite3.connect(place.data_dir / "fencepost.db")
    try:
        with conn:
            return conn.execute(sql, values).fetchall()
    finally:
        conn.close()


def rename_in_file(place: Place, new: str = "mail") -> None:
    place.user_file.write_text(place.user_file.read_text().replace('"local"', f'"{new}"'))


@pytest.fixture
def renamed(place: Place) -> Place:
    """One draft was made, then the mailbox was renamed and a pass made under the new id."""
    place.deliver(1)
    place.run("once")
    rename_in_file(place)
    place.run("once", status=1)
    return place


def test_a_renamed_mailbox_is_refused_and_told_what_to_run(renamed: Place, items: Items) -> None:
    said = " ".join(str(item["summary"]) for item in items(renamed.json("review", "list")))
    assert f"fencepost rebind {OLD} {NEW}" in said
    assert f"fencepost rebind {OLD} {NEW}" in renamed.run("check", status=1)
    assert len(renamed.drafts()) == 1


def test_a_newcomer_who_names_a_bound_maildir_stops_nobody(place: Place, items: Items) -> None:
    place.deliver(1)
    place.run("once")
    newcomer = place.config / "users" / "anna.toml"
    newcomer.write_text(place.user_file.read_text().replace("robin@", "anna@"))
    place.deliver(2)
    document = place.json("once", status=2)
    assert isinstance(document, dict)
    assert [row["mailbox"] for row in document["mailboxes"]] == [OLD]
    assert len(place.drafts()) == 2
    faults = [one for one in items(place.json("review", "list")) if one["kind"] == "config_fault"]
    assert [(one["user"], OLD in str(one["summary"])) for one in faults] == [("anna", True)]
    assert f"is the same account as {OLD}" in place.run("check", status=1)


def test_a_rebound_mailbox_goes_on_and_drafts_nothing_twice(renamed: Place, items: Items) -> None:
    renamed.run("rebind", OLD, NEW)
    renamed.deliver(2)
    renamed.run("once")
    renamed.run("once")
    assert len(renamed.drafts()) == 2
    assert {row["mailbox"] for row in items(renamed.json("threads"))} == {NEW}
    kinds = sorted(str(item["kind"]) for item in items(renamed.json("review", "list")))
    assert kinds == ["draft_ready", "draft_ready"]


def test_what_the_owner_threw_away_is_not_made_again_under_the_new_id(renamed: Place) -> None:
    renamed.run("rebind", OLD, NEW)
    (file,) = renamed.draft_files()
    file.unlink()
    ask(renamed, "UPDATE threads SET due_at = 1")
    renamed.run("once")
    assert renamed.drafts() == []


def test_an_unknown_call_blocks_its_thread_under_the_new_id_too(renamed: Place) -> None:
    (file,) = renamed.draft_files()
    file.unlink()
    ask(renamed, "UPDATE intents SET state = 'unknown', blocks = 1, next_look_at = NULL")
    ask(renamed, "DELETE FROM drafts")
    renamed.run("rebind", OLD, NEW)
    ask(renamed, "UPDATE threads SET due_at = 1")
    renamed.run("once")
    assert renamed.drafts() == []
    assert ask(renamed, "SELECT state, integration FROM intents") == [("unknown", NEW)]


def test_intents_have_the_keys_that_the_new_id_derives(renamed: Place) -> None:
    renamed.run("rebind", OLD, NEW)
    ((key, thread, generation, plan),) = ask(
        renamed, "SELECT key, thread, generation, plan FROM intents"
    )
    answers = Identity(json.loads(str(plan))["answers"])
    derived = create_key(IntegrationId(NEW), ThreadId(str(thread)), answers, int(str(generation)))
    assert key == derived


def test_a_draft_of_the_old_id_can_be_discarded_under_the_new_one(
    renamed: Place, items: Items
) -> None:
    renamed.run("rebind", OLD, NEW)
    (item,) = items(renamed.json("review", "list"))
    renamed.run("review", "do", str(item["id"]), "discard")
    assert renamed.drafts() == []


def test_no_table_knows_the_old_id_any_more(renamed: Place) -> None:
    renamed.run("pause", OLD)
    renamed.run("rebind", OLD, NEW)
    for table in metadata.sorted_tables:
        if "integration" in table.c and table.name != "leases":
            sql = f"SELECT count(*) FROM {table.name} WHERE integration = ?"  # noqa: S608
            assert ask(renamed, sql, OLD) == [(0,)], table.name


def test_no_fence_falls(renamed: Place) -> None:
    ask(renamed, "UPDATE leases SET fence = 700 WHERE integration = ?", OLD)
    renamed.run("rebind", OLD, NEW)
    fences = ask(renamed, "SELECT fence FROM leases WHERE integration = ?", NEW)
    assert len(fences) == 2
    assert all(int(str(fence)) >= 700 for (fence,) in fences)


def test_the_same_key_renames_once(renamed: Place) -> None:
    first = renamed.json("rebind", OLD, NEW, "--key", "k")
    again = renamed.json("rebind", OLD, NEW, "--key", "k")
    assert isinstance(first, dict)
    assert isinstance(again, dict)
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert first["operation"] == again["operation"]
    assert first["result"] == {"mailbox": NEW, "was": OLD, "threads": 1}
    conflict = renamed.json("rebind", OLD, "robin/other", "--key", "k", status=1)
    assert isinstance(conflict, dict)
    assert conflict["error"] == "conflict"


def test_a_rebind_that_is_repeated_says_that_the_new_id_has_the_history(renamed: Place) -> None:
    renamed.run("rebind", OLD, NEW)
    said = renamed.run("rebind", OLD, NEW, status=1)
    assert f"{NEW} has the history of {OLD} already; nothing was changed" in said


def test_a_mailbox_that_is_still_configured_stays_as_it_is(place: Place) -> None:
    place.run("once")
    second = place.root / "second"
    for part in ("cur", "new", "tmp"):
        (second / part).mkdir(parents=True)
    with place.user_file.open("a") as file:
        file.write(f'[[mailboxes]]\nid = "mail"\nprovider = "maildir"\npath = "{second}"\n')
    assert "still in its user's file" in place.run("rebind", OLD, NEW, status=1)


def test_another_account_gets_no_history(place: Place) -> None:
    place.run("once")
    rename_in_file(place)
    place.maildir.rename(place.root / "moved")
    (place.root / "moved").joinpath("x").mkdir()
    text = place.user_file.read_text()
    place.user_file.write_text(text.replace(str(place.maildir), str(place.root / "moved")))
    assert "leads to another account" in place.run("rebind", OLD, NEW, status=1)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (OLD, "robin/else", "rename it there first"),
        ("robin/never", NEW, "no record of a mailbox robin/never"),
        ("kai/local", NEW, "of two users"),
        (NEW, OLD, "rename it there first"),
    ],
)
def test_what_makes_no_sense_is_refused(renamed: Place, old: str, new: str, said: str) -> None:
    assert said in renamed.run("rebind", old, new, status=1)
    assert ask(renamed, "SELECT count(*) FROM threads WHERE integration = ?", OLD) == [(1,)]


def test_a_new_id_with_an_account_of_its_own_is_refused(renamed: Place) -> None:
    ask(renamed, "UPDATE mailboxes SET account = 'x' WHERE integration = ?", NEW)
    assert "an account of its own" in renamed.run("rebind", OLD, NEW, status=1)


def test_nothing_is_renamed_beside_a_running_process(renamed: Place) -> None:
    lock = try_lock(renamed.data_dir)
    assert lock is not None
    with lock:
        assert "let it finish or stop it" in renamed.run("rebind", OLD, NEW, status=1)
