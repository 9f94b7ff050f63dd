"""One question to a model, paid for: reserved, asked, booked, asked again once, or given up.

    reserve (or: the ceiling) --> ask --> book what it cost --> take the answer
       ^                                    |-- not taken: once more, with what is wrong
       '------------------------------------'-- no answer: the server rests, or this thread's way
                                                is another one

The reservation is committed before the request leaves and corrected after it; a call that was
cancelled, cut off or killed stays booked whole. The work's lease is not needed for asking, since
nothing outside is changed; but it runs inside the scope that a lost lease cancels.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

import structlog
from sqlalchemy import Connection

from assistant.core.answers import Fault
from assistant.core.days import day_end_ms, day_of
from assistant.core.prompts import Frame, Question, asked_again
from assistant.core.tokens import Rate
from assistant.house import Brain, House
from providers.model_port import ModelAnswer, ModelError, ModelFailure, ModelRequest
from providers.ports import Json
from storage import reviews, spend
from storage.dbtime import database_now_ms
from storage.spend import Rest
from storage.words import ItemKind, UserName

log = structlog.get_logger()
T = TypeVar("T")

DRAFT_SHARE: Final = 0.8
"""Share of the daily ceiling up to which drafts are written; the rest is kept for judging."""
RESTS_MS: Final = (10_000, 30_000, 60_000, 120_000, 300_000)
"""How long a server that failed is left alone, by the number of failures in a row."""
LONGEST_REST_MS: Final = 3_600_000
"""A server that asks for more patience than this is asked again nevertheless."""
PATIENCE_MS: Final = 600_000
"""A server that fails for longer is not waited for any more: the rules decide."""
SUBJECT: Final = "[model]"
"""What a review item about the server is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a user has left of today, and whether their server answers, in one snapshot."""

    now_ms: int
    day: str
    spent: int
    rest: Rest | None
    daily: int
    day_end_ms: int

    @property
    def drafts_stop(self) -> bool:
        """Whether no draft is written any more today."""
        return self.spent >= self.daily * DRAFT_SHARE


@dataclass(frozen=True, slots=True)
class CeilingReached:
    """The question would pass the daily ceiling, so it was not asked."""


@dataclass(frozen=True, slots=True)
class Silent:
    """The server gives no answer now; ``rest`` says since when and for how long it is left alone.

    ``asked`` is False when it was resting already and nobody asked.
    """

    rest: Rest
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Unusable:
    """The server answers, but not this question in a way that can be used."""

    text: str


Nothing = CeilingReached | Silent | Unusable


@dataclass(slots=True, kw_only=True)
class Purse:
    """Asks for one user about one thread and adds up what it costs."""

    house: House
    brain: Brain
    user: UserName
    frame: Frame
    tokens: int = 0
    asked: int = 0
    notes: list[str] = field(default_factory=list)

    async def means(self) -> Means:
        """What there is to spend."""
        return await self.house.store.read(partial(means, user=self.user, brain=self.brain))

    async def ask(
        self,
        question: Question,
        *,
        model: str,
        schema_name: str,
        schema: Json,
        most: int,
        ceiling: float,
        read: Callable[[Json], T | Fault],
    ) -> T | Nothing:
        """The answer as *read* takes it; asked again once when *read* finds a fault."""
        fault = ""
        for last in (False, True):
            reserved = question.at_most + most
            day = await self._reserve(reserved, ceiling)
            if day is None:
                return CeilingReached()
            request = ModelRequest(
                model=model,
                prompts=question.prompts,
                schema_name=schema_name,
                schema=schema,
                max_output_tokens=most,
                timeout_s=self.brain.timeout_s,
                least_prompt_tokens=question.at_least,
            )
            try:
                answer = await self._once(request, day, reserved, question)
            except ModelError as error:
                if error.failure is not ModelFailure.BAD_ANSWER:
                    return await self._no_answer(error)
                fault, said = str(error), error.answer
            else:
                taken = read(answer.value)
                if not isinstance(taken, Fault):
                    return taken
                fault, said = taken.text, json.dumps(answer.value, ensure_ascii=False)
            if not last:
                question = asked_again(question, said, fault, self.frame)
        log.info("a model gave no answer that could be used", fault=fault)
        return Unusable(f"the model's answer was not usable twice ({fault})")

    async def _once(
        self, request: ModelRequest, day: str, reserved: int, question: Question
    ) -> ModelAnswer:
        self.asked += 1
        try:
            answer = await self.brain.model.ask(request)
        except ModelError as error:
            used = None if error.usage is None else error.usage.total
            await self._book(day, reserved, used, answered=error.failure in _ANSWERED)
            raise
        used = None if answer.usage is None else answer.usage.total
        await self._book(day, reserved, used, answered=True)
        if answer.usage is not None:
            rate = self.brain.rates.get(request.model, Rate())
            self.brain.rates[request.model] = rate.seen(question.size, answer.usage.prompt)
        return answer

    async def _reserve(self, tokens: int, ceiling: float) -> str | None:
        """Reserve on the user's day as it is now, which is returned; None past the ceiling."""

        def unit(conn: Connection) -> str | None:
            day = day_of(database_now_ms(conn), self.brain.zone)
            limit = int(self.brain.daily_tokens * ceiling)
            return day if spend.reserve(conn, self.user, day, tokens, limit) else None

        return await self.house.store.write(unit)

    async def _book(self, day: str, reserved: int, used: int | None, *, answered: bool) -> None:
        """Book what a call cost; None: nobody knows, so the reservation stays."""
        self.tokens += reserved if used is None else used

        def unit(conn: Connection) -> None:
            if used is not None:
                spend.book(conn, self.user, day, reserved=reserved, used=used)
            if answered and spend.wake(conn, self.user):
                _close(conn, self.user, ItemKind.CONFIG_FAULT, SUBJECT)

        await self.house.store.write(unit)

    async def _no_answer(self, error: ModelError) -> Silent | Unusable:
        log.warning("a model gave no answer", failure=str(error.failure), problem=str(error))
        if error.failure is ModelFailure.REFUSED and not error.standing:
            return Unusable(str(error))

        def unit(conn: Connection) -> Rest:
            now = database_now_ms(conn)
            rest = rest_after(spend.rest_of(conn, self.user), error, now)
            spend.put_to_rest(conn, self.user, rest)
            if rest.standing or now - rest.since_at >= PATIENCE_MS:
                reviews.open_item(
                    conn,
                    now,
                    ItemKind.CONFIG_FAULT,
                    user=self.user,
                    about=SUBJECT,
                    summary=f"{SUBJECT}: {rest.problem}; until it answers, the rules decide and "
                    "drafts are outlines",
                )
            return rest

        return Silent(await self.house.store.write(unit))


_ANSWERED: Final = (ModelFailure.BAD_ANSWER, ModelFailure.REFUSED)
"""Failures of a server that is there."""


def means(conn: Connection, *, user: str, brain: Brain) -> Means:
    """What *user* has left, and whether the server is left alone."""
    now = database_now_ms(conn)
    day = day_of(now, brain.zone)
    rest = spend.rest_of(conn, user)
    return Means(
        now_ms=now,
        day=day,
        spent=spend.on(conn, user, day),
        rest=rest if rest is not None and rest.until_at > now else None,
        daily=brain.daily_tokens,
        day_end_ms=day_end_ms(day, brain.zone),
    )


def rest_after(before: Rest | None, error: ModelError, now_ms: int) -> Rest:
    """How long the server is left alone after one more failure."""
    tries = before.tries if before is not None else 0
    wait_ms = RESTS_MS[min(tries, len(RESTS_MS) - 1)]
    if error.standing:
        wait_ms = RESTS_MS[-1]
    if error.retry_after_s is not None:
        wait_ms = max(wait_ms, min(int(error.retry_after_s * 1000), LONGEST_REST_MS))
    return Rest(
        since_at=before.since_at if before is not None else now_ms,
        until_at=now_ms + wait_ms,
        tries=tries + 1,
        problem=str(error),
        standing=error.standing,
    )


def ceiling_text(means: Means) -> str:
    """Why there is no draft: the ceiling, in words."""
    return (
        f"today's {means.daily} tokens are used up as far as drafts go; the thread comes up again "
        "when your next day begins"
    )


def tell_ceiling(conn: Connection, now_ms: int, user: str, brain: Brain, *, judging: bool) -> None:
    """Open the item of today's ceiling, or say in it that judging has stopped as well."""
    day = day_of(now_ms, brain.zone)
    spent = spend.on(conn, user, day)
    stopped = "neither writes drafts nor judges" if judging else "writes no more drafts"
    reviews.open_item(
        conn,
        now_ms,
        ItemKind.CEILING,
        user=user,
        about=day,
        summary=f"{spent} of {brain.daily_tokens} tokens are used on {day}: the model {stopped} "
        "until your next day begins; the rules go on",
        detail={"day": day, "tokens": spent, "ceiling": brain.daily_tokens},
    )


def close_past_ceilings(conn: Connection, now_ms: int, user: str, brain: Brain) -> None:
    """Close the items of days that are over."""
    day = day_of(now_ms, brain.zone)
    for item in reviews.listed_kind(conn, ItemKind.CEILING):
        if item.user == user and item.about != day:
            reviews.close(conn, now_ms, "facts", item=item.id)


def _close(conn: Connection, user: str, kind: ItemKind, about: str) -> None:
    now = database_now_ms(conn)
    for item in reviews.open_about(conn, kind, about):
        if item.user == user:
            reviews.close(conn, now, "facts", item=item.id)
