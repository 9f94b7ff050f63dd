"""The limiter: units a minute, calls in flight, refusals, the end of a day. All time is fake."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import UTC, datetime

import anyio
import pytest

from providers.gmail.ports import Limiter, QuotaError
from providers.gmail.quota import (
    FOR_WRITES,
    IN_FLIGHT,
    READ_WAIT_S,
    UNKNOWN_UNITS,
    Quota,
    cost,
    quota_day,
    seconds_of_day_left,
)
from tests.support.clock import FakeClock, drive, quiesce

READ = "gmail.users.messages.get"
WRITE = "gmail.users.drafts.create"


async def spend(quota: Quota, method: str, times: int = 1) -> None:
    for _ in range(times):
        async with quota.spend(method):
            pass


def test_the_quota_is_a_limiter() -> None:
    limiter: Limiter = Quota(FakeClock())
    assert limiter is not None


@pytest.mark.parametrize(
    ("method", "units"),
    [
        ("gmail.users.getProfile", 1),
        ("gmail.users.history.list", 2),
        ("gmail.users.messages.list", 5),
        ("gmail.users.messages.attachments.get", 20),
        ("gmail.drafts.create", 10),
        ("gmail.users.threads.get", 40),
        ("gmail.users.drafts.send", 100),
        ("gmail.users.settings.sendAs.list", 1),
        ("gmail.users.something.new", UNKNOWN_UNITS),
    ],
)
def test_a_method_costs_what_google_counts(method: str, units: int) -> None:
    assert cost(method) == units


async def test_a_minute_takes_no_more_units_than_its_ceiling() -> None:
    clock = FakeClock()
    quota = Quota(clock, units_per_minute=1_000)
    begun_s = clock.boot_s()
    most = 0

    async def reads() -> None:
        nonlocal most
        for _ in range(100):
            async with quota.spend(READ):
                most = max(most, quota.last_minute)

    await drive(clock, reads)
    assert most <= 900 - FOR_WRITES
    assert quota.total == 2_000
    # 700 units at once, then 700 a minute later, then the last 600.
    assert clock.boot_s() - begun_s == pytest.approx(120.0)


async def test_what_was_spent_is_free_again_after_a_minute() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    await spend(quota, READ, 3)
    assert quota.last_minute == 60
    clock.skip(59.0)
    assert quota.last_minute == 60
    clock.skip(1.0)
    assert quota.last_minute == 0


async def test_a_write_goes_before_reads_that_wait() -> None:
    clock = FakeClock()
    quota = Quota(clock, units_per_minute=600)
    await spend(quota, READ, 17)
    ended: list[str] = []

    async def read() -> None:
        await spend(quota, READ)
        ended.append("read")

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        await quiesce()
        await spend(quota, WRITE)
        ended.append("write")
        await clock.advance(61.0)
    assert ended == ["write", "read"]


async def test_a_write_that_would_wait_long_is_refused_before_it_begins() -> None:
    clock = FakeClock()
    quota = Quota(clock, units_per_minute=600)
    await spend(quota, WRITE, 54)
    begun_s = clock.boot_s()
    with pytest.raises(QuotaError) as told:
        await spend(quota, WRITE)
    assert clock.boot_s() == begun_s
    assert told.value.retry_after_s == pytest.approx(60.0)
    assert not told.value.day
    assert quota.total == 540


async def test_at_most_four_calls_are_in_flight() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    flying = most = 0
    gate = anyio.Event()

    async def read() -> None:
        nonlocal flying, most
        async with quota.spend(READ):
            flying += 1
            most = max(most, flying)
            await gate.wait()
            flying -= 1

    async with anyio.create_task_group() as group:
        for _ in range(9):
            group.start_soon(read)
        await quiesce()
        assert flying == IN_FLIGHT
        gate.set()
    assert most == IN_FLIGHT
    assert quota.total == 180


async def test_a_write_waits_a_moment_for_a_place() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    done = anyio.Event()

    async def write() -> None:
        await spend(quota, WRITE)
        done.set()

    async with anyio.create_task_group() as group, AsyncExitStack() as stack:
        for _ in range(IN_FLIGHT):
            await stack.enter_async_context(quota.spend(READ))
        group.start_soon(write)
        await quiesce()
        assert not done.is_set()
        await stack.aclose()
        await done.wait()


async def test_a_write_without_a_place_is_refused_in_time_for_its_call() -> None:
    clock = FakeClock()
    quota = Quota(clock)

    async def write() -> None:
        async with AsyncExitStack() as stack:
            for _ in range(IN_FLIGHT):
                await stack.enter_async_context(quota.spend(READ))
            with pytest.raises(QuotaError):
                await spend(quota, WRITE)

    begun_s = clock.boot_s()
    await drive(clock, write)
    assert clock.boot_s() - begun_s == pytest.approx(3.0)


async def test_a_call_that_fails_gives_its_place_back() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    for _ in range(2 * IN_FLIGHT):
        with pytest.raises(ZeroDivisionError):
            async with quota.spend(READ):
                raise ZeroDivisionError
    await spend(quota, WRITE)


async def test_a_waiter_that_is_cancelled_takes_no_place() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    async with AsyncExitStack() as stack:
        for _ in range(IN_FLIGHT):
            await stack.enter_async_context(quota.spend(READ))
        async with anyio.create_task_group() as group:
            group.start_soon(spend, quota, READ)
            await quiesce()
            group.cancel_scope.cancel()
    async with AsyncExitStack() as stack:
        for _ in range(IN_FLIGHT):
            await stack.enter_async_context(quota.spend(READ))
    assert quota.total == 2 * IN_FLIGHT * 20


async def test_a_refusal_without_a_time_rests_longer_each_time() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    waited = []

    async def refused() -> None:
        async with quota.spend(READ):
            quota.slow_down(None)

    for _ in range(8):
        begun_s = clock.boot_s()
        await drive(clock, refused)
        waited.append(round(clock.boot_s() - begun_s))
    assert waited == [0, 2, 4, 8, 16, 32, 64, 64]


async def test_refusals_of_calls_side_by_side_are_one_reason_to_rest() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    async with AsyncExitStack() as stack:
        for _ in range(IN_FLIGHT):
            await stack.enter_async_context(quota.spend(READ))
        for _ in range(IN_FLIGHT):
            quota.slow_down(None)
    begun_s = clock.boot_s()
    await drive(clock, lambda: spend(quota, READ))
    assert clock.boot_s() - begun_s == pytest.approx(2.0)


async def test_a_call_that_went_well_ends_the_doubling() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    for _ in range(3):
        await drive(clock, lambda: spend(quota, READ))
        async with quota.spend(READ):
            quota.slow_down(None)
        begun_s = clock.boot_s()
        await drive(clock, lambda: spend(quota, READ))
        assert clock.boot_s() - begun_s == pytest.approx(2.0)


async def test_the_time_that_google_names_is_waited_for() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    async with quota.spend(READ):
        quota.slow_down(40.0)
    with pytest.raises(QuotaError) as told:
        await spend(quota, WRITE)
    assert told.value.retry_after_s == pytest.approx(40.0)
    begun_s = clock.boot_s()
    await drive(clock, lambda: spend(quota, READ))
    assert clock.boot_s() - begun_s == pytest.approx(40.0)


async def test_a_read_does_not_wait_for_hours() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    quota.slow_down(86_400.0 * 9)
    begun_s = clock.boot_s()
    with pytest.raises(QuotaError) as told:
        await spend(quota, READ)
    assert clock.boot_s() - begun_s < READ_WAIT_S
    assert told.value.retry_after_s == pytest.approx(86_400.0)


async def test_the_end_of_a_day_rests_the_mailbox_for_an_hour_at_a_time() -> None:
    clock = FakeClock()
    quota = Quota(clock)
    async with quota.spend(READ):
        quota.slow_down(None, day=True)
    with pytest.raises(QuotaError) as told:
        await spend(quota, READ)
    assert told.value.day
    assert told.value.retry_after_s == pytest.approx(3_600.0)
    assert "10:00 UTC" in str(told.value)
    clock.skip(3_600.0)
    await spend(quota, READ)


async def test_after_midnight_in_california_a_new_day_begins() -> None:
    clock = FakeClock(datetime(2026, 3, 2, 7, 50, tzinfo=UTC))
    quota = Quota(clock)
    quota.slow_down(None, day=True)
    assert quota.day == "2026-03-01"
    with pytest.raises(QuotaError) as told:
        await spend(quota, WRITE)
    assert told.value.retry_after_s == pytest.approx(660.0)
    clock.skip(660.0)
    assert quota.day == "2026-03-02"
    await spend(quota, WRITE)


def test_a_day_that_loses_an_hour_is_counted_right() -> None:
    at = datetime(2026, 3, 8, 9, 0, tzinfo=UTC)
    assert quota_day(at) == "2026-03-08"
    assert seconds_of_day_left(at) == pytest.approx(22 * 3_600.0)


def test_a_quota_that_could_never_send_is_refused() -> None:
    with pytest.raises(ValueError, match="600"):
        Quota(FakeClock(), units_per_minute=100)
