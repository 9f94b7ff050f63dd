"""Mail files that a person points at."""

from __future__ import annotations

import mailbox
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.mailfiles import MailFilesError, mails_in
from providers.ports import Folder
from tests.contracts.mails import mail, question

SEPARATOR = b"From mina@example.org Mon Mar  2 09:00:00 2026\n"
A, B = mail("<a@example.org>"), mail("<b@example.org>")


def box(tmp_path: Path, *parts: bytes, name: str = "box.mbox") -> Path:
    path = tmp_path / name
    path.write_bytes(b"".join(parts))
    return path


def raws(path: Path) -> list[bytes]:
    return [one.raw for one in mails_in(path)]


def test_an_mbox_gives_each_message_in_its_order(tmp_path: Path) -> None:
    path = box(tmp_path, SEPARATOR, A, b"\n", SEPARATOR, B, b"\n")
    found = list(mails_in(path))
    assert [(one.path, one.raw) for one in found] == [("box.mbox#1", A), ("box.mbox#2", B)]


def test_an_mbox_of_another_program_is_read_as_that_program_reads_it(tmp_path: Path) -> None:
    made = mailbox.mbox(tmp_path / "box.mbox")
    texts = [
        mail(f"<{n}@example.org>", body=f"From {n} on\n\nFrom here to there") for n in range(5)
    ]
    for raw in texts:
        made.add(raw)
    made.flush()
    made.close()
    assert raws(tmp_path / "box.mbox") == texts


@pytest.mark.parametrize(
    "line",
    [
        "From - Mon Mar  2 09:00:00 2026",
        "From 1790000000000000001@xxx Mon Mar 02 09:00:00 +0000 2026",
        "From mina at example.org  Mon Mar  2 09:00:00 2026",
        "From mina@example.org Mon Mar  2 09:00 2026",
        "From mina@example.org Mon Mar  2 09:00:00 CET 2026",
        "From mina@example.org Mon Mar  2 09:00:00 2026 +0100",
        'From "mina okafor"@example.org Mon Mar  2 09:00:00 2026',
        "From MAILER-DAEMON Mon Mar  2 09:00:00 2026",
        "From mina@example.org Mon, 02 Mar 2026 09:00:00 +0000",
        "From Mon Mar  2 09:00:00 2026",
        "From mina@example.org Mon Mar  2 09:00:00 2026\r",
    ],
)
def test_separators_of_many_programs_are_known(tmp_path: Path, line: str) -> None:
    raw = line.encode() + b"\n"
    assert raws(box(tmp_path, SEPARATOR, A, b"\n", raw, B, b"\n")) == [A, B]


@pytest.mark.parametrize(
    "text",
    [
        "From there we walked home.",
        "From 9:00 to 12:00 on Monday",
        "From Mon Mar to Tue Apr",
        "From: not a separator",
        "From mina@example.org Mon Mar  2 09:00:00 2026",
        "From",
        "From ",
    ],
)
def test_a_line_of_text_ends_no_message(tmp_path: Path, text: str) -> None:
    raw = mail("<a@example.org>", body=f"Hello\n\n{text}\n\nand so on")
    assert raws(box(tmp_path, SEPARATOR, raw, b"\n", SEPARATOR, B, b"\n")) == [raw, B]


def test_a_separator_in_the_middle_of_a_paragraph_ends_no_message(tmp_path: Path) -> None:
    raw = mail("<a@example.org>", body=f"See:\n{SEPARATOR.decode()}X: y")
    assert raws(box(tmp_path, SEPARATOR, raw, b"\n")) == [raw]


def test_the_escape_before_from_is_taken_away(tmp_path: Path) -> None:
    raw = mail("<a@example.org>", body="Hello\n\n>From there on\n>>From deeper")
    (found,) = raws(box(tmp_path, SEPARATOR, raw, b"\n"))
    assert b"\nFrom there on\n" in found


def test_a_quotation_that_begins_with_from_stays_one(tmp_path: Path) -> None:
    raw = mail("<a@example.org>", body="> Dear Robin\n>From now on\n> we meet")
    assert raws(box(tmp_path, SEPARATOR, raw, b"\n")) == [raw]


def test_line_ends_of_a_message_stay_as_they_are(tmp_path: Path) -> None:
    raw = A.replace(b"\n", b"\r\n")
    ends = SEPARATOR.replace(b"\n", b"\r\n")
    assert raws(box(tmp_path, ends, raw, b"\r\n", ends, raw, b"\r\n")) == [raw, raw]


def test_an_mbox_without_a_last_line_end_is_whole(tmp_path: Path) -> None:
    assert raws(box(tmp_path, SEPARATOR, A.rstrip(b"\n"))) == [A.rstrip(b"\n")]


def test_lines_longer_than_a_piece_are_one_line(tmp_path: Path) -> None:
    raw = mail("<a@example.org>", body="x" * 3_000_000 + "\n\nFrom here")
    assert raws(box(tmp_path, SEPARATOR, raw, b"\n", SEPARATOR, B, b"\n")) == [raw, B]


def test_an_mbox_is_read_one_message_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "big.mbox"
    raw = mail("<a@example.org>", body="word " * 40_000)
    with path.open("wb") as file:
        for _ in range(100):
            file.write(SEPARATOR + raw + b"\n")
    tracemalloc.start()
    try:
        assert sum(1 for _ in mails_in(path)) == 100
        assert tracemalloc.get_traced_memory()[1] < path.stat().st_size / 5
    finally:
        tracemalloc.stop()


def test_the_time_of_a_message_is_that_of_its_separator(tmp_path: Path) -> None:
    path = box(
        tmp_path,
        SEPARATOR + A + b"\n",
        b"From 1@xxx Mon Mar 02 11:00:00 +0200 2026\n" + A + b"\n",
        b"From - Mon Foo 99 09:00:00 2026\n" + A + b"\n",
    )
    nine = datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert [one.at for one in mails_in(path)][:2] == [nine, nine]


@pytest.mark.parametrize(
    ("labels", "folder"),
    [
        ("Inbox,Unread", None),
        ("Sent", Folder.SENT),
        ("Opened,Drafts", Folder.DRAFTS),
        ("Draft", Folder.DRAFTS),
        ("Spam", Folder.TRASH),
        ("Trash,Sent", Folder.TRASH),
        ("=?UTF-8?Q?Entw=C3=BCrfe?=", Folder.DRAFTS),
        ("=?UTF-8?Q?Bo=C3=AEte?=,\n =?UTF-8?Q?Messages_envoy=C3=A9s?=", Folder.SENT),
        ("=?bad?=,=?UTF-8?Q?=ZZ?=", None),
        ("", None),
    ],
)
def test_labels_of_a_gmail_export_tell_the_folder(
    tmp_path: Path, labels: str, folder: Folder | None
) -> None:
    raw = f"X-Gmail-Labels: {labels}\n".encode() + A
    (found,) = mails_in(box(tmp_path, SEPARATOR, raw, b"\n"))
    assert (found.folder, found.raw) == (folder, raw)


def test_a_label_in_a_body_tells_nothing(tmp_path: Path) -> None:
    raw = mail("<a@example.org>", body="X-Gmail-Labels: Sent")
    (found,) = mails_in(box(tmp_path, SEPARATOR, raw, b"\n"))
    assert found.folder is None


def test_a_message_that_mozilla_deleted_lies_in_the_trash(tmp_path: Path) -> None:
    kept, gone = b"X-Mozilla-Status: 0001\n" + A, b"X-Mozilla-Status: 0009\n" + B
    path = box(tmp_path, SEPARATOR, kept, b"\n", SEPARATOR, gone, b"\n")
    assert [one.folder for one in mails_in(path)] == [None, Folder.TRASH]


@pytest.mark.parametrize(
    ("name", "folder"), [("Sent", Folder.SENT), ("Drafts.mbox", Folder.DRAFTS)]
)
def test_the_name_of_an_mbox_tells_the_folder(tmp_path: Path, name: str, folder: Folder) -> None:
    (found,) = mails_in(box(tmp_path, SEPARATOR, A, b"\n", name=name))
    assert found.folder is folder


def test_one_eml_is_one_mail(tmp_path: Path) -> None:
    (found,) = mails_in(box(tmp_path, A, name="one.eml"))
    assert (found.path, found.raw, found.folder) == ("one.eml", A, None)


def test_a_folder_of_eml_files_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.eml", "a.EML", "sub/c.eml"):
        (tmp_path / name).write_bytes(A)
    (tmp_path / "notes.txt").write_text("no mail")
    assert [one.path for one in mails_in(tmp_path)] == ["a.EML", "b.eml", "sub/c.eml"]


def test_a_maildir_gives_folders_and_flags(tmp_path: Path) -> None:
    made = mailbox.Maildir(tmp_path / "Mail", create=True)
    made.add(question())
    made.add_folder("Sent").add(A)
    drafts = mailbox.MaildirMessage(B)
    drafts.set_flags("D")
    drafts.set_subdir("cur")
    made.add(drafts)
    made.add_folder("Archive").add_folder("2025")
    made.close()
    found = list(mails_in(tmp_path / "Mail"))
    assert {(one.raw, one.folder) for one in found} == {
        (question(), None),
        (A, Folder.SENT),
        (B, Folder.DRAFTS),
    }


def test_a_maildir_deeper_down_is_found(tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()
    made = mailbox.Maildir(tmp_path / "backup" / "Mail", create=True)
    made.add(question())
    made.close()
    assert raws(tmp_path) == [question()]


def test_reading_a_maildir_leaves_it_as_it_was(tmp_path: Path) -> None:
    made = mailbox.Maildir(tmp_path / "Mail", create=True)
    made.add(question())
    made.close()
    before = sorted((tmp_path / "Mail").rglob("*"))
    list(mails_in(tmp_path / "Mail"))
    assert sorted((tmp_path / "Mail").rglob("*")) == before


def test_times_of_a_maildir_are_those_in_its_names(tmp_path: Path) -> None:
    for sub in ("cur", "new", "tmp"):
        (tmp_path / sub).mkdir()
    (tmp_path / "cur" / "1772442000.M1P1.host:2,S").write_bytes(A)
    (found,) = mails_in(tmp_path)
    assert found.at == datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_one_broken_file_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.eml").symlink_to("nowhere")
    (tmp_path / "b.eml").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (tmp_path / "c.eml").write_bytes(A)
    assert raws(tmp_path) == [A]


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n\0\0", b"hello world\n", b"\0" * 99])
def test_a_file_that_is_no_mail_is_told(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(MailFilesError, match=r"mbox or \.eml"):
        raws(box(tmp_path, content, name="photo.eml"))


def test_a_missing_path_is_told(tmp_path: Path) -> None:
    with pytest.raises(MailFilesError, match="check the path"):
        raws(tmp_path / "nowhere")


def test_a_folder_without_mail_is_told(tmp_path: Path) -> None:
    with pytest.raises(MailFilesError, match="holds no mail"):
        raws(tmp_path)


def test_an_mbox_with_an_unescaped_from_holds_two_messages() -> None:
    case = Path(__file__).parents[1] / "cases" / "115-mbox-unescaped-from" / "box.mbox"
    if not case.is_file():
        pytest.skip("the case files are not here")
    first, _ = raws(case)
    assert b"From there we walked home." in first
    assert b"Did you like it?" in first


def test_a_folder_of_a_maildir_by_itself_is_known_by_its_name(tmp_path: Path) -> None:
    made = mailbox.Maildir(tmp_path / "Mail", create=True)
    made.add_folder("Sent").add(A)
    made.close()
    assert [one.folder for one in mails_in(tmp_path / "Mail" / ".Sent")] == [Folder.SENT]


@settings(max_examples=60)
@given(raw=st.binary(max_size=400))
def test_any_bytes_after_a_separator_are_one_message_or_more(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "x"
    path.write_bytes(SEPARATOR + raw)
    assert len(raws(path)) >= 1
