"""What a mailbox needs of the host that serves it, where that is a secret.

A secret is fetched anew each time, so that one that was put right is found. That it cannot be had
is a trouble of this host: another one of a fleet may have it. What a server says of a secret that
it was shown is not: it would say the same to every host.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from assistant.serving import Need
from config.secrets import SecretError, SecretRef, resolve
from providers.ports import NotHereError


def source(ref: SecretRef | None) -> Callable[[], str] | None:
    """Fetches the secret anew at each login; an adapter calls it on a thread."""
    return None if ref is None else partial(_fetch, ref)


def secret(ref: SecretRef | None) -> Need | None:
    """That this host can have the secret."""
    if ref is None:
        return None
    costly = ref.command is not None or ref.keyring is not None
    return Need(check=partial(_try, ref), costly=costly)


def _fetch(ref: SecretRef) -> str:
    try:
        return resolve(ref).reveal()
    except SecretError as error:
        raise NotHereError(error.problem, error.remedy) from error


def _try(ref: SecretRef) -> None:
    """The server says whose account it is, to every host the same."""
    _fetch(ref)
