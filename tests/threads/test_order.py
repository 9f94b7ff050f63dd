"""No message stands before one that it answers, whatever order they arrived in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from providers.mime.message import Mail
from providers.mime.threads import reply_order
from storage.words import Identity


def mail(name: str, *answers: str) -> Mail:
    return Mail(
        identity=Identity(name), message_id=f"<{name}@example.org>",
        references=tuple(f"<{one}@example.org>" for one in answers),
    )  # fmt: skip


def names(mails: list[Mail]) -> list[str]:
    return [str(mails[at].identity) for at in reply_order(mails)]


def test_an_answer_that_was_fetched_first_comes_after_its_question() -> None:
    assert names([mail("own", "q"), mail("q"), mail("next", "own")]) == ["q", "own", "next"]


def test_a_sent_folder_that_was_fetched_last_is_put_between() -> None:
    thread = [mail("q"), mail("next", "q", "own"), mail("own", "q")]
    assert names(thread) == ["q", "own", "next"]


def test_what_answers_nothing_keeps_its_order() -> None:
    assert names([mail("a"), mail("b"), mail("c")]) == ["a", "b", "c"]


def test_a_loop_is_left_as_it_came() -> None:
    assert names([mail("z"), mail("a", "b"), mail("b", "a")]) == ["z", "a", "b"]


@given(st.permutations(range(6)))
def test_a_chain_comes_out_in_order_however_it_arrived(order: list[int]) -> None:
    chain = [mail(str(at), *(str(one) for one in range(at))) for at in range(6)]
    assert names([chain[at] for at in order]) == [str(at) for at in range(6)]
