"""The whole house with a model behind a real server, from a folder of configuration."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from anyio import to_thread

from assistant import wiring
from assistant.modelcheck import problem_of
from assistant.once import Summary, run_once
from assistant.process import writing
from assistant.settings import Settings
from assistant.timing import SystemClock
from config.load import load
from storage import reviews, spend
from storage.lock import acquire
from storage.words import NO_FAULTS, ItemKind
from tests.support.mails import question
from tests.support.models import JUDGEMENT, REPLY
from tests.support.modelserver import ModelServer, Reply, Seen, good, model_server

KEY = "sk-of-robin-0815"


def reply(seen: Seen) -> Reply:
    """What a model would say."""
    name = seen.body["response_format"]["json_schema"]["name"]
    return good(
        {"triage": JUDGEMENT, "draft": REPLY, "color": {"color": "blue"}}[name], usage=USAGE
    )


USAGE = {"prompt_tokens": 900, "completion_tokens": 60}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("MODEL_KEY", KEY)
    return


def configured(folder: Path, url: str, key: str = '{ env = "MODEL_KEY" }') -> Path:
    """A folder of configuration, and a Maildir with one question in it."""
    config, mail = folder / "config", folder / "mail"
    for name in ("cur", "new", "tmp", ".Drafts/cur", ".Drafts/new", ".Drafts/tmp", ".Sent/cur",
                 ".Sent/new", ".Sent/tmp"):  # fmt: skip
        (mail / name).mkdir(parents=True)
    (mail / "new" / "1.q.example").write_bytes(question())
    (config / "users").mkdir(parents=True)
    (config / "fencepost.toml").write_text(
        f'[storage]\ndata_dir = "{folder / "data"}"\n[runtime]\nsettle = "0s"\n', "utf-8"
    )
    (config / "users" / "robin.toml").write_text(
        f"""name = "Robin Vale"
addresses = ["robin@example.com"]
timezone = "Europe/Paris"
signature = "Robin"
instructions = "Short answers."
[triage]
engine = "model"
[model]
base_url = "{url}"
triage = "small"
draft = "large"
api_key = {key}
[[mailboxes]]
id = "local"
provider = "maildir"
path = "{mail}"
""",
        "utf-8",
    )
    return config


async def one_pass(config: Path) -> tuple[list[Summary], list[spend.Spent], list[str]]:
    """One pass: what it did, what it cost, and what is told of the configuration."""
    loaded = await to_thread.run_sync(load, config)
    clock = SystemClock()
    with await acquire(loaded.daemon.storage.data_dir, clock=clock) as lock:
        async with writing(loaded, lock, clock, since_s=1e9) as process:
            did = await run_once(process.house, look_horizon_s=0)
            cost = await process.database.read(spend.latest)
            items = await process.database.read(
                lambda conn: reviews.listed_kind(conn, ItemKind.CONFIG_FAULT)
            )
    return did, cost, [item.summary for item in items]


def drafts(folder: Path) -> list[str]:
    return [one.read_text() for one in (folder / "mail" / ".Drafts").glob("*/*")]


async def test_a_question_goes_through_the_server_into_a_draft(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with model_server(reply) as server:
        config = await to_thread.run_sync(configured, tmp_path, server.url)
        did, cost, faults = await one_pass(config)
    assert did[0].as_json()["drafted"] == 1
    (draft,) = await to_thread.run_sync(drafts, tmp_path)
    assert "thank you for asking" in draft
    assert [(one.user, one.tokens) for one in cost] == [("robin", 1_920)]
    assert [seen.body["model"] for seen in server.seen] == ["small", "large"]
    assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    assert "Short answers." in json.dumps(server.seen[0].body)
    assert faults == []
    assert KEY not in caplog.text
    assert "Heron" not in caplog.text


async def test_a_missing_key_is_told_and_rules_go_on(tmp_path: Path) -> None:
    async with model_server(reply) as server:
        config = await to_thread.run_sync(configured, tmp_path, server.url, '{ env = "NO_KEY" }')
        did, _, faults = await one_pass(config)
    assert did[0].as_json()["drafted"] == 1
    assert "Outline" in (await to_thread.run_sync(drafts, tmp_path))[0]
    assert server.seen == []
    assert "rules decide" in faults[0]


async def built(server: ModelServer, tmp_path: Path) -> wiring.Built:
    config = await to_thread.run_sync(configured, tmp_path, server.url)
    user = load(config).users["robin"]
    return wiring.build_user(user, Settings(), SystemClock(), NO_FAULTS, since_s=None)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, None),
        (Reply(status=401), "check api_key"),
        (Reply(status=404), "no such model"),
        (good({"color": "green"}, usage=USAGE), "JSON schema"),
        (good({"color": "red"}, usage={}), "what a call costs"),
    ],
)
async def test_check_says_what_is_wrong_with_a_model(
    tmp_path: Path, answer: Reply | None, says: str | None
) -> None:
    async with model_server(reply if answer is None else [answer]) as server:
        brain = (await built(server, tmp_path)).brain
        assert brain is not None
        problem = await problem_of(brain, brain.triage)
        await brain.model.close()
    assert problem is None if says is None else says in str(problem)


async def test_rules_need_no_model(tmp_path: Path) -> None:
    async with model_server(reply) as server:
        config = await to_thread.run_sync(configured, tmp_path, server.url)
        user = load(config).users["robin"]
        plain = replace(user, triage=replace(user.triage, engine="rules"))
        built_ = wiring.build_user(plain, Settings(), SystemClock(), NO_FAULTS, since_s=None)
    assert built_.brain is None
    assert all(account.brain is None for account in built_.accounts.values())
