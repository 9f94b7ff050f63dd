"""``fencepost login`` as a person runs it, against a server in this process."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest
from anyio import to_thread
from anyio.abc import Process

from tests.support import postgres
from tests.support.gmail import ROBIN, GmailServer, running
from tests.support.gmail.clock import ServerClock

USER = """\
name = "Robin Vale"
addresses = ["{address}"]
[[mailboxes]]
id = "work"
provider = "gmail"
client = {{ file = "client.json" }}
token = {{ file = "tokens/robin-work.json" }}
api_root = "{root}"
auth_url = "{auth_url}"
token_url = "{token_url}"
[[mailboxes]]
id = "local"
provider = "maildir"
path = "{maildir}"
"""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A configuration folder for one user of a test server."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def token(self) -> Path:
        return self.data / "tokens" / "robin-work.json"

    def write(self, server: GmailServer, *, address: str = ROBIN) -> None:
        (self.config / "users").mkdir(parents=True)
        (self.config / "fencepost.toml").write_text(f'[storage]\ndata_dir = "{self.data}"\n')
        maildir = self.root / "Mail"
        for part in ("cur", "new", "tmp", ".Drafts/cur", ".Drafts/new", ".Drafts/tmp"):
            (maildir / part).mkdir(parents=True)
        self.client(json.dumps(server.client()))
        text = USER.format(
            address=address,
            root=server.root,
            auth_url=server.auth_url,
            token_url=server.token_url,
            maildir=maildir,
        )
        (self.config / "users" / "robin.toml").write_text(text)

    def client(self, text: str) -> None:
        path = self.config / "client.json"
        path.write_text(text)
        path.chmod(0o600)

    def keep(self, token: dict[str, object]) -> None:
        self.token.parent.mkdir(parents=True, exist_ok=True)
        self.token.write_text(json.dumps(token))
        self.token.chmod(0o600)

    def kept(self) -> dict[str, object] | None:
        return json.loads(self.token.read_text()) if self.token.exists() else None

    def bound_to(self, account: str) -> None:
        """What a pass would have stored of the account."""
        with closing(sqlite3.connect(self.data / "fencepost.db")) as raw, raw:
            raw.execute(
                'INSERT INTO mailboxes (integration, "user", provider, account, unknowns_in_a_row,'
                " look_needed, pauses) VALUES ('robin/work', 'robin', 'gmail', ?, 0, 0, 0)"
                " ON CONFLICT (integration) DO UPDATE SET account = excluded.account",
                (account,),
            )

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "assistant.cli", *words, "--config", str(self.config)]


@pytest.fixture
async def server() -> AsyncIterator[GmailServer]:
    async with running(clock=ServerClock(running=True)) as made:
        yield made


@pytest.fixture
def place(tmp_path: Path, server: GmailServer) -> Place:
    made = Place(root=tmp_path)
    made.write(server)
    return made


def environment(**more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8", "COLUMNS": "200", **more}


async def run(place: Place, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    work = partial(
        subprocess.run,
        place.command(*words),
        env=environment(**more),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    return await to_thread.run_sync(work)


@asynccontextmanager
async def waiting(place: Place, **more: str) -> AsyncIterator[tuple[Process, str]]:
    """``login --no-browser`` that waits for consent, and the address that it shows."""
    async with await anyio.open_process(
        place.command("login", "robin/work", "--no-browser"),
        env=environment(PYTHONUNBUFFERED="1", **more),
        stdin=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        said = b""
        with anyio.fail_after(30):
            while b"\n\nhttp" not in said or b"paste it here" not in said:
                said += await process.stdout.receive()
        url = next(word for word in said.decode().split() if word.startswith("http"))
        yield process, url


async def rest_of(process: Process) -> str:
    assert process.stdout is not None
    assert process.stderr is not None
    said = b""
    with anyio.fail_after(30):
        async for part in process.stdout:
            said += part
        async for part in process.stderr:
            said += part
        await process.wait()
    return said.decode()


async def follow(url: str) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False, follow_redirects=True, timeout=30) as session:
        return await session.get(url)


async def test_a_login_with_the_browser_of_this_machine(place: Place) -> None:
    browser = place.root / "browser.py"
    await anyio.Path(browser).write_text(
        "import sys, urllib.request\n"
        "urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1]).read()\n"
    )
    done = await run(place, "login", "robin/work", BROWSER=f"{sys.executable} {browser} %s")
    assert done.returncode == 0, done.stderr
    assert f"logged in to robin/work as {ROBIN}" in done.stdout
    kept = place.kept()
    assert kept is not None
    assert set(kept) >= {"access_token", "refresh_token", "expires_at"}
    assert str(kept["refresh_token"]) not in done.stdout + done.stderr


async def test_a_login_whose_address_is_opened_by_hand(place: Place) -> None:
    async with waiting(place) as (process, url):
        page = await follow(url)
        said = await rest_of(process)
    assert process.returncode == 0, said
    assert "You are logged in" in page.text
    assert place.kept() is not None


async def test_a_login_whose_answer_is_pasted(place: Place) -> None:
    async with waiting(place) as (process, url):
        async with httpx2.AsyncClient(trust_env=False) as session:
            where = (await session.get(url)).headers["location"]
        assert process.stdin is not None
        await process.stdin.send(f"what now?\n{where}\n".encode())
        said = await rest_of(process)
    assert process.returncode == 0, said
    assert "carries no state" in said
    assert place.kept() is not None


async def test_one_json_document_is_all_that_stdout_gets(place: Place) -> None:
    browser = place.root / "browser.py"
    await anyio.Path(browser).write_text(
        "import sys, urllib.request\n"
        "urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1]).read()\n"
    )
    done = await run(
        place, "login", "robin/work", "--json", BROWSER=f"{sys.executable} {browser} %s"
    )
    document = json.loads(done.stdout)
    assert document == {"mailbox": "robin/work", "account": ROBIN, "login_ends_at": None}


async def test_ctrl_c_is_calm_and_leaves_the_login_before(place: Place) -> None:
    place.keep({"access_token": "a", "refresh_token": "r", "expires_at": 1})
    async with waiting(place) as (process, _):
        process.send_signal(2)
        said = await rest_of(process)
    assert process.returncode == 1
    assert "Traceback" not in said
    assert "stopped" in said
    assert place.kept() == {"access_token": "a", "refresh_token": "r", "expires_at": 1}


async def test_another_account_than_the_bound_one_is_refused(
    place: Place, server: GmailServer
) -> None:
    server.box("other@example.com")
    await run(place, "once")
    place.bound_to("gmail:other@example.com")
    async with waiting(place) as (process, url):
        # The hint names the bound account; the person chooses another one.
        assert parse_qs(urlsplit(url).query)["login_hint"] == ["other@example.com"]
        await follow(url.replace("other%40example.com", "robin%40example.com"))
        said = await rest_of(process)
    assert process.returncode == 1
    assert "bound to other@example.com" in said
    assert place.kept() is None


async def test_a_client_of_another_kind_is_refused_before_anybody_consents(place: Place) -> None:
    place.client('{"web": {"client_id": "x"}}')
    done = await run(place, "login", "robin/work")
    assert done.returncode == 2
    assert "Desktop app" in done.stderr
    assert "client.json" in done.stderr


async def test_a_mailbox_that_needs_no_login_is_wrong_use(place: Place) -> None:
    done = await run(place, "login", "robin/local")
    assert done.returncode == 2
    assert "maildir" in done.stderr
    done = await run(place, "login", "robin/wrok")
    assert done.returncode == 2
    assert "robin/work" in done.stderr


async def test_a_port_that_is_taken_is_told(place: Place) -> None:
    async with waiting(place) as (process, url):
        (redirect,) = parse_qs(urlsplit(url).query)["redirect_uri"]
        port = str(urlsplit(redirect).port)
        done = await run(place, "login", "robin/work", "--no-browser", "--port", port)
        assert done.returncode == 1
        assert "leave --port out" in done.stderr
        process.terminate()
        await process.wait()


# -- what the other commands say --


async def test_check_says_that_a_login_is_missing(place: Place) -> None:
    done = await run(place, "check")
    assert "nobody has logged in" in done.stdout
    assert "fencepost login robin/work" in done.stdout


async def test_check_says_that_a_login_was_withdrawn(place: Place, server: GmailServer) -> None:
    place.keep(server.login() | {"expires_at": 1})
    server.world.oauth.forget(ROBIN)
    done = await run(place, "check")
    assert "withdrawn" in done.stdout
    assert "7 days" in done.stdout
    assert "fencepost login robin/work" in done.stdout


async def test_check_says_that_a_login_will_end_before_it_does(
    place: Place, server: GmailServer
) -> None:
    place.keep(server.login() | {"login_ends_at": "2030-01-02T03:04:05Z"})
    done = await run(place, "check")
    assert "ends at 2030-01-02 03:04 UTC" in done.stdout
    assert "In production" in done.stdout


async def test_a_lost_login_opens_one_item_which_a_login_closes(
    place: Place, server: GmailServer
) -> None:
    for _ in range(2):
        await run(place, "once")
    listed = json.loads((await run(place, "review", "list", "--json")).stdout)
    asking = [item for item in listed if item["kind"] == "reconnect"]
    assert len(asking) == 1
    assert "fencepost login robin/work" in asking[0]["summary"]
    assert not [item for item in listed if item["kind"] == "mailbox_ill"]
    async with waiting(place) as (process, url):
        await follow(url)
        said = await rest_of(process)
    assert process.returncode == 0, said
    listed = json.loads((await run(place, "review", "list", "--json")).stdout)
    assert not [item for item in listed if item["kind"] == "reconnect"]


async def test_status_shows_what_the_quota_was_spent_on(place: Place, server: GmailServer) -> None:
    place.keep(server.login())
    done = await run(place, "once")
    assert done.returncode == 0, done.stderr
    status = json.loads((await run(place, "status", "--json")).stdout)
    (quota,) = [one["quota"] for one in status["mailboxes"] if one["mailbox"] == "robin/work"]
    assert quota["units"] >= 3
    assert quota["last_minute"] == quota["units"]
    assert "units:" in (await run(place, "status")).stdout


# -- a fleet's database --


async def test_with_postgresql_a_login_lies_sealed_in_the_database(
    place: Place, server: GmailServer
) -> None:
    with postgres.new_database(empty=True) as database:
        url = postgres.cluster().url(database)
        config = f'[storage]\ndata_dir = "{place.data}"\nurl = "{url}"\n'
        config += 'password = { env = "PG" }\n'
        await anyio.Path(place.config / "fencepost.toml").write_text(config)
        secret = {"PG": postgres.PASSWORD}
        async with waiting(place, **secret) as (process, address):
            await follow(address)
            said = await rest_of(process)
        assert process.returncode == 0, said
        assert place.kept() is None
        rows = postgres.cluster().sql("SELECT * FROM tokens", database=database)
        assert [row["integration"] for row in rows] == ["robin/work"]
        (grant,) = server.world.oauth.grants
        assert grant.encode() not in bytes(rows[0]["sealed"])
        checked = await run(place, "check", **secret)
        assert "ok  robin/work" in checked.stdout, checked.stdout
