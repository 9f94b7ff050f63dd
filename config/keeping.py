"""Secrets that Fencepost itself makes, put where a reference says that they lie.

Only a file and the keyring can be written to; a variable, a command or a credential of systemd
belongs to somebody else. A file is replaced whole, readable by its owner only. Everything here
blocks; no error holds the secret. A crash leaves the old secret or the new one.
"""

from __future__ import annotations

from config.atomic import replace
from config.secrets import Secret, SecretError, SecretRef


def refuse_unwritable(ref: SecretRef) -> None:
    """Raise SecretError where a secret can't be put at *ref* by us."""
    if ref.file is None and ref.keyring is None:
        raise SecretError(
            f"a login can't be written to {ref}",
            'write token = { file = "tokens/NAME.json" } or token = { keyring = "fencepost/NAME" }',
        )


def keep(ref: SecretRef, secret: Secret) -> None:
    """Put *secret* there, in the place of what there was. Raises SecretError."""
    refuse_unwritable(ref)
    if ref.file is not None:
        try:
            replace(ref.file, f"{secret.reveal()}\n".encode(), mode=0o600)
        except OSError as error:
            raise SecretError(
                f"{ref.file} can't be written ({error.strerror})",
                "make room and let the user that runs Fencepost own that folder",
            ) from error
    elif ref.keyring is not None:
        _into_keyring(ref.keyring, secret)


def _into_keyring(entry: str, secret: Secret) -> None:
    service, _, user = entry.rpartition("/")
    elsewhere = 'write token = { file = "tokens/NAME.json" } instead'
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise SecretError(
            "the package keyring is not installed",
            f'run: pip install "fencepost[keyring]"; or {elsewhere}',
        ) from None
    try:
        keyring.set_password(service, user, secret.reveal())
    except KeyringError as error:
        # Its text may come from a backend that quotes what it was given.
        raise SecretError(
            f"the system keyring can't be written to ({type(error).__name__})",
            f"unlock it, or {elsewhere}",
        ) from None
