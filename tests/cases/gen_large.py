"""The two large inputs: ``big OUT.eml MEGABYTES``, ``thread OUTDIR N``. Invented content only."""

import base64
import sys
from pathlib import Path

PEOPLE = (
    ("Mina Okafor", "mina@example.org"),
    ("Kai Lind", "kai@example.net"),
    ("Robin Vale", "robin@example.com"),
)
SIDES = ("east", "west", "north", "south")
BIG_HEAD = b"""\
From: Mina Okafor <mina@example.org>
To: robin@example.com
Subject: Big file
Date: Mon, 02 Mar 2026 09:00:00 +0000
Message-ID: <big@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="B"

--B
Content-Type: text/plain; charset=utf-8

Did the file reach you?
--B
Content-Type: application/octet-stream
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="big.bin"

"""


def big(out: Path, megabytes: int) -> None:
    """Write one mail with one line of text and an attachment of *megabytes* as it lies on disk."""
    line = base64.b64encode(b"\0" * 57) + b"\n"
    with out.open("wb") as file:
        file.write(BIG_HEAD)
        for _ in range(megabytes * 1024 * 1024 // len(line)):
            file.write(line)
        file.write(b"--B--\n")


def thread(folder: Path, count: int) -> None:
    """Write a conversation of *count* messages, each quoting the one before; the last one asks."""
    folder.mkdir(parents=True, exist_ok=True)
    ids: list[str] = []
    quoted = ""
    for number in range(count):
        last = number == count - 1
        name, address = PEOPLE[0] if last else PEOPLE[number % 3]
        others = ", ".join(other for _, other in PEOPLE if other != address)
        text = f"Point {number}: the {SIDES[number % 4]} fence panel is {number % 40} cm too long."
        if last:
            text = "Robin, which of the 1000 points is still open, and who fixes it?"
        if quoted:
            marked = "\n".join("> " + line for line in quoted.split("\n"))[:4000]
            text += f"\n\nOn some day, somebody wrote:\n{marked}"
        clock = f"{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}"
        head = (
            f"From: {name} <{address}>\nTo: {others}\nSubject: {'Re: ' if ids else ''}Fence\n"
            f"Date: Mon, 02 Mar 2026 {clock} +0000\nMessage-ID: <t{number}@example.org>\n"
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
        )
        if ids:
            references = "\n ".join(ids[:1] + ids[-20:])
            head += f"In-Reply-To: {ids[-1]}\nReferences: {references}\n"
        (folder / f"{number:04}.eml").write_text(f"{head}\n{text}\n", encoding="utf-8")
        ids.append(f"<t{number}@example.org>")
        quoted = text


if __name__ == "__main__":
    what, where, size = sys.argv[1:]
    (big if what == "big" else thread)(Path(where), int(size))
