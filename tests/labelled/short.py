"""Short mails, one a line, that were written while the rules were tuned.

``short.txt`` holds ``Y|sole|text``: whether an answer is owed, where the owner stands (the only one
in To, one of a few, one of many, only in copy), and the text with ``\\n`` for line ends. Each lot
was judged once before a rule was changed for it; together they keep what was learned.
"""

from __future__ import annotations

from pathlib import Path

from assistant.core.conversation import Conversation
from tests.core_rules.build import BEN, KAI, ME, mail, thread

FILE = Path(__file__).parent / "short.txt"
SARA = "Sara Shaw <sara@example.org>"
AUDIENCES = {
    "sole": {"to": [ME]},
    "few": {"to": [ME, BEN, KAI]},
    "many": {"to": [ME, *(f"reader{number}@example.org" for number in range(30))]},
    "copy": {"to": [SARA], "cc": [ME]},
}


def short_mails() -> list[tuple[bool, str, Conversation]]:
    """Whether an answer is owed, the text, and the conversation of each line."""
    found: list[tuple[bool, str, Conversation]] = []
    for line in FILE.read_text("utf-8").splitlines():
        owed, place, text = line.split("|", 2)
        written = text.replace("\\n", "\n")
        found.append((owed == "Y", written, thread(mail(written, **AUDIENCES[place]))))
    return found
