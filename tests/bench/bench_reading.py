"""How fast, how small and how linear reading is, and what becomes of a few thousand real mails.

    python -m tests.bench.bench_reading [mails]

Bytes to new text is timed against mail-parser with mail-parser-reply on the same mails, turn by
turn in one process, so that a busy machine slows both; only the ratio means something. The large
mail is read in a process of its own, because memory is counted for a whole process. Of the real
mails counts are printed and nothing else. Ends with 1 when a figure is missed.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

import mailparser  # type: ignore[import-untyped]
from mailparser_reply import EmailReplyParser  # type: ignore[import-untyped]

from providers.mime import reading
from providers.mime.reading import read_heads, read_mail
from providers.mime.threads import group_threads, message_ids
from tests.bench.corpus import raw_mails
from tests.cases import gen_large
from tests.mime.build import mail, multipart

FASTER: Final = 2.0
"""How many times as many mails a second as the two libraries together."""
HELD_S: Final = 0.05
"""How long another thread may wait for the interpreter while a large mail is read."""
PEAK_MIB: Final = 300
"""The most memory of a process that reads a mail of 50 MB."""
GROWTH: Final = 3.0
"""How much longer twice the input may take; 2 is linear, 4 is quadratic."""
BATCH: Final = 25


def theirs(raws: Sequence[bytes]) -> None:
    reply = EmailReplyParser(languages=["en"])
    for raw in raws:
        found = mailparser.parse_from_bytes(raw)
        text = "\n".join(found.text_plain) or "\n".join(found.text_html)
        assert reply.read(text).latest_reply is not None


def ours(raws: Sequence[bytes]) -> None:
    for raw in raws:
        read_mail(raw)


def seconds(work: Callable[[], object]) -> float:
    """Seconds of this process's own time, so that others on the machine do not count."""
    start = time.process_time()
    work()
    return time.process_time() - start


def timed(work: Callable[[Sequence[bytes]], None], raws: Sequence[bytes]) -> float:
    with contextlib.redirect_stdout(io.StringIO()):  # one of the libraries prints
        return seconds(partial(work, raws))


def speed(raws: Sequence[bytes]) -> float:
    """How many times faster than the libraries, as the median over batches."""
    logging.disable(logging.ERROR)
    batches = [raws[at : at + BATCH] for at in range(0, len(raws) - BATCH, BATCH)]
    timed(ours, batches[0])
    timed(theirs, batches[0])
    pairs = [(timed(ours, batch), timed(theirs, batch)) for batch in batches]
    mine, other = (sum(pair[which] for pair in pairs) for which in (0, 1))
    ratio = median(pair[1] / pair[0] for pair in pairs)
    count = len(batches) * BATCH
    print(
        f"{count} mails: {count / mine:.0f}/s, libraries {count / other:.0f}/s, "
        f"x{other / mine:.1f} in all, x{ratio:.1f} in the median batch"
    )
    return ratio


def robust(raws: Sequence[bytes]) -> bool:
    """Whether no mail raises or is quarantined; prints what the mails came to, as counts."""
    faults: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for raw in raws:
        try:
            found = reading._read(raw, ())
        except Exception as error:  # noqa: BLE001 - counted, and the bench fails
            faults[type(error).__name__] += 1
            continue
        seen["unreadable"] += found.unreadable is not None
        seen["body unreadable"] += found.body_unreadable is not None
        seen["without text"] += not found.text.strip()
        seen["automated"] += found.automated is not None
        seen["with a note"] += bool(found.notes)
    print(f"{len(raws)} mails read: {dict(seen)}, raised: {dict(faults)}")
    return not faults and not seen["unreadable"]


def threads(raws: Sequence[bytes]) -> None:
    heads = [read_heads(raw) for raw in raws]
    known = {key for each in heads for key in message_ids(each.message_id or "")}
    answers = sum(
        any(key in known for value in each.references for key in message_ids(value))
        for each in heads
    )
    print(f"{len(set(group_threads(heads)))} threads; by References {answers} are answers here")


def growth(name: str, make: Callable[[int], bytes], size: int) -> bool:
    small, large = make(size), make(size * 2)
    once = min(seconds(lambda: read_mail(small)) for _ in range(3))
    twice = min(seconds(lambda: read_mail(large)) for _ in range(3))
    ratio = twice / once
    print(f"{name} {size} -> {size * 2}: {once * 1e3:.1f} -> {twice * 1e3:.1f} ms, x{ratio:.1f}")
    return twice < GROWTH * once or twice < 0.01


def nested(levels: int) -> bytes:
    parts = "".join(
        f"Content-Type: multipart/mixed; boundary=b{level}_\n\n--b{level}_\n"
        for level in range(levels)
    )
    return f"From: mina@example.org\n{parts}Content-Type: text/plain\n\nHi\n".encode()


def references(count: int) -> bytes:
    return mail(
        "Hi", "References: " + "\n ".join(f"<{at}.{'q' * 30}@example.org>" for at in range(count))
    )


def page(rows: int) -> bytes:
    row = "<tr><td style='color:#333'>point</td><td><b>value</b></td></tr>"
    return mail(f"<table>{row * rows}</table>", "Content-Type: text/html")


def recipients(count: int) -> bytes:
    return mail("Hi", "To: " + "P <p@example.org>, " * count)


def linear() -> bool:
    grown = [
        growth("parts", lambda count: multipart("mixed", *["X: y\n\nx"] * count), 10_000),
        growth("nested multiparts", nested, 1500),
        growth("references", references, 300),
        growth("rows of HTML", page, 2000),
        growth("quoted lines", lambda count: mail("Yes.\n\n" + "> line of text\n" * count), 5000),
        growth("lines", lambda count: mail("A line of text, one of many.\n" * count), 5000),
        growth("recipients", recipients, 1000),
    ]
    return all(grown)


def read_large(path: Path) -> None:
    """Read the mail at *path*; print how long the interpreter was held and the peak of memory."""
    raw = path.read_bytes()
    gaps: list[float] = []
    done = threading.Event()

    def watch() -> None:
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    taken = seconds(lambda: read_mail(raw))
    done.set()
    watcher.join()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    mib = peak / 1024 if sys.platform != "darwin" else peak / 1024 / 1024
    print(json.dumps({"s": taken, "held_s": max(gaps), "peak_mib": mib}))


def large() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.eml"
        gen_large.big(path, 50)
        command = [sys.executable, "-m", "tests.bench.bench_reading", "--large", str(path)]
        runs = [
            json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            for _ in range(3)
        ]
    held = min(run["held_s"] for run in runs)  # the least disturbed run
    peak = max(run["peak_mib"] for run in runs)
    taken = min(run["s"] for run in runs)
    print(f"a mail of 50 MB: {taken * 1e3:.0f} ms, held {held * 1e3:.0f} ms, peak {peak:.0f} MiB")
    return bool(held < HELD_S and peak < PEAK_MIB)


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--large"]:
        read_large(Path(arguments[1]))
        return 0
    raws = list(raw_mails())
    sample = raws[:: max(1, len(raws) // int(arguments[0] if arguments else 1000))]
    held = [robust(raws), speed(sample) >= FASTER, linear(), large()]
    threads(raws)
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
