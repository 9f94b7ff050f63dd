"""One request to Google: what each end of it means, and that it is made once."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from providers.gmail.consent import Asked, Code, Denied, Foreign, address, answer_of, ask, challenge
from providers.gmail.credentials import (
    SCOPE,
    Client,
    CredentialsError,
    client_of,
    decode,
    encode,
)
from providers.gmail.oauth import Google, GoogleError, missing_scopes, wider_scopes
from tests.support.clock import FakeClock
from tests.support.gmail import NAMED, ROBIN, Answer, GmailServer
from tests.support.gmail.faults import told

REDIRECT = "http://127.0.0.1:4711"


async def consent(server: GmailServer, client: Client, asked: Asked) -> str:
    """What the browser would bring back."""
    async with httpx2.AsyncClient(trust_env=False) as browser:
        got = await browser.get(address(server.auth_url, client.id, asked))
    return got.headers["location"]


async def code(server: GmailServer, client: Client, asked: Asked) -> str:
    answer = answer_of(await consent(server, client, asked), asked)
    assert isinstance(answer, Code)
    return answer.code


# -- the question --


def test_the_challenge_is_the_hash_of_the_verifier() -> None:
    digest = hashlib.sha256(b"a-verifier").digest()
    assert base64.urlsafe_b64decode(challenge("a-verifier") + "=") == digest


def test_verifier_and_state_are_new_each_time_and_long_enough() -> None:
    one, two = ask(REDIRECT), ask(REDIRECT)
    assert len({one.state, two.state, one.verifier, two.verifier}) == 4
    assert 43 <= len(one.verifier) <= 128
    assert one.verifier not in repr(one)


def test_one_scope_is_asked_for_and_nothing_of_an_earlier_consent() -> None:
    asked = ask(REDIRECT)
    url = address(
        "https://accounts.example.com/auth?hd=example.com", "id", asked, hint="r@x.example"
    )
    query = parse_qs(urlsplit(url).query)
    assert query["scope"] == ["https://www.googleapis.com/auth/gmail.modify"]
    assert query["access_type"] == ["offline"]
    assert query["code_challenge_method"] == ["S256"]
    assert query["redirect_uri"] == [REDIRECT]
    assert query["hd"] == ["example.com"]
    assert query["login_hint"] == ["r@x.example"]
    assert "include_granted_scopes" not in query
    assert asked.verifier not in url


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/?code=c",
        "/?code=c&state=wrong",
        "/?state={state}",
        "/?state={state}&state={state}&code=c",
        "/?state={state}&code=",
        "/?error=access_denied&state=wrong",
        "http://[::1/?x",
        "nonsense",
        "/?" + "&".join(f"a{n}=1" for n in range(99)),
    ],
)
def test_what_is_not_our_answer_is_not_believed(target: str) -> None:
    asked = ask(REDIRECT)
    assert isinstance(answer_of(target.format(state=asked.state), asked), Foreign)


def test_a_whole_address_that_a_person_pastes_is_an_answer() -> None:
    asked = ask(REDIRECT)
    pasted = f"  {REDIRECT}/?state={asked.state}&code=4%2Fx&scope=a\n"
    assert answer_of(pasted, asked) == Code("4/x")


def test_an_error_is_told_by_its_word_alone() -> None:
    asked = ask(REDIRECT)
    answer = answer_of(f"/?state={asked.state}&error=access_denied", asked)
    assert answer == Denied("access_denied")
    strange = answer_of(f"/?state={asked.state}&error=%3Cscript%3E", asked)
    assert isinstance(strange, Denied)
    assert "<" not in strange.error


# -- the client's file --


async def test_the_console_s_file_is_understood(server: GmailServer) -> None:
    client = client_of(json.dumps(server.client()))
    assert client.id == server.settings.client_id
    assert client.secret == server.settings.client_secret
    assert "not-a-secret" not in repr(client)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"web": {"client_id": "x"}}', "Desktop app"),
        ('{"type": "service_account", "client_id": "x"}', "service account"),
        ('{"installed": {}}', "client_id"),
        ('{"installed": {"client_id": "x", "client_secret": 3}}', "client_secret"),
        ('{"installed": {"client_id": "x\\n"}}', "client_id"),
        ('{"client_id": "x"}', "installed"),
        ('{\n"installed": ', "line 2"),
        ("[]", "no JSON object"),
        ("", "no JSON"),
    ],
)
def test_a_wrong_client_file_is_refused_with_what_to_do(text: str, says: str) -> None:
    with pytest.raises(CredentialsError, match=says) as error:
        client_of(text)
    assert error.value.remedy


@pytest.mark.parametrize(
    "expires_at", ["2026-03-02T10:00:00Z", "2026-03-02T11:00:00+01:00", 1772445600, 1772445600.0]
)
def test_a_kept_token_is_read_in_either_form_of_time(expires_at: object) -> None:
    text = json.dumps({"access_token": "a", "refresh_token": "r", "expires_at": expires_at, "x": 1})
    token = decode(text)
    assert token.expires_at.isoformat() == "2026-03-02T10:00:00+00:00"
    assert decode(encode(token)) == token


@pytest.mark.parametrize("expires_at", [None, "soon", True, float("1e300")])
def test_a_token_without_a_time_counts_as_expired(expires_at: object) -> None:
    text = json.dumps({"access_token": "a", "refresh_token": "r", "expires_at": expires_at})
    assert decode(text).expires_at.year == 1970


def test_a_token_does_not_show_itself() -> None:
    token = decode('{"access_token": "sesame", "refresh_token": "open"}')
    assert "sesame" not in f"{token!r} {token}"
    assert "open" not in repr(token)


# -- the code --


async def test_a_code_is_redeemed_with_its_verifier(
    server: GmailServer, client: Client, google: Google, clock: FakeClock
) -> None:
    asked = ask(REDIRECT)
    granted = await google.redeem(await code(server, client, asked), asked, clock.now())
    assert granted.token.refresh_token
    assert (granted.token.expires_at - clock.now()).total_seconds() == 3_599
    assert granted.scopes == {SCOPE}
    assert not missing_scopes(granted)
    assert not wider_scopes(granted)
    assert await google.address(granted.token.access_token) == ROBIN


async def test_a_code_without_the_verifier_is_worth_nothing(
    server: GmailServer, client: Client, google: Google, clock: FakeClock
) -> None:
    asked = ask(REDIRECT)
    got = await code(server, client, asked)
    with pytest.raises(GoogleError) as error:
        await google.redeem(got, ask(REDIRECT), clock.now())
    assert error.value.lost


async def test_a_code_is_redeemed_once_whatever_comes_of_it(
    server: GmailServer, client: Client, google: Google, clock: FakeClock
) -> None:
    asked = ask(REDIRECT)
    got = await code(server, client, asked)
    server.fault("oauth.code", end="reset")
    with pytest.raises(GoogleError):
        await google.redeem(got, asked, clock.now())
    assert server.world.oauth.counts["code"] == 1


# -- the refresh --


async def refresh(server: GmailServer, google: Google, clock: FakeClock) -> object:
    return await google.refresh(server.login()["refresh_token"], clock.now())


async def test_a_refresh_without_scope_and_with_unknown_fields_is_understood(
    server: GmailServer, google: Google, clock: FakeClock
) -> None:
    made = server.login()
    granted = await google.refresh(made["refresh_token"], clock.now())
    assert granted.scopes is None
    assert not missing_scopes(granted)
    assert granted.token.refresh_token == made["refresh_token"]
    assert granted.token.access_token != made["access_token"]
    assert granted.token.login_ends_at is not None


async def test_a_rotated_refresh_token_is_taken_over(
    server: GmailServer, google: Google, clock: FakeClock
) -> None:
    server.settings.rotate_refresh = True
    made = server.login()
    granted = await google.refresh(made["refresh_token"], clock.now())
    assert granted.token.refresh_token != made["refresh_token"]


TRANSIENT = [
    NAMED["bare_502"],
    NAMED["empty_503"],
    NAMED["html_504"],
    NAMED["html_200"],
    NAMED["json_list"],
    NAMED["json_list_500"],
    NAMED["empty_object"],
    NAMED["empty_200"],
    NAMED["plain_400"],
    NAMED["plain_403"],
    NAMED["plain_404"],
    NAMED["plain_429"],
    NAMED["redirect_302"],
    NAMED["redirect_307"],
    Answer(body=b'{"access_token": '),
    Answer(body=b"\xff\xfe"),
    Answer(body=b"[" * 100_000),
    told({"access_token": 3, "expires_in": 3599}),
    told({"access_token": "a b\n", "expires_in": 3599}),
    told({"access_token": "x", "token_type": "mac"}),
    told({"error": "internal_failure"}, 500),
    told({"error": "invalid_grant"}, 503),
    told({"error": {"code": 400}}, 400),
    told({"error": "temporarily_unavailable"}, 400),
]


@pytest.mark.parametrize("answer", TRANSIENT, ids=range(len(TRANSIENT)))
async def test_an_answer_that_is_not_google_s_no_loses_no_login(
    server: GmailServer, google: Google, clock: FakeClock, answer: Answer
) -> None:
    server.fault("oauth.refresh", effect="before", answer=answer, times=9)
    with pytest.raises(GoogleError) as error:
        await refresh(server, google, clock)
    assert not error.value.lost
    assert not error.value.standing
    asked = [line for line in server.journal.lines if line.method == "oauth.refresh"]
    assert len(asked) == 1
    assert not [line for line in server.journal.lines if not line.method.startswith("oauth")]


@pytest.mark.parametrize("end", ["drop", "reset"])
async def test_a_lost_connection_is_not_tried_again(
    server: GmailServer, google: Google, clock: FakeClock, end: str
) -> None:
    server.fault("oauth.refresh", end=end, times=9)
    with pytest.raises(GoogleError) as error:
        await refresh(server, google, clock)
    assert not error.value.lost
    assert server.world.oauth.counts["refresh"] == 1


async def test_a_server_that_does_not_answer_is_given_up(
    server: GmailServer, client: Client, clock: FakeClock
) -> None:
    server.mute()
    google = Google(lambda: client, token_url=server.token_url, api_root=server.root, call_s=0.2)
    with pytest.raises(GoogleError, match="does not answer"):
        await refresh(server, google, clock)
    server.mute(False)


async def test_a_server_that_is_not_there_is_told(
    server: GmailServer, google: Google, clock: FakeClock
) -> None:
    await server.refuse()
    with pytest.raises(GoogleError, match="cannot be reached") as error:
        await refresh(server, google, clock)
    assert not error.value.standing


async def test_a_withdrawn_login_is_lost(
    server: GmailServer, google: Google, clock: FakeClock
) -> None:
    made = server.login()
    server.world.oauth.forget(ROBIN)
    with pytest.raises(GoogleError) as error:
        await google.refresh(made["refresh_token"], clock.now())
    assert error.value.lost


async def test_a_client_that_google_does_not_know_wants_a_person(
    server: GmailServer, google: Google, clock: FakeClock
) -> None:
    server.settings.client_secret = "changed"
    with pytest.raises(GoogleError, match="invalid_client") as error:
        await refresh(server, google, clock)
    assert error.value.standing
    assert not error.value.lost


async def test_the_client_is_read_anew_for_each_request(
    server: GmailServer, client: Client, clock: FakeClock
) -> None:
    there: list[Client] = []

    def read() -> Client:
        if not there:
            raise CredentialsError("the client is gone", "put it back")
        return there[0]

    google = Google(read, token_url=server.token_url, api_root=server.root)
    with pytest.raises(GoogleError, match="put it back") as error:
        await refresh(server, google, clock)
    assert error.value.standing
    there.append(client)
    await refresh(server, google, clock)


async def test_retry_after_is_handed_on(
    server: GmailServer, google: Google, clock: FakeClock
) -> None:
    answer = told({"error": "rate_limit"}, 429, Retry_After="30")
    server.fault("oauth.refresh", effect="before", answer=answer)
    with pytest.raises(GoogleError) as error:
        await refresh(server, google, clock)
    assert error.value.retry_after_s == 30


async def test_a_clock_that_is_wrong_is_noticed(
    server: GmailServer, google: Google, clock: FakeClock
) -> None:
    now = clock.now()
    date = now.strftime("%a, %d %b %Y %H:%M:%S GMT")
    answer = told({"access_token": "a", "expires_in": 60}, Date=date)
    server.fault("oauth.refresh", answer=answer, times=2)
    clock.wall_off_s = 7_200.0
    granted = await google.refresh(server.login()["refresh_token"], clock.now())
    assert granted.clock_off_s == pytest.approx(7_200.0)
    clock.wall_off_s = 60.0
    granted = await google.refresh(server.login()["refresh_token"], clock.now())
    assert granted.clock_off_s == 0


async def test_no_proxy_of_the_environment_is_used(
    server: GmailServer, google: Google, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert await refresh(server, google, clock)


# -- whose it is --


@pytest.mark.parametrize(
    ("answer", "standing"),
    [
        (NAMED["insufficient"], True),
        (NAMED["unauthorized"], True),
        (NAMED["not_found"], True),
        (NAMED["backend_error"], False),
        (NAMED["html_200"], False),
        (NAMED["empty_object"], False),
        (told({"emailAddress": "x\n@example.com"}), False),
    ],
    ids=range(7),
)
async def test_an_account_that_does_not_say_who_it_is_is_refused(
    server: GmailServer, google: Google, answer: Answer, standing: bool
) -> None:
    server.fault("getProfile", effect="before", answer=answer)
    with pytest.raises(GoogleError) as error:
        await google.address(server.login()["access_token"])
    assert error.value.standing is standing


async def test_an_api_that_is_not_enabled_is_told_with_where_to_enable_it(
    server: GmailServer, google: Google
) -> None:
    body = {"error": {"code": 403, "errors": [{"reason": "accessNotConfigured"}]}}
    server.fault("getProfile", effect="before", answer=told(body, 403))
    with pytest.raises(GoogleError, match="not enabled") as error:
        await google.address(server.login()["access_token"])
    assert error.value.standing


# -- silence --


async def test_no_error_and_no_log_holds_a_secret(
    server: GmailServer,
    client: Client,
    google: Google,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    made = server.login()
    asked = ask(REDIRECT)
    got = await code(server, client, asked)
    caplog.clear()
    secrets = [made["refresh_token"], got, asked.verifier, str(client.secret)]
    echo = told({"error": "x", "error_description": " ".join(secrets)}, 400)
    server.fault("oauth.*", effect="before", answer=echo, times=2)
    texts = []
    for call in (
        google.redeem(got, asked, clock.now()),
        google.refresh(made["refresh_token"], clock.now()),
    ):
        with pytest.raises(GoogleError) as error:
            await call
        texts.append(f"{error.value} {error.value!r} {error.value.__cause__!r}")
    told_all = " ".join([*texts, caplog.text])
    assert not [secret for secret in secrets if secret in told_all]
