"""Consent, PKCE, tokens that expire and are revoked, and answers unlike what was hoped for."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.gmail_server.caller import Caller, Told, reply
from tests.support.gmail import GmailServer
from tests.support.gmail.clock import ServerClock
from tests.support.gmail.oauth import COMPOSE, METADATA, MODIFY, READONLY

BACK = "http://127.0.0.1:7777/"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=")


async def consent(caller: Caller, **more: str) -> Told:
    asked = {
        "client_id": caller.google.settings.client_id,
        "redirect_uri": BACK,
        "response_type": "code",
        "scope": MODIFY,
        "state": "s 1",
        "code_challenge": CHALLENGE.decode(),
        "code_challenge_method": "S256",
        "access_type": "offline",
    } | more
    return await caller.call("GET", caller.google.auth_url, query=list(asked.items()))


async def code_of(caller: Caller, **more: str) -> str:
    location = (await consent(caller, **more)).headers["location"]
    return parse_qs(urlsplit(location).query)["code"][0]


async def redeem(caller: Caller, code: str, **more: str) -> Told:
    rules = caller.google.settings
    asked = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": rules.client_id,
        "client_secret": rules.client_secret,
        "redirect_uri": BACK,
        "code_verifier": VERIFIER,
    } | more
    return await caller.form("/token", **asked)


async def test_consent_goes_back_with_code_and_state(caller: Caller) -> None:
    got = await consent(caller)
    query = parse_qs(urlsplit(got.headers["location"]).query)
    assert got.status == 302
    assert got.headers["location"].startswith(BACK + "?")
    assert query["state"] == ["s 1"]
    assert query["code"]


async def test_the_page_leads_to_the_same_redirect(caller: Caller) -> None:
    caller.google.settings.consent = "page"
    page = (await consent(caller)).octets.decode()
    (link,) = re.findall(r'href="([^"]+)"', page)
    got = await caller.call("GET", caller.google.root + unescape(link))
    assert "code=" in got.headers["location"]


async def test_a_person_who_denies_gives_no_code(caller: Caller) -> None:
    caller.google.settings.consent = "deny"
    query = parse_qs(urlsplit((await consent(caller)).headers["location"]).query)
    assert query == {"state": ["s 1"], "error": ["access_denied"]}


@pytest.mark.parametrize(
    "wrong",
    [
        {"client_id": "other"},
        {"redirect_uri": "http://evil.example/"},
        {"redirect_uri": "https://127.0.0.1:1/"},
        {"response_type": "token"},
        {"code_challenge_method": "S512"},
    ],
)
async def test_a_wrong_request_is_shown_as_a_page_and_not_redirected(
    caller: Caller, wrong: dict[str, str]
) -> None:
    got = await consent(caller, **wrong)
    assert got.status in {400, 401}
    assert "location" not in got.headers
    assert got.headers["content-type"].startswith("text/html")


async def test_a_code_with_its_verifier_gives_tokens_that_work(caller: Caller) -> None:
    got = await redeem(caller, await code_of(caller))
    assert got.status == 200
    assert set(got.body) == {
        "access_token", "expires_in", "token_type", "scope", "refresh_token",
    }  # fmt: skip
    caller.token = got.body["access_token"]
    assert (await caller.get("/profile")).status == 200


@pytest.mark.parametrize("verifier", ["w" * 43, "", "short"])
async def test_a_wrong_verifier_is_an_invalid_grant(caller: Caller, verifier: str) -> None:
    got = await redeem(caller, await code_of(caller), code_verifier=verifier)
    assert (got.status, got.body["error"]) == (400, "invalid_grant")


async def test_a_code_is_good_once(caller: Caller) -> None:
    code = await code_of(caller)
    await redeem(caller, code)
    assert (await redeem(caller, code)).body["error"] == "invalid_grant"


async def test_a_code_dies_after_ten_minutes(caller: Caller, clock: ServerClock) -> None:
    code = await code_of(caller)
    clock.advance(600)
    assert (await redeem(caller, code)).body["error"] == "invalid_grant"


async def test_a_code_is_bound_to_its_redirect(caller: Caller) -> None:
    got = await redeem(caller, await code_of(caller), redirect_uri=BACK + "other")
    assert got.body["error"] == "redirect_uri_mismatch"


async def test_a_wrong_secret_is_an_invalid_client(caller: Caller) -> None:
    got = await redeem(caller, await code_of(caller), client_secret="wrong")
    assert (got.status, got.body["error"]) == (401, "invalid_client")


async def test_without_offline_access_there_is_no_refresh_token(caller: Caller) -> None:
    got = await redeem(caller, await code_of(caller, access_type="online"))
    assert "refresh_token" not in got.body


async def test_a_refresh_has_no_scope_and_fields_that_nobody_knows(caller: Caller) -> None:
    got = await caller.refresh(caller.google.login()["refresh_token"])
    assert "scope" not in got.body
    assert "refresh_token" not in got.body
    assert got.body["refresh_token_expires_in"] == 604_799
    assert "x_unheard_of" in got.body


async def test_a_refresh_names_the_scope_where_the_server_is_set_so(caller: Caller) -> None:
    caller.google.settings.refresh_scope = True
    assert (await caller.refresh(caller.google.login()["refresh_token"])).body["scope"] == MODIFY


async def test_a_refresh_may_bring_another_refresh_token(caller: Caller) -> None:
    caller.google.settings.rotate_refresh = True
    first = caller.google.login()["refresh_token"]
    assert (await caller.refresh(first)).body["refresh_token"] != first


async def test_refreshes_are_counted(caller: Caller) -> None:
    token = caller.google.login()["refresh_token"]
    for _ in range(3):
        await caller.refresh(token)
    await caller.refresh("nonsense")
    assert caller.google.world.oauth.counts == {"refresh": 3, "refused": 1}


async def test_an_access_token_expires_by_the_servers_clock(
    caller: Caller, clock: ServerClock
) -> None:
    clock.advance(3_598)
    assert (await caller.get("/profile")).status == 200
    clock.advance(1)
    got = await caller.get("/profile")
    assert (got.status, got.why, got.body["error"]["status"]) == (
        401, "authError", "UNAUTHENTICATED",
    )  # fmt: skip
    assert "invalid_token" in got.headers["www-authenticate"]


async def test_a_revoked_token_refreshes_no_more(caller: Caller) -> None:
    token = caller.google.login()["refresh_token"]
    assert (await caller.form("/revoke", token=token)).status == 200
    assert (await caller.refresh(token)).body["error"] == "invalid_grant"


async def test_revoking_one_token_revokes_the_whole_grant(caller: Caller) -> None:
    first, second = caller.google.login(), caller.google.login()
    await caller.form("/revoke", token=first["access_token"])
    assert (await caller.refresh(second["refresh_token"])).body["error"] == "invalid_grant"
    assert (await caller.get("/profile")).status == 401


async def test_a_revocation_of_nothing_is_refused(caller: Caller) -> None:
    got = await caller.form("/revoke", token="nothing")
    assert (got.status, got.body["error"]) == (400, "invalid_token")


async def test_a_changed_password_voids_everything(caller: Caller) -> None:
    token = caller.google.login()["refresh_token"]
    caller.google.world.oauth.forget("robin@example.com")
    assert (await caller.refresh(token)).body["error"] == "invalid_grant"


async def test_the_refresh_token_of_an_application_in_testing_dies_after_seven_days(
    caller: Caller, clock: ServerClock
) -> None:
    caller.google.settings.refresh_lifetime_s = 604_800
    token = caller.google.login()["refresh_token"]
    clock.advance(604_800)
    assert (await caller.refresh(token)).body["error"] == "invalid_grant"


async def test_every_login_mints_one_and_the_oldest_of_a_hundred_is_dropped(
    caller: Caller,
) -> None:
    first = caller.google.login()["refresh_token"]
    for _ in range(100):
        caller.google.login()
    assert (await caller.refresh(first)).body["error"] == "invalid_grant"


@pytest.mark.parametrize("name", ["backend_error", "html_200", "json_list", "empty_object"])
async def test_the_token_endpoint_fails_as_it_is_told(caller: Caller, name: str) -> None:
    caller.google.fault("oauth.refresh", effect="before", answer=name)
    token = caller.google.login()["refresh_token"]
    before = await caller.refresh(token)
    after = await caller.refresh(token)
    assert "access_token" not in str(before.body)
    assert after.body["access_token"]
    assert caller.google.world.oauth.counts["refresh"] == 1


async def test_a_fault_of_all_of_oauth_counts_a_refresh_once(caller: Caller) -> None:
    fault = caller.google.fault("oauth.*", nth=2, answer="empty_503")
    token = caller.google.login()["refresh_token"]
    assert [(await caller.refresh(token)).status for _ in range(3)] == [200, 503, 200]
    assert fault.seen == 3


async def test_the_log_holds_no_token(caller: Caller) -> None:
    token = caller.google.login()["refresh_token"]
    await caller.refresh(token)
    await caller.call("GET", caller.google.root + "/revoke?token=" + token)
    assert token not in str(caller.google.journal.of("oauth.refresh"))


@pytest.mark.parametrize(
    ("scope", "path", "status"),
    [
        (COMPOSE, "/history?startHistoryId=1000000", 403),
        (COMPOSE, "/messages", 403),
        (COMPOSE, "/drafts", 200),
        (READONLY, "/drafts", 200),
        (READONLY, "/settings/sendAs", 200),
        (METADATA, "/messages", 200),
        (METADATA, "/messages?q=sign", 403),
        (METADATA, "/history?startHistoryId=1000000", 200),
        (MODIFY, "/settings/sendAs", 200),
    ],
)
async def test_a_scope_covers_what_the_documents_say(
    google: GmailServer, caller: Caller, scope: str, path: str, status: int
) -> None:
    caller.token = google.login(scope=scope)["access_token"]
    assert (await caller.get(path)).status == status


async def test_a_scope_that_does_not_cover_writes_is_insufficient(
    google: GmailServer, caller: Caller
) -> None:
    caller.token = google.login(scope=READONLY)["access_token"]
    got = await caller.draft(reply())
    assert (got.status, got.why) == (403, "insufficientPermissions")


async def test_modify_does_not_cover_deleting_for_good(caller: Caller) -> None:
    letter = caller.letter()
    got = await caller.call("DELETE", f"/messages/{letter['id']}")
    assert (got.status, got.why) == (403, "insufficientPermissions")


async def test_anothers_mailbox_is_not_open(caller: Caller, google: GmailServer) -> None:
    google.box("kim@example.org")
    got = await caller.get(f"{google.root}/gmail/v1/users/kim@example.org/profile")
    assert got.status == 403
