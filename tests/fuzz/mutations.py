"""What both fuzzers share: pieces of mail that make mutations reach deep, and the check."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from providers.mime import reading
from providers.mime.message import Address, Attachment

DICTIONARY: Final = (
    b"\n", b"\r\n", b"\n\n", b"\r", b" ", b"\t", b"\0", b"\xff", b"\xe2\x80", b"\x1b$B", b"\x1b(B",
    b"--", b"--rep0", b"--rep0--", b'"', b"'", b"(", b")", b"<", b">", b"<>", b",", b";", b":",
    b"=", b"=?", b"?=", b"=?utf-8?Q?", b"=?utf-8?B?", b"=?iso-2022-jp?B?GyRC?=",
    b"*0*=", b"*=utf-8''%C3",
    b"From ", b"From: ", b"To: a@example.org\n", b"Subject: ", b"Date: Mon, 99 Mar 99999 99:99:99",
    b"Message-ID: <[a@b>\n", b"References: <a@b> <c\n d>\n", b"In-Reply-To: x <a@b> y\n",
    b"Auto-Submitted: ", b"Return-Path: <>\n", b"List-Post: NO\n", b"Precedence: bulk\n",
    b"Content-Type: text/plain; charset=", b"Content-Type: text/html\n\n", b"utf-7", b"utf-16",
    b"hz", b"gb2312", b"iso-2022-kr", b"shift_jis", b"rot13", b"idna",
    b"Content-Type: multipart/mixed; ",
    b"Content-Type: multipart/alternative; boundary=rep0\n\n", b"boundary=", b"boundary=rep0",
    b"Content-Type: message/rfc822\n\n", b"Content-Type: application/ms-tnef\n\n\x78\x9f\x3e\x22",
    b"Content-Type: application/pkcs7-mime\n\n", b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02",
    b"Content-Type: text/calendar; method=REPLY\n\n", b"Content-Disposition: attachment; filename=",
    b"Content-Transfer-Encoding: base64\n", b"Content-Transfer-Encoding: quoted-printable\n",
    b"format=flowed; delsp=yes", b"begin 644 a\n", b"\nend\n", b"> ", b">From ", b"-- \n",
    b"<div style='display:none'>", b"<style>.a{", b"</div>", b"<blockquote>", b"<!--", b"&#x",
    b"-----BEGIN PGP SIGNED MESSAGE-----\n", b"-----BEGIN PGP MESSAGE-----\n",
    b"On Mon, 2 Mar 2026 Robin wrote:\n", b"-----Original Message-----\n", "\u202e\u200d".encode(),
)  # fmt: skip


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Address):
        return [value.addr, value.name]
    if isinstance(value, Attachment):
        return [value.name, value.type]
    return [text for item in value for text in _texts(item)] if isinstance(value, tuple) else []


def check(raw: bytes) -> None:
    """Read *raw* without the last line of defence; every text must be valid and without NUL.

    The heads must agree with the mail, also when they are read from the header block alone.
    """
    mail = reading._read(raw, ("Shall I come at five?",))
    for each in fields(mail):
        for text in _texts(getattr(mail, each.name)):
            assert "\0" not in text, each.name
            text.encode("utf-8")
    heads = reading._heads(raw)
    assert (heads.identity, heads.message_id) == (mail.identity, mail.message_id)
    assert reading._heads(raw[: reading.IDENTITY_BYTES]).identity == mail.identity
