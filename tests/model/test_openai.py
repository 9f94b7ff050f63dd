"""The adapter against a real server that answers well, badly, slowly, or not at all."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest

from providers.model.openai import BACKOFF_S, OpenAIModel
from providers.model_port import Model, ModelError, ModelFailure, ModelRequest, Prompt, Role, Usage
from tests.support.modelserver import ModelServer, Reply, Script, chat, good, model_server
from tests.support.quickclock import QuickClock

SECRET = "sk-very-secret-4711"
MAIL = "the words of the mail"
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
HTML = b"<html><body>Welcome to the hotel's network. the words of the mail</body></html>"


def request(**fields: object) -> ModelRequest:
    values: dict[str, object] = {
        "model": "small",
        "prompts": (
            Prompt(role=Role.SYSTEM, text="You answer."),
            Prompt(role=Role.USER, text=MAIL),
        ),
        "schema_name": "answer",
        "schema": SCHEMA,
        "max_output_tokens": 50,
        "timeout_s": 60.0,
    }
    return ModelRequest(**(values | fields))  # type: ignore[arg-type]


@asynccontextmanager
async def asked(
    replies: Sequence[Reply] | Script, *, key: str | None = SECRET, clock: QuickClock | None = None
) -> AsyncIterator[tuple[ModelServer, OpenAIModel]]:
    async with model_server(replies) as server:
        model = OpenAIModel(server.url, key, clock or QuickClock())
        try:
            yield server, model
        finally:
            await model.close()


async def failure(replies: Sequence[Reply], **fields: object) -> tuple[ModelError, int]:
    """The error of one call, and how many requests reached the server."""
    async with asked(replies) as (server, model):
        with pytest.raises(ModelError) as caught:
            await model.ask(request(**fields))
        return caught.value, len(server.seen)


def test_the_adapter_is_a_model() -> None:
    _: Model = OpenAIModel("http://127.0.0.1:1/v1", None, QuickClock())


async def test_a_good_answer_comes_with_its_usage() -> None:
    async with asked([good({"answer": "yes"})]) as (server, model):
        answer = await model.ask(request())
    assert answer.value == {"answer": "yes"}
    assert answer.usage == Usage(prompt=100, completion=7)
    assert len(server.seen) == 1


async def test_the_request_asks_for_the_schema_and_bounds_the_answer() -> None:
    async with asked([good({"answer": "yes"})]) as (server, model):
        await model.ask(request())
    body = server.seen[0].body
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["max_tokens"] == 50
    assert body["temperature"] == 0
    assert "tools" not in body
    assert [one["role"] for one in body["messages"]] == ["system", "user"]


async def test_the_key_is_sent_and_only_there() -> None:
    async with asked([good({"answer": "yes"})]) as (server, model):
        await model.ask(request())
    headers = server.seen[0].headers
    assert headers.pop("authorization") == f"Bearer {SECRET}"
    assert SECRET not in json.dumps([headers, server.seen[0].body])


async def test_the_key_of_the_environment_is_not_sent_to_a_server_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-account")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another-account")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-of-another-account")
    async with asked([good({"answer": "yes"})], key=None) as (server, model):
        await model.ask(request())
    assert "another-account" not in json.dumps(server.seen[0].headers)
    assert "authorization" not in server.seen[0].headers


async def test_a_redirect_is_not_followed_with_the_mail_in_hand() -> None:
    async with model_server([good({"answer": "stolen"})]) as thief:
        away = Reply(status=307, headers={"Location": f"{thief.url}/chat/completions"})
        error, requests = await failure([away])
        assert thief.seen == []
    assert (error.failure, error.standing, requests) == (ModelFailure.REFUSED, True, 1)


async def test_a_proxy_of_the_environment_does_not_see_the_mail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with model_server([good({"answer": "stolen"})]) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        async with asked([good({"answer": "yes"})]) as (server, model):
            await model.ask(request())
        assert (len(server.seen), proxy.seen) == (1, [])


FAILURES = [
    pytest.param([Reply(status=500)], ModelFailure.DOWN, 3, id="500"),
    pytest.param([Reply(status=503)], ModelFailure.DOWN, 3, id="503"),
    pytest.param([Reply(status=429)], ModelFailure.QUOTA, 1, id="429 without a time"),
    pytest.param(
        [Reply(status=429, headers={"Retry-After": "2"})],
        ModelFailure.QUOTA,
        3,
        id="429 with a time that fits",
    ),
    pytest.param(
        [Reply(status=429, headers={"Retry-After": "90"})],
        ModelFailure.QUOTA,
        1,
        id="429 with a time beyond the limit",
    ),
    pytest.param(
        [Reply(status=429, body={"error": {"code": "insufficient_quota", "message": MAIL}})],
        ModelFailure.QUOTA,
        1,
        id="insufficient quota",
    ),
    pytest.param([Reply(status=401)], ModelFailure.REFUSED, 1, id="401"),
    pytest.param([Reply(status=403)], ModelFailure.REFUSED, 1, id="403"),
    pytest.param([Reply(status=404)], ModelFailure.REFUSED, 1, id="404"),
    pytest.param([Reply(status=402)], ModelFailure.QUOTA, 1, id="402"),
    pytest.param(
        [Reply(status=400, body={"error": {"message": f"no: {MAIL}"}})],
        ModelFailure.REFUSED,
        1,
        id="400",
    ),
    pytest.param(
        [
            Reply(
                status=400,
                body={
                    "error": {
                        "code": 400,
                        "message": "request (6031 tokens) exceeds the available context size",
                    }
                },
            )
        ],
        ModelFailure.REFUSED,
        1,
        id="context too small",
    ),
    pytest.param([Reply(body=HTML)], ModelFailure.BAD_ANSWER, 1, id="a page with 200"),
    pytest.param([Reply(body=b"\xff\xfe")], ModelFailure.BAD_ANSWER, 1, id="no UTF-8"),
    pytest.param([Reply(body=b"")], ModelFailure.BAD_ANSWER, 1, id="nothing with 200"),
    pytest.param([Reply(body=[1, 2])], ModelFailure.BAD_ANSWER, 1, id="a list"),
    pytest.param([Reply(body={"choices": []})], ModelFailure.BAD_ANSWER, 1, id="no choices"),
    pytest.param([Reply(body={"choices": None})], ModelFailure.BAD_ANSWER, 1, id="null choices"),
    pytest.param(
        [Reply(body={"error": {"message": MAIL, "type": "server_error"}})],
        ModelFailure.BAD_ANSWER,
        1,
        id="an error with 200",
    ),
    pytest.param(
        [Reply(body={"error": {"message": MAIL, "code": 502}})],
        ModelFailure.DOWN,
        3,
        id="an error with 200 that means 502",
    ),
    pytest.param(
        [Reply(body=chat('{"answer": "y', finish_reason="length"))],
        ModelFailure.BAD_ANSWER,
        1,
        id="cut answer",
    ),
    pytest.param([Reply(body=chat("Sure! Yes."))], ModelFailure.BAD_ANSWER, 1, id="prose"),
    pytest.param([Reply(body=chat("[1]"))], ModelFailure.BAD_ANSWER, 1, id="no object"),
    pytest.param([Reply(body=chat('{"a": NaN}'))], ModelFailure.BAD_ANSWER, 1, id="NaN"),
    pytest.param([Reply(body=chat("[" * 50_000))], ModelFailure.BAD_ANSWER, 1, id="nested"),
    pytest.param([Reply(body=chat(""))], ModelFailure.BAD_ANSWER, 1, id="empty"),
    pytest.param([Reply(body=chat(None))], ModelFailure.BAD_ANSWER, 1, id="null"),
    pytest.param([Reply(body=b" " * 1_200_000)], ModelFailure.BAD_ANSWER, 1, id="enormous"),
    pytest.param(
        [Reply(body=chat(None, refusal=f"I won't: {MAIL}"))], ModelFailure.REFUSED, 1, id="refusal"
    ),
    pytest.param(
        [Reply(body=chat("", finish_reason="content_filter"))],
        ModelFailure.REFUSED,
        1,
        id="content filter",
    ),
    pytest.param([Reply(hang=True)], ModelFailure.TIMEOUT, 1, id="hangs"),
    pytest.param([Reply(body=chat("{}"), drip_s=0.02)], ModelFailure.TIMEOUT, 1, id="drips"),
    pytest.param([Reply(cut=0)], ModelFailure.DOWN, 1, id="hangs up"),
    pytest.param([Reply(body=chat("{}"), cut=150)], ModelFailure.DOWN, 1, id="hangs up half-way"),
]


@pytest.mark.parametrize(("replies", "expected", "requests"), FAILURES)
async def test_every_failure_has_its_kind_and_its_number_of_requests(
    replies: list[Reply], expected: ModelFailure, requests: int
) -> None:
    error, counted = await failure(replies)
    assert (error.failure, counted) == (expected, requests), str(error)


@pytest.mark.parametrize(("replies", "expected", "requests"), FAILURES)
async def test_no_failure_tells_key_or_mail(
    replies: list[Reply],
    expected: ModelFailure,
    requests: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    error, _ = await failure(replies)
    told = str(error) + caplog.text
    assert MAIL not in told
    assert SECRET not in told


async def test_a_server_that_is_not_there_is_down_and_cost_nothing() -> None:
    model = OpenAIModel("http://127.0.0.1:9/v1", None, QuickClock())
    with pytest.raises(ModelError) as caught:
        await model.ask(request())
    await model.close()
    assert (caught.value.failure, caught.value.usage) == (ModelFailure.DOWN, Usage())


@pytest.mark.parametrize(
    "reply", [Reply(hang=True), Reply(cut=0), Reply(body=chat("{}"), drip_s=0.02)]
)
async def test_what_was_sent_and_not_answered_may_have_cost_tokens(reply: Reply) -> None:
    error, _ = await failure([reply])
    assert error.usage is None


@pytest.mark.parametrize(
    "reply", [Reply(status=500), Reply(body=HTML), Reply(body={"error": {"message": MAIL}})]
)
async def test_an_error_or_a_page_costs_nothing(reply: Reply) -> None:
    error, _ = await failure([reply])
    assert error.usage == Usage()


async def test_a_bad_answer_that_told_its_usage_cost_that_much() -> None:
    error, _ = await failure([Reply(body=chat("no JSON"))])
    assert error.usage == Usage(prompt=100, completion=7)


async def test_a_server_that_comes_back_is_asked_again() -> None:
    clock = QuickClock()
    replies = [Reply(status=503), Reply(status=502), good({"answer": "late"})]
    async with asked(replies, clock=clock) as (server, model):
        answer = await model.ask(request())
    assert (answer.value, len(server.seen)) == ({"answer": "late"}, 3)
    assert [one for one in clock.slept if one in BACKOFF_S] == list(BACKOFF_S)


async def test_repetitions_and_waits_stay_inside_the_limit_of_the_call() -> None:
    error, requests = await failure([Reply(status=503, headers={"Retry-After": "40"})])
    assert (error.failure, requests) == (ModelFailure.DOWN, 2)


async def test_a_server_that_fails_for_long_is_not_asked_three_times_by_everybody() -> None:
    async with asked([Reply(status=500)]) as (server, model):
        for _ in range(10):
            with pytest.raises(ModelError):
                await model.ask(request())
    assert len(server.seen) <= 10 + 6 + 2


async def test_json_in_a_fence_is_read() -> None:
    async with asked([Reply(body=chat('```json\n{"answer": "yes"}\n```'))]) as (_, model):
        assert (await model.ask(request())).value == {"answer": "yes"}


async def test_a_thought_before_the_answer_is_left_out() -> None:
    reply = Reply(body=chat('<think>{"answer": "no"}</think>\n{"answer": "yes"}'))
    async with asked([reply]) as (_, model):
        assert (await model.ask(request())).value == {"answer": "yes"}


async def test_a_prompt_that_was_cut_silently_is_noticed_by_its_usage() -> None:
    reply = good({"answer": "yes"}, usage={"prompt_tokens": 4096, "completion_tokens": 5})
    error, requests = await failure([reply], least_prompt_tokens=5000)
    assert (error.failure, requests) == (ModelFailure.REFUSED, 1)
    assert "cuts prompts" in str(error)


@pytest.mark.parametrize(
    "usage", [{}, {"prompt_tokens": "many"}, {"prompt_tokens": -5}, {"prompt_tokens": 10**15}]
)
async def test_usage_that_makes_no_sense_is_no_usage(usage: dict[str, object]) -> None:
    async with asked([good({"answer": "yes"}, usage=usage)]) as (_, model):
        assert (await model.ask(request(least_prompt_tokens=10))).usage is None


async def test_the_text_of_a_bad_answer_is_kept_for_asking_again() -> None:
    error, _ = await failure([Reply(body=chat("Sure! Yes."))])
    assert error.answer == "Sure! Yes."


async def test_a_cancelled_call_lets_go_of_its_connection() -> None:
    async with asked([Reply(hang=True)]) as (server, model):
        async with anyio.create_task_group() as group:
            group.start_soon(model.ask, request(timeout_s=6_000.0))
            await server.arrived.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(5):
            await server.left.wait()
