"""``users/NAME.toml``: what it says, and what it refuses where."""

from __future__ import annotations

import re
from datetime import time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from config.fields import QuietHours
from config.secrets import SecretRef
from config.user import GmailMailbox, ImapMailbox, MaildirMailbox, UserConfig
from storage.words import Category, ItemKind, UserName
from tests.config.folder import ROBIN, Folder

WHOLE = """\
name = "Robin Vale"
addresses = ["robin@example.com", "hello@vale.example.net", "Robin@Example.com"]
timezone = "Europe/Paris"
signature = "Robin"
instructions = "Decline sales calls kindly. Short answers."
[triage]
engine = "model"
draft = ["needs_reply", "fyi"]
never_draft_for = ["*@Example.net"]
[model]
base_url = "http://127.0.0.1:8080/v1"
triage = "small-model"
draft = "large-model"
api_key = { env = "OPENAI_API_KEY" }
daily_tokens = 500000
thread_tokens = 24000
[[mailboxes]]
id = "local"
provider = "maildir"
path = "~/Mail"
since = "3d"
[[mailboxes]]
id = "work"
provider = "gmail"
client = { file = "client.json" }
token = { file = "tokens/robin-work.json" }
[[mailboxes]]
id = "home"
provider = "imap"
host = "imap.example.com"
port = 993
security = "tls"
username = "robin"
password = { env = "IMAP_PASSWORD" }
smtp = { host = "smtp.example.com", port = 587, security = "starttls" }
[notify]
urls = ["ntfy://ntfy.example.com/robin", "https://hooks.example.com/x", "mailto:robin@example.com"]
kinds = ["draft_ready", "outcome_unknown"]
quiet_hours = "22:00-07:00"
digest = "08:00"
webhook_secret = { env = "HOOK_SECRET" }
include_text = false
smtp = { host = "smtp.example.com", username = "robin", password = { env = "SMTP_PASSWORD" } }
"""
MAILDIR = '[[mailboxes]]\nid = "local"\nprovider = "maildir"\npath = "Mail"\n'
IMAP = '[[mailboxes]]\nid = "home"\nprovider = "imap"\nhost = "imap.example.com"\n'


def in_force(folder: Folder, text: str) -> UserConfig:
    folder.user(text)
    loaded = folder.load()
    assert loaded.faults == ()
    return loaded.users[UserName("robin")]


def test_a_whole_file_is_read_whole(folder: Folder, tmp_path: Path) -> None:
    user = in_force(folder, WHOLE)

    assert user.addresses == ("robin@example.com", "hello@vale.example.net")
    assert user.timezone == ZoneInfo("Europe/Paris")
    assert user.triage.draft == (Category.NEEDS_REPLY, Category.FYI)
    assert user.triage.never_draft_for == ("*@example.net",)
    assert user.model is not None
    assert user.model.api_key == SecretRef(env="OPENAI_API_KEY")
    assert user.mailboxes[0] == MaildirMailbox(
        id="local", provider="maildir", path=tmp_path / "home" / "Mail"
    )
    assert isinstance(user.mailboxes[1], GmailMailbox)
    assert isinstance(user.mailboxes[2], ImapMailbox)
    assert user.mailboxes[2].smtp is not None
    assert user.notify.quiet_hours == QuietHours(start=time(22), end=time(7))
    assert user.notify.digest == time(8)
    assert user.notify.smtp is not None
    assert user.notify.smtp.port == 587


def test_what_is_left_out_has_a_default(folder: Folder) -> None:
    user = in_force(folder, ROBIN.format(path="Mail"))

    assert user.timezone == ZoneInfo("UTC")
    assert user.triage.engine == "rules"
    assert user.triage.draft == (Category.NEEDS_REPLY,)
    assert user.model is None
    assert user.mailboxes[0].since == timedelta(days=3)
    assert user.notify.kinds == (ItemKind.DRAFT_READY, ItemKind.OUTCOME_UNKNOWN)
    assert user.notify.include_text is False


def test_a_value_in_force_can_not_be_changed(folder: Folder) -> None:
    user = in_force(folder, WHOLE)

    with pytest.raises(AttributeError):
        user.name = "x"  # type: ignore[misc]


def test_a_gmail_account_has_google_s_addresses_unless_told_otherwise(folder: Folder) -> None:
    (gmail,) = [one for one in in_force(folder, WHOLE).mailboxes if one.provider == "gmail"]

    assert gmail.api_root == "https://gmail.googleapis.com"
    assert gmail.auth_url == "https://accounts.google.com/o/oauth2/v2/auth"
    assert gmail.token_url == "https://oauth2.googleapis.com/token"
    assert gmail.units_per_minute == 6_000


def test_a_test_server_on_this_machine_needs_no_encryption(folder: Folder) -> None:
    root = 'provider = "gmail"\napi_root = "http://127.0.0.1:8080/"'
    user = in_force(folder, WHOLE.replace('provider = "gmail"', root))

    assert [one.api_root for one in user.mailboxes if one.provider == "gmail"] == [
        "http://127.0.0.1:8080"
    ]


REFUSED = [
    ('name = "Robin Vale"', 'name = " "', "name"),
    ('name = "Robin Vale"', 'name = "Robin\\r\\nBcc: x@example.org"', "name"),
    ('name = "Robin Vale"', "name = 3", "name"),
    ('name = "Robin Vale"', 'nam = "Robin Vale"', "nam"),
    ("addresses = [.*]", "addresses = []", "addresses"),
    ("addresses = [.*]", 'addresses = "robin@example.com"', "addresses"),
    ("addresses = [.*]", 'addresses = ["r@example.com", "r@example.com\\n"]', "addresses[2]"),
    ("addresses = [.*]", 'addresses = ["bob@example.com> SIZE=1"]', "addresses[1]"),
    ("addresses = [.*]", 'addresses = ["Robin <robin@example.com>"]', "addresses[1]"),
    ("addresses = [.*]", 'addresses = ["robin@"]', "addresses[1]"),
    ("addresses = [.*]", 'addresses = ["robin@-x-.example.com"]', "addresses[1]"),
    ('timezone = "Europe/Paris"', 'timezone = "Europe/Pari"', "timezone"),
    ('timezone = "Europe/Paris"', 'timezone = "Europe"', "timezone"),
    ('timezone = "Europe/Paris"', 'timezone = "../etc/passwd"', "timezone"),
    ('timezone = "Europe/Paris"', 'timezone = ""', "timezone"),
    ('timezone = "Europe/Paris"', "timezone = 2", "timezone"),
    ('signature = "Robin"', 'signature = "R\\u0000"', "signature"),
    ('engine = "model"', 'engine = "modle"', "triage.engine"),
    ('engine = "model"', "engine = 3", "triage.engine"),
    ('"needs_reply", "fyi"', '"needs_replay"', "triage.draft[1]"),
    ('"needs_reply", "fyi"', '"suspicious"', "triage.draft"),
    ("never_draft_for = .*", 'never_draft_for = ["example.net"]', "triage.never_draft_for[1]"),
    ("never_draft_for = .*", 'never_draft_for = ["a b@c"]', "triage.never_draft_for[1]"),
    ("base_url = .*", 'base_url = "127.0.0.1:8080"', "model.base_url"),
    ("base_url = .*", 'base_url = "https://u:hunter2@example.com/v1"', "model.base_url"),
    ("api_key = .*", 'api_key = "hunter2"', "model.api_key"),
    ("api_key = .*", 'api_key = { evn = "X" }', "model.api_key.evn"),
    ("thread_tokens = .*", "thread_tokens = 500001", "model.thread_tokens"),
    ("daily_tokens = .*", "daily_tokens = -1", "model.daily_tokens"),
    ('id = "work"', 'id = "Work Mail"', "mailboxes[2].id"),
    ('id = "work"', 'id = "local"', "mailboxes[2].id"),
    ('provider = "gmail"', 'provider = "gmial"', "mailboxes[2].provider"),
    ('token = { file = "tokens/robin-work.json" }', 'token = { env = "T" }', "mailboxes[2].token"),
    ('provider = "gmail"', 'provider = "gmail"\nunits_per_minute = 599', "mailboxes[2].units"),
    ('provider = "gmail"', 'provider = "gmail"\nunits_per_minute = "x"', "mailboxes[2].units"),
    (
        'provider = "gmail"',
        'provider = "gmail"\napi_root = "http://gmail.example.com"',
        "mailboxes[2].api_root",
    ),
    (
        'provider = "gmail"',
        'provider = "gmail"\ntoken_url = "http://gmail.example.com/token"',
        "mailboxes[2].token_url",
    ),
    ('path = "~/Mail"', 'path = ""', "mailboxes[1].path"),
    ('since = "3d"', 'since = "3 days"', "mailboxes[1].since"),
    ('since = "3d"', 'sicne = "3d"', "mailboxes[1].sicne"),
    ('security = "tls"', 'security = "none"', "mailboxes[3].security"),
    ('host = "imap.example.com"', 'host = "imap.example.com\\r\\nA1 LOGOUT"', "mailboxes[3].host"),
    ('host = "imap.example.com"', 'host = "https://imap.example.com"', "mailboxes[3].host"),
    ("port = 993", "port = 0", "mailboxes[3].port"),
    ('username = "robin"\n', 'username = "robin\\r\\n"\n', "mailboxes[3].username"),
    ('password = { env = "IMAP_PASSWORD" }', "", "mailboxes[3].password"),
    ('password = { env = "IMAP_PASSWORD" }', 'password = "hunter2"', "mailboxes[3].password"),
    ('security = "tls"', 'security = "tls"\ntoken = { env = "T" }', "mailboxes[3].token"),
    ('smtp = { host = "smtp.example.com", port', 'smtp = { hots = "x", port', "mailboxes[3].smtp"),
    ("hooks.example.com/x", "hooks.example.com/ x", "notify.urls[2]"),
    ("https://hooks", "http://hooks", "notify.urls[2]"),
    ("https://hooks", "ftp://hooks", "notify.urls[2]"),
    ("https://hooks.example.com/x", "https://[", "notify.urls[2]"),
    ("mailto:robin@example.com", "mailto:robin", "notify.urls[3]"),
    ("mailto:robin@example.com", "mailto:r@example.com?bcc=x@example.org", "notify.urls[3]"),
    ("ntfy.example.com/robin", "ntfy.example.com", "notify.urls[1]"),
    ('kinds = ["draft_ready"', 'kinds = ["draft_redy"', "notify.kinds[1]"),
    ("quiet_hours = .*", 'quiet_hours = "22-7"', "notify.quiet_hours"),
    ("quiet_hours = .*", 'quiet_hours = "22:00-22:00"', "notify.quiet_hours"),
    ("digest = .*", 'digest = "24:00"', "notify.digest"),
    ("include_text = false", "include_text = 2", "notify.include_text"),
    (', username = "robin", password', ", password", "notify.smtp.username"),
]


@pytest.mark.parametrize(("old", "new", "key"), REFUSED)
def test_a_wrong_line_is_named_with_its_key_and_a_remedy(
    folder: Folder, old: str, new: str, key: str
) -> None:
    text, count = re.subn(re.escape(old).replace(r"\.\*", ".*"), lambda _: new, WHOLE, count=1)
    assert count == 1
    lines = zip(WHOLE.splitlines(), text.splitlines(), strict=False)
    changed = next(number for number, (was, now) in enumerate(lines, start=1) if was != now)

    fault = next(fault for fault in folder.faults(text) if fault.key.startswith(key))

    if new:
        assert fault.line == changed
    assert fault.remedy
    assert "hunter2" not in str(fault)


def test_a_digest_may_be_a_time_as_toml_writes_it(folder: Folder) -> None:
    user = in_force(folder, WHOLE.replace('digest = "08:00"', "digest = 08:30:00"))

    assert user.notify.digest == time(8, 30)


def test_every_fault_of_a_file_is_told_at_once_and_in_order(folder: Folder) -> None:
    faults = folder.faults('timezone = "x"\n' + MAILDIR + "prt = 3\n")

    assert [fault.key for fault in faults] == ["name", "addresses", "timezone", "mailboxes[1].prt"]
    assert [fault.line for fault in faults] == [1, 1, 1, 6]


def test_a_wrong_mailbox_does_not_make_the_list_too_short(folder: Folder) -> None:
    faults = folder.faults('name = "x"\naddresses = ["a@example.com"]\n' + IMAP)

    assert {fault.key for fault in faults} == {"mailboxes[1].username"}


def test_a_user_without_a_mailbox_is_told_to_add_one(folder: Folder) -> None:
    fault = folder.fault('name = "x"\naddresses = ["a@example.com"]\n')

    assert fault.key == "mailboxes"
    assert fault.remedy.startswith("add mailboxes")


def test_mailboxes_in_single_brackets_are_corrected(folder: Folder) -> None:
    text = 'name = "x"\naddresses = ["a@example.com"]\n' + MAILDIR.replace("[[", "[").replace(
        "]]", "]"
    )

    assert folder.fault(text).remedy == "write [[mailboxes]]"


def test_a_model_engine_needs_a_model(folder: Folder) -> None:
    fault = folder.fault(ROBIN.format(path="Mail") + '[triage]\nengine = "model"\n')

    assert (fault.key, fault.line) == ("triage.engine", 8)


def test_mail_needs_a_server_that_sends(folder: Folder) -> None:
    fault = folder.fault(
        ROBIN.format(path="Mail") + '[notify]\nurls = ["mailto:robin@example.com"]\n'
    )

    assert fault.key == "notify.smtp"
    assert fault.line == 7


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_clear_text_stays_on_this_machine(folder: Folder, host: str) -> None:
    text = WHOLE.replace("imap.example.com", host).replace('"tls"', '"none"')
    text = text.replace("https://hooks.example.com", "http://127.0.0.1:8099")

    user = in_force(folder, text)

    assert user.mailboxes[2].account == f"imap robin@{host}"


@pytest.mark.parametrize(
    "address", ["r.v+x@mail.example.com", "robin@localhost", "grün@bücher.example"]
)
def test_an_unusual_address_is_an_address(folder: Folder, address: str) -> None:
    text = ROBIN.format(path="Mail").replace("robin@example.com", address)

    assert in_force(folder, text).addresses == (address,)
