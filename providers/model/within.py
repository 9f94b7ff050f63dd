"""A limit on work by an injected clock.

Read timeouts are no limit: they start again with every byte that a server drips.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from anyio import create_task_group

from storage.words import Clock

T = TypeVar("T")


class OutOfTimeError(Exception):
    """The work did not end in time and was cancelled."""


class _Ends(Generic[T]):
    """How the work ended: at most one of both."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self.errors: list[Exception] = []


async def within(clock: Clock, seconds: float, work: Callable[[], Awaitable[T]]) -> T:
    """Run *work* for at most *seconds*; its own error is raised as it is, not in a group.

    Raises OutOfTimeError.
    """
    ends: _Ends[T] = _Ends()
    async with create_task_group() as group:

        async def ring() -> None:
            await clock.sleep(max(0.0, seconds))
            group.cancel_scope.cancel()

        group.start_soon(ring)
        try:
            ends.values.append(await work())
        except Exception as error:  # noqa: BLE001 -- carried out of the group unchanged
            ends.errors.append(error)
        group.cancel_scope.cancel()
    if ends.errors:
        raise ends.errors[0]
    if not ends.values:
        raise OutOfTimeError("the time was over first")
    return ends.values[0]
