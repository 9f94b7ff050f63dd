"""The body of a mail: its text, or what stands in its place, or why there is none.

Most mails have a text part and ``parts`` finds it. Here is what the others come to: a mail passed
on without a word, Outlook's winmail.dat, an opaque signature, armour around the text. What only a
key or another program opens is said in words and never guessed at.
"""

from __future__ import annotations

import re
from typing import Final

from providers.mime.content import body, encoding_of
from providers.mime.enclosed import ENCLOSED_BYTES, read_winmail, signed_content
from providers.mime.headers import split_headers, start_of_headers
from providers.mime.parts import Body, Reader, has_text
from providers.mime.scan import TOO_DEEP, Part, scan

FORWARDS_MAX: Final = 5
"""How many mails inside one another, and how many beside one another, are opened for their text."""
SIGNATURES_MAX: Final = 2
"""How many opaque signatures inside one another are opened."""

_WINMAIL: Final = frozenset(("application/ms-tnef", "application/vnd.ms-tnef"))
_SMIME: Final = frozenset(("application/pkcs7-mime", "application/x-pkcs7-mime"))
_MAILS: Final = frozenset(("message/rfc822", "message/global"))
_LOCKED: Final = {
    "application/ms-tnef": "the text is inside a winmail.dat that holds none we can read",
    "application/vnd.ms-tnef": "the text is inside a winmail.dat that holds none we can read",
    "application/pkcs7-mime": "encrypted (S/MIME)",
    "application/x-pkcs7-mime": "encrypted (S/MIME)",
    "multipart/encrypted": "encrypted (PGP/MIME)",
    "message/partial": "one piece of a mail that was cut into several",
    "message/external-body": "the text lies outside the mail",
}
_HEADS: Final = ("from", "date", "subject", "to")
_PGP: Final = re.compile(r"^-----BEGIN PGP MESSAGE-----[ \t]*$", re.MULTILINE)
_PGP_SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----"
_PGP_SIGNATURE: Final = "-----BEGIN PGP SIGNATURE-----"
_PGP_END: Final = "-----END PGP SIGNATURE-----"


def _open_mail(raw: bytes, part: Part, out: Body) -> str:
    """A mail inside a mail as text: who wrote it, when, its subject, and what it says."""
    shown: list[str] = []
    for _ in range(FORWARDS_MAX):
        headers = split_headers(raw, start_of_headers(raw, part.start), part.end)
        root, notes = scan(raw, headers, part.end)
        reader = Reader(raw, None)
        texts = reader.read(root)
        for note in (*notes, *reader.out.notes):
            out.note(note)
        shown.append("---------- Forwarded message ---------")
        for name in _HEADS:
            text = headers.text(name)
            if text:
                shown.append(f"{name.capitalize()}: {text}")
        shown.append("")
        if has_text(texts):
            return "\n".join(shown) + "\n" + "\n\n".join(text.strip("\n") for text in texts)
        following = _mails(root)
        if not following:
            break
        part = following[0]
    return ""


def _mails(root: Part) -> list[Part]:
    """The mails that are parts of *root*, as far as they are not encoded (RFC 2046 5.2.1)."""
    return [
        part
        for part in root.walk()
        if part.kind.value in _MAILS and not part.children and not encoding_of(part)
    ]


def _open_mails(raw: bytes, root: Part, out: Body) -> list[str]:
    """The texts of mails that were passed on without a word."""
    found = _mails(root)
    if len(found) > FORWARDS_MAX:
        out.note(f"of {len(found)} mails inside this one {FORWARDS_MAX} were opened")
    texts = [_open_mail(raw, part, out) for part in found[:FORWARDS_MAX]]
    if found and not has_text(texts):
        out.unreadable = "it holds nothing but mails inside one another"
    return [text for text in texts if text]


def _open_winmail(raw: bytes, root: Part, out: Body) -> list[str]:
    """The text of a winmail.dat; its files are listed in its place."""
    texts: list[str] = []
    for part in root.walk():
        if part.kind.value not in _WINMAIL or part.children:
            continue
        content, cut = body(raw, part, ENCLOSED_BYTES)
        found = read_winmail(content)
        out.note("a winmail.dat was cut" if cut else None)
        if found.files:
            out.attachments = [each for each in out.attachments if each.type not in _WINMAIL]
            out.attachments += found.files
        if found.text.strip():
            texts.append(found.text)
    return texts


def _open_signed(raw: bytes, root: Part, out: Body, left: int) -> list[str]:
    """The text inside an opaque S/MIME signature, which nobody has verified."""
    if left == 0:
        return []
    for part in root.walk():
        if part.kind.value not in _SMIME or part.children:
            continue
        content, _ = body(raw, part, ENCLOSED_BYTES)
        inner = signed_content(content)
        if inner is None:
            continue
        headers = split_headers(inner, start_of_headers(inner), len(inner))
        root, notes = scan(inner, headers, len(inner))
        found = read_body(inner, root, notes, None, left - 1)
        out.note("signed (S/MIME); the signature was not checked")
        out.attachments += found.attachments
        out.unreadable = found.unreadable
        for note in found.notes:
            out.note(note)
        return found.texts
    return []


def _unarmoured(text: str, out: Body) -> str:
    """Text without the armour of an inline PGP signature; says when it is encrypted."""
    if "-----BEGIN PGP " not in text:
        return text
    encrypted = _PGP.search(text)
    if encrypted is not None and not text[: encrypted.start()].strip():
        out.unreadable = "encrypted (PGP)"
        return text
    before, signed, rest = text.partition(_PGP_SIGNED)
    if not signed:
        return text
    inner, signature, behind = rest.partition(_PGP_SIGNATURE)
    # The headers of the armour ("Hash: SHA256") end at a blank line (RFC 4880 section 7).
    clear = inner.partition("\n\n")[2]
    clear = re.sub(r"^- ", "", clear, flags=re.MULTILINE)
    out.note(
        "signed (PGP); the signature was not checked" if signature else "a PGP signature is cut"
    )
    return before + clear + behind.partition(_PGP_END)[2]


def _locked(root: Part) -> str | None:
    """Why a mail without text has none: what only a key or another program opens."""
    for part in root.walk():
        if part.kind.value in _LOCKED:
            return _LOCKED[part.kind.value]
    return None


def read_body(
    raw: bytes, root: Part, notes: list[str], charset: str | None, signatures: int = SIGNATURES_MAX
) -> Body:
    """The text and the attachments of the mail *raw* whose tree is *root*.

    *charset* is what raw names of attachments are read in when they are not UTF-8.
    """
    reader = Reader(raw, charset)
    out = reader.out
    out.notes += notes
    texts = reader.read(root)
    if not has_text(texts):
        reader.lenient = True
        texts = reader.read(root)
    single = len(reader.htmls) == 1 and sum(map(bool, map(str.strip, texts))) == 1
    out.html = reader.htmls[0] if single else None
    reader.attach(root)
    inside = _open_winmail(raw, root, out)
    if not has_text(texts):
        texts = inside or _open_signed(raw, root, out, signatures) or _open_mails(raw, root, out)
        if not texts and out.unreadable is None:
            out.unreadable = _locked(root) or (TOO_DEEP if TOO_DEEP in notes else None)
    out.texts = [_unarmoured(text.strip("\n"), out) for text in texts if text.strip()]
    return out
