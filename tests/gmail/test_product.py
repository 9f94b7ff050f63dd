"""The whole product on a Gmail account, by its command line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from tests.contracts.mails import mail, question
from tests.gmail.product import ROBIN, Installation
from tests.support.gmail.process import Process


@pytest.fixture
def google() -> Iterator[Process]:
    with Process.started() as running:
        yield running


@pytest.fixture
def site(tmp_path: Path, google: Process) -> Installation:
    return Installation(tmp_path, google)


def ask(site: Installation, number: int = 1) -> dict[str, str]:
    return site.deliver(
        mail(
            f"<q{number}@example.org>",
            sender=f"Mina Okafor <mina{number}@example.org>",
            body="Could you send me the plan?",
        )
    )


def test_a_question_gets_a_draft_in_its_thread_with_text_and_html(site: Installation) -> None:
    asked = ask(site)
    code, told = site.run("once")
    assert code == 0, told
    ((thread, raw),) = site.messages("DRAFT")
    draft: Message = message_from_bytes(raw)
    assert thread == asked["threadId"]
    assert draft["In-Reply-To"] == draft["References"] == "<q1@example.org>"
    assert draft["To"] == "Mina Okafor <mina1@example.org>"
    assert draft["From"] == "Robin Vale <robin@example.com>"
    assert [part.get_content_type() for part in draft.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]


def test_a_draft_is_made_once_however_often_it_runs(site: Installation, google: Process) -> None:
    ask(site)
    for _ in range(3):
        site.run("once")
    assert len(site.messages("DRAFT")) == 1
    assert google.say("counters")["requests"]["drafts.create"] == 1


def test_a_lost_answer_is_found_and_nothing_is_made_twice(
    site: Installation, google: Process
) -> None:
    google.say("fault", method="drafts.create", effect="after", end="reset")
    ask(site)
    for _ in range(2):
        site.run("once")
    assert [one["state"] for one in site.json("intents")] == ["accepted"]
    assert google.say("counters")["requests"]["drafts.create"] == 1
    assert len(site.messages("DRAFT")) == 1


def test_mail_stays_unread(site: Installation) -> None:
    ask(site)
    site.run("once")
    assert len(site.messages("UNREAD")) == 1


def test_check_says_what_works_and_what_nobody_has_tried(site: Installation) -> None:
    told = site.check()["robin/work"]
    assert told["works"], told
    assert "never removes" in told["says"]
    assert "check --probe" in told["says"]


def test_check_names_addresses_that_gmail_does_not_send_as(
    site: Installation, google: Process
) -> None:
    google.say(
        "send_as",
        entries=[
            {"address": ROBIN, "primary": True, "default": True},
            {"address": "hello@vale.example.net"},
        ],
    )
    assert "hello@vale.example.net" in site.check()["robin/work"]["says"]


def test_the_draft_comes_from_the_alias_that_was_written_to(
    site: Installation, google: Process
) -> None:
    google.say(
        "send_as",
        entries=[
            {"address": ROBIN, "primary": True, "default": True},
            {"address": "hello@vale.example.net"},
        ],
    )
    site.deliver(
        mail("<q@example.org>", to="hello@vale.example.net", body="Could you send me the plan?")
    )
    site.run("once")
    ((_, raw),) = site.messages("DRAFT")
    assert message_from_bytes(raw)["From"] == "Robin Vale <hello@vale.example.net>"


def test_an_alias_that_is_not_verified_is_nobodys(site: Installation, google: Process) -> None:
    google.say(
        "send_as",
        entries=[
            {"address": ROBIN, "primary": True, "default": True},
            {"address": "hello@vale.example.net", "verified": False},
        ],
    )
    site.deliver(
        mail("<q@example.org>", to="hello@vale.example.net", body="Could you send me the plan?")
    )
    site.run("once")
    froms = [message_from_bytes(raw)["From"] for _, raw in site.messages("DRAFT")]
    assert set(froms) <= {"Robin Vale <robin@example.com>"}


def test_a_probe_is_kept_for_later_processes(site: Installation) -> None:
    told = site.check("--probe", "robin/work")["probe of robin/work"]
    assert told["works"], told
    assert "content, header" in told["says"]
    later = site.check()["robin/work"]["says"]
    assert "can be removed by version" in later
    assert "marks kept: content, header" in later
    assert site.messages("DRAFT") == []


def test_a_probe_of_a_gmail_that_trashes_no_draft_leaves_removal_off(
    site: Installation, google: Process
) -> None:
    google.say("settings", trash_draft="refused")
    told = site.check("--probe", "robin/work")["probe of robin/work"]
    assert not told["works"]
    assert "Fencepost probe" in told["remedy"]
    assert "never removes" in site.check()["robin/work"]["says"]


def test_a_probe_of_a_gmail_that_drops_fields_finds_the_draft_by_what_it_says(
    site: Installation, google: Process
) -> None:
    google.say("settings", x_headers_on_create="drop")
    told = site.check("--probe", "robin/work")["probe of robin/work"]
    assert told["works"], told
    assert "it keeps: content" in told["says"]


def test_a_probe_result_that_is_broken_counts_as_none(site: Installation) -> None:
    site.check("--probe", "robin/work")
    (kept,) = (site.data / "probes").iterdir()
    kept.write_text("{")
    assert "never removes" in site.check()["robin/work"]["says"]


def test_a_discarded_draft_goes_into_the_trash_after_a_probe(site: Installation) -> None:
    site.check("--probe", "robin/work")
    before = len(site.messages("TRASH"))
    ask(site)
    site.run("once")
    (item,) = [one for one in site.json("review", "list") if one["kind"] == "draft_ready"]
    code, told = site.run("review", "do", str(item["id"]), "discard")
    assert code == 0, told
    site.run("once")
    assert site.messages("DRAFT") == []
    assert len(site.messages("TRASH")) == before + 1


def test_without_a_probe_a_discarded_draft_is_left_and_told(site: Installation) -> None:
    ask(site)
    site.run("once")
    (item,) = [one for one in site.json("review", "list") if one["kind"] == "draft_ready"]
    site.run("review", "do", str(item["id"]), "discard")
    site.run("once")
    assert len(site.messages("DRAFT")) == 1
    assert any("check --probe" in json.dumps(one) for one in site.json("review", "list"))


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        ("https://www.googleapis.com/auth/gmail.readonly", "log in again"),
        ("https://www.googleapis.com/auth/gmail.metadata", "log in again"),
    ],
)
def test_a_login_that_allows_too_little_says_so(
    tmp_path: Path, google: Process, scope: str, said: str
) -> None:
    site = Installation(tmp_path, google, scope=scope)
    ask(site)
    site.run("once")
    assert site.messages("DRAFT") == []
    assert said in json.dumps(site.json("review", "list"))


def test_a_domain_that_forbids_it_says_whom_to_ask(site: Installation, google: Process) -> None:
    google.say("fault", answer="domain_policy", effect="before", times=999)
    told = site.check()["robin/work"]
    assert not told["works"]
    assert "administrator" in told["says"] + told["remedy"]


def test_a_missing_login_says_how_to_log_in(site: Installation) -> None:
    (site.data / "tokens" / "robin-work.json").unlink()
    told = site.check()["robin/work"]
    assert not told["works"]
    assert "fencepost login robin/work" in told["says"] + told["remedy"]


def test_a_broken_client_file_is_named(site: Installation, google: Process) -> None:
    google.say("expire_tokens", user=ROBIN)
    (site.config / "client.json").write_text("{}")
    ask(site)
    told = site.check()["robin/work"]
    assert not told["works"]
    assert "client" in told["says"] + told["remedy"]


def test_an_expired_token_is_renewed_by_itself(site: Installation, google: Process) -> None:
    google.say("expire_tokens", user=ROBIN)
    ask(site)
    for _ in range(3):
        site.run("once")
    assert len(site.messages("DRAFT")) == 1


def test_each_of_many_threads_has_its_own_draft(site: Installation) -> None:
    threads = [ask(site, number)["threadId"] for number in range(8)]
    site.deliver(question())
    code, told = site.run("once")
    assert code == 0, told
    found = Counter(thread for thread, _ in site.messages("DRAFT"))
    assert {found[thread] for thread in threads} == {1}
    assert max(found.values()) == 1
