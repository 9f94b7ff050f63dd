"""Attachments by name, type and size."""

from __future__ import annotations

import pytest

from providers.mime.reading import read_mail
from tests.mime.build import mail, multipart

TEXT = "Content-Type: text/plain; charset=utf-8\n\nSee attachment.\n"
PDF = "Content-Type: application/pdf"
ATTACHED = "Content-Disposition: attachment"

NAMES = [
    (f'{PDF}\n{ATTACHED}; filename="plan.pdf"', "plan.pdf"),
    (f"{PDF}\n{ATTACHED}; filename=plan.pdf", "plan.pdf"),
    (f'{PDF}; name="plan.pdf"', "plan.pdf"),
    (f'{PDF}; name="a.pdf"\n{ATTACHED}; filename="b.pdf"', "b.pdf"),
    (f"{PDF}\n{ATTACHED}; filename=two words.pdf", "two words.pdf"),
    (f"{PDF}\n{ATTACHED}; filename*=utf-8''Grundri%C3%9F.pdf", "Grundriß.pdf"),
    (f"{PDF}\n{ATTACHED}; filename*=UTF-8'de'Grundri%c3%9f.pdf", "Grundriß.pdf"),
    (f"{PDF}\n{ATTACHED}; filename*=iso-8859-1''Gr%FC%DFe.pdf", "Grüße.pdf"),
    (f"{PDF}\n{ATTACHED}; filename*=gb2312''%BB%E1%D2%E9%E9%46.pdf", "会议镕.pdf"),
    (
        f"{PDF}\n{ATTACHED};\n filename*0*=utf-8''Grundri%C3%9F%20;\n filename*1*=B%C3%BCro.pdf",
        "Grundriß Büro.pdf",
    ),
    (f'{PDF}\n{ATTACHED};\n filename*1="b.pdf";\n filename*0="a"', "ab.pdf"),
    (f"{PDF}\n{ATTACHED};\n filename*0*=utf-8''%C3;\n filename*1*=%BC.pdf", "ü.pdf"),
    (f"{PDF}\n{ATTACHED};\n filename*0*=utf-8''Gr%C3%BC;\n filename*1=\"ss e.pdf\"", "Grüss e.pdf"),
    (f"{PDF}; name*0*=utf-8''%C3%BC;\n name*1=.pdf", "ü.pdf"),
    (f"{PDF}\n{ATTACHED}; filename=\"fallback.pdf\"; filename*=utf-8''%C3%BC.pdf", "ü.pdf"),
    (f"{PDF}\n{ATTACHED}; filename*=utf-8''; filename=\"plan.pdf\"", "plan.pdf"),
    (f"{PDF}\n{ATTACHED}; filename*=nonsense", "nonsense"),
    (f'{PDF}\n{ATTACHED}; filename="=?utf-8?Q?Grundri=C3=9F.pdf?="', "Grundriß.pdf"),
    (f"{PDF}\n{ATTACHED}; filename==?utf-8?B?R3J1bmRyacOfLnBkZg==?=", "Grundriß.pdf"),
    (f'{PDF}\n{ATTACHED}; filename="=?utf-8?Q?Grundri?=\n =?utf-8?Q?=C3=9F.pdf?="', "Grundriß.pdf"),
    (f'{PDF}\n{ATTACHED}; filename="Grundriß.pdf"', "Grundriß.pdf"),
    (f'{PDF}\n{ATTACHED}; filename="a\\"b.pdf"', 'a"b.pdf'),
    (f'{PDF}\n{ATTACHED}; filename="a;b.pdf"', "a;b.pdf"),
    (f'{PDF}\n{ATTACHED}; filename="unclosed.pdf', "unclosed.pdf"),
    (f'{PDF}\n{ATTACHED}; filename="C:\\\\Users\\\\Mina\\\\plan.pdf"', "plan.pdf"),
    (f'{PDF}\n{ATTACHED}; filename="../../etc/passwd"', "passwd"),
    (f'{PDF}\n{ATTACHED}; filename="a\tb\x07.pdf"', "a b.pdf"),
    (f'{PDF}\n{ATTACHED}; filename="gpj\u202exe.exe"', "gpjxe.exe"),
    (f"{PDF}\n{ATTACHED}; FileName = plan.pdf ; size=5", "plan.pdf"),
    (f"{PDF}\n{ATTACHED}", ""),
    (f"{PDF}; name*\n{ATTACHED}; filename=a.pdf", "a.pdf"),
    (f"{PDF}\n{ATTACHED} filename=a.pdf", ""),
    ("Content-Type: image/png\nContent-Disposition: inline; filename=a.png", "a.png"),
    ("Content-Type: text/plain\nContent-Disposition: attachment; filename=notes.txt", "notes.txt"),
    ("Content-Type: text/plain; name=notes.txt", "notes.txt"),
    ("Content-Type: text/csv; name=a.csv", "a.csv"),
    ("Content-Type: text/html\nContent-Disposition: attachment; filename=a.html", "a.html"),
    ("Content-Type: message/rfc822\nContent-Disposition: attachment; filename=won.eml", "won.eml"),
    ("Content-Type: application/octet-stream; name=x\nContent-Transfer-Encoding: base64", "x"),
]


@pytest.mark.parametrize(("head", "name"), NAMES)
def test_an_attachment_is_named_as_its_sender_meant(head: str, name: str) -> None:
    found = read_mail(multipart("mixed", TEXT, f"{head}\n\nabc\n"))
    assert [each.name for each in found.attachments] == [name]


@pytest.mark.parametrize(("head", "name"), NAMES)
def test_what_is_attached_is_not_part_of_the_text(head: str, name: str) -> None:
    assert read_mail(multipart("mixed", TEXT, f"{head}\n\nabc\n")).text == "See attachment."


def test_a_raw_name_is_read_in_the_character_set_of_the_text() -> None:
    raw = multipart(
        "mixed",
        TEXT.replace("utf-8", "koi8-r"),
        f'{PDF}\n{ATTACHED}; filename="'.encode() + "план".encode("koi8-r") + b'.pdf"\n\nabc\n',
    )
    assert [each.name for each in read_mail(raw).attachments] == ["план.pdf"]


def test_a_mail_that_is_only_an_attachment_has_no_text() -> None:
    raw = mail("JVBERi0=", f'{PDF}; name="plan.pdf"', "Content-Transfer-Encoding: base64")
    found = read_mail(raw)
    assert (found.text, [each.name for each in found.attachments]) == ("", ["plan.pdf"])


def test_a_text_file_that_is_the_whole_mail_is_attached() -> None:
    raw = mail(
        "1,2,3", "Content-Type: text/plain", "Content-Disposition: attachment; filename=a.csv"
    )
    found = read_mail(raw)
    assert (found.text, [each.name for each in found.attachments]) == ("", ["a.csv"])


SIZES = [
    ("base64", b"JVBERi0=", 5),
    ("base64", b"JVBE\r\nRi0\r\n", 5),
    ("base64", b"AAAA\n" * 400_000, 1_200_000),
    ("7bit", b"abcd", 4),
    ("quoted-printable", b"=C3=9F=\nab", 4),
    ("quoted-printable", b"=C3=9F=\n" * 200_000, 400_000),
    ("x-uuencode", b"begin 644 t\n-0V%N('EO=2!C;VUE/P``\n`\nend", 13),
    ("base64", b"", 0),
]


@pytest.mark.parametrize(("encoding", "body", "size"), SIZES)
def test_the_size_is_that_of_the_decoded_file(encoding: str, body: bytes, size: int) -> None:
    part = f"{PDF}; name=a\nContent-Transfer-Encoding: {encoding}\n\n".encode() + body
    (found,) = read_mail(multipart("mixed", TEXT, part)).attachments
    assert found.size == size


def test_a_picture_shown_in_the_html_is_not_attached() -> None:
    html = 'Content-Type: text/html\n\n<p>Look:</p><img src="cid:pic@x">\n'
    picture = "Content-Type: image/png; name=p.png\nContent-ID: <pic@x>\n\nabc\n"
    other = "Content-Type: image/png; name=q.png\nContent-ID: <other@x>\n\nabc\n"
    found = read_mail(multipart("related", html, picture, other))
    assert [each.name for each in found.attachments] == ["q.png"]


def test_a_file_pasted_in_by_uuencode_is_attached_and_not_text() -> None:
    body = "Here it is.\n\nbegin 644 t.txt\n-0V%N('EO=2!C;VUE/P``\n`\nend\n\nMina"
    found = read_mail(mail(body, "Content-Type: text/plain"))
    assert (found.text, found.attachments[0].name) == ("Here it is.\n\n\nMina", "t.txt")


def test_words_that_begin_like_uuencode_stay_text() -> None:
    body = "Let us\nbegin 644 paces north\nand see the end of it?"
    assert read_mail(mail(body, "Content-Type: text/plain")).text == body
