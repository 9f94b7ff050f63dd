"""How much of the author's words each library keeps, and how clean: run by hand.

    python -m tests.bench.bench_newtext

Over the samples of tests/newtext: **clean** is the share of mails of which exactly the author's
words are left, **kept** the share of which none of them is lost. The samples were written beside
our own reader, so its row says only that nothing broke; the others' rows say what a library costs.
Libraries that aren't installed are left out.
"""

from __future__ import annotations

import importlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Final

from rich.console import Console
from rich.table import Table

from providers.mime.html import html_to_text
from providers.mime.newtext import new_text
from tests.newtext.mails import SAMPLES, Sample

Reader = Callable[[Sample, str], str]

ROUNDS: Final = 20


def _ours(sample: Sample, text: str) -> str:
    found = new_text(text, html=sample.html, subject=sample.subject, parents=sample.parents)
    return found.text


def _ours_text_only(_sample: Sample, text: str) -> str:
    return new_text(text).text


def _mail_parser_reply() -> Reader:
    parser = importlib.import_module("mailparser_reply").EmailReplyParser(
        languages=["en", "de", "fr", "es", "it", "nl", "pl", "sv", "da", "cs", "ja", "ko", "zh"]
    )

    def read(_sample: Sample, text: str) -> str:
        replies = parser.read(text).replies
        return (replies[0].body or "") if replies else ""

    return read


def _email_reply_parser() -> Reader:
    parser = importlib.import_module("email_reply_parser").EmailReplyParser
    return lambda _sample, text: str(parser.parse_reply(text))


def _quotequail() -> Reader:
    quotequail = importlib.import_module("quotequail")

    def read(_sample: Sample, text: str) -> str:
        found = quotequail.unwrap(text)
        if not found:
            return text
        return "\n".join(filter(None, (found.get("text_top"), found.get("text_bottom"))))

    return read


def _unquotemail() -> Reader:
    unquote = importlib.import_module("unquotemail").Unquote
    return lambda sample, text: str(unquote(sample.html, text).get_text() or "")


LIBRARIES: Final[dict[str, Callable[[], Reader]]] = {
    "ours": lambda: _ours,
    "ours, text alone": lambda: _ours_text_only,
    "mail-parser-reply": _mail_parser_reply,
    "quotequail": _quotequail,
    "email-reply-parser": _email_reply_parser,
    "unquotemail": _unquotemail,
}


def _text(sample: Sample) -> str:
    return sample.text if sample.text is not None else html_to_text(sample.html or "")


def judge(read: Reader) -> tuple[Counter[str], dict[str, int]]:
    """How many samples come out clean, kept and raising; and how many of each kind clean."""
    counts: Counter[str] = Counter()
    kinds: dict[str, int] = defaultdict(int)
    for sample in SAMPLES:
        try:
            found = read(sample, _text(sample)).split()
        except Exception:  # noqa: BLE001 - a library may raise anything; it is what is counted
            counts["raised"] += 1
            continue
        own = sample.own.split()
        kinds[sample.kind] += found == own
        counts["clean"] += found == own
        counts["kept"] += not Counter(own) - Counter(found)
    return counts, kinds


def _per_second(read: Reader) -> float:
    texts = [(sample, _text(sample)) for sample in SAMPLES]
    started = time.perf_counter()
    for _ in range(ROUNDS):
        for sample, text in texts:
            read(sample, text)
    return ROUNDS * len(texts) / (time.perf_counter() - started)


def main() -> None:
    """Prints the two tables."""
    totals = Table("library", "clean", "kept", "raised", "mails a second")
    by_kind = Table("kind", "mails", title="clean, by kind")
    columns: dict[str, dict[str, int]] = {}
    for name, load in LIBRARIES.items():
        try:
            read = load()
        except (ImportError, SyntaxError, AttributeError):
            continue
        counts, columns[name] = judge(read)
        speed = "-" if counts["raised"] else f"{_per_second(read):,.0f}"
        shares = [f"{counts[what] / len(SAMPLES):.0%}" for what in ("clean", "kept")]
        totals.add_row(name, *shares, str(counts["raised"]), speed)
        by_kind.add_column(name)
    for kind, mails in Counter(sample.kind for sample in SAMPLES).items():
        by_kind.add_row(kind, str(mails), *(str(found[kind]) for found in columns.values()))
    console = Console(width=140)
    console.print(totals)
    console.print(by_kind)


if __name__ == "__main__":
    main()
