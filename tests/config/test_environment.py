"""The environment over ``fencepost.toml``."""

from __future__ import annotations

from datetime import timedelta

import pytest

from config.daemon import DaemonConfig
from config.environment import _Settings
from config.faults import ConfigError, Fault
from config.secrets import SecretRef
from tests.config.folder import Folder


def fault_of(folder: Folder) -> Fault:
    with pytest.raises(ConfigError) as caught:
        folder.load()
    (fault,) = caught.value.faults
    return fault


def test_the_environment_wins_over_the_file(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.daemon('[runtime]\npoll = "1m"\nsettle = "9s"\n')
    monkeypatch.setenv("FENCEPOST_RUNTIME__POLL", "10s")
    monkeypatch.setenv("FENCEPOST_WEB__PORT", "9000")

    daemon = folder.load().daemon

    assert daemon.runtime.poll == timedelta(seconds=10)
    assert daemon.runtime.settle == timedelta(seconds=9)
    assert daemon.web.port == 9000


def test_a_list_is_written_as_json(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FENCEPOST_RECONCILE__LOOKS", '["1s", "2s"]')

    looks = folder.load().daemon.reconcile.looks

    assert looks == (timedelta(seconds=1), timedelta(seconds=2))


def test_a_reference_in_the_environment_replaces_the_one_in_the_file(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.daemon('[secrets]\ninstallation = { file = "x.key" }\n')
    monkeypatch.setenv("FENCEPOST_SECRETS__INSTALLATION__ENV", "KEY")

    assert folder.load().daemon.secrets.installation == SecretRef(env="KEY")


def test_a_wrong_value_is_told_under_the_name_of_its_variable(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.daemon('[runtime]\npoll = "1m"\n')
    monkeypatch.setenv("FENCEPOST_RUNTIME__POLL", "soon")

    fault = fault_of(folder)

    assert (fault.file, fault.line, fault.key) == (None, None, "FENCEPOST_RUNTIME__POLL")
    assert str(fault).startswith("environment: FENCEPOST_RUNTIME__POLL: ")


def test_a_wrong_key_in_the_environment_is_told(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_RUNTIME__POL", "10s")

    fault = fault_of(folder)

    assert (fault.key, fault.remedy) == ("FENCEPOST_RUNTIME__POL", "did you mean 'poll'?")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FENCEPOST_RUNTIM__POLL", "10s"),
        ("FENCEPOST_RECONCILE__LOOKS", "5s"),
        ("FENCEPOST_WEB", "x"),
    ],
)
def test_what_the_environment_can_not_mean_is_told(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    assert fault_of(folder).key == name


def test_a_variable_that_sets_no_setting_is_left_alone(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_TEST_MODEL", "x")

    folder.load()


def test_the_environment_knows_every_section() -> None:
    assert set(_Settings.model_fields) == set(DaemonConfig.__dataclass_fields__)
