"""How many tokens a text may have, without the tokenizer of anybody's model.

Small models need a token for each 1.5 bytes of Japanese, large ones one for each 5 bytes of
English. So budgets begin with the worst rate and are corrected by what a server says it has read.
The other way round, no tokenizer makes one token of two words with a space between them, which is
how a prompt that was cut silently is noticed; nothing that was seen of one language says how few
tokens another one needs, so that floor is never raised.

Pure. The rate moves in steps, so that what a thread's prompt leaves out seldom changes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

WORST: Final = 1.5
"""Bytes per token that are reckoned with before anything is known."""
BEST: Final = 3.0
"""Bytes per token that are reckoned with at most; the next thread may be in another language."""

_STEP: Final = 0.5
_CAUTION: Final = 0.75
_TELLING: Final = 100
_SURE: Final = 0.9
_LONGEST: Final = 16
"""Letters of a word that one token may hold, as a rule."""
_EAST: Final = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Rate:
    """What is known of one model's tokens: the fewest bytes per token that were seen."""

    fewest: float | None = None

    def seen(self, size: int, tokens: int) -> Rate:
        """The rate after a prompt of *size* bytes that a server read as *tokens*."""
        if tokens < _TELLING:
            return self
        told = size / tokens
        return Rate(told if self.fewest is None else min(told, self.fewest))

    @property
    def bytes_per_token(self) -> float:
        """What budgets reckon with: between WORST and BEST, in steps."""
        if self.fewest is None:
            return WORST
        careful = math.floor(self.fewest * _CAUTION / _STEP) * _STEP
        return min(BEST, max(WORST, careful))

    def at_most(self, text: str) -> int:
        """Tokens that *text* has at most, as far as is known."""
        return math.ceil(len(text.encode()) / self.bytes_per_token)


def at_least(text: str) -> int:
    """Tokens that a server must have read of *text*, unless it cut it."""
    words = sum(1 + (len(word) - 1) // _LONGEST for word in _EAST.sub(" ", text).split())
    return int(_SURE * (words + len(_EAST.findall(text)) / 4))
