"""From a mail in a Maildir to a reviewed draft, by the command line alone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from tests.cli.conftest import Place

Items = Callable[[object], list[dict[str, object]]]


def test_once_drafts_a_reply_and_leaves_the_mail_unread(place: Place) -> None:
    message_id = place.deliver(1)
    place.run("once")
    (draft,) = place.drafts()
    assert f"In-Reply-To: {message_id}".encode() in draft
    assert len(list((place.maildir / "new").iterdir())) == 1


def test_a_second_pass_drafts_nothing_more(place: Place) -> None:
    place.deliver(1)
    place.run("once")
    place.run("once")
    assert len(place.drafts()) == 1


def test_once_counts_what_it_did(place: Place) -> None:
    place.deliver(1)
    place.deliver(2, "Thanks!")
    document = place.json("once")
    assert isinstance(document, dict)
    (row,) = document["mailboxes"]
    assert row["mailbox"] == "robin/local"
    assert (row["messages"], row["threads"], row["triaged"], row["drafted"]) == (2, 2, 2, 1)
    assert (row["unknown"], row["quarantined"], row["failed"]) == (0, 0, 0)


def test_a_message_that_overtakes_a_draft_makes_an_item_and_no_second_draft(
    place: Place, items: Items
) -> None:
    first = place.deliver(1)
    place.run("once")
    place.deliver(2, "Robin, and could you also send the key?", answers=first)
    place.run("once")
    assert len(place.drafts()) == 1
    kinds = [item["kind"] for item in items(place.json("review", "list"))]
    assert sorted(map(str, kinds)) == ["draft_overtaken", "draft_ready"]


def test_a_removed_draft_frees_the_way_for_the_next_message(place: Place, items: Items) -> None:
    first = place.deliver(1)
    place.run("once")
    (file,) = place.draft_files()
    file.unlink()
    second = place.deliver(2, "Robin, and could you also send the key?", answers=first)
    place.run("once")
    (draft,) = place.drafts()
    assert f"In-Reply-To: {second}".encode() in draft
    kinds = [item["kind"] for item in items(place.json("review", "list"))]
    assert kinds == ["draft_ready"]


def test_a_removed_draft_is_not_made_again_for_the_same_message(place: Place) -> None:
    place.deliver(1)
    place.run("once")
    (file,) = place.draft_files()
    file.unlink()
    place.run("once")
    place.run("once")
    assert place.drafts() == []


def test_a_sent_draft_frees_the_way_and_is_known_as_sent(place: Place, items: Items) -> None:
    first = place.deliver(1)
    place.run("once")
    (file,) = place.draft_files()
    os.rename(file, place.maildir / ".Sent" / "cur" / f"{file.name.partition(':')[0]}:2,S")
    place.run("once")
    (thread,) = items(place.json("threads"))
    draft = thread["draft"]
    assert isinstance(draft, dict)
    assert draft["state"] == "sent"
    second = place.deliver(2, "Robin, and could you also send the key?", answers=first)
    place.run("once")
    (made,) = place.drafts()
    assert f"In-Reply-To: {second}".encode() in made


def test_a_draft_that_the_owner_changed_is_never_discarded(place: Place, items: Items) -> None:
    place.deliver(1)
    place.run("once")
    (file,) = place.draft_files()
    file.write_bytes(file.read_bytes() + b"My own words\r\n")
    (item,) = items(place.json("review", "list"))
    place.run("review", "do", str(item["id"]), "discard")
    (draft,) = place.drafts()
    assert b"My own words" in draft


def test_the_owners_own_draft_keeps_ours_away(place: Place, items: Items) -> None:
    first = place.deliver(1)
    (place.maildir / ".Drafts" / "cur" / "1700000000.M1.own:2,D").write_bytes(
        b"From: robin@example.com\nTo: mina1@example.org\nSubject: Re: Plan 1\n"
        b"Message-ID: <own@example.com>\nIn-Reply-To: " + first.encode() + b"\n\nI will.\n"
    )
    place.run("once")
    assert len(place.drafts()) == 1
    (thread,) = items(place.json("threads"))
    assert thread["draft"] is None
    assert thread["no_draft_because"] == "you have an unsent draft in this thread"


def test_discarding_removes_exactly_our_draft(place: Place, items: Items) -> None:
    place.deliver(1)
    place.deliver(2)
    place.run("once")
    first, _second = items(place.json("review", "list"))
    place.run("review", "do", str(first["id"]), "discard")
    assert len(place.drafts()) == 1
    assert len(items(place.json("review", "list"))) == 1


def test_the_same_key_gives_the_same_operation(place: Place, items: Items) -> None:
    place.deliver(1)
    place.run("once")
    (item,) = items(place.json("review", "list"))
    words = ("review", "do", str(item["id"]), "keep", "--key", "mine")
    first, again = place.json(*words), place.json(*words)
    assert isinstance(first, dict)
    assert isinstance(again, dict)
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert first["operation"] == again["operation"]


def test_a_key_used_for_something_else_is_a_conflict(place: Place, items: Items) -> None:
    place.deliver(1)
    place.run("once")
    (item,) = items(place.json("review", "list"))
    place.run("review", "do", str(item["id"]), "keep", "--key", "mine")
    refused = place.json("review", "do", str(item["id"]), "discard", "--key", "mine", status=1)
    assert isinstance(refused, dict)
    assert refused["error"] == "conflict"


def test_a_pause_stops_drafting_and_a_resume_lets_it_go_on(place: Place) -> None:
    place.run("pause")
    place.deliver(1)
    place.run("once")
    assert place.drafts() == []
    place.run("resume")
    place.run("once")
    assert len(place.drafts()) == 1


def test_one_bad_users_file_does_not_stop_another_user(place: Place, items: Items) -> None:
    (place.config / "users" / "tove.toml").write_text("name = \n")
    place.deliver(1)
    place.run("once", status=2)
    assert len(place.drafts()) == 1
    faults = [i for i in items(place.json("review", "list")) if i["kind"] == "config_fault"]
    assert "tove.toml:1" in str(faults[0]["summary"])


def test_a_mended_users_file_closes_its_item(place: Place, items: Items) -> None:
    broken = place.config / "users" / "tove.toml"
    broken.write_text("name = \n")
    place.run("once", status=2)
    broken.unlink()
    place.run("once")
    assert items(place.json("review", "list")) == []


def test_strict_ends_with_three_when_something_waits(place: Place) -> None:
    place.deliver(1)
    place.run("once", "--strict", status=3)


def test_a_missing_maildir_is_told_with_a_remedy(place: Place, items: Items) -> None:
    place.user_file.write_text(
        place.user_file.read_text().replace(str(place.maildir), str(place.root / "nowhere"))
    )
    place.run("once", status=1)
    (item,) = items(place.json("review", "list"))
    assert item["kind"] == "mailbox_ill"
    assert "nowhere" in str(item["summary"])


def test_a_file_that_is_no_mail_stops_nothing(place: Place) -> None:
    place.deliver(1)
    (place.maildir / "new" / "1700000001.junk").write_bytes(os.urandom(4096))
    place.run("once")
    assert len(place.drafts()) == 1


def test_reading_commands_before_the_first_pass_say_what_to_do(place: Place) -> None:
    assert "fencepost once" in place.run("status", status=1)


def test_explain_tells_the_story_of_a_thread(place: Place, items: Items) -> None:
    place.deliver(1)
    place.run("once")
    (thread,) = items(place.json("threads"))
    document = place.json("explain", "robin/local", str(thread["thread"]))
    assert isinstance(document, dict)
    kinds = [event["kind"] for event in document["events"]]
    assert kinds == ["noted", "triaged", "written", "claimed", "answered", "accepted"]
    times = [str(event["at"]) for event in document["events"]]
    assert times == sorted(times)


def test_explain_shows_seconds(place: Place, items: Items) -> None:
    place.deliver(1)
    place.run("once")
    (thread,) = items(place.json("threads"))
    said = place.run("explain", "robin/local", str(thread["thread"]))
    assert re.search(r"\d\d:\d\d:\d\d  triaged", said)


def test_a_configuration_that_is_wrong_ends_with_two(place: Place) -> None:
    (place.config / "fencepost.toml").write_text("[storage]\nurll = 1\n")
    said = place.run("status", status=2)
    assert "fencepost.toml, line 2" in said
    assert "url" in said


def test_a_database_of_a_newer_release_is_refused_and_said(place: Place) -> None:
    import sqlite3

    place.run("once")
    with sqlite3.connect(place.data_dir / "fencepost.db") as conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    conn.close()
    assert "newer release" in place.run("once", status=1)
    assert "newer release" in place.run("status", status=1)


def test_a_lost_installation_key_refuses_to_start(place: Place) -> None:
    place.deliver(1)
    place.run("once")
    (place.config / "installation.key").unlink()
    assert "restore the key" in place.run("once", status=1)


def test_a_restored_database_makes_nothing_again(place: Place) -> None:
    import shutil

    place.deliver(1)
    place.run("pause")
    place.run("once")
    backup = place.root / "backup.db"
    shutil.copy(place.data_dir / "fencepost.db", backup)
    place.run("resume")
    place.run("once")
    assert len(place.drafts()) == 1
    for leftover in place.data_dir.glob("fencepost.db*"):
        leftover.unlink()
    shutil.copy(backup, place.data_dir / "fencepost.db")
    place.run("resume")
    place.run("once")
    assert len(place.drafts()) == 1


def test_no_escape_sequence_of_a_mail_reaches_the_terminal(place: Place, items: Items) -> None:
    import mailbox

    box = mailbox.Maildir(place.maildir, create=False)
    box.add(
        b"From: =?utf-8?q?Mina_=1B]0;owned=07?= <mina@example.org>\nTo: robin@example.com\n"
        b"Subject: =?utf-8?q?Plan_=1B[2J=E2=80=AE[red]bold[/red]?=\nMessage-ID: <x@example.org>\n\n"
        b"Robin, could you \x1b[31m send me the plan?\n"
    )
    place.run("once")
    (item,) = items(place.json("review", "list"))
    (thread,) = items(place.json("threads"))
    said = [
        place.run("threads"),
        place.run("review"),
        place.run("review", "show", str(item["id"])),
        place.run("explain", "robin/local", str(thread["thread"])),
        place.run("read", str(place.maildir)),
    ]
    assert all("\x1b" not in text and "\u202e" not in text for text in said)
    assert all("[red]bold" in text for text in said[:3])


def test_who_was_left_out_of_an_answer_is_shown_and_not_written(place: Place, items: Items) -> None:
    (place.maildir / "new" / "1.odd").write_bytes(
        b"From: Mina <mina@example.org>\nTo: robin@example.com\n"
        b"Cc: Kai <k\x1bai@example.net>, Ben <ben@example.org>\nSubject: Plan\n"
        b"Message-ID: <o1@example.org>\n\nRobin, could you send me the plan?\n"
    )
    place.run("once")
    (item,) = items(place.json("review", "list"))
    assert "no usable address" in place.run("review", "show", str(item["id"]))
    assert "no usable address" in place.run("explain", "robin/local", str(item["thread"]))
    (draft,) = place.drafts()
    assert b"ben@example.org" in draft
    assert b"example.net" not in draft
    assert b"left out" not in draft


def test_two_mails_with_one_header_block_are_two(place: Place, items: Items) -> None:
    import mailbox

    box = mailbox.Maildir(place.maildir, create=False)
    head = b"From: Form <form@example.org>\nTo: robin@example.com\nSubject: Contact\n\n"
    box.add(head + b"Could you call Mina about the hall?\n")
    place.run("once")
    box.add(head + b"Could you send Jonas the plan?\n")
    place.run("once")
    assert len(items(place.json("threads"))) == 2
    assert len(place.drafts()) == 2


def test_a_renamed_file_without_a_message_id_is_no_news(place: Place, items: Items) -> None:
    new = place.maildir / "new"
    text = b"From: form@example.org\nTo: robin@example.com\nSubject: Contact\n\nCan you call me?\n"
    (new / "1772442000.M1P1.host").write_bytes(text)
    place.run("once", "--since", "3650d")
    (new / "1772442000.M1P1.host").rename(new / "1772442000.M2P2.host")
    place.run("once")
    assert len(items(place.json("threads"))) == 1
    assert len(place.drafts()) == 1


def test_another_installation_key_refuses_to_start(place: Place) -> None:
    place.run("once")
    (place.config / "installation.key").write_text(f"{'ab' * 32}\n")
    assert "restore the right key" in place.run("once", status=1)


def test_a_number_that_no_item_can_have_is_wrong_use(place: Place) -> None:
    place.run("once")
    place.run("review", "show", "9" * 30, status=2)
    place.run("review", "do", "9" * 30, "keep", status=2)


def test_a_category_that_does_not_exist_is_refused_with_those_that_do(place: Place) -> None:
    said = place.run("threads", "--category", "urgent", status=2)
    assert "'needs_reply', 'waiting', 'fyi', 'automated', 'suspicious'" in said
    assert "needs_reply" in place.run("threads", "--help")


def test_a_word_that_is_no_items_number_is_said_to_be_none(place: Place) -> None:
    said = place.run("review", "show", "x", status=2)
    assert "'x' is no item's number; see: fencepost review list" in said


def test_one_is_counted_in_the_singular(place: Place) -> None:
    assert "1 user in " in place.run("check")
