"""What may stand in a log: text of ours without the addresses that it may quote.

Problems of configuration and of mailboxes are said in our own words, but name what they are about:
a login, a mailbox's owner. A log is read by more people than the review queue is.
"""

from __future__ import annotations

import re
from typing import Final

_ADDRESS: Final = re.compile(r"\S+@\S*|\S*@\S+")


def loggable(text: str) -> str:
    """*text*, with every word that holds an @ replaced."""
    return _ADDRESS.sub("(an address)", text)
