"""What the end of drafts.create means: every row of the table, as a value."""

from __future__ import annotations

import pytest

from providers.gmail.outcomes import classify, never_left, trashed
from providers.gmail.ports import QuotaError, TokenError, TokenTrouble
from providers.gmail.transport import Answer, NoAnswer, Refusal
from storage.words import Accepted, Rejected, Unknown

WHOLE = {"id": "r1", "message": {"id": "m1", "threadId": "t1", "labelIds": ["DRAFT"]}}


def refused(code: int, reason: str) -> Answer:
    return Answer(
        status=code, value={}, refusal=Refusal(code=code, reason=reason, message="as Google says")
    )


def test_a_whole_answer_is_accepted_with_its_three_ids() -> None:
    outcome = classify(Answer(status=200, value=WHOLE))
    assert outcome == Accepted(ref="r1", version="m1", detail="t1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        [WHOLE],
        "r1",
        {"id": "r1"},
        {"id": "r1", "message": {"id": "m1"}},
        {"id": "r1", "message": {"threadId": "t1"}},
        {"id": "", "message": {"id": "m1", "threadId": "t1"}},
        {"id": 7, "message": {"id": "m1", "threadId": "t1"}},
        {"message": {"id": "m1", "threadId": "t1"}},
    ],
)
def test_a_yes_that_does_not_name_the_draft_is_unknown(value: object) -> None:
    assert isinstance(classify(Answer(status=200, value=value)), Unknown)


@pytest.mark.parametrize("status", [201, 202, 204, 206, 301, 302, 303, 307, 308])
def test_another_status_without_a_refusal_is_unknown(status: int) -> None:
    assert isinstance(classify(Answer(status=status, value=WHOLE)), Unknown)


@pytest.mark.parametrize("code", [400, 404, 413])
def test_a_refusal_of_what_was_asked_is_final(code: int) -> None:
    outcome = classify(refused(code, "invalidArgument"))
    assert isinstance(outcome, Rejected)
    assert (outcome.passing, outcome.illness) == (False, False)


@pytest.mark.parametrize(
    ("code", "reason", "remedy"),
    [
        (401, "authError", "renewed by itself"),
        (403, "insufficientPermissions", "log in again"),
        (403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "log in again"),
        (403, "domainPolicy", "ask the administrator"),
        (403, "accessNotConfigured", "enable the Gmail API"),
        (403, "forbidden", "see what Google says"),
    ],
)
def test_a_refusal_of_the_account_is_an_illness(code: int, reason: str, remedy: str) -> None:
    outcome = classify(refused(code, reason))
    assert isinstance(outcome, Rejected)
    assert (outcome.passing, outcome.illness) == (True, True)
    assert remedy in outcome.reason


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (429, "rateLimitExceeded"),
        (429, ""),
        (403, "rateLimitExceeded"),
        (403, "userRateLimitExceeded"),
        (403, "quotaExceeded"),
        (403, "dailyLimitExceeded"),
    ],
)
def test_a_refusal_for_the_rate_may_be_tried_again_under_the_same_intent(
    code: int, reason: str
) -> None:
    outcome = classify(refused(code, reason))
    assert isinstance(outcome, Rejected)
    assert (outcome.passing, outcome.illness) == (True, True)


def test_a_refusal_for_the_rate_says_when() -> None:
    answer = Answer(
        status=429,
        value={},
        refusal=Refusal(code=429, reason="rateLimitExceeded", message=""),
        retry_after_s=30.0,
    )
    assert classify(answer) == Rejected(
        reason="the Gmail API wants fewer calls for now",
        passing=True,
        illness=True,
        retry_after_s=30.0,
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (400, "failedPrecondition"),
        (409, "aborted"),
        (409, "alreadyExists"),
        (405, "methodNotAllowed"),
        (408, "timeout"),
        (410, "deleted"),
        (412, "conditionNotMet"),
        (418, "teapot"),
        (500, "backendError"),
        (502, "badGateway"),
        (503, "backendError"),
        (504, "timeout"),
    ],
)
def test_every_other_refusal_is_unknown(code: int, reason: str) -> None:
    assert isinstance(classify(refused(code, reason)), Unknown)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500, 502, 503])
def test_a_refusal_without_googles_envelope_is_unknown(status: int) -> None:
    assert isinstance(classify(Answer(status=status, value={"message": "no"})), Unknown)


def test_no_answer_is_unknown_when_the_request_had_left() -> None:
    assert isinstance(classify(NoAnswer(left=True, problem="reset")), Unknown)


def test_no_answer_is_a_passing_refusal_when_it_had_not() -> None:
    outcome = classify(NoAnswer(left=False, problem="refused"))
    assert isinstance(outcome, Rejected)
    assert (outcome.passing, outcome.illness) == (True, True)


@pytest.mark.parametrize(
    ("kind", "reconnect"), [(TokenTrouble.RECONNECT, True), (TokenTrouble.TRANSIENT, False)]
)
def test_a_missing_token_is_a_call_that_never_left(kind: TokenTrouble, reconnect: bool) -> None:
    outcome = never_left(TokenError(kind, "no login", "log in"))
    assert (outcome.passing, outcome.illness, outcome.reconnect) == (True, True, reconnect)
    assert "log in" in outcome.reason


def test_missing_quota_is_a_call_that_never_left() -> None:
    outcome = never_left(QuotaError("used up", retry_after_s=40))
    assert (outcome.passing, outcome.retry_after_s) == (True, 40)


def test_the_trash_is_believed_when_it_names_the_message() -> None:
    assert isinstance(trashed(Answer(status=200, value={"id": "m1"}), "m1"), Accepted)


def test_the_trash_is_not_believed_when_it_names_another() -> None:
    assert isinstance(trashed(Answer(status=200, value={"id": "m2"}), "m1"), Unknown)


@pytest.mark.parametrize(
    ("code", "reason", "passing"), [(400, "failedPrecondition", False), (409, "aborted", True)]
)
def test_a_removal_that_was_turned_away_beside_another_call_changed_nothing(
    code: int, reason: str, passing: bool
) -> None:
    outcome = trashed(refused(code, reason), "m1")
    assert isinstance(outcome, Rejected)
    assert (outcome.passing, outcome.illness) == (passing, False)
