"""One transaction for what several tasks ask of the same unit of work at the same moment.

    asked, nobody at it --> wait for who else is awake --> one transaction --> everybody's answers
    asked, one under way --> wait ----------------------'   (the next one, with all who wait)

A unit here is a plain function of a connection and several items, one answer for each. Whoever asks
first leads: it runs the transaction in its own task, with everything that waits for the same unit,
and hands the lead on to whoever waits longest. So a lone task pays nothing, and the more there is
to do, the more of it shares its statements and its commit.

What it keeps: an error is its own. When a transaction of several fails, nothing of it happened, and
each asks again alone, in its own task; only a COMMIT whose end is unknown is unknown to all of
them. A cancellation waits for the answer, as it does for any transaction. One shared transaction of
a process is under way at a time: one that waits for a lock makes the others wait with it, but once;
what the store would run again is asked for alone and apart. A crash leaves all of a transaction or
nothing of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar, cast

from anyio.lowlevel import cancel_shielded_checkpoint, checkpoint_if_cancelled

from storage.errors import CommitUnknownError
from storage.outlast import cancel_later, outlasting_cancellation

if TYPE_CHECKING:
    from sqlalchemy import Connection

A = TypeVar("A")
R = TypeVar("R")
T = TypeVar("T")
Unit = Callable[["Connection", Sequence[A]], Sequence[R]]
"""Gives an answer for each item, in their order; may be run again, also with one item alone."""

MOST: Final = 64
"""Items of one transaction at most, so that the first of them does not wait for ever."""

TURNS: Final = 3
"""Turns of the event loop for which a leader waits: whoever was woken with it comes along."""


class Store(Protocol):
    """The part of a store that is shared here."""

    async def write(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit* in one transaction; as storage.database.Database.write says."""

    async def read(self, unit: Callable[[Connection], T]) -> T:
        """Run *unit* on one snapshot; as storage.database.Reader.read says."""


class _Run(Protocol):
    """The writing or the reading of a store."""

    def __call__(self, unit: Callable[[Connection], T], /) -> Awaitable[T]:
        """Run *unit* and give its result."""


class _Do(Enum):
    """What one who waited has to do."""

    TAKE = "take the answer"
    LEAD = "lead"
    ALONE = "ask alone"


@dataclass(slots=True, eq=False)
class _One(Generic[A, R]):
    """An item that a task waits for."""

    unit: Unit[A, R]
    item: A
    told: asyncio.Future[_Do]
    answer: list[R] = field(default_factory=list)
    error: CommitUnknownError | None = None


class Together:
    """A store whose units the tasks of one event loop share; ``alone`` is the store itself."""

    def __init__(self, store: Store) -> None:
        """Nothing is run yet; *store* is used as anybody else uses it."""
        self.alone: Final = store
        self._waiting: list[_One[object, object]] = []
        self._for_calm: list[asyncio.Future[None]] = []
        self._is_led = False

    async def write(self, unit: Unit[A, R], item: A) -> R:
        """Write what *unit* makes of *item*, in one transaction with what others ask of it.

        *unit* is one and the same function each time. Raises what Database.write raises, and what
        *unit* raises of this item.
        """
        return await self._ask(self.alone.write, unit, item)

    async def read(self, unit: Unit[A, R], item: A) -> R:
        """Read what *unit* finds of *item*, on one snapshot with what others ask of it."""
        return await self._ask(self.alone.read, unit, item)

    @asynccontextmanager
    async def calm(self) -> AsyncIterator[None]:
        """Wait until nothing is asked for, and let all that is asked for meanwhile wait.

        For taking new work: what is in hand goes first, so it ends together and is taken together.
        """
        if self._is_led:
            granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._for_calm.append(granted)
            try:
                await granted
            except asyncio.CancelledError:
                if not granted.cancelled():
                    self._hand_on()
                raise
        self._is_led = True
        try:
            await _turns()
            yield
        finally:
            self._hand_on()

    async def _ask(self, run: _Run, unit: Unit[A, R], item: A) -> R:
        await checkpoint_if_cancelled()
        me = _One(unit=unit, item=item, told=asyncio.get_running_loop().create_future())
        self._waiting.append(cast("_One[object, object]", me))
        do = _Do.LEAD
        if self._is_led:
            do = await outlasting_cancellation(me.told)
        if do is _Do.LEAD:
            self._is_led = True
            try:
                do = await self._lead(run, me)
            finally:
                self._hand_on()
        if do is _Do.ALONE:
            return (await run(lambda conn: unit(conn, [item])))[0]
        if me.error is not None:
            raise me.error
        return me.answer[0]

    async def _lead(self, run: _Run, me: _One[A, R]) -> _Do:
        await _turns()
        batch = self._take_along(me)
        unit = _once(me.unit, [one.item for one in batch])
        do = _Do.ALONE
        try:
            answers = await run(unit)
        except CommitUnknownError as error:
            do = _Do.TAKE
            for one in batch:
                one.error = CommitUnknownError(str(error))
                one.error.__cause__ = error
        except Exception as error:
            if len(batch) == 1 and not isinstance(error, _ApartError):
                raise
        else:
            do = _Do.TAKE
            for one, answer in zip(batch, answers, strict=True):
                one.answer.append(answer)
        finally:
            for one in batch:
                if one is not me:
                    one.told.set_result(do)
        return do

    def _take_along(self, me: _One[A, R]) -> list[_One[A, R]]:
        same = [cast("_One[A, R]", one) for one in self._waiting if one.unit == me.unit]
        batch = [me, *(one for one in same if one is not me)][:MOST]
        self._waiting = [one for one in self._waiting if one not in batch]
        return batch

    def _hand_on(self) -> None:
        # One whose wait was cancelled has not run since, to take itself off.
        self._for_calm = [one for one in self._for_calm if not one.cancelled()]
        self._is_led = bool(self._waiting or self._for_calm)
        if self._waiting:
            self._waiting[0].told.set_result(_Do.LEAD)
        elif self._for_calm:
            self._for_calm.pop(0).set_result(None)


class _ApartError(Exception):
    """Ends a shared transaction that the store would run again."""


def _once(unit: Unit[A, R], items: Sequence[A]) -> Callable[[Connection], Sequence[R]]:
    """*unit* of all the items, which is not run again while others wait for its end.

    What was in its way may stay in the way of one of them: apart, the others go on.
    """
    begun = False

    def run(conn: Connection) -> Sequence[R]:
        nonlocal begun
        if begun:
            raise _ApartError
        begun = True
        return unit(conn, items)

    return run


async def _turns() -> None:
    """Let the others go on; who is cancelled natively meanwhile learns of it at the next await."""
    cancelled = False
    for _ in range(TURNS):
        try:
            await cancel_shielded_checkpoint()
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        cancel_later()
