"""From a user's file to what the receivers get, by the command line, against real servers."""

from __future__ import annotations

import hashlib
import hmac
import sys

import pytest

from tests.cli import conftest as cli
from tests.cli.conftest import Place
from tests.notify.conftest import MailSink
from tests.support.sink import Port, Sink

place = cli.place

APPRISE = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def notify(place: Place, lines: str, user: str = "robin") -> None:
    """Add [notify] to the user's file."""
    file = place.user_file.with_name(f"{user}.toml")
    file.write_text(file.read_text() + "[notify]\n" + lines)


def another_user(place: Place) -> None:
    """Ada, with a mailbox of her own."""
    mail = place.root / "ada"
    for folder in ("", ".Sent", ".Drafts"):
        for sub in ("cur", "new", "tmp"):
            (mail / folder / sub).mkdir(parents=True)
    place.user_file.with_name("ada.toml").write_text(
        'name = "Ada Lint"\naddresses = ["ada@example.com"]\n'
        f'[[mailboxes]]\nid = "local"\nprovider = "maildir"\npath = "{mail}"\n'
    )


def mail_line(port: Port) -> str:
    return f'smtp = {{ host = "127.0.0.1", port = {port.port}, security = "none" }}\n'


def listed(place: Place, *words: str) -> list[dict[str, object]]:
    document = place.json(*words)
    assert isinstance(document, list)
    return document


def notice_outcomes(place: Place) -> dict[str, str]:
    """What became of each notice, by the scheme of its receiver."""
    return {
        str(one["thread"]).removeprefix("notices ").partition(":")[0]: str(one["state"])
        for one in listed(place, "intents")
        if one["kind"] == "notify"
    }


def test_every_receiver_is_told_of_a_draft_once(
    place: Place, mail_sink: MailSink, http_sink: Sink
) -> None:
    hook, topic, mail = http_sink.open(), http_sink.open(), mail_sink.open()
    notify(
        place,
        f'urls = ["http://127.0.0.1:{hook.port}/secret-path", '
        f'"ntfy://127.0.0.1:{topic.port}/robin", "mailto:robin@example.com"]\n' + mail_line(mail),
    )
    place.deliver(1)
    for _ in range(2):
        place.run("once")
    assert notice_outcomes(place) == dict.fromkeys(["http", "ntfy", "mailto"], "accepted")
    assert len(hook.all("requests")) == len(topic.all("requests")) == len(mail.all("stored")) == 1
    told = hook.all("requests")[0]["body"] + topic.all("requests")[0]["body"]
    told += mail.all("stored")[0]["content"]
    assert "Plan 1" not in told
    assert "mina1" not in told
    assert "secret-path" not in place.run("intents", "--json")


def test_lost_answers_show_on_the_draft_and_nowhere_else(
    place: Place, mail_sink: MailSink, http_sink: Sink
) -> None:
    hook, topic = http_sink.open(answers=["500 Oh"]), http_sink.open(answers=["drop"])
    mail = mail_sink.open(stored="drop")
    notify(
        place,
        f'urls = ["http://127.0.0.1:{hook.port}/x", "ntfy://127.0.0.1:{topic.port}/robin", '
        f'"mailto:robin@example.com"]\n' + mail_line(mail),
    )
    place.deliver(1)
    for _ in range(2):
        place.run("once")
    assert notice_outcomes(place) == dict.fromkeys(["http", "ntfy", "mailto"], "unknown")
    assert len(hook.all("requests")) == len(topic.all("requests")) == len(mail.all("stored")) == 1
    (item,) = listed(place, "review", "list")
    evidence = item["evidence"]
    assert item["kind"] == "draft_ready"
    assert isinstance(evidence, list)
    assert [one["detail"]["outcome"] for one in evidence] == ["accepted"] + ["unknown"] * 3


def test_a_receiver_that_refuses_is_said_with_its_answer(place: Place, http_sink: Sink) -> None:
    hook = http_sink.open(answers=["410 Gone"])
    notify(place, f'urls = ["http://127.0.0.1:{hook.port}/x"]\n')
    place.deliver(1)
    place.run("once")
    items = listed(place, "review", "list")
    assert [one["kind"] for one in items] == ["draft_ready", "rejected"]
    assert "410" in str(items[1]["summary"])


def test_a_webhook_is_signed_with_the_secret_of_the_file(
    place: Place, http_sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_SECRET", "shared")
    hook = http_sink.open()
    notify(
        place,
        f'urls = ["http://127.0.0.1:{hook.port}/x"]\nwebhook_secret = {{ env = "HOOK_SECRET" }}\n',
    )
    place.deliver(1)
    place.run("once")
    (request,) = hook.all("requests")
    signed = f"{request['headers']['x-fencepost-timestamp']}.{request['body']}".encode()
    code = hmac.new(b"shared", signed, hashlib.sha256).hexdigest()
    assert request["headers"]["x-fencepost-signature"] == f"sha256={code}"


def test_mail_text_is_told_where_the_file_says_so(place: Place, http_sink: Sink) -> None:
    hook = http_sink.open()
    notify(place, f'urls = ["http://127.0.0.1:{hook.port}/x"]\ninclude_text = true\n')
    place.deliver(1)
    place.run("once")
    assert "Plan 1" in hook.all("requests")[0]["body"]


@APPRISE
def test_another_service_is_told_through_apprise(
    place: Place, http_sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = http_sink.open()
    monkeypatch.setenv("OTHER", f"json://127.0.0.1:{hook.port}/token-of-mine")
    notify(place, 'apprise = [{ env = "OTHER" }]\n')
    place.deliver(1)
    place.run("once")
    assert notice_outcomes(place) == {"json": "accepted"}
    assert len(hook.all("requests")) == 1
    assert "token-of-mine" not in place.run("intents", "--json") + place.run("check", "--json")


def test_a_receiver_that_cannot_be_built_is_said_and_the_others_go_on(
    place: Place, http_sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    monkeypatch.setenv("OTHER", "json://127.0.0.1:1/token-of-mine")
    good, hook = http_sink.open(), http_sink.open()
    another_user(place)
    notify(
        place,
        f'urls = ["http://127.0.0.1:{hook.port}/x", "ntfy://127.0.0.1:{good.port}/robin"]\n'
        'webhook_secret = { env = "NOT_THERE" }\n'
        'apprise = [{ env = "OTHER" }, { env = "NOR_THERE" }]\n',
    )
    notify(place, f'urls = ["http://127.0.0.1:{hook.port}/ada"]\n', user="ada")
    place.deliver(1)
    place.run("once")
    assert len(good.all("requests")) == 1
    assert hook.all("requests") == []
    faults = [one for one in listed(place, "review", "list") if one["kind"] == "config_fault"]
    summaries = "\n".join(sorted(str(one["summary"]) for one in faults))
    assert [one["user"] for one in faults] == ["robin"] * 3
    assert 'pip install "fencepost[apprise]"' in summaries
    assert "NOT_THERE" in summaries
    assert "NOR_THERE" in summaries
    assert "token-of-mine" not in summaries


def test_check_shows_each_receiver_and_sends_nothing(
    place: Place, mail_sink: MailSink, http_sink: Sink
) -> None:
    hook, mail = http_sink.open(), mail_sink.open()
    notify(
        place,
        f'urls = ["http://127.0.0.1:{hook.port}/secret-path", "mailto:robin@example.com"]\n'
        + mail_line(mail),
    )
    found = {str(one["what"]): one for one in listed(place, "check")}
    (web,) = (one for what, one in found.items() if "robin to http" in what)
    assert "not tried" in str(web["says"])
    post = found["notices of robin to mailto:robin@example.com"]
    assert post["works"] is True
    assert "it lets us in, nothing sent" in str(post["says"])
    assert hook.all("connections") == []
    assert "mail" not in mail.all("commands")
    assert "secret-path" not in str(found)


def test_check_says_what_is_wrong_with_a_mail_server(
    place: Place, mail_sink: MailSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMTP_PASSWORD", "wrong")
    mail = mail_sink.open(user=["robin", "secret"])
    notify(
        place,
        f'urls = ["mailto:robin@example.com"]\nsmtp = {{ host = "127.0.0.1", port = {mail.port}, '
        'security = "none", username = "robin", password = { env = "SMTP_PASSWORD" } }\n',
    )
    document = place.json("check", status=1)
    assert isinstance(document, list)
    (post,) = (one for one in document if "mailto" in one["what"])
    assert (post["works"], "refused the login (535)" in post["says"]) == (False, True)
    assert "username and password" in post["remedy"]
