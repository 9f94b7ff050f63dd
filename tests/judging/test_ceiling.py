"""What a day may cost, and what stops in which order when it is used up."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from assistant import views
from assistant.core.days import day_end_ms, day_of
from assistant.loops.spending import rest_after
from providers.memory import Behaviour
from providers.model_port import ModelError, ModelFailure, Usage
from storage.words import ItemKind
from tests.judging.conftest import Desk
from tests.support.mails import question
from tests.support.models import JUDGEMENT, USAGE, ScriptedModel, failing

DAY = "2026-03-02"


async def test_what_the_server_told_is_booked(desk: Desk) -> None:
    desk.use(ScriptedModel())
    await desk.arrive(question())
    assert desk.spend() == [(DAY, 2 * USAGE.total)]


async def test_tokens_are_reserved_before_the_request(desk: Desk) -> None:
    seen: list[int] = []

    def look(_: object) -> dict[str, object]:
        seen.append(desk.spend()[0][1])
        return dict(JUDGEMENT)

    desk.use(ScriptedModel(look))
    await desk.arrive(question())
    assert seen[0] > 700


async def test_without_usage_the_reservation_stays(desk: Desk) -> None:
    desk.use(ScriptedModel([{**JUDGEMENT, "category": "fyi"}], usage=None))
    await desk.arrive(question())
    assert desk.spend()[0][1] > 700


@pytest.mark.parametrize("usage", [None, Usage(), Usage(prompt=300, completion=4)])
async def test_a_call_without_an_answer_costs_what_is_known_or_all(
    desk: Desk, usage: Usage | None
) -> None:
    desk.use(ScriptedModel([failing(ModelFailure.TIMEOUT, usage=usage)]))
    await desk.arrive(question())
    tokens = desk.spend()[0][1]
    assert tokens > 700 if usage is None else tokens == usage.total


async def test_a_second_question_is_paid_for_as_well(desk: Desk) -> None:
    desk.use(ScriptedModel([{"category": "urgent"}]))
    await desk.arrive(question())
    assert desk.spend()[0][1] == 2 * USAGE.total


async def test_drafts_stop_first_and_say_so(desk: Desk) -> None:
    desk.use(ScriptedModel(), daily=4_300)
    await desk.arrive(question())
    assert desk.triage["engine"] == "model:small"
    assert desk.model.asked("draft") == []
    assert desk.world.drafts() == []
    assert "used up" in str(desk.world.thread.no_draft_because)
    item = desk.world.item(ItemKind.CEILING)
    assert "writes no more drafts" in item.summary
    assert "rules go on" in item.summary


async def test_then_judging_stops_and_rules_go_on(desk: Desk) -> None:
    desk.use(ScriptedModel(), daily=1_500)
    await desk.arrive(question())
    assert desk.model.requests == []
    assert (desk.triage["engine"], desk.triage["category"]) == ("rules", "needs_reply")
    assert desk.world.drafts() == []
    assert "neither writes drafts nor judges" in desk.world.item(ItemKind.CEILING).summary


async def test_drafts_stop_at_their_share_without_a_question(desk: Desk) -> None:
    desk.use(ScriptedModel(usage=Usage(prompt=4_000)), daily=10_000)
    await desk.arrive(question(1))
    await desk.arrive(question(2))
    assert [one.schema_name for one in desk.model.requests] == ["triage", "draft", "triage"]
    assert len(desk.world.drafts()) == 1


async def test_a_draft_that_was_paid_for_is_called_again_past_the_ceiling(desk: Desk) -> None:
    desk.use(ScriptedModel())
    desk.world.plan.add("create", Behaviour.BUSY)
    await desk.arrive(question())
    desk.use(ScriptedModel(), daily=2_300)
    await desk.world.pass_days(desk.process, 0.1)
    assert len(desk.world.drafts()) == 1


async def test_a_thread_that_lost_its_draft_gets_it_when_the_next_day_begins(desk: Desk) -> None:
    desk.use(ScriptedModel(), daily=4_300)
    await desk.arrive(question())
    midnight = datetime(2026, 3, 3, tzinfo=ZoneInfo("Europe/Paris"))
    assert desk.world.thread.due_at == int(midnight.timestamp() * 1000)
    give_more = desk.process.account.brain
    assert give_more is not None
    desk.use(ScriptedModel(), daily=20_000)
    await desk.pass_s(midnight.timestamp() - desk.world.clock.database_s() + 1)
    assert len(desk.world.drafts()) == 1
    assert [day for day, _ in desk.spend()] == [DAY, "2026-03-03"]


async def test_the_judgement_of_yesterday_is_not_paid_for_again(desk: Desk) -> None:
    desk.use(ScriptedModel(), daily=4_300)
    await desk.arrive(question())
    desk.use(ScriptedModel(), daily=20_000)
    await desk.pass_s(86_400)
    assert [one.schema_name for one in desk.model.requests] == ["draft"]


async def test_the_item_of_the_ceiling_closes_by_itself_the_next_day(desk: Desk) -> None:
    desk.use(ScriptedModel(), daily=4_300)
    await desk.arrive(question())
    assert len(desk.world.items(ItemKind.CEILING)) == 1
    desk.use(ScriptedModel(), daily=20_000)
    await desk.pass_s(86_400)
    assert desk.world.items(ItemKind.CEILING) == []


async def test_a_ceiling_that_is_reached_every_day_is_told_every_day(desk: Desk) -> None:
    desk.use(ScriptedModel(), daily=2_300)
    await desk.arrive(question())
    await desk.pass_s(86_400)
    (item,) = desk.world.items(ItemKind.CEILING)
    assert item.about == "2026-03-03"


async def test_status_shows_what_was_spent(desk: Desk) -> None:
    desk.use(ScriptedModel())
    await desk.arrive(question())
    told = desk.world.read(views.status)["spend"]
    assert json.loads(json.dumps(told)) == [{"user": "robin", "day": DAY, "tokens": 2_200}]


async def test_outlines_cost_nothing_and_know_no_ceiling(desk: Desk) -> None:
    await desk.arrive(question())
    assert len(desk.world.drafts()) == 1
    assert desk.spend() == []


@pytest.mark.parametrize(
    ("zone", "at", "day", "ends"),
    [
        ("UTC", "2026-03-02T23:59:59+00:00", "2026-03-02", "2026-03-03T00:00:00+00:00"),
        ("Asia/Tokyo", "2026-03-02T15:00:00+00:00", "2026-03-03", "2026-03-03T15:00:00+00:00"),
        ("America/Lima", "2026-03-08T04:59:00+00:00", "2026-03-07", "2026-03-08T05:00:00+00:00"),
        ("Europe/Paris", "2026-03-29T10:00:00+00:00", "2026-03-29", "2026-03-29T22:00:00+00:00"),
        ("Pacific/Apia", "2026-03-02T11:00:00+00:00", "2026-03-03", "2026-03-03T11:00:00+00:00"),
        # Clocks there skip midnight.
        ("Africa/Cairo", "2026-04-23T12:00:00+00:00", "2026-04-23", "2026-04-23T22:00:00+00:00"),
    ],
)  # fmt: skip
def test_a_day_is_the_owners(zone: str, at: str, day: str, ends: str) -> None:
    now_ms = int(datetime.fromisoformat(at).timestamp() * 1000)
    assert day_of(now_ms, ZoneInfo(zone)) == day
    end = datetime.fromtimestamp(day_end_ms(day, ZoneInfo(zone)) / 1000, UTC)
    assert end == datetime.fromisoformat(ends)
    assert day_of(day_end_ms(day, ZoneInfo(zone)), ZoneInfo(zone)) > day


def test_rests_grow_to_five_minutes_and_count_from_the_first_failure() -> None:
    rest = None
    waits = []
    for step in range(7):
        rest = rest_after(rest, failing(), 1_000 * step)
        waits.append((rest.until_at - 1_000 * step) // 1_000)
    assert waits == [10, 30, 60, 120, 300, 300, 300]
    assert rest is not None
    assert rest.since_at == 0


def test_a_server_may_ask_for_more_patience_up_to_an_hour() -> None:
    def until(seconds: float) -> int:
        error = ModelError(ModelFailure.QUOTA, "slowly", retry_after_s=seconds)
        return rest_after(None, error, 0).until_at

    assert (until(1), until(90), until(1e9)) == (10_000, 90_000, 3_600_000)
