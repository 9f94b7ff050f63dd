"""What a message that asks nothing does: close, answer, promise, inform, or leave one unsure.

A message without a question can mean that a question is settled, that somebody else took it on,
or that its writer will come back. Each is told from phrases in its first sentences, because
"Thanks" below a long mail closes nothing. Pure and total.
"""

from __future__ import annotations

from typing import Final

from assistant.core.phrases import LANGUAGES
from assistant.core.phrases.lexicon import Kind
from assistant.core.questions import Said

SHORT: Final = 60
"""Words of a message that can be no more than a closing or an answer."""
_PLAIN: Final = 14
"""Words of a statement so short that nothing can hide in it."""


def closes(spoken: Said) -> bool:
    """Whether the writer's own earlier questions are settled by this message."""
    if spoken.asks or spoken.words > SHORT:
        return False
    return bool(spoken.opening & {Kind.CLOSING, Kind.WAIVE, Kind.THANKS})


def answers(spoken: Said) -> bool:
    """Whether this reply of somebody else takes care of what was asked.

    Thanks, agreement and further questions do not; a statement does, and so does a promise.
    """
    if spoken.asks or not spoken.words:
        return False
    return Kind.THANKS not in spoken.opening or Kind.PROMISE in spoken.opening


def promises(spoken: Said) -> bool:
    """Whether the writer says that they will come back to it."""
    return Kind.PROMISE in spoken.kinds and not spoken.asks


def is_clear(spoken: Said) -> bool:
    """Whether it is plain that a message without questions wants nothing."""
    if spoken.words <= _PLAIN or (spoken.language in LANGUAGES and not spoken.to_reader):
        return True
    told = {Kind.INFORM, Kind.WAIVE, Kind.PROMISE, Kind.BILL}
    return bool(spoken.kinds & told or spoken.opening & {Kind.THANKS, Kind.CLOSING})
