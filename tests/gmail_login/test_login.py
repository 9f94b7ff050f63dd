"""A whole login: the browser, the port it comes back to, whose account it is, what is kept."""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest
from anyio import to_thread

from assistant.login import LoginError, Question, log_in
from assistant.shelves import ReferenceShelf
from providers.gmail.consent import Denied, ask
from providers.gmail.credentials import Client, Token, decode
from providers.gmail.loopback import PortError, listening
from providers.gmail.oauth import Google, GoogleError
from providers.gmail.tokens import Tokens
from tests.support.clock import FakeClock
from tests.support.gmail import NAMED, ROBIN, GmailServer
from tests.support.gmail.faults import told

FULL = "https://mail.google.com/"


class Browser:
    """Opens an address, follows it, and keeps the last page."""

    def __init__(self) -> None:
        self.url = ""
        self.page = ""
        self.done = threading.Event()

    def __call__(self, url: str) -> bool:
        self.url = url
        with httpx2.Client(trust_env=False, follow_redirects=True, timeout=20.0) as session:
            self.page = session.get(url).text
        self.done.set()
        return True


class Person:
    """Whoever sits before the terminal: what they are told, and the accounts they may use."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.invited = anyio.Event()
        self.refuses: set[str] = set()

    async def accept(self, address: str) -> None:
        await anyio.lowlevel.checkpoint()
        if address in self.refuses:
            raise LoginError(f"{address} is not the account of robin/work")

    def say(self, text: str) -> None:
        self.told.append(text)
        if "http" in text:
            self.invited.set()

    @property
    def text(self) -> str:
        return "\n".join(self.told)


@pytest.fixture
def browser() -> Browser:
    return Browser()


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
def question(
    server: GmailServer,
    client: Client,
    google: Google,
    shelf: ReferenceShelf,
    browser: Browser,
    person: Person,
) -> Question:
    return Question(
        mailbox="robin/work",
        client_id=client.id,
        auth_url=server.auth_url,
        google=google,
        place=shelf,
        accept=person.accept,
        say=person.say,
        browser=browser,
        wait_s=20.0,
    )


def kept_in(path: Path) -> Token:
    return decode(path.read_text())


def is_there(path: Path) -> bool:
    return path.exists()


async def page_of(browser: Browser) -> str:
    """The page in the end; its thread may be a moment behind."""
    assert await to_thread.run_sync(browser.done.wait, 10.0)
    return browser.page


async def test_a_login_is_kept_and_told_in_the_browser(
    question: Question, clock: FakeClock, token_file: Path, browser: Browser, tokens: Tokens
) -> None:
    done = await log_in(question, clock)
    assert done.address == ROBIN
    assert kept_in(token_file).refresh_token
    assert await tokens.token() == kept_in(token_file).access_token
    page = await page_of(browser)
    assert "You are logged in" in page
    assert ROBIN in page


async def test_the_redirect_is_a_free_port_of_this_machine(
    question: Question, clock: FakeClock, browser: Browser
) -> None:
    await log_in(question, clock)
    (redirect,) = parse_qs(urlsplit(browser.url).query)["redirect_uri"]
    assert redirect.startswith("http://127.0.0.1:")
    assert "localhost" not in redirect
    await page_of(browser)


async def test_a_code_is_exchanged_once(
    question: Question, clock: FakeClock, server: GmailServer, browser: Browser
) -> None:
    server.fault("oauth.code", effect="before", answer=NAMED["empty_503"], times=9)
    with pytest.raises(GoogleError):
        await log_in(question, clock)
    asked = [line for line in server.journal.lines if line.method == "oauth.code"]
    assert len(asked) == 1
    assert "did not work" in await page_of(browser)


async def test_who_denies_is_told_what_to_do_and_nothing_is_kept(
    question: Question, clock: FakeClock, server: GmailServer, token_file: Path, browser: Browser
) -> None:
    server.settings.consent = "deny"
    with pytest.raises(LoginError, match="test users"):
        await log_in(question, clock)
    assert not is_there(token_file)
    assert "did not work" in await page_of(browser)


@pytest.mark.parametrize(
    ("scope", "says"),
    [
        ("https://www.googleapis.com/auth/gmail.readonly", "tick it"),
        (f"https://www.googleapis.com/auth/gmail.modify {FULL}", "gave more"),
    ],
)
async def test_too_little_and_too_much_is_refused(
    question: Question,
    clock: FakeClock,
    server: GmailServer,
    token_file: Path,
    browser: Browser,
    scope: str,
    says: str,
) -> None:
    answer = told({"access_token": "a", "refresh_token": "r", "expires_in": 9, "scope": scope})
    server.fault("oauth.code", answer=answer)
    with pytest.raises(LoginError, match=says):
        await log_in(question, clock)
    assert not is_there(token_file)
    await page_of(browser)


async def test_an_answer_without_scope_gave_what_was_asked(
    question: Question, clock: FakeClock, server: GmailServer, browser: Browser
) -> None:
    made = server.login()
    made.pop("expires_at")
    server.fault("oauth.code", answer=told(made))
    assert (await log_in(question, clock)).address == ROBIN
    await page_of(browser)


async def test_a_login_without_a_refresh_token_is_refused(
    question: Question, clock: FakeClock, server: GmailServer, browser: Browser
) -> None:
    server.fault("oauth.code", answer=told({"access_token": "a", "expires_in": 9}))
    with pytest.raises(LoginError, match="no refresh token"):
        await log_in(question, clock)
    await page_of(browser)


async def test_another_account_is_refused_and_the_old_login_stays(
    question: Question,
    clock: FakeClock,
    server: GmailServer,
    token_file: Path,
    logged_in: dict[str, object],
    person: Person,
    browser: Browser,
) -> None:
    person.refuses.add(ROBIN)
    with pytest.raises(LoginError, match="not the account"):
        await log_in(question, clock)
    assert kept_in(token_file).refresh_token == logged_in["refresh_token"]
    # Revoking the refused login would end every login of that account.
    assert server.world.oauth.counts["revoke"] == 0
    await page_of(browser)


async def test_a_second_login_replaces_the_first(
    question: Question,
    clock: FakeClock,
    token_file: Path,
    logged_in: dict[str, object],
    browser: Browser,
) -> None:
    await log_in(question, clock)
    assert kept_in(token_file).refresh_token != logged_in["refresh_token"]
    await page_of(browser)


async def test_a_login_that_ends_in_seven_days_is_known_at_once(
    question: Question, clock: FakeClock, server: GmailServer, browser: Browser
) -> None:
    made = server.login() | {"expires_in": 3599, "refresh_token_expires_in": 604_799}
    server.fault("oauth.code", answer=told(made))
    done = await log_in(question, clock)
    assert done.login_ends_at is not None
    assert (done.login_ends_at - clock.now()).days == 6
    await page_of(browser)


async def test_nobody_who_comes_in_time_is_told_so(
    question: Question, clock: FakeClock, person: Person
) -> None:
    slow = replace(question, browser=lambda _: False, wait_s=0.3)
    with pytest.raises(LoginError, match="nobody consented"):
        await log_in(slow, clock)
    assert "open the address yourself" in person.text


async def test_a_login_that_is_stopped_closes_its_port(
    question: Question, clock: FakeClock, person: Person
) -> None:
    waiting = replace(question, browser=None)
    async with anyio.create_task_group() as group:
        group.start_soon(log_in, waiting, clock)
        port = await port_told(person)
        group.cancel_scope.cancel()
    with pytest.raises(OSError, match="refused"):
        await to_thread.run_sync(socket.create_connection, ("127.0.0.1", port), 1)


async def port_told(person: Person) -> int:
    await person.invited.wait()
    url = next(word for word in person.text.split() if word.startswith("http"))
    (redirect,) = parse_qs(urlsplit(url).query)["redirect_uri"]
    port = urlsplit(redirect).port
    assert port is not None
    return port


# -- a browser on another machine --


async def redirected(person: Person) -> str:
    """The address at which the browser of another machine ends."""
    await port_told(person)
    url = next(word for word in person.text.split() if word.startswith("http"))
    async with httpx2.AsyncClient(trust_env=False) as session:
        got = await session.get(url)
    return got.headers["location"]


def typing(*makers: Callable[[], object]) -> Callable[[], AsyncIterator[str]]:
    async def lines() -> AsyncIterator[str]:
        for make in makers:
            made = make()
            yield made if isinstance(made, str) else await made  # type: ignore[misc]
        await anyio.sleep_forever()

    return lines


async def test_a_person_may_paste_the_address_that_their_browser_could_not_show(
    question: Question, clock: FakeClock, person: Person
) -> None:
    pasted = typing(
        lambda: "hello",
        lambda: "",
        lambda: "http://127.0.0.1:1/?state=wrong&code=c",
        lambda: redirected(person),
    )
    done = await log_in(replace(question, browser=None, pasted=pasted), clock)
    assert done.address == ROBIN
    assert person.text.count("not the answer to this login") == 2


# -- the port --


async def fetch(url: str, method: str = "GET") -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False) as session:
        return await session.request(method, url)


async def test_a_wrong_or_missing_state_answers_a_page_and_the_wait_goes_on() -> None:
    async with listening() as loopback, anyio.create_task_group() as group:
        asked = ask(loopback.redirect)
        found: list[object] = []

        async def wait() -> None:
            found.append(await loopback.answer(asked))
            loopback.tell("Done", "all is well")

        group.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        for query in ("", "?code=c", "?code=c&state=wrong", "?error=access_denied&state=x"):
            got = await fetch(f"{loopback.redirect}/{query}")
            assert got.status_code == 400
            assert "Go back" in got.text
            assert not found
        got = await fetch(f"{loopback.redirect}/?state={asked.state}&error=access_denied")
        assert got.status_code == 200
        assert "all is well" in got.text
        assert found == [Denied("access_denied")]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/favicon.ico", 404), ("POST", "/", 405), ("HEAD", "/", 405), ("PUT", "/x", 405)],
)
async def test_the_port_serves_one_page_and_nothing_else(
    method: str, path: str, status: int
) -> None:
    async with listening() as loopback:
        got = await fetch(loopback.redirect + path, method)
        assert got.status_code == status


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET", b"\r\n\r\n", b"\x16\x03\x01" * 50, b"GET /" + b"a" * 40_000, b"\0" * 100],
)
async def test_noise_at_the_port_disturbs_nobody(sent: bytes) -> None:
    async with listening() as loopback:
        port = urlsplit(loopback.redirect).port
        assert port is not None
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            if sent:
                await stream.send(sent)
        got = await fetch(f"{loopback.redirect}/favicon.ico")
        assert got.status_code == 404


async def test_a_page_shows_nothing_that_was_brought() -> None:
    async with listening() as loopback:
        got = await fetch(f"{loopback.redirect}/?code=sesame&state=%3Cscript%3Ealert(1)")
        assert "sesame" not in got.text
        assert "<script" not in got.text
        assert got.headers["content-security-policy"].startswith("default-src 'none'")
        assert got.headers["referrer-policy"] == "no-referrer"


async def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    async with listening() as loopback:
        port = urlsplit(loopback.redirect).port
        assert port is not None
        with pytest.raises(PortError, match="leave --port out"):
            async with listening(port):
                pass


async def test_an_error_in_the_login_comes_out_as_it_is() -> None:
    with pytest.raises(LoginError, match=r"^as it is$"):
        async with listening():
            raise LoginError("as it is")


async def test_a_browser_that_brought_the_answer_is_told_of_a_stop() -> None:
    pages: list[str] = []
    async with anyio.create_task_group() as group, listening() as loopback:
        asked = ask(loopback.redirect)

        async def bring() -> None:
            pages.append((await fetch(f"{asked.redirect}/?state={asked.state}&code=c")).text)

        group.start_soon(bring)
        await loopback.answer(asked)
    assert "was stopped" in pages[0]
