"""Mails as bytes, made from the few lines that a test is about."""

from __future__ import annotations

HEAD = """\
From: Mina Okafor <mina@example.org>
To: Robin Vale <robin@example.com>
Subject: Roof
Date: Mon, 02 Mar 2026 09:00:00 +0000
Message-ID: <roof@example.org>
MIME-Version: 1.0
"""


def mail(body: bytes | str, *lines: str, head: str = HEAD) -> bytes:
    """A mail with *body* and further header *lines*; one that repeats a name replaces it."""
    names = {line.partition(":")[0].lower() for line in lines}
    kept = [line for line in head.splitlines() if line.partition(":")[0].lower() not in names]
    raw = body if isinstance(body, bytes) else body.encode()
    return "\n".join([*kept, *lines]).encode() + b"\n\n" + raw


def multipart(kind: str, *parts: bytes | str, boundary: str = "fence", head: str = HEAD) -> bytes:
    """A mail of *parts*, each given with its own header lines."""
    fence = f"--{boundary}\n".encode()
    raws = [part if isinstance(part, bytes) else part.encode() for part in parts]
    body = b"".join(fence + raw + b"\n" for raw in raws) + f"--{boundary}--\n".encode()
    return mail(body, f'Content-Type: multipart/{kind}; boundary="{boundary}"', head=head)
