"""Another reader beside ours: mail-parser for headers, text and attachments of the cases.

Where the two disagree the reason stands here, and a disagreement that ends fails the test too, so
that the list stays true. Its addresses come from Python's own parser, its text has no body chosen.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path

import mailparser  # type: ignore[import-untyped]
import pytest

from providers.mime.message import Address
from providers.mime.reading import read_mail

CASES = Path(__file__).parent.parent / "cases"
MAILS = sorted(path for path in CASES.glob("*/*.eml"))
NAMES = [f"{path.parent.name}/{path.name}" for path in MAILS]


def spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def parsed(name: str) -> mailparser.MailParser:
    logging.disable(logging.CRITICAL)
    try:
        return mailparser.parse_from_bytes((CASES / name).read_bytes())
    finally:
        logging.disable(logging.NOTSET)


def pairs(addresses: tuple[Address, ...]) -> list[tuple[str, str]]:
    return [(spaced(address.name), address.addr) for address in addresses]


REASONS = {
    ("005-display-name-bare-comma/1.eml", "from"): "a bare comma does not end a display name",
    ("064-bounce-multipart-report/2.eml", "text"): "the returned mail is not the report's text",
    ("064-bounce-multipart-report/2.eml", "attachments"): "it lists no parts of a report",
    ("068-newsletter/1.eml", "text"): "a program shows the HTML, which says less",
    ("071-gb2312-is-gbk/1.eml", "subject"): "gb2312 in mail is GBK",
    ("071-gb2312-is-gbk/1.eml", "from"): "gb2312 in mail is GBK",
    ("071-gb2312-is-gbk/1.eml", "text"): "gb2312 in mail is GBK",
    ("073-iso2022jp-two-words/1.eml", "text"): "it leaves the escapes of ISO-2022-JP in the text",
    ("074-iso2022jp-vendor-row13/1.eml", "text"): "it leaves the escapes in the text",
    ("076-win1252-as-latin1/1.eml", "text"): "latin-1 in mail is windows-1252",
    ("079-koi8r-raw-subject/1.eml", "subject"): "raw bytes are in the body's character set",
    ("088-encoded-word-broken-base64/1.eml", "subject"): "what is lost is marked by U+FFFD",
    ("089-utf7-body/1.eml", "text"): "UTF-7 is decoded where it is declared",
    ("092-nul-bytes/1.eml", "subject"): "no store takes NUL",
    ("092-nul-bytes/1.eml", "text"): "no store takes NUL",
    ("094-bidi-and-zwj/1.eml", "from"): "direction overrides are taken out of names",
    ("103-empty-plain-use-html/1.eml", "text"): "the blank alternative is not the text",
    ("110-base64-unpadded-with-footer/1.eml", "text"): "base64 is read up to the footer",
    ("113-rfc822-attachment/1.eml", "text"): "an attached mail is not the text",
    ("145-format-flowed-delsp/1.eml", "text"): "flowed lines are joined",
    ("157-inj-display-name-newline/1.eml", "from"): "an encoded line end costs no sender",
}
RAISING = {"100-nested-1500/1.eml", "101-nested-rfc822-1200/1.eml"}


def differences(name: str) -> set[str]:
    """The fields in which the two readers disagree about one case."""
    other, mail = parsed(name), read_mail((CASES / name).read_bytes())
    seen: dict[str, tuple[object, object]] = {
        "subject": (spaced(other.subject or ""), mail.subject),
        "message_id": (other.message_id or None, mail.message_id),
        "dated": (other.date is not None, mail.date is not None),
        "attachments": (
            [each["filename"] for each in other.attachments],
            [each.name for each in mail.attachments],
        ),
    }
    if other.text_plain:
        seen["text"] = (spaced(" ".join(other.text_plain)), spaced(mail.text))
    for field, addresses in (
        ("from", mail.from_),
        ("to", mail.to),
        ("cc", mail.cc),
        ("reply_to", mail.reply_to),
    ):
        found = getattr(other, "from_" if field == "from" else field) or []
        seen[field] = ([(spaced(label), addr) for label, addr in found if addr], pairs(addresses))
    return {field for field, (theirs, ours) in seen.items() if theirs != ours}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in RAISING])
def test_another_parser_sees_the_same_but_where_the_reason_is_known(name: str) -> None:
    assert differences(name) == {field for case, field in REASONS if case == name}


@pytest.mark.parametrize("name", sorted(RAISING))
def test_what_the_other_parser_refuses_is_read(name: str) -> None:
    assert read_mail((CASES / name).read_bytes()).unreadable is None
