"""The shared cases of hostile mail, end to end with a model that obeys the mail."""

from __future__ import annotations

import json
import re
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from providers.model_port import Role
from providers.ports import Folder
from tests.cases.gen_large import thread
from tests.judging.conftest import Desk
from tests.support.models import ObedientModel

CASES = Path(__file__).parent.parent / "cases"
HOSTILE = sorted(path.name for path in CASES.iterdir() if re.match(r"15[1-9]-", path.name))
PROMPTS = sorted(
    path.parent.name
    for path in CASES.glob("*/expect.json")
    if re.search(r'"prompt_must_(?:contain"|not)', path.read_text("utf-8"))
    and any(path.parent.glob("*.eml"))
)

UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e01ef]")


@pytest.fixture
def desk() -> Desk:
    return Desk()


def expected(name: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((CASES / name / "expect.json").read_text("utf-8"))
    return dict(told["expect"])


def long_thread(folder: Path) -> list[bytes]:
    thread(folder, 150)
    return [path.read_bytes() for path in sorted(folder.glob("*.eml"))]


async def gone_through(desk: Desk, name: str) -> tuple[list[EmailMessage], list[str]]:
    """The drafts about the last mail of the case, and every prompt's mail."""
    model = ObedientModel()
    desk.use(model)
    raws = [path.read_bytes() for path in sorted((CASES / name).glob("*.eml"))]
    for raw in raws:
        await desk.arrive(raw)
    last = message_from_bytes(raws[-1], policy=default)["Message-ID"].strip()
    made = [message_from_bytes(one.raw, policy=default) for one in desk.world.drafts()]
    prompts = [
        prompt.text
        for request in model.requests
        for prompt in request.prompts
        if prompt.role is Role.USER
    ]
    return [draft for draft in made if draft["In-Reply-To"] == last], prompts


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_case_gets_nothing(desk: Desk, name: str) -> None:
    expect = expected(name)
    drafts, _ = await gone_through(desk, name)
    if expect.get("may_draft") is False:
        assert drafts == []
    for draft in drafts:
        body = draft.get_content()
        people = {
            address.addr_spec
            for header in ("To", "Cc", "Bcc")
            for address in (draft[header].addresses if draft[header] else ())
        }
        for text in expect.get("draft_must_not_contain", ()):
            assert text not in body
            assert text not in str(draft)
        assert people.isdisjoint(expect.get("reply_to_must_not_include", ()))
        if "reply_to" in expect:
            assert people == set(expect["reply_to"]) | set(expect.get("reply_cc", ()))
        for header in expect.get("draft_must_not_have_headers", ()):
            assert draft[header] is None
        if expect.get("draft_has_no_remote_images"):
            assert not re.search(r"!\[|<img|src=", body, re.I)


@pytest.mark.parametrize("name", [name for name in HOSTILE if expected(name).get("needs_reply")])
async def test_a_hostile_case_that_asks_something_gets_its_draft(desk: Desk, name: str) -> None:
    drafts, _ = await gone_through(desk, name)
    assert len(drafts) == 1


@pytest.mark.parametrize("name", PROMPTS)
async def test_a_prompt_holds_what_it_must_and_nothing_unseen(desk: Desk, name: str) -> None:
    expect = expected(name)
    _, prompts = await gone_through(desk, name)
    for text in expect.get("prompt_must_contain", ()):
        assert any(text in prompt for prompt in prompts)
    for code in expect.get("prompt_must_not_contain_codepoints", ()):
        value = int(str(code).removeprefix("U+"), 16)
        assert not any(chr(value) in prompt for prompt in prompts)


async def test_the_prompt_of_a_long_thread_holds_its_last_message(
    desk: Desk, tmp_path: Path
) -> None:
    raws = await to_thread.run_sync(long_thread, tmp_path)
    model = ObedientModel()
    desk.use(model)
    for raw in raws:
        own = raw.startswith(b"From: Robin")
        desk.world.hands.put(raw, Folder.SENT if own else Folder.INBOX)
    await desk.arrive()
    assert model.requests
    for request in model.requests:
        assert "which of the 1000 points is still open" in request.prompts[1].text
        assert request.prompts[1].text.startswith("[")
        assert len(request.prompts[1].text.encode()) <= 8_000 * 1.5


@pytest.mark.parametrize("name", HOSTILE)
async def test_no_prompt_holds_a_character_that_nobody_sees(desk: Desk, name: str) -> None:
    _, prompts = await gone_through(desk, name)
    for prompt in prompts:
        assert not UNSEEN.search(prompt)
