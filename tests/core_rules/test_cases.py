"""Every shared case: whether the rules see that its owner owes an answer."""

import pytest

from assistant.core.rules import judge
from storage.words import Category
from tests.core_rules.build import CASES, case

JUDGED = sorted(
    path.parent.name
    for path in CASES.glob("*/expect.json")
    if '"needs_reply"' in path.read_text("utf-8") and list(path.parent.glob("*.eml"))
)


@pytest.mark.parametrize("name", JUDGED)
def test_needs_reply_is_as_the_case_says(name: str) -> None:
    conversation, expect = case(name)
    triage = judge(conversation)
    assert (triage.category is Category.NEEDS_REPLY) is expect["needs_reply"], triage.reason


@pytest.mark.parametrize("name", ["100-nested-1500", "116-winmail-dat", "118-smime-enveloped"])
def test_what_cannot_be_read_asks_for_no_draft(name: str) -> None:
    conversation, _ = case(name)
    assert judge(conversation).category is not Category.NEEDS_REPLY
