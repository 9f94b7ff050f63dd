"""``fencepost.toml``: its defaults and what it refuses."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from config.daemon import DaemonConfig
from config.faults import ConfigError, Fault
from config.secrets import SecretRef
from tests.config.folder import Folder


def fault_of(folder: Folder, text: str) -> Fault:
    folder.daemon(text)
    with pytest.raises(ConfigError) as caught:
        folder.load()
    (fault,) = caught.value.faults
    return fault


def seconds(*values: int) -> tuple[timedelta, ...]:
    return tuple(timedelta(seconds=value) for value in values)


def test_the_defaults_are_those_of_the_design() -> None:
    daemon = DaemonConfig()

    assert daemon.storage.data_dir == Path.home() / ".local/share/fencepost"
    assert daemon.runtime.concurrency == 8
    assert seconds(60, 20, 5, 30) == (
        daemon.runtime.lease_ttl,
        daemon.runtime.call_timeout,
        daemon.runtime.settle,
        daemon.runtime.poll,
    )
    assert daemon.reconcile.looks == seconds(5, 60, 120, 600, 3_600, 21_600, 86_400)
    assert daemon.reconcile.lag == timedelta(minutes=10)
    assert daemon.secrets.installation == SecretRef(file=Path("installation.key"))
    assert (daemon.web.host, daemon.web.port) == ("127.0.0.1", 8025)


def test_a_call_that_does_not_fit_into_a_lease_is_refused_with_the_numbers(
    folder: Folder,
) -> None:
    fault = fault_of(folder, '[runtime]\nlease_ttl = "60s"\ncall_timeout = "21s"\n')

    assert (fault.line, fault.key) == (3, "runtime.call_timeout")
    assert fault.remedy == 'set call_timeout to "20s" or less, or lease_ttl to "1m3s" or more'


def test_a_short_lease_alone_is_refused_too(folder: Folder) -> None:
    fault = fault_of(folder, '[runtime]\nlease_ttl = "30s"\n')

    assert fault.key == "runtime.call_timeout"
    assert fault.line == 1


def test_a_call_that_just_fits_is_taken(folder: Folder) -> None:
    folder.daemon('[runtime]\nlease_ttl = "3s"\ncall_timeout = "1s"\n')

    assert folder.load().daemon.runtime.call_timeout == timedelta(seconds=1)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[runtime]\npoll = 30\n", "runtime.poll"),
        ('[runtime]\npoll = "30"\n', "runtime.poll"),
        ('[runtime]\npoll = "0s"\n', "runtime.poll"),
        ('[runtime]\npoll = "-3s"\n', "runtime.poll"),
        ('[runtime]\npoll = "1m1h"\n', "runtime.poll"),
        ('[runtime]\npoll = ""\n', "runtime.poll"),
        ('[runtime]\npoll = "999999999w"\n', "runtime.poll"),
        ("[runtime]\nconcurrency = 0\n", "runtime.concurrency"),
        ("[runtime]\nconcurrency = true\n", "runtime.concurrency"),
        ("[runtime]\nconcurrency = 1.5\n", "runtime.concurrency"),
        ('[reconcile]\nlooks = ["1m", "5s"]\n', "reconcile.looks"),
        ("[reconcile]\nlooks = []\n", "reconcile.looks"),
        ('[reconcile]\nlooks = "5s"\n', "reconcile.looks"),
        ("[web]\nport = 70000\n", "web.port"),
        ('[web]\nhost = "a b"\n', "web.host"),
        ('[storage]\nurl = "sqlite:///x.db"\n', "storage.url"),
        ('[storage]\nurl = "mysql://h/d"\n', "storage.url"),
        ('[storage]\nurl = "postgresql://host"\n', "storage.url"),
        ('[storage]\nurl = "postgresql://u:hunter2@h/d"\n', "storage.url"),
        ('[storage]\npassword = { env = "X" }\n', "storage.password"),
        ('[storage]\ndata_dir = "a\\u0000b"\n', "storage.data_dir"),
        ("[storage]\ndata_dir = 3\n", "storage.data_dir"),
        ('[secrets]\ninstallation = "hunter2"\n', "secrets.installation"),
        ("[secrets]\ninstallation = {}\n", "secrets.installation"),
        ('[secrets]\ninstallation = { env = "A", file = "b" }\n', "secrets.installation"),
        ('[secrets]\ninstallation = { env = "A B" }\n', "secrets.installation.env"),
        ("storage = 3\n", "storage"),
        ("[strage]\n", "strage"),
    ],
)
def test_a_wrong_setting_is_refused_at_its_key(folder: Folder, text: str, key: str) -> None:
    fault = fault_of(folder, text)

    assert fault.key == key
    assert fault.line == min(2, text.count("\n"))
    assert fault.remedy
    assert "hunter2" not in str(fault)


def test_a_password_for_postgresql_is_a_reference(folder: Folder) -> None:
    folder.daemon(
        '[storage]\nurl = "postgresql://fence@db.example.com/post"\npassword = { env = "X" }\n'
    )

    assert folder.load().daemon.storage.password == SecretRef(env="X")
