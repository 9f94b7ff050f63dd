"""The whole product on a Gmail emulator that others wrote, where one is installed.

Only ``api_root`` and ``token_url`` are set to it, and the access token has ended already. Answers
are cut by a proxy between the two.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.gmail_product.site import Site, question
from tests.support.gmail.emulator import Emulator
from tests.support.proxy import Act, Proxy, Rule, To

pytestmark = pytest.mark.timeout(300)
CLIENT = {"installed": {"client_id": "client-1", "client_secret": "not-a-secret"}}


@dataclass
class Elsewhere(Site):
    """An installation whose provider is the emulator, behind a proxy."""

    emulator: Emulator = field(kw_only=True)
    proxy: Proxy = field(kw_only=True)

    def ask(self, path: str) -> Any:
        """What the emulator answers."""
        token = self.emulator.login()["access_token"]
        answer = self.emulator.ask(
            "GET", f"/gmail/v1/users/me{path}", None, Authorization=f"Bearer {token}"
        )
        return answer[1]

    def deliver(self, number: int, parent: int | None = None) -> str:
        """A question arrives; its thread."""
        token = self.emulator.login()["access_token"]
        mail = question(number, subject=None if parent is None else f"Re: The plan {parent}")
        if parent is not None:
            mail["In-Reply-To"] = mail["References"] = f"<{parent}@example.org>"
        return str(self.emulator.deliver(token, mail.as_bytes())["threadId"])

    def drafts(self) -> list[str]:
        """The thread of each draft that is not in the trash: this server lists those as well."""
        found = [
            self.ask(f"/drafts/{one['id']}")["message"] for one in self.ask("/drafts")["drafts"]
        ]
        return [str(one["threadId"]) for one in found if "TRASH" not in one["labelIds"]]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Elsewhere]:
    with Emulator.started(tmp_path) as emulator:
        proxy = Proxy(emulator.port)
        made = Elsewhere(
            root=tmp_path, provider=f"http://127.0.0.1:{proxy.port}", token_path="/oauth2/token",
            emulator=emulator, proxy=proxy,
        )  # fmt: skip
        made.write(CLIENT, {"robin": {**emulator.login(), "expires_at": time.time() - 5}})
        try:
            yield made
        finally:
            proxy.close()


def test_a_question_gets_one_draft_in_its_thread(site: Elsewhere) -> None:
    assert "no getProfile" in site.run("check")
    thread = site.deliver(1)
    (told,) = site.json("once")["mailboxes"]
    assert (told["drafted"], told["problems"]) == (1, [])
    (told,) = site.json("once")["mailboxes"]
    assert (told["messages"], told["drafted"]) == (0, 0)
    assert site.drafts() == [thread]


def test_a_lost_answer_is_found_and_never_asked_for_again(site: Elsewhere) -> None:
    thread = site.deliver(1)
    cut = site.proxy.add(Rule(to=To.CLIENT, marker=b'"labelIds":["DRAFT"]', act=Act.CUT))
    (told,) = site.json("once")["mailboxes"]
    assert cut.acted.is_set()
    assert told["unknown"] == 1
    (intent,) = site.json("intents")
    assert (intent["state"], intent["settled_by"]) == ("accepted", "sighting")
    assert site.drafts() == [thread]


def test_a_discarded_draft_makes_way_for_the_next_question(site: Elsewhere) -> None:
    site.run("check", "--probe", "robin/mail")
    with site.running() as daemon:
        thread = site.deliver(1)
        site.until(lambda: site.items("draft_ready"), daemon)
        (item,) = site.items("draft_ready")
        site.run("review", "do", str(item["id"]), "discard")
        site.until(lambda: not site.drafts() and not site.json("review", "list"), daemon)
        assert site.deliver(2, parent=1) == thread
        site.until(lambda: site.drafts() == [thread], daemon)
