"""What owners do in Gmail's own page, under one daemon that runs all the while."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from email.message import EmailMessage
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.gmail_product.site import Google, question

pytestmark = pytest.mark.timeout(300)
_NUMBERS = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Google]:
    with (
        Google.made(tmp_path_factory.mktemp("owner"), also=("hello@vale.example.net",)) as made,
        made.running(),
    ):
        yield made


@pytest.fixture
def number() -> int:
    """A number of this test's own."""
    return next(_NUMBERS)


def row(site: Google, thread: str) -> dict[str, Any]:
    """The thread as ``fencepost threads`` shows it; empty before it is noted."""
    rows = [one for one in site.json("threads") if one["refs"][0].startswith(f"mail/{thread}/")]
    return rows[0] if rows else {}


def drafts_in(site: Google, thread: str) -> list[str]:
    """The draft ids of a thread."""
    return [name for name, one in site.drafts().items() if one["thread"] == thread]


def drafted(site: Google, number: int, *, noted: bool = True) -> tuple[str, str]:
    """A question that got its draft: thread and draft id; *noted*: a pass has seen it."""
    thread = site.deliver(question(number))["threadId"]
    site.until(lambda: drafts_in(site, thread))
    (draft,) = drafts_in(site, thread)
    site.until(lambda: not noted or (f"draft/{draft}",) in site.sql("SELECT ref FROM messages"))
    return thread, draft


def state(site: Google, thread: str) -> str | None:
    """The state of the last draft of ours in a thread."""
    rows = site.sql(
        "SELECT t.provider_thread, d.state FROM drafts d JOIN threads t USING (integration, thread)"
        " ORDER BY d.id"
    )
    return dict(rows).get(thread)


def ask_again(site: Google, number: int, thread: str) -> None:
    """A further question arrives in the thread."""
    mail = question(f"{number}-more", subject=f"Re: The plan {number}")
    mail["In-Reply-To"] = mail["References"] = f"<{number}@example.org>"
    site.deliver(mail, thread=thread)
    site.until(lambda: f"<{number}-more@example.org>" in site.noted())


def calm(site: Google) -> None:
    """Wait until nothing is due and a further pass has been made."""
    site.until(lambda: not site.sql("SELECT 1 FROM threads WHERE due_at IS NOT NULL"))
    passed = site.counters()["requests"]["history.list"]
    site.until(lambda: site.counters()["requests"]["history.list"] > passed + 2)
    site.until(lambda: not site.sql("SELECT 1 FROM threads WHERE due_at IS NOT NULL"))


def creates(site: Google) -> int:
    """How often a draft was asked for."""
    return int(site.counters()["requests"].get("drafts.create", 0))


@pytest.mark.parametrize("noted", [True, False], ids=["noted", "not noted"])
def test_an_edited_draft_is_the_owners(site: Google, number: int, noted: bool) -> None:
    thread, draft = drafted(site, number, noted=noted)
    site.say("edit_draft", draft=draft, body="My own words.\n")
    site.until(lambda: state(site, thread) == "edited")
    ask_again(site, number, thread)
    calm(site)
    assert drafts_in(site, thread) == [draft]
    assert b"My own words." in base64.b64decode(site.drafts()[draft]["raw"])


@pytest.mark.parametrize("edited", [False, True], ids=["as it is", "edited"])
def test_a_sent_draft_is_sent_and_answered_no_more(site: Google, number: int, edited: bool) -> None:
    thread, draft = drafted(site, number)
    if edited:
        site.say("edit_draft", draft=draft, body="Part of it is here.\n")
    site.say("send_draft", draft=draft)
    site.until(lambda: state(site, thread) == "sent")
    before = creates(site)
    calm(site)
    assert creates(site) == before
    assert drafts_in(site, thread) == []


def test_a_discarded_draft_is_not_made_again(site: Google, number: int) -> None:
    thread, draft = drafted(site, number)
    site.say("discard_draft", draft=draft)
    site.until(lambda: state(site, thread) in ("discarded", "gone"))
    calm(site)
    assert drafts_in(site, thread) == []


def test_another_subject_takes_a_draft_away_and_no_second_one_follows(
    site: Google, number: int
) -> None:
    thread, draft = drafted(site, number)
    site.say("edit_draft", draft=draft, subject=f"Something else {number}")
    site.until(lambda: state(site, thread) == "edited")
    before = creates(site)
    calm(site)
    assert creates(site) == before
    assert drafts_in(site, thread) == []


def test_autosaves_of_the_owners_own_draft_are_no_news(site: Google, number: int) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"] = "news@example.org", "robin@example.com"
    mail["Subject"], mail["List-Id"] = f"News {number}", "<news.example.org>"
    mail["Message-ID"] = f"<news-{number}@example.org>"
    mail.set_content("Much has happened.\n")
    thread = site.deliver(mail)["threadId"]
    own = EmailMessage()
    own["From"], own["To"] = "robin@example.com", "news@example.org"
    own["Subject"] = f"Re: News {number}"
    own["In-Reply-To"] = own["References"] = f"<news-{number}@example.org>"
    own.set_content("I begin.\n")
    made = site.say("write_draft", raw=own.as_string(), thread=thread)
    site.until(lambda: row(site, thread))
    calm(site)
    events = site.sql("SELECT count(*) FROM events")
    site.say("autosave", draft=made["draft"], times=30, text="I go on")
    calm(site)
    assert site.sql("SELECT count(*) FROM events") == events
    question_on = question(f"{number}-on", subject=f"Re: News {number}")
    question_on["In-Reply-To"] = question_on["References"] = f"<news-{number}@example.org>"
    site.deliver(question_on, thread=thread)
    site.until(lambda: row(site, thread).get("category") == "needs_reply")
    calm(site)
    assert drafts_in(site, thread) == [made["draft"]]
    assert "draft" in row(site, thread)["no_draft_because"]


def test_spam_and_trash_are_never_noted(site: Google, number: int) -> None:
    for label in ("SPAM", "TRASH"):
        site.deliver(question(f"{number}-{label}"), labels=[label])
    drafted(site, number)
    calm(site)
    assert not {f"<{number}-SPAM@example.org>", f"<{number}-TRASH@example.org>"} & site.noted()


def test_a_mail_that_is_gone_before_it_is_read_is_nothing(site: Google, number: int) -> None:
    site.fault(method="messages.get", effect="before", answer="not_found")
    gone = site.deliver(question(f"{number}-gone"))
    site.until(lambda: site.counters()["requests"]["messages.get"])
    calm(site)
    site.say("delete", message=gone["id"])
    drafted(site, number)
    assert site.items("quarantined") == []
    assert site.json("status")["mailboxes"][0]["problem"] is None


def test_a_mail_to_another_address_of_the_account_is_answered_from_it(
    site: Google, number: int
) -> None:
    site.say(
        "send_as",
        entries=[
            {"address": "robin@example.com", "default": True, "primary": True},
            {"address": "hello@vale.example.net", "name": "Robin of Vale"},
        ],
    )
    mail = question(number)
    del mail["To"]
    mail["To"] = "hello@vale.example.net"
    thread = site.deliver(mail)["threadId"]
    site.until(lambda: drafts_in(site, thread))
    (draft,) = drafts_in(site, thread)
    raw = base64.b64decode(site.drafts()[draft]["raw"])
    assert b"From: Robin Vale <hello@vale.example.net>" in raw


def test_a_thread_of_a_thousand_messages_gets_its_draft(site: Google, number: int) -> None:
    made = site.say(
        "deliver_thread", number=1_000, sender="mina@example.org", subject=f"The plan {number}"
    )
    ask_again(site, number, made["threadId"])
    site.until(lambda: drafts_in(site, made["threadId"]))
    calm(site)
    assert len(drafts_in(site, made["threadId"])) == 1
    assert site.items("quarantined") == []


def test_a_mail_of_35_mb_gets_its_draft(site: Google, number: int) -> None:
    mail = question(number)
    mail.add_attachment(b"\0" * 25_000_000, maintype="application", subtype="zip", filename="a.zip")
    thread = site.deliver(mail)["threadId"]
    site.until(lambda: drafts_in(site, thread))
    calm(site)
    assert len(drafts_in(site, thread)) == 1


def test_what_came_while_the_history_was_forgotten_is_drafted_and_told(tmp_path: Path) -> None:
    with Google.made(tmp_path) as site:
        site.deliver(question(1))
        site.json("once")
        for number in (2, 3):
            site.deliver(question(number))
        site.say("expire_history")
        site.deliver(question(4))
        (told,) = site.json("once")["mailboxes"]
        assert told["drafted"] == 3
        (item,) = site.items("gap")
        assert "looked through again" in item["summary"]
        assert len(site.drafts()) == 4
