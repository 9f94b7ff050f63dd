"""A user's file becomes receivers: their names hold no secret, their calls have room."""

from __future__ import annotations

from datetime import time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant import wiring
from assistant.house import Telling
from assistant.settings import Settings
from assistant.timing import SystemClock
from assistant.wiring import Unbuilt
from config.load import load
from leases.term import Term
from storage.words import NO_FAULTS, UserName

SMTP = 'smtp = { host = "smtp.example.com" }\n'


def built(tmp_path: Path, lines: str) -> tuple[Telling | None, tuple[Unbuilt, ...]]:
    config = tmp_path / "config"
    (config / "users").mkdir(parents=True)
    (config / "users" / "robin.toml").write_text(
        'name = "Robin Vale"\naddresses = ["robin@example.com"]\ntimezone = "Europe/Paris"\n'
        f'[[mailboxes]]\nid = "local"\nprovider = "maildir"\npath = "{tmp_path}"\n'
        f"[notify]\n{lines}"
    )
    loaded = load(config)
    assert loaded.faults == ()
    user = loaded.users[UserName("robin")]
    settings = wiring.settings_of(loaded.daemon)
    made = wiring.build_user(user, settings, SystemClock(), NO_FAULTS, since_s=None)
    return made.telling, made.unbuilt


def test_hours_kinds_and_text_come_from_the_file(tmp_path: Path) -> None:
    telling, _ = built(
        tmp_path,
        'urls = ["ntfy://ntfy.example.com/robin"]\nquiet_hours = "22:00-07:00"\n'
        'digest = "08:00"\nkinds = ["draft_ready", "gap"]\ninclude_text = true\n',
    )
    assert telling is not None
    assert telling.kinds == {"draft_ready", "gap"}
    assert telling.include_text
    assert telling.hours.quiet == (time(22), time(7))
    assert (telling.hours.digest, telling.hours.zone) == (time(8), ZoneInfo("Europe/Paris"))


def test_a_receiver_is_named_without_what_may_be_secret(tmp_path: Path) -> None:
    telling, _ = built(
        tmp_path,
        'urls = ["https://hooks.example.com/token?key=secret", "ntfy://ntfy.example.com/topic", '
        f'"mailto:robin@example.com"]\n{SMTP}',
    )
    assert telling is not None
    names = [one.address for one in telling.receivers]
    assert [name.partition("~")[0] for name in names] == [
        "https://hooks.example.com/",
        "ntfy://ntfy.example.com/",
        "mailto:robin@example.com",
    ]


def test_a_call_by_mail_fits_into_its_lease_with_the_wait_for_the_answer(tmp_path: Path) -> None:
    telling, _ = built(tmp_path, f'urls = ["mailto:robin@example.com"]\n{SMTP}')
    assert telling is not None
    call_s = telling.receivers[0].call_timeout_s
    assert call_s is not None
    assert call_s > 600


@pytest.mark.parametrize("call_s", [0.1, 20.0, 60.0, 661.0, 7_200.0])
def test_a_lease_is_long_enough_for_a_call_that_begins_a_little_late(call_s: float) -> None:
    settings = Settings()
    term = Term(started_s=0.0, ttl_s=settings.lease_s_for(call_s))
    assert term.allows(5.0, call_s)
    assert settings.lease_s_for(20.0) == settings.lease_ttl_s


def test_a_missing_password_stops_that_receiver_only(tmp_path: Path) -> None:
    telling, unbuilt = built(
        tmp_path,
        'urls = ["mailto:robin@example.com", "ntfy://ntfy.example.com/robin"]\n'
        'smtp = { host = "smtp.example.com", username = "robin", '
        'password = { env = "NOT_THERE" } }\n',
    )
    assert telling is not None
    assert [one.address.partition(":")[0] for one in telling.receivers] == ["ntfy"]
    assert [one.what for one in unbuilt] == ["mailto:robin@example.com"]
