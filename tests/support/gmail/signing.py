"""The OAuth endpoints on the wire: consent page, token, revocation."""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qsl, urlencode

from tests.support.gmail.asking import Asked
from tests.support.gmail.faults import Answer, told
from tests.support.gmail.journal import Line
from tests.support.gmail.oauth import OAuthError
from tests.support.gmail.world import World

AUTH_PATH = "/o/oauth2/v2/auth"
ALLOW_PATH = AUTH_PATH + "/allow"
OAUTH = {
    ("GET", AUTH_PATH): "oauth.auth",
    ("GET", ALLOW_PATH): "oauth.allow",
    ("POST", "/token"): "oauth.token",
    ("POST", "/revoke"): "oauth.revoke",
}


def _form(asked: Asked) -> dict[str, str]:
    if not asked.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return {}
    return dict(parse_qsl(asked.body.decode("utf-8", "replace"), keep_blank_values=True))


def oauth_name(asked: Asked) -> str:
    """``oauth.refresh`` or ``oauth.code``: the name under which faults find it."""
    kind = _form(asked).get("grant_type")
    return "oauth.refresh" if kind == "refresh_token" else "oauth.code"


def oauth_reply(world: World, asked: Asked, line: Line) -> Answer:
    """The endpoint's answer; raises OAuthError."""
    if line.method in {"oauth.auth", "oauth.allow"}:
        return _consent(world, asked, line)
    form = _form(asked)
    if line.method == "oauth.revoke":
        world.oauth.revoke(form.get("token") or asked.text("token") or "")
        value: dict[str, object] = {}
    else:
        value = world.oauth.token(form)
    line.effect = True
    world.saved()
    return told(value, Cache_Control="no-store")


def _consent(world: World, asked: Asked, line: Line) -> Answer:
    query = dict(asked.query)
    if line.method == "oauth.auth" and world.settings.consent == "page":
        link = escape(f"{ALLOW_PATH}?{urlencode(query)}", quote=True)
        page = f'<!doctype html><title>Sign in</title><a id="allow" href="{link}">Allow</a>'
        return Answer(body=page.encode(), kind="text/html; charset=utf-8")
    try:
        where = world.oauth.consent(query, list(world.accounts) or ["nobody@example.com"])
    except OAuthError as error:
        page = f"<!doctype html><title>Error {error.code}</title><p>{error}"
        return Answer(status=error.code, body=page.encode(), kind="text/html; charset=utf-8")
    line.effect = True
    return Answer(status=302, headers={"Location": where})
