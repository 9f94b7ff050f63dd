"""What the end of an APPEND means, by how far it had come and what the server said."""

from __future__ import annotations

import pytest

from providers.imap.parse import Response
from providers.imap.wire import Done, Stage
from providers.imap.writing import ended, refused
from storage.words import Rejected, Unknown


def said(name: bytes, code: bytes = b"", text: str = "no") -> Done:
    return Done(Response(tag=b"F1", name=name, code=(code,) if code else (), text=text))


def test_ok_is_no_bad_end() -> None:
    assert ended(Stage.ANSWERED, said(b"OK"), "") is None


@pytest.mark.parametrize("stage", [Stage.NOTHING, Stage.PART])
def test_less_than_the_whole_is_stored_by_no_server(stage: Stage) -> None:
    end = ended(stage, None, "the connection was lost")
    assert isinstance(end, Rejected)
    assert end.passing


def test_the_whole_without_an_answer_is_unknown() -> None:
    assert isinstance(ended(Stage.ALL, None, "the connection was lost"), Unknown)


@pytest.mark.parametrize("name", [b"NO", b"BAD"])
@pytest.mark.parametrize("stage", [Stage.NOTHING, Stage.PART, Stage.ALL, Stage.ANSWERED])
def test_a_refusal_is_a_rejection_at_every_stage(name: bytes, stage: Stage) -> None:
    assert isinstance(ended(stage, said(name), ""), Rejected)


@pytest.mark.parametrize(
    ("code", "passing", "illness", "words"),
    [
        (b"OVERQUOTA", True, True, "free some space"),
        (b"TRYCREATE", True, True, "make it again"),
        (b"NOPERM", True, True, "let this user write"),
        (b"UNAVAILABLE", True, False, "refused the draft"),
        (b"", False, False, "refused the draft"),
        (b"TOOBIG", False, False, "refused the draft"),
    ],
)
def test_the_response_code_says_what_to_do(
    code: bytes, passing: bool, illness: bool, words: str
) -> None:
    end = refused(said(b"NO", code))
    assert (end.passing, end.illness) == (passing, illness)
    assert words in end.reason


@pytest.mark.parametrize("text", ["Mailbox is read-only", "Permission denied", "Over quota"])
def test_servers_that_give_no_code_are_understood_by_their_words(text: str) -> None:
    assert refused(said(b"NO", text=text)).illness


def test_bad_is_never_tried_again() -> None:
    assert not refused(said(b"BAD", b"UNAVAILABLE")).passing
