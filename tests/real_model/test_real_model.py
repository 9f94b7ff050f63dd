"""The adapter and the whole house against a real model: small, real, and useless as a judge."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from assistant.core.answers import TRIAGE_SCHEMA
from assistant.core.conversation import Conversation
from assistant.core.prompts import Frame, Question, triage_question
from assistant.core.tokens import Rate
from assistant.loops import judging
from assistant.timing import SystemClock
from providers.model.openai import OpenAIModel
from providers.model_port import ModelError, ModelFailure, ModelRequest, Prompt, Role
from tests.core_rules.build import mail, thread
from tests.judging.test_wired import configured, drafts, one_pass
from tests.real_model.conftest import RealServer

pytestmark = pytest.mark.timeout(600)

COLOR = {
    "type": "object",
    "properties": {"color": {"type": "string", "enum": ["red", "blue"]}},
    "required": ["color"],
    "additionalProperties": False,
}
ASKS = thread(mail("Hello Robin, could you send the plan by Friday?"))


def request(text: str = "Is the sky red or blue?", **fields: object) -> ModelRequest:
    values: dict[str, object] = {
        "model": "smollm2",
        "prompts": (Prompt(role=Role.USER, text=text),),
        "schema_name": "color",
        "schema": COLOR,
        "max_output_tokens": 40,
        "timeout_s": 120.0,
    }
    return ModelRequest(**(values | fields))  # type: ignore[arg-type]


@pytest.fixture
async def model(real_server: RealServer) -> AsyncIterator[OpenAIModel]:
    made = OpenAIModel(real_server.url, real_server.key, SystemClock())
    yield made
    await made.close()


def question_of(conversation: Conversation) -> Question:
    frame = Frame(
        name="Robin Vale", instructions="", fence="mail-0123456789", budget=3_000, rate=Rate()
    )
    return triage_question(conversation, frame)


async def test_a_real_server_keeps_to_the_schema_and_tells_its_usage(model: OpenAIModel) -> None:
    answer = await model.ask(request())
    assert answer.value["color"] in ("red", "blue")
    assert answer.usage is not None
    assert answer.usage.prompt > 5


async def test_our_bounds_of_a_prompt_hold_for_a_real_tokenizer(model: OpenAIModel) -> None:
    question = question_of(ASKS)
    answer = await model.ask(
        request(prompts=question.prompts, least_prompt_tokens=question.at_least)
    )
    assert answer.usage is not None
    assert question.at_least <= answer.usage.prompt <= question.at_most


async def test_a_real_answer_that_is_cut_is_a_bad_one(model: OpenAIModel) -> None:
    wanted = request(schema_name="triage", schema=TRIAGE_SCHEMA, max_output_tokens=12)
    with pytest.raises(ModelError, match="cut off") as caught:
        await model.ask(wanted)
    assert caught.value.failure is ModelFailure.BAD_ANSWER
    assert caught.value.usage is not None


async def test_a_prompt_beyond_the_context_is_refused_with_the_remedy(model: OpenAIModel) -> None:
    with pytest.raises(ModelError, match="lower thread_tokens") as caught:
        await model.ask(request("one more word " * 3_000))
    assert caught.value.failure is ModelFailure.REFUSED
    assert not caught.value.standing


async def test_a_wrong_key_is_refused_until_somebody_acts(real_server: RealServer) -> None:
    stranger = OpenAIModel(real_server.url, "wrong", SystemClock())
    with pytest.raises(ModelError, match="api_key") as caught:
        await stranger.ask(request())
    await stranger.close()
    assert caught.value.standing


async def test_a_cancelled_call_leaves_the_server_free(model: OpenAIModel) -> None:
    story = {"type": "object", "properties": {"story": {"type": "string"}}, "required": ["story"]}
    with anyio.move_on_after(0.5):
        await model.ask(request("Tell a long story.", schema=story, max_output_tokens=3_000))
    assert (await model.ask(request())).value["color"] in ("red", "blue")


async def test_a_question_goes_through_the_real_model(
    real_server: RealServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", real_server.key)
    for name in ("TRIAGE_TOKENS", "DRAFT_TOKENS"):
        # Left alone, a model of this size talks for a minute.
        monkeypatch.setattr(judging, name, 40)
    config = await to_thread.run_sync(configured, tmp_path, real_server.url)
    did, cost, _ = await one_pass(config)
    # Whatever it says of the question, it was asked, paid for, and did nothing unsafe.
    assert did[0].as_json()["failed"] == 0
    assert cost[0].tokens > 300
    for draft in await to_thread.run_sync(drafts, tmp_path):
        assert "To: Mina Okafor <mina@example.org>" in draft
        assert "http" not in draft.lower()
