"""What lies inside winmail.dat and opaque signatures."""

from __future__ import annotations

import base64
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.mime.enclosed import read_winmail, signed_content, unpack_rtf
from providers.mime.reading import read_mail
from tests.mime.build import mail, multipart

BODY, PROPERTIES, CODEPAGE = 0x0002800C, 0x00069003, 0x00069007
FILE, TITLE, DATA, FILE_PROPERTIES = 0x00069002, 0x00018010, 0x0006800F, 0x00069005
TEXT, RTF, HTML, LONG_NAME = 0x1000, 0x1009, 0x1013, 0x3707


def attribute(name: int, data: bytes) -> bytes:
    return (
        b"\1" + struct.pack("<II", name, len(data)) + data + struct.pack("<H", sum(data) & 0xFFFF)
    )


def text_property(name: int, kind: int, value: bytes) -> bytes:
    return struct.pack("<HHII", kind, name, 1, len(value)) + value + b"\0" * (-len(value) % 4)


def number_property(name: int, value: int) -> bytes:
    return struct.pack("<HHI", 3, name, value)


def named_property(value: bytes) -> bytes:
    name = "Keywords\0".encode("utf-16-le")
    head = struct.pack("<HH16sII", 0x1E, 0x8001, b"g" * 16, 1, len(name))
    head += name + b"\0" * (-len(name) % 4)
    return head + struct.pack("<II", 1, len(value)) + value + b"\0" * (-len(value) % 4)


def properties(*each: bytes) -> bytes:
    return struct.pack("<I", len(each)) + b"".join(each)


def winmail(*attributes: bytes) -> bytes:
    return struct.pack("<IH", 0x223E9F78, 1) + b"".join(attributes)


GREETING = "Grüße, können Sie kommen?"
UTF16 = (GREETING + "\0").encode("utf-16-le")
RICH = (
    rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator x;}"
    rb"\f0 Gr\'fc\'dfe \u8211?\par ok}"
)
STORED = struct.pack("<II4sI", len(RICH) + 12, len(RICH), b"MELA", 0) + RICH

TEXTS = [
    (winmail(attribute(BODY, GREETING.encode("cp1252") + b"\0")), GREETING),
    (
        winmail(
            attribute(CODEPAGE, struct.pack("<II", 1251, 0)),
            attribute(BODY, "Привет".encode("cp1251")),
        ),
        "Привет",
    ),
    (winmail(attribute(PROPERTIES, properties(text_property(TEXT, 0x1F, UTF16)))), GREETING),
    (
        winmail(
            attribute(PROPERTIES, properties(text_property(TEXT, 0x1E, GREETING.encode("cp1252"))))
        ),
        GREETING,
    ),
    (
        winmail(
            attribute(
                PROPERTIES,
                properties(
                    number_property(0x3FFD, 1252),
                    named_property(b"x"),
                    text_property(TEXT, 0x1F, UTF16),
                ),
            )
        ),
        GREETING,
    ),
    (
        winmail(
            attribute(
                PROPERTIES,
                properties(
                    text_property(HTML, 0x102, f"<p>{GREETING}</p><p hidden>no</p>".encode())
                ),
            )
        ),
        GREETING,
    ),
    (winmail(attribute(PROPERTIES, properties(text_property(RTF, 0x102, STORED)))), "Grüße –\nok"),
]


@pytest.mark.parametrize(("content", "text"), TEXTS)
def test_the_text_of_a_winmail_is_read(content: bytes, text: str) -> None:
    assert read_winmail(content).text == text


def test_a_mail_that_is_only_a_winmail_says_what_is_in_it() -> None:
    content = winmail(
        attribute(BODY, b"Can you come?\0"),
        attribute(FILE, b"x" * 14),
        attribute(TITLE, b"PLAN~1.PDF\0"),
        attribute(DATA, b"12345"),
        attribute(
            FILE_PROPERTIES,
            properties(text_property(LONG_NAME, 0x1F, "plan März.pdf\0".encode("utf-16-le"))),
        ),
    )
    raw = mail(
        base64.encodebytes(content),
        "Content-Type: application/ms-tnef; name=winmail.dat",
        "Content-Transfer-Encoding: base64",
    )
    found = read_mail(raw)
    assert (found.text, found.body_unreadable) == ("Can you come?", None)
    assert [(each.name, each.size) for each in found.attachments] == [("plan März.pdf", 5)]


def test_a_winmail_beside_a_text_does_not_replace_it() -> None:
    part = b"Content-Type: application/ms-tnef; name=winmail.dat\n\n" + TEXTS[0][0]
    found = read_mail(multipart("mixed", "\nThe real text.\n", part))
    assert (found.text, [each.name for each in found.attachments]) == (
        "The real text.",
        ["winmail.dat"],
    )


PACKED = [
    (
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0",
        b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n",
    ),
    (
        "1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0",
        b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}",
    ),
]


PACKED.append((PACKED[1][0].replace("1c0000", "ff0000") + "41" * 20, PACKED[1][1]))


@pytest.mark.parametrize(("packed", "rich"), PACKED)
def test_rich_text_is_unpacked_as_its_specification_shows(packed: str, rich: bytes) -> None:
    assert unpack_rtf(bytes.fromhex(packed)) == rich


@settings(deadline=None)
@given(st.binary(max_size=200), st.integers(0, 60), st.binary(max_size=20))
def test_a_damaged_winmail_is_read_without_an_error(junk: bytes, at: int, patch: bytes) -> None:
    for content, _ in TEXTS:
        damaged = content[: 6 + at] + patch + content[6 + at + len(patch) :]
        assert read_winmail(damaged).text.encode() is not None
    assert read_winmail(struct.pack("<IH", 0x223E9F78, 1) + junk).text.encode() is not None
    assert unpack_rtf(junk) is not None


def der(tag: int, *content: bytes) -> bytes:
    body = b"".join(content)
    length = bytes((len(body),)) if len(body) < 128 else b"\x82" + len(body).to_bytes(2, "big")
    return bytes((tag,)) + length + body


SIGNED = der(0x06, bytes.fromhex("2a864886f70d010702"))
CONTENT = der(0x06, bytes.fromhex("2a864886f70d010701"))
INNER = b"Content-Type: text/plain; charset=utf-8\r\n\r\nCan you sign by Friday?\r\n"


def opaque(octets: bytes) -> bytes:
    enclosed = der(0x30, CONTENT, der(0xA0, octets))
    data = der(0x30, der(0x02, b"\1"), der(0x31, b""), enclosed, der(0x31, b""))
    return der(0x30, SIGNED, der(0xA0, data))


PIECES = b"\x24\x80" + der(0x04, INNER[:20]) + der(0x04, INNER[20:]) + b"\0\0"


@pytest.mark.parametrize(
    "octets", [der(0x04, INNER), der(0x24, der(0x04, INNER[:9]), der(0x04, INNER[9:])), PIECES]
)
def test_the_text_inside_an_opaque_signature_is_read(octets: bytes) -> None:
    raw = mail(
        base64.encodebytes(opaque(octets)),
        "Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m",
        "Content-Transfer-Encoding: base64",
    )
    found = read_mail(raw)
    assert (found.text, found.body_unreadable) == ("Can you sign by Friday?", None)


def test_that_a_signature_was_not_checked_is_noted() -> None:
    raw = mail(opaque(der(0x04, INNER)), "Content-Type: application/pkcs7-mime")
    assert "signed (S/MIME); the signature was not checked" in read_mail(raw).notes


@settings(deadline=None)
@given(st.binary(max_size=100), st.integers(0, 120))
def test_a_damaged_signature_is_read_without_an_error(junk: bytes, at: int) -> None:
    whole = opaque(PIECES)
    assert signed_content(whole[:at] + junk + whole[at:]) != b""
