"""Waiting that no cancellation can interrupt, for work whose result must be known first.

anyio's shield keeps its own scopes out; a native cancel (Ctrl-C on the main task, asyncio.timeout)
goes through it, and would leave a transaction whose end nobody learns, or a connection half used.
Here both wait: the result comes first, the cancellation at the caller's next await. So only what is
bounded by itself may be waited for in this way.
"""

from __future__ import annotations

import asyncio
from typing import TypeVar

from anyio import CancelScope

T = TypeVar("T")


async def outlasting_cancellation(future: asyncio.Future[T]) -> T:
    """The result of *future*, whatever is cancelled meanwhile; a native cancel is given back."""
    cancelled = False
    with CancelScope(shield=True):
        while not future.done():
            try:
                await asyncio.wait((future,))
            except asyncio.CancelledError:
                cancelled = True
    if cancelled:
        cancel_later()
    return future.result()


def cancel_later() -> None:
    """Give a native cancel that was caught back to this task, at its next await."""
    task = asyncio.current_task()
    if task is not None:
        # Uncancel first, so that the count of cancellations stays what asyncio.timeout expects.
        task.uncancel()
        task.cancel()
