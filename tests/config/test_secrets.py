"""Secrets come from where a reference says, and are never seen."""

from __future__ import annotations

import copy
import logging
import os
import pickle
import select
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import keyring
import pytest
from keyring.errors import NoKeyringError

from config import command, secrets
from config.secrets import Secret, SecretError, SecretRef, exposure, resolve

UseKeyring = Callable[[tuple[str, str] | None], None]


def secret_file(path: Path, content: bytes = b"hunter2\n", mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def python(source: str) -> SecretRef:
    return SecretRef(command=shlex.join([sys.executable, "-c", source]))


@pytest.mark.parametrize("show", [repr, str, "{:>20}".format, "%s".__mod__, "%r".__mod__])
def test_a_secret_is_never_shown(show: Callable[[object], str]) -> None:
    assert "hunter2" not in show(Secret("hunter2"))


def test_a_secret_is_never_shown_inside_something_else() -> None:
    assert "hunter2" not in f"{[Secret('hunter2')]} {vars(type('T', (), {'s': Secret('hunter2')}))}"


def test_a_secret_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("t").warning("using %s %r", Secret("hunter2"), {"s": Secret("hunter2")})

    assert "hunter2" not in caplog.text


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_secret_is_not_copied_or_written_out(take: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match="never copied"):
        take(Secret("hunter2"))


def test_equal_secrets_are_equal_and_no_key_of_a_table() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    with pytest.raises(TypeError):
        hash(Secret("a"))


def test_a_variable_of_the_environment_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    ref = SecretRef(env="X_SECRET")
    monkeypatch.setenv("X_SECRET", "one")
    assert resolve(ref).reveal() == "one"
    monkeypatch.setenv("X_SECRET", "two")

    assert resolve(ref).reveal() == "two"


def test_a_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("X_SECRET", raising=False)

    with pytest.raises(SecretError, match="X_SECRET is not set; set X_SECRET"):
        resolve(SecretRef(env="X_SECRET"))


@pytest.mark.parametrize("content", [b"hunter2", b"hunter2\n", b"hunter2\r\n"])
def test_one_line_break_at_the_end_of_a_file_is_no_secret(tmp_path: Path, content: bytes) -> None:
    path = secret_file(tmp_path / "s", content)

    assert resolve(SecretRef(file=path)).reveal() == "hunter2"


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (b"\n", "is empty"), (b"\xff", "not UTF-8"), (b"x" * 1_048_577, "larger")],
)
def test_a_file_that_holds_no_secret_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(SecretError, match=message):
        resolve(SecretRef(file=secret_file(tmp_path / "s", content)))


def test_a_missing_file_is_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SecretError, match=r"does not exist; put the secret into .* .chmod 600."):
        resolve(SecretRef(file=tmp_path / "s"))


def test_a_folder_and_a_pipe_are_no_secret(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(SecretError, match=r"can't be read|no regular file"):
            resolve(SecretRef(file=path))


def test_a_secret_that_others_may_read_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ref = SecretRef(file=secret_file(tmp_path / "s", mode=0o644))

    assert resolve(ref).reveal() == "hunter2"

    assert "chmod 600" in caplog.text
    assert "chmod 600" in (exposure(ref) or "")


def test_a_secret_that_nobody_else_may_read_is_fine(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ref = SecretRef(file=secret_file(tmp_path / "s", mode=0o400))

    resolve(ref)

    assert caplog.text == ""
    assert exposure(ref) is None


def test_a_secret_that_others_may_change_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SecretError, match=r"may change the secret file .*chmod 600"):
        resolve(SecretRef(file=secret_file(tmp_path / "s", mode=0o620)))


def test_a_command_gives_what_it_prints() -> None:
    assert resolve(python("print('hunter2')")).reveal() == "hunter2"


def test_a_command_sees_no_shell(tmp_path: Path) -> None:
    ref = SecretRef(command=f"echo $HOME ; touch {tmp_path / 'x'}")

    assert resolve(ref).reveal().startswith("$HOME ; touch")
    assert not (tmp_path / "x").exists()


def test_a_failing_command_is_told_by_its_status_and_never_its_output(
    capfd: pytest.CaptureFixture[str],
) -> None:
    ref = SecretRef(command='sh -c \'read x; echo hunt""er2; echo hunt""er2 >&2; exit 3\'')

    with pytest.raises(SecretError, match="exit status 3") as caught:
        resolve(ref)

    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in "".join(capfd.readouterr())


def test_a_command_that_is_not_there_is_told() -> None:
    with pytest.raises(SecretError, match="can't be started"):
        resolve(SecretRef(command="no-such-command-here"))


def test_a_command_that_prints_without_end_is_stopped() -> None:
    with pytest.raises(SecretError, match="printed more than 1 MiB"):
        resolve(SecretRef(command="yes"))


def test_a_late_command_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(command.CommandError, match="took too long"):
            command.output_of(["sh", "-c", f"sleep 600 > '{pipe}' & wait"], 0.5)

        ended, _, _ = select.select([reader], [], [], 20.0)

        assert ended, "a helper still holds the pipe"
        assert os.read(reader, 1) == b""
    finally:
        os.close(reader)


def test_a_command_that_closes_its_output_and_stays_is_stopped() -> None:
    with pytest.raises(command.CommandError, match="took too long"):
        command.output_of(["sh", "-c", "exec >&-; sleep 600"], 0.5)


def test_a_credential_of_systemd_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret_file(tmp_path / "imap", mode=0o440)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))

    assert resolve(SecretRef(credential="imap")).reveal() == "hunter2"


def test_a_missing_credential_names_the_line_for_the_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    with pytest.raises(SecretError, match="LoadCredential=imap:"):
        resolve(SecretRef(credential="imap"))
    monkeypatch.delenv("CREDENTIALS_DIRECTORY")

    with pytest.raises(SecretError, match="no systemd credentials here"):
        resolve(SecretRef(credential="imap"))


@pytest.fixture
def use_keyring(monkeypatch: pytest.MonkeyPatch) -> UseKeyring:
    """Put a keyring in place that holds one entry, or that is not there at all."""

    def use(entry: tuple[str, str] | None) -> None:
        def get_password(service: str, user: str) -> str | None:
            if entry is None:
                raise NoKeyringError
            return "hunter2" if (service, user) == entry else None

        monkeypatch.setattr(keyring, "get_password", get_password)

    return use


def test_an_entry_of_the_keyring_is_read(use_keyring: UseKeyring) -> None:
    use_keyring(("mail/home", "robin"))

    assert resolve(SecretRef(keyring="mail/home/robin")).reveal() == "hunter2"


def test_a_missing_entry_names_the_command_that_makes_it(use_keyring: UseKeyring) -> None:
    use_keyring(("x", "y"))

    with pytest.raises(SecretError, match="run: keyring set mail robin"):
        resolve(SecretRef(keyring="mail/robin"))


def test_a_machine_without_a_keyring_is_told_another_way(use_keyring: UseKeyring) -> None:
    use_keyring(None)

    with pytest.raises(SecretError, match="refer to the secret in another way"):
        resolve(SecretRef(keyring="mail/robin"))


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)

    with pytest.raises(SecretError, match=r"pip install .fencepost\[keyring\]"):
        resolve(SecretRef(keyring="mail/robin"))


def test_the_keyring_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, config.load; sys.exit('keyring' in sys.modules)"

    assert command.output_of([sys.executable, "-c", code], 60.0) == b""


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"env": "A", "file": "b"},
        {"env": ""},
        {"env": "A=B"},
        {"file": ""},
        {"file": "a\0b"},
        {"keyring": "service"},
        {"keyring": "/name"},
        {"command": ""},
        {"command": "pass 'open"},
        {"credential": "../x"},
        {"credential": ".."},
    ],
)
def test_a_reference_that_names_nothing_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"exactly one|not usable"):
        SecretRef(**given)  # type: ignore[arg-type]


def test_a_reference_shows_where_and_not_what(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_SECRET", "hunter2")

    assert str(SecretRef(env="X_SECRET")) == '{ env = "X_SECRET" }'


def test_the_time_of_a_command_is_half_a_minute() -> None:
    assert secrets.COMMAND_TIMEOUT_S == 30.0
