"""What ``fencepost read`` makes of files, folders and mailboxes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import cast

from rich.console import Console

from assistant.cli.read import raw_messages, read_paths, render
from providers.mime.message import Owner
from tests.mime.build import mail

ROBIN = Owner(name="Robin Vale", addresses=("robin@example.com",))
POSTMARK = b"From mina@example.org Mon Mar  2 09:00:00 2026\n"

FIELDS = [
    "path", "message_id", "from", "from_name", "to", "cc", "date", "subject", "text", "new_text",
    "language", "automated", "attachments", "body_unreadable", "unreadable", "notes", "reply",
]  # fmt: skip


def write(path: Path, raw: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
    return path


def entries(*paths: Path, owner: Owner | None = None) -> list[dict[str, object]]:
    return list(read_paths(paths, owner))


def test_a_mail_file_gives_one_entry_with_every_field(tmp_path: Path) -> None:
    (entry,) = entries(write(tmp_path / "a.eml", mail("Can you come?")))
    assert list(entry) == FIELDS


def test_the_values_of_an_entry_are_those_of_the_mail(tmp_path: Path) -> None:
    (entry,) = entries(write(tmp_path / "a.eml", mail("Can you come?")), owner=ROBIN)
    assert entry == {
        "path": str(tmp_path / "a.eml"),
        "message_id": "<roof@example.org>",
        "from": ["mina@example.org"],
        "from_name": "Mina Okafor",
        "to": ["robin@example.com"],
        "cc": [],
        "date": "2026-03-02T09:00:00Z",
        "subject": "Roof",
        "text": "Can you come?",
        "new_text": "Can you come?",
        "language": entry["language"],
        "automated": None,
        "attachments": [],
        "body_unreadable": None,
        "unreadable": None,
        "notes": [],
        "reply": {
            "to": ["mina@example.org"],
            "cc": [],
            "from": "robin@example.com",
            "subject": "Re: Roof",
            "in_reply_to": "<roof@example.org>",
            "references": ["<roof@example.org>"],
        },
    }


def test_without_an_owner_there_is_no_reply(tmp_path: Path) -> None:
    (entry,) = entries(write(tmp_path / "a.eml", mail("Can you come?")))
    assert entry["reply"] is None


def test_an_mbox_gives_an_entry_a_message(tmp_path: Path) -> None:
    raw = POSTMARK + mail("One.\n\n") + POSTMARK + mail("Two.\n")
    found = entries(write(tmp_path / "box", raw))
    assert [(entry["path"], entry["text"]) for entry in found] == [
        (f"{tmp_path / 'box'}#1", "One."),
        (f"{tmp_path / 'box'}#2", "Two."),
    ]


def test_a_folder_gives_its_mails_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.eml", "a.EML", "sub/c.eml"):
        write(tmp_path / "mails" / name, mail(name))
    write(tmp_path / "mails" / "notes.txt", b"no mail")
    assert [entry["text"] for entry in entries(tmp_path / "mails")] == [
        "a.EML",
        "b.eml",
        "sub/c.eml",
    ]


def test_a_maildir_gives_its_messages_by_their_arrival(tmp_path: Path) -> None:
    box = tmp_path / "Mail"
    for name in ("cur", "new", "tmp"):
        (box / name).mkdir(parents=True)
    write(box / "new" / "1000000020.b.host", mail("second"))
    write(box / "cur" / "1000000010.a.host:2,S", mail("first"))
    write(box / ".Sent" / "cur" / "1000000030.c.host:2,S", mail("third"))
    write(box / "tmp" / "1000000040.d.host", mail("half written"))
    assert [entry["text"] for entry in entries(box)] == ["first", "second", "third"]


def test_a_missing_path_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    found = entries(tmp_path / "gone.eml", write(tmp_path / "a.eml", mail("Here.")))
    assert ["no such file" in str(entry["unreadable"]) for entry in found] == [True, False]


def test_a_file_that_is_no_mail_is_said_to_be_none(tmp_path: Path) -> None:
    (entry,) = entries(write(tmp_path / "a.png", b"\x89PNG\r\n\x1a\n\0"), owner=ROBIN)
    assert "no mail" in str(entry["unreadable"])
    assert entry["reply"] is None


def test_an_empty_folder_is_said_to_hold_no_mail(tmp_path: Path) -> None:
    (entry,) = entries(tmp_path)
    assert "holds no mail" in str(entry["unreadable"])


def test_a_file_that_cannot_be_opened_is_said_and_never_raised(tmp_path: Path) -> None:
    (tmp_path / "loop.eml").symlink_to(tmp_path / "loop.eml")
    (entry,) = entries(tmp_path / "loop.eml")
    assert entry["unreadable"] is not None


def test_an_earlier_message_helps_to_tell_what_a_later_one_repeats(tmp_path: Path) -> None:
    asked = "The hall costs 40 a day, the garden 25. Which one shall we take for the party?"
    first = write(tmp_path / "1.eml", mail(asked))
    answer = mail(
        f"The garden, please.\n\n{asked}\n",
        "Message-ID: <answer@example.org>",
        "In-Reply-To: <roof@example.org>",
        "Subject: Re: Roof",
    )
    found = entries(first, *(write(tmp_path / f"{copy}.eml", answer) for copy in range(2, 7)))
    assert {entry["new_text"] for entry in found[1:]} == {"The garden, please."}


def test_a_second_copy_of_a_message_keeps_its_own_words(tmp_path: Path) -> None:
    raw = mail("The hall costs 40 a day, the garden 25. Which one shall we take for the party?")
    found = entries(write(tmp_path / "1.eml", raw), write(tmp_path / "2.eml", raw))
    assert found[0]["new_text"] == found[1]["new_text"]


def test_the_address_that_the_owner_used_before_is_used_again(tmp_path: Path) -> None:
    owner = Owner(name="Robin Vale", addresses=("robin@example.com", "hello@vale.example.net"))
    mine = mail("Here you are.", "From: hello@vale.example.net", "To: mina@example.org")
    lines = ("In-Reply-To: <roof@example.org>", "Message-ID: <m2@example.org>", "To: undisclosed:;")
    first = write(tmp_path / "1.eml", mine)
    found = entries(first, write(tmp_path / "2.eml", mail("And when?", *lines)), owner=owner)
    assert cast("dict[str, object]", found[1]["reply"])["from"] == "hello@vale.example.net"


def test_an_entry_is_one_json_document(tmp_path: Path) -> None:
    raw = mail(b"\xff\xfe\x00 broken \xe2\x80", "Subject: =?utf-8?Q?=ED=A0=80?=")
    text = json.dumps(entries(write(tmp_path / "a.eml", raw)), ensure_ascii=False)
    assert cast("list[object]", json.loads(text.encode("utf-8")))


def test_a_reader_is_shown_the_words_and_who_would_be_answered(tmp_path: Path) -> None:
    out = io.StringIO()
    path = write(tmp_path / "a.eml", mail("Can you [bold]come[/bold]?"))
    render(read_paths([path], ROBIN), Console(file=out, width=100))
    shown = out.getvalue()
    assert "Can you [bold]come[/bold]?" in shown
    assert "reply to" in shown


def test_a_file_beside_which_nothing_is_written_stays_as_it_was(tmp_path: Path) -> None:
    path = write(tmp_path / "a.eml", mail("Hi"))
    before = path.stat().st_mtime_ns
    entries(path)
    assert [path.stat().st_mtime_ns, list(tmp_path.iterdir())] == [before, [path]]


def test_raw_messages_come_one_at_a_time(tmp_path: Path) -> None:
    raw = POSTMARK + mail("One.\n\n") + POSTMARK + mail("Two.\n")
    messages = raw_messages(write(tmp_path / "box", raw))
    assert next(messages).path.endswith("#1")
